package oracle

import "math/big"

// Floating-point arithmetic (SPIR-V 1.6, section 3.3.13, with the results of IEEE 754-2019): the exact result of the
// operation is computed as a fraction and rounded once, to the nearest, ties to even.

// FAdd is OpFAdd.
func (f Format) FAdd(a, b uint64) uint64 {
	ca, cb := f.Class(a), f.Class(b)
	switch {
	case ca == NaN || cb == NaN:
		return f.QuietNaN()
	case ca == Infinite && cb == Infinite && f.Negative(a) != f.Negative(b):
		return f.QuietNaN()
	case ca == Infinite:
		return a
	case cb == Infinite:
		return b
	}
	// A sum that is exactly zero is +0, except that -0 + -0 is -0 (IEEE 754-2019, section 6.3).
	bothNegative := f.Negative(a) && f.Negative(b)
	return f.Round(new(big.Rat).Add(f.Value(a), f.Value(b)), RTE, bothNegative)
}

// FSub is OpFSub: a + (-b).
func (f Format) FSub(a, b uint64) uint64 { return f.FAdd(a, f.FNegate(b)) }

// FNegate is OpFNegate: the sign bit is flipped.
func (f Format) FNegate(a uint64) uint64 { return a ^ f.Zero(true) }

// FMul is OpFMul.
func (f Format) FMul(a, b uint64) uint64 {
	ca, cb := f.Class(a), f.Class(b)
	negative := f.Negative(a) != f.Negative(b)
	switch {
	case ca == NaN || cb == NaN:
		return f.QuietNaN()
	case ca == Infinite && cb == Zero || ca == Zero && cb == Infinite:
		return f.QuietNaN()
	case ca == Infinite || cb == Infinite:
		return f.Inf(negative)
	}
	return f.Round(new(big.Rat).Mul(f.Value(a), f.Value(b)), RTE, negative)
}

// FDiv is OpFDiv.
func (f Format) FDiv(a, b uint64) uint64 {
	ca, cb := f.Class(a), f.Class(b)
	negative := f.Negative(a) != f.Negative(b)
	switch {
	case ca == NaN || cb == NaN:
		return f.QuietNaN()
	case ca == Infinite && cb == Infinite || ca == Zero && cb == Zero:
		return f.QuietNaN()
	case ca == Infinite || cb == Zero:
		return f.Inf(negative)
	case cb == Infinite:
		return f.Zero(negative)
	}
	return f.Round(new(big.Rat).Quo(f.Value(a), f.Value(b)), RTE, negative)
}

// FRem is OpFRem for finite a and finite b other than zero: a - b*n with n = a/b rounded towards zero. The result has the
// sign of a, and exact reports whether the format holds it without rounding (it always does).
func (f Format) FRem(a, b uint64) (bits uint64, exact bool) {
	return f.remainder(a, b, f.Negative(a), func(q *big.Rat) *big.Int {
		return new(big.Int).Quo(q.Num(), q.Denom())
	})
}

// FMod is OpFMod for finite a and finite b other than zero: a - b*n with n = a/b rounded towards negative infinity. The
// result has the sign of b, and exact reports whether the format holds it without rounding.
func (f Format) FMod(a, b uint64) (bits uint64, exact bool) {
	return f.remainder(a, b, f.Negative(b), func(q *big.Rat) *big.Int {
		n := new(big.Int).Quo(q.Num(), q.Denom())
		if q.Sign() < 0 && !q.IsInt() {
			n.Sub(n, big.NewInt(1))
		}
		return n
	})
}

func (f Format) remainder(a, b uint64, zeroNegative bool, whole func(*big.Rat) *big.Int) (uint64, bool) {
	x, y := f.Value(a), f.Value(b)
	n := whole(new(big.Rat).Quo(x, y))
	r := x.Sub(x, new(big.Rat).Mul(y, new(big.Rat).SetInt(n)))
	bits := f.Round(r, RTE, zeroNegative)
	return bits, f.Value(bits).Cmp(r) == 0
}

// Compare compares two numbers: -1, 0 or +1, and ordered is false where either is NaN. Both zeros are equal.
func (f Format) Compare(a, b uint64) (order int, ordered bool) {
	if f.Class(a) == NaN || f.Class(b) == NaN {
		return 0, false
	}
	return f.extended(a).Cmp(f.extended(b)), true
}

// extended is the value, with infinities replaced by numbers beyond every finite one.
func (f Format) extended(a uint64) *big.Rat {
	if f.Class(a) != Infinite {
		return f.Value(a)
	}
	x := powerOfTwo(f.maxExponent() + 1)
	if f.Negative(a) {
		x.Neg(x)
	}
	return x
}

// Conversions (SPIR-V 1.6, section 3.3.11).

// FConvert is OpFConvert from f to another format.
func (f Format) FConvert(to Format, a uint64, mode Rounding) uint64 {
	switch f.Class(a) {
	case NaN:
		return to.QuietNaN()
	case Infinite:
		return to.Inf(f.Negative(a))
	}
	return to.Round(f.Value(a), mode, f.Negative(a))
}

// FromUnsigned is OpConvertUToF from an integer of width bits.
func (f Format) FromUnsigned(width int, a uint64, mode Rounding) uint64 {
	return f.Round(new(big.Rat).SetInt(Unsigned(width, a)), mode, false)
}

// FromSigned is OpConvertSToF from an integer of width bits.
func (f Format) FromSigned(width int, a uint64, mode Rounding) uint64 {
	return f.Round(new(big.Rat).SetInt(Signed(width, a)), mode, false)
}

// ToUnsigned is OpConvertFToU to an integer of width bits. fits is false where the rounded number is outside the range
// (then the instruction is undefined, unless it has the decoration SaturatedConversion, whose result bits is: clamped, and
// 0 for NaN).
func (f Format) ToUnsigned(width int, a uint64, mode Rounding) (bits uint64, fits bool) {
	return f.toInteger(a, mode, width, new(big.Int), unsignedMax(width))
}

// ToSigned is OpConvertFToS; see ToUnsigned.
func (f Format) ToSigned(width int, a uint64, mode Rounding) (bits uint64, fits bool) {
	return f.toInteger(a, mode, width, signedMin(width), signedMax(width))
}

func (f Format) toInteger(a uint64, mode Rounding, width int, low, high *big.Int) (uint64, bool) {
	switch f.Class(a) {
	case NaN:
		return 0, false
	case Infinite:
		if f.Negative(a) {
			return Wrap(width, low), false
		}
		return Wrap(width, high), false
	}
	x := f.Value(a)
	whole := roundToInteger(new(big.Rat).Abs(x), mode, x.Sign() < 0)
	if x.Sign() < 0 {
		whole.Neg(whole)
	}
	clamped := clamp(whole, low, high)
	return Wrap(width, clamped), clamped.Cmp(whole) == 0
}

// QuantizeToF16 is OpQuantizeToF16 on a 32-bit number: rounded to 16 bits and back, with what is too small for a normal
// 16-bit number replaced by a zero of its sign. exact reports that no rounding took place, so that every rounding mode
// gives this result.
func QuantizeToF16(a uint64) (bits uint64, exact bool) {
	half := F32.FConvert(F16, a, RTE)
	if F16.Class(half) == Subnormal {
		half = F16.Zero(F32.Negative(a))
	}
	back := F16.FConvert(F32, half, RTE)
	return back, back == a
}
