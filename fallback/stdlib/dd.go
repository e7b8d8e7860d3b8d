package stdlib

import "math"

// dd is the unevaluated sum hi+lo of two numbers, |lo| ≤ ulp(hi)/2: about 106 bits.
type dd struct{ hi, lo float64 }

// twoSum is a+b, exactly.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastSum is a+b, exactly, where |a| ≥ |b| or a is 0.
func fastSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoMul is a×b, exactly, where nothing underflows.
func twoMul(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (x dd) mul(y dd) dd {
	p := twoMul(x.hi, y.hi)
	return fastSum(p.hi, p.lo+math.FMA(x.hi, y.lo, float64(x.lo*y.hi)))
}

func (x dd) mulF(y float64) dd {
	p := twoMul(x.hi, y)
	return fastSum(p.hi, math.FMA(x.lo, y, p.lo))
}

func (x dd) add(y dd) dd {
	s := twoSum(x.hi, y.hi)
	return fastSum(s.hi, s.lo+(x.lo+y.lo))
}

func (x dd) addF(y float64) dd {
	s := twoSum(x.hi, y)
	return fastSum(s.hi, s.lo+x.lo)
}

func (x dd) neg() dd { return dd{-x.hi, -x.lo} }

func (x dd) div(y dd) dd {
	q := x.hi / y.hi
	r := math.FMA(-q, y.hi, x.hi) + math.FMA(-q, y.lo, x.lo)
	return fastSum(q, r/y.hi)
}

// sqrt is the root of a positive number.
func (x dd) sqrt() dd {
	s := math.Sqrt(x.hi)
	r := math.FMA(-s, s, x.hi) + x.lo
	return fastSum(s, r/(2*s))
}

// poly is the sum of c[i] x^i.
func poly(x float64, c []float64) float64 {
	s := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		s = math.FMA(s, x, c[i])
	}
	return s
}

func nan() float64 { return math.Float64frombits(0x7ff8000000000000) }

func inf(sign float64) float64 { return math.Copysign(math.Inf(1), sign) }

// isInt reports whether a finite x is an integer.
func isInt(x float64) bool { return math.Trunc(x) == x }

// isOdd reports whether a finite x is an odd integer.
func isOdd(x float64) bool {
	return math.Abs(x) < 1<<53 && isInt(x) && int64(x)&1 != 0
}

// pow2 is 2^n, -1022 ≤ n ≤ 1023.
func pow2(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// ldexp is x × 2^n, rounded once.
func ldexp(x float64, n int) float64 {
	switch {
	case n > 1023:
		x *= pow2(1023)
		if n -= 1023; n > 1023 {
			x *= pow2(1023)
			n = min(n-1023, 1023)
		}
	case n < -1022:
		// The first steps are exact as long as they leave a normal number: they stop 53 bits above the least.
		x *= pow2(-1022 + 53)
		if n += 1022 - 53; n < -1022 {
			x *= pow2(-1022 + 53)
			n = max(n+1022-53, -1022)
		}
	}
	return x * pow2(n)
}

// frexp splits a finite x that is not 0 into m × 2^e, 1 ≤ |m| < 2.
func frexp(x float64) (m float64, e int) {
	if math.Abs(x) < 0x1p-1022 {
		m, e = frexp(x * 0x1p64)
		return m, e - 64
	}
	b := math.Float64bits(x)
	return math.Float64frombits(b&^(0x7ff<<52) | 1023<<52), int(b>>52&0x7ff) - 1023
}
