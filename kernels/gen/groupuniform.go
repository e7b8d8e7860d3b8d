package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// groupUniform adds the instructions that all work-items of a sub-group or work-group must reach: OpGroup* and those of
// SPV_KHR_uniform_group_instructions.
func (a *All) groupUniform() {
	t := a.topic("group-uniform", "OpGroup instructions and SPV_KHR_uniform_group_instructions in the scopes Subgroup and Workgroup; async copies between global and local memory")
	for _, shader := range []bool{false, true} {
		for _, v := range movedTypes(shader) {
			for _, scope := range []string{"subgroup", "workgroup"} {
				a.groupUniformKernel(t, v, scope, shader)
			}
		}
	}
	a.groupBroadcasts(t)
	for _, v := range []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), f16.of(1), f32.of(1), f64.of(1), f32.of(2), u32.of(4), u16.of(8), u8.of(16)} {
		a.asyncCopies(t, v)
	}
}

// uniformOperations are the operations of OpGroup instructions on a type, with the suffix of their names.
func uniformOperations(e elem) (ops [][2]string) {
	for _, op := range groupOperations(e) {
		switch op {
		case "IAdd", "FAdd", "SMin", "UMin", "FMin", "SMax", "UMax", "FMax":
			ops = append(ops, [2]string{op, ""})
		default:
			ops = append(ops, [2]string{op, "KHR"})
		}
	}
	return ops
}

func (a *All) groupUniformKernel(t *Topic, v vec, scope string, shader bool) {
	ops, s, word := uniformOperations(v.elem), v.stored(), u32.of(1)
	g := groupKernel{name: fmt.Sprintf("uniform-%s-%v", scope, v), out: s, version: "1.0", results: 3*len(ops) + 1,
		about:        "Reductions and scans, a value from the work-item number 1; of Booleans, All and Any.",
		capabilities: []string{"Groups", "GroupUniformArithmeticKHR"}, extensions: []string{"SPV_KHR_uniform_group_instructions"},
		params: []param{pointerTo("x", s)}}
	if shader { // the group operations need it there
		g.capabilities = append(g.capabilities, "GroupNonUniformArithmetic")
	}
	votes := v == boolean.of(1)
	if votes {
		g.results += 2
	}
	name := g.module(shader)
	text := g.text(shader)
	params := []param{pointerTo("x", s), pointerTo("out", s)}
	text.kernel("main", "", params, func(f *function) {
		i := f.globalID(0)
		scopeID, typ, x := f.constant(word, map[string]string{"subgroup": "3", "workgroup": "2"}[scope]), f.typ(v), f.taken(v, f.load("x", i))
		var list []string
		for _, scan := range scanNames[:3] {
			for _, op := range ops {
				list = append(list, f.op("y", "OpGroup%s%s %s %s %s %s", op[0], op[1], typ, scopeID, scan, x))
			}
		}
		list = append(list, f.op("from_one", "OpGroupBroadcast %s %s %s %s", typ, scopeID, x, f.specialized("from", fromSpec, 1)))
		if votes {
			list = append(list, f.op("all", "OpGroupAll %s %s %s", typ, scopeID, x), f.op("any", "OpGroupAny %s %s %s", typ, scopeID, x))
		}
		for k := range list {
			list[k] = f.kept(v, list[k])
		}
		f.storeResults(i, g.results, list)
	})
	a.source(name, text)
	k := &Kernel{KernelName: KernelName{name, "main"}}
	k.setParams(shader, params)
	k.Effect = func(r *Rules, l *Launch) {
		named := l.byName(shader, params)
		each := named.anySubgroups
		if scope == "workgroup" {
			each = named.workGroups
		}
		each(func(items []int) {
			lanes := lanesTo(len(items))
			at := 0
			put := func(c int, results []uint64) {
				for lane, y := range results {
					putNumber(named.Args["out"], s.elem, items[lane]*g.results*v.n+at*v.n+c, y)
				}
			}
			value := func(c int) func(lane int) uint64 {
				return func(lane int) uint64 {
					x := number(named.Args["x"], s.elem, items[lane]*v.n+c)
					if v.elem == boolean {
						x &= 1
					}
					return x
				}
			}
			for _, scan := range scans {
				if other, ok := r.Scan[scan]; ok {
					scan = other
				}
				for _, op := range ops {
					identity, join := r.joined("OpGroup", op[0], op[1], v.elem)
					for c := range v.n {
						put(c, scan.Results(lanes, identity, value(c), join))
					}
					at++
				}
			}
			same := func(y uint64) []uint64 {
				return oracle.Reduce.Results(lanes, 0, func(int) uint64 { return y }, func(a, _ uint64) uint64 { return a })
			}
			for c := range v.n {
				put(c, same(value(c)(min(1, len(items)-1))))
			}
			if votes {
				group := make(oracle.SubGroup, len(items))
				for j := range group {
					group[j] = true
				}
				odd := func(lane int) bool { return value(0)(lane) == 1 }
				at++
				put(0, same(truth(group.All(odd))))
				at++
				put(0, same(truth(group.Any(odd))))
			}
		})
	}
	a.kernel(k)
	for _, c := range uniformCases(v, scope) {
		dialect := ""
		if shader {
			dialect = "shader-"
		}
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%s/%sitems%d-sg%d", g.name, dialect, c.local, c.size), Module: name, From: groupFrom,
			Buffers: []*Buffer{in("x", uniformData(s, c.groups*c.local, votes)), out("out", s, c.groups*c.local*g.results)},
			Steps:   []*Step{dialectStep(k, shader, params, c.groups, c.local, c.size, nil)}})
		if c.size == 1 { // number 0 is the only one
			step := t.Cases[len(t.Cases)-1].Steps[0]
			step.Spec = append(step.Spec, Spec{fromSpec, "0", 0})
		}
	}
}

// fromSpec is the specialization constant that says whose value is broadcast: number 1 where not set.
const fromSpec = 1

type uniformCase struct{ size, local, groups int }

// uniformCases have full and partial sub-groups; where the size is not 1, each has a work-item number 1.
func uniformCases(v vec, scope string) []uniformCase {
	if scope == "workgroup" {
		if v == u32.of(1) { // several gangs
			return []uniformCase{{8, 20, 2}, {4, 300, 1}}
		}
		return []uniformCase{{8, 20, 2}}
	}
	switch v {
	case u8.of(1), f16.of(1):
		return []uniformCase{{128, 130, 1}, {8, 20, 1}, {2, 4, 2}}
	case u16.of(1), f32.of(1):
		return []uniformCase{{64, 66, 1}, {16, 32, 1}, {4, 10, 2}}
	case u32.of(1), u64.of(1), f64.of(1):
		return []uniformCase{{32, 34, 1}, {1, 3, 1}}
	case boolean.of(1):
		return []uniformCase{{1, 2, 1}, {2, 4, 2}, {4, 10, 1}, {8, 16, 1}, {16, 18, 1}, {32, 64, 1}, {64, 66, 1}, {128, 136, 1}}
	}
	return []uniformCase{{8, 14, 1}}
}

// workGroups calls do for each work-group along the first dimension with the indexes of its work-items.
func (l *Launch) workGroups(do func(items []int)) {
	for first := 0; first < l.Items(); first += l.Local[0] {
		items := lanesTo(l.Local[0])
		for i := range items {
			items[i] += first
		}
		do(items)
	}
}

// uniformData are random integers; floats are ones and minus ones, so that sums and products are exact in any order. For
// votes the first 16 words are odd.
func uniformData(v vec, n int, votes bool) *Array {
	x := randomBits(v, n, seedOf("uniform"+v.String()))
	for i := range x.numbers() {
		switch {
		case v.kind == 'f':
			x.set(i, v.format().FromSigned(64, 1-2*(splitMix64(79, uint64(i))&1), oracle.RTE))
		case votes && i < 16:
			x.set(i, 2*uint64(i)+1)
		}
	}
	if v.kind == 'f' || votes {
		x.fill = ""
	}
	return x
}

// groupBroadcasts adds OpGroupBroadcast in work-groups of two and three dimensions, where the local id is a vector.
func (a *All) groupBroadcasts(t *Topic) {
	long := u64.of(1)
	for _, local := range [][]int{{6, 4}, {4, 3, 2}} {
		n := len(local)
		name := fmt.Sprintf("group/broadcast-%dd", n)
		v := u32.of(1)
		text := newText(name+":", fmt.Sprintf("x of the work-item with the local id at, of %d dimensions.", n))
		text.capability("Groups")
		params := []param{pointerTo("x", v), pointerTo("out", v), {"at", u64.of(n), true}}
		text.kernel("main", "", params, func(f *function) {
			i := f.input("linear", "GlobalLinearId", "i", long)
			x := f.load("x", i)
			f.store("out", i, f.op("taken", "OpGroupBroadcast %s %s %s %%at", f.typ(v), f.constant(v, "2"), x))
		})
		a.source(name, text)
		k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"x", "out", "at"}, Effect: func(_ *Rules, l *Launch) {
			for _, w := range l.items() {
				from, stride := 0, 1
				for d := range 3 {
					at := w.global[d] - w.local[d]
					if d < n {
						at += int(number(l.Args["at"], u64, d))
					}
					from += at * stride
					stride *= l.Global[d]
				}
				putNumber(l.Args["out"], u32, (w.global[2]*l.Global[1]+w.global[1])*l.Global[0]+w.global[0], number(l.Args["x"], u32, from))
			}
		}})
		global := append([]int{2 * local[0]}, local[1:]...)
		items := 2 * 24
		at := arrayOf(u64.of(4), 3, 2, 1, 0) // a vector of three takes the room of four
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("broadcast-%dd", n), Module: name, From: groupFrom,
			Buffers: []*Buffer{in("x", randomBits(v, items, 5)), out("out", v, items)},
			Steps: []*Step{{Kernel: k, Global: global, Local: local, SubGroup: 8,
				Args:   map[string]string{"x": "&x", "out": "&out", "at": fmt.Sprintf("[%s]", map[int]string{2: "3,2", 3: "3,2,1"}[n])},
				Values: map[string][]byte{"at": at.Data[:8*(n+n%2)]}}}})
	}
}
