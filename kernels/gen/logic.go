package gen

import "fmt"

// addBooleans adds the instructions on Booleans. In memory a Boolean is a 32-bit number; kernels take every number but 0
// for true.
func (a *All) addBooleans(t *Topic, from string) {
	const module = "compare/bool"
	m := newText(module+":", "Boolean logic; a Boolean is loaded as a 32-bit number, not 0 for true, and stored as 0 or 1.")
	rules := []struct {
		name string
		rule func(x, y bool) bool
	}{
		{"OpLogicalEqual", func(x, y bool) bool { return x == y }},
		{"OpLogicalNotEqual", func(x, y bool) bool { return x != y }},
		{"OpLogicalAnd", func(x, y bool) bool { return x && y }},
		{"OpLogicalOr", func(x, y bool) bool { return x || y }},
		{"OpLogicalNot", func(x, _ bool) bool { return !x }},
	}
	for i, rule := range rules {
		for _, n := range []int{1, vectorSizes[i%len(vectorSizes)]} {
			word, bools := u32.of(n), boolean.of(n)
			operands := 2
			if rule.name == "OpLogicalNot" {
				operands = 1
			}
			shape := elementKernel{entry: fmt.Sprintf("%s_v%d", rule.name, n), out: []vec{word}}
			for range operands {
				shape.in = append(shape.in, word)
			}
			shape.emit = func(f *function, x []string) []string {
				list := ""
				for _, id := range x {
					list += " " + f.op("is", "OpINotEqual %s %s %s", f.typ(bools), id, f.constant(word, "0"))
				}
				b := f.op("test", "%s %s%s", rule.name, f.typ(bools), list)
				return []string{f.op("number", "OpSelect %s %s %s %s", f.typ(word), b, f.constant(word, "1"), f.constant(word, "0"))}
			}
			shape.compute = func(_ *Rules, x [][]uint64) [][]uint64 {
				var y []uint64
				for c := range n {
					y = append(y, truth(rule.rule(x[0][c] != 0, x[operands-1][c] != 0)))
				}
				return [][]uint64{y}
			}
			k := a.elements(module, m, shape)
			t.Cases = append(t.Cases, elementCase(fmt.Sprintf("bool/%s_v%d", rule.name, n), k, from, shape, booleans(48, 41), booleans(48, 42)))
		}
	}
	for _, name := range []string{"OpAny", "OpAll"} {
		for _, n := range vectorSizes {
			shape := elementKernel{entry: fmt.Sprintf("%s_v%d", name, n), in: []vec{u32.of(n)}, out: []vec{u32.of(1)}}
			shape.emit = func(f *function, x []string) []string {
				is := f.op("is", "OpINotEqual %s %s %s", f.typ(boolean.of(n)), x[0], f.constant(u32.of(n), "0"))
				b := f.op("test", "%s %s %s", name, f.typ(boolean.of(1)), is)
				one := u32.of(1)
				return []string{f.op("number", "OpSelect %s %s %s %s", f.typ(one), b, f.constant(one, "1"), f.constant(one, "0"))}
			}
			shape.compute = func(_ *Rules, x [][]uint64) [][]uint64 {
				all, some := true, false
				for _, c := range x[0] {
					all, some = all && c != 0, some || c != 0
				}
				if name == "OpAny" {
					all = some
				}
				return [][]uint64{{truth(all)}}
			}
			k := a.elements(module, m, shape)
			// None, all, and each single component set or not set.
			data := newArray(u32.of(1), (2*n+2)*n)
			for i := range 2*n + 2 {
				for c := range n {
					set := i == 1 || i >= 2 && i < 2+n && c == i-2 || i >= 2+n && c != i-2-n
					data.set(i*n+c, truth(set)*uint64(i))
				}
			}
			t.Cases = append(t.Cases, elementCase("bool/"+shape.entry, k, from, shape, data))
		}
	}
	a.source(module, m)
}

// booleans gives 32-bit numbers, about half of them 0.
func booleans(count int, seed uint64) *Array {
	x := newArray(u32.of(1), count)
	for i := range count {
		r := splitMix64(seed, uint64(i))
		x.set(i, r>>32*(r&1))
	}
	return x
}

// addSelect adds OpSelect on all types: scalars by a Boolean, vectors component by component.
func (a *All) addSelect(t *Topic, from string) {
	const module = "compare/select"
	m := newText(module+":", "OpSelect: where c is not 0, a, otherwise b.")
	for i, e := range append(append([]elem{}, unsigned...), floats...) {
		for _, n := range []int{1, vectorSizes[i%len(vectorSizes)]} {
			v := e.of(n)
			shape := elementKernel{entry: "OpSelect_" + v.String(), in: []vec{v, v, u32.of(n)}, out: []vec{v}}
			shape.emit = func(f *function, x []string) []string {
				is := f.op("is", "OpINotEqual %s %s %s", f.typ(boolean.of(n)), x[2], f.constant(u32.of(n), "0"))
				return []string{f.op("result", "OpSelect %s %s %s %s", f.typ(v), is, x[0], x[1])}
			}
			shape.compute = func(_ *Rules, x [][]uint64) [][]uint64 {
				var y []uint64
				for c := range n {
					if x[2][c] != 0 {
						y = append(y, x[0][c])
					} else {
						y = append(y, x[1][c])
					}
				}
				return [][]uint64{y}
			}
			k := a.elements(module, m, shape)
			t.Cases = append(t.Cases, elementCase("select/"+v.String(), k, from, shape,
				randomBits(e.of(1), 48, 43), randomBits(e.of(1), 48, 44), booleans(48, 45)))
		}
	}
	a.source(module, m)
}
