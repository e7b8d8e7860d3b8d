package module

import (
	"fmt"
	"math/bits"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// Operand is one operand of an instruction as its grammar cuts it.
type Operand struct {
	// Kind is never a composite kind: the parts of a pair are operands of their own.
	Kind  grammar.Kind
	Words []uint32
	Index int // of the first word in Instruction.Words
	// Raw marks words whose meaning is not known: what follows an unknown enumerant, and the operands of an instruction
	// of an unknown extended instruction set. They may or may not be ids.
	Raw bool
}

// ID returns the operand's word as an id.
func (o Operand) ID() spirv.ID { return spirv.ID(o.Words[0]) }

// IsID reports whether the operand is an id: a result, a result type, or a reference.
func (o Operand) IsID() bool { return !o.Raw && o.Kind.Info().Category == grammar.Id }

// Operands cuts an instruction of the module into operands. It returns nil for an instruction with an unknown opcode.
func (m *Module) Operands(in *spirv.Instruction) []Operand {
	ops, _ := m.AppendOperands(nil, in)
	return ops
}

// AppendOperands is Operands for loops: it appends to dst. The error is a sentence about the operand that is missing or
// one too many; instructions of a model that New made have none.
func (m *Module) AppendOperands(dst []Operand, in *spirv.Instruction) ([]Operand, error) {
	g, ok := grammar.Lookup(in.Op)
	if !ok {
		return dst, nil
	}
	c := cutter{m: m, in: in, out: dst}
	if err := c.list(g.Operands, true); err != nil {
		return c.out, err
	}
	if n := len(in.Words) - c.pos; n > 0 {
		return c.out, fmt.Errorf("%s has %s more than its operands take", g.Name, plural(n, "word"))
	}
	return c.out, nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// cutter walks the words of one instruction along its grammar.
type cutter struct {
	m   *Module
	in  *spirv.Instruction
	pos int
	out []Operand
}

func (c *cutter) left() int { return len(c.in.Words) - c.pos }

func (c *cutter) take(kind grammar.Kind, n int) {
	c.out = append(c.out, Operand{Kind: kind, Words: c.in.Words[c.pos : c.pos+n : c.pos+n], Index: c.pos})
	c.pos += n
}

// rest takes all words that are left as raw ones.
func (c *cutter) rest() {
	if n := c.left(); n > 0 {
		c.take(grammar.LiteralInteger, n)
		c.out[len(c.out)-1].Raw = true
	}
}

// list cuts operands one after another; last says that nothing follows them in the instruction.
func (c *cutter) list(ops []grammar.Operand, last bool) error {
	for i := range ops {
		o, last := &ops[i], last && i == len(ops)-1
		switch o.Quantifier {
		case grammar.Optional:
			if c.left() == 0 {
				continue
			}
		case grammar.Variadic:
			for c.left() > 0 {
				if err := c.one(o, last); err != nil {
					return err
				}
			}
			continue
		}
		if err := c.one(o, last); err != nil {
			return err
		}
	}
	return nil
}

func (c *cutter) missing(o *grammar.Operand) error {
	if o.Name != "" && len(o.Name) < 40 {
		return fmt.Errorf("%v ends before its operand %v (%s)", c.in.Op, o.Kind, o.Name)
	}
	return fmt.Errorf("%v ends before its operand %v", c.in.Op, o.Kind)
}

func (c *cutter) one(o *grammar.Operand, last bool) error {
	if c.left() == 0 {
		return c.missing(o)
	}
	info := o.Kind.Info()
	switch info.Category {
	case grammar.Id:
		c.take(o.Kind, 1)
	case grammar.Literal:
		return c.literal(o)
	case grammar.ValueEnum:
		v := c.in.Words[c.pos]
		c.take(o.Kind, 1)
		e, ok := info.Enumerant(v)
		if !ok {
			if last {
				c.rest()
			}
			return nil
		}
		return c.list(e.Parameters, last)
	case grammar.BitEnum:
		mask := c.in.Words[c.pos]
		c.take(o.Kind, 1)
		for ; mask != 0; mask &= mask - 1 {
			e, ok := info.Enumerant(1 << bits.TrailingZeros32(mask))
			if !ok {
				if last {
					c.rest()
				}
				return nil
			}
			if err := c.list(e.Parameters, last && mask&(mask-1) == 0); err != nil {
				return err
			}
		}
	case grammar.Composite:
		for i, k := range info.Bases {
			part := grammar.Operand{Kind: k, Name: o.Name}
			if i == 0 && c.in.Op == spirv.OpSwitch && k == grammar.LiteralInteger {
				part.Kind = grammar.LiteralContextDependentNumber
			}
			if err := c.one(&part, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cutter) literal(o *grammar.Operand) error {
	switch o.Kind {
	case grammar.LiteralString:
		_, n, ok := spirv.String(c.in.Words[c.pos:])
		if !ok {
			return fmt.Errorf("a string operand of %v is not ended by a nul", c.in.Op)
		}
		c.take(o.Kind, n)
	case grammar.LiteralContextDependentNumber:
		n := c.m.literalWords(c.in)
		if n > c.left() {
			return c.missing(o)
		}
		c.take(o.Kind, n)
	case grammar.LiteralExtInstInteger:
		c.take(o.Kind, 1)
		return c.extInst()
	case grammar.LiteralSpecConstantOpInteger:
		v := c.in.Words[c.pos]
		c.take(o.Kind, 1)
		g, ok := grammar.Lookup(spirv.Op(v))
		if !ok || v > 0xffff || spirv.Op(v) == spirv.OpSpecConstantOp {
			c.rest()
			return nil
		}
		ops := g.Operands
		for len(ops) > 0 && (ops[0].Kind == grammar.IdResultType || ops[0].Kind == grammar.IdResult) {
			ops = ops[1:]
		}
		return c.list(ops, true)
	default:
		c.take(o.Kind, 1)
	}
	return nil
}

// extInst cuts the operands of an extended instruction. The core grammar calls all of them ids, which the instructions
// with literal operands (vloadn of OpenCL.std, those of OpenCL.DebugInfo.100) are not.
func (c *cutter) extInst() error {
	name := c.m.ExtInstSets[spirv.ID(c.in.Words[c.pos-2])]
	if len(name) >= len(nonSemantic) && name[:len(nonSemantic)] == nonSemantic {
		return nil // all operands are ids: the core grammar cuts them
	}
	set, ok := grammar.LookupExtInstSet(name)
	if !ok {
		c.rest()
		return nil
	}
	inst, ok := set.Lookup(c.in.Words[c.pos-1])
	if !ok {
		c.rest()
		return nil
	}
	if err := c.list(inst.Operands, true); err != nil {
		return fmt.Errorf("%s of %s: %w", inst.Name, name, err)
	}
	if n := c.left(); n > 0 {
		return fmt.Errorf("%s of %s has %s more than its operands take", inst.Name, name, plural(n, "word"))
	}
	return nil
}

// nonSemantic begins the name of every extended instruction set that may be ignored (SPV_KHR_non_semantic_info).
const nonSemantic = "NonSemantic."

// literalWords returns how many words a literal takes whose type the context gives: the result type of OpConstant and
// OpSpecConstant, the type of the selector of OpSwitch. A type that is not known counts as 32 bits wide.
func (m *Module) literalWords(in *spirv.Instruction) int {
	var t spirv.ID
	if in.Op == spirv.OpSwitch {
		t = m.resultTypes[spirv.ID(in.Words[0])]
	} else {
		t = spirv.ID(in.Words[0])
	}
	def := m.defs[t]
	if def == nil || (def.Op != spirv.OpTypeInt && def.Op != spirv.OpTypeFloat) || len(def.Words) < 2 {
		return 1
	}
	return max(1, int((uint64(def.Words[1])+31)/32))
}

// SwitchCase is one literal and target of an OpSwitch.
type SwitchCase struct {
	Literal uint64 // the bits, zero-extended from the selector's width
	Target  spirv.ID
}

// SwitchCases returns the cases of an OpSwitch, without its default target, in order.
func (m *Module) SwitchCases(in *spirv.Instruction) []SwitchCase {
	if in.Op != spirv.OpSwitch || len(in.Words) < 2 {
		return nil
	}
	width := 32
	if t := m.TypeOf(spirv.ID(in.Words[0])); t != nil && t.Kind == Int {
		width = t.Width
	}
	n := m.literalWords(in)
	var out []SwitchCase
	for w := in.Words[2:]; len(w) > n; w = w[n+1:] {
		out = append(out, SwitchCase{literalBits(w[:n], width), spirv.ID(w[n])})
	}
	return out
}

// literalBits joins the words of a literal of width bits, low word first, and cuts what is above the width.
func literalBits(words []uint32, width int) uint64 {
	v := uint64(words[0])
	if len(words) > 1 {
		v |= uint64(words[1]) << 32
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}
