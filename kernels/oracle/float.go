package oracle

import "math/big"

// Format is a binary interchange format of IEEE 754: one sign bit, Exponent bits of biased exponent, Fraction bits.
type Format struct {
	Exponent int
	Fraction int
}

// The formats of OpTypeFloat 16, 32 and 64.
var (
	F16 = Format{5, 10}
	F32 = Format{8, 23}
	F64 = Format{11, 52}
)

// FormatOf is the format of width bits: 16, 32 or 64.
func FormatOf(width int) Format {
	return map[int]Format{16: F16, 32: F32, 64: F64}[width]
}

// Width is the size in bits.
func (f Format) Width() int { return 1 + f.Exponent + f.Fraction }

// minExponent is the exponent of the smallest normal number, and the one subnormal numbers share: 1 - bias.
func (f Format) minExponent() int { return 2 - 1<<(f.Exponent-1) }

// maxExponent is the exponent of the largest finite number: the bias.
func (f Format) maxExponent() int { return 1<<(f.Exponent-1) - 1 }

// Class is what kind of number a bit pattern stands for.
type Class int

// Classes of floating-point numbers.
const (
	Zero Class = iota
	Subnormal
	Normal
	Infinite
	NaN
)

// Class tells what kind of number the pattern is.
func (f Format) Class(bits uint64) Class {
	exponent, fraction := f.exponentField(bits), f.fractionField(bits)
	switch {
	case exponent == 1<<f.Exponent-1 && fraction != 0:
		return NaN
	case exponent == 1<<f.Exponent-1:
		return Infinite
	case exponent == 0 && fraction == 0:
		return Zero
	case exponent == 0:
		return Subnormal
	}
	return Normal
}

func (f Format) exponentField(bits uint64) uint64 { return bits >> f.Fraction & (1<<f.Exponent - 1) }
func (f Format) fractionField(bits uint64) uint64 { return bits & (1<<f.Fraction - 1) }

// Negative reports whether the sign bit is set.
func (f Format) Negative(bits uint64) bool { return bits>>(f.Exponent+f.Fraction)&1 == 1 }

// Value is the exact value of a pattern that is neither infinite nor NaN (IEEE 754-2019, section 3.4): both zeros are 0.
func (f Format) Value(bits uint64) *big.Rat {
	exponent, significand := f.minExponent(), f.fractionField(bits)
	if field := f.exponentField(bits); field != 0 {
		exponent = int(field) - f.maxExponent()
		significand += 1 << f.Fraction
	}
	x := new(big.Rat).SetInt(new(big.Int).SetUint64(significand))
	x.Mul(x, powerOfTwo(exponent-f.Fraction))
	if f.Negative(bits) {
		x.Neg(x)
	}
	return x
}

// powerOfTwo is 2^n, n of either sign.
func powerOfTwo(n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).Inv(powerOfTwo(-n))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

// QuietNaN, Inf and Zero are patterns of the format.

// QuietNaN is the positive quiet NaN with an otherwise empty payload. Which NaN an operation returns is left open by the
// specifications, so vectors compare NaNs by being NaN.
func (f Format) QuietNaN() uint64 { return f.Inf(false) | 1<<(f.Fraction-1) }

// Inf is infinity.
func (f Format) Inf(negative bool) uint64 {
	return f.Zero(negative) | (1<<f.Exponent-1)<<f.Fraction
}

// Zero is zero.
func (f Format) Zero(negative bool) uint64 {
	if negative {
		return 1 << (f.Exponent + f.Fraction)
	}
	return 0
}

// Max is the finite number of the greatest magnitude.
func (f Format) Max(negative bool) uint64 { return f.Inf(negative) - 1 }

// Rounding is a rounding mode.
type Rounding int

// The rounding modes of the decoration FPRoundingMode (SPIR-V 1.6, section 3.2.17).
const (
	RTE Rounding = iota // to the nearest, ties to even
	RTZ                 // towards zero
	RTP                 // towards positive infinity
	RTN                 // towards negative infinity
)

// Round is the pattern of x rounded to the format. A result of zero has the sign of x, and for x = 0 the sign given.
func (f Format) Round(x *big.Rat, mode Rounding, zeroNegative bool) uint64 {
	if x.Sign() == 0 {
		return f.Zero(zeroNegative)
	}
	negative := x.Sign() < 0
	magnitude := new(big.Rat).Abs(x)

	// Numbers of the format near x are the multiples of 2^(exponent-Fraction), where 2^exponent <= |x| < 2^(exponent+1);
	// below the smallest normal number the spacing stays.
	exponent := max(floorLog2(magnitude), f.minExponent())
	multiple := roundToInteger(new(big.Rat).Mul(magnitude, powerOfTwo(f.Fraction-exponent)), mode, negative)
	if multiple.Cmp(modulus(f.Fraction+1)) == 0 { // rounded up to the next power of two
		multiple.Rsh(multiple, 1)
		exponent++
	}
	if exponent > f.maxExponent() {
		towardsZero := mode == RTZ || mode == RTP && negative || mode == RTN && !negative
		if towardsZero {
			return f.Max(negative)
		}
		return f.Inf(negative)
	}
	bits := f.Zero(negative)
	if multiple.Cmp(modulus(f.Fraction)) < 0 { // subnormal or zero
		return bits | multiple.Uint64()
	}
	return bits | uint64(exponent+f.maxExponent())<<f.Fraction | f.fractionField(multiple.Uint64())
}

// floorLog2 is the greatest n with 2^n <= x, for x > 0.
func floorLog2(x *big.Rat) int {
	n := x.Num().BitLen() - x.Denom().BitLen()
	for powerOfTwo(n).Cmp(x) > 0 {
		n--
	}
	for powerOfTwo(n+1).Cmp(x) <= 0 {
		n++
	}
	return n
}

// roundToInteger rounds the magnitude of a number whose sign is told apart.
func roundToInteger(magnitude *big.Rat, mode Rounding, negative bool) *big.Int {
	floor := new(big.Int).Quo(magnitude.Num(), magnitude.Denom())
	rest := new(big.Rat).Sub(magnitude, new(big.Rat).SetInt(floor))
	if rest.Sign() == 0 {
		return floor
	}
	up := false
	switch mode {
	case RTE:
		half := rest.Cmp(big.NewRat(1, 2))
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case RTP:
		up = !negative
	case RTN:
		up = negative
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}
