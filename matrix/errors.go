package matrix

import (
	"errors"
	"fmt"
)

// ErrOverlap is returned by the packing functions when destination and source share memory: the elements would be
// overwritten before they are read.
var ErrOverlap = errors.New("matrix: destination and source overlap; give the result a buffer of its own")

// LayoutError says which number of a [Layout] (or of [CheckOptions]) cannot be.
type LayoutError struct {
	Field  string // the name of the field, such as "LD"
	Value  int    // what it was
	Reason string // what is wrong and what would be right
}

// Error returns one sentence with the field, its value and what it should be.
func (e *LayoutError) Error() string {
	return fmt.Sprintf("matrix: %s is %d: %s", e.Field, e.Value, e.Reason)
}

// SizeError says that a buffer is too short for its layout.
type SizeError struct {
	Buffer string // "source" or "packed"
	Need   int    // least length, in Unit
	Have   int    // length given, in Unit
	Unit   string // "bytes", or "elements" or "words" for slices of those
	Layout Layout
}

// Error returns one sentence with both lengths and the layout that asks for them.
func (e *SizeError) Error() string {
	return fmt.Sprintf("matrix: the %s buffer has %d %s but %s takes %d; check K, N and the leading dimensions",
		e.Buffer, e.Have, e.Unit, e.Layout, e.Need)
}

// IndistinctError is returned by [FillDistinct] when it found no matrix on which the packing differs from the wrong
// packing named.
type IndistinctError struct {
	Kind   Kind
	Layout Layout
}

// Error names the wrong packing and the layout.
func (e *IndistinctError) Error() string {
	return fmt.Sprintf("matrix: found no elements for %s that tell the packing from a wrong one (%s); try a larger matrix",
		e.Layout, e.Kind)
}
