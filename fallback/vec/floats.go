package vec

import (
	"math"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// floatFunc returns the primitive of an operation on F32 or F64, or nil. U is the unsigned type of F's width.
func floatFunc[F float, U unsigned](op lane.Op, f *format) Func {
	switch op {
	case lane.FAdd:
		return fadd[F]
	case lane.FSub:
		return fsub[F]
	case lane.FMul:
		return fmul[F]
	case lane.FDiv:
		return fdiv[F]
	case lane.FRem:
		return frem[U](f)
	case lane.FMod:
		return fmod[U](f)
	case lane.FMin:
		return fminmax[U](f, 0)
	case lane.FMax:
		return fminmax(f, ^U(0))
	case lane.FNeg:
		return fneg[U]
	}
	if t := classFunc[U](op, f); t != nil {
		return t
	}
	return floatTests[F]{equal[F], less[F], lessEqual[F], lessGreater[F], ordered[F]}.pick(op)
}

// fadd and its kin look for NaNs in the sum of eight results at a time: it is a NaN if one of them is. It may be one
// without that (infinities of both signs); then canonical finds nothing to do. Conversions such as F(x*y) keep the
// compiler from joining the multiplication with that sum into one fused operation.
func fadd[F float](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[F](dp, lo), eight[F](ap, lo), eight[F](bp, lo)
		r0, r1, r2, r3 := F(x[0]+y[0]), F(x[1]+y[1]), F(x[2]+y[2]), F(x[3]+y[3])
		r4, r5, r6, r7 := F(x[4]+y[4]), F(x[5]+y[5]), F(x[6]+y[6]), F(x[7]+y[7])
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = r0, r1, r2, r3, r4, r5, r6, r7
		if sum := ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7)); sum != sum {
			canonical(r[:])
		}
	}
	d, a, b := rows2[F](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] + b[i]
	}
	canonical(d)
}

func fsub[F float](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[F](dp, lo), eight[F](ap, lo), eight[F](bp, lo)
		r0, r1, r2, r3 := F(x[0]-y[0]), F(x[1]-y[1]), F(x[2]-y[2]), F(x[3]-y[3])
		r4, r5, r6, r7 := F(x[4]-y[4]), F(x[5]-y[5]), F(x[6]-y[6]), F(x[7]-y[7])
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = r0, r1, r2, r3, r4, r5, r6, r7
		if sum := ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7)); sum != sum {
			canonical(r[:])
		}
	}
	d, a, b := rows2[F](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	canonical(d)
}

func fmul[F float](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[F](dp, lo), eight[F](ap, lo), eight[F](bp, lo)
		r0, r1, r2, r3 := F(x[0]*y[0]), F(x[1]*y[1]), F(x[2]*y[2]), F(x[3]*y[3])
		r4, r5, r6, r7 := F(x[4]*y[4]), F(x[5]*y[5]), F(x[6]*y[6]), F(x[7]*y[7])
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = r0, r1, r2, r3, r4, r5, r6, r7
		if sum := ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7)); sum != sum {
			canonical(r[:])
		}
	}
	d, a, b := rows2[F](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = F(a[i] * b[i])
	}
	canonical(d)
}

func fdiv[F float](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[F](dp, lo), eight[F](ap, lo), eight[F](bp, lo)
		r0, r1, r2, r3 := F(x[0]/y[0]), F(x[1]/y[1]), F(x[2]/y[2]), F(x[3]/y[3])
		r4, r5, r6, r7 := F(x[4]/y[4]), F(x[5]/y[5]), F(x[6]/y[6]), F(x[7]/y[7])
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = r0, r1, r2, r3, r4, r5, r6, r7
		if sum := ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7)); sum != sum {
			canonical(r[:])
		}
	}
	d, a, b := rows2[F](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] / b[i]
	}
	canonical(d)
}

// canonical replaces NaNs by the one that arithmetic gives.
func canonical[F float](d []F) {
	for i, r := range d {
		if r != r {
			d[i] = nan[F]()
		}
	}
}

// nan returns the NaN that arithmetic gives. (math.NaN has a payload, and the host's NaN may be negative.)
func nan[F float]() F {
	if bitSize[F]() == 32 {
		return F(math.Float32frombits(0x7fc00000))
	}
	return F(math.Float64frombits(0x7ff8000000000000))
}

// fneg flips the sign bit, of NaNs too.
func fneg[U unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[U, U](dp, ap, lo, hi)
	sign := U(1) << (bitSize[U]() - 1)
	for i := range d {
		d[i] = a[i] ^ sign
	}
}

// frem makes FRem of a format of U's width.
func frem[U unsigned](f *format) Func {
	return func(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
		d, a, b := rows2[U](dp, ap, bp, lo, hi)
		for i := range d {
			d[i] = U(f.rem(uint64(a[i]), uint64(b[i])))
		}
	}
}

// fmod makes FMod of a format of U's width.
func fmod[U unsigned](f *format) Func {
	return func(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
		d, a, b := rows2[U](dp, ap, bp, lo, hi)
		for i := range d {
			d[i] = U(f.mod(uint64(a[i]), uint64(b[i])))
		}
	}
}
