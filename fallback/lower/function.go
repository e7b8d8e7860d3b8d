package lower

import (
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// builder lowers one function. With no function it lowers single instructions whose operands are constants.
type builder struct {
	*lowerer
	f         *module.Function
	out       *lane.Func
	local     map[spirv.ID]value
	block     *lane.Block // being filled
	phis      map[*module.Block][]phi
	first     []int                     // index of the first lane block of each block
	known     map[lane.Value]lane.Value // what registers hold, within the block
	promoted  map[spirv.ID]bool
	variables map[*spirv.Instruction]*module.Variable
	handlers  map[spirv.Op]handler
	cur       *module.Block // being lowered
}

type phi struct {
	comps []lane.Value
	in    *spirv.Instruction
	from  map[spirv.ID]spirv.ID // value by predecessor, made when it is first needed
}

// lowerFunction lowers a function into the place function gave it.
func (l *lowerer) lowerFunction(f *module.Function) {
	b := &builder{lowerer: l, f: f, out: l.p.Funcs[l.funcs[f]], local: map[spirv.ID]value{}, phis: map[*module.Block][]phi{}, handlers: handlers()}
	l.fn = f
	defer func() { l.fn, l.in = nil, nil }()
	b.promoted = l.promotable(f)
	b.variables = make(map[*spirv.Instruction]*module.Variable, len(f.Variables))
	for _, v := range f.Variables {
		b.variables[v.Inst] = v
	}
	blocks, o := f.Blocks, (*flowOrder)(nil)
	if !l.p.Shader {
		work := 0
		o = order(f, func(n int) {
			if work += n; work > maxWork {
				l.refuse("the function's flow of control is too tangled: many loops have many entries")
			}
		})
		blocks = o.blocks
	}
	reach := reachable(f)
	b.first = make([]int, len(f.Blocks))
	from := []*module.Block{} // the block each lane block is part of
	for i, blk := range blocks {
		b.cur = blk
		b.first[blk.Index] = len(b.out.Blocks)
		b.known = map[lane.Value]lane.Value{}
		b.newBlock()
		if i == 0 {
			b.parameters()
		}
		if reach[blk.Index] {
			for _, in := range blk.Insts {
				l.in = in
				b.inst(in)
				l.spend(1)
			}
			l.in = blk.Term
			b.terminator(blk)
		} else {
			b.block.Term = lane.Term{Kind: lane.Unreachable, At: l.at[blk.Term]}
		}
		for len(from) < len(b.out.Blocks) {
			from = append(from, blk)
		}
		if m := blk.Merge; m != nil && l.p.Shader && reach[blk.Index] {
			b.block.Merge = f.BlockByID[spirv.ID(m.Words[0])].Index
			if m.Op == spirv.OpLoopMerge {
				b.block.Continue = f.BlockByID[spirv.ID(m.Words[1])].Index
			}
		}
	}
	b.connect(from)
	if o != nil {
		b.loops(o, from)
	}
}

// loops puts a kernel's loops into the lane program.
func (b *builder) loops(o *flowOrder, from []*module.Block) {
	for _, l := range o.loops {
		b.out.Loops = append(b.out.Loops, lane.Loop{Head: b.first[l.head.Index], Last: -1, Parent: l.parent})
	}
	for i := len(from) - 1; i >= 0; i-- {
		in := o.loopOf[from[i].Index]
		b.out.Blocks[i].Loop = in
		for ; in >= 0 && b.out.Loops[in].Last < 0; in = o.loops[in].parent {
			b.out.Loops[in].Last = i
		}
	}
}

// newBlock starts a lane block.
func (b *builder) newBlock() {
	b.out.Blocks = append(b.out.Blocks, lane.Block{Loop: -1, Merge: -1, Continue: -1})
	b.block = &b.out.Blocks[len(b.out.Blocks)-1]
}

// connect makes edges lead to lane blocks instead of blocks and gives them the copies for phis.
func (b *builder) connect(from []*module.Block) {
	for i := range b.out.Blocks {
		blk := &b.out.Blocks[i]
		for _, p := range []*int{&blk.Merge, &blk.Continue} {
			if *p >= 0 {
				*p = b.first[*p]
			}
		}
		if blk.Term.Kind == lane.Call || blk.Term.Kind == lane.Barrier {
			continue // it leads to the rest of its own block
		}
		for j := range blk.Term.Edges {
			e := &blk.Term.Edges[j]
			to := b.f.Blocks[e.To]
			e.To = b.first[e.To]
			for k := range b.phis[to] {
				p := &b.phis[to][k]
				b.in = p.in
				b.spend(len(p.comps))
				e.Dst = append(e.Dst, p.comps...)
				e.Src = append(e.Src, b.incoming(p, from[i])...)
			}
		}
	}
}

// incoming returns the value a phi takes when control comes from a block.
func (b *builder) incoming(p *phi, from *module.Block) []lane.Value {
	if p.from == nil {
		p.from = map[spirv.ID]spirv.ID{}
		for w := p.in.Words[2:]; len(w) > 1; w = w[2:] {
			p.from[spirv.ID(w[1])] = spirv.ID(w[0])
		}
	}
	v, ok := p.from[from.ID]
	if !ok {
		b.invalid("the phi has no value for the predecessor %v", from.ID)
	}
	return b.comps(v)
}

func reachable(f *module.Function) []bool {
	seen := make([]bool, len(f.Blocks))
	seen[0] = true
	todo := []*module.Block{f.Blocks[0]}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range b.Succs {
			if !seen[s.Index] {
				seen[s.Index] = true
				todo = append(todo, s)
			}
		}
	}
	return seen
}

// parameters gives the function's parameters their values, and at the entry point fills in what lanes start with.
func (b *builder) parameters() {
	if b.f != b.opt.Entry.Function {
		next := 0
		for _, p := range b.f.Params {
			n := len(b.flat(p.Type))
			b.local[p.ID] = value{comps: b.out.Params[next : next+n]}
			next += n
		}
		return
	}
	for i, p := range b.f.Params {
		b.in = p.Inst
		b.local[p.ID] = b.kernelParam(i, p)
	}
	for _, m := range b.inputsInMemory {
		addr := b.input(b.p.AddrKind, lane.FromVariable, m.variable, 0)
		b.access(lane.Store, addr, b.places(m.node), m.inputs, spirv.StorageClassPrivate)
	}
}

func (b *builder) kernelParam(i int, p module.Param) value {
	name := b.m.Names[p.ID]
	if name == "" {
		name = p.ID.String()
	}
	t := p.Type
	if t.Kind != module.Pointer {
		n := b.node(t, spirv.StorageClassFunction)
		b.p.Params = append(b.p.Params, lane.Param{Name: name, Kind: lane.ParamValue, Size: n.Size, Align: n.Align})
		return value{comps: b.paramBytes(i, n)}
	}
	switch t.Storage {
	case spirv.StorageClassWorkgroup:
		n := b.node(t.Elem, t.Storage)
		b.p.Params = append(b.p.Params, lane.Param{Name: name, Kind: lane.ParamLocal, Align: n.Align})
	case spirv.StorageClassFunction:
		// A structure passed by value: each lane has a copy (FuncParamAttr ByVal).
		n := b.node(t.Elem, t.Storage)
		b.p.Params = append(b.p.Params, lane.Param{Name: name, Kind: lane.ParamValue, Size: n.Size, Align: n.Align})
		b.p.Variables = append(b.p.Variables, lane.Variable{Name: name, Storage: spirv.StorageClassFunction, Size: n.Size, Align: n.Align, Writable: true})
		addr := b.input(b.p.AddrKind, lane.FromVariable, len(b.p.Variables)-1, 0)
		b.access(lane.Store, addr, b.places(n), b.paramBytes(i, n), t.Storage)
		return value{comps: []lane.Value{addr}}
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassUniformConstant, spirv.StorageClassGeneric:
		b.p.Params = append(b.p.Params, lane.Param{Name: name, Kind: lane.ParamPointer, Size: uint64(b.p.AddrKind.Bytes())})
	default:
		b.refuse("a kernel parameter of type %v is not supported", t)
	}
	return value{comps: []lane.Value{b.input(b.p.AddrKind, lane.FromParam, i, 0)}}
}

// paramBytes are the scalars of an argument's value.
func (b *builder) paramBytes(i int, n *module.Node) []lane.Value {
	var comps []lane.Value
	for _, at := range b.places(n) {
		if at.Kind == lane.Bool {
			b.refuse("a kernel parameter of type %v is not supported", n.Type)
		}
		comps = append(comps, b.input(at.Kind, lane.FromParam, i, int(at.Off)))
	}
	return comps
}

// get returns what an id stands for.
func (b *builder) get(id spirv.ID) value {
	if v, ok := b.local[id]; ok {
		return v
	}
	if v, ok := b.values[id]; ok {
		return v
	}
	if c := b.m.Constants[id]; c != nil {
		return b.constantValue(c)
	}
	switch in := b.m.Def(id); {
	case in == nil:
		b.invalid("%v is not defined", id)
	case in.Op == spirv.OpFunction:
		b.refuse("function pointers are not supported")
	default:
		b.refuse("%v (%v) cannot be used here", id, in.Op)
	}
	return value{}
}

// comps returns the scalars of a value; a pointer to a variable without memory has none.
func (b *builder) comps(id spirv.ID) []lane.Value {
	v := b.get(id)
	if v.reg != nil {
		b.refuse("the pointer %v cannot be used here", id)
	}
	return v.comps
}

// one returns the scalar of a value that has exactly one.
func (b *builder) one(id spirv.ID) lane.Value {
	c := b.comps(id)
	if len(c) != 1 {
		b.invalid("%v is not a scalar", id)
	}
	return c[0]
}

// set defines a result.
func (b *builder) set(in *spirv.Instruction, comps ...lane.Value) {
	b.spend(len(comps))
	b.local[spirv.ID(in.Words[1])] = value{comps: comps}
}

// resultType returns the result type of an instruction.
func (b *builder) resultType(in *spirv.Instruction) *module.Type {
	return b.m.Types[spirv.ID(in.Words[0])]
}

// typeOf returns the type of a value.
func (b *builder) typeOf(id spirv.ID) *module.Type {
	t := b.m.TypeOf(id)
	if t == nil {
		b.invalid("%v has no type", id)
	}
	return t
}

// emit adds an elementwise operation, or folds it.
func (b *builder) emit(op lane.Op, kind, to lane.Kind, imm int64, src ...lane.Value) lane.Value {
	if v, ok := b.fold(op, kind, to, imm, src); ok {
		return v
	}
	d := b.p.NewValue(resultKind(op, kind, to))
	b.add(lane.Inst{Op: op, Kind: kind, To: to, Imm: imm, Dst: []lane.Value{d}, Src: src})
	return d
}

// op is emit for operations on one kind.
func (b *builder) op(op lane.Op, kind lane.Kind, src ...lane.Value) lane.Value {
	return b.emit(op, kind, kind, 0, src...)
}

// add adds an instruction.
func (b *builder) add(in lane.Inst) {
	if b.block == nil {
		b.refuse("%v is not supported in a constant expression", b.in.Op)
	}
	in.At = b.lowerer.at[b.in]
	b.block.Insts = append(b.block.Insts, in)
	b.spend(len(in.Dst) + len(in.Src))
}

// fresh makes one new value of each kind.
func (b *builder) fresh(kinds []lane.Kind) []lane.Value {
	out := make([]lane.Value, len(kinds))
	for i, k := range kinds {
		out[i] = b.p.NewValue(k)
	}
	return out
}

// integer is the integer kind of a value used as one: where it comes from a bitcast, its own kind may be a float.
func (b *builder) integer(v lane.Value) lane.Kind { return lane.IntOf(b.p.Values[v].Bits()) }

// convert changes an integer's width.
func (b *builder) convert(v lane.Value, to lane.Kind, signed bool) lane.Value {
	from := b.integer(v)
	if from == to {
		return v
	}
	op := lane.UConvert
	if signed {
		op = lane.SConvert
	}
	return b.emit(op, from, to, 0, v)
}

// terminator lowers the end of a block.
func (b *builder) terminator(blk *module.Block) {
	in := blk.Term
	t := lane.Term{At: b.lowerer.at[in], Cond: lane.NoValue}
	to := func(id uint32) { t.Edges = append(t.Edges, lane.Edge{To: b.f.BlockByID[spirv.ID(id)].Index}) }
	switch in.Op {
	case spirv.OpBranch:
		t.Kind = lane.Jump
		to(in.Words[0])
	case spirv.OpBranchConditional:
		t.Kind, t.Cond = lane.Branch, b.one(spirv.ID(in.Words[0]))
		to(in.Words[1])
		to(in.Words[2])
	case spirv.OpSwitch:
		t.Kind, t.Cond = lane.Switch, b.one(spirv.ID(in.Words[0]))
		to(in.Words[1])
		for _, c := range b.m.SwitchCases(in) {
			t.Cases = append(t.Cases, c.Literal)
			to(uint32(c.Target))
		}
	case spirv.OpReturn:
		t.Kind = lane.Return
	case spirv.OpReturnValue:
		t.Kind, t.Src = lane.Return, b.comps(spirv.ID(in.Words[0]))
	case spirv.OpUnreachable:
		t.Kind = lane.Unreachable
	default:
		b.refuse("%v is not supported", in.Op)
	}
	b.block.Term = t
}

// call lowers OpFunctionCall: it ends the lane block.
func (b *builder) call(in *spirv.Instruction) {
	f := b.m.FunctionByID[spirv.ID(in.Words[2])]
	t := lane.Term{Kind: lane.Call, At: b.lowerer.at[in], Cond: lane.NoValue, Callee: b.function(f), Dst: b.fresh(b.flat(b.resultType(in)))}
	for _, id := range in.Words[3:] {
		t.Src = append(t.Src, b.comps(spirv.ID(id))...)
	}
	b.spend(len(t.Src))
	b.set(in, t.Dst...)
	t.Edges = []lane.Edge{{To: len(b.out.Blocks)}}
	b.block.Term = t
	b.newBlock()
}

func (b *builder) phi(in *spirv.Instruction) {
	comps := b.fresh(b.flat(b.resultType(in)))
	b.set(in, comps...)
	b.phis[b.cur] = append(b.phis[b.cur], phi{comps: comps, in: in})
}
