package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// The specification's words for sets of types (SPIR-V 1.6, section 2.2.2). All accept nil and say no.

func isKind(t *module.Type, k module.TypeKind) bool { return t != nil && t.Kind == k }

func isInt(t *module.Type) bool   { return isKind(t, module.Int) }
func isFloat(t *module.Type) bool { return isKind(t, module.Float) }
func isBool(t *module.Type) bool  { return isKind(t, module.Bool) }
func isVoid(t *module.Type) bool  { return isKind(t, module.Void) }
func isPtr(t *module.Type) bool   { return isKind(t, module.Pointer) }

// elem returns the component of a vector and the type itself otherwise.
func elem(t *module.Type) *module.Type {
	if isKind(t, module.Vector) {
		return t.Elem
	}
	return t
}

func isIntSV(t *module.Type) bool   { return isInt(elem(t)) }
func isFloatSV(t *module.Type) bool { return isFloat(elem(t)) }
func isBoolSV(t *module.Type) bool  { return isBool(elem(t)) }

// isNumberSV reports a scalar or vector of numerical type.
func isNumberSV(t *module.Type) bool { return isIntSV(t) || isFloatSV(t) }

// components returns the number of components of a scalar (1) or vector, 0 of other types.
func components(t *module.Type) int {
	switch {
	case t == nil:
		return 0
	case t.Kind == module.Vector:
		return t.Count
	case t.Kind == module.Int, t.Kind == module.Float, t.Kind == module.Bool:
		return 1
	}
	return 0
}

// bitsOf returns the width of a component in bits, 0 where it has none.
func bitsOf(t *module.Type) int {
	if e := elem(t); isInt(e) || isFloat(e) {
		return e.Width
	}
	return 0
}

// ieee reports a floating-point type in one of the formats of IEEE 754.
func ieee(t *module.Type) bool { return isFloat(t) && t.Encoding == 0 }

// isOther reports a type declared by that opcode which the model does not take apart.
func isOther(t *module.Type, op spirv.Op) bool {
	return t != nil && t.Kind == module.Other && t.Inst.Op == op
}

func isCoop(t *module.Type) bool {
	return isOther(t, spirv.OpTypeCooperativeMatrixKHR) || isOther(t, spirv.OpTypeCooperativeMatrixNV)
}

// coopElem returns the component type of a cooperative matrix, of a vector, and the type itself otherwise.
func (c *checker) coopElem(t *module.Type) *module.Type {
	if isCoop(t) {
		return c.Types[spirv.ID(t.Inst.Words[1])]
	}
	return elem(t)
}

// isPointerLike reports typed and untyped pointers.
func isPointerLike(t *module.Type) bool {
	return isPtr(t) || isOther(t, spirv.OpTypeUntypedPointerKHR)
}

// maxHops bounds how many pointers to pointers are followed: one may lead back to itself.
const maxHops = 64

// storageOf returns the storage class of a pointer.
func storageOf(t *module.Type) spirv.StorageClass {
	if isOther(t, spirv.OpTypeUntypedPointerKHR) {
		return spirv.StorageClass(t.Inst.Words[1])
	}
	return t.Storage
}

// isComposite reports types whose parts can be indexed.
func isComposite(t *module.Type) bool {
	switch {
	case t == nil:
		return false
	case t.Kind == module.Vector, t.Kind == module.Matrix, t.Kind == module.Array, t.Kind == module.Struct:
		return true
	}
	return isCoop(t)
}

// is spells a type for messages: "is f32", or "has no type" where the operand is no value.
func is(t *module.Type) string {
	if t == nil {
		return "it has no type"
	}
	return "it is " + t.String()
}

// held remembers which types hold, as a part of their values, one for which want says yes. Pointers are not followed.
// Each type is looked at once, so that hostile modules of very wide types cost linear time.
type held struct {
	want func(*module.Type) bool
	memo map[*module.Type]bool
}

func holding(want func(*module.Type) bool) *held {
	return &held{want, map[*module.Type]bool{}}
}

func (h *held) by(t *module.Type) bool {
	if t == nil {
		return false
	}
	yes, ok := h.memo[t]
	if ok {
		return yes
	}
	yes = h.want(t)
	if !yes && t.Kind != module.Pointer && t.Kind != module.FunctionType {
		yes = h.by(t.Elem)
		for _, m := range t.Members {
			yes = yes || h.by(m)
		}
	}
	h.memo[t] = yes
	return yes
}

// parts are the questions about parts of types that rules ask.
type parts struct {
	bools, runtimeArrays, coops, blocks, noNulls *held
	pointers                                     *held // pointers that have no address as a number, under logical addressing
	fixedPointers                                *held // those of them that cannot vary either
	small8, small16                              *held // numbers of 8 and 16 bits with which a shader cannot compute
}

func (c *checker) newParts() parts {
	small := func(width int) *held {
		return holding(func(t *module.Type) bool {
			switch {
			case t.Kind == module.Int && t.Width == width && width == 8:
				return !c.HasCapability(spirv.CapabilityInt8)
			case t.Kind == module.Int && t.Width == width:
				return !c.HasCapability(spirv.CapabilityInt16)
			case t.Kind == module.Float && t.Width == width && width == 16 && t.Encoding == 0:
				return !c.HasCapability(spirv.CapabilityFloat16)
			}
			return false
		})
	}
	logical := func(t *module.Type) bool {
		return isPointerLike(t) && storageOf(t) != spirv.StorageClassPhysicalStorageBuffer
	}
	return parts{
		bools: holding(isBool), runtimeArrays: holding(isRuntimeArray), coops: holding(isCoop), blocks: holding(c.isBlock), noNulls: holding(noNull),
		pointers: holding(logical), fixedPointers: holding(func(t *module.Type) bool { return logical(t) && !c.mayVary(storageOf(t)) }),
		small8: small(8), small16: small(16),
	}
}

// idAt returns the id that is the i-th word of a type's declaration.
func idAt(t *module.Type, i int) spirv.ID { return spirv.ID(t.Inst.Words[i]) }
