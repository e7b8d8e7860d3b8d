package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Relational and logical instructions (SPIR-V 1.6, section 3.3.15).
var logicalRules = map[spirv.Op]rule{
	spirv.OpAny: anyAll, spirv.OpAll: anyAll,
	spirv.OpIsNan: test, spirv.OpIsInf: test, spirv.OpIsFinite: test, spirv.OpIsNormal: test, spirv.OpSignBitSet: test,
	spirv.OpLessOrGreater: compare(isFloatSV, "floating-point numbers", true), spirv.OpOrdered: compare(isFloatSV, "floating-point numbers", true),
	spirv.OpUnordered:    compare(isFloatSV, "floating-point numbers", true),
	spirv.OpLogicalEqual: compare(isBoolSV, "booleans", true), spirv.OpLogicalNotEqual: compare(isBoolSV, "booleans", true),
	spirv.OpLogicalOr: compare(isBoolSV, "booleans", true), spirv.OpLogicalAnd: compare(isBoolSV, "booleans", true),
	spirv.OpLogicalNot: logicalNot, spirv.OpSelect: selectRule,
	spirv.OpIEqual: intCompare, spirv.OpINotEqual: intCompare, spirv.OpUGreaterThan: intCompare, spirv.OpSGreaterThan: intCompare,
	spirv.OpUGreaterThanEqual: intCompare, spirv.OpSGreaterThanEqual: intCompare, spirv.OpULessThan: intCompare, spirv.OpSLessThan: intCompare,
	spirv.OpULessThanEqual: intCompare, spirv.OpSLessThanEqual: intCompare,
	spirv.OpFOrdEqual: floatCompare, spirv.OpFUnordEqual: floatCompare, spirv.OpFOrdNotEqual: floatCompare, spirv.OpFUnordNotEqual: floatCompare,
	spirv.OpFOrdLessThan: floatCompare, spirv.OpFUnordLessThan: floatCompare, spirv.OpFOrdGreaterThan: floatCompare, spirv.OpFUnordGreaterThan: floatCompare,
	spirv.OpFOrdLessThanEqual: floatCompare, spirv.OpFUnordLessThanEqual: floatCompare, spirv.OpFOrdGreaterThanEqual: floatCompare, spirv.OpFUnordGreaterThanEqual: floatCompare,
}

var (
	intCompare   = compare(isIntSV, "integers", false)
	floatCompare = compare(isFloatSV, "floating-point numbers", true)
)

func anyAll(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case !isBool(in.rt):
		c.bad(in, "the result of %v must be bool, it is %v", in.Op, in.rt)
	case !isKind(t, module.Vector) || !isBool(t.Elem):
		c.bad(in, "the operand of %v must be a vector of booleans, %s", in.Op, is(t))
	}
}

// test: floats to as many booleans.
func test(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isBoolSV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector of booleans, it is %v", in.Op, in.rt)
	case !isFloatSV(t) || components(t) != components(in.rt):
		c.bad(in, "the operand of %v must have as many floating-point components as the result type %v, %s", in.Op, in.rt, is(t))
	default:
		c.encodingAllowed(in, elem(t))
	}
}

// compare: two operands with as many components as the boolean result; of the same type, or for integers of the same
// width.
func compare(want func(*module.Type) bool, what string, sameType bool) rule {
	return func(c *checker, in *inst) {
		if !isBoolSV(in.rt) {
			c.bad(in, "the result of %v must be a scalar or vector of booleans, it is %v", in.Op, in.rt)
			return
		}
		a, b := c.typeOf(in, 0), c.typeOf(in, 1)
		for i, t := range []*module.Type{a, b} {
			if !want(t) || components(t) != components(in.rt) {
				c.bad(in, "%s of %v must have as many components as the result type %v, all %s, %s", operandName(i, 2), in.Op, in.rt, what, is(t))
				return
			}
		}
		switch {
		case sameType && a != b:
			c.bad(in, "the operands of %v must have the same type, they are %v and %v", in.Op, a, b)
		case !sameType && bitsOf(a) != bitsOf(b):
			c.bad(in, "the operands of %v must have the same width, they are %v and %v", in.Op, a, b)
		case isFloatSV(a):
			c.encodingAllowed(in, elem(a))
		}
	}
}

func logicalNot(c *checker, in *inst) {
	switch {
	case !isBoolSV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector of booleans, it is %v", in.Op, in.rt)
	default:
		c.sameTypes(in, 1)
	}
}

func selectRule(c *checker, in *inst) {
	cond := c.typeOf(in, 0)
	if !c.selectable(in) {
		return
	}
	switch {
	case !isBoolSV(cond):
		c.bad(in, "the condition of OpSelect must be a scalar or vector of booleans, %s", is(cond))
	case isKind(cond, module.Vector) && (!isKind(in.rt, module.Vector) || in.rt.Count != cond.Count):
		c.bad(in, "the condition of OpSelect must be one boolean or as many as the result type %v has components, %s", in.rt, is(cond))
	case isBool(cond) && isKind(in.rt, module.Vector) && c.Binary.Version < v14:
		c.bad(in, "one boolean to select a vector needs SPIR-V 1.4")
	default:
		for i, what := range []string{"object 1", "object 2"} {
			if t := c.typeOf(in, 1+i); t != in.rt {
				c.bad(in, "%s of OpSelect must have the result type %v, %s", what, in.rt, is(t))
				return
			}
		}
	}
}

// selectable checks the result type of OpSelect.
func (c *checker) selectable(in *inst) bool {
	t := in.rt
	switch {
	case isNumberSV(t) || isBoolSV(t), c.HasCapability(spirv.CapabilityBindlessTextureNV) && isKind(t, module.Other):
		return true
	case isPointerLike(t):
		if c.Addressing == spirv.AddressingModelLogical && !c.mayVary(storageOf(t)) {
			c.bad(in, "selecting pointers in the storage class %v needs a capability for variable pointers", storageOf(t))
			return false
		}
		return true
	case c.Binary.Version < v14:
		c.bad(in, "the result of OpSelect must be a scalar, a vector or a pointer before SPIR-V 1.4, it is %v", t)
		return false
	case isComposite(t):
		return true
	}
	c.bad(in, "the result of OpSelect must be a scalar, a pointer or a composite, it is %v", t)
	return false
}

// mayVary reports whether pointers of the storage class may be selected and passed on under logical addressing
// (SPIR-V 1.6, section 2.16.1).
func (c *checker) mayVary(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassWorkgroup:
		return c.HasCapability(spirv.CapabilityVariablePointers)
	case spirv.StorageClassStorageBuffer:
		return c.HasCapability(spirv.CapabilityVariablePointersStorageBuffer)
	case spirv.StorageClassPhysicalStorageBuffer:
		return true
	}
	return false
}
