package stdlib

import (
	"math"
	"math/bits"
)

// reduce is x - q×π/2 for a finite x, with q modulo 4; |r| is not more than about π/4.
func reduce(x float64) (r dd, q int) {
	if math.Abs(x) > 0x1p20 {
		return reduceLarge(x)
	}
	k := math.RoundToEven(x * (1 / halfPiHi))
	if k == 0 {
		return dd{x, 0}, 0
	}
	// k has at most 20 bits, so that its products with the first three parts are exact, and so is the first difference.
	a := math.FMA(-k, halfPi1, x)
	s := twoSum(a, float64(-k*halfPi2))
	t := twoSum(s.hi, float64(-k*halfPi3))
	lo := s.lo + t.lo
	return fastSum(t.hi, math.FMA(-k, halfPi4, lo)), int(k) & 3
}

// reduceLarge is reduce for large numbers, after Payne and Hanek: of 2/π, only the bits count that neither make multiples
// of 4 with x nor are too small.
func reduceLarge(x float64) (r dd, q int) {
	b := math.Float64bits(math.Abs(x))
	e := int(b>>52) - 1075 // |x| = m × 2^e
	m := b&(1<<52-1) | 1<<52
	off := e - 2 + 64 // in twoOverPi, which begins with 64 zeros
	var w [3]uint64
	for i := range w {
		at, s := off/64+i, uint(off%64)
		w[i] = twoOverPi[at]<<s | twoOverPi[at+1]>>(64-s)
	}
	// m × w modulo 2^192, in units of 2^-190.
	h2, l2 := bits.Mul64(m, w[2])
	h1, l1 := bits.Mul64(m, w[1])
	mid, c := bits.Add64(l1, h2, 0)
	top := m*w[0] + h1 + c
	q = int(top >> 62)
	top, mid, l2 = top<<2|mid>>62, mid<<2|l2>>62, l2<<2
	negative := top>>63 != 0
	if negative { // more than half: from the other side
		q++
		l2, c = bits.Sub64(0, l2, 0)
		mid, c = bits.Sub64(0, mid, c)
		top, _ = bits.Sub64(0, top, c)
	}
	exp := -64
	for top == 0 {
		top, mid, l2 = mid, l2, 0
		exp -= 64
	}
	n := bits.LeadingZeros64(top)
	top, mid = top<<n|mid>>(64-n), mid<<n|l2>>(64-n)
	exp -= n
	// 53 bits, then the 53 below them.
	f := dd{float64(top>>11) * pow2(exp+11), float64(top&(1<<11-1)<<42|mid>>22) * pow2(exp-42)}
	r = fastSum(f.hi, f.lo).mul(dd{halfPiHi, halfPiLo})
	if negative != (x < 0) {
		r = r.neg()
	}
	if x < 0 {
		q = -q
	}
	return r, q & 3
}

// sinSmall is sin r, |r| ≤ π/4.
func sinSmall(r dd) float64 {
	if r.hi == 0 {
		return r.hi // with its sign
	}
	z := r.hi * r.hi
	return r.hi + math.FMA(z*r.hi, poly(z, sinSeries[:]), math.FMA(-0.5*z, r.lo, r.lo))
}

// cosSmall is cos r, |r| ≤ π/4.
func cosSmall(r dd) float64 {
	z := twoMul(r.hi, r.hi)
	s := fastSum(1, -0.5*z.hi)
	return s.hi + (s.lo + math.FMA(float64(z.hi*z.hi), poly(z.hi, cosSeries[:]), math.FMA(-r.hi, r.lo, -0.5*z.lo)))
}

// turned is the sine of r + q×π/2.
func turned(r dd, q int) float64 {
	var s float64
	if q&1 == 0 {
		s = sinSmall(r)
	} else {
		s = cosSmall(r)
	}
	if q&2 != 0 {
		return -s
	}
	return s
}

// Sin is the sine.
func Sin(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return nan()
	}
	return turned(reduce(x))
}

// Cos is the cosine.
func Cos(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return nan()
	}
	r, q := reduce(x)
	return turned(r, q+1)
}

// Tan is the tangent.
func Tan(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return nan()
	}
	r, q := reduce(x)
	if q&1 == 0 {
		return sinSmall(r) / cosSmall(r)
	}
	return -cosSmall(r) / sinSmall(r)
}

// reducePi is x - q/2 times π, with q modulo 4, for a finite x.
func reducePi(x float64) (r dd, q int) {
	x = Fmod(x, 2) // exact
	k := math.RoundToEven(2 * x)
	f := x - 0.5*k // exact
	if math.Abs(f) < 0x1p-900 {
		return dd{f * piHi, 0}, int(k) & 3
	}
	return dd{piHi, piLo}.mulF(f), int(k) & 3
}

// Sinpi is sin πx.
func Sinpi(x float64) float64 {
	switch {
	case math.IsInf(x, 0) || x != x:
		return nan()
	case isInt(x):
		return math.Copysign(0, x)
	}
	return turned(reducePi(x))
}

// Cospi is cos πx.
func Cospi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return nan()
	}
	r, q := reducePi(x)
	if r.hi == 0 && q&1 != 0 {
		return 0
	}
	return turned(r, q+1)
}

// Tanpi is tan πx: at integers n it is a zero with the sign of n where n is even, the other where it is odd; halfway
// between n and n+1 an infinity, positive where n is even (OpenCL C, section 7.5.1).
func Tanpi(x float64) float64 {
	switch {
	case math.IsInf(x, 0) || x != x:
		return nan()
	case isInt(x):
		if isOdd(x) {
			x = -x
		}
		return math.Copysign(0, x)
	}
	r, q := reducePi(x)
	switch {
	case q&1 == 0:
		return sinSmall(r) / cosSmall(r)
	case r.hi == 0:
		if q == 3 {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	return -cosSmall(r) / sinSmall(r)
}

// Radians is x degrees in radians.
func Radians(x float64) float64 { return scaled(x, dd{perDegreeHi, perDegreeLo}) }

// Degrees is x radians in degrees.
func Degrees(x float64) float64 { return scaled(x, dd{perRadianHi, perRadianLo}) }

func scaled(x float64, by dd) float64 {
	switch {
	case x != x:
		return nan()
	case math.IsInf(x, 0) || x == 0:
		return x
	}
	return math.FMA(x, by.hi, float64(x*by.lo))
}
