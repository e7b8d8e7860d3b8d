package val

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// checkGrammar checks opcodes and enumerants: that they exist, and that the module's version, capabilities and extensions
// allow them. That the operands fit the grammar, module.New has checked.
func (c *checker) checkGrammar() {
	for i := range c.insts {
		in := &c.insts[i]
		if c.full() {
			return
		}
		if in.g == nil {
			c.fail(in, core+"3.3", "opcode %d is unknown", in.Op)
			continue
		}
		if !c.allowInstruction(in) {
			continue
		}
		for _, o := range in.ops {
			if !c.allowOperand(in, o) {
				break
			}
		}
	}
}

// allowInstruction checks version, capabilities and extensions of the opcode.
func (c *checker) allowInstruction(in *inst) bool {
	g := in.g
	version := c.Binary.Version
	if g.LastVersion != 0 && version > g.LastVersion {
		c.fail(in, in.section(), "%v was removed after SPIR-V %s", in.Op, module.VersionString(g.LastVersion))
		return false
	}
	if reserved(in.Op) {
		c.fail(in, in.section(), "%v is reserved for future use", in.Op)
		return false
	}
	if !c.anyCapability(g.Capabilities) && !(c.scansAreFree() && amdScan(in.Op)) {
		c.fail(in, in.section(), "%v needs %s", in.Op, capabilityList(g.Capabilities))
		return false
	}
	// Where a capability enables the instruction it is enough, except where the capability is older than the instruction.
	if len(g.Capabilities) > 0 && in.Op != spirv.OpTerminateInvocation {
		return true
	}
	if c.anyExtension(g.Extensions) || g.Version != 0 && version >= g.Version {
		return true
	}
	c.fail(in, in.section(), "%v needs %s", in.Op, versionOr(g.Version, g.Extensions))
	return false
}

// reserved lists instructions that a capability enables and the specification forbids (SPIR-V 1.6, section 3.3.10).
func reserved(op spirv.Op) bool {
	switch op {
	case spirv.OpImageSparseSampleProjImplicitLod, spirv.OpImageSparseSampleProjExplicitLod, spirv.OpImageSparseSampleProjDrefImplicitLod,
		spirv.OpImageSparseSampleProjDrefExplicitLod:
		return true
	}
	return false
}

// amdScan lists the instructions of SPV_AMD_shader_ballot.
func amdScan(op spirv.Op) bool {
	switch op {
	case spirv.OpGroupIAddNonUniformAMD, spirv.OpGroupFAddNonUniformAMD, spirv.OpGroupFMinNonUniformAMD, spirv.OpGroupUMinNonUniformAMD,
		spirv.OpGroupSMinNonUniformAMD, spirv.OpGroupFMaxNonUniformAMD, spirv.OpGroupUMaxNonUniformAMD, spirv.OpGroupSMaxNonUniformAMD:
		return true
	}
	return false
}

// allowOperand checks an operand that is an enumerant or a mask.
func (c *checker) allowOperand(in *inst, o module.Operand) bool {
	if o.Raw {
		return true
	}
	info := o.Kind.Info()
	switch info.Category {
	case grammar.ValueEnum:
		return c.allowEnumerant(in, info, o.Words[0])
	case grammar.BitEnum:
		for mask := o.Words[0]; mask != 0; mask &= mask - 1 {
			if !c.allowEnumerant(in, info, 1<<bits.TrailingZeros32(mask)) {
				return false
			}
		}
	case grammar.Literal:
		if o.Kind == grammar.LiteralSpecConstantOpInteger {
			return c.allowSpecConstantOp(in, spirv.Op(o.Words[0]))
		}
	}
	return true
}

func (c *checker) allowEnumerant(in *inst, info *grammar.KindInfo, v uint32) bool {
	e, ok := info.Enumerant(v)
	if !ok {
		c.fail(in, core+"3.2", "%d (0x%x) is no %s", v, v, info.Name)
		return false
	}
	if c.excused(in, info.Kind, v) {
		return true
	}
	if in.Op != spirv.OpCapability && !c.anyCapability(e.Capabilities) {
		c.fail(in, core+"3.2", "%s %s needs %s", info.Name, e.Name, capabilityList(e.Capabilities))
		return false
	}
	version := c.Binary.Version
	if e.LastVersion != 0 && version > e.LastVersion {
		c.fail(in, core+"3.2", "%s %s was removed after SPIR-V %s", info.Name, e.Name, module.VersionString(e.LastVersion))
		return false
	}
	if e.Version != 0 && version >= e.Version || e.Version == 0 && len(e.Extensions) == 0 || c.anyExtension(e.Extensions) {
		return true
	}
	c.fail(in, core+"3.2", "%s %s needs %s", info.Name, e.Name, versionOr(e.Version, e.Extensions))
	return false
}

// excused lists enumerants whose capabilities the specification asks for on use only, not on mention.
func (c *checker) excused(in *inst, kind grammar.Kind, v uint32) bool {
	switch kind {
	case grammar.BuiltIn:
		switch spirv.BuiltIn(v) {
		case spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance:
			return true
		}
	case grammar.FPRoundingMode:
		return c.freeRounding()
	case grammar.Decoration:
		return spirv.Decoration(v) == spirv.DecorationFPRoundingMode && c.freeRounding()
	case grammar.GroupOperation:
		return v <= uint32(spirv.GroupOperationExclusiveScan) && c.scansAreFree()
	}
	return false
}

// freeRounding reports whether FPRoundingMode may be used in a shader (the 16-bit storage capabilities allow it).
func (c *checker) freeRounding() bool {
	for _, k := range []spirv.Capability{
		spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess,
		spirv.CapabilityStoragePushConstant16, spirv.CapabilityStorageInputOutput16,
	} {
		if c.HasCapability(k) {
			return true
		}
	}
	return false
}

// scansAreFree reports whether Reduce, InclusiveScan and ExclusiveScan may be used without Kernel.
func (c *checker) scansAreFree() bool {
	return c.HasExtension("SPV_AMD_shader_ballot")
}

func (c *checker) anyCapability(list []spirv.Capability) bool {
	for _, k := range list {
		if c.HasCapability(k) {
			return true
		}
	}
	return len(list) == 0
}

func (c *checker) anyExtension(list []string) bool {
	for _, e := range list {
		if c.HasExtension(e) {
			return true
		}
	}
	return false
}

func capabilityList(list []spirv.Capability) string {
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = k.String()
	}
	if len(names) == 1 {
		return "the capability " + names[0]
	}
	return "one of the capabilities " + strings.Join(names, ", ")
}

func versionOr(version uint32, extensions []string) string {
	var s []string
	if version != 0 {
		s = append(s, "SPIR-V "+module.VersionString(version))
	}
	for _, e := range extensions {
		s = append(s, fmt.Sprintf("OpExtension %q", e))
	}
	if len(s) == 0 {
		return "something no module can declare: it is reserved"
	}
	return strings.Join(s, " or ")
}

// specConstantOps are the opcodes OpSpecConstantOp may hold, in modules with the capability Kernel only for those marked
// (SPIR-V 1.6, section 3.3.7).
var specConstantOps = map[spirv.Op]bool{
	spirv.OpSConvert: false, spirv.OpUConvert: false, spirv.OpFConvert: false, spirv.OpSNegate: false, spirv.OpNot: false, spirv.OpIAdd: false,
	spirv.OpISub: false, spirv.OpIMul: false, spirv.OpUDiv: false, spirv.OpSDiv: false, spirv.OpUMod: false, spirv.OpSRem: false,
	spirv.OpSMod: false, spirv.OpShiftRightLogical: false, spirv.OpShiftRightArithmetic: false, spirv.OpShiftLeftLogical: false,
	spirv.OpBitwiseOr: false, spirv.OpBitwiseXor: false, spirv.OpBitwiseAnd: false, spirv.OpVectorShuffle: false, spirv.OpCompositeExtract: false,
	spirv.OpCompositeInsert: false, spirv.OpLogicalOr: false, spirv.OpLogicalAnd: false, spirv.OpLogicalNot: false, spirv.OpLogicalEqual: false,
	spirv.OpLogicalNotEqual: false, spirv.OpSelect: false, spirv.OpIEqual: false, spirv.OpINotEqual: false, spirv.OpULessThan: false,
	spirv.OpSLessThan: false, spirv.OpUGreaterThan: false, spirv.OpSGreaterThan: false, spirv.OpULessThanEqual: false, spirv.OpSLessThanEqual: false,
	spirv.OpUGreaterThanEqual: false, spirv.OpSGreaterThanEqual: false, spirv.OpQuantizeToF16: false,
	spirv.OpCooperativeMatrixLengthKHR: false, spirv.OpCooperativeMatrixLengthNV: false,
	spirv.OpConvertFToS: true, spirv.OpConvertSToF: true, spirv.OpConvertFToU: true, spirv.OpConvertUToF: true, spirv.OpConvertPtrToU: true,
	spirv.OpConvertUToPtr: true, spirv.OpGenericCastToPtr: true, spirv.OpPtrCastToGeneric: true, spirv.OpBitcast: true, spirv.OpFNegate: true,
	spirv.OpFAdd: true, spirv.OpFSub: true, spirv.OpFMul: true, spirv.OpFDiv: true, spirv.OpFRem: true, spirv.OpFMod: true,
	spirv.OpAccessChain: true, spirv.OpInBoundsAccessChain: true, spirv.OpPtrAccessChain: true, spirv.OpInBoundsPtrAccessChain: true,
	spirv.OpUntypedAccessChainKHR: true, spirv.OpUntypedInBoundsAccessChainKHR: true, spirv.OpUntypedPtrAccessChainKHR: true, spirv.OpUntypedInBoundsPtrAccessChainKHR: true,
}

func (c *checker) allowSpecConstantOp(in *inst, op spirv.Op) bool {
	kernel, ok := specConstantOps[op]
	switch {
	case !ok:
		c.fail(in, in.section(), "%v cannot be used in OpSpecConstantOp", op)
		return false
	case kernel && !c.HasCapability(spirv.CapabilityKernel):
		c.fail(in, in.section(), "%v in OpSpecConstantOp needs the capability Kernel", op)
		return false
	case op == spirv.OpQuantizeToF16 && !c.HasCapability(spirv.CapabilityShader):
		c.fail(in, in.section(), "%v in OpSpecConstantOp needs the capability Shader", op)
		return false
	case op == spirv.OpUConvert && c.Binary.Version < v14 && !c.HasExtension("SPV_AMD_gpu_shader_int16") && !c.HasCapability(spirv.CapabilityKernel):
		c.fail(in, in.section(), "%v in OpSpecConstantOp needs the capability Kernel or SPIR-V 1.4", op)
		return false
	}
	return true
}
