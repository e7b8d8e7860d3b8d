package asm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

// TestLiterals holds literals against the words they stand for. The words of integers, IEEE 754 formats and bfloat16 are
// written down from the definition of the formats, and spirv-as 2026.4 gives the same ones. Those of the formats of 8 bits
// and less follow the OCP formats (E4M3 without infinity, its largest value 448; E2M1, E2M3, E3M2 without infinity and
// NaN; E8M0 powers of two); spirv-as 2026.4 gives others for some values in the narrowest formats.
func TestLiterals(t *testing.T) {
	tests := []struct {
		typ   string
		text  string
		words []uint32
	}{
		// Integers narrower than 32 bits are sign- or zero-extended; hexadecimal gives the bits.
		{"OpTypeInt 8 0", "0", []uint32{0}},
		{"OpTypeInt 8 0", "255", []uint32{0xff}},
		{"OpTypeInt 8 0", "0xff", []uint32{0xff}},
		{"OpTypeInt 8 0", "+7", []uint32{7}},
		{"OpTypeInt 8 0", "017", []uint32{15}}, // octal
		{"OpTypeInt 8 1", "-1", []uint32{0xffffffff}},
		{"OpTypeInt 8 1", "-128", []uint32{0xffffff80}},
		{"OpTypeInt 8 1", "0x80", []uint32{0xffffff80}},
		{"OpTypeInt 8 1", "0x7f", []uint32{0x7f}},
		{"OpTypeInt 8 1", "-0x80", []uint32{0xffffff80}},
		{"OpTypeInt 16 0", "65535", []uint32{0xffff}},
		{"OpTypeInt 16 1", "0xffff", []uint32{0xffffffff}},
		{"OpTypeInt 16 1", "-32768", []uint32{0xffff8000}},
		{"OpTypeInt 4 1", "-8", []uint32{0xfffffff8}},
		{"OpTypeInt 4 0", "15", []uint32{15}},
		{"OpTypeInt 32 0", "4294967295", []uint32{0xffffffff}},
		{"OpTypeInt 32 1", "0xffffffff", []uint32{0xffffffff}},
		{"OpTypeInt 32 1", "-2147483648", []uint32{0x80000000}},
		{"OpTypeInt 64 0", "0x123456789abcdef0", []uint32{0x9abcdef0, 0x12345678}}, // low word first
		{"OpTypeInt 64 0", "18446744073709551615", []uint32{0xffffffff, 0xffffffff}},
		{"OpTypeInt 64 1", "-2", []uint32{0xfffffffe, 0xffffffff}},
		{"OpTypeInt 64 1", "-9223372036854775808", []uint32{0, 0x80000000}},
		{"OpTypeInt 48 1", "-1", []uint32{0xffffffff, 0xffffffff}},
		{"OpTypeInt 48 0", "0xffffffffffff", []uint32{0xffffffff, 0xffff}},

		{"OpTypeFloat 32", "1", []uint32{0x3f800000}},
		{"OpTypeFloat 32", "-0", []uint32{0x80000000}},
		{"OpTypeFloat 32", "0.1", []uint32{0x3dcccccd}},
		{"OpTypeFloat 32", ".5", []uint32{0x3f000000}},
		{"OpTypeFloat 32", "5.", []uint32{0x40a00000}},
		{"OpTypeFloat 32", "1e20", []uint32{0x60ad78ec}},
		{"OpTypeFloat 32", "16777217", []uint32{0x4b800000}}, // tie, to even
		{"OpTypeFloat 32", "3.4028235e38", []uint32{0x7f7fffff}},
		{"OpTypeFloat 32", "1e-45", []uint32{1}},
		{"OpTypeFloat 32", "1e-60", []uint32{0}},
		{"OpTypeFloat 32", "0x1.8p+3", []uint32{0x41400000}}, // 12
		{"OpTypeFloat 32", "-0x1p-3", []uint32{0xbe000000}},
		{"OpTypeFloat 32", "0x10p0", []uint32{0x41800000}},
		{"OpTypeFloat 32", "0x.08p4", []uint32{0x3f000000}},
		{"OpTypeFloat 32", "0X1.8p3", []uint32{0x41400000}},
		{"OpTypeFloat 32", "0x1.ffffffp+0", []uint32{0x3fffffff}}, // cut, not rounded
		{"OpTypeFloat 32", "0x1p-149", []uint32{1}},
		{"OpTypeFloat 32", "0x1.8p-149", []uint32{1}},
		{"OpTypeFloat 32", "0x1p-150", []uint32{0}},
		{"OpTypeFloat 32", "0x1p-127", []uint32{0x00400000}},
		{"OpTypeFloat 32", "0x1p+128", []uint32{0x7f800000}},        // infinity
		{"OpTypeFloat 32", "-0x1p+1000", []uint32{0xff800000}},      // beyond the exponent
		{"OpTypeFloat 32", "0x1.8p+128", []uint32{0x7fc00000}},      // NaN, quiet
		{"OpTypeFloat 32", "0x1.000002p+128", []uint32{0x7f800001}}, // NaN, signalling
		{"OpTypeFloat 32", "0x0p+99", []uint32{0}},
		{"OpTypeFloat 32", "0x0.0p-99", []uint32{0}},
		{"OpTypeFloat 32", "0x1p+99999999999999999999", []uint32{0x7f800000}},
		{"OpTypeFloat 32", "0x1p-99999999999999999999", []uint32{0}},

		{"OpTypeFloat 64", "0.1", []uint32{0x9999999a, 0x3fb99999}},
		{"OpTypeFloat 64", "0x1.921fb54442d18p+1", []uint32{0x54442d18, 0x400921fb}},
		{"OpTypeFloat 64", "4.9e-324", []uint32{1, 0}},
		{"OpTypeFloat 64", "-0x1p+1024", []uint32{0, 0xfff00000}},
		{"OpTypeFloat 64", "0x1.0000000000001p+1024", []uint32{1, 0x7ff00000}},

		{"OpTypeFloat 16", "1.5", []uint32{0x3e00}},
		{"OpTypeFloat 16", "-2", []uint32{0xc000}},
		{"OpTypeFloat 16", "65504", []uint32{0x7bff}},
		{"OpTypeFloat 16", "65535.9", []uint32{0x7bff}}, // towards zero
		{"OpTypeFloat 16", "0.1", []uint32{0x2e66}},     // 0x2e66.66: towards zero
		{"OpTypeFloat 16", "0x1p-14", []uint32{0x0400}},
		{"OpTypeFloat 16", "0x1p-24", []uint32{0x0001}},
		{"OpTypeFloat 16", "0x1.8p-15", []uint32{0x0300}},
		{"OpTypeFloat 16", "5.97e-8", []uint32{0x0001}},
		{"OpTypeFloat 16", "0x1p+16", []uint32{0x7c00}},
		{"OpTypeFloat 16", "-0x1.8p+16", []uint32{0xfe00}},
		{"OpTypeFloat 16 BFloat16KHR", "1.5", []uint32{0x3fc0}},
		{"OpTypeFloat 16 BFloat16KHR", "0.1", []uint32{0x3dcc}}, // 0x3dcccccd, towards zero
		{"OpTypeFloat 16 BFloat16KHR", "3.38e38", []uint32{0x7f7e}},
		{"OpTypeFloat 16 BFloat16KHR", "-0x1p+128", []uint32{0xff80}},
		{"OpTypeFloat 16 BFloat16KHR", "0x1.02p+128", []uint32{0x7f81}},
		{"OpTypeFloat 16 BFloat16KHR", "0x1p-133", []uint32{0x0001}},

		{"OpTypeFloat 8 Float8E4M3EXT", "1", []uint32{0x38}},
		{"OpTypeFloat 8 Float8E4M3EXT", "448", []uint32{0x7e}},
		{"OpTypeFloat 8 Float8E4M3EXT", "-0x1.ep+8", []uint32{0xff}}, // NaN
		{"OpTypeFloat 8 Float8E4M3EXT", "0x1p-9", []uint32{0x01}},
		{"OpTypeFloat 8 Float8E5M2EXT", "57344", []uint32{0x7b}},
		{"OpTypeFloat 8 Float8E5M2EXT", "0x1p+16", []uint32{0x7c}}, // infinity
		{"OpTypeFloat 8 Float8E5M2EXT", "-1.75", []uint32{0xbf}},
		{"OpTypeFloat 6 Float6E2M3EXT", "7.5", []uint32{0x1f}},
		{"OpTypeFloat 6 Float6E2M3EXT", "-4", []uint32{0x38}},
		{"OpTypeFloat 6 Float6E2M3EXT", "0.125", []uint32{0x01}},
		{"OpTypeFloat 6 Float6E3M2EXT", "28", []uint32{0x1f}},
		{"OpTypeFloat 6 Float6E3M2EXT", "-0.0625", []uint32{0x21}},
		{"OpTypeFloat 4 Float4E2M1EXT", "6", []uint32{0x7}},
		{"OpTypeFloat 4 Float4E2M1EXT", "4", []uint32{0x6}},
		{"OpTypeFloat 4 Float4E2M1EXT", "-0.5", []uint32{0x9}},
		{"OpTypeFloat 8 Float8UnsignedE8M0EXT", "1", []uint32{0x7f}},
		{"OpTypeFloat 8 Float8UnsignedE8M0EXT", "0x1p-127", []uint32{0}},
		{"OpTypeFloat 8 Float8UnsignedE8M0EXT", "0x1p+127", []uint32{0xfe}},
		{"OpTypeFloat 8 MXInt8EXT", "1.984375", []uint32{0x7f}}, // 127/64
		{"OpTypeFloat 8 MXInt8EXT", "-0.015625", []uint32{0xff}},
		{"OpTypeFloat 8 MXInt8EXT", "1", []uint32{0x40}},
	}
	for _, tt := range tests {
		for _, op := range []string{"OpConstant", "OpSpecConstant"} {
			text := fmt.Sprintf("%%t = %s %%c = %s %%t %s", tt.typ, op, tt.text)
			b, err := Assemble([]byte(text), Options{})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if got := b.Insts[1].Words[2:]; !slices.Equal(got, tt.words) {
				t.Errorf("%s: got %#x, want %#x", text, got, tt.words)
			}
			checkLossless(t, b)
		}
	}
}

// TestLiteralErrors lists literals that have no place in their type.
func TestLiteralErrors(t *testing.T) {
	tests := []struct {
		typ  string
		text []string
		want string // part of the message
	}{
		{"OpTypeInt 8 0", []string{"256", "-1", "-0x1", "0x100"}, "does not fit an unsigned 8-bit integer (0 to 255)"},
		{"OpTypeInt 8 1", []string{"128", "-129", "0x1ff", "-0x81", "+0x80"}, "does not fit a signed 8-bit integer (-128 to 127)"},
		{"OpTypeInt 64 1", []string{"9223372036854775808", "-9223372036854775809"}, "does not fit a signed 64-bit integer"},
		{"OpTypeInt 64 0", []string{"18446744073709551616", "08"}, "not an integer of at most 64 bits"},
		{"OpTypeInt 32 0", []string{"0x", "1.5", "1e3", "1_0", "0b1", "0o7", "1u", "-", "+", "--1", "0x1p3", "0x-1"}, "expected an unsigned 32-bit integer"},
		{"OpTypeInt 128 0", []string{"1"}, "no literal form"},
		{"OpTypeInt 0 0", []string{"0"}, "no literal form"},
		{"OpTypeFloat 32", []string{"inf", "nan", "-inf", "Infinity", "1f", "1.0f", "1e", "e5", ".", "--1", "+-1", "1_0.0", "0x", "0x1", "0x1.8", "0x1p", "0x1p+", "0x1p+-1", "0x1P3", "0xgp1", "0x.p1", "1 2"}, ""},
		{"OpTypeFloat 32", []string{"1e39", "-3.5e38"}, "too large"},
		{"OpTypeFloat 64", []string{"1e309"}, "too large"},
		{"OpTypeFloat 16", []string{"65536", "-1e6"}, "too large"},
		{"OpTypeFloat 8 Float8E4M3EXT", []string{"449", "-480", "0x1p+9"}, "too large"},
		{"OpTypeFloat 8 Float8E5M2EXT", []string{"65536"}, "too large"},
		{"OpTypeFloat 4 Float4E2M1EXT", []string{"6.5", "-8", "0x1p+4"}, "too large"},
		{"OpTypeFloat 8 Float8UnsignedE8M0EXT", []string{"0", "3", "0x0p+0", "0x1p-128", "0x1p+128", "-1"}, ""},
		{"OpTypeFloat 8 MXInt8EXT", []string{"2", "0.001", "-2", "x"}, ""},
		{"OpTypeFloat 24", []string{"1"}, "no literal form"},
		{"OpTypeFloat 32 BFloat16KHR", []string{"1"}, "no literal form"},
		{"OpTypeFloat 16 Float8E4M3EXT", []string{"1"}, "no literal form"},
		{"OpTypeBool", []string{"1"}, "must be an integer or floating-point type"},
	}
	for _, tt := range tests {
		for _, lit := range tt.text {
			text := fmt.Sprintf("%%t = %s\n%%c = OpConstant %%t %s", tt.typ, lit)
			_, err := Assemble([]byte(text), Options{})
			if err == nil {
				t.Errorf("%s: no error", text)
			} else if !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "2:") {
				t.Errorf("%s: %v, want line 2 and %q", text, err, tt.want)
			}
		}
	}
}

// TestLiteralText prints every pattern of the formats of at most 16 bits and holds the text against the value: it must
// read back as the same pattern.
func TestLiteralText(t *testing.T) {
	types := []numType{{floating, 16, ieee}, {kind: signedInt, width: 8}, {kind: unsignedInt, width: 16}}
	for e, f := range encodings {
		types = append(types, numType{floating, f.width, uint32(e)})
	}
	for _, typ := range types {
		lost := 0
		for v := range uint32(1) << typ.width {
			if _, ok := appendLiteral(nil, []uint32{v}, typ); !ok {
				lost++
			}
		}
		want := 0
		switch {
		case typ.kind == signedInt:
			want = 128 // those not sign-extended
		case typ.encoding == uint32(spirv.FPEncodingFloat8UnsignedE8M0EXT):
			want = 1 // NaN
		}
		if lost != want {
			t.Errorf("%v: %d patterns have no text, want %d", typ, lost, want)
		}
	}
}
