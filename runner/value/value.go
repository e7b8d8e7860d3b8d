package value

import (
	"fmt"
	"iter"
	"strings"
)

// Kind says what a Value is.
type Kind uint8

// Kinds of value.
const (
	Numbers Kind = iota // numbers without a type: they take the type of what they are given to
	Typed               // an array with its type
	Local               // local[BYTES]: work-group memory
	Struct              // {field=value,...}
	Ref                 // &NAME: another argument's buffer or a named buffer
	Null                // null: a pointer to nothing
)

// Value is one parsed VALUE.
type Value struct {
	Kind Kind
	Text string // as written

	Array *Array // Typed
	// Filled is false where only type and count were given: zeros for run, an output that must be written for verify.
	Filled bool
	Fill   string // Typed: the part after the colon

	Bytes uint64 // Local

	Fields []Field // Struct, in order

	Ref    string // Ref: the name after &
	Offset uint64 // Ref: bytes from the start of the buffer

	items iter.Seq[Item] // Numbers
}

// Field is one field of a structure value; Name is a member's name or index.
type Field struct {
	Name  string
	Value *Value
}

// Describe says in a few words what the value is, for messages: "the number 7", "an array u32[64]".
func (v *Value) Describe() string {
	switch v.Kind {
	case Numbers:
		if n := v.Count(); n != 1 {
			return fmt.Sprintf("a list of %d numbers", n)
		}
		return "the number " + strings.TrimSpace(v.Text)
	case Typed:
		return fmt.Sprintf("an array %v[%d] of %s", v.Array.Type, v.Array.Count, bytesText(uint64(len(v.Array.Data))))
	case Local:
		return fmt.Sprintf("local memory of %s", bytesText(v.Bytes))
	case Struct:
		return fmt.Sprintf("a structure of %d fields", len(v.Fields))
	case Ref:
		return "the buffer " + v.Ref
	}
	return "null"
}

// Count returns how many numbers a value of kind Numbers holds.
func (v *Value) Count() int {
	n := 0
	for it := range v.items {
		n += len(it.Numbers)
	}
	return n
}

// NumbersAs reads the numbers of a value of kind Numbers as elements of type t. A count below 0 is taken from the numbers;
// otherwise they must be that many, or one element that is repeated. The error is an *Error or a *BudgetError.
func (v *Value) NumbersAs(t Type, count int, budget *Budget) (*Array, error) {
	a, err := FromItems(t, count, v.items, budget)
	if e, ok := err.(*ItemError); ok {
		return nil, &Error{Text: v.Text, Offset: max(0, e.Item.At), Message: e.Message, Try: e.Try}
	}
	return a, err
}
