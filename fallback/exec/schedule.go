package exec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/runner/device"
)

// This file is about lane groups that stop without having met anybody: at a barrier, or because they have run for long
// while others wait for them (a lane that spins on a lock which a waiting lane holds must give way to it). Such groups are
// suspended: their regions stay, and what lies behind them waits for them, unless it is let through on purpose.

// A gang gives way to the lanes that wait for the ones that run, to other gangs and to other work-groups after fullPatience
// back-edges. That is far above the iterations of most loops that lanes are meant to leave together. Lanes that make atomic
// accesses meanwhile may be waiting for somebody: they give way sooner, by the factor pollers, and each time patience halves
// as far as leastPatience, as a lock may go from lane to lane. Patience also halves where lanes wait for one that runs on.
const (
	fullPatience  = 1 << 14
	leastPatience = 1 << 6
	pollers       = 1 << 4
)

// state says why a gang does not run.
type state uint8

const (
	done    state = iota // all lanes have ended
	blocked              // all lanes that have not ended wait at barriers
	yielded              // it can go on
)

// parked is a group that waits at a barrier.
type parked struct {
	group
	barrier *block
	// instance tells executions of the barrier apart: the call path and the loop iterations around it.
	instance []uint64
}

// suspend takes a group out of the order in which lanes run.
func (g *gang) suspend(x group) {
	for r := x.region; r != nil; r = r.parent {
		r.suspended++
	}
}

// unsuspend is the opposite of suspend.
func (g *gang) unsuspend(x group) {
	for r := x.region; r != nil; r = r.parent {
		r.suspended--
	}
}

// next makes the lanes whose turn it is the current group, where resume knows of none.
func (g *gang) next() bool {
	if n := len(g.ready); n > 0 {
		x := g.ready[n-1]
		g.ready = g.ready[:n-1]
		g.setGroup(x)
		return true
	}
	if g.unhold() {
		return true
	}
	if len(g.preempted) > 0 {
		x := g.preempted[0]
		g.preempted = slices.Delete(g.preempted, 0, 1)
		g.unsuspend(x)
		g.setGroup(x)
		return true
	}
	return false
}

// hold makes the current group wait before a block with a sub-group operation while other lanes of the gang are
// suspended: they are behind and may come to the same place. It reports whether the group must wait.
func (g *gang) hold(b *block) bool {
	if !b.collective || g.letThrough {
		g.letThrough = false
		return false
	}
	if g.code.prog.Shader || rootOf(g.cur.region).suspended == 0 {
		return false
	}
	g.suspend(g.cur)
	g.held = append(g.held, g.cur)
	return true
}

// unhold lets lanes through that wait before a sub-group operation: those that are furthest behind, together with all
// that have caught up with them. Nobody is let through as long as others with the same regions can still come.
func (g *gang) unhold() bool {
	first, at := -1, []int64(nil)
	for i, x := range g.held {
		root := rootOf(x.region)
		if slices.ContainsFunc(g.preempted, func(y group) bool { return rootOf(y.region) == root }) {
			continue
		}
		if p := g.position(x); first < 0 || slices.Compare(p, at) < 0 {
			first, at = i, p
		}
	}
	if first < 0 {
		return false
	}
	root := rootOf(g.held[first].region)
	var together, rest []group
	for _, y := range g.held {
		if rootOf(y.region) == root && slices.Equal(g.position(y), at) {
			together = append(together, y)
		} else {
			rest = append(rest, y)
		}
	}
	for i := range together {
		g.unsuspend(together[i])
	}
	g.held = rest
	x := together[0]
	for _, y := range together[1:] {
		g.join(x.region, y.region)
		x.mask = x.mask.or(y.mask)
	}
	g.letThrough = true
	g.setGroup(x)
	return true
}

func (g *gang) losePatience() {
	g.patience = max(g.patience/2, min(leastPatience, g.w.run.patience()))
}

// giveWay lets other lanes of the gang go on. It reports whether other gangs should have a turn too: not before all lanes
// of this one have had theirs, as a lock may go from lane to lane, and a round of all gangs and work-groups may be long.
func (g *gang) giveWay() bool {
	g.turns++
	waited := g.changeLanes()
	if waited && g.turns < 2*MaxLanes || g.turns <= len(g.preempted)+len(g.ready) {
		return false
	}
	g.turns = 0
	return true
}

// changeLanes suspends the current group and makes another one current: one that waits for it, which it reports, or that
// was suspended before. Where there is no other, the current one stays.
func (g *gang) changeLanes() (waited bool) {
	g.spins, g.letThrough = 0, false
	if g.polls {
		g.polls = false
		g.losePatience()
	}
	if g.all.andNot(g.ended).andNot(g.cur.mask).empty() {
		return false // only other gangs and work-groups wait, if anybody
	}
	g.losePatience()
	g.splitSubGroups()
	x := g.cur
	if g.code.prog.Shader {
		g.ready = slices.Insert(g.ready, 0, x)
		for _, y := range g.preempted {
			g.unsuspend(y)
			g.ready = append(g.ready, y)
		}
		g.preempted = g.preempted[:0]
		g.next()
		return false
	}
	g.suspend(x)
	g.preempted = append(g.preempted, x)
	for r := x.region; r != nil; r = r.parent {
		switch {
		case len(r.wait) > 0:
			y := r.wait[len(r.wait)-1]
			r.wait = r.wait[:len(r.wait)-1]
			y.region = g.enterLoops(y.block, r)
			g.setGroup(y)
			return true
		case r != x.region && !r.again.empty():
			// The next iteration gets a region of its own: the lanes that stay behind are still in theirs.
			ahead := g.newRegion(region{kind: r.kind, loop: r.loop, parent: r.parent, iteration: r.iteration + 1})
			y := group{mask: r.again, block: g.code.loops[r.loop].head, region: ahead}
			r.again = mask{}
			g.setGroup(y)
			return true
		case r.kind == callRegion && !r.arrived.empty() && r.caller != nil:
			lanes := r.arrived
			r.arrived = mask{}
			g.setGroup(g.returned(lanes, r.parent, r.caller))
			return true
		}
	}
	g.next()
	return false
}

// park makes the current group wait at a barrier.
func (g *gang) park(b *block) bool {
	p := parked{group: g.cur, barrier: b}
	p.block = b.edges[0].to
	for r := g.cur.region; r != nil; r = r.parent {
		switch {
		case r.kind == callRegion && r.caller != nil:
			p.instance = append(p.instance, 1, uint64(r.caller.edges[0].to))
		case r.loop >= 0 && (r.kind == loopRegion || !g.code.prog.Shader):
			p.instance = append(p.instance, 2, uint64(r.loop), r.iteration)
		}
	}
	g.suspend(p.group)
	g.waiting = append(g.waiting, p)
	if g.code.prog.Shader {
		return false
	}
	return g.resume(p.region)
}

// release lets parked groups go on.
func (g *gang) release(keep func(p *parked) bool) {
	rest := g.waiting[:0]
	for i := range g.waiting {
		p := &g.waiting[i]
		if keep(p) {
			rest = append(rest, *p)
			continue
		}
		same := slices.IndexFunc(g.preempted, func(x group) bool { return x.block == p.block && x.region == p.region })
		if same >= 0 {
			g.unsuspend(p.group)
			g.preempted[same].mask = g.preempted[same].mask.or(p.mask)
			continue
		}
		g.preempted = append(g.preempted, p.group)
	}
	g.waiting = rest
}

// releaseSubGroups lets the lanes of sub-groups through whose lanes all wait at the same instance of a barrier of the
// sub-group. It reports whether there were any.
func (w *groupState) releaseSubGroups() bool {
	size := w.run.env.SubGroupSize
	any := false
	for _, g := range w.active {
		if !slices.ContainsFunc(g.waiting, func(p parked) bool { return p.barrier.term.SubGroup }) {
			continue
		}
		for lo := 0; lo < g.n; lo += size {
			all := firstLanes(min(lo+size, g.n)).andNot(firstLanes(lo))
			var first *parked
			var here mask
			for i := range g.waiting {
				p := &g.waiting[i]
				if p.mask.and(all).empty() || !p.barrier.term.SubGroup || first != nil && !first.same(p) {
					continue
				}
				first = p
				here = here.or(p.mask.and(all))
			}
			if first == nil || here != all.andNot(g.ended) || !w.exitedAllowed(all.and(g.ended)) {
				continue
			}
			any = true
			g.splitParked(all)
			g.release(func(p *parked) bool { return p.mask.andNot(all) != mask{} || !p.barrier.term.SubGroup })
		}
	}
	return any
}

// splitParked cuts parked groups so that each lies inside or outside of a set of lanes.
func (g *gang) splitParked(set mask) {
	for i := range g.waiting {
		p := g.waiting[i]
		in, out := p.mask.and(set), p.mask.andNot(set)
		if in.empty() || out.empty() {
			continue
		}
		g.waiting[i].mask = out
		p.mask = in
		g.suspend(p.group)
		g.waiting = append(g.waiting, p)
	}
}

func (p *parked) same(q *parked) bool {
	return p.barrier == q.barrier && slices.Equal(p.instance, q.instance)
}

func (w *groupState) exitedAllowed(ended mask) bool {
	return ended.empty() || w.run.env.ReleaseExited
}

// releaseBarrier lets everybody through where all work-items wait at the same instance of a barrier; otherwise nobody
// can ever go on, and it says so.
func (w *groupState) releaseBarrier() *Fault {
	type place struct {
		p *parked
		g *gang
		n int
	}
	var places []place
	ended, total := 0, 0
	for _, g := range w.active {
		total += g.n
		ended += g.ended.count()
		for i := range g.waiting {
			p := &g.waiting[i]
			k := slices.IndexFunc(places, func(q place) bool { return q.p.same(p) })
			if k < 0 {
				k = len(places)
				places = append(places, place{p: p, g: g})
			}
			places[k].n += p.mask.count()
		}
	}
	if len(places) == 1 && !places[0].p.barrier.term.SubGroup && (ended == 0 || w.run.env.ReleaseExited) && places[0].n+ended == total {
		for _, g := range w.active {
			g.release(func(*parked) bool { return false })
		}
		return nil
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.n, a.n) })
	first := places[0]
	first.g.fail(first.p.barrier.term.At, first.p.mask.first(), "divergent-barrier",
		fmt.Sprintf("not all work-items of the work-group reach the barrier: %d of %d wait here", first.n, total), "")
	f := first.g.fault
	waiting := first.n
	for _, q := range places[1:] {
		waiting += q.n
		where := "at another execution of it"
		if q.p.barrier != first.p.barrier {
			where = fmt.Sprintf("at the barrier at word offset %d", w.run.code.prog.Source[q.p.barrier.term.At].Offset)
		}
		f.Places = append(f.Places, device.Place{Key: "waiting elsewhere", Value: fmt.Sprintf("%d %s", q.n, where)})
	}
	if rest := total - ended - waiting; rest > 0 {
		// They are at no barrier: their turn comes when those at the barriers have gone on.
		f.place("waiting for these", fmt.Sprintf("%d, where the ways of work-items meet", rest))
	}
	if ended > 0 {
		f.place("have left the kernel", fmt.Sprint(ended))
		f.Try = "--barrier-exited=release, which counts work-items that have left as arrived, as some hardware does"
	}
	return f
}

// collective reports whether an instruction needs the lanes of a sub-group together.
func collective(in *lane.Inst) bool { return in.Group != nil || in.Op == lane.BitcastShuffle }
