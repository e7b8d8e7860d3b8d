package exec

import "math/bits"

// MaxLanes is the widest gang, in lanes.
const MaxLanes = 256

// mask is a set of a gang's lanes.
type mask [MaxLanes / 64]uint64

// firstLanes is the set of lanes 0 to n-1.
func firstLanes(n int) (m mask) {
	for i := range m {
		switch {
		case n >= 64*(i+1):
			m[i] = ^uint64(0)
		case n > 64*i:
			m[i] = 1<<(n-64*i) - 1
		}
	}
	return m
}

func (m mask) and(o mask) mask { return mask{m[0] & o[0], m[1] & o[1], m[2] & o[2], m[3] & o[3]} }
func (m mask) or(o mask) mask  { return mask{m[0] | o[0], m[1] | o[1], m[2] | o[2], m[3] | o[3]} }
func (m mask) andNot(o mask) mask {
	return mask{m[0] &^ o[0], m[1] &^ o[1], m[2] &^ o[2], m[3] &^ o[3]}
}
func (m mask) empty() bool       { return m[0]|m[1]|m[2]|m[3] == 0 }
func (m mask) has(lane int) bool { return m[lane>>6]>>(lane&63)&1 != 0 }

func (m mask) count() (n int) {
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

func (m *mask) add(lane int) { m[lane>>6] |= 1 << (lane & 63) }

// first returns the lowest lane of a set that is not empty.
func (m mask) first() int {
	for i, w := range m {
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return MaxLanes
}

// run is the lanes lo to hi-1.
type run struct{ lo, hi int }

// extent returns where a set's lanes lie, lo to hi-1, and whether they are in many runs of neighbours that are so short that a
// call for each costs more than a cheap operation in all lanes from lo to hi-1.
func (m mask) extent() (lo, hi int, scattered bool) {
	lo = m.first()
	n, below := 0, uint64(0) // below: the lane before the word
	for i, w := range m {
		if w != 0 {
			hi = 64*i + bits.Len64(w)
			n += bits.OnesCount64(w &^ (w<<1 | below))
		}
		below = w >> 63
	}
	return lo, hi, n > 2 && hi-lo < 16*n
}

// runs appends the set as runs of neighbouring lanes. Primitives loop over runs, so that the usual case, all lanes
// active, costs one call and no test per lane.
func (m mask) runs(dst []run) []run {
	for i, w := range m {
		for at := 64 * i; w != 0; {
			skip := bits.TrailingZeros64(w)
			w >>= skip
			n := bits.TrailingZeros64(^w) // 64 where all are ones
			lo := at + skip
			at = lo + n
			w = w >> (n - 1) >> 1
			if k := len(dst) - 1; k >= 0 && dst[k].hi == lo {
				dst[k].hi = at // it began in the word before
				continue
			}
			dst = append(dst, run{lo, at})
		}
	}
	return dst
}
