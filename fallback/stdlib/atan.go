package stdlib

import "math"

// atanDD is the angle of the point (x, y), both positive or y 0, neither near overflow nor underflow: from 0 to π/2.
func atanDD(y, x dd) dd {
	swap := y.hi > x.hi
	if swap {
		y, x = x, y
	}
	i := math.RoundToEven(y.hi / x.hi * 64)
	t := y.div(x)
	if i > 0 {
		c := i / 64
		t = y.add(x.mulF(-c)).div(x.add(y.mulF(c)))
	}
	// |t| ≤ 1/128: Taylor's series.
	z := t.hi * t.hi
	q := math.FMA(z, 1.0/9, -1.0/7)
	q = math.FMA(q, z, 1.0/5)
	q = math.FMA(q, z, -1.0/3)
	a := fastSum(t.hi, math.FMA(float64(z*t.hi), q, t.lo))
	if i > 0 {
		a = dd{atanTable[int(i)][0], atanTable[int(i)][1]}.add(a)
	}
	if swap {
		a = dd{halfPiHi, halfPiLo}.add(a.neg())
	}
	return a
}

// angle is atan2 for arguments that are no NaN; its second result says that the first, exact but for signs, is a
// multiple of π/4, given by that number.
func angle(y, x float64) (a dd, quarters float64, special bool) {
	ay, ax := math.Abs(y), math.Abs(x)
	switch {
	case y == 0:
		if math.Signbit(x) {
			return dd{}, 4, true
		}
		return dd{}, 0, true
	case x == 0:
		return dd{}, 2, true
	case math.IsInf(y, 0):
		switch {
		case math.IsInf(x, 1):
			return dd{}, 1, true
		case math.IsInf(x, -1):
			return dd{}, 3, true
		}
		return dd{}, 2, true
	case math.IsInf(x, 1):
		return dd{}, 0, true
	case math.IsInf(x, -1):
		return dd{}, 4, true
	}
	my, ey := frexp(ay)
	mx, ex := frexp(ax)
	d := ey - ex
	switch {
	case d > 120:
		return dd{}, 2, true // but for less than the rest of π/2
	case d < -120:
		if x < 0 {
			return dd{}, 4, true
		}
		// The quotient, and what it lacks, scaled by the caller.
		return dd{}, -1, true
	}
	a = atanDD(dd{ldexp(my, d), 0}, dd{mx, 0})
	if x < 0 {
		a = dd{piHi, piLo}.add(a.neg())
	}
	return a, 0, false
}

// Atan2 is the angle of the point (x, y), with C99's special values.
func Atan2(y, x float64) float64 {
	if x != x || y != y {
		return nan()
	}
	a, quarters, special := angle(y, x)
	r := a.hi
	switch {
	case special && quarters < 0:
		return y / x
	case special:
		r = quarters * 0.25 * piHi
		if quarters == 3 {
			r = 0x1.2d97c7f3321d2p+1
		}
	}
	return math.Copysign(r, y)
}

// Atan2pi is Atan2 ÷ π.
func Atan2pi(y, x float64) float64 {
	if x != x || y != y {
		return nan()
	}
	a, quarters, special := angle(y, x)
	switch {
	case special && quarters < 0:
		return overPi(dd{y / x, 0})
	case special:
		return math.Copysign(quarters/4, y)
	}
	return math.Copysign(overPi(a), y)
}

func overPi(a dd) float64 {
	if math.Abs(a.hi) < 0x1p-900 {
		return a.hi * invPiHi
	}
	return a.mul(dd{invPiHi, invPiLo}).hi
}

// Atan is the arc tangent.
func Atan(x float64) float64 { return Atan2(x, 1) }

// Atanpi is Atan ÷ π.
func Atanpi(x float64) float64 { return Atan2pi(x, 1) }

// asinDD is the arc sine of x from 0 to 1; with other, the arc cosine.
func asinDD(x float64, other bool) dd {
	// √((1-x)(1+x))
	c := twoSum(1, -x).mul(twoSum(1, x))
	s := dd{}
	if x < 1 {
		s = c.sqrt()
	}
	if other {
		return atanDD(s, dd{x, 0})
	}
	return atanDD(dd{x, 0}, s)
}

// Asin is the arc sine.
func Asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan()
	case a < 0x1p-60:
		return x
	}
	return math.Copysign(asinDD(a, false).hi, x)
}

// Asinpi is Asin ÷ π.
func Asinpi(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan()
	case a < 0x1p-60:
		return overPi(dd{x, 0})
	}
	return math.Copysign(overPi(asinDD(a, false)), x)
}

func acos(x float64) dd {
	switch {
	case math.Abs(x) < 0x1p-120:
		return dd{halfPiHi, halfPiLo}
	case x < 0:
		return dd{piHi, piLo}.add(asinDD(-x, true).neg())
	}
	return asinDD(x, true)
}

// Acos is the arc cosine.
func Acos(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return nan()
	}
	return acos(x).hi
}

// Acospi is Acos ÷ π.
func Acospi(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return nan()
	}
	return overPi(acos(x))
}
