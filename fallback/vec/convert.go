package vec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// convertFunc returns a conversion, or nil.
func convertFunc(op lane.Op, kind, to lane.Kind, mode lane.Rounding) Func {
	switch kind {
	case lane.I8:
		return fromInt[uint8, int8](op, to, mode)
	case lane.I16:
		return fromInt[uint16, int16](op, to, mode)
	case lane.I32:
		return fromInt[uint32, int32](op, to, mode)
	case lane.I64:
		return fromInt[uint64, int64](op, to, mode)
	}
	if op == lane.FConvert {
		return floatToFloat(kind, to, mode)
	}
	switch to {
	case lane.I8:
		return floatToInt[uint8, int8](op, kind, mode)
	case lane.I16:
		return floatToInt[uint16, int16](op, kind, mode)
	case lane.I32:
		return floatToInt[uint32, int32](op, kind, mode)
	case lane.I64:
		return floatToInt[uint64, int64](op, kind, mode)
	}
	return nil
}

// nearest reports whether the mode rounds to nearest even where the default does so.
func nearest(mode lane.Rounding) bool { return mode == lane.RoundDefault || mode == lane.RoundNearest }

// fromInt returns a conversion from integers that U and S hold.
func fromInt[U unsigned, S signed](op lane.Op, to lane.Kind, mode lane.Rounding) Func {
	switch to {
	case lane.I8:
		return intToInt[U, S, uint8, int8](op)
	case lane.I16:
		return intToInt[U, S, uint16, int16](op)
	case lane.I32:
		return intToInt[U, S, uint32, int32](op)
	case lane.I64:
		return intToInt[U, S, uint64, int64](op)
	case lane.F16:
		if op == lane.ConvertUToF {
			return unsignedToHalf[U](mode)
		}
		return signedToHalf[S](mode)
	case lane.F32:
		return intToFloat[U, S, float32, uint32](op, f32, mode)
	case lane.F64:
		return intToFloat[U, S, float64, uint64](op, f64, mode)
	}
	return nil
}

// intToInt returns a conversion from U or S to V or T, the unsigned and signed types of the result's width.
func intToInt[U unsigned, S signed, V unsigned, T signed](op lane.Op) Func {
	switch op {
	case lane.UConvert:
		return cast[U, V]
	case lane.SConvert:
		return cast[S, T]
	case lane.SatConvertUToS:
		return saturateToSigned[U, T]
	case lane.SatConvertSToU:
		return saturateToUnsigned[S, V]
	}
	return nil
}

// cast is Go's conversion; of an integer to a float it is exact or rounded to nearest even.
func cast[A integer, D number](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[D, A](dp, ap, lo, hi)
	for i := range d {
		d[i] = D(a[i])
	}
}

func saturateToSigned[A unsigned, D signed](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[D, A](dp, ap, lo, hi)
	most := uint64(1)<<(bitSize[D]()-1) - 1
	for i := range d {
		d[i] = D(min(uint64(a[i]), most))
	}
}

func saturateToUnsigned[A signed, D unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[D, A](dp, ap, lo, hi)
	most := uint64(^D(0))
	for i := range d {
		d[i] = D(min(uint64(max(a[i], 0)), most))
	}
}

// intToFloat returns a conversion to F, of which V is the unsigned type of the same width.
func intToFloat[U unsigned, S signed, F float, V unsigned](op lane.Op, f *format, mode lane.Rounding) Func {
	switch {
	case op == lane.ConvertUToF && nearest(mode):
		return cast[U, F]
	case op == lane.ConvertSToF && nearest(mode):
		return cast[S, F]
	case op == lane.ConvertUToF:
		return intRounded[U, V](f, mode)
	case op == lane.ConvertSToF:
		return intRounded[S, V](f, mode)
	}
	return nil
}

// intRounded makes a conversion to the format, whose bits D holds.
func intRounded[A integer, D unsigned](f *format, mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d, a := rows1[D, A](dp, ap, lo, hi)
		for i, x := range a {
			m := uint64(x)
			if x < 0 {
				m = -m
			}
			d[i] = D(f.pack(x < 0, m, 0, mode))
		}
	}
}

func unsignedToHalf[A unsigned](mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d, a := rows1[uint16, A](dp, ap, lo, hi)
		for i, x := range a {
			d[i] = U64ToF16(uint64(x), mode)
		}
	}
}

func signedToHalf[A signed](mode lane.Rounding) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d, a := rows1[uint16, A](dp, ap, lo, hi)
		for i, x := range a {
			d[i] = S64ToF16(int64(x), mode)
		}
	}
}
