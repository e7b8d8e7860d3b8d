package asm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sgrun/sgrun/spirv"
)

// TestBitcastShuffle holds the instruction that no public tool knows against the numbers in its specification:
// SPV_INTEL_subgroup_bitcast_shuffle gives it four words and the opcode 6208, the capability is 6207.
func TestBitcastShuffle(t *testing.T) {
	b, err := Assemble([]byte(`OpCapability SubgroupBitcastShuffleINTEL
%r = OpSubgroupBitcastShuffleINTEL %t %x`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []spirv.Instruction{{Op: 17, Words: []uint32{6207}, Offset: 5}, {Op: 6208, Words: []uint32{1, 2, 3}, Offset: 7}}
	for i, in := range b.Insts {
		if in.Op != want[i].Op || !slices.Equal(in.Words, want[i].Words) || in.Offset != want[i].Offset {
			t.Errorf("instruction %d is %v, want %v", i, in, want[i])
		}
	}
	text := disText(t, b, DisOptions{NoHeader: true, NoIndent: true})
	if want := "OpCapability SubgroupBitcastShuffleINTEL\n%2 = OpSubgroupBitcastShuffleINTEL %1 %3\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

// TestExtInstByNumber holds the forms of extended instructions that no table has: a number, then ids where the set is
// non-semantic (SPV_KHR_non_semantic_info: all operands are ids), anything otherwise.
func TestExtInstByNumber(t *testing.T) {
	tests := []struct {
		set, text string
		words     []uint32 // after type, result and set
		printed   string
	}{
		{"NonSemantic.Test", "12 %void %set", []uint32{12, 2, 1}, "12 %2 %1"},
		{"NonSemantic.Test", "0", []uint32{0}, "0"},
		{"OpenCL.DebugInfo.100", "3 %void 7 !9 \"x\"", []uint32{3, 2, 7, 9, 0x78}, "!3 !2 !7 !9 !120"},
		{"OpenCL.DebugInfo.100", "!3 %void 7", []uint32{3, 2, 7}, "!3 !2 !7"},
		{"Of.Another.Vendor", "1", []uint32{1}, "!1"},
		{"OpenCL.std", "26 %void %void %void", []uint32{26, 2, 2, 2}, "fma %2 %2 %2"},
		{"OpenCL.std", "9999 %void 5", []uint32{9999, 2, 5}, "!9999 !2 !5"},
	}
	for _, tt := range tests {
		text := fmt.Sprintf("%%set = OpExtInstImport %q %%void = OpTypeVoid %%r = OpExtInst %%void %%set %s", tt.set, tt.text)
		b, err := Assemble([]byte(text), Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := b.Insts[2].Words; !slices.Equal(got, append([]uint32{2, 3, 1}, tt.words...)) {
			t.Errorf("%s: got %v, want %v", text, got, tt.words)
		}
		checkLossless(t, b)
		if got, want := NewPrinter(b, DisOptions{RawID: true}).Text(&b.Insts[2]), "%3 = OpExtInst %2 %1 "+tt.printed; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	const text = "; SPIR-V\n; Version: 1.3\n; Generator: Google Clspv; 12\n; Bound: 50\n; Schema: 1\n %9 = OpTypeVoid\n"
	tests := []struct {
		opt                               Options
		version, generator, bound, schema uint32
	}{
		{Options{}, 0x10600, 0, 2, 0},
		{Options{Version: 0x10100, Generator: 5}, 0x10100, 5, 2, 0},
		{Options{PreserveNumericIDs: true}, 0x10600, 0, 10, 0},
		{Options{HeaderComments: true, Version: 0x10100}, 0x10300, 21<<16 | 12, 50, 1},
	}
	for _, tt := range tests {
		b, err := Assemble([]byte(text), tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		if b.Version != tt.version || b.Generator != tt.generator || b.Bound != tt.bound || b.Schema != tt.schema {
			t.Errorf("%+v: got %#x %#x %d %d, want %#x %#x %d %d", tt.opt, b.Version, b.Generator, b.Bound, b.Schema, tt.version, tt.generator, tt.bound, tt.schema)
		}
	}
}

// TestHeaderLossless holds that the comments hold every header there can be.
func TestHeaderLossless(t *testing.T) {
	for _, h := range [][4]uint32{
		{0, 0, 0, 0}, {0x10600, 7 << 16, 1, 0}, {0x00ffff00, 46 << 16, 5, 1}, {0x10601, 47<<16 | 9, 1, 0}, // ARM is there twice
		{0xff010600, 0xffffffff, 0xffffffff, 0xffffffff}, {0x12345678, 1000 << 16, 77, 12},
	} {
		b := &spirv.Binary{Version: h[0], Generator: h[1], Bound: h[2], Schema: h[3]}
		text := disText(t, b, DisOptions{})
		got, err := Assemble([]byte(text), exact)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(b.Bound, 1); got.Version != b.Version || got.Generator != b.Generator || got.Bound != want || got.Schema != b.Schema {
			t.Errorf("%#x: got %#x %#x %#x %#x\n%s", h, got.Version, got.Generator, got.Bound, got.Schema, text)
		}
	}
}

// TestNumbering holds how ids get their numbers: in order of appearance; with numeric ids preserved around those.
func TestNumbering(t *testing.T) {
	const text = `OpName %b "b" OpName %2 "2" OpName %a "a" OpName %0x1 "1" OpName %007 "7" OpName %7 "7" OpName %08 "08"`
	tests := []struct {
		preserve bool
		want     []uint32
		bound    uint32
	}{
		{false, []uint32{1, 2, 3, 4, 5, 6, 7}, 8},
		{true, []uint32{3, 2, 4, 1, 7, 7, 5}, 8}, // %08 is no octal number
	}
	for _, tt := range tests {
		b, src, err := AssembleSource([]byte(text), Options{PreserveNumericIDs: tt.preserve})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint32
		for _, in := range b.Insts {
			got = append(got, in.Words[0])
		}
		if !slices.Equal(got, tt.want) || b.Bound != tt.bound {
			t.Errorf("preserve %v: got %v bound %d, want %v bound %d", tt.preserve, got, b.Bound, tt.want, tt.bound)
		}
		if name, ok := src.Name(spirv.ID(tt.want[2])); name != "a" || !ok {
			t.Errorf("preserve %v: the source calls id %d %q, want a", tt.preserve, tt.want[2], name)
		}
	}
	// The same id under two spellings is one id.
	if _, err := Assemble([]byte("%8 = OpTypeVoid\n%0x8 = OpTypeBool"), Options{PreserveNumericIDs: true}); err == nil || err.Error() != "2:1: the id %0x8 is already defined on line 1" {
		t.Errorf("%%8 and %%0x8: %v", err)
	}
	if b, err := Assemble([]byte("OpName %4294967295 \"\""), Options{PreserveNumericIDs: true}); err != nil || b.Bound != 0xffffffff || b.Insts[0].Words[0] != 0xffffffff {
		t.Errorf("the largest id: %v, %v", b, err)
	}
}

func TestSource(t *testing.T) {
	b, src, err := AssembleSource([]byte("; comment\nOpCapability\n Kernel OpNop\n\n%x = OpString \"a\nb\" OpNop\n!0x10000 !0x10000\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 3, 5, 6, 7, 7} {
		if got := src.Line(i); got != want {
			t.Errorf("instruction %d (%v): line %d, want %d", i, b.Insts[i].Op, got, want)
		}
	}
	if len(b.Insts) != 6 || src.Line(-1) != 0 || src.Line(6) != 0 {
		t.Errorf("%d instructions, want 6", len(b.Insts))
	}
	if _, ok := src.Name(99); ok {
		t.Error("an id that is not there has a name")
	}
}

func TestTooLongInstruction(t *testing.T) {
	text := "%s = OpTypeStruct" + strings.Repeat(" %s", 0xffff-2)
	if _, err := Assemble([]byte(text), Options{}); err != nil {
		t.Errorf("65535 words: %v", err)
	}
	_, err := Assemble([]byte(text+" %s"), Options{})
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Column != 6 {
		t.Errorf("65536 words: %v", err)
	}
}

// TestLinearTime assembles and prints 10 MB of text, and 1 MB each of shapes made to be slow. Anything that grows faster
// than the text would take minutes.
func TestLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: -short")
	}
	shapes := map[string]func(i int) string{
		"ids":    func(i int) string { return fmt.Sprintf("%%v%d = OpIAdd %%t %%v%d %%v%d\n", i+1, i, i/2) },
		"names":  func(i int) string { return fmt.Sprintf("OpName %%v%d \"same\"\n", i) },
		"arrays": func(i int) string { return fmt.Sprintf("%%a%d = OpTypeArray %%a%d %%a%d\n", i+1, i, i) },
		"sparse": func(i int) string { return fmt.Sprintf("%%%d = OpUndef %%%d\n", uint32(i+1)*2654435761, i) },
		"string": func(i int) string {
			return fmt.Sprintf("%%s%d = OpString \"%s\"\n", i, strings.Repeat("x\\\"; ", 4000))
		},
		"comment": func(int) string { return ";" + strings.Repeat("; ", 1<<16) + "\n" },
		"raw":     func(i int) string { return fmt.Sprintf("!0x00030005 !%d !0\n", i) },
		"enums":   func(int) string { return "OpDecorate %x CacheControlStoreINTEL 1 StreamingINTEL\n" },
	}
	for name, line := range shapes {
		t.Run(name, func(t *testing.T) {
			size := 1 << 20
			if name == "ids" && !raced {
				size = 10 << 20
			}
			var text strings.Builder
			for i := 0; text.Len() < size; i++ {
				text.WriteString(line(i))
			}
			start := time.Now()
			b, err := Assemble([]byte(text.String()), Options{PreserveNumericIDs: true})
			if err != nil {
				t.Fatal(err)
			}
			assembled := time.Since(start)
			out := disText(t, b, DisOptions{})
			took := time.Since(start)
			t.Logf("assembled in %v, printed in %v, %d instructions, %d bytes of text", assembled, took-assembled, len(b.Insts), len(out))
			if took > 20*time.Second {
				t.Errorf("%d bytes took %v", size, took)
			}
			if len(out) > 20*size {
				t.Errorf("%d bytes of text came from %d", len(out), size)
			}
		})
	}
}

func BenchmarkAssemble(b *testing.B) {
	text, _ := benchmarkModule(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Assemble(text, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDisassemble(b *testing.B) {
	text, module := benchmarkModule(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Disassemble(module, io.Discard, DisOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkModule returns a module of 1 MB of text: testdata's kernel without its end, and arithmetic.
func benchmarkModule(b *testing.B) ([]byte, *spirv.Binary) {
	b.Helper()
	text, err := os.ReadFile("testdata/kernel.spvasm")
	if err != nil {
		b.Fatal(err)
	}
	text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte("OpReturn\n               OpFunctionEnd"))
	for i := 0; len(text) < 1<<20; i++ {
		text = fmt.Appendf(text, "\n%%n%d = OpExtInst %%float %%cl fma %%a %%vx %%vy\n%%m%d = OpLoad %%float %%px Aligned 4\nOpStore %%py %%n%d Volatile|Aligned 4", i, i, i)
	}
	module, err := Assemble(text, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return text, module
}
