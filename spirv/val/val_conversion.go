package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Conversion instructions (SPIR-V 1.6, section 3.3.11).
var conversionRules = map[spirv.Op]rule{
	spirv.OpConvertFToU:    convert(isUnsignedSV, "unsigned integers", isFloatSV, "floating-point numbers", limitedBoth),
	spirv.OpConvertFToS:    convert(isIntSV, "integers", isFloatSV, "floating-point numbers", limitedBoth),
	spirv.OpConvertSToF:    convert(isFloatSV, "floating-point numbers", isIntSV, "integers", limitedBoth),
	spirv.OpConvertUToF:    convert(isFloatSV, "floating-point numbers", isIntSV, "integers", limitedBoth),
	spirv.OpUConvert:       convert(isUnsignedSV, "unsigned integers", isIntSV, "integers", otherWidth),
	spirv.OpSConvert:       convert(isIntSV, "integers", isIntSV, "integers", otherWidth),
	spirv.OpFConvert:       convert(isFloatSV, "floating-point numbers", isFloatSV, "floating-point numbers", otherFormat),
	spirv.OpSatConvertSToU: convert(isIntSV, "integers", isIntSV, "integers", nil), spirv.OpSatConvertUToS: convert(isIntSV, "integers", isIntSV, "integers", nil),
	spirv.OpQuantizeToF16: quantize, spirv.OpConvertPtrToU: ptrToInt, spirv.OpConvertUToPtr: intToPtr, spirv.OpPtrCastToGeneric: toGeneric,
	spirv.OpGenericCastToPtr: fromGeneric, spirv.OpGenericCastToPtrExplicit: fromGeneric, spirv.OpBitcast: bitcast,
	spirv.OpConvertFToBF16INTEL: convertBF16(true), spirv.OpConvertBF16ToFINTEL: convertBF16(false), spirv.OpRoundFToTF32INTEL: roundTF32,
}

func isUnsignedSV(t *module.Type) bool { return isIntSV(t) && !elem(t).Signed }

// convert: components of one class to as many of another.
func convert(to func(*module.Type) bool, toText string, from func(*module.Type) bool, fromText string, more func(*checker, *inst, *module.Type)) rule {
	return func(c *checker, in *inst) {
		t := c.typeOf(in, 0)
		if isCoop(in.rt) || isCoop(t) {
			c.convertCoop(in, t, to, toText, from, fromText)
			return
		}
		switch {
		case !to(in.rt):
			c.bad(in, "the result of %v must be a scalar or vector of %s, it is %v", in.Op, toText, in.rt)
		case !from(t) || components(t) != components(in.rt):
			c.bad(in, "the operand of %v must have as many components as the result type %v, all %s, %s", in.Op, in.rt, fromText, is(t))
		case more != nil:
			more(c, in, t)
		}
	}
}

func (c *checker) convertCoop(in *inst, t *module.Type, to func(*module.Type) bool, toText string, from func(*module.Type) bool, fromText string) {
	switch {
	case !isCoop(in.rt) || !isCoop(t):
		c.bad(in, "%v converts a cooperative matrix to a cooperative matrix only", in.Op)
	case !to(c.coopElem(in.rt)):
		c.bad(in, "the components of the result of %v must be %s", in.Op, toText)
	case !from(c.coopElem(t)):
		c.bad(in, "the components of the operand of %v must be %s", in.Op, fromText)
	default:
		c.coopConvertible(in, t, in.rt)
	}
}

// limitedBoth: 8- and 16-bit types that a shader may only store cannot be converted between integer and float.
func limitedBoth(c *checker, in *inst, t *module.Type) {
	for _, t := range []*module.Type{in.rt, t} {
		if c.storageOnly(t) {
			c.bad(in, "%v cannot take %v: the module declares a capability for its storage only, not for arithmetic", in.Op, t)
			return
		}
	}
}

func otherWidth(c *checker, in *inst, t *module.Type) {
	if bitsOf(t) == bitsOf(in.rt) {
		c.bad(in, "%v must change the width, operand and result have %d bits", in.Op, bitsOf(t))
	}
}

func otherFormat(c *checker, in *inst, t *module.Type) {
	if elem(t) == elem(in.rt) {
		c.bad(in, "%v must change the type of the components, operand and result have %v", in.Op, elem(t))
	}
}

// storageOnly reports whether values of the type hold numbers of 8 or 16 bits with which a shader may not compute
// because it declares a storage capability only.
func (c *checker) storageOnly(t *module.Type) bool {
	if !c.HasCapability(spirv.CapabilityShader) {
		return false
	}
	return c.has.small8.by(t) || c.has.small16.by(t)
}

func quantize(c *checker, in *inst) {
	if !isFloatSV(in.rt) || bitsOf(in.rt) != 32 {
		c.bad(in, "the result of OpQuantizeToF16 must be a scalar or vector of f32, it is %v", in.rt)
		return
	}
	c.sameTypes(in, 1)
}

func ptrToInt(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isInt(in.rt) || in.rt.Signed:
		c.bad(in, "the result of OpConvertPtrToU must be an unsigned integer, it is %v", in.rt)
	case !isPointerLike(t):
		c.bad(in, "the operand of OpConvertPtrToU must be a pointer, %s", is(t))
	default:
		c.physical(in, t)
	}
}

func intToPtr(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isPointerLike(in.rt):
		c.bad(in, "the result of OpConvertUToPtr must be a pointer, it is %v", in.rt)
	case !isInt(t):
		c.bad(in, "the operand of OpConvertUToPtr must be an integer, %s", is(t))
	default:
		c.physical(in, in.rt)
	}
}

// physical refuses pointers that have no address as a number.
func (c *checker) physical(in *inst, ptr *module.Type) {
	switch {
	case c.Addressing == spirv.AddressingModelLogical:
		c.bad(in, "%v needs a physical addressing model, the module's is Logical", in.Op)
	case c.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 && storageOf(ptr) != spirv.StorageClassPhysicalStorageBuffer:
		c.bad(in, "%v needs a pointer in PhysicalStorageBuffer, it is in %v", in.Op, storageOf(ptr))
	}
}

// genericTargets are the storage classes Generic stands for.
func genericTarget(s spirv.StorageClass) bool {
	return s == spirv.StorageClassWorkgroup || s == spirv.StorageClassCrossWorkgroup || s == spirv.StorageClassFunction || s == spirv.StorageClassCodeSectionINTEL
}

func samePointee(a, b *module.Type) bool {
	return isPtr(a) && isPtr(b) && a.Elem == b.Elem
}

func toGeneric(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isPtr(in.rt) || in.rt.Storage != spirv.StorageClassGeneric:
		c.bad(in, "the result of %v must be a pointer in Generic, it is %v", in.Op, in.rt)
	case !isPtr(t) || !genericTarget(t.Storage):
		c.bad(in, "the operand of %v must be a pointer in Workgroup, CrossWorkgroup or Function, %s", in.Op, is(t))
	case !samePointee(t, in.rt):
		c.bad(in, "operand and result of %v must point to the same type, they are %v and %v", in.Op, t, in.rt)
	}
}

func fromGeneric(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isPtr(in.rt) || !genericTarget(in.rt.Storage):
		c.bad(in, "the result of %v must be a pointer in Workgroup, CrossWorkgroup or Function, it is %v", in.Op, in.rt)
	case !isPtr(t) || t.Storage != spirv.StorageClassGeneric:
		c.bad(in, "the operand of %v must be a pointer in Generic, %s", in.Op, is(t))
	case !samePointee(t, in.rt):
		c.bad(in, "operand and result of %v must point to the same type, they are %v and %v", in.Op, t, in.rt)
	case in.Op == spirv.OpGenericCastToPtrExplicit:
		if w, _ := in.word(1); spirv.StorageClass(w) != in.rt.Storage {
			c.bad(in, "the result of %v must be in the storage class %v, it is %v", in.Op, spirv.StorageClass(w), in.rt)
		}
	}
}

func bitcast(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	castable := func(t *module.Type) bool { return isPointerLike(t) || isNumberSV(t) || isCoop(t) }
	// A pointer may be cast to a vector of 32-bit integers since SPIR-V 1.5.
	vectorToo := c.Binary.Version >= v15 || c.HasExtension("SPV_KHR_physical_storage_buffer")
	likePointer := func(t *module.Type) bool {
		return isPointerLike(t) || isInt(t) || vectorToo && isIntSV(t) && bitsOf(t) == 32
	}
	switch {
	case !castable(in.rt):
		c.bad(in, "the result of OpBitcast must be a pointer or a scalar or vector of numbers, it is %v", in.rt)
	case !castable(t):
		c.bad(in, "the operand of OpBitcast must be a pointer or a scalar or vector of numbers, %s", is(t))
	case isCoop(in.rt) != isCoop(t):
		c.bad(in, "OpBitcast turns a cooperative matrix into a cooperative matrix only, operand and result are %v and %v", t, in.rt)
	case isCoop(t):
		if !c.coopAlike(t, in.rt) || bitsOf(c.coopElem(t)) != bitsOf(c.coopElem(in.rt)) {
			c.bad(in, "OpBitcast must keep scope, rows, columns, use and the width of the components of a cooperative matrix")
		}
	case isPointerLike(in.rt) && !likePointer(t):
		c.bad(in, "OpBitcast to a pointer must have a pointer or an integer as operand, %s", is(t))
	case isPointerLike(t) && !likePointer(in.rt):
		c.bad(in, "OpBitcast of a pointer must have a pointer or an integer as result, it is %v", in.rt)
	case !isPointerLike(t) && !isPointerLike(in.rt) && bitsOf(t)*components(t) != bitsOf(in.rt)*components(in.rt):
		c.bad(in, "operand and result of OpBitcast must have as many bits, %v has %d and %v has %d", t, bitsOf(t)*components(t), in.rt, bitsOf(in.rt)*components(in.rt))
	default:
		limitedBoth(c, in, t)
	}
}

// convertBF16 checks SPV_INTEL_bfloat16_conversion: f32 to and from u16.
func convertBF16(toBF16 bool) rule {
	const section = "SPV_INTEL_bfloat16_conversion"
	return func(c *checker, in *inst) {
		t := c.typeOf(in, 0)
		f, u := t, in.rt
		if !toBF16 {
			f, u = u, f
		}
		switch {
		case !isFloatSV(f) || bitsOf(f) != 32:
			c.fail(in, section, "%v converts between f32 and 16-bit integers, %s", in.Op, is(f))
		case !isIntSV(u) || bitsOf(u) != 16:
			c.fail(in, section, "%v converts between f32 and 16-bit integers, %s", in.Op, is(u))
		case components(f) != components(u):
			c.fail(in, section, "operand and result of %v must have as many components, they are %v and %v", in.Op, t, in.rt)
		}
	}
}

func roundTF32(c *checker, in *inst) {
	if !isFloatSV(in.rt) || bitsOf(in.rt) != 32 || c.typeOf(in, 0) != in.rt {
		c.fail(in, "SPV_INTEL_tensor_float32_conversion", "operand and result of %v must be the same scalar or vector of f32", in.Op)
	}
}
