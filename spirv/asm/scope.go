package asm

import (
	"slices"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// idTable maps ids to values; the zero value of T stands for absence. Ids below limit lie in a slice, those a hostile
// module sets far beyond in a map.
type idTable[T any] struct {
	dense  []T
	sparse map[uint32]T
	limit  uint32
}

// sized returns a table whose slice stays in proportion to the module: each id that means something takes a word.
func sized[T any](words int) idTable[T] {
	return idTable[T]{limit: uint32(min(words, spirv.MaxWords)) + 64}
}

func (t *idTable[T]) get(id uint32) T {
	if int64(id) < int64(len(t.dense)) {
		return t.dense[id]
	}
	return t.sparse[id]
}

func (t *idTable[T]) set(id uint32, v T) {
	if id >= t.limit {
		if t.sparse == nil {
			t.sparse = map[uint32]T{}
		}
		t.sparse[id] = v
		return
	}
	if n := int(id) + 1; n > len(t.dense) {
		t.dense = slices.Grow(t.dense, n-len(t.dense))[:n]
	}
	t.dense[id] = v
}

// scope is what reading an operand takes from the instructions before it: the number types, the types of values, and the
// extended instruction sets. Assembler and disassembler keep the same scope, each under its own keys.
type scope struct {
	types  idTable[numType]
	values idTable[uint32] // type of a value, as key + 1
	sets   idTable[*extSet]
	known  map[string]*extSet
}

// extSet is an imported extended instruction set. The grammar is nil where its instructions are known by number only.
type extSet struct {
	name string
	*grammar.ExtInstSet
}

// nonSemantic reports whether all operands of the set's instructions are ids (SPV_KHR_non_semantic_info).
func (s *extSet) nonSemantic() bool {
	const prefix = "NonSemantic."
	return len(s.name) >= len(prefix) && s.name[:len(prefix)] == prefix
}

// lookup returns the instruction with the number, nil where it is not known.
func (s *extSet) lookup(number uint32) *grammar.ExtInst {
	if s.ExtInstSet == nil {
		return nil
	}
	in, _ := s.Lookup(number)
	return in
}

func newScope(words int) scope {
	return scope{types: sized[numType](words), values: sized[uint32](words), sets: sized[*extSet](words), known: map[string]*extSet{}}
}

// defineSet records an import.
func (s *scope) defineSet(key uint32, name string) {
	set := s.known[name]
	if set == nil {
		set = &extSet{name: name}
		set.ExtInstSet, _ = grammar.LookupExtInstSet(name)
		s.known[name] = set
	}
	s.sets.set(key, set)
}

// defineType records a type of numbers; other instructions leave no trace. The words are those of the instruction, the
// result first.
func (s *scope) defineType(key uint32, op spirv.Op, words []uint32) {
	switch {
	case op == spirv.OpTypeInt && len(words) == 3:
		t := numType{kind: unsignedInt, width: words[1]}
		if words[2] != 0 {
			t.kind = signedInt
		}
		s.types.set(key, t)
	case op == spirv.OpTypeFloat && len(words) == 2:
		s.types.set(key, numType{kind: floating, width: words[1], encoding: ieee})
	case op == spirv.OpTypeFloat && len(words) == 3:
		s.types.set(key, numType{kind: floating, width: words[1], encoding: words[2]})
	}
}

func (s *scope) defineValue(key, typeKey uint32) { s.values.set(key, typeKey+1) }

// typeOf returns the number type of a value, noNumber where there is none or it is not known yet.
func (s *scope) typeOf(key uint32) numType {
	if t := s.values.get(key); t != 0 {
		return s.types.get(t - 1)
	}
	return numType{}
}
