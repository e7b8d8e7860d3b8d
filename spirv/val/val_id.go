package val

import (
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// idKind says what an id is, and what an operand wants.
type idKind uint8

const (
	anyID idKind = iota
	typeID
	valueID // the result of an instruction with a result type, functions not counted
	labelID
	functionID
	stringID
	setID   // OpExtInstImport
	groupID // OpDecorationGroup
	otherID // defined, and none of the above
	typeOrValueID
)

var idKindNames = [...]string{"id", "type", "value", "label", "function", "OpString", "OpExtInstImport", "OpDecorationGroup", "id", "type or value"}

func (c *checker) kindOf(def *inst) idKind {
	switch def.Op {
	case spirv.OpLabel:
		return labelID
	case spirv.OpFunction:
		return functionID
	case spirv.OpString:
		return stringID
	case spirv.OpExtInstImport:
		return setID
	case spirv.OpDecorationGroup:
		return groupID
	}
	switch {
	case c.Types[def.result] != nil:
		return typeID
	case def.g.HasResultType():
		return valueID
	}
	return otherID
}

// idWants lists the instructions whose id operands behind result type and result id are not all values: one letter per
// operand, the last one standing for all that follow.
//
//	v value  t type  l label  f function  s OpString  x OpExtInstImport  g OpDecorationGroup  * anything  ? type or value
var idWants = map[spirv.Op]string{
	spirv.OpName: "*", spirv.OpMemberName: "*", spirv.OpLine: "s", spirv.OpSource: "s",
	spirv.OpDecorate: "*", spirv.OpDecorateId: "*", spirv.OpDecorateString: "*", spirv.OpMemberDecorate: "*", spirv.OpMemberDecorateString: "*",
	spirv.OpMemberDecorateIdEXT: "*", spirv.OpGroupDecorate: "g*", spirv.OpGroupMemberDecorate: "g*", spirv.OpEntryPoint: "fv",
	spirv.OpExecutionMode: "f", spirv.OpExecutionModeId: "f?", spirv.OpExtInst: "xv", spirv.OpExtInstWithForwardRefsKHR: "x*",
	spirv.OpTypeVector: "t", spirv.OpTypeMatrix: "t", spirv.OpTypeImage: "t", spirv.OpTypeSampledImage: "t", spirv.OpTypeArray: "tv",
	spirv.OpTypeRuntimeArray: "t", spirv.OpTypeStruct: "t", spirv.OpTypePointer: "t", spirv.OpTypeFunction: "t", spirv.OpTypeForwardPointer: "t",
	spirv.OpTypeCooperativeMatrixKHR: "tv", spirv.OpTypeCooperativeMatrixNV: "tv", spirv.OpTypeVectorIdEXT: "tv", spirv.OpTypeTensorARM: "tv",
	spirv.OpFunction: "t", spirv.OpFunctionCall: "fv", spirv.OpPhi: "vl", spirv.OpBranch: "l", spirv.OpBranchConditional: "vl",
	spirv.OpSwitch: "vl", spirv.OpLoopMerge: "l", spirv.OpSelectionMerge: "l", spirv.OpCooperativeMatrixLengthKHR: "t", spirv.OpCooperativeMatrixLengthNV: "t",
	spirv.OpUntypedVariableKHR: "tv", spirv.OpUntypedAccessChainKHR: "tv", spirv.OpUntypedInBoundsAccessChainKHR: "tv",
	spirv.OpUntypedPtrAccessChainKHR: "tv", spirv.OpUntypedInBoundsPtrAccessChainKHR: "tv", spirv.OpUntypedArrayLengthKHR: "tv",
	spirv.OpSizeOf: "?", spirv.OpConditionalEntryPointINTEL: "vfv", spirv.OpConstantFunctionPointerINTEL: "f", spirv.OpEnqueueKernel: "vvvvvvfv", spirv.OpGetKernelWorkGroupSize: "fv",
	spirv.OpGetKernelPreferredWorkGroupSizeMultiple: "fv", spirv.OpGetKernelNDrangeSubGroupCount: "vfv", spirv.OpGetKernelNDrangeMaxSubGroupSize: "vfv",
	spirv.OpGetKernelLocalSizeForSubgroupCount: "vfv", spirv.OpGetKernelMaxNumSubgroups: "fv",
	spirv.OpCooperativeMatrixPerElementOpEXT: "vfv", spirv.OpCooperativeMatrixReduceEXT: "vf", spirv.OpCooperativeMatrixLoadTensorNV: "*", spirv.OpCooperativeMatrixStoreTensorNV: "*",
	spirv.OpAsmINTEL: "*", spirv.OpAliasScopeDeclINTEL: "*", spirv.OpAliasScopeListDeclINTEL: "*", spirv.OpSpecConstantOp: "?", spirv.OpAbortKHR: "?",
	spirv.OpConstantSizeOfEXT: "?", spirv.OpBufferPointerEXT: "?", spirv.OpUntypedImageTexelPointerEXT: "?", spirv.OpTypeStructContinuedINTEL: "t",
}

func wants(op spirv.Op, i int) idKind {
	s, ok := idWants[op]
	if !ok {
		return valueID
	}
	if op == spirv.OpPhi { // pairs
		i %= 2
	}
	switch s[min(i, len(s)-1)] {
	case 't':
		return typeID
	case 'l':
		return labelID
	case 'f':
		return functionID
	case 's':
		return stringID
	case 'x':
		return setID
	case 'g':
		return groupID
	case '*':
		return anyID
	case '?':
		return typeOrValueID
	}
	return valueID
}

// mayBeAhead reports whether the i-th id operand behind result type and result id may be defined later in the module
// (SPIR-V 1.6, section 2.4).
func mayBeAhead(op spirv.Op, i int) bool {
	switch op {
	case spirv.OpExecutionMode, spirv.OpExecutionModeId, spirv.OpEntryPoint, spirv.OpName, spirv.OpMemberName, spirv.OpDecorate, spirv.OpDecorateId,
		spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT, spirv.OpSelectionMerge, spirv.OpLoopMerge,
		spirv.OpBranch, spirv.OpConditionalEntryPointINTEL, spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpPhi, spirv.OpTypeForwardPointer, spirv.OpExtInstWithForwardRefsKHR, spirv.OpConstantFunctionPointerINTEL:
		return true
	case spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		return i > 0
	case spirv.OpFunctionCall:
		return i == 0
	case spirv.OpEnqueueKernel:
		return i == 6
	case spirv.OpGetKernelWorkGroupSize, spirv.OpGetKernelPreferredWorkGroupSizeMultiple, spirv.OpGetKernelMaxNumSubgroups:
		return i == 0
	case spirv.OpGetKernelNDrangeSubGroupCount, spirv.OpGetKernelNDrangeMaxSubGroupSize, spirv.OpGetKernelLocalSizeForSubgroupCount,
		spirv.OpCooperativeMatrixPerElementOpEXT, spirv.OpCooperativeMatrixReduceEXT:
		return i == 1
	case spirv.OpTypeStruct, spirv.OpTypePointer, spirv.OpTypeRuntimeArray:
		return true // module.New has checked: pointers declared by OpTypeForwardPointer only
	case spirv.OpTypeArray:
		return i == 0
	}
	return false
}

// checkIDs checks that ids are defined, are what the operand wants, and are defined before their use and in a block that
// dominates it.
func (c *checker) checkIDs() {
	for i := range c.insts {
		in := &c.insts[i]
		if c.full() {
			return
		}
		c.checkInstIDs(in)
	}
}

func (c *checker) checkInstIDs(in *inst) {
	debug := false
	if in.Op == spirv.OpExtInst || in.Op == spirv.OpExtInstWithForwardRefsKHR {
		set := c.ExtInstSets[spirv.ID(in.Words[2])]
		debug = nonSemantic(set) || debugInfo(set)
		if in.Op == spirv.OpExtInstWithForwardRefsKHR && !nonSemantic(set) {
			c.fail(in, in.section(), "OpExtInstWithForwardRefsKHR must name a non-semantic instruction set, %q is none", set)
			return
		}
	}
	if in.g.HasResultType() {
		if t := c.byID[in.ops[0].ID()]; t.index > in.index {
			c.fail(in, core+"2.4", "the result type %s is used before it is defined", c.name(t.result))
			return
		}
	}
	n := 0
	for _, o := range in.args() {
		if !o.IsID() {
			continue
		}
		id := o.ID()
		def := c.byID[id]
		if def == nil {
			c.fail(in, core+"2.16.1", "%s is not defined", c.name(id))
			return
		}
		want := wants(in.Op, n)
		if debug && n > 0 {
			want = anyID
		}
		n++
		if !fits(c.kindOf(def), want) && !(want == valueID && (def.Op == spirv.OpAliasScopeListDeclINTEL || def.Op == spirv.OpAliasScopeDeclINTEL)) {
			c.fail(in, in.section(), "%s must be a %s, it is defined by %v", c.name(id), idKindNames[want], def.Op)
			return
		}
		if c.isNonSemantic(def) && !debug && want == valueID {
			c.fail(in, in.section(), "%s is the result of a non-semantic instruction, which %v cannot use", c.name(id), in.Op)
			return
		}
		if !c.checkUse(in, def, n-1, o) {
			return
		}
	}
}

func fits(is, want idKind) bool {
	switch want {
	case anyID:
		return true
	case typeOrValueID:
		return is == typeID || is == valueID
	}
	return is == want
}

func (c *checker) isNonSemantic(def *inst) bool {
	return (def.Op == spirv.OpExtInst || def.Op == spirv.OpExtInstWithForwardRefsKHR) &&
		strings.HasPrefix(c.ExtInstSets[spirv.ID(def.Words[2])], "NonSemantic.")
}

// checkUse checks the order of definition and use; n counts the id operands behind result type and result id.
func (c *checker) checkUse(in, def *inst, n int, o module.Operand) bool {
	const section = core + "2.16.1"
	if def.index >= in.index && !mayBeAhead(in.Op, n) {
		c.fail(in, section, "%s is used before it is defined", c.name(def.result))
		return false
	}
	if def.fn == nil || in.fn == nil || def.Op == spirv.OpFunction {
		return true
	}
	if def.fn != in.fn {
		c.fail(in, section, "%s is defined in function %s and used in function %s", c.name(def.result), c.Name(def.fn.ID), c.Name(in.fn.ID))
		return false
	}
	if def.block == nil || def.Op == spirv.OpLabel || in.block == nil {
		return true
	}
	dom := c.dom(in.fn)
	if !dom.Contains(in.block) {
		return true
	}
	if in.Op == spirv.OpPhi {
		if o.Kind != grammar.IdRef || n%2 == 1 {
			return true
		}
		parent := in.fn.BlockByID[spirv.ID(in.Words[o.Index+1])]
		if parent != nil && dom.Contains(parent) && !dom.Dominates(def.block, parent) {
			c.fail(in, section, "%s is defined in block %s, which does not dominate the predecessor %s", c.name(def.result), c.name(def.block.ID), c.name(parent.ID))
			return false
		}
		return true
	}
	if !dom.Dominates(def.block, in.block) {
		c.fail(in, section, "%s is defined in block %s, which does not dominate its use in block %s", c.name(def.result), c.name(def.block.ID), c.name(in.block.ID))
		return false
	}
	return true
}
