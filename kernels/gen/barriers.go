package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const barrierFrom = "oracle: SPIR-V 1.6, OpControlBarrier: what was stored before it is seen behind it"

// addBarriers adds kernels whose work-items tell each other something through local memory, in both dialects.
func addBarriers(a *All) {
	t := a.topic("barrier", "barriers with local memory: after guards and loops of different length, in loops, in a called function, of the sub-group")
	for _, shader := range []bool{false, true} {
		a.barrierReverse(t, "reverse", shader, false)
		a.barrierReverse(t, "reverse-after-divergence", shader, true)
		a.barrierTree(t, shader)
		a.barrierSubGroup(t, shader)
	}
}

// wordParams are words to read and words to write.
var wordParams = []param{pointerTo("in", u32.of(1)), pointerTo("out", u32.of(1))}

// unwritten is what local memory holds in the planted error in which barriers stop nobody.
const unwritten = 0xa5a5a5a5

// barrierModule starts a module with local words.
func barrierModule(shader bool, short string, about string) (string, *text) {
	name := "barrier/" + short
	if shader {
		name = "barrier-shader/" + short
	}
	t := newDialect(shader, name+":", about)
	t.localArray(u32.of(1), 1024)
	return name, t
}

// localArray adds a variable of n elements in local memory.
func (t *text) localArray(v vec, n int) {
	array := t.define("%shared_array", "OpTypeArray %s %s", t.typ(v), t.constant(u32.of(1), fmt.Sprint(n)))
	pointer := t.define("%ptr_Workgroup_array", "OpTypePointer Workgroup %s", array)
	t.define("%shared", "OpVariable %s Workgroup", pointer)
}

// localElement is the address of one of them.
func (f *function) localElement(v vec, index string) string {
	chain := "OpInBoundsAccessChain"
	if f.shader {
		chain = "OpAccessChain"
	}
	return f.op("at_shared", chain+" %s %%shared %s", f.pointer("Workgroup", v), index)
}

func (f *function) localAt(index string) string { return f.localElement(u32.of(1), index) }

// localOrder are the semantics that order local memory: of kernels SequentiallyConsistent, which Vulkan does not have, of
// shaders AcquireRelease, both with WorkgroupMemory.
func (f *function) localOrder() string {
	return f.constant(u32.of(1), map[bool]string{false: "272", true: "264"}[f.shader])
}

// barrier adds one of the scope (2: work-group, 3: sub-group) that orders local memory.
func (f *function) barrier(scope string) {
	s := f.constant(u32.of(1), scope)
	f.do("OpControlBarrier %s %s %s", s, s, f.localOrder())
}

func (f *function) localID() string {
	if f.loaded["local id"] == "" {
		id := f.input("local_id", "LocalInvocationId", "local", f.index().of(3))
		f.loaded["local id"] = f.op("l", "OpCompositeExtract %s %s 0", f.typ(f.index()), id)
	}
	return f.loaded["local id"]
}

func (f *function) localSize() string {
	if f.shader {
		return f.localSizeConstant()
	}
	size := f.input("local_size", "WorkgroupSize", "size", u64.of(3))
	return f.op("n", "OpCompositeExtract %s %s 0", f.typ(u64.of(1)), size)
}

// barrierReverse turns each work-group's words around. With parted, work-items come to the barrier after a loop of their own
// length, behind a guard.
func (a *All) barrierReverse(t *Topic, short string, shader, parted bool) {
	word := u32.of(1)
	name, text := barrierModule(shader, short, "Each work-group's words in reverse order; work-items may part before the barrier.")
	text.kernel("main", "", wordParams, func(f *function) {
		i, l, n := f.globalID(0), f.localID(), f.localSize()
		lt, wt, b := f.typ(f.index()), f.typ(word), f.typ(boolean.of(1))
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
		last := f.op("last", "OpISub %s %s %s", lt, n, f.number(1))
		mirror := f.op("mirror", "OpISub %s %s %s", lt, last, l)
		f.store("out", i, f.op("y", "OpLoad %s %s", wt, f.localAt(mirror)))
		s := f.constant(word, "2")
		sync := f.procedure()
		f.functions = append(f.functions, "", "%sync = OpFunction "+f.void()+" None "+sync, "%sync_entry = OpLabel",
			fmt.Sprintf("OpControlBarrier %s %s %s", s, s, f.localOrder()), "OpReturn", "OpFunctionEnd")
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, wordParams, func(r *Rules, l *Launch) {
		n := l.Local[0]
		for i := range l.Items() {
			x := number(l.Args["in"], u32, i/n*n+n-1-i%n)
			if r.NoBarrier && n-1-i%n > i%n { // not stored yet
				putNumber(l.Args["out"], u32, i, unwritten)
				continue
			}
			if parted && x%2 == 1 {
				for range max(x&7, 1) {
					x = oracle.IMul(32, x, 3)
				}
			}
			putNumber(l.Args["out"], u32, i, x)
		}
	})
	for _, c := range [][3]int{{2, 1, 1}, {60, 20, 8}, {128, 64, 16}, {600, 300, 32}, {1024, 1024, 128}} {
		if parted && c[0] > 600 {
			continue
		}
		t.barrierCase(name, shader, k, c)
	}
}

// barrierTree sums each work-group's words: in every turn the lower half adds the upper half's.
func (a *All) barrierTree(t *Topic, shader bool) {
	word := u32.of(1)
	name, text := barrierModule(shader, "tree-sum", "Every work-item gets the sum of its work-group's words, made in a loop with barriers.")
	text.kernel("main", "", wordParams, func(f *function) {
		i, l, n := f.globalID(0), f.localID(), f.localSize()
		lt, wt, b := f.typ(f.index()), f.typ(word), f.typ(boolean.of(1))
		f.do("OpStore %s %s", f.localAt(l), f.load("in", i))
		one, zero := f.number(1), f.number(0)
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
		f.do("OpSelectionMerge %%added None")
		f.do("OpBranchConditional %s %%add %%added", lower)
		f.label("add")
		mine := f.localAt(l)
		other := f.localAt(f.op("partner", "OpIAdd %s %s %%stride", lt, l))
		sum := f.op("sum", "OpIAdd %s %s %s", wt, f.op("x", "OpLoad %s %s", wt, mine), f.op("y", "OpLoad %s %s", wt, other))
		f.do("OpStore %s %s", mine, sum)
		f.do("OpBranch %%added")
		f.label("added")
		f.do("OpBranch %%next")
		f.label("next")
		f.lines = append(f.lines, fmt.Sprintf("%%next_stride = OpShiftRightLogical %s %%stride %s", lt, one))
		f.do("OpBranch %%head")
		f.label("done")
		f.store("out", i, f.op("total", "OpLoad %s %s", wt, f.localAt(zero)))
	})
	a.source(name, text)
	k := a.dialectKernel(name, shader, wordParams, func(r *Rules, l *Launch) {
		if r.NoBarrier {
			l.workGroups(func(items []int) { treeWithoutBarrier(l, items) })
			return
		}
		l.workGroups(func(items []int) {
			sum := uint64(0)
			for _, i := range items {
				sum = oracle.IAdd(32, sum, number(l.Args["in"], u32, i))
			}
			for _, i := range items {
				putNumber(l.Args["out"], u32, i, sum)
			}
		})
	})
	for _, c := range [][3]int{{2, 2, 1}, {128, 64, 16}, {512, 512, 32}, {1024, 1024, 8}} {
		t.barrierCase(name, shader, k, c)
	}
}

// barrierSubGroup lets the sub-groups turn their words around, each for itself and every other one twice as often: a barrier
// of the sub-group concerns nobody else.
func (a *All) barrierSubGroup(t *Topic, shader bool) {
	word := u32.of(1)
	name, text := barrierModule(shader, "sub-group", "Each sub-group turns its words around as many times as its number in the work-group says, plus one.")
	if shader {
		text.capability("GroupNonUniform")
	} else {
		text.version = "1.3"
		text.capability("SubgroupDispatch")
	}
	text.kernel("main", "", wordParams, func(f *function) {
		i, l := f.globalID(0), f.localID()
		lt, wt, b := f.typ(f.index()), f.typ(word), f.typ(boolean.of(1))
		x := f.load("in", i)
		lane, size := f.input("sub_group_lane", "SubgroupLocalInvocationId", "lane", word), f.input("sub_group_size", "SubgroupSize", "group_size", word)
		if !shader {
			lane, size = f.op("lane_wide", "OpUConvert %s %s", lt, lane), f.op("size_wide", "OpUConvert %s %s", lt, size)
		}
		number := f.input("sub_group_number", "SubgroupId", "number", word)
		first := f.op("first", "OpISub %s %s %s", lt, l, lane)
		end := f.op("last", "OpISub %s %s %s", lt, f.op("end", "OpIAdd %s %s %s", lt, first, size), f.number(1))
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
	k := a.dialectKernel(name, shader, wordParams, func(r *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			turns := items[0]%l.Local[0]/l.SubGroup + 1
			if r.NoBarrier {
				reverseWithoutBarrier(l, items, turns)
				return
			}
			for lane, item := range items {
				from := item
				if turns%2 == 1 {
					from = items[len(items)-1-lane]
				}
				putNumber(l.Args["out"], u32, item, oracle.IAdd(32, number(l.Args["in"], u32, from), uint64(turns)))
			}
		})
	})
	for _, c := range [][3]int{{64, 32, 8}, {128, 64, 16}, {640, 320, 64}} {
		t.barrierCase(name, shader, k, c)
	}
}

// barrierCase adds a case: work-items, work-group size and sub-group size.
func (t *Topic) barrierCase(module string, shader bool, k *Kernel, c [3]int) {
	buffers := []*Buffer{in("in", randomBits(u32.of(1), c[0], seedOf(k.Module))), out("out", u32.of(1), c[0])}
	short := module[strings.Index(module, "/")+1:]
	t.add(module, shader, short, k, wordParams, buffers, c[0]/c[1], c[1], c[2]).From = barrierFrom
}

// treeWithoutBarrier is what comes of the sum when each work-item runs to its end before the next one starts.
func treeWithoutBarrier(l *Launch, items []int) {
	shared := make([]uint64, len(items))
	for i := range shared {
		shared[i] = unwritten
	}
	for i, item := range items {
		shared[i] = number(l.Args["in"], u32, item)
		for stride := len(items) / 2; stride > 0; stride /= 2 {
			if i < stride {
				shared[i] = oracle.IAdd(32, shared[i], shared[i+stride])
			}
		}
		putNumber(l.Args["out"], u32, item, shared[0])
	}
}

// reverseWithoutBarrier is the same for the sub-group's turns.
func reverseWithoutBarrier(l *Launch, items []int, turns int) {
	shared := make([]uint64, len(items))
	for i := range shared {
		shared[i] = unwritten
	}
	for i, item := range items {
		value := number(l.Args["in"], u32, item)
		for range turns {
			shared[i] = value
			value = oracle.IAdd(32, shared[len(items)-1-i], 1)
		}
		putNumber(l.Args["out"], u32, item, value)
	}
}
