package val_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestFlow(t *testing.T) {
	checkRows(t, kernel, []row{
		// In kernels any graph goes; here control flow into the middle of a loop.
		{`OpBranchConditional %true %a %b
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranchConditional %true %a %c
%c = OpLabel`, ""},
		{"OpBranch %entry2\n%entry2 = OpLabel\nOpBranch %entry\n%k = OpLabel", "the first block of a function cannot be the target of a branch"},
		{"OpBranchConditional %u32_1 %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel", "the condition of OpBranchConditional must be bool, it is u32"},
		{"OpBranchConditional %true %a %a\n%a = OpLabel", "must be two different blocks"},
		{"OpBranchConditional %true %a %b 0 0\n%a = OpLabel\nOpBranch %b\n%b = OpLabel", "one of the branch weights must be above 0"},
		{"OpSwitch %f32_1 %a\n%a = OpLabel", "the selector of OpSwitch must be an integer"},
		{"OpSwitch %u32_1 %a 5 %a 5 %a\n%a = OpLabel", "the literal 5 stands twice"},
		{"OpBranch %a\n%a = OpLabel\n%p = OpPhi %u32 %u32_1 %entry %u32_1 %entry", "OpPhi lists 2 predecessors, its block has 1"},
		{"OpBranch %a\n%a = OpLabel\n%p = OpPhi %u32 %f32_1 %entry", "the values of OpPhi must have the result type u32"},
		{"OpBranch %a\n%a = OpLabel\n%p = OpPhi %u32 %u32_1 %a", "is no predecessor of the block"},
		{"OpBranch %a\n%a = OpLabel\n%x = OpIAdd %u32 %u32_1 %u32_1\n%p = OpPhi %u32 %u32_1 %entry", "OpPhi must stand before all other instructions"},
		{"OpBranch %b\n%a = OpLabel\nOpBranch %c\n%b = OpLabel\nOpBranch %a\n%c = OpLabel", "must stand after its dominator"},
	})
}

// TestStructured checks the shader's rules of SPIR-V 1.6, section 2.11.
func TestStructured(t *testing.T) {
	checkRows(t, shader, []row{
		{`OpSelectionMerge %end None
OpBranchConditional %true %a %end
%a = OpLabel
OpBranch %end
%end = OpLabel`, ""},
		{`OpBranchConditional %true %a %b
%a = OpLabel
OpBranch %b
%b = OpLabel`, "a branch to two blocks needs an OpSelectionMerge"},
		{`OpSwitch %u32_1 %a 1 %b
%a = OpLabel
OpBranch %b
%b = OpLabel`, "OpSwitch needs an OpSelectionMerge"},
		// A loop with break and continue.
		{`OpBranch %head
%head = OpLabel
OpLoopMerge %end %cont None
OpBranch %body
%body = OpLabel
OpSelectionMerge %join None
OpBranchConditional %true %brk %join
%brk = OpLabel
OpBranch %end
%join = OpLabel
OpBranch %cont
%cont = OpLabel
OpBranchConditional %true %head %end
%end = OpLabel`, ""},
		{`OpBranch %head
%head = OpLabel
OpBranch %body
%body = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %head %end
%end = OpLabel`, "must lead to a loop header"},
		{`OpBranch %head
%head = OpLabel
OpLoopMerge %end %cont None
OpBranch %body
%body = OpLabel
OpBranch %end
%cont = OpLabel
OpBranch %end
%end = OpLabel`, "must have exactly one block that branches back to it, it has 0"},
		{`OpBranch %head
%head = OpLabel
OpLoopMerge %head %cont None
OpBranch %cont
%cont = OpLabel
OpBranch %head
%end = OpLabel`, "a loop header cannot be its own merge block"},
		{`OpBranch %head
%head = OpLabel
OpLoopMerge %end %end None
OpBranchConditional %true %head %end
%end = OpLabel`, "merge block and continue target of a loop must be different blocks"},
		{`OpSelectionMerge %end None
OpBranchConditional %true %a %b
%a = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %c %end
%c = OpLabel
OpBranch %end
%b = OpLabel
OpBranch %end
%end = OpLabel`, "is the merge block of another header already"},
		// From one arm of a selection into the other's inner construct.
		{`OpSelectionMerge %end None
OpBranchConditional %true %a %b
%a = OpLabel
OpSelectionMerge %c None
OpBranchConditional %true %inner %c
%inner = OpLabel
OpBranch %c
%c = OpLabel
OpBranch %end
%b = OpLabel
OpBranch %inner
%end = OpLabel`, "the header"},
		// The merge block is reached only through the continue target of a loop around it.
		{`OpBranch %head
%head = OpLabel
OpLoopMerge %end %cont None
OpBranch %body
%body = OpLabel
OpSelectionMerge %join None
OpBranchConditional %true %a %join
%a = OpLabel
OpBranch %out
%join = OpLabel
OpBranch %cont
%cont = OpLabel
OpBranchConditional %true %head %end
%out = OpLabel
OpBranch %end
%end = OpLabel`, ""},
		// Leaving two loops at once is no structured exit.
		{`OpBranch %h1
%h1 = OpLabel
OpLoopMerge %e1 %c1 None
OpBranch %h2
%h2 = OpLabel
OpLoopMerge %e2 %c2 None
OpBranch %b2
%b2 = OpLabel
OpSelectionMerge %s2 None
OpBranchConditional %true %far %s2
%far = OpLabel
OpBranch %e1
%s2 = OpLabel
OpBranch %c2
%c2 = OpLabel
OpBranchConditional %true %h2 %e2
%e2 = OpLabel
OpBranch %c1
%c1 = OpLabel
OpBranchConditional %true %h1 %e1
%e1 = OpLabel`, "other than by its merge block, a break or a continue"},
		// A switch with a fall-through to the next case.
		{`OpSelectionMerge %end None
OpSwitch %u32_1 %d 1 %a 2 %b
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %end
%d = OpLabel
OpBranch %end
%end = OpLabel`, ""},
		{`OpSelectionMerge %end None
OpSwitch %u32_1 %d 1 %b 2 %a
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %end
%d = OpLabel
OpBranch %end
%end = OpLabel`, "must stand directly before it in the list of targets"},
		{`OpSelectionMerge %end None
OpSwitch %u32_1 %d 1 %a 2 %b 3 %c
%a = OpLabel
OpBranch %c
%b = OpLabel
OpBranch %c
%c = OpLabel
OpBranch %end
%d = OpLabel
OpBranch %end
%end = OpLabel`, "falls through into"},
		{"OpKill\n%dead = OpLabel", "OpKill cannot be used in the execution model GLCompute"},
	})
}

func TestMaximalReconvergence(t *testing.T) {
	text := shader(`OpSelectionMerge %end None
OpBranchConditional %true %a %b
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %end
%end = OpLabel`)
	checkRows(t, plain, []row{
		{text, ""},
		{strings.Replace(strings.Replace(text, "OpExecutionMode", "OpExecutionMode %main MaximallyReconvergesKHR\nOpExecutionMode", 1), "%glsl = ", "OpExtension \"SPV_KHR_maximal_reconvergence\"\n%glsl = ", 1),
			"has 2 predecessors and must be a loop header"},
	})
}

// TestHugeFlow: control flow nested as deep as it is long costs bounded time.
func TestHugeFlow(t *testing.T) {
	const n = 1500
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "OpSelectionMerge %%merge%d None\nOpBranchConditional %%true %%b%d %%merge%d\n%%b%d = OpLabel\n", i, i, i, i)
	}
	fmt.Fprintf(&b, "OpBranch %%merge%d\n", n-1)
	for i := n - 1; i >= 0; i-- {
		next := fmt.Sprintf("OpBranch %%merge%d\n", i-1)
		if i == 0 {
			next = ""
		}
		fmt.Fprintf(&b, "%%merge%d = OpLabel\n%s", i, next)
	}
	start := time.Now()
	e := check(t, shader(b.String()))
	if e == nil || !strings.Contains(e.Error(), "control flow nests deeper than 1023") {
		t.Errorf("%d selections in each other: %v", n, e)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}
