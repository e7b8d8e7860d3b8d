package vec

import (
	"math/bits"
	"unsafe"
)

func shl[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	last := T(bitSize[T]() - 1)
	for i := range d {
		d[i] = a[i] << (b[i] & last)
	}
}

func lshr[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	last := T(bitSize[T]() - 1)
	for i := range d {
		d[i] = a[i] >> (b[i] & last)
	}
}

func ashr[U unsigned, S signed](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[S, S](dp, ap, lo, hi)
	b := row[U](bp, lo, hi)[:len(d)]
	last := U(bitSize[U]() - 1)
	for i := range d {
		d[i] = a[i] >> (b[i] & last)
	}
}

func bitReverse[T unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[T, T](dp, ap, lo, hi)
	up := 64 - bitSize[T]()
	for i := range d {
		d[i] = T(bits.Reverse64(uint64(a[i]) << up))
	}
}

func bitCount[T unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := rows1[T, T](dp, ap, lo, hi)
	for i := range d {
		d[i] = T(bits.OnesCount64(uint64(a[i])))
	}
}

// clampField clamps a bit field to the width of T: the offset to the width, the count to what is left above the offset.
func clampField[T unsigned](offset, count T) (T, T) {
	width := T(bitSize[T]())
	offset = min(offset, width)
	return offset, min(count, width-offset)
}

func fieldInsert[T unsigned](dp, basep, insertp, offsetp, countp unsafe.Pointer, lo, hi int) {
	d, base, insert := rows2[T](dp, basep, insertp, lo, hi)
	offset, count := row[T](offsetp, lo, hi)[:len(d)], row[T](countp, lo, hi)[:len(d)]
	for i := range d {
		off, n := clampField(offset[i], count[i])
		mask := (T(1)<<n - 1) << off
		d[i] = base[i]&^mask | insert[i]<<off&mask
	}
}

func fieldUExtract[T unsigned](dp, basep, offsetp, countp, _ unsafe.Pointer, lo, hi int) {
	d, base, offset := rows2[T](dp, basep, offsetp, lo, hi)
	count := row[T](countp, lo, hi)[:len(d)]
	for i := range d {
		off, n := clampField(offset[i], count[i])
		d[i] = base[i] >> off & (T(1)<<n - 1)
	}
}

func fieldSExtract[U unsigned, S signed](dp, basep, offsetp, countp, _ unsafe.Pointer, lo, hi int) {
	d, base, offset := rows2[U](dp, basep, offsetp, lo, hi)
	count := row[U](countp, lo, hi)[:len(d)]
	width := U(bitSize[U]())
	for i := range d {
		off, n := clampField(offset[i], count[i])
		if n == 0 {
			d[i] = 0
			continue
		}
		d[i] = U(S(base[i]<<(width-off-n)) >> (width - n))
	}
}
