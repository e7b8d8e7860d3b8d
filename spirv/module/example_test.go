package module_test

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
)

const exampleText = `
	OpCapability Kernel
	OpCapability Addresses
	OpCapability Int8
	OpMemoryModel Physical64 OpenCL
	OpEntryPoint Kernel %scale "scale"
	OpName %params "Params"
	OpName %p "params"
	OpName %x "x"
	OpDecorate %p FuncParamAttr ByVal
	%void = OpTypeVoid
	%uint = OpTypeInt 32 0
	%uchar = OpTypeInt 8 0
	%uchar3 = OpTypeVector %uchar 3
	%float = OpTypeFloat 32
	%params = OpTypeStruct %uchar %float %uchar3
	%pp = OpTypePointer Function %params
	%px = OpTypePointer CrossWorkgroup %float
	%type = OpTypeFunction %void %pp %px
	%scale = OpFunction %void None %type
	%p = OpFunctionParameter %pp
	%x = OpFunctionParameter %px
	%entry = OpLabel
	OpReturn
	OpFunctionEnd`

func ExampleReflect() {
	b, err := asm.Assemble([]byte(exampleText), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := module.New(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range module.Reflect(m).EntryPoints[0].Parameters {
		fmt.Println(p.Name, p.Type, p.Size, "bytes", p.AddressSpace)
	}
	// Output:
	// params ptr<Function,Params> 12 bytes private
	// x ptr<CrossWorkgroup,f32> 8 bytes global
}

func ExampleModule_Layout() {
	b, err := asm.Assemble([]byte(exampleText), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := module.New(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	layout := m.Layout(nil)
	for _, t := range m.TypeOrder {
		if t.Kind != module.Struct {
			continue
		}
		n, err := layout.Of(t, spirv.StorageClassFunction)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range n.Fields {
			fmt.Println(f.Node.Type, "at", f.Offset)
		}
	}
	// Output:
	// u8 at 0
	// f32 at 4
	// v3u8 at 8
}
