package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// accessChain checks OpAccessChain and OpInBoundsAccessChain.
func accessChain(c *checker, in *inst) { c.chain(in, 1) }

// chain checks an access chain whose indices into the base begin at operand first.
func (c *checker) chain(in *inst, first int) bool {
	base := c.typeOf(in, 0)
	switch {
	case !isPtr(in.rt):
		c.bad(in, "the result of %v must be a pointer, it is %v", in.Op, in.rt)
		return false
	case !isPtr(base):
		c.bad(in, "the base of %v must be a pointer, %s", in.Op, is(base))
		return false
	case base.Storage != in.rt.Storage:
		c.bad(in, "base and result of %v must be in the same storage class, they are in %v and %v", in.Op, base.Storage, in.rt.Storage)
		return false
	}
	indices := in.args()[first:]
	if len(indices) > maxIndices {
		c.fail(in, core+"2.17", "%v has %d indices, the limit is %d", in.Op, len(indices), maxIndices)
		return false
	}
	t := base.Elem
	for n := range indices {
		id := in.arg(first + n)
		if it := c.TypeOf(id); !isInt(it) {
			c.bad(in, "index %d of %v must be an integer, %s", n, in.Op, is(it))
			return false
		}
		v, known := c.constant(id)
		if it := c.TypeOf(id); known && it.Signed && it.Width <= 64 && v>>(it.Width-1)&1 == 1 && c.Addressing == spirv.AddressingModelLogical {
			c.bad(in, "index %d of %v cannot be negative, it is %s", n, in.Op, module.ScalarText(it, v))
			return false
		}
		switch {
		case isKind(t, module.Struct):
			k := c.Constants[id]
			if k == nil || !known {
				c.bad(in, "index %d of %v into the structure %v must be an OpConstant", n, in.Op, t)
				return false
			}
			if v >= uint64(len(t.Members)) {
				c.bad(in, "index %d of %v is %s, %v has %d members", n, in.Op, module.ScalarText(k.Type, v), t, len(t.Members))
				return false
			}
			t = t.Members[v]
		case isKind(t, module.Vector), isKind(t, module.Matrix), isKind(t, module.Array), isRuntimeArray(t):
			t = t.Elem
		case isCoop(t):
			t = c.coopElem(t)
		default:
			c.bad(in, "index %d of %v finds no composite, %s", n, in.Op, is(t))
			return false
		}
	}
	if t != in.rt.Elem {
		c.bad(in, "the result of %v must point to %v, which the indices lead to, it is %v", in.Op, t, in.rt)
		return false
	}
	return true
}

// ptrAccessChain checks the chains whose first index goes from the base to an element beside it.
func ptrAccessChain(c *checker, in *inst) {
	if !c.chain(in, 2) {
		return
	}
	base, element := c.typeOf(in, 0), c.typeOf(in, 1)
	if !isInt(element) {
		c.bad(in, "the element of %v must be an integer, %s", in.Op, is(element))
		return
	}
	if v, ok := c.constant(in.arg(1)); ok && v != 0 && c.isBlock(base.Elem) {
		c.bad(in, "the element of %v must be 0 where the base points to a block", in.Op)
		return
	}
	if !c.HasCapability(spirv.CapabilityShader) || c.HasCapability(spirv.CapabilityKernel) && base.Storage == spirv.StorageClassWorkgroup {
		return
	}
	switch base.Storage {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassPushConstant:
	case spirv.StorageClassWorkgroup:
		if !c.HasCapability(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
			return
		}
	default:
		return
	}
	if _, ok := c.Decoration(base.ID, spirv.DecorationArrayStride); !ok {
		c.bad(in, "the pointer type of the base of %v must have the decoration ArrayStride in %v", in.Op, base.Storage)
	}
}
