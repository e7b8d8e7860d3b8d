package ref

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// position says where in the course of a program a lane is. Lanes pass positions in increasing order (slices.Compare), so
// what the lane at the least one waits for cannot come from a lane that is already further.
//
// It lists, for each call from the outermost on, for each loop around the block the loop's header and the iteration, then
// the block and the instruction. Blocks are numbered as they stand in the module; flow.ordered says whether that is an order
// in which they are passed.
type position []int

// instance tells dynamic instances apart: lanes execute an instruction together exactly where their instances are equal.
//
// In kernels that is the position alone, since lanes meet wherever they come to the same block in the same iteration of the
// loops around it. In shaders way says, besides, how the lane went through the constructs it is still in.
type instance struct {
	at  position
	way string
}

func compareInstances(a, b instance) int {
	if c := slices.Compare(a.at, b.at); c != 0 {
		return c
	}
	return strings.Compare(a.way, b.way)
}

// String writes the instance, so that it can be the key of a map.
func (i instance) String() string { return fmt.Sprint([]int(i.at)) + i.way }

// A tracker follows a lane's way through a function.
type tracker struct {
	flow  *flow
	count []int       // by header's index: iterations of the loop
	decl  *constructs // of shaders
}

func (m *Machine) tracker(f *module.Function) tracker {
	fl := m.flows[f]
	if fl == nil {
		fl = newFlow(f)
		m.flows[f] = fl
	}
	t := tracker{flow: fl, count: make([]int, len(f.Blocks))}
	if m.shader {
		t.decl = &constructs{f: f}
	}
	return t
}

// enter notes that the lane comes to a block; from is nil into the function.
func (t *tracker) enter(from, to *module.Block) {
	if body := t.flow.in[to.Index]; body != nil {
		if from == nil || !body[from.Index] {
			t.count[to.Index] = 0
		} else {
			t.count[to.Index]++
		}
	}
	if t.decl != nil {
		t.decl.enter(to)
	}
}

// leave notes that the lane leaves a block.
func (t *tracker) leave(from, to *module.Block) {
	if t.decl != nil {
		t.decl.leave(from, to)
	}
}

// instance is where the lane is with an instruction.
func (fr *frame) instance(in *spirv.Instruction) instance {
	at := slices.Clone(fr.path.at)
	for _, h := range fr.at.flow.around[fr.block.Index] {
		at = append(at, h, fr.at.count[h])
	}
	at = append(at, fr.block.Index, in.Offset)
	way := fr.path.way
	if fr.at.decl != nil {
		way += fr.at.decl.name() + "/"
	}
	return instance{at, way}
}

// constructs follows a shader's declared constructs (SPIR-V 1.6, section 2.11; SPV_KHR_maximal_reconvergence): lanes are
// together where they have gone the same way through all constructs they are still in.
type constructs struct {
	f    *module.Function
	open []construct
}

// construct is a selection, a loop, or one iteration of a loop, which ends where it meets.
type construct struct {
	header, meet *module.Block
	way          int // the first block, or the iteration
	loop         bool
}

func (c *constructs) enter(to *module.Block) {
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
		c.open = append(c.open, construct{from, merge, to.Index, false})
		return
	}
	n := len(c.open)
	if n == 0 || !c.open[n-1].loop || c.open[n-1].header != from {
		c.open = append(c.open, construct{from, merge, 0, true})
	} else {
		c.open[n-1].way++
	}
	c.open = append(c.open, construct{from, c.f.BlockByID[spirv.ID(from.Merge.Words[1])], to.Index, false})
}

func (c *constructs) name() string {
	var b strings.Builder
	for _, x := range c.open {
		fmt.Fprintf(&b, "%d:%d ", x.header.Index, x.way)
	}
	return b.String()
}

// flow holds a function's natural loops.
type flow struct {
	in     map[int]map[int]bool // by header, the blocks in the loop
	around [][]int              // by block, the headers of the loops around it, outermost first
	// ordered is whether blocks stand in an order in which they are passed, loops apart.
	ordered bool
}

func newFlow(f *module.Function) *flow {
	fl := &flow{in: map[int]map[int]bool{}, around: make([][]int, len(f.Blocks)), ordered: true}
	dom := f.Dominators()
	for _, b := range f.Blocks {
		for _, h := range b.Succs {
			if !dom.Contains(b) {
				continue
			}
			if !dom.Dominates(h, b) {
				fl.ordered = fl.ordered && h.Index > b.Index
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
	for h := range f.Blocks { // a header stands before the headers in its loop
		for b := range fl.in[h] {
			fl.around[b] = append(fl.around[b], h)
		}
	}
	return fl
}
