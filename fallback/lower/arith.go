package lower

import (
	"strings"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// isDebugSet reports whether an extended instruction set holds debug information only.
func isDebugSet(name string) bool {
	return strings.HasPrefix(name, "NonSemantic.") || name == "OpenCL.DebugInfo.100" || name == "DebugInfo"
}

// elementwiseAs lowers an instruction whose operands, from the third word on, all have as many components as the result.
func elementwiseAs(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		var operands [][]lane.Value
		for _, w := range in.Words[2:] {
			operands = append(operands, b.comps(spirv.ID(w)))
		}
		n := len(b.flat(b.resultType(in)))
		out := make([]lane.Value, n)
		for i := range out {
			src := make([]lane.Value, len(operands))
			for j, o := range operands {
				if len(o) != n {
					b.invalid("the operands have different numbers of components")
				}
				src[j] = o[i]
			}
			out[i] = b.op(op, b.operandKind(op, src[0], in), src...)
		}
		b.set(in, out...)
	}
}

// operandKind is the kind an operation works on: that of its operands' type, since a value carries bits, not a format.
func (b *builder) operandKind(op lane.Op, v lane.Value, in *spirv.Instruction) lane.Kind {
	k := b.scalarKind(b.typeOf(spirv.ID(in.Words[2])))
	if !op.Info().On.Has(k) {
		b.refuse("%v on %v is not supported", in.Op, k)
	}
	return k
}

// scalarKind is the kind of a type's scalars, where they are all of one.
func (b *builder) scalarKind(t *module.Type) lane.Kind {
	k := b.flat(t)
	if len(k) == 0 {
		b.invalid("a value of type %v has no components", t)
	}
	return k[0]
}

// shift lowers the shifts, whose amount may have another width than what is shifted.
func shift(b *builder, in *spirv.Instruction) {
	op, _ := lane.ElementwiseFor(in.Op)
	base, amount := b.comps(spirv.ID(in.Words[2])), b.comps(spirv.ID(in.Words[3]))
	k := b.scalarKind(b.resultType(in))
	out := make([]lane.Value, len(base))
	for i := range base {
		out[i] = b.op(op, k, base[i], b.amount(amount[i], k))
	}
	b.set(in, out...)
}

// amount brings a shift amount to the kind of what is shifted. An amount that does not fit keeps its value modulo the
// width but gets the width's bit set, so that it stays out of range.
func (b *builder) amount(v lane.Value, k lane.Kind) lane.Value {
	from := b.integer(v)
	cut := b.convert(v, k, false)
	if from.Bits() <= k.Bits() {
		return cut
	}
	width := uint64(k.Bits())
	big := b.op(lane.UGreaterEqual, from, v, b.constant(from, width))
	marked := b.op(lane.Or, k, cut, b.constant(k, width))
	return b.op(lane.Select, k, big, marked, cut)
}

// bitField lowers the bit field instructions: values, then offset and count, which are scalars of any width.
func bitField(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		n := len(in.Words)
		k := b.scalarKind(b.resultType(in))
		offset, count := b.clamped(b.one(spirv.ID(in.Words[n-2])), k), b.clamped(b.one(spirv.ID(in.Words[n-1])), k)
		base := b.comps(spirv.ID(in.Words[2]))
		out := make([]lane.Value, len(base))
		for i := range base {
			src := []lane.Value{base[i]}
			if op == lane.BitFieldInsert {
				src = append(src, b.comps(spirv.ID(in.Words[3]))[i])
			}
			out[i] = b.op(op, k, append(src, offset, count)...)
		}
		b.set(in, out...)
	}
}

// clamped brings a bit offset or count to a kind; what does not fit becomes one more than the width, which the
// operation clamps like any other number out of range.
func (b *builder) clamped(v lane.Value, k lane.Kind) lane.Value {
	from := b.integer(v)
	if from.Bits() > k.Bits() {
		limit := b.constant(from, uint64(k.Bits())+1)
		v = b.op(lane.Select, from, b.op(lane.UGreater, from, v, limit), limit, v)
	}
	return b.convert(v, k, false)
}

func bitCount(b *builder, in *spirv.Instruction) {
	base := b.comps(spirv.ID(in.Words[2]))
	k := b.scalarKind(b.typeOf(spirv.ID(in.Words[2])))
	to := b.scalarKind(b.resultType(in))
	out := make([]lane.Value, len(base))
	for i := range base {
		out[i] = b.convert(b.op(lane.BitCount, k, base[i]), to, false)
	}
	b.set(in, out...)
}

// twoResults lowers instructions whose result is a structure of two: all low parts, then all high parts.
func twoResults(low, high lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		x, y := b.comps(spirv.ID(in.Words[2])), b.comps(spirv.ID(in.Words[3]))
		k := b.scalarKind(b.typeOf(spirv.ID(in.Words[2])))
		var out []lane.Value
		for _, op := range []lane.Op{low, high} {
			for i := range x {
				out = append(out, b.op(op, k, x[i], y[i]))
			}
		}
		b.set(in, out...)
	}
}

// selectOp lowers OpSelect; a scalar condition chooses whole composites.
func selectOp(b *builder, in *spirv.Instruction) {
	cond := b.comps(spirv.ID(in.Words[2]))
	x, y := b.comps(spirv.ID(in.Words[3])), b.comps(spirv.ID(in.Words[4]))
	out := make([]lane.Value, len(x))
	for i := range x {
		c := cond[0]
		if len(cond) > 1 {
			c = cond[i]
		}
		out[i] = b.op(lane.Select, b.p.Values[x[i]], c, x[i], y[i])
	}
	b.set(in, out...)
}

func anyAll(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		v := b.comps(spirv.ID(in.Words[2]))
		out := v[0]
		for _, x := range v[1:] {
			out = b.op(op, lane.Bool, out, x)
		}
		b.set(in, out)
	}
}

// sumOfProducts is x·y, products rounded before they are added, from the first component on.
func (b *builder) sumOfProducts(k lane.Kind, x, y []lane.Value) lane.Value {
	sum := b.op(lane.FMul, k, x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = b.op(lane.FAdd, k, sum, b.op(lane.FMul, k, x[i], y[i]))
	}
	return sum
}

func dot(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	b.set(in, b.sumOfProducts(k, b.comps(spirv.ID(in.Words[2])), b.comps(spirv.ID(in.Words[3]))))
}

func timesScalar(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	s := b.one(spirv.ID(in.Words[3]))
	var out []lane.Value
	for _, v := range b.comps(spirv.ID(in.Words[2])) {
		out = append(out, b.op(lane.FMul, k, v, s))
	}
	b.set(in, out...)
}

// columns cuts a matrix into its columns.
func columns(m []lane.Value, rows int) (out [][]lane.Value) {
	for ; len(m) > 0; m = m[rows:] {
		out = append(out, m[:rows])
	}
	return out
}

// rowsOf cuts a matrix into its rows.
func rowsOf(m []lane.Value, rows int) [][]lane.Value {
	out := make([][]lane.Value, rows)
	for i, v := range m {
		out[i%rows] = append(out[i%rows], v)
	}
	return out
}

// matrix returns a matrix operand and its number of rows.
func (b *builder) matrix(id uint32) ([]lane.Value, int) {
	return b.comps(spirv.ID(id)), b.typeOf(spirv.ID(id)).Elem.Count
}

func vectorTimesMatrix(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	v := b.comps(spirv.ID(in.Words[2]))
	var out []lane.Value
	for _, col := range columns(b.matrix(in.Words[3])) {
		out = append(out, b.sumOfProducts(k, v, col))
	}
	b.set(in, out...)
}

func matrixTimesVector(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	v := b.comps(spirv.ID(in.Words[3]))
	var out []lane.Value
	for _, row := range rowsOf(b.matrix(in.Words[2])) {
		out = append(out, b.sumOfProducts(k, row, v))
	}
	b.set(in, out...)
}

func matrixTimesMatrix(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	rows := rowsOf(b.matrix(in.Words[2]))
	var out []lane.Value
	for _, col := range columns(b.matrix(in.Words[3])) {
		for _, row := range rows {
			out = append(out, b.sumOfProducts(k, row, col))
		}
	}
	b.set(in, out...)
}

func outerProduct(b *builder, in *spirv.Instruction) {
	k := b.scalarKind(b.resultType(in))
	var out []lane.Value
	for _, y := range b.comps(spirv.ID(in.Words[3])) {
		for _, x := range b.comps(spirv.ID(in.Words[2])) {
			out = append(out, b.op(lane.FMul, k, x, y))
		}
	}
	b.set(in, out...)
}

func transpose(b *builder, in *spirv.Instruction) {
	var out []lane.Value
	for _, row := range rowsOf(b.matrix(in.Words[2])) {
		out = append(out, row...)
	}
	b.set(in, out...)
}
