// Package val checks SPIR-V modules against the specification before anything runs them.
//
// Check takes a model that package module has made and returns all violations, up to MaxViolations, each with the rule,
// the instruction's text, its result id, the function and the word offset. It has one file per part of the
// specification. What it applies to every instruction: operands as the grammar cuts them, known enumerants, the
// version, capabilities and extensions that opcode and enumerants ask for, ids defined, of the right kind and before
// their use, dominance, and the logical layout of the module. Rules of single instructions are in one table; HasRules
// tells which opcodes are in it.
//
// Not checked, although the specification asks for it: image operands, dimensions and formats; pipes and device-side
// enqueue; ray tracing, mesh shading, tensors, graphs and most vendor extensions; what only a client API such as Vulkan
// forbids (alignment of block members, interfaces between stages, built-in variables' types). Where SPIRV-Tools'
// validator, which is the measure of the tests here, decides otherwise than the letter of the specification, Check
// follows it and the rule says so.
package val
