package oracle

import "math/big"

// Unsigned is the number a bit pattern stands for when it is read as an unsigned integer of width bits.
func Unsigned(width int, bits uint64) *big.Int {
	return new(big.Int).Mod(new(big.Int).SetUint64(bits), modulus(width))
}

// Signed is the number a bit pattern stands for when it is read as a two's complement integer of width bits.
func Signed(width int, bits uint64) *big.Int {
	x := Unsigned(width, bits)
	if x.Bit(width-1) == 1 {
		x.Sub(x, modulus(width))
	}
	return x
}

// Wrap is the bit pattern of x modulo 2^width: the low-order bits that the specification keeps of a result that does not
// fit.
func Wrap(width int, x *big.Int) uint64 {
	return new(big.Int).Mod(x, modulus(width)).Uint64()
}

// modulus is 2^width.
func modulus(width int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(width)) }

// The arithmetic instructions of SPIR-V 1.6, section 3.3.13, on integers of width bits. Division by zero is undefined
// there, and so is the signed division of the smallest number by -1; both panic here.

// IAdd is OpIAdd.
func IAdd(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Add(Unsigned(width, a), Unsigned(width, b)))
}

// ISub is OpISub.
func ISub(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Sub(Unsigned(width, a), Unsigned(width, b)))
}

// IMul is OpIMul.
func IMul(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Mul(Unsigned(width, a), Unsigned(width, b)))
}

// SNegate is OpSNegate.
func SNegate(width int, a uint64) uint64 { return Wrap(width, new(big.Int).Neg(Signed(width, a))) }

// UDiv is OpUDiv.
func UDiv(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Quo(Unsigned(width, a), Unsigned(width, b)))
}

// UMod is OpUMod.
func UMod(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Rem(Unsigned(width, a), Unsigned(width, b)))
}

// SDiv is OpSDiv; the quotient is rounded towards zero.
func SDiv(width int, a, b uint64) uint64 {
	q := new(big.Int).Quo(Signed(width, a), Signed(width, b))
	if q.Cmp(signedMax(width)) > 0 {
		panic("oracle: signed division overflows: undefined")
	}
	return Wrap(width, q)
}

// SRem is OpSRem: the remainder whose sign matches the sign of a.
func SRem(width int, a, b uint64) uint64 {
	return Wrap(width, new(big.Int).Rem(Signed(width, a), Signed(width, b)))
}

// SMod is OpSMod: the remainder whose sign matches the sign of b.
func SMod(width int, a, b uint64) uint64 {
	x, y := Signed(width, a), Signed(width, b)
	r := new(big.Int).Rem(x, y)
	if r.Sign() != 0 && r.Sign() != y.Sign() {
		r.Add(r, y)
	}
	return Wrap(width, r)
}

// IAddCarry is OpIAddCarry: the sum's low-order bits and the carry, 0 or 1.
func IAddCarry(width int, a, b uint64) (sum, carry uint64) {
	full := new(big.Int).Add(Unsigned(width, a), Unsigned(width, b))
	return Wrap(width, full), new(big.Int).Rsh(full, uint(width)).Uint64()
}

// ISubBorrow is OpISubBorrow: the difference's low-order bits, and 1 where b was the greater.
func ISubBorrow(width int, a, b uint64) (difference, borrow uint64) {
	if Unsigned(width, a).Cmp(Unsigned(width, b)) < 0 {
		borrow = 1
	}
	return ISub(width, a, b), borrow
}

// UMulExtended is OpUMulExtended: the low-order and the high-order bits of the full product.
func UMulExtended(width int, a, b uint64) (low, high uint64) {
	return halves(width, new(big.Int).Mul(Unsigned(width, a), Unsigned(width, b)))
}

// SMulExtended is OpSMulExtended: the low-order and the high-order bits of the full signed product.
func SMulExtended(width int, a, b uint64) (low, high uint64) {
	return halves(width, new(big.Int).Mul(Signed(width, a), Signed(width, b)))
}

func halves(width int, product *big.Int) (low, high uint64) {
	both := new(big.Int).Mod(product, modulus(2*width))
	return Wrap(width, both), Wrap(width, new(big.Int).Rsh(both, uint(width)))
}

// CompareInt compares two integers of width bits as unsigned or as signed numbers: -1, 0 or +1.
func CompareInt(width int, signed bool, a, b uint64) int {
	if signed {
		return Signed(width, a).Cmp(Signed(width, b))
	}
	return Unsigned(width, a).Cmp(Unsigned(width, b))
}

// UConvert is OpUConvert: truncation, or extension with zeros.
func UConvert(from, to int, a uint64) uint64 { return Wrap(to, Unsigned(from, a)) }

// SConvert is OpSConvert: truncation, or extension with copies of the sign bit.
func SConvert(from, to int, a uint64) uint64 { return Wrap(to, Signed(from, a)) }

// SatConvertSToU is OpSatConvertSToU: a signed number clamped to the range of unsigned integers of to bits.
func SatConvertSToU(from, to int, a uint64) uint64 {
	return Wrap(to, clamp(Signed(from, a), new(big.Int), unsignedMax(to)))
}

// SatConvertUToS is OpSatConvertUToS: an unsigned number clamped to the range of signed integers of to bits.
func SatConvertUToS(from, to int, a uint64) uint64 {
	return Wrap(to, clamp(Unsigned(from, a), signedMin(to), signedMax(to)))
}

func clamp(x, low, high *big.Int) *big.Int {
	switch {
	case x.Cmp(low) < 0:
		return low
	case x.Cmp(high) > 0:
		return high
	}
	return x
}

func unsignedMax(width int) *big.Int { return new(big.Int).Sub(modulus(width), big.NewInt(1)) }
func signedMax(width int) *big.Int   { return new(big.Int).Sub(modulus(width-1), big.NewInt(1)) }
func signedMin(width int) *big.Int   { return new(big.Int).Neg(modulus(width - 1)) }
