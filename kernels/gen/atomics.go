package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const atomicFrom = "oracle: SPIR-V 1.6, section Atomic Instructions; the order of work-items makes no difference"

// addAtomics adds kernels with every atomic instruction, in both dialects: on numbers of their own, where each work-item
// knows what it finds, and on numbers all work-items change, where what is left does not depend on the order.
func addAtomics(a *All) {
	t := a.topic("atomic", "atomic instructions on 32- and 64-bit integers and on floats, in global and local memory: what each finds, and what all work-items together leave")
	for _, shader := range []bool{false, true} {
		ints := []elem{u32, u64}
		if shader {
			ints = append(ints, i32, i64)
		}
		for _, e := range append(ints, floats...) {
			a.atomicOwn(t, e, shader)
			a.atomicShared(t, e, shader, false)
			a.atomicShared(t, e, shader, true)
		}
		a.atomicFloatBits(t, shader)
		a.atomicTickets(t, shader)
	}
	a.lastArrived(t)
}

// atomicModule starts a module for atomics on a type.
func atomicModule(shader bool, e elem, name string, about ...string) (string, *text) {
	full := "atomic/" + name
	if shader {
		full = "atomic-shader/" + name
	}
	t := newDialect(shader, append([]string{full + ":"}, about...)...)
	switch {
	case e.kind != 'f' && e.bits == 64:
		t.capability("Int64Atomics")
	case e.kind == 'f':
		t.capability(fmt.Sprintf("AtomicFloat%dAddEXT", e.bits))
		t.capability(fmt.Sprintf("AtomicFloat%dMinMaxEXT", e.bits))
		t.extension(map[bool]string{true: "SPV_EXT_shader_atomic_float16_add", false: "SPV_EXT_shader_atomic_float_add"}[e == f16])
		t.extension("SPV_EXT_shader_atomic_float_min_max")
	}
	return full, t
}

// label begins a block.
func (f *function) label(id string) { f.lines = append(f.lines, "%"+id+" = OpLabel") }

// Kinds of atomic access, which may ask for different orders.
const (
	reads  = 0
	writes = 1
	both   = 2
)

// atomicOrder are a scope and semantics for an access of the kind; n chooses among those the dialect has.
func (f *function) atomicOrder(n, kind int) string {
	const acquire, release, acquireRelease, sequential = 2, 4, 8, 16
	orders := map[int][]int{reads: {0, acquire, sequential}, writes: {0, release, sequential}, both: {0, acquire, release, acquireRelease, sequential}}[kind]
	scopes, storage := []int{1, 2, 0, 3, 4}, 512 // Device, Workgroup, CrossDevice, Subgroup, Invocation; CrossWorkgroupMemory
	if f.shader {
		// Vulkan has no sequential consistency, no CrossDevice, and no order within one invocation.
		orders, scopes, storage = orders[:len(orders)-1], []int{1, 2, 3}, 64 // UniformMemory
	}
	order, word := orders[n%len(orders)], u32.of(1)
	if order != 0 {
		order |= storage
	}
	return f.constant(word, fmt.Sprint(scopes[n%len(scopes)])) + " " + f.constant(word, fmt.Sprint(order))
}

// atomicOps are the atomic instructions that change a number, by type and dialect. Those named twice are of either outcome.
func atomicOps(e elem, shader bool) []string {
	if e.kind == 'f' {
		return []string{"FAddEXT", "FMinEXT", "FMaxEXT", "Exchange"}
	}
	ops := []string{"IAdd", "ISub", "SMin", "UMin", "SMax", "UMax", "And", "Or", "Xor", "IIncrement", "IDecrement", "Exchange", "CompareExchange"}
	if !shader {
		ops = append(ops, "CompareExchangeWeak")
	}
	return ops
}

// atomic adds an atomic instruction that changes a number and returns what was there.
func (f *function) atomic(n int, op string, v vec, at, x, y string) string {
	typ := f.typ(v)
	switch op {
	case "IIncrement", "IDecrement":
		return f.op("old", "OpAtomic%s %s %s %s", op, typ, at, f.atomicOrder(n, both))
	case "CompareExchange", "CompareExchangeWeak":
		return f.op("old", "OpAtomic%s %s %s %s %s %s %s", op, typ, at, f.atomicOrder(n, both), f.constant(u32.of(1), "0"), x, y)
	}
	return f.op("old", "OpAtomic%s %s %s %s %s", op, typ, at, f.atomicOrder(n, both), x)
}

// atomicRule is what an atomic instruction stores for what it finds; x is its value, y its comparator.
func (r *Rules) atomicRule(op string, e elem) func(old, x, y uint64) uint64 {
	op = strings.TrimPrefix(r.instead("OpAtomic"+op), "OpAtomic")
	switch op {
	case "Exchange":
		return func(_, x, _ uint64) uint64 { return x }
	case "CompareExchange", "CompareExchangeWeak":
		return func(old, x, y uint64) uint64 {
			if old == y {
				return x
			}
			return old
		}
	case "IIncrement":
		return func(old, _, _ uint64) uint64 { return oracle.IAdd(e.bits, old, 1) }
	case "IDecrement":
		return func(old, _, _ uint64) uint64 { return oracle.ISub(e.bits, old, 1) }
	case "ISub":
		return func(old, x, _ uint64) uint64 { return oracle.ISub(e.bits, old, x) }
	case "And", "Or", "Xor":
		op = "Bitwise" + op
	}
	join := oracle.Joins(e.bits)[strings.TrimSuffix(op, "EXT")]
	return func(old, x, _ uint64) uint64 { return join(old, x) }
}

// atomicValues are random integers; floats are small whole numbers.
func atomicValues(e elem, n int, seed uint64) *Array {
	x := randomBits(e.of(1), n, seed)
	if e.kind == 'f' {
		x.fill = ""
		for i := range n {
			x.set(i, e.format().FromSigned(64, splitMix64(seed, uint64(i))%41-20, oracle.RTE))
		}
	}
	return x
}

// atomicOwn: work-item i changes numbers of its own, one with each instruction, and stores what it found. Of the comparators
// y every second is what is found. The last number is loaded and stored.
func (a *All) atomicOwn(t *Topic, e elem, shader bool) {
	v, ops := e.of(1), atomicOps(e, shader)
	n := len(ops) + 1
	name, text := atomicModule(shader, e, "own-"+e.String(), fmt.Sprintf("Work-item i changes acc[%d*i] and those behind, each with another instruction, by x[i];", n),
		"in out it stores what it found. The last one is loaded and replaced.")
	params := []param{pointerTo("x", v), pointerTo("y", v), pointerTo("acc", v), pointerTo("out", v)}
	text.kernel("main", "", params, func(f *function) {
		i, index := f.globalID(0), f.typ(f.index())
		x, y := f.load("x", i), f.load("y", i)
		base := f.op("base", "OpIMul %s %s %s", index, i, f.number(n))
		for k := range n {
			place := f.op("place", "OpIAdd %s %s %s", index, base, f.number(k))
			at := f.address("acc", place)
			if k < len(ops) {
				f.store("out", place, f.atomic(k, ops[k], v, at, x, y))
				continue
			}
			f.store("out", place, f.op("loaded", "OpAtomicLoad %s %s %s", f.typ(v), at, f.atomicOrder(k, reads)))
			f.do("OpAtomicStore %s %s %s", at, f.atomicOrder(k, writes), x)
		}
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, params, func(r *Rules, l *Launch) {
		for i := range l.Items() {
			x, y := number(l.Args["x"], e, i), number(l.Args["y"], e, i)
			for k := range n {
				old, stored := number(l.Args["acc"], e, n*i+k), x
				if k < len(ops) {
					stored = r.atomicRule(ops[k], e)(old, x, y)
				}
				putNumber(l.Args["acc"], e, n*i+k, stored)
				if r.NewValue && k < len(ops) {
					old = stored
				}
				putNumber(l.Args["out"], e, n*i+k, old)
			}
		}
	})
	const items = 24
	acc, y := atomicValues(e, items*n, 91), newArray(v, items)
	acc.fill = ""
	for i := range items {
		y.set(i, uint64(i))
		if i%2 == 0 { // both comparisons succeed
			for k, op := range ops {
				if strings.HasPrefix(op, "CompareExchange") {
					acc.set(n*i+k, uint64(i))
				}
			}
		}
	}
	t.add(name, shader, "own-"+e.String(), k, params, []*Buffer{in("x", atomicValues(e, items, 92)), in("y", y), in("acc", acc), out("out", v, items*n)},
		items/12, 12, 8)
}

// add adds a case of a kernel of atomics or barriers in either dialect.
func (t *Topic) add(module string, shader bool, name string, k *Kernel, params []param, buffers []*Buffer, groups, local, size int) *Case {
	if shader {
		name += "/shader"
	} else {
		name += "/kernel"
	}
	c := &Case{Name: fmt.Sprintf("%s-%dx%d-sg%d", name, groups, local, size), Module: module, From: atomicFrom, Buffers: buffers,
		Steps: []*Step{dialectStep(k, shader, params, groups, local, size, nil)}}
	t.Cases = append(t.Cases, c)
	return c
}

// dialectKernel adds the entry point "main" of a module in either dialect.
func (a *All) dialectKernel(module string, shader bool, params []param, effect func(r *Rules, l *Launch)) *Kernel {
	k := &Kernel{KernelName: KernelName{module, "main"}, Effect: func(r *Rules, l *Launch) { effect(r, l.byName(shader, params)) }}
	k.setParams(shader, params)
	return a.kernel(k)
}

// sharedOps are the operations with which all work-items change the same numbers: those whose order makes no difference. The
// last is a sum made with compare-exchange, of integers.
func sharedOps(e elem) []string {
	if e.kind == 'f' {
		return []string{"FAddEXT", "FMinEXT", "FMaxEXT"}
	}
	return []string{"IAdd", "ISub", "SMin", "UMin", "SMax", "UMax", "And", "Or", "Xor", "IIncrement", "IDecrement", "CompareExchange"}
}

// atomicShared: all work-items change acc[k] with instruction k; local: in local memory first, a copy for each work-group.
func (a *All) atomicShared(t *Topic, e elem, shader, local bool) {
	v, ops, short := e.of(1), sharedOps(e), "shared-"+e.String()
	about := "Every work-item changes acc[k] by its x with instruction k."
	if local {
		short, about = "local-"+e.String(), "Every work-item changes its work-group's copy of acc[k] by its x with instruction k; the copies go to out."
	}
	name, text := atomicModule(shader, e, short, about)
	params := []param{pointerTo("x", v), pointerTo("acc", v)}
	if local {
		params = append(params, pointerTo("out", v))
		text.localArray(v, len(ops))
	}
	text.kernel("main", "", params, func(f *function) {
		i, typ, index := f.globalID(0), f.typ(v), f.typ(f.index())
		x := f.load("x", i)
		at := func(k int) string {
			if local {
				return f.localElement(v, f.number(k))
			}
			return f.address("acc", f.number(k))
		}
		first := func(do func(l string)) { // the first work-items of a work-group do something, one for each number
			l := f.localID()
			few := f.op("few", "OpULessThan %s %s %s", f.typ(boolean.of(1)), l, f.number(len(ops)))
			n := f.counter["branch"]
			f.counter["branch"]++
			f.do("OpSelectionMerge %%joined%d None", n)
			f.do("OpBranchConditional %s %%first%d %%joined%d", few, n, n)
			f.label(fmt.Sprintf("first%d", n))
			do(l)
			f.do("OpBranch %%joined%d", n)
			f.label(fmt.Sprintf("joined%d", n))
		}
		if local {
			first(func(l string) { f.do("OpStore %s %s", f.localElement(v, l), f.load("acc", l)) })
			f.barrier("2")
		}
		for k, op := range ops {
			if op != "CompareExchange" {
				f.atomic(k, op, v, at(k), x, "")
				continue
			}
			order := f.atomicOrder(0, both)
			place := at(k)
			f.do("OpBranch %%again")
			f.label("again")
			old := f.op("expected", "OpAtomicLoad %s %s %s", typ, place, order)
			sum := f.op("sum", "OpIAdd %s %s %s", typ, old, x)
			found := f.op("found", "OpAtomicCompareExchange %s %s %s %s %s %s", typ, place, order, f.constant(u32.of(1), "0"), sum, old)
			same := f.op("same", "OpIEqual %s %s %s", f.typ(boolean.of(1)), found, old)
			f.retry("again", same)
		}
		if local {
			f.barrier("2")
			group := f.op("group", "OpCompositeExtract %s %s 0", index, f.input("group_id", "WorkgroupId", "groups", f.index().of(3)))
			first(func(l string) {
				place := f.op("place", "OpIAdd %s %s %s", index, l, f.op("base", "OpIMul %s %s %s", index, group, f.number(len(ops))))
				f.store("out", place, f.op("left", "OpLoad %s %s", typ, f.localElement(v, l)))
			})
		}
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, params, func(r *Rules, l *Launch) {
		change := func(acc []byte, items []int) {
			for _, i := range items {
				for k, op := range ops {
					if op == "CompareExchange" {
						op = "IAdd"
					}
					putNumber(acc, e, k, r.atomicRule(op, e)(number(acc, e, k), number(l.Args["x"], e, i), 0))
				}
			}
		}
		if !local {
			change(l.Args["acc"], lanesTo(l.Items()))
			return
		}
		l.workGroups(func(items []int) {
			size := len(ops) * e.bits / 8
			copied := append([]byte(nil), l.Args["acc"][:size]...)
			change(copied, items)
			copy(l.Args["out"][items[0]/l.Local[0]*size:], copied)
		})
	})
	acc := atomicValues(e, len(ops), 5)
	if e.kind != 'f' {
		acc.fill = ""
		acc.set(6, ^uint64(0)) // AND and OR see something left to do
		acc.set(7, 0)
	}
	launches := [][3]int{{3, 20, 8}, {1, 96, 32}}
	if e == u32 && !local && !shader {
		launches = append(launches, [3]int{1, 1, 1}, [3]int{1, 320, 32})
	}
	for _, n := range launches {
		buffers := []*Buffer{in("x", atomicValues(e, n[0]*n[1], seedOf(name))), in("acc", acc)}
		if local {
			buffers = append(buffers, out("out", v, n[0]*len(ops)))
		}
		t.add(name, shader, short, k, params, buffers, n[0], n[1], n[2])
	}
}

// retry ends a loop of one block, which begins with label again, when done holds.
func (f *function) retry(again, done string) {
	f.do("OpLoopMerge %%end_%s %%next_%s None", again, again)
	f.do("OpBranchConditional %s %%end_%s %%next_%s", done, again, again)
	f.label("next_" + again)
	f.do("OpBranch %%%s", again)
	f.label("end_" + again)
}

// atomicFloatBits adds floats in memory that holds their bits, with compare-exchange on integers.
func (a *All) atomicFloatBits(t *Topic, shader bool) {
	word, float := u32.of(1), f32.of(1)
	name, text := atomicModule(shader, u32, "float-bits", "acc[0] becomes the sum of all x and acc[0], floats whose bits are compared and exchanged as integers.")
	params := []param{pointerTo("x", word), pointerTo("acc", word)}
	text.kernel("main", "", params, func(f *function) {
		i, typ, ft := f.globalID(0), f.typ(word), f.typ(float)
		x := f.op("float", "OpBitcast %s %s", ft, f.load("x", i))
		order, place := f.atomicOrder(0, both), f.address("acc", f.number(0))
		f.do("OpBranch %%again")
		f.label("again")
		old := f.op("expected", "OpAtomicLoad %s %s %s", typ, place, order)
		sum := f.op("sum", "OpFAdd %s %s %s", ft, f.op("number", "OpBitcast %s %s", ft, old), x)
		found := f.op("found", "OpAtomicCompareExchange %s %s %s %s %s %s", typ, place, order, f.constant(word, "0"), f.op("bits", "OpBitcast %s %s", typ, sum), old)
		f.retry("again", f.op("same", "OpIEqual %s %s %s", f.typ(boolean.of(1)), found, old))
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, params, func(_ *Rules, l *Launch) {
		for i := range l.Items() {
			putNumber(l.Args["acc"], f32, 0, oracle.F32.FAdd(number(l.Args["acc"], f32, 0), number(l.Args["x"], f32, i)))
		}
	})
	x := newArray(word, 60)
	copy(x.Data, atomicValues(f32, 60, 93).Data)
	t.add(name, shader, "float-bits", k, params, []*Buffer{in("x", x), in("acc", words(0x41200000, 0x12345678))}, 3, 20, 8)
}

// atomicTickets adds a kernel in which each work-item draws a number: each is drawn once. In kernels one of them finds a
// flag clear.
func (a *All) atomicTickets(t *Topic, shader bool) {
	word := u32.of(1)
	about := []string{"Each work-item draws a number from state[0] and counts it in drawn."}
	if !shader {
		about = append(about, "state[1] is a flag; state[2] counts who found it clear, state[3] is a flag that all clear.")
	}
	name, text := atomicModule(shader, u32, "tickets", about...)
	params := []param{pointerTo("state", word), pointerTo("drawn", word)}
	text.kernel("main", "", params, func(f *function) {
		order, typ := f.atomicOrder(0, both), f.typ(word)
		f.globalID(0)
		at := func(k int) string { return f.address("state", f.number(k)) }
		ticket := f.op("ticket", "OpAtomicIIncrement %s %s %s", typ, at(0), order)
		if !shader {
			ticket = f.op("wide", "OpUConvert %s %s", f.typ(f.index()), ticket)
		}
		one := f.constant(word, "1")
		f.op("count", "OpAtomicIAdd %s %s %s %s", typ, f.address("drawn", ticket), order, one)
		if shader {
			return
		}
		was := f.op("was_set", "OpAtomicFlagTestAndSet %s %s %s", f.typ(boolean.of(1)), at(1), order)
		found := f.op("found_clear", "OpSelect %s %s %s %s", typ, was, f.constant(word, "0"), one)
		f.op("winners", "OpAtomicIAdd %s %s %s %s", typ, at(2), order, found)
		f.do("OpAtomicFlagClear %s %s", at(3), order)
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, params, func(r *Rules, l *Launch) {
		for i := range l.Items() {
			ticket := i
			if r.NewValue {
				ticket = (i + 1) % l.Items()
			}
			if ticket != 0 || !r.NewValue { // with the new value nobody draws 0, and the last ticket has no place
				putNumber(l.Args["drawn"], u32, ticket, number(l.Args["drawn"], u32, ticket)+1)
			}
		}
		putNumber(l.Args["state"], u32, 0, uint64(l.Items()))
		if !shader {
			putNumber(l.Args["state"], u32, 1, 0xffffffff)
			putNumber(l.Args["state"], u32, 2, 1)
			putNumber(l.Args["state"], u32, 3, 0)
		}
	})
	for _, n := range [][3]int{{4, 16, 8}, {1, 384, 16}} {
		t.add(name, shader, "tickets", k, params, []*Buffer{in("state", words(0, 0, 0, 0xffffffff)), in("drawn", newArray(word, n[0]*n[1]))}, n[0], n[1], n[2])
	}
}
