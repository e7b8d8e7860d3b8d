package stdlib

import (
	"math"
	"sync"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

var functions = sync.OnceValue(table)

// Lookup returns the function with the name: that of the instruction in OpenCL.std, or where it has none in
// GLSL.std.450.
func Lookup(name string) (Fn, bool) {
	for i := range functions() {
		if functions()[i].name == name {
			return Fn(i), true
		}
	}
	return 0, false
}

// RowFunc computes lanes lo to hi-1 of the rows d and, where the function has two results, d2; rows of operands the
// function lacks are not looked at. The rows of results are none of the operands'. Integer operands and results of
// functions on floats have 32 bits.
type RowFunc func(d, d2, a, b, c unsafe.Pointer, lo, hi int)

// Row returns the function on the kind of its operands: a float kind, for integer functions any kind but Bool. The result
// is false where the function is not defined for the kind.
func Row(fn Fn, kind lane.Kind) (RowFunc, bool) {
	if fn < 0 || int(fn) >= len(functions()) {
		return nil, false
	}
	f := &functions()[fn]
	if f.ints != nil {
		switch kind.Bits() {
		case 8:
			return intRow[uint8](f.ints, f.n), true
		case 16:
			return intRow[uint16](f.ints, f.n), true
		case 32:
			return intRow[uint32](f.ints, f.n), true
		case 64:
			return intRow[uint64](f.ints, f.n), true
		}
		return nil, false
	}
	switch kind {
	case lane.F16:
		return floatRow(f, half{}), true
	case lane.F32:
		return floatRow(f, single{}), true
	case lane.F64:
		return floatRow(f, double{}), true
	}
	return nil, false
}

// lanes are a row's lanes as a slice.
func lanes[T any](p unsafe.Pointer, hi int) []T { return unsafe.Slice((*T)(p), hi) }

func intRow[T uint8 | uint16 | uint32 | uint64](f intFunc, n int) RowFunc {
	w := int(unsafe.Sizeof(T(0))) * 8
	return func(d, _, a, b, c unsafe.Pointer, lo, hi int) {
		dr, ar := lanes[T](d, hi), lanes[T](a, hi)
		br, cr := ar, ar
		if n > 1 {
			br = lanes[T](b, hi)
		}
		if n > 2 {
			cr = lanes[T](c, hi)
		}
		for i := lo; i < hi; i++ {
			dr[i] = T(f(w, uint64(ar[i]), uint64(br[i]), uint64(cr[i])))
		}
	}
}

// format reads and writes the lanes of a float format.
type format[T any] interface {
	get(T) float64
	put(float64) T
	fma(x, y, z T) T
}

type (
	half   struct{}
	single struct{}
	double struct{}
)

func (half) get(h uint16) float64 { return float64(vec.F16ToF32(h)) }
func (half) put(x float64) uint16 { return vec.F64ToF16(x, lane.RoundDefault) }
func (f half) fma(x, y, z uint16) uint16 {
	return f.put(fmaOdd(f.get(x), f.get(y), f.get(z)))
}

func (single) get(x float32) float64 { return float64(x) }
func (single) put(x float64) float32 {
	if x != x {
		return math.Float32frombits(0x7fc00000)
	}
	return float32(x)
}

func (f single) fma(x, y, z float32) float32 {
	return f.put(fmaOdd(float64(x), float64(y), float64(z)))
}

func (double) get(x float64) float64 { return x }
func (double) put(x float64) float64 {
	if x != x {
		return nan()
	}
	return x
}

func (f double) fma(x, y, z float64) float64 { return f.put(math.FMA(x, y, z)) }

func floatRow[T any, F format[T]](f *function, as F) RowFunc {
	switch {
	case f.f1 != nil:
		return func(d, _, a, _, _ unsafe.Pointer, lo, hi int) {
			dr, ar := lanes[T](d, hi), lanes[T](a, hi)
			for i := lo; i < hi; i++ {
				dr[i] = as.put(f.f1(as.get(ar[i])))
			}
		}
	case f.f2 != nil:
		return func(d, _, a, b, _ unsafe.Pointer, lo, hi int) {
			dr, ar, br := lanes[T](d, hi), lanes[T](a, hi), lanes[T](b, hi)
			for i := lo; i < hi; i++ {
				dr[i] = as.put(f.f2(as.get(ar[i]), as.get(br[i])))
			}
		}
	case f.f3 != nil:
		return func(d, _, a, b, c unsafe.Pointer, lo, hi int) {
			dr, ar, br, cr := lanes[T](d, hi), lanes[T](a, hi), lanes[T](b, hi), lanes[T](c, hi)
			for i := lo; i < hi; i++ {
				dr[i] = as.fma(ar[i], br[i], cr[i])
			}
		}
	case f.fi != nil:
		return func(d, _, a, b, _ unsafe.Pointer, lo, hi int) {
			dr, ar, br := lanes[T](d, hi), lanes[T](a, hi), lanes[int32](b, hi)
			for i := lo; i < hi; i++ {
				dr[i] = as.put(f.fi(as.get(ar[i]), br[i]))
			}
		}
	case f.i1 != nil:
		return func(d, _, a, _, _ unsafe.Pointer, lo, hi int) {
			dr, ar := lanes[int32](d, hi), lanes[T](a, hi)
			for i := lo; i < hi; i++ {
				dr[i] = f.i1(as.get(ar[i]))
			}
		}
	case f.ff != nil:
		return func(d, d2, a, _, _ unsafe.Pointer, lo, hi int) {
			dr, er, ar := lanes[T](d, hi), lanes[T](d2, hi), lanes[T](a, hi)
			for i := lo; i < hi; i++ {
				x, y := f.ff(as.get(ar[i]))
				dr[i], er[i] = as.put(x), as.put(y)
			}
		}
	case f.f1i != nil:
		return func(d, d2, a, _, _ unsafe.Pointer, lo, hi int) {
			dr, er, ar := lanes[T](d, hi), lanes[int32](d2, hi), lanes[T](a, hi)
			for i := lo; i < hi; i++ {
				x, n := f.f1i(as.get(ar[i]))
				dr[i], er[i] = as.put(x), n
			}
		}
	}
	return func(d, d2, a, b, _ unsafe.Pointer, lo, hi int) {
		dr, er, ar, br := lanes[T](d, hi), lanes[int32](d2, hi), lanes[T](a, hi), lanes[T](b, hi)
		for i := lo; i < hi; i++ {
			x, n := f.f2i(as.get(ar[i]), as.get(br[i]))
			dr[i], er[i] = as.put(x), n
		}
	}
}
