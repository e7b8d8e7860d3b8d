package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const atomicFrom = "oracle: SPIR-V 1.6, section Atomic Instructions; the order of work-items makes no difference"

// addAtomics adds kernels whose work-items change the same numbers. What is left does not depend on the order.
func addAtomics(a *All) {
	t := a.topic("atomic", "atomic instructions on 32- and 64-bit integers and on floats: what all work-items together leave")
	for _, e := range []elem{u32, u64} {
		a.atomicInteger(t, e)
	}
	for _, e := range floats {
		a.atomicFloat(t, e)
	}
	a.atomicTickets(t)
}

// label begins a block.
func (f *function) label(id string) { f.lines = append(f.lines, "%"+id+" = OpLabel") }

// atomicOrder are a scope and semantics: Device, and none.
func (f *function) atomicOrder() string {
	return f.constant(u32.of(1), "1") + " " + f.constant(u32.of(1), "0")
}

var atomicOps = []string{"IAdd", "ISub", "SMin", "UMin", "SMax", "UMax", "And", "Or", "Xor", "IIncrement", "IDecrement", "CompareExchange"}

// atomicInteger adds each x to acc in the way that each instruction does; number 11 is a sum made with compare-exchange.
func (a *All) atomicInteger(t *Topic, e elem) {
	name, v, long := "atomic/"+e.String(), e.of(1), u64.of(1)
	text := newText(name+":", "acc[k] is changed by every work-item's x with instruction k; swap[i] and x change places.")
	if e == u64 {
		text.capability("Int64Atomics")
	}
	text.kernel("main", "", []param{pointerTo("x", v), pointerTo("acc", v), pointerTo("swap", v), pointerTo("out", v)}, func(f *function) {
		i, order, typ := f.globalID(0), f.atomicOrder(), f.typ(v)
		x := f.load("x", i)
		for k, op := range atomicOps {
			at := f.address("acc", f.constant(long, fmt.Sprint(k)))
			switch op {
			case "IIncrement", "IDecrement":
				f.op("old", "OpAtomic%s %s %s %s", op, typ, at, order)
			case "CompareExchange":
				none := f.constant(u32.of(1), "0")
				f.do("OpBranch %%again")
				f.label("again")
				old := f.op("expected", "OpAtomicLoad %s %s %s", typ, at, order)
				sum := f.op("sum", "OpIAdd %s %s %s", typ, old, x)
				found := f.op("found", "OpAtomicCompareExchange %s %s %s %s %s %s", typ, at, order, none, sum, old)
				same := f.op("same", "OpIEqual %s %s %s", f.typ(boolean.of(1)), found, old)
				f.do("OpLoopMerge %%end %%again None")
				f.do("OpBranchConditional %s %%end %%again", same)
				f.label("end")
			default:
				f.op("old", "OpAtomic%s %s %s %s %s", op, typ, at, order, x)
			}
		}
		old := f.op("before", "OpAtomicExchange %s %s %s %s", typ, f.address("swap", i), order, x)
		f.do("OpAtomicStore %s %s %s", f.address("out", i), order, old)
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"x", "acc", "swap", "out"}, Effect: func(_ *Rules, l *Launch) {
		joins := oracle.Joins(e.bits)
		rules := []func(old, x uint64) uint64{joins["IAdd"], func(old, x uint64) uint64 { return oracle.ISub(e.bits, old, x) },
			joins["SMin"], joins["UMin"], joins["SMax"], joins["UMax"], joins["BitwiseAnd"], joins["BitwiseOr"], joins["BitwiseXor"],
			func(old, _ uint64) uint64 { return oracle.IAdd(e.bits, old, 1) },
			func(old, _ uint64) uint64 { return oracle.ISub(e.bits, old, 1) }, joins["IAdd"]}
		for i := range l.Items() {
			x := number(l.Args["x"], e, i)
			for k, rule := range rules {
				putNumber(l.Args["acc"], e, k, rule(number(l.Args["acc"], e, k), x))
			}
			putNumber(l.Args["out"], e, i, number(l.Args["swap"], e, i))
			putNumber(l.Args["swap"], e, i, x)
		}
	}})
	for _, n := range []struct{ global, local, size int }{{1, 1, 1}, {60, 20, 8}, {320, 320, 32}} {
		x := randomBits(v, n.global, seedOf(name))
		acc := randomBits(v, len(atomicOps), 5)
		acc.fill = ""
		acc.set(6, ^uint64(0)) // AND and OR see something left to do
		acc.set(7, 0)
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%v/items%d", e, n.global), Module: name, From: atomicFrom,
			Buffers: []*Buffer{in("x", x), in("acc", acc), in("swap", randomBits(v, n.global, 6)), out("out", v, n.global)},
			Steps:   oneStep(k, n.global, n.local, n.size, "x", "acc", "swap", "out")})
	}
}

func (a *All) atomicFloat(t *Topic, e elem) {
	name, v, long := "atomic/"+e.String(), e.of(1), u64.of(1)
	text := newText(name+":", "The sum, the least and the largest of all x, all small whole numbers.")
	text.capability(fmt.Sprintf("AtomicFloat%dAddEXT", e.bits))
	text.capability(fmt.Sprintf("AtomicFloat%dMinMaxEXT", e.bits))
	text.extension(map[bool]string{true: "SPV_EXT_shader_atomic_float16_add", false: "SPV_EXT_shader_atomic_float_add"}[e == f16])
	text.extension("SPV_EXT_shader_atomic_float_min_max")
	names := []string{"FAdd", "FMin", "FMax"}
	text.kernel("main", "", []param{pointerTo("x", v), pointerTo("acc", v)}, func(f *function) {
		x := f.load("x", f.globalID(0))
		for k, op := range names {
			f.op("old", "OpAtomic%sEXT %s %s %s %s", op, f.typ(v), f.address("acc", f.constant(long, fmt.Sprint(k))), f.atomicOrder(), x)
		}
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"x", "acc"}, Effect: func(_ *Rules, l *Launch) {
		for i := range l.Items() {
			for k, op := range names {
				putNumber(l.Args["acc"], e, k, oracle.Joins(e.bits)[op](number(l.Args["acc"], e, k), number(l.Args["x"], e, i)))
			}
		}
	}})
	x, acc := newArray(v, 96), newArray(v, 3)
	for i := range x.count {
		x.set(i, e.format().FromSigned(64, splitMix64(80, uint64(i))%41-20, oracle.RTE))
	}
	t.Cases = append(t.Cases, &Case{Name: e.String(), Module: name, From: atomicFrom,
		Buffers: []*Buffer{in("x", x), in("acc", acc)}, Steps: oneStep(k, 96, 48, 16, "x", "acc")})
}

// atomicTickets adds a kernel in which each work-item draws a number: each is drawn once. One of them finds a flag clear.
func (a *All) atomicTickets(t *Topic) {
	name, word, long := "atomic/tickets", u32.of(1), u64.of(1)
	text := newText(name+":", "Each work-item draws a number from state[0] and counts it in drawn. state[1] is a flag; state[2]",
		"counts who found it clear, state[3] is a flag that all clear.")
	text.kernel("main", "", []param{pointerTo("state", word), pointerTo("drawn", word)}, func(f *function) {
		order, typ := f.atomicOrder(), f.typ(word)
		f.globalID(0)
		at := func(k int) string { return f.address("state", f.constant(long, fmt.Sprint(k))) }
		ticket := f.op("ticket", "OpAtomicIIncrement %s %s %s", typ, at(0), order)
		wide := f.op("wide", "OpUConvert %s %s", f.typ(long), ticket)
		one := f.constant(word, "1")
		f.op("count", "OpAtomicIAdd %s %s %s %s", typ, f.address("drawn", wide), order, one)
		was := f.op("was_set", "OpAtomicFlagTestAndSet %s %s %s", f.typ(boolean.of(1)), at(1), order)
		found := f.op("found_clear", "OpSelect %s %s %s %s", typ, was, f.constant(word, "0"), one)
		f.op("winners", "OpAtomicIAdd %s %s %s %s", typ, at(2), order, found)
		f.do("OpAtomicFlagClear %s %s", at(3), order)
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"state", "drawn"}, Effect: func(_ *Rules, l *Launch) {
		for i := range l.Items() {
			putNumber(l.Args["drawn"], u32, i, number(l.Args["drawn"], u32, i)+1)
		}
		putNumber(l.Args["state"], u32, 0, uint64(l.Items()))
		putNumber(l.Args["state"], u32, 1, 0xffffffff)
		putNumber(l.Args["state"], u32, 2, 1)
		putNumber(l.Args["state"], u32, 3, 0)
	}})
	for _, n := range []struct{ global, local, size int }{{64, 16, 8}, {384, 384, 16}} {
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("tickets/items%d", n.global), Module: name, From: atomicFrom,
			Buffers: []*Buffer{in("state", words(0, 0, 0, 0xffffffff)), in("drawn", newArray(word, n.global))},
			Steps:   oneStep(k, n.global, n.local, n.size, "state", "drawn")})
	}
}
