package stdlib

import "math"

// powAbs is |x|^y for a finite x that is not 0 and a finite y.
func powAbs(x, y float64) float64 {
	l := logDD(math.Abs(x))
	switch t := float64(l.hi * y); {
	case t > 720:
		return math.Inf(1)
	case t < -760:
		return 0
	case math.Abs(t) < 0x1p-60:
		return 1 + t
	}
	return expDD(l.mulF(y))
}

// Pow is x^y with C99's special values (annex F.9.4.4).
func Pow(x, y float64) float64 {
	odd := !math.IsInf(y, 0) && isOdd(y)
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return nan()
	case x == 0:
		if !odd {
			x = 0
		}
		if y < 0 {
			return inf(x)
		}
		return x
	case math.IsInf(y, 0):
		a := math.Abs(x)
		switch {
		case a == 1:
			return 1
		case (a > 1) == (y > 0):
			return math.Inf(1)
		}
		return 0
	case math.IsInf(x, 0):
		r := math.Inf(1)
		if y < 0 {
			r = 0
		}
		if odd {
			r = math.Copysign(r, x)
		}
		return r
	case x < 0 && !isInt(y):
		return nan()
	}
	r := powAbs(x, y)
	if x < 0 && odd {
		r = -r
	}
	return r
}

// Pown is x^n.
func Pown(x float64, n int32) float64 { return Pow(x, float64(n)) }

// Powr is x^y for x ≥ 0, as e^(y log x) is: what that leaves open is NaN (OpenCL C, section 7.5.1).
func Powr(x, y float64) float64 {
	switch {
	case x != x || y != y || x < 0:
		return nan()
	case x == 0 && y == 0, math.IsInf(x, 1) && y == 0, x == 1 && math.IsInf(y, 0):
		return nan()
	case x == 0: // also -0, with no sign in the result
		x = 0
	}
	return Pow(x, y)
}

// Rootn is x^(1/n).
func Rootn(x float64, n int32) float64 {
	odd := n&1 != 0
	switch {
	case n == 0 || x != x || x < 0 && !odd:
		return nan()
	case x == 0 || math.IsInf(x, 0):
		if !odd {
			x = math.Abs(x)
		}
		switch {
		case n > 0:
			return x
		case x == 0:
			return inf(x)
		}
		return math.Copysign(0, x)
	case n == 1:
		return x
	}
	return math.Copysign(expDD(logDD(math.Abs(x)).div(dd{float64(n), 0})), x)
}

// Cbrt is the cube root.
func Cbrt(x float64) float64 {
	switch {
	case x != x:
		return nan()
	case x == 0 || math.IsInf(x, 0):
		return x
	}
	return Rootn(x, 3)
}
