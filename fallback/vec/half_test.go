package vec

import (
	"math"
	"testing"

	"github.com/sgrun/sgrun/fallback/lane"
)

// ladder holds the values of the halves that are not negative, in order; ladder[0x7c00] is 2^16, the number that would
// follow the largest and at which rounding to nearest ends in infinity.
var ladder = func() (l [0x7c01]float64) {
	step, v := math.Ldexp(1, -24), 0.0
	for i := range l {
		l[i] = v
		v += step
		if i >= 0x7ff && i%0x400 == 0x3ff {
			step *= 2
		}
	}
	return l
}()

func TestLadder(t *testing.T) {
	// Facts of the format: the smallest numbers, 1, the largest, and beyond.
	for h, v := range map[int]float64{0: 0, 1: 0x1p-24, 0x3ff: 0x1.ff8p-15, 0x400: 0x1p-14, 0x7ff: 0x1.ffcp-14, 0x800: 0x1p-13, 0x3c00: 1, 0x7bff: 65504, 0x7c00: 65536} {
		if ladder[h] != v {
			t.Errorf("half 0x%04x is %v, want %v", h, ladder[h], v)
		}
	}
}

// halfSteps calls f with numbers at and between all neighbouring halves, and what they round to in each mode. beside
// gives the numbers just below and above a number.
func halfSteps(f func(x float64, mode lane.Rounding, want uint16), beside func(float64) (below, above float64)) {
	for i := range uint16(0x7c00) {
		low, high := ladder[i], ladder[i+1]
		middle := low + (high-low)/2
		even := i + i&1
		for _, sign := range []uint16{0, 0x8000} {
			check := func(x float64, nearest, floor, ceil uint16) {
				down, up := floor, ceil
				if sign != 0 {
					x, down, up = -x, up, down
				}
				if ceil == 0x7c00 { // toward zero ends at the largest
					floor = 0x7bff
				}
				f(x, lane.RoundDefault, sign|nearest)
				f(x, lane.RoundNearest, sign|nearest)
				f(x, lane.RoundTowardZero, sign|floor)
				f(x, lane.RoundUp, sign|up)
				f(x, lane.RoundDown, sign|down)
			}
			check(low, i, i, i)
			below, above := beside(middle)
			check(below, i, i, i+1)
			check(middle, even, i, i+1)
			check(above, i+1, i, i+1)
			_, above = beside(low)
			check(above, i, i, i+1)
			below, _ = beside(high)
			check(below, i+1, i, i+1)
		}
	}
}

func TestF32ToF16(t *testing.T) {
	halfSteps(func(x float64, mode lane.Rounding, want uint16) {
		if got := F32ToF16(float32(x), mode); got != want {
			t.Errorf("F32ToF16(%v, %d) = 0x%04x, want 0x%04x", x, mode, got, want)
		}
	}, func(x float64) (float64, float64) {
		if x == 0 {
			return 0, math.SmallestNonzeroFloat32
		}
		return float64(math.Nextafter32(float32(x), 0)), float64(math.Nextafter32(float32(x), math.MaxFloat32))
	})
}

func TestF64ToF16(t *testing.T) {
	halfSteps(func(x float64, mode lane.Rounding, want uint16) {
		if got := F64ToF16(x, mode); got != want {
			t.Errorf("F64ToF16(%v, %d) = 0x%04x, want 0x%04x", x, mode, got, want)
		}
	}, func(x float64) (float64, float64) {
		return math.Nextafter(x, 0), math.Nextafter(x, math.MaxFloat64)
	})
}

func TestF16ToF32(t *testing.T) {
	for h := range uint16(0x7c00) {
		if got := float64(F16ToF32(h)); got != ladder[h] || math.Signbit(got) {
			t.Errorf("F16ToF32(0x%04x) = %v, want %v", h, got, ladder[h])
		}
		if got := float64(F16ToF32(h | 0x8000)); got != -ladder[h] || !math.Signbit(got) {
			t.Errorf("F16ToF32(0x%04x) = %v, want %v", h|0x8000, got, -ladder[h])
		}
	}
	for h := 0x7c00; h < 0x8000; h++ {
		want, wantNegative := uint32(0x7fc00000), uint32(0x7fc00000)
		if h == 0x7c00 {
			want, wantNegative = 0x7f800000, 0xff800000
		}
		if got := math.Float32bits(F16ToF32(uint16(h))); got != want {
			t.Errorf("F16ToF32(0x%04x) is 0x%08x, want 0x%08x", h, got, want)
		}
		if got := math.Float32bits(F16ToF32(uint16(h) | 0x8000)); got != wantNegative {
			t.Errorf("F16ToF32(0x%04x) is 0x%08x, want 0x%08x", h|0x8000, got, wantNegative)
		}
	}
}

// TestToF16Beyond goes where there are no halves: overflow, infinities, NaNs, underflow to nothing.
func TestToF16Beyond(t *testing.T) {
	signalling := math.Float64frombits(0xfff0000000000001)
	for _, test := range []struct {
		x                       float64
		nearest, zero, up, down uint16
	}{
		{65536, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
		{-65536, 0xfc00, 0xfbff, 0xfbff, 0xfc00},
		{1e30, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
		{-1e30, 0xfc00, 0xfbff, 0xfbff, 0xfc00},
		{math.Inf(1), 0x7c00, 0x7c00, 0x7c00, 0x7c00},
		{math.Inf(-1), 0xfc00, 0xfc00, 0xfc00, 0xfc00},
		{math.NaN(), 0x7e00, 0x7e00, 0x7e00, 0x7e00},
		{signalling, 0x7e00, 0x7e00, 0x7e00, 0x7e00},
		{1e-40, 0, 0, 1, 0},
		{-1e-40, 0x8000, 0x8000, 0x8000, 0x8001},
		{math.Copysign(0, -1), 0x8000, 0x8000, 0x8000, 0x8000},
	} {
		for mode, want := range map[lane.Rounding]uint16{
			lane.RoundDefault: test.nearest, lane.RoundNearest: test.nearest, lane.RoundTowardZero: test.zero,
			lane.RoundUp: test.up, lane.RoundDown: test.down, 99: test.nearest,
		} {
			if got := F64ToF16(test.x, mode); got != want {
				t.Errorf("F64ToF16(%v, %d) = 0x%04x, want 0x%04x", test.x, mode, got, want)
			}
			if got := F32ToF16(float32(test.x), mode); got != want {
				t.Errorf("F32ToF16(%v, %d) = 0x%04x, want 0x%04x", test.x, mode, got, want)
			}
		}
	}
}

// TestIntToF16 converts every integer up to 2^17, and the largest, in each mode.
func TestIntToF16(t *testing.T) {
	i := uint16(0) // the last half that is at most x
	for x := uint64(0); x <= 1<<17; x++ {
		for i < 0x7c00 && ladder[i+1] <= float64(x) {
			i++
		}
		floor, ceil, nearest := min(i, 0x7bff), i, i
		if float64(x) != ladder[i] {
			ceil = min(i+1, 0x7c00)
		}
		if middle := (ladder[i] + ladder[min(i+1, 0x7c00)]) / 2; float64(x) > middle || float64(x) == middle && i&1 == 1 {
			nearest = ceil
		}
		checkIntToF16(t, x, nearest, floor, ceil)
	}
	for _, x := range []uint64{1<<17 + 1, 1 << 24, 1<<32 - 1, 1 << 53, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		checkIntToF16(t, x, 0x7c00, 0x7bff, 0x7c00)
	}
	if got := S64ToF16(math.MinInt64, lane.RoundTowardZero); got != 0xfbff {
		t.Errorf("the least integer rounds toward zero to 0x%04x, want 0xfbff", got)
	}
}

func checkIntToF16(t *testing.T, x uint64, nearest, floor, ceil uint16) {
	t.Helper()
	for mode, want := range []uint16{nearest, nearest, floor, ceil, floor} {
		if got := U64ToF16(x, int64(mode)); got != want {
			t.Errorf("U64ToF16(%d, %d) = 0x%04x, want 0x%04x", x, mode, got, want)
		}
		if got := S64ToF16(int64(x), int64(mode)); got != want && x < 1<<63 {
			t.Errorf("S64ToF16(%d, %d) = 0x%04x, want 0x%04x", x, mode, got, want)
		}
	}
	if x == 0 || x >= 1<<63 {
		return
	}
	for mode, want := range []uint16{nearest, nearest, floor, floor, ceil} {
		if got := S64ToF16(-int64(x), int64(mode)); got != want|0x8000 {
			t.Errorf("S64ToF16(-%d, %d) = 0x%04x, want 0x%04x", x, mode, got, want|0x8000)
		}
	}
}
