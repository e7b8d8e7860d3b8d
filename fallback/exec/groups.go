package exec

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// This file has the operations on the active lanes of a sub-group. What the specifications leave undefined is zero here,
// in the lanes concerned only: a shuffle from a lane that is not active or does not exist, a broadcast likewise.

// clusterFits fails the gang where a cluster is larger than the sub-group.
func (g *gang) clusterFits(o *op) bool {
	c, size := o.in.Group.Cluster, g.w.run.env.SubGroupSize
	if c > size {
		g.fail(o.in.At, g.cur.mask.first(), "cluster-size", fmt.Sprintf("a cluster of %d lanes in a sub-group of %d", c, size), "a larger --sub-group-size")
	}
	return c <= size
}

// segments calls f for each sub-group with active lanes: lo is its first lane, ids are the active lanes' positions in it.
func (g *gang) segments(f func(lo int, ids []int)) {
	size := g.w.run.env.SubGroupSize
	for lo := 0; lo < g.n; lo += size {
		ids := g.members[:0]
		for i := range min(size, g.n-lo) {
			if g.cur.mask.has(lo + i) {
				ids = append(ids, i)
			}
		}
		if len(ids) > 0 {
			f(lo, ids)
		}
	}
}

// setBool sets one lane of a row of booleans.
func (g *gang) setBool(off uint32, i int, v bool) {
	w := (*uint64)(unsafe.Add(g.base, int(off)+i>>6*8))
	*w &^= 1 << (i & 63)
	if v {
		*w |= 1 << (i & 63)
	}
}

// setWord sets one lane of a row of 32-bit integers.
func (g *gang) setWord(off uint32, i int, v uint32) {
	*(*uint32)(unsafe.Add(g.base, int(off)+4*i)) = v
}

func elect(g *gang, o *op) {
	g.segments(func(lo int, ids []int) {
		for k, i := range ids {
			g.setBool(o.d, lo+i, k == 0)
		}
	})
}

// vote makes an operation whose result is the same in all active lanes of a sub-group.
func vote(decide func(g *gang, o *op, lo int, ids []int) bool) func(*gang, *op) {
	return func(g *gang, o *op) {
		g.segments(func(lo int, ids []int) {
			v := decide(g, o, lo, ids)
			for _, i := range ids {
				g.setBool(o.d, lo+i, v)
			}
		})
	}
}

func allTrue(g *gang, o *op, lo int, ids []int) bool {
	row := g.boolRow(o.a)
	for _, i := range ids {
		if !row.has(lo + i) {
			return false
		}
	}
	return true
}

func anyTrue(g *gang, o *op, lo int, ids []int) bool {
	row := g.boolRow(o.a)
	for _, i := range ids {
		if row.has(lo + i) {
			return true
		}
	}
	return false
}

// allEqual compares floats as numbers: a NaN differs from itself, and the zeros are equal.
func allEqual(g *gang, o *op, lo int, ids []int) bool {
	kind := o.in.Kind
	for _, v := range o.in.Src {
		off := g.code.slots[v]
		if kind == lane.Bool {
			row := g.boolRow(off)
			for _, i := range ids {
				if row.has(lo+i) != row.has(lo+ids[0]) {
					return false
				}
			}
			continue
		}
		eq := lane.IEqual
		if kind.Float() {
			eq = lane.FOrdEqual
		}
		equal, _ := vec.For(eq, kind, kind, 0)
		size := kind.Bytes()
		at := func(i int) unsafe.Pointer { return unsafe.Add(g.base, int(off)+(lo+i)*size) }
		for _, i := range ids {
			var result uint64
			equal(unsafe.Pointer(&result), at(ids[0]), at(i), nil, nil, 0, 1)
			if result&1 == 0 {
				return false
			}
		}
	}
	return true
}

func ballot(g *gang, o *op) {
	row := g.boolRow(o.a)
	g.segments(func(lo int, ids []int) {
		var words [4]uint32
		for _, i := range ids {
			if row.has(lo + i) {
				words[i>>5] |= 1 << (i & 31)
			}
		}
		for k, v := range o.in.Dst {
			for _, i := range ids {
				g.setWord(g.code.slots[v], lo+i, words[k])
			}
		}
	})
}

// laneSet is the set of lanes a lane's four words of a ballot stand for, bits beyond the sub-group size cleared.
func (g *gang) laneSet(src []lane.Value, i int) (set [4]uint32) {
	size := g.w.run.env.SubGroupSize
	for k := range set {
		set[k] = rowOf[uint32](g, g.code.slots[src[k]])[i]
		if n := size - 32*k; n < 32 {
			set[k] &= 1<<max(n, 0) - 1
		}
	}
	return set
}

func inSet(set [4]uint32, i int) bool { return set[i>>5&3]>>(i&31)&1 != 0 }

func inverseBallot(g *gang, o *op) {
	g.segments(func(lo int, ids []int) {
		for _, i := range ids {
			g.setBool(o.d, lo+i, inSet(g.laneSet(o.in.Src, lo+i), i))
		}
	})
}

func ballotBit(g *gang, o *op) {
	index := rowOf[uint32](g, g.code.slots[o.in.Src[4]])
	size := uint32(g.w.run.env.SubGroupSize)
	var bad mask
	g.segments(func(lo int, ids []int) {
		for _, i := range ids {
			at := index[lo+i]
			g.setBool(o.d, lo+i, at < size && inSet(g.laneSet(o.in.Src, lo+i), int(at)))
			if at >= size {
				bad.add(lo + i)
			}
		}
	})
	g.reportAny(o, "index-out-of-range", "a bit of a ballot beyond the sub-group's lanes; the result is undefined", bad)
}

// ballotNumber makes an operation that turns a lane's set into a number.
func ballotNumber(f func(set [4]uint32, i int, scan lane.Scan) uint32) func(*gang, *op) {
	return func(g *gang, o *op) {
		g.segments(func(lo int, ids []int) {
			for _, i := range ids {
				g.setWord(o.d, lo+i, f(g.laneSet(o.in.Src, lo+i), i, o.in.Group.Scan))
			}
		})
	}
}

func countSet(set [4]uint32, i int, scan lane.Scan) (n uint32) {
	for k, w := range set {
		if scan != lane.ReduceAll {
			below := i - 32*k
			if scan == lane.InclusiveScan {
				below++
			}
			if below < 32 {
				w &= 1<<max(below, 0) - 1
			}
		}
		n += uint32(bits.OnesCount32(w))
	}
	return n
}

func firstOfSet(set [4]uint32, _ int, _ lane.Scan) uint32 {
	for k, w := range set {
		if w != 0 {
			return uint32(32*k + bits.TrailingZeros32(w))
		}
	}
	return 0
}

func lastOfSet(set [4]uint32, _ int, _ lane.Scan) uint32 {
	for k := 3; k >= 0; k-- {
		if w := set[k]; w != 0 {
			return uint32(32*k + 31 - bits.LeadingZeros32(w))
		}
	}
	return 0
}

// reportAny reports lanes whose result is undefined, if there are any.
func (g *gang) reportAny(o *op, kind, message string, lanes mask) {
	if !lanes.empty() {
		g.report(o.in.At, kind, message, lanes)
	}
}

// combine reduces or scans, in the order of the lanes, so that the result of floating-point sums is determined.
func combine(g *gang, o *op) {
	if !g.clusterFits(o) {
		return
	}
	group := o.in.Group
	c := g.combiner(o)
	size := g.w.run.env.SubGroupSize
	g.segments(func(lo int, ids []int) {
		switch {
		case group.Partition:
			g.partitions(o, lo, ids, c)
		case group.Cluster > 0 && group.Cluster < size:
			for len(ids) > 0 {
				n := 1
				for n < len(ids) && ids[n]/group.Cluster == ids[0]/group.Cluster {
					n++
				}
				c(lo, ids[:n])
				ids = ids[n:]
			}
		default:
			c(lo, ids)
		}
	})
}

// partitions runs the combiner on each set of lanes that name the same set (SPV_NV_shader_subgroup_partitioned).
func (g *gang) partitions(o *op, lo int, ids []int, c func(lo int, ids []int)) {
	type part struct {
		set [4]uint32
		ids []int
	}
	var parts []part
next:
	for _, i := range ids {
		set := g.laneSet(o.in.Src[1:], lo+i)
		for k := range parts {
			if parts[k].set == set {
				parts[k].ids = append(parts[k].ids, i)
				continue next
			}
		}
		parts = append(parts, part{set, []int{i}})
	}
	for _, p := range parts {
		c(lo, p.ids)
	}
}

// combiner returns a function that reduces or scans the given lanes of a sub-group.
func (g *gang) combiner(o *op) func(lo int, ids []int) {
	group, kind := o.in.Group, o.in.Kind
	if kind == lane.Bool {
		return g.boolCombiner(o)
	}
	join, _ := vec.For(group.Combine, kind, kind, 0)
	size := kind.Bytes()
	return func(lo int, ids []int) {
		acc, next := identity(group.Combine, kind), uint64(0)
		at := func(off uint32, i int) []byte { return g.bytesOf(off, lo+i, 1, size) }
		accBytes := unsafe.Slice((*byte)(unsafe.Pointer(&acc)), size)
		for k, i := range ids {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&next)), size), at(o.a, i))
			if group.Scan == lane.ExclusiveScan {
				copy(at(o.d, i), accBytes)
			}
			if k == 0 {
				acc = next // not identity joined with it: that would turn -0 into +0
			} else {
				join(unsafe.Pointer(&acc), unsafe.Pointer(&acc), unsafe.Pointer(&next), nil, nil, 0, 1)
			}
			if group.Scan == lane.InclusiveScan {
				copy(at(o.d, i), accBytes)
			}
		}
		if group.Scan == lane.ReduceAll {
			for _, i := range ids {
				copy(at(o.d, i), accBytes)
			}
		}
	}
}

func (g *gang) boolCombiner(o *op) func(lo int, ids []int) {
	group := o.in.Group
	return func(lo int, ids []int) {
		row := g.boolRow(o.a)
		acc := group.Combine == lane.LogicalAnd
		for _, i := range ids {
			v := row.has(lo + i)
			if group.Scan == lane.ExclusiveScan {
				g.setBool(o.d, lo+i, acc)
			}
			switch group.Combine {
			case lane.LogicalAnd:
				acc = acc && v
			case lane.LogicalOr:
				acc = acc || v
			case lane.LogicalNotEqual:
				acc = acc != v
			}
			if group.Scan == lane.InclusiveScan {
				g.setBool(o.d, lo+i, acc)
			}
		}
		if group.Scan == lane.ReduceAll {
			for _, i := range ids {
				g.setBool(o.d, lo+i, acc)
			}
		}
	}
}

// identity is what an exclusive scan gives its first lane (SPIR-V 1.6, section 3.3.24).
func identity(op lane.Op, kind lane.Kind) uint64 {
	ones := ^uint64(0) >> (64 - kind.Bits())
	switch op {
	case lane.Mul:
		return 1
	case lane.FMul:
		return map[lane.Kind]uint64{lane.F16: 0x3c00, lane.F32: 0x3f800000, lane.F64: 0x3ff0000000000000}[kind]
	case lane.UMin, lane.And:
		return ones
	case lane.SMin:
		return ones >> 1
	case lane.SMax:
		return ones>>1 + 1
	case lane.FMin, lane.FMax:
		inf := map[lane.Kind]uint64{lane.F16: 0x7c00, lane.F32: 0x7f800000, lane.F64: 0x7ff0000000000000}[kind]
		if op == lane.FMax {
			inf |= ones>>1 + 1
		}
		return inf
	}
	return 0
}

// blockAccess moves one element per component and lane: component c of lane i is element c×size+i, counted from the address in
// the sub-group's first active lane (SPV_INTEL_subgroups).
func blockAccess(g *gang, o *op) {
	write := o.in.Op == lane.BlockWrite
	values := o.in.Dst
	if write {
		values = o.in.Src[1:]
	}
	bytes := uint64(o.in.Kind.Bytes())
	size := g.w.run.env.SubGroupSize
	for k, v := range values {
		g.hostAddresses(o.a)
		g.segments(func(lo int, ids []int) {
			base := g.addrs[lo+ids[0]]
			for _, i := range ids {
				g.addrs[lo+i] = base + uint64(k*size+i)*bytes
			}
		})
		if !g.verify(o, o.cache, bytes, write) {
			return
		}
		off := g.code.slots[v]
		switch {
		case write && bytes == 1:
			scatter[uint8](g, off, 0)
		case write && bytes == 2:
			scatter[uint16](g, off, 0)
		case write && bytes == 4:
			scatter[uint32](g, off, 0)
		case write:
			scatter[uint64](g, off, 0)
		case bytes == 1:
			gather[uint8](g, off, 0)
		case bytes == 2:
			gather[uint16](g, off, 0)
		case bytes == 4:
			gather[uint32](g, off, 0)
		default:
			gather[uint64](g, off, 0)
		}
	}
}
