package lower

import (
	"slices"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// maxPromoted is the largest variable kept in registers, in scalars.
const maxPromoted = 64

// promotable finds the variables of a function that need no memory: all that is done with their address is to load and
// store whole parts of them, at places known now.
func (l *lowerer) promotable(f *module.Function) map[spirv.ID]bool {
	ok := map[spirv.ID]bool{}
	for _, v := range f.Variables {
		ok[v.ID] = l.scalars(v.Type.Elem) <= maxPromoted
	}
	l.disqualify([]*module.Function{f}, ok, true)
	return ok
}

// scalars counts the scalars of a type, up to one more than maxPromoted.
func (l *lowerer) scalars(t *module.Type) uint64 {
	if n, ok := l.counts[t]; ok {
		return n
	}
	n := uint64(1)
	switch t.Kind {
	case module.Struct:
		n = 0
		for _, m := range t.Members {
			n = min(n+l.scalars(m), maxPromoted+1)
		}
	case module.Vector, module.Matrix, module.Array:
		length := uint64(t.Count)
		if t.Kind == module.Array {
			length, _ = l.scalar(t.Length)
		}
		n = l.scalars(t.Elem) * min(length, maxPromoted+1)
	}
	n = min(n, maxPromoted+1)
	l.counts[t] = n
	return n
}

// addressedInputs finds the Input variables whose address is used for more than loads.
func (l *lowerer) addressedInputs() map[spirv.ID]bool {
	direct := map[spirv.ID]bool{}
	for _, v := range l.m.Globals {
		if v.Storage == spirv.StorageClassInput {
			direct[v.ID] = true
		}
	}
	l.disqualify(l.m.Functions, direct, false)
	out := map[spirv.ID]bool{}
	for id, ok := range direct {
		out[id] = !ok
	}
	return out
}

// disqualify clears the variables of the set that are used otherwise than by loads, stores and access chains to loads
// and stores. With constantOnly, indices must be constants, otherwise the first may be none and others may not follow it.
// A constant outside the type disqualifies too: in memory, such an access is an error when it is made. A word that is equal
// to an id by chance costs a variable its registers, nothing more.
func (l *lowerer) disqualify(functions []*module.Function, set map[spirv.ID]bool, constantOnly bool) {
	root := map[spirv.ID]spirv.ID{} // pointers into variables of the set
	for id := range set {
		root[id] = id
	}
	spoil := func(words []uint32) {
		for _, w := range words {
			if r, ok := root[spirv.ID(w)]; ok {
				set[r] = false
			}
		}
	}
	use := func(in *spirv.Instruction) {
		switch in.Op {
		case spirv.OpVariable:
			// Its own result id is no use; an initializer is a constant.
		case spirv.OpLoad:
			spoil(l.volatile(in, 3))
		case spirv.OpStore:
			spoil(in.Words[1:2])
			spoil(l.volatile(in, 2))
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			r, ok := root[spirv.ID(in.Words[2])]
			if !ok {
				spoil(in.Words[3:])
				return
			}
			root[spirv.ID(in.Words[1])] = r
			inside, constant := l.indices(l.m.TypeOf(spirv.ID(in.Words[2])), in.Words[3:])
			if !inside || !constant && (constantOnly || len(in.Words) > 4) {
				set[r] = false
			}
		case spirv.OpLifetimeStart, spirv.OpLifetimeStop:
		default:
			spoil(in.Words)
		}
	}
	for _, f := range functions {
		for _, blk := range f.Blocks {
			for _, in := range blk.Insts {
				use(in)
			}
			spoil(blk.Term.Words)
		}
	}
}

// indices reports whether the indices of an access chain from a pointer are constants, and whether those that are lie
// inside their types.
func (l *lowerer) indices(pointer *module.Type, words []uint32) (inside, constant bool) {
	constant = true
	t := pointer.Elem
	for _, w := range words {
		var length uint64
		switch t.Kind {
		case module.Struct:
			length = uint64(len(t.Members))
		case module.Vector, module.Matrix:
			length = uint64(t.Count)
		case module.Array:
			length, _ = l.scalar(t.Length)
		}
		i, ok := l.scalar(spirv.ID(w))
		switch {
		case !ok:
			constant = false
		case i >= length:
			return false, constant
		}
		if t.Kind == module.Struct && ok {
			t = t.Members[i]
		} else if t = t.Elem; t == nil {
			return false, constant
		}
	}
	return true, constant
}

// volatile returns the pointer operand of a load or store that is volatile.
func (l *lowerer) volatile(in *spirv.Instruction, at int) []uint32 {
	if len(in.Words) > at && in.Words[at]&uint32(spirv.MemoryAccessVolatile) != 0 {
		if in.Op == spirv.OpLoad {
			return in.Words[2:3]
		}
		return in.Words[:1]
	}
	return nil
}

// localVariable lowers an OpVariable of a function.
func (b *builder) localVariable(in *spirv.Instruction) {
	v := b.variables[in]
	if v == nil {
		b.invalid("the variable is of no use in a function")
	}
	var init []lane.Value
	if v.Initializer != 0 {
		init = b.comps(v.Initializer)
	}
	if !b.promoted[v.ID] {
		addr := b.input(b.p.AddrKind, lane.FromVariable, b.variable(v), 0)
		b.local[v.ID] = value{comps: []lane.Value{addr}}
		if init != nil {
			b.access(lane.Store, addr, b.places(b.node(v.Type.Elem, v.Storage)), init, v.Storage)
		}
		return
	}
	kinds := b.flat(v.Type.Elem)
	regs := b.fresh(kinds)
	b.local[v.ID] = value{reg: &register{comps: regs, index: lane.NoValue}}
	if init == nil {
		// Undefined contents are the same bytes as in memory, so that the result does not depend on what is promoted.
		for _, k := range kinds {
			init = append(init, b.constant(k, 0xA5A5A5A5A5A5A5A5))
		}
	}
	b.assign(regs, init)
}

// assign writes registers.
func (b *builder) assign(regs, src []lane.Value) {
	for i, r := range regs {
		k := b.p.Values[r]
		b.add(lane.Inst{Op: lane.Copy, Kind: k, To: k, Dst: regs[i : i+1 : i+1], Src: src[i : i+1 : i+1]})
		b.known[r] = src[i]
	}
}

// read reads registers. Within a block, what was read or written last is known and need not be copied.
func (b *builder) read(regs []lane.Value) []lane.Value {
	out := make([]lane.Value, len(regs))
	for i, r := range regs {
		v, ok := b.known[r]
		if !ok {
			k := b.p.Values[r]
			v = b.p.NewValue(k)
			b.add(lane.Inst{Op: lane.Copy, Kind: k, To: k, Dst: []lane.Value{v}, Src: []lane.Value{r}})
			b.known[r] = v
		}
		out[i] = v
	}
	return out
}

// pointee returns the layout of what a pointer points to.
func (b *builder) pointee(id spirv.ID) *module.Node {
	if v := b.get(id); v.node != nil {
		return v.node
	}
	t := b.typeOf(id)
	return b.node(t.Elem, t.Storage)
}

// address returns the address a pointer holds.
func (b *builder) address(id spirv.ID) lane.Value { return b.one(id) }

// access adds a Load or Store of scalars at places relative to an address; v are its results or what it stores.
func (b *builder) access(op lane.Op, addr lane.Value, places []lane.Comp, v []lane.Value, storage spirv.StorageClass) {
	if len(places) == 0 {
		return
	}
	m := &lane.Access{Storage: storage, Comps: places}
	for _, p := range places {
		m.Size = max(m.Size, p.Off+uint64(p.Kind.Bytes()))
	}
	in := lane.Inst{Op: op, Mem: m, Src: []lane.Value{addr}}
	if op == lane.Load {
		in.Dst = v
	} else {
		in.Src = append(in.Src, v...)
	}
	b.add(in)
}

func (b *builder) load(in *spirv.Instruction) {
	id := spirv.ID(in.Words[2])
	p := b.get(id)
	if r := p.reg; r != nil {
		b.set(in, b.loadRegister(r)...)
		return
	}
	n := b.pointee(id)
	dst := b.fresh(b.flat(n.Type))
	b.access(lane.Load, b.address(id), b.places(n), dst, b.typeOf(id).Storage)
	b.set(in, dst...)
}

func (b *builder) loadRegister(r *register) []lane.Value {
	switch {
	case r.readOnly && r.index == lane.NoValue:
		return r.comps
	case r.index == lane.NoValue:
		return b.read(r.comps)
	}
	return b.pick(r.comps, r.parts, r.index)
}

func (b *builder) store(in *spirv.Instruction) {
	id, src := spirv.ID(in.Words[0]), b.comps(spirv.ID(in.Words[1]))
	p := b.get(id)
	if r := p.reg; r != nil {
		if r.readOnly {
			b.invalid("a built-in input variable cannot be stored to")
		}
		b.assign(r.comps, src)
		return
	}
	n := b.pointee(id)
	b.access(lane.Store, b.address(id), b.places(n), src, b.typeOf(id).Storage)
}

// copyMemory lowers OpCopyMemory and OpCopyMemorySized.
func (b *builder) copyMemory(in *spirv.Instruction) {
	dst, src := spirv.ID(in.Words[0]), spirv.ID(in.Words[1])
	if in.Op == spirv.OpCopyMemorySized {
		size, ok := b.isConst[b.one(spirv.ID(in.Words[2]))]
		if !ok {
			b.refuse("OpCopyMemorySized with a size that is not a constant is not supported")
		}
		b.add(lane.Inst{Op: lane.CopyMemory, Imm: int64(size), Src: []lane.Value{b.address(dst), b.address(src)}})
		return
	}
	to, from := b.pointee(dst), b.pointee(src)
	tmp := b.fresh(b.flat(from.Type))
	b.access(lane.Load, b.address(src), b.places(from), tmp, b.typeOf(src).Storage)
	b.access(lane.Store, b.address(dst), b.places(to), tmp, b.typeOf(dst).Storage)
}

// accessChain lowers the four access chain instructions.
func (b *builder) accessChain(in *spirv.Instruction) {
	base, indices := spirv.ID(in.Words[2]), in.Words[3:]
	p := b.get(base)
	if p.reg != nil {
		b.local[spirv.ID(in.Words[1])] = value{reg: b.registerPart(p.reg, b.typeOf(base).Elem, indices)}
		return
	}
	n := b.pointee(base)
	c := chain{b: b, addr: b.address(base)}
	if in.Op == spirv.OpPtrAccessChain || in.Op == spirv.OpInBoundsPtrAccessChain {
		stride := n.Size
		if d, ok := b.m.Decoration(b.typeOf(base).ID, spirv.DecorationArrayStride); ok {
			stride = uint64(d.Operands[0])
		}
		c.step(b.one(spirv.ID(indices[0])), stride)
		indices = indices[1:]
	}
	for _, w := range indices {
		index := b.one(spirv.ID(w))
		if n.Type.Kind == module.Struct {
			i, ok := b.isConst[index]
			if !ok || i >= uint64(len(n.Fields)) {
				b.invalid("a structure's member must be chosen by a constant below %d", len(n.Fields))
			}
			c.off += int64(n.Fields[i].Offset)
			n = n.Fields[i].Node
			continue
		}
		if n.Elem == nil {
			b.invalid("the access chain goes deeper than its type")
		}
		c.step(index, n.Stride)
		n = n.Elem
	}
	b.local[spirv.ID(in.Words[1])] = value{comps: []lane.Value{c.end()}, node: n}
}

// chain adds up an address.
type chain struct {
	b    *builder
	addr lane.Value
	off  int64
}

// step moves on by index×stride bytes. Indices are signed in their own width (SPIR-V 1.6, section 3.3.8).
func (c *chain) step(index lane.Value, stride uint64) {
	k := c.b.integer(index)
	if bits, ok := c.b.isConst[index]; ok {
		shift := 64 - k.Bits()
		c.off += int64(bits) << shift >> shift * int64(stride)
		return
	}
	c.lea(lane.Inst{Kind: k, Imm: int64(stride), Off: c.off, Src: []lane.Value{c.addr, index}})
}

func (c *chain) lea(in lane.Inst) {
	in.Op, in.To = lane.Lea, c.b.p.AddrKind
	d := c.b.p.NewValue(in.To)
	in.Dst = []lane.Value{d}
	c.b.add(in)
	c.addr, c.off = d, 0
}

func (c *chain) end() lane.Value {
	if c.off != 0 {
		c.lea(lane.Inst{Kind: c.b.p.AddrKind, Off: c.off, Src: []lane.Value{c.addr}})
	}
	return c.addr
}

// registerPart follows an access chain into a variable without memory.
func (b *builder) registerPart(r *register, t *module.Type, indices []uint32) *register {
	part := *r
	for _, w := range indices {
		index := b.one(spirv.ID(w))
		i, ok := b.isConst[index]
		if !ok {
			// Only for built-in variables, which are vectors at most.
			part.index, part.parts = index, t.Count
			t = t.Elem
			continue
		}
		first, elem := 0, t.Elem
		if t.Kind == module.Struct {
			if i >= uint64(len(t.Members)) {
				b.invalid("member %d of %v does not exist", i, t)
			}
			elem = t.Members[i]
			b.spend(int(i) / 16)
			for _, m := range t.Members[:i] {
				first += len(b.flat(m))
			}
		} else {
			n := len(b.flat(elem))
			if i >= uint64(len(part.comps)/max(n, 1)) {
				b.invalid("index %d is outside %v", i, t)
			}
			first = int(i) * n
		}
		part.comps = part.comps[first : first+len(b.flat(elem))]
		t = elem
	}
	return &part
}

// pick selects one of equally large parts by an index known at run time; an index out of range picks part 0.
func (b *builder) pick(comps []lane.Value, parts int, index lane.Value) []lane.Value {
	n := len(comps) / max(parts, 1)
	out := slices.Clone(comps[:n])
	k := b.integer(index)
	for i := 1; i < parts; i++ {
		is := b.op(lane.IEqual, k, index, b.constant(k, uint64(i)))
		for j := range out {
			out[j] = b.op(lane.Select, b.p.Values[out[j]], is, comps[i*n+j], out[j])
		}
	}
	return out
}

func (b *builder) arrayLength(in *spirv.Instruction) {
	p := b.get(spirv.ID(in.Words[2]))
	n := b.pointee(spirv.ID(in.Words[2]))
	if p.resource == 0 || int(in.Words[3]) >= len(n.Fields) {
		b.refuse("OpArrayLength of a structure that is not a whole resource is not supported")
	}
	f := n.Fields[in.Words[3]]
	size := b.input(lane.I64, lane.FromResourceLen, p.resource-1, 0)
	rest := b.op(lane.Sub, lane.I64, size, b.constant(lane.I64, f.Offset))
	count := b.op(lane.UDiv, lane.I64, rest, b.constant(lane.I64, max(f.Node.Stride, 1)))
	b.set(in, b.convert(count, b.flat(b.resultType(in))[0], false))
}
