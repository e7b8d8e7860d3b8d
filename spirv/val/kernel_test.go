package val_test

import "testing"

// The tables hold instructions in the body of a kernel or shader and what is wrong with them. What must be refused is
// taken from the specification's description of each instruction; SPIRV-Tools' validator decides the same (parity_test.go).

func TestArithmetic(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpIAdd %u32 %u32_1 %u32_2", ""},
		{"%r = OpIAdd %v2u32 %v2u32_1 %v2u32_1", ""},
		{"%r = OpIAdd %f32 %f32_1 %f32_1", "the result of OpIAdd must be a scalar or vector of integers, it is f32"},
		{"%r = OpIAdd %u32 %u32_1 %u64_1", "operand 2 of OpIAdd must have as many integer components of the same width as the result type u32, it is u64"},
		{"%r = OpIMul %v2u32 %v2u32_1 %u32_1", "operand 2 of OpIMul"},
		{"%r = OpSNegate %u32 %f32_1", "the operand of OpSNegate"},
		{"%r = OpUDiv %u32 %u32_1 %u64_1", "operand 2 of OpUDiv must have the result type u32"},
		{"%r = OpFAdd %f32 %f32_1 %f64_1", "operand 2 of OpFAdd must have the result type f32, it is f64"},
		{"%r = OpFMul %u32 %u32_1 %u32_1", "must be a scalar or vector of floating-point numbers"},
		{"%r = OpFNegate %f16 %f16_1", ""},
		{"%r = OpDot %f32 %v2f32_1 %v2f32_1", ""},
		{"%r = OpDot %f32 %v2f32_1 %f32_1", "the vectors of OpDot must have the same type"},
		{"%r = OpVectorTimesScalar %v2f32 %v2f32_1 %f32_1", ""},
		{"%r = OpVectorTimesScalar %v2f32 %v2f32_1 %f64_1", "the scalar of OpVectorTimesScalar"},
	})
	pair := func(body string) string {
		return kernelHead + types + "%pair = OpTypeStruct %u32 %u32\n%mixed = OpTypeStruct %u32 %u64\n" + kernelStart + body + end
	}
	checkRows(t, pair, []row{
		{"%r = OpIAddCarry %pair %u32_1 %u32_1", ""},
		{"%r = OpUMulExtended %pair %u32_1 %u64_1", "operand 2 of OpUMulExtended must have the type of the result's members u32"},
		{"%r = OpISubBorrow %mixed %u32_1 %u32_1", "must be a structure of two members of the same integer type"},
	})
}

func TestBits(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpShiftLeftLogical %u32 %u32_1 %u64_1", ""},
		{"%r = OpShiftLeftLogical %u32 %u64_1 %u32_1", "the base of OpShiftLeftLogical"},
		{"%r = OpShiftRightLogical %v2u32 %v2u32_1 %u32_1", "the shift of OpShiftRightLogical"},
		{"%r = OpBitwiseAnd %f32 %f32_1 %f32_1", "must be a scalar or vector of integers"},
		{"%r = OpNot %u32 %u64_1", "the operand of OpNot"},
		{"%r = OpBitCount %u32 %u8_1", ""},
		{"%r = OpBitCount %u32 %v2u32_1", "the base of OpBitCount"},
	})
	checkRows(t, shader, []row{
		{"%r = OpBitReverse %u32 %u32_1", ""},
		{"%r = OpBitFieldUExtract %u32 %u32_1 %u32_0 %f32_1", "the count of OpBitFieldUExtract must be an integer"},
		{"%r = OpBitFieldInsert %u32 %u32_1 %i32_1 %u32_0 %u32_1", "the insert of OpBitFieldInsert"},
	})
}

func TestLogical(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpIEqual %bool %u32_1 %u32_2", ""},
		{"%r = OpIEqual %u32 %u32_1 %u32_2", "the result of OpIEqual must be a scalar or vector of booleans"},
		{"%r = OpULessThan %bool %u32_1 %u64_1", "the operands of OpULessThan must have the same width, they are u32 and u64"},
		{"%r = OpSLessThan %v2bool %u32_1 %u32_1", "operand 1 of OpSLessThan must have as many components"},
		{"%r = OpFOrdEqual %bool %f32_1 %f64_1", "the operands of OpFOrdEqual must have the same type"},
		{"%r = OpFUnordEqual %bool %u32_1 %u32_1", "all floating-point numbers"},
		{"%r = OpLogicalAnd %bool %true %u32_1", "operand 2 of OpLogicalAnd"},
		{"%r = OpLogicalNot %bool %u32_1", "the operand of OpLogicalNot"},
		{"%r = OpAny %bool %v2bool_1", ""},
		{"%r = OpAll %bool %true", "must be a vector of booleans"},
		{"%r = OpIsNan %bool %f32_1", ""},
		{"%r = OpIsNan %bool %v2f32_1", "as many floating-point components"},
		{"%r = OpSelect %u32 %true %u32_1 %u32_2", ""},
		{"%r = OpSelect %v2u32 %v2bool_1 %v2u32_1 %v2u32_1", ""},
		{"%r = OpSelect %u32 %u32_1 %u32_1 %u32_1", "the condition of OpSelect"},
		{"%r = OpSelect %u32 %true %u32_1 %f32_1", "object 2 of OpSelect"},
		{"%r = OpSelect %u32 %v2bool_1 %u32_1 %u32_1", "the condition of OpSelect must be one boolean"},
		{"%r = OpPtrEqual %bool %gpu %gpu", ""},
		{"%r = OpPtrEqual %bool %gpu %gwg", "the operands of OpPtrEqual must have the same type"},
		{"%r = OpPtrEqual %bool %u32_1 %u32_1", "the operands of OpPtrEqual must be pointers"},
	})
}

func TestConversion(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpUConvert %u64 %u32_1", ""},
		{"%r = OpUConvert %u32 %u32_2", "OpUConvert must change the width"},
		{"%r = OpSConvert %v2u8 %u32_1", "as many components as the result type v2u8"},
		{"%r = OpFConvert %f64 %f32_1", ""},
		{"%r = OpFConvert %f32 %f32_1", "OpFConvert must change the type of the components"},
		{"%r = OpFConvert %f32 %u32_1", "the operand of OpFConvert"},
		{"%r = OpConvertUToF %f32 %u8_1", ""},
		{"%r = OpConvertFToS %f32 %f32_1", "the result of OpConvertFToS must be a scalar or vector of integers"},
		{"%r = OpSatConvertSToU %u8 %u32_1", ""},
		{"%r = OpBitcast %v2u32 %u64_1", ""},
		{"%r = OpBitcast %v4u8 %f32_1", ""},
		{"%r = OpBitcast %u32 %u64_1", "must have as many bits, u64 has 64 and u32 has 32"},
		{"%r = OpBitcast %pf %gpu", ""},
		{"%r = OpBitcast %pf %f64_1", "OpBitcast to a pointer"},
		{"%r = OpBitcast %bool %u32_1", "the result of OpBitcast"},
		{"%r = OpConvertPtrToU %u64 %gpu", ""},
		{"%r = OpConvertPtrToU %f32 %gpu", "the result of OpConvertPtrToU"},
		{"%r = OpConvertUToPtr %pu %f32_1", "the operand of OpConvertUToPtr"},
		{"%r = OpPtrCastToGeneric %pgen %gpu", ""},
		{"%r = OpPtrCastToGeneric %pgen %gconst", "a pointer in Workgroup, CrossWorkgroup or Function"},
		{"%r = OpPtrCastToGeneric %pu %gpu", "the result of OpPtrCastToGeneric must be a pointer in Generic"},
		{"%g = OpPtrCastToGeneric %pgen %gpu\n%r = OpGenericCastToPtr %pu %g", ""},
		{"%g = OpPtrCastToGeneric %pgen %gpu\n%r = OpGenericCastToPtrExplicit %pwg %g CrossWorkgroup", "must be in the storage class CrossWorkgroup"},
	})
	checkRows(t, shader, []row{
		{"%r = OpQuantizeToF16 %f32 %f32_1", ""},
		{"%r = OpQuantizeToF16 %u32 %u32_1", "the result of OpQuantizeToF16"},
		{"%v = OpVariable %pfn Function\n%r = OpConvertPtrToU %u64 %v", "OpConvertPtrToU needs"},
		{"%r = OpConvertFToU %i32 %f32_1", "unsigned integers"},
		{"%r = OpUConvert %u64 %i32_1", ""},
	})
}

func TestComposite(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpCompositeConstruct %v2u32 %u32_1 %u32_2", ""},
		{"%r = OpCompositeConstruct %v4u32 %v2u32_1 %u32_2 %u32_1", ""},
		{"%r = OpCompositeConstruct %v4u32 %v2u32_1 %u32_2", "the constituents have 3 components, the result type v4u32 has 4"},
		{"%r = OpCompositeConstruct %v2u32 %u32_1 %f32_1", "constituent 1 must be a scalar or vector of u32, it is f32"},
		{"%r = OpCompositeConstruct %arr %u32_1 %u32_1", "[3]u32 has 3 parts, 2 are given"},
		{"%r = OpCompositeConstruct %u32 %u32_1", "must be a composite"},
		{"%r = OpCompositeExtract %u32 %stnull 2 1", ""},
		{"%r = OpCompositeExtract %u32 %stnull 2 3", "index 1 of OpCompositeExtract is 3, [3]u32 has 3 parts"},
		{"%r = OpCompositeExtract %u32 %stnull 1 0", "the result of OpCompositeExtract must have the type of the part f32, it is u32"},
		{"%r = OpCompositeExtract %u32 %u32_1 0", "finds no composite"},
		{"%r = OpCompositeExtract %u32 %stnull", "needs at least one index"},
		{"%r = OpCompositeInsert %st %f32_1 %stnull 0", "the object of OpCompositeInsert must have the type of the part u32"},
		{"%r = OpVectorShuffle %v3u32 %v2u32_1 %v4u32_1 0 5 0xffffffff", ""},
		{"%r = OpVectorShuffle %v3u32 %v2u32_1 %v4u32_1 0 6 1", "component 6 of OpVectorShuffle is beyond the 6 components"},
		{"%r = OpVectorShuffle %v3u32 %v2u32_1 %v4u32_1 0 1", "a vector of as many components as it lists, 2"},
		{"%r = OpVectorShuffle %v2u32 %v2f32_1 %v2f32_1 0 1", "vector 1 of OpVectorShuffle must have components of type u32"},
		{"%r = OpVectorExtractDynamic %u32 %v2u32_1 %f32_1", "the index of OpVectorExtractDynamic must be an integer"},
		{"%r = OpVectorInsertDynamic %v2u32 %v2u32_1 %f32_1 %u32_1", "the component of OpVectorInsertDynamic"},
		{"%r = OpCopyObject %u32 %f32_1", "the operand of OpCopyObject must have the result type u32"},
	})
	checkRows(t, shader, []row{
		{"%m = OpUndef %m23\n%r = OpTranspose %m32 %m", ""},
		{"%m = OpUndef %m23\n%r = OpTranspose %m22 %m", "rows and columns of the result type"},
		{"%m = OpUndef %m23\n%v = OpUndef %v2f32\n%r = OpMatrixTimesVector %v3f32 %m %v", ""},
		{"%m = OpUndef %m23\n%v = OpUndef %v3f32\n%r = OpMatrixTimesVector %v3f32 %m %v", "the vector of OpMatrixTimesVector must have 2 components"},
		{"%m = OpUndef %m23\n%n = OpUndef %m32\n%r = OpMatrixTimesMatrix %m33 %m %n", ""},
		{"%m = OpUndef %m23\n%n = OpUndef %m32\n%r = OpMatrixTimesMatrix %m22 %m %n", "the left matrix of OpMatrixTimesMatrix"},
	})
}

func TestMemory(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpLoad %u32 %gpu Aligned 4", ""},
		{"%r = OpLoad %f32 %gpu", "the result of OpLoad must have the type the pointer points to, u32, it is f32"},
		{"%r = OpLoad %u32 %u32_1", "the pointer of OpLoad must be a pointer, it is u32"},
		{"%r = OpLoad %u32 %gpu Aligned 3", "the alignment must be a power of two, it is 3"},
		{"OpStore %gpu %u32_1", ""},
		{"OpStore %gpu %f32_1", "the object of OpStore must have the type the pointer points to, u32, it is f32"},
		{"OpStore %gconst %u32_1", "OpStore cannot write to the storage class UniformConstant"},
		{"OpCopyMemory %gpu %local", ""},
		{"OpCopyMemory %gpu %gpu64", "must point to the same type"},
		{"OpCopyMemorySized %gpu %gpu64 %u64_1", ""},
		{"OpCopyMemorySized %gpu %gpu64 %u32_0", "must be above 0"},
		{"%r = OpInBoundsPtrAccessChain %pu %gpu %u32_1", ""},
		{"%r = OpInBoundsPtrAccessChain %pu %gst %u32_0 %u32_2 %u32_1", ""},
		{"%r = OpAccessChain %pu %gst %u32_2 %u32_9", ""},
		{"%r = OpAccessChain %pu %gst %u32_3", "index 0 of OpAccessChain is 3, struct{u32,v2f32,[3]u32} has 3 members"},
		{"%n = OpLoad %u32 %gpu\n%r = OpAccessChain %pu %gst %n", "into the structure struct{u32,v2f32,[3]u32} must be an OpConstant"},
		{"%r = OpAccessChain %pf %gst %u32_0", "the result of OpAccessChain must point to u32, which the indices lead to"},
		{"%r = OpAccessChain %pwg %gst %u32_0", "must be in the same storage class"},
		{"%r = OpAccessChain %pu %gst %u32_0 %u32_0", "index 1 of OpAccessChain finds no composite"},
		{"%r = OpAccessChain %pu %gst %f32_1", "index 0 of OpAccessChain must be an integer"},
		{"%x = OpLoad %u32 %gpu\n%v = OpVariable %pfn Function", "variables of a function must stand before all other instructions"},
	})
	checkRows(t, func(decl string) string { return kernelHead + types + decl + kernelStart + end }, []row{
		{"%v = OpVariable %pu CrossWorkgroup %u32_1", ""},
		{"%v = OpVariable %pu CrossWorkgroup %f32_1", "the initializer of a variable must have its type u32, it is f32"},
		{"%v = OpVariable %pu Workgroup", "the storage class Workgroup of a variable must be that of its pointer type, CrossWorkgroup"},
		{"%v = OpVariable %pfn Function", "a variable outside a function cannot be in the storage class Function"},
		{"%v = OpVariable %pgen Generic", "a variable cannot be in the storage class Generic"},
	})
}

func TestCalls(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpFunctionCall %u32 %callee %u32_1 %f32_1", ""},
		{"%r = OpFunctionCall %u32 %callee %u32_1", "has 2 parameters, 1 arguments are given"},
		{"%r = OpFunctionCall %u32 %callee %u32_1 %u32_1", "argument 1 of the call must have the parameter's type f32, it is u32"},
		{"%r = OpFunctionCall %f32 %callee %u32_1 %f32_1", "the result of the call must be what"},
	})
	checkRows(t, func(f string) string { return kernelHead + types + kernelStart + end + f }, []row{
		{"%f = OpFunction %u32 None %fty\n%l = OpLabel\nOpReturnValue %u32_1\nOpFunctionEnd", "the result type of OpFunction must be what the function type returns, void"},
		{"%f = OpFunction %u32 None %fty1\n%a = OpFunctionParameter %u32\n%l = OpLabel\nOpReturnValue %a\nOpFunctionEnd", "the function type has 2 parameters, the function has 1"},
		{"%f = OpFunction %u32 None %fty1\n%a = OpFunctionParameter %u32\n%b = OpFunctionParameter %u32\n%l = OpLabel\nOpReturnValue %a\nOpFunctionEnd", "parameter 1 must have the type the function type gives, f32"},
		{"%f = OpFunction %void None %fty\n%l = OpLabel\nOpReturnValue %u32_1\nOpFunctionEnd", "the value of OpReturnValue must have the type the function returns, void, it is u32"},
		{"%f = OpFunction %u32 None %fty1\n%a = OpFunctionParameter %u32\n%b = OpFunctionParameter %f32\n%l = OpLabel\nOpReturn\nOpFunctionEnd", "OpReturn must not stand in a function that returns u32"},
		{"%f = OpFunction %void None %fty\n%l = OpLabel\n%r = OpFunctionCall %void %main\nOpReturn\nOpFunctionEnd", "an entry point cannot be called"},
		{"%f = OpFunction %void None %fty\nOpFunctionEnd", "function declarations must stand before all function definitions"},
	})
}

func TestAtomicsAndBarriers(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpAtomicIAdd %u32 %gpu %u32_1 %u32_0 %u32_1", ""},
		{"%r = OpAtomicIAdd %u64 %gpu64 %u32_1 %u32_0 %u64_1", ""},
		{"%r = OpAtomicIAdd %u32 %gpu %u32_1 %u32_0 %f32_1", "the values of OpAtomicIAdd must have the result type u32"},
		{"%r = OpAtomicIAdd %u64 %gpu %u32_1 %u32_0 %u64_1", "the pointer of OpAtomicIAdd must point to the result type u64"},
		{"%r = OpAtomicIAdd %u32 %gconst %u32_1 %u32_0 %u32_1", "cannot work on the storage class UniformConstant"},
		{"%r = OpAtomicIAdd %u32 %gpu %u64_1 %u32_0 %u32_1", "must be a 32-bit integer"},
		{"%r = OpAtomicIAdd %u32 %gpu %u32_9 %u32_0 %u32_1", "9 is no scope"},
		{"%r = OpAtomicLoad %u32 %gpu %u32_1 %u32_0", ""},
		{"%sem = OpIAdd %u32 %u32_1 %u32_1\n%r = OpAtomicLoad %u32 %gpu %u32_1 %sem", ""},
		{"%r = OpAtomicCompareExchange %u32 %gpu %u32_1 %u32_0 %u32_0 %u32_1 %u32_2", ""},
		{"OpAtomicStore %gpu %u32_1 %u32_2 %u32_1", "OpAtomicStore cannot have the order Acquire"},
		{"OpControlBarrier %u32_2 %u32_2 %u32_0", ""},
		{"OpControlBarrier %f32_1 %u32_2 %u32_0", "must be a 32-bit integer"},
		{"OpMemoryBarrier %u32_1 %f32_1", "the memory semantics"},
		{"%six = OpIAdd %u32 %u32_3 %u32_3\nOpMemoryBarrier %u32_1 %six", ""},
	})
}

func TestGroups(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpGroupIAdd %u32 %u32_2 Reduce %u32_1", ""},
		{"%r = OpGroupIAdd %f32 %u32_2 Reduce %f32_1", "must be a scalar or vector of integers"},
		{"%r = OpGroupAll %bool %u32_2 %u32_1", "the predicate of OpGroupAll must be bool"},
		{"%r = OpGroupBroadcast %u32 %u32_2 %u32_1 %v4u32_1", "the local id of OpGroupBroadcast"},
		{"%r = OpGroupNonUniformIAdd %u32 %u32_3 Reduce %u32_1", ""},
		{"%r = OpGroupNonUniformIAdd %u32 %u32_2 Reduce %u32_1", "the scope of OpGroupNonUniformIAdd cannot be Workgroup"},
		{"%r = OpGroupNonUniformFAdd %u32 %u32_3 Reduce %u32_1", "must be a scalar or vector of floating-point numbers"},
		{"%r = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1", "needs one more operand"},
		{"%r = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %u32_2", ""},
		{"%n = OpIAdd %u32 %u32_1 %u32_1\n%r = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %n", "must be a constant"},
		{"%r = OpGroupNonUniformShuffleXor %u32 %u32_3 %u32_1 %u32_2", ""},
		{"%r = OpGroupNonUniformShuffleXor %u32 %u32_3 %f32_1 %u32_2", "of the result type u32"},
		{"%r = OpGroupNonUniformShuffle %u32 %u32_3 %u32_1 %f32_1", "the invocation of OpGroupNonUniformShuffle must be an unsigned integer"},
		{"%r = OpGroupNonUniformBallot %v4u32 %u32_3 %true", ""},
		{"%r = OpGroupNonUniformBallot %v2u32 %u32_3 %true", "must be a vector of four unsigned integers"},
		{"%r = OpGroupNonUniformElect %u32 %u32_3", "the result of OpGroupNonUniformElect must be bool"},
	})
}

func TestExtendedInstructions(t *testing.T) {
	checkRows(t, kernel, []row{
		{"%r = OpExtInst %f32 %cl fma %f32_1 %f32_1 %f32_1", ""},
		{"%r = OpExtInst %f32 %cl fma %f32_1 %f32_1 %f64_1", "operand 3 of fma must be of the result type f32, it is f64"},
		{"%r = OpExtInst %u32 %cl sqrt %u32_1", "the result of sqrt must be a scalar or vector of floating-point numbers"},
		{"%r = OpExtInst %u32 %cl s_max %u32_1 %u32_2", ""},
		{"%r = OpExtInst %f32 %cl s_max %f32_1 %f32_1", "the result of s_max must be a scalar or vector of integers"},
		{"%r = OpExtInst %f32 %cl ldexp %f32_1 %u32_1", ""},
		{"%r = OpExtInst %f32 %cl ldexp %f32_1 %f32_1", "operand 2 of ldexp"},
		{"%r = OpExtInst %u16 %cl u_upsample %u8_1 %u8_1", ""},
		{"%r = OpExtInst %u32 %cl u_upsample %u8_1 %u8_1", "half as wide"},
		{"%r = OpExtInst %f32 %cl length %v2f32_1", ""},
		{"%r = OpExtInst %v2u32 %cl vloadn %u64_1 %gpu 2", ""},
		{"%r = OpExtInst %v2u32 %cl vloadn %u64_1 %gpu 3", "the literal 3 must be the number of components"},
		{"%r = OpExtInst %v2f32 %cl vloadn %u64_1 %gpu 2", "must point to the components"},
		{"%r = OpExtInst %void %cl vstoren %v2u32_1 %u64_1 %gconst", "cannot write to the storage class UniformConstant"},
		{"%r = OpExtInst %f32 %cl frexp %f32_1 %local", ""},
		{"%r = OpExtInst %f32 %cl frexp %f32_1 %u32_1", "operand 2 of frexp must be a pointer"},
	})
	checkRows(t, shader, []row{
		{"%r = OpExtInst %f32 %glsl FClamp %f32_1 %f32_1 %f32_1", ""},
		{"%r = OpExtInst %f32 %glsl FClamp %f32_1 %f32_1 %u32_1", "operand 3 of FClamp"},
		{"%r = OpExtInst %i32 %glsl SAbs %i32_1", ""},
		{"%r = OpExtInst %f32 %glsl SAbs %f32_1", "the result of SAbs"},
		{"%m = OpUndef %m22\n%r = OpExtInst %f32 %glsl Determinant %m", ""},
		{"%m = OpUndef %m23\n%r = OpExtInst %f32 %glsl Determinant %m", "a square matrix"},
		{"%v = OpUndef %v2f32\n%r = OpExtInst %u32 %glsl PackHalf2x16 %v", ""},
		{"%v = OpUndef %v3f32\n%r = OpExtInst %u32 %glsl PackHalf2x16 %v", "PackHalf2x16 cannot convert"},
	})
}
