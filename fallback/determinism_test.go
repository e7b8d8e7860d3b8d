package fallback_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestDeterministic has all work-groups store to one place. With a seed, who is last is drawn, and is always the same.
func TestDeterministic(t *testing.T) {
	src := run.Source{Ins: 0, Outs: 1, Body: `
		%first = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out_buf %u64_0
		OpStore %first %gid
		OpReturn`}
	last := map[uint64]uint32{}
	for _, procs := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(procs)
		for seed := range uint64(8) {
			got := src.Run(t, run.Options{Items: 200, Local: 8, Deterministic: true, Seed: seed})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if v, ok := last[seed]; ok && v != got.Out[0] {
				t.Errorf("seed %d: lane %d was last, with %d processors %d", seed, v, procs, got.Out[0])
			}
			last[seed] = got.Out[0]
		}
		runtime.GOMAXPROCS(before)
	}
	if last[0] != 199 {
		t.Errorf("without a seed, work-groups run in their order; lane %d was last", last[0])
	}
	different := map[uint32]bool{}
	for _, v := range last {
		if v%8 != 7 {
			t.Errorf("lane %d was last, which is not the last of its work-group", v)
		}
		different[v] = true
	}
	if len(different) < 3 {
		t.Errorf("8 seeds give %d orders", len(different))
	}
}

// TestSameOnAnyHost compares results, findings and faults over numbers of processors, in a kernel without races.
func TestSameOnAnyHost(t *testing.T) {
	src := run.Source{Ins: 2, Outs: 1, Body: `
		%q = OpUDiv %u32 %in0 %in1
		%c = OpULessThan %bool %in0 %u32_6
		OpSelectionMerge %end None
		OpBranchConditional %c %then %end
		%then = OpLabel
		%s = OpSubgroupBitcastShuffleINTEL %v2u16 %q
		%b = OpBitcast %u32 %s
		OpStore %out0 %b
		OpBranch %end
		%end = OpLabel
		OpReturn`}
	in := make([]uint32, 2*1000)
	for i := range in {
		in[i] = (uint32(i*7919) >> 3) % 12
	}
	var want, findings string
	for _, procs := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(procs)
		for range 3 {
			got := src.Run(t, run.Options{Items: 1000, Local: 20, SubGroup: 8, In: in, Check: true})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if text := fmt.Sprint(got.Out, got.Report.Instructions); want == "" {
				want = text
			} else if text != want {
				t.Error("results differ")
			}
			if len(got.Report.Findings) != 3 { // a division, and a shuffle that is divergent and in partial sub-groups
				t.Errorf("findings: %+v", got.Report.Findings)
			}
			if text := fmt.Sprintf("%+v", got.Report.Findings); findings == "" {
				findings = text
			} else if text != findings {
				t.Errorf("findings differ:\n%s\n%s", findings, text)
			}
		}
		runtime.GOMAXPROCS(before)
	}
}
