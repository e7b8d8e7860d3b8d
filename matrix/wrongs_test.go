package matrix_test

import (
	"bytes"
	"fmt"

	"github.com/sgrun/sgrun/matrix"
)

// A second transcription of every wrong packing, independent of the package: here a loop over the elements writes each
// one where the mistaken program would, into a sheet of nibbles. A nibble on the sheet is the number of the nibble of the
// source that stands there, or one of these:
const (
	unwritten = -1
	zero      = -2
	signOf    = 1 << 40 // signOf + i: all ones if nibble i of the source has its top bit set, else zero
)

type sheet struct {
	matrix.Layout
	f, rows, src int // factor, packed rows, elements of the source buffer
	nib          []int
}

func newSheet(l matrix.Layout, sourceBytes int) *sheet {
	l = l.Normal()
	f := 32 / l.Bits
	return &sheet{Layout: l, f: f, rows: (l.K + f - 1) / f, src: sourceBytes * 8 / l.Bits}
}

func (s *sheet) setNibble(at, v int) {
	for len(s.nib) <= at {
		s.nib = append(s.nib, unwritten)
	}
	s.nib[at] = v
}

// put writes source element i at place `at`, counted in elements.
func (s *sheet) put(at, i int) {
	if i < 0 || i >= s.src {
		return
	}
	c := s.Bits / 4
	for q := range c {
		s.setNibble(at*c+q, i*c+q)
	}
}

func (s *sheet) clear(at int) {
	for q := range s.Bits / 4 {
		s.setNibble(at*s.Bits/4+q, zero)
	}
}

// index is the source index of element (k, n).
func (s *sheet) index(k, n int) int { return (s.K0+k)*s.LD + s.N0 + n }

// bytes returns the sheet as a buffer of at least `least` bytes, the unwritten places filled with 0xcd.
func (s *sheet) bytes(source []byte, least int) []byte {
	size := max(least, (len(s.nib)+1)/2)
	out := bytes.Repeat([]byte{0xcd}, size)
	nibble := func(i int) int { return int(source[i/2]>>(i%2*4)) & 15 }
	for at, v := range s.nib {
		switch {
		case v == unwritten:
			continue
		case v == zero:
			v = 0
		case v >= signOf:
			v = nibble(v-signOf) >> 3 * 15
		default:
			v = nibble(v)
		}
		out[at/2] = out[at/2]&^(15<<(at%2*4)) | byte(v)<<(at%2*4)
	}
	return out
}

// written counts the nibbles that something was written to.
func (s *sheet) written() (n int) {
	for _, v := range s.nib {
		if v != unwritten {
			n++
		}
	}
	return n
}

// differs says whether two sheets write something else at some place of the packing.
func (s *sheet) differs(right *sheet) bool {
	for at, v := range right.nib {
		if v != unwritten && at < len(s.nib) && s.nib[at] != unwritten && s.nib[at] != v {
			return true
		}
	}
	return false
}

// interleave packs with factor f, the groups of rows `stride` groups apart.
func (s *sheet) interleave(f, stride int) {
	for k := 0; k < s.K || k%f != 0; k++ {
		for n := range s.N {
			at := (k/f*stride+n)*f + k%f
			if k < s.K {
				s.put(at, s.index(k, n))
			} else {
				s.clear(at)
			}
		}
	}
}

func (s *sheet) right() { s.interleave(s.f, s.PackedLD) }

// moved is the right packing with nibble i of each word moved to place to(i).
func (s *sheet) moved(to func(i int) int) {
	s.right()
	for w := 0; w < len(s.nib)/8; w++ {
		var word [8]int
		copy(word[:], s.nib[w*8:])
		for i, v := range word {
			s.nib[w*8+to(i)] = v
		}
	}
}

// mistake is one wrong packing with the kind that Check should name and the number it should find.
type mistake struct {
	name  string
	kind  matrix.Kind
	found int
	make  func(s *sheet)
}

// mistakes lists the wrong packings there are for a layout.
func mistakes(l matrix.Layout, sourceBytes int) []mistake {
	g := newSheet(l, sourceBytes)
	list := []mistake{
		{"row-major copied with its gaps", matrix.KindRowMajor, g.LD, func(s *sheet) {
			for k := range s.K {
				for n := range s.N {
					s.put(k*s.LD+n, s.index(k, n))
				}
			}
		}},
		{"row-major without gaps", matrix.KindRowMajor, g.N, func(s *sheet) { s.interleave(1, s.N) }},
		{"transposed, then packed", matrix.KindTransposed, 0, func(s *sheet) {
			for n := 0; n < s.N || n%s.f != 0; n++ {
				for k := range s.K {
					at := (n/s.f*s.K+k)*s.f + n%s.f
					if n < s.N {
						s.put(at, s.index(k, n))
					} else {
						s.clear(at)
					}
				}
			}
		}},
		{"column-major, not packed", matrix.KindTransposed, 0, func(s *sheet) {
			for n := range s.N {
				for k := range s.K {
					s.put(n*s.K+k, s.index(k, n))
				}
			}
		}},
		{"elements reversed", matrix.KindSwapped, g.f - 1, func(s *sheet) {
			c := s.Bits / 4
			s.moved(func(i int) int { return (s.f-1-i/c)*c + i%c })
		}},
		{"bytes of the words reversed", matrix.KindSwapped, map[int]int{4: 6, 8: 3, 16: 0}[l.Bits], func(s *sheet) {
			s.moved(func(i int) int { return (3-i/2)*2 + i%2 })
		}},
		{"packed twice", matrix.KindTwice, 0, func(s *sheet) {
			once := newSheet(l, sourceBytes)
			once.right()
			s.right()
			c := s.Bits / 4
			for k := range s.K {
				for n := range s.N {
					for q := range c {
						v := unwritten
						if from := (k*s.N+n)*c + q; from < len(once.nib) {
							v = once.nib[from]
						}
						s.setNibble(((k/s.f*s.PackedLD+n)*s.f+k%s.f)*c+q, v)
					}
				}
			}
		}},
	}
	if l.K0 == 0 && l.N0 == 0 {
		list = append(list, mistake{"unpacked instead of packed", matrix.KindUnpacked, 0, func(s *sheet) {
			for k := range s.K {
				for n := range s.N {
					s.put(k*s.N+n, (k/s.f*s.PackedLD+n)*s.f+k%s.f)
				}
			}
		}}, mistake{"read as column-major", matrix.KindTransposed, g.K, func(s *sheet) {
			s.right()
			for k := range s.K {
				for n := range s.N {
					s.put((k/s.f*s.PackedLD+n)*s.f+k%s.f, n*s.K+k)
				}
			}
		}})
	}
	if l.Bits == 16 {
		list = append(list, mistake{"bytes of the elements exchanged", matrix.KindSwapped, 0, func(s *sheet) {
			s.moved(func(i int) int { return (i/2^1)*2 + i%2 })
		}})
	}
	if l.Bits == 4 {
		list = append(list, mistake{"high nibble first", matrix.KindSwapped, 1, func(s *sheet) {
			s.moved(func(i int) int { return i ^ 1 })
		}})
	}
	for _, f := range []int{2, 4, 8, 16} {
		if f != g.f {
			list = append(list, mistake{fmt.Sprintf("factor %d", f), matrix.KindWrongFactor, f,
				func(s *sheet) { s.interleave(f, s.PackedLD) }})
		}
	}
	list = append(list, widths(g)...)
	list = append(list, distances(g)...)
	list = append(list, paddings(g)...)
	return append(list, tiles(g)...)
}

func widths(g *sheet) (list []mistake) {
	for _, width := range []int{8, 16} {
		if c := width / g.Bits; c > 1 {
			for fill, sign := range map[string]bool{"zero": false, "sign": true} {
				list = append(list, mistake{fmt.Sprintf("%s-extended to %d bits", fill, width), matrix.KindWrongWidth, width, func(s *sheet) {
					f := 32 / width
					for k := 0; k < s.K || k%f != 0; k++ {
						for n := range s.N {
							at := ((k/f*s.PackedLD+n)*f + k%f) * c
							for q := range c {
								s.clear(at + q)
							}
							if k >= s.K {
								continue
							}
							s.put(at, s.index(k, n))
							for q := s.Bits / 4; sign && q < width/4; q++ {
								s.setNibble(at*s.Bits/4+q, signOf+(s.index(k, n)+1)*s.Bits/4-1)
							}
						}
					}
				}})
			}
			if g.N%c == 0 && g.LD%c == 0 && g.index(0, 0)%c == 0 {
				list = append(list, mistake{fmt.Sprintf("as %d-bit elements", width), matrix.KindWrongWidth, width, func(s *sheet) {
					f := 32 / width
					for k := 0; k < s.K || k%f != 0; k++ {
						for n := range s.N {
							at := ((k/f*(s.N/c)+n/c)*f+k%f)*c + n%c
							if k < s.K {
								s.put(at, s.index(k, n))
							} else {
								s.clear(at)
							}
						}
					}
				}})
			}
		}
	}
	for _, width := range []int{4, 8} {
		if width < g.Bits {
			list = append(list, mistake{fmt.Sprintf("as %d-bit elements", width), matrix.KindWrongWidth, width, func(s *sheet) {
				c, f, nibbles := s.Bits/width, 32/width, width/4
				for k := 0; k < s.K || k%f != 0; k++ {
					for n := range s.N * c {
						for q := range nibbles {
							v := zero
							if k < s.K {
								v = (s.index(k, 0)*c+n)*nibbles + q
							}
							s.setNibble(((k/f*s.N*c+n)*f+k%f)*nibbles+q, v)
						}
					}
				}
			}})
		}
	}
	return list
}

func distances(g *sheet) (list []mistake) {
	for _, ld := range []int{0, 1, g.N - 1, g.N, g.N + 1, g.LD + 2, g.LD + g.N, 2 * g.LD} {
		if ld < 0 || ld == g.LD || (g.K0+g.K/2)*ld+g.N0+g.N > g.src {
			continue
		}
		list = append(list, mistake{fmt.Sprintf("source leading dimension %d", ld), matrix.KindLD, ld, func(s *sheet) {
			s.LD = ld
			s.right()
		}})
	}
	for _, ld := range []int{g.N, g.N + 1, g.PackedLD + 1, g.PackedLD + 3, g.PackedLD * g.f} {
		if ld == g.PackedLD {
			continue
		}
		list = append(list, mistake{fmt.Sprintf("packed leading dimension %d", ld), matrix.KindPackedLD, ld,
			func(s *sheet) { s.interleave(s.f, ld) }})
	}
	return list
}

func paddings(g *sheet) (list []mistake) {
	if g.K%g.f == 0 {
		return nil
	}
	pad := func(name string, fill func(s *sheet, at, k, n int)) {
		list = append(list, mistake{"padding: " + name, matrix.KindPadding, 0, func(s *sheet) {
			s.right()
			for k := s.K; k%s.f != 0; k++ {
				for n := range s.N {
					fill(s, (k/s.f*s.PackedLD+n)*s.f+k%s.f, k, n)
				}
			}
		}})
	}
	pad("the last row again", func(s *sheet, at, _, n int) { s.put(at, s.index(s.K-1, n)) })
	pad("the rows from the first", func(s *sheet, at, k, n int) { s.put(at, s.index(k%s.K, n)) })
	pad("what follows in the source", func(s *sheet, at, k, n int) { s.put(at, s.index(k, n)) })
	pad("the sign", func(s *sheet, at, _, n int) {
		for q := range s.Bits / 4 {
			s.setNibble(at*s.Bits/4+q, signOf+(s.index(s.K-1, n)+1)*s.Bits/4-1)
		}
	})
	return list
}

func tiles(g *sheet) (list []mistake) {
	for m := 1; m < g.rows && m <= 4; m++ {
		add := func(name string, make func(s *sheet)) {
			list = append(list, mistake{fmt.Sprintf("tiles of %d rows: %s", m*g.f, name), matrix.KindTile, m * g.f, make})
		}
		// one packs the rows from k on into packed row r.
		one := func(s *sheet, r, k int) {
			for n := range s.N {
				for j := range s.f {
					if at := (r*s.PackedLD+n)*s.f + j; k+j < s.K {
						s.put(at, s.index(k+j, n))
					} else if k < s.K {
						s.clear(at)
					}
				}
			}
		}
		add("put at packed row k0", func(s *sheet) {
			for k0 := 0; k0 < s.K; k0 += m * s.f {
				for r := range m {
					one(s, k0+r, k0+r*s.f)
				}
			}
		})
		add("taken from packed row k0", func(s *sheet) {
			for k0 := 0; k0 < s.K; k0 += m * s.f {
				for r := k0 / s.f; r < k0/s.f+m && r < s.rows; r++ {
					one(s, r, (k0+r-k0/s.f)*s.f)
				}
			}
		})
		add("taken from source row k0/F", func(s *sheet) {
			for k0 := 0; k0 < s.K; k0 += m * s.f {
				for r := k0 / s.f; r < k0/s.f+m && r < s.rows; r++ {
					one(s, r, k0/s.f+(r-k0/s.f)*s.f)
				}
			}
		})
	}
	for width := 1; width < g.N; width++ {
		if g.N%width != 0 {
			continue
		}
		list = append(list, mistake{fmt.Sprintf("tiles of %d columns put at element n0", width), matrix.KindTile, width, func(s *sheet) {
			for n0 := 0; n0 < s.N; n0 += width {
				for k := range s.rows * s.f {
					for n := n0; n < n0+width; n++ {
						at := k/s.f*s.PackedLD*s.f + n0 + (n-n0)*s.f + k%s.f
						if k < s.K {
							s.put(at, s.index(k, n))
						} else {
							s.clear(at)
						}
					}
				}
			}
		}})
	}
	return list
}
