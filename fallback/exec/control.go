package exec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// run executes the gang until all its lanes have ended or something went wrong.
func (g *gang) run() *Fault {
	code := g.code
	for {
		b := &code.blocks[g.cur.block]
		for i := range b.ops {
			o := &b.ops[i]
			o.do(g, o)
			if g.fault != nil {
				return g.fault
			}
		}
		g.steps += uint64(len(b.ops)) + 1
		going := true
		switch b.term.Kind {
		case lane.Jump:
			going = g.take(b, &b.edges[0])
		case lane.Branch:
			going = g.branch(b)
		case lane.Switch:
			going = g.switchTo(b)
		case lane.Call:
			g.copy(b.call)
			g.cur.region = g.newRegion(region{kind: callRegion, meet: -1, live: g.cur.mask, parent: g.cur.region, caller: b})
			g.cur.block = b.callee
			going = g.budget(b)
		case lane.Return:
			g.copy(b.ret)
			going = g.ret()
		case lane.Exit:
			g.exit()
			going = false
		case lane.Unreachable:
			g.fail(b.term.At, g.cur.mask.first(), "unreachable", "the kernel reached an OpUnreachable", "")
		}
		if g.fault != nil {
			return g.fault
		}
		if going {
			continue
		}
		if len(g.ready) == 0 {
			return nil
		}
		g.setGroup(g.ready[len(g.ready)-1])
		g.ready = g.ready[:len(g.ready)-1]
	}
}

func (g *gang) setGroup(x group) {
	if x.mask != g.cur.mask {
		g.runs = x.mask.runs(g.runs[:0])
	}
	g.cur = x
}

// copy makes an edge's or a call's copies for the active lanes.
func (g *gang) copy(list []copyOp) {
	for i := range list {
		c := &list[i]
		d, s := g.row(c.d), g.row(c.s)
		for _, r := range g.runs {
			c.f(d, s, g.base, g.base, g.base, r.lo, r.hi)
		}
	}
}

// budget ends a run that was cancelled or that executes too many instructions. It is asked at back-edges and calls, so
// that straight lines pay nothing.
func (g *gang) budget(b *block) bool {
	run := g.w.run
	if run.stop.Load() {
		g.fail(b.term.At, g.cur.mask.first(), "stopped", "the kernel was stopped here", "")
		return false
	}
	if g.steps > run.env.MaxInstructions {
		g.fail(b.term.At, g.cur.mask.first(), "instruction-budget", "the kernel exceeded its budget of instructions, it may be in an endless loop",
			"a larger budget, if the kernel is meant to run that long")
		return false
	}
	return true
}

// take moves the current group along an edge. It reports whether a group is current afterwards.
func (g *gang) take(b *block, e *edge) bool {
	g.copy(e.copies)
	if g.code.prog.Shader {
		g.enterConstruct(b)
	}
	return g.goTo(b, e.to)
}

// goTo puts the current group, its copies made, at a block.
func (g *gang) goTo(b *block, to int32) bool {
	// A lane program keeps blocks in the module's order, in which dominators come first: every cycle has an edge that
	// does not go forward.
	if to <= g.cur.block && !g.budget(b) {
		return false
	}
	x, ok := g.enter(g.cur, to)
	if ok {
		g.setGroup(x)
	}
	return ok
}

// enter finds out whether lanes that come to a block must wait there for others. It returns the group that goes on from
// the block: all that have met, if these were the last.
func (g *gang) enter(x group, to int32) (group, bool) {
	x.block = to
	for {
		r := x.region
		if g.code.prog.Shader {
			if !g.code.blocks[to].isMeet {
				return x, true
			}
			for r.kind != callRegion && r.meet != to {
				r = r.parent
			}
			if r.kind == callRegion {
				return x, true
			}
			g.leaveTo(x, r)
		} else if r.kind == callRegion || r.meet != to {
			return x, true
		}
		r.arrived = r.arrived.or(x.mask)
		r.live = r.live.andNot(x.mask)
		if !r.live.empty() {
			return x, false
		}
		x.mask, x.region = r.arrived, r.parent
		g.freeRegion(r)
	}
}

// leaveTo takes lanes out of the regions inside r without meeting anybody: they break, continue, return or end. Where
// they were the last that others waited for, those go on.
func (g *gang) leaveTo(x group, r *region) {
	for q := x.region; q != r; {
		parent := q.parent
		q.live = q.live.andNot(x.mask)
		if q.live.empty() {
			if y, ok := g.complete(q); ok {
				g.ready = append(g.ready, y)
			}
		}
		q = parent
	}
}

// complete ends a region that no lane is inside of any more. It returns the lanes that waited at its end as a group, if
// they can go on.
func (g *gang) complete(r *region) (group, bool) {
	x, to, caller := group{mask: r.arrived, region: r.parent}, r.meet, r.caller
	kind := r.kind
	g.freeRegion(r)
	if x.mask.empty() {
		return x, false
	}
	if kind == callRegion {
		if caller == nil {
			return x, false // the entry point: the lanes have ended
		}
		g.copyFor(x.mask, caller.results)
		g.copyFor(x.mask, caller.edges[0].copies)
		to = caller.edges[0].to
	}
	return g.enter(x, to)
}

// ret ends the current lanes' activation of the function.
func (g *gang) ret() bool {
	x := g.cur
	r := x.region
	for r.kind != callRegion {
		r = r.parent
	}
	g.leaveTo(x, r)
	r.arrived = r.arrived.or(x.mask)
	r.live = r.live.andNot(x.mask)
	if !r.live.empty() {
		return false
	}
	y, ok := g.complete(r)
	if ok {
		g.setGroup(y)
	}
	return ok
}

// exit ends the current lanes.
func (g *gang) exit() {
	lanes := g.cur.mask
	for r := g.cur.region; r != nil; {
		parent := r.parent
		g.leaveTo(group{mask: lanes, region: r}, parent)
		r = parent
	}
}

// branch splits the current group by its condition.
func (g *gang) branch(b *block) bool {
	cond := g.boolRow(b.cond)
	yes := g.cur.mask.and(cond)
	switch {
	case yes == g.cur.mask:
		return g.take(b, &b.edges[0])
	case yes.empty():
		return g.take(b, &b.edges[1])
	}
	no := g.cur.mask.andNot(cond)
	if b.edges[0].to == b.edges[1].to {
		// The sides only differ in their copies; nothing parts.
		whole := g.cur
		g.copyFor(no, b.edges[1].copies)
		g.copyFor(yes, b.edges[0].copies)
		g.setGroup(whole)
		return g.take(b, &edge{to: b.edges[0].to})
	}
	g.part(b)
	x := g.cur
	g.split(group{mask: no, block: x.block, region: x.region}, b, &b.edges[1])
	g.setGroup(group{mask: yes, block: x.block, region: x.region})
	g.copy(b.edges[0].copies)
	return g.goTo(b, b.edges[0].to)
}

// split puts one side of a divergent branch on its way: to wait at its meeting point, or to run later.
func (g *gang) split(x group, b *block, e *edge) {
	if e.to <= x.block && !g.budget(b) {
		return
	}
	g.copyFor(x.mask, e.copies)
	if y, ok := g.enter(x, e.to); ok {
		g.ready = append(g.ready, y)
	}
}

func (g *gang) copyFor(m mask, list []copyOp) {
	if len(list) > 0 {
		g.setGroup(group{mask: m, block: g.cur.block, region: g.cur.region})
		g.copy(list)
	}
}

// part opens the regions that lanes which part at the end of a block meet at the end of.
func (g *gang) part(b *block) {
	r := g.cur.region
	switch {
	case g.code.prog.Shader:
		g.enterConstruct(b)
	case b.meet >= 0 && (r.kind == callRegion || r.meet != b.meet):
		// A loop that lanes leave one by one parts at every iteration; they all wait in the first one's region.
		g.cur.region = g.newRegion(region{meet: b.meet, live: g.cur.mask, parent: r})
	}
}

// enterConstruct opens the region of the construct that a block of a shader is the header of, also where all lanes take
// one way: they may part further in, on a way that leads to the merge block directly.
func (g *gang) enterConstruct(b *block) {
	switch {
	case b.cont >= 0:
		g.enterLoop(b)
	case b.merge >= 0:
		g.cur.region = g.newRegion(region{meet: b.merge, live: g.cur.mask, parent: g.cur.region})
	}
}

// enterLoop opens a loop's region when its header is reached from outside, and one for the iteration, whose lanes meet
// at the continue target.
func (g *gang) enterLoop(b *block) {
	r := g.cur.region
	if r.kind != loopRegion || r.loop != g.cur.block {
		r = g.newRegion(region{kind: loopRegion, meet: b.merge, loop: g.cur.block, live: g.cur.mask, parent: r})
	}
	g.cur.region = g.newRegion(region{meet: b.cont, live: g.cur.mask, parent: r})
}

// switchTo splits the current group by the value of its selector.
func (g *gang) switchTo(b *block) bool {
	taken := g.selectEdges(b)
	if len(taken) == 1 {
		return g.take(b, &b.edges[taken[0].edge])
	}
	g.part(b)
	x := g.cur
	// Edges to one block differ in their copies only; the lanes that take them stay together.
	var sides []group
	for _, t := range taken {
		e := &b.edges[t.edge]
		g.copyFor(t.mask, e.copies)
		i := slices.IndexFunc(sides, func(s group) bool { return s.block == e.to })
		if i < 0 {
			i = len(sides)
			sides = append(sides, group{block: e.to, region: x.region})
		}
		sides[i].mask = sides[i].mask.or(t.mask)
	}
	for _, s := range sides[1:] {
		g.split(group{mask: s.mask, block: x.block, region: x.region}, b, &edge{to: s.block})
		if g.fault != nil {
			return false
		}
	}
	g.setGroup(group{mask: sides[0].mask, block: x.block, region: x.region})
	return g.goTo(b, sides[0].block)
}

// takenEdge is an edge with the lanes that take it.
type takenEdge struct {
	edge int
	mask mask
}

// selectEdges returns the edges a switch takes, in the order of the first lane that takes each.
func (g *gang) selectEdges(b *block) []takenEdge {
	var taken []takenEdge
	at := map[int]int{}
	size := b.condKind.Bytes()
	row := unsafe.Slice((*byte)(g.row(b.cond)), g.code.width*size)
	last, lastAt := uint64(0), -1 // neighbours mostly agree
	for _, r := range g.runs {
		for i := r.lo; i < r.hi; i++ {
			var buf [8]byte
			copy(buf[:], row[i*size:(i+1)*size])
			v := binary.LittleEndian.Uint64(buf[:])
			if v != last || lastAt < 0 {
				e := b.cases[v] // 0, the default, where there is none
				k, ok := at[e]
				if !ok {
					k = len(taken)
					at[e] = k
					taken = append(taken, takenEdge{edge: e})
				}
				last, lastAt = v, k
			}
			taken[lastAt].mask[i>>6] |= 1 << (i & 63)
		}
	}
	return taken
}
