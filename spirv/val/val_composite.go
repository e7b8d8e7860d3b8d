package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// maxIndices is how many indices an access chain or a composite access may have (SPIR-V 1.6, section 2.17).
const maxIndices = 255

// Composite instructions (SPIR-V 1.6, section 3.3.12).
var compositeRules = map[spirv.Op]rule{
	spirv.OpVectorExtractDynamic: vectorExtract, spirv.OpVectorInsertDynamic: vectorInsert, spirv.OpVectorShuffle: vectorShuffle,
	spirv.OpCompositeConstruct: compositeConstruct, spirv.OpCompositeExtract: compositeExtract, spirv.OpCompositeInsert: compositeInsert,
	spirv.OpCopyObject: copyObject, spirv.OpTranspose: transpose, spirv.OpCopyLogical: copyLogical,
	spirv.OpCompositeConstructReplicateEXT: replicate,
}

// noStorageOnly refuses results whose 8- or 16-bit numbers a shader may only store.
func (c *checker) noStorageOnly(in *inst) {
	if c.storageOnly(in.rt) {
		c.bad(in, "%v cannot make %v: the module declares a capability for its storage only, not for arithmetic", in.Op, in.rt)
	}
}

func vectorExtract(c *checker, in *inst) {
	v, i := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isKind(v, module.Vector) || v.Elem != in.rt:
		c.bad(in, "the vector of %v must have components of the result type %v, %s", in.Op, in.rt, is(v))
	case !isInt(i):
		c.bad(in, "the index of %v must be an integer, %s", in.Op, is(i))
	default:
		c.noStorageOnly(in)
	}
}

func vectorInsert(c *checker, in *inst) {
	v, e, i := c.typeOf(in, 0), c.typeOf(in, 1), c.typeOf(in, 2)
	switch {
	case !isKind(in.rt, module.Vector):
		c.bad(in, "the result of %v must be a vector, it is %v", in.Op, in.rt)
	case v != in.rt:
		c.bad(in, "the vector of %v must have the result type %v, %s", in.Op, in.rt, is(v))
	case e != in.rt.Elem:
		c.bad(in, "the component of %v must have the vector's component type %v, %s", in.Op, in.rt.Elem, is(e))
	case !isInt(i):
		c.bad(in, "the index of %v must be an integer, %s", in.Op, is(i))
	default:
		c.noStorageOnly(in)
	}
}

func vectorShuffle(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	picks := in.args()[2:]
	if !isKind(in.rt, module.Vector) || len(picks) != in.rt.Count {
		c.bad(in, "the result of %v must be a vector of as many components as it lists, %d, it is %v", in.Op, len(picks), in.rt)
		return
	}
	for i, v := range []*module.Type{a, b} {
		if !isKind(v, module.Vector) || v.Elem != in.rt.Elem {
			c.bad(in, "vector %d of %v must have components of type %v, %s", i+1, in.Op, in.rt.Elem, is(v))
			return
		}
	}
	for _, p := range picks {
		if w := p.Words[0]; w != 0xffffffff && uint64(w) >= uint64(a.Count)+uint64(b.Count) {
			c.bad(in, "component %d of %v is beyond the %d components of both vectors", w, in.Op, a.Count+b.Count)
			return
		}
	}
	c.noStorageOnly(in)
}

func compositeConstruct(c *checker, in *inst) {
	parts := in.args()
	switch {
	case isKind(in.rt, module.Vector):
		if len(parts) < 2 && !c.HasCapability(spirv.CapabilityLongVectorEXT) {
			c.bad(in, "a vector must be constructed from at least two constituents")
			return
		}
		n := 0
		for i := range parts {
			t := c.typeOf(in, i)
			if elem(t) != in.rt.Elem {
				c.bad(in, "constituent %d must be a scalar or vector of %v, %s", i, in.rt.Elem, is(t))
				return
			}
			n += components(t)
		}
		if n != in.rt.Count {
			c.bad(in, "the constituents have %d components, the result type %v has %d", n, in.rt, in.rt.Count)
			return
		}
	case isCoop(in.rt):
		if len(parts) != 1 || c.typeOf(in, 0) != c.coopElem(in.rt) {
			c.bad(in, "a cooperative matrix is constructed from one scalar of its component type")
			return
		}
	case !isComposite(in.rt):
		c.bad(in, "the result of OpCompositeConstruct must be a composite, it is %v", in.rt)
		return
	case !c.constituents(in, "constituent"):
		return
	}
	c.noStorageOnly(in)
}

// constituents checks the parts of a matrix, array or structure: as many as it has, each of its part's type.
func (c *checker) constituents(in *inst, what string) bool {
	parts := in.args()
	want, known := uint64(0), true
	part := func(int) *module.Type { return in.rt.Elem }
	switch in.rt.Kind {
	case module.Vector, module.Matrix:
		want = uint64(in.rt.Count)
	case module.Array:
		want, known = c.constant(in.rt.Length)
	case module.Struct:
		want = uint64(len(in.rt.Members))
		part = func(i int) *module.Type { return in.rt.Members[i] }
	}
	if known && uint64(len(parts)) != want {
		c.bad(in, "%v has %d parts, %d are given", in.rt, want, len(parts))
		return false
	}
	for i := range parts {
		if t := c.typeOf(in, i); t != part(i) {
			c.bad(in, "%s %d must have the type %v, %s", what, i, part(i), is(t))
			return false
		}
	}
	return true
}

// walk follows literal indices into a composite; nil where one does not lead anywhere, which is noted.
func (c *checker) walk(in *inst, t *module.Type, indices []module.Operand) *module.Type {
	if len(indices) == 0 {
		c.bad(in, "%v needs at least one index", in.Op)
		return nil
	}
	if len(indices) > maxIndices {
		c.bad(in, "%v has %d indices, the limit is %d", in.Op, len(indices), maxIndices)
		return nil
	}
	for n, o := range indices {
		i := uint64(o.Words[0])
		limit, known := uint64(0), true
		switch {
		case isKind(t, module.Vector), isKind(t, module.Matrix):
			limit = uint64(t.Count)
		case isKind(t, module.Array):
			limit, known = c.constant(t.Length)
		case isKind(t, module.Struct):
			limit = uint64(len(t.Members))
		case isKind(t, module.RuntimeArray), isCoop(t):
			known = false
		default:
			c.bad(in, "index %d of %v finds no composite, %s", n, in.Op, is(t))
			return nil
		}
		if known && i >= limit {
			c.bad(in, "index %d of %v is %d, %v has %d parts", n, in.Op, i, t, limit)
			return nil
		}
		switch {
		case t.Kind == module.Struct:
			t = t.Members[i]
		case isCoop(t):
			t = c.coopElem(t)
		default:
			t = t.Elem
		}
	}
	return t
}

func compositeExtract(c *checker, in *inst) {
	t := c.walk(in, c.typeOf(in, 0), in.args()[1:])
	switch {
	case t == nil:
	case t != in.rt:
		c.bad(in, "the result of %v must have the type of the part %v, it is %v", in.Op, t, in.rt)
	default:
		c.noStorageOnly(in)
	}
}

func compositeInsert(c *checker, in *inst) {
	object, composite := c.typeOf(in, 0), c.typeOf(in, 1)
	if composite != in.rt {
		c.bad(in, "the composite of %v must have the result type %v, %s", in.Op, in.rt, is(composite))
		return
	}
	t := c.walk(in, composite, in.args()[2:])
	switch {
	case t == nil:
	case t != object:
		c.bad(in, "the object of %v must have the type of the part %v, %s", in.Op, t, is(object))
	default:
		c.noStorageOnly(in)
	}
}

func copyObject(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case isVoid(in.rt):
		c.bad(in, "OpCopyObject cannot copy void")
	case t != in.rt:
		c.bad(in, "the operand of OpCopyObject must have the result type %v, %s", in.rt, is(t))
	}
}

func transpose(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case !isKind(in.rt, module.Matrix):
		c.bad(in, "the result of OpTranspose must be a matrix, it is %v", in.rt)
	case !isKind(t, module.Matrix) || t.Scalar() != in.rt.Scalar() || t.Count != in.rt.Elem.Count || t.Elem.Count != in.rt.Count:
		c.bad(in, "the matrix of OpTranspose must have rows and columns of the result type %v exchanged, %s", in.rt, is(t))
	default:
		c.noStorageOnly(in)
	}
}

func copyLogical(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case t == in.rt:
		c.bad(in, "operand and result of OpCopyLogical must have different types, both are %v", t)
	case !c.logicalMatch(t, in.rt):
		c.bad(in, "operand and result of OpCopyLogical must match logically, they are %v and %v", t, in.rt)
	default:
		c.noStorageOnly(in)
	}
}

// logicalMatch reports whether two aggregates have the same parts, decorations aside (SPIR-V 1.6, section 3.3.12,
// OpCopyLogical). Types are trees of bounded depth; pairs seen before are not compared again.
func (c *checker) logicalMatch(a, b *module.Type) bool {
	type pair struct{ a, b *module.Type }
	seen := map[pair]bool{}
	var match func(a, b *module.Type) bool
	match = func(a, b *module.Type) bool {
		switch {
		case a == nil || b == nil || a.Kind != b.Kind:
			return false
		case a == b || seen[pair{a, b}]:
			return true
		}
		seen[pair{a, b}] = true
		switch a.Kind {
		case module.Array:
			x, okX := c.DefaultValue(a.Length)
			y, okY := c.DefaultValue(b.Length)
			return (a.Length == b.Length || okX && okY && x == y) && match(a.Elem, b.Elem)
		case module.Struct:
			if len(a.Members) != len(b.Members) {
				return false
			}
			for i := range a.Members {
				if !match(a.Members[i], b.Members[i]) {
					return false
				}
			}
			return true
		}
		return false
	}
	return (isKind(a, module.Array) || isKind(a, module.Struct)) && match(a, b)
}

func replicate(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	want := in.rt.Elem
	switch {
	case isCoop(in.rt):
		want = c.coopElem(in.rt)
	case isKind(in.rt, module.Struct):
		for i, m := range in.rt.Members {
			if m != t {
				c.bad(in, "member %d of the result must have the type of the constituent %v, it is %v", i, t, m)
				return
			}
		}
		return
	case !isComposite(in.rt):
		c.bad(in, "the result of %v must be a composite, it is %v", in.Op, in.rt)
		return
	}
	if t != want {
		c.bad(in, "the constituent of %v must have the type of the result's parts %v, %s", in.Op, want, is(t))
	}
}
