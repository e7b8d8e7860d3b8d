package vec

import (
	"math"
	"math/bits"

	"github.com/sgrun/sgrun/fallback/lane"
)

// format is a binary floating-point format of IEEE 754.
type format struct {
	mant int // bits of the significand that are stored
	bias int // of the exponent
}

var (
	f16 = &format{mant: 10, bias: 15}
	f32 = &format{mant: 23, bias: 127}
	f64 = &format{mant: 52, bias: 1023}
)

// inf returns the bits of positive infinity; those of the largest finite number are one less.
func (f *format) inf() uint64 { return uint64(2*f.bias+1) << f.mant }

// nan returns the bits of the NaN that arithmetic gives: quiet, positive, without payload.
func (f *format) nan() uint64 { return f.inf() | 1<<(f.mant-1) }

// sign returns the sign bit.
func (f *format) sign() uint64 { return uint64(f.bias+1) << (f.mant + 1) }

// split returns m and e so that the finite number with these bits, of which the sign is ignored, is m × 2^(e-bias-mant);
// e is at least 1.
func (f *format) split(x uint64) (m uint64, e int) {
	x &^= f.sign()
	e = int(x >> f.mant)
	m = x & (1<<f.mant - 1)
	if e == 0 {
		return m, 1
	}
	return m | 1<<f.mant, e
}

// pack returns the bits of ±m × 2^exp, rounded once.
func (f *format) pack(negative bool, m uint64, exp int, mode lane.Rounding) uint64 {
	var sign uint64
	if negative {
		sign = f.sign()
	}
	if m == 0 {
		return sign
	}
	shift := bits.LeadingZeros64(m)
	m <<= shift
	e := exp + 63 - shift // m × 2^-63 is in [1, 2), the number is that × 2^e
	if e > f.bias {
		return sign | f.overflow(negative, mode)
	}
	// Of a normal number mant+1 bits are kept, of a subnormal one those worth at least 2^(1-bias-mant).
	drop := 63 - f.mant
	biased := e + f.bias
	if biased < 1 {
		drop += 1 - biased
		biased = 1
	}
	kept := m >> drop // Go: 0 where drop is 64 or more
	var up bool
	switch mode {
	case lane.RoundTowardZero:
	case lane.RoundUp:
		up = !negative && kept<<drop != m
	case lane.RoundDown:
		up = negative && kept<<drop != m
	default:
		// More than half, or half and odd. Where drop exceeds 64, m × 2^-drop is less than half.
		if drop <= 64 {
			half := uint64(1) << (drop - 1)
			rest := m - kept<<drop
			up = rest > half || rest == half && kept&1 != 0
		}
	}
	if up {
		kept++
	}
	// The leading bit of a normal number, and a carry out of the significand, count the exponent up by one.
	return sign | uint64(biased-1)<<f.mant + kept
}

// overflow returns the bits, without sign, of a result beyond the largest finite number (IEEE 754, section 7.4).
func (f *format) overflow(negative bool, mode lane.Rounding) uint64 {
	if mode == lane.RoundTowardZero || mode == lane.RoundUp && negative || mode == lane.RoundDown && !negative {
		return f.inf() - 1
	}
	return f.inf()
}

// narrow converts the bits of a number in format from to this format.
func (f *format) narrow(from *format, x uint64, mode lane.Rounding) uint64 {
	negative := x&from.sign() != 0
	switch abs := x &^ from.sign(); {
	case abs > from.inf():
		return f.nan()
	case abs == from.inf():
		if negative {
			return f.sign() | f.inf()
		}
		return f.inf()
	}
	m, e := from.split(x)
	return f.pack(negative, m, e-from.bias-from.mant, mode)
}

// rem returns the bits of FRem: x - y×n, exactly, where n is x/y rounded toward zero. The sign is that of x.
func (f *format) rem(x, y uint64) uint64 {
	sign := x & f.sign()
	x &^= f.sign()
	y &^= f.sign()
	switch {
	case x >= f.inf() || y > f.inf() || y == 0:
		return f.nan()
	case x < y: // also where y is infinite
		return sign | x
	}
	mx, ex := f.split(x)
	my, ey := f.split(y)
	// Long division, of which only the remainder is kept: as many more bits of x × 2^(ex-ey) in each step as there is
	// room for.
	mx %= my
	for n := ex - ey; n > 0 && mx != 0; {
		step := min(n, 63-f.mant)
		mx = mx << step % my
		n -= step
	}
	if mx == 0 {
		return sign
	}
	shift := min(bits.LeadingZeros64(mx)-(63-f.mant), ey-1)
	return sign | uint64(ey-1-shift)<<f.mant + mx<<shift
}

// mod returns the bits of FMod: rem, plus y where the remainder is not zero and its sign is not that of y. A zero gets the
// sign of y.
func (f *format) mod(x, y uint64) uint64 {
	r := f.rem(x, y)
	abs := r &^ f.sign()
	switch {
	case abs == 0:
		return y & f.sign()
	case abs > f.inf() || (r^y)&f.sign() == 0:
		return r
	}
	return f.add(r, y)
}

// add returns the bits of x+y, rounded to nearest even. One of them must be finite and neither a NaN.
func (f *format) add(x, y uint64) uint64 {
	switch f {
	case f16:
		return uint64(f32ToF16(F16ToF32(uint16(x)) + F16ToF32(uint16(y)))) // rounded once, see halfArith
	case f32:
		return uint64(math.Float32bits(math.Float32frombits(uint32(x)) + math.Float32frombits(uint32(y))))
	}
	return math.Float64bits(math.Float64frombits(x) + math.Float64frombits(y))
}
