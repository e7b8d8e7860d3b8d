package fallback_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// TestLargeModules has modules that are large in one way each. They run, or are refused in words, in bounded time and memory.
func TestLargeModules(t *testing.T) {
	const many = scale
	each := func(n int, f func(b *strings.Builder, i int)) string {
		var b strings.Builder
		for i := range n {
			f(&b, i)
		}
		return b.String()
	}
	type c struct {
		name string
		run.Source
		only   []run.Dialect
		want   func(id, in uint32) uint32
		kind   string // of the error, where it is refused
		budget uint64
	}
	kernels := []run.Dialect{run.Kernel}
	cases := []c{
		{
			name: "a chain of blocks",
			Source: run.Source{Body: each(many, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "OpBranch %%b%d\n%%b%d = OpLabel\n", i, i)
			}) + "OpStore %out0 %in0\nOpReturn"},
			want: func(id, in uint32) uint32 { return in },
		},
		{
			name: "selections one after another",
			Source: run.Source{Body: "%b0 = OpBitwiseAnd %u32 %in0 %u32_1\n%c0 = OpIEqual %bool %b0 %u32_0\n" + each(many/4, func(b *strings.Builder, i int) {
				before := "%in0"
				if i > 0 {
					before = fmt.Sprintf("%%x%d", i-1)
				}
				fmt.Fprintf(b, "OpSelectionMerge %%m%d None\nOpBranchConditional %%c0 %%t%d %%e%d\n", i, i, i)
				fmt.Fprintf(b, "%%t%d = OpLabel\n%%y%d = OpIAdd %%u32 %s %%u32_1\nOpBranch %%m%d\n", i, i, before, i)
				fmt.Fprintf(b, "%%e%d = OpLabel\nOpBranch %%m%d\n%%m%d = OpLabel\n%%x%d = OpPhi %%u32 %%y%d %%t%d %s %%e%d\n", i, i, i, i, i, i, before, i)
			}) + fmt.Sprintf("OpStore %%out0 %%x%d\nOpReturn", many/4-1)},
			want: func(id, in uint32) uint32 { return in + (1-in&1)*(many/4) },
		},
		{
			name: "selections in selections",
			Source: run.Source{Body: each(1000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%c%d = OpUGreaterThan %%bool %%in0 %%u32_%d\nOpSelectionMerge %%m%d None\nOpBranchConditional %%c%d %%t%d %%m%d\n%%t%d = OpLabel\n", i, i, i, i, i, i, i)
			}) + "OpBranch %m999\n" + each(1000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%m%d = OpLabel\n", 999-i)
				if i < 999 {
					fmt.Fprintf(b, "OpBranch %%m%d\n", 998-i)
				}
			}) + "OpStore %out0 %in0\nOpReturn"},
			want: func(id, in uint32) uint32 { return in },
		},
		{
			name: "loops in loops",
			Source: run.Source{Body: each(1000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "OpBranch %%h%d\n%%h%d = OpLabel\n", i, i)
				if i == 0 {
					b.WriteString("%i0 = OpPhi %u32 %u32_0 %entry %j0 %n0\n%c0 = OpULessThan %bool %i0 %u32_2\n")
				} else {
					fmt.Fprintf(b, "%%i%d = OpPhi %%u32 %%u32_0 %%b%d %%j%d %%n%d\n%%c%d = OpULessThan %%bool %%i%d %%u32_1\n", i, i-1, i, i, i, i)
				}
				fmt.Fprintf(b, "OpLoopMerge %%e%d %%n%d None\nOpBranchConditional %%c%d %%b%d %%e%d\n%%b%d = OpLabel\n", i, i, i, i, i, i)
			}) + "OpBranch %n999\n" + each(1000, func(b *strings.Builder, k int) {
				i := 999 - k
				fmt.Fprintf(b, "%%n%d = OpLabel\n%%j%d = OpIAdd %%u32 %%i%d %%u32_1\nOpBranch %%h%d\n%%e%d = OpLabel\n", i, i, i, i, i)
				if i > 0 {
					fmt.Fprintf(b, "OpBranch %%n%d\n", i-1)
				}
			}) + "OpStore %out0 %i0\nOpReturn"},
			want: func(id, in uint32) uint32 { return 2 },
		},
		{
			name: "a switch with a block for each case, and a phi for all",
			Source: run.Source{Body: "OpSelectionMerge %end None\nOpSwitch %in0 %other" + each(16000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, " %d %%t%d", i, i)
			}) + "\n" + each(16000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%t%d = OpLabel\nOpBranch %%end\n", i)
			}) + "%other = OpLabel\nOpBranch %end\n%end = OpLabel\n%r = OpPhi %u32 %u32_5 %other" + each(16000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, " %%u32_%d %%t%d", i%7, i)
			}) + "\nOpStore %out0 %r\nOpReturn"},
			want: func(id, in uint32) uint32 { return in % 7 },
		},
		{
			name: "variables that take each other's values",
			Source: run.Source{Body: each(many/4, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%v%d = OpVariable %%p_Function_u32 Function %%u32_0\n", i)
			}) + "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %u32_0 %entry %i1 %next\n%c = OpULessThan %bool %i %u32_3\nOpLoopMerge %end %next None\nOpBranchConditional %c %body %end\n%body = OpLabel\n" +
				each(many/4-1, func(b *strings.Builder, i int) {
					fmt.Fprintf(b, "%%l%d = OpLoad %%u32 %%v%d\nOpStore %%v%d %%l%d\n", i, i+1, i, i)
				}) + fmt.Sprintf("OpStore %%v%d %%in0\nOpBranch %%next\n%%next = OpLabel\n%%i1 = OpIAdd %%u32 %%i %%u32_1\nOpBranch %%head\n%%end = OpLabel\n%%r = OpLoad %%u32 %%v%d\nOpStore %%out0 %%r\nOpReturn", many/4-1, many/4-3)},
			want: func(id, in uint32) uint32 { return in },
		},
		{
			name: "functions that call the next",
			Source: run.Source{Globals: "%f_t = OpTypeFunction %u32 %u32", Body: "%x = OpFunctionCall %u32 %fn0 %in0\nOpStore %out0 %x\nOpReturn",
				Functions: each(many/10, func(b *strings.Builder, i int) {
					fmt.Fprintf(b, "%%fn%d = OpFunction %%u32 None %%f_t\n%%p%d = OpFunctionParameter %%u32\n%%l%d = OpLabel\n", i, i, i)
					if i < many/10-1 {
						fmt.Fprintf(b, "%%r%d = OpFunctionCall %%u32 %%fn%d %%p%d\n%%t%d = OpIAdd %%u32 %%r%d %%u32_1\nOpReturnValue %%t%d\n", i, i+1, i, i, i, i)
					} else {
						fmt.Fprintf(b, "OpReturnValue %%p%d\n", i)
					}
					b.WriteString("OpFunctionEnd\n")
				})},
			want: func(id, in uint32) uint32 { return in + many/10 - 1 },
		},
		{
			name: "large values many times over", kind: "unsupported",
			Source: run.Source{Body: "%x0 = OpCompositeConstruct %a16000_u32" + strings.Repeat(" %in0", 16000) + "\n" + each(many, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%x%d = OpCompositeInsert %%a16000_u32 %%in0 %%x%d 5\n", i+1, i)
			}) + "OpReturn"},
		},
		{
			name: "structures that double", kind: "unsupported",
			Source: run.Source{Globals: "%s0 = OpTypeStruct %u32 %u32\n" + each(30, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%s%d = OpTypeStruct %%s%d %%s%d\n", i+1, i, i)
			}), Body: "%v = OpVariable %p_Function_s30 Function\n%x = OpLoad %s30 %v\nOpReturn"},
		},
		{
			name: "empty structures that double",
			Source: run.Source{Globals: "%s0 = OpTypeStruct\n" + each(200, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%%s%d = OpTypeStruct %%s%d %%s%d\n", i+1, i, i)
			}), Body: "%v = OpVariable %p_Function_s200 Function\n%x = OpLoad %s200 %v\nOpStore %out0 %in0\nOpReturn"},
			want: func(id, in uint32) uint32 { return in },
		},
		{
			name: "a tangle of blocks", only: kernels, budget: 200_000, kind: "instruction-budget",
			Source: run.Source{Body: tangle(1000)},
		},
	}
	if scale >= 100_000 { // takes seconds
		cases = append(cases, c{name: "a greater tangle", only: kernels, kind: "unsupported", Source: run.Source{Body: tangle(20_000)}})
	}
	for _, c := range cases {
		dialects := c.only
		if dialects == nil {
			dialects = run.Dialects
		}
		for _, d := range dialects {
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				c := c
				c.Dialect, c.Ins, c.Outs = d, 1, 1
				in := make([]uint32, 32)
				for i := range in {
					in[i] = uint32(i)
				}
				quickly(t, func() {
					m, err := run.Load(c.Text())
					if err != nil {
						t.Fatalf("%.2000v", err)
					}
					got := run.Launch(t, m, &c.Source, run.Options{Items: 32, Local: 32, SubGroup: 8, In: in, Budget: c.budget})
					if c.kind != "" {
						class := device.Module
						if c.kind == "instruction-budget" {
							class = device.Fault
						}
						wantError(t, got.Err, class, c.kind)
						return
					}
					if got.Err != nil {
						t.Fatal(got.Err)
					}
					for i, v := range got.Out {
						if w := c.want(uint32(i), in[i]); v != w {
							t.Fatalf("lane %d gives %d, want %d", i, v, w)
						}
					}
				})
			})
		}
	}
}

// tangle is a flow graph of n blocks, each with an edge to the next and three to any others. Lanes draw their way.
func tangle(n int) string {
	r := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	b.WriteString("%v = OpVariable %p_Function_u32 Function %u32_1\nOpBranch %b0\n")
	for i := range n {
		b.WriteString(strings.ReplaceAll(`%bN = OpLabel
%xN = OpLoad %u32 %v
%yN = OpIMul %u32 %xN %u32_1664525
%zN = OpIAdd %u32 %yN %gid
%wN = OpIAdd %u32 %zN %u32_1013904223
OpStore %v %wN
%hN = OpShiftRightLogical %u32 %wN %u32_16
%mN = OpBitwiseAnd %u32 %hN %u32_3
`, "N", fmt.Sprint(i)))
		fmt.Fprintf(&b, "OpSwitch %%m%d %%b%d 1 %%b%d 2 %%b%d 3 %%b%d\n", i, i+1, r.IntN(n), r.IntN(n), r.IntN(n))
	}
	return b.String() + fmt.Sprintf("%%b%d = OpLabel\nOpReturn", n)
}
