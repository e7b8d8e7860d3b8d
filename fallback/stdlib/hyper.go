package stdlib

import "math"

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case a < 0x1p-30:
		return x
	case a > 711:
		return inf(x)
	case a > 40:
		return math.Copysign(halfExp(a), x)
	}
	e := expm1DD(a)
	s := e.add(e.div(e.addF(1)))
	return math.Copysign(0.5*s.hi, x)
}

// halfExp is e^x/2, where e^x itself may overflow.
func halfExp(x float64) float64 {
	m, n := expParts(dd{x, 0})
	return ldexp(m.hi, n-1)
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case a > 711:
		return math.Inf(1)
	case a > 40:
		return halfExp(a)
	}
	e := expm1DD(a).addF(1)
	return 0.5 * e.add(dd{1, 0}.div(e)).hi
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case a < 0x1p-30:
		return x
	case a > 20:
		return math.Copysign(1, x)
	}
	e := expm1DD(2 * a)
	return math.Copysign(e.div(e.addF(2)).hi, x)
}

// Asinh is the inverse hyperbolic sine.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan()
	case a < 0x1p-30 || math.IsInf(x, 0):
		return x
	case a > 0x1p40:
		return math.Copysign(logDD(a).add(dd{ln2Hi, ln2Lo}).hi, x)
	}
	// log(1 + a + a²/(1+√(1+a²)))
	sq := twoMul(a, a)
	r := sq.addF(1).sqrt().addF(1)
	return math.Copysign(log1pDD(sq.div(r).addF(a)).hi, x)
}

// Acosh is the inverse hyperbolic cosine.
func Acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return nan()
	case x == 1:
		return 0
	case math.IsInf(x, 1):
		return x
	case x > 0x1p60:
		return logDD(x).add(dd{ln2Hi, ln2Lo}).hi
	}
	t := twoSum(x, -1)
	return log1pDD(t.mul(twoSum(x, 1)).sqrt().add(t)).hi
}

// Atanh is the inverse hyperbolic tangent.
func Atanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan()
	case a == 1:
		return inf(x)
	case a < 0x1p-30:
		return x
	}
	t := dd{2 * a, 0}.div(twoSum(1, -a))
	return math.Copysign(0.5*log1pDD(t).hi, x)
}
