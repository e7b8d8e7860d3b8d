package matrix

import (
	"fmt"
	"math"
)

// The families of wrong packings that have a number to find: a leading dimension, a tile size.

// maxTile is the largest tile, in packed rows or in columns, that is tried.
const maxTile = 64

// wrongLD yields the packings with every other leading dimension of the source for which at least half of the matrix
// would have been read from the source buffer.
func (g *geometry) wrongLD(yield func(candidate) bool) bool {
	if g.K0+g.K == 1 {
		return true
	}
	limit := g.src / max(1, g.K0+g.K/2)
	for ld := 0; ld <= limit; ld++ {
		if ld == g.LD {
			continue
		}
		pick := func(k, n int) origin {
			if k >= g.K {
				return origin{op: opZero}
			}
			return g.source((g.K0+k)*ld + g.N0 + n)
		}
		if !yield(candidate{kind: KindLD, found: ld, unit: g.Bits, place: g.grouped(g.f, g.PackedLD, pick), probe: 1,
			text: fmt.Sprintf("packed as though the leading dimension of the source were %d elements, not %d", ld, g.LD)}) {
			return false
		}
	}
	return true
}

// wrongPackedLD yields the right packed rows at every other distance.
func (g *geometry) wrongPackedLD(yield func(candidate) bool) bool {
	if g.rows == 1 {
		return true
	}
	limit := min(g.words/max(1, g.rows/2), g.words-1)
	try := func(ld int, sparse bool) bool {
		if ld == g.PackedLD || ld > math.MaxInt/g.f {
			return true
		}
		return yield(candidate{kind: KindPackedLD, found: ld, unit: g.Bits, place: g.grouped(g.f, ld, g.atOrPad), probe: ld * g.f, sparse: sparse,
			text: fmt.Sprintf("the packed rows are %d words apart, not %d", ld, g.PackedLD)})
	}
	for ld := g.N; ld <= limit; ld++ {
		if !try(ld, false) {
			return false
		}
	}
	// A leading dimension in elements taken for one in words.
	if ld := g.PackedStride(); ld > limit {
		return try(ld, true)
	}
	return true
}

// tiles yields what comes of packing, or of reading, a matrix tile by tile with offsets that were not scaled.
func (g *geometry) tiles(yield func(candidate) bool) bool {
	rowStride := g.PackedStride()
	for m := 1; m <= maxTile && m < g.rows; m++ { // m packed rows in a tile
		height := m * g.f
		for _, v := range []struct {
			text   string
			sparse bool
			probe  int             // packed row at which the second tile stands
			row    func(r int) int // first row of the matrix in packed row r, or K
		}{
			{fmt.Sprintf("were put at packed row k0, not k0/%d", g.f), true, height, func(r int) int {
				if r%height >= m {
					return g.K
				}
				return r/height*height + r%height*g.f
			}},
			{fmt.Sprintf("were read from the packed matrix at packed row k0, not k0/%d", g.f), true, m, func(r int) int {
				if r >= g.rows {
					return g.K
				}
				return (r/m*height + r%m) * g.f
			}},
			{fmt.Sprintf("were packed from row k0/%d of the source, not k0", g.f), false, m, func(r int) int {
				if r >= g.rows {
					return g.K
				}
				return r/m*m + r%m*g.f
			}},
		} {
			rows := func(s int) origin {
				k := v.row(s / rowStride)
				if k >= g.K {
					return origin{}
				}
				return g.atOrPad(k+s%g.f, s%rowStride/g.f)
			}
			probe := 0
			if v.probe <= math.MaxInt/rowStride {
				probe = v.probe * rowStride
			}
			if !yield(candidate{kind: KindTile, found: height, unit: g.Bits, place: rows, sparse: v.sparse, probe: probe,
				text: fmt.Sprintf("the tiles of %d rows that begin at row k0 %s", height, v.text)}) {
				return false
			}
		}
	}
	for width := 1; width <= maxTile && width < g.N; width++ {
		if g.N%width != 0 {
			continue
		}
		last := g.N/width - 1
		columns := func(s int) origin {
			r, x := s/rowStride, s%rowStride // x counts elements along the packed row
			t := min(x/width, last)          // of the tiles that wrote here, the last one stays
			rest := x - t*width
			if r >= g.rows || rest >= width*g.f {
				return origin{}
			}
			return g.atOrPad(r*g.f+rest%g.f, t*width+rest/g.f)
		}
		if !yield(candidate{kind: KindTile, found: width, unit: g.Bits, place: columns, sparse: true,
			text: fmt.Sprintf("the tiles of %d columns that begin at column n0 were put at element n0 of the packed row, not n0*%d", width, g.f)}) {
			return false
		}
	}
	return true
}

// knownTile yields, where the layout is a tile of a larger matrix, what was read if it was taken from the packing of the
// whole at a wrong start.
func (g *geometry) knownTile(yield func(candidate) bool) bool {
	if g.K0 == 0 && g.N0 == 0 {
		return true
	}
	// The distance of the packed rows in the whole: a tile with gaps between its rows is a part of it still.
	pitch := g.pitch
	if pitch == g.N {
		pitch = g.LD
	}
	if !fits(g.K0+g.K, pitch, 4*g.f) {
		return true
	}
	stride, r0 := pitch*g.f, g.K0/g.f
	for _, v := range []struct {
		text  string
		start int // in elements of the whole packing
	}{
		{"row offset not divided by the factor: word k0*ld + n0", g.K0*stride + g.N0*g.f},
		{"column offset not multiplied by the factor: element (k0/F)*ld*F + n0", r0*stride + g.N0},
		{"row offset divided by the factor, but the sum taken for elements: element (k0/F)*ld + n0", r0*pitch + g.N0},
		{"column offset divided by the factor: word (k0/F)*ld + n0/F", r0*stride + g.N0/g.f*g.f},
		{"column offset multiplied by the factor twice: word (k0/F)*ld + n0*F", r0*stride + g.N0*g.f*g.f},
		{"row offset divided by the factor twice", r0/g.f*stride + g.N0*g.f},
		{"row offset forgotten", g.N0 * g.f},
		{"column offset forgotten", r0 * stride},
		{"offset forgotten: it is the first tile", 0},
	} {
		pick := func(s int) origin {
			r, x := s/g.PackedStride(), s%g.PackedStride()
			if r >= g.rows || x >= g.N*g.f {
				return origin{}
			}
			q := v.start + r*stride + x
			k, n := q/stride*g.f+q%g.f, q%stride/g.f
			if n >= g.LD {
				return origin{}
			}
			return g.source(k*g.LD + n)
		}
		if !yield(candidate{kind: KindTile, unit: g.Bits, place: pick,
			text: fmt.Sprintf("the tile at row k0=%d, column n0=%d, read from the packed whole at a wrong start (%s)", g.K0, g.N0, v.text)}) {
			return false
		}
	}
	return true
}
