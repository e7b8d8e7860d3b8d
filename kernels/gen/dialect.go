package gen

import (
	"fmt"
	"strings"
)

// The same kernel can be written in two dialects: as an OpenCL kernel (newText), or as a compute shader (newShader), whose
// parameters are storage buffers and push constants, and whose work-group size is specialization constant 0.

// newShader starts a module of the shaders' dialect.
func newShader(about ...string) *text {
	t := &text{about: about, version: "1.6", shader: true, capabilities: []string{"Shader"},
		declared: map[string]bool{}, signatures: map[string]string{}}
	t.void()
	return t
}

// newDialect starts a module in either dialect.
func newDialect(shader bool, about ...string) *text {
	if shader {
		return newShader(about...)
	}
	return newText(about...)
}

// index is the type of ids and of indexes into buffers.
func (t *text) index() vec {
	if t.shader {
		return u32.of(1)
	}
	return u64.of(1)
}

// number is a constant of the type index.
func (t *text) number(n int) string { return t.constant(t.index(), fmt.Sprint(n)) }

// shaderEntry adds an entry point whose parameters are bindings 0, 1, … of set 0, and members of the push constants.
func (t *text) shaderEntry(entry string, params []param, body func(f *function)) {
	f := &function{text: t, builtin: map[string]bool{}, loaded: map[string]string{}, params: map[string]param{}, counter: map[string]int{}}
	word := u32.of(1)
	size := t.localSizeConstant()
	var pushed []string
	binding := 0
	for _, p := range params {
		f.params[p.name] = p
		if p.value {
			if p.typ != word {
				panic("push constants here are 32-bit integers")
			}
			pushed = append(pushed, p.name)
			continue
		}
		element := p.element()
		typ := t.typ(element)
		if c := storageCapability(element.bits); c != "" {
			t.capability(strings.TrimPrefix(c, "OpCapability "))
		}
		array := "%array_of_" + typ[1:]
		block := "%block_of_" + typ[1:]
		if !t.declared[block] {
			t.decorations = append(t.decorations, fmt.Sprintf("OpDecorate %s ArrayStride %d", array, element.bytes()),
				fmt.Sprintf("OpDecorate %s Block", block), fmt.Sprintf("OpMemberDecorate %s 0 Offset 0", block))
			t.define(array, "OpTypeRuntimeArray %s", typ)
			t.define(block, "OpTypeStruct %s", array)
			t.define("%ptr_"+block[1:], "OpTypePointer StorageBuffer %s", block)
		}
		id := "%" + p.name
		t.decorations = append(t.decorations, fmt.Sprintf("OpDecorate %s DescriptorSet 0", id), fmt.Sprintf("OpDecorate %s Binding %d", id, binding))
		t.names = append(t.names, fmt.Sprintf("OpName %s %q", id, p.name))
		t.define(id, "OpVariable %s StorageBuffer", "%ptr_"+block[1:])
		f.builtin[id] = true // it is in the entry point's interface
		binding++
	}
	if len(pushed) > 0 {
		members := strings.Repeat(" "+t.typ(word), len(pushed))
		t.define("%push_block", "OpTypeStruct%s", members)
		t.define("%ptr_push_block", "OpTypePointer PushConstant %%push_block")
		t.define("%push", "OpVariable %%ptr_push_block PushConstant")
		t.decorations = append(t.decorations, "OpDecorate %push_block Block")
		f.builtin["%push"] = true
		for i, name := range pushed {
			t.decorations = append(t.decorations, fmt.Sprintf("OpMemberDecorate %%push_block %d Offset %d", i, 4*i))
			at := f.op("at_"+name, "OpAccessChain %s %%push %s", t.pointer("PushConstant", word), t.constant(word, fmt.Sprint(i)))
			f.lines = append(f.lines, fmt.Sprintf("%%%s = OpLoad %s %s", name, t.typ(word), at))
		}
	}
	signature := t.procedure()
	body(f)

	id := "%" + entry
	t.functions = append([]string{"", id + " = OpFunction " + t.void() + " None " + signature, "%entry = OpLabel"},
		append(append(f.lines, "OpReturn", "OpFunctionEnd"), t.functions...)...)
	var variables strings.Builder
	if t.declared["%shared"] { // work-group variables belong to the interface too
		f.builtin["%shared"] = true
	}
	for _, v := range sortedKeys(f.builtin) {
		variables.WriteString(" " + v)
	}
	one := t.constant(word, "1")
	t.entries = append(t.entries, fmt.Sprintf("OpEntryPoint GLCompute %s %q%s", id, entry, variables.String()),
		fmt.Sprintf("OpExecutionModeId %s LocalSizeId %s %s %s", id, size, one, one))
}

// procedure is the type of functions without parameters and result.
func (t *text) procedure() string { return t.define("%procedure", "OpTypeFunction %s", t.void()) }

// localSizeConstant is the work-group size of a shader: specialization constant 0.
func (t *text) localSizeConstant() string {
	id := "%local_size"
	if !t.declared[id] {
		t.decorations = append(t.decorations, "OpDecorate "+id+" SpecId 0")
		t.define(id, "OpSpecConstant %s 64", t.typ(u32.of(1)))
	}
	return id
}

// specialized is a specialization constant, a 32-bit integer.
func (t *text) specialized(name string, id, value int) string {
	c := "%" + name
	if !t.declared[c] {
		t.decorations = append(t.decorations, fmt.Sprintf("OpDecorate %s SpecId %d", c, id))
		t.names = append(t.names, fmt.Sprintf("OpName %s %q", c, name))
		t.define(c, "OpSpecConstant %s %d", t.typ(u32.of(1)), value)
	}
	return c
}

// shaderParams are the names of the arguments of such an entry point.
func shaderParams(params []param) (names []string) {
	push := false
	for _, p := range params {
		if p.value {
			push = true
			continue
		}
		names = append(names, fmt.Sprintf("0.%d", len(names)))
	}
	if push {
		names = append(names, "push")
	}
	return names
}

// byName returns the launch with its arguments under the names of the parameters, for the effect of a kernel in both
// dialects.
func (l *Launch) byName(shader bool, params []param) *Launch {
	if !shader {
		return l
	}
	named := *l
	named.Args = map[string][]byte{}
	binding, pushed := 0, 0
	for _, p := range params {
		if p.value {
			named.Args[p.name] = l.Args["push"][4*pushed:]
			pushed++
			continue
		}
		named.Args[p.name] = l.Args[fmt.Sprintf("0.%d", binding)]
		binding++
	}
	return &named
}

// dialectStep is a launch of work-groups along the first dimension, of a kernel in either dialect. values are the arguments
// that are no buffers; buffers have the names of the parameters.
func dialectStep(k *Kernel, shader bool, params []param, groups, local, subGroup int, values map[string]uint64) *Step {
	s := &Step{Kernel: k, Local: []int{local}, SubGroup: subGroup, Args: map[string]string{}, Values: map[string][]byte{}}
	if shader {
		s.Groups, s.Global = true, []int{groups}
		s.Spec = []Spec{{0, fmt.Sprint(local), uint64(local)}}
	} else {
		s.Global = []int{groups * local}
	}
	binding := 0
	var push []uint64
	for _, p := range params {
		switch {
		case p.value && shader:
			push = append(push, values[p.name])
		case p.value:
			s.Args[p.name] = fmt.Sprint(values[p.name])
			if values[p.name] > 0xffff {
				s.Args[p.name] = fmt.Sprintf("0x%x", values[p.name])
			}
			s.Values[p.name] = words(values[p.name]).Data
		case shader:
			s.Args[fmt.Sprintf("0.%d", binding)] = "&" + p.name
			binding++
		default:
			s.Args[p.name] = "&" + p.name
		}
	}
	if len(push) > 0 {
		data := words(push...)
		s.Args["push"] = data.shape() + ":" + data.list()
		s.Values["push"] = data.Data
	}
	return s
}
