package gen

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// elem is the type of one number: u8 … u64, i8 … i64, f16, f32, f64.
type elem struct {
	kind byte // 'u', 'i' or 'f'
	bits int
}

var (
	u8, u16, u32, u64 = elem{'u', 8}, elem{'u', 16}, elem{'u', 32}, elem{'u', 64}
	i8, i16, i32, i64 = elem{'i', 8}, elem{'i', 16}, elem{'i', 32}, elem{'i', 64}
	f16, f32, f64     = elem{'f', 16}, elem{'f', 32}, elem{'f', 64}
	boolean           = elem{'b', 1}
)

var (
	unsigned = []elem{u8, u16, u32, u64}
	floats   = []elem{f16, f32, f64}
)

func (e elem) String() string {
	if e == boolean {
		return "bool"
	}
	return fmt.Sprintf("%c%d", e.kind, e.bits)
}

func (e elem) format() oracle.Format { return oracle.FormatOf(e.bits) }

// vec is a scalar (n = 1) or a vector of n components.
type vec struct {
	elem
	n int
}

// of is the vector of n components, or the scalar.
func (e elem) of(n int) vec { return vec{e, n} }

func (v vec) String() string {
	if v.n == 1 {
		return v.elem.String()
	}
	return fmt.Sprintf("v%d%v", v.n, v.elem)
}

// bytes is the size in memory without padding: the kernels here load and store vectors of three number by number.
func (v vec) bytes() int { return v.n * v.bits / 8 }

// shuffleType is the type as the bitcast shuffle sees it.
func (v vec) shuffleType() oracle.Type { return oracle.Type{Width: v.bits, Count: v.n} }

// fromShuffle is the vector of unsigned integers for a type of the specification's table.
func fromShuffle(t oracle.Type) vec { return vec{elem{'u', t.Width}, t.Count} }

// Array is a number of elements of one type, as they lie in memory.
type Array struct {
	typ   vec
	count int
	Data  []byte
	fill  string // how the VALUE syntax says the same data, where it can: "iota", "bits(7)", "@inputs/u32.a.npy"
}

func newArray(t vec, count int) *Array {
	return &Array{typ: t, count: count, Data: make([]byte, count*t.bytes())}
}

// arrayOf makes an array of the numbers, components one by one.
func arrayOf(t vec, numbers ...uint64) *Array {
	if len(numbers)%t.n != 0 {
		panic(fmt.Sprintf("%d numbers for %v", len(numbers), t))
	}
	a := newArray(t, len(numbers)/t.n)
	for i, x := range numbers {
		a.set(i, x)
	}
	return a
}

// set and at access number i: components are counted one by one.
func (a *Array) set(i int, x uint64) { putNumber(a.Data, a.typ.elem, i, x) }
func (a *Array) at(i int) uint64     { return number(a.Data, a.typ.elem, i) }

// numbers is how many numbers the array holds.
func (a *Array) numbers() int { return a.count * a.typ.n }

func putNumber(data []byte, e elem, i int, x uint64) {
	size := e.bits / 8
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	copy(data[i*size:(i+1)*size], b[:size])
}

func number(data []byte, e elem, i int) uint64 {
	size := e.bits / 8
	var b [8]byte
	copy(b[:], data[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// iota is the array 0, 1, 2, … (integers wrap).
func iota(t vec, count int) *Array {
	a := newArray(t, count)
	for i := range a.numbers() {
		a.set(i, uint64(i))
	}
	a.fill = "iota"
	return a
}

// randomBits is the array the VALUE syntax calls bits(seed): number i is the low bits of the i-th output of SplitMix64
// started at the seed (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func randomBits(t vec, count int, seed uint64) *Array {
	a := newArray(t, count)
	for i := range a.numbers() {
		a.set(i, splitMix64(seed, uint64(i)))
	}
	a.fill = fmt.Sprintf("bits(%d)", seed)
	return a
}

func splitMix64(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// seedOf makes a seed of a name, so that a case's data do not depend on its place in the file.
func seedOf(name string) uint64 {
	h := uint64(2166136261)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 16777619 % (1 << 32)
	}
	return h
}

// shape is type and count in the VALUE syntax. There vectors of three have padding, which kernels here do not: they are
// given as numbers.
func (a *Array) shape() string {
	if a.typ.n == 3 {
		return fmt.Sprintf("%v[%d]", a.typ.elem, a.numbers())
	}
	return fmt.Sprintf("%v[%d]", a.typ, a.count)
}

// text is the array in the VALUE syntax.
func (a *Array) text() string {
	head := a.shape() + ":"
	switch {
	case a.fill != "":
		return head + a.fill
	case a.numbers() <= 16:
		return head + a.list()
	}
	return fmt.Sprintf("%shex:%x", head, a.Data)
}

// list prints the numbers: integers in decimal, floats as bit patterns, vectors in < >.
func (a *Array) list() string {
	var b strings.Builder
	for i := range a.numbers() {
		group := a.typ.n != 1 && a.typ.n != 3
		if i > 0 {
			b.WriteByte(',')
		}
		if group && i%a.typ.n == 0 {
			b.WriteByte('<')
		}
		b.WriteString(a.typ.literal(a.at(i)))
		if group && i%a.typ.n == a.typ.n-1 {
			b.WriteByte('>')
		}
	}
	return b.String()
}

// literal prints one number for the VALUE syntax.
func (e elem) literal(x uint64) string {
	switch e.kind {
	case 'f':
		return fmt.Sprintf("0x%0*x", e.bits/4, x)
	case 'i':
		return oracle.Signed(e.bits, x).String()
	}
	return fmt.Sprint(x)
}
