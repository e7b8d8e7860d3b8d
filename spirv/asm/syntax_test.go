package asm

import (
	"errors"
	"strings"
	"testing"
)

// syntaxErrors are texts that are no assembly; want is the message in full or, before "...", in part.
var syntaxErrors = []struct {
	text, want string
	// stricter: spirv-as 2026.4 takes the text.
	stricter bool
}{
	{text: "OpCapabilty Shader", want: `1:1: unknown opcode "OpCapabilty"; did you mean OpCapability?`},
	{text: "OpXyzzyFrobnicate", want: `1:1: unknown opcode "OpXyzzyFrobnicate"`},
	{text: "OpCapability shader", want: `1:14: OpCapability: expected a Capability such as Matrix, found "shader"; did you mean Shader?`},
	{text: "OpCapability 5", want: `1:14: OpCapability: expected a Capability such as Matrix, found "5"`},
	{text: "OpCapability \"Shader\"", want: `1:14: OpCapability: expected a Capability such as Matrix, found the string "Shader"...`},
	{text: "\n  OpCapability", want: `2:3: OpCapability: expected a Capability such as Matrix, found the end of the text`},
	{text: "OpCapability\nOpNop", want: `1:1: OpCapability: expected a Capability such as Matrix, found the next instruction, "OpNop"`},
	{text: "OpCapability Shader Kernel", want: `1:21: OpCapability takes no more operands, found "Kernel"`},
	{text: "OpCapability Shader\nTypeVoid", want: `2:1: expected an instruction, "Op..." or "%id = Op...", found "TypeVoid"; did you mean OpTypeVoid?`},
	{text: "OpNop Op", want: `1:7: OpNop takes no more operands, found "Op"`},
	{text: "OpNop (", want: `1:7: OpNop takes no more operands, found "("`},
	{text: "= OpTypeVoid", want: `1:1: expected an instruction, "Op..." or "%id = Op...", found "="`},
	{text: "\"a string\"", want: `1:1: expected an instruction, "Op..." or "%id = Op...", found the string "a string"`},
	{text: "OpTypeVoid", want: `1:1: OpTypeVoid defines an id, write "%id = OpTypeVoid ..."`},
	{text: "%a = OpCapability Shader", want: `1:1: OpCapability defines no id, leave out "%a ="`},
	{text: "%a OpTypeVoid", want: `1:4: expected "=" after the result id %a, found "OpTypeVoid"`},
	{text: "%a", want: `1:3: expected "=" after the result id %a, found the end of the text`},
	{text: "%a = ", want: `1:6: expected an opcode after "=", found the end of the text`},
	{text: "%a = TypeVoid", want: `1:6: expected an opcode after "=", found "TypeVoid"; did you mean OpTypeVoid?`},
	{text: "%a = %b", want: `1:6: expected an opcode after "=", found "%b"`},
	{text: "%a = OpTypeVoid\n\n%b = OpTypeVoid\n %a = OpTypeBool", want: `4:2: the id %a is already defined on line 1`},
	{text: "%a = OpTypeInt 32", want: `1:6: OpTypeInt: expected an unsigned 32-bit integer (Signedness), found the end of the text`},
	{text: "%a = OpTypeInt 32 %b", want: `1:19: OpTypeInt: expected an unsigned 32-bit integer (Signedness), found "%b"`},
	{text: "%a = OpTypeInt -1 0", want: `1:16: OpTypeInt: -1 does not fit an unsigned 32-bit integer (0 to 4294967295)`},
	{text: "%a = OpTypeInt 32 0 ; c\n\t%c = OpConstant %a 1.5", want: `2:21: OpConstant: expected an unsigned 32-bit integer, found "1.5"`},
	{text: "%c = OpConstant %u 1", want: `1:20: the result type of OpConstant must be an integer or floating-point type defined before it, %u is not`},
	{text: "OpName foo \"x\"", want: `1:8: OpName: expected an id such as %x (Target), found "foo"`},
	{text: "OpName %a foo", want: `1:11: OpName: expected a string in double quotes (Name), found "foo"`},
	{text: "OpName %a \"x\" \"y\"", want: `1:15: OpName takes no more operands, found the string "y"`},
	{text: "OpName % \"x\"", want: `1:8: expected a name or number after "%"`},
	{text: "OpName %a.b \"x\"", want: `1:8: an id consists of letters, digits and "_", found "%a.b"`},
	{text: "OpName %a \"foo", want: `1:11: the string that starts here has no closing quote`},
	{text: "OpName %a \"foo\\\"", want: `1:11: the string that starts here has no closing quote`, stricter: true},
	{text: "OpName %a \"x\x00\"", want: `1:13: the string holds a nul character, which ends strings in SPIR-V`},
	{text: "OpName %a \"two\nlines\" 7", want: `2:8: OpName takes no more operands, found "7"`},
	{text: "\x03\x02\x23\x07\x00\x00\x01\x00", want: `1:5: the text holds a nul character; a binary module (.spv) need not be assembled`},
	{text: "OpStore %a %b Volatile|Algned 4", want: `1:15: OpStore: "Algned" is no flag of MemoryAccess; did you mean Aligned?`},
	{text: "OpStore %a %b Volatile|", want: `1:15: OpStore: "" is no flag of MemoryAccess`},
	{text: "OpStore %a %b Volatle", want: `1:15: OpStore: expected flags of MemoryAccess such as ...`},
	{text: "OpStore %a %b Aligned", want: `1:1: OpStore: expected an unsigned 32-bit integer, found the end of the text`},
	{text: "OpExecutionMode %a LocalSize 1 2", want: `1:1: OpExecutionMode: expected an unsigned 32-bit integer (z size), found the end of the text`},
	{text: "OpEntryPoint Kernel %m \"m\" 5", want: `1:28: OpEntryPoint: expected an id such as %x (Interface), found "5"`},
	{text: "OpSwitch %x %d 1 %l", want: `1:16: the selector of OpSwitch must be an integer defined before it, %x is not`},
	{text: "%f = OpTypeFloat 32 %x = OpUndef %f OpSwitch %x %d 1 %l", want: `1:52: the selector of OpSwitch must be an integer defined before it, %x is not`},
	{text: "%f = OpTypeInt 32 0 %x = OpUndef %f OpSwitch %x %d 1", want: `1:37: OpSwitch: expected an id such as %x, found the end of the text`},
	{text: "%f = OpTypeInt 32 0 %x = OpUndef %f OpSwitch %x %d %d %l", want: `1:52: OpSwitch: expected an unsigned 32-bit integer (Target), found "%d"`},
	{text: "%s = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %v %s fmma %a", want: `1:56: "OpenCL.std" has no instruction "fmma"; did you mean fma?`},
	{text: "%s = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %v %s fma %a", want: `1:40: OpExtInst: expected an id such as %x (b), found the end of the text`},
	{text: "%s = OpExtInstImport \"NonSemantic.X\" %r = OpExtInst %v %s fma", want: `1:59: the instructions of "NonSemantic.X" are known by number only, found "fma"`},
	{text: "%r = OpExtInst %v %s fma", want: `1:22: %s is not the result of an OpExtInstImport before it`},
	{text: "%r = OpSpecConstantOp %v OpIAdd %a %b", want: `1:6: OpSpecConstantOp: expected an opcode without "Op" (Opcode), found the next instruction, "OpIAdd"; write the opcode without "Op": IAdd`},
	{text: "%r = OpSpecConstantOp %v IAd %a %b", want: `1:26: OpSpecConstantOp: expected an opcode without "Op" (Opcode), found "IAd"; did you mean IAdd?`},
	{text: "%r = OpSpecConstantOp %v Store %a %b", want: `1:26: OpStore cannot be the operation of OpSpecConstantOp`},
	{text: "%r = OpSpecConstantOp %v SpecConstantOp IAdd", want: `1:26: OpSpecConstantOp cannot be the operation of OpSpecConstantOp`},
	{text: "OpCapability !x", want: `1:14: expected a word of 32 bits after "!", such as !7 or !0x1f, found "!x"`},
	{text: "OpCapability !-1", want: `1:14: expected a word of 32 bits after "!", such as !7 or !0x1f, found "!-1"`},
	{text: "OpCapability !4294967296", want: `1:14: expected a word of 32 bits after "!", such as !7 or !0x1f, found "!4294967296"`},
	{text: "OpCapability !5 Shader", want: `1:17: after a raw word only numbers, strings, ids and raw words may stand: ...`},
	{text: "!0x00020011", want: `1:1: the first word 0x00020011 gives the instruction a word count of 2, but only 1 are written, the first word included`, stricter: true},
	{text: "!5 1", want: `1:1: the first word 0x00000005 gives the instruction a word count of 0`, stricter: true},
	{text: "!0x00020011 = OpFoo", want: `1:13: after a raw word only numbers, strings, ids and raw words may stand: ...`},
	{text: "OpUnknown 5", want: `1:11: expected "(", found "5"; the form is OpUnknown(opcode, words)`},
	{text: "OpUnknown(5 2) 1", want: `1:13: expected ",", found "2"; the form is OpUnknown(opcode, words)`},
	{text: "OpUnknown(5, 2 1", want: `1:16: expected ")", found "1"; the form is OpUnknown(opcode, words)`},
	{text: "OpUnknown(70000, 2) 1", want: `1:11: expected a number up to 65535, found "70000"; the form is OpUnknown(opcode, words)`},
	{text: "OpUnknown(5, 0)", want: `1:1: the word count of OpUnknown includes the first word, it cannot be 0`},
	{text: "OpUnknown(5, 2) OpNop", want: `1:1: the word count of OpUnknown is 2, but only 1 are written, the first word included`},
	{text: "OpUnknown(5, 2) \"abcd\"", want: `1:1: the word count of OpUnknown is 2, but 3 are written, the first word included`, stricter: true},
	{text: "OpUnknown(5, 2) 1 2", want: `1:19: expected an instruction, "Op..." or "%id = Op...", found "2"`},
	{text: "%x = OpUnknown(5, 2) 1", want: `1:1: OpUnknown defines no id, write the result among its operands`},
}

func TestSyntaxErrors(t *testing.T) {
	for _, tt := range syntaxErrors {
		_, err := Assemble([]byte(tt.text), Options{})
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v is no SyntaxError", tt.text, err)
			continue
		}
		part, cut := strings.CutSuffix(tt.want, "...")
		if cut && strings.HasPrefix(err.Error(), part) || err.Error() == tt.want {
			continue
		}
		t.Errorf("%q:\ngot  %s\nwant %s", tt.text, err, tt.want)
	}
}

// TestToolsSyntaxErrors holds that we refuse no text that spirv-as takes, but for those marked.
func TestToolsSyntaxErrors(t *testing.T) {
	if year := tool(t, "spirv-as"); year < 2026 {
		t.Skipf("not run: spirv-as of %d is installed, it knows no OpUnknown", year)
	}
	for _, tt := range syntaxErrors {
		_, err := runTool(t, []byte(tt.text), "spirv-as", "-", "-o", "-")
		if taken := err == nil; taken != tt.stricter {
			t.Errorf("%q: spirv-as takes it: %v, want %v", tt.text, taken, tt.stricter)
		}
	}
}
