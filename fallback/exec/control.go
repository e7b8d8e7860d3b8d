package exec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// run executes the gang until its lanes have ended, wait at barriers, or others should have a turn.
func (g *gang) run() (state, *Fault) {
	code := g.code
	if g.started || g.next() {
		g.started = false
	} else {
		return g.stopped(), nil
	}
	for {
		b := &code.blocks[g.cur.block]
		if b.collective && g.hold(b) {
			if !g.next() {
				return g.stopped(), nil
			}
			continue
		}
		for i := range b.ops {
			o := &b.ops[i]
			o.do(g, o)
			if g.fault != nil {
				return done, g.fault
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
			g.cur.region = g.newRegion(region{kind: callRegion, meet: -1, loop: -1, live: g.cur.mask, parent: g.cur.region, caller: b})
			g.cur.block = b.callee
			going = g.budget(b)
		case lane.Barrier:
			going = g.park(b)
		case lane.Return:
			g.copy(b.ret)
			going = g.ret()
		case lane.Unreachable:
			g.fail(b.term.At, g.cur.mask.first(), "unreachable", "the kernel reached an OpUnreachable", "")
		}
		if g.fault != nil {
			return done, g.fault
		}
		if !going && !g.next() {
			return g.stopped(), nil
		}
		if g.spins > g.patience || g.polls && g.spins > g.patience/pollers {
			if g.giveWay() {
				g.started = true // with the group that is current now
				return yielded, nil
			}
		}
	}
}

// stopped says why no lane can run.
func (g *gang) stopped() state {
	if len(g.waiting) > 0 {
		return blocked
	}
	if g.ended != g.all {
		panic("exec: lanes are neither at a barrier nor at the end, and none can run") // rather than results that lack theirs
	}
	return done
}

func (g *gang) setGroup(x group) {
	if x.mask != g.cur.mask {
		g.listed = false
		g.lo, g.hi, g.scattered = x.mask.extent()
	}
	g.cur = x
}

// runs returns the runs of the lanes that run. They are valid until others run.
func (g *gang) runs() []run {
	if !g.listed {
		g.list, g.listed = g.cur.mask.runs(g.list[:0]), true
	}
	return g.list
}

// copy makes an edge's or a call's copies for the active lanes.
func (g *gang) copy(list []copyOp) {
	for i := range list {
		c := &list[i]
		d, s := g.row(c.d), g.row(c.s)
		if g.scattered {
			c.blend(d, unsafe.Pointer(&g.cur.mask), s, d, nil, g.lo, g.hi)
			continue
		}
		for _, r := range g.runs() {
			c.f(d, s, g.base, g.base, g.base, r.lo, r.hi)
		}
	}
}

// budget ends a run that was cancelled or that executes too many instructions. It is asked at back-edges and calls, so
// that straight lines pay nothing.
func (g *gang) budget(b *block) bool {
	run := g.w.run
	g.spins++
	if run.stop.Load() {
		g.fail(b.term.At, g.cur.mask.first(), "stopped", "the kernel was stopped here", "")
		return false
	}
	if g.steps > run.env.MaxInstructions {
		g.fail(b.term.At, g.cur.mask.first(), "instruction-budget", "the kernel exceeded its budget of instructions, it may be in an endless loop",
			"a larger --max-instructions, if the kernel is meant to run that long")
		return false
	}
	return true
}

// take moves the current group along an edge. It reports whether a group is current afterwards.
func (g *gang) take(b *block, e *edge) bool {
	g.copy(e.copies)
	if e.to <= g.cur.block && !g.budget(b) {
		return false
	}
	if g.code.prog.Shader {
		g.enterConstruct(b)
		x, ok := g.enter(g.cur, e.to)
		if ok {
			g.setGroup(x)
		}
		return ok
	}
	if r := g.cur.region; e.inside && len(r.wait) == 0 {
		g.cur.block = e.to
		return true
	}
	g.arrive(g.cur.mask, g.cur.region, e.to)
	return g.resume(g.cur.region)
}

// side is lanes that leave a block by one of its edges.
type side struct {
	edge int
	mask mask
}

// part splits the current group. It reports whether a group is current afterwards.
func (g *gang) part(b *block, sides []side) bool {
	if g.code.prog.Shader {
		g.enterConstruct(b)
	}
	at, region := g.cur.block, g.cur.region
	for i := len(sides) - 1; i >= 0; i-- {
		s, e := &sides[i], &b.edges[sides[i].edge]
		g.setGroup(group{mask: s.mask, block: at, region: region})
		g.copy(e.copies)
		if e.to <= at && !g.budget(b) {
			return false
		}
		if !g.code.prog.Shader {
			g.arrive(s.mask, region, e.to)
		} else if x, ok := g.enter(g.cur, e.to); ok {
			g.ready = append(g.ready, x)
		}
	}
	if g.code.prog.Shader {
		return false // the first side that can go on is the last of those that are ready
	}
	return g.resume(region)
}

// ret ends the current lanes' activation of the function.
func (g *gang) ret() bool {
	r := g.cur.region
	for r.kind != callRegion {
		r = r.parent
	}
	if r.caller == nil {
		g.ended = g.ended.or(g.cur.mask)
	}
	if g.code.prog.Shader {
		return g.returnTo(r)
	}
	r.arrived = r.arrived.or(g.cur.mask)
	return g.resume(g.cur.region)
}

// returned puts the lanes that have come back from a call behind it.
func (g *gang) returned(lanes mask, r *region, caller *block) group {
	e := &caller.edges[0]
	g.setGroup(group{mask: lanes, block: g.cur.block, region: r})
	g.copy(caller.results)
	return group{mask: lanes, block: e.to, region: r}
}

// branch splits the current group by its condition.
func (g *gang) branch(b *block) bool {
	cond := g.boolRow(b.cond)
	yes, no := g.cur.mask.and(cond), g.cur.mask.andNot(cond)
	switch {
	case no.empty() || b.edges[0].to == b.edges[1].to: // edges between the same two blocks make the same copies
		return g.take(b, &b.edges[0])
	case yes.empty():
		return g.take(b, &b.edges[1])
	}
	sides := [2]side{{0, yes}, {1, no}}
	return g.part(b, sides[:])
}

// switchTo splits the current group by the value of its selector.
func (g *gang) switchTo(b *block) bool {
	sides := g.sides(b)
	if len(sides) == 1 {
		return g.take(b, &b.edges[sides[0].edge])
	}
	return g.part(b, sides)
}

// sides returns the edges a switch takes, in the order of the first lane that takes each. The slice is valid until the
// next call.
func (g *gang) sides(b *block) []side {
	g.taken = g.taken[:0]
	size := b.condKind.Bytes()
	row := unsafe.Slice((*byte)(g.row(b.cond)), g.code.width*size)
	last, at := uint64(0), -1 // neighbours mostly agree
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			var buf [8]byte
			copy(buf[:], row[i*size:(i+1)*size])
			if v := binary.LittleEndian.Uint64(buf[:]); v != last || at < 0 {
				e := b.cases[v] // 0, the default, where there is none
				at = slices.IndexFunc(g.taken, func(s side) bool { return s.edge == e })
				if at < 0 {
					at = len(g.taken)
					g.taken = append(g.taken, side{edge: e})
				}
				last = v
			}
			g.taken[at].mask[i>>6] |= 1 << (i & 63)
		}
	}
	return g.taken
}
