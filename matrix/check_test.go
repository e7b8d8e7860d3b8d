package matrix_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/matrix"
)

func check(t *testing.T, original, packed []byte, l matrix.Layout) matrix.Report {
	t.Helper()
	rep, err := matrix.Check(original, packed, l, matrix.CheckOptions{})
	if err != nil {
		t.Fatalf("%v: %v", l, err)
	}
	return rep
}

// looks says whether a report names a kind, with the number found unless that is -1.
func looks(rep matrix.Report, kind matrix.Kind, found int) bool {
	return slices.ContainsFunc(rep.Looks, func(d matrix.Diagnosis) bool {
		return d.Kind == kind && (found == -1 || d.Found == found) || slices.Contains(d.Also, kind)
	})
}

// Every mistake, in layouts where each is something of its own, is the one thing that the report names.
func TestCheckNamesEachMistake(t *testing.T) {
	tested := map[matrix.Kind]int{}
	for _, l := range []matrix.Layout{
		{Bits: 16, K: 64, N: 16},
		{Bits: 8, K: 64, N: 16},
		{Bits: 4, K: 128, N: 16},
		{Bits: 16, K: 37, N: 12, LD: 16, PackedLD: 14},
		{Bits: 8, K: 61, N: 12, LD: 20, PackedLD: 13},
		{Bits: 4, K: 99, N: 12, LD: 16, PackedLD: 15},
		{Bits: 4, K: 67, N: 9, LD: 11},
		{Bits: 16, K: 32, N: 8, LD: 24, K0: 8, N0: 8},
		{Bits: 8, K: 35, N: 8, LD: 24, PackedLD: 9, K0: 8, N0: 4},
	} {
		original := make([]byte, l.SourceBytes()+3*l.LD)
		if err := matrix.FillDistinct(original, l); err != nil {
			t.Fatal(err)
		}
		right := newSheet(l, len(original))
		right.right()
		for _, m := range mistakes(l, len(original)) {
			s := newSheet(l, len(original))
			m.make(s)
			if !s.differs(right) {
				continue
			}
			rep := check(t, original, s.bytes(original, l.PackedBytes()), l)
			tested[m.kind]++
			if rep.Verdict != matrix.VerdictWrong || !looks(rep, m.kind, m.found) {
				t.Errorf("%v: %s: want just %s with %d found, got\n%s", l, m.name, m.kind, m.found, rep)
			}
			if rep.OK() || rep.Differ == 0 || len(rep.First) == 0 {
				t.Errorf("%v: %s: passes, or differs nowhere: %+v", l, m.name, rep)
			}
		}
	}
	for _, kind := range []matrix.Kind{
		matrix.KindRowMajor, matrix.KindWrongFactor, matrix.KindWrongWidth, matrix.KindTransposed, matrix.KindSwapped, matrix.KindLD,
		matrix.KindPackedLD, matrix.KindTile, matrix.KindPadding, matrix.KindUnpacked, matrix.KindTwice,
	} {
		if tested[kind] < 7 {
			t.Errorf("%s: tested %d times only", kind, tested[kind])
		}
	}
}

// In layouts at random, where mistakes may fall together, the report names the mistake among others, and never passes it.
func TestCheckNamesEachMistakeAmongOthers(t *testing.T) {
	for l := range layouts(t, 150) {
		original := make([]byte, l.SourceBytes())
		if err := matrix.FillDistinct(original, l); err != nil {
			t.Fatal(err)
		}
		right := newSheet(l, len(original))
		right.right()
		if rep := check(t, original, right.bytes(original, 0), l); rep.Verdict != matrix.VerdictPacked {
			t.Fatalf("%v: the right packing: %s", l, rep)
		}
		for _, m := range mistakes(l, len(original)) {
			s := newSheet(l, len(original))
			m.make(s)
			// Packings that read most of the matrix from outside the source leave nothing to go by.
			if !s.differs(right) || s.written() < l.K*l.N*l.Bits/4/2 && m.kind != matrix.KindTile {
				continue
			}
			rep := check(t, original, s.bytes(original, l.PackedBytes()), l)
			if rep.OK() || !looks(rep, m.kind, -1) && !rep.Cut {
				t.Errorf("%v: %s: want %s, got\n%s", l, m.name, m.kind, rep)
			}
		}
	}
}

// A tile taken from the packing of the whole matrix at a start that was not scaled.
func TestCheckTileOfKnownWhole(t *testing.T) {
	for _, bits := range []int{4, 8, 16} {
		f := 32 / bits
		whole := matrix.Layout{Bits: bits, K: f * (2*f*f + 8), N: 96}
		original := make([]byte, whole.SourceBytes())
		tile := matrix.Layout{Bits: bits, K: 4 * f, N: 8, LD: whole.N, K0: 2 * f * f, N0: 26}
		if err := matrix.FillDistinct(original, tile); err != nil {
			t.Fatal(err)
		}
		packedWhole := make([]byte, whole.PackedBytes())
		if err := matrix.PackVNNI(packedWhole, original, whole); err != nil {
			t.Fatal(err)
		}
		k0, n0 := tile.K0, tile.N0
		for name, start := range map[string]int{ // in elements of the packed whole
			"right":                          (k0/f*whole.N + n0) * f,
			"row offset not divided":         (k0*whole.N + n0) * f,
			"column offset not multiplied":   k0/f*whole.N*f + n0,
			"the sum taken for elements":     k0/f*whole.N + n0,
			"column offset multiplied twice": (k0/f*whole.N + n0*f) * f,
			"row offset divided twice":       (k0/f/f*whole.N + n0) * f,
			"column offset divided":          (k0/f*whole.N + n0/f) * f,
			"offset forgotten":               0,
			"row offset forgotten":           n0 * f,
			"column offset forgotten":        k0 / f * whole.N * f,
		} {
			for _, gaps := range []bool{false, true} {
				l := tile
				packed := packedWhole[start*bits/8:]
				if gaps { // the tile is looked at where it lies
					l.PackedLD = whole.N
				} else { // the tile was copied out
					packed = nil
					for r := range 4 {
						from := (start + r*whole.N*f) * bits / 8
						packed = append(packed, packedWhole[from:from+8*4]...)
					}
				}
				rep := check(t, original, packed, l)
				switch {
				case name == "right" && rep.Verdict != matrix.VerdictPacked:
					t.Errorf("%d bits, gaps %t: the right tile: %s", bits, gaps, rep)
				case name != "right" && (rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindTile, 0)):
					t.Errorf("%d bits, gaps %t: %s: %s", bits, gaps, name, rep)
				}
			}
		}
	}
}

// A packed leading dimension in elements, taken for one in words, puts most rows beyond a buffer of the right size.
func TestCheckPackedLDInElements(t *testing.T) {
	for _, bits := range []int{4, 8, 16} {
		l := matrix.Layout{Bits: bits, K: 512 / bits, N: 16}
		original := make([]byte, l.SourceBytes())
		if err := matrix.FillDistinct(original, l); err != nil {
			t.Fatal(err)
		}
		s := newSheet(l, len(original))
		s.interleave(s.f, l.N*s.f)
		rep := check(t, original, s.bytes(original, 0)[:l.PackedBytes()], l)
		// Tiles of one packed row, put at packed row k0, are the same thing.
		if rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindPackedLD, l.N*s.f) || !looks(rep, matrix.KindTile, s.f) {
			t.Errorf("%s", rep)
		}
	}
}

// K=4, N=4, 8 bits, packed with factor 2, worked by hand:
//
//	matrix  1  2  3  4      right   1 5 9 13   2 6 10 14   3 7 11 15   4 8 12 16
//	        5  6  7  8      given   1 5 2 6    3 7 4 8     9 13 10 14  11 15 12 16
//	        9 10 11 12
//	       13 14 15 16
func TestCheckFirstOutOfPlace(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 4, N: 4}
	original := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	given := []byte{1, 5, 2, 6, 3, 7, 4, 8, 9, 13, 10, 14, 11, 15, 12, 16}
	rep, err := matrix.Check(original, given, l, matrix.CheckOptions{SubGroupSize: 2, First: 3})
	if err != nil {
		t.Fatal(err)
	}
	// By row, as the matrix is read: row 0 has 2, 3, 4 out of place (words 1, 2, 3, lowest byte).
	want := []matrix.Misplaced{
		{K: 0, N: 1, Word: 1, Bit: 0, Lane: 1, Want: 2, Got: 3, From: &matrix.Position{K: 0, N: 2}},
		{K: 0, N: 2, Word: 2, Bit: 0, Lane: 0, Want: 3, Got: 9, From: &matrix.Position{K: 2, N: 0}},
		{K: 0, N: 3, Word: 3, Bit: 0, Lane: 1, Want: 4, Got: 11, From: &matrix.Position{K: 2, N: 2}},
	}
	if !reflect.DeepEqual(rep.First, want) {
		t.Errorf("first out of place: %+v, want %+v", rep.First, want)
	}
	// 1 and 5 in word 0, and 12 and 16 in word 3, are in place.
	if rep.Differ != 12 || rep.Places != 16 || !rep.Reordered || rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindWrongFactor, 2) {
		t.Errorf("%+v", rep)
	}
	for _, words := range []string{
		"This is not the VNNI packing of a matrix of 8-bit elements, K=4, N=4 (factor 4): 12 of 16 elements differ.",
		"It looks like: packed with factor 2, not 4",
		"row 0, column 1 (lane 1), word 1, bits 0 to 7: should be 0x02, is 0x03, which belongs to row 0, column 2",
	} {
		if !strings.Contains(rep.String(), words) {
			t.Errorf("the report should say %q:\n%s", words, rep)
		}
	}
}

// A matrix that does not distinguish is never the ground of a verdict.
func TestCheckSaysWhenItCannotTell(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 8, N: 8}
	ones := bytes.Repeat([]byte{1}, 64)
	rep := check(t, ones, ones, l)
	if rep.Verdict != matrix.VerdictIndistinct || !rep.OK() || !strings.Contains(rep.String(), "choose one whose elements differ") {
		t.Errorf("a constant matrix: %s", rep)
	}
	// A symmetric matrix, not packed: row-major and column-major are the same.
	var original []byte
	for k := range 8 {
		for n := range 8 {
			original = append(original, byte(1+min(k, n)*8+max(k, n)))
		}
	}
	rep = check(t, original, original, l)
	if rep.Verdict != matrix.VerdictAmbiguous || len(rep.Looks) != 2 || !looks(rep, matrix.KindRowMajor, 8) ||
		!looks(rep, matrix.KindTransposed, 0) || !strings.Contains(rep.String(), "Cannot tell") {
		t.Errorf("a symmetric matrix, row-major: %s", rep)
	}
	// Element (0, 1) should be in word 1; there stands 5, as in row 0, column 4 and row 4, column 0.
	if m := rep.First[0]; m.N != 1 || m.Got != 5 || m.From != nil {
		t.Errorf("a value that two elements have is said to come from one: %+v", m)
	}
	rep = check(t, ones, make([]byte, 64), l)
	if rep.Verdict != matrix.VerdictUnknown {
		t.Errorf("ones and zeros: %s", rep)
	}
	rep = check(t, original, bytes.Repeat([]byte{0xa5}, 64), l)
	if rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindConstant, 0xa5) {
		t.Errorf("a buffer full of poison: %s", rep)
	}
}

// One column is its own packing: nothing is wrong with it, and nothing to warn of.
func TestCheckShapeWithoutDifference(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 8, N: 1}
	column := []byte{1, 2, 3, 4, 5, 6, 7, 200}
	if rep := check(t, column, column, l); rep.Verdict != matrix.VerdictPacked {
		t.Errorf("%s", rep)
	}
}

func TestCheckUnknown(t *testing.T) {
	l := matrix.Layout{Bits: 16, K: 8, N: 8}
	rng := rand.New(rand.NewPCG(9, 10))
	original := make([]byte, l.SourceBytes())
	if err := matrix.FillDistinct(original, l); err != nil {
		t.Fatal(err)
	}
	packed := make([]byte, l.PackedBytes())
	if err := matrix.PackVNNI(packed, original, l); err != nil {
		t.Fatal(err)
	}
	one := slices.Clone(packed)
	one[9] ^= 0x80 // word 2, high byte of the low half: row 0, column 2
	rep := check(t, original, one, l)
	want := []matrix.Misplaced{{K: 0, N: 2, Word: 2, Bit: 0, Lane: 2, Want: uint32(packed[8]), Got: uint32(packed[8]) | 0x8000}}
	if rep.Verdict != matrix.VerdictUnknown || rep.Differ != 1 || rep.Reordered || !reflect.DeepEqual(rep.First, want) {
		t.Errorf("one bit flipped: %s\nwant %+v", rep, want)
	}
	shuffled := slices.Clone(packed)
	rng.Shuffle(64, func(i, j int) {
		for b := range 2 {
			shuffled[2*i+b], shuffled[2*j+b] = shuffled[2*j+b], shuffled[2*i+b]
		}
	})
	rep = check(t, original, shuffled, l)
	if rep.Verdict != matrix.VerdictUnknown || !rep.Reordered || !strings.Contains(rep.String(), "in another order") {
		t.Errorf("shuffled: %s", rep)
	}
	rep = check(t, original, random(rng, len(packed)), l)
	if rep.Verdict != matrix.VerdictUnknown || rep.Reordered || !strings.Contains(rep.String(), "other values") {
		t.Errorf("random: %s", rep)
	}
}

func TestCheckPadding(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 2, N: 2}
	original := []byte{1, 2, 3, 4}
	rep := check(t, original, []byte{1, 3, 0, 0, 2, 4, 7, 0}, l)
	if rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindPadding, 0) || rep.Differ != 1 || rep.DifferPadding != 1 {
		t.Errorf("%s", rep)
	}
	if m := rep.First[0]; !m.Padding || m.K != 2 || m.N != 1 || m.Word != 1 || m.Bit != 16 || m.Want != 0 || m.Got != 7 {
		t.Errorf("%+v", m)
	}
}

func TestCheckSizes(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 8, N: 2}
	original := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	packed := make([]byte, 16)
	if err := matrix.PackVNNI(packed, original, l); err != nil {
		t.Fatal(err)
	}
	rep := check(t, original, packed[:9], l)
	if rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindCut, 0) || rep.Missing != 7 || rep.Differ != 0 || rep.OK() {
		t.Errorf("cut off: %s", rep)
	}
	// Row-major as far as it goes, but that is two elements of sixteen: nothing to build a verdict on.
	rep = check(t, original, original[:2], l)
	if rep.Verdict != matrix.VerdictUnknown || len(rep.Looks) != 0 || rep.Missing != 14 {
		t.Errorf("two bytes: %s", rep)
	}
	// Half of it is enough.
	rep = check(t, original, original[:8], l)
	if rep.Verdict != matrix.VerdictWrong || !looks(rep, matrix.KindRowMajor, 2) {
		t.Errorf("half of the matrix, row-major: %s", rep)
	}
	rep = check(t, original, nil, l)
	if rep.Verdict != matrix.VerdictUnknown || rep.Missing != 16 || !strings.Contains(rep.String(), "empty") {
		t.Errorf("empty: %s", rep)
	}
	rep = check(t, original, append(slices.Clone(packed), 1, 2, 3), l)
	if !rep.OK() || !strings.Contains(rep.String(), "has 19 bytes, the packing takes 16") {
		t.Errorf("too long: %s", rep)
	}
	var se *matrix.SizeError
	if _, err := matrix.Check(original[:15], packed, l, matrix.CheckOptions{}); !errors.As(err, &se) || se.Buffer != "source" {
		t.Errorf("short original: %v", err)
	}
	var le *matrix.LayoutError
	for _, bad := range []struct {
		l   matrix.Layout
		opt matrix.CheckOptions
	}{{matrix.Layout{}, matrix.CheckOptions{}}, {l, matrix.CheckOptions{SubGroupSize: -1}}, {l, matrix.CheckOptions{First: -1}}} {
		if _, err := matrix.Check(original, packed, bad.l, bad.opt); !errors.As(err, &le) {
			t.Errorf("%+v: got %v, want a *LayoutError", bad, err)
		}
	}
}

// What lies in the gaps between packed rows is nobody's business.
func TestCheckIgnoresGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	l := matrix.Layout{Bits: 8, K: 16, N: 3, LD: 5, PackedLD: 4}
	original := random(rng, l.SourceBytes())
	packed := random(rng, l.PackedBytes())
	if err := matrix.PackVNNI(packed, original, l); err != nil {
		t.Fatal(err)
	}
	if rep := check(t, original, packed, l); rep.Verdict != matrix.VerdictPacked {
		t.Errorf("%s", rep)
	}
}

func TestReportJSON(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 8, N: 4}
	original := make([]byte, 32)
	if err := matrix.FillDistinct(original, l); err != nil {
		t.Fatal(err)
	}
	rep := check(t, original, original, l)
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"verdict":"wrong"`, `"layout":{"bits":8,"k":8,"n":4,"ld":4,"packed_ld":4}`, `"kind":"row-major"`,
		`{"k":0,"n":1,"word":1,"bit":0,"packed_row":0,"lane":1,"want":2,"got":5,"from":{"k":1,"n":0}}`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s should contain %s", text, part)
		}
	}
	var back matrix.Report
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, rep) {
		t.Errorf("read back: %+v, %v; want %+v", back, err, rep)
	}
}

// Matrices that are nearly all the same keep every comparison going: the search must end all the same.
func TestCheckIsBounded(t *testing.T) {
	for _, l := range []matrix.Layout{
		{Bits: 4, K: 128, N: 256}, {Bits: 8, K: 2, N: 1 << 14}, {Bits: 16, K: 1 << 14, N: 1}, {Bits: 8, K: 5, N: 1 << 13, PackedLD: 1<<13 + 1},
	} {
		original := make([]byte, l.SourceBytes())
		packed := make([]byte, l.PackedBytes())
		if rep := check(t, original, packed, l); !rep.OK() {
			t.Errorf("zeros: %s", rep)
		}
		packed[len(packed)-4] = 1
		if rep := check(t, original, packed, l); rep.OK() {
			t.Errorf("zeros with a one: %s", rep)
		}
	}
}
