package gen

import (
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// Kernels on the invocations of a sub-group. Each work-item whose lane has its bit in the argument mask comes to the
// instructions; the others go past. What the specifications leave undefined is not made: where a lane takes a value from
// another, the operands name one that is active.

const groupFrom = "oracle: SubGroup, SPIR-V 1.6, sections Group and Subgroup Instructions and Non-Uniform Instructions"

// groupLane is what a work-item finds: its lane and its sub-group.
type groupLane struct {
	lane, size int
	group      oracle.SubGroup
	// in is number c of the element of an argument in another lane.
	in func(name string, lane, c int) uint64
	// value is an argument that is a value.
	value func(name string) uint64
}

// groupKernel describes such a kernel.
type groupKernel struct {
	name, about  string
	version      string // of SPIR-V; empty: 1.3
	capabilities []string
	extensions   []string
	params       []param // besides out and mask; element i belongs to work-item i
	out          vec
	results      int // elements of out for each work-item
	// body adds the instructions and returns the results.
	body func(f *function, in func(name string) string) []string
	// want are the results of a work-item, numbers one by one.
	want func(l groupLane) []uint64
}

// addGroupKernel adds the module and returns its kernel.
func (a *All) addGroupKernel(g groupKernel) *Kernel {
	t := newText(g.name+":", g.about)
	t.version = g.version
	if t.version == "" {
		t.version = "1.3"
	}
	if t.version != "1.0" {
		t.capability("GroupNonUniform")
	}
	for _, c := range g.capabilities {
		t.capability(c)
	}
	for _, e := range g.extensions {
		t.extension(e)
	}
	word := u32.of(1)
	params := append(slices.Clone(g.params), pointerTo("out", g.out), param{"mask", word, true})
	t.kernel("main", "", params, func(f *function) {
		i := f.globalID(0)
		lane := f.input("sub_group_lane", "SubgroupLocalInvocationId", "lane", word)
		low := f.op("low", "OpBitwiseAnd %s %s %s", f.typ(word), lane, f.constant(word, "31"))
		shifted := f.op("shifted", "OpShiftRightLogical %s %%mask %s", f.typ(word), low)
		bit := f.op("bit", "OpBitwiseAnd %s %s %s", f.typ(word), shifted, f.constant(word, "1"))
		here := f.op("here", "OpINotEqual %s %s %s", f.typ(boolean.of(1)), bit, f.constant(word, "0"))
		f.do("OpSelectionMerge %%end None")
		f.do("OpBranchConditional %s %%inside %%end", here)
		f.lines = append(f.lines, "%inside = OpLabel")
		loaded := map[string]string{}
		results := g.body(f, func(name string) string {
			if f.params[name].value {
				return "%" + name
			}
			if loaded[name] == "" {
				loaded[name] = f.load(name, i)
			}
			return loaded[name]
		})
		if len(results) != g.results {
			panic(fmt.Sprintf("%s has %d results, not %d", g.name, len(results), g.results))
		}
		long := u64.of(1)
		base := f.op("base", "OpIMul %s %s %s", f.typ(long), i, f.constant(long, fmt.Sprint(g.results)))
		for k, r := range results {
			f.store("out", f.op("place", "OpIAdd %s %s %s", f.typ(long), base, f.constant(long, fmt.Sprint(k))), r)
		}
		f.do("OpBranch %%end")
		f.lines = append(f.lines, "%end = OpLabel")
	})
	a.source(g.name, t)
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	return a.kernel(&Kernel{KernelName: KernelName{g.name, "main"}, Params: names, Effect: func(_ *Rules, l *Launch) { g.effect(l) }})
}

func (g *groupKernel) effect(l *Launch) {
	mask := l.scalar("mask", u32)
	l.subgroups(func(items []int) {
		group := make(oracle.SubGroup, len(items))
		for i := range group {
			group[i] = mask>>(i%32)&1 == 1
		}
		for _, lane := range group.Lanes() {
			x := groupLane{lane: lane, size: len(items), group: group,
				in: func(name string, lane, c int) uint64 {
					for _, p := range g.params {
						if p.name == name {
							return number(l.Args[name], p.typ.elem, items[lane]*p.typ.n+c)
						}
					}
					panic("no argument " + name)
				},
				value: func(name string) uint64 { return l.scalar(name, u32) },
			}
			for k, y := range g.want(x) {
				putNumber(l.Args["out"], g.out.elem, items[lane]*g.results*g.out.n+k, y)
			}
		}
	})
}

// groupCase is one launch: two sub-groups a work-group, two work-groups.
type groupCase struct {
	size   int
	mask   uint32
	values map[string]uint64 // arguments that are values
}

// launch adds a case. data makes the buffers of the arguments but out.
func (g *groupKernel) launch(t *Topic, k *Kernel, c groupCase, data func(name string, count int, group oracle.SubGroup) *Array) {
	local, global := 2*c.size, 4*c.size
	group := make(oracle.SubGroup, c.size)
	for i := range group {
		group[i] = c.mask>>(i%32)&1 == 1
	}
	name := fmt.Sprintf("%s/sg%d", g.name[len("group/"):], c.size)
	if c.mask != ^uint32(0) {
		name += fmt.Sprintf("-mask-%x", c.mask)
	}
	args := map[string]string{"out": "&out", "mask": fmt.Sprintf("0x%x", c.mask)}
	values := map[string][]byte{"mask": words(uint64(c.mask)).Data}
	var buffers []*Buffer
	for _, p := range g.params {
		if p.value {
			args[p.name] = fmt.Sprint(c.values[p.name])
			values[p.name] = words(c.values[p.name]).Data
			continue
		}
		args[p.name] = "&" + p.name
		buffers = append(buffers, in(p.name, data(p.name, global, group)))
	}
	output := in("out", randomBits(g.out, global*g.results, 1))
	if c.mask == ^uint32(0) {
		output = out("out", g.out, global*g.results)
	}
	t.Cases = append(t.Cases, &Case{Name: name, Module: g.name, From: groupFrom, Buffers: append(buffers, output),
		Steps: []*Step{{Kernel: k, Global: []int{global}, Local: []int{local}, SubGroup: c.size, Args: args, Values: values}}})
}

// groupCases are sizes of sub-groups with lanes that come together.
func groupCases() []groupCase {
	return []groupCase{{size: 1, mask: ^uint32(0)}, {size: 4, mask: 0xd}, {size: 8, mask: ^uint32(0)}, {size: 16, mask: 0xb6c5},
		{size: 32, mask: ^uint32(0)}, {size: 32, mask: 0x8ff0_f00c}}
}

func (t *text) boolWord(f *function, b string) string {
	word := u32.of(1)
	return f.op("word", "OpSelect %s %s %s %s", f.typ(word), b, f.constant(word, "1"), f.constant(word, "0"))
}

// subgroupScope is the constant for the scope Subgroup.
func (f *function) subgroupScope() string { return f.constant(u32.of(1), "3") }

func addGroups(a *All) {
	a.groupVotes()
	a.groupBallots()
	a.groupShuffles()
	a.groupArithmetic()
	a.groupUniform()
}

func (a *All) groupVotes() {
	t := a.topic("group-vote", "elect, vote and ballot instructions, also those of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, under divergence")
	word, b := u32.of(1), boolean.of(1)
	g := groupKernel{name: "group/vote", about: "Elect; All, Any and AllEqual of whether x is odd, AllEqual of x and of x as a float.",
		capabilities: []string{"GroupNonUniformVote", "SubgroupVoteKHR"}, extensions: []string{"SPV_KHR_subgroup_vote"},
		params: []param{pointerTo("x", word)}, out: word, results: 9,
		body: func(f *function, in func(string) string) []string {
			x, s, bo := in("x"), f.subgroupScope(), f.typ(b)
			odd := f.op("odd", "OpINotEqual %s %s %s", bo, f.op("low_bit", "OpBitwiseAnd %s %s %s", f.typ(word), x, f.constant(word, "1")), f.constant(word, "0"))
			fx := f.op("fx", "OpConvertUToF %s %s", f.typ(f32.of(1)), x)
			list := []string{
				f.op("elect", "OpGroupNonUniformElect %s %s", bo, s), f.op("all", "OpGroupNonUniformAll %s %s %s", bo, s, odd),
				f.op("any", "OpGroupNonUniformAny %s %s %s", bo, s, odd), f.op("equal", "OpGroupNonUniformAllEqual %s %s %s", bo, s, odd),
				f.op("equal", "OpGroupNonUniformAllEqual %s %s %s", bo, s, x), f.op("equal", "OpGroupNonUniformAllEqual %s %s %s", bo, s, fx),
				f.op("all", "OpSubgroupAllKHR %s %s", bo, odd), f.op("any", "OpSubgroupAnyKHR %s %s", bo, odd), f.op("equal", "OpSubgroupAllEqualKHR %s %s", bo, odd)}
			for i, id := range list {
				list[i] = f.boolWord(f, id)
			}
			return list
		},
		want: func(l groupLane) []uint64 {
			odd := func(i int) bool { return l.in("x", i, 0)%2 == 1 }
			same := func(i int) bool { return l.in("x", i, 0) == l.in("x", l.lane, 0) }
			sameOdd := truth(l.group.All(func(i int) bool { return odd(i) == odd(l.lane) }))
			all, some, equal := truth(l.group.All(odd)), truth(l.group.Any(odd)), truth(l.group.All(same))
			return []uint64{truth(l.group.Elect(l.lane)), all, some, sameOdd, equal, equal, all, some, sameOdd}
		}}
	k := a.addGroupKernel(g)
	for _, c := range append(groupCases(), groupCase{size: 128, mask: 0x0ff0_0ff0}) {
		g.launch(t, k, c, func(_ string, n int, _ oracle.SubGroup) *Array {
			x := newArray(word, n)
			for i := range n { // sub-groups: all odd and equal, all even, mixed, odd but for one
				x.set(i, []uint64{7, uint64(2 * i), uint64(i), uint64(2*i + 1)}[i/c.size])
			}
			return x
		})
	}
}

func (a *All) groupBallots() {
	t := a.topic("group-ballot", "ballots and what is made of them, under divergence; lanes of one value, and operations on them")
	word, b := u32.of(1), boolean.of(1)
	four := u32.of(4)
	odd := func(l groupLane) func(int) bool { return func(i int) bool { return l.in("x", i, 0)%2 == 1 } }
	g := groupKernel{name: "group/ballot", about: "Ballot of whether x is odd, and all that is made of a ballot.",
		capabilities: []string{"GroupNonUniformBallot", "SubgroupBallotKHR"}, extensions: []string{"SPV_KHR_shader_ballot"},
		params: []param{pointerTo("x", word), pointerTo("index", word)}, out: word, results: 16,
		body: func(f *function, in func(string) string) []string {
			x, id, s, bo, w := in("x"), in("index"), f.subgroupScope(), f.typ(b), f.typ(word)
			odd := f.op("odd", "OpINotEqual %s %s %s", bo, f.op("low_bit", "OpBitwiseAnd %s %s %s", w, x, f.constant(word, "1")), f.constant(word, "0"))
			set := f.op("set", "OpGroupNonUniformBallot %s %s %s", f.typ(four), s, odd)
			khr := f.op("khr", "OpSubgroupBallotKHR %s %s", f.typ(four), odd)
			var list []string
			for _, from := range []string{set, khr} {
				for c := range 4 {
					list = append(list, f.op("part", "OpCompositeExtract %s %s %d", w, from, c))
				}
			}
			list = append(list, f.boolWord(f, f.op("inverse", "OpGroupNonUniformInverseBallot %s %s %s", bo, s, set)),
				f.boolWord(f, f.op("extract", "OpGroupNonUniformBallotBitExtract %s %s %s %s", bo, s, set, id)))
			for _, scan := range scanNames[:3] {
				list = append(list, f.op("count", "OpGroupNonUniformBallotBitCount %s %s %s %s", w, s, scan, set))
			}
			return append(list, f.op("lowest", "OpGroupNonUniformBallotFindLSB %s %s %s", w, s, set),
				f.op("highest", "OpGroupNonUniformBallotFindMSB %s %s %s", w, s, set),
				f.op("first", "OpSubgroupFirstInvocationKHR %s %s", w, x))
		},
		want: func(l groupLane) []uint64 {
			set := l.group.Ballot(odd(l))
			list := append(slices.Clone(set[:]), set[:]...)
			list = append(list, truth(oracle.InBallot(set, l.lane)), truth(oracle.InBallot(set, int(l.in("index", l.lane, 0)))))
			var members []int
			for i := range l.size {
				if oracle.InBallot(set, i) {
					members = append(members, i)
				}
			}
			for _, scan := range []oracle.Scan{oracle.Reduce, oracle.InclusiveScan, oracle.ExclusiveScan} {
				list = append(list, scan.Over(members, l.lane, 0, func(int) uint64 { return 1 }, func(a, b uint64) uint64 { return a + b }))
			}
			return append(list, uint64(members[0]), uint64(members[len(members)-1]), l.in("x", l.group.Lanes()[0], 0))
		}}
	k := a.addGroupKernel(g)
	for _, c := range append(groupCases(), groupCase{size: 128, mask: 0x0ff0_0ff0}, groupCase{size: 64, mask: ^uint32(0)}) {
		g.launch(t, k, c, func(name string, n int, group oracle.SubGroup) *Array {
			x := randomBits(word, n, seedOf(name))
			x.fill = ""
			for i := range n {
				switch {
				case name == "index":
					x.set(i, x.at(i)%uint64(c.size))
				case i%c.size == group.Lanes()[len(group.Lanes())/2]:
					x.set(i, x.at(i)|1) // no ballot is empty
				}
			}
			return x
		})
	}

	p := groupKernel{name: "group/partition", about: "The lanes with the same x; sum, running sums and largest of y over them.", version: "1.3",
		capabilities: []string{"GroupNonUniformPartitionedEXT"}, extensions: []string{"SPV_NV_shader_subgroup_partitioned"},
		params: []param{pointerTo("x", word), pointerTo("y", word)}, out: word, results: 8,
		body: func(f *function, in func(string) string) []string {
			w, s := f.typ(word), f.subgroupScope()
			set := f.op("set", "OpGroupNonUniformPartitionNV %s %s", f.typ(four), in("x"))
			var list []string
			for c := range 4 {
				list = append(list, f.op("part", "OpCompositeExtract %s %s %d", w, set, c))
			}
			for _, scan := range []string{"PartitionedReduceNV", "PartitionedInclusiveScanNV", "PartitionedExclusiveScanNV"} {
				list = append(list, f.op("sum", "OpGroupNonUniformIAdd %s %s %s %s %s", w, s, scan, in("y"), set))
			}
			return append(list, f.op("largest", "OpGroupNonUniformUMax %s %s PartitionedReduceNV %s %s", w, s, in("y"), set))
		},
		want: func(l groupLane) []uint64 {
			like := l.group.Like(l.lane, func(i int) uint64 { return l.in("x", i, 0) })
			set := l.group.Ballot(func(i int) bool { return slices.Contains(like, i) })
			list, joins := slices.Clone(set[:]), oracle.Joins(32)
			y := func(i int) uint64 { return l.in("y", i, 0) }
			for _, scan := range []oracle.Scan{oracle.Reduce, oracle.InclusiveScan, oracle.ExclusiveScan} {
				list = append(list, scan.Over(like, l.lane, 0, y, joins["IAdd"]))
			}
			return append(list, oracle.Reduce.Over(like, l.lane, 0, y, joins["UMax"]))
		}}
	k = a.addGroupKernel(p)
	for _, c := range append(groupCases(), groupCase{size: 128, mask: 0x0ff0_0ff0}) {
		p.launch(t, k, c, func(name string, n int, _ oracle.SubGroup) *Array {
			x := randomBits(word, n, seedOf(name))
			if name == "x" {
				x.fill = ""
				for i := range n {
					x.set(i, x.at(i)%5)
				}
			}
			return x
		})
	}
}

var scanNames = []string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"}
