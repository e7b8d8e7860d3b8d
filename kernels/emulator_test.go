package kernels_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sort"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// The emulator passes every case, and is without none of what they need.
func TestEmulatorPasses(t *testing.T) {
	s := getSuite(t)
	d, err := fallback.NewDevice("generic", fallback.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := verify(t, s, d)
	cases := 0
	for _, topic := range s.all.Topics {
		cases += len(topic.Cases)
	}
	if len(rows) != cases {
		t.Errorf("%d cases ran of %d", len(rows), cases)
	}
	var names []string
	for name, row := range rows {
		if row.Outcome != runner.Passed {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		t.Errorf("%s: %s: %s", name, rows[name].Outcome, rows[name].Reason)
	}
}

// rewriting is the emulator with instructions of every module replaced by others, as though it took one for the other.
type rewriting struct {
	device.Device
	instead map[spirv.Op]spirv.Op
}

func (d rewriting) Build(ctx context.Context, m *module.Module, opt device.BuildOptions) (device.Program, error) {
	b := *m.Binary
	b.Insts = slices.Clone(b.Insts)
	for i, in := range b.Insts {
		if op, ok := d.instead[in.Op]; ok {
			changed := in
			changed.Op = op
			b.Insts[i] = changed
		}
	}
	changed, err := module.New(&b)
	if err != nil {
		return nil, err
	}
	return d.Device.Build(ctx, changed, opt)
}

// Errors planted in modules that the emulator then runs are noticed by at least the cases that notice them on the device
// that knows the kernels by their effects. (The effects of kernels written by hand are Go of their own, which the planted
// rules do not reach; most of these cases notice too.)
func TestEmulatorMutantsFail(t *testing.T) {
	s := getSuite(t)
	emulator, err := fallback.NewDevice("generic", fallback.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	ops := map[string]spirv.Op{}
	for _, in := range grammar.Instructions() {
		ops[in.Name] = in.Op
	}
	for _, m := range mutants() {
		instead := map[spirv.Op]spirv.Op{}
		for from, to := range m.rules.Instead {
			instead[ops[from]] = ops[to]
		}
		if m.name == "plain per-lane bitcast" {
			instead[spirv.OpSubgroupBitcastShuffleINTEL] = spirv.OpBitcast
		}
		if m.name == "mask taken for a lane" {
			instead[spirv.OpGroupNonUniformShuffleXor] = spirv.OpGroupNonUniformShuffle
			instead[spirv.OpSubgroupShuffleXorINTEL] = spirv.OpSubgroupShuffleINTEL
		}
		if len(instead) == 0 || raceDetector && m.rules.Instead != nil {
			continue // not an error of one instruction taken for another, or one more under the race detector
		}
		t.Run(m.name, func(t *testing.T) {
			topics, patterns := s.concerned(m)
			rows := verify(t, s, rewriting{emulator, instead}, patterns...)
			caught := 0
			for _, topic := range topics {
				for _, c := range topic.Cases {
					row := rows[topic.Name+"/"+c.Name]
					if row.Outcome == runner.Failed {
						caught++
						continue
					}
					right, wrong := expected(c), run(t, c, &m.rules)
					if !maps.EqualFunc(right, wrong, bytes.Equal) {
						t.Errorf("%s/%s: %s: %s", topic.Name, c.Name, row.Outcome, row.Reason)
					}
				}
			}
			t.Logf("caught by %d cases", caught)
			if caught < m.least {
				t.Errorf("caught by %d cases only, fewer than %d", caught, m.least)
			}
		})
	}
}
