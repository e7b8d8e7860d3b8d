package stdlib

import "math/bits"

// An integer function works on operands of w bits, zero-extended, and gives a result of w bits in the low bits.
type intFunc func(w int, a, b, c uint64) uint64

// signed sign-extends the lowest w bits.
func signed(w int, a uint64) int64 { return int64(a<<(64-w)) >> (64 - w) }

func mask(w int) uint64 { return ^uint64(0) >> (64 - w) }

func sMax(w int) uint64 { return mask(w) >> 1 }

// sat is the integer hi×2^64+lo, in two's complement, clamped to the signed range of w bits.
func sat(w int, hi, lo uint64) uint64 {
	top := int64(lo) >> (w - 1)
	switch {
	case hi == uint64(int64(lo)>>63) && (top == 0 || top == -1):
		return lo
	case int64(hi) < 0:
		return sMax(w) + 1
	}
	return sMax(w)
}

// wide is a signed number in 128 bits.
func wide(v int64) (hi, lo uint64) { return uint64(v >> 63), uint64(v) }

func add128(ah, al, bh, bl uint64) (hi, lo uint64) {
	lo, c := bits.Add64(al, bl, 0)
	hi, _ = bits.Add64(ah, bh, c)
	return hi, lo
}

func sAddSat(w int, a, b, _ uint64) uint64 {
	ah, al := wide(signed(w, a))
	bh, bl := wide(signed(w, b))
	hi, lo := add128(ah, al, bh, bl)
	return sat(w, hi, lo)
}

func sSubSat(w int, a, b, _ uint64) uint64 {
	ah, al := wide(signed(w, a))
	bh, bl := wide(signed(w, b))
	lo, c := bits.Sub64(al, bl, 0)
	hi, _ := bits.Sub64(ah, bh, c)
	return sat(w, hi, lo)
}

func uAddSat(w int, a, b, _ uint64) uint64 {
	s, c := bits.Add64(a, b, 0)
	if c != 0 || s > mask(w) {
		return mask(w)
	}
	return s
}

func uSubSat(_ int, a, b, _ uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}

// sHadd is (a+b)>>1 without overflow; the r forms round up.
func sHadd(w int, a, b, _ uint64) uint64 {
	x, y := signed(w, a), signed(w, b)
	return uint64(x>>1 + y>>1 + x&y&1)
}

func uHadd(_ int, a, b, _ uint64) uint64 { return a>>1 + b>>1 + a&b&1 }

func sRhadd(w int, a, b, _ uint64) uint64 {
	x, y := signed(w, a), signed(w, b)
	return uint64(x>>1 + y>>1 + (x|y)&1)
}

func uRhadd(_ int, a, b, _ uint64) uint64 { return a>>1 + b>>1 + (a|b)&1 }

func sAbs(w int, a, _, _ uint64) uint64 {
	if signed(w, a) < 0 {
		return -a
	}
	return a
}

func sAbsDiff(w int, a, b, _ uint64) uint64 {
	if signed(w, a) < signed(w, b) {
		return b - a
	}
	return a - b
}

func uAbsDiff(_ int, a, b, _ uint64) uint64 {
	if a < b {
		return b - a
	}
	return a - b
}

func sMadSat(w int, a, b, c uint64) uint64 {
	x, y := signed(w, a), signed(w, b)
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	ch, cl := wide(signed(w, c))
	hi, lo = add128(hi, lo, ch, cl)
	return sat(w, hi, lo)
}

func uMadSat(w int, a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	hi, lo = add128(hi, lo, 0, c)
	if hi != 0 || lo > mask(w) {
		return mask(w)
	}
	return lo
}

func rotate(w int, a, b, _ uint64) uint64 {
	n := b % uint64(w)
	return a<<n | a>>(uint64(w)-n)
}

func clz(w int, a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a) - 64 + w) }

func ctz(w int, a, _, _ uint64) uint64 { return uint64(min(w, bits.TrailingZeros64(a))) }

// findUMsb, findSMsb and findILsb are GLSL's: -1 where there is no such bit.
func findUMsb(_ int, a, _, _ uint64) uint64 { return uint64(int64(bits.Len64(a)) - 1) }

func findSMsb(w int, a, _, _ uint64) uint64 {
	if signed(w, a) < 0 {
		a = ^a & mask(w)
	}
	return uint64(int64(bits.Len64(a)) - 1)
}

func findILsb(_ int, a, _, _ uint64) uint64 {
	if a == 0 {
		return ^uint64(0)
	}
	return uint64(bits.TrailingZeros64(a))
}

// nextafter is the float of w bits next to a towards b.
func nextafter(w int, a, b, _ uint64) uint64 {
	mant := mantissa(w)
	sign := uint64(1) << (w - 1)
	inf := sign - uint64(1)<<mant
	quiet := inf | uint64(1)<<(mant-1)
	ma, mb := a&^sign, b&^sign
	// Ordered as integers: negative numbers mirrored.
	order := func(v uint64) int64 {
		if v&sign != 0 {
			return -int64(v &^ sign)
		}
		return int64(v)
	}
	x, y := order(a), order(b)
	switch {
	case ma > inf || mb > inf:
		return quiet
	case x == y:
		return b
	case ma == 0:
		return b&sign | 1
	case (x < y) == (a&sign == 0):
		return a + 1
	}
	return a - 1
}

// mantissa is the number of stored significand bits of the float format of w bits.
func mantissa(w int) int {
	switch w {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// nanOf is the quiet NaN with a payload.
func nanOf(w int, a, _, _ uint64) uint64 {
	mant := mantissa(w)
	quiet := uint64(1)<<(w-1) - 1<<(mant-1)
	return quiet | a&(1<<(mant-1)-1)
}

func bitselect(_ int, a, b, c uint64) uint64 { return a&^c | b&c }
