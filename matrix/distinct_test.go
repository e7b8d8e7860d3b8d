package matrix_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sgrun/sgrun/matrix"
)

// On these matrices no wrong packing equals the right one, as the transcriptions in wrongs_test.go make them.
func TestDistinctTellsAllApart(t *testing.T) {
	var all []matrix.Layout
	for _, bits := range []int{4, 8, 16} {
		for k := 1; k <= 34; k++ {
			for _, n := range []int{1, 2, 3, 7, 8} {
				all = append(all, matrix.Layout{Bits: bits, K: k, N: n})
			}
		}
		all = append(all, matrix.Layout{Bits: bits, K: 64, N: 16}, matrix.Layout{Bits: bits, K: 70, N: 24, LD: 28, PackedLD: 32})
	}
	for l := range layouts(t, 150) {
		all = append(all, l)
	}
	told := map[matrix.Kind]int{}
	for _, l := range all {
		source := make([]byte, l.SourceBytes())
		if err := matrix.FillDistinct(source, l); err != nil {
			t.Fatal(err)
		}
		right := newSheet(l, len(source))
		right.right()
		want := right.bytes(source, 0)
		for _, m := range mistakes(l, len(source)) {
			wrong := newSheet(l, len(source))
			m.make(wrong)
			if !wrong.differs(right) {
				continue // the same for every matrix of this shape
			}
			got := wrong.bytes(source, len(want))
			same := true
			for at, v := range right.nib {
				if v != unwritten && at < len(wrong.nib) && wrong.nib[at] != unwritten && nibbles(got, at, 4) != nibbles(want, at, 4) {
					same = false
					break
				}
			}
			if same {
				t.Errorf("%v: %q equals the right packing", l, m.name)
			}
			told[m.kind]++
		}
	}
	for _, kind := range []matrix.Kind{
		matrix.KindRowMajor, matrix.KindWrongFactor, matrix.KindWrongWidth, matrix.KindTransposed, matrix.KindSwapped, matrix.KindLD,
		matrix.KindPackedLD, matrix.KindTile, matrix.KindPadding, matrix.KindUnpacked, matrix.KindTwice,
	} {
		if told[kind] < 100 {
			t.Errorf("%s: tried %d times only", kind, told[kind])
		}
	}
}

func TestDistinctElements(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 4, N: 3}
	small := make([]byte, 12)
	if err := matrix.FillDistinct(small, l); err != nil {
		t.Fatal(err)
	}
	if want := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !bytes.Equal(small, want) {
		t.Errorf("a small matrix is %d, want %d", small, want)
	}
	// Each run of 2^bits-1 elements has every value but zero.
	for _, bits := range []int{4, 8, 16} {
		run := 1<<bits - 1
		l := matrix.Layout{Bits: bits, K: 3, N: run}
		buf := make([]byte, l.SourceBytes())
		if err := matrix.FillDistinct(buf, l); err != nil {
			t.Fatal(err)
		}
		for start := 0; start+run <= len(buf)*8/bits; start += run {
			seen := make([]bool, 1<<bits)
			for i := range run {
				v := nibbles(buf, start+i, bits)
				if v == 0 || seen[v] {
					t.Fatalf("%d bits: element %d is %#x, which is zero or there before in its run", bits, start+i, v)
				}
				seen[v] = true
			}
		}
	}
	again := make([]byte, 12)
	if err := matrix.FillDistinct(again, l); err != nil || !bytes.Equal(again, small) {
		t.Errorf("the same layout gave % x and % x, %v", small, again, err)
	}
}

func TestDistinctErrors(t *testing.T) {
	var le *matrix.LayoutError
	if err := matrix.FillDistinct(nil, matrix.Layout{Bits: 8, K: 1 << 40, N: 1 << 40}); !errors.As(err, &le) {
		t.Errorf("a huge matrix: %v", err)
	}
	var se *matrix.SizeError
	if err := matrix.FillDistinct(make([]byte, 11), matrix.Layout{Bits: 8, K: 4, N: 3}); !errors.As(err, &se) {
		t.Errorf("a short buffer: %v", err)
	}
}
