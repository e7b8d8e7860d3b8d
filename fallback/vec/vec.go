// Package vec computes the elementwise operations of the lane program: one tight loop per operation and kind, over rows
// of lanes.
//
// # Rows
//
// A row holds one scalar for each lane of a gang of up to [MaxLanes] lanes. Lanes are contiguous, in the machine's byte
// order, at 1, 2, 4 or 8 bytes a lane; an F16 is its 16 bits. Rows start at multiples of 64 bytes ([Alloc]). A row of
// Bool is a bit set instead: lane i is bit i&63 of uint64 word i>>6. A row needs to reach no further than the last lane
// that is computed; of a Bool row, no further than the word of that lane.
//
// # Meaning
//
// The operations mean what package lane documents. Where that leaves a choice, this package takes the following, and
// every later form of a primitive (assembly, compiled code) must agree with it bit for bit:
//
//   - A NaN that arithmetic or a conversion between float formats produces, also from a NaN operand and also between
//     equal formats, is 0x7e00, 0x7fc00000 or 0x7ff8000000000000.
//   - Products and quotients are rounded before anything else happens to them; there is no fused multiply-add.
//     Subnormal operands and results are kept.
//   - FRem: a zero result has the sign of the dividend. FMod is FRem, plus the divisor if the remainder is not zero and
//     its sign is not the divisor's, rounded once to nearest even (for operands such as −1e-30 and 1 no exact result
//     fits the format); a zero result has the sign of the divisor. Both give NaN for a zero divisor or an infinite
//     dividend.
//   - Bit fields: the offset is first clamped to the width, then the count to what is left above the offset. The three
//     are unsigned. An extract of no bits gives 0.
//   - Conversions from float to integer first round, then saturate.
//   - Conversions to a float format round once, from the exact value. A value too large becomes infinity or the largest
//     finite number, as IEEE 754 (section 7.4) says for the rounding mode.
//   - QuantizeToF16 takes the rounding mode too. Whether the half is subnormal is seen after rounding. It is also
//     defined for F16, where it only replaces subnormals and NaNs, and for F64.
//   - Shifts take the shift modulo the width as an unsigned number.
package vec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// MaxLanes is the largest number of lanes in a row.
const MaxLanes = 256

// Func computes the lanes lo to hi-1 of the row d from the same lanes of the operands' rows, in the operation's order of
// operands; 0 ≤ lo < hi ≤ MaxLanes. Pointers of operands that the operation lacks are nil.
//
// It leaves all other lanes of d as they are. For Bool rows that means reading and writing whole words, so two
// goroutines must not work on the same row. The row d may be an operand's row if the lanes of both have the same size;
// otherwise rows must not overlap.
type Func func(d, a, b, c, e unsafe.Pointer, lo, hi int)

// HazardFunc sets the bits of those of the lanes lo to hi-1 whose operands have no defined result, and leaves the other
// bits of out as they are. The operands are those of the Func.
type HazardFunc func(a, b, c, e unsafe.Pointer, lo, hi int, out *[MaxLanes / 64]uint64)

// For returns the primitive of an elementwise operation on operands of the kind; to is the kind of the result of a
// conversion and imm its lane.Rounding, both ignored by other operations. The result is false where package lane does
// not define the operation, and for an imm that is no rounding mode in an operation that takes one.
func For(op lane.Op, kind, to lane.Kind, imm int64) (Func, bool) {
	if !defined(op, kind, to, imm) {
		return nil, false
	}
	var f Func
	switch shape := op.Info().Shape; {
	case op == lane.Select:
		f = selectFunc(kind)
	case op == lane.Copy:
		f = copyFunc(kind)
	case op == lane.QuantizeToF16:
		f = quantizeFunc(kind, imm)
	case shape == lane.Convert:
		f = convertFunc(op, kind, to, imm)
	default:
		switch kind {
		case lane.Bool:
			f = boolFunc(op)
		case lane.I8:
			f = intFunc[uint8, int8](op)
		case lane.I16:
			f = intFunc[uint16, int16](op)
		case lane.I32:
			f = intFunc[uint32, int32](op)
		case lane.I64:
			f = intFunc[uint64, int64](op)
		case lane.F16:
			f = halfFunc(op)
		case lane.F32:
			f = floatFunc[float32, uint32](op, f32)
		case lane.F64:
			f = floatFunc[float64, uint64](op, f64)
		}
	}
	return f, f != nil
}

// defined reports whether the tables of package lane define the operation for the kinds.
func defined(op lane.Op, kind, to lane.Kind, imm int64) bool {
	if !op.Elementwise() || kind >= lane.NumKinds {
		return false
	}
	info := op.Info()
	if !info.On.Has(kind) {
		return false
	}
	if info.Shape == lane.Convert && (to >= lane.NumKinds || !info.To.Has(to)) {
		return false
	}
	return !takesRounding(op) || imm >= lane.RoundDefault && imm <= lane.RoundDown
}

// takesRounding reports whether the operation rounds as imm says.
func takesRounding(op lane.Op) bool {
	switch op {
	case lane.FConvert, lane.ConvertFToU, lane.ConvertFToS, lane.ConvertUToF, lane.ConvertSToF, lane.QuantizeToF16:
		return true
	}
	return false
}

// resultKind returns the kind of the operation's result.
func resultKind(op lane.Op, kind, to lane.Kind) lane.Kind {
	switch op.Info().Shape {
	case lane.Test:
		return lane.Bool
	case lane.Convert:
		return to
	}
	return kind
}

// Fold applies the operation to one lane: constant folding. Operands are the bits of scalars, low bits first; bits above
// a kind's width are ignored, and zero in the result. The result is false where [For] has no primitive and where the
// number of operands is not the operation's.
func Fold(op lane.Op, kind, to lane.Kind, imm int64, operands ...uint64) (uint64, bool) {
	f, ok := For(op, kind, to, imm)
	if !ok || len(operands) != op.Info().Arity {
		return 0, false
	}
	var scalars [5]uint64 // rows of one lane; the last is the result's
	var rows [4]unsafe.Pointer
	for i, v := range operands {
		k := kind
		if op == lane.Select && i == 0 {
			k = lane.Bool
		}
		rows[i] = unsafe.Pointer(&scalars[i])
		put(rows[i], k, v)
	}
	d := unsafe.Pointer(&scalars[4])
	f(d, rows[0], rows[1], rows[2], rows[3], 0, 1)
	return get(d, resultKind(op, kind, to)), true
}

// put writes lane 0 of a row.
func put(row unsafe.Pointer, k lane.Kind, v uint64) {
	switch {
	case k == lane.Bool:
		*(*uint64)(row) = v & 1
	case k.Bytes() == 1:
		*(*uint8)(row) = uint8(v)
	case k.Bytes() == 2:
		*(*uint16)(row) = uint16(v)
	case k.Bytes() == 4:
		*(*uint32)(row) = uint32(v)
	default:
		*(*uint64)(row) = v
	}
}

// get reads lane 0 of a row.
func get(row unsafe.Pointer, k lane.Kind) uint64 {
	switch {
	case k == lane.Bool:
		return *(*uint64)(row) & 1
	case k.Bytes() == 1:
		return uint64(*(*uint8)(row))
	case k.Bytes() == 2:
		return uint64(*(*uint16)(row))
	case k.Bytes() == 4:
		return uint64(*(*uint32)(row))
	}
	return *(*uint64)(row)
}
