package value

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

var narrow = []Scalar{E4M3, E5M2, F16, BF16}

// slowDecode takes a narrow float apart bit by bit, from the definition of the formats.
func slowDecode(s Scalar, b uint64) float64 {
	exp, man := map[Scalar]int{E4M3: 4, E5M2: 5, F16: 5, BF16: 8}[s], map[Scalar]int{E4M3: 3, E5M2: 2, F16: 10, BF16: 7}[s]
	sign, e, m := b>>(exp+man)&1, b>>man&(1<<exp-1), b&(1<<man-1)
	x := 0.0
	switch {
	case s == E4M3 && e == 15 && m == 7, s != E4M3 && e == 1<<exp-1 && m != 0:
		return math.NaN()
	case s != E4M3 && e == 1<<exp-1:
		x = math.Inf(1)
	case e == 0:
		x = float64(m) / float64(uint64(1)<<man) * math.Pow(2, float64(2-int(1)<<(exp-1)))
	default:
		x = (1 + float64(m)/float64(uint64(1)<<man)) * math.Pow(2, float64(int(e)-(1<<(exp-1)-1)))
	}
	if sign == 1 {
		x = -x
	}
	return x
}

// Every value of the narrow formats decodes to what the definition says, encodes back to its bits, and survives printing.
func TestNarrowFloatsComplete(t *testing.T) {
	for _, s := range narrow {
		for b := uint64(0); b <= s.mask(); b++ {
			x, want := s.DecodeFloat(b), slowDecode(s, b)
			if math.IsNaN(x) != math.IsNaN(want) || !math.IsNaN(x) && (x != want || math.Signbit(x) != math.Signbit(want)) {
				t.Fatalf("%v 0x%x decodes to %v, want %v", s, b, x, want)
			}
			if s.IsNaN(b) != math.IsNaN(want) {
				t.Fatalf("%v 0x%x: IsNaN is %v", s, b, s.IsNaN(b))
			}
			if e, ok := s.EncodeFloat(x); !math.IsNaN(x) && (!ok || e != b) {
				t.Fatalf("%v 0x%x: %v encodes to 0x%x", s, b, x, e)
			}
			for _, hex := range []bool{false, true} {
				text := FormatNumber(b, s, hex)
				if got, err := ParseNumber(text, s); err != nil || got != b {
					t.Fatalf("%v 0x%x prints as %s, which reads as 0x%x, %v", s, b, text, got, err)
				}
			}
		}
	}
}

// nearest finds the value of s nearest to x by trying all, ties to the even mantissa.
func nearest(s Scalar, x *big.Rat, all []uint64) uint64 {
	best, found := uint64(0), false
	var bestD *big.Rat
	for _, b := range all {
		d := new(big.Rat).Sub(new(big.Rat).SetFloat64(s.DecodeFloat(b)), x)
		d.Abs(d)
		if c := 0; found {
			if c = d.Cmp(bestD); c > 0 || c == 0 && b&1 != 0 {
				continue
			}
		}
		best, bestD, found = b, d, true
	}
	return best
}

// Decimal texts near the borders between two values are rounded once: the text may differ from the border by far less than
// a float64 can show.
func TestRoundingOfText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range narrow {
		for range 300 {
			b := rnd.Uint64() & (s.mask() >> 1)
			if b+1 > s.maxFinite() {
				continue
			}
			lo, hi := s.DecodeFloat(b), s.DecodeFloat(b+1)
			border := new(big.Rat).SetFloat64(lo)
			border.Add(border, new(big.Rat).SetFloat64(hi)).Quo(border, big.NewRat(2, 1))
			tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(200), nil))
			for _, c := range []struct {
				x    *big.Rat
				want uint64
			}{
				{new(big.Rat).Sub(border, tiny), b},
				{border, b + b&1},
				{new(big.Rat).Add(border, tiny), b + 1},
			} {
				text := c.x.FloatString(210)
				if got, err := ParseNumber(text, s); err != nil || got != c.want {
					t.Fatalf("%v: %s reads as 0x%x, want 0x%x (%v)", s, text, got, c.want, err)
				}
			}
		}
	}
	// Arbitrary texts against the exhaustive search.
	for _, s := range []Scalar{E4M3, E5M2} {
		var all []uint64
		for b := uint64(0); b <= s.maxFinite(); b++ {
			all = append(all, b)
		}
		for range 500 {
			x := math.Ldexp(rnd.Float64(), rnd.IntN(24)-18)
			text := strconv.FormatFloat(x, 'g', 1+rnd.IntN(17), 64)
			exact, _ := new(big.Rat).SetString(text)
			if exact.Cmp(new(big.Rat).SetFloat64(s.DecodeFloat(s.maxFinite()))) > 0 {
				continue
			}
			if got, err := ParseNumber(text, s); err != nil || got != nearest(s, exact, all) {
				t.Fatalf("%v: %s reads as 0x%x, want 0x%x (%v)", s, text, got, nearest(s, exact, all), err)
			}
		}
	}
}

func TestPrinting(t *testing.T) {
	for _, c := range []struct {
		text, plain, hex string
	}{
		{"u32:7", "7", "0x00000007"},
		{"i8:-1", "-1", "0xff"},
		{"u4:15", "15", "0xf"},
		{"i4:-8", "-8", "0x8"},
		{"f32:1000000", "1000000", "0x49742400"},
		{"f32:1048577", "1048577", "0x49800008"},
		{"f32:0.1", "0.1", "0x3dcccccd"},
		{"f32:1e20", "1e+20", "0x60ad78ec"},
		{"f32:-0", "-0", "0x80000000"},
		{"f32:nan", "nan", "0x7fc00000"},
		{"f32:-nan", "0xffc00000", "0xffc00000"},
		{"f32:0x7fa00001", "0x7fa00001", "0x7fa00001"},
		{"f16:0.1", "0.1", "0x2e66"},
		{"f16:65504", "65504", "0x7bff"},
		{"e4m3:448", "448", "0x7e"},
		{"bf16:3.1415926", "3.14", "0x4049"},
		{"f64:1e300", "1e+300", "0x7e37e43c8800759c"},
		{"bool:1", "1", "0x01"},
		{"v2u16:<1,2>", "<1,2>", "<0x0001,0x0002>"},
	} {
		a := parseArray(t, c.text)
		if got := a.Element(0, Format{}); got != c.plain {
			t.Errorf("%s: got %s, want %s", c.text, got, c.plain)
		}
		if got := a.Element(0, Format{Hex: true}); got != c.hex {
			t.Errorf("%s: got %s, want %s", c.text, got, c.hex)
		}
	}
	a := parseArray(t, "u32[3]:0|1,2|3,14|15")
	if got := a.List(0, 3, Format{Parts: 16}); got != "0|1,2|3,14|15" {
		t.Errorf("parts: got %s", got)
	}
	if got := a.List(0, 1, Format{Parts: 16, Hex: true}); got != "0x0000|0x0001" {
		t.Errorf("hexadecimal parts: got %s", got)
	}
	if got := parseArray(t, "u8[100]:iota").Head(4, 80, Format{}); got != "0 1 2 3 …" {
		t.Errorf("head: got %q", got)
	}
	if got := parseArray(t, "u8[100]:iota").Head(100, 8, Format{}); got != "0 1 2 3 …" {
		t.Errorf("narrow head: got %q", got)
	}
	if got := parseArray(t, "u8[2]:iota").Head(4, 80, Format{}); got != "0 1" {
		t.Errorf("whole head: got %q", got)
	}
}

func TestAs(t *testing.T) {
	a := parseArray(t, "u32[2]:0x00020001,0x00040003")
	v, err := a.As(Type{U16, 2})
	if err != nil || v.String() != "v2u16[2]:<1,2>,<3,4>" {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := a.As(Type{U32, 3}); err == nil {
		t.Error("8 bytes are no v3u32")
	}
}
