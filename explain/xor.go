package explain

import (
	"fmt"
	"math/bits"
)

// ShuffleXor is OpGroupNonUniformShuffleXor, GLSL's subgroupShuffleXor, on one sub-group of which all lanes are active: lane
// l gets the value of lane l XOR mask (SPIR-V 1.6, section Non-Uniform Instructions). Make it with NewShuffleXor.
type ShuffleXor struct {
	mask  uint32
	lanes int
}

// NewShuffleXor returns the shuffle with a mask in a sub-group of 1 to MaxSubGroupSize lanes. The error is an *Error.
func NewShuffleXor(mask uint32, subGroupSize int) (*ShuffleXor, error) {
	if err := checkSize(subGroupSize); err != nil {
		return nil, err
	}
	return &ShuffleXor{mask, subGroupSize}, nil
}

// Source returns the lane whose value a lane gets. ok is false where the sub-group has no such lane: what comes is undefined.
func (x *ShuffleXor) Source(lane int) (source uint32, ok bool) {
	source = uint32(lane) ^ x.mask
	return source, source < uint32(x.lanes)
}

// binary writes a lane or the mask with as many binary digits as the largest of them.
func (x *ShuffleXor) binary(n uint32) string {
	digits := max(1, bits.Len(uint(x.lanes-1)), bits.Len32(x.mask))
	return fmt.Sprintf("%0*b", digits, n)
}

// Explanation returns the whole of it.
func (x *ShuffleXor) Explanation() *Explanation {
	e := &Explanation{
		name:  "shuffle-xor",
		lanes: x.lanes,
		title: fmt.Sprintf("OpGroupNonUniformShuffleXor (subgroupShuffleXor), mask %d (0b%s), sub-group size %d", x.mask, x.binary(x.mask), x.lanes),
		notes: []string{"Lane l gets the value of lane l XOR mask."},
		lines: x.pairs(),
	}
	if x.mask == 0 {
		e.notes = append(e.notes, "With mask 0 every lane gets its own value.")
	}
	if u := x.undefined(); u > 0 {
		e.notes = append(e.notes, fmt.Sprintf("The sub-group lacks the lanes that %d of its lanes read: what they get is undefined.", u))
	}
	lane, binary, from := row{head: "Lane:"}, row{head: "In binary:"}, row{head: "Gets the value of lane:"}
	for l := range x.lanes {
		lane.cells = append(lane.cells, laneCell(l))
		binary.cells = append(binary.cells, []span{{x.binary(uint32(l)), l}})
		source, ok := x.Source(l)
		if ok {
			from.cells = append(from.cells, laneCell(int(source)))
		} else {
			from.cells = append(from.cells, []span{mark(fmt.Sprintf("%d, undefined", source))})
		}
	}
	e.table = []row{lane, binary, from}
	e.picture = x.draw(e)
	return e
}

// undefined counts the lanes that get an undefined value.
func (x *ShuffleXor) undefined() int {
	n := 0
	for l := range x.lanes {
		if _, ok := x.Source(l); !ok {
			n++
		}
	}
	return n
}

// pairs writes the pairs of lanes that exchange their values, then the lanes that have no partner.
func (x *ShuffleXor) pairs() [][]span {
	var pairs, alone [][]span
	name := func(l uint32) string { return fmt.Sprintf("Lane %d (%s)", l, x.binary(l)) }
	for l := range x.lanes {
		this := span{name(uint32(l)), l}
		source, ok := x.Source(l)
		switch {
		case !ok:
			alone = append(alone, []span{this, mark(fmt.Sprintf(" ← %s, which is not there: undefined", name(source)))})
		case int(source) == l:
			pairs = append(pairs, []span{this, mark(" ↔ itself")})
		case int(source) > l:
			pairs = append(pairs, []span{this, mark(" ↔ "), {name(source), int(source)}})
		}
	}
	return append(pairs, alone...)
}
