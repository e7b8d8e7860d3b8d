package fallback_test

import (
	"fmt"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

func TestMeetAfterSelections(t *testing.T) {
	type at = func(name, instance string, operand uint32)
	runMeetings(t, []meeting{
		{
			name: "if-else",
			Source: run.Source{Ins: 2, Body: `
				SHUFFLE before %in1
				%c = OpULessThan %bool %in0 %u32_3
				OpSelectionMerge %end None
				OpBranchConditional %c %then %else
				%then = OpLabel
				SHUFFLE yes %in1
				OpBranch %end
				%else = OpLabel
				SHUFFLE no %in0
				OpBranch %end
				%end = OpLabel
				SHUFFLE after %in1
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				at("before", "", in[1])
				if in[0] < 3 {
					at("yes", "", in[1])
				} else {
					at("no", "", in[0])
				}
				at("after", "", in[1])
			},
		},
		{
			name: "nested, the inner one without else",
			Source: run.Source{Ins: 2, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				%d = OpULessThan %bool %in1 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %then %end
				%then = OpLabel
				OpSelectionMerge %inner_end None
				OpBranchConditional %d %inner %inner_end
				%inner = OpLabel
				SHUFFLE deep %in0
				OpBranch %inner_end
				%inner_end = OpLabel
				SHUFFLE mid %in1
				OpBranch %end
				%end = OpLabel
				SHUFFLE after %in1
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				if in[0] < 4 {
					if in[1] < 4 {
						at("deep", "", in[0])
					}
					at("mid", "", in[1])
				}
				at("after", "", in[1])
			},
		},
		{
			name: "switch, two labels at one target",
			Source: run.Source{Ins: 1, Body: `
				OpSelectionMerge %end None
				OpSwitch %in0 %other 1 %one 2 %two 3 %two 4 %end
				%one = OpLabel
				SHUFFLE a %in0
				OpBranch %end
				%two = OpLabel
				SHUFFLE b %in0
				OpBranch %end
				%other = OpLabel
				SHUFFLE c %in0
				OpBranch %end
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				switch in[0] {
				case 1:
					at("a", "", in[0])
				case 2, 3:
					at("b", "", in[0])
				case 4:
				default:
					at("c", "", in[0])
				}
				at("after", "", id)
			},
		},
		{
			// The switch parts nobody, so nothing tells that its merge block is a meeting point but its declaration.
			name: "break out of a switch that all enter alike",
			Source: run.Source{Ins: 1, Body: `
				%sel = OpBitwiseAnd %u32 %in0 %u32_0
				OpSelectionMerge %end None
				OpSwitch %sel %end 0 %zero
				%zero = OpLabel
				%c = OpULessThan %bool %in0 %u32_4
				OpBranchConditional %c %end %rest
				%rest = OpLabel
				SHUFFLE inside %in0
				OpBranch %end
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				if in[0] >= 4 {
					at("inside", "", in[0])
				}
				at("after", "", id)
			},
		},
		{
			name: "early return",
			Source: run.Source{Ins: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_3
				OpSelectionMerge %end None
				OpBranchConditional %c %then %end
				%then = OpLabel
				SHUFFLE leaving %in0
				%r0 = OpLoad %u32 %acc
				OpStore %out0 %r0
				OpReturn
				%end = OpLabel
				SHUFFLE rest %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				if in[0] < 3 {
					at("leaving", "", in[0])
				} else {
					at("rest", "", id)
				}
			},
		},
	})
}

func TestMeetInLoops(t *testing.T) {
	type at = func(name, instance string, operand uint32)
	iteration := func(i ...uint32) string { return fmt.Sprint(i) }
	runMeetings(t, []meeting{
		{
			name: "trip counts of each lane",
			Source: run.Source{Ins: 1, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				SHUFFLE top %gid
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				SHUFFLE inside %in0
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := uint32(0); ; i++ {
					at("top", iteration(i), id)
					if i >= in[0] {
						break
					}
					at("inside", iteration(i), in[0])
				}
				at("after", "", id)
			},
		},
		{
			name: "one block",
			Source: run.Source{Ins: 1, Body: `
				OpBranch %loop
				%loop = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %loop
				SHUFFLE inside %gid
				%i1 = OpIAdd %u32 %i %u32_1
				%c = OpULessThan %bool %i1 %in0
				OpLoopMerge %end %loop None
				OpBranchConditional %c %loop %end
				%end = OpLabel
				SHUFFLE after %in0
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range max(in[0], 1) {
					at("inside", iteration(i), id)
				}
				at("after", "", in[0])
			},
		},
		{
			name:   "break, with something to do on the way, and continue",
			behind: "leaving",
			Source: run.Source{Ins: 2, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%c = OpULessThan %bool %i %u32_10
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%isb = OpIEqual %bool %i %in0
				OpSelectionMerge %on None
				OpBranchConditional %isb %leave %on
				%leave = OpLabel
				SHUFFLE leaving %in1
				OpBranch %end
				%on = OpLabel
				SHUFFLE staying %gid
				%m = OpIAdd %u32 %i %in1
				%m1 = OpBitwiseAnd %u32 %m %u32_1
				%isc = OpIEqual %bool %m1 %u32_0
				OpSelectionMerge %work None
				OpBranchConditional %isc %skip %work
				%skip = OpLabel
				OpBranch %next
				%work = OpLabel
				SHUFFLE working %in1
				OpBranch %next
				%next = OpLabel
				SHUFFLE going %gid
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range uint32(10) {
					if i == in[0] {
						at("leaving", iteration(i), in[1])
						break
					}
					at("staying", iteration(i), id)
					if (i+in[1])&1 != 0 {
						at("working", iteration(i), in[1])
					}
					at("going", iteration(i), id)
				}
				at("after", "", id)
			},
		},
		{
			name: "nested, both with the lane's own count",
			Source: run.Source{Ins: 2, Body: `
				OpBranch %h1
				%h1 = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %n1
				%c1 = OpULessThan %bool %i %in0
				OpLoopMerge %e1 %n1 None
				OpBranchConditional %c1 %b1 %e1
				%b1 = OpLabel
				%limit0 = OpIAdd %u32 %i %in1
				%limit = OpUMod %u32 %limit0 %u32_5
				OpBranch %h2
				  %h2 = OpLabel
				  %j = OpPhi %u32 %u32_0 %b1 %j1 %n2
				  %c2 = OpULessThan %bool %j %limit
				  OpLoopMerge %e2 %n2 None
				  OpBranchConditional %c2 %b2 %e2
				  %b2 = OpLabel
				  SHUFFLE inner %gid
				  OpBranch %n2
				  %n2 = OpLabel
				  %j1 = OpIAdd %u32 %j %u32_1
				  OpBranch %h2
				  %e2 = OpLabel
				SHUFFLE outer %in1
				OpBranch %n1
				%n1 = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %h1
				%e1 = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range in[0] {
					for j := range (i + in[1]) % 5 {
						at("inner", iteration(i, j), id)
					}
					at("outer", iteration(i), in[1])
				}
				at("after", "", id)
			},
		},
		{
			name: "the inner loop continues and leaves the outer",
			only: []run.Dialect{run.Kernel}, // shaders leave one construct at a time
			Source: run.Source{Ins: 2, Body: `
				OpBranch %h1
				%h1 = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %n1
				%c1 = OpULessThan %bool %i %u32_6
				OpBranchConditional %c1 %b1 %e1
				%b1 = OpLabel
				OpBranch %h2
				%h2 = OpLabel
				%j = OpPhi %u32 %u32_0 %b1 %j1 %n2
				SHUFFLE inner %gid
				%x = OpIAdd %u32 %i %j
				%stop = OpIEqual %bool %x %in0
				OpBranchConditional %stop %n1 %b2
				%b2 = OpLabel
				%y = OpIMul %u32 %i %j
				%quit = OpUGreaterThan %bool %y %in1
				OpBranchConditional %quit %e1 %n2
				%n2 = OpLabel
				%j1 = OpIAdd %u32 %j %u32_1
				%c2 = OpULessThan %bool %j1 %u32_4
				OpBranchConditional %c2 %h2 %e2
				%e2 = OpLabel
				OpBranch %n1
				%n1 = OpLabel
				SHUFFLE outer %gid
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %h1
				%e1 = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
			outer:
				for i := range uint32(6) {
					for j := range uint32(4) {
						at("inner", iteration(i, j), id)
						if i+j == in[0] {
							break
						}
						if i*j > in[1] {
							break outer
						}
					}
					at("outer", iteration(i), id)
				}
				at("after", "", id)
			},
		},
		{
			name:   "return out of a loop",
			behind: "leaving",
			Source: run.Source{Ins: 2, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				SHUFFLE inside %gid
				%found = OpIEqual %bool %i %in1
				OpSelectionMerge %on None
				OpBranchConditional %found %yes %on
				%yes = OpLabel
				SHUFFLE leaving %gid
				%r0 = OpLoad %u32 %acc
				OpStore %out0 %r0
				OpReturn
				%on = OpLabel
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range in[0] {
					at("inside", iteration(i), id)
					if i == in[1] {
						at("leaving", iteration(i), id)
						return
					}
				}
				at("after", "", id)
			},
		},
	})
}

func TestMeetInCalls(t *testing.T) {
	type at = func(name, instance string, operand uint32)
	const callee = `
		%f = OpFunction %void None %f_t
		%fx = OpFunctionParameter %u32
		%facc = OpFunctionParameter %p_Function_u32
		%f_entry = OpLabel
		SHUFFLE f_in %fx %facc
		%fc = OpULessThan %bool %fx %u32_3
		OpSelectionMerge %f_end None
		OpBranchConditional %fc %f_less %f_end
		%f_less = OpLabel
		SHUFFLE f_early %fx %facc
		OpReturn
		%f_end = OpLabel
		SHUFFLE f_late %fx %facc
		OpReturn
		OpFunctionEnd`
	f := func(site string, x uint32, at at) {
		at("f_in", site, x)
		if x < 3 {
			at("f_early", site, x)
			return
		}
		at("f_late", site, x)
	}
	runMeetings(t, []meeting{
		{
			name: "early return in a callee",
			Source: run.Source{Ins: 1, Globals: `%f_t = OpTypeFunction %void %u32 %p_Function_u32`, Functions: callee, Body: `
				%n = OpFunctionCall %void %f %in0 %acc
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				f("", in[0], at)
				at("after", "", id)
			},
		},
		{
			name: "one function for several lane groups at a time",
			Source: run.Source{Ins: 2, Globals: `%f_t = OpTypeFunction %void %u32 %p_Function_u32`, Functions: callee, Body: `
				OpSelectionMerge %end None
				OpSwitch %in0 %other 1 %one 2 %two
				%one = OpLabel
				%n1 = OpFunctionCall %void %f %in1 %acc
				SHUFFLE a %gid
				%n2 = OpFunctionCall %void %f %in0 %acc
				OpBranch %end
				%two = OpLabel
				%n3 = OpFunctionCall %void %f %in1 %acc
				OpBranch %end
				%other = OpLabel
				OpBranch %end
				%end = OpLabel
				%n4 = OpFunctionCall %void %f %in1 %acc
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				switch in[0] {
				case 1:
					f("1", in[1], at)
					at("a", "", id)
					f("2", in[0], at)
				case 2:
					f("3", in[1], at)
				}
				f("4", in[1], at)
				at("after", "", id)
			},
		},
		{
			name: "called in each iteration of a loop, by lanes that leave it apart",
			Source: run.Source{Ins: 2, Globals: `%f_t = OpTypeFunction %void %u32 %p_Function_u32`, Functions: callee, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%x0 = OpIAdd %u32 %i %in1
				%x = OpUMod %u32 %x0 %u32_6
				%n = OpFunctionCall %void %f %x %acc
				SHUFFLE inside %gid
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				SHUFFLE after %gid
				%r = OpLoad %u32 %acc
				OpStore %out0 %r
				OpReturn`},
			visit: func(id uint32, in []uint32, at at) {
				for i := range in[0] {
					f(fmt.Sprint(i), (i+in[1])%6, at)
					at("inside", fmt.Sprint(i), id)
				}
				at("after", "", id)
			},
		},
	})
}
