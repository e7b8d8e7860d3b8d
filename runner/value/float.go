package value

import "math"

// layout of the narrow floats: sign, exponent, mantissa from the top; bias 2^(exp-1)-1.

// maxFinite returns the bits of the largest finite value of a narrow float.
func (s Scalar) maxFinite() uint64 {
	in := s.info()
	if s == E4M3 { // the all-ones exponent holds numbers too, all but the all-ones mantissa (OCP OFP8, table 1)
		return 0x7e
	}
	return uint64(1)<<(in.exp+in.man) - 1 - uint64(1)<<in.man
}

// nan returns the bits of the quiet NaN printed as "nan": positive, only the mantissa's top bit set (e4m3 has one NaN).
func (s Scalar) nan() uint64 {
	in := s.info()
	if s == E4M3 {
		return 0x7f
	}
	return (uint64(1)<<in.exp-1)<<in.man | uint64(1)<<(in.man-1)
}

// inf returns the bits of positive infinity; ok is false for e4m3, which has none.
func (s Scalar) inf() (b uint64, ok bool) {
	in := s.info()
	return (uint64(1)<<in.exp - 1) << in.man, s != E4M3
}

// EncodeFloat rounds x to the float format, to nearest, ties to even, and returns its bits. A NaN becomes the format's
// quiet NaN. A finite x beyond the largest finite value, and an infinity in a format without, make ok false.
func (s Scalar) EncodeFloat(x float64) (b uint64, ok bool) {
	in := s.info()
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 1 << (in.exp + in.man)
	}
	switch {
	case math.IsNaN(x):
		return s.nan(), true
	case math.IsInf(x, 0):
		b, ok = s.inf()
		return sign | b, ok
	case s == F64:
		return math.Float64bits(x), true
	case x == 0:
		return sign, true
	}
	x = math.Abs(x)
	_, e := math.Frexp(x)
	e--                              // x = 1.… * 2^e
	emin := 2 - 1<<(in.exp-1)        // exponent of the smallest normal number
	quantum := max(e, emin) - in.man // x is rounded to a multiple of 2^quantum
	q := uint64(math.RoundToEven(math.Ldexp(x, -quantum)))
	// A mantissa that rounds up to the next power of two carries into the exponent, which is the right number.
	if e >= emin {
		b = uint64(e-emin)<<in.man + q
	} else {
		b = q
	}
	if b > s.maxFinite() {
		return 0, false
	}
	return sign | b, true
}

// DecodeFloat returns the value of the bits of a float format. Every value of every format is a float64; the payload of a
// NaN is not kept.
func (s Scalar) DecodeFloat(b uint64) float64 {
	switch s {
	case F64:
		return math.Float64frombits(b)
	case F32:
		return float64(math.Float32frombits(uint32(b)))
	}
	in := s.info()
	sign := 1.0
	if b>>(in.exp+in.man)&1 != 0 {
		sign = -1
	}
	b &= 1<<(in.exp+in.man) - 1
	if b > s.maxFinite() {
		if inf, ok := s.inf(); ok && b == inf {
			return math.Inf(int(sign))
		}
		return math.NaN()
	}
	e, m := int(b>>in.man), b&(1<<in.man-1)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << in.man
	}
	bias := 1<<(in.exp-1) - 1
	return math.Ldexp(sign*float64(m), e-bias-in.man)
}

// IsNaN reports whether the bits are a NaN of a float format; for integers it is false.
func (s Scalar) IsNaN(b uint64) bool {
	if !s.Float() {
		return false
	}
	in := s.info()
	b &= 1<<(in.exp+in.man) - 1
	inf, ok := s.inf()
	if !ok {
		return b > s.maxFinite()
	}
	return b > inf
}
