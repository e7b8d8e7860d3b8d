package fallback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestMeetAfterLongLoops has loops that run for so long that the lanes in them give way to those that wait. Nobody may go
// past a place where all have to meet because of that.
func TestMeetAfterLongLoops(t *testing.T) {
	type at = func(name, instance string, operand uint32)
	// loop is a loop of count rounds that does nothing.
	loop := func(name, count string) string {
		return strings.NewReplacer("NAME", name, "COUNT", count).Replace(`
			OpBranch %NAME_before
			%NAME_before = OpLabel
			OpBranch %NAME_head
			%NAME_head = OpLabel
			%NAME_i = OpPhi %u32 %u32_0 %NAME_before %NAME_i1 %NAME_next
			%NAME_c = OpULessThan %bool %NAME_i COUNT
			OpLoopMerge %NAME_end %NAME_next None
			OpBranchConditional %NAME_c %NAME_next %NAME_end
			%NAME_next = OpLabel
			%NAME_i1 = OpIAdd %u32 %NAME_i %u32_1
			OpBranch %NAME_head
			%NAME_end = OpLabel`)
	}
	runMeetings(t, []meeting{
		{
			name: "long loop", shapes: longShapes,
			Source: run.Source{Ins: 1, Body: `
				%m = OpUMod %u32 %in0 %u32_7
				%n = OpIMul %u32 %m %u32_9000` + loop("a", "%n") + `
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) { at("after", "", id) },
		},
		{
			name: "long loop in one branch", shapes: longShapes,
			Source: run.Source{Ins: 1, Body: `
				%m = OpUMod %u32 %in0 %u32_7
				%n = OpIMul %u32 %m %u32_9000
				%odd = OpBitwiseAnd %u32 %in0 %u32_1
				%c = OpIEqual %bool %odd %u32_1
				OpSelectionMerge %end None
				OpBranchConditional %c %then %else
				%then = OpLabel` + loop("a", "%n") + `
				SHUFFLE yes %gid
				OpBranch %end
				%else = OpLabel
				SHUFFLE no %gid
				OpBranch %end
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				if in[0]&1 == 1 {
					at("yes", "", id)
				} else {
					at("no", "", id)
				}
				at("after", "", id)
			},
		},
		{
			name: "long loops in a loop that lanes leave apart, and in a callee", shapes: longShapes,
			Source: run.Source{Ins: 2, Globals: "%f_t = OpTypeFunction %void %u32 %p_Function_u32", Body: `
				%m = OpUMod %u32 %in0 %u32_3
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%c = OpULessThan %bool %i %m
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%x = OpFunctionCall %void %f %in1 %acc
				SHUFFLE inside %gid
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`, Functions: `
				%f = OpFunction %void None %f_t
				%fx = OpFunctionParameter %u32
				%facc = OpFunctionParameter %p_Function_u32
				%f_entry = OpLabel
				%fm = OpUMod %u32 %fx %u32_7
				%fn = OpIMul %u32 %fm %u32_4000` + loop("b", "%fn") + `
				SHUFFLE callee %fx %facc
				OpReturn
				OpFunctionEnd`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range in[0] % 3 {
					at("callee", fmt.Sprint(i), in[1])
					at("inside", fmt.Sprint(i), id)
				}
				at("after", "", id)
			},
		},
	})
}
