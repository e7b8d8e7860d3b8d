package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// MaxWords is the largest module Decode accepts, in words (256 MiB).
const MaxWords = 1 << 26

// headerWords is the length of the module header: magic, version, generator, bound, schema.
const headerWords = 5

// Binary is a module cut into instructions and nothing more. Decode and Encode are exact inverses.
type Binary struct {
	// Order is the byte order the module was written in. The zero value (nil) means little-endian.
	Order     binary.ByteOrder
	Version   uint32 // 0x00010600 is 1.6
	Generator uint32 // the tool that wrote the module: its number in the high 16 bits
	Bound     uint32 // all ids are below
	Schema    uint32 // 0
	Insts     []Instruction
}

// Instruction is one instruction: its opcode and the words after the first.
type Instruction struct {
	Op Op
	// Words are the operand words, result type and result id included, in the host's order of bits.
	Words []uint32
	// Offset is the position of the first word in the module, in words, the header counted; 0 for an instruction that
	// was not decoded from a binary. It is what error messages call the word offset.
	Offset int
}

// WordCount returns the length of the instruction in words, the first word included.
func (in *Instruction) WordCount() int { return len(in.Words) + 1 }

// FormatError says what makes bytes no SPIR-V module.
type FormatError struct {
	Offset int    // word offset of the fault
	Reason string // a sentence without the full stop
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("not a SPIR-V module: %s (word offset %d)", e.Reason, e.Offset)
}

// Decode cuts a module into instructions. It accepts both byte orders, unknown opcodes and unknown enumerants; it checks
// the header and the word counts only (SPIR-V 1.6, section 2.3). The error is a *FormatError.
func Decode(data []byte) (*Binary, error) {
	fail := func(off int, format string, args ...any) (*Binary, error) {
		return nil, &FormatError{off, fmt.Sprintf(format, args...)}
	}
	if len(data) == 0 {
		return fail(0, "the file is empty")
	}
	if len(data) < 4 {
		return fail(0, "%d bytes are too short for the magic number", len(data))
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case binary.LittleEndian.Uint32(data) == Magic:
	case binary.BigEndian.Uint32(data) == Magic:
		order = binary.BigEndian
	default:
		return fail(0, "the magic number is 0x%08x, want 0x%08x; a text module (.spvasm) must be assembled first", binary.LittleEndian.Uint32(data), Magic)
	}
	if len(data)%4 != 0 {
		return fail(len(data)/4, "the size of %d bytes is not a multiple of 4, the module may be cut", len(data))
	}
	if len(data)/4 > MaxWords {
		return fail(0, "%d words are more than the %d accepted", len(data)/4, MaxWords)
	}
	if len(data) < 4*headerWords {
		return fail(len(data)/4, "the header is cut: %d of %d words", len(data)/4, headerWords)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = order.Uint32(data[4*i:])
	}
	b := &Binary{Order: order, Version: words[1], Generator: words[2], Bound: words[3], Schema: words[4]}
	for off := headerWords; off < len(words); {
		op, n := Op(words[off]&0xffff), int(words[off]>>16)
		if n == 0 {
			return fail(off, "%v has a word count of 0", op)
		}
		if off+n > len(words) {
			return fail(off, "%v has a word count of %d but only %d words follow, the module may be cut", op, n, len(words)-off)
		}
		b.Insts = append(b.Insts, Instruction{Op: op, Words: words[off+1 : off+n : off+n], Offset: off})
		off += n
	}
	return b, nil
}

// Encode returns the module's bytes in b.Order. An instruction of more than 65535 words is an error.
func (b *Binary) Encode() ([]byte, error) {
	order := b.Order
	if order == nil {
		order = binary.LittleEndian
	}
	var out bytes.Buffer
	var w [4]byte
	put := func(v uint32) {
		order.PutUint32(w[:], v)
		out.Write(w[:])
	}
	for _, v := range []uint32{Magic, b.Version, b.Generator, b.Bound, b.Schema} {
		put(v)
	}
	for i := range b.Insts {
		in := &b.Insts[i]
		if in.WordCount() > 0xffff {
			return nil, fmt.Errorf("encode: %v has %d words, the format allows 65535", in.Op, in.WordCount())
		}
		put(uint32(in.WordCount())<<16 | uint32(in.Op))
		for _, v := range in.Words {
			put(v)
		}
	}
	return out.Bytes(), nil
}

// String decodes a literal string (SPIR-V 1.6, section 2.2.1): UTF-8, nul-terminated, four bytes to a word, the first in
// the low bits. It returns the string and how many words it takes; ok is false where no nul ends it.
func String(words []uint32) (s string, n int, ok bool) {
	var b []byte
	for i, w := range words {
		for sh := 0; sh < 32; sh += 8 {
			c := byte(w >> sh)
			if c == 0 {
				return string(b), i + 1, true
			}
			b = append(b, c)
		}
	}
	return "", len(words), false
}

// StringWords encodes a literal string, the inverse of String. The string must hold no nul.
func StringWords(s string) []uint32 {
	out := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		out[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return out
}
