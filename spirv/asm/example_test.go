package asm_test

import (
	"fmt"
	"os"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
)

func ExampleAssemble() {
	b, err := asm.Assemble([]byte(`
		OpCapability Kernel
		%uint = OpTypeInt 32 0
		%c    = OpConstant %uint 0x2a ; the answer
	`), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range b.Insts {
		fmt.Println(in.Op, in.Words)
	}
	// Output:
	// OpCapability [6]
	// OpTypeInt [1 32 0]
	// OpConstant [1 2 42]
}

func ExampleAssemble_error() {
	_, err := asm.Assemble([]byte("OpCapability Kernel\n%uint = OpTypInt 32 0\n"), asm.Options{})
	fmt.Println(err)
	// Output: 2:9: unknown opcode "OpTypInt"; did you mean OpTypeInt?
}

func ExampleDisassemble() {
	b, err := asm.Assemble([]byte(`%t = OpTypeFloat 32 %v = OpTypeVector %t 4 %x = OpConstant %t 0.5`), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := asm.Disassemble(b, os.Stdout, asm.DisOptions{NoHeader: true, NoIndent: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// %float = OpTypeFloat 32
	// %v4float = OpTypeVector %float 4
	// %float_0_5 = OpConstant %float 0.5
}

func ExamplePrinter() {
	b, err := asm.Assemble([]byte(`OpName %sum "sum" %uint = OpTypeInt 32 0 %sum = OpIAdd %uint %a %b`), asm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := asm.NewPrinter(b, asm.DisOptions{})
	fmt.Println(p.Text(&b.Insts[2]))
	fmt.Println(p.ID(spirv.ID(b.Insts[2].Words[0])))
	// Output:
	// %sum = OpIAdd %uint %3 %4
	// %uint
}
