package asm

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// expect is one operand that may or must come next. Composite and variadic operands are expanded before they get here.
type expect struct {
	kind     grammar.Kind
	optional bool
	name     string
}

// pattern is the stack of operands still to come, the next one last. Reading words and reading text both follow it, so
// that they agree on what stands where.
type pattern []grammar.Operand

// push puts the operands before those already expected.
func (p *pattern) push(ops []grammar.Operand) {
	for i := len(ops) - 1; i >= 0; i-- {
		*p = append(*p, ops[i])
	}
}

// pop takes the next operand; ok is false where none is left.
func (p *pattern) pop() (e expect, ok bool) {
	if len(*p) == 0 {
		return expect{}, false
	}
	top := len(*p) - 1
	o := (*p)[top]
	if o.Quantifier != grammar.Variadic {
		*p = (*p)[:top]
	}
	e = expect{o.Kind, o.Quantifier != grammar.Once, o.Name}
	if info := o.Kind.Info(); info.Category == grammar.Composite {
		// The first of the group may be absent, and with it the rest.
		for i := len(info.Bases) - 1; i > 0; i-- {
			*p = append(*p, grammar.Operand{Kind: info.Bases[i]})
		}
		e.kind = info.Bases[0]
	}
	return e, true
}

// pushMask puts the parameters of the flags that are set before the operands already expected, those of the lowest flag
// first. ok is false where a flag has no name.
func (p *pattern) pushMask(info *grammar.KindInfo, mask uint32) (ok bool) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if mask&bit == 0 {
			continue
		}
		e, found := info.Enumerant(bit)
		if !found {
			return false
		}
		p.push(e.Parameters)
	}
	return true
}

// specConstantOp returns the operands that the instruction takes in OpSpecConstantOp. ok is false for instructions that
// have no result type, or whose operands depend on more than the grammar says.
func specConstantOp(in *grammar.Instruction) (ops []grammar.Operand, ok bool) {
	if !in.HasResultType() || !in.HasResult() {
		return nil, false
	}
	for _, o := range in.Operands[2:] {
		switch o.Kind {
		case grammar.LiteralContextDependentNumber, grammar.LiteralExtInstInteger, grammar.LiteralSpecConstantOpInteger:
			return nil, false
		}
	}
	return in.Operands[2:], true
}

// isSwitchLiteral reports whether a LiteralInteger of the instruction has the width of OpSwitch's selector: it is the
// only one in its operands.
func isSwitchLiteral(op spirv.Op, kind grammar.Kind) bool {
	return op == spirv.OpSwitch && kind == grammar.LiteralInteger
}
