package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Annotation instructions (SPIR-V 1.6, sections 3.2.19 and 3.3.3).
var annotationRules = map[spirv.Op]rule{
	spirv.OpDecorate: decorate, spirv.OpDecorateId: decorate, spirv.OpDecorateString: decorate, spirv.OpMemberDecorate: memberDecorate,
	spirv.OpMemberDecorateString: memberDecorate, spirv.OpDecorationGroup: nothing, spirv.OpGroupDecorate: groupDecorate, spirv.OpGroupMemberDecorate: groupMemberDecorate,
}

// target says what a decoration may be applied to.
type target uint8

const (
	onAnything target = iota
	onMember          // members of structures only
	onSpecConstant
	onStruct
	onArrayOrPointer
	onVariable
	onMemoryObject // variables and parameters that are pointers
	onBuiltIn
	onFunctionOrVariable
	onParameter
)

var targetText = [...]string{"anything", "a member of a structure", "a scalar specialization constant", "a structure type", "an array or pointer type", "a variable",
	"a variable or parameter that is a pointer", "a variable or, for WorkgroupSize, a constant", "a function or variable", "a function parameter"}

var decorationTargets = map[spirv.Decoration]target{
	spirv.DecorationRowMajor: onMember, spirv.DecorationColMajor: onMember, spirv.DecorationMatrixStride: onMember,
	spirv.DecorationSpecId: onSpecConstant,
	spirv.DecorationBlock:  onStruct, spirv.DecorationBufferBlock: onStruct, spirv.DecorationGLSLShared: onStruct, spirv.DecorationGLSLPacked: onStruct, spirv.DecorationCPacked: onStruct,
	spirv.DecorationArrayStride: onArrayOrPointer, spirv.DecorationBuiltIn: onBuiltIn,
	spirv.DecorationNoPerspective: onMemoryObject, spirv.DecorationFlat: onMemoryObject, spirv.DecorationPatch: onMemoryObject, spirv.DecorationCentroid: onMemoryObject,
	spirv.DecorationSample: onMemoryObject, spirv.DecorationRestrict: onMemoryObject, spirv.DecorationAliased: onMemoryObject, spirv.DecorationVolatile: onMemoryObject,
	spirv.DecorationCoherent: onMemoryObject, spirv.DecorationNonWritable: onMemoryObject, spirv.DecorationNonReadable: onMemoryObject, spirv.DecorationXfbBuffer: onMemoryObject,
	spirv.DecorationXfbStride: onMemoryObject, spirv.DecorationComponent: onMemoryObject, spirv.DecorationStream: onMemoryObject, spirv.DecorationRestrictPointer: onMemoryObject,
	spirv.DecorationAliasedPointer: onMemoryObject,
	spirv.DecorationInvariant:      onVariable, spirv.DecorationConstant: onVariable, spirv.DecorationLocation: onVariable, spirv.DecorationIndex: onVariable, spirv.DecorationBinding: onVariable,
	spirv.DecorationDescriptorSet: onVariable, spirv.DecorationInputAttachmentIndex: onVariable,
	spirv.DecorationLinkageAttributes: onFunctionOrVariable, spirv.DecorationFuncParamAttr: onParameter,
}

// notOnMembers are decorations of which a member of a structure has none.
var notOnMembers = map[spirv.Decoration]bool{
	spirv.DecorationSpecId: true, spirv.DecorationBlock: true, spirv.DecorationBufferBlock: true, spirv.DecorationArrayStride: true, spirv.DecorationGLSLShared: true,
	spirv.DecorationGLSLPacked: true, spirv.DecorationCPacked: true, spirv.DecorationAliased: true, spirv.DecorationConstant: true, spirv.DecorationUniform: true,
	spirv.DecorationUniformId: true, spirv.DecorationSaturatedConversion: true, spirv.DecorationIndex: true, spirv.DecorationBinding: true, spirv.DecorationDescriptorSet: true,
	spirv.DecorationFuncParamAttr: true, spirv.DecorationFPRoundingMode: true, spirv.DecorationFPFastMathMode: true, spirv.DecorationLinkageAttributes: true,
	spirv.DecorationNoContraction: true, spirv.DecorationInputAttachmentIndex: true, spirv.DecorationAlignment: true, spirv.DecorationMaxByteOffset: true,
	spirv.DecorationAlignmentId: true, spirv.DecorationMaxByteOffsetId: true, spirv.DecorationNoSignedWrap: true, spirv.DecorationNoUnsignedWrap: true,
	spirv.DecorationNonUniform: true, spirv.DecorationRestrictPointer: true, spirv.DecorationAliasedPointer: true, spirv.DecorationCounterBuffer: true,
}

// repeatable are decorations a target may have more than once.
func repeatable(k spirv.Decoration) bool {
	switch k {
	case spirv.DecorationFuncParamAttr, spirv.DecorationUserSemantic, spirv.DecorationUserTypeGOOGLE, spirv.DecorationCacheControlLoadINTEL, spirv.DecorationCacheControlStoreINTEL,
		spirv.DecorationLinkageAttributes, spirv.DecorationAliasScopeINTEL, spirv.DecorationNoAliasINTEL, spirv.DecorationMaxByteOffset, spirv.DecorationConditionalINTEL:
		return true
	case spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap:
		// Not so by the specification, but LLVM's translator up to version 15 writes them twice, and twice means no more than once.
		return true
	}
	return k >= 5000 // decorations of extensions: what they allow is not known here
}

func decorate(c *checker, in *inst) {
	id, kind := spirv.ID(in.Words[0]), spirv.Decoration(in.Words[1])
	def := c.byID[id]
	ids, literals := false, false
	for _, o := range in.ops[2:] {
		ids = ids || o.IsID()
		literals = literals || !o.IsID()
	}
	switch {
	case in.Op == spirv.OpDecorate && ids:
		c.bad(in, "%v has ids as operands and belongs into OpDecorateId", kind)
		return
	case in.Op == spirv.OpDecorateId && !ids:
		c.bad(in, "%v has no ids as operands and belongs into OpDecorate", kind)
		return
	case in.Op == spirv.OpDecorateId && def.Op == spirv.OpDecorationGroup:
		c.bad(in, "OpDecorateId cannot name a decoration group")
		return
	case def.Op == spirv.OpDecorationGroup:
		return
	}
	for _, o := range in.ops[2:] {
		if o.IsID() && in.Op == spirv.OpDecorateId && c.byID[o.ID()].index > def.index {
			c.bad(in, "%s must be defined before the target %s", c.name(o.ID()), c.name(id))
			return
		}
	}
	for _, d := range c.Decorations[id] {
		if d.Inst == in.Instruction {
			break
		}
		if d.Kind == kind && !repeatable(kind) {
			c.bad(in, "%s has the decoration %v twice", c.name(id), kind)
			return
		}
	}
	want := decorationTargets[kind]
	if !c.onTarget(def, want, in) {
		c.bad(in, "the decoration %v belongs on %s, %s is defined by %v", kind, targetText[want], c.name(id), def.Op)
		return
	}
	if !c.pairsApart(in, kind, c.Decorations[id]) {
		return
	}
	c.decorationValue(in, id, kind, def)
	c.decorationUse(in, kind, def)
}

func (c *checker) onTarget(def *inst, want target, in *inst) bool {
	variable := def.Op == spirv.OpVariable || def.Op == spirv.OpUntypedVariableKHR
	constant := c.Constants[def.result] != nil
	switch want {
	case onMember:
		return false
	case onSpecConstant:
		return def.Op == spirv.OpSpecConstant || def.Op == spirv.OpSpecConstantTrue || def.Op == spirv.OpSpecConstantFalse || def.Op == spirv.OpSpecConstantDataKHR
	case onStruct:
		return def.Op == spirv.OpTypeStruct
	case onArrayOrPointer:
		return def.Op == spirv.OpTypeArray || def.Op == spirv.OpTypeRuntimeArray || def.Op == spirv.OpTypePointer || def.Op == spirv.OpTypeUntypedPointerKHR
	case onVariable:
		return variable
	case onMemoryObject:
		return (variable || def.Op == spirv.OpFunctionParameter || def.Op == spirv.OpRawAccessChainNV) && isPointerLike(def.rt)
	case onBuiltIn:
		if spirv.BuiltIn(in.Words[2]) == spirv.BuiltInWorkgroupSize {
			return constant || variable && !c.HasCapability(spirv.CapabilityShader)
		}
		return variable
	case onFunctionOrVariable:
		return variable || def.Op == spirv.OpFunction
	case onParameter:
		return def.Op == spirv.OpFunctionParameter || def.Op == spirv.OpFunction || def.Op == spirv.OpFunctionCall
	}
	return true
}

// decorationValue checks what some decorations say.
func (c *checker) decorationValue(in *inst, id spirv.ID, kind spirv.Decoration, def *inst) {
	switch kind {
	case spirv.DecorationArrayStride:
		if in.Words[2] == 0 && c.HasCapability(spirv.CapabilityShader) {
			c.bad(in, "an array stride must not be 0")
		}
	case spirv.DecorationFPFastMathMode:
		const need = uint32(spirv.FPFastMathModeAllowContract | spirv.FPFastMathModeAllowReassoc)
		if in.Words[2]&uint32(spirv.FPFastMathModeAllowTransform) != 0 && in.Words[2]&need != need {
			c.bad(in, "AllowTransform asks for AllowContract and AllowReassoc")
		}
	case spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap:
		switch def.Op {
		case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpShiftLeftLogical, spirv.OpSNegate, spirv.OpExtInst, spirv.OpIAddCarry, spirv.OpISubBorrow:
		default:
			c.bad(in, "%v belongs on an integer sum, difference, product, shift or negation, not on %v", kind, def.Op)
		}
	case spirv.DecorationFPRoundingMode:
		c.roundingMode(in, def)
	case spirv.DecorationLinkageAttributes:
		if v := c.byID[id]; v.Op == spirv.OpVariable && len(v.Words) > 3 {
			if d, _ := c.Decoration(id, kind); linkage(d) == spirv.LinkageTypeImport {
				c.fail(v, core+"2.16.1", "an imported variable cannot have an initializer")
			}
		}
	}
}

// roundingMode: in a shader it is for a conversion to 16 bits that is only stored.
func (c *checker) roundingMode(in, def *inst) {
	if c.HasCapability(spirv.CapabilityKernel) {
		switch def.Op {
		case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpFConvert, spirv.OpExtInst, spirv.OpSpecConstantOp,
			spirv.OpConvertFToBF16INTEL, spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv:
			return
		}
		if def.g.Class == "Conversion" || def.g.Class == "Arithmetic" || def.g.Class == "@exclude" {
			return
		}
		c.bad(in, "FPRoundingMode belongs on a conversion, not on %v", def.Op)
		return
	}
	switch {
	case def.Op != spirv.OpFConvert:
		c.bad(in, "FPRoundingMode belongs on OpFConvert, not on %v", def.Op)
	case !isFloatSV(def.rt) || bitsOf(def.rt) != 16:
		c.bad(in, "FPRoundingMode belongs on a conversion to 16-bit floating-point numbers, not to %v", def.rt)
	}
}

func memberDecorate(c *checker, in *inst) {
	id, kind := spirv.ID(in.Words[0]), spirv.Decoration(in.Words[2])
	t := c.Types[id]
	switch {
	case !isKind(t, module.Struct):
		c.bad(in, "%v must name a structure, %s is none", in.Op, c.name(id))
		return
	case uint64(in.Words[1]) >= uint64(len(t.Members)):
		c.bad(in, "the structure has %d members, there is none with number %d", len(t.Members), in.Words[1])
		return
	case notOnMembers[kind]:
		c.bad(in, "a member of a structure cannot have the decoration %v", kind)
		return
	}
	if !c.pairsApart(in, kind, c.MemberDecs[id][int(in.Words[1])]) {
		return
	}
	for _, d := range c.MemberDecs[id][int(in.Words[1])] {
		if d.Inst == in.Instruction {
			return
		}
		if d.Kind == kind && !repeatable(kind) {
			c.bad(in, "member %d has the decoration %v twice", in.Words[1], kind)
			return
		}
	}
}

func groupDecorate(c *checker, in *inst) {
	seen := map[spirv.ID]bool{}
	for i := range in.args()[1:] {
		id := in.arg(1 + i)
		if seen[id] {
			c.bad(in, "the decoration group is applied to %s twice", c.name(id))
			return
		}
		seen[id] = true
		if c.byID[id].Op == spirv.OpDecorationGroup {
			c.bad(in, "a decoration group cannot be applied to a decoration group, %s is one", c.name(id))
			return
		}
	}
}

func groupMemberDecorate(c *checker, in *inst) {
	args := in.args()[1:]
	for i := 0; i+1 < len(args); i += 2 {
		t := c.Types[args[i].ID()]
		if !isKind(t, module.Struct) {
			c.bad(in, "%s is no structure", c.name(args[i].ID()))
			return
		}
		if uint64(args[i+1].Words[0]) >= uint64(len(t.Members)) {
			c.bad(in, "%s has %d members, there is none with number %d", c.name(t.ID), len(t.Members), args[i+1].Words[0])
			return
		}
	}
}
