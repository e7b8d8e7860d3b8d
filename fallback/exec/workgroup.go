package exec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/fallback/vec"
)

// This file has the operations on all work-items of a work-group. They come in two halves with a barrier between and
// behind them, so that each half finds the work-group together.

// groupPut leaves the operands where all gangs of the work-group find them: component by component, one word a work-item.
func groupPut(g *gang, o *op) {
	w, items := g.w, g.w.items()
	if n := len(o.in.Src) * items; len(w.scratch) < n {
		w.scratch = append(w.scratch, make([]uint64, n-len(w.scratch))...)
	}
	for c, v := range o.in.Src {
		for _, r := range g.runs() {
			for i := r.lo; i < r.hi; i++ {
				w.scratch[c*items+g.first+i] = g.element(v, i)
			}
		}
	}
}

func (w *groupState) items() int { return int(w.size[0] * w.size[1] * w.size[2]) }

// element returns a value in one lane, zero-extended; a Boolean is 0 or 1.
func (g *gang) element(v lane.Value, i int) uint64 {
	kind := g.code.prog.Values[v]
	if kind != lane.Bool {
		return g.bits(v, i, kind.Bytes())
	}
	if g.boolRow(g.code.slots[v]).has(i) {
		return 1
	}
	return 0
}

// setElement is the opposite of element.
func (g *gang) setElement(v lane.Value, i int, bits uint64) {
	kind := g.code.prog.Values[v]
	if kind == lane.Bool {
		g.setBool(g.code.slots[v], i, bits&1 != 0)
		return
	}
	n := kind.Bytes()
	copy(g.bytesOf(g.code.slots[v], i, 1, n), unsafe.Slice((*byte)(unsafe.Pointer(&bits)), n))
}

// groupTake gives each work-item of the gang its result. Work-items that have left the kernel do not count.
func groupTake(g *gang, o *op) {
	items := g.w.items()
	values := g.w.scratch[int(o.in.Imm)*items:][:items]
	group, kind, d := o.in.Group, o.in.Kind, o.in.Dst[0]
	if group.Source == lane.FromBroadcast {
		var bad mask
		for _, r := range g.runs() {
			for i := r.lo; i < r.hi; i++ {
				at, stride, inside := uint64(0), uint64(1), true
				for c, v := range o.in.Src {
					x := g.element(v, i)
					inside = inside && x < g.w.size[c]
					at, stride = at+x*stride, stride*g.w.size[c]
				}
				if !inside || g.w.left(int(at)) {
					bad.add(i)
					g.setElement(d, i, 0)
					continue
				}
				g.setElement(d, i, values[at])
			}
		}
		g.reportAny(o, "inactive-lane", "a value is taken from a work-item that does not exist or has left; the result is undefined", bad)
		return
	}
	acc, first := identity(group.Combine, kind), true
	if group.Combine == lane.LogicalAnd {
		acc = 1
	}
	for _, from := range g.w.active {
		for i := range from.n {
			if from.ended.has(i) {
				continue
			}
			if from == g && group.Scan == lane.ExclusiveScan {
				g.setElement(d, i, acc)
			}
			acc = joinOne(group.Combine, kind, acc, values[from.first+i], first)
			first = false
			if from == g && group.Scan == lane.InclusiveScan {
				g.setElement(d, i, acc)
			}
		}
	}
	if group.Scan == lane.ReduceAll {
		for _, r := range g.runs() {
			for i := r.lo; i < r.hi; i++ {
				g.setElement(d, i, acc)
			}
		}
	}
}

// joinOne joins two values; the first one of all is taken as it is.
func joinOne(op lane.Op, kind lane.Kind, acc, next uint64, first bool) uint64 {
	switch {
	case first:
		return next
	case op == lane.LogicalAnd:
		return acc & next
	case op == lane.LogicalOr:
		return acc | next
	case op == lane.LogicalNotEqual:
		return acc ^ next
	}
	join, _ := vec.For(op, kind, kind, 0)
	var result uint64
	join(unsafe.Pointer(&result), unsafe.Pointer(&acc), unsafe.Pointer(&next), nil, nil, 0, 1)
	return result
}

// left reports whether a work-item has left the kernel, by its number in the work-group.
func (w *groupState) left(item int) bool {
	for _, g := range w.active {
		if i := item - g.first; i < g.n {
			return g.ended.has(i)
		}
	}
	return true
}

// asyncCopy copies when the first work-item that has not left the kernel comes here.
func asyncCopy(g *gang, o *op) {
	first := 0
	for g.w.left(first) {
		first++
	}
	first -= g.first
	if first < 0 || first >= g.n || !g.cur.mask.has(first) {
		return
	}
	all := g.cur
	var one mask
	one.add(first)
	g.setGroup(group{mask: one, block: all.block, region: all.region})
	defer g.setGroup(all)
	size := uint64(o.in.Imm)
	g.hostAddresses(o.a)
	to := g.addrs[first]
	g.hostAddresses(o.b)
	from := g.addrs[first]
	count, toStep, fromStep := g.element(o.in.Src[2], first), g.element(o.in.Src[3], first), g.element(o.in.Src[4], first)
	for range count {
		g.addrs[first] = from
		if !g.verify(o, o.cache, size, false) {
			return
		}
		g.addrs[first] = to
		if !g.verify(o, o.cache+1, size, true) {
			return
		}
		copy(unsafe.Slice((*byte)(mem.At(to)), size), unsafe.Slice((*byte)(mem.At(from)), size))
		to, from = to+toStep, from+fromStep
	}
}

// partition finds for each lane the active lanes of its sub-group with the same value. Floats are compared as numbers, so
// that a NaN is alone.
func partition(g *gang, o *op) {
	kind := o.in.Kind
	same := func(a, b int) bool {
		for _, v := range o.in.Src {
			x, y := g.element(v, a), g.element(v, b)
			if !kind.Float() {
				if x != y {
					return false
				}
				continue
			}
			equal, _ := vec.For(lane.FOrdEqual, kind, kind, 0)
			var result uint64
			equal(unsafe.Pointer(&result), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil, 0, 1)
			if result&1 == 0 {
				return false
			}
		}
		return true
	}
	g.segments(func(lo int, ids []int) {
		for _, i := range ids {
			var words [4]uint32
			for _, j := range ids {
				if i == j || same(lo+i, lo+j) {
					words[j>>5] |= 1 << (j & 31)
				}
			}
			for k, v := range o.in.Dst {
				g.setWord(g.code.slots[v], lo+i, words[k])
			}
		}
	})
}
