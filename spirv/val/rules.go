package val

import (
	"maps"
	"sync"

	"github.com/sgrun/sgrun/spirv"
)

// rules returns the rules of single instructions by opcode.
var rules = sync.OnceValue(func() map[spirv.Op]rule {
	all := map[spirv.Op]rule{}
	for _, part := range []map[spirv.Op]rule{
		modeRules, annotationRules, typeRules, constantRules, functionRules, memoryRules, imageRules, conversionRules, compositeRules, arithRules, bitRules,
		logicalRules, flowRules, atomicRules, barrierRules, groupRules, shuffleRules, nonUniformRules, coopRules, derivativeRules, miscRules, extRules,
	} {
		maps.Copy(all, part)
	}
	return all
})

// HasRules reports whether Check knows rules for the instruction beyond those it applies to all: operands as the grammar
// cuts them, enumerants, version, capabilities and extensions, ids defined and of the right kind, dominance, and the
// layout of the module.
func HasRules(op spirv.Op) bool {
	_, ok := rules()[op]
	return ok
}

// checkModule checks what no single instruction shows.
func (c *checker) checkModule() {
	c.checkUnique()
	c.checkEntries()
	c.checkBlocks()
}

// checkInstructions applies the rules of each instruction.
func (c *checker) checkInstructions() {
	for i := range c.insts {
		if c.full() {
			return
		}
		in := &c.insts[i]
		if c.longVector(in) {
			continue
		}
		if r := c.table[in.Op]; r != nil {
			r(c, in)
		}
		if len(c.found) == 0 {
			c.checkUses(in)
		}
	}
}
