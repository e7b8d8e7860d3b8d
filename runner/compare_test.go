package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

func array(t *testing.T, text string) *value.Array {
	t.Helper()
	v, err := (&value.Parser{}).ParseArray(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Array
}

// Steps between floats follow from the formats: neighbours of 1 in f32 are 0x3f800001 and 0x3f7fffff.
func TestCompare(t *testing.T) {
	bits := Comparison{Mode: ModeBits}
	ulp := func(n float64) Comparison { return Comparison{Mode: ModeULP, Max: n} }
	abs := func(x float64) Comparison { return Comparison{Mode: ModeAbsolute, Max: x} }
	rel := func(x float64) Comparison { return Comparison{Mode: ModeRelative, Max: x} }
	for _, c := range []struct {
		got, want string
		c         Comparison
		differ    int
	}{
		{"u32:1,2,3", "u32:1,2,3", bits, 0},
		{"u32:1,2,3", "u32:1,5,4", bits, 2},
		{"u32:1,2,3", "u32:1,5,4", Comparison{}, 2},
		{"f32:0", "f32:-0", bits, 1},
		{"f32:0", "f32:-0", ulp(0), 0},
		{"f32:nan", "f32:nan", bits, 0},
		{"f32:nan", "f32:-nan", bits, 1},
		{"f32:nan", "f32:-nan", Comparison{NaN: NaNAny}, 0},
		{"f32:nan", "f32:0x7f800001", ulp(0), 0},
		{"f32:nan", "f32:1", Comparison{NaN: NaNAny}, 1},
		{"f32:1", "f32:nan", abs(1e30), 1},
		{"f32:inf", "f32:inf", abs(0), 0},
		{"f32:inf", "f32:-inf", abs(1e30), 1},
		{"f32:inf", "f32:3.4028235e38", ulp(5), 1},
		{"f32:3.4028235e38", "f32:inf", rel(5), 1},
		{"f32:0x3f800001", "f32:1", ulp(1), 0},
		{"f32:0x3f7fffff", "f32:1", ulp(1), 0},
		{"f32:0x3f800002", "f32:1", ulp(1), 1},
		{"f32:0x80000001", "f32:0x00000001", ulp(2), 0},
		{"f32:0x80000001", "f32:0x00000001", ulp(1), 1},
		{"f64:-1", "f64:1", ulp(1e18), 1},
		{"f64:0x8000000000000001", "f64:0x0000000000000001", ulp(2), 0},
		{"f16:0x3c01", "f16:1", ulp(1), 0},
		{"bf16:0x3f81", "bf16:1", ulp(0), 1},
		{"e4m3:0x39", "e4m3:1", ulp(1), 0},
		{"f32:1.5", "f32:1", abs(0.5), 0},
		{"f32:1.5", "f32:1", abs(0.4), 1},
		{"f32:110", "f32:100", rel(0.1), 0},
		{"f32:111", "f32:100", rel(0.1), 1},
		{"f32:-0.1", "f32:0", rel(0.5), 1},
		{"i32:-2147483648", "i32:2147483647", abs(4294967295), 0},
		{"i32:-2147483648", "i32:2147483647", abs(4294967294), 1},
		{"u64:18446744073709551615", "u64:0", abs(1), 1},
		{"i64:-9223372036854775808", "i64:9223372036854775807", abs(1), 1},
		{"u8:5", "u8:4", abs(1), 0},
		{"i8:-101", "i8:-100", rel(0.01), 0},
		{"i8:-102", "i8:-100", rel(0.01), 1},
		{"v2u16[2]:1,2,3,4", "v2u16[2]:1,2,9,4", bits, 1},
		{"i4:1,2,3", "i4:1,2,-3", bits, 1},
		{"v3u8[1]:hex:010203ff", "v3u8[1]:1,2,3", bits, 0}, // padding does not count
		{"u32:0x00020001", "v2u16:1,2", bits, 0},           // bytes are bytes
	} {
		d, err := Compare(array(t, c.got), array(t, c.want), c.c)
		if err != nil || d.Different != c.differ {
			t.Errorf("%s, want %s, %v: %+v, %v", c.got, c.want, c.c, d, err)
		}
	}
	for _, c := range []struct {
		got, want string
		c         Comparison
		words     string
	}{
		{"u32:1", "u32:1,2", bits, "u32[2] is expected, which has 8 bytes, and the buffer has 4 (u32[1])"},
		{"u32:1", "u32:1", ulp(1), "u32 are no floats"},
		{"u32:1", "u32:1", Comparison{Mode: "exact"}, "unknown mode"},
	} {
		if _, err := Compare(array(t, c.got), array(t, c.want), c.c); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, want %s: %v", c.got, c.want, err)
		}
	}
	d, err := Compare(array(t, "v2u16[20]:iota"), array(t, "v2u16[20]:iota(1,1)"), bits)
	if err != nil || d.Numbers != 40 || d.Different != 40 || len(d.First) != maxFirst {
		t.Errorf("many: %+v, %v", d, err)
	}
	if got, want := d.First[1].String(), "[0].1: got 1 (0x0001), want 2 (0x0002)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseTolerance(t *testing.T) {
	for text, want := range map[string]Comparison{
		"bits": {Mode: ModeBits}, "0": {Mode: ModeAbsolute}, "2ulp": {Mode: ModeULP, Max: 2}, "1e-6": {Mode: ModeAbsolute, Max: 1e-6},
		"1e-5rel": {Mode: ModeRelative, Max: 1e-5}, "50%": {Mode: ModeRelative, Max: 0.5},
	} {
		if got, err := ParseTolerance(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "ulp", "-1", "nan", "inf", "1e999"} {
		_, err := ParseTolerance(text)
		wantError(t, text, err, device.Usage, "is no tolerance", "try: bits, 2ulp")
	}
}

func TestExpectations(t *testing.T) {
	res, err := Run(context.Background(), newFake(), load(t, "add"), launchOf(t, Step{Global: []uint64{32}, Local: []uint64{16}}, "a=u32[32]:iota", "b=u32[32]:0", "out=u32[32]", "n=32", "scale=1"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(text string) error {
		e, err := ParseExpectation(text, &value.Parser{})
		if err != nil {
			return err
		}
		_, err = CheckExpectations(res, []Expectation{e}, Comparison{})
		return err
	}
	for _, text := range []string{"out=u32[32]:iota", "2=u32[32]:iota", "b=0", "b=u32[32]:zeros", "a=u32[32]:iota"} {
		if err := expect(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Element 27 is work-item 11 of work-group 1, in sub-group 1 of 8 lanes, lane 3.
	list := "u32[32]:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,99,28,29,30,31"
	err = expect("out=" + list)
	want := "out: 1 of 32 numbers differ (exact bits), the first at [27]: got 27 (0x0000001b), want 99 (0x00000063), work-group 1, sub-group 1, lane 3"
	if err == nil || err.Error() != want || ExitStatus(err) != 1 {
		t.Errorf("got %v (%d)\nwant %s", err, ExitStatus(err), want)
	}
	for text, words := range map[string]string{
		"nothing=0":        `there is no buffer "nothing"`,
		"out=u32[4]:1":     "the expectation of out: u32[4] is expected, which has 16 bytes, and the buffer has 128 (u32[32])",
		"out=1,2":          "the expectation of out: u32[32] takes 32 numbers, 2 are given",
		"out=-1":           "out of range for u32",
		"out=u32[32]":      "the expectation of out has no contents",
		"out=local[4]":     "out is expected to be local memory",
		"out=f32[32]:iotz": "argument out",
	} {
		wantError(t, text, expect(text), device.Usage, words)
	}
}
