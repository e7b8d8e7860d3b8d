package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const compositeFrom = "oracle: SPIR-V 1.6, Composite Instructions"

// addComposite adds the instructions that take vectors apart and put them together, on numbers of every type. Structures
// and arrays are in kernels written by hand; see addStructures.
func addComposite(a *All) {
	t := a.topic("composite", "vectors, arrays and structures taken apart and put together")
	for turn, e := range append(append([]elem{}, unsigned...), floats...) {
		module := "composite/" + e.String()
		m := newText(module+":", fmt.Sprintf("vectors of %v taken apart and put together.", e))
		n := func(i int) int { return vectorSizes[(turn+i)%len(vectorSizes)] }
		for _, shape := range []elementKernel{
			extractDynamic(e.of(n(0))), extractDynamic(e.of(n(1))), insertDynamic(e.of(n(2))), insertDynamic(e.of(n(3))),
			vectorShuffle(e.of(n(1)), e.of(n(2)), n(4)), vectorShuffle(e.of(n(4)), e.of(n(0)), n(3)),
			constructVector(e, []int{2, 1, 4, 1}), constructVector(e, []int{1, 3}), constructVector(e, []int{8, 2, 1, 1, 4}),
			insertExtract(e.of(n(1))), copyObject(e.of(n(0))),
		} {
			k := a.elements(module, m, shape)
			var inputs []*Array
			const count = 32
			for i, v := range shape.in {
				x := randomBits(v.elem.of(1), count*v.n, seedOf(fmt.Sprint(module, shape.entry, i)))
				if v == u32.of(1) && i == len(shape.in)-1 && strings.Contains(shape.entry, "Dynamic") {
					x = newArray(u32.of(1), count)
					for j := range count {
						x.set(j, splitMix64(61, uint64(j))%uint64(shape.in[0].n))
					}
				}
				inputs = append(inputs, x)
			}
			t.Cases = append(t.Cases, elementCase(e.String()+"/"+shape.entry, k, compositeFrom, shape, inputs...))
		}
		a.source(module, m)
	}
	addStructures(a, t)
}

// extractDynamic is component b of a.
func extractDynamic(v vec) elementKernel {
	return elementKernel{
		entry: fmt.Sprintf("OpVectorExtractDynamic_v%d", v.n), in: []vec{v, u32.of(1)}, out: []vec{v.of(1)},
		emit: func(f *function, x []string) []string {
			return []string{f.op("result", "OpVectorExtractDynamic %s %s %s", f.typ(v.of(1)), x[0], x[1])}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 { return [][]uint64{{x[0][x[1][0]]}} },
	}
}

// insertDynamic is a with component c replaced by b.
func insertDynamic(v vec) elementKernel {
	return elementKernel{
		entry: fmt.Sprintf("OpVectorInsertDynamic_v%d", v.n), in: []vec{v, v.of(1), u32.of(1)}, out: []vec{v},
		emit: func(f *function, x []string) []string {
			return []string{f.op("result", "OpVectorInsertDynamic %s %s %s %s", f.typ(v), x[0], x[1], x[2])}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 {
			y := append([]uint64{}, x[0]...)
			y[x[2][0]] = x[1][0]
			return [][]uint64{y}
		},
	}
}

// vectorShuffle picks n components from both vectors, the last ones first.
func vectorShuffle(v, w vec, n int) elementKernel {
	from := v.n + w.n
	pick := func(c int) int { return (from - 1 - 3*c%from + from) % from }
	return elementKernel{
		entry: fmt.Sprintf("OpVectorShuffle_v%d_v%d_to_v%d", v.n, w.n, n), in: []vec{v, w}, out: []vec{v.elem.of(n)},
		emit: func(f *function, x []string) []string {
			list := ""
			for c := range n {
				list += fmt.Sprint(" ", pick(c))
			}
			return []string{f.op("result", "OpVectorShuffle %s %s %s%s", f.typ(v.elem.of(n)), x[0], x[1], list)}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 {
			both := append(append([]uint64{}, x[0]...), x[1]...)
			var y []uint64
			for c := range n {
				y = append(y, both[pick(c)])
			}
			return [][]uint64{y}
		},
	}
}

// constructVector builds a vector of a: scalars and vectors of these lengths, cut from it with OpCompositeExtract and
// OpVectorShuffle and put together in the opposite order.
func constructVector(e elem, lengths []int) elementKernel {
	n := 0
	name := ""
	for _, l := range lengths {
		n += l
		name += fmt.Sprint("_", l)
	}
	return elementKernel{
		entry: "OpCompositeConstruct" + name, in: []vec{e.of(n)}, out: []vec{e.of(n)},
		emit: func(f *function, x []string) []string {
			parts := ""
			at := 0
			for _, l := range lengths {
				var part string
				if l == 1 {
					part = f.op("part", "OpCompositeExtract %s %s %d", f.typ(e.of(1)), x[0], at)
				} else {
					list := ""
					for c := range l {
						list += fmt.Sprint(" ", at+c)
					}
					part = f.op("part", "OpVectorShuffle %s %s %s%s", f.typ(e.of(l)), x[0], x[0], list)
				}
				parts = " " + part + parts
				at += l
			}
			return []string{f.op("result", "OpCompositeConstruct %s%s", f.typ(e.of(n)), parts)}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 {
			var y []uint64
			at := n
			for i := len(lengths) - 1; i >= 0; i-- {
				at -= lengths[i]
				y = append(y, x[0][at:at+lengths[i]]...)
			}
			return [][]uint64{y}
		},
	}
}

// insertExtract swaps the first and the last component.
func insertExtract(v vec) elementKernel {
	last := v.n - 1
	return elementKernel{
		entry: fmt.Sprintf("OpCompositeInsert_v%d", v.n), in: []vec{v}, out: []vec{v},
		emit: func(f *function, x []string) []string {
			first := f.op("first", "OpCompositeExtract %s %s 0", f.typ(v.of(1)), x[0])
			end := f.op("last", "OpCompositeExtract %s %s %d", f.typ(v.of(1)), x[0], last)
			half := f.op("half", "OpCompositeInsert %s %s %s 0", f.typ(v), end, x[0])
			return []string{f.op("result", "OpCompositeInsert %s %s %s %d", f.typ(v), first, half, last)}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 {
			y := append([]uint64{}, x[0]...)
			y[0], y[last] = y[last], y[0]
			return [][]uint64{y}
		},
	}
}

func copyObject(v vec) elementKernel {
	return elementKernel{
		entry: fmt.Sprintf("OpCopyObject_v%d", v.n), in: []vec{v}, out: []vec{v},
		emit: func(f *function, x []string) []string {
			return []string{f.op("result", "OpCopyObject %s %s", f.typ(v), x[0])}
		},
		compute: func(_ *Rules, x [][]uint64) [][]uint64 { return x },
	}
}

// addStructures adds the kernels written by hand on structures and arrays as values.
func addStructures(a *All, t *Topic) {
	structures := a.kernel(&Kernel{KernelName: KernelName{"composite/structures", "main"}, Params: []string{"in", "out", "pairs"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				x := number(l.Args["in"], u32, i)
				putNumber(l.Args["out"], u32, i, oracle.IAdd(32, x, 7+(x&0xffff)+9))
				f := oracle.F32.FromUnsigned(32, x, oracle.RTE)
				l.setElement("pairs", f32.of(2), i, []uint64{0x3f000000, f})
			}
		}})
	input := upTo(64, 0xffff, 0x10000, 0xfffffff0, 0xffffffff)
	c := wordCase("structures", structures, input, out("out", u32.of(1), 64))
	c.Buffers = append(c.Buffers, out("pairs", f32.of(2), 64))
	c.Steps[0].Args["pairs"] = "&pairs"
	t.Cases = append(t.Cases, c)

	logical := a.kernel(&Kernel{KernelName: KernelName{"composite/copy-logical", "main"}, Params: []string{"in", "out"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				x := l.element("in", u32.of(2), i)
				l.setElement("out", u32.of(2), i, []uint64{x[1], x[0]})
			}
		}})
	t.Cases = append(t.Cases, &Case{Name: "copy-logical", Module: logical.Module, From: handFrom,
		Buffers: []*Buffer{in("in", randomBits(u32.of(2), 32, 62)), out("out", u32.of(2), 32)},
		Steps:   oneStep(logical, 32, 16, 0, "in", "out")})
}
