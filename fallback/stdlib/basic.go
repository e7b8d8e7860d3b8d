package stdlib

import "math"

// Round is the nearest integer, halfway cases away from zero.
func Round(x float64) float64 {
	t := math.Trunc(x)
	if math.Abs(x-t) >= 0.5 {
		t += math.Copysign(1, x)
	}
	return math.Copysign(t, x)
}

// Fdim is x - y, or 0 where that is negative.
func Fdim(x, y float64) float64 {
	if x <= y {
		return 0
	}
	return x - y // NaN where one of them is
}

// Fmax is the greater number, the other where one is NaN.
func Fmax(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x == y && x == 0:
		return x + y // +0 unless both are -0
	case x > y:
		return x
	}
	return y
}

// Fmin is the less number, the other where one is NaN.
func Fmin(x, y float64) float64 {
	return -Fmax(-x, -y)
}

// Maxmag is the number of greater magnitude, Fmax where they are equal.
func Maxmag(x, y float64) float64 {
	switch a, b := math.Abs(x), math.Abs(y); {
	case a > b:
		return x
	case b > a:
		return y
	}
	return Fmax(x, y)
}

// Minmag is the number of less magnitude, Fmin where they are equal.
func Minmag(x, y float64) float64 {
	switch a, b := math.Abs(x), math.Abs(y); {
	case a < b:
		return x
	case b < a:
		return y
	}
	return Fmin(x, y)
}

// Hypot is √(x²+y²), without overflow on the way.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case x != x || y != y:
		return nan()
	}
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	_, e := frexp(x)
	x, y = ldexp(x, -e), ldexp(y, -e)
	return ldexp(twoMul(x, x).add(twoMul(y, y)).sqrt().hi, e)
}

// Rsqrt is 1/√x.
func Rsqrt(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return 1 / math.Sqrt(x)
	}
	m, e := frexp(x)
	if e&1 != 0 {
		m *= 2
		e--
	}
	return ldexp(dd{1, 0}.div(dd{m, 0}.sqrt()).hi, -e/2)
}

// Fmod is x - n×y, exactly, with x/y rounded toward zero to n.
func Fmod(x, y float64) float64 {
	r, _ := divide(x, y)
	return r
}

// divide is Fmod and the lowest bits of |x/y| rounded toward zero.
func divide(x, y float64) (float64, uint32) {
	switch {
	case x != x || y != y || math.IsInf(x, 0) || y == 0:
		return nan(), 0
	case math.IsInf(y, 0) || x == 0:
		return x, 0
	}
	mx, ex := integral(x)
	my, ey := integral(y)
	if ex < ey { // both significands have 53 bits
		return x, 0
	}
	q := uint32(mx / my)
	mx %= my
	for n := ex - ey; n > 0; {
		step := min(n, 11)
		t := mx << step
		q = q<<step | uint32(t/my)
		mx = t % my
		n -= step
	}
	return math.Copysign(ldexp(float64(mx), ey), x), q
}

// integral is |x| as m × 2^e.
func integral(x float64) (uint64, int) {
	m, e := frexp(math.Abs(x))
	return math.Float64bits(m)&(1<<52-1) | 1<<52, e - 52
}

// Remquo is x - n×y, exactly, with x/y rounded to the nearest integer n, to even halfway, and the sign of n with its lowest
// seven bits.
func Remquo(x, y float64) (float64, int32) {
	r, q := divide(x, y)
	if r != r || math.IsInf(y, 0) {
		return r, 0
	}
	a, b := math.Abs(r), math.Abs(y)
	// a > b/2, without rounding: b-a is exact where it matters (b/2 ≤ a ≤ b).
	if rest := b - a; a > rest || a == rest && q&1 != 0 {
		r = math.Copysign(rest, -r)
		if rest == 0 {
			r = math.Copysign(0, x)
		}
		q++
	}
	n := int32(q & 0x7f)
	if math.Signbit(x) != math.Signbit(y) {
		n = -n
	}
	return r, n
}

// Remainder is the first result of Remquo.
func Remainder(x, y float64) float64 {
	r, _ := Remquo(x, y)
	return r
}

// Ilogb is the exponent of x.
func Ilogb(x float64) int32 {
	switch {
	case x == 0:
		return math.MinInt32 // FP_ILOGB0
	case x != x || math.IsInf(x, 0):
		return math.MaxInt32 // FP_ILOGBNAN
	}
	_, e := frexp(x)
	return int32(e)
}

// Logb is the exponent of x as a float.
func Logb(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case math.IsInf(x, 0):
		return math.Inf(1)
	case x == 0:
		return math.Inf(-1)
	}
	_, e := frexp(x)
	return float64(e)
}

// Ldexp is x × 2^n.
func Ldexp(x float64, n int32) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	return ldexp(x, int(max(-5000, min(n, 5000))))
}

// Frexp is x as m × 2^e, 1/2 ≤ |m| < 1.
func Frexp(x float64) (float64, int32) {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x, 0
	}
	m, e := frexp(x)
	return m / 2, int32(e) + 1
}

// Modf is the fraction and the integer part of x, both with its sign.
func Modf(x float64) (frac, whole float64) {
	whole = math.Trunc(x)
	if math.IsInf(x, 0) {
		return math.Copysign(0, x), x
	}
	return math.Copysign(x-whole, x), whole
}

// Sincos is the sine and the cosine.
func Sincos(x float64) (sin, cos float64) {
	if math.IsInf(x, 0) || x != x {
		return nan(), nan()
	}
	r, q := reduce(x)
	return turned(r, q), turned(r, q+1)
}

// fmaOdd is x×y+z rounded to odd: where it is rounded again, to a format of at most 51 bits, the result is rounded once. To
// f64 math.FMA rounds correctly itself.
func fmaOdd(x, y, z float64) float64 {
	p := float64(x * y) // exact: halves and singles
	s := twoSum(p, z)
	if s.lo != 0 && !math.IsInf(s.hi, 0) && s.lo == s.lo {
		if b := math.Float64bits(s.hi); b&1 == 0 {
			if (s.lo > 0) == (s.hi > 0) {
				b++
			} else {
				b--
			}
			return math.Float64frombits(b)
		}
	}
	return s.hi
}
