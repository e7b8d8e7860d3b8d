package module_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

func TestModel(t *testing.T) {
	m := load(t, `
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpExtension "SPV_KHR_no_integer_wrap_decoration"
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "kern" %gid
OpExecutionMode %main LocalSize 8 2 1
OpName %main "main"
OpName %st "pair"
OpMemberName %st 1 "second"
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %spec SpecId 7
OpDecorate %group Constant
%group = OpDecorationGroup
OpGroupDecorate %group %gid
OpMemberDecorate %st 1 Volatile
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3 = OpTypeVector %u64 3
%st = OpTypeStruct %u32 %u64
%in = OpTypePointer Input %v3
%p = OpTypePointer CrossWorkgroup %u32
%spec = OpSpecConstant %u64 0x123456789a
%minus = OpConstant %u32 0xffffffff
%pairs = OpConstantComposite %st %minus %big
%big = OpConstant %u64 5
%gid = OpVariable %in Input
%fty = OpTypeFunction %void %p
%helper = OpFunction %void None %fty
%hp = OpFunctionParameter %p
%hl = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %fty
%arg = OpFunctionParameter %p
%entry = OpLabel
%x = OpLoad %u32 %arg Aligned 4
OpLine %cl 1 1
OpSelectionMerge %end None
OpSwitch %x %end 1 %one 2 %one 4294967295 %two
%one = OpLabel
%c = OpFunctionCall %void %helper %arg
OpBranch %end
%two = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`)
	if !m.Kernel() || !m.HasCapability(spirv.CapabilityKernel) || m.HasCapability(spirv.CapabilityShader) {
		t.Error("the module is a kernel module without Shader")
	}
	if !slices.Equal(m.Extensions, []string{"SPV_KHR_no_integer_wrap_decoration"}) || !m.HasExtension(m.Extensions[0]) || m.HasExtension("SPV_X") {
		t.Errorf("extensions are %q", m.Extensions)
	}
	if m.Addressing != spirv.AddressingModelPhysical64 || m.MemoryModel != spirv.MemoryModelOpenCL {
		t.Errorf("models are %v, %v", m.Addressing, m.MemoryModel)
	}
	if len(m.EntryPoints) != 1 {
		t.Fatalf("%d entry points", len(m.EntryPoints))
	}
	e := m.EntryPoints[0]
	if e.Name != "kern" || e.Model != spirv.ExecutionModelKernel || e.Function != m.Functions[1] || len(e.Interface) != 1 {
		t.Errorf("entry point is %+v", e)
	}
	if mode, ok := e.Mode(spirv.ExecutionModeLocalSize); !ok || !slices.Equal(mode.Operands, []uint32{8, 2, 1}) {
		t.Errorf("LocalSize is %v, %v", mode, ok)
	}
	if _, ok := e.Mode(spirv.ExecutionModeContractionOff); ok {
		t.Error("there is no ContractionOff")
	}
	gid := e.Interface[0]
	if d := m.Decorations[gid]; len(d) != 2 || d[0].Kind != spirv.DecorationBuiltIn || d[1].Kind != spirv.DecorationConstant {
		t.Errorf("decorations of the variable, its group's included, are %v", d)
	}
	st := m.Types[named(t, m, "pair")]
	if m.MemberNames[st.ID][1] != "second" || m.MemberDecs[st.ID][1][0].Kind != spirv.DecorationVolatile {
		t.Errorf("names and decorations of members: %v, %v", m.MemberNames, m.MemberDecs)
	}
	if len(m.ConstantOrder) != 4 {
		t.Fatalf("%d constants", len(m.ConstantOrder))
	}
	spec, minus, pairs := m.ConstantOrder[0], m.ConstantOrder[1], m.ConstantOrder[2]
	if !spec.Spec || !spec.HasSpecID || spec.SpecID != 7 || spec.Bits != 0x123456789a {
		t.Errorf("specialization constant is %+v", spec)
	}
	if minus.Bits != 0xffffffff || minus.Spec || len(pairs.Operands) != 2 || pairs.Operands[0] != minus.ID {
		t.Errorf("constants are %+v, %+v", minus, pairs)
	}
	if v := m.Globals; len(v) != 1 || v[0].ID != gid || v[0].Storage != spirv.StorageClassInput || v[0].Type.Elem.Kind != module.Vector {
		t.Errorf("globals are %v", v)
	}
	f := e.Function
	if len(f.Params) != 1 || f.Params[0].Type.Kind != module.Pointer || len(f.Blocks) != 4 || len(f.Calls) != 1 {
		t.Fatalf("function has %d parameters, %d blocks, %d calls", len(f.Params), len(f.Blocks), len(f.Calls))
	}
	entry := f.Blocks[0]
	if len(entry.Insts) != 1 || entry.Insts[0].Op != spirv.OpLoad || entry.Merge.Op != spirv.OpSelectionMerge || entry.Term.Op != spirv.OpSwitch {
		t.Errorf("entry block is %v, %v, %v", entry.Insts, entry.Merge, entry.Term)
	}
	end := f.Blocks[3]
	if !slices.Equal(entry.Succs, []*module.Block{end, f.Blocks[1], f.Blocks[2]}) {
		t.Errorf("successors are %v, each must stand once, the default first", entry.Succs)
	}
	if !slices.Equal(end.Preds, []*module.Block{entry, f.Blocks[1], f.Blocks[2]}) || len(f.Blocks[1].Preds) != 1 {
		t.Errorf("predecessors are %v", end.Preds)
	}
	loaded := spirv.ID(entry.Insts[0].Words[1])
	if typ := m.TypeOf(loaded); typ == nil || typ.Kind != module.Int || m.Def(loaded) != entry.Insts[0] {
		t.Errorf("the loaded value has the type %v", typ)
	}
	want := []module.SwitchCase{{Literal: 1, Target: f.Blocks[1].ID}, {Literal: 2, Target: f.Blocks[1].ID}, {Literal: 0xffffffff, Target: f.Blocks[2].ID}}
	if got := m.SwitchCases(entry.Term); !slices.Equal(got, want) {
		t.Errorf("switch cases are %v, want %v", got, want)
	}
}

func TestErrors(t *testing.T) {
	body := func(lines string) string {
		return kernelHead + "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%bool = OpTypeBool\n%fty = OpTypeFunction %void\n" + lines
	}
	fn := func(lines string) string { return body("%f = OpFunction %void None %fty\n" + lines) }
	tests := []struct {
		name, text string
		want       []string
	}{
		{"structure in itself", shaderHead + `OpName %s "tree"
%u32 = OpTypeInt 32 0
%s = OpTypeStruct %u32 %s`, []string{"(tree) contains itself other than through a pointer"}},
		{"structures in each other", shaderHead + `%a = OpTypeStruct %b
%b = OpTypeStruct %arr
%u32 = OpTypeInt 32 0
%n = OpConstant %u32 4
%arr = OpTypeArray %a %n`, []string{"contains itself other than through a pointer"}},
		{"type used before it is declared", shaderHead + `%a = OpTypeStruct %b
%b = OpTypeStruct`, []string{"used before it is declared"}},
		{"block without termination", fn("%l = OpLabel\nOpFunctionEnd"), []string{"no termination instruction", "(function %"}},
		{"label in an open block", fn("%l = OpLabel\n%k = OpLabel\nOpReturn\nOpFunctionEnd"), []string{"no termination instruction"}},
		{"instruction after termination", fn("%l = OpLabel\nOpReturn\n%x = OpUndef %u32\nOpFunctionEnd"), []string{"after the termination instruction"}},
		{"instruction before the first block", fn("%x = OpUndef %u32\nOpFunctionEnd"), []string{"before the first block"}},
		{"function in function", fn("%g = OpFunction %void None %fty\nOpFunctionEnd"), []string{"begins inside another"}},
		{"function without end", fn("%l = OpLabel\nOpReturn"), []string{"not ended by OpFunctionEnd"}},
		{"type in function", fn("%l = OpLabel\n%t = OpTypeInt 8 0\nOpReturn\nOpFunctionEnd"), []string{"stands inside a function"}},
		{"branch to no block", fn("%l = OpLabel\nOpBranch %u32\nOpFunctionEnd"), []string{"is not a block of this function"}},
		{"merge not before the end", body(`%t = OpConstantTrue %bool
%f = OpFunction %void None %fty
%l = OpLabel
OpSelectionMerge %k None
%x = OpUndef %u32
OpBranch %k
%k = OpLabel
OpReturn
OpFunctionEnd`), []string{"directly before the termination instruction", "OpUndef follows"}},
		{"call of no function", fn("%l = OpLabel\n%x = OpFunctionCall %void %u32\nOpReturn\nOpFunctionEnd"), []string{"is not a function"}},
		{"label outside", body("%l = OpLabel"), []string{"OpLabel stands outside a function"}},
		{"result type is no type", body("%c = OpConstant %u32 1\n%x = OpUndef %c"), []string{"is not a type"}},
		{"variable of no pointer", body("%x = OpVariable %u32 CrossWorkgroup"), []string{"must be a pointer", "u32"}},
		{"function of no function type", body("%f = OpFunction %void None %u32\nOpFunctionEnd"), []string{"not a function type"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { wantError(t, assemble(t, test.text), test.want...) })
	}
}

func TestCallGraph(t *testing.T) {
	text := func(entry, a, b string) string {
		return `
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
` + entry + `
OpName %a "a"
OpName %b "b"
OpName %c "c"
%void = OpTypeVoid
%fty = OpTypeFunction %void
%a = OpFunction %void None %fty
%la = OpLabel
%ra = OpFunctionCall %void ` + a + `
OpReturn
OpFunctionEnd
%b = OpFunction %void None %fty
%lb = OpLabel
%rb = OpFunctionCall %void ` + b + `
OpReturn
OpFunctionEnd
%c = OpFunction %void None %fty
%lc = OpLabel
OpReturn
OpFunctionEnd
`
	}
	const entry = `OpEntryPoint Kernel %a "kern"`
	e := wantError(t, assemble(t, text(entry, "%a", "%c")), "functions call themselves: a → a")
	if e != nil && (e.Function != "a" || !strings.Contains(e.Instruction, "OpFunctionCall")) {
		t.Errorf("the error names function %q, instruction %q", e.Function, e.Instruction)
	}
	wantError(t, assemble(t, text(entry, "%b", "%a")), "functions call themselves: a → b → a")
	wantError(t, assemble(t, text(entry, "%b", "%b")), "functions call themselves: b → b")
	load(t, text(entry, "%b", "%c"))
	// Without an entry point above it, recursion is legal (SPIR-V 1.6, section 2.16.1).
	load(t, text("", "%b", "%a"))
}

// TestHandMade builds binaries no assembler would: New must refuse them, and never panic.
func TestHandMade(t *testing.T) {
	inst := func(op spirv.Op, words ...uint32) spirv.Instruction { return spirv.Instruction{Op: op, Words: words} }
	head := []spirv.Instruction{
		inst(spirv.OpCapability, uint32(spirv.CapabilityKernel)), inst(spirv.OpMemoryModel, 2, 2), inst(spirv.OpTypeVoid, 1), inst(spirv.OpTypeInt, 2, 32, 0),
	}
	tests := []struct {
		name  string
		bound uint32
		insts []spirv.Instruction
		want  string
	}{
		{"bound too large", 1 << 30, nil, "the bound of ids is 1073741824, the limit is 4194303"},
		{"id 0", 10, []spirv.Instruction{inst(spirv.OpTypePointer, 3, 5, 0)}, "id %0 is not between 1 and the bound of 10"},
		{"id at the bound", 10, []spirv.Instruction{inst(spirv.OpTypeBool, 10)}, "is not between 1 and the bound of 10"},
		{"defined twice", 10, []spirv.Instruction{inst(spirv.OpTypeBool, 2)}, "is defined twice"},
		{"no words", 10, []spirv.Instruction{inst(spirv.OpTypeInt)}, "ends before its operand"},
		{"a word too many", 10, []spirv.Instruction{inst(spirv.OpTypeBool, 5, 6)}, "OpTypeBool has 1 word more than its operands take"},
		{"string without end", 10, []spirv.Instruction{inst(spirv.OpName, 2, 0x61616161)}, "not ended by a nul"},
		{"unknown opcode is kept", 10, []spirv.Instruction{inst(60000, 1, 2, 3)}, ""},
		{"switch cut in a pair", 10, []spirv.Instruction{inst(spirv.OpTypeFunction, 3, 1), inst(spirv.OpFunction, 1, 4, 0, 3), inst(spirv.OpLabel, 5),
			inst(spirv.OpUndef, 2, 6), inst(spirv.OpSwitch, 6, 5, 1), inst(spirv.OpFunctionEnd)}, "ends before its operand"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &spirv.Binary{Version: 0x00010400, Bound: test.bound, Insts: append(slices.Clone(head), test.insts...)}
			if test.want == "" {
				if _, err := module.New(b); err != nil {
					t.Errorf("New: %v", err)
				}
				return
			}
			wantError(t, b, test.want)
		})
	}
	if _, err := module.New(&spirv.Binary{}); err != nil {
		t.Errorf("New of an empty module: %v", err)
	}
}

// TestHostileSizes builds modules that are small and stand for very much.
func TestHostileSizes(t *testing.T) {
	t.Run("deep types", func(t *testing.T) {
		b := &spirv.Binary{Version: 0x00010400, Bound: 40_010}
		b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpTypeInt, Words: []uint32{1, 32, 0}})
		for i := uint32(2); i < 40_000; i++ {
			b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpTypeRuntimeArray, Words: []uint32{i, i - 1}})
		}
		wantError(t, b, fmt.Sprintf("nests more than %d deep", module.MaxTypeDepth))
	})
	t.Run("wide types", func(t *testing.T) {
		b := &spirv.Binary{Version: 0x00010400, Bound: 300}
		b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpTypeInt, Words: []uint32{1, 32, 0}})
		for i := uint32(2); i < 200; i++ { // each twice as large as the one before
			b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpTypeStruct, Words: []uint32{i, i - 1, i - 1}})
		}
		m, err := module.New(b)
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Types[199].String(); len(s) > 300 {
			t.Errorf("the type's text has %d bytes", len(s))
		}
		if _, err := m.Layout(nil).Of(m.Types[199], spirv.StorageClassFunction); err == nil || !strings.Contains(err.Error(), "2^63") {
			t.Errorf("a type of 2^200 bytes is laid out: %v", err)
		}
	})
	t.Run("decoration groups", func(t *testing.T) {
		b := &spirv.Binary{Version: 0x00010400, Bound: 100_000}
		for range 1000 {
			b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpDecorate, Words: []uint32{1, uint32(spirv.DecorationConstant)}})
		}
		b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpDecorationGroup, Words: []uint32{1}})
		targets := []uint32{1}
		for range 20_000 {
			targets = append(targets, 2+uint32(len(targets)))
		}
		b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.OpGroupDecorate, Words: targets})
		wantError(t, b, "decoration groups stand for more than")
	})
	t.Run("deep calls", func(t *testing.T) {
		const n = 10_000
		b := &spirv.Binary{Version: 0x00010400, Bound: 10 + 3*n}
		add := func(op spirv.Op, words ...uint32) {
			b.Insts = append(b.Insts, spirv.Instruction{Op: op, Words: words})
		}
		add(spirv.OpEntryPoint, append([]uint32{uint32(spirv.ExecutionModelKernel), 5}, spirv.StringWords("k")...)...)
		add(spirv.OpTypeVoid, 1)
		add(spirv.OpTypeFunction, 2, 1)
		for i := uint32(0); i < n; i++ {
			add(spirv.OpFunction, 1, 5+3*i, 0, 2)
			add(spirv.OpLabel, 6+3*i)
			add(spirv.OpFunctionCall, 1, 7+3*i, 5+3*((i+1)%n))
			add(spirv.OpReturn)
			add(spirv.OpFunctionEnd)
		}
		wantError(t, b, "functions call themselves", "…")
	})
}
