package asm

import (
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// Options says how Assemble numbers ids and fills in the header. The zero value is what spirv-as does.
type Options struct {
	// PreserveNumericIDs gives "%42" the id 42. Otherwise it is a name like any other.
	PreserveNumericIDs bool
	// Version is the header's version word, such as 0x00010400; 0 means 1.6.
	Version uint32
	// Generator is the header's generator word.
	Generator uint32
	// HeaderComments takes version, generator, bound and schema from the comments in which Disassemble writes them; what
	// the comments do not say stays as the other options have it. The bound is never less than the ids need.
	HeaderComments bool
}

// DefaultVersion is the version word of a module whose text does not say otherwise: SPIR-V 1.6.
const DefaultVersion = 0x00010600

// maxInstWords is the largest word count of an instruction, the first word included.
const maxInstWords = 0xffff

// Assemble converts text into a module. The error is a *SyntaxError.
func Assemble(src []byte, opt Options) (*spirv.Binary, error) {
	b, _, err := AssembleSource(src, opt)
	return b, err
}

// AssembleSource is Assemble and also says where in the text the instructions stand and how its ids are called there.
func AssembleSource(src []byte, opt Options) (*spirv.Binary, *Source, error) {
	text := string(src)
	a := &assembler{scan: newScanner(text), scope: newScope(len(text)), source: &Source{}}
	a.ids = newIDs()
	if opt.PreserveNumericIDs {
		if err := a.ids.preserve(text); err != nil {
			return nil, nil, err
		}
	}
	if err := a.module(); err != nil {
		return nil, nil, err
	}
	b := &spirv.Binary{Version: opt.Version, Generator: opt.Generator, Bound: a.ids.bound()}
	if b.Version == 0 {
		b.Version = DefaultVersion
	}
	if opt.HeaderComments {
		readHeader(text, b)
	}
	b.Insts = a.instructions()
	a.source.names = a.ids.names()
	return b, a.source, nil
}

// Source says where the parts of a module stand in its text.
type Source struct {
	names map[spirv.ID]string
	lines []int
}

// Name returns what the text calls an id, without "%"; ok is false where the id does not occur in it.
func (s *Source) Name(id spirv.ID) (name string, ok bool) {
	name, ok = s.names[id]
	return name, ok
}

// Line returns the line on which the instruction with that index in Binary.Insts begins, from 1; 0 where there is none.
func (s *Source) Line(index int) int {
	if index < 0 || index >= len(s.lines) {
		return 0
	}
	return s.lines[index]
}

// assembler is the state of one Assemble.
type assembler struct {
	scan     *scanner
	tok, nxt token // the current token and the one after it
	ids      *ids
	scope    scope // keyed by symbol
	source   *Source
	words    []uint32 // operand words of all instructions
	heads    []head
	cur      current
}

// head is one finished instruction: its operands are the words from start to the start of the next.
type head struct {
	op    spirv.Op
	start int
}

// current is what is known of the instruction being read.
type current struct {
	tok     token // its opcode
	info    *grammar.Instruction
	start   int // of its words
	pattern pattern
	raw     bool // a raw word was seen: what follows is not held against the grammar
	result  token
	// Symbols of ids that decide how other operands are read; noSymbol where absent.
	typ, res, first, last symbol
}

func (a *assembler) advance() error {
	a.tok = a.nxt
	var err error
	a.nxt, err = a.scan.next()
	return err
}

// module reads all instructions.
func (a *assembler) module() error {
	for range 2 {
		if err := a.advance(); err != nil {
			return err
		}
	}
	for !a.tok.end() {
		if err := a.instruction(); err != nil {
			return err
		}
	}
	return nil
}

// instructions returns what was read. All share one array.
func (a *assembler) instructions() []spirv.Instruction {
	out := make([]spirv.Instruction, len(a.heads))
	offset := 5
	for i, h := range a.heads {
		end := len(a.words)
		if i+1 < len(a.heads) {
			end = a.heads[i+1].start
		}
		out[i] = spirv.Instruction{Op: h.op, Words: a.words[h.start:end:end], Offset: offset}
		offset += out[i].WordCount()
	}
	return out
}

// atStart reports whether the current token begins an instruction.
func (a *assembler) atStart() bool {
	return a.tok.end() || a.tok.startsWithOp() || a.nxt.text == "=" && a.tok.text[0] == '%'
}

func (a *assembler) emit(w uint32) { a.words = append(a.words, w) }

// begin adds the instruction that follows to the module.
func (a *assembler) begin(op spirv.Op, line int) {
	a.heads = append(a.heads, head{op, len(a.words)})
	a.source.lines = append(a.source.lines, line)
}

func (a *assembler) instruction() error {
	line := a.tok.line
	if a.tok.text[0] == '!' {
		return a.rawInstruction()
	}
	a.cur = current{pattern: a.cur.pattern[:0], typ: noSymbol, res: noSymbol, first: noSymbol, last: noSymbol, start: len(a.words)}
	c := &a.cur
	switch {
	case a.tok.startsWithOp():
	case a.nxt.text == "=" && a.tok.text[0] == '%':
		c.result = a.tok
		for range 2 {
			if err := a.advance(); err != nil {
				return err
			}
		}
		if !a.tok.startsWithOp() {
			return a.notAnOpcode("expected an opcode after \"=\"")
		}
	case a.tok.text[0] == '%':
		return a.nxt.errorf("expected \"=\" after the result id %s, found %s", a.tok.text, a.nxt.shown())
	default:
		return a.notAnOpcode("expected an instruction, \"Op...\" or \"%id = Op...\"")
	}
	c.tok = a.tok
	if a.tok.text == "OpUnknown" {
		return a.unknown()
	}
	info, ok := grammar.LookupName(a.tok.text)
	if !ok {
		return a.tok.errorf("unknown opcode %s%s", a.tok.shown(), didYouMean(closestOpcode(a.tok.text)))
	}
	c.info = info
	switch hasResult := info.HasResult(); {
	case hasResult && c.result.end():
		return a.tok.errorf("%s defines an id, write \"%%id = %s ...\"", info.Name, info.Name)
	case !hasResult && !c.result.end():
		return c.result.errorf("%s defines no id, leave out \"%s =\"", info.Name, c.result.text)
	}
	if err := a.advance(); err != nil {
		return err
	}
	a.begin(info.Op, line)
	c.pattern.push(info.Operands)
	if err := a.operands(); err != nil {
		return err
	}
	if n := len(a.words) - c.start + 1; n > maxInstWords {
		return c.tok.errorf("%s takes %d words here, an instruction has at most %d", info.Name, n, maxInstWords)
	}
	a.define()
	return nil
}

// define records what later instructions need to know of this one.
func (a *assembler) define() {
	c := &a.cur
	if c.res == noSymbol {
		return
	}
	if c.info.HasResultType() {
		if c.typ != noSymbol {
			a.scope.defineValue(uint32(c.res), uint32(c.typ))
		}
		return
	}
	a.scope.defineType(uint32(c.res), c.info.Op, a.words[c.start:])
}

// operands reads the operands of the current instruction, up to the next one.
func (a *assembler) operands() error {
	c := &a.cur
	for !c.raw {
		e, ok := c.pattern.pop()
		if !ok {
			if a.atStart() || a.tok.text[0] == '!' {
				return nil
			}
			return a.trailing()
		}
		if e.kind == grammar.IdResult {
			if err := a.resultID(); err != nil {
				return err
			}
			continue
		}
		if a.atStart() {
			if e.optional {
				return nil
			}
			return a.missing(e)
		}
		if a.tok.text[0] == '!' {
			if err := a.immediate(); err != nil {
				return err
			}
			c.raw = true
			break
		}
		if err := a.operand(e); err != nil {
			return err
		}
		if err := a.advance(); err != nil {
			return err
		}
	}
	if c.raw && c.info.HasResult() && c.res == noSymbol {
		if err := a.resultID(); err != nil {
			return err
		}
	}
	return a.rawOperands()
}

// resultID puts the id before "=" where it stands among the operands.
func (a *assembler) resultID() error {
	c := &a.cur
	sym, err := a.id(c.result)
	if err != nil {
		return err
	}
	if line := a.ids.syms[sym].line; line != 0 {
		return c.result.errorf("the id %s is already defined on line %d", c.result.text, line)
	}
	a.ids.syms[sym].line = c.result.line
	c.res = sym
	return nil
}

// id emits the id that the token names.
func (a *assembler) id(t token) (symbol, error) {
	if t.text[0] != '%' {
		return 0, t.errorf("expected an id such as %%x, found %s", t.shown())
	}
	sym, err := a.ids.intern(t)
	if err != nil {
		return 0, err
	}
	a.emit(a.ids.syms[sym].id)
	return sym, nil
}

// immediate emits a raw word, the current token, and goes on to the next.
func (a *assembler) immediate() error {
	w, err := immediate(a.tok)
	if err != nil {
		return err
	}
	a.emit(w)
	return a.advance()
}

func immediate(t token) (uint32, error) {
	v, _, ok := parseUint(t.text[1:])
	if !ok || v > 0xffffffff {
		return 0, t.errorf("expected a word of 32 bits after \"!\", such as !7 or !0x1f, found %s", t.shown())
	}
	return uint32(v), nil
}

// rawOperands reads operands that are not held against the grammar, up to the next instruction.
func (a *assembler) rawOperands() error {
	for !a.atStart() {
		if err := a.rawOperand(); err != nil {
			return err
		}
	}
	return nil
}

// rawOperand reads a raw word, a number, a string or an id.
func (a *assembler) rawOperand() error {
	t := a.tok
	switch c := t.text[0]; {
	case c == '!':
		return a.immediate()
	case c == '"':
		a.words = append(a.words, spirv.StringWords(unquote(t.text))...)
	case c == '%':
		if _, err := a.id(t); err != nil {
			return err
		}
	default:
		typ := uint32Type
		if slices.Contains([]byte(t.text), '.') {
			typ = float32Type
		} else if c == '-' {
			typ = int32Type
		}
		var err error
		if a.words, err = appendNumber(a.words, t.text, typ); err != nil {
			return t.errorf("after a raw word only numbers, strings, ids and raw words may stand: %v", err)
		}
	}
	return a.advance()
}

// rawInstruction reads an instruction whose first word is given as a raw word. Its word counts must fit what follows:
// the words may hold several instructions.
func (a *assembler) rawInstruction() error {
	t, start := a.tok, len(a.words)
	if err := a.immediate(); err != nil {
		return err
	}
	if err := a.rawOperands(); err != nil {
		return err
	}
	chunk := slices.Clone(a.words[start:])
	a.words = a.words[:start]
	for len(chunk) > 0 {
		n := int(chunk[0] >> 16)
		if n == 0 {
			return t.errorf("the first word 0x%08x gives the instruction a word count of 0", chunk[0])
		}
		if n > len(chunk) {
			return t.errorf("the first word 0x%08x gives the instruction a word count of %d, but only %d are written, the first word included", chunk[0], n, len(chunk))
		}
		a.begin(spirv.Op(chunk[0]&0xffff), t.line)
		a.words = append(a.words, chunk[1:n]...)
		chunk = chunk[n:]
	}
	return nil
}

// unknown reads "OpUnknown(opcode, words) operands".
func (a *assembler) unknown() error {
	t := a.tok
	if !a.cur.result.end() {
		return a.cur.result.errorf("OpUnknown defines no id, write the result among its operands")
	}
	if err := a.advance(); err != nil {
		return err
	}
	var args [2]uint64
	for i, punct := range []string{"(", ","} {
		if a.tok.text != punct {
			return a.tok.errorf("expected %q, found %s; the form is OpUnknown(opcode, words)", punct, a.tok.shown())
		}
		if err := a.advance(); err != nil {
			return err
		}
		v, _, ok := parseUint(a.tok.text)
		if !ok || v > 0xffff {
			return a.tok.errorf("expected a number up to 65535, found %s; the form is OpUnknown(opcode, words)", a.tok.shown())
		}
		args[i] = v
		if err := a.advance(); err != nil {
			return err
		}
	}
	if a.tok.text != ")" {
		return a.tok.errorf("expected \")\", found %s; the form is OpUnknown(opcode, words)", a.tok.shown())
	}
	if err := a.advance(); err != nil {
		return err
	}
	count := int(args[1])
	if count == 0 {
		return t.errorf("the word count of OpUnknown includes the first word, it cannot be 0")
	}
	a.begin(spirv.Op(args[0]), t.line)
	start := len(a.words)
	for len(a.words)-start < count-1 {
		if a.atStart() {
			return t.errorf("the word count of OpUnknown is %d, but only %d are written, the first word included", count, len(a.words)-start+1)
		}
		if err := a.rawOperand(); err != nil {
			return err
		}
	}
	if n := len(a.words) - start + 1; n > count {
		return t.errorf("the word count of OpUnknown is %d, but %d are written, the first word included", count, n)
	}
	return nil
}

// missing says which operand the current instruction lacks.
func (a *assembler) missing(e expect) error {
	at := "the end of the text"
	if !a.tok.end() {
		at = fmt.Sprintf("the next instruction, %s", a.tok.shown())
	}
	hint := ""
	if e.kind == grammar.LiteralSpecConstantOpInteger && a.tok.startsWithOp() {
		hint = fmt.Sprintf("; write the opcode without \"Op\": %s", a.tok.text[2:])
	}
	// The fault is in this instruction, wherever the next one stands.
	return a.cur.tok.errorf("%s: expected %s, found %s%s", a.cur.info.Name, e, at, hint)
}

// trailing says that the current token stands after the last operand.
func (a *assembler) trailing() error {
	if a.tok.first {
		return a.notAnOpcode("expected an instruction, \"Op...\" or \"%id = Op...\"")
	}
	return a.tok.errorf("%s takes no more operands, found %s", a.cur.info.Name, a.tok.shown())
}

func (a *assembler) notAnOpcode(expected string) error {
	return a.tok.errorf("%s, found %s%s", expected, a.tok.shown(), didYouMean(closestOpcode(a.tok.text)))
}
