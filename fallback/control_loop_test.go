package fallback_test

import (
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

func TestLoops(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "trip counts of each lane",
			Source: run.Source{Ins: 1, Outs: 2, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%s = OpPhi %u32 %u32_1 %entry %s1 %next
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%s0 = OpIMul %u32 %s %u32_3
				%s1 = OpIAdd %u32 %s0 %i
				OpBranch %next
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				OpStore %out0 %s
				OpStore %out1 %i
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				s := uint32(1)
				for i := range in[0] {
					s = s*3 + i
				}
				return []uint32{s, in[0]}
			},
		},
		{
			name: "one block",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpBranch %loop
				%loop = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %loop
				%i1 = OpIAdd %u32 %i %u32_1
				%c = OpULessThan %bool %i1 %in0
				OpLoopMerge %end %loop None
				OpBranchConditional %c %loop %end
				%end = OpLabel
				OpStore %out0 %i1
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{max(in[0], 1)} },
		},
		{
			name: "nested, both with the lane's own count",
			Source: run.Source{Ins: 2, Outs: 1, Body: `
				OpBranch %h1
				%h1 = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %n1
				%s = OpPhi %u32 %u32_0 %entry %t %n1
				%c1 = OpULessThan %bool %i %in0
				OpLoopMerge %e1 %n1 None
				OpBranchConditional %c1 %b1 %e1
				%b1 = OpLabel
				%limit = OpIAdd %u32 %i %in1
				OpBranch %h2
				  %h2 = OpLabel
				  %j = OpPhi %u32 %u32_0 %b1 %j1 %n2
				  %t = OpPhi %u32 %s %b1 %t1 %n2
				  %c2 = OpULessThan %bool %j %limit
				  OpLoopMerge %e2 %n2 None
				  OpBranchConditional %c2 %b2 %e2
				  %b2 = OpLabel
				  %t0 = OpIMul %u32 %t %u32_5
				  %t1 = OpIAdd %u32 %t0 %j
				  OpBranch %n2
				  %n2 = OpLabel
				  %j1 = OpIAdd %u32 %j %u32_1
				  OpBranch %h2
				  %e2 = OpLabel
				OpBranch %n1
				%n1 = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %h1
				%e1 = OpLabel
				OpStore %out0 %s
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				s := uint32(0)
				for i := range in[0] {
					for j := range i + in[1] {
						s = s*5 + j
					}
				}
				return []uint32{s}
			},
		},
		{
			name: "break and continue",
			Source: run.Source{Ins: 2, Outs: 2, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%s = OpPhi %u32 %u32_0 %entry %s2 %next
				%c = OpULessThan %bool %i %u32_20
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%isb = OpIEqual %bool %i %in0
				OpSelectionMerge %on None
				OpBranchConditional %isb %leave %on
				%leave = OpLabel
				OpBranch %end
				%on = OpLabel
				%m = OpUMod %u32 %i %u32_3
				%in1m = OpUMod %u32 %in1 %u32_3
				%isc = OpIEqual %bool %m %in1m
				OpSelectionMerge %work None
				OpBranchConditional %isc %skip %work
				%skip = OpLabel
				OpBranch %next
				%work = OpLabel
				%s1 = OpIAdd %u32 %s %i
				OpBranch %next
				%next = OpLabel
				%s2 = OpPhi %u32 %s %skip %s1 %work
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				%r = OpPhi %u32 %s %head %s %leave
				%how = OpPhi %u32 %u32_0 %head %u32_1 %leave
				OpStore %out0 %r
				OpStore %out1 %how
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				s := uint32(0)
				for i := range uint32(20) {
					if i == in[0] {
						return []uint32{s, 1}
					}
					if i%3 == in[1]%3 {
						continue
					}
					s += i
				}
				return []uint32{s, 0}
			},
		},
		{
			name: "return out of two loops",
			Source: run.Source{Ins: 2, Outs: 1, Body: `
				OpBranch %h1
				%h1 = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %n1
				%c1 = OpULessThan %bool %i %u32_6
				OpLoopMerge %e1 %n1 None
				OpBranchConditional %c1 %b1 %e1
				%b1 = OpLabel
				OpBranch %h2
				  %h2 = OpLabel
				  %j = OpPhi %u32 %u32_0 %b1 %j1 %n2
				  %c2 = OpULessThan %bool %j %u32_6
				  OpLoopMerge %e2 %n2 None
				  OpBranchConditional %c2 %b2 %e2
				  %b2 = OpLabel
				  %x = OpIMul %u32 %i %j
				  %y = OpIAdd %u32 %x %in1
				  %found = OpIEqual %bool %y %in0
				  OpSelectionMerge %no None
				  OpBranchConditional %found %yes %no
				  %yes = OpLabel
				  %ten = OpIMul %u32 %i %u32_10
				  %r = OpIAdd %u32 %ten %j
				  OpStore %out0 %r
				  OpReturn
				  %no = OpLabel
				  OpBranch %n2
				  %n2 = OpLabel
				  %j1 = OpIAdd %u32 %j %u32_1
				  OpBranch %h2
				  %e2 = OpLabel
				OpBranch %n1
				%n1 = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %h1
				%e1 = OpLabel
				OpStore %out0 %u32_999
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				for i := range uint32(6) {
					for j := range uint32(6) {
						if i*j+in[1] == in[0] {
							return []uint32{10*i + j}
						}
					}
				}
				return []uint32{999}
			},
		},
		{
			name: "only break ends it",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpBranch %head
				%head = OpLabel
				%x = OpPhi %u32 %in0 %entry %x1 %next
				OpLoopMerge %end %next None
				OpBranch %body
				%body = OpLabel
				%c = OpUGreaterThan %bool %x %u32_1000
				OpBranchConditional %c %end %next
				%next = OpLabel
				%x0 = OpIMul %u32 %x %u32_3
				%x1 = OpIAdd %u32 %x0 %u32_1
				OpBranch %head
				%end = OpLabel
				OpStore %out0 %x
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				x := in[0]
				for x <= 1000 {
					x = 3*x + 1
				}
				return []uint32{x}
			},
		},
		{
			name: "switch in a loop, with continue and break out of the loop",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%s = OpPhi %u32 %in0 %entry %s3 %next
				%c = OpULessThan %bool %i %u32_12
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				%sel = OpUMod %u32 %s %u32_5
				OpSelectionMerge %after None
				OpSwitch %sel %other 0 %zero 1 %one 4 %four
				%zero = OpLabel
				%s0 = OpIAdd %u32 %s %u32_7
				OpBranch %next
				%one = OpLabel
				%s1 = OpIMul %u32 %s %u32_3
				OpBranch %after
				%four = OpLabel
				%big = OpUGreaterThan %bool %s %u32_50
				OpBranchConditional %big %end %after
				%other = OpLabel
				OpBranch %after
				%after = OpLabel
				%s2 = OpPhi %u32 %s1 %one %s %four %u32_9 %other
				%s4 = OpIAdd %u32 %s2 %u32_2
				OpBranch %next
				%next = OpLabel
				%s3 = OpPhi %u32 %s0 %zero %s4 %after
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				%r = OpPhi %u32 %s %head %u32_12345 %four
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				s := in[0]
				for range 12 {
					switch s % 5 {
					case 0:
						s += 7
						continue
					case 1:
						s *= 3
					case 4:
						if s > 50 {
							return []uint32{12345}
						}
					default:
						s = 9
					}
					s += 2
				}
				return []uint32{s}
			},
		},
		{
			name: "selection in the continue construct",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i3 %last
				%c = OpULessThan %bool %i %u32_30
				OpLoopMerge %end %next None
				OpBranchConditional %c %body %end
				%body = OpLabel
				OpBranch %next
				%next = OpLabel
				%odd = OpIAdd %u32 %i %in0
				%bit = OpBitwiseAnd %u32 %odd %u32_1
				%co = OpIEqual %bool %bit %u32_0
				OpSelectionMerge %last None
				OpBranchConditional %co %two %one
				%two = OpLabel
				%i2 = OpIAdd %u32 %i %u32_5
				OpBranch %last
				%one = OpLabel
				%i1 = OpIAdd %u32 %i %in0
				%i1b = OpIAdd %u32 %i1 %u32_1
				OpBranch %last
				%last = OpLabel
				%i3 = OpPhi %u32 %i2 %two %i1b %one
				%again = OpULessThan %bool %i3 %u32_25
				OpBranchConditional %again %head %end
				%end = OpLabel
				%r = OpPhi %u32 %i %head %i3 %last
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				i := uint32(0)
				for i < 30 {
					if (i+in[0])&1 == 0 {
						i += 5
					} else {
						i += in[0] + 1
					}
					if i >= 25 {
						break
					}
				}
				return []uint32{i}
			},
		},
	})
}

func TestPhiCycles(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "swap",
			Source: run.Source{Ins: 1, Outs: 2, Body: `
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%a = OpPhi %u32 %u32_10 %entry %b %next
				%b = OpPhi %u32 %u32_20 %entry %a %next
				%c = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %c %next %end
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				OpStore %out0 %a
				OpStore %out1 %b
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0]%2 == 0 {
					return []uint32{10, 20}
				}
				return []uint32{20, 10}
			},
		},
		{
			name: "rotation of three, two swaps, one fed by itself, one that takes another's old value",
			Source: run.Source{Ins: 1, Outs: 8, Body: `
				%z = OpIEqual %bool %in0 %u32_0
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%a = OpPhi %u32 %u32_1 %entry %b %next
				%b = OpPhi %u32 %u32_2 %entry %c %next
				%c = OpPhi %u32 %u32_3 %entry %a %next
				%d = OpPhi %u32 %u32_4 %entry %e %next
				%e = OpPhi %u32 %u32_5 %entry %d %next
				%f = OpPhi %u32 %u32_6 %entry %f %next
				%g = OpPhi %u32 %u32_7 %entry %a %next
				%p = OpPhi %bool %true %entry %q %next
				%q = OpPhi %bool %false %entry %p %next
				%on = OpULessThan %bool %i %in0
				OpLoopMerge %end %next None
				OpBranchConditional %on %next %end
				%next = OpLabel
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				%pi = OpSelect %u32 %p %u32_1 %u32_0
				OpStore %out0 %a
				OpStore %out1 %b
				OpStore %out2 %c
				OpStore %out3 %d
				OpStore %out4 %e
				OpStore %out5 %f
				OpStore %out6 %g
				OpStore %out7 %pi
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				a, b, c, d, e, f, g, p, q := uint32(1), uint32(2), uint32(3), uint32(4), uint32(5), uint32(6), uint32(7), uint32(1), uint32(0)
				for range in[0] {
					a, b, c, d, e, g, p, q = b, c, a, e, d, a, q, p
				}
				return []uint32{a, b, c, d, e, f, g, p}
			},
		},
	})
}

// TestIrreducible is for kernels: shaders are structured.
func TestIrreducible(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "loop with two entries",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 2, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpBranchConditional %c %left %right
				%left = OpLabel
				%a = OpPhi %u32 %in1 %entry %b1 %right
				%na = OpPhi %u32 %u32_0 %entry %nb1 %right
				%a1 = OpIMul %u32 %a %u32_3
				%na1 = OpIAdd %u32 %na %u32_1
				%ca = OpULessThan %bool %na1 %u32_7
				OpBranchConditional %ca %right %end
				%right = OpLabel
				%b = OpPhi %u32 %in0 %entry %a1 %left
				%nb = OpPhi %u32 %u32_0 %entry %na1 %left
				%b1 = OpIAdd %u32 %b %in0
				%nb1 = OpIAdd %u32 %nb %u32_1
				%cb = OpULessThan %bool %nb1 %in1
				OpBranchConditional %cb %left %end
				%end = OpLabel
				%r = OpPhi %u32 %a1 %left %b1 %right
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				left, x, n := in[0] < 4, in[1], uint32(0)
				if !left {
					x = in[0]
				}
				for {
					if left {
						x *= 3
						n++
						if n >= 7 {
							break
						}
					} else {
						x += in[0]
						n++
						if n >= in[1] {
							break
						}
					}
					left = !left
				}
				return []uint32{x}
			},
		},
		{
			name: "goto into the middle and back out",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 2, Outs: 1, Body: `
				%s = OpVariable %p_Function_u32 Function
				%n = OpVariable %p_Function_u32 Function
				OpStore %s %in1
				OpStore %n %u32_0
				OpSwitch %in0 %a 1 %b 2 %c 3 %d
				%a = OpLabel
				%sa = OpLoad %u32 %s
				%sa1 = OpIAdd %u32 %sa %u32_1
				OpStore %s %sa1
				OpBranch %b
				%b = OpLabel
				%sb = OpLoad %u32 %s
				%sb1 = OpIMul %u32 %sb %u32_3
				OpStore %s %sb1
				%tb = OpBitwiseAnd %u32 %sb1 %u32_1
				%cb = OpIEqual %bool %tb %u32_0
				OpBranchConditional %cb %d %c
				%c = OpLabel
				%sc = OpLoad %u32 %s
				%sc1 = OpIAdd %u32 %sc %u32_2
				OpStore %s %sc1
				OpBranch %d
				%d = OpLabel
				%nd = OpLoad %u32 %n
				%nd1 = OpIAdd %u32 %nd %u32_1
				OpStore %n %nd1
				%sd = OpLoad %u32 %s
				%td = OpBitwiseAnd %u32 %sd %u32_3
				%cd = OpUGreaterThan %bool %nd1 %u32_5
				OpBranchConditional %cd %end %more
				%more = OpLabel
				OpSwitch %td %a 1 %b 2 %c
				%end = OpLabel
				OpStore %out0 %sd
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				s, at := in[1], min(in[0], 4)
				if at == 4 {
					at = 0
				}
				for n := 0; ; {
					switch at {
					case 0:
						s++
						at = 1
					case 1:
						s *= 3
						at = 2
						if s&1 == 0 {
							at = 3
						}
					case 2:
						s += 2
						at = 3
					case 3:
						n++
						if n > 5 {
							return []uint32{s}
						}
						at = s & 3
						if at == 3 {
							at = 0
						}
					}
				}
			},
		},
	})
}
