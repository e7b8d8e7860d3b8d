package asm

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/sgrun/sgrun/spirv"
)

// floatFormat is a binary floating-point format. The exponent is stored with the bias added; the largest stored exponent
// is infinity and NaN where the format has infinity, an ordinary one otherwise.
type floatFormat struct {
	width     uint32
	exponent  uint32 // bits
	fraction  uint32 // bits
	bias      int
	unsigned  bool // no sign bit, and no zero: all values are powers of two
	infinity  bool
	maxFinite uint64 // the pattern of the largest finite value
}

var (
	binary16 = floatFormat{width: 16, exponent: 5, fraction: 10, bias: 15, infinity: true, maxFinite: 0x7bff}
	binary32 = floatFormat{width: 32, exponent: 8, fraction: 23, bias: 127, infinity: true, maxFinite: 0x7f7fffff}
	binary64 = floatFormat{width: 64, exponent: 11, fraction: 52, bias: 1023, infinity: true, maxFinite: 0x7fefffffffffffff}
)

// encodings are the formats named by FPEncoding. MXInt8EXT is none of them: it is fixed point.
var encodings = map[spirv.FPEncoding]floatFormat{
	spirv.FPEncodingBFloat16KHR:           {width: 16, exponent: 8, fraction: 7, bias: 127, infinity: true, maxFinite: 0x7f7f},
	spirv.FPEncodingFloat8E4M3EXT:         {width: 8, exponent: 4, fraction: 3, bias: 7, maxFinite: 0x7e},
	spirv.FPEncodingFloat8E5M2EXT:         {width: 8, exponent: 5, fraction: 2, bias: 15, infinity: true, maxFinite: 0x7b},
	spirv.FPEncodingFloat6E2M3EXT:         {width: 6, exponent: 2, fraction: 3, bias: 1, maxFinite: 0x1f},
	spirv.FPEncodingFloat6E3M2EXT:         {width: 6, exponent: 3, fraction: 2, bias: 3, maxFinite: 0x1f},
	spirv.FPEncodingFloat4E2M1EXT:         {width: 4, exponent: 2, fraction: 1, bias: 1, maxFinite: 0x7},
	spirv.FPEncodingFloat8UnsignedE8M0EXT: {width: 8, exponent: 8, bias: 127, unsigned: true, maxFinite: 0xfe},
}

// formatOf returns the format of a float type; ok is false where there is none of that width and encoding.
func formatOf(t numType) (f floatFormat, ok bool) {
	if t.encoding == ieee {
		switch t.width {
		case 16:
			return binary16, true
		case 32:
			return binary32, true
		case 64:
			return binary64, true
		}
		return f, false
	}
	f, ok = encodings[spirv.FPEncoding(t.encoding)]
	return f, ok && f.width == t.width
}

func isMXInt8(t numType) bool {
	return t.encoding == uint32(spirv.FPEncodingMXInt8EXT) && t.width == 8
}

// parseFloat returns the bits of a floating-point literal, decimal or hexadecimal.
func parseFloat(text string, t numType) (uint64, error) {
	if isMXInt8(t) {
		return parseMXInt8(text, t)
	}
	f, ok := formatOf(t)
	if !ok {
		return 0, fmt.Errorf("%v has no literal form, write its words as !0x0 and so on", t)
	}
	digits, negative := text, false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	var v uint64
	var err error
	if len(digits) > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		v, err = f.parseHex(digits[2:])
	} else {
		v, err = f.parseDecimal(digits)
	}
	switch {
	case err == errNotFloat:
		return 0, fmt.Errorf("expected %v, found %q", t, text)
	case err != nil:
		return 0, fmt.Errorf("%s %v %v", text, err, t)
	case negative && f.unsigned:
		return 0, fmt.Errorf("%s is negative, %v has no sign", text, t)
	case negative:
		v |= 1 << (f.width - 1)
	}
	return v, nil
}

type floatError string

func (e floatError) Error() string { return string(e) }

const (
	errNotFloat  = floatError("is no number")
	errTooLarge  = floatError("is too large for")
	errNotPower2 = floatError("is not one of the powers of two of")
)

// parseDecimal reads a decimal number without sign. 32 and 64 bits are rounded to nearest; narrower formats are rounded
// to 32 bits first and then towards zero, as spirv-as does.
func (f floatFormat) parseDecimal(s string) (uint64, error) {
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, errNotFloat
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return 0, errNotFloat
		}
	}
	size := 32
	if f.width == 64 || f.unsigned {
		size = 64
	}
	v, err := strconv.ParseFloat(s, size)
	if err != nil {
		if numErr, ok := err.(*strconv.NumError); ok && numErr.Err == strconv.ErrRange {
			return 0, errTooLarge
		}
		return 0, errNotFloat
	}
	switch f.width {
	case 64:
		return math.Float64bits(v), nil
	case 32:
		return uint64(math.Float32bits(float32(v))), nil
	}
	if v == 0 {
		if f.unsigned {
			return 0, errNotPower2
		}
		return 0, nil
	}
	frac, exp := math.Frexp(v) // v = frac * 2^exp, frac in [0.5, 1)
	out, err := f.pack(uint64(math.Ldexp(frac, 53)), exp-53)
	// Formats without infinity end where the value does, not where the rounded pattern does.
	if err == nil && (out > f.maxFinite || !f.infinity && !f.unsigned && v > f.value(f.maxFinite)) {
		err = errTooLarge
	}
	return out, err
}

// value returns the value of a finite pattern without sign, in a format that has zero.
func (f floatFormat) value(pattern uint64) float64 {
	e := int(pattern >> f.fraction)
	m := pattern & (1<<f.fraction - 1)
	if e == 0 {
		return math.Ldexp(float64(m), 1-f.bias-int(f.fraction))
	}
	return math.Ldexp(float64(m|1<<f.fraction), e-f.bias-int(f.fraction))
}

// parseHex reads what follows "0x" in a hexadecimal float: digits with an optional point, and a binary exponent. Bits
// that do not fit are cut off. Beyond the largest exponent is infinity; at the first exponent past the largest finite
// one, the fraction makes it NaN.
func (f floatFormat) parseHex(s string) (uint64, error) {
	var mant uint64
	exp, i, digits, point := 0, 0, 0, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		d, ok := hexDigit(c)
		if !ok {
			break
		}
		digits++
		switch {
		case mant>>60 == 0:
			mant = mant<<4 | d
			if point {
				exp -= 4
			}
		case !point: // no room: the digit is cut off
			exp += 4
		}
	}
	if digits == 0 || i == len(s) || s[i] != 'p' {
		return 0, errNotFloat
	}
	e, ok := hexExponent(s[i+1:])
	if !ok {
		return 0, errNotFloat
	}
	if mant == 0 {
		if f.unsigned {
			return 0, errNotPower2
		}
		return 0, nil
	}
	return f.pack(mant, exp+e)
}

func hexDigit(c byte) (uint64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0'), true
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return uint64(c-'A') + 10, true
	}
	return 0, false
}

// hexExponent reads a decimal exponent with optional sign, held within a range that no format reaches.
func hexExponent(s string) (int, bool) {
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || !allDigits(s) {
		return 0, false
	}
	var e int64
	for i := range len(s) {
		e = min(10*e+int64(s[i]-'0'), 1<<29)
	}
	return sign * int(e), true
}

// pack returns the pattern of mant * 2^exp, mant not zero, rounded towards zero.
func (f floatFormat) pack(mant uint64, exp int) (uint64, error) {
	top := bits.Len64(mant) - 1
	e := exp + top + f.bias // stored exponent
	maxStored := 1<<f.exponent - 1
	mant <<= 63 - top // leading one at bit 63
	if f.unsigned {
		if mant<<1 != 0 || e < 0 || e >= maxStored {
			return 0, errNotPower2
		}
		return uint64(e), nil
	}
	switch {
	case e > maxStored:
		if !f.infinity {
			return 0, errTooLarge
		}
		return uint64(maxStored) << f.fraction, nil
	case e > 0:
		return uint64(e)<<f.fraction | mant<<1>>(64-f.fraction), nil
	}
	// Subnormal: the leading one is written out.
	shift := uint64(64-f.fraction) + uint64(-e)
	if shift > 63 {
		return 0, nil
	}
	return mant >> shift, nil
}

// appendFloat appends the text of the pattern: decimal where a 32- or 64-bit number is zero or normal, hexadecimal
// otherwise; nothing where the type has no literal form.
func appendFloat(dst []byte, pattern uint64, t numType) []byte {
	if isMXInt8(t) {
		v := float32(int8(pattern)) / 64
		return binary32.appendHex(dst, uint64(math.Float32bits(v)))
	}
	f, ok := formatOf(t)
	if !ok {
		return dst
	}
	if f.width == 32 || f.width == 64 {
		e := pattern >> f.fraction & (1<<f.exponent - 1)
		if e != 0 && e != 1<<f.exponent-1 || pattern<<(65-f.width) == 0 {
			if f.width == 32 {
				return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(pattern))), 'g', 9, 32)
			}
			return strconv.AppendFloat(dst, math.Float64frombits(pattern), 'g', 17, 64)
		}
	}
	return f.appendHex(dst, pattern)
}

// appendHex appends the pattern as a hexadecimal float.
func (f floatFormat) appendHex(dst []byte, pattern uint64) []byte {
	if !f.unsigned && pattern>>(f.width-1)&1 != 0 {
		dst = append(dst, '-')
	}
	e := int(pattern >> f.fraction & (1<<f.exponent - 1))
	frac := pattern & (1<<f.fraction - 1)
	if !f.unsigned && e == 0 && frac == 0 {
		return append(dst, "0x0p+0"...)
	}
	e -= f.bias
	if !f.unsigned && e == -f.bias {
		// Subnormal: shift until the leading one has left the fraction.
		up := f.fraction + 1 - uint32(bits.Len64(frac))
		frac = frac << up & (1<<f.fraction - 1)
		e -= int(up) - 1
	}
	dst = append(dst, "0x1"...)
	if frac != 0 {
		dst = append(dst, '.')
		// Nibbles from the top, zeros at the end left out.
		for frac <<= 64 - f.fraction; frac != 0; frac <<= 4 {
			dst = append(dst, "0123456789abcdef"[frac>>60])
		}
	}
	dst = append(dst, 'p')
	if e >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(e), 10)
}

// parseMXInt8 reads a literal of the 8-bit fixed-point format with 6 bits after the point.
func parseMXInt8(text string, t numType) (uint64, error) {
	pattern, err := parseFloat(text, numType{kind: floating, width: 64, encoding: ieee})
	if err != nil {
		return 0, fmt.Errorf("expected %v, found %q", t, text)
	}
	v := math.Float64frombits(pattern) * 64
	if v != math.Trunc(v) || v < -127 || v > 127 {
		return 0, fmt.Errorf("%s is not a multiple of 1/64 from -127/64 to 127/64, the values of %v", text, t)
	}
	return uint64(uint8(int8(v))), nil
}
