package matrix_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/matrix"
)

func TestValidate(t *testing.T) {
	const huge = math.MaxInt
	for _, c := range []struct {
		name  string
		l     matrix.Layout
		field string // "" if valid
		words string
	}{
		{"plain", matrix.Layout{Bits: 8, K: 4, N: 3}, "", ""},
		{"one element", matrix.Layout{Bits: 4, K: 1, N: 1}, "", ""},
		{"tile", matrix.Layout{Bits: 16, K: 4, N: 4, LD: 8, K0: 8, N0: 4}, "", ""},
		{"no width", matrix.Layout{K: 4, N: 3}, "Bits", "4, 8 or 16"},
		{"width 32", matrix.Layout{Bits: 32, K: 4, N: 3}, "Bits", "not packed"},
		{"width -8", matrix.Layout{Bits: -8, K: 4, N: 3}, "Bits", ""},
		{"no rows", matrix.Layout{Bits: 8, N: 3}, "K", "at least one row"},
		{"negative rows", matrix.Layout{Bits: 8, K: -1, N: 3}, "K", ""},
		{"no columns", matrix.Layout{Bits: 8, K: 3}, "N", "at least one column"},
		{"LD below N", matrix.Layout{Bits: 8, K: 4, N: 3, LD: 2}, "LD", "at least 3"},
		{"LD negative", matrix.Layout{Bits: 8, K: 4, N: 3, LD: -3}, "LD", ""},
		{"tile without LD", matrix.Layout{Bits: 8, K: 4, N: 3, N0: 1}, "LD", "at least 4"},
		{"PackedLD below N", matrix.Layout{Bits: 8, K: 4, N: 3, PackedLD: 2}, "PackedLD", "32-bit words"},
		{"K0 negative", matrix.Layout{Bits: 8, K: 4, N: 3, K0: -1}, "K0", ""},
		{"N0 negative", matrix.Layout{Bits: 8, K: 4, N: 3, N0: -1}, "N0", ""},
		{"K huge", matrix.Layout{Bits: 8, K: huge, N: 1}, "K", "too large"},
		{"N huge", matrix.Layout{Bits: 4, K: 2, N: huge}, "LD", "too large"},
		{"both huge", matrix.Layout{Bits: 16, K: huge / 2, N: huge / 2}, "LD", "too large"},
		{"product wraps to a small number", matrix.Layout{Bits: 8, K: 1 << 32, N: 1 << 32}, "LD", "too large"},
		{"LD huge", matrix.Layout{Bits: 8, K: 2, N: 1, LD: huge}, "LD", "too large"},
		{"PackedLD huge", matrix.Layout{Bits: 8, K: 5, N: 1, PackedLD: huge / 8}, "PackedLD", "too large"},
		{"K0 huge", matrix.Layout{Bits: 8, K: 1, N: 1, K0: huge}, "K0", ""},
		{"N0 huge", matrix.Layout{Bits: 8, K: 1, N: 1, N0: huge, LD: 1}, "N0", ""},
	} {
		err := c.l.Validate()
		var le *matrix.LayoutError
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.field == "":
		case !errors.As(err, &le):
			t.Errorf("%s: got %v, want a *LayoutError for %s", c.name, err, c.field)
		case le.Field != c.field || !strings.Contains(le.Error(), c.words):
			t.Errorf("%s: got %q, want it to be about %s and to say %q", c.name, err, c.field, c.words)
		}
	}
}

// The numbers are worked by hand from the picture of each layout.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		l                                       matrix.Layout
		factor, rows, elements, src, words, dst int
	}{
		{matrix.Layout{Bits: 16, K: 4, N: 3}, 2, 2, 12, 24, 6, 24},
		{matrix.Layout{Bits: 16, K: 5, N: 3}, 2, 3, 15, 30, 9, 36},
		{matrix.Layout{Bits: 8, K: 4, N: 3}, 4, 1, 12, 12, 3, 12},
		{matrix.Layout{Bits: 8, K: 9, N: 2, LD: 5, PackedLD: 7}, 4, 3, 8*5 + 2, 42, 2*7 + 2, 64},
		{matrix.Layout{Bits: 4, K: 3, N: 3}, 8, 1, 9, 5, 3, 12},          // 9 nibbles are 4.5 bytes
		{matrix.Layout{Bits: 4, K: 9, N: 3, LD: 5}, 8, 2, 43, 22, 6, 24}, // 8*5+3 nibbles
		{matrix.Layout{Bits: 8, K: 4, N: 4, LD: 16, K0: 8, N0: 12}, 4, 1, 11*16 + 16, 192, 4, 16},
	} {
		if got := c.l.Factor(); got != c.factor {
			t.Errorf("%v: factor %d, want %d", c.l, got, c.factor)
		}
		got := [5]int{c.l.PackedRows(), c.l.SourceElements(), c.l.SourceBytes(), c.l.PackedWords(), c.l.PackedBytes()}
		want := [5]int{c.rows, c.elements, c.src, c.words, c.dst}
		if got != want {
			t.Errorf("%v: packed rows, source elements, source bytes, packed words, packed bytes are %v, want %v", c.l, got, want)
		}
	}
	if got := (matrix.Layout{Bits: 8, K: 8, N: 3, PackedLD: 5}).PackedStride(); got != 20 {
		t.Errorf("packed stride %d elements, want 5 words of 4", got)
	}
}

func TestPosition(t *testing.T) {
	l := matrix.Layout{Bits: 8, K: 6, N: 3, PackedLD: 5}
	for _, c := range []struct{ k, n, word, bit int }{
		{0, 0, 0, 0}, {1, 0, 0, 8}, {3, 2, 2, 24}, {4, 0, 5, 0}, {5, 2, 7, 8},
		{6, 0, -1, -1}, {-1, 0, -1, -1}, {0, 3, -1, -1}, {0, -1, -1, -1},
	} {
		if word, bit := l.PackedPosition(c.k, c.n); word != c.word || bit != c.bit {
			t.Errorf("row %d, column %d: word %d, bit %d; want %d, %d", c.k, c.n, word, bit, c.word, c.bit)
		}
	}
	for _, c := range []struct {
		name      string
		word, bit int
	}{
		{"the gap between packed rows", 3, 0}, {"the padding", 5, 16}, {"the middle of an element", 0, 4},
		{"after the end", 8, 0}, {"a far word", math.MaxInt, 0}, {"a negative word", -1, 0}, {"bit 32", 0, 32}, {"bit -8", 0, -8},
	} {
		if k, n, ok := l.ElementAt(c.word, c.bit); ok || k != -1 || n != -1 {
			t.Errorf("%s: ElementAt(%d, %d) = %d, %d, %t; want no element", c.name, c.word, c.bit, k, n, ok)
		}
	}
	var none matrix.Layout
	if word, bit := none.PackedPosition(0, 0); word != -1 || bit != -1 {
		t.Errorf("a layout that is not valid has element 0, 0 at %d, %d", word, bit)
	}
	if _, _, ok := none.ElementAt(0, 0); ok {
		t.Error("a layout that is not valid has an element")
	}
}

// Every element has a place of its own, and ElementAt finds it again; there are no others.
func TestPositionInverse(t *testing.T) {
	for l := range layouts(t, 200) {
		found := 0
		for word := range l.PackedWords() + 2 {
			for bit := range 32 {
				k, n, ok := l.ElementAt(word, bit)
				if !ok {
					continue
				}
				found++
				if w, b := l.PackedPosition(k, n); w != word || b != bit {
					t.Fatalf("%v: element %d, %d found at %d, %d is placed at %d, %d", l, k, n, word, bit, w, b)
				}
			}
		}
		if found != l.K*l.N {
			t.Fatalf("%v: %d elements found, want %d", l, found, l.K*l.N)
		}
	}
}
