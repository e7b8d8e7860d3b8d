package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// groupShuffles are the instructions that take a value from another invocation.
func (a *All) groupShuffles() {
	t := a.topic("group-shuffle", "shuffles, broadcasts, rotation, quads, the shuffles of SPV_INTEL_subgroups with two sources, block reads and writes")
	word := u32.of(1)
	for _, x := range []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), f16.of(1), f32.of(1), f64.of(1), u32.of(4)} {
		a.groupShuffle(t, x)
		if x.elem == u32 || x == u16.of(1) {
			a.groupIntelShuffle(t, x)
		}
	}

	g := groupKernel{name: "group/rotate", about: "Rotation by delta in the sub-group and in clusters of four, and the operations on quads.",
		capabilities: []string{"GroupNonUniformRotateKHR", "GroupNonUniformQuad"}, extensions: []string{"SPV_KHR_subgroup_rotate"},
		params: []param{pointerTo("x", word), {"delta", word, true}}, out: word, results: 6,
		body: func(f *function, in func(string) string) []string {
			w, s, x := f.typ(word), f.subgroupScope(), in("x")
			list := []string{
				f.op("turned", "OpGroupNonUniformRotateKHR %s %s %s %%delta", w, s, x),
				f.op("turned", "OpGroupNonUniformRotateKHR %s %s %s %%delta %s", w, s, x, f.constant(word, "4")),
				f.op("third", "OpGroupNonUniformQuadBroadcast %s %s %s %s", w, s, x, f.constant(word, "2"))}
			for direction := range 3 {
				list = append(list, f.op("swapped", "OpGroupNonUniformQuadSwap %s %s %s %s", w, s, x, f.constant(word, fmt.Sprint(direction))))
			}
			return list
		},
		want: func(l groupLane) []uint64 {
			at := func(i int) uint64 { return l.in("x", i, 0) }
			delta, quad := int(l.value("delta")), l.lane/4*4
			across := []int{1, 0, 3, 2}[l.lane%4] // of the quad 0 1 / 2 3: horizontal, vertical, diagonal
			down := []int{2, 3, 0, 1}[l.lane%4]
			return []uint64{at((l.lane + delta) % l.size), at(quad + (l.lane+delta)%4), at(quad + 2),
				at(quad + across), at(quad + down), at(quad + 3 - l.lane%4)}
		}}
	k := a.addGroupKernel(g)
	for i, size := range []int{4, 8, 16, 32, 128} {
		g.launch(t, k, groupCase{size: size, mask: ^uint32(0), values: map[string]uint64{"delta": uint64(2*i + 1)}}, randomArrays(word))
	}

	for _, x := range []vec{u8.of(16), u16.of(2), u32.of(1), u32.of(4), u64.of(2)} {
		a.groupBlock(t, x)
	}
}

func randomArrays(v vec) func(name string, n int, _ oracle.SubGroup) *Array {
	return func(name string, n int, _ oracle.SubGroup) *Array { return randomBits(v, n, seedOf(name+v.String())) }
}

// toActive are operands that make every active lane read an active one: for the instructions with the lane, an XOR, a
// delta down and a delta up.
func toActive(n int, group oracle.SubGroup) *Array {
	lanes, size := group.Lanes(), len(group)
	ids := newArray(u32.of(4), n)
	for i := range n {
		lane := i % size
		target := lanes[splitMix64(9, uint64(i))%uint64(len(lanes))]
		below, above := target, target
		for _, other := range lanes { // the nearest on each side of a random one
			if other <= lane && (below > lane || other >= target) {
				below = other
			}
			if other >= lane && (above < lane || other <= target) {
				above = other
			}
		}
		if below > lane || above < lane || !group[lane] {
			below, above = lane, lane // not active
		}
		for c, x := range []int{target, target ^ lane, lane - below, above - lane} {
			ids.set(4*i+c, uint64(x))
		}
	}
	return ids
}

func (a *All) groupShuffle(t *Topic, v vec) {
	four := u32.of(4)
	g := groupKernel{name: "group/shuffle-" + v.String(), about: "x of the lanes that ids name: shuffle, XOR, up, down; of the lane from, of the first.", version: "1.5",
		capabilities: []string{"GroupNonUniformShuffle", "GroupNonUniformShuffleRelative", "GroupNonUniformBallot", "SubgroupBallotKHR"},
		extensions:   []string{"SPV_KHR_shader_ballot"},
		params:       []param{pointerTo("x", v), pointerTo("ids", four), {"from", u32.of(1), true}}, out: v, results: 7,
		body: func(f *function, in func(string) string) []string {
			x, s, typ := in("x"), f.subgroupScope(), f.typ(v)
			var list []string
			for c, name := range []string{"Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown"} {
				id := f.op("id", "OpCompositeExtract %s %s %d", f.typ(u32.of(1)), in("ids"), c)
				list = append(list, f.op("taken", "OpGroupNonUniform%s %s %s %s %s", name, typ, s, x, id))
			}
			return append(list, f.op("from_one", "OpGroupNonUniformBroadcast %s %s %s %%from", typ, s, x),
				f.op("from_first", "OpGroupNonUniformBroadcastFirst %s %s %s", typ, s, x),
				f.op("from_khr", "OpSubgroupReadInvocationKHR %s %s %%from", typ, x))
		},
		want: func(l groupLane) (list []uint64) {
			id := func(c int) int { return int(l.in("ids", l.lane, c)) }
			from := int(l.value("from"))
			for _, i := range []int{id(0), l.lane ^ id(1), l.lane - id(2), l.lane + id(3), from, l.group.Lanes()[0], from} {
				for c := range v.n {
					list = append(list, l.in("x", i, c))
				}
			}
			return list
		}}
	k := a.addGroupKernel(g)
	cases := groupCases()
	if v == u32.of(1) {
		cases = append(cases, groupCase{size: 128, mask: 0x0ff0_0ff0}, groupCase{size: 2, mask: ^uint32(0)})
	}
	for _, c := range cases {
		group := make(oracle.SubGroup, c.size)
		for i := range group {
			group[i] = c.mask>>(i%32)&1 == 1
		}
		lanes := group.Lanes()
		c.values = map[string]uint64{"from": uint64(lanes[len(lanes)-1])}
		g.launch(t, k, c, func(name string, n int, group oracle.SubGroup) *Array {
			if name == "ids" {
				return toActive(n, group)
			}
			return randomBits(v, n, seedOf(name+v.String()))
		})
	}
}

// groupIntelShuffle adds the shuffles of SPV_INTEL_subgroups: the second source continues the first.
func (a *All) groupIntelShuffle(t *Topic, v vec) {
	g := groupKernel{name: "group/intel-shuffle-" + v.String(), about: "SPV_INTEL_subgroups: shuffle and XOR by ids, down and up by delta from x followed by y.", version: "1.0",
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
			add("x", id(0))
			add("x", l.lane^id(1))
			both := []string{"x", "y"}
			down := l.lane + id(2) // of x and behind it y
			add(both[down/l.size], down%l.size)
			up := l.size + l.lane - id(2) // of x, the previous value, and behind it y
			add(both[up/l.size], up%l.size)
			return list
		}}
	k := a.addGroupKernel(g)
	for _, size := range []int{1, 8, 16, 32} {
		g.launch(t, k, groupCase{size: size, mask: ^uint32(0)}, func(name string, n int, _ oracle.SubGroup) *Array {
			if name != "ids" {
				return randomBits(v, n, seedOf(name+v.String()))
			}
			ids := randomBits(u32.of(4), n, seedOf(name))
			ids.fill = ""
			for i := range ids.numbers() {
				ids.set(i, ids.at(i)%uint64(size))
			}
			return ids
		})
	}
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
	for _, size := range []int{8, 16, 32} {
		n := 4 * size * v.n
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%s/sg%d", strings.TrimPrefix(name, "group/"), size), Module: name, From: groupFrom,
			Buffers: []*Buffer{in("in", randomBits(one, n, seedOf(name))), out("out", one, n)},
			Steps:   oneStep(k, 4*size, 2*size, size, "in", "out")})
	}
}

// groupOperations are the operations of reductions and scans on a type.
func groupOperations(e elem) []string {
	switch {
	case e == boolean:
		return []string{"LogicalAnd", "LogicalOr", "LogicalXor"}
	case e.kind == 'f':
		return []string{"FAdd", "FMul", "FMin", "FMax"}
	}
	return []string{"IAdd", "IMul", "SMin", "UMin", "SMax", "UMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}
}

// joinOf is what joins two values, with the identity. Booleans are 0 and 1.
func joinOf(e elem, name string) (identity uint64, join func(a, b uint64) uint64) {
	switch name {
	case "LogicalAnd":
		return 1, func(a, b uint64) uint64 { return a & b }
	case "LogicalOr":
		return 0, func(a, b uint64) uint64 { return a | b }
	case "LogicalXor":
		return 0, func(a, b uint64) uint64 { return a ^ b }
	}
	return oracle.Identity(e.bits, name), oracle.Joins(e.bits)[name]
}

// arithmeticData are random integers; floats are small whole numbers, so that sums are exact in any order, and for
// products ones, minus ones and twos.
func arithmeticData(e elem, n, size int, products bool) *Array {
	if e.kind != 'f' {
		return randomBits(e.of(1), n, seedOf("arithmetic"+e.String()))
	}
	x := newArray(e.of(1), n)
	for i := range n {
		y := int64(splitMix64(77, uint64(i))%9) - 4
		if products {
			y = []int64{1, -1, 1, -1, 1, -1}[splitMix64(78, uint64(i))%6]
			if i%size == size/2 || i%size == 1 {
				y = 2
			}
		}
		x.set(i, e.format().FromSigned(64, uint64(y), oracle.RTE))
	}
	return x
}

// groupArithmetic adds reductions and scans of all types.
func (a *All) groupArithmetic() {
	t := a.topic("group-arithmetic", "reductions, scans and clustered reductions with all operations on all types, under divergence; floats are such that every order of addition is exact")
	for _, e := range []elem{u8, u16, u32, u64, f16, f32, f64, boolean} {
		for _, scan := range scanNames {
			ops := groupOperations(e)
			stored := e
			if e == boolean {
				stored = u32
			}
			params := []param{pointerTo("x", stored.of(1))}
			if e.kind == 'f' {
				params = append(params, pointerTo("factors", stored.of(1)))
			}
			operand := func(op string) string {
				if op == "FMul" {
					return "factors"
				}
				return "x"
			}
			caps := []string{"GroupNonUniformArithmetic"}
			if scan == "ClusteredReduce" {
				caps = []string{"GroupNonUniformClustered"}
			}
			g := groupKernel{name: fmt.Sprintf("group/%s-%v", strings.ToLower(scan), e), about: scan + " with " + strings.Join(ops, ", ") + ".",
				capabilities: caps, params: params, out: stored.of(1), results: len(ops),
				body: func(f *function, in func(string) string) (list []string) {
					word := u32.of(1)
					cluster := ""
					if scan == "ClusteredReduce" {
						cluster = " " + f.constant(word, "4")
					}
					for _, op := range ops {
						x := in(operand(op))
						if e == boolean {
							x = f.op("odd", "OpINotEqual %s %s %s", f.typ(e.of(1)), f.op("low_bit", "OpBitwiseAnd %s %s %s", f.typ(word), x, f.constant(word, "1")), f.constant(word, "0"))
						}
						y := f.op("y", "OpGroupNonUniform%s %s %s %s %s%s", op, f.typ(e.of(1)), f.subgroupScope(), scan, x, cluster)
						if e == boolean {
							y = f.boolWord(f, y)
						}
						list = append(list, y)
					}
					return list
				},
				want: func(l groupLane) (list []uint64) {
					for _, op := range ops {
						identity, join := joinOf(e, op)
						value := func(i int) uint64 {
							x := l.in(operand(op), i, 0)
							if e == boolean {
								x &= 1
							}
							return x
						}
						lanes, how := l.group.Lanes(), oracle.Reduce
						switch scan {
						case "InclusiveScan":
							how = oracle.InclusiveScan
						case "ExclusiveScan":
							how = oracle.ExclusiveScan
						case "ClusteredReduce":
							lanes = l.group.Cluster(l.lane, 4)
						}
						list = append(list, how.Over(lanes, l.lane, identity, value, join))
					}
					return list
				}}
			k := a.addGroupKernel(g)
			cases := []groupCase{{size: 8, mask: ^uint32(0)}, {size: 16, mask: 0xb6c5}, {size: 32, mask: 0x8ff0_f00c}}
			if e == u32 || e == f32 {
				cases = append(cases, groupCase{size: 4, mask: ^uint32(0)}, groupCase{size: 64, mask: 0x8ff0_f00c}, groupCase{size: 128, mask: ^uint32(0)})
			}
			for _, c := range cases {
				g.launch(t, k, c, func(name string, n int, _ oracle.SubGroup) *Array {
					return arithmeticData(stored, n, c.size, name == "factors")
				})
			}
		}
	}
}
