package oracle

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The oracle's integers against Go's own 8-bit arithmetic: every first operand with every third second one and those where
// something happens.
func TestInteger8(t *testing.T) {
	same := func(name string, a, b int, got, want uint64) {
		if got != want {
			t.Fatalf("%s(%d, %d) = %#x, want %#x", name, a, b, got, want)
		}
	}
	for i := range 256 {
		x := uint64(i)
		ux, sx := uint8(i), int8(i)
		same("SNegate", i, 0, SNegate(8, x), uint64(uint8(-sx)))
		same("Not", i, 0, Not(8, x), uint64(^ux))
		same("BitCount", i, 0, BitCount(8, x), uint64(bits.OnesCount8(ux)))
		same("BitReverse", i, 0, BitReverse(8, x), uint64(bits.Reverse8(ux)))
		same("SConvert 32", i, 0, SConvert(8, 32, x), uint64(uint32(int32(sx))))
		same("UConvert 32", i, 0, UConvert(8, 32, x), uint64(ux))
		same("SatConvertSToU", i, 0, SatConvertSToU(8, 16, x), uint64(max(sx, 0)))
		same("SatConvertUToS", i, 0, SatConvertUToS(8, 8, x), uint64(min(ux, 127)))
		for j := range 256 {
			if j%3 != 0 && j > 2 && j != 127 && j != 128 && j != 254 {
				continue
			}
			y := uint64(j)
			uy, sy := uint8(j), int8(j)
			same("IAdd", i, j, IAdd(8, x, y), uint64(ux+uy))
			same("ISub", i, j, ISub(8, x, y), uint64(ux-uy))
			same("IMul", i, j, IMul(8, x, y), uint64(ux*uy))
			same("And", i, j, BitwiseAnd(8, x, y), uint64(ux&uy))
			same("Or", i, j, BitwiseOr(8, x, y), uint64(ux|uy))
			same("Xor", i, j, BitwiseXor(8, x, y), uint64(ux^uy))
			sum, carry := IAddCarry(8, x, y)
			same("IAddCarry", i, j, carry<<8|sum, x+y)
			difference, borrow := ISubBorrow(8, x, y)
			same("ISubBorrow", i, j, difference, uint64(ux-uy))
			same("ISubBorrow", i, j, borrow, uint64((uint16(ux)-uint16(uy))>>15))
			low, high := UMulExtended(8, x, y)
			same("UMulExtended", i, j, high<<8|low, x*y)
			low, high = SMulExtended(8, x, y)
			same("SMulExtended", i, j, high<<8|low, uint64(uint16(int16(sx)*int16(sy))))
			same("unsigned <", i, j, uint64(btoi(CompareInt(8, false, x, y) < 0)), uint64(btoi(ux < uy)))
			same("signed <", i, j, uint64(btoi(CompareInt(8, true, x, y) < 0)), uint64(btoi(sx < sy)))
			if j < 8 {
				same("<<", i, j, ShiftLeftLogical(8, x, y), uint64(ux<<j))
				same(">>", i, j, ShiftRightLogical(8, x, y), uint64(ux>>j))
				same("signed >>", i, j, ShiftRightArithmetic(8, x, y), uint64(uint8(sx>>j)))
				for count := 0; j+count <= 8; count++ {
					mask := uint8(1<<count - 1)
					same("UExtract", i, j, BitFieldUExtract(8, x, y, uint64(count)), uint64(ux>>j&mask))
					signed := int8(ux>>j<<(8-count)) >> (8 - count)
					if count == 0 {
						signed = 0
					}
					same("SExtract", i, j, BitFieldSExtract(8, x, y, uint64(count)), uint64(uint8(signed)))
					same("Insert", i, j, BitFieldInsert(8, x, 0xa5, y, uint64(count)), uint64(ux&^(mask<<j)|0xa5&mask<<j))
				}
			}
			if j == 0 {
				continue
			}
			same("UDiv", i, j, UDiv(8, x, y), uint64(ux/uy))
			same("UMod", i, j, UMod(8, x, y), uint64(ux%uy))
			same("SRem", i, j, SRem(8, x, y), uint64(uint8(sx%sy)))
			floored := int8(int(sx) - int(sy)*int(math.Floor(float64(sx)/float64(sy))))
			same("SMod", i, j, SMod(8, x, y), uint64(uint8(floored)))
			if !(sx == -128 && sy == -1) {
				same("SDiv", i, j, SDiv(8, x, y), uint64(uint8(sx/sy)))
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Wider integers against Go's, on random numbers of all magnitudes.
func TestInteger64(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x, y := random.Uint64()>>random.IntN(64), random.Uint64()>>random.IntN(64)
		if random.IntN(2) == 1 {
			x = -x
		}
		high, low := bits.Mul64(x, y)
		if l, h := UMulExtended(64, x, y); l != low || h != high {
			t.Fatalf("UMulExtended(%#x, %#x)", x, y)
		}
		if IMul(64, x, y) != x*y || IAdd(64, x, y) != x+y || ISub(64, x, y) != x-y {
			t.Fatalf("%#x, %#x", x, y)
		}
		if y != 0 && (SDiv(64, x, y) != uint64(int64(x)/int64(y)) || UMod(64, x, y) != x%y) {
			t.Fatalf("%#x / %#x", x, y)
		}
	}
}

// Every 16-bit number: its value in 64 bits by IEEE 754's formula, and back to the same pattern.
func TestHalf(t *testing.T) {
	for i := range uint64(1 << 16) {
		wide := math.Float64frombits(F16.FConvert(F64, i, RTE))
		sign := 1.0
		if i>>15 == 1 {
			sign = -1
		}
		exponent, fraction := i>>10&31, float64(i&1023)
		var want float64
		switch {
		case exponent == 31 && fraction != 0:
			if F16.Class(i) != NaN || !math.IsNaN(wide) {
				t.Fatalf("%#x is not taken for NaN", i)
			}
			continue
		case exponent == 31:
			want = math.Inf(int(sign))
		case exponent == 0:
			want = sign * math.Ldexp(fraction/1024, -14)
		default:
			want = sign * math.Ldexp(1+fraction/1024, int(exponent)-15)
		}
		if wide != want || math.Signbit(wide) != (i>>15 == 1) {
			t.Fatalf("%#x = %g, want %g", i, wide, want)
		}
		for _, mode := range []Rounding{RTE, RTZ, RTP, RTN}[i%4:][:1] { // what is exact comes back in every mode
			if back := F64.FConvert(F16, math.Float64bits(wide), mode); back != i {
				t.Fatalf("%#x comes back as %#x", i, back)
			}
		}
	}
}

// Numbers between neighbours round to one of the two as each mode says: halfway, just below and just above halfway.
func TestHalfRounding(t *testing.T) {
	// Positive finite numbers and their successors (infinity stands for 65536); thirteen apart reach odd and even ones of
	// every exponent.
	for i := uint64(0); i < 0x7c00; i += 13 {
		low := math.Float64frombits(F16.FConvert(F64, i, RTE))
		high := 65536.0
		if i+1 < 0x7c00 {
			high = math.Float64frombits(F16.FConvert(F64, i+1, RTE))
		}
		middle := (low + high) / 2
		even := i + i&1
		overflow := func(mode Rounding) uint64 { return map[bool]uint64{false: i, true: i + 1}[mode == RTP] }
		for _, c := range []struct {
			x       float64
			nearest uint64
		}{{middle, even}, {math.Nextafter(middle, 0), i}, {math.Nextafter(middle, math.Inf(1)), i + 1}} {
			for _, mode := range []Rounding{RTE, RTZ, RTP, RTN} {
				want := overflow(mode)
				if mode == RTE {
					want = c.nearest
				}
				if got := F64.FConvert(F16, math.Float64bits(c.x), mode); got != want {
					t.Fatalf("%g in mode %d: got %#x, want %#x", c.x, mode, got, want)
				}
				mirrored := map[Rounding]Rounding{RTE: RTE, RTZ: RTZ, RTP: RTN, RTN: RTP}[mode]
				if got := F64.FConvert(F16, math.Float64bits(-c.x), mirrored); got != want|0x8000 {
					t.Fatalf("%g in mode %d: got %#x, want %#x", -c.x, mirrored, got, want|0x8000)
				}
			}
		}
	}
}

// A second opinion: Go's float32 and float64 operations are those of IEEE 754, one operation at a time.
func TestNativeFloats(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	special := []uint64{0, 1, 2, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x3ff0000000000001,
		0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000}
	pick := func(width int) uint64 {
		switch random.IntN(6) {
		case 0:
			x := special[random.IntN(len(special))]
			if width == 32 { // the same places in the smaller format
				f := float32(math.Float64frombits(x))
				x = uint64(math.Float32bits(f)) ^ uint64(random.IntN(2))
			}
			return x | uint64(random.IntN(2))<<(width-1)
		case 1: // of any magnitude
			return random.Uint64() >> (64 - width)
		}
		// of similar magnitude, so that sums cancel and round
		f := random.NormFloat64() * math.Ldexp(1, random.IntN(6))
		if width == 32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	same := func(f Format, name string, a, b, got, want uint64) {
		t.Helper()
		if got != want && !(f.Class(got) == NaN && f.Class(want) == NaN) {
			t.Fatalf("%s(%#x, %#x) = %#x, want %#x", name, a, b, got, want)
		}
	}
	for range 4000 {
		a, b := pick(64), pick(64)
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		same(F64, "FAdd", a, b, F64.FAdd(a, b), math.Float64bits(x+y))
		same(F64, "FSub", a, b, F64.FSub(a, b), math.Float64bits(x-y))
		same(F64, "FMul", a, b, F64.FMul(a, b), math.Float64bits(x*y))
		same(F64, "FDiv", a, b, F64.FDiv(a, b), math.Float64bits(x/y))
		order, ordered := F64.Compare(a, b)
		if (ordered && order < 0) != (x < y) || (ordered && order == 0) != (x == y) {
			t.Fatalf("%g and %g compare wrongly", x, y)
		}
		if f := F64.Class(a); f != NaN && f != Infinite && y != 0 && F64.Class(b) < Infinite {
			r, exact := F64.FRem(a, b)
			same(F64, "FRem", a, b, r, math.Float64bits(math.Mod(x, y)))
			if !exact {
				t.Fatal("a remainder is exact")
			}
		}
		same(F32, "FConvert", a, 0, F64.FConvert(F32, a, RTE), uint64(math.Float32bits(float32(x))))
		same(F64, "ConvertSToF", a, 0, F64.FromSigned(64, a, RTE), math.Float64bits(float64(int64(a))))
		same(F64, "ConvertUToF", a, 0, F64.FromUnsigned(64, a, RTE), math.Float64bits(float64(a)))
		if bits, fits := F64.ToSigned(64, a, RTZ); fits && bits != uint64(int64(x)) {
			t.Fatalf("%g to signed: %#x", x, bits)
		}

		a, b = pick(32), pick(32)
		v, w := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		same(F32, "FAdd", a, b, F32.FAdd(a, b), uint64(math.Float32bits(v+w)))
		same(F32, "FSub", a, b, F32.FSub(a, b), uint64(math.Float32bits(v-w)))
		same(F32, "FMul", a, b, F32.FMul(a, b), uint64(math.Float32bits(v*w)))
		same(F32, "FDiv", a, b, F32.FDiv(a, b), uint64(math.Float32bits(v/w)))
		same(F64, "FConvert", a, 0, F32.FConvert(F64, a, RTE), math.Float64bits(float64(v)))
	}
}

func TestFMod(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{5, 3, 2}, {-5, 3, 1}, {5, -3, -1}, {-5, -3, -2}, {6, 3, 0}, {-6, 3, 0}, {0.5, 0.75, 0.5}, {-0.5, 0.75, 0.25},
	} {
		got, exact := F64.FMod(math.Float64bits(c.a), math.Float64bits(c.b))
		if math.Float64frombits(got) != c.want || !exact {
			t.Errorf("FMod(%g, %g) = %g, want %g", c.a, c.b, math.Float64frombits(got), c.want)
		}
	}
	// -2^-60 mod 1 is 1 - 2^-60, which 64 bits do not hold.
	if _, exact := F64.FMod(math.Float64bits(-0x1p-60), math.Float64bits(1)); exact {
		t.Error("a result that was rounded is called exact")
	}
}

func TestToInteger(t *testing.T) {
	for _, c := range []struct {
		x      float64
		width  int
		signed bool
		mode   Rounding
		want   int64
		fits   bool
	}{
		{2.5, 8, true, RTZ, 2, true}, {2.5, 8, true, RTE, 2, true}, {3.5, 8, true, RTE, 4, true},
		{2.25, 8, true, RTP, 3, true}, {-2.25, 8, true, RTP, -2, true}, {-2.25, 8, true, RTN, -3, true},
		{127.5, 8, true, RTZ, 127, true}, {127.5, 8, true, RTE, 127, false}, {-128.5, 8, true, RTZ, -128, true},
		{300, 8, false, RTZ, 255, false}, {-1, 8, false, RTZ, 0, false}, {-0.5, 8, false, RTZ, 0, true},
		{math.Inf(1), 16, true, RTZ, 32767, false}, {math.Inf(-1), 16, true, RTZ, -32768, false}, {math.NaN(), 16, true, RTZ, 0, false},
	} {
		convert := F64.ToUnsigned
		if c.signed {
			convert = F64.ToSigned
		}
		got, fits := convert(c.width, math.Float64bits(c.x), c.mode)
		if got != uint64(c.want)&(1<<c.width-1) || fits != c.fits {
			t.Errorf("%g to %d bits in mode %d: %#x, %v", c.x, c.width, c.mode, got, fits)
		}
	}
	if got, _ := F16.ToUnsigned(64, F16.Inf(false), RTZ); got != math.MaxUint64 {
		t.Errorf("16-bit infinity saturates to %#x", got)
	}
}

func TestQuantizeToF16(t *testing.T) {
	for _, c := range []struct {
		x, want float32
		exact   bool
	}{
		{1.5, 1.5, true}, {65504, 65504, true}, {1e6, float32(math.Inf(1)), false}, {-1e6, float32(math.Inf(-1)), false},
		{0x1p-14, 0x1p-14, true}, {0x1p-20, 0, false}, {0, 0, true},
	} {
		got, exact := QuantizeToF16(uint64(math.Float32bits(c.x)))
		if math.Float32frombits(uint32(got)) != c.want || exact != c.exact {
			t.Errorf("%g: %g, %v", c.x, math.Float32frombits(uint32(got)), exact)
		}
	}
}
