package stdlib

import "math"

// logDD is log x for a positive finite x. Its error is about 2^-68 of the result.
func logDD(x float64) dd {
	m, k := frexp(x)
	if m > math.Sqrt2 {
		m *= 0.5
		k++
	}
	t := &logTable[int(m*128+0.5)-90] // m*128 is exact, so fused or not is the same
	p := twoMul(m, t[0])
	r := fastSum(p.hi-1, p.lo)
	if p.hi == 1 {
		r = dd{p.lo, 0}
	}
	s := logSmall(r)
	if k == 0 && t[0] == 1 {
		return s
	}
	n := float64(k)
	// n × the first part is exact.
	a := twoSum(n*ln2_1, t[1])
	b := twoMul(n, ln2_2)
	return a.add(dd{b.hi, b.lo + t[2]}).add(s)
}

// logSmall is log(1+r), |r| < 2^-7.
func logSmall(r dd) dd {
	q := math.FMA(r.hi, 1.0/9, -1.0/8)
	q = math.FMA(q, r.hi, 1.0/7)
	q = math.FMA(q, r.hi, -1.0/6)
	q = math.FMA(q, r.hi, 1.0/5)
	q = math.FMA(q, r.hi, -1.0/4)
	q = math.FMA(q, r.hi, 1.0/3)
	sq := twoMul(r.hi, r.hi)
	cube := sq.hi * r.hi
	s := fastSum(r.hi, -0.5*sq.hi)
	return fastSum(s.hi, s.lo+math.FMA(cube, q, math.FMA(-r.hi, r.lo, math.FMA(-0.5, sq.lo, r.lo))))
}

// logEdge is the logarithm of numbers that are not positive and finite.
func logEdge(x float64) (float64, bool) {
	switch {
	case x != x || x < 0:
		return nan(), true
	case x == 0:
		return math.Inf(-1), true
	case math.IsInf(x, 1):
		return x, true
	}
	return 0, false
}

// Log is the natural logarithm.
func Log(x float64) float64 {
	if r, ok := logEdge(x); ok {
		return r
	}
	return logDD(x).hi
}

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 {
	if r, ok := logEdge(x); ok {
		return r
	}
	m, k := frexp(x)
	if m > math.Sqrt2 {
		m *= 0.5
		k++
	}
	return logDD(m).mul(dd{invLn2Hi, invLn2Lo}).addF(float64(k)).hi
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 {
	if r, ok := logEdge(x); ok {
		return r
	}
	return logDD(x).mul(dd{invLn10Hi, invLn10Lo}).hi
}

// log1pDD is log(1+x) for a finite x > -1.
func log1pDD(x dd) dd {
	if math.Abs(x.hi) < 0x1p-8 {
		if math.Abs(x.hi) < 0x1p-60 {
			return x
		}
		return logSmall(x)
	}
	s := twoSum(1, x.hi)
	return logDD(s.hi).addF((s.lo + x.lo) / s.hi)
}

// Log1p is log(1+x).
func Log1p(x float64) float64 {
	switch {
	case x != x || x < -1:
		return nan()
	case x == -1:
		return math.Inf(-1)
	case math.IsInf(x, 1) || x == 0:
		return x
	}
	return log1pDD(dd{x, 0}).hi
}
