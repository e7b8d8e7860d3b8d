//go:build long

package asm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// vocabulary is what a tool knows of the grammar's names. Names are keyed by what they name: "Op", "SpecConstantOp", an
// extended instruction set or an operand kind.
type vocabulary struct {
	unknown map[[2]string]bool
	next    map[string]int // the name to choose next, so that all have their turn
	start   func() int     // where that begins; nil for the first
}

func newVocabulary() *vocabulary {
	return &vocabulary{unknown: map[[2]string]bool{}, next: map[string]int{}}
}

// choose returns the next of the things of which the tool knows one of the names; -1 where it knows none.
func (v *vocabulary) choose(what string, n int, names func(i int) (name string, aliases []string)) int {
	if _, ok := v.next[what]; !ok && v.start != nil {
		v.next[what] = v.start() % n
	}
	for range n {
		i := v.next[what] % n
		v.next[what]++
		name, aliases := names(i)
		if v.knows(what, name) || slices.ContainsFunc(aliases, func(a string) bool { return v.knows(what, a) }) {
			return i
		}
	}
	return -1
}

func (v *vocabulary) knows(what, name string) bool { return !v.unknown[[2]string{what, name}] }

// textMaker writes random instructions as text, from the grammar alone. What it writes fits the grammar and means nothing.
type textMaker struct {
	*rand.Rand
	*vocabulary
	out    strings.Builder
	used   [][2]string // names written since the instruction began
	failed bool        // the tool knows no name that could stand somewhere in the instruction
	plain  bool        // one flag a mask, strings without line ends: what is refused is found by its line
	fresh  int
	types  []literalType
	values []literalType // with an id of the type as name
}

// literalType is a number type in the text.
type literalType struct {
	name string
	numType
}

var extSetNames = []string{"OpenCL.std", "GLSL.std.450", "NonSemantic.Other.1"}

func newTextMaker(seed uint64, v *vocabulary, plain bool) *textMaker {
	return &textMaker{Rand: rand.New(rand.NewPCG(seed, 7)), vocabulary: v, plain: plain}
}

// prelude defines what literals and extended instructions need.
func (m *textMaker) prelude() {
	for i, s := range extSetNames {
		fmt.Fprintf(&m.out, "%%set%d = OpExtInstImport %q\n", i, s)
	}
	for _, width := range []uint32{8, 16, 32, 64, 24, 48} {
		for signed, kind := range []numKind{unsignedInt, signedInt} {
			t := literalType{fmt.Sprintf("%%i%d_%d", width, signed), numType{kind: kind, width: width}}
			fmt.Fprintf(&m.out, "%s = OpTypeInt %d %d\n", t.name, width, signed)
			m.types = append(m.types, t)
			t.name += "_value"
			fmt.Fprintf(&m.out, "%s = OpUndef %s\n", t.name, m.types[len(m.types)-1].name)
			m.values = append(m.values, t)
		}
	}
	for _, width := range []uint32{16, 32, 64} {
		t := literalType{fmt.Sprintf("%%f%d", width), numType{kind: floating, width: width, encoding: ieee}}
		fmt.Fprintf(&m.out, "%s = OpTypeFloat %d\n", t.name, width)
		m.types = append(m.types, t)
	}
}

// instruction writes one instruction on a line of its own; ok is false where the tool does not know enough for it.
func (m *textMaker) instruction(in *grammar.Instruction) (names [][2]string, ok bool) {
	before := m.out.String()
	m.used, m.failed = nil, false
	if in.HasResult() {
		m.out.WriteString(m.result() + " = ")
	}
	name := m.oneOf("Op", "Op "+in.Name, in.Name, in.Aliases)
	m.out.WriteString(name)
	m.special(in)
	if m.failed {
		m.out.Reset()
		m.out.WriteString(before)
		return nil, false
	}
	if !m.plain && m.IntN(12) == 0 {
		m.out.WriteString(" ; a comment \" %x")
	}
	m.out.WriteByte('\n')
	return m.used, true
}

// oneOf returns a name or alias the tool knows.
func (m *textMaker) oneOf(what, turn, name string, aliases []string) string {
	names := append([]string{name}, aliases...)
	for range names {
		s := names[m.next[turn]%len(names)]
		m.next[turn]++
		if !m.unknown[[2]string{what, s}] {
			m.used = append(m.used, [2]string{what, s})
			return s
		}
	}
	m.failed = true
	return name
}

func (m *textMaker) result() string {
	m.fresh++
	if m.IntN(3) == 0 {
		return "%r_" + strconv.Itoa(m.fresh)
	}
	return "%" + strconv.Itoa(100+m.fresh)
}

// special writes the operands; those that depend on more than the grammar says are made here.
func (m *textMaker) special(in *grammar.Instruction) {
	switch in.Op {
	case spirv.OpTypeInt:
		m.add(strconv.Itoa([]int{8, 16, 32, 64, 48}[m.IntN(5)]), strconv.Itoa(m.IntN(2)))
	case spirv.OpTypeFloat:
		m.add(strconv.Itoa([]int{16, 32, 64}[m.IntN(3)]))
	case spirv.OpExtInstImport:
		m.add(strconv.Quote(extSetNames[m.IntN(len(extSetNames))]))
	case spirv.OpConstant, spirv.OpSpecConstant:
		t := m.types[m.IntN(len(m.types))]
		m.add(t.name, m.number(t.numType))
	case spirv.OpSwitch:
		v := m.values[m.IntN(len(m.values))]
		m.add(v.name, m.id())
		for range m.IntN(4) {
			m.add(m.number(v.numType), m.id())
		}
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		m.extInst()
	default:
		m.operands(in.Operands)
	}
}

func (m *textMaker) add(tokens ...string) {
	for _, t := range tokens {
		m.out.WriteByte(' ')
		m.out.WriteString(t)
	}
}

func (m *textMaker) id() string {
	switch m.IntN(6) {
	case 0:
		return "%forward" + strconv.Itoa(m.IntN(9))
	case 1:
		return "%_" + strconv.Itoa(m.IntN(9))
	case 2:
		return m.types[m.IntN(len(m.types))].name
	}
	return "%" + strconv.Itoa(1+m.IntN(140))
}

func (m *textMaker) extInst() {
	i := m.choose("OpExtInstImport", len(extSetNames), func(i int) (string, []string) { return extSetNames[i], nil })
	m.add(m.id(), "%set"+strconv.Itoa(i))
	set, ok := grammar.LookupExtInstSet(extSetNames[i])
	if !ok { // not semantic: any number, then ids
		m.add(strconv.Itoa(m.IntN(1000)))
		for range m.IntN(4) {
			m.add(m.id())
		}
		return
	}
	at := m.choose(set.Name, len(set.Instructions), func(i int) (string, []string) { return set.Instructions[i].Name, nil })
	if at < 0 {
		m.failed = true
		return
	}
	e := set.Instructions[at]
	m.used = append(m.used, [2]string{set.Name, e.Name})
	m.add(e.Name)
	m.operands(e.Operands)
}

func (m *textMaker) operands(ops []grammar.Operand) {
	for _, o := range ops {
		n := 1
		switch o.Quantifier {
		case grammar.Optional:
			if n = m.IntN(3); n == 0 {
				return // an operand after one that is absent would take its place
			}
			n = 1
		case grammar.Variadic:
			n = m.IntN(4)
		}
		for range n {
			m.operand(o.Kind)
		}
	}
}

func (m *textMaker) operand(kind grammar.Kind) {
	info := kind.Info()
	switch info.Category {
	case grammar.Id:
		if kind != grammar.IdResult {
			m.add(m.id())
		}
	case grammar.Composite:
		for _, k := range info.Bases {
			m.operand(k)
		}
	case grammar.ValueEnum:
		at := m.choose(info.Name, len(info.Enumerants), func(i int) (string, []string) { return info.Enumerants[i].Name, info.Enumerants[i].Aliases })
		if at < 0 {
			m.failed = true
			return
		}
		e := &info.Enumerants[at]
		m.add(m.oneOf(info.Name, info.Name+" "+e.Name, e.Name, e.Aliases))
		m.operands(e.Parameters)
	case grammar.BitEnum:
		m.mask(info)
	default:
		m.literal(kind)
	}
}

// mask writes flags in any order, and their parameters, those of the lowest flag first.
func (m *textMaker) mask(info *grammar.KindInfo) {
	n := 1
	if !m.plain {
		n += m.IntN(4)
	}
	flags := map[uint32]*grammar.Enumerant{}
	var names []string
	for range n {
		at := m.choose(info.Name, len(info.Enumerants), func(i int) (string, []string) { return info.Enumerants[i].Name, info.Enumerants[i].Aliases })
		if at < 0 {
			m.failed = true
			return
		}
		e := &info.Enumerants[at]
		if flags[e.Value] == nil {
			flags[e.Value] = e
			names = append(names, m.oneOf(info.Name, info.Name+" "+e.Name, e.Name, e.Aliases))
		}
	}
	m.add(strings.Join(names, "|"))
	for bit := uint32(1); bit != 0; bit <<= 1 {
		if e := flags[bit]; e != nil {
			m.operands(e.Parameters)
		}
	}
}

var oddStrings = []string{`""`, `"main"`, `"a b"`, `"\"quoted\" \\ back\slash"`, `"größe ☃ 𝄞"`, `"; no comment"`, `"%x"`, `"float"`, `"1"`, `"gl_Position"`,
	`"_"`, `"x"`, `"x"`, `"x_0"`, `"x!"`, `"foo(vf4;u1;"`, `"uint_0"`, `"tab	inside"`, `"abcd"`, `"abcdefg"`, `"OpNop"`, "\"two\nlines\"", "\"\\\xff\xfe\""}

// specConstantClasses are the classes of the instructions that section 3.3.7 of the specification lists for OpSpecConstantOp.
var specConstantClasses = []string{"Arithmetic", "Bit", "Conversion", "Relational_and_Logical", "Composite", "Memory"}

func (m *textMaker) literal(kind grammar.Kind) {
	switch kind {
	case grammar.LiteralString:
		n := len(oddStrings)
		if m.plain {
			n -= 2
		}
		m.add(oddStrings[m.IntN(n)])
	case grammar.LiteralFloat:
		m.add(m.number(float32Type))
	case grammar.LiteralSpecConstantOpInteger:
		all := grammar.Instructions()
		for {
			at := m.choose("SpecConstantOp", len(all), func(i int) (string, []string) { return strings.TrimPrefix(all[i].Name, "Op"), nil })
			if at < 0 {
				m.failed = true
				return
			}
			if ops, ok := specConstantOp(&all[at]); ok && slices.Contains(specConstantClasses, all[at].Class) {
				name := strings.TrimPrefix(all[at].Name, "Op")
				m.used = append(m.used, [2]string{"SpecConstantOp", name})
				m.add(name)
				m.operands(ops)
				return
			}
		}
	default:
		m.add(m.number(uint32Type))
	}
}

// number returns a literal of the type in one of its forms.
func (m *textMaker) number(t numType) string {
	if t.kind == floating {
		return m.float(t)
	}
	bits := m.Uint64() >> m.IntN(64)
	switch m.IntN(5) {
	case 0:
		bits = 0
	case 1:
		bits = ^uint64(0)
	}
	bits &= ^uint64(0) >> (64 - t.width)
	sign := ""
	if t.kind == signedInt && bits>>(t.width-1) != 0 && m.IntN(3) > 0 {
		bits, sign = -bits&(^uint64(0)>>(64-t.width)), "-"
	}
	switch form := m.IntN(4); {
	case form == 0 && sign == "":
		return fmt.Sprintf("%#x", bits)
	case form == 1 && sign == "" && t.kind == unsignedInt:
		return fmt.Sprintf("%#X", bits)
	case form == 2 && sign == "" && t.kind == unsignedInt:
		return fmt.Sprintf("0%o", bits)
	case sign == "" && t.kind == signedInt && bits>>(t.width-1) != 0:
		return fmt.Sprintf("%#x", bits)
	}
	return sign + strconv.FormatUint(bits, 10)
}

func (m *textMaker) float(t numType) string {
	sign := []string{"", "-"}[m.IntN(2)]
	largest := map[uint32]int{16: 15, 32: 127, 64: 1023}[t.width]
	fraction := map[uint32]int{16: 3, 32: 6, 64: 13}[t.width] // digits
	digits := func() string {
		s := ""
		for i := range m.IntN(fraction + 1) {
			d := m.IntN(16)
			if t.width == 16 && i == 2 {
				d &= 12 // the format has ten bits
			}
			if t.width == 32 && i == 5 {
				d &= 14
			}
			s += fmt.Sprintf("%x", d)
		}
		return s
	}
	switch m.IntN(8) {
	case 0:
		return sign + fmt.Sprintf("0x1p+%d", largest+1) // infinity
	case 1:
		return sign + fmt.Sprintf("0x1.8p+%d", largest+1) // NaN
	case 2:
		return sign + []string{"0", "0.0", "0x0p+0", "1", "5.", ".5", "1e3"}[m.IntN(7)]
	case 3:
		return sign + fmt.Sprintf("0x0.%sp-%d", "1"+digits(), largest-1) // subnormal or nearly
	case 4:
		return sign + fmt.Sprintf("%d.%d", m.IntN(1000), m.IntN(100000))
	case 5:
		return sign + fmt.Sprintf("%d.%de-%d", m.IntN(10), m.IntN(1000), m.IntN(largest/4))
	}
	return sign + fmt.Sprintf("0x1.%sp%+d", "0"+digits(), m.IntN(2*largest)-largest)
}

// debug writes names for ids, colliding and odd ones, and line information.
func (m *textMaker) debug() {
	for range 4 {
		fmt.Fprintf(&m.out, "OpName %s %s\n", m.id(), oddStrings[m.IntN(len(oddStrings))])
	}
	fmt.Fprintf(&m.out, "%%file = OpString %s\nOpLine %%file %d %d\n", oddStrings[m.IntN(len(oddStrings))], m.Uint32(), m.IntN(99))
}

// module writes a module of n instructions, the prelude left out.
func (m *textMaker) module(n int) string {
	m.prelude()
	m.debug()
	all := grammar.Instructions()
	for n > 0 {
		var in *grammar.Instruction
		if m.IntN(4) == 0 { // what depends on more than the grammar says comes up more often
			often := []spirv.Op{spirv.OpConstant, spirv.OpSpecConstant, spirv.OpSwitch, spirv.OpExtInst, spirv.OpSpecConstantOp, spirv.OpDecorate, spirv.OpCapability, spirv.OpExecutionMode}
			in, _ = grammar.Lookup(often[m.IntN(len(often))])
		} else {
			in = &all[m.choose("Op", len(all), func(i int) (string, []string) { return all[i].Name, all[i].Aliases })]
		}
		if _, ok := m.instruction(in); ok {
			n--
		}
	}
	return m.out.String()
}
