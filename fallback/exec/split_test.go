package exec

import "testing"

// Three groups at one place, two of them in loops of the same execution of the loop around, go on together. What is counted
// in that execution must be counted once: what lies behind would wait forever for groups that are not there.
func TestGroupsThatJoinAreCountedOnce(t *testing.T) {
	g := &gang{code: &Code{loops: []loop{{head: 1, last: 6, parent: -1}, {head: 2, last: 3, parent: 0}}}}
	lane := func(i int) (m mask) { m.add(i); return m }
	root := g.newRegion(region{kind: callRegion, meet: -1, loop: -1})
	outer := func() *region { return g.newRegion(region{kind: loopRegion, loop: 0, parent: root, iteration: 4}) }
	inner := func(p *region) *region { return g.newRegion(region{kind: loopRegion, loop: 1, parent: p}) }
	a, b := outer(), outer()
	b.again = lane(9)
	for i, r := range []*region{inner(a), inner(b), inner(b)} {
		x := group{mask: lane(i), block: 3, region: r}
		g.suspend(x)
		g.held = append(g.held, x)
	}
	ahead := group{mask: lane(3), block: 5, region: b}
	g.suspend(ahead)
	g.held = append(g.held, ahead)

	if !g.unhold() {
		t.Fatal("nobody is let through")
	}
	if want := firstLanes(3); g.cur.mask != want {
		t.Errorf("lanes %v go on, want %v", g.cur.mask, want)
	}
	if len(g.held) != 1 || g.held[0].region != a || g.cur.region.parent != a {
		t.Errorf("the groups are not in one execution of the loop: %+v", g.held)
	}
	if a.suspended != 1 || root.suspended != 1 || a.again != lane(9) {
		t.Errorf("%d groups are suspended in the loop, %d in all, %v wait for the next iteration; want 1, 1, lane 9", a.suspended, root.suspended, a.again)
	}
}
