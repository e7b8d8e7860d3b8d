package vec

import (
	"math"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// Hazard returns what finds the lanes whose operands have no defined result (lane.OpInfo.Undefined), with the default
// rounding of conversions: [HazardRounded] with lane.RoundDefault.
func Hazard(op lane.Op, kind, to lane.Kind) (HazardFunc, bool) {
	return HazardRounded(op, kind, to, lane.RoundDefault)
}

// HazardRounded returns what finds the lanes whose operands have no defined result. A conversion from float to integer
// has none for a NaN and where the number, rounded as imm says, is outside the range of the result. The result is false
// where [For] is false, and for an operation that is defined for all operands.
func HazardRounded(op lane.Op, kind, to lane.Kind, imm int64) (HazardFunc, bool) {
	if !defined(op, kind, to, imm) {
		return nil, false
	}
	var f HazardFunc
	switch kind {
	case lane.I8:
		f = intHazard[uint8, int8](op)
	case lane.I16:
		f = intHazard[uint16, int16](op)
	case lane.I32:
		f = intHazard[uint32, int32](op)
	case lane.I64:
		f = intHazard[uint64, int64](op)
	default:
		if op == lane.ConvertFToU || op == lane.ConvertFToS {
			f = floatHazard(kind, to, op == lane.ConvertFToS, imm)
		}
	}
	return f, f != nil
}

func intHazard[U unsigned, S signed](op lane.Op) HazardFunc {
	switch op {
	case lane.UDiv, lane.URem:
		return zeroDivisor[U]
	case lane.SDiv, lane.SRem, lane.SMod:
		return badDivision[S]
	case lane.Shl, lane.LShr, lane.AShr:
		return bigShift[U]
	case lane.BitFieldInsert:
		return func(_, _, c, e unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
			bigField[U](c, e, lo, hi, out)
		}
	case lane.BitFieldSExtract, lane.BitFieldUExtract:
		return func(_, b, c, _ unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
			bigField[U](b, c, lo, hi, out)
		}
	}
	return nil
}

// mark sets the bit of a lane where bad is true.
func mark(out *[MaxLanes / 64]uint64, lane int, bad bool) {
	out[lane>>6&3] |= bit(bad) << (uint(lane) & 63)
}

func zeroDivisor[U unsigned](_, bp, _, _ unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
	for i, b := range row[U](bp, lo, hi) {
		mark(out, lo+i, b == 0)
	}
}

// badDivision finds zero divisors and the quotient that overflows: of the most negative number and -1.
func badDivision[S signed](ap, bp, _, _ unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
	a, b := rows1[S, S](ap, bp, lo, hi)
	least := S(1) << (bitSize[S]() - 1)
	for i := range a {
		mark(out, lo+i, b[i] == 0 || b[i] == -1 && a[i] == least)
	}
}

func bigShift[U unsigned](_, bp, _, _ unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
	width := U(bitSize[U]())
	for i, b := range row[U](bp, lo, hi) {
		mark(out, lo+i, b >= width)
	}
}

func bigField[U unsigned](offsetp, countp unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
	offset, count := rows1[U, U](offsetp, countp, lo, hi)
	width := U(bitSize[U]())
	for i := range offset {
		mark(out, lo+i, offset[i] > width || count[i] > width-offset[i])
	}
}

// floatHazard finds floats that an integer of the kind to cannot hold. All floats are F64 numbers, so the comparison is
// exact.
func floatHazard(kind, to lane.Kind, toSigned bool, mode lane.Rounding) HazardFunc {
	low, beyond := 0.0, math.Ldexp(1, to.Bits())
	if toSigned {
		low, beyond = -beyond/2, beyond/2
	}
	return func(ap, _, _, _ unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64) {
		for i := lo; i < hi; i++ {
			var x float64
			switch kind {
			case lane.F16:
				x = float64(F16ToF32(row[uint16](ap, i, i+1)[0]))
			case lane.F32:
				x = float64(row[float32](ap, i, i+1)[0])
			default:
				x = row[float64](ap, i, i+1)[0]
			}
			switch mode {
			case lane.RoundNearest:
				x = math.RoundToEven(x)
			case lane.RoundUp:
				x = math.Ceil(x)
			case lane.RoundDown:
				x = math.Floor(x)
			default:
				x = math.Trunc(x)
			}
			mark(out, i, !(x >= low && x < beyond))
		}
	}
}
