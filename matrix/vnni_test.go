package matrix_test

import (
	"bytes"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sgrun/sgrun/matrix"
)

// layouts yields layouts of all widths with sizes, gaps and tile starts at random, the same ones in every run.
func layouts(t *testing.T, count int) iter.Seq[matrix.Layout] {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	return func(yield func(matrix.Layout) bool) {
		for range count {
			l := matrix.Layout{Bits: 4 << rng.IntN(3), K: 1 + rng.IntN(40), N: 1 + rng.IntN(20)}
			if rng.IntN(3) == 0 {
				l.K0, l.N0 = rng.IntN(20), rng.IntN(20)
			}
			if l.N0 > 0 || rng.IntN(2) == 0 {
				l.LD = l.N0 + l.N + rng.IntN(7)
			}
			if rng.IntN(2) == 0 {
				l.PackedLD = l.N + rng.IntN(7)
			}
			if !yield(l) {
				return
			}
		}
	}
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// The expectations are the pictures of the package comment, written out.
func TestPackByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		l      matrix.Layout
		source []byte
		packed []byte
	}{
		{"16 bits, K=4, N=3", matrix.Layout{Bits: 16, K: 4, N: 3}, []byte{
			0x0a, 0xa0, 0x0b, 0xb0, 0x0c, 0xc0,
			0x1a, 0xa1, 0x1b, 0xb1, 0x1c, 0xc1,
			0x2a, 0xa2, 0x2b, 0xb2, 0x2c, 0xc2,
			0x3a, 0xa3, 0x3b, 0xb3, 0x3c, 0xc3,
		}, []byte{
			0x0a, 0xa0, 0x1a, 0xa1, 0x0b, 0xb0, 0x1b, 0xb1, 0x0c, 0xc0, 0x1c, 0xc1,
			0x2a, 0xa2, 0x3a, 0xa3, 0x2b, 0xb2, 0x3b, 0xb3, 0x2c, 0xc2, 0x3c, 0xc3,
		}},
		{"16 bits, K=3: the last half word of each column is padding", matrix.Layout{Bits: 16, K: 3, N: 2}, []byte{
			1, 0, 2, 0,
			3, 0, 4, 0,
			5, 0, 6, 0,
		}, []byte{
			1, 0, 3, 0, 2, 0, 4, 0,
			5, 0, 0, 0, 6, 0, 0, 0,
		}},
		{"8 bits, K=4, N=3", matrix.Layout{Bits: 8, K: 4, N: 3}, []byte("abcdefghijkl"), []byte("adgjbehkcfil")},
		{"8 bits, K=5, N=2, both with gaps", matrix.Layout{Bits: 8, K: 5, N: 2, LD: 3, PackedLD: 3},
			[]byte("ab.cd.ef.gh.ij"), []byte("acegbdfh____i\x00\x00\x00j\x00\x00\x00")},
		{"8 bits, tile of 4 by 2 at row 1, column 2", matrix.Layout{Bits: 8, K: 4, N: 2, LD: 5, K0: 1, N0: 2},
			[]byte("....." + "..ab." + "..cd." + "..ef." + "..gh"), []byte("acegbdfh")},
		// 4 bits: low nibble first, so row 0 of K=8, N=2 is byte 0x10 for elements 0 and 1.
		{"4 bits, K=8, N=2", matrix.Layout{Bits: 4, K: 8, N: 2},
			[]byte{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe},
			[]byte{0x20, 0x64, 0xa8, 0xec, 0x31, 0x75, 0xb9, 0xfd}},
		// Rows of three nibbles: 1 2 3, 4 5 6, 7 8 9, the second begins in the high half of a byte.
		{"4 bits, K=3, N=3", matrix.Layout{Bits: 4, K: 3, N: 3},
			[]byte{0x21, 0x43, 0x65, 0x87, 0xf9},
			[]byte{0x41, 0x07, 0, 0, 0x52, 0x08, 0, 0, 0x63, 0x09, 0, 0}},
		// The same rows, each padded to whole bytes.
		{"4 bits, K=3, N=3, LD=4", matrix.Layout{Bits: 4, K: 3, N: 3, LD: 4},
			[]byte{0x21, 0xf3, 0x54, 0xf6, 0x87, 0xf9},
			[]byte{0x41, 0x07, 0, 0, 0x52, 0x08, 0, 0, 0x63, 0x09, 0, 0}},
		{"4 bits, tile at row 1, column 1: an odd start", matrix.Layout{Bits: 4, K: 2, N: 1, LD: 3, K0: 1, N0: 1},
			[]byte{0xff, 0xff, 0xf5, 0x8f}, []byte{0x85, 0, 0, 0}},
	} {
		got := bytes.Repeat([]byte{'_'}, len(c.packed))
		if err := matrix.PackVNNI(got, c.source, c.l); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !bytes.Equal(got, c.packed) {
			t.Errorf("%s:\n got % x\nwant % x", c.name, got, c.packed)
		}
		back := slices.Clone(c.source) // whatever is not an element stays
		if err := matrix.UnpackVNNI(back, c.packed, c.l); err != nil || !bytes.Equal(back, c.source) {
			t.Errorf("%s: unpacked:\n got % x, %v\nwant % x", c.name, back, err, c.source)
		}
	}
}

// plain is a second transcription of the rule, bit by bit: bit b of element (k, n) is bit (k%F)*bits + b of word
// (k/F)*PackedLD + n. Places that are not written are kept.
func plain(packed, source []byte, l matrix.Layout) {
	ld, packedLD := l.LD, l.PackedLD
	if ld == 0 {
		ld = l.N
	}
	if packedLD == 0 {
		packedLD = l.N
	}
	put := func(bit int, v bool) {
		packed[bit/8] &^= 1 << (bit % 8)
		if v {
			packed[bit/8] |= 1 << (bit % 8)
		}
	}
	f := 32 / l.Bits
	for n := range l.N {
		for k := 0; k < l.K || k%f != 0; k++ {
			for b := range l.Bits {
				from := ((l.K0+k)*ld+l.N0+n)*l.Bits + b
				to := 32*((k/f)*packedLD+n) + k%f*l.Bits + b
				put(to, k < l.K && source[from/8]>>(from%8)&1 == 1)
			}
		}
	}
}

func TestPackAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for l := range layouts(t, 500) {
		source := random(rng, l.SourceBytes()+rng.IntN(3))
		want := random(rng, l.PackedBytes()+rng.IntN(9))
		got := slices.Clone(want)
		plain(want, source, l)
		if err := matrix.PackVNNI(got, source, l); err != nil {
			t.Fatalf("%v: %v", l, err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%v: PackVNNI\n got % x\nwant % x", l, got, want)
		}
	}
}

// Unpacking gives the elements back, and leaves alone what is not an element.
func TestUnpackIsInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for l := range layouts(t, 500) {
		source := random(rng, l.SourceBytes())
		packed := make([]byte, l.PackedBytes())
		if err := matrix.PackVNNI(packed, source, l); err != nil {
			t.Fatal(err)
		}
		back := slices.Clone(source)
		other := random(rng, len(source))
		before := slices.Clone(other)
		for _, dst := range [][]byte{back, other} {
			if err := matrix.UnpackVNNI(dst, packed, l); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(back, source) {
			t.Fatalf("%v: not the source again", l)
		}
		normal := l.Normal()
		for i := range len(other) * 8 / l.Bits {
			k, n := i/normal.LD-l.K0, i%normal.LD-l.N0
			want := nibbles(before, i, l.Bits)
			if k >= 0 && k < l.K && n >= 0 && n < l.N {
				want = nibbles(source, i, l.Bits)
			}
			if got := nibbles(other, i, l.Bits); got != want {
				t.Fatalf("%v: element %d of the destination is %#x, want %#x", l, i, got, want)
			}
		}
	}
}

// nibbles reads an element of any width nibble by nibble.
func nibbles(b []byte, i, bits int) (v uint32) {
	for q := range bits / 4 {
		at := i*bits/4 + q
		v |= uint32(b[at/2]>>(at%2*4)&15) << (4 * q)
	}
	return v
}

func TestPositionAgreesWithPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for l := range layouts(t, 200) {
		source := random(rng, l.SourceBytes())
		packed := make([]byte, l.PackedBytes())
		if err := matrix.PackVNNI(packed, source, l); err != nil {
			t.Fatal(err)
		}
		for k := range l.K {
			for n := range l.N {
				word, bit := l.PackedPosition(k, n)
				got := nibbles(packed, word*32/l.Bits+bit/l.Bits, l.Bits)
				want := nibbles(source, (l.K0+k)*l.Normal().LD+l.N0+n, l.Bits)
				if got != want {
					t.Fatalf("%v: row %d, column %d: %#x at word %d, bit %d; want %#x", l, k, n, got, word, bit, want)
				}
			}
		}
	}
}

func TestPackSlice(t *testing.T) {
	l := matrix.Layout{K: 3, N: 2}
	words := make([]uint32, 4)
	if err := matrix.PackSlice(words, []uint16{1, 2, 3, 4, 5, 0xfffe}, l); err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0x0003_0001, 0x0004_0002, 0x0000_0005, 0x0000_fffe}; !slices.Equal(words, want) {
		t.Errorf("uint16: %#x, want %#x", words, want)
	}
	l = matrix.Layout{K: 5, N: 1}
	words = make([]uint32, 2)
	if err := matrix.PackSlice(words, []int8{-1, 2, -3, 4, -5}, l); err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0x04_fd_02_ff, 0xfb}; !slices.Equal(words, want) {
		t.Errorf("int8: %#x, want %#x", words, want)
	}
	back := make([]int8, 5)
	if err := matrix.UnpackSlice(back, words, l); err != nil {
		t.Fatal(err)
	}
	if want := []int8{-1, 2, -3, 4, -5}; !slices.Equal(back, want) {
		t.Errorf("int8 unpacked: %d, want %d", back, want)
	}
	var le *matrix.LayoutError
	if err := matrix.PackSlice(words, []uint8{1}, matrix.Layout{Bits: 4, K: 1, N: 1}); !errors.As(err, &le) {
		t.Errorf("4 bits in a slice of bytes: got %v, want a *LayoutError", err)
	}
	var se *matrix.SizeError
	err := matrix.PackSlice(words[:1], []int8{1, 2, 3, 4, 5}, l)
	if !errors.As(err, &se) || se.Buffer != "packed" || se.Need != 2 || se.Unit != "words" {
		t.Errorf("one word too few: got %v", err)
	}
	err = matrix.UnpackSlice(back[:4], words, l)
	if !errors.As(err, &se) || se.Buffer != "source" || se.Need != 5 || se.Unit != "elements" {
		t.Errorf("one element too few: got %v", err)
	}
}

func TestNibbles(t *testing.T) {
	joined := matrix.JoinNibbles([]byte{1, 0xf2, 3})
	if !bytes.Equal(joined, []byte{0x21, 0x03}) {
		t.Errorf("joined: % x, want 21 03", joined)
	}
	if split := matrix.SplitNibbles([]byte{0x21, 0x03}); !bytes.Equal(split, []byte{1, 2, 3, 0}) {
		t.Errorf("split: % x, want 01 02 03 00", split)
	}
}

func TestPackErrors(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 4, N: 3}
	buf := make([]byte, 40)
	var se *matrix.SizeError
	for name, pack := range map[string]func(packed, source []byte) error{
		"pack":   func(packed, source []byte) error { return matrix.PackVNNI(packed, source, l) },
		"unpack": func(packed, source []byte) error { return matrix.UnpackVNNI(source, packed, l) },
	} {
		if err := pack(buf[:12], buf[20:31]); !errors.As(err, &se) || se.Buffer != "source" || se.Need != 12 || se.Have != 11 {
			t.Errorf("%s with a short source: %v", name, err)
		}
		if err := pack(buf[:11], buf[20:32]); !errors.As(err, &se) || se.Buffer != "packed" || se.Need != 12 || se.Have != 11 {
			t.Errorf("%s with a short packed buffer: %v", name, err)
		}
		if err := pack(buf[:12], buf[11:23]); !errors.Is(err, matrix.ErrOverlap) {
			t.Errorf("%s in buffers that overlap by a byte: %v", name, err)
		}
		if err := pack(buf[:12], buf[12:24]); err != nil {
			t.Errorf("%s in buffers that touch: %v", name, err)
		}
	}
	bad := matrix.Layout{Bits: 8, K: 1 << 40, N: 1 << 40}
	var le *matrix.LayoutError
	if err := matrix.PackVNNI(buf, buf, bad); !errors.As(err, &le) {
		t.Errorf("a huge matrix: %v", err)
	}
	far := matrix.Layout{Bits: 8, K: 8, N: 1, PackedLD: 1 << 50}
	if err := matrix.PackVNNI(buf, buf[20:], far); !errors.As(err, &se) || se.Need != 4<<50+4 {
		t.Errorf("a packed row far away: %v", err)
	}
}

func BenchmarkPackVNNI(b *testing.B) {
	for _, bits := range []int{4, 8, 16} {
		l := matrix.Layout{Bits: bits, K: 1024, N: 1024}
		src, dst := make([]byte, l.SourceBytes()), make([]byte, l.PackedBytes())
		b.Run(map[int]string{4: "i4", 8: "i8", 16: "i16"}[bits], func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := matrix.PackVNNI(dst, src, l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
