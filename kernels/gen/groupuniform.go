package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// groupUniform adds the instructions that all work-items of a sub-group or work-group must reach: OpGroup* and those of
// SPV_KHR_uniform_group_instructions.
func (a *All) groupUniform() {
	t := a.topic("group-uniform", "OpGroup instructions and SPV_KHR_uniform_group_instructions in the scopes Subgroup and Workgroup")
	for _, e := range []elem{u32, u64, f32, f16, boolean} {
		for _, scope := range []string{"subgroup", "workgroup"} {
			a.groupUniformKernel(t, e, scope)
		}
	}
}

func (a *All) groupUniformKernel(t *Topic, e elem, scope string) {
	name := fmt.Sprintf("group/uniform-%s-%v", scope, e)
	var ops, khr []string
	switch {
	case e == boolean:
		khr = []string{"LogicalAnd", "LogicalOr", "LogicalXor"}
	case e.kind == 'f':
		ops, khr = []string{"FAdd", "FMin", "FMax"}, []string{"FMul"}
	default:
		ops, khr = []string{"IAdd", "SMin", "UMin", "SMax", "UMax"}, []string{"IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}
	}
	stored := e
	if e == boolean {
		stored = u32
	}
	results := 3*(len(ops)+len(khr)) + 1
	if e == boolean {
		results += 2
	}
	text := newText(name+":", "Reductions and scans, a value from the work-item number 1, and whether all and any are odd.")
	text.capability("Groups")
	text.capability("GroupUniformArithmeticKHR")
	text.extension("SPV_KHR_uniform_group_instructions")
	word, long := u32.of(1), u64.of(1)
	text.kernel("main", "", []param{pointerTo("x", stored.of(1)), pointerTo("out", stored.of(1))}, func(f *function) {
		i := f.globalID(0)
		x := f.load("x", i)
		scopeID, typ := f.constant(word, map[string]string{"subgroup": "3", "workgroup": "2"}[scope]), f.typ(e.of(1))
		if e == boolean {
			x = f.op("odd", "OpINotEqual %s %s %s", typ, f.op("low_bit", "OpBitwiseAnd %s %s %s", f.typ(word), x, f.constant(word, "1")), f.constant(word, "0"))
		}
		n := 0
		keep := func(y string) {
			if e == boolean {
				y = f.boolWord(f, y)
			}
			base := f.op("base", "OpIMul %s %s %s", f.typ(long), i, f.constant(long, fmt.Sprint(results)))
			f.store("out", f.op("place", "OpIAdd %s %s %s", f.typ(long), base, f.constant(long, fmt.Sprint(n))), y)
			n++
		}
		for _, scan := range scanNames[:3] {
			for _, op := range ops {
				keep(f.op("y", "OpGroup%s %s %s %s %s", op, typ, scopeID, scan, x))
			}
			for _, op := range khr {
				keep(f.op("y", "OpGroup%sKHR %s %s %s %s", op, typ, scopeID, scan, x))
			}
		}
		if e == boolean {
			keep(f.op("all", "OpGroupAll %s %s %s", typ, scopeID, x))
			keep(f.op("any", "OpGroupAny %s %s %s", typ, scopeID, x))
			keep(x)
			return
		}
		keep(f.op("from_one", "OpGroupBroadcast %s %s %s %s", typ, scopeID, x, f.constant(word, "1")))
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"x", "out"}, Effect: func(_ *Rules, l *Launch) {
		size := l.SubGroup
		if scope == "workgroup" {
			size = l.Local[0]
		}
		all := append(append([]string{}, ops...), khr...)
		for i := range l.Items() {
			first := i / size * size
			value := func(lane int) uint64 {
				v := number(l.Args["x"], stored, first+lane)
				if e == boolean {
					v &= 1
				}
				return v
			}
			lanes := make([]int, size)
			for j := range lanes {
				lanes[j] = j
			}
			var list []uint64
			for _, scan := range []oracle.Scan{oracle.Reduce, oracle.InclusiveScan, oracle.ExclusiveScan} {
				for _, op := range all {
					identity, join := joinOf(e, op)
					list = append(list, scan.Over(lanes, i-first, identity, value, join))
				}
			}
			if e == boolean {
				odd := func(lane int) bool { return value(lane) == 1 }
				group := make(oracle.SubGroup, size)
				for j := range group {
					group[j] = true
				}
				list = append(list, truth(group.All(odd)), truth(group.Any(odd)), value(i-first))
			} else {
				list = append(list, value(1))
			}
			for c, y := range list {
				putNumber(l.Args["out"], stored, i*results+c, y)
			}
		}
	}})
	for _, c := range []struct{ size, local, global int }{{8, 16, 32}, {16, 48, 96}, {32, 96, 96}} {
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%s/sg%d", strings.TrimPrefix(name, "group/"), c.size), Module: name, From: groupFrom,
			Buffers: []*Buffer{in("x", uniformData(stored, c.global)), out("out", stored.of(1), c.global*results)},
			Steps:   oneStep(k, c.global, c.local, c.size, "x", "out")})
	}
	if scope == "workgroup" && e == u32 { // several gangs
		t.Cases = append(t.Cases, &Case{Name: strings.TrimPrefix(name, "group/") + "/items300", Module: name, From: groupFrom,
			Buffers: []*Buffer{in("x", uniformData(stored, 300)), out("out", stored.of(1), 300*results)},
			Steps:   oneStep(k, 300, 300, 4, "x", "out")})
	}
}

// uniformData are random integers; floats are ones and minus ones, so that sums and products are exact in any order.
func uniformData(e elem, n int) *Array {
	x := randomBits(e.of(1), n, seedOf("uniform"+e.String()))
	if e.kind == 'f' {
		x.fill = ""
		for i := range n {
			x.set(i, e.format().FromSigned(64, 1-2*(splitMix64(79, uint64(i))&1), oracle.RTE))
		}
	}
	return x
}
