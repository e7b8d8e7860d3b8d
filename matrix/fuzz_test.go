package matrix_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sgrun/sgrun/matrix"
)

// FuzzLayout gives hostile layouts and buffers to everything: nothing panics, runs on or takes memory by the numbers
// of the layout; errors are of the documented types and leave the buffers alone; what is packed agrees with the plain
// transcription, unpacks to what it was, and passes the check.
func FuzzLayout(f *testing.F) {
	source, packed := []byte("abcdefghijklmnopqrstuvwxyz0123456789"), bytes.Repeat([]byte{0xcd}, 80)
	for _, l := range [][7]int{
		{8, 4, 3, 0, 0, 0, 0}, {16, 5, 3, 0, 0, 0, 0}, {4, 9, 3, 5, 4, 0, 0}, {8, 3, 2, 5, 3, 2, 1},
		{8, math.MaxInt, math.MaxInt, 0, 0, 0, 0}, {4, 1 << 32, 1 << 32, 0, 0, 0, 0}, {16, 1, 1, math.MaxInt, math.MaxInt / 32, 0, 0},
		{8, 1, 1, 1 << 40, 0, 1 << 20, 1 << 39}, {8, 8, 1, 0, 1 << 50, 0, 0}, {-8, -1, -1, -1, -1, -1, -1}, {8, 4, 4, 4, 1 << 57, 0, 0},
		{4, 1, 2, 1 << 59, 1 << 57, 0, 0}, {4, 64, 1, 0, 1 << 54, 0, 0},
		{4, 24, 1, 0, (1<<63 - 1) / 96, 0, 0}, {16, 2, 2, 0, 0, math.MaxInt - 2, 0}, {8, 4, 2, 4, 2, 4, 2},
	} {
		f.Add(l[0], l[1], l[2], l[3], l[4], l[5], l[6], source, packed)
	}
	f.Fuzz(func(t *testing.T, bits, k, n, ld, packedLD, k0, n0 int, source, packed []byte) {
		if len(source) > 1<<12 || len(packed) > 1<<12 {
			t.Skip("larger than is of use here")
		}
		packed = slices.Clone(packed) // the fuzzing engine may keep both in one buffer, which is refused
		l := matrix.Layout{Bits: bits, K: k, N: n, LD: ld, PackedLD: packedLD, K0: k0, N0: n0}
		typed := func(err error) {
			var le *matrix.LayoutError
			var se *matrix.SizeError
			var ie *matrix.IndistinctError
			if !errors.As(err, &le) && !errors.As(err, &se) && !errors.As(err, &ie) {
				t.Fatalf("%+v: an error of no documented type: %v", l, err)
			}
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
		}
		valid := l.Validate() == nil
		if valid {
			for _, size := range []int{l.PackedRows(), l.SourceElements(), l.SourceBytes(), l.PackedWords(), l.PackedBytes(), l.PackedStride()} {
				if size < 1 {
					t.Fatalf("%+v is valid but has a size of %d", l, size)
				}
			}
		}
		for _, at := range [][2]int{{0, 0}, {k - 1, n - 1}, {k, n}, {k / 2, n / 2}} {
			word, bit := l.PackedPosition(at[0], at[1])
			if word == -1 {
				continue
			}
			if k, n, ok := l.ElementAt(word, bit); !ok || k != at[0] || n != at[1] {
				t.Fatalf("%+v: element %v is at %d, %d; there is %d, %d, %t", l, at, word, bit, k, n, ok)
			}
		}
		l.ElementAt(n, k)

		if rep, err := matrix.Check(source, packed, l, matrix.CheckOptions{SubGroupSize: 4}); err != nil {
			typed(err)
		} else if rep.String() == "" {
			t.Fatal("a report without words")
		}
		if err := matrix.FillDistinct(slices.Clone(source), l); err != nil {
			typed(err)
		}
		before := slices.Clone(packed)
		if err := matrix.PackVNNI(packed, source, l); err != nil {
			typed(err)
			if !bytes.Equal(before, packed) {
				t.Fatalf("%+v: refused, but wrote: %v", l, err)
			}
			return
		}
		if !valid {
			t.Fatalf("%+v: packed, though not valid", l)
		}
		plain(before, source, l)
		if !bytes.Equal(before, packed) {
			t.Fatalf("%+v:\n got % x\nwant % x", l, packed, before)
		}
		back := slices.Clone(source)
		if err := matrix.UnpackVNNI(back, packed, l); err != nil || !bytes.Equal(back, source) {
			t.Fatalf("%+v: unpacked to % x, %v; want % x", l, back, err, source)
		}
		rep, err := matrix.Check(source, packed, l, matrix.CheckOptions{})
		if err != nil || !rep.OK() {
			t.Fatalf("%+v: its own packing: %v %v", l, rep, err)
		}
	})
}
