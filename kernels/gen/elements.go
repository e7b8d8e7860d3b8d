package gen

import (
	"fmt"
	"strings"
)

// elementKernel is a kernel that computes element i of its outputs from element i of its inputs. The inputs are called a,
// b, c, d, the outputs out and out2.
type elementKernel struct {
	entry   string
	in, out []vec
	// emit writes the computation: from the ids of the inputs to those of the outputs.
	emit func(f *function, x []string) []string
	// compute is what it must give, in components.
	compute func(r *Rules, x [][]uint64) [][]uint64
}

var inputNames, outputNames = []string{"a", "b", "c", "d"}, []string{"out", "out2"}

// elements adds the kernel to the module under construction. Modules with several kernels keep their ids apart by the
// kernels' names.
func (a *All) elements(module string, t *text, k elementKernel) *Kernel {
	var params []param
	kernel := &Kernel{KernelName: KernelName{module, k.entry}}
	for i, v := range k.in {
		params = append(params, pointerTo(inputNames[i], v))
	}
	for i, v := range k.out {
		params = append(params, pointerTo(outputNames[i], v))
	}
	for _, p := range params {
		kernel.Params = append(kernel.Params, p.name)
	}
	t.kernel(k.entry, k.entry+"_", params, func(f *function) {
		index := f.globalID(0)
		var x []string
		for i := range k.in {
			x = append(x, f.load(inputNames[i], index))
		}
		for i, y := range k.emit(f, x) {
			f.store(outputNames[i], index, y)
		}
	})
	kernel.Effect = func(r *Rules, l *Launch) {
		for item := range l.Items() {
			var x [][]uint64
			for i, v := range k.in {
				x = append(x, l.element(inputNames[i], v, item))
			}
			for i, y := range k.compute(r, x) {
				l.setElement(outputNames[i], k.out[i], item, y)
			}
		}
	}
	return a.kernel(kernel)
}

// componentwise is a kernel of one instruction that works component by component on operands of type v (the operands from
// the third on are offset and count of a bit field: one u32 each), with a result of type v, a pair of such, or a Boolean,
// which is stored as a 32-bit 0 or 1.
func componentwise(name string, v vec) elementKernel {
	operands, test := takes(name)
	k := elementKernel{entry: name, out: []vec{v}}
	if v.n > 1 {
		k.entry = fmt.Sprintf("%s_v%d", name, v.n)
	}
	var in []elem
	for i := range operands {
		operand := v
		if i >= 2 || i == 1 && operands == 3 {
			operand = u32.of(1)
		}
		k.in = append(k.in, operand)
		in = append(in, operand.elem)
	}
	switch name {
	case "OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended":
		k.out = []vec{v, v}
	}
	if test {
		k.out = []vec{u32.of(v.n)}
	}
	k.emit = func(f *function, x []string) []string {
		list := strings.Join(x, " ")
		switch {
		case test:
			b := f.op("test", "%s %s %s", name, f.typ(boolean.of(v.n)), list)
			word := u32.of(v.n)
			return []string{f.op("number", "OpSelect %s %s %s %s", f.typ(word), b, f.constant(word, "1"), f.constant(word, "0"))}
		case len(k.out) == 2:
			pair := f.define("%pair_"+v.String(), "OpTypeStruct %s %s", f.typ(v), f.typ(v))
			both := f.op("both", "%s %s %s", name, pair, list)
			return []string{
				f.op("first", "OpCompositeExtract %s %s 0", f.typ(v), both),
				f.op("second", "OpCompositeExtract %s %s 1", f.typ(v), both),
			}
		}
		return []string{f.op("result", "%s %s %s", name, f.typ(v), list)}
	}
	k.compute = func(r *Rules, x [][]uint64) [][]uint64 {
		y := make([][]uint64, len(k.out))
		for c := range v.n {
			var a []uint64
			for i := range x {
				a = append(a, x[i][min(c, k.in[i].n-1)])
			}
			for i, result := range r.apply(name, in, v.elem, a...) {
				y[i] = append(y[i], result)
			}
		}
		return y
	}
	return k
}

// elementCase is the case of one such kernel: it runs over as many elements as the inputs hold.
func elementCase(name string, k *Kernel, from string, shape elementKernel, inputs ...*Array) *Case {
	c := &Case{Name: name, Module: k.Module, From: from}
	c.addElements(k, shape, "", inputs[:len(shape.in)]...)
	return c
}

// addElements adds a step of an element kernel to a case. Buffers that are there already are shared; outputs are named
// with the suffix.
func (c *Case) addElements(k *Kernel, shape elementKernel, suffix string, inputs ...*Array) {
	count := inputs[0].numbers() / shape.in[0].n
	args := map[string]string{}
	for i, a := range inputs {
		args[inputNames[i]] = "&" + inputNames[i]
		count = min(count, a.numbers()/shape.in[i].n)
		if c.buffer(inputNames[i]) == nil {
			c.Buffers = append(c.Buffers, in(inputNames[i], a))
		}
	}
	for i, v := range shape.out {
		name := outputNames[i] + suffix
		args[outputNames[i]] = "&" + name
		if v.n == 3 {
			c.Buffers = append(c.Buffers, out(name, v.elem.of(1), 3*count))
		} else {
			c.Buffers = append(c.Buffers, out(name, v, count))
		}
	}
	c.Steps = append(c.Steps, &Step{Kernel: k, Global: []int{count}, Local: []int{localFor(count)}, Args: args})
}

func (c *Case) buffer(name string) *Buffer {
	for _, b := range c.Buffers {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// localFor is the largest work-group size up to 32 that divides the count.
func localFor(count int) int {
	local := 32
	for count%local != 0 {
		local--
	}
	return local
}

// vectorSizes are the vectors of the OpenCL dialect; instructions take turns with them.
var vectorSizes = []int{2, 3, 4, 8, 16}
