package gen

import (
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// Kernels on the invocations of a sub-group, in both dialects. Each work-item whose lane has its bit in the argument mask
// comes to the instructions; the others go past. What the specifications leave undefined is not made: where a lane takes a
// value from another, the operands name one that is active.

const groupFrom = "oracle: SubGroup, SPIR-V 1.6, sections Group and Subgroup Instructions and Non-Uniform Instructions"

// groupLane is what a work-item finds: its lane and its sub-group.
type groupLane struct {
	lane, size int // size is the sub-group size, also where the sub-group has fewer invocations
	group      oracle.SubGroup
	rules      *Rules
	cluster    int
	// in is number c of the element of an argument in another lane.
	in func(name string, lane, c int) uint64
	// value is an argument that is a value.
	value func(name string) uint64
	memo  map[string][]uint64 // shared by the lanes of a sub-group
}

// groupKernel describes such a kernel.
type groupKernel struct {
	name, about  string
	version      string // of SPIR-V, of the OpenCL dialect; empty: 1.3
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

func (g *groupKernel) allParams() []param {
	return append(slices.Clone(g.params), pointerTo("out", g.out), param{"mask", u32.of(1), true})
}

func (g *groupKernel) text(shader bool) *text {
	t := newDialect(shader, g.module(shader)+":", g.about)
	if !shader {
		t.version = g.version
		if t.version == "" {
			t.version = "1.3"
		}
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
	return t
}

// module is the catalogue name in a dialect.
func (g *groupKernel) module(shader bool) string {
	if shader {
		return "group-shader/" + g.name
	}
	return "group/" + g.name
}

// addGroupKernel adds the module in a dialect and returns its kernel.
func (a *All) addGroupKernel(g groupKernel, shader bool) *Kernel {
	t := g.text(shader)
	params := g.allParams()
	word := u32.of(1)
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
		f.storeResults(i, g.results, g.body(f, func(name string) string {
			if f.params[name].value {
				return "%" + name
			}
			if loaded[name] == "" {
				loaded[name] = f.load(name, i)
			}
			return loaded[name]
		}))
		f.do("OpBranch %%end")
		f.lines = append(f.lines, "%end = OpLabel")
	})
	name := g.module(shader)
	a.source(name, t)
	k := &Kernel{KernelName: KernelName{name, "main"}, Effect: func(r *Rules, l *Launch) { g.effect(r, l.byName(shader, params)) }}
	k.setParams(shader, params)
	return a.kernel(k)
}

func (k *Kernel) setParams(shader bool, params []param) {
	if shader {
		k.Params = shaderParams(params)
		return
	}
	for _, p := range params {
		k.Params = append(k.Params, p.name)
	}
}

// storeResults stores a work-item's results one behind the other in out. Booleans are stored as 0 and 1.
func (f *function) storeResults(i string, results int, list []string) {
	if len(list) != results {
		panic(fmt.Sprintf("%d results, not %d", len(list), results))
	}
	index := f.typ(f.index())
	base := f.op("base", "OpIMul %s %s %s", index, i, f.number(results))
	for k, r := range list {
		f.store("out", f.op("place", "OpIAdd %s %s %s", index, base, f.number(k)), r)
	}
}

func (g *groupKernel) effect(r *Rules, l *Launch) {
	mask := l.scalar("mask", u32)
	cluster := 4
	if c, ok := l.Spec[clusterSpec]; ok {
		cluster = int(c)
	}
	if r.Cluster != nil {
		cluster = r.Cluster(cluster)
	}
	l.anySubgroups(func(items []int) {
		group := make(oracle.SubGroup, len(items))
		for i := range group {
			group[i] = mask>>(i%32)&1 == 1
		}
		lanes := group.Lanes()
		if r.AllLanes {
			for i := range group {
				group[i] = true
			}
		}
		memo := map[string][]uint64{}
		for _, lane := range lanes {
			x := groupLane{lane: lane, size: l.SubGroup, group: group, rules: r, cluster: cluster, memo: memo,
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

// clusterSpec is the specialization constant that kernels with clusters have for their size; it is 4 where not set.
const clusterSpec = 1

// clusterSize is that constant.
func (f *function) clusterSize() string { return f.specialized("cluster", clusterSpec, 4) }

// groupCase is one launch: one work-group of two sub-groups, or two such work-groups where they are small.
type groupCase struct {
	size    int
	mask    uint32
	tail    int               // invocations of the last sub-group of each work-group; 0: it is full
	cluster int               // 0: the module's default
	values  map[string]uint64 // arguments that are values
	name    string            // added to the case's name
}

func (c groupCase) local() int {
	if c.tail != 0 {
		return c.size + c.tail
	}
	return 2 * c.size
}

func (c groupCase) groups() int {
	if c.size <= 4 {
		return 2
	}
	return 1
}

func (c groupCase) items() int { return c.groups() * c.local() }

// groupOf is the sub-group of a work-item, and its lane there.
func (c groupCase) groupOf(item int) (group oracle.SubGroup, lane int) {
	local := item % c.local()
	group = make(oracle.SubGroup, min(c.size, c.local()-local/c.size*c.size))
	for i := range group {
		group[i] = c.mask>>(i%32)&1 == 1
	}
	return group, local % c.size
}

const everyLane = ^uint32(0)

// full, masked and partial are cases in which all lanes come together, some, and some where the last sub-group is partial.
func full(size int) groupCase { return groupCase{size: size, mask: everyLane} }

func masked(size int) groupCase {
	masks := map[int]uint32{1: everyLane, 2: 2, 4: 0xd, 8: 0xb6, 16: 0xb6c5}
	if m, ok := masks[size]; ok {
		return groupCase{size: size, mask: m}
	}
	return groupCase{size: size, mask: 0x8ff0_f00c}
}

func partial(size int) groupCase {
	c := masked(size)
	c.tail = map[int]int{2: 1, 4: 3, 8: 5, 16: 11, 32: 19, 64: 33, 128: 5}[size]
	return c
}

// everySize are cases of all sub-group sizes: full, masked and partial ones by turns.
func everySize() []groupCase {
	return []groupCase{full(1), full(2), masked(2), partial(4), full(8), masked(8), partial(16), full(32), masked(32), partial(64), partial(128), full(128)}
}

// turn are three sizes for a type: the types of a kind share out the sizes, so that each operation has them all.
func turn(v vec) []groupCase {
	switch v {
	case u8.of(1):
		return []groupCase{partial(128), full(1), masked(16)}
	case u16.of(1):
		return []groupCase{partial(64), full(2), masked(8)}
	case u32.of(1):
		return []groupCase{partial(32), full(1), masked(4)}
	case u64.of(1):
		return []groupCase{partial(8), full(4), masked(16)}
	case f16.of(1):
		return []groupCase{partial(64), full(128), masked(2)}
	case f32.of(1):
		return []groupCase{masked(32), full(1), partial(16)}
	case f64.of(1):
		return []groupCase{partial(8), full(4), masked(2)}
	case boolean.of(1):
		return everySize()
	}
	if v.n > 4 {
		return []groupCase{partial(4), full(8)}
	}
	return []groupCase{partial(8), full(16)}
}

// movedTypes are the types whose values are moved, voted on and combined, in a dialect: all scalars, and vectors of every
// size. Signed integers are types of their own in shaders only, and vectors of more than four in kernels only.
func movedTypes(shader bool) []vec {
	types := []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), f16.of(1), f32.of(1), f64.of(1), boolean.of(1)}
	if shader {
		return append(types, i8.of(1), i16.of(1), i32.of(1), i64.of(1), f32.of(2), u16.of(3), u8.of(4), boolean.of(2))
	}
	return append(types, f32.of(2), u16.of(3), u8.of(4), f16.of(8), u8.of(16), boolean.of(2))
}

// stored is the type a value has in memory: Booleans are 32-bit integers.
func (v vec) stored() vec {
	if v.elem == boolean {
		return u32.of(v.n)
	}
	return v
}

// launch adds a case. data makes the buffers of the arguments but out.
func (g *groupKernel) launch(t *Topic, k *Kernel, shader bool, c groupCase, data func(name string, c groupCase) *Array) *Case {
	name := fmt.Sprintf("%s/sg%d", g.name, c.size)
	if shader {
		name = fmt.Sprintf("%s/shader-sg%d", g.name, c.size)
	}
	if c.mask != everyLane {
		name += fmt.Sprintf("-mask-%x", c.mask)
	}
	if c.tail != 0 {
		name += fmt.Sprintf("-and-%d", c.tail)
	}
	if c.cluster != 0 {
		name += fmt.Sprintf("-cluster%d", c.cluster)
	}
	if c.name != "" {
		name += "-" + c.name
	}
	values := map[string]uint64{"mask": uint64(c.mask)}
	var buffers []*Buffer
	for _, p := range g.params {
		if p.value {
			values[p.name] = c.values[p.name]
			continue
		}
		buffers = append(buffers, in(p.name, data(p.name, c)))
	}
	output := in("out", randomBits(g.out, c.items()*g.results, 1))
	if c.mask == everyLane {
		output = out("out", g.out, c.items()*g.results)
	}
	step := dialectStep(k, shader, g.allParams(), c.groups(), c.local(), c.size, values)
	if c.cluster != 0 {
		step.Spec = append(step.Spec, Spec{clusterSpec, fmt.Sprint(c.cluster), uint64(c.cluster)})
	}
	added := &Case{Name: name, Module: k.Module, From: groupFrom, Buffers: append(buffers, output), Steps: []*Step{step}}
	t.Cases = append(t.Cases, added)
	return added
}

// addTo adds the kernel in one dialect with its cases.
func (g groupKernel) addTo(a *All, t *Topic, shader bool, cases []groupCase, data func(name string, c groupCase) *Array) {
	k := a.addGroupKernel(g, shader)
	for _, c := range cases {
		g.launch(t, k, shader, c, data)
	}
}

// boolWords makes 0 and 1 of a Boolean or a vector of such.
func (f *function) boolWords(b string, n int) string {
	word := u32.of(n)
	return f.op("word", "OpSelect %s %s %s %s", f.typ(word), b, f.constant(word, "1"), f.constant(word, "0"))
}

// isOdd makes Booleans of 32-bit integers: whether they are odd.
func (f *function) isOdd(x string, n int) string {
	word := u32.of(n)
	return f.op("odd", "OpINotEqual %s %s %s", f.typ(boolean.of(n)), f.op("low_bit", "OpBitwiseAnd %s %s %s", f.typ(word), x, f.constant(word, "1")), f.constant(word, "0"))
}

// taken and kept turn what is stored into a value of the type and back.
func (f *function) taken(v vec, x string) string {
	if v.elem == boolean {
		return f.isOdd(x, v.n)
	}
	return x
}

func (f *function) kept(v vec, x string) string {
	if v.elem == boolean {
		return f.boolWords(x, v.n)
	}
	return x
}

// taken is number c of the value that an argument has in a lane.
func (l groupLane) taken(v vec, name string, lane, c int) uint64 {
	x := l.in(name, lane, c)
	if v.elem == boolean {
		return x & 1
	}
	return x
}

// subgroupScope is the constant for the scope Subgroup.
func (f *function) subgroupScope() string { return f.constant(u32.of(1), "3") }

func randomArrays(v vec) func(name string, c groupCase) *Array {
	return func(name string, c groupCase) *Array { return randomBits(v, c.items(), seedOf(name+v.String())) }
}

func addGroups(a *All) {
	a.groupVotes()
	a.groupBallots()
	a.groupMoves()
	a.groupBlocks()
	a.groupArithmetic()
	a.groupUniform()
}
