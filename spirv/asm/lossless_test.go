package asm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// exact are the options under which text loses nothing.
var exact = Options{PreserveNumericIDs: true, HeaderComments: true}

func disText(t testing.TB, b *spirv.Binary, opt DisOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Disassemble(b, &out, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// checkLossless fails where a module does not survive its text.
func checkLossless(t testing.TB, b *spirv.Binary) {
	t.Helper()
	text := disText(t, b, DisOptions{RawID: true})
	back, err := Assemble([]byte(text), exact)
	if err != nil {
		t.Fatalf("the text of the module does not assemble: %v\n%s", err, text)
	}
	if d := difference(b, back); d != "" {
		t.Fatalf("%s\n%s", d, text)
	}
	// Friendly names are other ids, but the instructions stay, and their text with them.
	friendly := disText(t, b, DisOptions{})
	if _, err := Assemble([]byte(friendly), Options{}); err != nil {
		t.Fatalf("the text with friendly names does not assemble: %v\n%s", err, friendly)
	}
	p := NewPrinter(b, DisOptions{})
	for i := range b.Insts {
		if p.Text(&b.Insts[i]) == "" {
			t.Fatalf("instruction %d has no text", i)
		}
	}
}

// difference says where two modules differ; the bound may be larger than the first says where its ids need it.
func difference(want, got *spirv.Binary) string {
	if want.Version != got.Version || want.Generator != got.Generator || want.Schema != got.Schema {
		return fmt.Sprintf("header: want %08x %08x %08x, got %08x %08x %08x", want.Version, want.Generator, want.Schema, got.Version, got.Generator, got.Schema)
	}
	if got.Bound < want.Bound {
		return fmt.Sprintf("bound: want %d, got %d", want.Bound, got.Bound)
	}
	for i := range max(len(want.Insts), len(got.Insts)) {
		if i >= len(want.Insts) || i >= len(got.Insts) {
			return fmt.Sprintf("want %d instructions, got %d", len(want.Insts), len(got.Insts))
		}
		w, g := want.Insts[i], got.Insts[i]
		if w.Op != g.Op || !slices.Equal(w.Words, g.Words) {
			return fmt.Sprintf("instruction %d: want %v %#x, got %v %#x", i, w.Op, w.Words, g.Op, g.Words)
		}
	}
	return ""
}

// instMaker makes instructions that fit the grammar, and spoils some of them.
type instMaker struct {
	*rand.Rand
	next uint32 // id
}

func newInstMaker(seed uint64) *instMaker { return &instMaker{rand.New(rand.NewPCG(seed, 1)), 40} }

func (m *instMaker) id() uint32 { return 1 + m.Uint32N(40) }

// operands appends words for the operands, parameters of enumerants included.
func (m *instMaker) operands(dst []uint32, op spirv.Op, ops []grammar.Operand) []uint32 {
	for _, o := range ops {
		n := 1
		switch o.Quantifier {
		case grammar.Optional:
			n = m.IntN(2)
			if n == 0 {
				return dst // an operand after one that is absent would take its place
			}
		case grammar.Variadic:
			n = m.IntN(4)
		}
		for range n {
			dst = m.operand(dst, op, o.Kind)
		}
	}
	return dst
}

func (m *instMaker) operand(dst []uint32, op spirv.Op, kind grammar.Kind) []uint32 {
	info := kind.Info()
	switch info.Category {
	case grammar.Id:
		if kind == grammar.IdResult {
			m.next++
			return append(dst, m.next)
		}
		return append(dst, m.id())
	case grammar.Composite:
		for _, k := range info.Bases {
			dst = m.operand(dst, op, k)
		}
		return dst
	case grammar.ValueEnum:
		e := info.Enumerants[m.IntN(len(info.Enumerants))]
		return m.operands(append(dst, e.Value), op, e.Parameters)
	case grammar.BitEnum:
		var mask uint32
		at := len(dst)
		dst = append(dst, 0)
		for _, e := range info.Enumerants {
			if m.IntN(3) == 0 && e.Value != 0 && mask&e.Value == 0 {
				mask |= e.Value
				dst = m.operands(dst, op, e.Parameters)
			}
		}
		dst[at] = mask
		return dst
	}
	switch kind {
	case grammar.LiteralString:
		s := []string{"", "a", "main", `say "\"`, "two\nlines; no comment", "\xff\xfe"}
		return append(dst, spirv.StringWords(s[m.IntN(len(s))])...)
	case grammar.LiteralSpecConstantOpInteger:
		all := grammar.Instructions()
		for {
			in := &all[m.IntN(len(all))]
			if ops, ok := specConstantOp(in); ok {
				return m.operands(append(dst, uint32(in.Op)), op, ops)
			}
		}
	case grammar.LiteralExtInstInteger:
		return append(dst, m.Uint32N(200))
	}
	return append(dst, m.Uint32()>>m.IntN(32))
}

// spoil makes words that fit no grammar out of words that do.
func (m *instMaker) spoil(w []uint32) []uint32 {
	switch m.IntN(4) {
	case 0:
		return w[:m.IntN(len(w)+1)]
	case 1:
		return append(w, m.Uint32()>>m.IntN(32))
	case 2:
		if len(w) > 0 {
			w[m.IntN(len(w))] = m.Uint32() >> m.IntN(32)
		}
	case 3:
		if len(w) > 0 {
			i := m.IntN(len(w))
			return slices.Delete(w, i, i+1)
		}
	}
	return w
}

// TestLosslessEveryInstruction holds every instruction of the grammar, with random operands, well formed and not, against
// the rule that text loses nothing.
func TestLosslessEveryInstruction(t *testing.T) {
	prefix, err := Assemble([]byte(`
		%1 = OpExtInstImport "OpenCL.std"
		%2 = OpExtInstImport "GLSL.std.450"
		%3 = OpExtInstImport "NonSemantic.Other"
		%4 = OpExtInstImport "OpenCL.DebugInfo.100"
		%5 = OpTypeInt 8 1
		%6 = OpTypeInt 16 0
		%7 = OpTypeInt 32 1
		%8 = OpTypeInt 64 0
		%9 = OpTypeFloat 16
		%10 = OpTypeFloat 32
		%11 = OpTypeFloat 64
		%12 = OpTypeFloat 16 BFloat16KHR
		%13 = OpTypeFloat 8 Float8E4M3EXT
		%14 = OpTypeFloat 8 Float8UnsignedE8M0EXT
		%15 = OpTypeFloat 8 MXInt8EXT
		%16 = OpTypeInt 4 1
		%17 = OpTypeInt 48 1
		%18 = OpTypeInt 128 0
		%19 = OpConstant %7 -1
		%20 = OpConstant %8 77
		%21 = OpConstant %5 -1`), exact)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(12) {
		m := newInstMaker(seed)
		b := &spirv.Binary{Version: 0x00010500, Generator: m.Uint32(), Bound: 9999, Schema: uint32(seed), Insts: slices.Clone(prefix.Insts)}
		for _, in := range grammar.Instructions() {
			for range 3 {
				words := m.operands(nil, in.Op, in.Operands)
				if m.IntN(3) == 0 {
					words = m.spoil(words)
				}
				b.Insts = append(b.Insts, spirv.Instruction{Op: in.Op, Words: words})
			}
			b.Insts = append(b.Insts, spirv.Instruction{Op: spirv.Op(m.Uint32()), Words: m.operands(nil, 0, in.Operands)})
		}
		checkLossless(t, b)
	}
}
