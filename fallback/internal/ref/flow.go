package ref

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// A tracker follows a lane's way through a function and names the dynamic instance it is in.
type tracker interface {
	enter(from, to *module.Block) // the lane comes to a block, from nil into the function
	leave(from, to *module.Block) // the lane leaves a block
	name() string
}

func (m *Machine) tracker(f *module.Function) tracker {
	if m.shader {
		return &constructs{f: f}
	}
	return &loops{flow: m.flow(f), count: map[int]int{}}
}

func (m *Machine) flow(f *module.Function) *flow {
	fl := m.flows[f]
	if fl == nil {
		fl = newFlow(f)
		m.flows[f] = fl
	}
	return fl
}

// instance names the dynamic instance the frame is in.
func (fr *frame) instance() string { return fr.path + "/" + fr.at.name() }

// constructs follows a shader's declared constructs (SPIR-V 1.6, section 2.11; SPV_KHR_maximal_reconvergence): lanes are
// together where they have gone the same way through all constructs they are still in.
type constructs struct {
	f    *module.Function
	open []construct
}

// construct is a selection, a loop, or one iteration of a loop, which ends where it meets.
type construct struct {
	header, meet *module.Block
	way          string
	loop         bool
}

func (c *constructs) enter(_, to *module.Block) {
	for again := true; again; {
		again = false
		for i := len(c.open) - 1; i >= 0; i-- {
			if c.open[i].meet == to {
				c.open = c.open[:i]
				again = true
				break
			}
		}
	}
}

func (c *constructs) leave(from, to *module.Block) {
	if from.Merge == nil {
		return
	}
	merge := c.f.BlockByID[spirv.ID(from.Merge.Words[0])]
	if from.Merge.Op == spirv.OpSelectionMerge {
		c.open = append(c.open, construct{from, merge, fmt.Sprint(to.ID), false})
		return
	}
	n := len(c.open)
	if n == 0 || !c.open[n-1].loop || c.open[n-1].header != from {
		c.open = append(c.open, construct{from, merge, "0", true})
	} else {
		var i int
		fmt.Sscan(c.open[n-1].way, &i)
		c.open[n-1].way = fmt.Sprint(i + 1)
	}
	c.open = append(c.open, construct{from, c.f.BlockByID[spirv.ID(from.Merge.Words[1])], fmt.Sprint(to.ID), false})
}

func (c *constructs) name() string {
	var b strings.Builder
	for _, x := range c.open {
		fmt.Fprintf(&b, "%d:%s ", x.header.ID, x.way)
	}
	return b.String()
}

// flow holds a kernel function's natural loops: by header, the blocks in it.
type flow struct {
	in map[int]map[int]bool
}

func newFlow(f *module.Function) *flow {
	fl := &flow{map[int]map[int]bool{}}
	dom := f.Dominators()
	for _, b := range f.Blocks {
		for _, h := range b.Succs {
			if !dom.Contains(b) || !dom.Dominates(h, b) {
				continue
			}
			body := fl.in[h.Index]
			if body == nil {
				body = map[int]bool{h.Index: true}
				fl.in[h.Index] = body
			}
			for todo := []*module.Block{b}; len(todo) > 0; {
				x := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if dom.Contains(x) && !body[x.Index] {
					body[x.Index] = true
					todo = append(todo, x.Preds...)
				}
			}
		}
	}
	return fl
}

// loops counts the iterations of the loops a kernel's lane is in: lanes are together at a block where all these counts
// are equal.
type loops struct {
	*flow
	at    *module.Block
	count map[int]int
}

func (l *loops) enter(from, to *module.Block) {
	l.at = to
	for h, body := range l.in {
		switch {
		case !body[to.Index]:
			delete(l.count, h)
		case h == to.Index && (from == nil || !body[from.Index]):
			l.count[h] = 0
		case h == to.Index:
			l.count[h]++
		}
	}
}

func (l *loops) leave(_, _ *module.Block) {}

func (l *loops) name() string {
	var b strings.Builder
	for _, h := range slices.Sorted(maps.Keys(l.count)) {
		fmt.Fprintf(&b, "%d:%d ", h, l.count[h])
	}
	return fmt.Sprintf("%d@%s", l.at.Index, b.String())
}
