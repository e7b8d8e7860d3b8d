package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Derivative instructions (SPIR-V 1.6, section 3.3.16).
var derivativeRules = map[spirv.Op]rule{
	spirv.OpDPdx: derivative, spirv.OpDPdy: derivative, spirv.OpFwidth: derivative, spirv.OpDPdxFine: derivative, spirv.OpDPdyFine: derivative, spirv.OpFwidthFine: derivative,
	spirv.OpDPdxCoarse: derivative, spirv.OpDPdyCoarse: derivative, spirv.OpFwidthCoarse: derivative,
}

func derivative(c *checker, in *inst) {
	if !isFloatSV(in.rt) || bitsOf(in.rt) != 32 && !(bitsOf(in.rt) == 16 && c.HasExtension("SPV_AMD_gpu_shader_half_float")) {
		c.bad(in, "the result of %v must be a scalar or vector of f32, it is %v", in.Op, in.rt)
		return
	}
	if !c.sameTypes(in, 1) {
		return
	}
	for _, e := range c.reaching(in.fn) {
		_, quads := e.Mode(spirv.ExecutionModeDerivativeGroupQuadsKHR)
		_, linear := e.Mode(spirv.ExecutionModeDerivativeGroupLinearKHR)
		switch {
		case e.Model == spirv.ExecutionModelFragment:
		case (e.Model == spirv.ExecutionModelGLCompute || e.Model == spirv.ExecutionModelMeshEXT || e.Model == spirv.ExecutionModelTaskEXT) && (quads || linear):
		default:
			c.bad(in, "%v needs the execution model Fragment or an execution mode for derivative groups, entry point %q has neither", in.Op, e.Name)
			return
		}
	}
}

// Instructions of small extensions.
var miscRules = map[spirv.Op]rule{
	spirv.OpExpectKHR: expect, spirv.OpAssumeTrueKHR: assume, spirv.OpSizeOf: sizeOf, spirv.OpPoisonKHR: nothing,
	spirv.OpEmitVertex: onlyModel(spirv.ExecutionModelGeometry), spirv.OpEndPrimitive: onlyModel(spirv.ExecutionModelGeometry),
	spirv.OpEmitStreamVertex: stream, spirv.OpEndStreamPrimitive: stream,
	spirv.OpSubgroupBallotKHR: nothing, spirv.OpSubgroupAllKHR: khrVote, spirv.OpSubgroupAnyKHR: khrVote, spirv.OpSubgroupAllEqualKHR: khrVote,
	spirv.OpSubgroupFirstInvocationKHR: firstInvocation, spirv.OpSubgroupReadInvocationKHR: firstInvocation, spirv.OpFmaKHR: floatOp(3),
}

func expect(c *checker, in *inst) {
	if !isIntSV(in.rt) && !isBoolSV(in.rt) {
		c.fail(in, "SPV_KHR_expect_assume", "the result of OpExpectKHR must be a scalar or vector of integers or booleans, it is %v", in.rt)
		return
	}
	c.sameTypes(in, 2)
}

func assume(c *checker, in *inst) {
	if t := c.typeOf(in, 0); !isBool(t) {
		c.fail(in, "SPV_KHR_expect_assume", "the operand of OpAssumeTrueKHR must be bool, %s", is(t))
	}
}

func sizeOf(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	if t == nil {
		t = c.Types[in.arg(0)]
	}
	switch {
	case !isInt(in.rt) || in.rt.Width != 32:
		c.bad(in, "the result of OpSizeOf must be a 32-bit integer, it is %v", in.rt)
	case !isPtr(t):
		c.bad(in, "the operand of OpSizeOf must be a pointer, %s", is(t))
	}
}

func stream(c *checker, in *inst) {
	if t := c.typeOf(in, 0); !isInt(t) || !c.isConstant(in.arg(0)) {
		c.bad(in, "the stream of %v must be an integer constant, %s", in.Op, is(t))
		return
	}
	c.models(in, []spirv.ExecutionModel{spirv.ExecutionModelGeometry})
}

func khrVote(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	if !isBool(in.rt) || !isBool(t) {
		c.fail(in, "SPV_KHR_subgroup_vote", "operand and result of %v must be bool, they are %v and %v", in.Op, t, in.rt)
	}
}

func firstInvocation(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isAnySV(in.rt) || t != in.rt:
		c.fail(in, "SPV_KHR_shader_ballot", "the value of %v must have the result type, a scalar or vector, they are %v and %v", in.Op, t, in.rt)
	case in.Op == spirv.OpSubgroupReadInvocationKHR && !isInt(c.typeOf(in, 1)):
		c.fail(in, "SPV_KHR_shader_ballot", "the index of %v must be an integer, %s", in.Op, is(c.typeOf(in, 1)))
	}
}

// longVector reports an instruction on types whose rules are not known here: vectors as long as a specialization
// constant, and vectors of pointers.
func (c *checker) longVector(in *inst) bool {
	beyond := func(t *module.Type) bool {
		return isOther(t, spirv.OpTypeVectorIdEXT) || isKind(t, module.Vector) && isPtr(t.Elem)
	}
	if beyond(in.rt) {
		return true
	}
	for _, o := range in.ops {
		if o.IsID() && beyond(c.TypeOf(o.ID())) {
			return true
		}
	}
	return false
}
