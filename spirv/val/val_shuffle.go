package val

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

const bitcastShuffleText = "SPV_INTEL_subgroup_bitcast_shuffle, revision 1"

// shuffleShape is an integer scalar (count 1) or vector, its signedness left out.
type shuffleShape struct{ count, bits int }

func (s shuffleShape) String() string {
	if s.count == 1 {
		return fmt.Sprintf("u%d", s.bits)
	}
	return fmt.Sprintf("v%du%d", s.count, s.bits)
}

// shufflePairs are the type combinations of the table Supported Types, each of which stands for both directions.
var shufflePairs = [20][2]shuffleShape{
	// 16 bits
	{{2, 8}, {1, 16}},
	// 32 bits
	{{4, 8}, {2, 16}}, {{4, 8}, {1, 32}}, {{2, 16}, {1, 32}},
	// 64 bits
	{{8, 8}, {4, 16}}, {{8, 8}, {2, 32}}, {{8, 8}, {1, 64}}, {{4, 16}, {2, 32}}, {{4, 16}, {1, 64}}, {{2, 32}, {1, 64}},
	// 128 bits
	{{16, 8}, {8, 16}}, {{16, 8}, {4, 32}}, {{16, 8}, {2, 64}}, {{8, 16}, {4, 32}}, {{8, 16}, {2, 64}}, {{4, 32}, {2, 64}},
	// 256 bits
	{{16, 16}, {8, 32}}, {{16, 16}, {4, 64}}, {{8, 32}, {4, 64}},
	// 512 bits
	{{16, 32}, {8, 64}},
}

var shuffleRules = map[spirv.Op]rule{spirv.OpSubgroupBitcastShuffleINTEL: bitcastShuffle}

// bitcastShuffle checks OpSubgroupBitcastShuffleINTEL: two different numerical types, with equal component counts any
// two of equal total bits (a plain bitcast), with different counts the pairs of the table Supported Types in either
// direction, the signedness of the integers ignored.
func bitcastShuffle(c *checker, in *inst) {
	const section = bitcastShuffleText + ", section Instructions"
	t := c.typeOf(in, 0)
	switch {
	case !c.HasExtension("SPV_INTEL_subgroup_bitcast_shuffle"):
		c.fail(in, bitcastShuffleText, "%v needs OpExtension %q", in.Op, "SPV_INTEL_subgroup_bitcast_shuffle")
	case !isNumberSV(in.rt):
		c.fail(in, section, "the result of %v must be a scalar or vector of numerical type, it is %v", in.Op, in.rt)
	case !isNumberSV(t):
		c.fail(in, section, "the operand of %v must be a scalar or vector of numerical type, %s", in.Op, is(t))
	case t == in.rt:
		c.fail(in, section, "the operand of %v must have a different type than the result, both are %v", in.Op, t)
	case bitsOf(t)*components(t) != bitsOf(in.rt)*components(in.rt):
		c.fail(in, section, "operand and result of %v must have as many bits, %v has %d and %v has %d", in.Op,
			t, bitsOf(t)*components(t), in.rt, bitsOf(in.rt)*components(in.rt))
	case components(t) == components(in.rt):
		// A plain bitcast.
	case !isIntSV(t) || !isIntSV(in.rt):
		c.fail(in, bitcastShuffleText+", section Supported Types",
			"%v between %v and %v is not supported: types with different component counts must be integers", in.Op, t, in.rt)
	default:
		c.shufflePair(in, shapeOf(t), shapeOf(in.rt))
	}
}

func shapeOf(t *module.Type) shuffleShape { return shuffleShape{components(t), bitsOf(t)} }

func (c *checker) shufflePair(in *inst, from, to shuffleShape) {
	for _, p := range shufflePairs {
		if p == [2]shuffleShape{from, to} || p == [2]shuffleShape{to, from} {
			return
		}
	}
	c.fail(in, bitcastShuffleText+", section Supported Types", "%v from %v to %v is not one of the supported type combinations", in.Op, from, to)
}
