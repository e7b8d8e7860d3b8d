// Package asm converts SPIR-V modules to and from text, in the assembly language of spirv-as and spirv-dis.
//
// Assemble turns text into a spirv.Binary, Disassemble turns a spirv.Binary into text, and a Printer, built once for a
// module, gives the text of single instructions and ids for error messages.
//
// # The language
//
// A module is a list of instructions. One that defines an id is written "%id = OpName operands", any other "OpName
// operands"; the order of the operands is that of the words, the result id left out. White space, line ends included,
// only separates; a semicolon starts a comment that ends with the line. Operands are
//
//   - ids: "%" and letters, digits or "_". Ids are numbered in the order they appear, whatever they are called, unless
//     Options.PreserveNumericIDs is set: then "%42" is id 42 and other ids take the free numbers;
//   - enumerants by name ("StorageBuffer"), masks as names joined by "|" ("Volatile|Aligned"), each followed by its
//     parameters, lowest bit first;
//   - numbers: "42", "-7", "0x2a", "1.5", "0x1.8p+3". The type of the literal of OpConstant and OpSpecConstant is the result
//     type, that of OpSwitch is the selector's; all others are unsigned 32-bit integers;
//   - strings in double quotes, in which a backslash takes the next character as it is;
//   - instructions of extended sets by name ("fma") or number;
//   - raw words, "!" and a number, anywhere an operand may stand. What follows a raw word is no longer checked against
//     the grammar: it may be numbers, strings, ids and raw words until the next instruction. An instruction may begin
//     with a raw word, which then holds word count and opcode;
//   - "OpUnknown(opcode, words)" and as many words less one: an instruction that the grammar does not have.
//
// Floating-point literals narrower than 32 bits are rounded towards zero, as spirv-as does. Hexadecimal floats reach the
// patterns that decimal ones cannot: the exponent after the largest gives infinity ("0x1p+128" in 32 bits), with a
// fraction NaN ("0x1.8p+128").
//
// # Where it differs from SPIRV-Tools
//
// Texts that spirv-as takes give the same words here, and modules that spirv-dis takes the same text, but for this:
// floating-point formats of 8 bits and less have the values of their definition, where spirv-as 2026.4 misreads some;
// an id may not be defined twice; the word count in a raw first word must fit the words that follow; a string whose
// closing quote is missing or escaped, and a nul character, are errors; instructions SPIRV-Tools does not know have their
// names here, and sets it has tables for, such as OpenCL.DebugInfo.100, are known by
// number.
//
// # Nothing is lost
//
// Text written by Disassemble with DisOptions.RawID, assembled with Options.PreserveNumericIDs and Options.HeaderComments,
// gives the same words again, whatever the words are. What has no name is written as raw words.
package asm
