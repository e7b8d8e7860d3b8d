package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// checkUses checks what instructions may do with values of restricted types: 8- and 16-bit numbers that a shader may
// only store, and pointers under logical addressing.
func (c *checker) checkUses(in *inst) {
	if in.g.Class == "Debug" || in.g.Class == "Annotation" || in.g.Class == "Mode-Setting" || in.Op == spirv.OpExtInst && c.isNonSemantic(in) {
		return
	}
	logical := c.Addressing == spirv.AddressingModelLogical || c.Addressing == spirv.AddressingModelPhysicalStorageBuffer64
	shader := c.HasCapability(spirv.CapabilityShader)
	if !shader && !logical {
		return
	}
	for _, o := range in.ops {
		if !o.IsID() || o.Kind == grammar.IdResult || o.Kind == grammar.IdResultType {
			continue
		}
		t := c.TypeOf(o.ID())
		switch {
		case t == nil || c.byID[o.ID()].Op == spirv.OpFunction:
		case isPointerLike(t):
			if logical && storageOf(t) != spirv.StorageClassPhysicalStorageBuffer && !c.pointerUse(in, t) {
				return
			}
		case shader && c.storageOnly(t) && !mayStore(in.Op):
			c.fail(in, core+"3.2.30", "%v cannot use %s of type %v: the module declares a capability for its storage only, not for arithmetic", in.Op, c.name(o.ID()), t)
			return
		}
	}
}

// mayStore lists what may be done with numbers that a shader may only store.
func mayStore(op spirv.Op) bool {
	switch op {
	case spirv.OpCopyObject, spirv.OpStore, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert:
		return true
	}
	return false
}

// pointerUse checks an operand that is a pointer under logical addressing (SPIR-V 1.6, section 2.16.1): a list of core
// instructions may have one, some of them variable pointers only. Of instructions of extensions nothing is known here.
func (c *checker) pointerUse(in *inst, t *module.Type) bool {
	switch in.Op {
	case spirv.OpLoad, spirv.OpStore, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpFunctionCall, spirv.OpImageTexelPointer, spirv.OpCopyMemory, spirv.OpCopyMemorySized,
		spirv.OpCopyObject, spirv.OpArrayLength, spirv.OpExtInst, spirv.OpUntypedArrayLengthKHR, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
		spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR:
		return true
	case spirv.OpReturnValue, spirv.OpPtrAccessChain, spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff, spirv.OpSelect, spirv.OpPhi, spirv.OpVariable,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		if c.mayVary(storageOf(t)) || c.HasCapability(spirv.CapabilityUntypedPointersKHR) && in.Op != spirv.OpReturnValue {
			return true
		}
		c.fail(in, core+"2.16.1", "%v of a pointer in %v needs a capability for variable pointers under logical addressing", in.Op, storageOf(t))
		return false
	}
	switch in.g.Class {
	case "Atomic", "Reserved", "@exclude", "Memory", "Tensor":
		return true
	}
	c.fail(in, core+"2.16.1", "%v cannot have a pointer as operand under logical addressing", in.Op)
	return false
}

// checkPlaces checks where phis and variables stand in their blocks (SPIR-V 1.6, section 2.4).
func (c *checker) checkPlaces(f *module.Function) {
	const section = core + "2.4"
	for _, b := range f.Blocks {
		phis, variables := b.Index > 0, b.Index == 0
		for _, i := range b.Insts {
			switch i.Op {
			case spirv.OpPhi:
				if !phis {
					c.fail(c.instOf(i), section, "OpPhi must stand before all other instructions of a block that is not the first")
					return
				}
				variables = false
			case spirv.OpVariable, spirv.OpUntypedVariableKHR:
				if !variables {
					c.fail(c.instOf(i), section, "the variables of a function must stand before all other instructions of its first block")
					return
				}
				phis = false
			case spirv.OpExtInst:
				if !debugInfo(c.ExtInstSets[spirv.ID(i.Words[2])]) {
					phis, variables = false, false
				}
			default:
				phis, variables = false, false
			}
		}
	}
}

// checkMeetings: where an entry point MaximallyReconverges, branches meet at the blocks that structured control flow
// names only (SPV_KHR_maximal_reconvergence).
func (c *checker) checkMeetings(f *module.Function) {
	if !c.maximal(f) {
		return
	}
	named := map[spirv.ID]bool{}
	for _, b := range f.Blocks {
		if b.Merge != nil {
			named[spirv.ID(b.Merge.Words[0])] = true
			if isLoop(b) {
				named[b.ID] = true
				named[spirv.ID(b.Merge.Words[1])] = true
			}
		}
		if isSwitch(b) {
			for _, t := range b.Succs {
				named[t.ID] = true
			}
		}
	}
	for _, b := range f.Blocks {
		if len(b.Preds) > 1 && !named[b.ID] {
			c.fail(c.byID[b.ID], "SPV_KHR_maximal_reconvergence", "block %s has %d predecessors and must be a loop header, merge block, continue target or case", c.name(b.ID), len(b.Preds))
			return
		}
	}
}
