package vec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// copyFunc returns Copy for the kind; floats move as integers of their width, so all bits survive.
func copyFunc(kind lane.Kind) Func {
	switch kind.Bits() {
	case 1:
		return boolCopy
	case 8:
		return copyRow[uint8]
	case 16:
		return copyRow[uint16]
	case 32:
		return copyRow[uint32]
	}
	return copyRow[uint64]
}

// selectFunc returns Select for the kind.
func selectFunc(kind lane.Kind) Func {
	switch kind.Bits() {
	case 1:
		return boolSelect
	case 8:
		return selectRow[uint8]
	case 16:
		return selectRow[uint16]
	case 32:
		return selectRow[uint32]
	}
	return selectRow[uint64]
}

func copyRow[T unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	copy(row[T](dp, lo, hi), row[T](ap, lo, hi))
}

func selectRow[T unsigned](dp, condp, ap, bp, _ unsafe.Pointer, lo, hi int) {
	cond := words(condp, hi)
	for lo < hi {
		end := wordEnd(lo, hi)
		all := lowBits(end - lo)
		m := cond[lo>>6] >> (uint(lo) & 63) & all
		d, a, b := rows2[T](dp, ap, bp, lo, end)
		switch m {
		case all:
			copy(d, a)
		case 0:
			copy(d, b)
		default:
			for ; lo+8 <= end; lo += 8 {
				r, x, y := eight[T](dp, lo), eight[T](ap, lo), eight[T](bp, lo)
				r[0], r[1] = y[0]^(x[0]^y[0])&-T(m&1), y[1]^(x[1]^y[1])&-T(m>>1&1)
				r[2], r[3] = y[2]^(x[2]^y[2])&-T(m>>2&1), y[3]^(x[3]^y[3])&-T(m>>3&1)
				r[4], r[5] = y[4]^(x[4]^y[4])&-T(m>>4&1), y[5]^(x[5]^y[5])&-T(m>>5&1)
				r[6], r[7] = y[6]^(x[6]^y[6])&-T(m>>6&1), y[7]^(x[7]^y[7])&-T(m>>7&1)
				m >>= 8
			}
			d, a, b = rows2[T](dp, ap, bp, lo, end)
			for i := range d {
				d[i] = b[i] ^ (a[i]^b[i])&-T(m&1)
				m >>= 1
			}
		}
		lo = end
	}
}
