package vec

import (
	"math"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// floatToFloat returns FConvert, or nil. Between equal formats it still replaces NaNs.
func floatToFloat(kind, to lane.Kind, mode lane.Rounding) Func {
	type pair struct{ from, to lane.Kind }
	switch (pair{kind, to}) {
	case pair{lane.F16, lane.F16}:
		return reformat[uint16, uint16](f16, f16, mode)
	case pair{lane.F16, lane.F32}:
		return halfToF32
	case pair{lane.F16, lane.F64}:
		return halfToF64
	case pair{lane.F32, lane.F16}:
		if nearest(mode) {
			return f32ToHalf
		}
		return reformat[uint32, uint16](f32, f16, mode)
	case pair{lane.F32, lane.F32}:
		return castFloat[float32, float32]
	case pair{lane.F32, lane.F64}:
		return castFloat[float32, float64]
	case pair{lane.F64, lane.F16}:
		return reformat[uint64, uint16](f64, f16, mode)
	case pair{lane.F64, lane.F32}:
		if nearest(mode) {
			return castFloat[float64, float32]
		}
		return reformat[uint64, uint32](f64, f32, mode)
	case pair{lane.F64, lane.F64}:
		return castFloat[float64, float64]
	}
	return nil
}

// castFloat is Go's conversion, rounded to nearest even, with NaNs replaced.
func castFloat[A, D float](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[D, A](dp, ap, lo, hi)
	for i, x := range a {
		r := D(x)
		if r != r {
			r = nan[D]()
		}
		d[i] = r
	}
}

func halfToF32(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[float32, uint16](dp, ap, lo, hi)
	widenLanes(d, a)
}

func halfToF64(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[float64, uint16](dp, ap, lo, hi)
	for i := range d {
		d[i] = float64(F16ToF32(a[i]))
	}
}

func f32ToHalf(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[uint16, float32](dp, ap, lo, hi)
	narrowLanes(d, a)
}

// reformat makes a conversion between formats that rounds as mode says. A and D hold the formats' bits.
func reformat[A, D unsigned](from, to *format, mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d, a := rows1[D, A](dp, ap, lo, hi)
		for i, x := range a {
			d[i] = D(to.narrow(from, uint64(x), mode))
		}
	}
}

// quantizeFunc returns QuantizeToF16 for the kind.
func quantizeFunc(kind lane.Kind, mode lane.Rounding) Func {
	switch kind {
	case lane.F16:
		return quantize[uint16](f16, mode)
	case lane.F32:
		return quantize[uint32](f32, mode)
	case lane.F64:
		return quantize[uint64](f64, mode)
	}
	return nil
}

// quantize makes QuantizeToF16 of the format, whose bits U holds.
func quantize[U unsigned](f *format, mode lane.Rounding) Func {
	smallest := uint64(1) << f16.mant // normal half
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d, a := rows1[U, U](dp, ap, lo, hi)
		for i, x := range a {
			h := f16.narrow(f, uint64(x), mode)
			if h&^f16.sign() < smallest {
				h &= f16.sign()
			}
			d[i] = U(f.narrow(f16, h, mode))
		}
	}
}

// floatToInt returns ConvertFToU or ConvertFToS from the kind to V or T, the unsigned and signed types of the result's
// width.
func floatToInt[V unsigned, T signed](op lane.Op, kind lane.Kind, mode lane.Rounding) Func {
	if op == lane.ConvertFToU {
		return floatTo[V](kind, mode)
	}
	return floatTo[T](kind, mode)
}

func floatTo[D integer](kind lane.Kind, mode lane.Rounding) Func {
	truncates := mode == lane.RoundDefault || mode == lane.RoundTowardZero
	switch {
	case kind == lane.F16:
		return roundHalf[D](mode)
	case kind == lane.F32 && truncates:
		return truncate[float32, D]
	case kind == lane.F32:
		return roundFloat[float32, D](mode)
	case kind == lane.F64 && truncates:
		return truncate[float64, D]
	case kind == lane.F64:
		return roundFloat[float64, D](mode)
	}
	return nil
}

// limits returns the range of D: its least and its most number, as a float the least and what first exceeds the most.
func limits[F float, D integer]() (low, beyond F, least, most D) {
	top := uint64(1) << (bitSize[D]() - 1)
	if ^D(0) < 0 {
		least = D(top)
		return -F(top), F(top), least, ^least
	}
	return 0, 2 * F(top), 0, ^D(0)
}

// truncateLanes rounds toward zero and saturates; NaN gives 0. Go's own conversion is only used in range, elsewhere its
// result depends on the host.
func truncateLanes[F float, D integer](d []D, a []F) {
	low, beyond, least, most := limits[F, D]()
	a = a[:len(d)]
	for i := range d {
		switch x := a[i]; {
		case x >= beyond:
			d[i] = most
		case x > low:
			d[i] = D(x)
		case x <= low:
			d[i] = least
		default:
			d[i] = 0
		}
	}
}

func truncate[F float, D integer](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[D, F](dp, ap, lo, hi)
	truncateLanes(d, a)
}

// roundLanes rounds to whole numbers. The default is toward zero, which truncateLanes does.
func roundLanes[F float](x []F, mode lane.Rounding) {
	switch mode {
	case lane.RoundNearest:
		for i := range x {
			x[i] = F(math.RoundToEven(float64(x[i])))
		}
	case lane.RoundUp:
		for i := range x {
			x[i] = F(math.Ceil(float64(x[i])))
		}
	case lane.RoundDown:
		for i := range x {
			x[i] = F(math.Floor(float64(x[i])))
		}
	}
}

// roundFloat makes a conversion from F that rounds as mode says.
func roundFloat[F float, D integer](mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		var buf [64]F
		for lo < hi {
			end := min(hi, lo+len(buf))
			d, a := rows1[D, F](dp, ap, lo, end)
			whole := buf[:copy(buf[:], a)]
			roundLanes(whole, mode)
			truncateLanes(d, whole)
			lo = end
		}
	}
}

// roundHalf makes a conversion from F16 that rounds as mode says.
func roundHalf[D integer](mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		var buf block
		for lo < hi {
			end := min(hi, lo+len(buf))
			d, a := rows1[D, uint16](dp, ap, lo, end)
			whole := widen(&buf, a)
			roundLanes(whole, mode)
			truncateLanes(d, whole)
			lo = end
		}
	}
}
