package val_test

import (
	"fmt"
	"strings"
	"testing"
)

// supportedTypes is the table "Supported Types" of SPV_INTEL_subgroup_bitcast_shuffle, revision 1, copied row by row:
// first type, second type; each row stands for both directions.
const supportedTypes = `
2 x uint8_t, uint16_t
4 x uint8_t, 2 x uint16_t
4 x uint8_t, uint32_t
2 x uint16_t, uint32_t
8 x uint8_t, 4 x uint16_t
8 x uint8_t, 2 x uint32_t
8 x uint8_t, uint64_t
4 x uint16_t, 2 x uint32_t
4 x uint16_t, uint64_t
2 x uint32_t, uint64_t
16 x uint8_t, 8 x uint16_t
16 x uint8_t, 4 x uint32_t
16 x uint8_t, 2 x uint64_t
8 x uint16_t, 4 x uint32_t
8 x uint16_t, 2 x uint64_t
4 x uint32_t, 2 x uint64_t
16 x uint16_t, 8 x uint32_t
16 x uint16_t, 4 x uint64_t
8 x uint32_t, 4 x uint64_t
16 x uint32_t, 8 x uint64_t`

// typeName turns "4 x uint8_t" into the name the tests' assembly gives the type, "u8x4".
func typeName(s string) string {
	count := "1"
	if n, rest, ok := strings.Cut(s, " x "); ok {
		count, s = n, rest
	}
	return "u" + strings.TrimSuffix(strings.TrimPrefix(s, "uint"), "_t") + "x" + count
}

// TestBitcastShuffle checks OpSubgroupBitcastShuffleINTEL between all scalar and vector types of kernels.
func TestBitcastShuffle(t *testing.T) {
	supported := map[[2]string]bool{}
	for line := range strings.Lines(strings.TrimSpace(supportedTypes)) {
		a, b, _ := strings.Cut(strings.TrimSpace(line), ", ")
		supported[[2]string{typeName(a), typeName(b)}] = true
		supported[[2]string{typeName(b), typeName(a)}] = true
	}
	if len(supported) != 40 {
		t.Fatalf("the table has %d directions, want 40", len(supported))
	}

	type shape struct {
		name        string
		bits, count int
		number      bool
	}
	var shapes []shape
	var decls strings.Builder
	decls.WriteString("%bx1 = OpTypeBool\n")
	for _, kind := range []string{"u8", "u16", "u32", "u64", "f16", "f32", "f64"} {
		bits := 0
		fmt.Sscanf(kind[1:], "%d", &bits)
		op := "OpTypeFloat %d"
		if kind[0] == 'u' {
			op = "OpTypeInt %d 0"
		}
		fmt.Fprintf(&decls, "%%%sx1 = "+op+"\n", kind, bits)
		for _, n := range []int{1, 2, 3, 4, 8, 16} {
			if n > 1 {
				fmt.Fprintf(&decls, "%%%sx%d = OpTypeVector %%%sx1 %d\n", kind, n, kind, n)
			}
			shapes = append(shapes, shape{fmt.Sprintf("%sx%d", kind, n), bits, n, true})
		}
	}
	decls.WriteString("%ptrx1 = OpTypePointer CrossWorkgroup %u8x1\n")
	shapes = append(shapes, shape{"bx1", 1, 1, false}, shape{"ptrx1", 64, 1, false})

	valid := 0
	for _, from := range shapes {
		for _, to := range shapes {
			want := from.number && to.number && from.name != to.name && from.bits*from.count == to.bits*to.count &&
				(from.count == to.count || supported[[2]string{from.name, to.name}])
			e := check(t, kernelHead[:strings.Index(kernelHead, "OpEntryPoint")]+decls.String()+"%voidx = OpTypeVoid\n%fty = OpTypeFunction %voidx\n"+
				"%f = OpFunction %voidx None %fty\n%l = OpLabel\n%x = OpUndef %"+from.name+"\n%r = OpSubgroupBitcastShuffleINTEL %"+to.name+" %x\nOpReturn\nOpFunctionEnd\n")
			if (e == nil) != want {
				t.Errorf("%s to %s: valid is %v, want %v (%v)", from.name, to.name, e == nil, want, e)
			}
			if e == nil {
				valid++
				continue
			}
			v := e.Violations[0]
			if !strings.Contains(v.Instruction, "OpSubgroupBitcastShuffleINTEL") || v.ID == 0 || v.Function == "" || v.Offset == 0 || !strings.Contains(v.Section, "SPV_INTEL_subgroup_bitcast_shuffle") {
				t.Errorf("%s to %s: the violation does not say where: %+v", from.name, to.name, v)
			}
		}
	}
	// 40 directions of the table, and plain bitcasts between u16 and f16, u32 and f32, u64 and f64, six counts, both ways.
	if valid != 40+36 {
		t.Errorf("%d combinations are valid, want 76", valid)
	}
}

// TestBitcastShuffleSigned: the signedness of the integers is ignored; only shader modules have signed ones.
func TestBitcastShuffleSigned(t *testing.T) {
	text := func(from, to string) string {
		return `
OpCapability Shader
OpCapability Linkage
OpCapability Int16
OpCapability Int8
OpCapability SubgroupBitcastShuffleINTEL
OpExtension "SPV_INTEL_subgroup_bitcast_shuffle"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%i16 = OpTypeInt 16 1
%u8 = OpTypeInt 8 0
%v2i16 = OpTypeVector %i16 2
%v3i16 = OpTypeVector %i16 3
%v4u8 = OpTypeVector %u8 4
%fty = OpTypeFunction %void
%f = OpFunction %void None %fty
%l = OpLabel
%x = OpUndef ` + from + "\n%r = OpSubgroupBitcastShuffleINTEL " + to + " %x\nOpReturn\nOpFunctionEnd\n"
	}
	for _, r := range [][3]string{
		{"%u32", "%v2i16", ""}, {"%v2i16", "%i32", ""}, {"%v4u8", "%v2i16", ""}, {"%i32", "%u32", ""}, {"%v2i16", "%v4u8", ""},
		{"%u32", "%u32", "must have a different type than the result, both are u32"}, {"%v3i16", "%u32", "v3i16 has 48 and u32 has 32"},
	} {
		checkRows(t, func(string) string { return text(r[0], r[1]) }, []row{{r[0] + " to " + r[1], r[2]}})
	}
}

func TestBitcastShuffleNeedsItsExtension(t *testing.T) {
	const body = "%r = OpSubgroupBitcastShuffleINTEL %u32 %v2u16_0"
	text := kernelHead + types + "%v2u16_0 = OpConstantNull %v2u16\n" + kernelStart + body + end
	checkRows(t, func(string) string { return text }, []row{{body, ""}})
	without := func(line string) func(string) string {
		return func(string) string { return strings.Replace(text, line+"\n", "", 1) }
	}
	checkRows(t, without("OpCapability SubgroupBitcastShuffleINTEL"), []row{{body, "OpSubgroupBitcastShuffleINTEL needs the capability SubgroupBitcastShuffleINTEL"}})
	checkRows(t, without(`OpExtension "SPV_INTEL_subgroup_bitcast_shuffle"`), []row{{body, `needs OpExtension "SPV_INTEL_subgroup_bitcast_shuffle"`}})
}
