package ref

import (
	"math"
	"math/big"

	"github.com/sgrun/sgrun/spirv"
)

func cut(v uint64, width int) uint64 {
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// signed reads bits of a width as a two's complement number.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }

func boolOp(op spirv.Op, a []uint64) (uint64, bool) {
	switch op {
	case spirv.OpLogicalAnd:
		return a[0] & a[1], true
	case spirv.OpLogicalOr:
		return a[0] | a[1], true
	case spirv.OpLogicalEqual:
		return a[0] ^ a[1] ^ 1, true
	case spirv.OpLogicalNotEqual:
		return a[0] ^ a[1], true
	case spirv.OpLogicalNot:
		return a[0] ^ 1, true
	}
	return 0, false
}

// intOp is integer arithmetic. Undefined cases have the values the emulator documents: division by zero gives all ones, its
// remainder the dividend, shifts take the amount modulo the width.
func intOp(op spirv.Op, width int, a []uint64) uint64 {
	x, y := a[0], uint64(0)
	if len(a) > 1 {
		y = a[1]
	}
	switch op {
	case spirv.OpIAdd:
		return x + y
	case spirv.OpISub:
		return x - y
	case spirv.OpIMul:
		return x * y
	case spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod:
		return divide(op, new(big.Int).SetUint64(x), new(big.Int).SetUint64(y), big.NewInt(signed(x, width)), big.NewInt(signed(y, width)))
	case spirv.OpBitwiseAnd:
		return x & y
	case spirv.OpBitwiseOr:
		return x | y
	case spirv.OpBitwiseXor:
		return x ^ y
	case spirv.OpShiftLeftLogical:
		return x << (y % uint64(width))
	case spirv.OpShiftRightLogical:
		return x >> (y % uint64(width))
	case spirv.OpShiftRightArithmetic:
		return uint64(signed(x, width) >> (y % uint64(width)))
	case spirv.OpNot:
		return ^x
	case spirv.OpSNegate:
		return -x
	case spirv.OpUConvert:
		return x
	case spirv.OpSConvert:
		return uint64(signed(x, width))
	}
	r := uint64(0)
	for i := range width {
		one := x >> i & 1
		switch op {
		case spirv.OpBitCount:
			r += one
		case spirv.OpBitReverse:
			r |= one << (width - 1 - i)
		default:
			fail("%v", op)
		}
	}
	return r
}

// low returns the low 64 bits of a number in two's complement.
func low(r *big.Int) uint64 {
	return new(big.Int).And(r, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func divide(op spirv.Op, x, y, sx, sy *big.Int) uint64 {
	if y.Sign() == 0 {
		if op == spirv.OpUDiv || op == spirv.OpSDiv {
			return math.MaxUint64
		}
		return low(x)
	}
	r := new(big.Int)
	switch op {
	case spirv.OpUDiv:
		r.Quo(x, y)
	case spirv.OpUMod:
		r.Rem(x, y)
	case spirv.OpSDiv:
		r.Quo(sx, sy)
	case spirv.OpSRem: // sign of the dividend
		r.Rem(sx, sy)
	case spirv.OpSMod: // sign of the divisor
		r.Rem(sx, sy)
		if r.Sign() != 0 && r.Sign() != sy.Sign() {
			r.Add(r, sy)
		}
	}
	return low(r)
}

func compare(op spirv.Op, width int, a []uint64) uint64 {
	x, y := a[0], a[1]
	sx, sy := signed(x, width), signed(y, width)
	ok := false
	switch op {
	case spirv.OpIEqual:
		ok = x == y
	case spirv.OpINotEqual:
		ok = x != y
	case spirv.OpULessThan:
		ok = x < y
	case spirv.OpULessThanEqual:
		ok = x <= y
	case spirv.OpUGreaterThan:
		ok = x > y
	case spirv.OpUGreaterThanEqual:
		ok = x >= y
	case spirv.OpSLessThan:
		ok = sx < sy
	case spirv.OpSLessThanEqual:
		ok = sx <= sy
	case spirv.OpSGreaterThan:
		ok = sx > sy
	case spirv.OpSGreaterThanEqual:
		ok = sx >= sy
	default:
		fail("%v", op)
	}
	return truth(ok).Bits
}

// format describes a floating-point format: bits of the exponent and of the fraction.
func format(width int) (exponent, fraction int) {
	switch width {
	case 16:
		return 5, 10
	case 32:
		return 8, 23
	}
	return 11, 52
}

// number reads the bits of a floating-point number (IEEE 754, section 3.4). All widths fit a float64.
func number(width int, b uint64) float64 {
	exponent, fraction := format(width)
	bias := 1<<(exponent-1) - 1
	e := int(b>>fraction) & (1<<exponent - 1)
	f := float64(b & (1<<fraction - 1))
	var v float64
	switch {
	case e == 1<<exponent-1 && f == 0:
		v = math.Inf(1)
	case e == 1<<exponent-1:
		return math.NaN()
	case e == 0:
		v = math.Ldexp(f, 1-bias-fraction)
	default:
		v = math.Ldexp(f+math.Ldexp(1, fraction), e-bias-fraction)
	}
	if b>>(width-1)&1 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// encode rounds a float64 to a format, to nearest even, from the definition: the multiple of the unit in the last place
// that is nearest. A NaN becomes the one the emulator documents.
func encode(width int, v float64) uint64 {
	exponent, fraction := format(width)
	bias := 1<<(exponent-1) - 1
	inf := uint64(1<<exponent-1) << fraction
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << (width - 1)
	}
	switch {
	case v != v:
		return inf | 1<<(fraction-1)
	case math.IsInf(v, 0):
		return sign | inf
	case v == 0:
		return sign
	}
	if width == 64 {
		return math.Float64bits(v)
	}
	_, e := math.Frexp(math.Abs(v)) // |v| in [2^(e-1), 2^e)
	unit := max(e-1, 1-bias) - fraction
	n := uint64(math.RoundToEven(math.Ldexp(math.Abs(v), -unit))) // exact but for the rounding: a power of two
	if n >= 2<<fraction {
		n, unit = n/2, unit+1
	}
	if n < 1<<fraction {
		return sign | n // subnormal
	}
	if unit+fraction > bias {
		return sign | inf
	}
	return sign | uint64(unit+fraction+bias)<<fraction | n&(1<<fraction-1)
}

// floatOp is floating-point arithmetic, rounded once. For 16 and 32 bits, rounding the float64 result again gives the same:
// float64 has more than twice the bits and two.
func floatOp(op spirv.Op, width int, a, b uint64) uint64 {
	x, y := number(width, a), number(width, b)
	var r float64
	switch op {
	case spirv.OpFAdd:
		r = x + y
	case spirv.OpFSub:
		r = x - y
	case spirv.OpFMul:
		r = x * y
	case spirv.OpFDiv:
		r = x / y
	case spirv.OpFNegate:
		return a ^ 1<<(width-1)
	case spirv.OpFRem:
		r = math.Mod(x, y) // exact, sign of the dividend
	case spirv.OpFMod:
		// The remainder plus the divisor where the signs differ.
		switch r = math.Mod(x, y); {
		case r != r: // an infinite dividend, a zero divisor
		case r == 0:
			r = math.Copysign(0, y)
		case math.Signbit(r) == math.Signbit(y):
		case math.IsInf(y, 0):
			r = y
		default:
			return encodeSum(width, r, y)
		}
	default:
		fail("%v", op)
	}
	return encode(width, r)
}

// encodeSum rounds x+y once.
func encodeSum(width int, x, y float64) uint64 {
	if width < 64 {
		sum := new(big.Float).SetPrec(4000)
		sum.Add(sum.SetFloat64(x), new(big.Float).SetPrec(4000).SetFloat64(y))
		return encodeBig(width, sum)
	}
	return encode(width, x+y)
}

// encodeBig rounds an exact number to a format.
func encodeBig(width int, v *big.Float) uint64 {
	f, acc := v.Float64()
	// Where float64 is inexact, lean to the side of the exact number, so that no tie is seen where there is none.
	switch acc {
	case big.Below:
		if math.Float64bits(f)&1 == 0 {
			f = math.Nextafter(f, math.Inf(1))
		}
	case big.Above:
		if math.Float64bits(f)&1 == 0 {
			f = math.Nextafter(f, math.Inf(-1))
		}
	}
	return encode(width, f)
}

func floatCompare(op spirv.Op, x, y float64) uint64 {
	ok := false
	unordered := x != x || y != y
	switch op {
	case spirv.OpIsNan:
		ok = x != x
	case spirv.OpIsInf:
		ok = math.IsInf(x, 0)
	case spirv.OpFOrdEqual:
		ok = x == y
	case spirv.OpFUnordEqual:
		ok = x == y || unordered
	case spirv.OpFOrdNotEqual:
		ok = x != y && !unordered
	case spirv.OpFUnordNotEqual:
		ok = x != y || unordered
	case spirv.OpFOrdLessThan:
		ok = x < y
	case spirv.OpFUnordLessThan:
		ok = x < y || unordered
	case spirv.OpFOrdGreaterThan:
		ok = x > y
	case spirv.OpFUnordGreaterThan:
		ok = x > y || unordered
	case spirv.OpFOrdLessThanEqual:
		ok = x <= y
	case spirv.OpFUnordLessThanEqual:
		ok = x <= y || unordered
	case spirv.OpFOrdGreaterThanEqual:
		ok = x >= y
	case spirv.OpFUnordGreaterThanEqual:
		ok = x >= y || unordered
	default:
		fail("%v", op)
	}
	return truth(ok).Bits
}

// toInt cuts the fraction off and saturates; NaN gives 0, as the emulator documents.
func toInt(v float64, width int, toSigned bool) uint64 {
	if v != v {
		return 0
	}
	least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if toSigned {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	most.Sub(most, big.NewInt(1))
	r := new(big.Int)
	switch {
	case math.IsInf(v, 1):
		r = most
	case math.IsInf(v, -1):
		r = least
	default:
		big.NewFloat(v).Int(r) // towards zero
	}
	if r.Cmp(least) < 0 {
		r = least
	}
	if r.Cmp(most) > 0 {
		r = most
	}
	return cut(low(r), width)
}

// fromInt rounds an integer to a format, once.
func fromInt(v uint64, width, to int, fromSigned bool) uint64 {
	n := new(big.Int).SetUint64(v)
	if fromSigned {
		n.SetInt64(signed(v, width))
	}
	return encodeBig(to, new(big.Float).SetPrec(100).SetInt(n))
}
