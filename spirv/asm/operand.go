package asm

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// operand emits the words of the current token, which stands where e is expected.
func (a *assembler) operand(e expect) error {
	t, c := a.tok, &a.cur
	switch info := e.kind.Info(); info.Category {
	case grammar.Id:
		if t.text[0] != '%' {
			return a.wrong(e, "")
		}
		sym, err := a.id(t)
		if err != nil {
			return err
		}
		if e.kind == grammar.IdResultType {
			c.typ = sym
		}
		if c.first == noSymbol {
			c.first = sym
		}
		c.last = sym
		return nil
	case grammar.ValueEnum:
		en, ok := info.EnumerantNamed(t.text)
		if !ok {
			return a.wrong(e, closestEnumerant(info, t.text))
		}
		a.emit(en.Value)
		c.pattern.push(en.Parameters)
		return nil
	case grammar.BitEnum:
		return a.mask(e, info)
	}
	return a.literal(e)
}

// mask emits flags joined by "|".
func (a *assembler) mask(e expect, info *grammar.KindInfo) error {
	var mask uint32
	for name := range strings.SplitSeq(a.tok.text, "|") {
		en, ok := info.EnumerantNamed(name)
		if !ok {
			if name == a.tok.text {
				return a.wrong(e, closestEnumerant(info, name))
			}
			return a.tok.errorf("%s: %q is no flag of %v%s", a.cur.info.Name, name, e.kind, didYouMean(closestEnumerant(info, name)))
		}
		mask |= en.Value
	}
	a.emit(mask)
	a.cur.pattern.pushMask(info, mask)
	return nil
}

// literal emits a number, a string, or the number of an instruction given by name.
func (a *assembler) literal(e expect) error {
	t, c := a.tok, &a.cur
	switch e.kind {
	case grammar.LiteralString:
		if t.text[0] != '"' {
			return a.wrong(e, "")
		}
		s := unquote(t.text)
		a.words = append(a.words, spirv.StringWords(s)...)
		if c.info.Op == spirv.OpExtInstImport && c.res != noSymbol {
			a.scope.defineSet(uint32(c.res), s)
		}
		return nil
	case grammar.LiteralExtInstInteger:
		return a.extInst(e)
	case grammar.LiteralSpecConstantOpInteger:
		in, ok := grammar.LookupName("Op" + t.text)
		if !ok {
			return a.wrong(e, strings.TrimPrefix(closestOpcode("Op"+t.text), "Op"))
		}
		ops, ok := specConstantOp(in)
		if !ok {
			return t.errorf("%s cannot be the operation of %s", in.Name, c.info.Name)
		}
		a.emit(uint32(in.Op))
		c.pattern.push(ops)
		return nil
	case grammar.LiteralFloat:
		return a.number(e, float32Type)
	case grammar.LiteralContextDependentNumber:
		typ := numType{}
		if c.typ != noSymbol {
			typ = a.scope.types.get(uint32(c.typ))
		}
		if typ.kind == noNumber {
			return t.errorf("the result type of %s must be an integer or floating-point type defined before it, %s is not", c.info.Name, a.nameOf(c.typ))
		}
		return a.number(e, typ)
	}
	if isSwitchLiteral(c.info.Op, e.kind) {
		typ := numType{}
		if c.first != noSymbol {
			typ = a.scope.typeOf(uint32(c.first))
		}
		if typ.kind != signedInt && typ.kind != unsignedInt {
			return t.errorf("the selector of OpSwitch must be an integer defined before it, %s is not", a.nameOf(c.first))
		}
		return a.number(e, typ)
	}
	return a.number(e, uint32Type)
}

func (a *assembler) nameOf(s symbol) string {
	if s == noSymbol {
		return "it"
	}
	return "%" + a.ids.syms[s].name
}

// number emits a number of the type.
func (a *assembler) number(e expect, typ numType) error {
	t := a.tok
	if c := t.text[0]; (c < '0' || c > '9') && c != '-' && c != '+' && (c != '.' || typ.kind != floating) {
		return t.errorf("%s: expected %s, found %s", a.cur.info.Name, e.numbers(typ), t.shown())
	}
	words, err := appendNumber(a.words, t.text, typ)
	if err != nil {
		return t.errorf("%s: %v", a.cur.info.Name, err)
	}
	a.words = words
	return nil
}

// extInst emits the number of an extended instruction, given by name or number.
func (a *assembler) extInst(e expect) error {
	t, c := a.tok, &a.cur
	set := a.scope.sets.get(uint32(c.last))
	if set == nil {
		return t.errorf("%s is not the result of an OpExtInstImport before it", a.nameOf(c.last))
	}
	if t.text[0] >= '0' && t.text[0] <= '9' {
		start := len(a.words)
		if err := a.number(e, uint32Type); err != nil {
			return err
		}
		switch in := set.lookup(a.words[start]); {
		case in != nil:
			c.pattern.push(in.Operands)
		case set.nonSemantic():
			c.pattern.push([]grammar.Operand{{Kind: grammar.IdRef, Quantifier: grammar.Variadic}})
		default:
			c.raw = true
		}
		return nil
	}
	if set.ExtInstSet == nil {
		return t.errorf("the instructions of %q are known by number only, found %s", set.name, t.shown())
	}
	in, ok := set.LookupName(t.text)
	if !ok {
		return t.errorf("%q has no instruction %s%s", set.name, t.shown(), didYouMean(closestExtInst(set.ExtInstSet, t.text)))
	}
	a.emit(in.Number)
	c.pattern.push(in.Operands)
	return nil
}

// wrong says that the current token is not what is expected.
func (a *assembler) wrong(e expect, closest string) error {
	return a.tok.errorf("%s: expected %s, found %s%s", a.cur.info.Name, e, a.tok.shown(), didYouMean(closest))
}

// String returns what is expected, for messages.
func (e expect) String() string { return e.numbers(uint32Type) }

// numbers is String with the type of a number.
func (e expect) numbers(typ numType) string {
	what := ""
	switch info := e.kind.Info(); info.Category {
	case grammar.Id:
		what = "an id such as %x"
	case grammar.ValueEnum:
		what = fmt.Sprintf("%s such as %s", withArticle(e.kind.String()), info.Enumerants[0].Name)
	case grammar.BitEnum:
		what = fmt.Sprintf("flags of %v such as %s", e.kind, info.Enumerants[len(info.Enumerants)-1].Name)
	default:
		switch e.kind {
		case grammar.LiteralString:
			what = "a string in double quotes"
		case grammar.LiteralExtInstInteger:
			what = "the name of an extended instruction"
		case grammar.LiteralSpecConstantOpInteger:
			what = "an opcode without \"Op\""
		case grammar.LiteralFloat:
			what = float32Type.String()
		default:
			what = typ.String()
		}
	}
	if e.name != "" && len(e.name) < 40 && e.name != e.kind.String() {
		what += fmt.Sprintf(" (%s)", strings.TrimRight(e.name, "."))
	}
	return what
}

func withArticle(noun string) string {
	if strings.ContainsRune("AEIOU", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
