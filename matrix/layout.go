package matrix

import (
	"fmt"
	"math"
)

// Layout describes a matrix B of K rows and N columns, row-major in memory, and its VNNI packing. The zero values of LD,
// PackedLD, K0 and N0 mean: no gaps between the rows, and the matrix begins where the source begins.
type Layout struct {
	// Bits is the width of an element: 4, 8 or 16.
	Bits int `json:"bits"`
	// K and N are the numbers of rows and columns, both at least 1.
	K int `json:"k"`
	N int `json:"n"`
	// LD is the leading dimension of the source, in elements: element (k, n) is element (K0+k)*LD + N0+n of the source
	// buffer. 0 means N.
	LD int `json:"ld"`
	// PackedLD is the leading dimension of the packed matrix, in words of 32 bits: column n of packed row r is word
	// r*PackedLD + n. 0 means N.
	PackedLD int `json:"packed_ld"`
	// K0 and N0 are the row and column of the source at which this matrix begins: not 0 where it is a tile of a larger
	// one. The packed tile begins at the start of the packed buffer.
	K0 int `json:"k0,omitempty"`
	N0 int `json:"n0,omitempty"`
}

// String describes the layout as error messages do.
func (l Layout) String() string {
	l = l.Normal()
	s := fmt.Sprintf("a matrix of %d-bit elements, K=%d, N=%d", l.Bits, l.K, l.N)
	if l.LD != l.N {
		s += fmt.Sprintf(", leading dimension %d elements", l.LD)
	}
	if l.PackedLD != l.N {
		s += fmt.Sprintf(", packed leading dimension %d words", l.PackedLD)
	}
	if l.K0 != 0 || l.N0 != 0 {
		s += fmt.Sprintf(", from row %d, column %d", l.K0, l.N0)
	}
	return s
}

// Normal returns the layout with the leading dimensions that were 0 replaced by N.
func (l Layout) Normal() Layout {
	if l.LD == 0 {
		l.LD = l.N
	}
	if l.PackedLD == 0 {
		l.PackedLD = l.N
	}
	return l
}

// Factor returns the number of elements in a word of 32 bits: 8, 4 or 2 for elements of 4, 8 or 16 bits, and 0 for any
// other width.
func (l Layout) Factor() int {
	switch l.Bits {
	case 4, 8, 16:
		return 32 / l.Bits
	}
	return 0
}

// Validate returns a [*LayoutError] if the layout cannot be: an element width other than 4, 8 and 16, no rows or no
// columns, negative numbers, leading dimensions that let rows overlap, or sizes beyond what an int can count.
func (l Layout) Validate() error {
	l = l.Normal()
	switch {
	case l.Bits == 32:
		return &LayoutError{"Bits", l.Bits, "elements of 32 bits are not packed, matrix B is used as it is"}
	case l.Factor() == 0:
		return &LayoutError{"Bits", l.Bits, "elements have 4, 8 or 16 bits"}
	case l.K < 1:
		return &LayoutError{"K", l.K, "a matrix has at least one row"}
	case l.N < 1:
		return &LayoutError{"N", l.N, "a matrix has at least one column"}
	case l.K0 < 0:
		return &LayoutError{"K0", l.K0, "a tile begins at row 0 or later"}
	case l.N0 < 0:
		return &LayoutError{"N0", l.N0, "a tile begins at column 0 or later"}
	case l.N0 > math.MaxInt-l.N:
		return &LayoutError{"N0", l.N0, "the tile ends beyond any column that can be counted"}
	case l.LD < l.N0+l.N:
		return &LayoutError{"LD", l.LD, fmt.Sprintf("the leading dimension counts elements and is at least %d, the columns of a row", l.N0+l.N)}
	case l.PackedLD < l.N:
		return &LayoutError{"PackedLD", l.PackedLD, fmt.Sprintf("the packed leading dimension counts 32-bit words and is at least N (%d)", l.N)}
	case l.K0 > math.MaxInt-l.K:
		return &LayoutError{"K0", l.K0, "the tile ends beyond any row that can be counted"}
	case l.K > math.MaxInt-16:
		return &LayoutError{"K", l.K, "the matrix is too large to address"}
	}
	if !fits(l.K0+l.K, l.LD, l.Bits) {
		return &LayoutError{"LD", l.LD, fmt.Sprintf("%d rows of that many elements are too large to address", l.K0+l.K)}
	}
	if !fits(l.PackedRows(), l.PackedLD, 32) {
		return &LayoutError{"PackedLD", l.PackedLD, fmt.Sprintf("%d packed rows of that many words are too large to address", l.PackedRows())}
	}
	return nil
}

// fits says whether the product of three positive numbers is an int.
func fits(a, b, c int) bool { return a <= math.MaxInt/b && a*b <= math.MaxInt/c }

// PackedRows returns the number of packed rows, K/F rounded up. The layout must be valid.
func (l Layout) PackedRows() int { return (l.K + l.Factor() - 1) / l.Factor() }

// PackedStride returns the distance from one packed row to the next in elements: PackedLD times the factor. The layout
// must be valid.
func (l Layout) PackedStride() int { return l.Normal().PackedLD * l.Factor() }

// SourceElements returns the number of elements from the start of the source to the last element of the matrix, the gaps
// between the rows included, one after the last row not. The layout must be valid.
func (l Layout) SourceElements() int {
	l = l.Normal()
	return (l.K0+l.K-1)*l.LD + l.N0 + l.N
}

// SourceBytes returns the least length of the source buffer in bytes: that of [Layout.SourceElements], half bytes
// rounded up. The layout must be valid.
func (l Layout) SourceBytes() int {
	bits := l.SourceElements() * l.Bits
	return bits/8 + (bits%8+7)/8
}

// PackedWords returns the number of 32-bit words from the start of the packed matrix to its last word, the gaps between
// the packed rows included, one after the last packed row not. The layout must be valid.
func (l Layout) PackedWords() int {
	l = l.Normal()
	return (l.PackedRows()-1)*l.PackedLD + l.N
}

// PackedBytes returns the least length of the packed buffer in bytes: 4 times [Layout.PackedWords]. The layout must be
// valid.
func (l Layout) PackedBytes() int { return 4 * l.PackedWords() }

// PackedPosition returns where the packing has the element at row k, column n: the index of the 32-bit word in the
// packed buffer, and the lowest of the element's bits in that word. It returns -1, -1 for an element outside the matrix
// and for a layout that is not valid.
//
//	word = (k/F)*PackedLD + n      bit = (k%F)*Bits
//
// This is also where a tile of a packed matrix begins: the row offset is divided by the factor, the column offset is
// not. A tile can only begin where bit is 0, so at a row that is a multiple of the factor.
func (l Layout) PackedPosition(k, n int) (word, bit int) {
	l = l.Normal()
	if l.Validate() != nil || k < 0 || k >= l.K || n < 0 || n >= l.N {
		return -1, -1
	}
	f := l.Factor()
	return (k/f)*l.PackedLD + n, (k % f) * l.Bits
}

// ElementAt is the inverse of [Layout.PackedPosition]: which element has its lowest bit at bit `bit` of word `word` of
// the packed buffer. ok is false where no element begins: in the middle of one, in the padding below row K-1, in the
// gap between two packed rows, outside the packed matrix, and for a layout that is not valid; k and n are -1 then.
func (l Layout) ElementAt(word, bit int) (k, n int, ok bool) {
	l = l.Normal()
	if l.Validate() != nil || word < 0 || bit < 0 || bit >= 32 || bit%l.Bits != 0 {
		return -1, -1, false
	}
	r, n := word/l.PackedLD, word%l.PackedLD
	if r >= l.PackedRows() || n >= l.N {
		return -1, -1, false
	}
	k = r*l.Factor() + bit/l.Bits
	if k >= l.K {
		return -1, -1, false
	}
	return k, n, true
}
