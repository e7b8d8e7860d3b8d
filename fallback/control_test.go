package fallback_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// flow is a kernel whose result each lane can also compute alone, in Go.
type flow struct {
	name string
	run.Source
	only []run.Dialect // nil: both
	// want is what the lane with that global id and those inputs writes.
	want func(id uint32, in []uint32) []uint32
}

// shape is a launch: lanes in all, work-group size, sub-group size.
type shape struct{ items, local, subGroup int }

// shapes are launches of most tests. Among them are partial sub-groups, work-groups of
// several gangs, and a last work-group that is smaller.
var shapes = []shape{
	{1, 1, 1}, {7, 7, 8}, {64, 64, 16}, {100, 100, 1}, {300, 300, 32}, {777, 777, 128}, {1000, 256, 8}, {260, 129, 64},
}

// patterns fill in the inputs: values that make neighbours part, in all the ways a mask can be fragmented.
var patterns = []struct {
	name string
	get  func(id, word int, r *rand.Rand) uint32
}{
	{"same", func(int, int, *rand.Rand) uint32 { return 3 }},
	{"lane", func(id, word int, _ *rand.Rand) uint32 { return uint32(id+word) % 23 }},
	{"every second", func(id, word int, _ *rand.Rand) uint32 { return uint32(id & 1 * 5) }},
	{"primes", func(id, word int, _ *rand.Rand) uint32 {
		if isPrime(id) {
			return 1
		}
		return 4
	}},
	{"one lane", func(id, word int, _ *rand.Rand) uint32 {
		if id == 5 || id == 200 {
			return 9
		}
		return 2
	}},
	{"random", func(_, _ int, r *rand.Rand) uint32 { return r.Uint32N(12) }},
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n > 1
}

func runFlows(t *testing.T, flows []flow) {
	for _, f := range flows {
		dialects := f.only
		if dialects == nil {
			dialects = run.Dialects
		}
		for _, d := range dialects {
			t.Run(fmt.Sprintf("%s/%v", f.name, d), func(t *testing.T) {
				t.Parallel()
				f := f
				f.Dialect = d
				f.test(t)
			})
		}
	}
}

func (f *flow) test(t *testing.T) {
	m := run.Module(t, f.Text())
	dev := run.Device(t, fallback.Options{})
	for _, s := range shapes {
		for _, p := range patterns {
			r := rand.New(rand.NewPCG(1, uint64(s.items)))
			in := make([]uint32, s.items*f.Ins)
			for i := range in {
				in[i] = p.get(i/f.Ins, i%f.Ins, r)
			}
			got := run.Launch(t, m, &f.Source, run.Options{Items: s.items, Local: s.local, SubGroup: s.subGroup, In: in, Device: dev})
			if got.Err != nil {
				t.Fatalf("%d lanes in work-groups of %d, sub-groups of %d, inputs %s: %v\n%s", s.items, s.local, s.subGroup, p.name, got.Err, f.Text())
			}
			for id := range s.items {
				args := in[id*f.Ins:][:f.Ins]
				want := f.want(uint32(id), args)
				if out := got.Out[id*f.Outs:][:f.Outs]; !slices.Equal(out, want) {
					t.Fatalf("%d lanes in work-groups of %d, sub-groups of %d, inputs %s: lane %d with inputs %v gives %v, want %v\n%s",
						s.items, s.local, s.subGroup, p.name, id, args, out, want, f.Text())
				}
			}
		}
	}
}

func TestSelections(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "if-else",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %then %else
				%then = OpLabel
				%x = OpIAdd %u32 %in0 %u32_100
				OpBranch %end
				%else = OpLabel
				%y = OpIMul %u32 %in0 %u32_3
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %x %then %y %else
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 4 {
					return []uint32{in[0] + 100}
				}
				return []uint32{in[0] * 3}
			},
		},
		{
			name: "if without else",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %then %end
				%then = OpLabel
				%x = OpIAdd %u32 %in0 %u32_100
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %x %then %in0 %entry
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 4 {
					return []uint32{in[0] + 100}
				}
				return []uint32{in[0]}
			},
		},
		{
			name: "both sides to one block", // allowed before SPIR-V 1.6
			Source: run.Source{Version: "1.5", Ins: 1, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %end %end
				%end = OpLabel
				%r = OpPhi %u32 %in0 %entry
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{in[0]} },
		},
		{
			name: "nested three deep",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%v = OpVariable %p_Function_u32 Function
				OpStore %v %u32_1
				%a = OpBitwiseAnd %u32 %in0 %u32_1
				%b = OpBitwiseAnd %u32 %in0 %u32_2
				%c = OpBitwiseAnd %u32 %in0 %u32_4
				%ca = OpINotEqual %bool %a %u32_0
				%cb = OpINotEqual %bool %b %u32_0
				%cc = OpINotEqual %bool %c %u32_0
				OpSelectionMerge %enda None
				OpBranchConditional %ca %ya %na
				%ya = OpLabel
				  OpSelectionMerge %endb None
				  OpBranchConditional %cb %yb %endb
				  %yb = OpLabel
				    OpSelectionMerge %endc None
				    OpBranchConditional %cc %endc %nc
				    %nc = OpLabel
				    %l0 = OpLoad %u32 %v
				    %l1 = OpIAdd %u32 %l0 %u32_10
				    OpStore %v %l1
				    OpBranch %endc
				  %endc = OpLabel
				  %l2 = OpLoad %u32 %v
				  %l3 = OpIMul %u32 %l2 %u32_7
				  OpStore %v %l3
				  OpBranch %endb
				%endb = OpLabel
				%l4 = OpLoad %u32 %v
				%l5 = OpIAdd %u32 %l4 %u32_1000
				OpStore %v %l5
				OpBranch %enda
				%na = OpLabel
				OpStore %v %in0
				OpBranch %enda
				%enda = OpLabel
				%r = OpLoad %u32 %v
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				v := uint32(1)
				if in[0]&1 == 0 {
					return in
				}
				if in[0]&2 != 0 {
					if in[0]&4 == 0 {
						v += 10
					}
					v *= 7
				}
				return []uint32{v + 1000}
			},
		},
		{
			name: "early return",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %then %end
				%then = OpLabel
				OpStore %out0 %u32_77
				OpReturn
				%end = OpLabel
				OpStore %out0 %in0
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 4 {
					return []uint32{77}
				}
				return in
			},
		},
		{
			name: "both sides return",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%c = OpULessThan %bool %in0 %u32_4
				OpSelectionMerge %end None
				OpBranchConditional %c %then %else
				%then = OpLabel
				OpStore %out0 %u32_77
				OpReturn
				%else = OpLabel
				OpStore %out0 %in0
				OpReturn
				%end = OpLabel
				OpUnreachable`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 4 {
					return []uint32{77}
				}
				return in
			},
		},
	})
}

func TestSwitches(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "fall-through and default in the middle",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpSelectionMerge %end None
				OpSwitch %in0 %other 1 %one 2 %two 3 %two 9 %end
				%one = OpLabel
				OpBranch %two
				%two = OpLabel
				%x = OpPhi %u32 %u32_10 %entry %u32_20 %one
				%y = OpIAdd %u32 %x %in0
				OpBranch %end
				%other = OpLabel
				%z = OpIAdd %u32 %in0 %u32_1000
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %u32_5 %entry %y %two %z %other
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				x := uint32(10)
				switch in[0] {
				case 1:
					x = 20
					fallthrough
				case 2, 3:
					return []uint32{x + in[0]}
				case 9:
					return []uint32{5}
				}
				return []uint32{in[0] + 1000}
			},
		},
		{
			name: "default is the merge block",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				OpSelectionMerge %end None
				OpSwitch %in0 %end 0 %zero 5 %five
				%zero = OpLabel
				OpBranch %end
				%five = OpLabel
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %u32_1 %entry %u32_2 %zero %u32_3 %five
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				return []uint32{map[uint32]uint32{0: 2, 5: 3}[in[0]] | map[bool]uint32{true: 1}[in[0] != 0 && in[0] != 5]}
			},
		},
		{
			name: "break out of a switch that all lanes enter alike", // no region may be missing
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%sel = OpBitwiseAnd %u32 %in0 %u32_0
				OpSelectionMerge %end None
				OpSwitch %sel %end 0 %zero
				%zero = OpLabel
				%c = OpULessThan %bool %in0 %u32_4
				OpBranchConditional %c %end %rest
				%rest = OpLabel
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %u32_1 %entry %u32_2 %zero %u32_3 %rest
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 4 {
					return []uint32{2}
				}
				return []uint32{3}
			},
		},
		selector("u8", "OpUConvert", "253 %a 5 %b 255 %c 200 %d"),
		selector("s8", "OpSConvert", "-3 %a 5 %b -1 %c -56 %d"),
		selector("u16", "OpUConvert", "65533 %a 5 %b 65535 %c 0x8000 %d"),
		selector("s16", "OpSConvert", "-3 %a 5 %b -1 %c -32768 %d"),
		selector("s32", "OpBitcast", "-3 %a 5 %b -1 %c -32768 %d"),
		selector("u64", "OpSConvert", "0xfffffffffffffffd %a 5 %b 18446744073709551615 %c 0xfffffff0 %d"),
		selector("s64", "OpSConvert", "-3 %a 5 %b -1 %c 0x123456789abcdef0 %d"),
	})
}

// selector tests a switch on another width than 32 bits, or a signed one; its value is the input minus 3.
func selector(kind, convert, cases string) flow {
	f := flow{
		name: "selector of type " + kind,
		Source: run.Source{Ins: 1, Outs: 1, Body: `
				%shifted = OpISub %u32 %in0 %u32_3
				%sel = ` + convert + " %" + kind + ` %shifted
				OpSelectionMerge %end None
				OpSwitch %sel %other ` + cases + `
				%a = OpLabel
				OpBranch %end
				%b = OpLabel
				OpBranch %end
				%c = OpLabel
				OpBranch %end
				%d = OpLabel
				OpBranch %end
				%other = OpLabel
				OpBranch %end
				%end = OpLabel
				%r = OpPhi %u32 %u32_1 %a %u32_2 %b %u32_3 %c %u32_4 %d %u32_5 %other
				OpStore %out0 %r
				OpReturn`},
		want: func(id uint32, in []uint32) []uint32 {
			v := int64(int32(in[0] - 3))
			if kind[1:] == "8" {
				v = int64(int8(v))
			}
			switch v {
			case -3:
				return []uint32{1}
			case 5:
				return []uint32{2}
			case -1:
				return []uint32{3}
			case -56:
				if kind[1:] == "8" {
					return []uint32{4}
				}
			}
			return []uint32{5}
		},
	}
	if kind[0] == 's' {
		f.only = []run.Dialect{run.Shader} // kernels have no signed integers
	}
	return f
}

// TestManyCases is a switch with a thousand cases that share four targets.
func TestManyCases(t *testing.T) {
	cases := ""
	for i := range 1000 {
		cases += fmt.Sprintf(" %d %%t%d", 3*i, i%4)
	}
	runFlows(t, []flow{{
		name: "thousand",
		Source: run.Source{Ins: 1, Outs: 1, Body: `
			OpSelectionMerge %end None
			OpSwitch %in0 %other` + cases + `
			%t0 = OpLabel
			OpBranch %end
			%t1 = OpLabel
			OpBranch %end
			%t2 = OpLabel
			OpBranch %end
			%t3 = OpLabel
			OpBranch %end
			%other = OpLabel
			OpBranch %end
			%end = OpLabel
			%r = OpPhi %u32 %u32_0 %t0 %u32_1 %t1 %u32_2 %t2 %u32_3 %t3 %in0 %other
			OpStore %out0 %r
			OpReturn`},
		want: func(id uint32, in []uint32) []uint32 {
			if in[0]%3 == 0 && in[0] < 3000 {
				return []uint32{in[0] / 3 % 4}
			}
			return in
		},
	}})
}
