package gen

import (
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const xorFrom = "oracle: SubGroup.ShuffleXor, SPIR-V 1.6, OpGroupNonUniformShuffleXor, and SPV_INTEL_subgroups, OpSubgroupShuffleXorINTEL"

// xorForm is one of the three forms of shuffle-XOR: the core instruction in kernels and in shaders, and Intel's.
type xorForm struct {
	name  string
	types []vec
	fresh func(about ...string) *text
	// shuffle is the instruction, up to its operands: type, scope where it has one.
	shuffle func(f *function, typ string) string
}

func xorForms() []xorForm {
	core := func(f *function, typ string) string {
		return "OpGroupNonUniformShuffleXor " + typ + " " + f.subgroupScope()
	}
	return []xorForm{
		{"kernel", []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), f16.of(1), f32.of(1), f64.of(1), boolean.of(1),
			u32.of(2), f32.of(3), u8.of(4), u16.of(8), u32.of(16), f64.of(2)},
			func(about ...string) *text {
				t := newText(about...)
				t.version = "1.3"
				t.capability("GroupNonUniform")
				t.capability("GroupNonUniformShuffle")
				return t
			}, core},
		{"intel", []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), f16.of(1), f32.of(1), f64.of(1), f32.of(2), u32.of(4)},
			func(about ...string) *text {
				t := newText(about...)
				t.version = "1.3"
				t.capability("SubgroupShuffleINTEL")
				t.extension("SPV_INTEL_subgroups")
				return t
			}, func(_ *function, typ string) string { return "OpSubgroupShuffleXorINTEL " + typ }},
		{"shader", []vec{u8.of(1), u16.of(1), u32.of(1), u64.of(1), i32.of(1), f16.of(1), f32.of(1), f64.of(1), boolean.of(1),
			f32.of(2), u32.of(3), u16.of(4)},
			func(about ...string) *text {
				t := newShader(about...)
				t.capability("GroupNonUniform")
				t.capability("GroupNonUniformShuffle")
				return t
			}, core},
	}
}

// entry adds the entry point main in the form's dialect and returns the names of its arguments.
func (x xorForm) entry(t *text, params []param, body func(f *function)) []string {
	if t.shader {
		t.shaderEntry("main", params, body)
		return shaderParams(params)
	}
	t.kernel("main", "", params, body)
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	return names
}

// xorSizes are the sub-group sizes of a case's steps: those that hardware has are a case of their own.
var xorSizes = []struct {
	name  string
	sizes []int
}{{"sg16-32", []int{16, 32}}, {"sg1-128", []int{1, 2, 4, 8, 64, 128}}}

// addShuffleXor adds the topic: every mask at every size and type, the pairings of masks 1, 2 and 4, and divergence.
func addShuffleXor(a *All) {
	t := a.topic("shuffle-xor", "shuffle-XOR as core instruction in kernels and compute shaders and as Intel's: all masks, all sizes, all types, 16 patterns of divergence")
	for _, x := range xorForms() {
		a.xorPairings(t, x)
		for _, v := range x.types {
			a.xorMasks(t, x, v)
		}
		for _, p := range xorPatterns() {
			a.xorDivergence(t, x, p)
		}
	}
}

// xorCase adds a case for each group of sizes, with a step for each size. inputs are shared, the results of a size go to a
// buffer of their own.
func (t *Topic) xorCase(name string, k *Kernel, inputs []*Buffer, result vec, count int) {
	for _, s := range xorSizes {
		c := &Case{Name: name + "/" + s.name, Module: k.Module, From: xorFrom, Buffers: slices.Clone(inputs)}
		for _, size := range s.sizes {
			b := out(fmt.Sprintf("out%d", size), result, 2*size*count)
			c.Buffers = append(c.Buffers, b)
			c.Steps = append(c.Steps, xorStep(k, size, append(slices.Clone(inputs), b)))
		}
		t.Cases = append(t.Cases, c)
	}
}

// xorStep launches one work-group of two sub-groups.
func xorStep(k *Kernel, size int, buffers []*Buffer) *Step {
	s := &Step{Kernel: k, Global: []int{2 * size}, Local: []int{2 * size}, SubGroup: size, Args: map[string]string{}}
	for i, b := range buffers {
		s.Args[k.Params[i]] = "&" + b.Name
	}
	if k.Params[0] == "0.0" { // a shader
		s.Groups, s.Global = true, []int{1}
		s.Spec = []Spec{{0, fmt.Sprint(2 * size), uint64(2 * size)}}
	}
	return s
}

// xorPairings are what the masks 1, 2 and 4 exchange in a sub-group of eight: neighbours, lanes two apart, lanes four apart.
func (a *All) xorPairings(t *Topic, x xorForm) {
	pairs := []struct{ mask, result string }{{"1", "1,0,3,2,5,4,7,6"}, {"2", "2,3,0,1,6,7,4,5"}, {"4", "4,5,6,7,0,1,2,3"}}
	name := "shuffle-xor/" + x.name + "-pairings"
	m := x.fresh(name+":", "x of the lanes that the constant masks 1, 2 and 4 pair with.")
	word := u32.of(1)
	params := []param{pointerTo("x", word)}
	for _, p := range pairs {
		params = append(params, pointerTo("out"+p.mask, word))
	}
	names := x.entry(m, params, func(f *function) {
		i := f.globalID(0)
		v := f.load("x", i)
		for _, p := range pairs {
			f.store("out"+p.mask, i, f.op("taken", "%s %s %s", x.shuffle(f, f.typ(word)), v, f.constant(word, p.mask)))
		}
	})
	a.source(name, m)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: names, Effect: func(r *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			group := oracle.Full(len(items))
			for lane, item := range items {
				for i, mask := range []uint64{1, 2, 4} {
					source, _ := r.shuffleXor(group, lane, mask)
					l.setElement(names[1+i], word, item, l.element(names[0], word, items[source]))
				}
			}
		})
	}})
	c := &Case{Name: x.name + "/pairings", Module: name, From: xorFrom, Buffers: []*Buffer{in("x", iota(word, 8))},
		printedExpect: map[string]string{}}
	for _, p := range pairs {
		c.Buffers = append(c.Buffers, out("out"+p.mask, word, 8))
		c.printedExpect["out"+p.mask] = "u32[8]:" + p.result
	}
	step := xorStep(k, 8, c.Buffers)
	step.Global, step.Local = []int{8}, []int{8}
	if step.Groups {
		step.Global, step.Spec = []int{1}, []Spec{{0, "8", 8}}
	}
	c.Steps = []*Step{step}
	c.Check = func(buffers map[string][]byte) error {
		for _, p := range pairs {
			got := (&Array{typ: word, count: 8, Data: buffers["out"+p.mask]}).list()
			if got != p.result {
				return fmt.Errorf("mask %s gives %s, not %s", p.mask, got, p.result)
			}
		}
		return nil
	}
	t.Cases = append(t.Cases, c)
}

// xorConstants are masks that are constants in the module. Those that a sub-group is too small for are left out of the result.
var xorConstants = []uint64{0, 1, 2, 3, 4, 8, 16, 32, 64, 127}

// The values a lane has taken are folded into one number: all = all * foldFactor + value, 64 bits wide, and in the end the
// exclusive or of its halves.
const foldFactor = 6364136223846793005

// xorMasks adds the kernel of one type. Each work-item has three results: of the constant masks, of all masks as a uniform
// value, and of all masks in an order of the work-item's own, which begins with the mask ids gives it.
func (a *All) xorMasks(t *Topic, x xorForm, v vec) {
	name := fmt.Sprintf("shuffle-xor/%s-%v", x.name, v)
	m := x.fresh(name+":", fmt.Sprintf("Shuffle-XOR of %v by constant masks, by all masks in turn, and by all masks from a lane's own on.", v))
	stored, word, long := v, u32.of(1), u64.of(1)
	if v.elem == boolean {
		stored = word
	}
	params := []param{pointerTo("x", stored), pointerTo("ids", word), pointerTo("out", word)}
	names := x.entry(m, params, func(f *function) {
		i := f.globalID(0)
		value := f.load("x", i)
		if v.elem == boolean {
			value = f.op("odd", "OpINotEqual %s %s %s", f.typ(v), f.op("low_bit", "OpBitwiseAnd %s %s %s", f.typ(word), value, f.constant(word, "1")), f.constant(word, "0"))
		}
		size := f.input("sub_group_size", "SubgroupSize", "size", word)
		first := f.op("first", "OpBitwiseAnd %s %s %s", f.typ(word), f.load("ids", i), f.op("last", "OpISub %s %s %s", f.typ(word), size, f.constant(word, "1")))
		shuffle := func(mask string) string {
			return f.op("taken", "%s %s %s", x.shuffle(f, f.typ(v)), value, mask)
		}
		w, l, zero := f.typ(word), f.typ(long), f.constant(long, "0")
		all := zero
		for _, c := range xorConstants {
			mask := f.constant(word, fmt.Sprint(c))
			next := f.fold(all, v, shuffle(mask))
			fits := f.op("fits", "OpULessThan %s %s %s", f.typ(boolean.of(1)), mask, size)
			all = f.op("all", "OpSelect %s %s %s %s", l, fits, next, all)
		}
		f.do("OpBranch %%head")
		f.lines = append(f.lines, "%head = OpLabel")
		turn := f.op("turn", "OpPhi %s %s %%entry %%next_turn %%next", w, f.constant(word, "0"))
		uniform := f.op("uniform", "OpPhi %s %s %%entry %%next_uniform %%next", l, zero)
		own := f.op("own", "OpPhi %s %s %%entry %%next_own %%next", l, zero)
		more := f.op("more", "OpULessThan %s %s %s", f.typ(boolean.of(1)), turn, size)
		f.do("OpLoopMerge %%end %%next None")
		f.do("OpBranchConditional %s %%body %%end", more)
		f.lines = append(f.lines, "%body = OpLabel")
		folded := f.fold(uniform, v, shuffle(turn))
		foldedOwn := f.fold(own, v, shuffle(f.op("mask", "OpBitwiseXor %s %s %s", w, first, turn)))
		f.do("OpBranch %%next")
		f.lines = append(f.lines, "%next = OpLabel", "%next_uniform = OpCopyObject "+l+" "+folded, "%next_own = OpCopyObject "+l+" "+foldedOwn)
		f.op("next_turn", "OpIAdd %s %s %s", w, turn, f.constant(word, "1"))
		f.do("OpBranch %%head")
		f.lines = append(f.lines, "%end = OpLabel")
		base := f.op("base", "OpIMul %s %s %s", f.typ(f.index()), i, f.constant(f.index(), "3"))
		for c, y := range []string{all, uniform, own} {
			high := f.op("high", "OpShiftRightLogical %s %s %s", l, y, f.constant(word, "32"))
			half := f.op("half", "OpUConvert %s %s", w, f.op("both", "OpBitwiseXor %s %s %s", l, y, high))
			f.store("out", f.op("place", "OpIAdd %s %s %s", f.typ(f.index()), base, f.constant(f.index(), fmt.Sprint(c))), half)
		}
	})
	a.source(name, m)
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: names, Effect: func(r *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			group, size := oracle.Full(len(items)), uint64(len(items))
			for lane, item := range items {
				taken := func(all, mask uint64) uint64 {
					source, _ := r.shuffleXor(group, lane, mask)
					for _, y := range l.element(names[0], stored, items[source]) {
						if v.elem == boolean {
							y &= 1
						}
						all = all*foldFactor + y
					}
					return all
				}
				var result [3]uint64
				for _, mask := range xorConstants {
					if mask < size {
						result[0] = taken(result[0], mask)
					}
				}
				first := l.element(names[1], word, item)[0] % size
				for turn := range size {
					result[1] = taken(result[1], turn)
					result[2] = taken(result[2], first^turn)
				}
				for c, y := range result {
					putNumber(l.Args[names[2]], u32, 3*item+c, (y^y>>32)&0xffffffff)
				}
			}
		})
	}})
	t.xorCase(fmt.Sprintf("%s/%v", x.name, v), k, []*Buffer{in("x", randomBits(stored, 256, seedOf(name))), in("ids", randomBits(word, 256, seedOf("ids"+name)))}, word, 3)
}

// fold adds the components of a value to what is folded so far.
func (f *function) fold(all string, v vec, value string) string {
	long := f.typ(u64.of(1))
	for c := range v.n {
		part := value
		if v.n > 1 {
			part = f.op("part", "OpCompositeExtract %s %s %d", f.typ(v.of(1)), value, c)
		}
		switch {
		case v.elem == boolean:
			part = f.op("number", "OpSelect %s %s %s %s", long, part, f.constant(u64.of(1), "1"), f.constant(u64.of(1), "0"))
		case v.kind != 'u':
			part = f.op("bits", "OpBitcast %s %s", f.typ(elem{'u', v.bits}.of(1)), part)
		}
		if v.elem != boolean && v.bits < 64 {
			part = f.op("wide", "OpUConvert %s %s", long, part)
		}
		product := f.op("product", "OpIMul %s %s %s", long, all, f.constant(u64.of(1), fmt.Sprint(uint64(foldFactor))))
		all = f.op("folded", "OpIAdd %s %s %s", long, product, part)
	}
	return all
}
