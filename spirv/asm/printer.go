package asm

import (
	"strconv"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// Printer gives the text of the instructions and ids of one module, for messages. It accepts malformed modules: what does
// not fit the grammar is printed as raw words. It may be used by several goroutines at once.
type Printer struct {
	names idTable[string] // empty where ids are printed as numbers
	scope scope           // of the whole module
}

// NewPrinter prepares a printer for a module. Of the options only RawID matters.
func NewPrinter(b *spirv.Binary, opt DisOptions) *Printer {
	words := wordCount(b)
	p := &Printer{scope: newScope(words)}
	defined := sized[bool](words)
	for i := range b.Insts {
		p.scope.read(&b.Insts[i], &defined)
	}
	if !opt.RawID {
		p.names = friendlyNames(b, &p.scope)
	}
	return p
}

// ID returns the id as the text of the module has it, such as "%uint".
func (p *Printer) ID(id spirv.ID) string { return string(p.appendID(nil, uint32(id))) }

// Text returns an instruction as text, such as "%9 = OpIAdd %uint %7 %8".
func (p *Printer) Text(in *spirv.Instruction) string {
	r := p.render(nil, &p.scope, in)
	if !r.hasResult {
		return string(r.body)
	}
	return string(append(append(p.appendID(nil, r.result), " = "...), r.body...))
}

func wordCount(b *spirv.Binary) int {
	n := 0
	for i := range b.Insts {
		n += b.Insts[i].WordCount()
	}
	return n
}

func (p *Printer) appendID(dst []byte, id uint32) []byte {
	dst = append(dst, '%')
	if name := p.names.get(id); name != "" {
		return append(dst, name...)
	}
	return strconv.AppendUint(dst, uint64(id), 10)
}

// rendered is an instruction as text: what stands before "=" apart from the rest, since spirv-dis aligns it.
type rendered struct {
	body      []byte
	result    uint32
	hasResult bool
	// exact: assembled again, the text gives the same words.
	exact bool
	// set is the name that OpExtInstImport gives, where the text has it as a string.
	set      string
	hasSet   bool
	rawWords bool // some operand is a raw word: the assembler takes the rest without grammar
}

// render appends the text of the instruction to dst, read in the scope.
func (p *Printer) render(dst []byte, s *scope, in *spirv.Instruction) rendered {
	info, ok := grammar.Lookup(in.Op)
	if !ok {
		return rendered{body: appendUnknown(dst, in), exact: true}
	}
	r := rendered{body: append(dst, info.Name...), exact: true}
	o := operandPrinter{p: p, s: s, in: in, info: info, r: &r, words: in.Words}
	var stack [16]grammar.Operand
	o.pattern = stack[:0]
	o.pattern.push(info.Operands)
	for len(o.words) > 0 {
		e, ok := o.pattern.pop()
		if !ok {
			// The assembler takes words too many only after a raw one.
			r.exact = r.exact && r.rawWords
			o.rest()
			break
		}
		o.operand(e)
	}
	if e, ok := o.pattern.pop(); ok && !e.optional && !r.rawWords {
		r.exact = false
	}
	if info.HasResult() && !r.hasResult {
		r.exact = false
	}
	return r
}

// appendUnknown appends the instruction by numbers alone.
func appendUnknown(dst []byte, in *spirv.Instruction) []byte {
	dst = append(dst, "OpUnknown("...)
	dst = strconv.AppendUint(dst, uint64(in.Op), 10)
	dst = append(dst, ", "...)
	dst = strconv.AppendInt(dst, int64(in.WordCount()), 10)
	dst = append(dst, ')')
	for _, w := range in.Words {
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, uint64(w), 10)
	}
	return dst
}

// operandPrinter prints the operands of one instruction.
type operandPrinter struct {
	p       *Printer
	s       *scope
	in      *spirv.Instruction
	info    *grammar.Instruction
	r       *rendered
	pattern pattern
	words   []uint32 // still to print
	typ     uint32   // result type
	last    uint32   // the id printed last
}

// rawWord prints the next n words as raw words.
func (o *operandPrinter) rawWord(n int) {
	for _, w := range o.words[:n] {
		o.r.body = append(o.r.body, " !"...)
		o.r.body = strconv.AppendUint(o.r.body, uint64(w), 10)
	}
	o.words = o.words[n:]
	o.r.rawWords = true
}

// rest prints all words that are left as raw words: nothing tells where one operand ends.
func (o *operandPrinter) rest() { o.rawWord(len(o.words)) }

func (o *operandPrinter) space() { o.r.body = append(o.r.body, ' ') }

// operand prints the operand at the front of the words.
func (o *operandPrinter) operand(e expect) {
	w := o.words[0]
	switch info := e.kind.Info(); info.Category {
	case grammar.Id:
		o.words = o.words[1:]
		switch e.kind {
		case grammar.IdResult:
			o.r.result, o.r.hasResult = w, true
			return
		case grammar.IdResultType:
			o.typ = w
		}
		o.last = w
		o.space()
		o.r.body = o.p.appendID(o.r.body, w)
	case grammar.ValueEnum:
		en, ok := info.Enumerant(w)
		if !ok {
			o.rest()
			return
		}
		o.name(en.Name)
		o.pattern.push(en.Parameters)
	case grammar.BitEnum:
		o.mask(info, w)
	default:
		o.literal(e)
	}
}

// name prints the name that the next word stands for. After a raw word the assembler takes no names.
func (o *operandPrinter) name(s string) {
	if o.r.rawWords {
		o.rawWord(1)
		return
	}
	o.space()
	o.r.body = append(o.r.body, s...)
	o.words = o.words[1:]
}

func (o *operandPrinter) mask(info *grammar.KindInfo, mask uint32) {
	if !o.pattern.pushMask(info, mask) {
		o.rest()
		return
	}
	none, ok := info.Enumerant(0)
	if o.r.rawWords || mask == 0 && !ok {
		o.rawWord(1)
		return
	}
	if mask == 0 {
		o.name(none.Name)
		return
	}
	sep := byte(' ')
	for bit := uint32(1); bit != 0; bit <<= 1 {
		if mask&bit != 0 {
			en, _ := info.Enumerant(bit)
			o.r.body = append(append(o.r.body, sep), en.Name...)
			sep = '|'
		}
	}
	o.words = o.words[1:]
}

func (o *operandPrinter) literal(e expect) {
	w := o.words[0]
	switch e.kind {
	case grammar.LiteralString:
		o.str()
	case grammar.LiteralExtInstInteger:
		o.extInst(w)
	case grammar.LiteralSpecConstantOpInteger:
		if in, ok := grammar.Lookup(spirv.Op(w)); ok && w <= 0xffff {
			if ops, ok := specConstantOp(in); ok {
				o.name(in.Name[len("Op"):])
				o.pattern.push(ops)
				return
			}
		}
		o.rest()
	case grammar.LiteralFloat:
		o.number(float32Type)
	case grammar.LiteralContextDependentNumber:
		o.number(o.s.types.get(o.typ))
	default:
		typ := uint32Type
		if isSwitchLiteral(o.info.Op, e.kind) {
			typ = o.s.typeOf(o.in.Words[0])
			if typ.kind == floating {
				typ = numType{}
			}
		}
		o.number(typ)
	}
}

// number prints a number of the type, as raw words where it has no text.
func (o *operandPrinter) number(t numType) {
	n := t.words()
	if t.kind == noNumber || n == 0 || n > len(o.words) {
		o.rest()
		return
	}
	if o.r.rawWords {
		o.rawWord(n)
		return
	}
	o.space()
	body, ok := appendLiteral(o.r.body, o.words[:n], t)
	if !ok {
		o.r.body = body[:len(body)-1]
		o.rawWord(n)
		return
	}
	o.r.body = body
	o.words = o.words[n:]
}

// str prints a string, as raw words where its padding is not zero.
func (o *operandPrinter) str() {
	s, n, ok := spirv.String(o.words)
	if !ok {
		o.rest()
		return
	}
	if o.words[n-1]>>(8*(len(s)%4)) != 0 {
		o.rawWord(n)
		return
	}
	o.space()
	o.r.body = appendQuoted(o.r.body, s)
	o.words = o.words[n:]
	if o.info.Op == spirv.OpExtInstImport && o.r.hasResult && !o.r.rawWords {
		o.r.set, o.r.hasSet = s, true
	}
}

// extInst prints the number of an extended instruction of the set printed last.
func (o *operandPrinter) extInst(number uint32) {
	set := o.s.sets.get(o.last)
	if set == nil || o.r.rawWords {
		o.rest()
		return
	}
	if in := set.lookup(number); in != nil {
		o.name(in.Name)
		o.pattern.push(in.Operands)
		return
	}
	if !set.nonSemantic() {
		o.rest()
		return
	}
	o.number(uint32Type)
	o.pattern.push([]grammar.Operand{{Kind: grammar.IdRef, Quantifier: grammar.Variadic}})
}

// read records what the instruction defines, as the assembler does for the same instruction. Words of an instruction that
// is defined twice count for nothing.
func (s *scope) read(in *spirv.Instruction, defined *idTable[bool]) {
	info, ok := grammar.Lookup(in.Op)
	if !ok || !info.HasResult() {
		return
	}
	at := 0
	if info.HasResultType() {
		at = 1
	}
	if len(in.Words) <= at {
		return
	}
	id := in.Words[at]
	if defined.get(id) {
		return
	}
	defined.set(id, true)
	switch {
	case at == 1:
		s.defineValue(id, in.Words[0])
	case in.Op == spirv.OpExtInstImport:
		if name, _, ok := spirv.String(in.Words[1:]); ok {
			s.defineSet(id, name)
		}
	default:
		s.defineType(id, in.Op, in.Words)
	}
}
