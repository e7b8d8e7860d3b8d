package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// groupMoves are the instructions that take a value from another invocation.
func (a *All) groupMoves() {
	t := a.topic("group-shuffle", "shuffles, broadcasts, rotations and quads, also those of SPV_KHR_shader_ballot; SPV_INTEL_subgroups: shuffles with two sources, block reads and writes")
	for _, shader := range []bool{false, true} {
		for _, v := range movedTypes(shader) {
			a.groupShuffle(t, v, shader)
			a.groupRotate(t, v, shader)
			if v.elem != boolean {
				a.groupIntelShuffle(t, v, shader)
			}
		}
	}
}

// groupBlocks adds the block reads and writes, which only kernels have: logical pointers do not reach beyond an element.
func (a *All) groupBlocks() {
	t := a.Topics[len(a.Topics)-1]
	for _, v := range []vec{u8.of(1), u8.of(2), u8.of(4), u8.of(8), u8.of(16), u16.of(1), u16.of(2), u16.of(4), u16.of(8), u16.of(16),
		u32.of(1), u32.of(2), u32.of(4), u32.of(8), u64.of(1), u64.of(2), u64.of(4), u64.of(8)} {
		a.groupBlock(t, v)
	}
}

// source is the lane that an instruction takes a value from.
func (l groupLane) source(prefix, name string, operand, size int) int {
	instead := l.rules.instead(prefix + name)[len(prefix):]
	from := oracle.Source(instead, l.lane, operand, size)
	if instead != name { // a planted error may read anywhere
		from = (from + l.size) % len(l.group)
	}
	return from
}

// toActive are operands that make every active lane read an active one: for the instructions with the lane, an XOR, a
// delta up and a delta down.
func toActive(c groupCase) *Array {
	n := c.items()
	ids := newArray(u32.of(4), n)
	for i := range n {
		group, lane := c.groupOf(i)
		lanes := group.Lanes()
		if len(lanes) == 0 || !group[lane] {
			continue // no operand is used
		}
		target := lanes[splitMix64(9, uint64(i))%uint64(len(lanes))]
		below, above := lane, lane
		for _, other := range lanes { // the nearest on each side of a random one
			if other <= lane && other >= min(target, lane) {
				below = min(below, other)
			}
			if other >= lane && other <= max(target, lane) {
				above = max(above, other)
			}
		}
		for k, x := range []int{target, target ^ lane, lane - below, above - lane} {
			ids.set(4*i+k, uint64(x))
		}
	}
	return ids
}

func (a *All) groupShuffle(t *Topic, v vec, shader bool) {
	four, s := u32.of(4), v.stored()
	relative := []string{"Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown"}
	g := groupKernel{name: "shuffle-" + v.String(), about: "x of the lanes that ids name: shuffle, XOR, up, down; of the lane from, of the first.", version: "1.5",
		capabilities: []string{"GroupNonUniformShuffle", "GroupNonUniformShuffleRelative", "GroupNonUniformBallot"},
		params:       []param{pointerTo("x", s), pointerTo("ids", four), {"from", u32.of(1), true}}, out: s, results: 6}
	khr := v.elem != boolean // SPV_KHR_shader_ballot moves numbers
	if khr {
		g.capabilities = append(g.capabilities, "SubgroupBallotKHR")
		g.extensions, g.results = []string{"SPV_KHR_shader_ballot"}, 8
	}
	g.body = func(f *function, in func(string) string) []string {
		x, scope, typ := f.taken(v, in("x")), f.subgroupScope(), f.typ(v)
		var list []string
		for c, name := range relative {
			id := f.op("id", "OpCompositeExtract %s %s %d", f.typ(u32.of(1)), in("ids"), c)
			list = append(list, f.op("taken", "OpGroupNonUniform%s %s %s %s %s", name, typ, scope, x, id))
		}
		list = append(list, f.op("from_one", "OpGroupNonUniformBroadcast %s %s %s %%from", typ, scope, x),
			f.op("from_first", "OpGroupNonUniformBroadcastFirst %s %s %s", typ, scope, x))
		if khr {
			list = append(list, f.op("from_khr", "OpSubgroupReadInvocationKHR %s %s %%from", typ, x),
				f.op("first_khr", "OpSubgroupFirstInvocationKHR %s %s", typ, x))
		}
		for i := range list {
			list[i] = f.kept(v, list[i])
		}
		return list
	}
	g.want = func(l groupLane) (list []uint64) {
		from := []int{}
		for c, name := range relative {
			from = append(from, l.source("OpGroupNonUniform", name, int(l.in("ids", l.lane, c)), l.size))
		}
		one, first := l.source("OpGroupNonUniform", "Broadcast", int(l.value("from")), l.size), l.group.Lanes()[0]
		from = append(from, one, first)
		if khr {
			from = append(from, one, first)
		}
		for _, i := range from {
			for c := range v.n {
				list = append(list, l.taken(v, "x", i, c))
			}
		}
		return list
	}
	var cases []groupCase
	for _, c := range turn(v) {
		last, _ := c.groupOf(c.local() - 1) // a lane of every sub-group that has active ones
		lanes := last.Lanes()
		if len(lanes) == 0 {
			c.tail = 0
			last, _ = c.groupOf(0)
			lanes = last.Lanes()
		}
		c.values = map[string]uint64{"from": uint64(lanes[len(lanes)-1])}
		cases = append(cases, c)
	}
	g.addTo(a, t, shader, cases, func(name string, c groupCase) *Array {
		if name == "ids" {
			return toActive(c)
		}
		return randomArrays(s)(name, c)
	})
}

// groupRotate adds rotations and quads; quads only in sub-groups that have any.
func (a *All) groupRotate(t *Topic, v vec, shader bool) {
	s := v.stored()
	for _, quads := range []bool{false, true} {
		g := groupKernel{name: "rotate-" + v.String(), about: "x rotated by delta in the sub-group and in clusters.",
			capabilities: []string{"GroupNonUniformRotateKHR"}, extensions: []string{"SPV_KHR_subgroup_rotate"},
			params: []param{pointerTo("x", s), {"delta", u32.of(1), true}}, out: s, results: 2,
			body: func(f *function, in func(string) string) []string {
				typ, scope, x := f.typ(v), f.subgroupScope(), f.taken(v, in("x"))
				return []string{
					f.kept(v, f.op("turned", "OpGroupNonUniformRotateKHR %s %s %s %%delta", typ, scope, x)),
					f.kept(v, f.op("turned", "OpGroupNonUniformRotateKHR %s %s %s %%delta %s", typ, scope, x, f.clusterSize()))}
			},
			want: func(l groupLane) []uint64 {
				delta := int(l.value("delta"))
				return l.from(v, oracle.Source("Rotate", l.lane, delta, l.size), oracle.Source("Rotate", l.lane, delta, l.cluster))
			}}
		cases := rotations(v)
		if quads {
			g = groupKernel{name: "quad-" + v.String(), about: "x of number 2 of the quad; of the other in the row, in the column, on the diagonal.",
				capabilities: []string{"GroupNonUniformQuad"}, params: []param{pointerTo("x", s)}, out: s, results: 4,
				body: func(f *function, in func(string) string) []string {
					typ, scope, x := f.typ(v), f.subgroupScope(), f.taken(v, in("x"))
					list := []string{f.kept(v, f.op("third", "OpGroupNonUniformQuadBroadcast %s %s %s %s", typ, scope, x, f.constant(u32.of(1), "2")))}
					for direction := range 3 {
						list = append(list, f.kept(v, f.op("swapped", "OpGroupNonUniformQuadSwap %s %s %s %s", typ, scope, x, f.constant(u32.of(1), fmt.Sprint(direction)))))
					}
					return list
				},
				want: func(l groupLane) []uint64 {
					swap := func(direction int) int { return oracle.Source("QuadSwap", l.lane, direction, 4) }
					return l.from(v, oracle.Source("QuadBroadcast", l.lane, 2, 4), swap(0), swap(1), swap(2))
				}}
			cases = wholeQuads()
			if v != u32.of(1) {
				cases = []groupCase{full(4), {size: 16, mask: 0x0ff0_0ff0}}
			}
		}
		g.addTo(a, t, shader, cases, randomArrays(s))
	}
}

// rotations are cases of rotations: where not all lanes come, the delta leads from those that do to each other.
func rotations(v vec) []groupCase {
	by := func(c groupCase, delta, cluster int) groupCase {
		c.cluster, c.values = cluster, map[string]uint64{"delta": uint64(delta)}
		return c
	}
	some := by(groupCase{size: 16, mask: 0x0f0f_0f0f}, 8, 8)
	if v != u32.of(1) {
		return []groupCase{by(full(8), 3, 2), some}
	}
	return []groupCase{by(full(1), 0, 1), by(full(2), 1, 1), by(full(4), 3, 2), by(full(8), 7, 4), by(full(16), 5, 8), by(full(32), 31, 32), by(full(64), 33, 16),
		by(full(128), 100, 64), some}
}

// from are the values of x in some lanes.
func (l groupLane) from(v vec, lanes ...int) (list []uint64) {
	for _, i := range lanes {
		for c := range v.n {
			list = append(list, l.taken(v, "x", i, c))
		}
	}
	return list
}

// groupIntelShuffle adds the shuffles of SPV_INTEL_subgroups: the second source continues the first.
func (a *All) groupIntelShuffle(t *Topic, v vec, shader bool) {
	g := groupKernel{name: "intel-shuffle-" + v.String(), about: "SPV_INTEL_subgroups: shuffle and XOR by ids, down and up by delta from x followed by y.", version: "1.0",
		capabilities: []string{"SubgroupShuffleINTEL"}, extensions: []string{"SPV_INTEL_subgroups"},
		params: []param{pointerTo("x", v), pointerTo("y", v), pointerTo("ids", u32.of(4))}, out: v, results: 4,
		body: func(f *function, in func(string) string) []string {
			typ := f.typ(v)
			var id [3]string
			for c := range id {
				id[c] = f.op("id", "OpCompositeExtract %s %s %d", f.typ(u32.of(1)), in("ids"), c)
			}
			return []string{f.op("taken", "OpSubgroupShuffleINTEL %s %s %s", typ, in("x"), id[0]),
				f.op("taken", "OpSubgroupShuffleXorINTEL %s %s %s", typ, in("x"), id[1]),
				f.op("down", "OpSubgroupShuffleDownINTEL %s %s %s %s", typ, in("x"), in("y"), id[2]),
				f.op("up", "OpSubgroupShuffleUpINTEL %s %s %s %s", typ, in("x"), in("y"), id[2])}
		},
		want: func(l groupLane) (list []uint64) {
			add := func(name string, i int) {
				for c := range v.n {
					list = append(list, l.in(name, i, c))
				}
			}
			id := func(c int) int { return int(l.in("ids", l.lane, c)) }
			add("x", oracle.Source("Shuffle", l.lane, id(0), l.size))
			add("x", oracle.Source("ShuffleXor", l.lane, id(1), l.size))
			for _, up := range []bool{false, true} {
				operand, from := oracle.IntelShuffle(up, l.lane, id(2), l.size)
				add([]string{"x", "y"}[operand], from)
			}
			return list
		}}
	cases := map[vec][]groupCase{u16.of(1): {full(2), full(64)}, u32.of(1): {full(1), full(32)}, f16.of(1): {full(128), full(16)}, f32.of(1): {full(4), full(8)}}[v]
	if cases == nil {
		cases = []groupCase{full(8), full(16)}
	}
	g.addTo(a, t, shader, cases, func(name string, c groupCase) *Array {
		if name != "ids" {
			return randomArrays(v)(name, c)
		}
		ids := randomBits(u32.of(4), c.items(), seedOf(name))
		ids.fill = ""
		for i := range ids.numbers() {
			ids.set(i, ids.at(i)%uint64(c.size))
		}
		return ids
	})
}

// groupBlock adds block reads and writes. Number c of lane i is number c×size+i of the block.
func (a *All) groupBlock(t *Topic, v vec) {
	name := "group/block-" + v.String()
	text := newText(name+":", "SPV_INTEL_subgroups: out = in, read and written in blocks, each component plus one.")
	text.capability("SubgroupBufferBlockIOINTEL")
	text.extension("SPV_INTEL_subgroups")
	one := v.of(1)
	text.kernel("main", "", []param{pointerTo("in", one), pointerTo("out", one)}, func(f *function) {
		long := f.typ(u64.of(1))
		i := f.globalID(0)
		lane := f.op("lane_wide", "OpUConvert %s %s", long, f.input("sub_group_lane", "SubgroupLocalInvocationId", "lane", u32.of(1)))
		first := f.op("first", "OpISub %s %s %s", long, i, lane)
		at := f.op("block", "OpIMul %s %s %s", long, first, f.constant(u64.of(1), fmt.Sprint(v.n)))
		x := f.op("x", "OpSubgroupBlockReadINTEL %s %s", f.typ(v), f.address("in", at))
		y := f.op("y", "OpIAdd %s %s %s", f.typ(v), x, f.constant(v, "1"))
		f.do("OpSubgroupBlockWriteINTEL %s %s", f.address("out", at), y)
		// Each number is also what the lane says it is: its lane is added where it belongs.
		for c := range v.n {
			place := f.op("place", "OpIAdd %s %s %s", long, at, f.op("row", "OpIAdd %s %s %s", long, lane,
				f.op("skip", "OpIMul %s %s %s", long, f.constant(u64.of(1), fmt.Sprint(c)), f.op("wide", "OpUConvert %s %s", long, f.input("sub_group_size", "SubgroupSize", "size", u32.of(1))))))
			part := y
			if v.n > 1 {
				part = f.op("part", "OpCompositeExtract %s %s %d", f.typ(one), y, c)
			}
			narrow := lane
			if v.bits < 64 {
				narrow = f.op("narrow", "OpUConvert %s %s", f.typ(one), lane)
			}
			f.store("out", place, f.op("sum", "OpIAdd %s %s %s", f.typ(one), part, narrow))
		}
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out"}, Effect: func(_ *Rules, l *Launch) {
		for i := range l.Items() * v.n {
			x := number(l.Args["in"], v.elem, i)
			putNumber(l.Args["out"], v.elem, i, oracle.IAdd(v.bits, x, uint64(1+i%l.SubGroup)))
		}
	}})
	sizes := map[vec][]int{u8.of(1): {128, 32}, u16.of(1): {64, 16}, u32.of(1): {32, 16}, u64.of(1): {8, 16}, u8.of(4): {1, 16}, u16.of(2): {2, 16}, u32.of(2): {4, 16}}[v]
	if sizes == nil {
		sizes = []int{16}
	}
	for _, size := range sizes {
		n := 2 * size * v.n
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("block-%v/sg%d", v, size), Module: name, From: groupFrom,
			Buffers: []*Buffer{in("in", randomBits(one, n, seedOf(name))), out("out", one, n)},
			Steps:   oneStep(k, 2*size, 2*size, size, "in", "out")})
	}
}
