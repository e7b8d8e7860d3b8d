package exec

import "slices"

// The sub-groups of a gang share regions as long as nobody spins: lanes of one sub-group wait for those of another at the
// end of a branch or loop, which costs nothing and lets one instruction serve all. Once a lane spins while others wait,
// that would tie sub-groups together that must not wait for each other. Then every sub-group gets regions of its own.

// splitSubGroups gives each sub-group of the gang regions of its own. Lanes of the current group stay current in the
// first sub-group that has any.
func (g *gang) splitSubGroups() {
	size := g.w.run.env.SubGroupSize
	if g.split || g.n <= size {
		return
	}
	g.split = true
	cur, ready, preempted, held, waiting := g.cur, g.ready, g.preempted, g.held, g.waiting
	g.ready, g.preempted, g.held, g.waiting = nil, nil, nil, nil
	old := regionsOf(cur, ready, preempted, held, waiting)
	next, found := group{}, false
	for lo := 0; lo < g.n; lo += size {
		lanes := firstLanes(min(lo+size, g.n)).andNot(firstLanes(lo))
		clones := cloneRegions(old, lanes, cur, ready, preempted, held, waiting)
		part := func(x group) (group, bool) {
			x.mask = x.mask.and(lanes)
			x.region = clones[x.region]
			return x, !x.mask.empty()
		}
		for _, x := range ready {
			if y, ok := part(x); ok {
				g.ready = append(g.ready, y)
			}
		}
		for _, x := range preempted {
			if y, ok := part(x); ok {
				g.suspend(y)
				g.preempted = append(g.preempted, y)
			}
		}
		for _, x := range held {
			if y, ok := part(x); ok {
				g.suspend(y)
				g.held = append(g.held, y)
			}
		}
		for _, p := range waiting {
			if y, ok := part(p.group); ok {
				g.suspend(y)
				p.group = y
				g.waiting = append(g.waiting, p)
			}
		}
		y, ok := part(cur)
		switch {
		case !ok:
		case !found:
			next, found = y, true
		case g.code.prog.Shader:
			g.ready = append(g.ready, y)
		default:
			g.suspend(y)
			g.preempted = append(g.preempted, y)
		}
		if found && next.region == y.region {
			g.suspend(next) // while others are looked for, so that its regions stay
		}
		g.wake(old, clones)
		if found && next.region == y.region {
			g.unsuspend(next)
		}
	}
	g.setGroup(next)
}

// wake finds the lanes of a sub-group that only waited for lanes of others.
func (g *gang) wake(old []*region, clones map[*region]*region) {
	parents := map[*region]bool{}
	for _, r := range clones {
		parents[r.parent] = true
	}
	for _, r := range old { // inner ones first
		r := clones[r]
		switch {
		case r == nil:
		case g.code.prog.Shader:
			if r.live.empty() && !r.arrived.empty() {
				if x, ok := g.complete(r); ok {
					g.ready = append(g.ready, x)
				}
			}
		case !parents[r] && r.suspended == 0:
			if g.resume(r) {
				g.suspend(g.cur)
				g.preempted = append(g.preempted, g.cur)
			}
		}
	}
}

// regionsOf lists the regions of the groups, inner ones before those around them.
func regionsOf(cur group, ready, preempted, held []group, waiting []parked) []*region {
	depth := map[*region]int{}
	var list []*region
	var visit func(r *region) int
	visit = func(r *region) int {
		if r == nil {
			return 0
		}
		d, ok := depth[r]
		if !ok {
			d = visit(r.parent) + 1
			depth[r] = d
			list = append(list, r)
		}
		return d
	}
	visit(cur.region)
	for _, x := range slices.Concat(ready, preempted, held) {
		visit(x.region)
	}
	for i := range waiting {
		visit(waiting[i].region)
	}
	slices.SortStableFunc(list, func(a, b *region) int { return depth[b] - depth[a] })
	return list
}

// cloneRegions copies what regions know of some lanes. Regions without any are left out.
func cloneRegions(old []*region, lanes mask, cur group, ready, preempted, held []group, waiting []parked) map[*region]*region {
	needed := map[*region]bool{}
	need := func(r *region) {
		for ; r != nil && !needed[r]; r = r.parent {
			needed[r] = true
		}
	}
	needGroup := func(x group) {
		if !x.mask.and(lanes).empty() {
			need(x.region)
		}
	}
	needGroup(cur)
	for _, x := range slices.Concat(ready, preempted, held) {
		needGroup(x)
	}
	for i := range waiting {
		needGroup(waiting[i].group)
	}
	for _, r := range old {
		if !r.arrived.or(r.again).or(r.live).and(lanes).empty() {
			need(r)
		}
		for _, x := range r.wait {
			if !x.mask.and(lanes).empty() {
				need(r)
			}
		}
	}
	clones := map[*region]*region{}
	for i := len(old) - 1; i >= 0; i-- { // outer ones first
		r := old[i]
		if !needed[r] {
			continue
		}
		c := &region{kind: r.kind, loop: r.loop, parent: clones[r.parent], caller: r.caller, iteration: r.iteration, meet: r.meet,
			arrived: r.arrived.and(lanes), live: r.live.and(lanes), again: r.again.and(lanes)}
		for _, x := range r.wait {
			if m := x.mask.and(lanes); !m.empty() {
				c.wait = append(c.wait, group{mask: m, block: x.block, region: c})
			}
		}
		clones[r] = c
	}
	return clones
}

// position says how far a group of a kernel has come, from the entry point inwards: blocks, calls and iterations of loops.
// Positions compare as text does. Groups of a sub-group at equal positions are at the same dynamic instance.
func (g *gang) position(x group) []int64 {
	p := []int64{int64(x.block)}
	for r := x.region; r != nil; r = r.parent {
		switch {
		case r.kind == callRegion && r.caller != nil:
			p = append(p, int64(r.caller.edges[0].to)-1) // the block with the call
		case r.loop >= 0:
			p = append(p, int64(r.iteration), int64(g.code.loops[r.loop].head))
		}
	}
	slices.Reverse(p)
	return p
}

func rootOf(r *region) *region {
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// join makes two regions of a kernel one that are the same dynamic instance.
func (g *gang) join(a, b *region) {
	if a == b {
		return
	}
	g.join(a.parent, b.parent)
	a.again, a.arrived = a.again.or(b.again), a.arrived.or(b.arrived)
	a.suspended += b.suspended
	for _, x := range b.wait {
		x.region = a
		a.put(x)
	}
	// Groups that are in none of the lists below may still lead here: what is in b must not be counted twice.
	b.again, b.arrived, b.suspended, b.wait = mask{}, mask{}, 0, nil
	repoint := func(x *group) {
		if x.region == b {
			x.region = a
			return
		}
		for r := x.region; r != nil; r = r.parent {
			if r.parent == b {
				r.parent = a
			}
		}
	}
	for _, list := range [][]group{g.ready, g.preempted, g.held} {
		for i := range list {
			repoint(&list[i])
		}
	}
	for i := range g.waiting {
		repoint(&g.waiting[i].group)
	}
}
