package exec

import "slices"

// In a kernel, lanes that have parted take turns in the order of the blocks (see lane.Func.Blocks): those at the earliest
// block go first, and join others wherever they come to the same block of the same region. A region is one execution of
// a function or of a loop. What lies behind a loop waits until no lane is in the loop, and lanes that are through with
// an iteration wait at the loop's header until all are.
//
// Lanes so meet wherever the flow graph allows it, at the latest at the immediate post-dominator of the branch they parted
// at, but usually earlier: that one lane may return out of a loop does not keep the others from meeting behind it.

// arrive puts lanes of a region at a block. They leave the loops that the block is not part of.
func (g *gang) arrive(lanes mask, r *region, to int32) {
	for r.loop >= 0 {
		l := &g.code.loops[r.loop]
		if to == l.head {
			r.again = r.again.or(lanes)
			return
		}
		if l.head < to && to <= l.last {
			break
		}
		r = r.parent
	}
	r.put(group{mask: lanes, block: to, region: r})
}

// put adds a group to those that wait for their turn, latest block first, or to the group that waits at the same block.
func (r *region) put(x group) {
	i := len(r.wait)
	for i > 0 && r.wait[i-1].block < x.block {
		i--
	}
	if i > 0 && r.wait[i-1].block == x.block {
		r.wait[i-1].mask = r.wait[i-1].mask.or(x.mask)
		return
	}
	r.wait = slices.Insert(r.wait, i, x)
}

// resume makes the lanes whose turn it is the current group: of the region, or where it is done of what is around it.
func (g *gang) resume(r *region) bool {
	for r != nil {
		parent, caller := r.parent, r.caller
		switch {
		case len(r.wait) > 0:
			x := r.wait[len(r.wait)-1]
			r.wait = r.wait[:len(r.wait)-1]
			x.region = g.enterLoops(x.block, r)
			g.setGroup(x)
			return true
		case r.suspended > 0:
			return false // lanes inside have not come this far
		case !r.again.empty():
			x := group{mask: r.again, block: g.code.loops[r.loop].head, region: r}
			r.again = mask{}
			r.iteration++
			g.setGroup(x)
			return true
		case r.kind == callRegion && !r.arrived.empty() && caller != nil:
			lanes := r.arrived
			g.freeRegion(r)
			g.setGroup(g.returned(lanes, parent, caller))
			return true
		}
		g.freeRegion(r)
		r = parent
	}
	return false
}

// enterLoops opens regions for the loops that a block of the region is in. Lanes that wait at other blocks of these loops
// (they have several entries then) come along.
func (g *gang) enterLoops(block int32, r *region) *region {
	in := g.code.blocks[block].loop
	if in == r.loop {
		return r
	}
	outer := g.code.loops[in].parent
	if outer != r.loop {
		r = g.enterLoops(g.code.loops[outer].head, r)
	}
	inner := g.newRegion(region{kind: loopRegion, loop: in, parent: r})
	g.steps++ // a jump into many loops at once is work
	for len(r.wait) > 0 && r.wait[len(r.wait)-1].block <= g.code.loops[in].last {
		x := r.wait[len(r.wait)-1]
		r.wait = r.wait[:len(r.wait)-1]
		x.region = inner
		inner.put(x)
	}
	return inner
}
