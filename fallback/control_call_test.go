package fallback_test

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

func TestCalls(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "one function from three places, under divergence",
			Source: run.Source{Ins: 2, Outs: 1, Globals: `%f_t = OpTypeFunction %u32 %u32 %u32`, Body: `
				OpSelectionMerge %end None
				OpSwitch %in0 %other 1 %one 2 %two
				%one = OpLabel
				%x1 = OpFunctionCall %u32 %f %in0 %in1
				OpBranch %end
				%two = OpLabel
				%x2 = OpFunctionCall %u32 %f %in1 %u32_5
				%x3 = OpFunctionCall %u32 %f %x2 %in1
				OpBranch %end
				%other = OpLabel
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %x1 %one %x3 %two %u32_4 %other
				%r1 = OpFunctionCall %u32 %f %r %in0
				OpStore %out0 %r1
				OpReturn`,
				Functions: `
				%f = OpFunction %u32 None %f_t
				%fa = OpFunctionParameter %u32
				%fb = OpFunctionParameter %u32
				%f_entry = OpLabel
				%fc = OpULessThan %bool %fa %fb
				OpSelectionMerge %f_end None
				OpBranchConditional %fc %f_less %f_end
				%f_less = OpLabel
				%f_m = OpIMul %u32 %fb %u32_10
				%f_r = OpIAdd %u32 %f_m %fa
				OpReturnValue %f_r
				%f_end = OpLabel
				%f_s = OpISub %u32 %fa %fb
				OpReturnValue %f_s
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 {
				f := func(a, b uint32) uint32 {
					if a < b {
						return b*10 + a
					}
					return a - b
				}
				r := uint32(4)
				switch in[0] {
				case 1:
					r = f(in[0], in[1])
				case 2:
					r = f(f(in[1], 5), in[1])
				}
				return []uint32{f(r, in[0])}
			},
		},
		{
			name: "a loop in a callee, returning out of it",
			Source: run.Source{Ins: 2, Outs: 1, Globals: `%f_t = OpTypeFunction %u32 %u32 %u32`, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%s = OpPhi %u32 %u32_0 %entry %s1 %next
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%v = OpFunctionCall %u32 %f %i %in1
				%s0 = OpIMul %u32 %s %u32_3
				%s1 = OpIAdd %u32 %s0 %v
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				OpStore %out0 %s
				OpReturn`,
				Functions: `
				%f = OpFunction %u32 None %f_t
				%fa = OpFunctionParameter %u32
				%fb = OpFunctionParameter %u32
				%f_entry = OpLabel
				OpBranch %f_head
				%f_head = OpLabel
				%fx = OpPhi %u32 %fa %f_entry %fx2 %f_next
				%fn = OpPhi %u32 %u32_0 %f_entry %fn1 %f_next
				%fc = OpULessThan %bool %fn %u32_5
				OpLoopMerge %f_end %f_next None
				OpBranchConditional %fc %f_body %f_end
				%f_body = OpLabel
				%fx1 = OpIAdd %u32 %fx %fb
				%fm = OpUMod %u32 %fx1 %u32_7
				%fz = OpIEqual %bool %fm %u32_3
				OpSelectionMerge %f_on None
				OpBranchConditional %fz %f_ret %f_on
				%f_ret = OpLabel
				OpReturnValue %fn
				%f_on = OpLabel
				OpBranch %f_next
				%f_next = OpLabel
				%fx2 = OpIAdd %u32 %fx1 %u32_1
				%fn1 = OpIAdd %u32 %fn %u32_1
				OpBranch %f_head
				%f_end = OpLabel
				OpReturnValue %fx
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 {
				f := func(a, b uint32) uint32 {
					x := a
					for n := range uint32(5) {
						x += b
						if x%7 == 3 {
							return n
						}
						x++
					}
					return x
				}
				s := uint32(0)
				for i := range in[0] {
					s = s*3 + f(i, in[1])
				}
				return []uint32{s}
			},
		},
		{
			name: "nested calls, structures and arrays by value, pointers to variables",
			Source: run.Source{Ins: 2, Outs: 3, Globals: `
				%pair = OpTypeStruct %u32 %a3_u32
				%make_t = OpTypeFunction %pair %u32 %u32
				%turn_t = OpTypeFunction %pair %pair
				%bump_t = OpTypeFunction %void %p_Function_pair %u32`, Body: `
				%v = OpVariable %p_Function_pair Function
				%p = OpFunctionCall %pair %make %in0 %in1
				OpStore %v %p
				%c = OpULessThan %bool %in0 %in1
				OpSelectionMerge %end None
				OpBranchConditional %c %then %end
				%then = OpLabel
				%none = OpFunctionCall %void %bump %v %in1
				OpBranch %end
				%end = OpLabel
				%none2 = OpFunctionCall %void %bump %v %u32_7
				%q = OpLoad %pair %v
				%a = OpCompositeExtract %u32 %q 0
				%b = OpCompositeExtract %u32 %q 1 0
				%d = OpCompositeExtract %u32 %q 1 2
				OpStore %out0 %a
				OpStore %out1 %b
				OpStore %out2 %d
				OpReturn`,
				Functions: `
				%make = OpFunction %pair None %make_t
				%ma = OpFunctionParameter %u32
				%mb = OpFunctionParameter %u32
				%m_entry = OpLabel
				%m_arr = OpCompositeConstruct %a3_u32 %ma %mb %u32_9
				%m_p = OpCompositeConstruct %pair %mb %m_arr
				%m_c = OpIEqual %bool %ma %mb
				OpSelectionMerge %m_end None
				OpBranchConditional %m_c %m_same %m_end
				%m_same = OpLabel
				OpReturnValue %m_p
				%m_end = OpLabel
				%m_t = OpFunctionCall %pair %turn %m_p
				OpReturnValue %m_t
				OpFunctionEnd
				%turn = OpFunction %pair None %turn_t
				%tp = OpFunctionParameter %pair
				%t_entry = OpLabel
				%t0 = OpCompositeExtract %u32 %tp 0
				%t2 = OpCompositeExtract %u32 %tp 1 2
				%t_a = OpCompositeInsert %pair %t2 %tp 0
				%t_b = OpCompositeInsert %pair %t0 %t_a 1 2
				OpReturnValue %t_b
				OpFunctionEnd
				%bump = OpFunction %void None %bump_t
				%bp = OpFunctionParameter %p_Function_pair
				%bn = OpFunctionParameter %u32
				%b_entry = OpLabel
				%b_0 = OpAccessChain %p_Function_u32 %bp %u32_1 %u32_0
				%b_v = OpLoad %u32 %b_0
				%b_w = OpIMul %u32 %b_v %u32_3
				%b_x = OpIAdd %u32 %b_w %bn
				OpStore %b_0 %b_x
				OpReturn
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 {
				x, arr := in[1], [3]uint32{in[0], in[1], 9}
				if in[0] != in[1] {
					x, arr[2] = arr[2], x
				}
				if in[0] < in[1] {
					arr[0] = arr[0]*3 + in[1]
				}
				arr[0] = arr[0]*3 + 7
				return []uint32{x, arr[0], arr[2]}
			},
		},
		{
			name: "a call between phis, and in the header of a loop",
			Source: run.Source{Ins: 1, Outs: 2, Globals: `%f_t = OpTypeFunction %bool %u32 %u32`, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%a = OpPhi %u32 %u32_1 %entry %b %next
				%b = OpPhi %u32 %u32_2 %entry %a %next
				%on = OpFunctionCall %bool %f %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %on %body %end
				%body = OpLabel
				%skip = OpFunctionCall %bool %f %a %i
				OpBranch %next
				%next = OpLabel
				%one = OpSelect %u32 %skip %u32_1 %u32_2
				%i1 = OpIAdd %u32 %i %one
				OpBranch %head
				%end = OpLabel
				OpStore %out0 %i
				OpStore %out1 %a
				OpReturn`,
				Functions: `
				%f = OpFunction %bool None %f_t
				%fa = OpFunctionParameter %u32
				%fb = OpFunctionParameter %u32
				%f_entry = OpLabel
				%fc = OpULessThan %bool %fa %fb
				OpReturnValue %fc
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 {
				i, a, b := uint32(0), uint32(1), uint32(2)
				for i < in[0] {
					step := uint32(2)
					if a < i {
						step = 1
					}
					i, a, b = i+step, b, a
				}
				return []uint32{i, a}
			},
		},
	})
}

func TestUnreachable(t *testing.T) {
	src := run.Source{Ins: 1, Outs: 1, Body: `
		%c = OpIEqual %bool %in0 %u32_1
		OpSelectionMerge %end None
		OpBranchConditional %c %bad %end
		%bad = OpLabel
		OpUnreachable
		%end = OpLabel
		OpStore %out0 %u32_7
		OpReturn
		%dead = OpLabel
		OpBranch %dead2
		%dead2 = OpLabel
		OpStore %out0 %u32_9
		OpReturn`}
	for _, d := range run.Dialects {
		t.Run(d.String(), func(t *testing.T) {
			src := src
			src.Dialect = d
			in := make([]uint32, 40)
			got := src.Run(t, run.Options{Items: 40, Local: 20, In: in})
			if got.Err != nil || got.Out[0] != 7 || got.Out[39] != 7 {
				t.Fatal(got.Err, got.Out)
			}
			in[33] = 1
			got = src.Run(t, run.Options{Items: 40, Local: 20, In: in})
			e := run.AsError(got.Err)
			if e == nil || e.Kind != "unreachable" {
				t.Fatalf("lane 33 reaches OpUnreachable, the launch says %v", got.Err)
			}
			for _, part := range []string{"OpUnreachable", "kernel: main", "global (33,0,0)", "local (13,0,0)", "work-group (1,0,0)", "sub-group 0, lane 13", "word offset"} {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("the error does not say %q:\n%v", part, e)
				}
			}
		})
	}
}

// TestLoopForever has lanes that leave a loop and lanes that never do: the launch ends by its budget, the others' results
// before the loop stand.
func TestLoopForever(t *testing.T) {
	src := run.Source{Ins: 1, Outs: 1, Body: `
		OpStore %out0 %u32_1
		OpBranch %head
		%head = OpLabel
		OpLoopMerge %end %next None
		OpBranch %body
		%body = OpLabel
		%c = OpIEqual %bool %in0 %u32_1
		OpBranchConditional %c %next %end
		%next = OpLabel
		OpBranch %head
		%end = OpLabel
		OpStore %out0 %u32_2
		OpReturn`}
	for _, d := range run.Dialects {
		t.Run(d.String(), func(t *testing.T) {
			src := src
			src.Dialect = d
			got := src.Run(t, run.Options{In: make([]uint32, 64), Budget: 1000})
			if got.Err != nil || got.Out[0] != 2 {
				t.Fatal(got.Err, got.Out)
			}
			in := make([]uint32, 64)
			in[9] = 1
			got = src.Run(t, run.Options{In: in, Budget: 100_000})
			if e := run.AsError(got.Err); e == nil || e.Kind != "instruction-budget" || !strings.Contains(e.Error(), "endless loop") {
				t.Fatalf("lane 9 never leaves the loop, the launch says %v", got.Err)
			}
			if got.Out[0] != 1 && got.Out[0] != 2 {
				t.Errorf("lane 0 stored 1 before the loop, found %d", got.Out[0])
			}
		})
	}
}
