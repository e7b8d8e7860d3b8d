package vec

import "unsafe"

func minInt[T integer](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func maxInt[T integer](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := rows2[T](dp, ap, bp, lo, hi)
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

// fminmax is FMin, and FMax where flip is all ones. Floats compare as unsigned integers once the bits of negative ones are
// flipped and the sign bit of the others is set; -0 then stands below +0.
func fminmax[U unsigned](f *format, flip U) Func {
	sign := U(1) << (bitSize[U]() - 1)
	inf, nan := U(f.inf()), U(f.nan())
	key := func(x U) U {
		if x&sign != 0 {
			return ^x ^ flip
		}
		return x ^ sign ^ flip
	}
	return func(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
		d, a, b := rows2[U](dp, ap, bp, lo, hi)
		for i := range d {
			x, y := a[i], b[i]
			switch {
			case x&^sign > inf && y&^sign > inf:
				d[i] = nan
			case x&^sign > inf:
				d[i] = y
			case y&^sign > inf:
				d[i] = x
			case key(x) <= key(y):
				d[i] = x
			default:
				d[i] = y
			}
		}
	}
}
