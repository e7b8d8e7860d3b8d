package asm

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

// TestPrinter holds the text of instructions that fit the grammar and of some that do not.
func TestPrinter(t *testing.T) {
	b, err := Assemble([]byte(`
		%cl = OpExtInstImport "OpenCL.std"
		%unknown = OpExtInstImport "Some.Set"
		OpName %sum "the sum"
		OpName %x "uint"
		%uint = OpTypeInt 32 0
		%char = OpTypeInt 8 1
		%seven = OpConstant %uint 7
		%x = OpConstant %uint 8`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The ids in order of appearance: 1 OpenCL.std, 2 Some.Set, 3 sum, 4 x, 5 uint, 6 char, 7 seven.
	tests := []struct {
		op    spirv.Op
		words []uint32
		want  string
	}{
		{spirv.OpIAdd, []uint32{5, 3, 7, 4}, "%the_sum = OpIAdd %uint_0 %uint_0_7 %uint"},
		{spirv.OpNop, nil, "OpNop"},
		{spirv.OpConstant, []uint32{6, 9, 0xffffffff}, "%9 = OpConstant %char -1"},
		{spirv.OpExtInst, []uint32{5, 9, 1, 26, 7, 7, 7}, "%9 = OpExtInst %uint_0 %1 fma %uint_0_7 %uint_0_7 %uint_0_7"},
		// Not there at all.
		{spirv.OpStore, []uint32{99, 0}, "OpStore %99 %0"},
		{spirv.OpStore, []uint32{4294967295, 1}, "OpStore %4294967295 %1"},
		// Too short and too long.
		{spirv.OpIAdd, nil, "OpIAdd"},
		{spirv.OpIAdd, []uint32{5}, "OpIAdd %uint_0"},
		{spirv.OpIAdd, []uint32{5, 3, 7}, "%the_sum = OpIAdd %uint_0 %uint_0_7"},
		{spirv.OpIAdd, []uint32{5, 3, 7, 4, 12}, "%the_sum = OpIAdd %uint_0 %uint_0_7 %uint !12"},
		{spirv.OpReturn, []uint32{1, 2}, "OpReturn !1 !2"},
		// Unknown opcodes, enumerants, flags, extended instructions, types of literals.
		{31337, []uint32{5, 0xffffffff}, "OpUnknown(31337, 3) 5 4294967295"},
		{spirv.OpCapability, []uint32{31337}, "OpCapability !31337"},
		{spirv.OpDecorate, []uint32{3, 9999, 4}, "OpDecorate %the_sum !9999 !4"},
		{spirv.OpLoad, []uint32{5, 9, 4, 0x80000001, 4}, "%9 = OpLoad %uint_0 %uint !2147483649 !4"},
		{spirv.OpExtInst, []uint32{5, 9, 1, 9999, 7}, "%9 = OpExtInst %uint_0 %1 !9999 !7"},
		{spirv.OpExtInst, []uint32{5, 9, 2, 1, 7}, "%9 = OpExtInst %uint_0 %2 !1 !7"},
		{spirv.OpExtInst, []uint32{5, 9, 7, 1, 7}, "%9 = OpExtInst %uint_0 %uint_0_7 !1 !7"},
		{spirv.OpSpecConstantOp, []uint32{5, 9, 99999, 7}, "%9 = OpSpecConstantOp %uint_0 !99999 !7"},
		{spirv.OpConstant, []uint32{6, 9, 0x100}, "%9 = OpConstant %char !256"},
		{spirv.OpConstant, []uint32{7, 9, 3, 4}, "%9 = OpConstant %uint_0_7 !3 !4"},
		{spirv.OpConstant, []uint32{5, 9}, "%9 = OpConstant %uint_0"},
		{spirv.OpSwitch, []uint32{99, 4, 1, 4}, "OpSwitch %99 %uint !1 !4"},
		{spirv.OpSwitch, []uint32{7, 4, 1, 4, 2}, "OpSwitch %uint_0_7 %uint 1 %uint 2"},
		// Strings without end and with rubbish behind it.
		{spirv.OpName, []uint32{4, 0x41414141}, "OpName %uint !1094795585"},
		{spirv.OpName, []uint32{4, 0x41004141}, "OpName %uint !1090535745"},
		{spirv.OpName, []uint32{4, 0x005c2241}, `OpName %uint "A\"\\"`},
	}
	p := NewPrinter(b, DisOptions{})
	for _, tt := range tests {
		if got := p.Text(&spirv.Instruction{Op: tt.op, Words: tt.words}); got != tt.want {
			t.Errorf("%v %v:\ngot  %s\nwant %s", tt.op, tt.words, got, tt.want)
		}
	}
	for id, want := range map[spirv.ID]string{3: "%the_sum", 4: "%uint", 5: "%uint_0", 0: "%0", 77: "%77"} {
		if got := p.ID(id); got != want {
			t.Errorf("id %d: got %s, want %s", id, got, want)
		}
	}
	raw := NewPrinter(b, DisOptions{RawID: true})
	if got := raw.Text(&spirv.Instruction{Op: spirv.OpIAdd, Words: []uint32{5, 3, 7, 4}}) + raw.ID(3); got != "%3 = OpIAdd %5 %7 %4%3" {
		t.Errorf("raw ids: %s", got)
	}
}

// TestPrinterForwardTypes: a printer knows the types of the whole module, a listing only those the assembler has met.
func TestPrinterForwardTypes(t *testing.T) {
	b := &spirv.Binary{Version: DefaultVersion, Bound: 10, Insts: []spirv.Instruction{
		{Op: spirv.OpConstant, Words: []uint32{1, 2, 0xffffffff}},
		{Op: spirv.OpTypeInt, Words: []uint32{1, 32, 1}},
		{Op: spirv.OpTypeInt, Words: []uint32{1, 8, 0}}, // a second definition counts for nothing
	}}
	if got, want := NewPrinter(b, DisOptions{RawID: true}).Text(&b.Insts[0]), "%2 = OpConstant %1 -1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got := disText(t, b, DisOptions{RawID: true, NoHeader: true, NoIndent: true})
	if want := "%2 = OpConstant %1 !4294967295\n%1 = OpTypeInt 32 1\nOpUnknown(21, 4) 1 8 0\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	checkLossless(t, b)
}

// TestFriendlyNames holds names that do not come up in testdata. Expectations: spirv-dis 2026.4.
func TestFriendlyNames(t *testing.T) {
	b, err := Assemble([]byte(`OpName %1 "a"
OpName %2 "a"
OpName %3 "a_0"
OpName %4 ""
OpName %5 "é"
OpName %6 "7"
OpName %1 "again"
OpName %9 "`+strings.Repeat("n", 300)+`"
%10 = OpTypeInt 24 0
%11 = OpTypeInt 24 1
%12 = OpTypeFloat 80
%7 = OpTypeVoid
%13 = OpTypeVoid
%14 = OpTypeStruct %7`), Options{PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPrinter(b, DisOptions{})
	for id, want := range map[spirv.ID]string{
		1: "%a", 2: "%a_0", 3: "%a_0_0", 4: "%_", 5: "%__", 6: "%7", 7: "%void", 9: "%9", 10: "%u24", 11: "%i24", 12: "%fp80", 13: "%void_0", 14: "%_struct_14",
	} {
		if got := p.ID(id); got != want {
			t.Errorf("id %d: got %s, want %s", id, got, want)
		}
	}
}
