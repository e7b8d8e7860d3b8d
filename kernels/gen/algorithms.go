package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// The algorithms that are built on the exchange of data between lanes, as compilers make them of GLSL and OpenCL C. Their
// Effects are plain host code, which knows nothing of sub-groups beyond which work-items they hold.

const hostFrom = "oracle: the same in plain code for the host"

// shape is a launch of two work-groups of local work-items.
type shape struct{ local, subGroup int }

var shapes = []shape{{8, 8}, {32, 1}, {64, 4}, {128, 16}, {128, 128}, {256, 32}, {1024, 64}}

// compiled is a kernel that a compiler made: a compute shader, whose work-group size is specialization constant 0, or an
// OpenCL kernel.
type compiled struct {
	*Kernel
	shader bool
	about  string // "glsl", "opencl"
}

func (a *All) glsl(module string, params []string, effect func(*Rules, *Launch)) compiled {
	return compiled{a.kernel(&Kernel{KernelName{module, "main"}, params, effect}), true, "glsl"}
}

func (a *All) opencl(module, entry string, params []string, effect func(*Rules, *Launch)) compiled {
	return compiled{a.kernel(&Kernel{KernelName{module, entry}, params, effect}), false, "opencl"}
}

// step launches the kernel. Arguments are names of buffers, or u32 numbers.
func (k compiled) step(items int, s shape, spec []Spec, args ...any) *Step {
	step := &Step{Kernel: k.Kernel, Global: []int{items}, Local: []int{s.local}, SubGroup: s.subGroup, Spec: spec,
		Args: map[string]string{}, Values: map[string][]byte{}}
	for i, arg := range args {
		name := k.Params[i]
		switch arg := arg.(type) {
		case string:
			step.Args[name] = "&" + arg
		case int:
			step.Args[name], step.Values[name] = fmt.Sprint(arg), words(uint64(arg)).Data
		case []int: // push constants
			data := newArray(u32.of(1), len(arg))
			for i, x := range arg {
				data.set(i, uint64(x))
			}
			step.Args[name], step.Values[name] = fmt.Sprintf("hex:%x", data.Data), data.Data
		}
	}
	if k.shader {
		step.Groups, step.Global = true, []int{items / s.local}
		step.Spec = append([]Spec{number32(0, s.local)}, spec...)
	}
	return step
}

// number32 sets a specialization constant of type u32.
func number32(id uint32, x int) Spec { return Spec{id, fmt.Sprint(x), uint64(x)} }

// operation is one that reductions and scans are made with: associative, and in the vectors' inputs exact.
type operation struct {
	name string
	// identity is what does not change the other operand.
	identity func(e elem) uint64
	apply    func(e elem, x, y uint64) uint64
}

var operations = []operation{
	{"sum", func(elem) uint64 { return 0 }, func(e elem, x, y uint64) uint64 {
		if e.kind == 'f' {
			return e.format().FAdd(x, y)
		}
		return oracle.IAdd(e.bits, x, y)
	}},
	{"min", nil, func(e elem, x, y uint64) uint64 { return extreme(e, x, y, -1) }},
	{"max", func(e elem) uint64 { return 1 << (e.bits - 1) }, func(e elem, x, y uint64) uint64 { return extreme(e, x, y, 1) }},
	{"and", nil, func(_ elem, x, y uint64) uint64 { return x & y }},
	{"or", nil, func(_ elem, x, y uint64) uint64 { return x | y }},
	{"xor", nil, func(_ elem, x, y uint64) uint64 { return x ^ y }},
}

// extreme is the greater of two numbers, or with side -1 the smaller.
func extreme(e elem, x, y uint64, side int) uint64 {
	order := oracle.CompareInt(e.bits, e.kind == 'i', x, y)
	if e.kind == 'f' {
		order, _ = e.format().Compare(x, y)
	}
	if order == side {
		return x
	}
	return y
}

// exact gives numbers whose sums are exact in any order: integers, and floats with few bits.
func exact(e elem, count int, seed uint64) *Array {
	if e.kind != 'f' {
		return randomBits(e.of(1), count, seed)
	}
	width := map[int]uint64{16: 5, 32: 4097}[e.bits] // up to 1024 of them fit into the significand
	x := newArray(e.of(1), count)
	for i := range count {
		x.set(i, e.format().FromSigned(64, splitMix64(seed, uint64(i))%width-width/2, oracle.RTE))
	}
	return x
}

// reduce applies an operation to numbers first to last of an argument.
func (l *Launch) reduce(o operation, e elem, arg string, first, last int) uint64 {
	sum := number(l.Args[arg], e, first)
	for i := first + 1; i <= last; i++ {
		sum = o.apply(e, sum, number(l.Args[arg], e, i))
	}
	return sum
}

func addReduce(a *All) {
	t := a.topic("reduce", "reductions of sub-groups by shuffle-XOR and of work-groups through local memory, in GLSL and OpenCL C")
	for _, e := range []elem{u32, i32, f32, f16} {
		glsl := a.glsl("reduce/glsl-"+e.String(), []string{"0.0", "0.1", "0.2"}, func(_ *Rules, l *Launch) {
			l.reduceGroups(operations[l.Spec[1]], e, "0.0", "0.1", "0.2")
		})
		for n, o := range operations {
			bits := n >= 3
			if bits && e.kind == 'f' {
				continue
			}
			add := func(k compiled, spec []Spec) {
				for i, s := range shapes {
					if e != u32 && (i+n)%3 != 0 || n > 0 && (i+n)%2 != 0 {
						continue
					}
					count := 2 * s.local
					t.Cases = append(t.Cases, &Case{
						Name: fmt.Sprintf("%s-%s-%v/items%d-sg%d", k.about, o.name, e, s.local, s.subGroup), Module: k.Module, From: hostFrom,
						Buffers: []*Buffer{in("x", exact(e, count, seedOf(o.name+e.String()))), out("sub_group", e.of(1), count), out("work_group", e.of(1), 2)},
						Steps:   []*Step{k.step(count, s, spec, "x", "sub_group", "work_group")}})
				}
			}
			add(glsl, []Spec{number32(1, n)})
			if bits && e == i32 {
				continue // the same as unsigned
			}
			add(a.opencl("reduce/opencl", o.name+"_"+e.String(), []string{"x", "sub_group", "work_group"}, func(_ *Rules, l *Launch) {
				l.reduceGroups(o, e, "x", "sub_group", "work_group")
			}), nil)
		}
	}
}

// reduceGroups stores a sub-group's result for each of its work-items, and a work-group's once.
func (l *Launch) reduceGroups(o operation, e elem, x, subGroup, workGroup string) {
	l.subgroups(func(items []int) {
		sum := l.reduce(o, e, x, items[0], items[len(items)-1])
		for _, i := range items {
			putNumber(l.Args[subGroup], e, i, sum)
		}
	})
	for first := 0; first < l.Items(); first += l.Local[0] {
		putNumber(l.Args[workGroup], e, first/l.Local[0], l.reduce(o, e, x, first, first+l.Local[0]-1))
	}
}

// scan stores what lies before each of the items, with itself (inclusive) and without it.
func (l *Launch) scan(o operation, e elem, x string, first, count int, inclusive, exclusive string) {
	sum := o.identity(e)
	for i := first; i < first+count; i++ {
		before := sum
		sum = o.apply(e, sum, number(l.Args[x], e, i))
		putNumber(l.Args[exclusive], e, i, before) // which may be x
		if inclusive != "" {
			putNumber(l.Args[inclusive], e, i, sum)
		}
	}
}

func (l *Launch) scanGroups(o operation, e elem, p []string) {
	l.subgroups(func(items []int) { l.scan(o, e, p[0], items[0], len(items), p[1], p[2]) })
	for first := 0; first < l.Items(); first += l.Local[0] {
		l.scan(o, e, p[0], first, l.Local[0], p[3], p[4])
	}
}

func addScan(a *All) {
	t := a.topic("scan", "inclusive and exclusive scans of sub-groups by shuffle-XOR, of work-groups, and of whole buffers in three launches")
	for _, s := range []struct {
		name string
		elem
		operation
	}{{"u32", u32, operations[0]}, {"f32", f32, operations[0]}, {"i32_max", i32, operations[2]}} {
		o, e := s.operation, s.elem
		glslName := map[string]string{"u32": "u32", "f32": "f32", "i32_max": "i32-max"}[s.name]
		shader := []string{"0.0", "0.1", "0.2", "0.3", "0.4"}
		params := []string{"x", "sub_inclusive", "sub_exclusive", "inclusive", "exclusive"}
		for _, k := range []compiled{
			a.glsl("scan/glsl-"+glslName, shader, func(_ *Rules, l *Launch) { l.scanGroups(o, e, shader) }),
			a.opencl("scan/opencl", "groups_"+s.name, params, func(_ *Rules, l *Launch) { l.scanGroups(o, e, params) }),
		} {
			for _, shape := range shapes {
				count := 2 * shape.local
				c := &Case{Name: fmt.Sprintf("%s-%s/items%d-sg%d", k.about, s.name, shape.local, shape.subGroup), Module: k.Module, From: hostFrom,
					Buffers: []*Buffer{in("x", exact(e, count, seedOf(s.name)))},
					Steps:   []*Step{k.step(count, shape, nil, "x", "sub_inclusive", "sub_exclusive", "inclusive", "exclusive")}}
				for _, name := range params[1:] {
					c.Buffers = append(c.Buffers, out(name, e.of(1), count))
				}
				t.Cases = append(t.Cases, c)
			}
		}
		a.scanBuffer(t, s.name, e, o)
	}
}

// scanBuffer adds the exclusive scan of a whole buffer: of its blocks, of the blocks' totals, and their sum.
func (a *All) scanBuffer(t *Topic, name string, e elem, o operation) {
	blocks := a.opencl("scan/opencl", "blocks_"+name, []string{"x", "out", "totals", "n"}, func(_ *Rules, l *Launch) {
		n := int(l.scalar("n", u32))
		for first := 0; first < l.Items(); first += l.Local[0] {
			count := min(l.Local[0], n-first)
			l.scan(o, e, "x", first, count, "", "out")
			putNumber(l.Args["totals"], e, first/l.Local[0], l.reduce(o, e, "x", first, first+count-1))
		}
	})
	sums := a.opencl("scan/opencl", "sums_"+name, []string{"totals", "blocks"}, func(_ *Rules, l *Launch) {
		l.scan(o, e, "totals", 0, int(l.scalar("blocks", u32)), "", "totals")
	})
	add := a.opencl("scan/opencl", "add_"+name, []string{"out", "totals", "n"}, func(_ *Rules, l *Launch) {
		for i := range int(l.scalar("n", u32)) {
			sum := o.apply(e, number(l.Args["totals"], e, i/l.Local[0]), number(l.Args["out"], e, i))
			putNumber(l.Args["out"], e, i, sum)
		}
	})
	for _, c := range []struct {
		n int
		shape
	}{{1, shape{8, 8}}, {100, shape{16, 4}}, {1000, shape{64, 16}}, {8192, shape{256, 32}}} {
		groups := (c.n + c.local - 1) / c.local
		of := shape{c.local, c.subGroup}
		for of.local < groups {
			of.local *= 2
		}
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("buffer-%s/n%d", name, c.n), Module: blocks.Module, From: hostFrom,
			Buffers: []*Buffer{in("x", exact(e, c.n, seedOf(name))), out("out", e.of(1), c.n), out("totals", e.of(1), groups)},
			Steps: []*Step{blocks.step(groups*c.local, c.shape, nil, "x", "out", "totals", c.n), sums.step(of.local, of, nil, "totals", groups),
				add.step(groups*c.local, c.shape, nil, "out", "totals", c.n)},
			Check: func(buffers map[string][]byte) error {
				sum := o.identity(e)
				for i := range c.n {
					if got := number(buffers["out"], e, i); got != sum {
						return fmt.Errorf("element %d is %#x in three steps and %#x at once", i, got, sum)
					}
					sum = o.apply(e, sum, number(buffers["x"], e, i))
				}
				return nil
			}})
	}
}

func addTranspose(a *All) {
	t := a.topic("transpose", "matrices of 8x8 in registers, a row a lane, transposed by shuffle-XOR")
	add := func(e elem, k compiled) {
		for _, s := range []shape{{8, 8}, {64, 16}, {64, 32}, {128, 128}} {
			t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%s-%v/items%d-sg%d", k.about, e, s.local, s.subGroup), Module: k.Module, From: hostFrom,
				Buffers: []*Buffer{in("x", randomBits(e.of(1), 8*s.local, 41)), out("y", e.of(1), 8*s.local)},
				Steps:   []*Step{k.step(s.local, s, nil, "x", "y")}})
		}
	}
	effect := func(e elem, x, y string) func(*Rules, *Launch) {
		return func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				for c := range 8 {
					putNumber(l.Args[y], e, i/8*64+c*8+i%8, number(l.Args[x], e, i*8+c))
				}
			}
		}
	}
	add(u32, a.glsl("transpose/glsl", []string{"0.0", "0.1"}, effect(u32, "0.0", "0.1")))
	for _, e := range []elem{u32, u8, u64} {
		add(e, a.opencl("transpose/opencl", "transpose_"+e.String(), []string{"x", "y"}, effect(e, "x", "y")))
	}
}

func addCompact(a *All) {
	t := a.topic("compact", "the odd numbers of a buffer, in order, by ballots, in three launches")
	odd := func(l *Launch, x string, i, n int) bool { return i < n && number(l.Args[x], u32, i)%2 == 1 }
	count := func(l *Launch, x, groups string, n int) {
		for g := range l.Items() / l.Local[0] {
			kept := uint64(0)
			for i := range l.Local[0] {
				if odd(l, x, g*l.Local[0]+i, n) {
					kept++
				}
			}
			putNumber(l.Args[groups], u32, g, kept)
		}
	}
	before := func(l *Launch, groups, total string, n int) {
		sum := uint64(0)
		for g := range n {
			here := number(l.Args[groups], u32, g)
			putNumber(l.Args[groups], u32, g, sum)
			sum += here
		}
		putNumber(l.Args[total], u32, 0, sum)
	}
	keep := func(l *Launch, x, y string, n int) {
		at := 0
		for i := range n {
			if odd(l, x, i, n) {
				putNumber(l.Args[y], u32, at, number(l.Args[x], u32, i))
				at++
			}
		}
	}
	glsl := a.glsl("compact/glsl", []string{"0.0", "0.1", "0.2", "0.3", "push"}, func(_ *Rules, l *Launch) {
		n := int(l.scalar("push", u32))
		switch l.Spec[1] {
		case 0:
			count(l, "0.0", "0.1", n)
		case 1:
			before(l, "0.1", "0.3", n)
		case 2:
			keep(l, "0.0", "0.2", n)
		}
	})
	first := a.opencl("compact/opencl", "number", []string{"x", "groups", "n"}, func(_ *Rules, l *Launch) { count(l, "x", "groups", int(l.scalar("n", u32))) })
	second := a.opencl("compact/opencl", "before", []string{"groups", "count", "n"}, func(_ *Rules, l *Launch) { before(l, "groups", "count", int(l.scalar("n", u32))) })
	third := a.opencl("compact/opencl", "copy", []string{"x", "groups", "y", "n"}, func(_ *Rules, l *Launch) { keep(l, "x", "y", int(l.scalar("n", u32))) })
	for _, c := range []struct {
		n int
		shape
	}{{1, shape{4, 4}}, {37, shape{16, 8}}, {1000, shape{64, 16}}, {1000, shape{64, 1}}, {4096, shape{512, 128}}} {
		groups := (c.n + c.local - 1) / c.local
		items := groups * c.local
		rest := newArray(u32.of(1), c.n)
		rest.fill = "zeros" // where nothing goes
		buffers := func() []*Buffer {
			return []*Buffer{in("x", randomBits(u32.of(1), c.n, 44)), out("groups", u32.of(1), groups), in("y", rest), out("count", u32.of(1), 1)}
		}
		name := fmt.Sprintf("n%d-sg%d", c.n, c.subGroup)
		var shader []*Step
		for i, arg := range []int{c.n, groups, c.n} {
			n := map[bool]int{true: c.local, false: items}[i == 1]
			shader = append(shader, glsl.step(n, c.shape, []Spec{number32(1, i)}, "x", "groups", "y", "count", []int{arg}))
		}
		t.Cases = append(t.Cases,
			&Case{Name: "glsl/" + name, Module: glsl.Module, From: hostFrom, Buffers: buffers(), Steps: shader},
			&Case{Name: "opencl/" + name, Module: first.Module, From: hostFrom, Buffers: buffers(), Steps: []*Step{
				first.step(items, c.shape, nil, "x", "groups", c.n), second.step(1, shape{1, c.subGroup}, nil, "groups", "count", groups),
				third.step(items, c.shape, nil, "x", "groups", "y", c.n)}})
	}
}
