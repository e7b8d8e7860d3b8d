package asm

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sgrun/sgrun/spirv"
)

// numKind is what the bits of a number mean. The zero value is no number.
type numKind uint8

const (
	noNumber numKind = iota
	signedInt
	unsignedInt
	floating
)

// numType is a scalar type as far as literals go.
type numType struct {
	kind     numKind
	width    uint32
	encoding uint32 // FPEncoding of a float, or ieee
}

// ieee marks a float type without FPEncoding.
const ieee = math.MaxUint32

var (
	uint32Type  = numType{kind: unsignedInt, width: 32}
	int32Type   = numType{kind: signedInt, width: 32}
	float32Type = numType{kind: floating, width: 32, encoding: ieee}
)

// String returns the type in words, such as "a signed 8-bit integer".
func (t numType) String() string {
	switch t.kind {
	case signedInt:
		return fmt.Sprintf("a signed %d-bit integer", t.width)
	case unsignedInt:
		return fmt.Sprintf("an unsigned %d-bit integer", t.width)
	case floating:
		if t.encoding != ieee {
			return fmt.Sprintf("a float of %d bits and encoding %v", t.width, spirv.FPEncoding(t.encoding))
		}
		return fmt.Sprintf("a float of %d bits", t.width)
	}
	return "no number"
}

// words returns how many words a literal of the type takes.
func (t numType) words() int { return int((uint64(t.width) + 31) / 32) }

// appendNumber appends the words of the literal, or says what is wrong with it.
func appendNumber(dst []uint32, text string, t numType) ([]uint32, error) {
	switch t.kind {
	case signedInt, unsignedInt:
		v, err := parseInt(text, t)
		if err != nil {
			return dst, err
		}
		dst = append(dst, uint32(v))
		if t.width > 32 {
			dst = append(dst, uint32(v>>32))
		}
		return dst, nil
	case floating:
		v, err := parseFloat(text, t)
		if err != nil {
			return dst, err
		}
		dst = append(dst, uint32(v))
		if t.width > 32 {
			dst = append(dst, uint32(v>>32))
		}
		return dst, nil
	}
	return dst, fmt.Errorf("a number cannot stand here")
}

// parseInt returns the bits of an integer literal, sign-extended to 64. A hexadecimal literal gives the bit pattern: 0xff
// is -1 in a signed 8-bit type.
func parseInt(text string, t numType) (uint64, error) {
	if t.width == 0 || t.width > 64 {
		return 0, fmt.Errorf("%v has no literal form, write its words as !0x0 and so on", t)
	}
	digits, negative := text, false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	mag, hex, ok := parseUint(digits)
	if !ok {
		if n := len(digits); n > 0 && allDigits(digits) {
			return 0, fmt.Errorf("%s is not an integer of at most 64 bits (a leading 0 makes it octal)", text)
		}
		return 0, fmt.Errorf("expected %v, found %q", t, text)
	}
	outside := func() (uint64, error) {
		return 0, fmt.Errorf("%s does not fit %v (%s)", text, t, intRange(t))
	}
	max := ^uint64(0) >> (64 - t.width)
	half := uint64(1) << (t.width - 1)
	switch {
	case negative && t.kind == unsignedInt:
		return outside()
	case negative:
		if mag > half {
			return outside()
		}
		return -mag, nil
	case t.kind == unsignedInt:
		if mag > max {
			return outside()
		}
		return mag, nil
	case hex && text[0] != '+':
		if mag > max {
			return outside()
		}
		if mag&half != 0 {
			mag |= ^max
		}
		return mag, nil
	default:
		if mag >= half {
			return outside()
		}
		return mag, nil
	}
}

func intRange(t numType) string {
	max := ^uint64(0) >> (64 - t.width)
	if t.kind == unsignedInt {
		return fmt.Sprintf("0 to %d", max)
	}
	return fmt.Sprintf("%d to %d", -int64(max/2)-1, max/2)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// parseUint reads a decimal, hexadecimal (0x) or octal (0) number without sign, as a C++ stream does in base 0.
func parseUint(s string) (v uint64, hex, ok bool) {
	base := 10
	switch {
	case len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, s = 8, s[1:]
	}
	// ParseUint takes a sign in no base and "_" in base 0 only, so the digits are all that is left.
	v, err := strconv.ParseUint(s, base, 64)
	return v, base == 16, err == nil
}

// appendLiteral appends the literal as text. ok is false where no text gives these words again: bits outside the type,
// or a type without literal form; nothing is appended then.
func appendLiteral(dst []byte, words []uint32, t numType) (out []byte, ok bool) {
	start := len(dst)
	bits := uint64(words[0])
	if len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch t.kind {
	case unsignedInt:
		dst = strconv.AppendUint(dst, bits, 10)
	case signedInt:
		if len(words) == 1 {
			bits = uint64(int64(int32(bits)))
		}
		dst = strconv.AppendInt(dst, int64(bits), 10)
	case floating:
		dst = appendFloat(dst, bits, t)
	}
	if len(words) > 2 || len(words) != t.words() || len(dst) == start {
		return dst[:start], false
	}
	// The text counts only if it leads back to the words.
	var buf [2]uint32
	back, err := appendNumber(buf[:0], string(dst[start:]), t)
	if err != nil || back[0] != words[0] || len(words) == 2 && back[1] != words[1] {
		return dst[:start], false
	}
	return dst, true
}
