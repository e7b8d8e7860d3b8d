package val_test

import (
	"errors"
	"fmt"

	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/val"
)

func ExampleLoad() {
	b, err := asm.Assemble([]byte(`
		OpCapability Kernel
		OpCapability Addresses
		OpMemoryModel Physical64 OpenCL
		OpEntryPoint Kernel %scale "scale"
		OpName %scale "scale"
		%void = OpTypeVoid
		%uint = OpTypeInt 32 0
		%float = OpTypeFloat 32
		%two = OpConstant %uint 2
		%half = OpConstant %float 0.5
		%type = OpTypeFunction %void
		%scale = OpFunction %void None %type
		%entry = OpLabel
		%r = OpIMul %uint %two %half
		OpReturn
		OpFunctionEnd`), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = val.Load(b)
	var e *val.Error
	if errors.As(err, &e) {
		for _, v := range e.Violations {
			fmt.Println(v.Rule)
			fmt.Println(" ", v.Instruction, "in", v.Function)
			fmt.Println(" ", v.Section)
		}
	}
	// Output:
	// operand 2 of OpIMul must have as many integer components of the same width as the result type u32, it is f32
	//   %9 = OpIMul %uint %uint_2 %float_0_5 in scale
	//   SPIR-V 1.6, section 3.3.13
}
