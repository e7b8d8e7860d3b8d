package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// rule checks one instruction. Every id operand is known to be defined and of the right kind.
type rule func(c *checker, in *inst)

// Arithmetic instructions (SPIR-V 1.6, section 3.3.13).
var arithRules = map[spirv.Op]rule{
	spirv.OpSNegate: intOp(1), spirv.OpIAdd: intOp(2), spirv.OpISub: intOp(2), spirv.OpIMul: intOp(2), spirv.OpSDiv: intOp(2),
	spirv.OpSRem: intOp(2), spirv.OpSMod: intOp(2), spirv.OpUDiv: unsignedOp, spirv.OpUMod: unsignedOp,
	spirv.OpFNegate: floatOp(1), spirv.OpFAdd: floatOp(2), spirv.OpFSub: floatOp(2), spirv.OpFMul: floatOp(2), spirv.OpFDiv: floatOp(2),
	spirv.OpFRem: floatOp(2), spirv.OpFMod: floatOp(2),
	spirv.OpVectorTimesScalar: vectorTimesScalar, spirv.OpMatrixTimesScalar: matrixTimesScalar, spirv.OpVectorTimesMatrix: vectorTimesMatrix,
	spirv.OpMatrixTimesVector: matrixTimesVector, spirv.OpMatrixTimesMatrix: matrixTimesMatrix, spirv.OpOuterProduct: outerProduct,
	spirv.OpDot: dot, spirv.OpIAddCarry: extended(false), spirv.OpISubBorrow: extended(false), spirv.OpUMulExtended: extended(false), spirv.OpSMulExtended: extended(true),
	spirv.OpSDot: integerDot, spirv.OpUDot: integerDot, spirv.OpSUDot: integerDot, spirv.OpSDotAccSat: integerDot, spirv.OpUDotAccSat: integerDot, spirv.OpSUDotAccSat: integerDot,
}

// operandName names the i-th of n operands in messages.
func operandName(i, n int) string {
	switch {
	case n == 1:
		return "the operand"
	case i == 0:
		return "operand 1"
	case i == 1:
		return "operand 2"
	}
	return "operand 3"
}

// intOp: Result Type is a scalar or vector of integers; the operands have as many components of the same width, in
// either signedness.
func intOp(n int) rule {
	return func(c *checker, in *inst) {
		if isCoop(in.rt) {
			c.sameCoop(in, n, isInt, "integers")
			return
		}
		if !isIntSV(in.rt) {
			c.bad(in, "the result of %v must be a scalar or vector of integers, it is %v", in.Op, in.rt)
			return
		}
		for i := range n {
			t := c.typeOf(in, i)
			if !isIntSV(t) || components(t) != components(in.rt) || bitsOf(t) != bitsOf(in.rt) {
				c.bad(in, "%s of %v must have as many integer components of the same width as the result type %v, %s", operandName(i, n), in.Op, in.rt, is(t))
				return
			}
		}
	}
}

// unsignedOp: Result Type is a scalar or vector of integers with signedness 0, and both operands have that type.
func unsignedOp(c *checker, in *inst) {
	if isCoop(in.rt) {
		c.sameCoop(in, 2, isInt, "integers")
		return
	}
	if !isIntSV(in.rt) || elem(in.rt).Signed {
		c.bad(in, "the result of %v must be a scalar or vector of unsigned integers, it is %v", in.Op, in.rt)
		return
	}
	c.sameTypes(in, 2)
}

// floatOp: Result Type is a scalar or vector of floats, and all operands have that type.
func floatOp(n int) rule {
	return func(c *checker, in *inst) {
		if isCoop(in.rt) {
			c.sameCoop(in, n, isFloat, "floating-point numbers")
			return
		}
		if !isFloatSV(in.rt) {
			c.bad(in, "the result of %v must be a scalar or vector of floating-point numbers, it is %v", in.Op, in.rt)
			return
		}
		if !c.encodingAllowed(in, elem(in.rt)) {
			return
		}
		c.sameTypes(in, n)
	}
}

// encodingAllowed refuses arithmetic on formats that only convert (SPV_KHR_bfloat16, SPV_EXT_float8).
func (c *checker) encodingAllowed(in *inst, t *module.Type) bool {
	if ieee(t) {
		return true
	}
	c.bad(in, "%v does not take the floating-point format %v", in.Op, t)
	return false
}

// sameTypes checks that n operands have the result's type.
func (c *checker) sameTypes(in *inst, n int) bool {
	for i := range n {
		if t := c.typeOf(in, i); t != in.rt {
			c.bad(in, "%s of %v must have the result type %v, %s", operandName(i, n), in.Op, in.rt, is(t))
			return false
		}
	}
	return true
}

// sameCoop checks an element-wise instruction on cooperative matrices: all have the result's type.
func (c *checker) sameCoop(in *inst, n int, want func(*module.Type) bool, what string) {
	if !want(c.coopElem(in.rt)) {
		c.bad(in, "the components of the cooperative matrices of %v must be %s", in.Op, what)
		return
	}
	for i := range n {
		if t := c.typeOf(in, i); t != in.rt && !c.coopAlike(t, in.rt) {
			c.bad(in, "%s of %v must be a cooperative matrix of the result type, %s", operandName(i, n), in.Op, is(t))
			return
		}
	}
}

func vectorTimesScalar(c *checker, in *inst) {
	v, s := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isKind(in.rt, module.Vector) || !isFloat(in.rt.Elem):
		c.bad(in, "the result of %v must be a vector of floating-point numbers, it is %v", in.Op, in.rt)
	case v != in.rt:
		c.bad(in, "the vector of %v must have the result type %v, %s", in.Op, in.rt, is(v))
	case !c.encodingAllowed(in, in.rt.Elem):
	case s != in.rt.Elem:
		c.bad(in, "the scalar of %v must have the vector's component type %v, %s", in.Op, in.rt.Elem, is(s))
	}
}

func isFloatMatrix(t *module.Type) bool {
	return isKind(t, module.Matrix) && isFloat(t.Scalar())
}

func matrixTimesScalar(c *checker, in *inst) {
	m, s := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isFloatMatrix(in.rt) && !isCoop(in.rt):
		c.bad(in, "the result of %v must be a matrix, it is %v", in.Op, in.rt)
	case isKind(in.rt, module.Matrix) && !c.encodingAllowed(in, in.rt.Scalar()):
	case m != in.rt:
		c.bad(in, "the matrix of %v must have the result type %v, %s", in.Op, in.rt, is(m))
	case isCoop(in.rt) && s != c.coopElem(in.rt) || !isCoop(in.rt) && s != in.rt.Scalar():
		c.bad(in, "the scalar of %v must have the matrix's component type, %s", in.Op, is(s))
	}
}

func vectorTimesMatrix(c *checker, in *inst) {
	v, m := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isKind(in.rt, module.Vector) || !isFloat(in.rt.Elem):
		c.bad(in, "the result of %v must be a vector of floating-point numbers, it is %v", in.Op, in.rt)
	case !isKind(v, module.Vector) || v.Elem != in.rt.Elem:
		c.bad(in, "the vector of %v must have components of type %v, %s", in.Op, in.rt.Elem, is(v))
	case !isFloatMatrix(m) || m.Scalar() != in.rt.Elem || m.Count != in.rt.Count || m.Elem.Count != v.Count:
		c.bad(in, "the matrix of %v must have %d columns of type %v, %s", in.Op, in.rt.Count, v, is(m))
	}
}

func matrixTimesVector(c *checker, in *inst) {
	m, v := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isKind(in.rt, module.Vector) || !isFloat(in.rt.Elem):
		c.bad(in, "the result of %v must be a vector of floating-point numbers, it is %v", in.Op, in.rt)
	case !isFloatMatrix(m) || m.Elem != in.rt:
		c.bad(in, "the columns of the matrix of %v must have the result type %v, %s", in.Op, in.rt, is(m))
	case !isKind(v, module.Vector) || v.Elem != in.rt.Elem || v.Count != m.Count:
		c.bad(in, "the vector of %v must have %d components of type %v, %s", in.Op, m.Count, in.rt.Elem, is(v))
	}
}

func matrixTimesMatrix(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isFloatMatrix(in.rt):
		c.bad(in, "the result of %v must be a matrix, it is %v", in.Op, in.rt)
	case !isFloatMatrix(a) || a.Elem != in.rt.Elem:
		c.bad(in, "the left matrix of %v must have columns of type %v, %s", in.Op, in.rt.Elem, is(a))
	case !isFloatMatrix(b) || b.Scalar() != in.rt.Scalar() || b.Count != in.rt.Count || b.Elem.Count != a.Count:
		c.bad(in, "the right matrix of %v must have %d columns of %d components, %s", in.Op, in.rt.Count, a.Count, is(b))
	}
}

func outerProduct(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isFloatMatrix(in.rt):
		c.bad(in, "the result of %v must be a matrix, it is %v", in.Op, in.rt)
	case a != in.rt.Elem:
		c.bad(in, "vector 1 of %v must have the type of the result's columns %v, %s", in.Op, in.rt.Elem, is(a))
	case !isKind(b, module.Vector) || b.Elem != in.rt.Scalar() || b.Count != in.rt.Count:
		c.bad(in, "vector 2 of %v must have %d components, one per column, %s", in.Op, in.rt.Count, is(b))
	}
}

func dot(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isFloat(in.rt):
		c.bad(in, "the result of OpDot must be a floating-point number, it is %v", in.rt)
	case in.rt.Encoding != 0 && !(in.rt.Encoding == uint32(spirv.FPEncodingBFloat16KHR)+1 && c.HasCapability(spirv.CapabilityBFloat16DotProductKHR)):
		c.bad(in, "OpDot does not take the floating-point format %v", in.rt)
	case !isKind(a, module.Vector) || a.Elem != in.rt:
		c.bad(in, "vector 1 of OpDot must have components of the result type %v, %s", in.rt, is(a))
	case b != a:
		c.bad(in, "the vectors of OpDot must have the same type, they are %v and %v", a, b)
	}
}

// extended: the result is a structure of two equal integer types, which both operands have.
func extended(signed bool) rule {
	return func(c *checker, in *inst) {
		if !isKind(in.rt, module.Struct) || len(in.rt.Members) != 2 || in.rt.Members[0] != in.rt.Members[1] || !isIntSV(in.rt.Members[0]) {
			c.bad(in, "the result of %v must be a structure of two members of the same integer type, it is %v", in.Op, in.rt)
			return
		}
		t := in.rt.Members[0]
		if !signed && elem(t).Signed {
			c.bad(in, "the members of the result of %v must be unsigned, they are %v", in.Op, t)
			return
		}
		for i := range 2 {
			if o := c.typeOf(in, i); o != t {
				c.bad(in, "%s of %v must have the type of the result's members %v, %s", operandName(i, 2), in.Op, t, is(o))
				return
			}
		}
	}
}

// integerDot checks the integer dot products (SPV_KHR_integer_dot_product).
func integerDot(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	acc := in.Op == spirv.OpSDotAccSat || in.Op == spirv.OpUDotAccSat || in.Op == spirv.OpSUDotAccSat
	unsigned := in.Op == spirv.OpUDot || in.Op == spirv.OpUDotAccSat
	next := 2
	if acc {
		next = 3
	}
	_, packed := in.word(next)
	switch {
	case !isInt(in.rt):
		c.bad(in, "the result of %v must be an integer, it is %v", in.Op, in.rt)
	case unsigned && in.rt.Signed:
		c.bad(in, "the result of %v must be unsigned, it is %v", in.Op, in.rt)
	case acc && c.typeOf(in, 2) != in.rt:
		c.bad(in, "the accumulator of %v must have the result type %v, %s", in.Op, in.rt, is(c.typeOf(in, 2)))
	case !isIntSV(a) || !isIntSV(b):
		c.bad(in, "the vectors of %v must be vectors of integers or packed integers, they are %v and %v", in.Op, a, b)
	case isInt(a) != isInt(b) || components(a) != components(b) || bitsOf(a) != bitsOf(b):
		c.bad(in, "the vectors of %v must have as many components of the same width, they are %v and %v", in.Op, a, b)
	case isInt(a) && !packed:
		c.bad(in, "integers as vectors of %v need a Packed Vector Format", in.Op)
	case isInt(a) && a.Width != 32:
		c.bad(in, "a packed vector of %v must be a 32-bit integer, it is %v", in.Op, a)
	case !isInt(a) && packed:
		c.bad(in, "vectors of %v take no Packed Vector Format", in.Op)
	case unsigned && (elem(a).Signed || elem(b).Signed):
		c.bad(in, "the vectors of %v must be unsigned, they are %v and %v", in.Op, a, b)
	case isInt(a) && in.rt.Width < 8 || !isInt(a) && in.rt.Width < bitsOf(a):
		c.bad(in, "the result of %v must be at least as wide as the components of its vectors, it is %v", in.Op, in.rt)
	case in.Op == spirv.OpSUDot || in.Op == spirv.OpSUDotAccSat:
		if elem(b).Signed {
			c.bad(in, "vector 2 of %v must be unsigned, it is %v", in.Op, b)
		}
	}
	c.dotCapability(in, a, isInt(a))
}

// dotCapability checks the capability for the kind of vectors.
func (c *checker) dotCapability(in *inst, a *module.Type, packed bool) {
	need := spirv.CapabilityDotProductInputAll
	switch {
	case packed:
		need = spirv.CapabilityDotProductInput4x8BitPacked
	case isKind(a, module.Vector) && a.Count == 4 && bitsOf(a) == 8:
		if c.HasCapability(spirv.CapabilityDotProductInput4x8Bit) {
			return
		}
	}
	if !c.HasCapability(need) {
		c.bad(in, "%v on %v needs the capability %v", in.Op, a, need)
	}
}
