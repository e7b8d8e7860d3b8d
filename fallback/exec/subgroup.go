package exec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/vec"
)

// bytesOf views n lanes of a row from lane lo on as bytes, size bytes each.
func (g *gang) bytesOf(off uint32, lo, n, size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(g.base, int(off)+lo*size)), n*size)
}

// bitcastShuffle is OpSubgroupBitcastShuffleINTEL with different component counts (SPV_INTEL_subgroup_bitcast_shuffle,
// section Instructions). Rows hold one component of all lanes side by side, which is the order in which the
// instruction concatenates, so a sub-group's part of it is one string of bytes copied to another.
//
// The instruction is undefined in a sub-group with fewer lanes than the sub-group size, and when not all lanes reach
// it together. Then lanes that do not take part count as lanes whose operand is zero, and the others get what the
// instruction makes of that.
func bitcastShuffle(g *gang, o *op) {
	size := g.w.run.env.SubGroupSize
	src, dst := o.in.Src, o.in.Dst
	sb, db := o.in.Kind.Bytes(), o.in.To.Bytes()
	var partial, diverged mask
	if cap(g.string) == 0 {
		g.string = vec.Alloc(128 * 128) // the largest sub-group times the largest operand, 16 components of 64 bits
	}
	together := g.cur.mask == g.all
	for lo := 0; lo < g.n; lo += size {
		if together && lo+size <= g.n {
			g.shuffleBits(o, lo, size)
			continue
		}
		segment := firstLanes(lo + size).andNot(firstLanes(lo))
		active := g.cur.mask.and(segment)
		if active.empty() {
			continue
		}
		if active == segment {
			g.shuffleBits(o, lo, size)
			continue
		}
		bits := g.string[:0]
		for _, v := range src {
			bits = append(bits, g.bytesOf(g.code.slots[v], lo, size, sb)...)
		}
		if lo+size > g.n {
			partial = partial.or(active)
		}
		if active != segment.and(g.all) {
			diverged = diverged.or(active)
		}
		for k := range src {
			for i := range size {
				if !active.has(lo + i) {
					clear(bits[(k*size+i)*sb:][:sb])
				}
			}
		}
		for k, v := range dst {
			row := g.bytesOf(g.code.slots[v], lo, size, db)
			for i := range size {
				if active.has(lo + i) {
					copy(row[i*db:(i+1)*db], bits[(k*size+i)*db:])
				}
			}
		}
	}
	if !partial.empty() {
		g.report(o.in.At, "partial-sub-group", "a bitcast shuffle in a sub-group that is not full; behaviour is undefined", partial)
	}
	if !diverged.empty() {
		g.report(o.in.At, "divergent-sub-group", "a bitcast shuffle that not all invocations of the sub-group reach together; behaviour is undefined", diverged)
	}
}

// shuffleBits is the instruction in a full sub-group, whose first lane is lo.
func (g *gang) shuffleBits(o *op, lo, size int) {
	src, dst := o.in.Src, o.in.Dst
	sb, db := o.in.Kind.Bytes(), o.in.To.Bytes()
	bits := g.string[:0]
	switch {
	case len(src) == 1:
		bits = g.bytesOf(o.a, lo, size, sb)
	case len(dst) == 1:
		row := g.bytesOf(o.d, lo, size, db)
		for k, v := range src {
			copy(row[k*size*sb:], g.bytesOf(g.code.slots[v], lo, size, sb))
		}
		return
	default:
		for _, v := range src {
			bits = append(bits, g.bytesOf(g.code.slots[v], lo, size, sb)...)
		}
	}
	for k, v := range dst {
		copy(g.bytesOf(g.code.slots[v], lo, size, db), bits[k*size*db:])
	}
}

// repack concatenates each lane's operands and cuts the bits up for the results.
func repack(g *gang, o *op) {
	sb, db := o.in.Kind.Bytes(), o.in.To.Bytes()
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			var bits [16 * 8]byte
			for k, v := range o.in.Src {
				copy(bits[k*sb:(k+1)*sb], g.bytesOf(g.code.slots[v], i, 1, sb))
			}
			for k, v := range o.in.Dst {
				copy(g.bytesOf(g.code.slots[v], i, 1, db), bits[k*db:(k+1)*db])
			}
		}
	}
}
