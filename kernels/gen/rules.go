package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// Rules are the meaning of instructions. The zero value is the specification's; tests plant other meanings.
type Rules struct {
	// Shuffle takes the place of oracle.BitcastShuffle.
	Shuffle func(operand [][]uint64, src, dst oracle.Type) [][]uint64
	// ShuffleXor takes the place of oracle.SubGroup.ShuffleXor.
	ShuffleXor func(s oracle.SubGroup, lane int, mask uint64) (source int, defined bool)
	// Instead maps an instruction to the one that is computed in its place: "OpSDiv" to "OpUDiv".
	Instead map[string]string
	// AllLanes lets the instructions on sub-groups take invocations that are not active for active.
	AllLanes bool
	// Scan maps a group operation to the one computed in its place.
	Scan map[oracle.Scan]oracle.Scan
	// Cluster changes the size of clusters.
	Cluster func(size int) int
	// NewValue lets atomic instructions return what they have stored.
	NewValue bool
	// NoBarrier lets barriers stop nobody: the work-items run one after another.
	NoBarrier bool
	// UnpackedB gives the kernels that take a packed matrix B an unpacked one.
	UnpackedB bool
}

// shuffle is OpSubgroupBitcastShuffleINTEL on one sub-group.
func (r *Rules) shuffle(operand [][]uint64, src, dst vec) [][]uint64 {
	if r.Shuffle != nil {
		return r.Shuffle(operand, src.shuffleType(), dst.shuffleType())
	}
	result, err := oracle.BitcastShuffle(operand, src.shuffleType(), dst.shuffleType())
	if err != nil {
		panic(err)
	}
	return result
}

// shuffleXor is where a lane takes its value from.
func (r *Rules) shuffleXor(s oracle.SubGroup, lane int, mask uint64) (source int, defined bool) {
	if r.ShuffleXor != nil {
		return r.ShuffleXor(s, lane, mask)
	}
	return s.ShuffleXor(lane, mask)
}

// instead is the name of the instruction that is computed.
func (r *Rules) instead(name string) string {
	if other, ok := r.Instead[name]; ok {
		return other
	}
	return name
}

// subgroups calls do for each sub-group of the launch with the indexes of its work-items, for launches whose work-groups
// lie along the first dimension and consist of full sub-groups.
func (l *Launch) subgroups(do func(items []int)) {
	if l.SubGroup == 0 || l.Local[0]%l.SubGroup != 0 {
		panic(fmt.Sprintf("sub-groups of %d in work-groups of %v are not full", l.SubGroup, l.Local))
	}
	l.anySubgroups(do)
}

// anySubgroups is subgroups where the last one of a work-group may be partial.
func (l *Launch) anySubgroups(do func(items []int)) {
	if l.SubGroup == 0 || l.Global[0]%l.Local[0] != 0 {
		panic(fmt.Sprintf("work-groups of %v in a launch of %v with sub-groups of %d", l.Local, l.Global, l.SubGroup))
	}
	for group := 0; group < l.Items(); group += l.Local[0] {
		for first := 0; first < l.Local[0]; first += l.SubGroup {
			items := make([]int, min(l.SubGroup, l.Local[0]-first))
			for lane := range items {
				items[lane] = group + first + lane
			}
			do(items)
		}
	}
}

// element reads element i of an argument, number by number.
func (l *Launch) element(name string, t vec, i int) []uint64 {
	x := make([]uint64, t.n)
	for c := range x {
		x[c] = number(l.Args[name], t.elem, i*t.n+c)
	}
	return x
}

// setElement writes element i of an argument.
func (l *Launch) setElement(name string, t vec, i int, x []uint64) {
	if len(x) != t.n {
		panic(fmt.Sprintf("%d components for %v", len(x), t))
	}
	for c := range x {
		putNumber(l.Args[name], t.elem, i*t.n+c, x[c])
	}
}
