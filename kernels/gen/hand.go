package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// Kernels written by hand: the Effects say in Go what their texts say in SPIR-V.

// handFrom is where the expectations of kernels written by hand come from.
const handFrom = "oracle: what the kernel's heading says, in plain Go"

// wordKernel is a kernel whose out[i] follows from in[i] alone, both 32-bit integers; where rule returns false, nothing is
// stored.
func (a *All) wordKernel(module string, rule func(x uint32) (y uint32, stored bool)) *Kernel {
	return a.kernel(&Kernel{KernelName: KernelName{module, "main"}, Params: []string{"in", "out"}, Effect: wordEffect("in", "out", rule)})
}

func wordEffect(from, to string, rule func(x uint32) (y uint32, stored bool)) func(r *Rules, l *Launch) {
	return func(_ *Rules, l *Launch) {
		for i := range l.Items() {
			if y, stored := rule(uint32(number(l.Args[from], u32, i))); stored {
				putNumber(l.Args[to], u32, i, uint64(y))
			}
		}
	}
}

// words makes an array of 32-bit integers.
func words(x ...uint64) *Array { return arrayOf(u32.of(1), x...) }

// upTo is 0 … count-1, with some large numbers at its end.
func upTo(count int, large ...uint64) *Array {
	a := iota(u32.of(1), count)
	if len(large) > 0 {
		a.fill = ""
		for i, x := range large {
			a.set(count-len(large)+i, x)
		}
	}
	return a
}

// wordCase is a case of such a kernel in work-groups of 32.
func wordCase(name string, k *Kernel, input *Array, output *Buffer) *Case {
	return &Case{
		Name: name, Module: k.Module, From: handFrom,
		Buffers: []*Buffer{in("in", input), output},
		Steps:   oneStep(k, input.count, localFor(input.count), 0, "in", "out"),
	}
}

func addBasic(a *All) {
	t := a.topic("basic", "first kernels: vector addition, saxpy, launches of several steps, aliasing")
	for _, e := range []elem{f32, u32} {
		name := map[elem]string{f32: "basic/vector-add-f32", u32: "basic/vector-add-i32"}[e]
		add := map[elem]string{f32: "OpFAdd", u32: "OpIAdd"}[e]
		k := a.kernel(&Kernel{KernelName: KernelName{name, "vector_add"}, Params: []string{"a", "b", "out", "n"},
			Effect: func(r *Rules, l *Launch) {
				for i := range min(l.Items(), int(l.scalar("n", u32))) {
					sum := r.apply(add, []elem{e, e}, e, number(l.Args["a"], e, i), number(l.Args["b"], e, i))
					putNumber(l.Args["out"], e, i, sum[0])
				}
			}})
		x, y := a.ordinary(e, 71, 100), a.ordinary(e, 72, 100)
		if e == u32 {
			x, y = randomBits(i32.of(1), 100, 71), randomBits(i32.of(1), 100, 72)
		}
		step := func(out, first, second string, n int) *Step {
			return &Step{Kernel: k, Global: []int{128}, Local: []int{32}, Values: map[string][]byte{"n": words(uint64(n)).Data},
				Args: map[string]string{"a": "&" + first, "b": "&" + second, "out": "&" + out, "n": fmt.Sprint(n)}}
		}
		label := name[len("basic/"):]
		t.Cases = append(t.Cases,
			&Case{Name: label + "/all", Module: name, From: arithmeticFrom,
				Buffers: []*Buffer{in("a", x), in("b", y), out("out", x.typ, 100)}, Steps: []*Step{step("out", "a", "b", 100)}},
			&Case{Name: label + "/half", Module: name, From: arithmeticFrom, About: "Work-items from n on leave the rest as it is.",
				Buffers: []*Buffer{in("a", x), in("b", y), in("out", y)}, Steps: []*Step{step("out", "a", "b", 50)}},
			&Case{Name: label + "/in-place", Module: name, From: arithmeticFrom, About: "One buffer is bound three times.",
				Buffers: []*Buffer{in("a", x)}, Steps: []*Step{step("a", "a", "a", 100)}},
			&Case{Name: label + "/two-steps", Module: name, From: arithmeticFrom, About: "The second step takes what the first has stored.",
				Buffers: []*Buffer{in("a", x), in("b", y), out("sum", x.typ, 100), out("out", x.typ, 100)},
				Steps:   []*Step{step("sum", "a", "b", 100), step("out", "sum", "a", 100)}})
	}
	a.addSaxpy(t)
	trimmings := a.wordKernel("basic/trimmings", func(x uint32) (uint32, bool) { return x + 1, true })
	t.Cases = append(t.Cases, wordCase("trimmings", trimmings, upTo(64, 0xfffffffe, 0xffffffff), out("out", u32.of(1), 64)))

	reverse := a.kernel(&Kernel{KernelName: KernelName{"basic/stages", "reverse"}, Params: []string{"in", "out"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				putNumber(l.Args["out"], u32, i, number(l.Args["in"], u32, l.Items()-1-i))
			}
		}})
	accumulate := a.kernel(&Kernel{KernelName: KernelName{"basic/stages", "accumulate"}, Params: []string{"in", "sum"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				putNumber(l.Args["sum"], u32, i, oracle.IAdd(32, number(l.Args["sum"], u32, i), number(l.Args["in"], u32, i)))
			}
		}})
	stage := func(k *Kernel, first, second string) *Step {
		return &Step{Kernel: k, Global: []int{64}, Local: []int{16},
			Args: map[string]string{k.Params[0]: "&" + first, k.Params[1]: "&" + second}}
	}
	t.Cases = append(t.Cases, &Case{Name: "stages", Module: "basic/stages", From: handFrom,
		About:   "Two kernels in four steps over two buffers: b = reversed a; a += b; b = reversed a; b += b.",
		Buffers: []*Buffer{in("a", randomBits(u32.of(1), 64, 73)), out("b", u32.of(1), 64)},
		Steps:   []*Step{stage(reverse, "a", "b"), stage(accumulate, "b", "a"), stage(reverse, "a", "b"), stage(accumulate, "b", "b")}})
}

// addSaxpy checks that the product is rounded before the sum: some sums of the case would differ if it were not.
func (a *All) addSaxpy(t *Topic) {
	const factor = 0x3f8ccccd // 1.1
	k := a.kernel(&Kernel{KernelName: KernelName{"basic/saxpy", "saxpy"}, Params: []string{"a", "x", "y"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				product := oracle.F32.FMul(l.scalar("a", f32), number(l.Args["x"], f32, i))
				putNumber(l.Args["y"], f32, i, oracle.F32.FAdd(product, number(l.Args["y"], f32, i)))
			}
		}})
	x, y := a.ordinary(f32, 74, 96), a.ordinary(f32, 75, 96)
	args := refs("x", "y")
	args["a"] = "0x3f8ccccd"
	t.Cases = append(t.Cases, &Case{Name: "saxpy", Module: k.Module, From: arithmeticFrom,
		About:   "y = 1.1*x + y; a fused multiply-add would give other last digits.",
		Buffers: []*Buffer{in("x", x), in("y", y)},
		Steps:   []*Step{{Kernel: k, Global: []int{96}, Local: []int{32}, Args: args, Values: map[string][]byte{"a": words(factor).Data}}},
		Check: func(buffers map[string][]byte) error {
			fused := 0
			for i := range x.count {
				exact := oracle.F32.Value(factor)
				exact.Mul(exact, oracle.F32.Value(x.at(i)))
				exact.Add(exact, oracle.F32.Value(y.at(i)))
				if oracle.F32.Round(exact, oracle.RTE, false) != number(buffers["y"], f32, i) {
					fused++
				}
			}
			if fused < 10 {
				return fmt.Errorf("only %d numbers tell a fused multiply-add", fused)
			}
			return nil
		}})
}
