package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Non-uniform instructions (SPIR-V 1.6, section 3.3.24).
var nonUniformRules = map[spirv.Op]rule{
	spirv.OpGroupNonUniformElect: nonUniform(func(c *checker, in *inst) bool { return c.wantResult(in, isBool, "bool") }),
	spirv.OpGroupNonUniformAll:   nonUniform(vote), spirv.OpGroupNonUniformAny: nonUniform(vote), spirv.OpGroupNonUniformAllEqual: nonUniform(allEqual),
	spirv.OpGroupNonUniformBroadcast: nonUniform(move(true)), spirv.OpGroupNonUniformBroadcastFirst: nonUniform(sameValue),
	spirv.OpGroupNonUniformShuffle: nonUniform(move(false)), spirv.OpGroupNonUniformShuffleXor: nonUniform(move(false)),
	spirv.OpGroupNonUniformShuffleUp: nonUniform(move(false)), spirv.OpGroupNonUniformShuffleDown: nonUniform(move(false)),
	spirv.OpGroupNonUniformQuadBroadcast: nonUniform(move(true)), spirv.OpGroupNonUniformQuadSwap: nonUniform(quadSwap),
	spirv.OpGroupNonUniformBallot: nonUniform(ballot), spirv.OpGroupNonUniformInverseBallot: nonUniform(inverseBallot),
	spirv.OpGroupNonUniformBallotBitExtract: nonUniform(ballotBit), spirv.OpGroupNonUniformBallotBitCount: nonUniform(ballotCount),
	spirv.OpGroupNonUniformBallotFindLSB: nonUniform(ballotFind), spirv.OpGroupNonUniformBallotFindMSB: nonUniform(ballotFind),
	spirv.OpGroupNonUniformIAdd: reduceInt, spirv.OpGroupNonUniformIMul: reduceInt, spirv.OpGroupNonUniformSMin: reduceInt, spirv.OpGroupNonUniformSMax: reduceInt,
	spirv.OpGroupNonUniformUMin: reduceUnsigned, spirv.OpGroupNonUniformUMax: reduceUnsigned,
	spirv.OpGroupNonUniformFAdd: reduceFloat, spirv.OpGroupNonUniformFMul: reduceFloat, spirv.OpGroupNonUniformFMin: reduceFloat, spirv.OpGroupNonUniformFMax: reduceFloat,
	spirv.OpGroupNonUniformBitwiseAnd: reduceInt, spirv.OpGroupNonUniformBitwiseOr: reduceInt, spirv.OpGroupNonUniformBitwiseXor: reduceInt,
	spirv.OpGroupNonUniformLogicalAnd: reduceBool, spirv.OpGroupNonUniformLogicalOr: reduceBool, spirv.OpGroupNonUniformLogicalXor: reduceBool,
	spirv.OpGroupNonUniformRotateKHR: rotate,
}

var (
	reduceInt      = reduce(isIntSV, "integers")
	reduceUnsigned = reduce(isUnsignedSV, "unsigned integers")
	reduceFloat    = reduce(isFloatSV, "floating-point numbers")
	reduceBool     = reduce(isBoolSV, "booleans")
)

// nonUniform checks the scope, which is Subgroup, and then the rest.
func nonUniform(rest func(*checker, *inst) bool) rule {
	return func(c *checker, in *inst) {
		if c.executionScope(in, in.arg(0), spirv.ScopeSubgroup) {
			rest(c, in)
		}
	}
}

func (c *checker) wantResult(in *inst, want func(*module.Type) bool, what string) bool {
	if !want(in.rt) {
		c.bad(in, "the result of %v must be %s, it is %v", in.Op, what, in.rt)
		return false
	}
	return true
}

func (c *checker) wantArg(in *inst, i int, name string, want func(*module.Type) bool, what string) bool {
	if t := c.typeOf(in, i); !want(t) {
		c.bad(in, "the %s of %v must be %s, %s", name, in.Op, what, is(t))
		return false
	}
	return true
}

func isUnsigned(t *module.Type) bool { return isInt(t) && !t.Signed }

// isMask reports a vector of four unsigned 32-bit integers.
func isMask(t *module.Type) bool {
	return isKind(t, module.Vector) && t.Count == 4 && isUnsigned(t.Elem)
}

const (
	maskText = "a vector of four unsigned integers"
	anyText  = "a scalar or vector of numbers or booleans"
	uintText = "an unsigned integer"
)

func vote(c *checker, in *inst) bool {
	return c.wantResult(in, isBool, "bool") && c.wantArg(in, 1, "predicate", isBool, "bool")
}

func allEqual(c *checker, in *inst) bool {
	return c.wantResult(in, isBool, "bool") && c.wantArg(in, 1, "value", isAnySV, anyText)
}

// sameValue: the value has the result's type.
func sameValue(c *checker, in *inst) bool {
	return c.wantResult(in, isAnySV, anyText) &&
		c.wantArg(in, 1, "value", func(t *module.Type) bool { return t == in.rt }, "of the result type "+in.rt.String())
}

// move: a value, and which invocation it comes from; before SPIR-V 1.5 the latter is a constant for some.
func move(constant bool) func(*checker, *inst) bool {
	return func(c *checker, in *inst) bool {
		if !sameValue(c, in) || !c.wantArg(in, 2, "invocation", isUnsigned, uintText) {
			return false
		}
		if constant && c.Binary.Version < v15 && !c.isConstant(in.arg(2)) {
			c.bad(in, "the invocation of %v must be a constant before SPIR-V 1.5", in.Op)
			return false
		}
		return true
	}
}

func quadSwap(c *checker, in *inst) bool {
	if !sameValue(c, in) || !c.wantArg(in, 2, "direction", isUnsigned, uintText) {
		return false
	}
	if !c.isConstant(in.arg(2)) {
		c.bad(in, "the direction of %v must be a constant", in.Op)
		return false
	}
	return true
}

func ballot(c *checker, in *inst) bool {
	return c.wantResult(in, isMask, maskText) && c.wantArg(in, 1, "predicate", isBool, "bool")
}

func inverseBallot(c *checker, in *inst) bool {
	return c.wantResult(in, isBool, "bool") && c.wantArg(in, 1, "value", isMask, maskText)
}

func ballotBit(c *checker, in *inst) bool {
	return inverseBallot(c, in) && c.wantArg(in, 2, "index", isUnsigned, uintText)
}

func ballotCount(c *checker, in *inst) bool {
	return c.wantResult(in, isUnsigned, uintText) && c.wantArg(in, 2, "value", isMask, maskText)
}

func ballotFind(c *checker, in *inst) bool {
	return c.wantResult(in, isUnsigned, uintText) && c.wantArg(in, 1, "value", isMask, maskText)
}

// reduce: operation, value of the result's type, and the size of a cluster or the partition where the operation has one.
func reduce(want func(*module.Type) bool, what string) rule {
	return nonUniform(func(c *checker, in *inst) bool {
		if !c.wantResult(in, want, "a scalar or vector of "+what) ||
			!c.wantArg(in, 2, "value", func(t *module.Type) bool { return t == in.rt }, "of the result type "+in.rt.String()) {
			return false
		}
		w, _ := in.word(1)
		op := spirv.GroupOperation(w)
		partitioned := op == spirv.GroupOperationPartitionedReduceEXT || op == spirv.GroupOperationPartitionedInclusiveScanEXT || op == spirv.GroupOperationPartitionedExclusiveScanEXT
		_, more := in.word(3)
		switch {
		case !more && (op == spirv.GroupOperationClusteredReduce || partitioned):
			c.bad(in, "%v with %v needs one more operand", in.Op, op)
		case !more:
			return true
		case partitioned:
			return c.wantArg(in, 3, "partition", func(t *module.Type) bool { return isIntSV(t) && components(t) == 4 }, "a vector of four integers")
		case !c.wantArg(in, 3, "cluster size", isUnsigned, uintText):
		case !c.isConstant(in.arg(3)):
			c.bad(in, "the cluster size of %v must be a constant", in.Op)
		default:
			return true
		}
		return false
	})
}

func rotate(c *checker, in *inst) {
	if !c.executionScope(in, in.arg(0), spirv.ScopeSubgroup, spirv.ScopeWorkgroup) || !sameValue(c, in) || !c.wantArg(in, 2, "delta", isUnsigned, uintText) {
		return
	}
	if _, more := in.word(3); !more {
		return
	}
	if c.wantArg(in, 3, "cluster size", isUnsigned, uintText) && !c.isConstant(in.arg(3)) {
		c.bad(in, "the cluster size of %v must be a constant", in.Op)
	}
}
