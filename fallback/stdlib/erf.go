package stdlib

import "math"

var erfcxEdges = [9]float64{0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 9}

// erfcLarge is erfc(x) for x ≥ 0.5.
func erfcLarge(x float64) float64 {
	if x > 27.3 {
		return 0
	}
	var f float64
	if x >= 9 {
		u := 1 / (x * x)
		f = poly(math.FMA(u, 162, -1), erfcxTail[0]) / x * (0.5 * twoOverSqrtPiHi)
	} else {
		i := 0
		for x >= erfcxEdges[i+1] {
			i++
		}
		a, b := erfcxEdges[i], erfcxEdges[i+1]
		f = poly((x-(a+b)/2)/((b-a)/2), erfcxTable[i])
	}
	m, n := expParts(twoMul(x, x).neg())
	return ldexp(m.hi*f, n)
}

func erfSmall(x float64) float64 {
	if math.Abs(x) < 0x1p-30 {
		return scaled(x, dd{twoOverSqrtPiHi, twoOverSqrtPiLo})
	}
	z := x * x
	return scaled(x, dd{twoOverSqrtPiHi, twoOverSqrtPiLo + float64(z*poly(z, erfSeries[1:]))})
}

// Erf is the error function.
func Erf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case a < 0.5:
		return erfSmall(x)
	case a > 6.5:
		return math.Copysign(1, x)
	}
	return math.Copysign(1-erfcLarge(a), x)
}

// Erfc is 1 - Erf.
func Erfc(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case math.Abs(x) < 0.5:
		return 1 - erfSmall(x)
	case x < 0:
		return 2 - erfcLarge(-x)
	}
	return erfcLarge(x)
}
