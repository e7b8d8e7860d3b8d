// Package value is what users write and read: typed arrays in the command line's VALUE syntax, their printing, and the
// files they travel in.
//
// A Type is a scalar or a vector of one, an Array is a number of elements of a type as they lie in a kernel's memory, and
// a Value is what one NAME=VALUE argument or one string of a vector file says. Parse reads the syntax; docs/vectors.md
// describes it for users.
//
// Bytes are bytes: the type of an array says how it is filled, printed, compared and saved, and need not be the type the
// kernel reads it with.
package value

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Scalar is the type of one number.
type Scalar uint8

// Scalars. The zero Scalar is no type.
const (
	NoScalar Scalar = iota
	Bool            // one byte, 0 or 1
	I4              // two to a byte, the low nibble first
	U4              // two to a byte, the low nibble first
	I8
	U8
	E4M3 // 8-bit float of OCP OFP8: no infinities, NaN is 0x7f and 0xff
	E5M2 // 8-bit float of OCP OFP8
	I16
	U16
	F16
	BF16
	I32
	U32
	F32
	I64
	U64
	F64
	numScalars
)

type class uint8

const (
	classBool class = iota
	classInt
	classUint
	classFloat
)

type scalarInfo struct {
	name  string
	bits  int
	class class
	exp   int // exponent bits of a float
	man   int // stored mantissa bits of a float
}

var scalars = [numScalars]scalarInfo{
	NoScalar: {name: "?"},
	Bool:     {name: "bool", bits: 8, class: classBool},
	I4:       {name: "i4", bits: 4, class: classInt},
	U4:       {name: "u4", bits: 4, class: classUint},
	I8:       {name: "i8", bits: 8, class: classInt},
	U8:       {name: "u8", bits: 8, class: classUint},
	E4M3:     {name: "e4m3", bits: 8, class: classFloat, exp: 4, man: 3},
	E5M2:     {name: "e5m2", bits: 8, class: classFloat, exp: 5, man: 2},
	I16:      {name: "i16", bits: 16, class: classInt},
	U16:      {name: "u16", bits: 16, class: classUint},
	F16:      {name: "f16", bits: 16, class: classFloat, exp: 5, man: 10},
	BF16:     {name: "bf16", bits: 16, class: classFloat, exp: 8, man: 7},
	I32:      {name: "i32", bits: 32, class: classInt},
	U32:      {name: "u32", bits: 32, class: classUint},
	F32:      {name: "f32", bits: 32, class: classFloat, exp: 8, man: 23},
	I64:      {name: "i64", bits: 64, class: classInt},
	U64:      {name: "u64", bits: 64, class: classUint},
	F64:      {name: "f64", bits: 64, class: classFloat, exp: 11, man: 52},
}

func (s Scalar) info() *scalarInfo { return &scalars[s] }

// String returns the name, such as "u16" or "e4m3".
func (s Scalar) String() string { return s.info().name }

// Bits returns the width in bits: 4, 8, 16, 32 or 64. A bool takes 8.
func (s Scalar) Bits() int { return s.info().bits }

// Float reports whether the scalar is a floating-point format.
func (s Scalar) Float() bool { return s.info().class == classFloat }

// Signed reports whether the scalar is a signed integer.
func (s Scalar) Signed() bool { return s.info().class == classInt }

// mask has the scalar's bits set.
func (s Scalar) mask() uint64 { return math.MaxUint64 >> (64 - s.Bits()) }

// ScalarNames lists the names of all scalars, as messages print them.
func ScalarNames() []string {
	var names []string
	for s := NoScalar + 1; s < numScalars; s++ {
		names = append(names, s.String())
	}
	return names
}

// Type is the type of an element: a scalar, or a vector of 2, 3, 4, 8 or 16 of them.
type Type struct {
	Scalar Scalar
	Comps  int // components: 1 for a scalar
}

// Of returns the scalar's own type.
func Of(s Scalar) Type { return Type{s, 1} }

// String spells the type: "u32", "v4f16".
func (t Type) String() string {
	if t.Comps > 1 {
		return fmt.Sprintf("v%d%v", t.Comps, t.Scalar)
	}
	return t.Scalar.String()
}

// Room is how many scalars an element takes in memory: a vector of three takes four, as in OpenCL C and in the std430 and
// std140 layouts of shaders; the fourth is padding, written as zero and never compared.
func (t Type) Room() int {
	if t.Comps == 3 {
		return 4
	}
	return t.Comps
}

// Bits is the size of an element in memory, in bits.
func (t Type) Bits() int { return t.Room() * t.Scalar.Bits() }

// Bytes returns how many bytes count elements take; ok is false where that is more than an int64 holds. Only an odd number
// of 4-bit elements leaves half a byte unused, as the high nibble of the last byte, which is zero.
func (t Type) Bytes(count uint64) (n uint64, ok bool) {
	hi, lo := bits.Mul64(count, uint64(t.Bits()))
	if hi != 0 || lo > math.MaxUint64-7 {
		return 0, false
	}
	n = (lo + 7) / 8
	return n, n <= math.MaxInt64
}

// ParseType reads the name of a type, such as "i8" or "v16u8". The error is an *Error.
func ParseType(text string) (Type, error) {
	if t, ok := lookupType(text); ok {
		return t, nil
	}
	return Type{}, &Error{Text: text, Message: fmt.Sprintf("%q is no type", text),
		Try: "one of " + strings.Join(ScalarNames(), " ") + ", or a vector of 2, 3, 4, 8 or 16 of them such as v4f32"}
}

func lookupType(text string) (Type, bool) {
	comps := 1
	if len(text) > 2 && text[0] == 'v' {
		for _, n := range []int{2, 3, 4, 8, 16} {
			if rest, ok := strings.CutPrefix(text[1:], fmt.Sprint(n)); ok && rest != "" && (rest[0] < '0' || rest[0] > '9') {
				comps, text = n, rest
				break
			}
		}
	}
	for s := NoScalar + 1; s < numScalars; s++ {
		if s.String() == text {
			return Type{s, comps}, true
		}
	}
	return Type{}, false
}
