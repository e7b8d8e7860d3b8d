package stdlib

import (
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// limits are OpenCL C's for the full profile (section 7.4): ULP of f32, f64, f16. Those OpenCL leaves open (lgamma,
// degrees, radians) are ours.
var limits = map[string][3]float64{
	"acos": {4, 4, 2}, "acosh": {4, 4, 2}, "acospi": {5, 5, 2}, "asin": {4, 4, 2}, "asinh": {4, 4, 2}, "asinpi": {5, 5, 2},
	"atan": {5, 5, 2}, "atanh": {5, 5, 2}, "atanpi": {5, 5, 2}, "atan2": {6, 6, 2}, "atan2pi": {6, 6, 2}, "cbrt": {2, 2, 2},
	"cos": {4, 4, 2}, "cosh": {4, 4, 2}, "cospi": {4, 4, 2}, "erf": {16, 16, 4}, "erfc": {16, 16, 4}, "exp": {3, 3, 2},
	"exp2": {3, 3, 2}, "exp10": {3, 3, 2}, "expm1": {3, 3, 2}, "hypot": {4, 4, 2}, "log": {3, 3, 2}, "log2": {3, 3, 2},
	"log10": {3, 3, 2}, "log1p": {2, 2, 2}, "pow": {16, 16, 4}, "rsqrt": {2, 2, 1}, "sin": {4, 4, 2}, "sinh": {4, 4, 2},
	"sinpi": {4, 4, 2}, "sqrt": {0.5, 0.5, 0.5}, "tan": {5, 5, 2}, "tanh": {5, 5, 2}, "tanpi": {6, 6, 2}, "tgamma": {16, 16, 4},
	"lgamma": {16, 16, 4}, "degrees": {2, 2, 2}, "radians": {2, 2, 2}, "pown": {16, 16, 4}, "rootn": {16, 16, 4},
	"fmod": {0, 0, 0}, "remainder": {0, 0, 0},
}

var widths = []struct {
	bits, limit int
	kind        lane.Kind
	mant, emin  int
	max         float64
}{
	{32, 0, lane.F32, 23, -126, math.MaxFloat32},
	{64, 1, lane.F64, 52, -1022, math.MaxFloat64},
	{16, 2, lane.F16, 10, -14, 65504},
}

// record is a point and the function's value hi+lo, as testdata/gen/reference.c writes it.
type record struct{ x, y, hi, lo float64 }

// undefined says where OpenCL C and MPFR differ, so that MPFR is no reference; special_test.go has those points.
func undefined(name string, r record) bool {
	switch name {
	case "sinpi", "tanpi", "cospi": // signs of zeros and of infinities
		return r.hi == 0 || math.IsInf(r.hi, 0)
	case "rootn", "pown":
		return r.y == 0 || r.x == 0 || r.y == -1<<31
	case "lgamma": // no bound near the zeros on the negative side
		return r.x < 0 && math.Abs(r.hi) < 0.5
	case "rsqrt": // of -0: IEEE 754 has -∞
		return r.x == 0
	case "tgamma":
		return r.x < 0 && math.IsNaN(r.hi)
	}
	return false
}

// worst computes the function on the records and returns the largest error in ULP, and where.
func worst(t *testing.T, name string, w int, recs []record) (float64, record, float64) {
	t.Helper()
	width := widths[w]
	fn, ok := Lookup(name)
	if !ok {
		t.Fatalf("no function %s", name)
	}
	row, ok := Row(fn, width.kind)
	if !ok {
		t.Fatalf("%s has no row on %v", name, width.kind)
	}
	var max float64
	var at record
	var bad float64
	for chunk := range slices.Chunk(recs, 256) {
		var a, b, d, d2 [256]uint64
		pa, pb, pd := unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&d)
		for i, r := range chunk {
			put(pa, width.kind, i, r.x)
			if name == "pown" || name == "rootn" {
				*(*int32)(unsafe.Add(pb, i*4)) = int32(r.y)
			} else {
				put(pb, width.kind, i, r.y)
			}
		}
		row(pd, unsafe.Pointer(&d2), pa, pb, pb, 0, len(chunk))
		for i, r := range chunk {
			if undefined(name, r) {
				continue
			}
			got := get(pd, width.kind, i)
			if e := ulps(got, r.hi, r.lo, width.mant, width.emin, width.max); e > max || e != e {
				max, at, bad = e, r, got
				if e != e {
					max = math.Inf(1)
				}
			}
		}
	}
	return max, at, bad
}

func put(p unsafe.Pointer, k lane.Kind, i int, x float64) {
	switch k {
	case lane.F16:
		*(*uint16)(unsafe.Add(p, i*2)) = vec.F64ToF16(x, lane.RoundDefault)
	case lane.F32:
		*(*float32)(unsafe.Add(p, i*4)) = float32(x)
	default:
		*(*float64)(unsafe.Add(p, i*8)) = x
	}
}

func get(p unsafe.Pointer, k lane.Kind, i int) float64 {
	switch k {
	case lane.F16:
		return float64(vec.F16ToF32(*(*uint16)(unsafe.Add(p, i*2))))
	case lane.F32:
		return float64(*(*float32)(unsafe.Add(p, i*4)))
	}
	return *(*float64)(unsafe.Add(p, i*8))
}

// ulps is the error of got in units of the last place of hi+lo; infinite where one is a NaN, an infinity or a zero of
// another sign without reason.
func ulps(got, hi, lo float64, mant, emin int, max float64) float64 {
	switch {
	case hi != hi || got != got:
		if hi != hi && got != got {
			return 0
		}
		return math.Inf(1)
	case hi == 0 && lo == 0 && got == 0:
		if math.Signbit(hi) != math.Signbit(got) {
			return math.Inf(1)
		}
		return 0
	case math.IsInf(hi, 0):
		if got == hi {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(hi)
	ulp := math.Ldexp(1, exponent(e-1, emin)-mant)
	if math.IsInf(got, 0) {
		// As if the format had one exponent more: an infinity stands for the number behind the largest.
		if math.Signbit(got) != math.Signbit(hi) {
			return math.Inf(1)
		}
		if math.Abs(hi) >= max {
			return 0
		}
		got = math.Copysign(max, hi)
		return 1 + math.Abs(got-hi)/ulp
	}
	return math.Abs((got-hi)/ulp - lo/ulp)
}

// exponent is max, which ulps has another use for.
func exponent(e, least int) int { return max(e, least) }

// TestReference holds every function against MPFR on the points of testdata/reference.bin: for each function and width, in
// the order of names and of widths, as many records as recordsKept.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.bin")
	if err != nil {
		t.Fatal(err)
	}
	names := sortedNames()
	if len(data) != len(names)*len(widths)*recordsKept*32 {
		t.Fatalf("testdata/reference.bin has %d bytes", len(data))
	}
	for _, name := range names {
		for w := range widths {
			recs := decode(data[:recordsKept*32])
			data = data[recordsKept*32:]
			e, at, got := worst(t, name, w, recs)
			if limit := limits[name][widths[w].limit]; e > limit {
				t.Errorf("%s f%d: %.3f ulp, limit %g, at %x, %x: got %x, want %x + %x", name, widths[w].bits, e, limit, at.x, at.y, got, at.hi, at.lo)
			}
		}
	}
}

const recordsKept = 200

func sortedNames() []string {
	var names []string
	for name := range limits {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func decode(data []byte) []record {
	recs := make([]record, len(data)/32)
	for i := range recs {
		v := [4]float64{}
		for j := range v {
			var b uint64
			for k := range 8 {
				b |= uint64(data[i*32+j*8+k]) << (8 * k)
			}
			v[j] = math.Float64frombits(b)
		}
		recs[i] = record{v[0], v[1], v[2], v[3]}
	}
	return recs
}
