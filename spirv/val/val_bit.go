package val

import "github.com/sgrun/sgrun/spirv"

// Bit instructions (SPIR-V 1.6, section 3.3.14).
var bitRules = map[spirv.Op]rule{
	spirv.OpShiftRightLogical: shift, spirv.OpShiftRightArithmetic: shift, spirv.OpShiftLeftLogical: shift,
	spirv.OpBitwiseOr: intOp(2), spirv.OpBitwiseXor: intOp(2), spirv.OpBitwiseAnd: intOp(2), spirv.OpNot: intOp(1),
	spirv.OpBitFieldInsert: bitField, spirv.OpBitFieldSExtract: bitField, spirv.OpBitFieldUExtract: bitField,
	spirv.OpBitReverse: bitBase, spirv.OpBitCount: bitCount,
}

func shift(c *checker, in *inst) {
	base, by := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isIntSV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector of integers, it is %v", in.Op, in.rt)
	case !isIntSV(base) || components(base) != components(in.rt) || bitsOf(base) != bitsOf(in.rt):
		c.bad(in, "the base of %v must have as many integer components of the same width as the result type %v, %s", in.Op, in.rt, is(base))
	case !isIntSV(by) || components(by) != components(in.rt):
		c.bad(in, "the shift of %v must have as many integer components as the result type %v, %s", in.Op, in.rt, is(by))
	}
}

// bitBase: the base has the result's type, integers of any width in kernels and with SPV_KHR_bit_instructions.
func bitBase(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case !isIntSV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector of integers, it is %v", in.Op, in.rt)
	case t != in.rt:
		c.bad(in, "the base of %v must have the result type %v, %s", in.Op, in.rt, is(t))
	}
}

func bitField(c *checker, in *inst) {
	bitBase(c, in)
	next := 1
	if in.Op == spirv.OpBitFieldInsert {
		next = 2
		if t := c.typeOf(in, 1); t != in.rt {
			c.bad(in, "the insert of %v must have the result type %v, %s", in.Op, in.rt, is(t))
			return
		}
	}
	for i, what := range []string{"offset", "count"} {
		if t := c.typeOf(in, next+i); !isInt(t) {
			c.bad(in, "the %s of %v must be an integer, %s", what, in.Op, is(t))
			return
		}
	}
}

func bitCount(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case !isIntSV(in.rt):
		c.bad(in, "the result of OpBitCount must be a scalar or vector of integers, it is %v", in.rt)
	case !isIntSV(t) || components(t) != components(in.rt):
		c.bad(in, "the base of OpBitCount must have as many integer components as the result type %v, %s", in.rt, is(t))
	}
}
