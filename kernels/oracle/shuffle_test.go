package oracle

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// The four worked examples of SPV_INTEL_subgroup_bitcast_shuffle, revision 1, section "Examples", as printed there: an
// entry per invocation; "a|b" is a 32-bit number with a in its lowest bits, "<a,b>" a vector.
var workedExamples = []struct {
	title    string
	src, dst Type
	operand  string
	result   string
}{
	{
		"32-bit Scalar to Vector of 16-bit Data", Type{32, 1}, Type{16, 2},
		"0|1 2|3 4|5 6|7 8|9 10|11 12|13 14|15",
		"<0,8> <1,9> <2,10> <3,11> <4,12> <5,13> <6,14> <7,15>",
	},
	{
		"Vector of 16-bit Data to 32-bit Scalar", Type{16, 2}, Type{32, 1},
		"<0,1> <2,3> <4,5> <6,7> <8,9> <10,11> <12,13> <14,15>",
		"0|2 4|6 8|10 12|14 1|3 5|7 9|11 13|15",
	},
	{
		"32-bit Scalar to Vector of 8-bit Data", Type{32, 1}, Type{8, 4},
		"0|1|2|3 4|5|6|7 8|9|10|11 12|13|14|15",
		"<0,4,8,12> <1,5,9,13> <2,6,10,14> <3,7,11,15>",
	},
	{
		"Vector of 8-bit Data to 32-bit Scalar", Type{8, 4}, Type{32, 1},
		"<0,1,2,3> <4,5,6,7> <8,9,10,11> <12,13,14,15>",
		"0|4|8|12 1|5|9|13 2|6|10|14 3|7|11|15",
	},
}

func TestWorkedExamples(t *testing.T) {
	for _, e := range workedExamples {
		operand, want := parsePrinted(t, e.operand), parsePrinted(t, e.result)
		got, err := BitcastShuffle(operand, e.src, e.dst)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, the specification prints %v", e.title, got, want)
		}
	}
}

// parsePrinted reads the notation of the examples.
func parsePrinted(t *testing.T, s string) [][]uint64 {
	t.Helper()
	var lanes [][]uint64
	for _, entry := range strings.Fields(s) {
		if vector, ok := strings.CutPrefix(entry, "<"); ok {
			var components []uint64
			for _, c := range strings.Split(strings.TrimSuffix(vector, ">"), ",") {
				components = append(components, parseUint(t, c))
			}
			lanes = append(lanes, components)
			continue
		}
		parts := strings.Split(entry, "|")
		var word uint64
		for i, part := range parts {
			word |= parseUint(t, part) << (i * 32 / len(parts))
		}
		lanes = append(lanes, []uint64{word})
	}
	return lanes
}

func parseUint(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The specification says that a bitcast shuffle to another type and one back give the original data, that no bit is lost,
// and that a sub-group of one invocation behaves as a bitcast.
func TestShuffleIsReversible(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, pair := range SupportedPairs() {
		for _, d := range [][2]Type{pair, {pair[1], pair[0]}} {
			for _, lanes := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
				operand := randomData(random, lanes, d[0])
				there := must(t)(BitcastShuffle(operand, d[0], d[1]))
				back := must(t)(BitcastShuffle(there, d[1], d[0]))
				if !reflect.DeepEqual(back, operand) {
					t.Errorf("%v to %v and back with %d lanes changes the data", d[0], d[1], lanes)
				}
				if ones(there) != ones(operand) {
					t.Errorf("%v to %v with %d lanes loses bits", d[0], d[1], lanes)
				}
				if lanes == 1 && !reflect.DeepEqual(there, Bitcast(operand, d[0], d[1])) {
					t.Errorf("%v to %v with one lane is not a bitcast", d[0], d[1])
				}
			}
		}
	}
}

func must(t *testing.T) func([][]uint64, error) [][]uint64 {
	return func(x [][]uint64, err error) [][]uint64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

func ones(data [][]uint64) (n uint64) {
	for _, lane := range data {
		for _, c := range lane {
			n += BitCount(64, c)
		}
	}
	return n
}

func randomData(random *rand.Rand, lanes int, t Type) [][]uint64 {
	data := make([][]uint64, lanes)
	for i := range data {
		for range t.Count {
			data[i] = append(data[i], random.Uint64()>>(64-t.Width))
		}
	}
	return data
}

// A position in the concatenated number has a closed form; it gives a second way to the same result.
func TestShuffleAgainstPositions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, pair := range SupportedPairs() {
		for _, d := range [][2]Type{pair, {pair[1], pair[0]}} {
			const lanes = 8
			src, dst := d[0], d[1]
			operand := randomData(random, lanes, src)
			got := must(t)(BitcastShuffle(operand, src, dst))
			for position := 0; position < lanes*src.Bits(); position++ {
				from := operand[position/src.Width%lanes][position/src.Width/lanes] >> (position % src.Width) & 1
				to := got[position/dst.Width%lanes][position/dst.Width/lanes] >> (position % dst.Width) & 1
				if from != to {
					t.Fatalf("%v to %v: bit %d differs", src, dst, position)
				}
			}
		}
	}
}

func TestSameCountIsABitcast(t *testing.T) {
	operand := [][]uint64{{1, 2}, {3, 4}}
	got := must(t)(BitcastShuffle(operand, Type{32, 2}, Type{32, 2}))
	if !reflect.DeepEqual(got, operand) {
		t.Errorf("got %v", got)
	}
}

func TestShuffleRefuses(t *testing.T) {
	if _, err := BitcastShuffle([][]uint64{{1}}, Type{32, 1}, Type{16, 1}); err == nil {
		t.Error("types of different size are accepted")
	}
	if _, err := BitcastShuffle([][]uint64{{1, 2}}, Type{32, 1}, Type{16, 2}); err == nil {
		t.Error("a lane with too many components is accepted")
	}
}

func TestSupportedPairs(t *testing.T) {
	rows := map[int]int{} // by total bits
	seen := map[string]bool{}
	for _, p := range SupportedPairs() {
		if p[0].Bits() != p[1].Bits() || p[0].Count == p[1].Count {
			t.Errorf("%v and %v cannot be a row", p[0], p[1])
		}
		key := fmt.Sprint(p)
		if seen[key] {
			t.Errorf("%s appears twice", key)
		}
		seen[key] = true
		rows[p[0].Bits()]++
	}
	// As the specification lists them under its headings "16 bits", "32 bits", …
	want := map[int]int{16: 1, 32: 3, 64: 6, 128: 6, 256: 3, 512: 1}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows by size: %v, the specification has %v", rows, want)
	}
}

// Where the elements of a packed matrix land: SPV_INTEL_subgroup_matrix_multiply_accumulate's packed B, 16-bit elements,
// 16 lanes. Worked out by hand from the rule: component 2r of lane l is row 2r + l%2 of column l/2, component 2r+1 the
// same row of column 8 + l/2.
func TestVNNIThroughTheShuffle(t *testing.T) {
	const k, n = 16, 16
	b := make([][]uint64, k)
	for row := range b {
		for column := range n {
			b[row] = append(b[row], uint64(row*n+column))
		}
	}
	packed := PackVNNI(b, 16)
	if packed[0][0] != 0|16<<16 || packed[7][15] != (14*16+15)|(15*16+15)<<16 {
		t.Fatalf("packed wrongly: %x %x", packed[0][0], packed[7][15])
	}
	operand := make([][]uint64, n)
	for lane := range operand {
		for r := range packed {
			operand[lane] = append(operand[lane], packed[r][lane])
		}
	}
	got := must(t)(BitcastShuffle(operand, Type{32, 8}, Type{16, 16}))
	for lane := range got {
		for r := range k / 2 {
			row := 2*r + lane%2
			if got[lane][2*r] != b[row][lane/2] || got[lane][2*r+1] != b[row][8+lane/2] {
				t.Fatalf("lane %d, components %d and %d: got %d, %d", lane, 2*r, 2*r+1, got[lane][2*r], got[lane][2*r+1])
			}
		}
	}
}

func TestPackVNNI8(t *testing.T) {
	b := [][]uint64{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}}
	want := [][]uint64{{0x07050301, 0x08060402}, {0x0f0d0b09, 0x100e0c0a}}
	if got := PackVNNI(b, 8); !reflect.DeepEqual(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}
