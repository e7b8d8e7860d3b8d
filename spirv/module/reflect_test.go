package module_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

func reflectKernel(t *testing.T) *module.Info {
	return module.Reflect(load(t, `
OpCapability Kernel
OpCapability Addresses
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability SubgroupDispatch
OpExtension "SPV_KHR_no_integer_wrap_decoration"
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "scale" %gid
OpExecutionMode %k LocalSize 64 1 1
OpExecutionMode %k SubgroupSize 16
OpExecutionMode %k VecTypeHint 4
%types = OpString "kernel_arg_type.scale.Params,float*,int*,"
OpSource OpenCL_C 300000
OpName %st "Params"
OpMemberName %st 0 "n"
OpMemberName %st 1 "color"
OpName %p0 "params"
OpName %p1 "x"
OpName %p2 "tmp"
OpName %seed "seed"
OpDecorate %seed SpecId 3
OpDecorate %ratio SpecId 4
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %p0 FuncParamAttr ByVal
OpDecorate %p1 FuncParamAttr NoWrite
OpDecorate %p1 Restrict
OpDecorate %p1 Alignment 16
%void = OpTypeVoid
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%v3 = OpTypeVector %u64 3
%v4u8 = OpTypeVector %u8 4
%seed = OpSpecConstant %u32 42
%ratio = OpSpecConstant %f32 0.25
%n100 = OpConstant %u32 100
%st = OpTypeStruct %u32 %v4u8
%pst = OpTypePointer Function %st
%pf = OpTypePointer CrossWorkgroup %f32
%pi = OpTypePointer Workgroup %u32
%in = OpTypePointer Input %v3
%gid = OpVariable %in Input
%arr = OpTypeArray %u32 %n100
%parr = OpTypePointer Workgroup %arr
%used = OpVariable %parr Workgroup
%unused = OpVariable %parr Workgroup
%fty = OpTypeFunction %void %pst %pf %pi %u64
%hty = OpTypeFunction %void
%help = OpFunction %void None %hty
%hl = OpLabel
%addr = OpAccessChain %pi %used %seed
OpReturn
OpFunctionEnd
%k = OpFunction %void None %fty
%p0 = OpFunctionParameter %pst
%p1 = OpFunctionParameter %pf
%p2 = OpFunctionParameter %pi
%p3 = OpFunctionParameter %u64
%l = OpLabel
%g = OpLoad %v3 %gid
%call = OpFunctionCall %void %help
OpReturn
OpFunctionEnd
`))
}

func TestReflectKernel(t *testing.T) {
	info := reflectKernel(t)
	if info.Version != "1.6" || info.Addressing != "Physical64" || info.MemoryModel != "OpenCL" || info.Capabilities[0] != "Kernel" ||
		fmt.Sprint(info.Imports) != "[OpenCL.std]" || fmt.Sprint(info.Extensions) != "[SPV_KHR_no_integer_wrap_decoration]" {
		t.Errorf("module: %+v", info)
	}
	if fmt.Sprint(info.Sources) != "[{OpenCL_C 300000 }]" {
		t.Errorf("sources: %v", info.Sources)
	}
	if fmt.Sprint(info.SpecConstants) != "[{3 seed u32 42} {4 %"+strings.TrimPrefix(info.SpecConstants[1].Name, "%")+" f32 0.25}]" {
		t.Errorf("specialization constants: %v", info.SpecConstants)
	}
	e := info.EntryPoints[0]
	if e.Name != "scale" || e.Model != "Kernel" || fmt.Sprint(e.Modes) != "[LocalSize 64 1 1 SubgroupSize 16 VecTypeHint 4]" ||
		*e.RequiredGroupSize != [3]uint32{64, 1, 1} || e.HintedGroupSize != nil || e.SubgroupSize != 16 {
		t.Errorf("entry point: %+v", e)
	}
	if e.WorkgroupBytes != 400 {
		t.Errorf("the function it calls uses one Workgroup variable of 400 bytes, not %d bytes", e.WorkgroupBytes)
	}
	if fmt.Sprint(e.Inputs) != "[{GlobalInvocationId v3u64}]" || e.Resources != nil {
		t.Errorf("built-ins %v, resources %v", e.Inputs, e.Resources)
	}
	want := []module.Parameter{
		{Index: 0, Name: "params", Type: "ptr<Function,Params>", SourceType: "", Pointee: "Params", Size: 8, Align: 4, PointeeSize: 8, PointeeAlign: 4,
			StorageClass: "Function", AddressSpace: "private", ByVal: true, Attributes: []string{"ByVal"},
			Members: []module.Member{{Name: "n", Type: "u32", Offset: 0, Size: 4}, {Name: "color", Type: "v4u8", Offset: 4, Size: 4}}},
		{Index: 1, Name: "x", Type: "ptr<CrossWorkgroup,f32>", Pointee: "f32", Size: 8, Align: 8, PointeeSize: 4, PointeeAlign: 16,
			StorageClass: "CrossWorkgroup", AddressSpace: "global", Attributes: []string{"NoWrite", "Restrict"}},
		{Index: 2, Name: "tmp", Type: "ptr<Workgroup,u32>", Pointee: "u32", Size: 8, Align: 8, PointeeSize: 4, PointeeAlign: 4, StorageClass: "Workgroup", AddressSpace: "local"},
		{Index: 3, Name: "", Type: "u64", Size: 8, Align: 8},
	}
	for i, w := range want {
		if got := fmt.Sprintf("%+v", e.Parameters[i]); got != fmt.Sprintf("%+v", w) {
			t.Errorf("parameter %d:\n  %s\nwant\n  %+v", i, got, w)
		}
	}
}

func TestReflectShader(t *testing.T) {
	info := module.Reflect(load(t, `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %a "first" %buf %push %id
OpEntryPoint GLCompute %b "second" %buf2
OpExecutionModeId %a LocalSizeId %x %one %one
OpExecutionMode %b LocalSize 1 1 1
OpName %B "Data"
OpMemberName %B 0 "scale"
OpMemberName %B 1 "values"
OpName %buf "data"
OpName %P "Push"
OpMemberName %P 0 "offset"
OpDecorate %x SpecId 0
OpDecorate %B Block
OpDecorate %P Block
OpDecorate %rt ArrayStride 4
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 0 ColMajor
OpMemberDecorate %B 0 MatrixStride 8
OpMemberDecorate %B 1 Offset 16
OpMemberDecorate %P 0 Offset 4
OpDecorate %buf DescriptorSet 1
OpDecorate %buf Binding 2
OpDecorate %buf NonWritable
OpDecorate %buf2 DescriptorSet 0
OpDecorate %buf2 Binding 0
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%m2 = OpTypeMatrix %v2 2
%x = OpSpecConstant %u32 32
%one = OpConstant %u32 1
%zero = OpConstant %u32 0
%rt = OpTypeRuntimeArray %f32
%B = OpTypeStruct %m2 %rt
%P = OpTypeStruct %u32
%pB = OpTypePointer StorageBuffer %B
%pP = OpTypePointer PushConstant %P
%pu = OpTypePointer PushConstant %u32
%pin = OpTypePointer Input %u32
%pm = OpTypePointer StorageBuffer %m2
%buf = OpVariable %pB StorageBuffer
%buf2 = OpVariable %pB StorageBuffer
%push = OpVariable %pP PushConstant
%id = OpVariable %pin Input
%fty = OpTypeFunction %void
%a = OpFunction %void None %fty
%la = OpLabel
%c1 = OpAccessChain %pm %buf %zero
%c2 = OpAccessChain %pu %push %zero
%c3 = OpLoad %u32 %id
OpReturn
OpFunctionEnd
%b = OpFunction %void None %fty
%lb = OpLabel
%d1 = OpAccessChain %pm %buf2 %zero
OpReturn
OpFunctionEnd
`))
	a, b := info.EntryPoints[0], info.EntryPoints[1]
	if *a.RequiredGroupSize != [3]uint32{32, 1, 1} || fmt.Sprint(a.Modes) != "[LocalSizeId 32 1 1]" {
		t.Errorf("group size %v, modes %v", a.RequiredGroupSize, a.Modes)
	}
	if len(a.Resources) != 2 || len(b.Resources) != 1 {
		t.Fatalf("resources: %+v and %+v, only those an entry point uses must be listed", a.Resources, b.Resources)
	}
	r := a.Resources[0]
	if r.Name != "data" || r.StorageClass != "StorageBuffer" || *r.Set != 1 || *r.Binding != 2 || r.Type != "Data" || r.Size != 16 || r.Stride != 4 ||
		fmt.Sprint(r.Attributes) != "[NonWritable]" {
		t.Errorf("buffer: %+v", r)
	}
	if fmt.Sprint(r.Members) != "[{scale m2v2f32 0 16 0 8 false []} {values []f32 16 0 4 0 false []}]" {
		t.Errorf("members: %v", r.Members)
	}
	if p := a.Resources[1]; p.Name != "Push" || p.StorageClass != "PushConstant" || p.Set != nil || fmt.Sprint(p.Members) != "[{offset u32 4 4 0 0 false []}]" {
		t.Errorf("push constants: %+v", p)
	}
	if fmt.Sprint(a.Inputs) != "[{LocalInvocationIndex u32}]" {
		t.Errorf("built-ins: %v", a.Inputs)
	}
}

// TestReflectCompiled reads modules of real compilers: everything must have a size, names must be found.
func TestReflectCompiled(t *testing.T) {
	files, err := filepath.Glob("../val/testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules in val/testdata")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := spirv.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := module.New(b)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		info := module.Reflect(m)
		if _, err := json.Marshal(info); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for _, e := range info.EntryPoints {
			if e.Model == "GLCompute" && e.RequiredGroupSize == nil {
				t.Errorf("%s: %s has no group size", f, e.Name)
			}
			for _, p := range e.Parameters {
				if p.Size == 0 || p.Align == 0 || p.Pointee != "" && p.PointeeSize == 0 {
					t.Errorf("%s: %s: parameter %+v has no size", f, e.Name, p)
				}
				if strings.Contains(f, "-O0") && p.Name == "" {
					t.Errorf("%s: %s: parameter %d has no name although the compiler left it", f, e.Name, p.Index)
				}
			}
			for _, r := range e.Resources {
				if r.StorageClass != "PushConstant" && (r.Set == nil || r.Binding == nil) || strings.HasSuffix(r.StorageClass, "Buffer") && len(r.Members) == 0 {
					t.Errorf("%s: %s: resource %+v", f, e.Name, r)
				}
			}
		}
	}
}
