package stdlib

import "math"

// gammaDD is Γ(x) for 1 ≤ x < 20.
func gammaDD(x float64) dd {
	p := dd{1, 0}
	for x >= 2 {
		x-- // exact
		p = p.mulF(x)
	}
	i := int((x - 1) * 4)
	t := (x-1)*8 - float64(2*i+1) // exact
	return p.mulF(poly(t, gammaTable[i]))
}

// logGammaLarge is log Γ(x) for x ≥ 10, by Stirling's series.
func logGammaLarge(x float64) dd {
	u := 1 / x
	l := logDD(x).mul(twoSum(x, -0.5)).add(dd{-x, 0}).add(dd{halfLog2PiHi, halfLog2PiLo})
	return l.addF(float64(u * poly(float64(u*u), stirling[:])))
}

// Tgamma is the gamma function.
func Tgamma(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, -1) || x < 0 && isInt(x):
		return nan()
	case x == 0:
		return inf(x)
	case math.IsInf(x, 1) || x > 172:
		return math.Inf(1)
	case x >= 20:
		return expDD(logGammaLarge(x))
	case x >= 1:
		return gammaDD(x).hi
	case x > 0x1p-60:
		return gammaBelow1(x).hi
	case x > -0x1p-60:
		return 1 / x
	case x < -190:
		return math.Copysign(0, Sinpi(x))
	}
	// Γ(x) = -π/(x sin(πx) Γ(-x))
	y := -x
	d := Sinpi(y) * y
	n := -math.Pi * 0x1p200
	switch {
	case y >= 20:
		l := logGammaLarge(y).neg()
		m, e := expParts(l)
		return ldexp(n/d*m.hi, e-200)
	case y >= 1:
		d *= gammaDD(y).hi
	default:
		d *= gammaBelow1(y).hi
	}
	return n / d * 0x1p-200
}

// gammaBelow1 is Γ(x) for 0 < x < 1.
func gammaBelow1(x float64) dd {
	s := twoSum(1, x)
	if s.hi >= 2 {
		s.hi = math.Nextafter(2, 1)
	}
	return gammaDD(s.hi).div(dd{x, 0})
}

// Lgamma is log |Γ(x)|, and the sign of Γ(x): 0 where Γ has a pole.
func Lgamma(x float64) (float64, int32) {
	switch {
	case x != x:
		return nan(), 0
	case math.IsInf(x, 0):
		if x > 0 {
			return x, 1
		}
		return math.Inf(1), 0
	case x <= 0 && isInt(x):
		return math.Inf(1), 0
	case x > 0:
		return lgammaPositive(x), 1
	case x > -0x1p-60:
		return -logDD(-x).hi, -1
	}
	s := Sinpi(x)
	sign := int32(1)
	if s < 0 { // Γ(x) = -π/(x sin(πx) Γ(-x)), and x < 0
		sign = -1
	}
	l := dd{logPiHi, logPiLo}.add(logDD(math.Abs(s)).neg()).add(logDD(-x).neg()).addF(-lgammaPositive(-x))
	return l.hi, sign
}

func lgammaPositive(x float64) float64 {
	switch {
	case x < 0x1p-60:
		return -logDD(x).hi
	case x < 0.5:
		return logDD(x).neg().addF(lgammaMiddle(x + 1)).hi
	case x < 3:
		return lgammaMiddle(x)
	case x < 10:
		return logDD(gammaDD(x).hi).hi
	case x > 0x1p1000:
		l := logDD(x).addF(-1)
		return l.hi * x
	}
	return logGammaLarge(x).hi
}

// lgammaMiddle is log Γ(x) for 0.5 ≤ x < 3.
func lgammaMiddle(x float64) float64 {
	i := int((x - 0.5) * 4)
	t := (x-0.5)*8 - float64(2*i+1)
	if x == 1 || x == 2 {
		return 0
	}
	return float64((x - 1) * (x - 2) * poly(t, lgammaTable[i]))
}
