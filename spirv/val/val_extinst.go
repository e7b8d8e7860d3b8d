package val

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// Extended instructions: OpenCL.std ("OpenCL Extended Instruction Set Specification") and GLSL.std.450 ("SPIR-V Extended
// Instructions for GLSL"). Each has a signature: a letter for the result, then one for each operand.
//
//	result   F float scalar or vector, H the same of 16 or 32 bits, D of 64 bits, I integer scalar or vector,
//	         J the same of 32 bits, f float scalar, N integer or float scalar or vector, B float vector, M square matrix,
//	         m its component (result of a matrix operand), S structure {x, =x}, T structure {x, i32 like x}, v void, ? anything
//	operand  = the result's type, e the result's component type, P pointer to the result's type, Q pointer to i32 with
//	         as many components, k i32 with as many components, n integer of the result's width with as many components,
//	         w float with as many components as the integer result, x float scalar or vector with the result as
//	         component type, y the type of the operand before, a member 0 of the structure, i integer scalar, z integer
//	         scalar of 32 bits, h integer half as wide as the result, p pointer, q square matrix, s float scalar of the
//	         result's type, * anything
var extSignatures = map[string]map[string]string{"OpenCL.std": openCLSignatures(), "GLSL.std.450": glslSignatures()}

// signatures reads a table of "signature name name …" lines.
func signatures(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		for _, name := range f[1:] {
			m[name] = f[0]
		}
	}
	return m
}

func openCLSignatures() map[string]string {
	return signatures(`F= acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan degrees radians sign
F== atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder half_divide half_powr native_divide native_powr fmax_common fmin_common step
F=== fma mad fclamp mix smoothstep
F=P fract modf sincos
F=Q frexp lgamma_r
F==Q remquo
F=k ldexp pown rootn
Fn nan
Jw ilogb
I= s_abs u_abs clz ctz popcount
I== s_abs_diff u_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_max u_max s_min u_min rotate s_sub_sat u_sub_sat s_mul_hi u_mul_hi s_mul24 u_mul24
I=== s_clamp u_clamp s_mad_hi u_mad_hi s_mad_sat u_mad_sat s_mad24 u_mad24
Ihh s_upsample u_upsample
fxy distance fast_distance
fx length fast_length
F= normalize fast_normalize
B== cross
N=== bitselect
N==n select
?*** vloadn vload_half vload_halfn vloada_halfn
?* shuffle shuffle2 printf prefetch vstoren vstore_half vstore_half_r vstore_halfn vstore_halfn_r vstorea_halfn vstorea_halfn_r`)
}

func glslSignatures() map[string]string {
	return signatures(`F= Round RoundEven Trunc FAbs FSign Floor Ceil Fract Sqrt InverseSqrt Normalize
H= Radians Degrees Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Exp Log Exp2 Log2
H== Atan2 Pow
F== FMin FMax Step Reflect NMin NMax
F=== FClamp FMix SmoothStep Fma FaceForward NClamp
F==s Refract
I= SAbs SSign
J= FindILsb FindUMsb FindSMsb
I== UMin SMin UMax SMax
I=== UClamp SClamp
F=P Modf
Sa ModfStruct
F=Q Frexp
Ta FrexpStruct
F=k Ldexp
mq Determinant
M= MatrixInverse
fx Length
fxy Distance
B== Cross
?* PackSnorm4x8 PackUnorm4x8 PackSnorm2x16 PackUnorm2x16 PackHalf2x16 PackDouble2x32 UnpackSnorm2x16 UnpackUnorm2x16 UnpackHalf2x16 UnpackSnorm4x8 UnpackUnorm4x8 UnpackDouble2x32
Fp InterpolateAtCentroid
Fp* InterpolateAtSample InterpolateAtOffset`)
}

var extRules = map[spirv.Op]rule{spirv.OpExtInst: extInst, spirv.OpExtInstWithForwardRefsKHR: nothing}

func extInst(c *checker, in *inst) {
	name := c.ExtInstSets[spirv.ID(in.Words[2])]
	set, ok := grammar.LookupExtInstSet(name)
	if !ok {
		c.otherSet(in, name)
		return
	}
	e, ok := set.Lookup(in.Words[3])
	if !ok {
		c.fail(in, name, "%s has no instruction %d", name, in.Words[3])
		return
	}
	c.signature(in, name, e.Name, extSignatures[name][e.Name])
	if len(c.found) == 0 {
		c.special(in, name, e.Name)
	}
}

// otherSet checks what is known of sets without a grammar here.
func (c *checker) otherSet(in *inst, name string) {
	if (nonSemantic(name) || debugInfo(name)) && !isVoid(in.rt) {
		c.bad(in, "the result of an instruction of %s must be void, it is %v", name, in.rt)
	}
}

func (c *checker) signature(in *inst, set, name, sig string) {
	if sig == "" || !c.extResult(in, set, name, sig[0]) {
		return
	}
	args := in.args()[2:]
	for i := 1; i < len(sig) && i <= len(args); i++ {
		o := args[i-1]
		if !o.IsID() || sig[i] == '*' {
			continue
		}
		t := c.TypeOf(o.ID())
		var before *module.Type
		if i > 1 {
			before = c.TypeOf(args[i-2].ID())
		}
		if ok, want := c.extOperand(in.rt, t, before, sig[i]); !ok {
			c.fail(in, set, "operand %d of %s must be %s, %s", i, name, want, is(t))
			return
		}
	}
}

func (c *checker) extResult(in *inst, set, name string, code byte) bool {
	t := in.rt
	ok, want := true, ""
	switch code {
	case 'F':
		ok, want = isFloatSV(t), "a scalar or vector of floating-point numbers"
	case 'H':
		ok, want = isFloatSV(t) && (bitsOf(t) == 16 || bitsOf(t) == 32), "a scalar or vector of floating-point numbers of 16 or 32 bits"
	case 'I':
		ok, want = isIntSV(t), "a scalar or vector of integers"
	case 'J':
		ok, want = isIntSV(t) && bitsOf(t) == 32, "a scalar or vector of 32-bit integers"
	case 'f':
		ok, want = isFloat(t), "a floating-point number"
	case 'm':
		ok, want = isFloat(t), "a floating-point number"
	case 'N':
		ok, want = isNumberSV(t), "a scalar or vector of numbers"
	case 'B':
		ok, want = isFloatSV(t) && (components(t) == 3 || components(t) == 4 && set == "OpenCL.std"), "a vector of three floating-point numbers"
	case 'M':
		ok, want = isFloatMatrix(t) && t.Count == t.Elem.Count, "a square matrix"
	case 'S':
		ok, want = isKind(t, module.Struct) && len(t.Members) == 2 && isFloatSV(t.Members[0]) && t.Members[1] == t.Members[0], "a structure of two equal members of floating-point numbers"
	case 'T':
		ok, want = isKind(t, module.Struct) && len(t.Members) == 2 && isFloatSV(t.Members[0]) && isIntSV(t.Members[1]) &&
			components(t.Members[0]) == components(t.Members[1]) && (bitsOf(t.Members[1]) == 32 || bitsOf(t.Members[1]) == 16), "a structure of floating-point numbers and as many 32-bit integers"
	}
	if !ok {
		c.fail(in, set, "the result of %s must be %s, it is %v", name, want, t)
	}
	return ok
}

func (c *checker) extOperand(rt, t, before *module.Type, code byte) (bool, string) {
	like := func(t *module.Type) bool { return components(t) == components(rt) }
	i32 := func(t *module.Type) bool { return isIntSV(t) && bitsOf(t) == 32 && like(t) }
	switch code {
	case '=', 's':
		if code == 's' {
			return isFloat(t), "a floating-point number"
		}
		return t == rt, fmt.Sprintf("of the result type %v", rt)
	case 'P':
		return isPtr(t) && t.Elem == rt, fmt.Sprintf("a pointer to %v", rt)
	case 'Q':
		return isPtr(t) && i32(t.Elem), "a pointer to as many 32-bit integers as the result has components"
	case 'k':
		return isIntSV(t) && like(t), "as many integers as the result has components"
	case 'n':
		return isIntSV(t) && like(t) && bitsOf(t) == bitsOf(rt), "as many integers of the width of the result's components"
	case 'w':
		return isFloatSV(t) && like(t), "as many floating-point numbers as the result has components"
	case 'x':
		return isFloatSV(t) && elem(t) == rt, fmt.Sprintf("a scalar or vector of %v", rt)
	case 'y':
		return t == before, fmt.Sprintf("of the type of the operand before it, %v", before)
	case 'a':
		return t == rt.Members[0], fmt.Sprintf("of the type of the result's first member, %v", rt.Members[0])
	case 'h':
		return isIntSV(t) && like(t) && 2*bitsOf(t) == bitsOf(rt), "as many integers half as wide as the result's components"
	case 'p':
		return isPtr(t) && t.Storage == spirv.StorageClassInput && t.Elem == rt, fmt.Sprintf("a pointer in Input to %v", rt)
	case 'q':
		return isFloatMatrix(t) && t.Count == t.Elem.Count && t.Scalar() == rt, fmt.Sprintf("a square matrix of %v", rt)
	}
	return true, ""
}
