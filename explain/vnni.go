package explain

import (
	"fmt"

	"github.com/sgrun/sgrun/matrix"
)

// The largest matrix that can be explained.
const (
	MaxRows    = 64
	MaxColumns = MaxSubGroupSize
)

// VNNI is the packing of a matrix B for Intel's matrix instructions: see package matrix. Make it with NewVNNI.
type VNNI struct {
	layout matrix.Layout
}

// NewVNNI returns the packing of a matrix of 1 to MaxRows rows and 1 to MaxColumns columns of elements of 4, 8 or 16 bits,
// without gaps. The error is an *Error.
func NewVNNI(bits, rows, columns int) (*VNNI, error) {
	l := matrix.Layout{Bits: bits, K: rows, N: columns}
	if l.Factor() == 0 {
		return nil, &Error{Parameter: "bits", Message: fmt.Sprintf("elements of %d bits are not packed", bits), Allowed: []string{"4, 8 or 16"}}
	}
	if err := checkRange("rows", "a matrix of %d rows cannot be explained", rows, MaxRows); err != nil {
		return nil, err
	}
	if err := checkRange("columns", "a matrix of %d columns cannot be explained", columns, MaxColumns); err != nil {
		return nil, err
	}
	return &VNNI{l}, nil
}

// Element returns the row and column of the element that a word of the packed matrix holds: the word of a column in a packed
// row, and in it part 0 (the lowest bits) to 32/bits-1. ok is false for padding, which is zero.
func (v *VNNI) Element(packedRow, column, part int) (k, n int, ok bool) {
	return v.layout.ElementAt(packedRow*v.layout.N+column, part*v.layout.Bits)
}

// label names the element at a place of the packed matrix.
func (v *VNNI) label(packedRow, column, part int) string {
	if k, n, ok := v.Element(packedRow, column, part); ok {
		return elementName(k, n)
	}
	return "0"
}

func elementName(k, n int) string { return fmt.Sprintf("%d,%d", k, n) }

// Explanation returns the whole of it.
func (v *VNNI) Explanation() *Explanation {
	l := v.layout
	e := &Explanation{
		name:  "vnni",
		lanes: l.N,
		title: fmt.Sprintf("VNNI packing of a matrix B of %d-bit elements, K=%d, N=%d (factor %d)", l.Bits, l.K, l.N, l.Factor()),
		notes: []string{
			fmt.Sprintf("A word of 32 bits takes %d elements of a column, the lowest row in the lowest bits.", l.Factor()),
			"Elements are named row,column. Both matrices lie in memory row by row.",
			"In a sub-group of N lanes, lane n has column n.",
		},
		notation: []string{"low|high are the parts of a word."},
	}
	if l.K%l.Factor() != 0 {
		e.notes = append(e.notes, "Rows below the last are padding: a part written 0 is zero.")
	}
	lane := row{head: "Lane:"}
	for n := range l.N {
		lane.cells = append(lane.cells, laneCell(n))
	}
	e.table = []row{lane}
	for k := range l.K {
		r := row{head: fmt.Sprintf("B row %d:", k), gap: k == 0}
		for n := range l.N {
			r.cells = append(r.cells, []span{{elementName(k, n), n}})
		}
		e.table = append(e.table, r)
	}
	for p := range l.PackedRows() {
		r := row{head: fmt.Sprintf("Packed row %d:", p), gap: p == 0}
		for n := range l.N {
			var word []span
			for part := range l.Factor() {
				if part > 0 {
					word = append(word, mark("|"))
				}
				word = append(word, span{v.label(p, n, part), n})
			}
			r.cells = append(r.cells, word)
		}
		e.table = append(e.table, r)
	}
	e.picture = v.draw(e)
	return e
}
