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
			for i := range d {
				d[i] = b[i] ^ (a[i]^b[i])&-T(m&1)
				m >>= 1
			}
		}
		lo = end
	}
}
