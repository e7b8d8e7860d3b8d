package val_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

const kernelHead = `
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability GenericPointer
OpCapability Groups
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformClustered
OpCapability Int64Atomics
OpCapability SubgroupBitcastShuffleINTEL
OpExtension "SPV_INTEL_subgroup_bitcast_shuffle"
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %gpu %gpu64 %gst %gwg %gconst
`

const types = `
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2u8 = OpTypeVector %u8 2
%v4u8 = OpTypeVector %u8 4
%v2u16 = OpTypeVector %u16 2
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%v2bool = OpTypeVector %bool 2
%true = OpConstantTrue %bool
%u8_1 = OpConstant %u8 1
%u16_1 = OpConstant %u16 1
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
%u32_9 = OpConstant %u32 9
%u64_1 = OpConstant %u64 1
%f16_1 = OpConstant %f16 1
%f32_1 = OpConstant %f32 1
%f64_1 = OpConstant %f64 1
%v2u32_1 = OpConstantComposite %v2u32 %u32_1 %u32_1
%v3u32_1 = OpConstantComposite %v3u32 %u32_1 %u32_1 %u32_1
%v4u32_1 = OpConstantComposite %v4u32 %u32_1 %u32_1 %u32_1 %u32_1
%v2f32_1 = OpConstantComposite %v2f32 %f32_1 %f32_1
%v2bool_1 = OpConstantComposite %v2bool %true %true
%v4u8_1 = OpConstantComposite %v4u8 %u8_1 %u8_1 %u8_1 %u8_1
%arr = OpTypeArray %u32 %u32_3
%st = OpTypeStruct %u32 %v2f32 %arr
%pu = OpTypePointer CrossWorkgroup %u32
%pu64 = OpTypePointer CrossWorkgroup %u64
%pst = OpTypePointer CrossWorkgroup %st
%pf = OpTypePointer CrossWorkgroup %f32
%pfn = OpTypePointer Function %u32
%pwg = OpTypePointer Workgroup %u32
%pgen = OpTypePointer Generic %u32
%pconst = OpTypePointer UniformConstant %u32
%stnull = OpConstantNull %st
%fty = OpTypeFunction %void
%fty1 = OpTypeFunction %u32 %u32 %f32
`

const kernelStart = `
%gpu = OpVariable %pu CrossWorkgroup
%gpu64 = OpVariable %pu64 CrossWorkgroup
%gst = OpVariable %pst CrossWorkgroup
%gwg = OpVariable %pwg Workgroup
%gconst = OpVariable %pconst UniformConstant %u32_1
%callee = OpFunction %u32 None %fty1
%ca = OpFunctionParameter %u32
%cb = OpFunctionParameter %f32
%cl0 = OpLabel
OpReturnValue %ca
OpFunctionEnd
%main = OpFunction %void None %fty
%entry = OpLabel
%local = OpVariable %pfn Function
`

const end = "\nOpReturn\nOpFunctionEnd\n"

// kernel puts instructions into the body of a kernel whose types and values are named after what they are.
func kernel(body string) string { return kernelHead + types + kernelStart + body + end }

const shaderHead = `
OpCapability Shader
OpCapability Int64
OpCapability Float64
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability Matrix
OpCapability GroupNonUniform
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 8 1 1
`

const shaderTypes = `
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v2i32 = OpTypeVector %i32 2
%v2u32 = OpTypeVector %u32 2
%m23 = OpTypeMatrix %v3f32 2
%m32 = OpTypeMatrix %v2f32 3
%m22 = OpTypeMatrix %v2f32 2
%m33 = OpTypeMatrix %v3f32 3
%true = OpConstantTrue %bool
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%i32_1 = OpConstant %i32 1
%f32_1 = OpConstant %f32 1
%fty = OpTypeFunction %void
%pfn = OpTypePointer Function %u32
%pm = OpTypePointer Function %m23
`

// shader puts instructions into the body of a compute shader.
func shader(body string) string {
	return shaderHead + shaderTypes + "%main = OpFunction %void None %fty\n%entry = OpLabel\n" + body + end
}

func assembled(t testing.TB, text string) *spirv.Binary {
	t.Helper()
	b, err := asm.Assemble([]byte(text), asm.Options{HeaderComments: true})
	if err != nil {
		t.Fatalf("the test's module does not assemble: %v\n%s", err, text)
	}
	// As from a file, so that word offsets are known.
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	b, err = spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// check checks a module given as text; New must accept it.
func check(t testing.TB, text string) *val.Error {
	t.Helper()
	m, err := module.New(assembled(t, text))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	err = val.Check(m)
	if err == nil {
		return nil
	}
	var e *val.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is a %T", err)
	}
	return e
}

type row struct {
	body string
	want string // part of the first rule that is broken; empty where the module is valid
}

func checkRows(t *testing.T, wrap func(string) string, rows []row) {
	t.Helper()
	for _, r := range rows {
		e := check(t, wrap(r.body))
		switch {
		case r.want == "" && e != nil:
			t.Errorf("%s\nis valid, Check says: %v", r.body, e)
		case r.want != "" && e == nil:
			t.Errorf("%s\nis invalid (%s), Check accepts it", r.body, r.want)
		case r.want != "" && !strings.Contains(e.Violations[0].Rule, r.want):
			t.Errorf("%s\nCheck says: %v\nwant: %s", r.body, e.Violations[0], r.want)
		}
	}
}
