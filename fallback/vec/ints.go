package vec

import (
	"math/bits"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// intFunc returns the primitive of an operation on integers, or nil. U and S are the unsigned and the signed type of the
// kind's width.
func intFunc[U unsigned, S signed](op lane.Op) Func {
	switch op {
	case lane.Add:
		return add[U]
	case lane.Sub:
		return sub[U]
	case lane.Mul:
		return mul[U]
	case lane.UDiv:
		return div[U]
	case lane.SDiv:
		return div[S]
	case lane.URem:
		return rem[U]
	case lane.SRem:
		return rem[S]
	case lane.SMod:
		return smod[S]
	case lane.UMin:
		return minInt[U]
	case lane.UMax:
		return maxInt[U]
	case lane.SMin:
		return minInt[S]
	case lane.SMax:
		return maxInt[S]
	case lane.Neg:
		return neg[U]
	case lane.AddCarry:
		return addCarry[U]
	case lane.SubBorrow:
		return subBorrow[U]
	case lane.UMulHi:
		return umulHi[U]
	case lane.SMulHi:
		return smulHi[S]
	case lane.Not:
		return not[U]
	case lane.And:
		return and[U]
	case lane.Or:
		return or[U]
	case lane.Xor:
		return xor[U]
	case lane.Shl:
		return shl[U]
	case lane.LShr:
		return lshr[U]
	case lane.AShr:
		return ashr[U, S]
	case lane.BitReverse:
		return bitReverse[U]
	case lane.BitCount:
		return bitCount[U]
	case lane.BitFieldInsert:
		return fieldInsert[U]
	case lane.BitFieldSExtract:
		return fieldSExtract[U, S]
	case lane.BitFieldUExtract:
		return fieldUExtract[U]
	}
	return intTest[U](op)
}

// The commonest operations take eight lanes a turn, a third faster than one.

func add[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[T](dp, lo), eight[T](ap, lo), eight[T](bp, lo)
		r[0], r[1], r[2], r[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		r[4], r[5], r[6], r[7] = x[4]+y[4], x[5]+y[5], x[6]+y[6], x[7]+y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[T](dp, lo), eight[T](ap, lo), eight[T](bp, lo)
		r[0], r[1], r[2], r[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		r[4], r[5], r[6], r[7] = x[4]-y[4], x[5]-y[5], x[6]-y[6], x[7]-y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mul[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	for ; lo+8 <= hi; lo += 8 {
		r, x, y := eight[T](dp, lo), eight[T](ap, lo), eight[T](bp, lo)
		r[0], r[1], r[2], r[3] = x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
		r[4], r[5], r[6], r[7] = x[4]*y[4], x[5]*y[5], x[6]*y[6], x[7]*y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

// div is UDiv or SDiv. Go defines the most negative number divided by -1 as lane does.
func div[T integer](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		q := ^T(0)
		if b[i] != 0 {
			q = a[i] / b[i]
		}
		d[i] = q
	}
}

// rem is URem or SRem.
func rem[T integer](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		r := a[i]
		if b[i] != 0 {
			r %= b[i]
		}
		d[i] = r
	}
}

func smod[T signed](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		r := a[i]
		if b[i] != 0 {
			r %= b[i]
			if r != 0 && r^b[i] < 0 {
				r += b[i]
			}
		}
		d[i] = r
	}
}

func neg[T unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[T, T](dp, ap, lo, hi)
	for i := range d {
		d[i] = -a[i]
	}
}

func addCarry[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = T(bit(a[i]+b[i] < a[i]))
	}
}

func subBorrow[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = T(bit(a[i] < b[i]))
	}
}

func umulHi[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	n := bitSize[T]()
	if n == 64 {
		for i := range d {
			h, _ := bits.Mul64(uint64(a[i]), uint64(b[i]))
			d[i] = T(h)
		}
		return
	}
	for i := range d {
		d[i] = T(uint64(a[i]) * uint64(b[i]) >> n)
	}
}

func smulHi[T signed](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	n := bitSize[T]()
	if n == 64 {
		for i := range d {
			// A negative operand is 2^64 too large when taken as unsigned; take the other operand, 2^64 times, back off.
			h, _ := bits.Mul64(uint64(a[i]), uint64(b[i]))
			d[i] = T(int64(h)) - a[i]>>(n-1)&b[i] - b[i]>>(n-1)&a[i]
		}
		return
	}
	for i := range d {
		d[i] = T(int64(a[i]) * int64(b[i]) >> n)
	}
}
