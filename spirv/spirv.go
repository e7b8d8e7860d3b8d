// Package spirv reads and writes SPIR-V modules as words, without loss, and names their opcodes and enumerants.
//
// It knows how a module is cut into instructions (SPIR-V 1.6, section 2.3, Physical Layout of a SPIR-V Module and
// Instruction) and nothing of what the instructions mean. The packages beside it build on it: grammar holds the
// operands of every instruction, asm converts to and from text, module is the model with types and functions, val
// checks a module against the specification.
package spirv

import (
	"slices"
	"strconv"
)

// Magic is the first word of every module.
const Magic uint32 = 0x07230203

// Op is an opcode; the constants are generated from the grammar.
type Op uint16

// String returns the name in the specification, such as "OpIAdd", or "Op" and the number where it has none.
func (op Op) String() string {
	if s, ok := lookupName(opNames, uint32(op)); ok {
		return s
	}
	return "Op" + strconv.Itoa(int(op))
}

// ID is a result id. Zero is no id.
type ID uint32

// String returns the id as the assembly language writes it, such as "%42".
func (id ID) String() string { return "%" + strconv.FormatUint(uint64(id), 10) }

type enumName struct {
	value uint32
	name  string
}

func lookupName(table []enumName, v uint32) (string, bool) {
	i, ok := slices.BinarySearchFunc(table, v, func(e enumName, v uint32) int {
		switch {
		case e.value < v:
			return -1
		case e.value > v:
			return 1
		}
		return 0
	})
	if !ok {
		return "", false
	}
	return table[i].name, true
}

func nameOf(table []enumName, v uint32) string {
	if s, ok := lookupName(table, v); ok {
		return s
	}
	return strconv.FormatUint(uint64(v), 10)
}
