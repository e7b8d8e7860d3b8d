package lower

import (
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// rounding returns the rounding mode an instruction's result is decorated with.
func (b *builder) rounding(id spirv.ID) lane.Rounding {
	d, ok := b.m.Decoration(id, spirv.DecorationFPRoundingMode)
	if !ok {
		return lane.RoundDefault
	}
	return b.roundingOf(spirv.FPRoundingMode(d.Operands[0]))
}

func (b *builder) roundingOf(mode spirv.FPRoundingMode) lane.Rounding {
	switch mode {
	case spirv.FPRoundingModeRTE:
		return lane.RoundNearest
	case spirv.FPRoundingModeRTZ:
		return lane.RoundTowardZero
	case spirv.FPRoundingModeRTP:
		return lane.RoundUp
	case spirv.FPRoundingModeRTN:
		return lane.RoundDown
	default:
		b.refuse("the rounding mode %v is not supported", mode)
		return 0
	}
}

// conversion lowers conversions between numerical types, component by component.
func conversion(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		id := spirv.ID(in.Words[1])
		from, to := b.scalarKind(b.typeOf(spirv.ID(in.Words[2]))), b.scalarKind(b.resultType(in))
		imm := b.rounding(id)
		_, saturated := b.m.Decoration(id, spirv.DecorationSaturatedConversion)
		var out []lane.Value
		for _, v := range b.comps(spirv.ID(in.Words[2])) {
			d, ok := b.fold(op, from, to, imm, []lane.Value{v})
			if !ok {
				d = b.p.NewValue(to)
				b.add(lane.Inst{Op: op, Kind: from, To: to, Imm: imm, Dst: []lane.Value{d}, Src: []lane.Value{v}, Defined: saturated})
			}
			out = append(out, d)
		}
		b.set(in, out...)
	}
}

// bitcast lowers OpBitcast. Between values with the same widths it is nothing: a value is bits.
func bitcast(b *builder, in *spirv.Instruction) {
	src := b.comps(spirv.ID(in.Words[2]))
	kinds := b.flat(b.resultType(in))
	from, to := b.scalarKind(b.typeOf(spirv.ID(in.Words[2]))), kinds[0]
	switch {
	case from.Bits() == to.Bits() && len(src) == len(kinds):
		b.set(in, src...)
	case len(src)*from.Bits() != len(kinds)*to.Bits():
		b.invalid("the operand has %d bits, the result %d", len(src)*from.Bits(), len(kinds)*to.Bits())
	default:
		dst := b.repackConstant(src, from, kinds)
		if dst == nil {
			dst = b.fresh(kinds)
			b.add(lane.Inst{Op: lane.Repack, Kind: from, To: to, Dst: dst, Src: src})
		}
		b.set(in, dst...)
	}
}

// repackConstant computes a bitcast of constants to components of another width.
func (b *builder) repackConstant(src []lane.Value, from lane.Kind, kinds []lane.Kind) []lane.Value {
	out := make([]uint64, len(kinds))
	width := kinds[0].Bits()
	for i, v := range src {
		bits, ok := b.isConst[v]
		if !ok {
			return nil
		}
		for j := range from.Bits() {
			at := i*from.Bits() + j
			out[at/width] |= bits >> j & 1 << (at % width)
		}
	}
	dst := make([]lane.Value, len(kinds))
	for i, k := range kinds {
		dst[i] = b.constant(k, out[i])
	}
	return dst
}

// convertPointer lowers conversions between addresses and integers: the address is extended with zeros or cut.
func convertPointer(b *builder, in *spirv.Instruction) {
	b.set(in, b.convert(b.one(spirv.ID(in.Words[2])), b.scalarKind(b.resultType(in)), false))
}

// genericCastExplicit lowers OpGenericCastToPtrExplicit, whose last operand is the storage class to test for.
func genericCastExplicit(b *builder, in *spirv.Instruction) {
	k := b.p.AddrKind
	d := b.p.NewValue(k)
	b.add(lane.Inst{Op: lane.GenericCast, Kind: k, To: k, Imm: int64(in.Words[3]), Dst: []lane.Value{d}, Src: []lane.Value{b.address(spirv.ID(in.Words[2]))}})
	b.set(in, d)
}

func pointerTest(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		b.set(in, b.op(op, b.p.AddrKind, b.address(spirv.ID(in.Words[2])), b.address(spirv.ID(in.Words[3]))))
	}
}

// pointerDiff is the difference in elements (SPIR-V 1.6, section 3.3.8, OpPtrDiff).
func pointerDiff(b *builder, in *spirv.Instruction) {
	p := spirv.ID(in.Words[2])
	k := b.p.AddrKind
	size := b.pointee(p).Size
	if d, ok := b.m.Decoration(b.typeOf(p).ID, spirv.DecorationArrayStride); ok {
		size = uint64(d.Operands[0])
	}
	bytes := b.op(lane.Sub, k, b.address(p), b.address(spirv.ID(in.Words[3])))
	count := b.op(lane.SDiv, k, bytes, b.constant(k, max(size, 1)))
	b.set(in, b.convert(count, b.scalarKind(b.resultType(in)), true))
}

// bitcastShuffle lowers OpSubgroupBitcastShuffleINTEL. With as many components on both sides the bits stay in their
// lane; it is still an instruction, because it is undefined where the sub-group is not complete.
func bitcastShuffle(b *builder, in *spirv.Instruction) {
	src := b.comps(spirv.ID(in.Words[2]))
	kinds := b.flat(b.resultType(in))
	from := b.scalarKind(b.typeOf(spirv.ID(in.Words[2])))
	if len(src)*from.Bits() != len(kinds)*kinds[0].Bits() {
		b.invalid("the operand has %d bits, the result %d", len(src)*from.Bits(), len(kinds)*kinds[0].Bits())
	}
	dst := b.fresh(kinds)
	b.add(lane.Inst{Op: lane.BitcastShuffle, Kind: from, To: kinds[0], Dst: dst, Src: src})
	b.set(in, dst...)
}
