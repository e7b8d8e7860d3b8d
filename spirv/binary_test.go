package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// bytesOf lays words out as bytes.
func bytesOf(order binary.AppendByteOrder, words ...uint32) []byte {
	var out []byte
	for _, w := range words {
		out = order.AppendUint32(out, w)
	}
	return out
}

// small is a module of three instructions: OpCapability Kernel, an opcode that does not exist, OpName %1 "ab".
var small = []uint32{
	Magic, 0x00010400, 0x00070001, 2, 0,
	2<<16 | 17, 6,
	1<<16 | 0xfffe,
	3<<16 | 5, 1, 0x6261,
}

func TestDecode(t *testing.T) {
	for _, order := range []interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{binary.LittleEndian, binary.BigEndian} {
		data := bytesOf(order, small...)
		b, err := Decode(data)
		if err != nil {
			t.Fatalf("%v: %v", order, err)
		}
		if b.Order != order || b.Version != 0x00010400 || b.Generator != 0x00070001 || b.Bound != 2 || b.Schema != 0 {
			t.Errorf("%v: header %+v", order, b)
		}
		want := []Instruction{
			{Op: OpCapability, Words: []uint32{6}, Offset: 5},
			{Op: 0xfffe, Words: nil, Offset: 7},
			{Op: OpName, Words: []uint32{1, 0x6261}, Offset: 8},
		}
		if len(b.Insts) != len(want) {
			t.Fatalf("%v: %d instructions, want %d", order, len(b.Insts), len(want))
		}
		for i, in := range b.Insts {
			if in.Op != want[i].Op || !slices.Equal(in.Words, want[i].Words) || in.Offset != want[i].Offset {
				t.Errorf("%v: instruction %d is %+v, want %+v", order, i, in, want[i])
			}
		}
		back, err := b.Encode()
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%v: encoded again it is % x, %v", order, back, err)
		}
	}
}

// TestDecodeAppend holds that growing the words of one instruction leaves the next alone.
func TestDecodeAppend(t *testing.T) {
	b, err := Decode(bytesOf(binary.LittleEndian, small...))
	if err != nil {
		t.Fatal(err)
	}
	_ = append(b.Insts[0].Words, 99)
	_ = append(b.Insts[1].Words, 99)
	if b.Insts[2].Words[0] != 1 || b.Insts[2].Op != OpName {
		t.Error("the instructions share words")
	}
}

func TestDecodeErrors(t *testing.T) {
	header := []uint32{Magic, 0x00010600, 0, 1, 0}
	le := func(words ...uint32) []byte { return bytesOf(binary.LittleEndian, words...) }
	tests := []struct {
		name   string
		data   []byte
		offset int
		want   string
	}{
		{"empty", nil, 0, "the file is empty"},
		{"three bytes", []byte{3, 2, 0x23}, 0, "too short"},
		{"text", []byte("OpCapability Kernel\n"), 0, "must be assembled first"},
		{"middle-endian", []byte{0x02, 0x03, 0x07, 0x23}, 0, "magic number"},
		{"odd size", append(le(header...), 1, 2), 5, "not a multiple of 4"},
		{"magic only", le(Magic), 1, "the header is cut: 1 of 5 words"},
		{"four words", bytesOf(binary.BigEndian, header[:4]...), 4, "the header is cut: 4 of 5 words"},
		{"count of zero", le(append(header, 1<<16|1, 17)...), 6, "OpCapability has a word count of 0"},
		{"cut instruction", le(append(header, 3<<16|71, 5)...), 5, "OpDecorate has a word count of 3 but only 2 words follow"},
		{"cut unknown instruction", le(append(header, 0xffffffff)...), 5, "Op65535 has a word count of 65535"},
	}
	for _, tt := range tests {
		b, err := Decode(tt.data)
		var format *FormatError
		if !errors.As(err, &format) || b != nil {
			t.Errorf("%s: module %v, error %v", tt.name, b, err)
			continue
		}
		if format.Offset != tt.offset || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want offset %d and %q", tt.name, err, tt.offset, tt.want)
		}
	}
	if b, err := Decode(le(header...)); err != nil || len(b.Insts) != 0 {
		t.Errorf("a header alone is a module without instructions: %v, %v", b, err)
	}
}

func TestEncode(t *testing.T) {
	// Without a byte order it is little-endian.
	data, err := (&Binary{Version: 1, Generator: 2, Bound: 3, Schema: 4}).Encode()
	if want := []byte{3, 2, 0x23, 7, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}; err != nil || !bytes.Equal(data, want) {
		t.Errorf("got % x, %v", data, err)
	}
	// 65535 words are the limit.
	long := &Binary{Insts: []Instruction{{Op: OpTypeStruct, Words: make([]uint32, 65534)}}}
	data, err = long.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Decode(data); err != nil || b.Insts[0].WordCount() != 65535 {
		t.Errorf("the longest instruction: %v", err)
	}
	long.Insts[0].Words = append(long.Insts[0].Words, 0)
	if _, err := long.Encode(); err == nil || !strings.Contains(err.Error(), "OpTypeStruct has 65536 words") {
		t.Errorf("one word more: %v", err)
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		s     string
		words []uint32
	}{
		{"", []uint32{0}},
		{"a", []uint32{0x61}},
		{"abc", []uint32{0x00636261}},
		{"abcd", []uint32{0x64636261, 0}},
		{"abcde", []uint32{0x64636261, 0x65}},
		{"é€", []uint32{0x82e2a9c3, 0xac}}, // c3 a9 e2 82 ac
	} {
		if got := StringWords(tt.s); !slices.Equal(got, tt.words) {
			t.Errorf("StringWords(%q) is %#x, want %#x", tt.s, got, tt.words)
		}
		s, n, ok := String(append(slices.Clone(tt.words), 0x12345678))
		if s != tt.s || n != len(tt.words) || !ok {
			t.Errorf("String(%#x) is %q, %d, %v", tt.words, s, n, ok)
		}
	}
	for _, words := range [][]uint32{nil, {0x64636261}, {0x01010101, 0xffffffff}} {
		if s, n, ok := String(words); ok || s != "" || n != len(words) {
			t.Errorf("String(%#x), which has no end, is %q, %d, %v", words, s, n, ok)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		OpNop.String():                       "OpNop",
		Op(128).String():                     "OpIAdd",
		Op(65535).String():                   "Op65535",
		ID(42).String():                      "%42",
		Capability(6).String():               "Kernel",
		Capability(31337).String():           "31337",
		OpCooperativeMatrixReduceNV.String(): "OpCooperativeMatrixReduceEXT", // an alias has the name it stands for
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// FuzzDecode: what decodes encodes to the same bytes, and nothing makes Decode fail other than by a FormatError.
func FuzzDecode(f *testing.F) {
	f.Add(bytesOf(binary.LittleEndian, small...))
	f.Add(bytesOf(binary.BigEndian, small...))
	f.Add(bytesOf(binary.LittleEndian, append(slices.Clone(small), 0xffff0000)...))
	f.Add([]byte("\x03\x02\x23\x07"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Decode(data)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("%v is no FormatError", err)
			}
			return
		}
		back, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back, data) {
			t.Fatalf("want % x\ngot  % x", data, back)
		}
	})
}
