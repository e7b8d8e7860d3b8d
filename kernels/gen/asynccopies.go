package gen

import "fmt"

// asyncCopies adds a kernel that fetches and stores elements of a type with OpGroupAsyncCopy, with strides on the side of
// global memory.
func (a *All) asyncCopies(t *Topic, v vec) {
	const count = 24 // elements a work-group
	name, word, long := "group/async-copy-"+v.String(), u32.of(1), u64.of(1)
	text := newText(name+":", "Each work-group fetches every second element of in to local memory, turns them around and stores them three apart in",
		"out; the first of these elements as they come go to copy by another way. Two events are waited for together, then one of two copies.")
	element := text.typ(v)
	array := text.define("%shared_array", "OpTypeArray %s %s", element, text.constant(word, fmt.Sprint(count)))
	pointer := text.define("%ptr_Workgroup_array", "OpTypePointer Workgroup %s", array)
	event := text.define("%event", "OpTypeEvent")
	none := text.define("%no_event", "OpConstantNull %s", event)
	first, second := text.define("%shared", "OpVariable %s Workgroup", pointer), text.define("%shared_too", "OpVariable %s Workgroup", pointer)
	pair := text.define("%events", "OpTypeArray %s %s", event, text.constant(word, "2"))
	params := []param{pointerTo("in", v), pointerTo("out", v), pointerTo("copy", v)}
	text.kernel("main", "", params, func(f *function) {
		lt, n := f.typ(long), f.constant(long, fmt.Sprint(count))
		list := f.op("list", "OpVariable %s Function", f.define("%ptr_Function_events", "OpTypePointer Function %s", pair))
		group := f.op("group", "OpCompositeExtract %s %s 0", lt, f.input("group_id", "WorkgroupId", "groups", long.of(3)))
		l := f.localID()
		at := func(of string, times int) string {
			return f.address(of, f.op("start", "OpIMul %s %s %s", lt, group, f.constant(long, fmt.Sprint(times*count))))
		}
		local := func(array, index string) string {
			return f.op("at_shared", "OpInBoundsAccessChain %s %s %s", f.pointer("Workgroup", v), array, index)
		}
		zero, one, scope := f.constant(long, "0"), f.constant(long, "1"), f.constant(word, "2")
		slot := func(i int) string {
			return f.op("slot", "OpInBoundsAccessChain %s %s %s", f.define("%ptr_Function_event", "OpTypePointer Function %s", event), list, f.constant(word, fmt.Sprint(i)))
		}
		copied := func(to, from, stride, after string) string {
			return f.op("copied", "OpGroupAsyncCopy %s %s %s %s %s %s %s", event, scope, to, from, n, stride, after)
		}
		f.do("OpStore %s %s", slot(0), copied(local(first, zero), at("in", 2), f.constant(long, "2"), none))
		f.do("OpStore %s %s", slot(1), copied(local(second, zero), at("in", 2), one, none))
		f.do("OpGroupWaitEvents %s %s %s", scope, f.constant(word, "2"), slot(0))
		mirror := f.op("mirror", "OpISub %s %s %s", lt, f.constant(long, fmt.Sprint(count-1)), l)
		x := f.op("x", "OpLoad %s %s", element, local(first, mirror))
		f.barrier("2")
		f.do("OpStore %s %s", local(first, l), x)
		f.barrier("2")
		stored := copied(at("out", 3), local(first, zero), f.constant(long, "3"), none)
		f.do("OpStore %s %s", slot(0), copied(at("copy", 1), local(second, zero), one, stored))
		f.do("OpGroupWaitEvents %s %s %s", scope, f.constant(word, "1"), slot(0))
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out", "copy"}, Effect: func(r *Rules, l *Launch) {
		for group := range l.Items() / count {
			if r.NoBarrier { // each work-item runs to its end before the next one starts
				for i := range count {
					from := l.element("in", v, 2*(group*count+count-1-i))
					if i >= count/2 {
						from = l.element("out", v, 3*(group*count+count-1-i))
					}
					l.setElement("out", v, 3*(group*count+i), from)
					l.setElement("copy", v, group*count+i, l.element("in", v, 2*group*count+i))
				}
				continue
			}
			for i := range count {
				l.setElement("out", v, 3*(group*count+i), l.element("in", v, 2*(group*count+count-1-i)))
				l.setElement("copy", v, group*count+i, l.element("in", v, 2*group*count+i))
			}
		}
	}})
	const groups = 2
	t.Cases = append(t.Cases, &Case{Name: "async-copy-" + v.String(), Module: name, From: "oracle: SPIR-V 1.6, OpGroupAsyncCopy and OpGroupWaitEvents",
		Buffers: []*Buffer{in("in", randomBits(v, 2*groups*count, seedOf(name))), in("out", randomBits(v, 3*groups*count, 1)), out("copy", v, groups*count)},
		Steps:   oneStep(k, groups*count, count, 8, "in", "out", "copy")})
}
