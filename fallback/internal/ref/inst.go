package ref

import (
	"math"
	"math/bits"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// inst executes one instruction.
func (fr *frame) inst(in *spirv.Instruction) {
	w := in.Words
	set := func(v Value) { fr.set(w[1], v) }
	switch in.Op {
	case spirv.OpVariable:
		v := fr.l.zero(fr.typ(w[0]).Elem)
		if len(w) > 3 {
			v = fr.get(w[3]).clone()
		}
		set(Value{Ptr: &pointer{cell: &v}})
	case spirv.OpLoad:
		set(fr.get(w[2]).Ptr.load())
	case spirv.OpStore:
		fr.get(w[0]).Ptr.store(fr.get(w[1]).clone())
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpPtrAccessChain:
		set(Value{Ptr: fr.chain(in)})
	case spirv.OpCopyObject:
		set(fr.get(w[2]))
	case spirv.OpFunctionCall:
		var args []Value
		for _, a := range w[3:] {
			args = append(args, fr.get(a))
		}
		set(fr.l.call(fr.l.m.FunctionByID[spirv.ID(w[2])], args, fr.instance(in)))
	case spirv.OpSubgroupBitcastShuffleINTEL:
		if fr.l.Visit != nil {
			fr.l.Visit(in, fr.l.id, fr.instance(in).String())
		}
		if components(fr.typ(w[0])) == components(fr.typeOf(w[2])) {
			set(fr.get(w[2])) // bits stay where they are; nobody needs to be waited for
		} else {
			set(fr.wait(in))
		}
	case spirv.OpControlBarrier:
		fr.wait(in)
	case spirv.OpMemoryBarrier:
	case spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicIAdd, spirv.OpAtomicISub, spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement,
		spirv.OpAtomicAnd, spirv.OpAtomicOr, spirv.OpAtomicXor, spirv.OpAtomicUMin, spirv.OpAtomicSMin, spirv.OpAtomicUMax, spirv.OpAtomicSMax:
		fr.atomic(in)
	case spirv.OpCompositeConstruct:
		v := Value{}
		isVector := fr.typ(w[0]).Kind == module.Vector
		for _, a := range w[2:] {
			if p := fr.get(a); isVector && p.Parts != nil {
				v.Parts = append(v.Parts, p.Parts...)
			} else {
				v.Parts = append(v.Parts, p)
			}
		}
		set(v)
	case spirv.OpCompositeExtract:
		v := fr.get(w[2])
		for _, i := range w[3:] {
			v = v.Parts[i]
		}
		set(v)
	case spirv.OpCompositeInsert:
		v := fr.get(w[3]).clone()
		at := &v
		for _, i := range w[4:] {
			at = &at.Parts[i]
		}
		*at = fr.get(w[2])
		set(v)
	case spirv.OpVectorShuffle:
		both := append(append([]Value{}, fr.get(w[2]).Parts...), fr.get(w[3]).Parts...)
		v := Value{}
		for _, i := range w[4:] {
			v.Parts = append(v.Parts, both[i])
		}
		set(v)
	case spirv.OpVectorExtractDynamic:
		set(fr.get(w[2]).Parts[fr.get(w[3]).Bits])
	case spirv.OpVectorInsertDynamic:
		v := fr.get(w[2]).clone()
		v.Parts[fr.get(w[4]).Bits] = fr.get(w[3])
		set(v)
	case spirv.OpSelect:
		c, a, b := fr.get(w[2]), fr.get(w[3]), fr.get(w[4])
		if c.Parts == nil {
			if c.Bits == 0 {
				a = b
			}
			set(a)
			return
		}
		v := Value{}
		for i := range c.Parts {
			p := b.Parts[i]
			if c.Parts[i].Bits != 0 {
				p = a.Parts[i]
			}
			v.Parts = append(v.Parts, p)
		}
		set(v)
	case spirv.OpBitcast:
		set(fr.bitcast(in))
	case spirv.OpAny, spirv.OpAll:
		n := uint64(0)
		parts := fr.get(w[2]).Parts
		for _, p := range parts {
			n += p.Bits
		}
		set(truth(in.Op == spirv.OpAny && n > 0 || in.Op == spirv.OpAll && n == uint64(len(parts))))
	case spirv.OpDot:
		a, b := fr.get(w[2]).Parts, fr.get(w[3]).Parts
		t := fr.typ(w[0])
		sum := floatOp(spirv.OpFMul, t.Width, a[0].Bits, b[0].Bits)
		for i := 1; i < len(a); i++ {
			sum = floatOp(spirv.OpFAdd, t.Width, sum, floatOp(spirv.OpFMul, t.Width, a[i].Bits, b[i].Bits))
		}
		set(Value{Bits: sum})
	case spirv.OpVectorTimesScalar:
		s := fr.get(w[3]).Bits
		v := Value{}
		for _, p := range fr.get(w[2]).Parts {
			v.Parts = append(v.Parts, Value{Bits: floatOp(spirv.OpFMul, fr.typ(w[0]).Elem.Width, p.Bits, s)})
		}
		set(v)
	case spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended:
		a, b := uint32(fr.get(w[2]).Bits), uint32(fr.get(w[3]).Bits)
		var low, high uint32
		switch in.Op {
		case spirv.OpIAddCarry:
			low, high = bits.Add32(a, b, 0)
		case spirv.OpISubBorrow:
			low, high = bits.Sub32(a, b, 0)
		case spirv.OpUMulExtended:
			high, low = bits.Mul32(a, b)
		case spirv.OpSMulExtended:
			p := int64(int32(a)) * int64(int32(b))
			low, high = uint32(p), uint32(p>>32)
		}
		set(Value{Parts: []Value{{Bits: uint64(low)}, {Bits: uint64(high)}}})
	default:
		if in.Op >= spirv.OpGroupNonUniformElect && in.Op <= spirv.OpGroupNonUniformQuadSwap || in.Op == spirv.OpGroupNonUniformRotateKHR ||
			in.Op == spirv.OpGroupNonUniformPartitionEXT {
			set(fr.wait(in))
			return
		}
		set(fr.elementwise(in))
	}
}

func truth(b bool) Value {
	if b {
		return Value{Bits: 1}
	}
	return Value{}
}

// bitcast joins the bits of the operand, first component lowest, and cuts them up.
func (fr *frame) bitcast(in *spirv.Instruction) Value {
	from, to := fr.typeOf(in.Words[2]), fr.typ(in.Words[0])
	src := fr.get(in.Words[2])
	if src.Ptr != nil {
		p := *src.Ptr
		p.wide = to.Elem.Width == 64
		return Value{Ptr: &p}
	}
	if src.Parts == nil {
		src.Parts = []Value{src}
	}
	var list []byte // one bit each
	for _, p := range src.Parts {
		for i := range from.Scalar().Width {
			list = append(list, byte(p.Bits>>i&1))
		}
	}
	out := Value{}
	for width := to.Scalar().Width; len(list) > 0; list = list[width:] {
		var v uint64
		for i := range width {
			v |= uint64(list[i]) << i
		}
		out.Parts = append(out.Parts, Value{Bits: v})
	}
	if to.Kind != module.Vector {
		return out.Parts[0]
	}
	return out
}

// elementwise applies an instruction to each component.
func (fr *frame) elementwise(in *spirv.Instruction) Value {
	result := fr.typ(in.Words[0])
	operand := fr.typeOf(in.Words[2])
	var args [4]Value
	var widths [4]int
	n := len(in.Words) - 2
	for j, w := range in.Words[2:] {
		args[j], widths[j] = fr.get(w), fr.typeOf(w).Scalar().Width
	}
	one := func(i int) Value {
		var b [4]uint64
		for j := range n {
			if b[j] = args[j].Bits; i >= 0 {
				b[j] = args[j].Parts[i].Bits
			}
			if widths[j] > 0 {
				b[j] = cut(b[j], widths[j])
			}
		}
		return Value{Bits: scalar(in.Op, operand.Scalar(), result.Scalar(), b[:n])}
	}
	if result.Kind != module.Vector {
		return one(-1)
	}
	v := Value{Parts: make([]Value, result.Count)}
	for i := range v.Parts {
		v.Parts[i] = one(i)
	}
	return v
}

// scalar computes one component.
func scalar(op spirv.Op, from, to *module.Type, a []uint64) uint64 {
	if v, ok := boolOp(op, a); ok {
		return v
	}
	switch {
	case from.Kind == module.Int && to.Kind == module.Int:
		return cut(intOp(op, from.Width, a), to.Width)
	case from.Kind == module.Int && to.Kind == module.Bool:
		return compare(op, from.Width, a)
	case from.Kind == module.Float && to.Kind == module.Bool:
		return floatCompare(op, number(from.Width, a[0]), numberOr(from.Width, a))
	case from.Kind == module.Float && to.Kind == module.Float && op == spirv.OpFConvert:
		return encode(to.Width, number(from.Width, a[0]))
	case from.Kind == module.Float && to.Kind == module.Float:
		b := uint64(0)
		if len(a) > 1 {
			b = a[1]
		}
		return floatOp(op, from.Width, a[0], b)
	case from.Kind == module.Float:
		return toInt(number(from.Width, a[0]), to.Width, op == spirv.OpConvertFToS)
	case to.Kind == module.Float:
		return fromInt(a[0], from.Width, to.Width, op == spirv.OpConvertSToF)
	}
	fail("%v", op)
	return 0
}

func numberOr(width int, a []uint64) float64 {
	if len(a) > 1 {
		return number(width, a[1])
	}
	return math.NaN()
}
