package value

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// parseArray is what most tests start from.
func parseArray(t *testing.T, text string) *Array {
	t.Helper()
	v, err := (&Parser{}).ParseArray(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Array
}

// The expected bytes are worked out by hand from the formats' definitions.
func TestArrays(t *testing.T) {
	for _, c := range []struct{ text, typ, hex string }{
		{"u32[4]:1,2,3,4", "u32", "01000000020000000300000004000000"},
		{"u32[4]:[1,2,3,4]", "u32", "01000000020000000300000004000000"},
		{"u32:1,2", "u32", "0100000002000000"},
		{"u32[2]", "u32", "0000000000000000"},
		{"u32[0]", "u32", ""},
		{"u8[3]:7", "u8", "070707"},
		{"i8[2]:-1,0x80", "i8", "ff80"},
		{"i16[2]:-32768,32767", "i16", "0080ff7f"},
		{"u16[1]:0b101", "u16", "0500"},
		{"i4[4]:-8,7,-1,0", "i4", "780f"},
		{"u4[3]:1,2,3", "u4", "2103"},
		{"v2i4[2]:<1,2>,<3,4>", "v2i4", "2143"},
		{"bool[4]:true,false,1,0", "bool", "01000100"},
		{"u64[1]:18446744073709551615", "u64", "ffffffffffffffff"},
		{"f32[3]:1,-0,0x1p-149", "f32", "0000803f0000008001000000"},
		{"f32[4]:inf,-inf,nan,-nan", "f32", "0000807f000080ff0000c07f0000c0ff"},
		{"f32[2]:0x3f800000,0x7fa00001", "f32", "0000803f0100a07f"},
		{"f64[1]:0.1", "f64", "9a9999999999b93f"},
		{"f16[4]:1,65504,0x1p-24,-2", "f16", "003cff7b010000c0"},
		{"bf16[3]:1,-2,nan", "bf16", "803f00c0c07f"},
		{"e4m3[4]:1,448,0x1p-9,nan", "e4m3", "387e017f"},
		{"e5m2[4]:1,57344,0x1p-16,inf", "e5m2", "3c7b017c"},
		{"v2u16[2]:0,8,1,9", "v2u16", "0000080001000900"},
		{"v2u16[2]:<0,8>,<1,9>", "v2u16", "0000080001000900"},
		{"v2u16[3]:<1,2>", "v2u16", "010002000100020001000200"},
		{"v2u16[2]:5", "v2u16", "0500050005000500"},
		{"v3u8[2]:1,2,3,4,5,6", "v3u8", "0102030004050600"},
		{"v4u8[1]: 1 , 2, 3,4 ", "v4u8", "01020304"},
		{"u32[2]:0|1,2|3", "u32", "0000010002000300"},
		{"u32[1]:0|1|2|3", "u32", "00010203"},
		{"hex:00ff10", "u8", "00ff10"},
		{"u16:hex:0102_0304", "u16", "01020304"},
		{"u16[2]:hex:01020304", "u16", "01020304"},
		{"u8[4]:zeros", "u8", "00000000"},
		{"f16[2]:ones", "f16", "003c003c"},
		{"bool[2]:ones", "bool", "0101"},
		{"u8[4]:iota", "u8", "00010203"},
		{"v2u8[2]:iota", "v2u8", "00010203"},
		{"v3u8[2]:iota", "v3u8", "0001020003040500"},
		{"i8[3]:iota(126,1)", "i8", "7e7f80"},
		{"u8[3]:iota(1,-1)", "", ""},
		{"f32[3]:iota(0.5,-0.25)", "f32", "0000003f0000803e00000000"},
		{"u4[5]:iota(14,1)", "u4", "fe1002"},
	} {
		v, err := (&Parser{}).ParseArray(c.text)
		if c.typ == "" {
			if err == nil {
				t.Errorf("%s: no error", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := v.Array.Type.String(); got != c.typ {
			t.Errorf("%s: type %s, want %s", c.text, got, c.typ)
		}
		if got := hex.EncodeToString(v.Array.Data); got != c.hex {
			t.Errorf("%s: bytes %s, want %s", c.text, got, c.hex)
		}
		// What is printed reads back as the same bytes.
		if v.Array.Count > 0 {
			again := parseArray(t, v.Array.String())
			if got := hex.EncodeToString(again.Data); got != c.hex {
				t.Errorf("%s: printed as %s, which is %s", c.text, v.Array, got)
			}
		}
	}
}

// The three first outputs of SplitMix64 seeded with 1234567 are those published with the generator's test vectors in many
// places: 6457827717110365317, 3203168211198807973, 9817491932198370423.
func TestRandom(t *testing.T) {
	a := parseArray(t, "u64[3]:rand(1234567)")
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := a.Bits(i, 0); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
	low := parseArray(t, "u16[3]:rand(1234567)")
	for i := range 3 {
		if low.Bits(i, 0) != a.Bits(i, 0)&0xffff {
			t.Errorf("number %d of u16 is not made of the low bits", i)
		}
	}
	// A float is (u-2^m)*2^-m of the top m+1 bits u: for f32 and the first output, u = 6457827717110365317>>40 = 5873360,
	// so (5873360-8388608)/8388608.
	f := parseArray(t, "f32[1]:rand(1234567)")
	if got, want := F32.DecodeFloat(f.Bits(0, 0)), (5873360.0-8388608.0)/8388608.0; got != want {
		t.Errorf("f32: got %v, want %v", got, want)
	}
	for _, s := range []string{"f16", "bf16", "e4m3", "e5m2", "f32", "f64"} {
		a := parseArray(t, s+"[1000]:rand(3)")
		lo, hi := 1.0, -1.0
		for i := range a.Count {
			x := a.Type.Scalar.DecodeFloat(a.Bits(i, 0))
			lo, hi = min(lo, x), max(hi, x)
			if !(x >= -1 && x < 1) {
				t.Fatalf("%s: %v is outside [-1,1)", s, x)
			}
		}
		if lo > -0.7 || hi < 0.7 {
			t.Errorf("%s: from %v to %v is not spread over [-1,1)", s, lo, hi)
		}
	}
	if parseArray(t, "f32[64]:bits(9)").String() == parseArray(t, "f32[64]:bits(10)").String() {
		t.Error("two seeds give the same patterns")
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1024", "the number 1024"},
		{" -1 ", "the number -1"},
		{"nan", "the number nan"},
		{"true", "the number true"},
		{"1,2,3", "a list of 3 numbers"},
		{"[1,2,3]", "a list of 3 numbers"},
		{"<1,2>,<3,4>", "a list of 4 numbers"},
		{"local[256]", "local memory of 256 bytes"},
		{"local[0x100]", "local memory of 256 bytes"},
		{"{a=1,b=&x,c={d=[1,2],e=f32:1}}", "a structure of 3 fields"},
		{"{}", "a structure of 0 fields"},
		{"&in", "the buffer in"},
		{"&0.1", "the buffer 0.1"},
		{"null", "null"},
	} {
		v, err := (&Parser{}).Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := v.Describe(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
	v, err := (&Parser{}).Parse("&in+0x10")
	if err != nil || v.Ref != "in" || v.Offset != 16 {
		t.Errorf("&in+0x10: got %+v, %v", v, err)
	}
}

// Each error must say what is wrong, and point at the place: the caret stands below the character at the offset.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
		want string
	}{
		{"", 0, "a value is missing"},
		{"foo", 0, `"foo" is no value`},
		{"f33[4]:1", 0, `"f33" is no type`},
		{"v16", 0, `"v16" is no value`},
		{"v5u8[4]:1", 0, `"v5u8" is no type`},
		{"u32[", 3, "[ without ]"},
		{"u32[x]", 4, `"x" is no number of elements`},
		{"u32[-1]", 4, `"-1" is no number of elements`},
		{"u32[99999999999999]", 0, "more than the 4294967296 bytes (4 GiB) left of the memory budget"},
		{"u64[9223372036854775807]:rand(1)", 25, "larger than any memory"},
		{"u64[99999999999999999999999]", 4, "is no number of elements"},
		{"u32", 3, "a count in [ ] or a colon is missing"},
		{"u32[4]1", 6, "a count in [ ] or a colon is missing"},
		{"u32[4]:", 7, "what to fill with is missing"},
		{"u32[4]:1,2", 7, "u32[4] takes 4 numbers, 2 are given"},
		{"v2u16[2]:1,2", 9, "v2u16[2] takes 4 numbers (2 for each element), 2 are given"},
		{"v2u16:1,2,3", 6, "3 numbers are no whole number of v2u16"},
		{"v2u16[2]:1,<2,3>,4", 11, "in the middle of a v2u16"},
		{"u32[4]:<1,2>", 7, "u32 is a scalar type"},
		{"v4u8[1]:<1,2>", 8, "a vector of 2 in a list of v4u8"},
		{"u32[4]:1,2,x,4", 11, `"x" is no number`},
		{"u32[4]:1,,3,4", 9, "a number is missing"},
		{"u32[2]:1,", 9, "a number is missing"},
		{"v2u8:<1,2>,", 11, "a number is missing"},
		{"v2u8:<1,2><3,4>", 10, "a comma is missing after a vector"},
		{"v2u8:<1,2", 5, "without >"},
		{"u8[1]:256", 6, `"256" is out of range for u8, which takes 0 to 255`},
		{"u8[2]:1,-1", 8, `"-1" is out of range for u8`},
		{"i8[1]:128", 6, "which takes -128 to 127"},
		{"i8[1]:0x100", 6, "out of range for i8"},
		{"i8[1]:-0xff", 6, "out of range for i8"},
		{"u64[1]:18446744073709551616", 7, "out of range for u64"},
		{"u32[1]:1.5", 7, "is no integer, and u32 takes integers"},
		{"u32[1]:nan", 7, "is no integer"},
		{"f32[1]:1e39", 7, "out of range for f32, whose largest number is 3.4028235e+38"},
		{"f16[1]:65520", 7, "out of range for f16, whose largest number is 65504"},
		{"e4m3[1]:inf", 8, "e4m3 has no infinity"},
		{"e4m3[1]:480", 8, "out of range for e4m3, whose largest number is 448"},
		{"f16[1]:0x10000", 7, "is no bit pattern of f16, which has 4 hexadecimal digits"},
		{"bool[1]:2", 8, "is no bool"},
		{"u32[1]:1|2|3", 7, "cannot be cut into the 3 parts"},
		{"u32[1]:65536|0", 7, "is no part of 16 bits"},
		{"u32[4]:random", 7, "is no way to fill an array"},
		{"u32[4]:rand", 7, "wrong number of arguments"},
		{"u32[4]:rand(x)", 7, "the seed"},
		{"u32[4]:rand(1", 11, "( without )"},
		{"u32:iota", 4, "how many elements"},
		{"f16[70000]:iota", 11, "iota reaches 65520 at number 65520, and the largest f16 is 65504"},
		{"u8[4]:iota(0,256)", 6, "the step of iota"},
		{"bool[4]:iota", 8, "bool does not"},
		{"hex:0", 4, "no hexadecimal bytes"},
		{"u32[2]:hex:00000000", 11, "u32[2] takes 8 bytes, 4 are given"},
		{"u32:hex:000000", 8, "3 bytes are no whole number of u32"},
		{"@", 1, "a file name is missing"},
		{"@missing.npy", 1, "cannot read missing.npy"},
		{"image2d(4x4,rgba8):zeros", 0, "not supported yet: images"},
		{"sampler(nearest)", 0, "not supported yet: images and samplers"},
		{"local[x]", 6, "no size of local memory"},
		{"local[5", 6, "no size of local memory"},
		{"&", 1, "a name is missing after &"},
		{"&in+x", 4, "is no offset in bytes"},
		{"{a}", 1, "has no ="},
		{"{a=1,a=2}", 5, "given twice"},
		{"{a=1", 0, "{ without }"},
		{"{a=1,}", 4, "a field is missing after the last comma"},
		{"{a=1,2}", 5, "has no ="},
		{"{a=(1}", 1, "( is not closed"},
		{"{=1}", 1, "a field's name is missing"},
		{"{a=u33:1}", 3, "is no type"},
		{strings.Repeat("{a=", 40) + strings.Repeat("}", 40), 99, "nest deeper than 32"},
	} {
		_, err := (&Parser{}).Parse(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got error %v, want an *Error", c.text, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || e.Offset != c.at {
			t.Errorf("%s: got an error at %d, want at %d %q:\n%v", c.text, e.Offset, c.at, c.want, err)
		}
	}
}

func TestCaret(t *testing.T) {
	_, err := (&Parser{}).Parse("u32[4]:1,2,x,4")
	want := "\"x\" is no number\n    u32[4]:1,2,x,4\n               ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	// A long text is cut around the place, and control characters cannot reach the terminal.
	_, err = (&Parser{}).Parse("u32[999]:\x1b" + strings.Repeat("1,", 400) + "x" + strings.Repeat(",1", 400))
	for _, line := range strings.Split(err.Error(), "\n") {
		if len(line) > 120 || strings.Contains(line, "\x1b") {
			t.Errorf("line %q", line)
		}
	}
}

func TestBudget(t *testing.T) {
	p := &Parser{Budget: NewBudget(100)}
	if _, err := p.Parse("u8[60]"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse("u8[60]"); err == nil || !strings.Contains(err.Error(), "60 bytes are more than the 40 bytes left") {
		t.Errorf("second value: %v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	p := &Parser{Open: OSFiles(dir)}
	if err := os.WriteFile(filepath.Join(dir, "x.bin"), []byte{1, 0, 2, 0}, 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"@x.bin":        "u8[4]:1,0,2,0",
		"u16:@x.bin":    "u16[2]:1,2",
		"u16[2]:@x.bin": "u16[2]:1,2",
	} {
		v, err := p.ParseArray(text)
		if err != nil || v.Array.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, v.Array, err, want)
		}
	}
	for text, want := range map[string]string{
		"u16[3]:@x.bin": "u16[3] takes 6 bytes, 4 are given",
		"u64:@x.bin":    "no whole number of u64",
		"@.":            "is a folder",
	} {
		if _, err := p.ParseArray(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	mem := &Parser{Open: fstest.MapFS{"y.bin": {Data: []byte{7}}}.Open}
	if v, err := mem.Parse("@y.bin"); err != nil || v.Array.Data[0] != 7 {
		t.Errorf("from a file system: %v %v", v, err)
	}
	// A file is measured against the budget before it is read.
	if _, err := (&Parser{Open: OSFiles(dir), Budget: NewBudget(3)}).Parse("@x.bin"); err == nil {
		t.Error("a file beyond the budget was read")
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.bin")
	a := parseArray(t, "u16[2]:1,2")
	for range 2 { // a new file, and one in its place
		if err := a.Save(name); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(name); err != nil || hex.EncodeToString(data) != "01000200" {
		t.Errorf("read %x, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files, want 1 (%v)", len(entries), err)
	}
	if err := a.Save(dir); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("writing to a folder: %v", err)
	}
	if err := a.Save(filepath.Join(dir, "no", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("writing to a missing folder: %v", err)
	}
}
