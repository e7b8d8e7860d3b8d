package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels/oracle"
)

func mustType(t *testing.T, text string) Type {
	t.Helper()
	typ, err := ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestSpecificationExamples holds against the four worked examples of SPV_INTEL_subgroup_bitcast_shuffle, revision 1,
// section Examples, copied from there by hand.
func TestSpecificationExamples(t *testing.T) {
	for _, c := range []struct {
		from, to        string
		operand, result string
	}{
		{"u32", "v2u16",
			"0|1 2|3 4|5 6|7 8|9 10|11 12|13 14|15",
			"<0,8> <1,9> <2,10> <3,11> <4,12> <5,13> <6,14> <7,15>"},
		{"v2u16", "u32",
			"<0,1> <2,3> <4,5> <6,7> <8,9> <10,11> <12,13> <14,15>",
			"0|2 4|6 8|10 12|14 1|3 5|7 9|11 13|15"},
		{"u32", "v4u8",
			"0|1|2|3 4|5|6|7 8|9|10|11 12|13|14|15",
			"<0,4,8,12> <1,5,9,13> <2,6,10,14> <3,7,11,15>"},
		{"v4u8", "u32",
			"<0,1,2,3> <4,5,6,7> <8,9,10,11> <12,13,14,15>",
			"0|4|8|12 1|5|9|13 2|6|10|14 3|7|11|15"},
	} {
		want := strings.Fields(c.operand)
		b, err := NewBitcastShuffle(mustType(t, c.from), mustType(t, c.to), len(want))
		if err != nil {
			t.Fatal(err)
		}
		var operand, result []string
		for lane := range want {
			operand = append(operand, b.Operand(lane))
			result = append(result, b.Result(lane))
		}
		if got := strings.Join(operand, " "); got != c.operand {
			t.Errorf("%s to %s: operand\n got %s\nwant %s", c.from, c.to, got, c.operand)
		}
		if got := strings.Join(result, " "); got != c.result {
			t.Errorf("%s to %s: result\n got %s\nwant %s", c.from, c.to, got, c.result)
		}
	}
}

// oraclePairs are both directions of every row of the oracle's own copy of the table Supported Types.
func oraclePairs() [][2]oracle.Type {
	var pairs [][2]oracle.Type
	for _, p := range oracle.SupportedPairs() {
		pairs = append(pairs, p, [2]oracle.Type{p[1], p[0]})
	}
	return pairs
}

func integerType(o oracle.Type, letter string) Type {
	return Type{Scalar: fmt.Sprintf("%s%d", letter, o.Width), Bits: o.Width, Count: o.Count}
}

// TestOracle gives the oracle, which concatenates bits and cuts them up, the numbers of the pieces as data, at every
// sub-group size, for all 40 directions and some types of as many components.
func TestOracle(t *testing.T) {
	pairs := oraclePairs()
	if len(pairs) != 40 {
		t.Fatalf("the table has %d directions, not 40", len(pairs))
	}
	for _, p := range pairs {
		for lanes := 1; lanes <= MaxSubGroupSize; lanes++ {
			againstOracle(t, integerType(p[0], "u"), integerType(p[1], "u"), lanes)
		}
	}
	for _, pair := range [][2]string{{"u32", "f32"}, {"v2f16", "v2i16"}, {"v3u64", "v3f64"}, {"v16bf16", "v16u16"}} {
		for _, lanes := range []int{1, 7, 16, 128} {
			againstOracle(t, mustType(t, pair[0]), mustType(t, pair[1]), lanes)
		}
	}
}

func againstOracle(t *testing.T, from, to Type, lanes int) {
	t.Helper()
	b, err := NewBitcastShuffle(from, to, lanes)
	if err != nil {
		t.Fatal(err)
	}
	src, dst := oracle.Type{Width: from.Bits, Count: from.Count}, oracle.Type{Width: to.Bits, Count: to.Count}
	width := min(from.Bits, to.Bits)
	// A piece of 8 bits cannot hold all numbers: they come in rounds, first the low byte and then, if there is one, the high.
	for shift := 0; shift == 0 || (lanes*b.perLane()-1)>>shift > 0; shift += 8 {
		operand := make([][]uint64, lanes)
		number := 0
		for lane := range operand {
			operand[lane] = make([]uint64, from.Count)
			for c := range operand[lane] {
				for bit := 0; bit < from.Bits; bit += width {
					operand[lane][c] |= uint64(number>>shift&0xff) << bit
					number++
				}
			}
		}
		want, err := oracle.BitcastShuffle(operand, src, dst)
		if err != nil {
			t.Fatal(err)
		}
		for lane := range lanes {
			for c := range to.Count {
				for part := range to.Bits / width {
					piece := b.Source(Piece{lane, c, part})
					got, want := uint64(b.Number(piece)>>shift&0xff), want[lane][c]>>(part*width)&0xff
					if got != want {
						t.Fatalf("%v to %v, %d lanes: lane %d, component %d, part %d: piece %d (shifted by %d), the oracle has %d", from, to, lanes, lane, c, part, got, shift, want)
					}
				}
			}
		}
	}
}

// TestReversible: "an OpSubgroupBitcastShuffleINTEL to one type followed another OpSubgroupBitcastShuffleINTEL back to the
// original type will result in the original source data" (section Instructions).
func TestReversible(t *testing.T) {
	for _, p := range oraclePairs() {
		from, to := integerType(p[0], "u"), integerType(p[1], "i")
		for _, lanes := range []int{1, 3, 8, 128} {
			there, err := NewBitcastShuffle(from, to, lanes)
			if err != nil {
				t.Fatal(err)
			}
			back, err := NewBitcastShuffle(to, from, lanes)
			if err != nil {
				t.Fatal(err)
			}
			for lane := range lanes {
				for c := range from.Count {
					for part := range there.parts(from) {
						at := Piece{lane, c, part}
						if got := there.Source(back.Source(at)); got != at {
							t.Fatalf("%v to %v and back, %d lanes: %v comes from %v", from, to, lanes, at, got)
						}
					}
				}
			}
		}
	}
}

// TestSupported holds the table here against the oracle's, which is written out row by row.
func TestSupported(t *testing.T) {
	allowed := map[[2]oracle.Type]bool{}
	for _, p := range oraclePairs() {
		allowed[p] = true
	}
	n := 0
	for _, bits := range []int{8, 16, 32, 64} {
		for _, count := range counts() {
			from := oracle.Type{Width: bits, Count: count}
			targets := Targets(integerType(from, "i"))
			for _, bits := range []int{8, 16, 32, 64} {
				for _, count := range counts() {
					to := oracle.Type{Width: bits, Count: count}
					_, err := NewBitcastShuffle(integerType(from, "i"), integerType(to, "u"), 16)
					want := allowed[[2]oracle.Type{from, to}] || from == to // i to u: a plain bitcast
					if (err == nil) != want {
						t.Errorf("%v to %v: %v", from, to, err)
					}
					if want {
						n++
					}
					if slices.Contains(targets, integerType(to, "u")) != want {
						t.Errorf("the targets of %v are %v, %v in it is wrong", from, targets, to)
					}
				}
			}
		}
	}
	if n != 40+4*6 {
		t.Errorf("%d pairs are accepted", n)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		from, to string
		lanes    int
		parts    []string // of the error
	}{
		{"u32", "u32", 8, []string{"must have different types", "from u32 to v2u16, v4u8, i32, f32"}},
		{"u32", "v4u16", 8, []string{"u32 has 32 bits, v4u16 has 64", "from u32 to v2u16, v4u8, i32, f32"}},
		{"f32", "v2u16", 8, []string{"must be integers", "from f32 to u32, i32", "u32 v2u16 v4u8", "v8u64 v16u32"}},
		{"u32", "v2f16", 8, []string{"must be integers"}},
		{"v3u32", "v3u64", 8, []string{"v3u32 has 96 bits, v3u64 has 192", "from v3u32 to v3i32, v3f32"}},
		{"u32", "v2u16", 0, []string{"a sub-group of 0 lanes", "1 to 128"}},
		{"u32", "v2u16", 129, []string{"a sub-group of 129 lanes", "1 to 128"}},
		{"u32", "v2u16", -1, []string{"1 to 128"}},
	} {
		_, err := NewBitcastShuffle(mustType(t, c.from), mustType(t, c.to), c.lanes)
		var e *Error
		if !errors.As(err, &e) || e.Parameter == "" || len(e.Allowed) == 0 {
			t.Errorf("%s to %s, %d lanes: %v", c.from, c.to, c.lanes, err)
			continue
		}
		for _, p := range c.parts {
			if !strings.Contains(e.Error(), p) {
				t.Errorf("%s to %s, %d lanes: %q does not say %q", c.from, c.to, c.lanes, e, p)
			}
		}
	}
}

func TestParseType(t *testing.T) {
	for _, text := range []string{"u8", "i64", "f16", "bf16", "e4m3", "v2u8", "v3f32", "v16bf16"} {
		if got := mustType(t, text).String(); got != text {
			t.Errorf("%s is read as %s", text, got)
		}
	}
	for _, text := range []string{"", "u", "u4", "i4", "bool", "u128", "v1u8", "v5u8", "v02u8", "v2", "2u8", "v-2u8", "v+2u8", "vu8", "U32", " u32", "v99999999999999999999u8"} {
		typ, err := ParseType(text)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), "v8u64 v16u32") {
			t.Errorf("%q: %v, %v", text, typ, err)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, s := range []string{"u32", "v2u16", "v16e5m2", "v3", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := ParseType(text)
		if err == nil && (typ.String() != text || typ.Total() > 1024 || typ.Total() < 8) {
			t.Errorf("%q is read as %+v", text, typ)
		}
	})
}
