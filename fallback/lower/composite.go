package lower

import (
	"slices"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

func compositeConstruct(b *builder, in *spirv.Instruction) {
	var out []lane.Value
	for _, w := range in.Words[2:] {
		out = append(out, b.comps(spirv.ID(w))...)
	}
	if len(out) != len(b.flat(b.resultType(in))) {
		b.invalid("the constituents have %d scalars, the result has %d", len(out), len(b.flat(b.resultType(in))))
	}
	b.set(in, out...)
}

// part finds the scalars of a composite that literal indices choose.
func (b *builder) part(t *module.Type, indices []uint32) (first, n int) {
	for _, w := range indices {
		i := int(w)
		switch t.Kind {
		case module.Struct:
			if i >= len(t.Members) {
				b.invalid("member %d of %v does not exist", i, t)
			}
			b.spend(i / 16)
			for _, m := range t.Members[:i] {
				first += len(b.flat(m))
			}
			t = t.Members[i]
		case module.Vector, module.Matrix, module.Array:
			size := len(b.flat(t.Elem))
			if i >= len(b.flat(t))/max(size, 1) && size > 0 {
				b.invalid("index %d is outside %v", i, t)
			}
			first += i * size
			t = t.Elem
		default:
			b.invalid("%v has no parts", t)
		}
	}
	return first, len(b.flat(t))
}

func compositeExtract(b *builder, in *spirv.Instruction) {
	first, n := b.part(b.typeOf(spirv.ID(in.Words[2])), in.Words[3:])
	b.set(in, b.comps(spirv.ID(in.Words[2]))[first:first+n]...)
}

func compositeInsert(b *builder, in *spirv.Instruction) {
	first, n := b.part(b.resultType(in), in.Words[4:])
	out := slices.Clone(b.comps(spirv.ID(in.Words[3])))
	object := b.comps(spirv.ID(in.Words[2]))
	if len(object) != n {
		b.invalid("the object has %d scalars, its place %d", len(object), n)
	}
	copy(out[first:], object)
	b.set(in, out...)
}

func vectorExtractDynamic(b *builder, in *spirv.Instruction) {
	v := b.comps(spirv.ID(in.Words[2]))
	b.set(in, b.pick(v, len(v), b.one(spirv.ID(in.Words[3])))...)
}

// vectorInsertDynamic leaves the vector as it is where the index is out of range.
func vectorInsertDynamic(b *builder, in *spirv.Instruction) {
	v, x, index := b.comps(spirv.ID(in.Words[2])), b.one(spirv.ID(in.Words[3])), b.one(spirv.ID(in.Words[4]))
	k := b.integer(index)
	out := make([]lane.Value, len(v))
	for i := range v {
		is := b.op(lane.IEqual, k, index, b.constant(k, uint64(i)))
		out[i] = b.op(lane.Select, b.p.Values[v[i]], is, x, v[i])
	}
	b.set(in, out...)
}

// vectorShuffle gives components without a source the value 0.
func vectorShuffle(b *builder, in *spirv.Instruction) {
	both := slices.Concat(b.comps(spirv.ID(in.Words[2])), b.comps(spirv.ID(in.Words[3])))
	k := b.scalarKind(b.resultType(in))
	var out []lane.Value
	for _, w := range in.Words[4:] {
		switch {
		case w == ^uint32(0):
			out = append(out, b.constant(k, 0))
		case int(w) < len(both):
			out = append(out, both[w])
		default:
			b.invalid("component %d is outside both vectors", w)
		}
	}
	b.set(in, out...)
}
