package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const barrierFrom = "oracle: SPIR-V 1.6, OpControlBarrier: what was stored before it is seen behind it"

// addBarriers adds kernels whose work-items tell each other something through local memory.
func addBarriers(a *All) {
	t := a.topic("barrier", "barriers with local memory: after guards and loops of different length, in loops, in a called function, of the sub-group")
	a.barrierReverse(t, "reverse", false)
	a.barrierReverse(t, "reverse-after-divergence", true)
	a.barrierTree(t)
	a.barrierSubGroup(t)
}

// localWords is the id of a variable of n words in local memory.
func (t *text) localWords(n int) string {
	word := u32.of(1)
	array := t.define(fmt.Sprintf("%%array_%d", n), "OpTypeArray %s %s", t.typ(word), t.constant(word, fmt.Sprint(n)))
	pointer := t.define("%ptr_Workgroup_array", "OpTypePointer Workgroup %s", array)
	return t.define("%shared", "OpVariable %s Workgroup", pointer)
}

func (f *function) localAt(index string) string {
	return f.op("at_shared", "OpInBoundsAccessChain %s %%shared %s", f.pointer("Workgroup", u32.of(1)), index)
}

// barrier adds one of the scope (2: work-group, 3: sub-group) that orders local memory.
func (f *function) barrier(scope string) {
	s := f.constant(u32.of(1), scope)
	f.do("OpControlBarrier %s %s %s", s, s, f.constant(u32.of(1), "272")) // SequentiallyConsistent | WorkgroupMemory
}

func (f *function) localID() string {
	id := f.input("local_id", "LocalInvocationId", "local", u64.of(3))
	return f.op("l", "OpCompositeExtract %s %s 0", f.typ(u64.of(1)), id)
}

func (f *function) localSize() string {
	size := f.input("local_size", "WorkgroupSize", "size", u64.of(3))
	return f.op("n", "OpCompositeExtract %s %s 0", f.typ(u64.of(1)), size)
}

// barrierReverse turns each work-group's words around. With parted, work-items come to the barrier after a loop of their own
// length, behind a guard.
func (a *All) barrierReverse(t *Topic, short string, parted bool) {
	name, word, long := "barrier/"+short, u32.of(1), u64.of(1)
	text := newText(name+":", "Each work-group's words in reverse order; work-items may part before the barrier.")
	text.localWords(1024)
	text.kernel("main", "", []param{pointerTo("in", word), pointerTo("out", word)}, func(f *function) {
		i, l, n := f.globalID(0), f.localID(), f.localSize()
		lt, wt, b := f.typ(long), f.typ(word), f.typ(boolean.of(1))
		x := f.load("in", i)
		value := x
		if parted {
			odd := f.op("odd", "OpINotEqual %s %s %s", b, f.op("low_bit", "OpBitwiseAnd %s %s %s", wt, x, f.constant(word, "1")), f.constant(word, "0"))
			turns := f.op("turns", "OpBitwiseAnd %s %s %s", wt, x, f.constant(word, "7"))
			start := f.op("start", "OpCopyObject %s %s", wt, x)
			f.do("OpSelectionMerge %%joined None")
			f.do("OpBranchConditional %s %%before %%joined", odd)
			f.label("before")
			f.do("OpBranch %%loop")
			f.label("loop")
			f.lines = append(f.lines, "%left = OpPhi "+wt+" "+turns+" %before %fewer %loop", "%grown = OpPhi "+wt+" "+start+" %before %more %loop")
			f.lines = append(f.lines, fmt.Sprintf("%%more = OpIMul %s %%grown %s", wt, f.constant(word, "3")), fmt.Sprintf("%%fewer = OpISub %s %%left %s", wt, f.constant(word, "1")))
			again := f.op("again", "OpUGreaterThan %s %%left %s", b, f.constant(word, "1"))
			f.do("OpLoopMerge %%after %%loop None")
			f.do("OpBranchConditional %s %%loop %%after", again)
			f.label("after")
			f.do("OpBranch %%joined")
			f.label("joined")
			block := "%entry"
			f.lines = append(f.lines, "%value = OpPhi "+wt+" "+x+" "+block+" %more %after")
			value = "%value"
		}
		f.do("OpStore %s %s", f.localAt(l), value)
		f.do("%s", "%synced = OpFunctionCall "+f.void()+" %sync")
		last := f.op("last", "OpISub %s %s %s", lt, n, f.constant(long, "1"))
		mirror := f.op("mirror", "OpISub %s %s %s", lt, last, l)
		f.store("out", i, f.op("y", "OpLoad %s %s", wt, f.localAt(mirror)))
		s := f.constant(word, "2")
		sync := f.define("%sync_type", "OpTypeFunction %s", f.void())
		f.functions = append(f.functions, "", "%sync = OpFunction "+f.void()+" None "+sync, "%sync_entry = OpLabel",
			fmt.Sprintf("OpControlBarrier %s %s %s", s, s, f.constant(word, "272")), "OpReturn", "OpFunctionEnd")
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out"}, Effect: func(_ *Rules, l *Launch) {
		n := l.Local[0]
		for i := range l.Items() {
			x := number(l.Args["in"], u32, i/n*n+n-1-i%n)
			if parted && x%2 == 1 {
				for range max(x&7, 1) {
					x = oracle.IMul(32, x, 3)
				}
			}
			putNumber(l.Args["out"], u32, i, x)
		}
	}})
	for _, c := range [][3]int{{2, 1, 1}, {60, 20, 8}, {128, 64, 16}, {600, 300, 32}, {1024, 1024, 128}} {
		if parted && c[0] > 600 {
			continue
		}
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("%s/items%d-sg%d", short, c[1], c[2]), Module: name, From: barrierFrom,
			Buffers: []*Buffer{in("in", randomBits(word, c[0], seedOf(name))), out("out", word, c[0])}, Steps: oneStep(k, c[0], c[1], c[2], "in", "out")})
	}
}

// barrierTree sums each work-group's words: in every turn the lower half adds the upper half's.
func (a *All) barrierTree(t *Topic) {
	name, word, long := "barrier/tree-sum", u32.of(1), u64.of(1)
	text := newText(name+":", "Every work-item gets the sum of its work-group's words, made in a loop with barriers.")
	text.localWords(1024)
	text.kernel("main", "", []param{pointerTo("in", word), pointerTo("out", word)}, func(f *function) {
		i, l, n := f.globalID(0), f.localID(), f.localSize()
		lt, wt, b := f.typ(long), f.typ(word), f.typ(boolean.of(1))
		f.do("OpStore %s %s", f.localAt(l), f.load("in", i))
		one, zero := f.constant(long, "1"), f.constant(long, "0")
		half := f.op("half", "OpShiftRightLogical %s %s %s", lt, n, one)
		f.do("OpBranch %%head")
		f.label("head")
		f.lines = append(f.lines, "%stride = OpPhi "+lt+" "+half+" %entry %next_stride %next")
		f.barrier("2")
		more := f.op("more", "OpINotEqual %s %%stride %s", b, zero)
		f.do("OpLoopMerge %%done %%next None")
		f.do("OpBranchConditional %s %%turn %%done", more)
		f.label("turn")
		lower := f.op("lower", "OpULessThan %s %s %%stride", b, l)
		f.do("OpSelectionMerge %%next None")
		f.do("OpBranchConditional %s %%add %%next", lower)
		f.label("add")
		mine := f.localAt(l)
		other := f.localAt(f.op("partner", "OpIAdd %s %s %%stride", lt, l))
		sum := f.op("sum", "OpIAdd %s %s %s", wt, f.op("x", "OpLoad %s %s", wt, mine), f.op("y", "OpLoad %s %s", wt, other))
		f.do("OpStore %s %s", mine, sum)
		f.do("OpBranch %%next")
		f.label("next")
		f.lines = append(f.lines, fmt.Sprintf("%%next_stride = OpShiftRightLogical %s %%stride %s", lt, one))
		f.do("OpBranch %%head")
		f.label("done")
		f.store("out", i, f.op("total", "OpLoad %s %s", wt, f.localAt(zero)))
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out"}, Effect: func(_ *Rules, l *Launch) {
		for i := range l.Items() {
			sum := uint64(0)
			for j := range l.Local[0] {
				sum = oracle.IAdd(32, sum, number(l.Args["in"], u32, i/l.Local[0]*l.Local[0]+j))
			}
			putNumber(l.Args["out"], u32, i, sum)
		}
	}})
	for _, c := range [][3]int{{2, 2, 1}, {128, 64, 16}, {512, 512, 32}, {1024, 1024, 8}} {
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("tree-sum/items%d-sg%d", c[1], c[2]), Module: name, From: barrierFrom,
			Buffers: []*Buffer{in("in", randomBits(word, c[0], seedOf(name))), out("out", word, c[0])}, Steps: oneStep(k, c[0], c[1], c[2], "in", "out")})
	}
}

// barrierSubGroup lets the sub-groups turn their words around, each for itself and every other one twice as often: a barrier
// of the sub-group concerns nobody else.
func (a *All) barrierSubGroup(t *Topic) {
	name, word, long := "barrier/sub-group", u32.of(1), u64.of(1)
	text := newText(name+":", "Each sub-group turns its words around as many times as its number in the work-group says, plus one.")
	text.version = "1.3"
	text.capability("SubgroupDispatch")
	text.localWords(1024)
	text.kernel("main", "", []param{pointerTo("in", word), pointerTo("out", word)}, func(f *function) {
		i, l := f.globalID(0), f.localID()
		lt, wt, b := f.typ(long), f.typ(word), f.typ(boolean.of(1))
		x := f.load("in", i)
		lane := f.op("lane_wide", "OpUConvert %s %s", lt, f.input("sub_group_lane", "SubgroupLocalInvocationId", "lane", word))
		size := f.op("size_wide", "OpUConvert %s %s", lt, f.input("sub_group_size", "SubgroupSize", "group_size", word))
		number := f.input("sub_group_number", "SubgroupId", "number", word)
		first := f.op("first", "OpISub %s %s %s", lt, l, lane)
		end := f.op("last", "OpISub %s %s %s", lt, f.op("end", "OpIAdd %s %s %s", lt, first, size), f.constant(long, "1"))
		mirror := f.op("mirror", "OpISub %s %s %s", lt, end, lane)
		f.do("OpBranch %%head")
		f.label("head")
		f.lines = append(f.lines, "%turn = OpPhi "+wt+" "+f.constant(word, "0")+" %entry %next_turn %head", "%value = OpPhi "+wt+" "+x+" %entry %next_value %head")
		f.do("OpStore %s %%value", f.localAt(l))
		f.barrier("3")
		taken := f.op("taken", "OpLoad %s %s", wt, f.localAt(mirror))
		f.barrier("3")
		f.lines = append(f.lines, "%next_value = OpIAdd "+wt+" "+taken+" "+f.constant(word, "1"), "%next_turn = OpIAdd "+wt+" %turn "+f.constant(word, "1"))
		again := f.op("again", "OpULessThanEqual %s %%next_turn %s", b, number)
		f.do("OpLoopMerge %%done %%head None")
		f.do("OpBranchConditional %s %%head %%done", again)
		f.label("done")
		f.store("out", i, "%next_value")
	})
	a.source(name, text)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out"}, Effect: func(_ *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			turns := items[0]%l.Local[0]/l.SubGroup + 1
			for lane, item := range items {
				from := item
				if turns%2 == 1 {
					from = items[len(items)-1-lane]
				}
				putNumber(l.Args["out"], u32, item, oracle.IAdd(32, number(l.Args["in"], u32, from), uint64(turns)))
			}
		})
	}})
	for _, c := range [][3]int{{64, 32, 8}, {128, 64, 16}, {640, 320, 64}} {
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("sub-group/items%d-sg%d", c[1], c[2]), Module: name, From: barrierFrom,
			Buffers: []*Buffer{in("in", randomBits(word, c[0], seedOf(name))), out("out", word, c[0])}, Steps: oneStep(k, c[0], c[1], c[2], "in", "out")})
	}
}
