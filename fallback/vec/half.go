package vec

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// F16ToF32 returns the value of a half, exactly; of a NaN, the canonical NaN.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	abs := uint32(h & 0x7fff)
	switch {
	case abs > 0x7c00:
		return math.Float32frombits(0x7fc00000)
	case abs == 0x7c00:
		return math.Float32frombits(sign | 0x7f800000)
	case abs >= 0x0400:
		return math.Float32frombits(sign | (abs<<13 + (127-15)<<23))
	case abs == 0:
		return math.Float32frombits(sign)
	}
	// abs × 2^-24: with its leading bit, bit n, in place of the hidden bit, the exponent is n-24.
	n := bits.Len32(abs) - 1
	return math.Float32frombits(sign | (uint32(n-24+126)<<23 + abs<<(23-n)))
}

// widenLanes is F16ToF32 for each lane, with zeros and normal numbers dealt with on the spot.
func widenLanes(d []float32, a []uint16) {
	a = a[:len(d)]
	for i := range d {
		h := uint32(a[i])
		abs := h & 0x7fff
		if abs >= 0x7c00 || abs-1 < 0x03ff {
			d[i] = F16ToF32(uint16(h))
			continue
		}
		rebias := (127 - 15) << 23 & -uint32(bit(abs != 0))
		d[i] = math.Float32frombits(h&0x8000<<16 | (abs<<13 + rebias))
	}
}

// F32ToF16 returns the bits of the half that x rounds to; an unknown mode rounds to nearest even.
func F32ToF16(x float32, mode lane.Rounding) uint16 {
	if mode == lane.RoundTowardZero || mode == lane.RoundUp || mode == lane.RoundDown {
		return uint16(f16.narrow(f32, uint64(math.Float32bits(x)), mode))
	}
	return f32ToF16(x)
}

// f32ToF16 rounds to nearest even.
func f32ToF16(x float32) uint16 {
	u := math.Float32bits(x)
	sign := uint16(u >> 16 & 0x8000)
	abs := u & 0x7fffffff
	switch {
	case abs > 0x7f800000:
		return 0x7e00
	case abs >= leastOverF16:
		return sign | 0x7c00
	case abs >= leastNormalF16:
		return sign | roundNormal(abs)
	case abs < (127-25)<<23: // less than half the smallest subnormal
		return sign
	}
	// Subnormal: significand × 2^(e-150) in units of 2^-24.
	m := abs&0x7fffff | 0x800000
	drop := 126 - abs>>23 // 14 to 24
	kept := m >> drop
	rest, half := m&(1<<drop-1), uint32(1)<<(drop-1)
	if rest > half || rest == half && kept&1 != 0 {
		kept++
	}
	return sign | uint16(kept)
}

// As F32 bits: 2^-14, the least normal half, and 2^16.
const (
	leastNormalF16 = (127 - 14) << 23
	leastOverF16   = (127 + 16) << 23
)

// roundNormal returns the bits of the half that an F32 between leastNormalF16 and leastOverF16, given by its bits, rounds
// to. The lowest 13 bits go. Half of what they are worth, less one for an even result, carries into what is kept exactly
// where it is to be rounded up; from 65520 the carry makes an infinity.
func roundNormal(abs uint32) uint16 {
	abs += 0xfff + abs>>13&1
	return uint16(abs>>13 - (127-15)<<10)
}

// narrowLanes is f32ToF16 for each lane, with numbers that stay normal dealt with on the spot.
func narrowLanes(d []uint16, a []float32) {
	a = a[:len(d)]
	for i := range d {
		u := math.Float32bits(a[i])
		abs := u & 0x7fffffff
		if abs-leastNormalF16 >= leastOverF16-leastNormalF16 {
			d[i] = f32ToF16(a[i])
			continue
		}
		d[i] = uint16(u>>16&0x8000) | roundNormal(abs)
	}
}

// F64ToF16 returns the bits of the half that x rounds to, rounded once; an unknown mode rounds to nearest even.
func F64ToF16(x float64, mode lane.Rounding) uint16 {
	return uint16(f16.narrow(f64, math.Float64bits(x), mode))
}

// beyondHalf is an integer beyond the halves in every rounding mode: what exceeds it rounds as it does. All integers up
// to it are F32 numbers.
const beyondHalf = 1 << 17

// U64ToF16 returns the bits of the half that x rounds to, rounded once; an unknown mode rounds to nearest even.
func U64ToF16(x uint64, mode lane.Rounding) uint16 {
	return F32ToF16(float32(min(x, beyondHalf)), mode)
}

// S64ToF16 returns the bits of the half that x rounds to, rounded once; an unknown mode rounds to nearest even.
func S64ToF16(x int64, mode lane.Rounding) uint16 {
	return F32ToF16(float32(max(-beyondHalf, min(x, beyondHalf))), mode)
}

// halfFunc returns the primitive of an operation on F16, or nil.
func halfFunc(op lane.Op) Func {
	switch op {
	case lane.FAdd, lane.FSub, lane.FMul, lane.FDiv:
		return halfArith(op)
	case lane.FRem:
		return frem[uint16](f16)
	case lane.FMod:
		return fmod[uint16](f16)
	case lane.FMin:
		return fminmax[uint16](f16, 0)
	case lane.FMax:
		return fminmax(f16, ^uint16(0))
	case lane.FNeg:
		return fneg[uint16]
	}
	if t := classFunc[uint16](op, f16); t != nil {
		return t
	}
	return floatTests[uint16]{halfEqual, halfLess, halfLessEqual, halfLessGreater, halfOrdered}.pick(op)
}

// block is room for the lanes of one word of a Bool row, on the stack.
type block [64]float32

// widen converts up to 64 halves.
func widen(to *block, from []uint16) []float32 {
	d := to[:len(from)]
	widenLanes(d, from)
	return d
}

// halfArith makes an arithmetic operation on halves: that on F32, then rounded to F16.
//
// Rounding twice is here as good as rounding once. F32 has p = 24 bits, F16 has q = 11, and p ≥ 2q+2, which suffices for
// +, -, × and ÷ (S. Figueroa, When is double rounding innocuous?, 1995) where the half is normal. Where it is subnormal,
// sums are exact in F32 (multiples of 2^-24 below 2^-14), as all products are (22 bits). A quotient x/y would be rounded
// wrongly only if its F32 number were the middle m of two halves and x/y were not. But m×y has at most 23 bits and x 11,
// so x and m×y, if they differ, do so by 2^-23 of themselves or more, and F32 is within 2^-24 of x/y.
func halfArith(op lane.Op) Func {
	return func(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
		var ablock, bblock block
		for lo < hi {
			end := min(hi, lo+len(ablock))
			d, a, b := rows2[uint16](dp, ap, bp, lo, end)
			widen(&ablock, a)
			widen(&bblock, b)
			x, y := unsafe.Pointer(&ablock), unsafe.Pointer(&bblock)
			switch op {
			case lane.FAdd:
				fadd[float32](x, x, y, nil, nil, 0, len(d))
			case lane.FSub:
				fsub[float32](x, x, y, nil, nil, 0, len(d))
			case lane.FMul:
				fmul[float32](x, x, y, nil, nil, 0, len(d))
			case lane.FDiv:
				fdiv[float32](x, x, y, nil, nil, 0, len(d))
			}
			narrowLanes(d, ablock[:len(d)])
			lo = end
		}
	}
}

func halfEqual(x, y []uint16) uint64 {
	var a, b block
	return equal(widen(&a, x), widen(&b, y))
}

func halfLess(x, y []uint16) uint64 {
	var a, b block
	return less(widen(&a, x), widen(&b, y))
}

func halfLessEqual(x, y []uint16) uint64 {
	var a, b block
	return lessEqual(widen(&a, x), widen(&b, y))
}

func halfLessGreater(x, y []uint16) uint64 {
	var a, b block
	return lessGreater(widen(&a, x), widen(&b, y))
}

func halfOrdered(x, y []uint16) uint64 {
	var a, b block
	return ordered(widen(&a, x), widen(&b, y))
}
