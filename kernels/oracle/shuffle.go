package oracle

import "fmt"

// Type is a scalar or vector of numerical type as OpSubgroupBitcastShuffleINTEL sees it: Count components of Width bits
// each. A scalar has one component. Whether the bits are a signed, unsigned or floating-point number plays no part.
type Type struct {
	Width int // bits of a component
	Count int // components
}

// Bits is the size of the type in bits.
func (t Type) Bits() int { return t.Width * t.Count }

// BitcastShuffle is OpSubgroupBitcastShuffleINTEL on one full sub-group (SPV_INTEL_subgroup_bitcast_shuffle, revision 1,
// section "Instructions"). operand[lane][component] holds the source data, lanes in order of the sub-group local
// invocation id; the result has the same shape for dst.
func BitcastShuffle(operand [][]uint64, src, dst Type) ([][]uint64, error) {
	if src.Bits() != dst.Bits() {
		return nil, fmt.Errorf("the types differ in size: %d and %d bits", src.Bits(), dst.Bits())
	}
	for lane, components := range operand {
		if len(components) != src.Count {
			return nil, fmt.Errorf("lane %d has %d components, the type has %d", lane, len(components), src.Count)
		}
	}
	// With as many components on both sides it is a plain bitcast.
	if src.Count == dst.Count {
		return Bitcast(operand, src, dst), nil
	}

	// One string of bits: the first components of all invocations in the order of their ids, then the second components,
	// and so on. The first bit of a number is its lowest: the examples write a 32-bit number as lowbits | highbits and take
	// it apart in that order.
	concatenated := make([]bool, 0, len(operand)*src.Bits())
	for component := 0; component < src.Count; component++ {
		for lane := range operand {
			concatenated = appendBits(concatenated, operand[lane][component], src.Width)
		}
	}

	// Cut up in the same order: pieces as wide as a component of the result become the first components of all invocations,
	// the next pieces the second components, until nothing is left.
	result := make([][]uint64, len(operand))
	for component := 0; component < dst.Count; component++ {
		for lane := range operand {
			var value uint64
			value, concatenated = takeBits(concatenated, dst.Width)
			result[lane] = append(result[lane], value)
		}
	}
	return result, nil
}

// Bitcast is OpBitcast in each lane for itself: the components of the operand are concatenated, the first one lowest, and
// cut up into the components of the result (SPIR-V 1.6, section 3.3.11, OpBitcast).
func Bitcast(operand [][]uint64, src, dst Type) [][]uint64 {
	result := make([][]uint64, len(operand))
	for lane, components := range operand {
		concatenated := make([]bool, 0, src.Bits())
		for _, c := range components {
			concatenated = appendBits(concatenated, c, src.Width)
		}
		for len(concatenated) > 0 {
			var value uint64
			value, concatenated = takeBits(concatenated, dst.Width)
			result[lane] = append(result[lane], value)
		}
	}
	return result
}

// appendBits appends the low width bits of value, the lowest first.
func appendBits(bits []bool, value uint64, width int) []bool {
	for i := 0; i < width; i++ {
		bits = append(bits, value>>i&1 == 1)
	}
	return bits
}

// takeBits makes a number of the first width bits, the first one lowest, and returns the bits that are left.
func takeBits(bits []bool, width int) (value uint64, rest []bool) {
	for i := 0; i < width; i++ {
		if bits[i] {
			value |= 1 << i
		}
	}
	return value, bits[width:]
}

// SupportedPairs are the rows of the table "Supported Types" of SPV_INTEL_subgroup_bitcast_shuffle, revision 1, in the
// order of the specification: the first type and the second type. Each row allows both directions.
func SupportedPairs() [][2]Type {
	return [][2]Type{
		// 16 bits
		{{8, 2}, {16, 1}},
		// 32 bits
		{{8, 4}, {16, 2}},
		{{8, 4}, {32, 1}},
		{{16, 2}, {32, 1}},
		// 64 bits
		{{8, 8}, {16, 4}},
		{{8, 8}, {32, 2}},
		{{8, 8}, {64, 1}},
		{{16, 4}, {32, 2}},
		{{16, 4}, {64, 1}},
		{{32, 2}, {64, 1}},
		// 128 bits
		{{8, 16}, {16, 8}},
		{{8, 16}, {32, 4}},
		{{8, 16}, {64, 2}},
		{{16, 8}, {32, 4}},
		{{16, 8}, {64, 2}},
		{{32, 4}, {64, 2}},
		// 256 bits
		{{16, 16}, {32, 8}},
		{{16, 16}, {64, 4}},
		{{32, 8}, {64, 4}},
		// 512 bits
		{{32, 16}, {64, 8}},
	}
}
