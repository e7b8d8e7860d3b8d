package gen

import (
	"github.com/sgrun/sgrun/kernels/oracle"
)

// lastArrived adds, in both dialects, the memory barrier's use: every work-group leaves a word, and the one that comes last,
// as a counter says, adds them all up. Nobody waits for anybody.
func (a *All) lastArrived(t *Topic) {
	word := u32.of(1)
	for _, shader := range []bool{false, true} {
		name, text := atomicModule(shader, u32, "last-arrived", "The first work-item of each work-group leaves twice its x in parts; the one that comes last sums them up.")
		if !shader {
			text.version = "1.0"
		}
		params := []param{pointerTo("x", word), pointerTo("parts", word), pointerTo("state", word)}
		text.kernel("main", "", params, func(f *function) {
			i, typ, index, b := f.globalID(0), f.typ(word), f.typ(f.index()), f.typ(boolean.of(1))
			x := f.load("x", i)
			f.store("parts", i, f.op("twice", "OpIAdd %s %s %s", typ, x, x))
			device, storage := f.constant(word, "1"), "520" // AcquireRelease | CrossWorkgroupMemory
			if shader {
				storage = "72" // AcquireRelease | UniformMemory
			}
			f.do("OpMemoryBarrier %s %s", device, f.constant(word, storage))
			ticket := f.op("ticket", "OpAtomicIAdd %s %s %s %s", typ, f.address("state", f.number(0)), f.atomicOrder(3, both), f.constant(word, "1"))
			all := f.input("sizes", map[bool]string{false: "GlobalSize", true: "NumWorkgroups"}[shader], "all", f.index().of(3))
			n := f.op("n", "OpCompositeExtract %s %s 0", index, all)
			if shader {
				n = f.op("items", "OpIMul %s %s %s", index, n, f.localSizeConstant())
			}
			end := f.op("end", "OpISub %s %s %s", index, n, f.number(1))
			wide := ticket
			if !shader {
				wide = f.op("wide", "OpUConvert %s %s", index, ticket)
			}
			last := f.op("last", "OpIEqual %s %s %s", b, wide, end)
			f.do("OpSelectionMerge %%over None")
			f.do("OpBranchConditional %s %%sum_up %%over", last)
			f.label("sum_up")
			f.do("OpMemoryBarrier %s %s", device, f.constant(word, storage))
			zero, none := f.constant(word, "0"), f.number(0)
			f.do("OpBranch %%head")
			f.label("head")
			f.lines = append(f.lines, "%j = OpPhi "+index+" "+none+" %sum_up %next_j %next", "%sum = OpPhi "+typ+" "+zero+" %sum_up %more %next")
			again := f.op("again", "OpULessThan %s %%j %s", b, n)
			f.do("OpLoopMerge %%done %%next None")
			f.do("OpBranchConditional %s %%next %%done", again)
			f.label("next")
			f.lines = append(f.lines, "%more = OpIAdd "+typ+" %sum "+f.load("parts", "%j"), "%next_j = OpIAdd "+index+" %j "+f.number(1))
			f.do("OpBranch %%head")
			f.label("done")
			f.store("state", f.number(1), "%sum")
			f.do("OpBranch %%over")
			f.label("over")
		})
		a.source(name, text)
		k := a.dialectKernel(name, shader, params, func(_ *Rules, l *Launch) {
			sum := uint64(0)
			for i := range l.Items() {
				x := number(l.Args["x"], u32, i)
				putNumber(l.Args["parts"], u32, i, oracle.IAdd(32, x, x))
				sum = oracle.IAdd(32, sum, oracle.IAdd(32, x, x))
			}
			putNumber(l.Args["state"], u32, 0, uint64(l.Items()))
			putNumber(l.Args["state"], u32, 1, sum)
		})
		for _, n := range [][3]int{{8, 8, 4}, {2, 96, 16}} {
			t.add(name, shader, "last-arrived", k, params, []*Buffer{in("x", randomBits(word, n[0]*n[1], seedOf(name))), out("parts", word, n[0]*n[1]), in("state", words(0, 7))}, n[0], n[1], n[2])
		}
	}
}
