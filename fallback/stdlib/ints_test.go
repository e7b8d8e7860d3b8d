package stdlib

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// integerMeaning is OpenCL C's table (section 6.15.3) in unbounded integers. Operands come zero-extended and as signed.
var integerMeaning = map[string]func(w uint, u, s []*big.Int) *big.Int{
	"s_abs":      func(w uint, u, s []*big.Int) *big.Int { return z().Abs(s[0]) },
	"s_abs_diff": func(w uint, u, s []*big.Int) *big.Int { return z().Abs(z().Sub(s[0], s[1])) },
	"u_abs_diff": func(w uint, u, s []*big.Int) *big.Int { return z().Abs(z().Sub(u[0], u[1])) },
	"s_add_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampS(w, z().Add(s[0], s[1])) },
	"u_add_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampU(w, z().Add(u[0], u[1])) },
	"s_sub_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampS(w, z().Sub(s[0], s[1])) },
	"u_sub_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampU(w, z().Sub(u[0], u[1])) },
	"s_hadd":     func(w uint, u, s []*big.Int) *big.Int { return z().Rsh(z().Add(s[0], s[1]), 1) },
	"u_hadd":     func(w uint, u, s []*big.Int) *big.Int { return z().Rsh(z().Add(u[0], u[1]), 1) },
	"s_rhadd":    func(w uint, u, s []*big.Int) *big.Int { return z().Rsh(plus1(z().Add(s[0], s[1])), 1) },
	"u_rhadd":    func(w uint, u, s []*big.Int) *big.Int { return z().Rsh(plus1(z().Add(u[0], u[1])), 1) },
	"s_mad_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampS(w, z().Add(z().Mul(s[0], s[1]), s[2])) },
	"u_mad_sat":  func(w uint, u, s []*big.Int) *big.Int { return clampU(w, z().Add(z().Mul(u[0], u[1]), u[2])) },
	"rotate": func(w uint, u, s []*big.Int) *big.Int {
		n := uint(u[1].Uint64() % uint64(w))
		return z().Or(z().Lsh(u[0], n), z().Rsh(u[0], w-n))
	},
	"clz": func(w uint, u, s []*big.Int) *big.Int { return big.NewInt(int64(w) - int64(u[0].BitLen())) },
	"ctz": func(w uint, u, s []*big.Int) *big.Int {
		if u[0].Sign() == 0 {
			return big.NewInt(int64(w))
		}
		return big.NewInt(int64(u[0].TrailingZeroBits()))
	},
	"bitselect": func(w uint, u, s []*big.Int) *big.Int { return z().Or(z().AndNot(u[0], u[2]), z().And(u[1], u[2])) },
}

func z() *big.Int               { return new(big.Int) }
func plus1(v *big.Int) *big.Int { return v.Add(v, big.NewInt(1)) }
func power(w uint) *big.Int     { return z().Lsh(big.NewInt(1), w) }
func between(v, lo, hi *big.Int) *big.Int {
	switch {
	case v.Cmp(lo) < 0:
		return lo
	case v.Cmp(hi) > 0:
		return hi
	}
	return v
}
func clampU(w uint, v *big.Int) *big.Int { return between(v, z(), z().Sub(power(w), big.NewInt(1))) }
func clampS(w uint, v *big.Int) *big.Int {
	return between(v, z().Neg(power(w-1)), z().Sub(power(w-1), big.NewInt(1)))
}

// TestIntegers holds the integer functions against unbounded integers: edges and random numbers at all widths.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, meaning := range integerMeaning {
		fn, ok := Lookup(name)
		if !ok {
			t.Fatalf("no function %s", name)
		}
		f := functions()[fn].ints
		for _, w := range []uint{8, 16, 32, 64} {
			edges := []uint64{0, 1, 2, mask(int(w)), sMax(int(w)), sMax(int(w)) + 1, sMax(int(w)) + 2, uint64(w), uint64(w) - 1}
			draw := func() uint64 {
				if r.IntN(2) == 0 {
					return edges[r.IntN(len(edges))]
				}
				return r.Uint64() & mask(int(w)) >> r.IntN(int(w))
			}
			for range 3000 {
				in := [3]uint64{draw(), draw(), draw()}
				var u, s []*big.Int
				for _, v := range in {
					u = append(u, z().SetUint64(v))
					s = append(s, big.NewInt(int64(v<<(64-w))>>(64-w)))
				}
				want := z().Mod(meaning(w, u, s), power(w)).Uint64()
				if got := f(int(w), in[0], in[1], in[2]) & mask(int(w)); got != want {
					t.Fatalf("%s on %d bits, %#x: %#x, want %#x", name, w, in, got, want)
				}
			}
		}
	}
}

// TestSpecial holds edge cases OpenCL C states in section 7.5.1, and C99 in annex F.
func TestSpecial(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	f1 := func(name string, x, want float64) {
		t.Helper()
		fn, _ := Lookup(name)
		if got := functions()[fn].f1(x); math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
			t.Errorf("%s(%g) = %g, want %g", name, x, got, want)
		}
	}
	f1("sinpi", -3, zero)
	f1("sinpi", 3, 0)
	f1("cospi", 0.5, 0)
	f1("cospi", 1.5, 0)
	f1("tanpi", 1, zero)
	f1("tanpi", -1, 0)
	f1("tanpi", 2, 0)
	f1("tanpi", -2, zero)
	f1("tanpi", 0.5, inf)
	f1("tanpi", 1.5, -inf)
	f1("tanpi", -0.5, -inf)
	f1("rsqrt", zero, -inf)
	f1("rsqrt", inf, 0)
	f1("rint", -0.3, zero)
	f1("round", -0.3, zero)
	f1("round", 0x1.fffffffffffffp-2, 0)
	f1("ceil", -0.5, zero)
	f1("logb", -inf, inf)
	f2 := func(name string, x, y, want float64) {
		t.Helper()
		fn, _ := Lookup(name)
		if got := functions()[fn].f2(x, y); math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
			t.Errorf("%s(%g, %g) = %g, want %g", name, x, y, got, want)
		}
	}
	f2("pow", zero, -3, -inf)
	f2("pow", zero, -2, inf)
	f2("pow", -1, inf, 1)
	f2("pow", nan, 0, 1)
	f2("pow", 1, nan, 1)
	f2("pow", -8, 1.0/3, nan)
	f2("powr", 0, 0, nan)
	f2("powr", inf, 0, nan)
	f2("powr", 1, inf, nan)
	f2("powr", zero, 3, 0)
	f2("powr", zero, -3, inf)
	f2("atan2pi", 0, -1, 1)
	f2("atan2pi", zero, zero, -1)
	f2("atan2pi", inf, -inf, 0.75)
	f2("atan2", -inf, -inf, -2.356194490192344928846982537459627)
	f2("fmod", 5, 0, nan)
	f2("fmod", zero, 3, zero)
	f2("hypot", nan, -inf, inf)
	f2("fdim", nan, 1, nan)
	f2("maxmag", -3, 2, -3)
	f2("minmag", -3, 2, 2)
	if m, e := Frexp(-8); m != -0.5 || e != 4 {
		t.Errorf("frexp(-8) = %g, %d", m, e)
	}
	if r := Rootn(zero, -3); !math.IsInf(r, -1) {
		t.Errorf("rootn(-0, -3) = %g", r)
	}
	if r := Rootn(-8, 2); r == r {
		t.Errorf("rootn(-8, 2) = %g", r)
	}
	if r := Rootn(zero, -4); !math.IsInf(r, 1) {
		t.Errorf("rootn(-0, -4) = %g", r)
	}
	if r, n := Remquo(5, 2); r != 1 || n != 2 {
		t.Errorf("remquo(5, 2) = %g, %d", r, n) // 2.5 to even
	}
	if r, n := Remquo(-7, 2); r != 1 || n != -4 {
		t.Errorf("remquo(-7, 2) = %g, %d", r, n) // -3.5 to even
	}
	if f, w := Modf(-inf); math.Float64bits(f) != 1<<63 || w != -inf {
		t.Errorf("modf(-inf) = %g, %g", f, w)
	}
}
