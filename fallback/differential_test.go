package fallback_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// TestRandomPrograms runs random kernels and shaders on the emulator and, lane by lane, on the reference. It compares the
// results, and which lanes of a sub-group execute each bitcast shuffle together.
func TestRandomPrograms(t *testing.T) {
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
	return &run.Source{Dialect: d, Ins: 3, Outs: 1, Body: body, Functions: functions, Globals: p.Globals()}
}

// differ runs a program both ways. The error is what differs.
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
	shape := shapes[r.IntN(len(shapes))]
	if r.IntN(2) == 0 {
		shape = meetingShapes[r.IntN(len(meetingShapes))]
	}
	shape.items = min(shape.items, 20+r.IntN(120))
	shape.local = min(shape.local, shape.items)
	pattern := patterns[r.IntN(len(patterns))]
	in := make([]uint32, 3*shape.items)
	for i := range in {
		in[i] = pattern.get(i/3, i%3, r)
		if r.IntN(6) == 0 {
			in[i] = r.Uint32()
		}
	}
	where := fmt.Sprintf("%d lanes in work-groups of %d, sub-groups of %d, inputs %s", shape.items, shape.local, shape.subGroup, pattern.name)
	want, together, err := reference(refM, in, shape.items, shape.local, shape.subGroup)
	if err != nil {
		return err
	}
	got := run.Launch(t, m, src, run.Options{Items: shape.items, Local: shape.local, SubGroup: shape.subGroup, In: in, Check: true, Device: dev})
	if got.Err != nil {
		return fmt.Errorf("%s: %w", where, got.Err)
	}
	for i, v := range got.Out {
		if v != want[i] {
			return fmt.Errorf("%s: lane %d with inputs %v gives %#x, want %#x", where, i, in[3*i:3*i+3], v, want[i])
		}
	}
	found := map[int]uint64{}
	for _, f := range got.Report.Findings {
		if f.Kind == "divergent-sub-group" {
			found[f.WordOffset] = f.Count
		}
	}
	for off, n := range together {
		if found[off] != n {
			return fmt.Errorf("%s: the shuffle at word offset %d was reached by parts of a sub-group %d times, want %d", where, off, found[off], n)
		}
		delete(found, off)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s: shuffles (word offset: times) reached by parts of a sub-group that no lane reaches: %v", where, found)
	}
	return nil
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

// reference runs all lanes on the reference. together is how often only some lanes of a sub-group reach a shuffle, by the
// shuffle's word offset.
func reference(m *module.Module, in []uint32, items, local, subGroup int) (out []uint32, together map[int]uint64, err error) {
	out = make([]uint32, items)
	for i := range out {
		out[i] = run.Poison
	}
	machine := ref.New(m)
	type place struct {
		off, group, sub int
		instance        string
	}
	lanes := map[place]int{}
	for id := range items {
		lane := &ref.Lane{GlobalID: uint64(id), LocalID: uint64(id % local), In: in, Out: out, Steps: 100_000,
			Visit: func(in *spirv.Instruction, instance string) {
				lanes[place{in.Offset, id / local, id % local / subGroup, instance}]++
			}}
		if err := machine.Run(m.EntryPoints[0], lane); err != nil {
			return nil, nil, err
		}
	}
	together = map[int]uint64{}
	for p, n := range lanes {
		first := p.group*local + p.sub*subGroup
		exist := min(subGroup, local-p.sub*subGroup, items-first)
		if _, ok := together[p.off]; !ok {
			together[p.off] = 0
		}
		if n < exist {
			together[p.off]++
		}
	}
	return out, together, nil
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
	t.Errorf("%v, seed %d: %v\ncut down (%s): %v\n%s", d, seed, err, file, differ(t, dev, d, seed, p), text)
}
