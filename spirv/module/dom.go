package module

import "slices"

// DomTree is the tree of immediate dominators or immediate post-dominators of a function's blocks.
type DomTree struct {
	f    *Function
	idom []int32 // by block index; virtual or unreachable where there is no block
	// pre and last are the numbers, in a walk of the tree, of a block and of the last block below it.
	pre, last []int32
}

const (
	virtual     = -1 // the parent is the virtual root
	unreachable = -2 // the block is not in the tree
)

// Dominators computes the tree of immediate dominators of the function's blocks (SPIR-V 1.6, section 2.2.5). Blocks that
// no path from the entry block reaches are not in the tree. It takes close to linear time; callers keep the result.
func (f *Function) Dominators() *DomTree {
	g := newGraph(len(f.Blocks))
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			g.edge(b.Index, s.Index)
		}
	}
	if len(f.Blocks) > 0 {
		g.edge(g.root(), 0)
	}
	return f.tree(g.dominators())
}

// PostDominators computes the tree of immediate post-dominators of the function's blocks. The root is a virtual exit.
// Blocks without successors (OpReturn, OpKill, OpUnreachable, …) lead to it; so that every block does, each set of blocks
// that can all reach one another and cannot be left (an infinite loop) leads to it from its first block in order of
// declaration. All blocks are in the tree, also those that the entry block does not reach.
func (f *Function) PostDominators() *DomTree {
	g := newGraph(len(f.Blocks))
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			g.edge(s.Index, b.Index)
		}
	}
	for _, i := range f.exits() {
		g.edge(g.root(), i)
	}
	return f.tree(g.dominators())
}

// IDom returns the immediate dominator (post-dominator) of the block; nil where that is the virtual root, for the entry
// block, and for a block outside the tree.
func (d *DomTree) IDom(b *Block) *Block {
	if i := d.idom[b.Index]; i >= 0 {
		return d.f.Blocks[i]
	}
	return nil
}

// Dominates reports whether a dominates (post-dominates) b. Every block dominates itself; a block outside the tree
// dominates and is dominated by no other.
func (d *DomTree) Dominates(a, b *Block) bool {
	if a == b {
		return true
	}
	if !d.Contains(a) || !d.Contains(b) {
		return false
	}
	return d.pre[a.Index] <= d.pre[b.Index] && d.pre[b.Index] <= d.last[a.Index]
}

// Contains reports whether the block is in the tree: for dominators, whether the entry block reaches it.
func (d *DomTree) Contains(b *Block) bool { return d.idom[b.Index] != unreachable }

// tree numbers the blocks by a walk of the tree, for Dominates.
func (f *Function) tree(idom []int32) *DomTree {
	n := len(f.Blocks)
	d := &DomTree{f: f, idom: idom, pre: make([]int32, n), last: make([]int32, n)}
	children := newGraph(n)
	for i, p := range idom {
		switch {
		case p >= 0:
			children.edge(int(p), i)
		case p == virtual:
			children.edge(children.root(), i)
		}
	}
	children.pack()
	var number int32
	stack := []int32{int32(n)}
	next := slices.Clone(children.first)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if next[v] < children.first[v+1] {
			c := children.succ[next[v]]
			next[v]++
			d.pre[c] = number
			number++
			stack = append(stack, c)
			continue
		}
		stack = stack[:len(stack)-1]
		if int(v) < n {
			d.last[v] = number - 1
		}
	}
	return d
}

// exits returns the blocks with an edge to the virtual exit, in order: those without successors and the first of every
// closed loop.
func (f *Function) exits() []int {
	var out []int
	for _, b := range f.Blocks {
		if len(b.Succs) == 0 {
			out = append(out, b.Index)
		}
	}
	// Strongly connected components (Tarjan), with a stack of our own. A component without an edge to another is
	// closed; of more than one block, or with an edge to itself, it is a loop without end.
	n := len(f.Blocks)
	number := make([]int32, n) // order of discovery, from 1
	low := make([]int32, n)
	component := make([]int32, n) // from 1 once known
	next := make([]int32, n)
	var path, call []int32
	var count, components int32
	for root := range f.Blocks {
		if number[root] != 0 {
			continue
		}
		call = append(call, int32(root))
		for len(call) > 0 {
			v := call[len(call)-1]
			b := f.Blocks[v]
			if number[v] == 0 {
				count++
				number[v], low[v] = count, count
				path = append(path, v)
			}
			if int(next[v]) < len(b.Succs) {
				s := int32(b.Succs[next[v]].Index)
				if number[s] == 0 {
					call = append(call, s)
					continue
				}
				if component[s] == 0 {
					low[v] = min(low[v], low[s])
				}
				next[v]++
				continue
			}
			call = call[:len(call)-1]
			if low[v] != number[v] {
				continue
			}
			components++
			at := len(path) - 1
			for path[at] != v {
				at--
			}
			members := path[at:]
			path = path[:at]
			for _, m := range members {
				component[m] = components
			}
			if f.closedLoop(members, component, components) {
				out = append(out, int(slices.Min(members)))
			}
		}
	}
	slices.Sort(out)
	return out
}

func (f *Function) closedLoop(members, component []int32, id int32) bool {
	edges := 0
	for _, m := range members {
		for _, s := range f.Blocks[m].Succs {
			if component[s.Index] != id {
				return false
			}
			edges++
		}
	}
	return edges > 0
}

// graph is a directed graph on n nodes and a root with number n.
type graph struct {
	n           int
	from, to    []int32
	first, succ []int32 // successors of v: succ[first[v]:first[v+1]], after pack
}

func newGraph(n int) *graph { return &graph{n: n} }

func (g *graph) root() int { return g.n }

func (g *graph) edge(from, to int) {
	g.from, g.to = append(g.from, int32(from)), append(g.to, int32(to))
}

func (g *graph) pack() { g.first, g.succ = adjacency(g.n+1, g.from, g.to) }

// adjacency sorts edges by where they start, keeping their order otherwise.
func adjacency(n int, from, to []int32) (first, out []int32) {
	first = make([]int32, n+1)
	for _, v := range from {
		first[v+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	out = make([]int32, len(to))
	at := slices.Clone(first)
	for i, v := range from {
		out[at[v]] = to[i]
		at[v]++
	}
	return first, out
}

// dominators returns the immediate dominator of every node but the root, by Lengauer and Tarjan's algorithm with path
// compression ("A fast algorithm for finding dominators in a flowgraph", 1979). The simpler iterative algorithms take
// quadratic time on a long chain of blocks that all may jump to the end, which generated kernels have.
func (g *graph) dominators() []int32 {
	g.pack()
	firstPred, preds := adjacency(g.n+1, g.to, g.from)
	n := g.n + 1
	number := make([]int32, n) // order of discovery, -1 before
	for i := range number {
		number[i] = -1
	}
	vertex := make([]int32, 0, n) // by order of discovery
	parent := make([]int32, n)    // in the depth-first tree
	next := slices.Clone(g.first[:n])
	stack := []int32{int32(g.root())}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if number[v] < 0 {
			number[v] = int32(len(vertex))
			vertex = append(vertex, v)
		}
		if next[v] == g.first[v+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		w := g.succ[next[v]]
		next[v]++
		if number[w] < 0 {
			parent[w] = v
			stack = append(stack, w)
		}
	}

	semi := slices.Clone(number) // number of the semidominator
	ancestor := make([]int32, n) // in the forest, -1 for a root
	label := make([]int32, n)
	for i := range label {
		ancestor[i], label[i] = -1, int32(i)
	}
	eval := func(v int32) int32 {
		if ancestor[v] < 0 {
			return v
		}
		path := stack[:0]
		for u := v; ancestor[ancestor[u]] >= 0; u = ancestor[u] {
			path = append(path, u)
		}
		stack = path
		for i := len(path) - 1; i >= 0; i-- {
			u := path[i]
			if a := ancestor[u]; semi[label[a]] < semi[label[u]] {
				label[u] = label[a]
			}
			ancestor[u] = ancestor[ancestor[u]]
		}
		return label[v]
	}
	idom := make([]int32, n)
	bucket := make([]int32, n) // first of the nodes with this semidominator, -1 for none
	inBucket := make([]int32, n)
	for i := range bucket {
		bucket[i] = -1
	}
	for i := len(vertex) - 1; i > 0; i-- {
		w := vertex[i]
		for _, v := range preds[firstPred[w]:firstPred[w+1]] {
			if number[v] >= 0 {
				semi[w] = min(semi[w], semi[eval(v)])
			}
		}
		s := vertex[semi[w]]
		inBucket[w], bucket[s] = bucket[s], w
		p := parent[w]
		ancestor[w] = p
		for v := bucket[p]; v >= 0; v = inBucket[v] {
			if u := eval(v); semi[u] < semi[v] {
				idom[v] = u
			} else {
				idom[v] = p
			}
		}
		bucket[p] = -1
	}
	for _, w := range vertex[1:] {
		if idom[w] != vertex[semi[w]] {
			idom[w] = idom[idom[w]]
		}
	}
	out := idom[:g.n]
	for v := range out {
		switch {
		case number[v] < 0:
			out[v] = unreachable
		case out[v] == int32(g.root()):
			out[v] = virtual
		}
	}
	return out
}
