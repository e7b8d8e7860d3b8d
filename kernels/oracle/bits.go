package oracle

// The bit instructions of SPIR-V 1.6, section 3.3.14, on strings of bits: bit 0 is the lowest. Shifts by the width or
// more and bit fields that reach beyond the width are undefined there and panic here.

// pattern is a value's bits, the lowest first.
func pattern(width int, a uint64) []bool { return appendBits(nil, a, width) }

// number makes a value of bits, the first one lowest.
func number(bits []bool) uint64 {
	value, _ := takeBits(bits, len(bits))
	return value
}

// ShiftLeftLogical is OpShiftLeftLogical.
func ShiftLeftLogical(width int, a, shift uint64) uint64 {
	shifted := append(make([]bool, defined(shift, width)), pattern(width, a)...)
	return number(shifted[:width])
}

// ShiftRightLogical is OpShiftRightLogical: zeros come in at the top.
func ShiftRightLogical(width int, a, shift uint64) uint64 { return shiftRight(width, a, shift, false) }

// ShiftRightArithmetic is OpShiftRightArithmetic: copies of the sign bit come in at the top.
func ShiftRightArithmetic(width int, a, shift uint64) uint64 {
	return shiftRight(width, a, shift, pattern(width, a)[width-1])
}

func shiftRight(width int, a, shift uint64, fill bool) uint64 {
	n := defined(shift, width)
	shifted := pattern(width, a)[n:]
	for range n {
		shifted = append(shifted, fill)
	}
	return number(shifted)
}

func defined(shift uint64, width int) int {
	if shift >= uint64(width) {
		panic("oracle: shift by the width or more: undefined")
	}
	return int(shift)
}

// BitwiseAnd is OpBitwiseAnd.
func BitwiseAnd(width int, a, b uint64) uint64 {
	return bitwise(width, a, b, func(x, y bool) bool { return x && y })
}

// BitwiseOr is OpBitwiseOr.
func BitwiseOr(width int, a, b uint64) uint64 {
	return bitwise(width, a, b, func(x, y bool) bool { return x || y })
}

// BitwiseXor is OpBitwiseXor.
func BitwiseXor(width int, a, b uint64) uint64 {
	return bitwise(width, a, b, func(x, y bool) bool { return x != y })
}

// Not is OpNot: each bit complemented.
func Not(width int, a uint64) uint64 {
	return bitwise(width, a, 0, func(x, _ bool) bool { return !x })
}

func bitwise(width int, a, b uint64, rule func(x, y bool) bool) uint64 {
	x, y := pattern(width, a), pattern(width, b)
	for i := range x {
		x[i] = rule(x[i], y[i])
	}
	return number(x)
}

// BitReverse is OpBitReverse.
func BitReverse(width int, a uint64) uint64 {
	x := pattern(width, a)
	reversed := make([]bool, width)
	for i := range x {
		reversed[width-1-i] = x[i]
	}
	return number(reversed)
}

// BitCount is OpBitCount: how many bits are 1.
func BitCount(width int, a uint64) uint64 {
	var n uint64
	for _, bit := range pattern(width, a) {
		if bit {
			n++
		}
	}
	return n
}

// BitFieldInsert is OpBitFieldInsert: base with its bits offset … offset+count-1 replaced by the low bits of insert.
func BitFieldInsert(width int, base, insert, offset, count uint64) uint64 {
	x := pattern(width, base)
	copy(x[offset:offset+count], pattern(width, insert)[:count])
	return number(x)
}

// BitFieldUExtract is OpBitFieldUExtract: bits offset … offset+count-1 of base, zeros above them.
func BitFieldUExtract(width int, base, offset, count uint64) uint64 {
	return number(pattern(width, base)[offset : offset+count])
}

// BitFieldSExtract is OpBitFieldSExtract: bits offset … offset+count-1 of base, copies of the highest of them above; 0
// where count is 0.
func BitFieldSExtract(width int, base, offset, count uint64) uint64 {
	field := append([]bool(nil), pattern(width, base)[offset:offset+count]...)
	for len(field) > 0 && len(field) < width {
		field = append(field, field[len(field)-1])
	}
	return number(field)
}
