package matrix

import (
	"fmt"
	"iter"
	"math"
)

// Kind names a way in which a packed matrix can be wrong.
type Kind string

// The wrong packings that [Check] knows.
const (
	// KindRowMajor is the matrix as it was, row-major, not packed.
	KindRowMajor Kind = "row-major"
	// KindWrongFactor is packed with another factor: 2 instead of 4, and so on.
	KindWrongFactor Kind = "wrong-factor"
	// KindWrongWidth is packed as though the elements had another width, or each widened to more bits first.
	KindWrongWidth Kind = "wrong-width"
	// KindTransposed is packed along N instead of K, read as column-major, or column-major and not packed.
	KindTransposed Kind = "transposed"
	// KindSwapped has the right words, but elements within the word, or bytes within the element, in another order.
	KindSwapped Kind = "byte-swapped"
	// KindLD is packed as though the source had another leading dimension.
	KindLD Kind = "wrong-leading-dimension"
	// KindPackedLD has the right packed rows, but another distance from one to the next.
	KindPackedLD Kind = "wrong-packed-leading-dimension"
	// KindTile has tiles whose start was not scaled by the factor.
	KindTile Kind = "sub-tile-offset"
	// KindPadding has the right elements, but something other than zero in the padding below row K-1.
	KindPadding Kind = "padding"
	// KindUnpacked is the inverse applied: the matrix was unpacked, or original and packed matrix were exchanged.
	KindUnpacked Kind = "unpacked"
	// KindTwice is packed, and the result packed again.
	KindTwice Kind = "packed-twice"
	// KindCut is the right packing, but its end is missing.
	KindCut Kind = "cut-off"
	// KindConstant has the same value in every byte.
	KindConstant Kind = "constant"
)

// op says how a packing comes by what it writes at a place.
type op uint8

const (
	opNone op = iota // nothing is written there
	opZero
	opCopy // unit `at` of the source
	opSign // all ones if element `at` of the source has its top bit set, else zero
)

type origin struct {
	op op
	at int
}

// place is a packing written as a function: what it writes at unit s of the packed buffer.
type place func(s int) origin

// candidate is one wrong packing.
type candidate struct {
	kind  Kind
	text  string
	found int // the factor, leading dimension, width or height it was made with
	unit  int // bits of a unit, at most those of an element
	place place
	// probe is a unit at which this packing differs from those like it, so that comparing from there ends early.
	probe int
	// sparse marks packings that by their nature leave most of a buffer of the right size unwritten.
	sparse bool
}

// geometry is a layout with everything the packings are computed from. All numbers are of a valid layout.
type geometry struct {
	Layout
	f     int // factor
	rows  int // packed rows
	base  int // index of element (0, 0) in the source
	src   int // elements in the source buffer, at least SourceElements
	pitch int // PackedLD as given; PackedLD itself is N where there is one packed row only
	words int // words in the packed buffer that are looked at
}

func newGeometry(l Layout, sourceElements, packedWords int) *geometry {
	l = l.Normal()
	g := &geometry{Layout: l, f: l.Factor(), rows: l.PackedRows(), base: l.K0*l.LD + l.N0, pitch: l.PackedLD,
		src: sourceElements, words: packedWords}
	if l.K0+l.K == 1 {
		g.LD = l.N0 + l.N // one row: the distance to the next means nothing
	}
	if g.rows == 1 {
		g.PackedLD = l.N
	}
	return g
}

// at returns the origin that copies element (k, n), or nothing if there is no such element.
func (g *geometry) at(k, n int) origin {
	if k < 0 || k >= g.K || n < 0 || n >= g.N {
		return origin{}
	}
	return origin{opCopy, g.base + k*g.LD + n}
}

// atOrPad is at, with zero for the rows from K on.
func (g *geometry) atOrPad(k, n int) origin {
	if k >= g.K && n < g.N {
		return origin{op: opZero}
	}
	return g.at(k, n)
}

// source returns the origin that copies element i of the source buffer, or nothing if it has no such element.
func (g *geometry) source(i int) origin {
	if i < 0 || i >= g.src {
		return origin{}
	}
	return origin{opCopy, i}
}

// grouped is the packing with factor f and groups `stride` apart: with the layout's own it is the right one. pick says
// which element goes to row k, column n of the packing, and what goes to the rows from K on.
func (g *geometry) grouped(f, stride int, pick func(k, n int) origin) place {
	rows := (g.K + f - 1) / f
	return func(s int) origin {
		group, j := s/f, s%f
		r, n := group/stride, group%stride
		if r >= rows || n >= g.N {
			return origin{}
		}
		return pick(r*f+j, n)
	}
}

// right is the packing the layout describes.
func (g *geometry) right() place { return g.grouped(g.f, g.PackedLD, g.atOrPad) }

// finer turns a packing in units of elements into one in units of 1/c element.
func finer(p place, c int) place {
	if c == 1 {
		return p
	}
	return func(s int) origin {
		o := p(s / c)
		if o.op == opCopy {
			o.at = o.at*c + s%c
		}
		return o
	}
}

// candidates yields every wrong packing that is known, the plainest first. Some of them may be the right one in truth:
// a matrix of one column is its own packing. Whoever uses them finds that out by comparing the origins.
func (g *geometry) candidates() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for _, family := range []func(func(candidate) bool) bool{
			g.rowMajor, g.wrongFactor, g.swapped, g.transposed, g.wrongWidth, g.padding, g.repeated,
			g.knownTile, g.wrongLD, g.wrongPackedLD, g.tiles,
		} {
			if !family(yield) {
				return
			}
		}
	}
}

// distinct returns the positive numbers of list, each once.
func distinct(list ...int) []int {
	var out []int
next:
	for _, v := range list {
		for _, o := range out {
			if o == v {
				continue next
			}
		}
		if v > 0 {
			out = append(out, v)
		}
	}
	return out
}

func (g *geometry) rowMajor(yield func(candidate) bool) bool {
	for _, stride := range distinct(g.N, g.LD, g.PackedLD) {
		if stride < g.N {
			continue
		}
		c := candidate{kind: KindRowMajor, found: stride, unit: g.Bits, place: g.grouped(1, stride, g.at),
			text: fmt.Sprintf("row-major, not packed: the rows follow each other at %d elements", stride)}
		if !yield(c) {
			return false
		}
	}
	return true
}

func (g *geometry) wrongFactor(yield func(candidate) bool) bool {
	for _, f := range []int{2, 4, 8, 16} {
		if f == g.f {
			continue
		}
		// A group of f elements takes the place of a word; or the packed rows kept their distance in bytes.
		for _, stride := range distinct(g.PackedLD, g.N, g.PackedLD*g.f/f) {
			if stride < g.N {
				continue
			}
			c := candidate{kind: KindWrongFactor, found: f, unit: g.Bits, place: g.grouped(f, stride, g.atOrPad),
				text: fmt.Sprintf("packed with factor %d, not %d: %d rows are interleaved, %d elements from one group of rows to the next",
					f, g.f, f, stride*f)}
			if !yield(c) {
				return false
			}
		}
	}
	return true
}

func (g *geometry) swapped(yield func(candidate) bool) bool {
	right := g.right()
	for mask := 1; mask < g.f; mask++ {
		text := fmt.Sprintf("the elements within each word are in another order: element j stands at j xor %d", mask)
		switch {
		case mask == g.f-1:
			text = "the elements within each word are in reverse order, the first row in the high bits"
			if g.Bits == 8 {
				text += " (as big-endian words are)"
			}
		case g.Bits == 4 && mask == 1:
			text = "the two elements of each byte are exchanged: the high nibble comes first"
		case g.Bits == 4 && mask == 6:
			text = "the bytes of each word are in reverse order (as big-endian words are)"
		case mask == g.f/2:
			text = "the two halves of each word are exchanged"
		}
		c := candidate{kind: KindSwapped, found: mask, unit: g.Bits, text: text,
			place: func(s int) origin { return right(s ^ mask) }}
		if !yield(c) {
			return false
		}
	}
	if g.Bits != 16 {
		return true
	}
	bytes := finer(right, 2)
	return yield(candidate{kind: KindSwapped, unit: 8, text: "the two bytes of each element are exchanged (as big-endian elements are)",
		place: func(s int) origin { return bytes(s ^ 1) }}) &&
		yield(candidate{kind: KindSwapped, unit: 8, text: "the four bytes of each word are in reverse order (as big-endian words are)",
			place: func(s int) origin { return bytes(s ^ 3) }})
}

func (g *geometry) transposed(yield func(candidate) bool) bool {
	groups := (g.N + g.f - 1) / g.f
	for _, stride := range distinct(g.K, g.PackedLD) {
		if stride < g.K {
			continue
		}
		along := func(s int) origin {
			w, j := s/g.f, s%g.f
			r, k := w/stride, w%stride
			n := r*g.f + j
			switch {
			case r >= groups || k >= g.K:
				return origin{}
			case n >= g.N:
				return origin{op: opZero}
			}
			return g.at(k, n)
		}
		if !yield(candidate{kind: KindTransposed, unit: g.Bits, place: along,
			text: "packed along N instead of K: the matrix was transposed before it was packed"}) {
			return false
		}
	}
	for _, height := range distinct(g.K, g.rows*g.f) {
		column := func(s int) origin { return g.atOrPad(s%height, s/height) }
		if !yield(candidate{kind: KindTransposed, unit: g.Bits, place: column,
			text: "column-major, not packed: the transpose of the matrix"}) {
			return false
		}
	}
	for _, stride := range distinct(g.K, g.LD) {
		if stride > (math.MaxInt-g.base)/(g.N+1) {
			continue
		}
		read := func(k, n int) origin {
			if k >= g.K {
				return origin{op: opZero}
			}
			return g.source(g.base + n*stride + k)
		}
		if !yield(candidate{kind: KindTransposed, found: stride, unit: g.Bits, place: g.grouped(g.f, g.PackedLD, read),
			text: fmt.Sprintf("packed after reading the source as column-major, with columns %d elements apart", stride)}) {
			return false
		}
	}
	return true
}

func (g *geometry) wrongWidth(yield func(candidate) bool) bool {
	for _, width := range []int{4, 8, 16} {
		text := fmt.Sprintf("packed as though the elements had %d bits, not %d", width, g.Bits)
		switch {
		case width > g.Bits:
			if !g.wider(width, text, yield) || !g.widened(width, yield) {
				return false
			}
		case width < g.Bits:
			c, f := g.Bits/width, 32/width
			for _, stride := range distinct(g.N, g.PackedLD) {
				stride *= c
				narrow := func(s int) origin {
					w, j := s/f, s%f
					r, n := w/stride, w%stride
					k := r*f + j
					switch o := g.at(k, n/c); {
					case o.op == opCopy:
						return origin{opCopy, o.at*c + n%c}
					case r < (g.K+f-1)/f && n < g.N*c:
						return origin{op: opZero}
					}
					return origin{}
				}
				if !yield(candidate{kind: KindWrongWidth, found: width, unit: width, place: narrow, text: text}) {
					return false
				}
			}
		}
	}
	return true
}

// wider yields the packings that take neighbours in a row for one element of more bits.
func (g *geometry) wider(width int, text string, yield func(candidate) bool) bool {
	c, f := width/g.Bits, 32/width
	if g.N%c != 0 || g.LD%c != 0 || g.base%c != 0 {
		return true // elements of that width would straddle rows; no program gets that far
	}
	for _, stride := range distinct(g.N/c, g.PackedLD) {
		wide := func(s int) origin {
			w, e := s/g.f, s%g.f
			r, n := w/stride, w%stride
			if n >= g.N/c || r >= (g.K+f-1)/f {
				return origin{}
			}
			return g.atOrPad(r*f+e/c, n*c+e%c)
		}
		if !yield(candidate{kind: KindWrongWidth, found: width, unit: g.Bits, place: wide, text: text}) {
			return false
		}
	}
	return true
}

// widened yields the packings of the matrix with every element converted to more bits.
func (g *geometry) widened(width int, yield func(candidate) bool) bool {
	c := width / g.Bits
	packed := g.grouped(32/width, g.PackedLD, g.atOrPad)
	for _, fill := range []op{opZero, opSign} {
		wide := func(s int) origin {
			o := packed(s / c)
			if s%c != 0 && o.op == opCopy {
				o.op = fill
				if fill == opZero {
					o.at = 0
				}
			}
			return o
		}
		how := map[op]string{opZero: "zero", opSign: "sign"}[fill]
		if !yield(candidate{kind: KindWrongWidth, found: width, unit: g.Bits, place: wide,
			text: fmt.Sprintf("packed with every element %s-extended from %d to %d bits", how, g.Bits, width)}) {
			return false
		}
	}
	return true
}

func (g *geometry) padding(yield func(candidate) bool) bool {
	if g.K%g.f == 0 {
		return true
	}
	for _, v := range []struct {
		text string
		pad  func(k, n int) origin
	}{
		{"the padding repeats the last row; it should be zero", func(_, n int) origin { return g.at(g.K-1, n) }},
		{"the padding is the sign of the last row; it should be zero",
			func(_, n int) origin { return origin{opSign, g.at(g.K-1, n).at} }},
		{"the padding repeats the rows from the first on; it should be zero",
			func(k, n int) origin { return g.at(k%g.K, n) }},
		{"the padding is what follows the last row in the source; it should be zero",
			func(k, n int) origin { return g.source(g.base + k*g.LD + n) }},
	} {
		pick := func(k, n int) origin {
			if k >= g.K {
				return v.pad(k, n)
			}
			return g.at(k, n)
		}
		if !yield(candidate{kind: KindPadding, text: v.text, unit: g.Bits, place: g.grouped(g.f, g.PackedLD, pick)}) {
			return false
		}
	}
	return true
}

// repeated yields what comes of packing in the wrong direction, or twice.
func (g *geometry) repeated(yield func(candidate) bool) bool {
	right := g.right()
	inverse := func(k, n int) origin {
		if k >= g.K {
			return origin{}
		}
		return g.source(((k/g.f)*g.PackedLD+n)*g.f + k%g.f)
	}
	again := func(k, n int) origin {
		if k >= g.K {
			return origin{op: opZero}
		}
		return right(k*g.N + n)
	}
	return yield(candidate{kind: KindUnpacked, unit: g.Bits, place: g.grouped(1, g.N, inverse),
		text: "unpacked instead of packed; or the original and the packed matrix were exchanged"}) &&
		yield(candidate{kind: KindTwice, unit: g.Bits, place: g.grouped(g.f, g.PackedLD, again),
			text: "packed twice: the packed matrix was packed again"})
}
