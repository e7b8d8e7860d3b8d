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

// runs appends the set as runs of neighbouring lanes. Primitives loop over runs, so that the usual case, all lanes
// active, costs one call and no test per lane.
func (m mask) runs(dst []run) []run {
	lane := 0
	for lane < MaxLanes {
		w := m[lane>>6] >> (lane & 63)
		if w == 0 {
			lane = lane&^63 + 64
			continue
		}
		lane += bits.TrailingZeros64(w)
		lo := lane
		for lane < MaxLanes {
			// The shifted word is filled with zeros from above, so its complement has a one where the word ends.
			n := min(bits.TrailingZeros64(^(m[lane>>6] >> (lane & 63))), 64-lane&63)
			lane += n
			if lane&63 != 0 || n == 0 {
				break
			}
		}
		dst = append(dst, run{lo, lane})
	}
	return dst
}
