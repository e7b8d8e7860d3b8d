package val_test

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

func plain(body string) string { return body }

const library = `
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
`

const tail = "%void = OpTypeVoid\n%fty = OpTypeFunction %void\n"

func TestHeader(t *testing.T) {
	for _, r := range []struct {
		version, bound, schema uint32
		want                   string
	}{
		{0x00010000, 10, 0, ""},
		{0x00010600, 10, 0, ""},
		{0x00010700, 10, 0, "the version must be 1.0 to 1.6, the header says 1.7"},
		{0x00020000, 10, 0, "the header says 2.0"},
		{0x00010601, 10, 0, "the version must be"},
		{0x00010600, 10, 1, "the instruction schema must be 0"},
	} {
		b := assembled(t, library+"OpMemoryModel Physical64 OpenCL\n"+tail)
		b.Version, b.Bound, b.Schema = r.version, r.bound, r.schema
		_, err := val.Load(b)
		if (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("version 0x%x, bound %d, schema %d: %v, want %q", r.version, r.bound, r.schema, err, r.want)
		}
	}
}

func TestOrder(t *testing.T) {
	const model = "OpMemoryModel Physical64 OpenCL\n"
	checkRows(t, plain, []row{
		{library + model + tail, ""},
		{model + library + tail, "OpCapability stands after the section of OpMemoryModel"},
		{library + tail, "OpTypeVoid must not stand before OpMemoryModel"},
		{library + model + model + tail, "OpMemoryModel must stand once only"},
		{library + model + tail + `OpName %void "v"`, "OpName stands after the section of types"},
		{library + model + "OpDecorate %x Constant\nOpName %void \"v\"\n" + tail, "OpName stands after the section of annotations"},
		{library + model + `OpName %void "v"` + "\n%s = OpString \"x\"\n" + tail, "OpString stands after the section of OpName"},
		{library, "the module has no OpMemoryModel"},
		{"OpCapability Kernel\nOpCapability Addresses\n" + model + tail, "must have an entry point"},
		{library + model + tail + "%x = OpFunction %void None %fty\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n%b = OpTypeBool", "OpTypeBool stands after the section of function definitions"},
		{library + "OpLine %s 1 1\n" + model + tail + "%s = OpString \"f\"", "must not stand before OpMemoryModel"},
	})
}

func TestCapabilities(t *testing.T) {
	head := func(capabilities string) func(string) string {
		return func(body string) string {
			return "OpCapability Linkage\n" + capabilities + "OpMemoryModel Logical GLSL450\n" + body
		}
	}
	checkRows(t, head("OpCapability Shader\n"), []row{
		{"%t = OpTypeInt 32 0", ""},
		{"%t = OpTypeInt 64 0", "an integer type of 64 bits needs the capability Int64"},
		{"%t = OpTypeInt 16 0", "needs the capability Int16 or one for the storage"},
		{"%t = OpTypeInt 8 0", "needs the capability Int8"},
		{"%t = OpTypeInt 33 0", "an integer type of 33 bits needs"},
		{"%t = OpTypeInt 32 2", "the signedness of an integer type must be 0 or 1, it is 2"},
		{"%t = OpTypeFloat 16", "needs the capability Float16"},
		{"%t = OpTypeFloat 64", "needs the capability Float64"},
		{"%t = OpTypeFloat 24", "cannot have 24 bits"},
		{"%f = OpTypeFloat 32\n%t = OpTypeVector %f 8", "a vector of 8 components needs the capability Vector16"},
		{"%f = OpTypeFloat 32\n%t = OpTypeVector %f 5", "a vector must have 2, 3, 4, 8 or 16 components, not 5"},
		{"%t = OpTypeEvent", "OpTypeEvent needs the capability Kernel"},
		{"%f = OpTypeFloat 32\n%p = OpTypePointer CrossWorkgroup %f", ""},
		{"%f = OpTypeFloat 32\n%p = OpTypePointer Generic %f", "StorageClass Generic needs the capability GenericPointer"},
	})
	checkRows(t, head("OpCapability Shader\nOpCapability StorageBuffer16BitAccess\nOpExtension \"SPV_KHR_16bit_storage\"\n"), []row{
		{"%t = OpTypeInt 16 0", ""},
		{"%t = OpTypeInt 16 0\n%c = OpConstant %t 1", "a capability for its storage only"},
		{"%t = OpTypeInt 16 0\n%p = OpTypePointer Private %t\n%v = OpVariable %p Private", "that holds 16-bit numbers needs a capability"},
	})
	checkRows(t, plain, []row{
		{library + "OpMemoryModel Physical64 OpenCL\n%t = OpTypeInt 32 1", "must be 0 in a module with the capability Kernel"},
	})
	checkRows(t, plain, []row{
		{"OpCapability Shader\nOpCapability Linkage\nOpCapability StorageBuffer8BitAccess\nOpMemoryModel Logical GLSL450", ""},
		{"; Version: 1.2\nOpCapability Shader\nOpCapability Linkage\nOpCapability StorageBuffer8BitAccess\nOpMemoryModel Logical GLSL450", `needs SPIR-V 1.5 or OpExtension "SPV_KHR_8bit_storage"`},
		{"OpCapability Linkage\nOpCapability Shader\nOpCapability !9999\nOpMemoryModel Logical GLSL450", "9999 (0x270f) is no Capability"},
		{"; Version: 1.0\nOpCapability Shader\nOpCapability Linkage\nOpCapability GroupNonUniform\nOpMemoryModel Logical GLSL450", "Capability GroupNonUniform needs SPIR-V 1.3"},
	})
}

func TestIDs(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpIAdd %u32 %later %u32_1\n%later = OpIAdd %u32 %u32_1 %u32_1", "is used before it is defined"},
		{"%r = OpIAdd %u32 %u32_1 %r", "is used before it is defined"},
		{"%r = OpIAdd %u32 %u32 %u32_1", "must be a value, it is defined by OpTypeInt"},
		{"%r = OpIAdd %u32 %entry %u32_1", "must be a value, it is defined by OpLabel"},
		{"%r = OpIAdd %u32 %callee %u32_1", "must be a value, it is defined by OpFunction"},
		{"%r = OpIAdd %u32 %ca %u32_1", "is defined in function %"},
	})
	checkRows(t, kernel, []row{
		{`OpSelectionMerge %end None
OpBranchConditional %true %yes %end
%yes = OpLabel
%x = OpIAdd %u32 %u32_1 %u32_1
OpBranch %end
%end = OpLabel
%r = OpIAdd %u32 %x %u32_1`, "which does not dominate its use in block"},
		{`OpSelectionMerge %end None
OpBranchConditional %true %yes %end
%yes = OpLabel
%x = OpIAdd %u32 %u32_1 %u32_1
OpBranch %end
%end = OpLabel
%r = OpPhi %u32 %x %yes %u32_1 %entry`, ""},
		{`OpBranchConditional %true %yes %end
%yes = OpLabel
%x = OpIAdd %u32 %u32_1 %u32_1
OpBranch %end
%end = OpLabel
%r = OpPhi %u32 %u32_1 %yes %x %entry`, "which does not dominate the predecessor"},
		// In a block that nothing reaches, dominance asks for nothing (SPIR-V 1.6, section 2.16.1).
		{`OpReturn
%dead = OpLabel
%x = OpIAdd %u32 %u32_1 %u32_1
OpBranch %dead2
%dead2 = OpLabel
%r = OpIAdd %u32 %x %u32_1`, ""},
	})
}

func TestTypes(t *testing.T) {
	decl := func(body string) string {
		return library + "OpCapability Matrix\nOpCapability Shader\nOpMemoryModel Physical64 OpenCL\n%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n%n = OpConstant %u32 3\n%zero = OpConstant %u32 0\n%half = OpConstant %f32 0.5\n%v2 = OpTypeVector %f32 2\n" + body
	}
	checkRows(t, decl, []row{
		{"%t = OpTypeInt 32 0", "declares the same type as"},
		{"%t = OpTypeArray %u32 %n\n%s = OpTypeArray %u32 %n", ""},
		{"%t = OpTypeArray %void %n", "the elements of an array cannot be void"},
		{"%t = OpTypeArray %u32 %zero", "the length of an array must be at least 1, it is 0"},
		{"%t = OpTypeArray %u32 %half", "the length of an array must be an integer constant"},
		{"%t = OpTypeStruct %void", "member 0 of a structure cannot be void"},
		{"%t = OpTypeVector %v2 2", "the components of a vector must be scalars, they are v2f32"},
		{"%t = OpTypeMatrix %u32 2", "the columns of a matrix must be vectors, they are u32"},
		{"%t = OpTypeMatrix %v2 5", "a matrix must have 2, 3 or 4 columns, not 5"},
		{"%t = OpTypeFunction %u32 %void", "parameter 0 of a function cannot be void"},
		{"OpTypeForwardPointer %p Function\n%s = OpTypeStruct %p\n%p = OpTypePointer CrossWorkgroup %s", "the storage class Function must be that of the pointer, CrossWorkgroup"},
		{"OpTypeForwardPointer %p CrossWorkgroup\n%s = OpTypeStruct %p\n%p = OpTypePointer CrossWorkgroup %s", ""},
	})
}

func TestConstants(t *testing.T) {
	decl := func(body string) string {
		return library + "OpCapability Int8\nOpCapability Int16\nOpMemoryModel Physical64 OpenCL\n%void = OpTypeVoid\n%bool = OpTypeBool\n%u8 = OpTypeInt 8 0\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n%one = OpConstant %u32 1\n%spec = OpSpecConstant %u32 2\n%f = OpConstant %f32 1\n%true = OpConstantTrue %bool\n%v2 = OpTypeVector %u32 2\n%fn = OpTypeFunction %void\n" + body
	}
	checkRows(t, decl, []row{
		{"%c = OpConstantComposite %v2 %one %one", ""},
		{"%c = OpConstantComposite %v2 %one", "v2u32 has 2 parts, 1 are given"},
		{"%c = OpConstantComposite %v2 %one %f", "constituent 1 must have the type u32, it is f32"},
		{"%c = OpConstantComposite %v2 %one %spec", "must not be a specialization constant"},
		{"%c = OpSpecConstantComposite %v2 %one %spec", ""},
		{"%c = OpConstantTrue %u32", "the result of OpConstantTrue must be bool, it is u32"},
		{"%c = OpConstantNull %fn", "func()void has no null value"},
		{"%c = OpSpecConstantOp %u32 IAdd %one %spec", ""},
		{"%c = OpSpecConstantOp %u32 IAdd %one %f", "operand 2 of OpIAdd"},
		{"%c = OpSpecConstantOp %u32 Select %true %one %spec", ""},
		{"%c = OpSpecConstantOp %u32 Dot %one %spec", "OpDot cannot be used in OpSpecConstantOp"},
		{"%c = OpUndef %void", "OpUndef cannot make void"},
	})
	// A literal of 8 bits with bits above.
	b := assembled(t, decl("%c = OpConstant %u8 7"))
	last := &b.Insts[len(b.Insts)-1]
	last.Words[2] = 0x107
	if _, err := val.Load(b); err == nil || !strings.Contains(err.Error(), "the bits of the literal above its width of 8 must be 0") {
		t.Errorf("a literal of 9 bits for u8: %v", err)
	}
}

func TestViolationSaysWhere(t *testing.T) {
	text := strings.Replace(kernel("%sum = OpIAdd %u32 %u32_1 %f32_1"), types, "OpName %main \"kern\"\nOpName %sum \"sum\"\n"+types, 1)
	e := check(t, text)
	if e == nil || len(e.Violations) != 1 {
		t.Fatalf("%v", e)
	}
	v := e.Violations[0]
	b := assembled(t, text)
	var in *spirv.Instruction
	for i := range b.Insts {
		if b.Insts[i].Op == spirv.OpIAdd {
			in = &b.Insts[i]
		}
	}
	if v.Function != "kern" || v.Offset != in.Offset || uint32(v.ID) != in.Words[1] || v.Section != "SPIR-V 1.6, section 3.3.13" ||
		v.Instruction != "%sum = OpIAdd %uint %uint_1 %float_1" {
		t.Errorf("violation is %+v", v)
	}
}

func TestManyViolations(t *testing.T) {
	e := check(t, kernel(strings.Repeat("OpStore %gpu %f32_1\n", 30)))
	if e == nil || len(e.Violations) != val.MaxViolations || !e.More {
		t.Errorf("30 violations give %d, more: %v", len(e.Violations), e != nil && e.More)
	}
	e = check(t, kernel("OpStore %gpu %f32_1\n%r = OpFAdd %f32 %f32_1 %f64_1"))
	if e == nil || len(e.Violations) != 2 || e.More || !strings.Contains(e.Error(), "and 1 more") {
		t.Errorf("2 violations give %v", e)
	}
}

// TestCyclicPointers: pointers that lead back to themselves must not lead checks and reflection around in circles.
func TestCyclicPointers(t *testing.T) {
	for _, decl := range []string{"%p = OpTypePointer Private %p", "%p = OpTypePointer Private %q\n%q = OpTypePointer Private %p", "%p = OpTypePointer Private %s\n%s = OpTypeStruct %p %p"} {
		text := "OpCapability Shader\nOpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\nOpTypeForwardPointer %p Private\n" +
			decl + `
%void = OpTypeVoid
%fty = OpTypeFunction %void %p
%pp = OpTypePointer Private %p
%v = OpVariable %pp Private
%f = OpFunction %void None %fty
%a = OpFunctionParameter %p
%l = OpLabel
OpCopyMemory %a %a
%x = OpLoad %p %v
OpStore %v %x
OpReturn
OpFunctionEnd`
		m, err := module.New(assembled(t, text))
		if err != nil {
			continue // only structures may be pointed to ahead; New may refuse the rest
		}
		_ = val.Check(m)
		module.Reflect(m)
	}
}

func TestLoadReturnsBothErrors(t *testing.T) {
	_, err := val.Load(&spirv.Binary{Version: 0x00010600, Bound: 5, Insts: []spirv.Instruction{{Op: spirv.OpTypeBool, Words: []uint32{7}}}})
	if _, ok := err.(*module.Error); !ok {
		t.Errorf("an id above the bound gives %T: %v", err, err)
	}
	_, err = val.Load(&spirv.Binary{Version: 0x00010600, Bound: 5, Insts: []spirv.Instruction{{Op: 65000}}})
	if e, ok := err.(*val.Error); !ok {
		t.Errorf("an unknown opcode gives %T: %v", err, err)
	} else if !strings.Contains(e.Error(), "no OpMemoryModel") {
		t.Errorf("first violation: %v", e)
	}
}
