package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Group and Subgroup instructions (SPIR-V 1.6, section 3.3.21).
var groupRules = map[spirv.Op]rule{
	spirv.OpGroupAll: groupVote, spirv.OpGroupAny: groupVote, spirv.OpGroupBroadcast: groupBroadcast,
	spirv.OpGroupIAdd: groupReduce(isIntSV, "integers"), spirv.OpGroupUMin: groupReduce(isIntSV, "integers"), spirv.OpGroupSMin: groupReduce(isIntSV, "integers"),
	spirv.OpGroupUMax: groupReduce(isIntSV, "integers"), spirv.OpGroupSMax: groupReduce(isIntSV, "integers"),
	spirv.OpGroupFAdd: groupReduce(isFloatSV, "floating-point numbers"), spirv.OpGroupFMin: groupReduce(isFloatSV, "floating-point numbers"), spirv.OpGroupFMax: groupReduce(isFloatSV, "floating-point numbers"),
	spirv.OpGroupIMulKHR: groupReduce(isIntSV, "integers"), spirv.OpGroupFMulKHR: groupReduce(isFloatSV, "floating-point numbers"),
	spirv.OpGroupBitwiseAndKHR: groupReduce(isIntSV, "integers"), spirv.OpGroupBitwiseOrKHR: groupReduce(isIntSV, "integers"), spirv.OpGroupBitwiseXorKHR: groupReduce(isIntSV, "integers"),
	spirv.OpGroupLogicalAndKHR: groupReduce(isBoolSV, "booleans"), spirv.OpGroupLogicalOrKHR: groupReduce(isBoolSV, "booleans"), spirv.OpGroupLogicalXorKHR: groupReduce(isBoolSV, "booleans"),
	spirv.OpGroupAsyncCopy: asyncCopy, spirv.OpGroupWaitEvents: waitEvents,
	spirv.OpSubgroupShuffleINTEL: intelShuffle(1), spirv.OpSubgroupShuffleXorINTEL: intelShuffle(1), spirv.OpSubgroupShuffleDownINTEL: intelShuffle(2), spirv.OpSubgroupShuffleUpINTEL: intelShuffle(2),
	spirv.OpSubgroupBlockReadINTEL: blockRead, spirv.OpSubgroupBlockWriteINTEL: blockWrite,
}

func isAnySV(t *module.Type) bool { return isNumberSV(t) || isBoolSV(t) }

func groupVote(c *checker, in *inst) {
	t := c.typeOf(in, 1)
	switch {
	case !c.executionScope(in, in.arg(0)):
	case !isBool(in.rt):
		c.bad(in, "the result of %v must be bool, it is %v", in.Op, in.rt)
	case !isBool(t):
		c.bad(in, "the predicate of %v must be bool, %s", in.Op, is(t))
	}
}

func groupBroadcast(c *checker, in *inst) {
	v, id := c.typeOf(in, 1), c.typeOf(in, 2)
	switch {
	case !c.executionScope(in, in.arg(0)):
	case !isAnySV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector, it is %v", in.Op, in.rt)
	case v != in.rt:
		c.bad(in, "the value of %v must have the result type %v, %s", in.Op, in.rt, is(v))
	case !isIntSV(id) || components(id) > 3:
		c.bad(in, "the local id of %v must be an integer or a vector of 2 or 3, %s", in.Op, is(id))
	}
}

func groupReduce(want func(*module.Type) bool, what string) rule {
	return func(c *checker, in *inst) {
		x := c.typeOf(in, 2)
		switch {
		case !c.executionScope(in, in.arg(0)):
		case !want(in.rt):
			c.bad(in, "the result of %v must be a scalar or vector of %s, it is %v", in.Op, what, in.rt)
		case x != in.rt:
			c.bad(in, "the operand of %v must have the result type %v, %s", in.Op, in.rt, is(x))
		}
	}
}

func isEvent(t *module.Type) bool { return isOther(t, spirv.OpTypeEvent) }

func asyncCopy(c *checker, in *inst) {
	to, from, n, stride, event := c.typeOf(in, 1), c.typeOf(in, 2), c.typeOf(in, 3), c.typeOf(in, 4), c.typeOf(in, 5)
	width := 32
	if c.Addressing == spirv.AddressingModelPhysical64 {
		width = 64
	}
	global, local := spirv.StorageClassCrossWorkgroup, spirv.StorageClassWorkgroup
	switch {
	case !c.executionScope(in, in.arg(0)):
	case !isEvent(in.rt):
		c.bad(in, "the result of OpGroupAsyncCopy must be an event, it is %v", in.rt)
	case !isPtr(to) || !isPtr(from) || to.Elem != from.Elem || !isNumberSV(to.Elem):
		c.bad(in, "destination and source of OpGroupAsyncCopy must be pointers to the same scalar or vector, they are %v and %v", to, from)
	case !(to.Storage == global && from.Storage == local || to.Storage == local && from.Storage == global):
		c.bad(in, "OpGroupAsyncCopy copies between Workgroup and CrossWorkgroup, destination and source are in %v and %v", to.Storage, from.Storage)
	case !isInt(n) || n.Width != width || !isInt(stride) || stride.Width != width:
		c.bad(in, "the number of elements and the stride of OpGroupAsyncCopy must be %d-bit integers", width)
	case !isEvent(event):
		c.bad(in, "the event of OpGroupAsyncCopy must be an event, %s", is(event))
	}
}

func waitEvents(c *checker, in *inst) {
	n, p := c.typeOf(in, 1), c.typeOf(in, 2)
	switch {
	case !c.executionScope(in, in.arg(0)):
	case !isInt(n) || n.Width != 32:
		c.bad(in, "the number of events of OpGroupWaitEvents must be a 32-bit integer, %s", is(n))
	case !isPtr(p) || !isEvent(p.Elem):
		c.bad(in, "the list of events of OpGroupWaitEvents must be a pointer to events, %s", is(p))
	}
}

const intelSubgroups = "SPV_INTEL_subgroups"

// intelShuffle: n values of the result's type and a 32-bit integer.
func intelShuffle(n int) rule {
	return func(c *checker, in *inst) {
		if !isNumberSV(in.rt) {
			c.fail(in, intelSubgroups, "the result of %v must be a scalar or vector of numbers, it is %v", in.Op, in.rt)
			return
		}
		for i := range n {
			if t := c.typeOf(in, i); t != in.rt {
				c.fail(in, intelSubgroups, "the data of %v must have the result type %v, %s", in.Op, in.rt, is(t))
				return
			}
		}
		if t := c.typeOf(in, n); !isInt(t) || t.Width != 32 {
			c.fail(in, intelSubgroups, "the last operand of %v must be a 32-bit integer, %s", in.Op, is(t))
		}
	}
}

func blockRead(c *checker, in *inst) {
	p := c.typeOf(in, 0)
	switch {
	case !isIntSV(in.rt):
		c.fail(in, intelSubgroups, "the result of %v must be a scalar or vector of integers, it is %v", in.Op, in.rt)
	case !isPtr(p) || p.Elem != elem(in.rt):
		c.fail(in, intelSubgroups, "the pointer of %v must point to %v, %s", in.Op, elem(in.rt), is(p))
	}
}

func blockWrite(c *checker, in *inst) {
	p, v := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isIntSV(v):
		c.fail(in, intelSubgroups, "the data of %v must be a scalar or vector of integers, %s", in.Op, is(v))
	case !isPtr(p) || p.Elem != elem(v):
		c.fail(in, intelSubgroups, "the pointer of %v must point to %v, %s", in.Op, elem(v), is(p))
	}
}
