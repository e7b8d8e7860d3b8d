package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// exclusivePairs are decorations that cannot stand on the same target.
var exclusivePairs = [][2]spirv.Decoration{
	{spirv.DecorationBlock, spirv.DecorationBufferBlock}, {spirv.DecorationRestrict, spirv.DecorationAliased},
	{spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer}, {spirv.DecorationRowMajor, spirv.DecorationColMajor},
	{spirv.DecorationFPFastMathMode, spirv.DecorationNoContraction}, {spirv.DecorationOffset, spirv.DecorationOffsetIdEXT},
}

// pairsApart notes a violation where the decoration stands with one it excludes.
func (c *checker) pairsApart(in *inst, kind spirv.Decoration, all []module.Decoration) bool {
	for _, p := range exclusivePairs {
		for i := range p {
			if p[i] != kind {
				continue
			}
			for _, d := range all {
				if d.Kind == p[1-i] {
					c.bad(in, "%v and %v cannot stand on the same target", p[0], p[1])
					return false
				}
			}
		}
	}
	if (kind == spirv.DecorationCoherent || kind == spirv.DecorationVolatile) && c.MemoryModel == spirv.MemoryModelVulkan {
		c.bad(in, "%v cannot be used with the Vulkan memory model", kind)
		return false
	}
	return true
}

// decorationUse checks decorations that only some objects can have.
func (c *checker) decorationUse(in *inst, kind spirv.Decoration, def *inst) {
	switch kind {
	case spirv.DecorationRelaxedPrecision:
		if c.Types[def.result] != nil {
			c.bad(in, "RelaxedPrecision cannot stand on a type")
		}
	case spirv.DecorationUniform, spirv.DecorationUniformId:
		switch {
		case def.rt == nil || isVoid(def.rt):
			c.bad(in, "%v belongs on a value, %s is none", kind, c.name(def.result))
		case kind == spirv.DecorationUniformId:
			c.scope(in, spirv.ID(in.Words[2]))
		}
	case spirv.DecorationComponent:
		if s := storageOf(def.rt); s != spirv.StorageClassInput && s != spirv.StorageClassOutput {
			c.bad(in, "Component belongs on a variable in Input or Output, not in %v", s)
		}
	case spirv.DecorationNonWritable, spirv.DecorationNonReadable:
		c.accessDecoration(in, kind, def)
	case spirv.DecorationCooperativeMatrixTransposeEXT:
		if def.g.Class == "Conversion" && def.Op != spirv.OpBitcast || def.Op == spirv.OpCooperativeMatrixConvertUseEXT {
			if isKHRMatrix(def.rt) && isKHRMatrix(c.typeOf(def, 0)) {
				return
			}
		}
		c.fail(in, coopMaintenance, "CooperativeMatrixTransposeEXT belongs on a conversion of a cooperative matrix, not on %v", def.Op)
	}
}

// accessDecoration: in a shader NonWritable and NonReadable belong on what a buffer or a storage image is reached by.
func (c *checker) accessDecoration(in *inst, kind spirv.Decoration, def *inst) {
	if !c.HasCapability(spirv.CapabilityShader) || def.Op == spirv.OpRawAccessChainNV || !isPtr(def.rt) {
		return
	}
	t := def.rt.Elem
	for isKind(t, module.Array) || isRuntimeArray(t) {
		t = t.Elem
	}
	_, block := c.Decoration(t.ID, spirv.DecorationBlock)
	_, buffer := c.Decoration(t.ID, spirv.DecorationBufferBlock)
	switch def.rt.Storage {
	case spirv.StorageClassUniform:
		if block || buffer {
			return
		}
	case spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer:
		if block {
			return
		}
	case spirv.StorageClassUniformConstant:
		if isImage(t) && t.Inst.Words[6] == 2 || isOther(t, spirv.OpTypeTensorARM) {
			return
		}
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		if kind == spirv.DecorationNonWritable && c.Binary.Version >= v14 && def.Op == spirv.OpVariable {
			return
		}
	case spirv.StorageClassTileAttachmentQCOM:
		return
	}
	c.bad(in, "%v belongs on a buffer block or a storage image, not on %v", kind, def.rt)
}

// checkInterfaceBlocks checks what the variables of an interface may be together (SPIR-V 1.6, section 2.16.2).
func (c *checker) checkInterfaceBlocks(in *inst, e *module.EntryPoint) bool {
	builtIn := map[spirv.StorageClass]int{}
	shared, blocks, aliased := 0, 0, 0
	for _, id := range e.Interface {
		def := c.byID[id]
		if !isPtr(def.rt) {
			continue
		}
		t, storage := def.rt.Elem, def.rt.Storage
		if isKind(t, module.Struct) && c.builtInMembers(t) > 0 {
			builtIn[storage]++
		}
		if storage != spirv.StorageClassWorkgroup {
			continue
		}
		shared++
		if c.isBlock(t) {
			blocks++
			if _, ok := c.Decoration(id, spirv.DecorationAliased); ok {
				aliased++
			}
		}
	}
	untyped := c.HasCapability(spirv.CapabilityUntypedPointersKHR)
	switch {
	case builtIn[spirv.StorageClassInput] > 1 || builtIn[spirv.StorageClassOutput] > 1:
		c.fail(in, layoutSection, "the interface of %q has more than one variable in the same storage class with built-in members", e.Name)
	case blocks > 0 && blocks != shared && !untyped:
		c.fail(in, layoutSection, "all variables in Workgroup of %q or none must be blocks, %d of %d are", e.Name, blocks, shared)
	case blocks > 1 && aliased != blocks && !untyped:
		c.fail(in, layoutSection, "the blocks in Workgroup of %q must all be Aliased where there is more than one", e.Name)
	default:
		return true
	}
	return false
}
