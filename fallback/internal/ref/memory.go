package ref

import "github.com/sgrun/sgrun/spirv"

// pointer is a place: a word, or two, of a buffer, or a part of a variable.
type pointer struct {
	buffer []uint32
	index  int
	wide   bool // two words
	cell   *Value
}

func (p *pointer) load() Value {
	switch {
	case p.buffer == nil:
		return p.cell.clone()
	case p.wide:
		return Value{Bits: uint64(p.buffer[p.index]) | uint64(p.buffer[p.index+1])<<32}
	}
	return Value{Bits: uint64(p.buffer[p.index])}
}

func (p *pointer) store(v Value) {
	if p.buffer == nil {
		*p.cell = v
		return
	}
	p.buffer[p.index] = uint32(v.Bits)
	if p.wide {
		p.buffer[p.index+1] = uint32(v.Bits >> 32)
	}
}

// chain follows an access chain.
func (fr *frame) chain(in *spirv.Instruction) *pointer {
	base := fr.get(in.Words[2]).Ptr
	last := fr.get(in.Words[len(in.Words)-1]).Bits
	if base.buffer != nil { // a buffer is words, however deep the block that holds them
		return &pointer{buffer: base.buffer, index: base.index + int(int64(last))}
	}
	cell := base.cell
	for _, w := range in.Words[3:] {
		cell = &cell.Parts[fr.get(w).Bits]
	}
	return &pointer{cell: cell}
}

// atomic executes an atomic instruction. One lane runs at a time, so nothing comes between.
func (fr *frame) atomic(in *spirv.Instruction) {
	w := in.Words
	if in.Op == spirv.OpAtomicStore {
		fr.get(w[0]).Ptr.store(fr.get(w[3]))
		return
	}
	p, width := fr.get(w[2]).Ptr, fr.typ(w[0]).Width
	old := p.load().Bits
	fr.set(w[1], Value{Bits: old})
	v := uint64(0)
	if len(w) > 5 {
		v = fr.get(w[5]).Bits
	}
	less := old < v
	if in.Op == spirv.OpAtomicSMin || in.Op == spirv.OpAtomicSMax {
		less = signed(old, width) < signed(v, width)
	}
	switch in.Op {
	case spirv.OpAtomicLoad:
		return
	case spirv.OpAtomicIAdd:
		v += old
	case spirv.OpAtomicISub:
		v = old - v
	case spirv.OpAtomicIIncrement:
		v = old + 1
	case spirv.OpAtomicIDecrement:
		v = old - 1
	case spirv.OpAtomicAnd:
		v &= old
	case spirv.OpAtomicOr:
		v |= old
	case spirv.OpAtomicXor:
		v ^= old
	case spirv.OpAtomicUMin, spirv.OpAtomicSMin:
		if less {
			v = old
		}
	case spirv.OpAtomicUMax, spirv.OpAtomicSMax:
		if !less {
			v = old
		}
	default:
		fail("%v", in.Op)
	}
	p.store(Value{Bits: cut(v, width)})
}
