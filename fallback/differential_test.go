package fallback_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/ref"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

var oneProgram = flag.String("program", "", "run this random program only: kernel:N or shader:N")

// maxReports bounds how many programs are cut down in one run.
const maxReports = 3

// TestRandomPrograms runs random kernels and shaders on the emulator and, lane by lane, on the reference: at three sub-group
// sizes, in several orders of the work-groups, and in parallel.
func TestRandomPrograms(t *testing.T) {
	first, end := uint64(0), uint64(programs)
	if *oneProgram != "" {
		name, number, _ := strings.Cut(*oneProgram, ":")
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || dialectOf(n).String() != name {
			t.Fatalf("-program %s: want kernel:N with an even N, or shader:N with an odd one", *oneProgram)
		}
		first, end = n, n+1
	}
	dev := run.Device(t, fallback.Options{})
	var next atomic.Uint64
	var differing, launches atomic.Int64
	var wait sync.WaitGroup
	next.Store(first)
	for range 4 {
		wait.Go(func() {
			for seed := next.Add(1) - 1; seed < end; seed = next.Add(1) - 1 {
				p := program(seed)
				n, diff := differ(t, dev, p, trials(p, seed))
				launches.Add(int64(n))
				if diff != nil && differing.Add(1) <= maxReports {
					reportProgram(t, dev, seed, p, diff)
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d programs, %d launches", end-first, launches.Load())
	if n := differing.Load(); n > 0 {
		t.Errorf("%d of %d programs differ", n, end-first)
	}
}

func dialectOf(seed uint64) run.Dialect { return run.Dialects[seed%2] }

// program makes the random program of a number.
func program(seed uint64) *gen.Program { return gen.New(seed/2, dialectOf(seed) == run.Kernel) }

func programSource(p *gen.Program) *run.Source {
	body, functions := p.Body()
	m := p.Around(body + functions)
	s := &run.Source{Dialect: run.Shader, Ins: gen.Ins, Outs: gen.Outs, Shared: gen.Shared, Body: body, Functions: functions,
		Globals: m.Globals, Annotate: m.Annotate, Interface: m.Interface, Caps: m.Caps, Exts: m.Exts}
	if p.Kernel {
		s.Dialect = run.Kernel
	}
	return s
}

// trial is one launch of a random program.
type trial struct {
	shape
	in            []uint32
	seed          uint64
	deterministic bool
	strict        bool
}

func (r *trial) String() string {
	order := "in parallel"
	if r.deterministic {
		order = fmt.Sprintf("in the order of seed %d", r.seed)
	}
	return fmt.Sprintf("%d lanes in work-groups of %d, sub-groups of %d, %s", r.items, r.local, r.subGroup, order)
}

// trials are a program's launches. Most work-groups are small; one in 40 needs several gangs.
func trials(p *gen.Program, seed uint64) (list []trial) {
	r := rand.New(rand.NewPCG(seed, 5))
	local := 1 + r.IntN(24)
	most := p.Sizes[2]
	switch big := r.IntN(40) == 0; {
	case p.Full && big:
		local = gen.LocalLimit / most * most
	case p.Full:
		local = most * (1 + r.IntN(max(1, 32/most)))
	case big:
		local = 257 + r.IntN(gen.LocalLimit-257)
	}
	items := local
	if local <= 64 {
		items *= 1 + r.IntN(max(1, min(3, 64/local)))
		if !p.Full { // the last work-group may be smaller
			items -= r.IntN(local)
		}
	}
	pattern := patterns[r.IntN(len(patterns))]
	in := make([]uint32, gen.Ins*items)
	uniform := r.Uint32N(9)
	for i := range items {
		if i%local == 0 && r.IntN(2) == 0 {
			uniform = r.Uint32()
		}
		w := in[gen.Ins*i:]
		for k := range 3 {
			w[k] = pattern.get(i, k, r)
			if r.IntN(6) == 0 {
				w[k] = r.Uint32()
			}
		}
		w[3] = uint32(min(local, items-i/local*local))
		w[4] = uniform
	}
	for _, size := range p.Sizes {
		for k := range deterministicRuns {
			list = append(list, trial{shape{items, local, size}, in, seed + uint64(k), true, p.Strict})
		}
	}
	middle := shape{items, local, p.Sizes[1]}
	return append(list, trial{middle, in, 0, false, p.Strict})
}

// difference is one between the emulator and the reference.
type difference struct {
	trial trial
	class string // what differs: a smaller program must differ in the same
	err   error
	want  []uint32 // the reference's output, where there is one
}

func (d *difference) Error() string { return fmt.Sprintf("%v: %v", &d.trial, d.err) }

// differ runs a program both ways. It returns the number of launches, and what differs.
func differ(t *testing.T, dev device.Device, p *gen.Program, list []trial) (int, *difference) {
	src := programSource(p)
	return differText(t, dev, src, src.Text(), list)
}

// differText is differ for a text that was made of the source.
func differText(t *testing.T, dev device.Device, src *run.Source, text string, list []trial) (int, *difference) {
	m, err := run.Load(text)
	if err != nil {
		return 0, &difference{class: "module", err: fmt.Errorf("not valid: %w", err)}
	}
	return compareTrials(t, dev, src, m, m, list)
}

// compareTrials runs a module on the emulator, and one that should be the same on the reference.
func compareTrials(t *testing.T, dev device.Device, src *run.Source, m, refM *module.Module, list []trial) (launches int, diff *difference) {
	p, err := run.Build(dev, m, src, run.Options{Local: list[0].local})
	if err != nil {
		return 0, &difference{list[0], "build", err, nil}
	}
	defer p.Close()
	var want []uint32
	var parted map[int]uint64
	var have shape
	for _, l := range list {
		if have != l.shape {
			have = l.shape
			if want, parted, err = reference(refM, src, l.in, l.shape); err != nil {
				return launches, &difference{l, "reference", err, nil}
			}
		}
		launches++
		got := run.Launch(t, m, src, run.Options{Items: l.items, Local: l.local, SubGroup: l.subGroup, In: l.in, Check: l.deterministic, Device: dev, Program: p,
			Seed: l.seed, Deterministic: l.deterministic})
		if got.Err != nil {
			class := "launch"
			if e := run.AsError(got.Err); e != nil {
				class += ": " + e.Kind
			}
			return launches, &difference{l, class, got.Err, want}
		}
		for i, v := range got.Out {
			if v != want[i] {
				return launches, &difference{l, "value", fmt.Errorf("word %d of the output, %s, is %#x, want %#x", i, wordName(i, src), v, want[i]), want}
			}
		}
		if l.deterministic {
			if err := findingsDiffer(got.Report.Findings, parted, l.strict); err != nil {
				return launches, &difference{l, "finding", err, want}
			}
		}
	}
	return launches, nil
}

func wordName(i int, src *run.Source) string {
	if i < src.Shared {
		return "which atomics change"
	}
	i -= src.Shared
	return fmt.Sprintf("word %d of lane %d", i%src.Outs, i/src.Outs)
}

// findingsDiffer compares how often only some lanes of a sub-group reach a bitcast shuffle, by word offset. In a strict
// program nothing else is undefined, but for lanes read that are not active, where the program throws the value away.
func findingsDiffer(list []device.Finding, parted map[int]uint64, strict bool) error {
	found := map[int]uint64{}
	for _, f := range list {
		switch {
		case f.Kind == "divergent-sub-group":
			found[f.WordOffset] = f.Count
		case strict && f.Kind != "inactive-lane":
			return fmt.Errorf("%s at word offset %d: %s", f.Kind, f.WordOffset, f.Message)
		}
	}
	for off, n := range parted {
		if found[off] != n {
			return fmt.Errorf("the shuffle at word offset %d was reached by parts of a sub-group %d times, want %d", off, found[off], n)
		}
		delete(found, off)
	}
	if len(found) > 0 {
		return fmt.Errorf("shuffles (word offset: times) reached by parts of a sub-group that no lane reaches: %v", found)
	}
	return nil
}

// reference runs all lanes on the reference. parted is how often only some lanes of a sub-group reach a shuffle, by the
// shuffle's word offset.
func reference(m *module.Module, src *run.Source, in []uint32, s shape) (out []uint32, parted map[int]uint64, err error) {
	out = slices.Repeat([]uint32{run.Poison}, src.Shared+s.items*src.Outs)
	type place struct {
		off, group, sub int
		instance        string
	}
	lanes := map[place]int{}
	err = ref.New(m).Run(m.EntryPoints[0], &ref.Launch{Items: s.items, Local: s.local, SubGroup: s.subGroup, In: in, Out: out, Steps: 100_000,
		Visit: func(in *spirv.Instruction, id int, instance string) {
			lanes[place{in.Offset, id / s.local, id % s.local / s.subGroup, instance}]++
		}})
	if err != nil {
		return nil, nil, err
	}
	parted = map[int]uint64{}
	for p, n := range lanes {
		first := p.group*s.local + p.sub*s.subGroup
		exist := min(s.subGroup, s.local-p.sub*s.subGroup, s.items-first)
		if _, ok := parted[p.off]; !ok {
			parted[p.off] = 0
		}
		if n < exist {
			parted[p.off]++
		}
	}
	return out, parted, nil
}

// TestRandomProgramsNotice gives the reference a program in which one instruction was changed for another. The comparison
// must notice most such changes: what it does not notice is in code without effect.
func TestRandomProgramsNotice(t *testing.T) {
	swap := map[spirv.Op]spirv.Op{
		spirv.OpIAdd: spirv.OpISub, spirv.OpISub: spirv.OpIAdd, spirv.OpIMul: spirv.OpIAdd, spirv.OpBitwiseAnd: spirv.OpBitwiseOr,
		spirv.OpULessThan: spirv.OpULessThanEqual, spirv.OpIEqual: spirv.OpINotEqual, spirv.OpSLessThan: spirv.OpULessThan,
		spirv.OpFAdd: spirv.OpFSub, spirv.OpFMul: spirv.OpFAdd, spirv.OpConvertSToF: spirv.OpConvertUToF,
		spirv.OpUDiv: spirv.OpSDiv, spirv.OpShiftRightLogical: spirv.OpShiftLeftLogical,
		spirv.OpAtomicIAdd: spirv.OpAtomicISub, spirv.OpAtomicXor: spirv.OpAtomicOr, spirv.OpAtomicSMin: spirv.OpAtomicUMin,
		spirv.OpGroupNonUniformAny: spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformIAdd: spirv.OpGroupNonUniformIMul,
		spirv.OpGroupNonUniformShuffle: spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffleUp: spirv.OpGroupNonUniformShuffleDown,
		spirv.OpGroupNonUniformSMax: spirv.OpGroupNonUniformSMin, spirv.OpGroupNonUniformBallotFindLSB: spirv.OpGroupNonUniformBallotFindMSB,
	}
	dev := run.Device(t, fallback.Options{})
	changed, noticed := 0, 0
	for seed := range uint64(60) {
		p := program(seed)
		src := programSource(p)
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
		if _, diff := compareTrials(t, dev, src, m, other, trials(p, seed)); diff != nil {
			noticed++
		}
	}
	t.Logf("%d of %d changes noticed", noticed, changed)
	if noticed < changed*4/10 {
		t.Errorf("only %d of %d changes noticed", noticed, changed)
	}
}
