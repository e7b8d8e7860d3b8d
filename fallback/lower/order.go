package lower

import (
	"slices"

	"github.com/sgrun/sgrun/spirv/module"
)

// A loop of the flow graph: a header and the blocks from which the header can be reached again without passing a header
// further out. In a loop with several entries the first that a depth-first walk comes to is the header.
type loop struct {
	head   *module.Block
	parent int // the loop around it, or -1
}

// flowOrder is the order in which a kernel's blocks are to run, lanes that have parted considered: a block that comes
// earlier can lead lanes to one that comes later, so lanes that stand at the earlier one go first. The blocks of a loop
// stand together, the header first. Every block stands behind those that dominate it. Blocks that cannot be reached are
// left out.
type flowOrder struct {
	blocks []*module.Block
	loops  []loop
	loopOf []int // innermost loop of each block by Block.Index, or -1
}

// flow is a depth-first walk of a function's blocks. Blocks are numbered in the order in which it comes to them.
type flow struct {
	block []*module.Block // by number
	num   []int32         // by Block.Index, -1 where the walk does not come
	last  []int32         // the highest number below a block in the walk's tree, by number
	rpo   []int32         // numbers in reverse postorder
}

func walk(f *module.Function) *flow {
	w := &flow{num: make([]int32, len(f.Blocks))}
	for i := range w.num {
		w.num[i] = -1
	}
	next := make([]int, len(f.Blocks)) // successors already seen, by number
	var stack []int32
	enter := func(b *module.Block) {
		n := int32(len(w.block))
		w.num[b.Index] = n
		w.block = append(w.block, b)
		w.last = append(w.last, n)
		stack = append(stack, n)
	}
	enter(f.Blocks[0])
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if s := w.block[n].Succs; next[n] < len(s) {
			next[n]++
			if to := s[next[n]-1]; w.num[to.Index] < 0 {
				enter(to)
			}
			continue
		}
		stack = stack[:len(stack)-1]
		w.last[n] = int32(len(w.block)) - 1
		w.rpo = append(w.rpo, n)
	}
	slices.Reverse(w.rpo)
	return w
}

// above reports whether the walk came to b by way of a.
func (w *flow) above(a, b int32) bool { return a <= b && b <= w.last[a] }

// headers finds for every block the header of the innermost loop it is in, itself not counted, as numbers; -1 where there
// is none. isHead says which are headers. (P. Havlak, Nesting of reducible and irreducible loops, 1997.) spend is told of
// the work, which loops with several entries make more than linear.
func (w *flow) headers(spend func(int)) (header []int32, isHead []bool) {
	n := len(w.block)
	header, isHead = make([]int32, n), make([]bool, n)
	back, other := make([][]int32, n), make([][]int32, n) // predecessors
	root := make([]int32, n)                              // union-find: the header of the outermost loop found so far
	for i := range n {
		header[i], root[i] = -1, int32(i)
	}
	for v, b := range w.block {
		for _, s := range b.Succs {
			to := w.num[s.Index]
			if w.above(to, int32(v)) {
				back[to] = append(back[to], int32(v))
			} else {
				other[to] = append(other[to], int32(v))
			}
		}
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	seen := make([]int32, n) // the header + 1 whose loop a block was last put into
	for h := int32(n) - 1; h >= 0; h-- {
		var body []int32
		add := func(v int32) {
			if v != h && seen[v] != h+1 {
				seen[v] = h + 1
				body = append(body, v)
			}
		}
		for _, v := range back[h] {
			isHead[h] = true
			add(find(v))
		}
		for i := 0; i < len(body); i++ {
			spend(len(other[body[i]]) / 8)
			for _, v := range other[body[i]] {
				if v = find(v); w.above(h, v) {
					add(v)
				} else {
					other[h] = append(other[h], v) // a second entry: loops further out take it up from here
				}
			}
		}
		for _, v := range body {
			header[v], root[v] = h, h
		}
	}
	return header, isHead
}

// order computes the flow order of a function's blocks.
func order(f *module.Function, spend func(int)) *flowOrder {
	w := walk(f)
	header, isHead := w.headers(spend)
	o := &flowOrder{loopOf: make([]int, len(f.Blocks))}
	for i := range o.loopOf {
		o.loopOf[i] = -1
	}
	loopAt := make([]int, len(w.block)) // by the number of the header
	// A loop's parts in reverse postorder of their headers are in an order that the walk's forward edges follow.
	parts := [][]int32{nil} // of the function, and by loop + 1
	for _, n := range w.rpo {
		in := -1
		if h := header[n]; h >= 0 {
			in = loopAt[h] // a header comes before its loop's blocks
		}
		parts[in+1] = append(parts[in+1], n)
		if isHead[n] {
			o.loops = append(o.loops, loop{w.block[n], in})
			in = len(o.loops) - 1
			loopAt[n] = in
			parts = append(parts, nil)
		}
		o.loopOf[w.block[n].Index] = in
	}
	type place struct{ list, at int }
	stack := []place{{}}
	for len(stack) > 0 {
		p := &stack[len(stack)-1]
		if p.at == len(parts[p.list]) {
			stack = stack[:len(stack)-1]
			continue
		}
		n := parts[p.list][p.at]
		p.at++
		o.blocks = append(o.blocks, w.block[n])
		if isHead[n] {
			stack = append(stack, place{list: loopAt[n] + 1})
		}
	}
	return o
}
