package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Type is a scalar or vector of numerical type. Only ParseType and Types make types that can be explained.
type Type struct {
	Scalar string // "u8", "f32", … : one of the names that ParseType takes
	Bits   int    // bits of a component
	Count  int    // components: 1 for a scalar
}

// String spells the type as ParseType reads it: "u32", "v2u16".
func (t Type) String() string {
	if t.Count == 1 {
		return t.Scalar
	}
	return fmt.Sprintf("v%d%s", t.Count, t.Scalar)
}

// Total is the size of the type in bits.
func (t Type) Total() int { return t.Bits * t.Count }

// integer reports whether the components are integers.
func (t Type) integer() bool { return t.Scalar[0] == 'u' || t.Scalar[0] == 'i' }

// scalarTypes are the numerical types of at most 64 bits that SPIR-V knows.
func scalarTypes() []Type {
	return []Type{
		{"u8", 8, 1}, {"i8", 8, 1}, {"e4m3", 8, 1}, {"e5m2", 8, 1},
		{"u16", 16, 1}, {"i16", 16, 1}, {"f16", 16, 1}, {"bf16", 16, 1},
		{"u32", 32, 1}, {"i32", 32, 1}, {"f32", 32, 1},
		{"u64", 64, 1}, {"i64", 64, 1}, {"f64", 64, 1},
	}
}

// counts are the numbers of components there are (SPIR-V 1.6, section 2.16.1: 8 and 16 with capability Vector16).
func counts() []int { return []int{1, 2, 3, 4, 8, 16} }

// ParseType reads the name of a type: u8 i8 e4m3 e5m2, u16 i16 f16 bf16, u32 i32 f32, u64 i64 f64, or a vector of 2, 3, 4,
// 8 or 16 of them such as v4u8. The error is an *Error.
func ParseType(text string) (Type, error) {
	for _, t := range scalarTypes() {
		head, ok := strings.CutSuffix(text, t.Scalar)
		if !ok {
			continue
		}
		if head == "" {
			return t, nil
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(head, "v")); err == nil && n > 1 && head == fmt.Sprintf("v%d", n) && slices.Contains(counts(), n) {
			t.Count = n
			return t, nil
		}
	}
	return Type{}, &Error{Message: fmt.Sprintf("%q is no type of a sub-group's data", text), Allowed: allowedPairs()}
}

// Supported is the table Supported Types of SPV_INTEL_subgroup_bitcast_shuffle, revision 1, for unsigned types: the
// instruction goes from each type of a list to each other of the same list. Those are the 20 rows of the table, in both
// directions.
func Supported() [][]Type {
	vectors := func(types ...Type) []Type { return types }
	return [][]Type{
		vectors(Type{"u16", 16, 1}, Type{"u8", 8, 2}),
		vectors(Type{"u32", 32, 1}, Type{"u16", 16, 2}, Type{"u8", 8, 4}),
		vectors(Type{"u64", 64, 1}, Type{"u32", 32, 2}, Type{"u16", 16, 4}, Type{"u8", 8, 8}),
		vectors(Type{"u64", 64, 2}, Type{"u32", 32, 4}, Type{"u16", 16, 8}, Type{"u8", 8, 16}),
		vectors(Type{"u64", 64, 4}, Type{"u32", 32, 8}, Type{"u16", 16, 16}),
		vectors(Type{"u64", 64, 8}, Type{"u32", 32, 16}),
	}
}

// Targets returns the types that the bitcast shuffle goes to from a type: those of the table Supported Types, with
// unsigned components, then those of as many components and bits, for which it is a plain bitcast.
func Targets(from Type) []Type {
	var to []Type
	if from.integer() {
		for _, group := range Supported() {
			if shape(group, from) {
				for _, t := range group {
					if t.Count != from.Count {
						to = append(to, t)
					}
				}
			}
		}
	}
	for _, t := range scalarTypes() {
		t.Count = from.Count
		if t.Bits == from.Bits && t != from {
			to = append(to, t)
		}
	}
	return to
}

// shape reports whether a list has a type of the same bits and components, whatever the kind of its scalars.
func shape(list []Type, t Type) bool {
	return slices.ContainsFunc(list, func(l Type) bool { return l.Bits == t.Bits && l.Count == t.Count })
}

// checkPair returns an *Error unless the bitcast shuffle goes from one type to the other.
func checkPair(from, to Type) error {
	reason := ""
	switch {
	case from == to:
		reason = "operand and result must have different types"
	case from.Total() != to.Total():
		reason = fmt.Sprintf("%v has %d bits, %v has %d", from, from.Total(), to, to.Total())
	case from.Count == to.Count:
		return nil // a plain bitcast
	case !from.integer() || !to.integer():
		reason = "types with different numbers of components must be integers"
	case !slices.ContainsFunc(Supported(), func(group []Type) bool { return shape(group, from) && shape(group, to) }):
		reason = "the table Supported Types does not have this pair"
	default:
		return nil
	}
	return &Error{Parameter: "to", Message: fmt.Sprintf("the bitcast shuffle does not go from %v to %v: %s", from, to, reason),
		Allowed: allowedFrom(from)}
}

// allowedFrom says where the bitcast shuffle goes from a type, and all the pairs where that is to few places.
func allowedFrom(from Type) []string {
	lines := []string{fmt.Sprintf("from %v to %s", from, join(Targets(from), ", "))}
	for _, t := range Targets(from) {
		if t.Count != from.Count {
			return lines
		}
	}
	return append(lines, allowedPairs()...)
}

// allowedPairs says what all the pairs of the bitcast shuffle are.
func allowedPairs() []string {
	lines := []string{"from one type to another of the same line (i in place of u: signed):"}
	for _, group := range Supported() {
		lines = append(lines, "  "+join(group, " "))
	}
	return append(lines, "between types of as many components and bits: scalars or vectors of 2, 3, 4, 8 or 16 of",
		"  u8 i8 e4m3 e5m2, u16 i16 f16 bf16, u32 i32 f32, u64 i64 f64")
}

func join(types []Type, by string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, by)
}
