package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Structured control flow of shaders (SPIR-V 1.6, section 2.11). Its dominance is structural: paths may also go from a
// header to its merge block and to its continue target.

const structuredSection = core + "2.11"

// maxFlowNesting is how deep control flow may nest (SPIR-V 1.6, section 2.17).
const maxFlowNesting = 1023

// shape is what structured checks one function by.
type shape struct {
	c      *checker
	f      *module.Function
	dom    *module.DomTree // structural; the blocks are those of view
	post   *module.DomTree
	view   []*module.Block // the function's blocks with the structural edges as successors
	back   [][2]int        // back edges, from and to, by block index
	isBack map[[2]int]bool
	heads  []*module.Block // the header that names the block as its merge block, by block index
	in     []int           // the number of the last construct found to hold the block, by block index
	now    int             // the number of the construct looked at
	depth  []int           // constructs around each block, by block index
	outer  []*module.Block // what around found, where known, by block index
	known  []bool
	work   int // steps left before the function is too complex
}

func (c *checker) structured(f *module.Function) {
	s := &shape{c: c, f: f, work: 4 * (maxFlowNesting + 1) * (len(f.Blocks) + 1), depth: make([]int, len(f.Blocks)), in: make([]int, len(f.Blocks)), isBack: map[[2]int]bool{}}
	s.build()
	for _, check := range []func() bool{s.backEdges, s.constructs, s.selections} {
		if !check() {
			return
		}
	}
}

func (s *shape) fail(b *module.Block, format string, args ...any) bool {
	s.c.fail(s.c.byID[b.ID], structuredSection, format, args...)
	return false
}

func (s *shape) name(b *module.Block) string { return s.c.name(b.ID) }

// merge and cont return the blocks a header's merge instruction names.
func (s *shape) merge(b *module.Block) *module.Block {
	return s.f.BlockByID[spirv.ID(b.Merge.Words[0])]
}

func (s *shape) cont(b *module.Block) *module.Block { return s.f.BlockByID[spirv.ID(b.Merge.Words[1])] }

func isLoop(b *module.Block) bool { return b.Merge != nil && b.Merge.Op == spirv.OpLoopMerge }

func isSwitch(b *module.Block) bool { return b.Term.Op == spirv.OpSwitch }

func (s *shape) dominates(a, b *module.Block) bool {
	return s.dom.Dominates(s.view[a.Index], s.view[b.Index])
}
func (s *shape) reachable(b *module.Block) bool { return s.dom.Contains(s.view[b.Index]) }

// build makes the structural graph with its dominators and finds the back edges.
func (s *shape) build() {
	n := len(s.f.Blocks)
	s.view = make([]*module.Block, n)
	s.heads = make([]*module.Block, n)
	s.outer, s.known = make([]*module.Block, n), make([]bool, n)
	for i := range s.view {
		s.view[i] = &module.Block{Index: i}
	}
	for _, b := range s.f.Blocks {
		v := s.view[b.Index]
		add := func(t *module.Block) {
			for _, have := range v.Succs {
				if have.Index == t.Index {
					return
				}
			}
			v.Succs = append(v.Succs, s.view[t.Index])
		}
		if b.Merge != nil {
			s.heads[s.merge(b).Index] = b
			add(s.merge(b))
			if isLoop(b) {
				add(s.cont(b))
			}
		}
		if len(b.Succs) > 64 { // a large switch: add is quadratic
			for _, t := range b.Succs {
				v.Succs = append(v.Succs, s.view[t.Index])
			}
			continue
		}
		for _, t := range b.Succs {
			add(t)
		}
	}
	g := &module.Function{Blocks: s.view}
	s.dom, s.post = g.Dominators(), g.PostDominators()

	const open, done = 1, 2
	state := make([]uint8, n)
	next := make([]int, n)
	for root := range s.view { // the entry block first; then what nothing reaches
		if state[root] != 0 {
			continue
		}
		for stack := []int{root}; len(stack) > 0; {
			v := stack[len(stack)-1]
			state[v] = max(state[v], open)
			if next[v] == len(s.view[v].Succs) {
				state[v] = done
				stack = stack[:len(stack)-1]
				continue
			}
			t := s.view[v].Succs[next[v]].Index
			next[v]++
			switch state[t] {
			case 0:
				stack = append(stack, t)
			case open:
				for _, real := range s.f.Blocks[v].Succs {
					if real.Index == t {
						s.back = append(s.back, [2]int{v, t})
						s.isBack[[2]int{v, t}] = true
					}
				}
			}
		}
	}
}

// backEdges: they lead to loop headers only, and to each from exactly one block.
func (s *shape) backEdges() bool {
	count := make([]int, len(s.f.Blocks))
	for _, e := range s.back {
		from, to := s.f.Blocks[e[0]], s.f.Blocks[e[1]]
		if !isLoop(to) {
			return s.fail(from, "the branch back from block %s to %s must lead to a loop header", s.name(from), s.name(to))
		}
		count[e[1]]++
	}
	for _, b := range s.f.Blocks {
		if isLoop(b) && s.reachable(b) && count[b.Index] != 1 {
			return s.fail(b, "loop header %s must have exactly one block that branches back to it, it has %d", s.name(b), count[b.Index])
		}
	}
	return true
}

// construct is a selection, a loop or a continue construct.
type construct struct {
	kind   string
	header *module.Block // of a continue construct the continue target
	exit   *module.Block // merge block, of a continue construct the block that branches back
	loop   *module.Block // of a continue construct the loop header
}

func (s *shape) constructs() bool {
	latch := map[int]*module.Block{}
	for _, e := range s.back {
		latch[e[1]] = s.f.Blocks[e[0]]
	}
	for _, b := range s.f.Blocks {
		if b.Merge == nil {
			continue
		}
		list := []construct{{kind: "selection", header: b, exit: s.merge(b)}}
		if isLoop(b) {
			list = []construct{{kind: "loop", header: b, exit: s.merge(b)}}
			if l := latch[b.Index]; l != nil {
				list = append(list, construct{kind: "continue", header: s.cont(b), exit: l, loop: b})
			}
		}
		for _, k := range list {
			if s.reachable(k.header) && !s.construct(k) {
				return false
			}
		}
	}
	return true
}

func (s *shape) construct(k construct) bool {
	header, exit := s.name(k.header), s.name(k.exit)
	switch {
	case !s.dominates(k.header, k.exit):
		return s.fail(k.exit, "the header %s of a %s construct must dominate its end %s", header, k.kind, exit)
	case k.kind != "continue" && k.header == k.exit:
		return s.fail(k.exit, "the header %s of a %s construct must strictly dominate its merge block", header, k.kind)
	case k.kind == "continue" && !s.post.Dominates(s.view[k.exit.Index], s.view[k.header.Index]):
		return s.fail(k.exit, "the block %s that branches back must post-dominate the continue target %s", exit, header)
	}
	blocks, ok := s.blocks(k)
	if !ok {
		return s.fail(k.header, "control flow nests deeper than %d", maxFlowNesting)
	}
	for _, b := range blocks {
		if k.kind != "continue" {
			if s.depth[b.Index]++; s.depth[b.Index] > maxFlowNesting {
				s.c.fail(s.c.byID[k.header.ID], core+"2.17", "control flow nests deeper than %d", maxFlowNesting)
				return false
			}
		}
		if !s.edges(k, b) {
			return false
		}
	}
	if k.kind == "loop" && !s.intoContinue(k) {
		return false
	}
	if k.kind == "selection" && isSwitch(k.header) {
		return s.cases(k)
	}
	return true
}

// holds reports whether the construct looked at holds the block.
func (s *shape) holds(b *module.Block) bool { return s.in[b.Index] == s.now }

// blocks finds the blocks of a construct.
func (s *shape) blocks(k construct) (out []*module.Block, ok bool) {
	s.now++
	for todo := []*module.Block{k.header}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.work--; s.work < 0 {
			return nil, false
		}
		if s.holds(b) || !s.dominates(k.header, b) {
			continue
		}
		if !(k.kind == "continue" && s.post.Dominates(s.view[k.exit.Index], s.view[b.Index])) {
			if s.dominates(k.exit, b) || k.kind == "loop" && s.dominates(s.cont(k.header), b) {
				continue
			}
		}
		s.in[b.Index] = s.now
		out = append(out, b)
		for _, t := range s.view[b.Index].Succs {
			todo = append(todo, s.f.Blocks[t.Index])
		}
	}
	return out, true
}

// edges checks the edges of one block of a construct.
func (s *shape) edges(k construct, b *module.Block) bool {
	for _, t := range b.Succs {
		if !s.holds(t) && !s.structuredExit(k, t) {
			return s.fail(b, "block %s leaves the %s construct of %s to %s other than by its merge block, a break or a continue",
				s.name(b), k.kind, s.name(k.header), s.name(t))
		}
	}
	if b == k.header {
		return true
	}
	for _, p := range b.Preds {
		if s.reachable(p) && !s.holds(p) {
			return s.fail(p, "block %s branches into the %s construct of %s past its header", s.name(p), k.kind, s.name(k.header))
		}
	}
	if b.Merge != nil {
		if m := s.merge(b); s.reachable(m) && !s.holds(m) {
			return s.fail(b, "header %s is inside the %s construct of %s and its merge block %s is not", s.name(b), k.kind, s.name(k.header), s.name(m))
		}
	}
	return true
}

// structuredExit reports whether a branch out of the construct may lead to the block.
func (s *shape) structuredExit(k construct, to *module.Block) bool {
	switch k.kind {
	case "loop":
		return to == k.exit || to == s.cont(k.header)
	case "continue":
		return to == k.loop || to == s.merge(k.loop)
	}
	if to == k.exit {
		return true
	}
	// Outwards through the enclosing headers: to the innermost loop's merge block or continue target, or, from a
	// selection that is no switch itself, to the innermost switch's merge block.
	seenSwitch := false
	for b := s.around(k.header); b != nil; b = s.around(b) {
		if s.work--; s.work < 0 {
			return true
		}
		loop, m := isLoop(b), s.merge(b)
		if !loop && isSwitch(k.header) || s.dominates(m, k.header) { // or the construct ended before this one began
			continue
		}
		switch {
		case (!seenSwitch || loop) && to == m:
			return true
		case loop:
			return to == s.cont(b)
		}
		seenSwitch = true
	}
	return false
}

// around returns the header of the innermost loop or switch around the block, other than the block itself; nil where
// there is none. What it finds on its way is kept, so that a long row of constructs is walked once.
func (s *shape) around(b *module.Block) *module.Block {
	var path []*module.Block
	var found *module.Block
	for b != nil && !s.known[b.Index] {
		path = append(path, b)
		if h := s.heads[b.Index]; h != nil && h != b && s.dominates(h, b) {
			b = h // its construct ends here, and is around no block from here on
			continue
		}
		d := s.dom.IDom(s.view[b.Index])
		if d == nil {
			b = nil
			break
		}
		b = s.f.Blocks[d.Index]
		if b.Merge != nil && (isLoop(b) || isSwitch(b)) {
			found = b
			break
		}
	}
	if found == nil && b != nil {
		found = s.outer[b.Index]
	}
	for _, p := range path {
		s.known[p.Index], s.outer[p.Index] = true, found
	}
	return found
}

// intoContinue: branches to the continue target come from within the loop.
func (s *shape) intoContinue(k construct) bool {
	target := s.cont(k.header)
	if target == k.header {
		return true
	}
	for _, p := range target.Preds {
		if !s.reachable(p) || s.holds(p) {
			continue
		}
		if !s.isBack[[2]int{p.Index, target.Index}] {
			return s.fail(p, "block %s branches to the continue target %s from outside the loop of %s", s.name(p), s.name(target), s.name(k.header))
		}
	}
	return true
}

// selections: a branch to two blocks that are both new must have a merge instruction.
func (s *shape) selections() bool {
	seen := make([]bool, len(s.f.Blocks))
	mark := func(b *module.Block) bool {
		was := seen[b.Index]
		seen[b.Index] = true
		return was
	}
	for _, b := range s.preorder() {
		if b.Merge != nil {
			mark(s.merge(b))
			if isLoop(b) {
				mark(s.cont(b))
			}
		}
		if !s.reachable(b) {
			continue
		}
		switch b.Term.Op {
		case spirv.OpBranchConditional:
			t, f := s.f.BlockByID[spirv.ID(b.Term.Words[1])], s.f.BlockByID[spirv.ID(b.Term.Words[2])]
			oldT := mark(t)
			oldF := mark(f)
			if (b.Merge == nil || isLoop(b)) && !oldT && !oldF {
				s.c.fail(s.c.instOf(b.Term), structuredSection, "a branch to two blocks needs an OpSelectionMerge before it, or one of them must be a merge block or continue target")
				return false
			}
		case spirv.OpSwitch:
			if b.Merge == nil {
				s.c.fail(s.c.instOf(b.Term), structuredSection, "OpSwitch needs an OpSelectionMerge before it")
				return false
			}
			for _, t := range b.Succs {
				mark(t)
			}
		}
	}
	return true
}

// preorder returns the blocks in reverse postorder of the structural graph.
func (s *shape) preorder() []*module.Block {
	n := len(s.view)
	out := make([]*module.Block, 0, n)
	seen := make([]bool, n)
	next := make([]int, n)
	for root := n - 1; root >= 0; root-- {
		if root != 0 && s.reachable(s.f.Blocks[root]) || seen[root] {
			continue
		}
		seen[root] = true
		for stack := []int{root}; len(stack) > 0; {
			v := stack[len(stack)-1]
			if next[v] == len(s.view[v].Succs) {
				out = append(out, s.f.Blocks[v])
				stack = stack[:len(stack)-1]
				continue
			}
			t := s.view[v].Succs[next[v]].Index
			next[v]++
			if !seen[t] {
				seen[t] = true
				stack = append(stack, t)
			}
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
