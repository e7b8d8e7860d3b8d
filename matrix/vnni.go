package matrix

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// PackVNNI packs the matrix in src into dst as the layout says: see the package comment. src holds at least
// [Layout.SourceBytes], dst at least [Layout.PackedBytes]; they must not overlap. Padding is written as zero; gaps
// between the packed rows, and what follows, keep what they hold.
//
// Errors: [*LayoutError], [*SizeError], [ErrOverlap]; dst is untouched then.
func PackVNNI(dst, src []byte, l Layout) error {
	if err := l.checkBytes(src, dst); err != nil {
		return err
	}
	l.pack(
		func(i int) uint32 { return unit(src, i, l.Bits) },
		func(word int, v uint32) { binary.LittleEndian.PutUint32(dst[4*word:], v) })
	return nil
}

// UnpackVNNI is the inverse of [PackVNNI]: it takes the elements from the packed matrix in src and writes them, row-major,
// into dst, which holds at least [Layout.SourceBytes]. Padding is not looked at. Gaps between the rows of dst, the other
// nibble of a byte included, keep what they hold.
//
// Errors: [*LayoutError], [*SizeError], [ErrOverlap]; dst is untouched then.
func UnpackVNNI(dst, src []byte, l Layout) error {
	if err := l.checkBytes(dst, src); err != nil {
		return err
	}
	l.unpack(
		func(word int) uint32 { return binary.LittleEndian.Uint32(src[4*word:]) },
		func(i int, v uint32) { setUnit(dst, i, l.Bits, v) })
	return nil
}

// Element is a type whose values a slice can hold as the elements of a matrix. Floats of 16 bits travel as uint16.
type Element interface {
	~uint8 | ~int8 | ~uint16 | ~int16
}

// PackSlice is [PackVNNI] for elements in a slice of their own type and words of 32 bits. l.Bits is the width of E, or 0
// for just that; for elements of 4 bits use the bytes of [JoinNibbles] with [PackVNNI].
//
// Errors: [*LayoutError] and [*SizeError]; dst is untouched then.
func PackSlice[E Element](dst []uint32, src []E, l Layout) error {
	l, err := checkSlices(src, dst, l)
	if err != nil {
		return err
	}
	mask := uint32(1)<<l.Bits - 1
	l.pack(
		func(i int) uint32 { return uint32(src[i]) & mask },
		func(word int, v uint32) { dst[word] = v })
	return nil
}

// UnpackSlice is [UnpackVNNI] for elements in a slice of their own type and words of 32 bits. l.Bits is the width of E,
// or 0 for just that.
//
// Errors: [*LayoutError] and [*SizeError]; dst is untouched then.
func UnpackSlice[E Element](dst []E, src []uint32, l Layout) error {
	l, err := checkSlices(dst, src, l)
	if err != nil {
		return err
	}
	l.unpack(
		func(word int) uint32 { return src[word] },
		func(i int, v uint32) { dst[i] = E(v) })
	return nil
}

// JoinNibbles packs four-bit elements, one in the low half of each byte of src, two to a byte, the low nibble first. The
// high half of each byte of src is dropped, so that signed elements may come sign-extended. The high nibble of the last
// byte is 0 if the number of elements is odd.
func JoinNibbles(src []byte) []byte {
	dst := make([]byte, (len(src)+1)/2)
	for i, v := range src {
		setUnit(dst, i, 4, uint32(v))
	}
	return dst
}

// SplitNibbles is the inverse of [JoinNibbles]: one byte for each four-bit element, its high half 0.
func SplitNibbles(src []byte) []byte {
	dst := make([]byte, 2*len(src))
	for i := range dst {
		dst[i] = byte(unit(src, i, 4))
	}
	return dst
}

// pack calls put for every word of the packing, made of the elements that elem returns by index in the source.
func (l Layout) pack(elem func(i int) uint32, put func(word int, v uint32)) {
	l = l.Normal()
	f := l.Factor()
	for r := range l.PackedRows() {
		rows := min(f, l.K-r*f) // fewer than f at the end; the rest of the word stays zero
		for n := range l.N {
			var v uint32
			for j := range rows {
				v |= elem((l.K0+r*f+j)*l.LD+l.N0+n) << (j * l.Bits)
			}
			put(r*l.PackedLD+n, v)
		}
	}
}

// unpack calls put for every element, by its index in the source, with its value in the words that word returns.
func (l Layout) unpack(word func(w int) uint32, put func(i int, v uint32)) {
	l = l.Normal()
	f := l.Factor()
	mask := uint32(1)<<l.Bits - 1
	for r := range l.PackedRows() {
		rows := min(f, l.K-r*f)
		for n := range l.N {
			v := word(r*l.PackedLD + n)
			for j := range rows {
				put((l.K0+r*f+j)*l.LD+l.N0+n, v>>(j*l.Bits)&mask)
			}
		}
	}
}

// checkBytes checks the layout and both buffers before anything is written.
func (l Layout) checkBytes(source, packed []byte) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if need := l.SourceBytes(); len(source) < need {
		return &SizeError{"source", need, len(source), "bytes", l}
	}
	if need := l.PackedBytes(); len(packed) < need {
		return &SizeError{"packed", need, len(packed), "bytes", l}
	}
	if overlap(source[:l.SourceBytes()], packed[:l.PackedBytes()]) {
		return ErrOverlap
	}
	return nil
}

// overlap says whether two slices, neither empty, share memory.
func overlap(a, b []byte) bool {
	a0, b0 := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return a0 < b0+uintptr(len(b)) && b0 < a0+uintptr(len(a))
}

// checkSlices is checkBytes for slices of elements and words; it returns the layout with Bits set.
func checkSlices[E Element](source []E, packed []uint32, l Layout) (Layout, error) {
	var e E
	width := int(8 * unsafe.Sizeof(e))
	if l.Bits == 0 {
		l.Bits = width
	}
	if l.Bits != width {
		return l, &LayoutError{"Bits", l.Bits, fmt.Sprintf("the elements of the slice have %d bits; leave Bits at 0 to use that", width)}
	}
	if err := l.Validate(); err != nil {
		return l, err
	}
	if need := l.SourceElements(); len(source) < need {
		return l, &SizeError{"source", need, len(source), "elements", l}
	}
	if need := l.PackedWords(); len(packed) < need {
		return l, &SizeError{"packed", need, len(packed), "words", l}
	}
	return l, nil
}

// unit returns number i of the units of 4, 8 or 16 bits that buf holds, little-endian, low nibble first.
func unit(buf []byte, i, bits int) uint32 {
	switch bits {
	case 4:
		return uint32(buf[i>>1]>>(i&1*4)) & 15
	case 8:
		return uint32(buf[i])
	default:
		return uint32(buf[2*i]) | uint32(buf[2*i+1])<<8
	}
}

// setUnit writes number i of the units of 4, 8 or 16 bits of buf and leaves its neighbours alone.
func setUnit(buf []byte, i, bits int, v uint32) {
	switch bits {
	case 4:
		shift := i & 1 * 4
		buf[i>>1] = buf[i>>1]&^(15<<shift) | byte(v&15)<<shift
	case 8:
		buf[i] = byte(v)
	default:
		buf[2*i], buf[2*i+1] = byte(v), byte(v>>8)
	}
}
