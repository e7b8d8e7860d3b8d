// Package grammar holds the SPIR-V grammar as tables: every instruction with its operands, every operand kind with its
// enumerants, and the extended instruction sets OpenCL.std and GLSL.std.450.
//
// The tables are generated from Khronos' machine-readable grammar (SPIR-V 1.6 revision 7) and from
// supplement.grammar.json, which holds by hand what that grammar does not list yet.
package grammar

import (
	"slices"
	"sync"

	"github.com/sgrun/sgrun/spirv"
)

//go:generate go run ./gen -spirv .. -grammar . -core $SPIRV_GRAMMAR/spirv.core.grammar.json,supplement.grammar.json -ext OpenCL.std=$SPIRV_GRAMMAR/extinst.opencl.std.100.grammar.json,GLSL.std.450=$SPIRV_GRAMMAR/extinst.glsl.std.450.grammar.json

// Kind is an operand kind of the grammar; the constants are generated.
type Kind uint8

// Info returns the description of the kind.
func (k Kind) Info() *KindInfo { return &kinds[k] }

// String returns the name of the kind in the grammar, such as "IdRef" or "StorageClass".
func (k Kind) String() string { return kinds[k].Name }

// Category says how operands of a kind are written in the word stream.
type Category uint8

// Categories of operand kinds.
const (
	Id        Category = iota // one word, an id
	Literal                   // one or more words of literal
	ValueEnum                 // one word holding one enumerant, then that enumerant's parameters
	BitEnum                   // one word of flags, then the parameters of each set flag, lowest bit first
	Composite                 // the kinds in Bases, one after another
)

// KindInfo describes one operand kind.
type KindInfo struct {
	Kind       Kind
	Name       string
	Category   Category
	Bases      []Kind      // of a Composite
	Enumerants []Enumerant // of a ValueEnum or BitEnum, ascending by value
}

// Enumerant returns the enumerant with the value. Where several share it, the first in the grammar is returned.
func (k *KindInfo) Enumerant(value uint32) (*Enumerant, bool) {
	i, ok := slices.BinarySearchFunc(k.Enumerants, value, func(e Enumerant, v uint32) int {
		switch {
		case e.Value < v:
			return -1
		case e.Value > v:
			return 1
		}
		return 0
	})
	if !ok {
		return nil, false
	}
	for i > 0 && k.Enumerants[i-1].Value == value {
		i--
	}
	return &k.Enumerants[i], true
}

// EnumerantNamed returns the enumerant with the name or alias.
func (k *KindInfo) EnumerantNamed(name string) (*Enumerant, bool) {
	for i := range k.Enumerants {
		if e := &k.Enumerants[i]; e.Name == name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return nil, false
}

// Enumerant is one value of a ValueEnum or one flag of a BitEnum.
type Enumerant struct {
	Name         string
	Aliases      []string
	Value        uint32
	Parameters   []Operand
	Capabilities []spirv.Capability // any one of them enables the enumerant (for a capability: these are implied)
	Extensions   []string           // any one of them enables the enumerant
	Version      uint32             // first core version as a header word; 0 where there is none
	LastVersion  uint32             // last core version as a header word; 0 where there is none
}

// Quantifier says how often an operand may stand.
type Quantifier uint8

// Quantifiers.
const (
	Once     Quantifier = iota
	Optional            // zero or one
	Variadic            // zero or more
)

// Operand is one operand of an instruction or parameter of an enumerant.
type Operand struct {
	Kind       Kind
	Quantifier Quantifier
	Name       string // as in the specification; may be empty
}

// Instruction is one instruction of the core grammar or of the supplement.
type Instruction struct {
	Op           spirv.Op
	Name         string // "OpIAdd"
	Aliases      []string
	Class        string
	Operands     []Operand
	Capabilities []spirv.Capability // any one of them enables the instruction
	Extensions   []string           // any one of them enables the instruction
	Version      uint32             // first core version as a header word; 0 where there is none
	LastVersion  uint32             // last core version as a header word; 0 where there is none
}

// HasResultType reports whether the first operand is a result type.
func (in *Instruction) HasResultType() bool {
	return len(in.Operands) > 0 && in.Operands[0].Kind == IdResultType
}

// HasResult reports whether the instruction defines an id.
func (in *Instruction) HasResult() bool {
	for _, o := range in.Operands[:min(2, len(in.Operands))] {
		if o.Kind == IdResult {
			return true
		}
	}
	return false
}

// ExtInstSet is an extended instruction set.
type ExtInstSet struct {
	Name         string // as imported by OpExtInstImport
	Instructions []ExtInst
}

// ExtInst is one instruction of an extended instruction set; its operands follow the four words of OpExtInst.
type ExtInst struct {
	Name     string
	Number   uint32
	Operands []Operand
}

// Instructions returns all instructions, ascending by opcode. The slice is shared and must not be changed.
func Instructions() []Instruction { return instructions }

// Kinds returns all operand kinds. The slice is shared and must not be changed.
func Kinds() []KindInfo { return kinds }

// ExtInstSets returns the extended instruction sets. The slice is shared and must not be changed.
func ExtInstSets() []ExtInstSet { return extInstSets }

// Lookup returns the grammar of an opcode.
func Lookup(op spirv.Op) (*Instruction, bool) {
	i, ok := slices.BinarySearchFunc(instructions, op, func(in Instruction, op spirv.Op) int { return int(in.Op) - int(op) })
	if !ok {
		return nil, false
	}
	return &instructions[i], true
}

var byName = sync.OnceValue(func() map[string]*Instruction {
	m := make(map[string]*Instruction, len(instructions))
	for i := range instructions {
		in := &instructions[i]
		m[in.Name] = in
		for _, a := range in.Aliases {
			m[a] = in
		}
	}
	return m
})

// LookupName returns the grammar of the instruction with the name or alias, such as "OpIAdd".
func LookupName(name string) (*Instruction, bool) {
	in, ok := byName()[name]
	return in, ok
}

// LookupExtInstSet returns the extended instruction set with the name, such as "OpenCL.std".
func LookupExtInstSet(name string) (*ExtInstSet, bool) {
	for i := range extInstSets {
		if extInstSets[i].Name == name {
			return &extInstSets[i], true
		}
	}
	return nil, false
}

// Lookup returns the instruction with the number.
func (s *ExtInstSet) Lookup(number uint32) (*ExtInst, bool) {
	i, ok := slices.BinarySearchFunc(s.Instructions, number, func(in ExtInst, n uint32) int { return int(int64(in.Number) - int64(n)) })
	if !ok {
		return nil, false
	}
	return &s.Instructions[i], true
}

// LookupName returns the instruction with the name, such as "fma".
func (s *ExtInstSet) LookupName(name string) (*ExtInst, bool) {
	for i := range s.Instructions {
		if s.Instructions[i].Name == name {
			return &s.Instructions[i], true
		}
	}
	return nil, false
}
