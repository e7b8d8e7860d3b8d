// Package exec runs lane programs: the interpreter.
//
// Its unit is the gang: up to 256 lanes of one work-group, of which sub-groups are aligned segments. Every value of the
// program has a row in the gang's file, one element per lane; an instruction is one call that loops over the active
// lanes. See docs/design.md for why.
package exec

import (
	"fmt"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/stdlib"
	"github.com/sgrun/sgrun/fallback/vec"
)

// Code is a lane program prepared for gangs of one width. It is read-only and serves all workers.
type Code struct {
	prog    *lane.Program
	width   int      // lanes of a gang's rows
	own     []bool   // values with a row of their own, see assignSlots
	isConst []bool   // by value
	slots   []uint32 // byte offset of each value's row in the gang's file
	size    int      // bytes of the file
	blocks  []block  // of all functions
	loops   []loop   // of a kernel, likewise
	entry   int32    // block the entry point starts with
	caches  int      // how many instructions have a memory cache
	inputs  [lane.PerGroup + 1][]*lane.Input
	stack   stackLayout
	shared  sharedLayout
}

// block is a straight line of operations and how it ends.
type block struct {
	ops        []op
	term       *lane.Term
	fn         *lane.Func
	cond       uint32 // row of the condition
	cases      map[uint64]int
	edges      []edge
	call       []copyOp // arguments into parameters
	ret        []copyOp // results into the function's result rows
	results    []copyOp // the callee's result rows into the call's values
	callee     int32    // first block of the called function
	loop       int32    // innermost loop, or -1
	merge      int32    // declared merge block, or -1
	cont       int32    // declared continue target, or -1
	collective bool     // some operation needs the lanes of a sub-group together
	isMeet     bool     // some block's merge or continue target
	condKind   lane.Kind
}

// loop is a loop of a kernel: a run of blocks that starts with its header.
type loop struct{ head, last, parent int32 }

type edge struct {
	to     int32
	inside bool // in a kernel: stays in the innermost loop and does not lead to its header
	copies []copyOp
}

// copyOp copies the active lanes of one row to another.
type copyOp struct {
	f     vec.Func
	blend vec.Func // Select, for lanes in many short runs
	d, s  uint32
}

// op is one instruction, decoded as far as possible.
type op struct {
	do            func(g *gang, o *op)
	prim          vec.Func
	d, a, b, c, e uint32 // rows
	cache         int32
	in            *lane.Inst
	hazard        vec.HazardFunc
	whole         bool           // may be computed in lanes that are not active, see elementwise
	blend         vec.Func       // then, where the other lanes' results are still needed: Select
	ext           stdlib.RowFunc // of lane.Ext, whose second result is e
}

// row returns the row at a byte offset of the gang's file.
func (g *gang) row(off uint32) unsafe.Pointer { return unsafe.Add(g.base, off) }

// Prepare decodes a lane program for gangs of width lanes, a power of two from 1 to 256. With hazards, operations with
// undefined cases look for them. The error says that the program keeps too many values at once.
func Prepare(p *lane.Program, width int, hazards bool) (*Code, error) {
	c := &Code{prog: p, width: width}
	if err := assignSlots(c); err != nil {
		return nil, err
	}
	first := make([]int32, len(p.Funcs))
	n := 0
	for i, f := range p.Funcs {
		first[i] = int32(n)
		n += len(f.Blocks)
	}
	c.isConst = make([]bool, len(p.Values))
	for _, k := range p.Consts {
		c.isConst[k.Value] = true
	}
	c.blocks = make([]block, n)
	c.entry = first[0]
	live := usedValues(p)
	for i, f := range p.Funcs {
		base, firstLoop := first[i], int32(len(c.loops))
		at := func(index int) int32 {
			if index < 0 {
				return -1
			}
			return base + int32(index)
		}
		for _, l := range f.Loops {
			parent := int32(-1)
			if l.Parent >= 0 {
				parent = firstLoop + int32(l.Parent)
			}
			c.loops = append(c.loops, loop{at(l.Head), at(l.Last), parent})
		}
		for j := range f.Blocks {
			src, dst := &f.Blocks[j], &c.blocks[int(base)+j]
			dst.fn, dst.term = f, &src.Term
			dst.merge, dst.cont = at(src.Merge), at(src.Continue)
			if dst.loop = -1; src.Loop >= 0 {
				dst.loop = firstLoop + int32(src.Loop)
			}
			for k := range src.Insts {
				if collective(&src.Insts[k]) {
					dst.collective = true
				}
				if in := &src.Insts[k]; !in.Op.Elementwise() || live[in.Dst[0]] {
					dst.ops = append(dst.ops, c.decode(in, hazards))
				}
			}
			for _, e := range src.Term.Edges {
				to := &f.Blocks[e.To]
				back := to.Loop >= 0 && f.Loops[to.Loop].Head == e.To
				dst.edges = append(dst.edges, edge{at(e.To), to.Loop == src.Loop && !back, c.copies(e.Dst, e.Src)})
			}
			c.decodeTerm(dst, f, first)
		}
		for j := range f.Blocks {
			for _, m := range []int{f.Blocks[j].Merge, f.Blocks[j].Continue} {
				if m >= 0 {
					c.blocks[int(base)+m].isMeet = true
				}
			}
		}
	}
	sortInputs(c)
	c.stack, c.shared = layoutStack(p), layoutShared(p)
	return c, nil
}

func (c *Code) decodeTerm(b *block, f *lane.Func, first []int32) {
	t := b.term
	switch t.Kind {
	case lane.Branch, lane.Switch:
		b.cond = c.slots[t.Cond]
		b.condKind = c.prog.Values[t.Cond]
		if t.Kind == lane.Switch {
			// Edges between the same two blocks make the same copies, so one stands for all.
			first := map[int]int{}
			for i, e := range t.Edges {
				if _, ok := first[e.To]; !ok {
					first[e.To] = i
				}
			}
			b.cases = make(map[uint64]int, len(t.Cases))
			for i, v := range t.Cases {
				b.cases[v] = first[t.Edges[i+1].To]
			}
		}
	case lane.Call:
		g := c.prog.Funcs[t.Callee]
		b.callee = first[t.Callee]
		b.call = c.copies(g.Params, t.Src)
		b.results = c.copies(t.Dst, g.Results)
	case lane.Return:
		b.ret = c.copies(f.Results, t.Src)
	}
}

// decode turns an instruction into an operation.
func (c *Code) decode(in *lane.Inst, hazards bool) op {
	o := op{in: in}
	if in.Op.Elementwise() {
		prim, ok := vec.For(in.Op, in.Kind, in.To, in.Imm)
		if !ok {
			panic(fmt.Sprintf("exec: no primitive for %v %v to %v", in.Op, in.Kind, in.To))
		}
		if len(in.Src) == 2 && c.isConst[in.Src[1]] {
			if f, ok := vec.ForUniform(in.Op, in.Kind); ok {
				prim = f
			}
		}
		o.do, o.prim, o.d = elementwise, prim, c.slots[in.Dst[0]]
		o.whole = cheap(in)
		if c.own[in.Dst[0]] {
			o.blend = selection(c.prog.Values[in.Dst[0]])
		}
		for i, p := range []*uint32{&o.a, &o.b, &o.c, &o.e}[:len(in.Src)] {
			*p = c.slots[in.Src[i]]
		}
		if h, ok := vec.HazardRounded(in.Op, in.Kind, in.To, in.Imm); ok && hazards && !in.Defined {
			o.do, o.hazard = elementwiseChecked, h
		}
		return o
	}
	do, ok := handlers[in.Op]
	if !ok {
		panic(fmt.Sprintf("exec: no handler for %v", in.Op))
	}
	o.do = do
	if len(in.Dst) > 0 {
		o.d = c.slots[in.Dst[0]]
	}
	if len(in.Src) > 0 {
		o.a = c.slots[in.Src[0]]
	}
	if len(in.Src) > 1 {
		o.b = c.slots[in.Src[1]]
	}
	switch in.Op {
	case lane.Ext:
		f, ok := stdlib.Row(stdlib.Fn(in.Imm), in.Kind)
		if !ok {
			panic(fmt.Sprintf("exec: no function %d on %v", in.Imm, in.Kind))
		}
		o.ext = f
		if len(in.Src) > 2 {
			o.c = c.slots[in.Src[2]]
		}
		if len(in.Dst) > 1 {
			o.e = c.slots[in.Dst[1]]
		}
	case lane.Load, lane.Store, lane.Atomic, lane.BlockRead, lane.BlockWrite:
		o.cache = int32(c.caches)
		c.caches++
	case lane.CopyMemory, lane.AsyncCopy:
		o.cache = int32(c.caches)
		c.caches += 2
	}
	return o
}

// handlers has the operations that are not elementwise.
var handlers = map[lane.Op]func(*gang, *op){
	lane.Repack:         repack,
	lane.Lea:            lea,
	lane.Load:           load,
	lane.Store:          store,
	lane.CopyMemory:     copyMemory,
	lane.BitcastShuffle: bitcastShuffle,
	lane.GenericCast:    genericCast,
	lane.Elect:          elect,
	lane.VoteAll:        vote(allTrue),
	lane.VoteAny:        vote(anyTrue),
	lane.VoteEqual:      vote(allEqual),
	lane.Ballot:         ballot,
	lane.InverseBallot:  inverseBallot,
	lane.BallotBit:      ballotBit,
	lane.BallotCount:    ballotNumber(countSet),
	lane.BallotFirst:    ballotNumber(firstOfSet),
	lane.BallotLast:     ballotNumber(lastOfSet),
	lane.Shuffle:        shuffle,
	lane.ShuffleTwo:     shuffleTwo,
	lane.Combine:        combine,
	lane.BlockRead:      blockAccess,
	lane.BlockWrite:     blockAccess,
	lane.Partition:      partition,
	lane.GroupPut:       groupPut,
	lane.GroupTake:      groupTake,
	lane.AsyncCopy:      asyncCopy,
	lane.Atomic:         atomicAccess,
	lane.Fence:          fence,
	lane.Ext:            ext,
}

// elementwise calls the primitive for each run of active lanes. Where these are many and short it computes the lanes in
// between as well, which costs less: rows that values share hold nothing at that time that those lanes still need (see
// assignSlots), and other rows get the active lanes' results only.
func elementwise(g *gang, o *op) {
	d, a, b, c, e := g.row(o.d), g.row(o.a), g.row(o.b), g.row(o.c), g.row(o.e)
	if g.scattered && o.whole {
		if o.blend == nil {
			o.prim(d, a, b, c, e, g.lo, g.hi)
			return
		}
		spare := g.row(spareSlot)
		o.prim(spare, a, b, c, e, g.lo, g.hi)
		o.blend(d, unsafe.Pointer(&g.cur.mask), spare, d, nil, g.lo, g.hi)
		return
	}
	for _, r := range g.runs() {
		o.prim(d, a, b, c, e, r.lo, r.hi)
	}
}

// cheap reports whether an operation takes less than the call of its primitive.
func cheap(in *lane.Inst) bool {
	switch in.Op {
	case lane.UDiv, lane.SDiv, lane.URem, lane.SRem, lane.SMod, lane.FDiv, lane.FRem, lane.FMod, lane.FConvert, lane.QuantizeToF16:
		return false
	}
	return in.Kind != lane.F16 && in.To != lane.F16
}

// selection returns the primitive of Select for the kind.
func selection(k lane.Kind) vec.Func {
	f, _ := vec.For(lane.Select, k, k, 0)
	return f
}

// elementwiseChecked looks at the operands first, since the result may overwrite them.
func elementwiseChecked(g *gang, o *op) {
	var bad mask
	a, b, c, e := g.row(o.a), g.row(o.b), g.row(o.c), g.row(o.e)
	for _, r := range g.runs() {
		o.hazard(a, b, c, e, r.lo, r.hi, (*[4]uint64)(&bad))
	}
	if !bad.empty() {
		kind := o.in.Op.Info().Undefined
		g.report(o.in.At, kind, undefinedMessages[kind], bad)
	}
	elementwise(g, o)
}

var undefinedMessages = map[string]string{
	"division-by-zero":        "an integer is divided by zero, or the most negative one by -1; the result is undefined",
	"shift-out-of-range":      "a shift by the width of the type or more; the result is undefined",
	"bit-field-out-of-range":  "offset and count of a bit field exceed the width of the type; the result is undefined",
	"conversion-out-of-range": "a floating-point value out of the range of the integer type it is converted to; the result is undefined",
}

// copies orders parallel copies so that each source is read before it is overwritten; a cycle goes through a spare row.
func (c *Code) copies(dst, src []lane.Value) []copyOp {
	type pair struct {
		d, s uint32
		k    lane.Kind
	}
	var todo []pair
	for i := range dst {
		if d, s := c.slots[dst[i]], c.slots[src[i]]; d != s {
			todo = append(todo, pair{d, s, c.prog.Values[dst[i]]})
		}
	}
	reads := map[uint32]int{}
	for _, p := range todo {
		reads[p.s]++
	}
	var out []copyOp
	emit := func(d, s uint32, k lane.Kind) {
		f, _ := vec.For(lane.Copy, k, 0, 0)
		out = append(out, copyOp{f, selection(k), d, s})
	}
	// ready holds copies whose destination nobody reads any more.
	var ready []int
	byDst := map[uint32]int{}
	done := make([]bool, len(todo))
	for i, p := range todo {
		byDst[p.d] = i
		if reads[p.d] == 0 {
			ready = append(ready, i)
		}
	}
	drain := func() {
		for len(ready) > 0 {
			i := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			p := todo[i]
			done[i] = true
			emit(p.d, p.s, p.k)
			if reads[p.s]--; reads[p.s] == 0 {
				if j, ok := byDst[p.s]; ok && !done[j] {
					ready = append(ready, j)
				}
			}
		}
	}
	drain()
	for i := range todo {
		if done[i] {
			continue
		}
		// A cycle: save the row that is overwritten first, and let its reader take the saved copy.
		p := &todo[i]
		emit(spareSlot, p.d, p.k)
		for j := range todo {
			if !done[j] && todo[j].s == p.d {
				todo[j].s = spareSlot
			}
		}
		reads[spareSlot] = reads[p.d]
		reads[p.d] = 0
		ready = append(ready, i)
		drain()
	}
	return out
}
