package exec

import "github.com/sgrun/sgrun/fallback/lane"

// none is a source lane that cannot be read.
const none = -1

// sources finds the lane each active lane reads from, as positions in the gang.
func (g *gang) sources(o *op, from *[MaxLanes]int16) {
	group := o.in.Group
	size := g.w.run.env.SubGroupSize
	cluster := size // relative shuffles do not leave it
	if c := group.Cluster; c > 0 {
		cluster = c
	}
	var operand [MaxLanes]int32
	source := g.choices(o, &operand)
	// A lane may read from every lane of its sub-group without a look where all of them are here.
	full := g.cur.mask == g.all && g.n%size == 0
	var bad mask
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			lo, at, x := i&^(size-1), i&(size-1), int(operand[i])
			src := none
			switch source {
			case lane.FromLane:
				src = x
			case lane.FromXor:
				src = at ^ x
			case lane.FromBelow:
				src = at - x
			case lane.FromAbove:
				src = at + x
			case lane.FromRotated:
				src = at&^(cluster-1) | (at+x)&(cluster-1)
			case lane.FromQuad:
				if x <= 3 {
					src = at&^3 | x
				}
			case lane.FromQuadSwap:
				if x <= 2 {
					src = at ^ (x + 1)
				}
			}
			ok := uint(src) < uint(size)
			if ok && !full {
				ok = lo+src < g.n && g.cur.mask.has(lo+src)
			}
			if ok && cluster < size {
				ok = src&^(cluster-1) == at&^(cluster-1)
			}
			if !ok {
				bad.add(i)
				from[i] = none
				continue
			}
			from[i] = int16(lo + src)
		}
	}
	g.reportAny(o, "inactive-lane", "a value is taken from a lane that is not active or does not exist; the result is undefined", bad)
}

// choices reads the operand that says where active lanes read from; operands larger than any lane id become one that is,
// small enough to add without overflow and the same place in a cluster. What all lanes of a sub-group read from one
// lane becomes FromLane.
func (g *gang) choices(o *op, to *[MaxLanes]int32) lane.Source {
	source := o.in.Group.Source
	if n := len(o.in.Dst); len(o.in.Src) > n {
		off := g.code.slots[o.in.Src[n]]
		switch o.in.To.Bytes() {
		case 1:
			choicesAs[uint8](g, off, to)
		case 2:
			choicesAs[uint16](g, off, to)
		case 4:
			choicesAs[uint32](g, off, to)
		default:
			choicesAs[uint64](g, off, to)
		}
	}
	if source == lane.FromFirst || source == lane.FromBroadcast {
		g.segments(func(lo int, ids []int) {
			x := to[lo+ids[0]]
			if source == lane.FromFirst {
				x = int32(ids[0])
			}
			for _, i := range ids {
				to[lo+i] = x
			}
		})
		return lane.FromLane
	}
	return source
}

func choicesAs[T uint8 | uint16 | uint32 | uint64](g *gang, off uint32, to *[MaxLanes]int32) {
	row := rowOf[T](g, off)
	for _, r := range g.runs() {
		for i, v := range row[r.lo:r.hi] {
			x := uint64(v)
			if x > 1<<20 {
				x = 1<<20 | x&127
			}
			to[r.lo+i] = int32(x)
		}
	}
}

func shuffle(g *gang, o *op) {
	if !g.clusterFits(o) {
		return
	}
	var from [MaxLanes]int16
	g.sources(o, &from)
	for k, d := range o.in.Dst {
		g.permute(g.code.slots[d], g.code.slots[o.in.Src[k]], o.in.Kind, &from)
	}
}

// permute gives the active lanes of d the values of s in the lanes that from names.
func (g *gang) permute(d, s uint32, kind lane.Kind, from *[MaxLanes]int16) {
	switch kind.Bytes() {
	case 1:
		if kind == lane.Bool {
			row := g.boolRow(s)
			for _, r := range g.runs() {
				for i := r.lo; i < r.hi; i++ {
					g.setBool(d, i, from[i] >= 0 && row.has(int(from[i])))
				}
			}
			return
		}
		permuteAs[uint8](g, d, s, from)
	case 2:
		permuteAs[uint16](g, d, s, from)
	case 4:
		permuteAs[uint32](g, d, s, from)
	default:
		permuteAs[uint64](g, d, s, from)
	}
}

func permuteAs[T uint8 | uint16 | uint32 | uint64](g *gang, d, s uint32, from *[MaxLanes]int16) {
	dst, src := rowOf[T](g, d), rowOf[T](g, s)
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			var v T
			if k := from[i]; k >= 0 {
				v = src[k]
			}
			dst[i] = v
		}
	}
}

// shuffleTwo is OpSubgroupShuffleDownINTEL and OpSubgroupShuffleUpINTEL (SPV_INTEL_subgroups): the lane reads from the
// two values of all lanes, one behind the other.
func shuffleTwo(g *gang, o *op) {
	n := len(o.in.Dst)
	delta := rowOf[uint32](g, g.code.slots[o.in.Src[2*n]])
	size := g.w.run.env.SubGroupSize
	var bad mask
	var first, second [MaxLanes]int16
	g.segments(func(lo int, ids []int) {
		for _, i := range ids {
			first[lo+i], second[lo+i] = none, none
			at := i + int(min(delta[lo+i], 1<<20))
			if o.in.Group.Source == lane.FromBelow {
				at = i - int(min(delta[lo+i], 1<<20)) + size // the previous value comes first
			}
			src := at % size
			if at < 0 || at >= 2*size || lo+src >= g.n || !g.cur.mask.has(lo+src) {
				bad.add(lo + i)
				continue
			}
			if at < size {
				first[lo+i] = int16(lo + src)
			} else {
				second[lo+i] = int16(lo + src)
			}
		}
	})
	for k, d := range o.in.Dst {
		kind := o.in.Kind
		g.permute(g.code.slots[d], g.code.slots[o.in.Src[k]], kind, &first)
		g.permuteInto(g.code.slots[d], g.code.slots[o.in.Src[n+k]], kind, &second)
	}
	g.reportAny(o, "inactive-lane", "a value is taken from a lane that is not active or does not exist; the result is undefined", bad)
}

// permuteInto is permute that leaves lanes without a source as they are.
func (g *gang) permuteInto(d, s uint32, kind lane.Kind, from *[MaxLanes]int16) {
	size := kind.Bytes()
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			if from[i] >= 0 {
				copy(g.bytesOf(d, i, 1, size), g.bytesOf(s, int(from[i]), 1, size))
			}
		}
	}
}
