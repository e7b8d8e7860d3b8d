package val

import (
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// special checks the extended instructions whose operands a signature does not describe.
func (c *checker) special(in *inst, set, name string) {
	ids := in.args()[2:]
	t := func(i int) *module.Type {
		if i < len(ids) && ids[i].IsID() {
			return c.TypeOf(ids[i].ID())
		}
		return nil
	}
	bad := func(format string, args ...any) { c.fail(in, set, name+": "+format, args...) }
	switch name {
	case "vloadn", "vload_halfn", "vloada_halfn", "vload_half":
		p := t(1)
		half := strings.Contains(name, "half")
		switch {
		case !isPtr(p) || half && (!isFloat(p.Elem) || p.Elem.Width != 16) || !half && p.Elem != elem(in.rt):
			bad("the pointer must point to the components that are loaded, %s", is(p))
		case half && !isFloatSV(in.rt) || name != "vload_half" && !isKind(in.rt, module.Vector):
			bad("the result cannot be %v", in.rt)
		case !isInt(t(0)):
			bad("the offset must be an integer, %s", is(t(0)))
		case len(ids) > 2 && int64(ids[2].Words[0]) != int64(components(in.rt)):
			bad("the literal %d must be the number of components of the result %v", ids[2].Words[0], in.rt)
		}
	case "vstoren", "vstore_half", "vstore_half_r", "vstore_halfn", "vstore_halfn_r", "vstorea_halfn", "vstorea_halfn_r":
		p, data := t(2), t(0)
		half := strings.Contains(name, "half")
		switch {
		case !isVoid(in.rt):
			bad("the result must be void, it is %v", in.rt)
		case half && !isFloatSV(data) || !half && (!isKind(data, module.Vector) || !isNumber(data.Elem)):
			bad("the data cannot be %v", data)
		case !isInt(t(1)):
			bad("the offset must be an integer, %s", is(t(1)))
		case !isPtr(p) || half && (!isFloat(p.Elem) || p.Elem.Width != 16) || !half && p.Elem != elem(data):
			bad("the pointer must point to the components that are stored, %s", is(p))
		case readOnly(p.Storage):
			bad("it cannot write to the storage class %v", p.Storage)
		}
	case "shuffle", "shuffle2":
		mask := t(len(ids) - 1)
		switch {
		case !isKind(in.rt, module.Vector) || !isNumber(in.rt.Elem):
			bad("the result must be a vector of numbers, it is %v", in.rt)
		case !isKind(t(0), module.Vector) || t(0).Elem != in.rt.Elem || name == "shuffle2" && t(1) != t(0):
			bad("the vectors must have components of the result's type %v", in.rt.Elem)
		case !isKind(mask, module.Vector) || !isInt(mask.Elem) || mask.Count != in.rt.Count || mask.Elem.Width != in.rt.Elem.Width:
			bad("the mask must have as many integers of the same width as the result %v, %s", in.rt, is(mask))
		}
	case "printf":
		p := t(0)
		switch {
		case !isInt(in.rt) || in.rt.Width != 32:
			bad("the result must be a 32-bit integer, it is %v", in.rt)
		case !isPtr(p) || p.Storage != spirv.StorageClassUniformConstant && !c.HasExtension("SPV_EXT_relaxed_printf_string_address_space") || !isInt(elemOrSelf(p.Elem)) || elemOrSelf(p.Elem).Width != 8:
			bad("the format must be a pointer in UniformConstant to 8-bit integers, %s", is(p))
		}
	case "prefetch":
		switch {
		case !isVoid(in.rt):
			bad("the result must be void, it is %v", in.rt)
		case !isPtr(t(0)) || t(0).Storage != spirv.StorageClassCrossWorkgroup || !isNumberSV(t(0).Elem):
			bad("the pointer must be in CrossWorkgroup and point to numbers, %s", is(t(0)))
		case !isInt(t(1)):
			bad("the number of elements must be an integer, %s", is(t(1)))
		}
	default:
		if strings.HasPrefix(name, "Pack") || strings.HasPrefix(name, "Unpack") {
			c.packing(in, set, name, t(0))
		}
	}
}

// elemOrSelf returns the element of an array, and the type itself otherwise.
func elemOrSelf(t *module.Type) *module.Type {
	if isKind(t, module.Array) {
		return t.Elem
	}
	return t
}

// packing checks the conversions between packed integers and vectors of GLSL.std.450.
func (c *checker) packing(in *inst, set, name string, t *module.Type) {
	packed, vector := in.rt, t
	if strings.HasPrefix(name, "Unpack") {
		packed, vector = t, in.rt
	}
	wantPacked := isInt(packed) && packed.Width == 32
	wantVector := isKind(vector, module.Vector) && isFloat(vector.Elem) && vector.Elem.Width == 32 && vector.Count == 2
	switch {
	case strings.HasSuffix(name, "4x8"):
		wantVector = isKind(vector, module.Vector) && isFloat(vector.Elem) && vector.Elem.Width == 32 && vector.Count == 4
	case strings.HasSuffix(name, "2x32"):
		wantPacked = isFloat(packed) && packed.Width == 64
		wantVector = isKind(vector, module.Vector) && isInt(vector.Elem) && vector.Elem.Width == 32 && vector.Count == 2
	case name == "UnpackHalf2x16" || name == "PackHalf2x16":
		wantVector = isKind(vector, module.Vector) && isFloat(vector.Elem) && (vector.Elem.Width == 32 || vector.Elem.Width == 16) && vector.Count == 2
	}
	if !wantPacked || !wantVector {
		c.fail(in, set, "%s cannot convert between %v and %v", name, packed, vector)
	}
}
