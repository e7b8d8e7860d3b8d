package stdlib

import "math"

// expParts is e^x as m × 2^n, m from 1 to 2; |x| < 2^20. The error of m is about 2^-68.
func expParts(x dd) (m dd, n int) {
	k := math.RoundToEven(x.hi * (128 / ln2Hi))
	// k has at most 28 bits, so that its products with the first two parts are exact.
	r := twoSum(math.FMA(-k, ln2Over128_1, x.hi), float64(-k*ln2Over128_2))
	r = fastSum(r.hi, r.lo+math.FMA(-k, ln2Over128_3, x.lo))
	i := int(k)
	m = expSmall(r)
	t := dd{exp2Table[i&127][0], exp2Table[i&127][1]}
	p := twoMul(t.hi, m.hi)
	lo := p.lo + math.FMA(t.hi, m.lo, math.FMA(t.lo, m.hi, t.lo))
	s := fastSum(t.hi, p.hi)
	return fastSum(s.hi, s.lo+lo), i >> 7
}

// expSmall is e^r - 1, |r| < 0.003.
func expSmall(r dd) dd {
	q := math.FMA(r.hi, 1.0/5040, 1.0/720)
	q = math.FMA(q, r.hi, 1.0/120)
	q = math.FMA(q, r.hi, 1.0/24)
	q = math.FMA(q, r.hi, 1.0/6)
	sq := twoMul(r.hi, r.hi)
	cube := sq.hi * r.hi
	s := fastSum(r.hi, 0.5*sq.hi)
	return fastSum(s.hi, s.lo+math.FMA(cube, q, math.FMA(r.hi, r.lo, math.FMA(0.5, sq.lo, r.lo))))
}

// expDD is e^x rounded, with overflow and underflow; x is finite or hi is infinite.
func expDD(x dd) float64 {
	switch {
	case x.hi > 710:
		return math.Inf(1)
	case x.hi < -746:
		return 0
	}
	m, n := expParts(x)
	return ldexp(m.hi, n) // m.hi is m rounded
}

// Exp is e^x.
func Exp(x float64) float64 {
	if x != x {
		return nan()
	}
	return expDD(dd{x, 0})
}

// Exp2 is 2^x.
func Exp2(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case x >= 1024:
		return math.Inf(1)
	case x < -1076:
		return 0
	}
	n := math.RoundToEven(x)
	if n == x {
		return ldexp(1, int(n))
	}
	m, e := expParts(dd{ln2Hi, ln2Lo}.mulF(x - n))
	return ldexp(m.hi, e+int(n))
}

// Exp10 is 10^x.
func Exp10(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case x > 309:
		return math.Inf(1)
	case x < -325:
		return 0
	}
	return expDD(dd{ln10Hi, ln10Lo}.mulF(x))
}

// expm1DD is e^x - 1 for -40 < x < 700.
func expm1DD(x float64) dd {
	if math.Abs(x) < 0.0025 {
		if math.Abs(x) < 0x1p-60 {
			return dd{x, 0}
		}
		return expSmall(dd{x, 0})
	}
	m, n := expParts(dd{x, 0})
	s := pow2(n)
	return dd{m.hi * s, m.lo * s}.addF(-1)
}

// Expm1 is e^x - 1.
func Expm1(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case x < -40:
		return -1
	case x > 700:
		return Exp(x)
	case x == 0:
		return x
	}
	return expm1DD(x).hi
}
