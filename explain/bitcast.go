package explain

import "fmt"

// BitcastShuffle is OpSubgroupBitcastShuffleINTEL on one full sub-group (SPV_INTEL_subgroup_bitcast_shuffle, revision 1,
// section Instructions). Make it with NewBitcastShuffle.
//
// No step of the instruction takes apart what is as wide as the narrower of the two component types: such a run of bits is
// a piece. Operand and result are the same pieces, dealt to the lanes in different ways.
type BitcastShuffle struct {
	from, to Type
	lanes    int
}

// Piece is a place in the value that a lane holds: Part counts the pieces of the component, the lowest bits first.
type Piece struct {
	Lane, Component, Part int
}

// NewBitcastShuffle returns the bitcast shuffle between two types in a sub-group of 1 to MaxSubGroupSize lanes. The types
// are a pair of the table Supported Types, in either direction and with signed or unsigned integers, or two different types
// of as many components and bits. The error is an *Error.
func NewBitcastShuffle(from, to Type, subGroupSize int) (*BitcastShuffle, error) {
	if err := checkPair(from, to); err != nil {
		return nil, err
	}
	if err := checkSize(subGroupSize); err != nil {
		return nil, err
	}
	return &BitcastShuffle{from, to, subGroupSize}, nil
}

// PieceBits is the width of a piece in bits.
func (b *BitcastShuffle) PieceBits() int { return min(b.from.Bits, b.to.Bits) }

// parts is how many pieces a component of a type has.
func (b *BitcastShuffle) parts(t Type) int { return t.Bits / b.PieceBits() }

// perLane is how many pieces a lane holds.
func (b *BitcastShuffle) perLane() int { return b.from.Total() / b.PieceBits() }

// Source returns the piece of the operand that the result has at a place.
func (b *BitcastShuffle) Source(at Piece) Piece {
	if b.plain() {
		return at
	}
	return b.pieceAt(b.from, b.position(b.to, at))
}

// plain reports whether the types have as many components: then it is OpBitcast, and every bit stays in its lane.
func (b *BitcastShuffle) plain() bool { return b.from.Count == b.to.Count }

// position returns which piece of the concatenation, counted from its lowest bits, is at a place of data of a type: the
// first components of all lanes come first, lane by lane, then the second components, and so on.
func (b *BitcastShuffle) position(t Type, at Piece) int {
	return (at.Component*b.lanes+at.Lane)*b.parts(t) + at.Part
}

// pieceAt is the inverse of position.
func (b *BitcastShuffle) pieceAt(t Type, position int) Piece {
	parts := b.parts(t)
	return Piece{
		Component: position / parts / b.lanes,
		Lane:      position / parts % b.lanes,
		Part:      position % parts,
	}
}

// Number returns the number of a piece of the operand. Numbers count lane by lane, in a lane component by component, in a
// component from the lowest bits: the numbers that the specification's examples use for data.
func (b *BitcastShuffle) Number(p Piece) int {
	return p.Lane*b.perLane() + p.Component*b.parts(b.from) + p.Part
}

// Operand returns what a lane holds before the instruction, in the notation of the specification: numbers of pieces joined
// by | are a component, the lowest bits first; components in <…> are a vector.
func (b *BitcastShuffle) Operand(lane int) string { return plainText(b.value(b.from, lane, same)) }

// Result returns what a lane holds after the instruction, in the notation of Operand.
func (b *BitcastShuffle) Result(lane int) string { return plainText(b.value(b.to, lane, b.Source)) }

func same(p Piece) Piece { return p }

// value writes what a lane holds: source tells which piece of the operand is at a place.
func (b *BitcastShuffle) value(t Type, lane int, source func(Piece) Piece) []span {
	var s []span
	for c := range t.Count {
		switch {
		case c > 0:
			s = append(s, mark(","))
		case t.Count > 1:
			s = append(s, mark("<"))
		}
		for part := range b.parts(t) {
			if part > 0 {
				s = append(s, mark("|"))
			}
			p := source(Piece{lane, c, part})
			s = append(s, span{fmt.Sprint(b.Number(p)), p.Lane})
		}
	}
	if t.Count > 1 {
		s = append(s, mark(">"))
	}
	return s
}

// Explanation returns the whole of it.
func (b *BitcastShuffle) Explanation() *Explanation {
	e := &Explanation{
		name:  "bitcast-shuffle",
		lanes: b.lanes,
		title: fmt.Sprintf("OpSubgroupBitcastShuffleINTEL, %v to %v, sub-group size %d", b.from, b.to, b.lanes),
	}
	e.notes, e.notation = b.notes()
	invocation, operand, result := row{head: "Invocation:"}, row{head: "Operand:"}, row{head: "Result:"}
	for lane := range b.lanes {
		invocation.cells = append(invocation.cells, laneCell(lane))
		operand.cells = append(operand.cells, b.value(b.from, lane, same))
		result.cells = append(result.cells, b.value(b.to, lane, b.Source))
	}
	e.table = []row{invocation, operand, result}
	e.picture = b.draw(e)
	return e
}

// notes say how to read the table: the numbers in it, and the marks between them.
func (b *BitcastShuffle) notes() (numbers, marks []string) {
	n := b.perLane()
	held := "lane l holds piece l"
	if n > 1 {
		held = fmt.Sprintf("lane l holds %d*l to %d*l+%d", n, n, n-1)
	}
	numbers = append(numbers, fmt.Sprintf("A number stands for %d bits of the operand, counted lane by lane: %s.", b.PieceBits(), held))
	if b.plain() {
		numbers = append(numbers, "Operand and result have as many components: this is OpBitcast, and every bit stays in its lane.")
	}
	if b.parts(b.from) > 1 || b.parts(b.to) > 1 {
		marks = append(marks, "low|high are the parts of one component.")
	}
	if b.from.Count > 1 || b.to.Count > 1 {
		marks = append(marks, "<first,second> are the components of a vector.")
	}
	return numbers, marks
}
