package kernels_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// changing is the emulator with instructions of every module changed.
type changing struct {
	device.Device
	change func(in spirv.Instruction) spirv.Instruction
}

func (d changing) Build(ctx context.Context, m *module.Module, opt device.BuildOptions) (device.Program, error) {
	b := *m.Binary
	b.Insts = slices.Clone(b.Insts)
	for i, in := range b.Insts {
		in.Words = slices.Clone(in.Words)
		b.Insts[i] = d.change(in)
	}
	changed, err := module.New(&b)
	if err != nil {
		return nil, err
	}
	return d.Device.Build(ctx, changed, opt)
}

// Errors in operands, planted in modules that the emulator then runs, are noticed.
func TestEmulatorOperandMutantsFail(t *testing.T) {
	s := getSuite(t)
	emulator, err := fallback.NewDevice("generic", fallback.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	operation := func(from, to spirv.GroupOperation) func(in spirv.Instruction) spirv.Instruction {
		return func(in spirv.Instruction) spirv.Instruction {
			if g := grammarOf(in.Op); g != nil && len(g.Operands) > 3 && g.Operands[3].Kind.String() == "GroupOperation" && in.Words[3] == uint32(from) {
				in.Words[3] = uint32(to)
			}
			return in
		}
	}
	for _, m := range []struct {
		name, pattern string
		change        func(in spirv.Instruction) spirv.Instruction
		least         int
	}{
		{"exclusive scan for inclusive", "group-*", operation(spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan), 150},
		{"partitions scanned exclusively", "group-*", operation(spirv.GroupOperationPartitionedInclusiveScanNV, spirv.GroupOperationPartitionedExclusiveScanNV), 70},
		{"partition reduced for scanned", "group-*", operation(spirv.GroupOperationPartitionedExclusiveScanNV, spirv.GroupOperationPartitionedReduceNV), 70},
		{"a barrier that does nothing", "barrier/*", func(in spirv.Instruction) spirv.Instruction {
			if in.Op == spirv.OpControlBarrier { // within a gang the emulator's lanes go in step; what several gangs share goes wrong
				in.Op, in.Words = spirv.OpMemoryBarrier, in.Words[1:]
			}
			return in
		}, 8},
		{"an atomic addition that is none", "atomic/*", func(in spirv.Instruction) spirv.Instruction {
			if in.Op == spirv.OpAtomicIAdd {
				in.Op = spirv.OpAtomicOr
			}
			return in
		}, 10},
	} {
		if raceDetector && m.pattern == "group-*" {
			continue // races do not depend on which error is planted
		}
		t.Run(m.name, func(t *testing.T) {
			failed := 0
			for _, row := range verify(t, s, changing{emulator, m.change}, m.pattern) {
				if row.Outcome == runner.Failed {
					failed++
				}
			}
			t.Logf("noticed by %d cases", failed)
			if failed < m.least {
				t.Errorf("noticed by %d cases only, fewer than %d", failed, m.least)
			}
		})
	}
}

// The emulator adds and multiplies floats in the order of the lanes: where other devices may differ within a bound, it gives
// the oracle's bits, which are computed in that order.
func TestEmulatorCombinesInLaneOrder(t *testing.T) {
	s := getSuite(t)
	emulator, err := fallback.NewDevice("generic", fallback.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	var exact []*runner.VectorFile
	cases := 0
	for _, f := range s.files {
		if f.Topic != "group-arithmetic" {
			continue
		}
		copied := *f
		copied.Cases = nil
		for _, c := range f.Cases {
			if strings.HasSuffix(c.Name, "-any-order") {
				c.Compare = runner.Comparison{Mode: "bits"}
				copied.Cases = append(copied.Cases, c)
				cases++
			}
		}
		exact = append(exact, &copied)
	}
	report, err := runner.VerifyCases(context.Background(), emulator, exact, kernels.Catalogue(), nil, runner.VerifyOptions{Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	if cases != 6 || report.Passed != cases {
		t.Errorf("%d of %d cases have the oracle's bits, of 6 that there should be", report.Passed, cases)
	}
}
