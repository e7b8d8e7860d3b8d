package vec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// boolFunc returns the primitive of an operation on truth values, or nil.
func boolFunc(op lane.Op) Func {
	switch op {
	case lane.LogicalEqual:
		return boolEqual
	case lane.LogicalNotEqual:
		return boolNotEqual
	case lane.LogicalAnd:
		return boolAnd
	case lane.LogicalOr:
		return boolOr
	case lane.LogicalNot:
		return boolNot
	}
	return nil
}

// laneMask returns the bits of word w that belong to the lanes lo to hi-1.
func laneMask(w, lo, hi int) uint64 {
	mask := ^uint64(0)
	if w == lo>>6 {
		mask <<= uint(lo) & 63
	}
	if w == (hi-1)>>6 {
		mask &= lowBits((hi-1)&63 + 1)
	}
	return mask
}

func boolEqual(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := words(dp, hi), words(ap, hi), words(bp, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ ^(a[w] ^ b[w])) & laneMask(w, lo, hi)
	}
}

func boolNotEqual(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := words(dp, hi), words(ap, hi), words(bp, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ (a[w] ^ b[w])) & laneMask(w, lo, hi)
	}
}

func boolAnd(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := words(dp, hi), words(ap, hi), words(bp, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ (a[w] & b[w])) & laneMask(w, lo, hi)
	}
}

func boolOr(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	d, a, b := words(dp, hi), words(ap, hi), words(bp, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ (a[w] | b[w])) & laneMask(w, lo, hi)
	}
}

func boolNot(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := words(dp, hi), words(ap, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ ^a[w]) & laneMask(w, lo, hi)
	}
}

func boolCopy(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	d, a := words(dp, hi), words(ap, hi)
	for w := lo >> 6; w < len(d); w++ {
		d[w] ^= (d[w] ^ a[w]) & laneMask(w, lo, hi)
	}
}

func boolSelect(dp, condp, ap, bp, _ unsafe.Pointer, lo, hi int) {
	d, cond, a, b := words(dp, hi), words(condp, hi), words(ap, hi), words(bp, hi)
	for w := lo >> 6; w < len(d); w++ {
		v := cond[w]&a[w] | b[w]&^cond[w]
		d[w] ^= (d[w] ^ v) & laneMask(w, lo, hi)
	}
}
