package exec

// In a shader, lanes that have parted meet again where the module declares it: at the merge block of a selection or loop,
// at a loop's continue target, and behind a call. A region stands for one dynamic instance of what they meet at the end
// of; its lanes run in any order.

// enterConstruct opens the region of the construct that a block is the header of, also where all lanes take one way: they
// may part further in, on a way that leads to the merge block directly.
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
	r.iteration++
	g.cur.region = g.newRegion(region{meet: b.cont, live: g.cur.mask, parent: r})
}

// enter finds out whether lanes that come to a block must wait there for others. It returns the group that goes on from
// the block: all that have met, if these were the last.
func (g *gang) enter(x group, to int32) (group, bool) {
	x.block = to
	if !g.code.blocks[to].isMeet {
		return x, true
	}
	for {
		r := x.region
		for r.kind != callRegion && r.meet != to {
			r = r.parent
		}
		if r.kind == callRegion {
			return x, true
		}
		g.leaveTo(x, r)
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
	x, kind, caller := group{mask: r.arrived, block: r.meet, region: r.parent}, r.kind, r.caller
	g.freeRegion(r)
	switch {
	case x.mask.empty():
		return x, false
	case kind != callRegion:
		return g.enter(x, x.block)
	case caller == nil:
		return x, false // the entry point: the lanes have ended
	}
	return g.returned(x.mask, x.region, caller), true // no meeting point: it is the middle of a block of the module
}

// returnTo ends the current lanes' activation of a function, whose region r is.
func (g *gang) returnTo(r *region) bool {
	x := g.cur
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
