package fallback_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// TestUndefinedOperations has one lane each in two sub-groups with operands that have no defined result: the documented
// value comes out with and without the check, and only the check says something.
func TestUndefinedOperations(t *testing.T) {
	const bad1, bad2 = 5, 27 // sub-group 0 lane 5 and sub-group 1 lane 11 of 16, in work-group 0
	for _, c := range []struct {
		name, body  string // in0 is the operand that may be bad, in1 the other; %r is the result
		kind        string
		good, other uint32 // in0 elsewhere, in1
		bad         uint32
		want        uint32 // where in0 is bad
		modes       string
		only        []run.Dialect
		annotate    string
		quiet       bool // defined after all
	}{
		{name: "OpUDiv", body: "%r = OpUDiv %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 100, bad: 0, want: 0xffffffff},
		{name: "OpSDiv", body: "%r = OpSDiv %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 100, bad: 0, want: 0xffffffff},
		{name: "OpSDiv overflow", body: "%r = OpSDiv %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 0x80000000, bad: 0xffffffff, want: 0x80000000},
		{name: "OpUMod", body: "%r = OpUMod %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 100, bad: 0, want: 100},
		{name: "OpSRem", body: "%r = OpSRem %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 100, bad: 0, want: 100},
		{name: "OpSRem overflow", body: "%r = OpSRem %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 0x80000000, bad: 0xffffffff, want: 0},
		{name: "OpSMod", body: "%r = OpSMod %u32 %in1 %in0", kind: "division-by-zero", good: 3, other: 100, bad: 0, want: 100},
		{name: "OpShiftLeftLogical", body: "%r = OpShiftLeftLogical %u32 %in1 %in0", kind: "shift-out-of-range", good: 31, other: 7, bad: 33, want: 14},
		{name: "OpShiftRightLogical", body: "%r = OpShiftRightLogical %u32 %in1 %in0", kind: "shift-out-of-range", good: 31, other: 0xf0, bad: 36, want: 0xf},
		{name: "OpShiftRightArithmetic", body: "%r = OpShiftRightArithmetic %u32 %in1 %in0", kind: "shift-out-of-range", good: 31, other: 0x80000000, bad: 32, want: 0x80000000},
		{name: "a shift of 8 bits by a 32-bit amount that is a multiple of 256", kind: "shift-out-of-range", good: 7, other: 3, bad: 256, want: 3, body: `
			%b = OpUConvert %u8 %in1
			%s = OpShiftLeftLogical %u8 %b %in0
			%r = OpUConvert %u32 %s`},
		{name: "OpBitFieldUExtract", body: "%r = OpBitFieldUExtract %u32 %in1 %u32_28 %in0", kind: "bit-field-out-of-range", good: 4, other: 0xa0000000, bad: 5, want: 0xa, only: []run.Dialect{run.Shader}},
		{name: "OpBitFieldSExtract", body: "%r = OpBitFieldSExtract %u32 %in1 %u32_28 %in0", kind: "bit-field-out-of-range", good: 4, other: 0xa0000000, bad: 5, want: 0xfffffffa, only: []run.Dialect{run.Shader}},
		{name: "OpBitFieldInsert", body: "%r = OpBitFieldInsert %u32 %in1 %u32_xffff %in0 %u32_8", kind: "bit-field-out-of-range", good: 24, other: 0, bad: 28, want: 0xf0000000, only: []run.Dialect{run.Shader}},
		{name: "OpConvertFToU", kind: "conversion-out-of-range", good: 0x40490fdb, bad: 0xbf800000, want: 0, body: `
			%f = OpBitcast %f32 %in0
			%r = OpConvertFToU %u32 %f`},
		{name: "OpConvertFToS of NaN", kind: "conversion-out-of-range", good: 0x40490fdb, bad: 0x7fc00000, want: 0, body: `
			%f = OpBitcast %f32 %in0
			%r = OpConvertFToS %u32 %f`},
		{name: "OpConvertFToS too large", kind: "conversion-out-of-range", good: 0x40490fdb, bad: 0x4f000000, want: 0x7fffffff, body: `
			%f = OpBitcast %f32 %in0
			%r = OpConvertFToS %u32 %f`},
		{name: "OpConvertFToS saturated", quiet: true, good: 0x40490fdb, bad: 0x4f000000, want: 0x7fffffff, annotate: "OpDecorate %r SaturatedConversion",
			only: []run.Dialect{run.Kernel}, body: `
			%f = OpBitcast %f32 %in0
			%r = OpConvertFToS %u32 %f`},
		{name: "OpSNegate of the least", quiet: true, good: 1, bad: 0x80000000, want: 0x80000000, body: "%r = OpSNegate %u32 %in0"},
	} {
		dialects := c.only
		if dialects == nil {
			dialects = run.Dialects
		}
		for _, d := range dialects {
			t.Run(fmt.Sprintf("%s/%v", c.name, d), func(t *testing.T) {
				src := run.Source{Dialect: d, Ins: 2, Outs: 1, Annotate: c.annotate, Body: c.body + "\nOpStore %out0 %r\nOpReturn"}
				in := make([]uint32, 2*64)
				for i := range 64 {
					in[2*i], in[2*i+1] = c.good, c.other
				}
				opt := run.Options{Items: 64, Local: 32, In: in}
				opt.Check = true
				if got := src.Run(t, opt); got.Err != nil || len(got.Report.Findings) != 0 {
					t.Fatalf("all is defined: %v, %v", got.Err, got.Report.Findings)
				}
				for _, i := range []int{bad2, bad1, 40} {
					in[2*i] = c.bad
				}
				got := src.Run(t, opt)
				opt.Check = false
				plain := src.Run(t, opt)
				if got.Err != nil || plain.Err != nil {
					t.Fatal(got.Err, plain.Err)
				}
				if !slices.Equal(got.Out, plain.Out) || len(plain.Report.Findings) != 0 {
					t.Errorf("the check changes the result, or there are findings without it: %v", plain.Report.Findings)
				}
				for _, i := range []int{bad1, bad2, 40} {
					if got.Out[i] != c.want {
						t.Errorf("lane %d gives %#x, want %#x", i, got.Out[i], c.want)
					}
				}
				if c.quiet {
					if len(got.Report.Findings) != 0 {
						t.Errorf("this is defined, but: %v", got.Report.Findings)
					}
					return
				}
				if len(got.Report.Findings) != 1 {
					t.Fatalf("findings: %+v, want one", got.Report.Findings)
				}
				f := got.Report.Findings[0]
				opcode := strings.Fields(c.body[strings.Index(c.body, "Op"):])[0]
				if i := strings.LastIndex(c.body, "OpConvert"); i > 0 && c.kind == "conversion-out-of-range" {
					opcode = strings.Fields(c.body[i:])[0]
				}
				if c.kind == "shift-out-of-range" {
					opcode = "OpShift"
				}
				if f.Check != "undefined" || f.Kind != c.kind || f.Count != 3 || f.WorkGroup != [3]uint64{} || f.SubGroup != 0 ||
					!slices.Equal(f.Lanes, []int{bad1}) || !strings.Contains(f.Instruction, opcode) || f.Function != "main" || f.WordOffset == 0 || f.Message == "" {
					t.Errorf("finding: %+v", f)
				}
			})
		}
	}
}

// TestUndefinedShuffle pins what a bitcast shuffle gives where its result is undefined, and what the check says.
func TestUndefinedShuffle(t *testing.T) {
	src := run.Source{Ins: 1, Outs: 1, Annotate: `OpName %mixed "mixed"`, Body: `
		%x = OpIAdd %u32 %gid %u32_x10001
		%c = OpIEqual %bool %in0 %u32_0
		OpSelectionMerge %end None
		OpBranchConditional %c %then %end
		%then = OpLabel
		%mixed = OpSubgroupBitcastShuffleINTEL %v2u16 %x
		%r = OpBitcast %u32 %mixed
		OpStore %out0 %r
		OpBranch %end
		%end = OpLabel
		OpReturn`}
	find := func(r *device.Report, kind string) *device.Finding {
		for i := range r.Findings {
			if r.Findings[i].Kind == kind {
				return &r.Findings[i]
			}
		}
		return nil
	}
	for _, d := range run.Dialects {
		src.Dialect = d
		t.Run("divergent/"+d.String(), func(t *testing.T) {
			in := make([]uint32, 32)
			in[17], in[20] = 1, 1 // work-group 1, sub-group 0 of 8, lanes 1 and 4 stay out
			got := src.Run(t, run.Options{Items: 32, Local: 16, SubGroup: 8, In: in, Check: true})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			for l := range 8 {
				operands := make([]uint32, 8)
				for i := range 8 {
					if in[16+i] == 0 {
						operands[i] = 0x10001 + uint32(16+i)
					}
				}
				want := shuffled(operands, l)
				if in[16+l] != 0 {
					want = run.Poison
				}
				if got.Out[16+l] != want {
					t.Errorf("lane %d: %#x, want %#x", l, got.Out[16+l], want)
				}
			}
			f := find(got.Report, "divergent-sub-group")
			if f == nil || f.WorkGroup != [3]uint64{1, 0, 0} || f.SubGroup != 0 || !slices.Equal(f.Lanes, []int{0, 2, 3, 5, 6, 7}) || f.Count != 1 ||
				!strings.HasPrefix(f.Instruction, "%mixed = OpSubgroupBitcastShuffleINTEL") || len(got.Report.Findings) != 1 {
				t.Errorf("findings: %+v", got.Report.Findings)
			}
		})
		t.Run("partial/"+d.String(), func(t *testing.T) {
			got := src.Run(t, run.Options{Items: 20, Local: 10, SubGroup: 8, In: make([]uint32, 20), Check: true})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			operands := make([]uint32, 8) // sub-group 1 of work-group 0 has lanes 8 and 9
			operands[0], operands[1] = 0x10001+8, 0x10001+9
			for l := range 2 {
				if want := shuffled(operands, l); got.Out[8+l] != want {
					t.Errorf("lane %d: %#x, want %#x", l, got.Out[8+l], want)
				}
			}
			f := find(got.Report, "partial-sub-group")
			if f == nil || f.WorkGroup != [3]uint64{} || f.SubGroup != 1 || !slices.Equal(f.Lanes, []int{0, 1}) || f.Count != 2 || len(got.Report.Findings) != 1 {
				t.Errorf("findings: %+v", got.Report.Findings)
			}
		})
	}
}

// TestManyFindings has more undefined instructions than are listed, in two work-groups, in an order that does not depend on
// which runs first.
func TestManyFindings(t *testing.T) {
	body := ""
	for i := range 150 {
		body += fmt.Sprintf("%%r%d = OpUDiv %%u32 %%in0 %%in1\nOpStore %%out0 %%r%d\n", i, i)
	}
	src := run.Source{Ins: 2, Outs: 1, Body: body + "OpReturn"}
	in := make([]uint32, 2*64)
	var before []device.Finding
	for i := range 5 {
		got := src.Run(t, run.Options{Items: 64, Local: 8, SubGroup: 8, In: in, Check: true, Deterministic: i%2 == 1, Seed: uint64(i)})
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		f := got.Report.Findings
		if len(f) != 100 || got.Report.MoreFindings == 0 {
			t.Fatalf("%d findings and %d more", len(f), got.Report.MoreFindings)
		}
		for j := range f {
			if j > 0 && f[j].WordOffset <= f[j-1].WordOffset {
				t.Fatal("findings are not in the order of the module")
			}
		}
		if before != nil && (f[0].Instruction != before[0].Instruction || f[0].WorkGroup != before[0].WorkGroup) {
			t.Errorf("first finding %+v, before %+v", f[0], before[0])
		}
		before = f
	}
}
