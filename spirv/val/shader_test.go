package val_test

import (
	"strings"
	"testing"
)

func TestEntryPoints(t *testing.T) {
	text := func(entries string) string {
		return `
OpCapability Shader
OpMemoryModel Logical GLSL450
` + entries + `
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%u32_1 = OpConstant %u32 1
%u32_0 = OpConstant %u32 0
%pin = OpTypePointer Input %u32
%pp = OpTypePointer Private %u32
%in = OpVariable %pin Input
%private = OpVariable %pp Private
%fty = OpTypeFunction %void
%fty1 = OpTypeFunction %void %u32
%fty2 = OpTypeFunction %u32
%main = OpFunction %void None %fty
%l1 = OpLabel
%x = OpLoad %u32 %in
OpStore %private %x
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fty
%l2 = OpLabel
OpReturn
OpFunctionEnd
%param = OpFunction %void None %fty1
%p = OpFunctionParameter %u32
%l3 = OpLabel
OpReturn
OpFunctionEnd
%value = OpFunction %u32 None %fty2
%l4 = OpLabel
OpReturnValue %u32_1
OpFunctionEnd
`
	}
	const good = "OpEntryPoint GLCompute %main \"main\" %in %private\nOpExecutionMode %main LocalSize 1 1 1\n"
	checkRows(t, text, []row{
		{good, ""},
		{"OpEntryPoint GLCompute %main \"main\" %in", "must list"},
		{"OpEntryPoint GLCompute %main \"main\" %in %private %in", "the interface lists"},
		{"OpEntryPoint GLCompute %main \"main\" %in %private %u32_1", "the interface must list module-scope variables"},
		{"OpEntryPoint GLCompute %other \"main\"\n" + good, "two entry points have the name"},
		{"OpEntryPoint GLCompute %other \"other\"\n" + good, ""},
		{"OpEntryPoint GLCompute %param \"main\"", "an entry point of a shader cannot have parameters"},
		{"OpEntryPoint GLCompute %value \"main\"", "an entry point must return void"},
		{"OpEntryPoint GLCompute %main \"main\" %in %private\nOpExecutionMode %main LocalSize 1 0 1", "must be at least 1 in each dimension, it is [1 0 1]"},
		{"OpEntryPoint GLCompute %main \"main\" %in %private\nOpExecutionModeId %main LocalSizeId %u32_1 %u32_0 %u32_1", "must be at least 1"},
		{good + "OpExecutionMode %main LocalSize 1 1 2", "stands twice"},
		{good + "OpExecutionMode %main OriginUpperLeft", "is for the execution models [Fragment]"},
		{good + "OpExecutionMode %other LocalSize 1 1 1", "is not an entry point"},
		{"OpEntryPoint Fragment %other \"f\"", "must have exactly one of the execution modes"},
	})
	// The version comment must stand first.
	v13 := "; Version: 1.3\n" + text("OpEntryPoint GLCompute %main \"main\" %in %private")
	checkRows(t, plain, []row{{strings.Replace(v13, " %private", "", 1), ""}, {v13, "before SPIR-V 1.4 the interface must list variables in Input and Output only"}})
}

func TestDecorations(t *testing.T) {
	text := func(decorations string) string {
		return `
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
` + decorations + `
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c = OpConstant %u32 1
%spec = OpSpecConstant %u32 1
%st = OpTypeStruct %u32 %f32
%arr = OpTypeArray %u32 %c
%pp = OpTypePointer Private %u32
%pb = OpTypePointer Private %st
%v = OpVariable %pp Private
%fty = OpTypeFunction %void
%f = OpFunction %void None %fty
%l = OpLabel
%sum = OpIAdd %u32 %c %c
OpReturn
OpFunctionEnd
`
	}
	checkRows(t, text, []row{
		{"OpDecorate %spec SpecId 1", ""},
		{"OpDecorate %c SpecId 1", "the decoration SpecId belongs on a scalar specialization constant"},
		{"OpDecorate %v Block", "the decoration Block belongs on a structure type"},
		{"OpDecorate %st Block\nOpDecorate %st Block", "has the decoration Block twice"},
		{"OpDecorate %st Block\nOpDecorate %st BufferBlock", "BufferBlock was removed after SPIR-V 1.3"},
		{"OpDecorate %st RowMajor", "the decoration RowMajor belongs on a member of a structure"},
		{"OpMemberDecorate %st 0 Offset 4", ""},
		{"OpMemberDecorate %st 2 Offset 4", "the structure has 2 members, there is none with number 2"},
		{"OpMemberDecorate %arr 0 Offset 4", "must name a structure"},
		{"OpMemberDecorate %st 0 Binding 4", "a member of a structure cannot have the decoration Binding"},
		{"OpMemberDecorate %st 0 RowMajor\nOpMemberDecorate %st 0 ColMajor", "RowMajor and ColMajor cannot stand on the same target"},
		{"OpDecorate %arr ArrayStride 0", "an array stride must not be 0"},
		{"OpDecorate %v Restrict\nOpDecorate %v Aliased", "Restrict and Aliased cannot stand on the same target"},
		{"OpDecorate %sum NoSignedWrap", ""},
		{"OpDecorate %sum NoSignedWrap\nOpDecorate %sum NoSignedWrap", ""}, // as LLVM's translator writes it
		{"OpDecorate %c NoSignedWrap", "belongs on an integer sum"},
		{"OpDecorate %v BuiltIn WorkgroupSize", "the decoration BuiltIn belongs on a variable or, for WorkgroupSize, a constant"},
		{"OpDecorate %v NonWritable", ""},
		{"OpDecorate %v NonReadable", "NonReadable belongs on a buffer block or a storage image"},
		{"OpMemberName %st 5 \"x\"", "there is none with number 5"},
		{"OpDecorate %g Restrict\n%g = OpDecorationGroup\nOpGroupDecorate %g %v %v", "is applied to"},
		{"OpDecorate %g Offset 4\n%g = OpDecorationGroup\nOpGroupMemberDecorate %g %st 7", "there is none with number 7"},
	})
}

func TestBlocks(t *testing.T) {
	text := func(decorations string) string {
		return `
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %B Block
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
` + decorations + `
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%bool = OpTypeBool
%v3 = OpTypeVector %f32 3
%m3 = OpTypeMatrix %v3 3
%rt = OpTypeRuntimeArray %v3
%B = OpTypeStruct %u32 %m3 %rt
%p = OpTypePointer StorageBuffer %B
%v = OpVariable %p StorageBuffer
`
	}
	const offsets = "OpMemberDecorate %B 0 Offset 0\nOpMemberDecorate %B 1 Offset 16\nOpMemberDecorate %B 2 Offset 64\n"
	const matrix = "OpMemberDecorate %B 1 ColMajor\nOpMemberDecorate %B 1 MatrixStride 16\n"
	const stride = "OpDecorate %rt ArrayStride 16\n"
	checkRows(t, text, []row{
		{offsets + matrix + stride, ""},
		{offsets + matrix, "an array in this storage class needs the decoration ArrayStride"},
		{offsets + stride, "a matrix in this storage class needs the decoration MatrixStride"},
		{matrix + stride, "member 0 needs the decoration Offset"},
		{strings.Replace(offsets, "Offset 64", "Offset 60", 1) + matrix + stride, "members 1 and 2 overlap: 16 + 48 bytes is beyond offset 60"},
		{offsets + matrix + "OpDecorate %rt ArrayStride 8", "the array stride 8 is smaller than an element, 12 bytes"},
	})
	checkRows(t, func(s string) string {
		return shaderHead[:strings.Index(shaderHead, "OpEntryPoint")] + "OpEntryPoint GLCompute %main \"main\" %v\nOpExecutionMode %main LocalSize 1 1 1\n" + shaderTypes + s +
			"%main = OpFunction %void None %fty\n%l = OpLabel" + end
	}, []row{
		{"%b = OpTypeStruct %bool\n%p = OpTypePointer Private %b\n%v = OpVariable %p Private\n", ""},
		{"%b = OpTypeStruct %bool\n%p = OpTypePointer StorageBuffer %b\n%v = OpVariable %p StorageBuffer\n", "member 0 needs the decoration Offset"},
		{"%p = OpTypePointer Uniform %bool\n%v = OpVariable %p Uniform\n", "a variable in Uniform cannot hold bool"},
		{"%b = OpTypeStruct %pfn\n%p = OpTypePointer Private %b\n%v = OpVariable %p Private\n", "a variable cannot hold pointers as struct{ptr<Function,u32>} does"},
	})
}

func TestLogicalPointers(t *testing.T) {
	checkRows(t, shader, []row{
		{"%v = OpVariable %pfn Function\n%p = OpCopyObject %pfn %v\n%r = OpLoad %u32 %p", ""},
		{"%v = OpVariable %pfn Function\n%r = OpSelect %pfn %true %v %v", "selecting pointers in the storage class Function needs a capability"},
		{"%v = OpVariable %pfn Function\n%r = OpPtrEqual %bool %v %v", "needs a capability for variable pointers"},
		{"%v = OpVariable %pfn Function\n%r = OpBitcast %u64 %v", "OpBitcast cannot have a pointer as operand under logical addressing"},
		{"%v = OpVariable %pm Function\n%r = OpAccessChain %pfn %v %u32_0 %u32_0", "the result of OpAccessChain must point to f32"},
	})
}

// TestCooperativeMatrix checks SPV_KHR_cooperative_matrix: A 8x16, B 16x8, accumulators 8x8.
func TestCooperativeMatrix(t *testing.T) {
	text := func(body string) string {
		return `
OpCapability Shader
OpCapability Linkage
OpCapability Float16
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpDecorate %rt ArrayStride 4
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u5 = OpConstant %u32 5
%u8 = OpConstant %u32 8
%u16 = OpConstant %u32 16
%h = OpConstant %f16 1
%f = OpConstant %f32 1
%rt = OpTypeRuntimeArray %f32
%B = OpTypeStruct %rt
%pB = OpTypePointer StorageBuffer %B
%pf = OpTypePointer StorageBuffer %f32
%buf = OpVariable %pB StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %u3 %u8 %u16 %u0
%Bm = OpTypeCooperativeMatrixKHR %f16 %u3 %u16 %u8 %u1
%C = OpTypeCooperativeMatrixKHR %f32 %u3 %u8 %u8 %u2
%C16 = OpTypeCooperativeMatrixKHR %f16 %u3 %u8 %u8 %u2
%fty = OpTypeFunction %void
%fn = OpFunction %void None %fty
%l = OpLabel
%a = OpUndef %A
%b = OpUndef %Bm
%c = OpUndef %C
` + body + end
	}
	checkRows(t, text, []row{
		{"%r = OpCooperativeMatrixMulAddKHR %C %a %b %c", ""},
		{"%r = OpCooperativeMatrixMulAddKHR %C %b %b %c", "matrix A of OpCooperativeMatrixMulAddKHR must be a cooperative matrix of that use"},
		{"%r = OpCooperativeMatrixMulAddKHR %A %a %b %c", "B, C and the result of OpCooperativeMatrixMulAddKHR must have as many columns"},
		{"%r = OpCooperativeMatrixMulAddKHR %C %a %b %c MatrixASignedComponentsKHR", "cannot call a matrix of f16 signed"},
		{"%p = OpAccessChain %pf %buf %u0 %u0\n%r = OpCooperativeMatrixLoadKHR %C %p %u0 %u8", ""},
		{"%p = OpAccessChain %pf %buf %u0 %u0\n%r = OpCooperativeMatrixLoadKHR %C %p %u0", "the layout RowMajorKHR of OpCooperativeMatrixLoadKHR needs a stride"},
		{"%p = OpAccessChain %pf %buf %u0 %u0\nOpCooperativeMatrixStoreKHR %p %f %u0 %u8", "the object of OpCooperativeMatrixStoreKHR must be a cooperative matrix"},
		{"%r = OpCooperativeMatrixLengthKHR %u32 %C", ""},
		{"%r = OpCooperativeMatrixLengthKHR %i32 %C", "the result of OpCooperativeMatrixLengthKHR must be u32"},
		{"%r = OpFAdd %C %c %c", ""},
		{"%r = OpFConvert %C16 %c", ""},
		{"%r = OpFConvert %A %c", "must keep the rows and columns"},
		{"%r = OpCompositeConstruct %A %h", ""},
		{"%r = OpCompositeConstruct %A %f", "one scalar of its component type"},
		{"%r = OpMatrixTimesScalar %C %c %f", ""},
		{"%r = OpMatrixTimesScalar %C %c %h", "the scalar of OpMatrixTimesScalar"},
		{"%r = OpIAdd %C %c %c", "must be integers"},
	})
}
