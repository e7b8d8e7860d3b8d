package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxNumber bounds the text of one number, in bytes; the longest float64 printed in full has about 1080.
const maxNumber = 2048

// ParseNumber reads one number of the scalar type and returns its bits, zero-extended.
//
// Integers: decimal, 0x… or 0b…, with an optional sign. A hexadecimal or binary number without a sign may also be the bit
// pattern of a negative one: 0xff is -1 as i8. Floats: decimal, 0x1.8p+3, inf, nan with an optional sign; a hexadecimal
// number without p is a bit pattern: 0x3f800000 is 1 as f32. Decimal numbers are rounded to nearest, ties to even, once;
// numbers beyond the type's range are errors. bool: 0, 1, false, true, or a byte such as 0xa5. Several numbers joined by | are the parts of one
// integer, lowest bits first, as the specification of the bitcast shuffle prints packed data: 2|3 is 0x00030002 as u32.
//
// The error is a sentence without the full stop.
func ParseNumber(text string, s Scalar) (uint64, error) {
	if len(text) > maxNumber {
		return 0, fmt.Errorf("a number of %d characters is longer than the %d accepted", len(text), maxNumber)
	}
	if text == "" {
		return 0, fmt.Errorf("a number is missing")
	}
	switch s.info().class {
	case classBool:
		switch text {
		case "0", "false":
			return 0, nil
		case "1", "true":
			return 1, nil
		}
		if b, err := strconv.ParseUint(text, 0, 8); err == nil && strings.HasPrefix(text, "0x") {
			return b, nil
		}
		return 0, fmt.Errorf("%s is no bool, which is 0, 1, false or true", quote(text))
	case classFloat:
		return parseFloat(text, s)
	}
	if strings.Contains(text, "|") {
		return parseParts(text, s)
	}
	return parseInt(text, s)
}

func quote(text string) string {
	if len(text) > 40 {
		text = text[:37] + "…"
	}
	return strconv.Quote(text)
}

func parseInt(text string, s Scalar) (uint64, error) {
	digits, base, neg := text, 10, false
	switch {
	case strings.HasPrefix(digits, "-"):
		neg, digits = true, digits[1:]
	case strings.HasPrefix(digits, "+"):
		digits = digits[1:]
	}
	signed := digits != text
	if p := strings.ToLower(digits); strings.HasPrefix(p, "0x") {
		base, digits = 16, digits[2:]
	} else if strings.HasPrefix(p, "0b") {
		base, digits = 2, digits[2:]
	}
	lo, hi := s.intRange()
	tooBig := fmt.Errorf("%s is out of range for %v, which takes %d to %d", quote(text), s, lo, hi)
	u, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, tooBig
	}
	if err != nil {
		if _, ferr := strconv.ParseFloat(text, 64); ferr == nil {
			return 0, fmt.Errorf("%s is no integer, and %v takes integers", quote(text), s)
		}
		return 0, fmt.Errorf("%s is no number", quote(text))
	}
	switch {
	case neg && (lo == 0 && u != 0 || u > uint64(-lo)):
		return 0, tooBig
	case neg:
		return -u & s.mask(), nil
	case base != 10 && !signed && u <= s.mask():
		return u, nil
	case u > hi:
		return 0, tooBig
	}
	return u, nil
}

// intRange returns the smallest and the largest integer of the type.
func (s Scalar) intRange() (lo int64, hi uint64) {
	if s.Signed() {
		return -1 << (s.Bits() - 1), s.mask() >> 1
	}
	return 0, s.mask()
}

func parseParts(text string, s Scalar) (uint64, error) {
	parts := strings.Split(text, "|")
	if s.Bits()%len(parts) != 0 || s.Bits()/len(parts) < 1 {
		return 0, fmt.Errorf("%v cannot be cut into the %d parts of %s", s, len(parts), quote(text))
	}
	width := s.Bits() / len(parts)
	var v uint64
	for i, p := range parts {
		u, err := strconv.ParseUint(p, 0, 64)
		if err != nil || u>>width != 0 {
			return 0, fmt.Errorf("%s is no part of %d bits, which is 0 to %d", quote(p), width, uint64(1)<<width-1)
		}
		v |= u << (i * width)
	}
	return v, nil
}

func parseFloat(text string, s Scalar) (uint64, error) {
	low := strings.ToLower(text)
	if strings.HasPrefix(low, "0x") && !strings.Contains(low, "p") {
		if b, err := strconv.ParseUint(low[2:], 16, 64); err == nil && b <= s.mask() {
			return b, nil
		}
		return 0, fmt.Errorf("%s is no bit pattern of %v, which has %d hexadecimal digits", quote(text), s, s.Bits()/4)
	}
	switch strings.TrimLeft(low, "+-") {
	case "nan":
		if low[0] == '-' {
			return s.nan() | 1<<(s.Bits()-1), nil
		}
		return s.nan(), nil
	case "inf":
		if _, ok := s.inf(); !ok {
			return 0, fmt.Errorf("%v has no infinity", s)
		}
	case "infinity":
		return 0, fmt.Errorf("%s is no number, infinity is written inf", quote(text))
	}
	b, ok, err := roundText(text, s)
	if err != nil {
		return 0, fmt.Errorf("%s is no number", quote(text))
	}
	if !ok {
		return 0, fmt.Errorf("%s is out of range for %v, whose largest number is %s", quote(text), s, FormatNumber(s.maxFinite(), s, false))
	}
	return b, nil
}

// roundText rounds a number in decimal or with a binary exponent to the float format; ok is false where it is out of range.
func roundText(text string, s Scalar) (b uint64, ok bool, err error) {
	width := 64
	if s == F32 { // strconv rounds it once, as it should be
		width = 32
	}
	x, err := strconv.ParseFloat(text, width)
	if errors.Is(err, strconv.ErrRange) {
		return 0, false, nil
	}
	if err != nil || strings.Contains(text, "_") {
		return 0, false, strconv.ErrSyntax
	}
	if width == 64 && s != F64 {
		x = unround(x, text, s)
	}
	b, ok = s.EncodeFloat(x)
	return b, ok, nil
}

// unround moves x, the float64 nearest to the text, one step towards the text's exact value where x lies on the border
// between two numbers of s; without this, text would be rounded twice and could end up on the wrong side.
func unround(x float64, text string, s Scalar) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	down, up := math.Nextafter(x, math.Inf(-1)), math.Nextafter(x, math.Inf(1))
	bd, okd := s.EncodeFloat(down)
	bu, oku := s.EncodeFloat(up)
	if bd == bu && okd == oku || x == 0 {
		return x
	}
	// The exponent in the text is small here: the text's length is bounded and x is within the range of s.
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return x
	}
	switch exact.Cmp(new(big.Rat).SetFloat64(x)) {
	case -1:
		return down
	case 1:
		return up
	}
	return x
}

// FormatNumber prints the bits of one number so that ParseNumber reads the same bits again: integers in decimal, floats
// with as few digits as tell them from their neighbours, NaNs other than the quiet one as bit patterns. With hex it
// prints the bit pattern, in all its digits.
func FormatNumber(b uint64, s Scalar, hex bool) string {
	return string(appendNumber(nil, b, s, hex))
}

func appendNumber(dst []byte, b uint64, s Scalar, hex bool) []byte {
	class := s.info().class
	if hex || class == classFloat && s.IsNaN(b) && b != s.nan() || class == classBool && b > 1 {
		return fmt.Appendf(dst, "0x%0*x", s.Bits()/4, b)
	}
	switch class {
	case classInt:
		return strconv.AppendInt(dst, signExtend(b, s.Bits()), 10)
	case classFloat:
		return appendFloat(dst, b, s)
	}
	return strconv.AppendUint(dst, b, 10)
}

func signExtend(b uint64, width int) int64 { return int64(b<<(64-width)) >> (64 - width) }

func appendFloat(dst []byte, b uint64, s Scalar) []byte {
	x := s.DecodeFloat(b)
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	case s == F64 || s == F32:
		format := byte('e')
		if a == 0 || a >= 1e-5 && a < 1e15 {
			format = 'f'
		}
		return strconv.AppendFloat(dst, x, format, -1, s.Bits())
	case x == math.Trunc(x) && a < 1<<20: // 448 and not 450, though no other e4m3 is near
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	// Few digits are enough for the narrow formats: try them one after another.
	for prec := 0; ; prec++ {
		t := strconv.FormatFloat(x, 'e', prec, 64)
		if got, ok, err := roundText(t, s); err == nil && ok && got == b {
			short, _ := strconv.ParseFloat(t, 64)
			format := byte('e')
			if a := math.Abs(short); a == 0 || a >= 1e-5 && a < 1e15 {
				format = 'f'
			}
			return strconv.AppendFloat(dst, short, format, -1, 64)
		}
	}
}
