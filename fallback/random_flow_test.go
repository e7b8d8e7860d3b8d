package fallback_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/spirv/module"
)

// TestRandomFlow runs kernels whose flow graph is any graph, and compares them with the reference: the values, and for
// graphs whose loops have one entry each also which lanes meet.
func TestRandomFlow(t *testing.T) {
	dev := run.Device(t, fallback.Options{})
	reducible, others := 0, 0
	for seed := range uint64(flows) {
		r := rand.New(rand.NewPCG(seed, 8))
		src := randomFlow(r)
		m := run.Module(t, src.Text())
		one := singleEntries(m.EntryPoints[0].Function)
		_, diff := compareTrials(t, dev, src, m, m, []trial{flowTrial(r, seed)})
		if diff != nil && !one && diff.class == "finding" {
			diff = nil // who meets in a loop with several entries is not said
		}
		if diff != nil {
			t.Fatalf("seed %d: %v\n%s", seed, diff, src.Text())
		}
		if one {
			reducible++
		} else {
			others++
		}
	}
	if reducible < flows/16 || others < flows/16 {
		t.Errorf("%d graphs with single entries, %d others: too few of one kind", reducible, others)
	}
}

// flows is how many graphs are run.
const flows = programs * 4 / 5

func flowTrial(r *rand.Rand, seed uint64) trial {
	l := trial{shape: shapes[r.IntN(len(shapes))], seed: seed, deterministic: true}
	if r.IntN(2) == 0 {
		l.shape = meetingShapes[r.IntN(len(meetingShapes))]
	}
	l.items = min(l.items, 20+r.IntN(120))
	l.local = min(l.local, l.items)
	pattern := patterns[r.IntN(len(patterns))]
	l.in = make([]uint32, 3*l.items)
	for i := range l.in {
		if l.in[i] = pattern.get(i/3, i%3, r); r.IntN(6) == 0 {
			l.in[i] = r.Uint32()
		}
	}
	return l
}

// randomFlow makes a kernel of a few blocks that each lead to the next, to any others, or after some time to the end.
func randomFlow(r *rand.Rand) *run.Source {
	n := 2 + r.IntN(9)
	var b strings.Builder
	b.WriteString(`
		%acc = OpVariable %p_Function_u32 Function
		%left = OpVariable %p_Function_u32 Function
		OpStore %acc %in0
		OpStore %left %u32_40
		OpBranch %b0
	`)
	for i := range n {
		targets := []int{i + 1}
		for range r.IntN(3) {
			// Mostly near: that makes loops in loops.
			targets = append(targets, max(0, min(n, i+r.IntN(5)-2)))
		}
		if r.IntN(4) == 0 {
			targets = append(targets, r.IntN(n+1))
		}
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "KEY", fmt.Sprint(i*7+1), "COUNT", fmt.Sprint(len(targets))).Replace(`%b# = OpLabel
			%x# = OpLoad %u32 %acc
			%q# = OpSubgroupBitcastShuffleINTEL %f32 %x#
			%y# = OpBitcast %u32 %q#
			%z# = OpIMul %u32 %y# %u32_1664525
			%w# = OpIAdd %u32 %z# %u32_KEY
			OpStore %acc %w#
			%l# = OpLoad %u32 %left
			%m# = OpISub %u32 %l# %u32_1
			OpStore %left %m#
			%o# = OpIEqual %bool %l# %u32_0
			OpBranchConditional %o# %end %on#
			%on# = OpLabel
			%h# = OpShiftRightLogical %u32 %w# %u32_13
			%k# = OpUMod %u32 %h# %u32_COUNT
		`))
		fmt.Fprintf(&b, "OpSwitch %%k%d %%%s", i, block(targets[0], n))
		for v, to := range targets[1:] {
			fmt.Fprintf(&b, " %d %%%s", v+1, block(to, n))
		}
		b.WriteString("\n")
	}
	b.WriteString(`%end = OpLabel
		%r = OpLoad %u32 %acc
		OpStore %out0 %r
		OpReturn`)
	return &run.Source{Ins: 3, Outs: 1, Body: b.String()}
}

func block(i, n int) string {
	if i == n {
		return "end"
	}
	return fmt.Sprintf("b%d", i)
}

// singleEntries reports whether every loop of a function has one entry: whether, without the edges to a block that dominates
// where they come from, there is no cycle.
func singleEntries(f *module.Function) bool {
	dom := f.Dominators()
	state := make([]int, len(f.Blocks)) // 1: on the way here, 2: done
	var visit func(b *module.Block) bool
	visit = func(b *module.Block) bool {
		state[b.Index] = 1
		defer func() { state[b.Index] = 2 }()
		return !slices.ContainsFunc(b.Succs, func(s *module.Block) bool {
			return !dom.Dominates(s, b) && (state[s.Index] == 1 || state[s.Index] == 0 && !visit(s))
		})
	}
	return visit(f.Blocks[0])
}
