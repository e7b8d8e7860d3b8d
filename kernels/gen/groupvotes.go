package gen

import (
	"slices"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// votedTypes are the types whose values are compared for equality: made of x, with x in the last component.
func votedTypes(shader bool) []vec {
	types := movedTypes(shader)
	if shader {
		return append(types, u64.of(2), f16.of(4))
	}
	return append(types, u64.of(2), f32.of(4))
}

// made makes a value of the type out of a small 32-bit integer: the last component is x, the others are 1.
func (f *function) made(v vec, x string) string {
	one := v.of(1)
	typ := f.typ(one)
	var y string
	switch {
	case v.elem == boolean:
		y = f.isOdd(x, 1)
	case v.kind == 'f':
		y = f.op("as_float", "OpConvertUToF %s %s", typ, x)
	case v.elem == u32:
		y = x
	case v.elem == i32:
		y = f.op("as_signed", "OpBitcast %s %s", typ, x)
	case v.kind == 'i':
		y = f.op("as_integer", "OpSConvert %s %s", typ, x)
	default:
		y = f.op("as_integer", "OpUConvert %s %s", typ, x)
	}
	if v.n == 1 {
		return y
	}
	first := ""
	if v.elem == boolean {
		first = f.define("%true", "OpConstantTrue %s", typ)
	} else {
		first = f.constant(one, "1")
	}
	parts := ""
	for range v.n - 1 {
		parts += " " + first
	}
	return f.op("vector", "OpCompositeConstruct %s%s %s", f.typ(v), parts, y)
}

// sameMade reports whether values made of x and y are the same.
func sameMade(v vec, x, y uint64) bool {
	if v.elem == boolean {
		return x%2 == y%2
	}
	return x == y
}

func (a *All) groupVotes() {
	t := a.topic("group-vote", "elect, vote and quad-vote instructions, also those of SPV_KHR_subgroup_vote, under divergence and in partial sub-groups")
	for _, shader := range []bool{false, true} {
		a.groupVote(t, shader)
		a.groupEqual(t, shader)
		a.groupQuadVote(t, shader)
	}
}

// voteWords are such that the sub-groups by turns are: all odd and equal, mixed, odd but for one, all even.
func voteWords(_ string, c groupCase) *Array {
	x := newArray(u32.of(1), c.items())
	for i := range c.items() {
		_, lane := c.groupOf(i)
		turn := (i - lane + c.size - 1) / c.size
		x.set(i, []uint64{7, uint64(i) % 100, uint64(2*i+1) % 100, uint64(2*i) % 100}[turn%4])
		if turn%4 == 2 && lane == c.size/2 {
			x.set(i, 4)
		}
	}
	return x
}

func (a *All) groupVote(t *Topic, shader bool) {
	word, b := u32.of(1), boolean.of(1)
	groupKernel{name: "vote", about: "Elect; All and Any of whether x is odd, AllEqual of that.",
		capabilities: []string{"GroupNonUniformVote", "SubgroupVoteKHR"}, extensions: []string{"SPV_KHR_subgroup_vote"},
		params: []param{pointerTo("x", word)}, out: word, results: 7,
		body: func(f *function, in func(string) string) []string {
			x, s, bo := in("x"), f.subgroupScope(), f.typ(b)
			odd := f.isOdd(x, 1)
			list := []string{
				f.op("elect", "OpGroupNonUniformElect %s %s", bo, s), f.op("all", "OpGroupNonUniformAll %s %s %s", bo, s, odd),
				f.op("any", "OpGroupNonUniformAny %s %s %s", bo, s, odd), f.op("equal", "OpGroupNonUniformAllEqual %s %s %s", bo, s, odd),
				f.op("all", "OpSubgroupAllKHR %s %s", bo, odd), f.op("any", "OpSubgroupAnyKHR %s %s", bo, odd), f.op("equal", "OpSubgroupAllEqualKHR %s %s", bo, odd)}
			for i, id := range list {
				list[i] = f.boolWords(id, 1)
			}
			return list
		},
		want: func(l groupLane) []uint64 {
			odd := func(i int) bool { return l.in("x", i, 0)%2 == 1 }
			all, some := truth(l.group.All(odd)), truth(l.group.Any(odd))
			same := truth(l.group.All(func(i int) bool { return odd(i) == odd(l.lane) }))
			return []uint64{truth(l.group.Elect(l.lane)), all, some, same, all, some, same}
		}}.addTo(a, t, shader, everySize(), voteWords)
}

func (a *All) groupEqual(t *Topic, shader bool) {
	word, b := u32.of(1), boolean.of(1)
	types := votedTypes(shader)
	about := "AllEqual of values made of x, of the types"
	for _, v := range types {
		about += " " + v.String()
	}
	groupKernel{name: "all-equal", about: about + ".", capabilities: []string{"GroupNonUniformVote"}, params: []param{pointerTo("x", word)},
		out: word, results: len(types),
		body: func(f *function, in func(string) string) (list []string) {
			x, s := in("x"), f.subgroupScope()
			for _, v := range types {
				equal := f.op("equal", "OpGroupNonUniformAllEqual %s %s %s", f.typ(b), s, f.made(v, x))
				list = append(list, f.boolWords(equal, 1))
			}
			return list
		},
		want: func(l groupLane) (list []uint64) {
			for _, v := range types {
				list = append(list, truth(l.group.All(func(i int) bool { return sameMade(v, l.in("x", i, 0), l.in("x", l.lane, 0)) })))
			}
			return list
		}}.addTo(a, t, shader, []groupCase{full(1), masked(2), partial(4), partial(8), full(16), masked(32), partial(64), partial(128)}, voteWords)
}

// groupQuadVote adds the votes of SPV_KHR_quad_control. The lanes of a quad come together.
func (a *All) groupQuadVote(t *Topic, shader bool) {
	word, b := u32.of(1), boolean.of(1)
	g := groupKernel{name: "quad-vote", about: "Whether x is odd in all, and in any, of the quad.", capabilities: []string{"QuadControlKHR", "GroupNonUniformVote"},
		extensions: []string{"SPV_KHR_quad_control"}, params: []param{pointerTo("x", word)}, out: word, results: 2,
		body: func(f *function, in func(string) string) []string {
			odd, bo := f.isOdd(in("x"), 1), f.typ(b)
			return []string{f.boolWords(f.op("all", "OpGroupNonUniformQuadAllKHR %s %s", bo, odd), 1), f.boolWords(f.op("any", "OpGroupNonUniformQuadAnyKHR %s %s", bo, odd), 1)}
		},
		want: func(l groupLane) []uint64 {
			quad := make(oracle.SubGroup, len(l.group))
			for _, i := range l.group.Cluster(l.lane, 4) {
				quad[i] = true
			}
			odd := func(i int) bool { return l.in("x", i, 0)%2 == 1 }
			return []uint64{truth(quad.All(odd)), truth(quad.Any(odd))}
		}}
	g.addTo(a, t, shader, wholeQuads(), func(name string, c groupCase) *Array {
		x := randomBits(word, c.items(), seedOf(name))
		x.fill = ""
		for i := range c.items() { // three kinds of quads: as they come, all odd, all even
			y := x.at(i) % 100
			x.set(i, []uint64{y, y | 1, y &^ 1}[i/4%3])
		}
		return x
	})
}

// wholeQuads are cases in which the lanes of a quad come together.
func wholeQuads() []groupCase {
	list := []groupCase{full(4), full(8), full(16), full(32), full(64), full(128)}
	return append(list, groupCase{size: 16, mask: 0x0ff0_0ff0}, groupCase{size: 32, mask: 0xf00f_0ff0})
}

func (a *All) groupBallots() {
	t := a.topic("group-ballot", "ballots and what is made of them, also those of SPV_KHR_shader_ballot; lanes of one value (partitions); under divergence and in partial sub-groups")
	for _, shader := range []bool{false, true} {
		a.groupBallot(t, shader)
		a.groupPartition(t, shader)
		a.groupPartitionTypes(t, shader)
	}
}

func (a *All) groupBallot(t *Topic, shader bool) {
	word, four := u32.of(1), u32.of(4)
	groupKernel{name: "ballot", about: "Ballot of whether x is odd, and all that is made of a ballot.",
		capabilities: []string{"GroupNonUniformBallot", "SubgroupBallotKHR"}, extensions: []string{"SPV_KHR_shader_ballot"},
		params: []param{pointerTo("x", word), pointerTo("index", word)}, out: word, results: 15,
		body: func(f *function, in func(string) string) []string {
			x, id, s, bo, w := in("x"), in("index"), f.subgroupScope(), f.typ(boolean.of(1)), f.typ(word)
			odd := f.isOdd(x, 1)
			set := f.op("set", "OpGroupNonUniformBallot %s %s %s", f.typ(four), s, odd)
			khr := f.op("khr", "OpSubgroupBallotKHR %s %s", f.typ(four), odd)
			var list []string
			for _, from := range []string{set, khr} {
				for c := range 4 {
					list = append(list, f.op("part", "OpCompositeExtract %s %s %d", w, from, c))
				}
			}
			list = append(list, f.boolWords(f.op("inverse", "OpGroupNonUniformInverseBallot %s %s %s", bo, s, set), 1),
				f.boolWords(f.op("extract", "OpGroupNonUniformBallotBitExtract %s %s %s %s", bo, s, set, id), 1))
			for _, scan := range scanNames[:3] {
				list = append(list, f.op("count", "OpGroupNonUniformBallotBitCount %s %s %s %s", w, s, scan, set))
			}
			return append(list, f.op("lowest", "OpGroupNonUniformBallotFindLSB %s %s %s", w, s, set),
				f.op("highest", "OpGroupNonUniformBallotFindMSB %s %s %s", w, s, set))
		},
		want: func(l groupLane) []uint64 {
			set := l.group.Ballot(func(i int) bool { return l.in("x", i, 0)%2 == 1 })
			list := append(slices.Clone(set[:]), set[:]...)
			list = append(list, truth(oracle.InBallot(set, l.lane)), truth(oracle.InBallot(set, int(l.in("index", l.lane, 0)))))
			bits := make([]int, l.size) // those of the ballot below the sub-group size
			for i := range bits {
				bits[i] = i
			}
			one := func(i int) uint64 { return truth(oracle.InBallot(set, i)) }
			for _, scan := range scans {
				list = append(list, l.results("bits", scan, bits, 0, one, func(a, b uint64) uint64 { return a + b })[l.lane])
			}
			var members []int
			for _, i := range bits {
				if one(i) == 1 {
					members = append(members, i)
				}
			}
			return append(list, uint64(members[0]), uint64(members[len(members)-1]))
		}}.addTo(a, t, shader, everySize(), func(name string, c groupCase) *Array {
		x := randomBits(word, c.items(), seedOf(name))
		x.fill = ""
		for i := range c.items() {
			group, lane := c.groupOf(i)
			lanes := group.Lanes()
			switch {
			case name == "index":
				x.set(i, x.at(i)%uint64(c.size))
			case len(lanes) > 0 && lane == lanes[len(lanes)/2]:
				x.set(i, x.at(i)%1000|1) // no ballot is empty
			default:
				x.set(i, x.at(i)%1000)
			}
		}
		return x
	})
}

func (a *All) groupPartition(t *Topic, shader bool) {
	word := u32.of(1)
	groupKernel{name: "partition", about: "The lanes with the same x, as a ballot.",
		capabilities: []string{"GroupNonUniformPartitionedEXT"}, extensions: []string{"SPV_NV_shader_subgroup_partitioned"},
		params: []param{pointerTo("x", word)}, out: word, results: 4,
		body: func(f *function, in func(string) string) (list []string) {
			set := f.op("set", "OpGroupNonUniformPartitionNV %s %s", f.typ(u32.of(4)), in("x"))
			for c := range 4 {
				list = append(list, f.op("part", "OpCompositeExtract %s %s %d", f.typ(word), set, c))
			}
			return list
		},
		want: func(l groupLane) []uint64 {
			set := l.group.Ballot(func(i int) bool { return l.in("x", i, 0) == l.in("x", l.lane, 0) })
			return set[:]
		}}.addTo(a, t, shader, everySize(), fewValues)
}

func fewValues(name string, c groupCase) *Array {
	x := randomBits(u32.of(1), c.items(), seedOf(name))
	x.fill = ""
	for i := range c.items() {
		x.set(i, x.at(i)%5)
	}
	return x
}

func (a *All) groupPartitionTypes(t *Topic, shader bool) {
	word := u32.of(1)
	types := votedTypes(shader)
	about := "The first word of the partition of values made of x, of the types"
	for _, v := range types {
		about += " " + v.String()
	}
	groupKernel{name: "partition-types", about: about + ".",
		capabilities: []string{"GroupNonUniformPartitionedEXT"}, extensions: []string{"SPV_NV_shader_subgroup_partitioned"},
		params: []param{pointerTo("x", word)}, out: word, results: len(types),
		body: func(f *function, in func(string) string) (list []string) {
			for _, v := range types {
				set := f.op("set", "OpGroupNonUniformPartitionNV %s %s", f.typ(u32.of(4)), f.made(v, in("x")))
				list = append(list, f.op("part", "OpCompositeExtract %s %s 0", f.typ(word), set))
			}
			return list
		},
		want: func(l groupLane) (list []uint64) {
			for _, v := range types {
				set := l.group.Ballot(func(i int) bool { return sameMade(v, l.in("x", i, 0), l.in("x", l.lane, 0)) })
				list = append(list, set[0])
			}
			return list
		}}.addTo(a, t, shader, []groupCase{masked(8), full(16), partial(32)}, fewValues)
}

// scans are the group operations reduce and scan, with their names and that of the clustered reduction.
var scans = []oracle.Scan{oracle.Reduce, oracle.InclusiveScan, oracle.ExclusiveScan}

var scanNames = []string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"}

// results are what the lanes of a list get, by lane; they are computed once for all lanes of a sub-group. key tells lists
// and operations of a kernel apart.
func (l groupLane) results(key string, scan oracle.Scan, lanes []int, identity uint64, value func(int) uint64, join func(a, b uint64) uint64) []uint64 {
	if other, ok := l.rules.Scan[scan]; ok {
		scan = other
	}
	key += string(rune('0'+scan)) + "/" + string(rune('0'+lanes[0]))
	if list, ok := l.memo[key]; ok {
		return list
	}
	list := make([]uint64, len(l.group)+l.size)
	for i, y := range scan.Results(lanes, identity, value, join) {
		list[lanes[i]] = y
	}
	l.memo[key] = list
	return list
}
