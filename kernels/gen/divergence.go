package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// xorPattern is a way in which lanes part and meet, known in two forms: as instructions, and as the places a lane comes to.
// Both call at for every exchange; two lanes exchange where both place and round are equal. No pattern depends on what the
// specifications leave open, and all give the same in kernels and shaders.
type xorPattern struct {
	name, about string
	emit        func(f *flow)
	visit       func(l lane, at func(place string, round uint32))
}

// lane is what decides where a work-item goes.
type lane struct{ id, size, x uint32 }

// flow writes the instructions of a pattern. The variables acc, i and j hold what the lane has folded and the counters of
// loops, so that no phi is needed.
type flow struct {
	*function
	form        xorForm
	lane, size  string
	x, own      string // the lane's value, and a mask of its own
	finish      func() // stores the result and returns
	labels      int
	left        bool // the block has ended by a return
	merge, next string
}

func (f *flow) word(n int) string { return f.constant(u32.of(1), fmt.Sprint(n)) }

// and, shift, less and equal are instructions on 32-bit integers.
func (f *flow) and(a string, n int) string {
	return f.op("and", "OpBitwiseAnd %s %s %s", f.typ(u32.of(1)), a, f.word(n))
}

func (f *flow) shift(a string, n int) string {
	return f.op("shift", "OpShiftRightLogical %s %s %s", f.typ(u32.of(1)), a, f.word(n))
}

func (f *flow) add(a, b string) string {
	return f.op("add", "OpIAdd %s %s %s", f.typ(u32.of(1)), a, b)
}

func (f *flow) less(a, b string) string {
	return f.op("less", "OpULessThan %s %s %s", f.typ(boolean.of(1)), a, b)
}

func (f *flow) equal(a, b string) string {
	return f.op("equal", "OpIEqual %s %s %s", f.typ(boolean.of(1)), a, b)
}

func (f *flow) odd() string { return f.equal(f.and(f.lane, 1), f.word(1)) }

func (f *flow) label(id string) { f.lines = append(f.lines, id+" = OpLabel") }

func (f *flow) fresh(name string) string {
	f.labels++
	return fmt.Sprintf("%%%s_%d", name, f.labels)
}

// end branches to a block, unless the current one has returned.
func (f *flow) end(to string) {
	if !f.left {
		f.do("OpBranch %s", to)
	}
	f.left = false
}

// leave ends the work-item.
func (f *flow) leave() { f.finish(); f.left = true }

// when is a selection; no may be nil.
func (f *flow) when(condition string, yes, no func()) {
	then, other, end := f.fresh("then"), f.fresh("else"), f.fresh("join")
	if no == nil {
		other = end
	}
	f.do("OpSelectionMerge %s None", end)
	f.do("OpBranchConditional %s %s %s", condition, then, other)
	f.label(then)
	yes()
	f.end(end)
	if no != nil {
		f.label(other)
		no()
		f.end(end)
	}
	f.label(end)
}

// cases is a switch on 0, 1, … and the rest.
func (f *flow) cases(selector string, arms ...func()) {
	end := f.fresh("join")
	var labels []string
	targets := ""
	for n := range arms {
		labels = append(labels, f.fresh("case"))
		if n < len(arms)-1 {
			targets += fmt.Sprintf(" %d %s", n, labels[n])
		}
	}
	f.do("OpSelectionMerge %s None", end)
	f.do("OpSwitch %s %s%s", selector, labels[len(arms)-1], targets)
	for n, arm := range arms {
		f.label(labels[n])
		arm()
		f.end(end)
	}
	f.label(end)
}

// loop runs body with the variable as counter. Within it skip continues and stop breaks.
func (f *flow) loop(variable, trips string, body func(turn string)) {
	head, in, next, end := f.fresh("head"), f.fresh("body"), f.fresh("next"), f.fresh("behind")
	outer := [2]string{f.merge, f.next}
	f.merge, f.next = end, next
	f.do("OpStore %s %s", variable, f.word(0))
	f.do("OpBranch %s", head)
	f.label(head)
	turn := f.op("turn", "OpLoad %s %s", f.typ(u32.of(1)), variable)
	more := f.less(turn, trips)
	f.do("OpLoopMerge %s %s None", end, next)
	f.do("OpBranchConditional %s %s %s", more, in, end)
	f.label(in)
	body(turn)
	f.end(next)
	f.label(next)
	f.do("OpStore %s %s", variable, f.add(turn, f.word(1)))
	f.do("OpBranch %s", head)
	f.label(end)
	f.merge, f.next = outer[0], outer[1]
}

func (f *flow) jumpIf(condition, to string) {
	rest := f.fresh("rest")
	f.do("OpBranchConditional %s %s %s", condition, to, rest)
	f.label(rest)
}

func (f *flow) stopIf(condition string) { f.jumpIf(condition, f.merge) }
func (f *flow) skipIf(condition string) { f.jumpIf(condition, f.next) }

// at exchanges: x plus the round goes to the lanes that the masks 1, 2, 4 and the lane's own pair with. Where the source is
// not there the value is undefined, and absent takes its place.
func (f *flow) at(round string) {
	word := f.typ(u32.of(1))
	acc := f.op("acc", "OpLoad %s %%total", word)
	f.do("OpStore %%total %s", f.exchange(acc, f.add(f.x, round)))
}

// absent stands for the value of a lane that is not active, or does not exist.
const absent = 0x5eed

func (f *flow) exchange(acc, operand string) string {
	word, truth := f.typ(u32.of(1)), f.typ(boolean.of(1))
	here := f.op("here", "OpGroupNonUniformBallot %s %s %s", f.typ(u32.of(4)), f.subgroupScope(), f.define("%true", "OpConstantTrue %s", truth))
	for _, mask := range []string{f.word(1), f.word(2), f.word(4), f.own} {
		taken := f.op("taken", "%s %s %s", f.form.shuffle(f.function, word), operand, mask)
		source := f.op("source", "OpBitwiseXor %s %s %s", word, f.lane, mask)
		exists := f.less(source, f.size)
		some := f.op("some", "OpSelect %s %s %s %s", word, exists, source, f.word(0))
		active := f.op("active", "OpGroupNonUniformBallotBitExtract %s %s %s %s", truth, f.subgroupScope(), here, some)
		good := f.op("good", "OpLogicalAnd %s %s %s", truth, exists, active)
		value := f.op("value", "OpSelect %s %s %s %s", word, good, taken, f.word(absent))
		acc = f.add(f.op("product", "OpIMul %s %s %s", word, acc, f.word(31)), value)
	}
	return acc
}

// xorDivergence adds the kernel of one pattern.
func (a *All) xorDivergence(t *Topic, x xorForm, p xorPattern) {
	name := fmt.Sprintf("shuffle-xor/%s-%s", x.name, p.name)
	m := x.fresh(name+":", "Shuffle-XOR under divergence: "+p.about+".")
	m.capability("GroupNonUniform")
	m.capability("GroupNonUniformBallot")
	word := u32.of(1)
	params := []param{pointerTo("x", word), pointerTo("ids", word), pointerTo("out", word)}
	names := x.entry(m, params, func(fn *function) {
		f := &flow{function: fn, form: x}
		variable := m.pointer("Function", word)
		for _, v := range []string{"%total", "%i_var", "%j_var"} {
			f.lines = append(f.lines, v+" = OpVariable "+variable+" Function")
		}
		i := f.globalID(0)
		f.lane = f.input("sub_group_lane", "SubgroupLocalInvocationId", "lane", word)
		f.size = f.input("sub_group_size", "SubgroupSize", "size", word)
		f.x = f.load("x", i)
		// Masks of up to twice the size: half of them lead out of the sub-group.
		f.own = f.op("own", "OpBitwiseAnd %s %s %s", f.typ(word), f.load("ids", i),
			f.op("most", "OpISub %s %s %s", f.typ(word), f.op("twice", "OpIAdd %s %s %s", f.typ(word), f.size, f.size), f.word(1)))
		f.do("OpStore %%total %s", f.word(1))
		store := func() { f.store("out", i, f.op("result", "OpLoad %s %%total", f.typ(word))) }
		f.finish = func() { store(); f.do("OpReturn") }
		p.emit(f)
		store()
	})
	a.source(name, m)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: names, Effect: func(r *Rules, l *Launch) {
		l.subgroups(func(items []int) { p.effect(r, l, names, items) })
	}})
	t.xorCase(fmt.Sprintf("%s/%s", x.name, p.name), k, []*Buffer{in("x", randomBits(word, 256, seedOf(p.name))), in("ids", randomBits(word, 256, seedOf("ids"+p.name)))}, word, 1)
}

// effect finds who meets whom from what each lane visits by itself.
func (p *xorPattern) effect(r *Rules, l *Launch, names []string, items []int) {
	type instance struct {
		place string
		round uint32
	}
	word, size := u32.of(1), uint64(len(items))
	visits := make([][]instance, len(items))
	groups := map[instance]oracle.SubGroup{}
	values := make([]uint64, len(items))
	for id, item := range items {
		values[id] = l.element(names[0], word, item)[0]
		p.visit(lane{uint32(id), uint32(size), uint32(values[id])}, func(place string, round uint32) {
			here := instance{place, round}
			visits[id] = append(visits[id], here)
			if groups[here] == nil {
				groups[here] = make(oracle.SubGroup, size)
			}
			groups[here][id] = true
		})
	}
	for id, item := range items {
		own := l.element(names[1], word, item)[0] % (2 * size)
		acc := uint64(1)
		for _, here := range visits[id] {
			for _, mask := range []uint64{1, 2, 4, own} {
				value := uint64(absent)
				if source, defined := r.shuffleXor(groups[here], id, mask); defined {
					value = (values[source] + uint64(here.round)) & 0xffffffff
				}
				acc = (acc*31 + value) & 0xffffffff
			}
		}
		l.setElement(names[2], word, item, []uint64{acc})
	}
}
