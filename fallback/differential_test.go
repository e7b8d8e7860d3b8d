package fallback_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/ref"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

var oneProgram = flag.String("program", "", "run this random program only: kernel:SEED or shader:SEED")

// TestRandomPrograms runs random kernels and shaders on the emulator and, lane by lane, on the reference. It compares the
// results, what is in the buffers, and which lanes of a sub-group execute each bitcast shuffle together.
func TestRandomPrograms(t *testing.T) {
	if *oneProgram != "" {
		name, number, _ := strings.Cut(*oneProgram, ":")
		seed, err := strconv.ParseUint(number, 10, 64)
		i := slices.IndexFunc(run.Dialects, func(d run.Dialect) bool { return d.String() == name })
		if err != nil || i < 0 {
			t.Fatalf("-program %s: want kernel:SEED or shader:SEED", *oneProgram)
		}
		d, dev := run.Dialects[i], run.Device(t, fallback.Options{})
		if err := differ(t, dev, d, seed, gen.New(seed, d == run.Kernel)); err != nil {
			reportProgram(t, dev, d, seed, err)
		}
		return
	}
	for _, d := range run.Dialects {
		for part := range 4 {
			t.Run(fmt.Sprintf("%v/%d", d, part), func(t *testing.T) {
				t.Parallel()
				dev := run.Device(t, fallback.Options{})
				for seed := uint64(part); seed < programs; seed += 4 {
					if err := differ(t, dev, d, seed, gen.New(seed, d == run.Kernel)); err != nil {
						reportProgram(t, dev, d, seed, err)
						return
					}
				}
			})
		}
	}
}

func programSource(d run.Dialect, p *gen.Program) *run.Source {
	body, functions := p.Body()
	return &run.Source{Dialect: d, Ins: inputs, Outs: 1, Body: body, Functions: functions, Globals: p.Globals(),
		Annotate: gen.GroupAnnotate, Interface: gen.GroupInterface, Caps: gen.GroupCaps}
}

// inputs is how many words of the first buffer a work-item has: three that it reads, and one for everybody's atomic accesses.
const inputs = 4

// differ runs a program both ways, with sub-groups of three sizes and with three schedules. The error is what differs.
func differ(t *testing.T, dev device.Device, d run.Dialect, seed uint64, p *gen.Program) error {
	src := programSource(d, p)
	m, err := run.Load(src.Text())
	if err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	return compare(t, dev, src, m, m, seed)
}

// compare runs a module on the emulator, and one that should be the same on the reference.
func compare(t *testing.T, dev device.Device, src *run.Source, m, refM *module.Module, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 5))
	local := 1 + r.IntN(32)
	if r.IntN(16) == 0 {
		local = 1 + r.IntN(256) // up to a whole gang
	}
	items := local * (1 + r.IntN(2))
	pattern := patterns[r.IntN(len(patterns))]
	in := make([]uint32, src.Ins*items)
	for i := range in {
		in[i] = pattern.get(i/src.Ins, i%src.Ins, r)
		if r.IntN(6) == 0 {
			in[i] = r.Uint32()
		}
	}
	sizes := r.Perm(6) // 4 … 128, as clusters are of 4 lanes at most
	for _, log := range sizes[:3] {
		l := launchOf{src: src, items: items, local: local, subGroup: 4 << log, in: in}
		where := fmt.Sprintf("%d lanes in work-groups of %d, sub-groups of %d, inputs %s", items, local, l.subGroup, pattern.name)
		want, err := l.reference(refM)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		for schedule := range uint64(3) { // 0: in parallel
			if err := l.compare(t, dev, m, want, schedule); err != nil {
				return fmt.Errorf("%s, schedule %d: %w", where, schedule, err)
			}
		}
	}
	return nil
}

// launchOf is a launch of a random program.
type launchOf struct {
	src                    *run.Source
	items, local, subGroup int
	in                     []uint32
}

// results is what a launch leaves behind. parts counts how often only some lanes of a sub-group execute a bitcast shuffle,
// by its word offset.
type results struct {
	in, out []uint32
	parts   map[int]uint64
}

func (l *launchOf) compare(t *testing.T, dev device.Device, m *module.Module, want *results, schedule uint64) error {
	opt := run.Options{Items: l.items, Local: l.local, SubGroup: l.subGroup, In: l.in, Check: schedule == 0, Device: dev,
		Seed: schedule, Deterministic: schedule > 0, Spec: l.spec(m)}
	got := run.Launch(t, m, l.src, opt)
	if got.Err != nil {
		return got.Err
	}
	for i, v := range got.Out {
		if v != want.out[i] {
			return fmt.Errorf("lane %d with inputs %v gives %#x, want %#x", i, l.in[l.src.Ins*i:l.src.Ins*(i+1)], v, want.out[i])
		}
	}
	for i, v := range got.In {
		if v != want.in[i] {
			return fmt.Errorf("word %d of the input is %#x afterwards, want %#x", i, v, want.in[i])
		}
	}
	if !opt.Check {
		return nil
	}
	found := map[int]uint64{}
	for _, f := range got.Report.Findings {
		if f.Kind == "divergent-sub-group" {
			found[f.WordOffset] = f.Count
		}
	}
	for off, n := range want.parts {
		if found[off] != n {
			return fmt.Errorf("the shuffle at word offset %d was reached by parts of a sub-group %d times, want %d", off, found[off], n)
		}
		delete(found, off)
	}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				if in.Op == spirv.OpSubgroupBitcastShuffleINTEL && found[in.Offset] > 0 {
					return fmt.Errorf("the shuffle at word offset %d was reached by parts of a sub-group, and no lane reaches it", in.Offset)
				}
			}
		}
	}
	return nil
}

// spec tells a program the launch's sizes, where it asks for them.
func (l *launchOf) spec(m *module.Module) (list []device.SpecValue) {
	for _, c := range m.ConstantOrder {
		if size, ok := l.sizes()[c.SpecID]; ok && c.HasSpecID {
			list = append(list, device.SpecValue{ID: c.SpecID, Bits: size})
		}
	}
	return list
}

func (l *launchOf) sizes() map[uint32]uint64 {
	return map[uint32]uint64{901: uint64(l.local), 902: uint64(l.subGroup), 903: uint64(l.items)}
}

// reference runs the launch on the reference.
func (l *launchOf) reference(m *module.Module) (*results, error) {
	res := &results{in: slices.Clone(l.in), out: make([]uint32, l.items), parts: map[int]uint64{}}
	for i := range res.out {
		res.out[i] = run.Poison
	}
	machine := ref.New(m)
	machine.Spec = l.sizes()
	type place struct {
		off, group, sub int
		instance        string
	}
	lanes := map[place]int{}
	for first := 0; first < l.items; first += l.local {
		var group []*ref.Lane
		for id := first; id < min(first+l.local, l.items); id++ {
			group = append(group, &ref.Lane{GlobalID: uint64(id), LocalID: uint64(id - first), In: res.in, Out: res.out, Steps: 100_000, SubGroup: l.subGroup,
				Visit: func(in *spirv.Instruction, instance string) {
					lanes[place{in.Offset, first, (id - first) / l.subGroup, instance}]++
				}})
		}
		if err := machine.RunGroup(m.EntryPoints[0], group, l.subGroup); err != nil {
			return nil, err
		}
	}
	for p, n := range lanes {
		exist := min(l.subGroup, l.local-p.sub*l.subGroup, l.items-p.group-p.sub*l.subGroup)
		if _, ok := res.parts[p.off]; !ok {
			res.parts[p.off] = 0
		}
		if n < exist {
			res.parts[p.off]++
		}
	}
	return res, nil
}

// TestRandomProgramsNotice gives the reference a program in which one instruction was changed for another. The comparison
// must notice most such changes: what it does not notice is in code without effect.
func TestRandomProgramsNotice(t *testing.T) {
	swap := map[spirv.Op]spirv.Op{
		spirv.OpIAdd: spirv.OpISub, spirv.OpISub: spirv.OpIAdd, spirv.OpIMul: spirv.OpIAdd, spirv.OpBitwiseAnd: spirv.OpBitwiseOr,
		spirv.OpULessThan: spirv.OpULessThanEqual, spirv.OpIEqual: spirv.OpINotEqual, spirv.OpSLessThan: spirv.OpULessThan,
		spirv.OpFAdd: spirv.OpFSub, spirv.OpFMul: spirv.OpFAdd, spirv.OpConvertSToF: spirv.OpConvertUToF,
		spirv.OpUDiv: spirv.OpSDiv, spirv.OpShiftRightLogical: spirv.OpShiftLeftLogical,
	}
	dev := run.Device(t, fallback.Options{})
	changed, noticed := 0, 0
	for seed := range uint64(60) {
		d := run.Dialects[seed%2]
		src := programSource(d, gen.New(seed, d == run.Kernel))
		text := src.Text()
		m, other := run.Module(t, text), run.Module(t, text)
		r := rand.New(rand.NewPCG(seed, 6))
		var list []*spirv.Instruction
		for _, f := range other.Functions {
			for _, b := range f.Blocks[min(1, len(f.Blocks)-1):] {
				for _, in := range b.Insts {
					if swap[in.Op] != 0 {
						list = append(list, in)
					}
				}
			}
		}
		if len(list) == 0 {
			continue
		}
		in := list[r.IntN(len(list))]
		in.Op = swap[in.Op]
		changed++
		if compare(t, dev, src, m, other, seed) != nil {
			noticed++
		}
	}
	t.Logf("%d of %d changes noticed", noticed, changed)
	if noticed < changed*4/10 {
		t.Errorf("only %d of %d changes noticed", noticed, changed)
	}
}

// reportProgram cuts a failing program down and writes it where the test's author finds it.
func reportProgram(t *testing.T, dev device.Device, d run.Dialect, seed uint64, err error) {
	t.Helper()
	p := gen.Shrink(gen.New(seed, d == run.Kernel), func(q *gen.Program) bool { return differ(t, dev, d, seed, q) != nil })
	text := programSource(d, p).Text()
	file := filepath.Join(os.TempDir(), fmt.Sprintf("sgrun-%v-%d.spvasm", d, seed))
	note := fmt.Sprintf("; %v, seed %d: %s\n", d, seed, strings.ReplaceAll(differ(t, dev, d, seed, p).Error(), "\n", "\n; "))
	if werr := os.WriteFile(file, []byte(note+text), 0o644); werr != nil {
		file = werr.Error()
	}
	t.Errorf("%v, seed %d: %v\ncut down (%s): %v\nrun again: go test ./fallback -run TestRandomPrograms -program %v:%d\n%s",
		d, seed, err, file, differ(t, dev, d, seed, p), d, seed, text)
}
