package val

import (
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Versions as header words.
const (
	v10 = 0x00010000
	v11 = 0x00010100
	v12 = 0x00010200
	v13 = 0x00010300
	v14 = 0x00010400
	v15 = 0x00010500
	v16 = 0x00010600
)

func (c *checker) checkHeader() {
	const section = core + "2.3"
	b := c.Binary
	if b.Version < v10 || b.Version > v16 || b.Version&0xff0000ff != 0 {
		c.fail(nil, section, "the version must be 1.0 to 1.6, the header says %s (0x%08x)", module.VersionString(b.Version), b.Version)
	}
	if b.Bound == 0 {
		c.fail(nil, section, "the bound of ids must be above 0")
	}
	if b.Schema != 0 {
		c.fail(nil, section, "the instruction schema must be 0, it is %d", b.Schema)
	}
}

// Sections of the logical layout of a module (SPIR-V 1.6, section 2.4), by their numbers there; those of debug
// instructions in the order they have among themselves.
const (
	orderCapability = iota
	orderExtension
	orderImport
	orderMemoryModel
	orderEntryPoint
	orderExecutionMode
	orderStrings
	orderNames
	orderProcessed
	orderAnnotation
	orderTypes
	orderDeclarations
	orderDefinitions
)

var orderTitles = [...]string{
	"OpCapability", "OpExtension", "OpExtInstImport", "OpMemoryModel", "OpEntryPoint", "OpExecutionMode", "OpString and OpSource",
	"OpName", "OpModuleProcessed", "annotations", "types, constants and global variables", "function declarations", "function definitions",
}

// anywhere marks instructions that may stand in more than one section.
const anywhere = -1

// orderOf returns the section an instruction at module scope belongs to.
func orderOf(in *inst) int {
	switch in.Op {
	case spirv.OpCapability, spirv.OpConditionalCapabilityINTEL:
		return orderCapability
	case spirv.OpExtension, spirv.OpConditionalExtensionINTEL:
		return orderExtension
	case spirv.OpExtInstImport:
		return orderImport
	case spirv.OpMemoryModel, spirv.OpSamplerImageAddressingModeNV:
		return orderMemoryModel
	case spirv.OpEntryPoint, spirv.OpConditionalEntryPointINTEL:
		return orderEntryPoint
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		return orderExecutionMode
	case spirv.OpString, spirv.OpSource, spirv.OpSourceExtension, spirv.OpSourceContinued:
		return orderStrings
	case spirv.OpName, spirv.OpMemberName:
		return orderNames
	case spirv.OpModuleProcessed:
		return orderProcessed
	case spirv.OpDecorate, spirv.OpMemberDecorate, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate, spirv.OpDecorationGroup,
		spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT:
		return orderAnnotation
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpTypeForwardPointer, spirv.OpUndef, spirv.OpPoisonKHR, spirv.OpConstantCompositeContinuedINTEL, spirv.OpSpecConstantCompositeContinuedINTEL,
		spirv.OpTypeStructContinuedINTEL, spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL, spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL:
		return orderTypes
	case spirv.OpLine, spirv.OpNoLine:
		return orderTypes
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return anywhere
	}
	if in.g != nil && (in.g.Class == "Type-Declaration" || in.g.Class == "Constant-Creation" || strings.HasPrefix(in.g.Name, "OpType") || strings.HasPrefix(in.g.Name, "OpConstant") || strings.HasPrefix(in.g.Name, "OpSpecConstant")) {
		return orderTypes
	}
	return orderDefinitions
}

// checkOrder checks the logical layout of the module (SPIR-V 1.6, section 2.4).
func (c *checker) checkOrder() {
	const section = core + "2.4"
	at, models := orderCapability, 0
	for i := range c.insts {
		in := &c.insts[i]
		if c.full() {
			return
		}
		if in.fn != nil {
			if in.Op == spirv.OpFunction {
				if len(in.fn.Blocks) > 0 {
					at = orderDefinitions
				} else if at == orderDefinitions {
					c.fail(in, section, "function declarations must stand before all function definitions")
				} else {
					at = orderDeclarations
				}
			}
			c.checkInnerOrder(in)
			continue
		}
		if in.g == nil {
			continue // checkGrammar refuses it
		}
		order := orderOf(in)
		switch {
		case order == anywhere:
			c.checkAnywhere(in, at)
			continue
		case order == orderDefinitions:
			c.fail(in, section, "%v must stand in a block of a function", in.Op)
			continue
		}
		if in.Op == spirv.OpMemoryModel {
			if models++; models > 1 {
				c.fail(in, section, "OpMemoryModel must stand once only")
			}
		}
		if (in.Op == spirv.OpLine || in.Op == spirv.OpNoLine) && order < at {
			continue
		}
		if order < at {
			c.fail(in, section, "%v stands after the section of %s, it belongs before", in.Op, orderTitles[at])
			continue
		}
		if order > orderMemoryModel && models == 0 {
			c.fail(in, section, "%v must not stand before OpMemoryModel", in.Op)
			return
		}
		at = order
	}
	if models == 0 {
		c.fail(nil, section, "the module has no OpMemoryModel")
	}
	if len(c.EntryPoints) == 0 && !c.HasCapability(spirv.CapabilityFunctionVariantsINTEL) && !c.HasCapability(spirv.CapabilitySpecConditionalINTEL) && !c.HasCapability(spirv.CapabilityLinkage) && !c.HasCapability(spirv.CapabilityGraphARM) {
		c.fail(nil, section, "a module without the capability Linkage must have an entry point")
	}
}

// checkAnywhere checks instructions that may stand in several sections.
func (c *checker) checkAnywhere(in *inst, at int) {
	const section = core + "2.4"
	switch in.Op {
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		set := c.ExtInstSets[spirv.ID(in.Words[2])]
		switch {
		case !nonSemantic(set) && !debugInfo(set):
			c.fail(in, section, "%v must stand in a block of a function", in.Op)
		case at < orderTypes:
			c.fail(in, section, "%v must not stand before the section of %s", in.Op, orderTitles[orderTypes])
		}
	}
}

func nonSemantic(set string) bool { return strings.HasPrefix(set, "NonSemantic.") }

func debugInfo(set string) bool { return set == "OpenCL.DebugInfo.100" || set == "DebugInfo" }

// checkInnerOrder checks the order inside a function.
func (c *checker) checkInnerOrder(in *inst) {
	const section = core + "2.4"
	order := orderOf(in)
	if order != orderDefinitions && order != anywhere && in.Op != spirv.OpLine && in.Op != spirv.OpNoLine && in.Op != spirv.OpVariable && in.Op != spirv.OpUndef && in.Op != spirv.OpPoisonKHR && in.Op != spirv.OpUntypedVariableKHR && in.g != nil {
		c.fail(in, section, "%v must not stand inside a function", in.Op)
	}
}
