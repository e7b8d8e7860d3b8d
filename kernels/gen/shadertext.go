package gen

import (
	"fmt"
	"strings"
)

// newShaderText starts a module of the dialect of shaders, for bodies that are the same in both dialects. The parameters
// become storage buffers, bindings of descriptor set 0 in their order; the specialization constant 0 is the work-group size.
// Indexes are 32 bits wide.
func newShaderText(about ...string) *text {
	t := &text{about: about, shader: true, version: "1.6", capabilities: []string{"Shader"},
		declared: map[string]bool{}, signatures: map[string]string{}}
	t.void()
	return t
}

// index is the type of indexes of buffers.
func (t *text) index() vec {
	if t.shader {
		return u32.of(1)
	}
	return u64.of(1)
}

// bindingNames are what the arguments of such a shader are called.
func bindingNames(params []param) []string {
	var names []string
	for i := range params {
		names = append(names, fmt.Sprintf("0.%d", i))
	}
	return names
}

// buffer declares the storage buffer that stands for a parameter.
func (t *text) buffer(p param, binding int) {
	e := p.element()
	one := t.typ(e)
	switch e.bits {
	case 8:
		t.capability("StorageBuffer8BitAccess")
	case 16:
		t.capability("StorageBuffer16BitAccess")
	}
	array, block, id := "%array_"+p.name, "%block_"+p.name, "%"+p.name
	t.names = append(t.names, fmt.Sprintf("OpName %s %q", id, p.name))
	t.decorations = append(t.decorations, fmt.Sprintf("OpDecorate %s ArrayStride %d", array, e.bytes()), fmt.Sprintf("OpDecorate %s Block", block),
		fmt.Sprintf("OpMemberDecorate %s 0 Offset 0", block), fmt.Sprintf("OpDecorate %s DescriptorSet 0", id), fmt.Sprintf("OpDecorate %s Binding %d", id, binding))
	t.define(array, "OpTypeRuntimeArray %s", one)
	t.define(block, "OpTypeStruct %s", array)
	pointer := t.define("%ptr_StorageBuffer_"+block[1:], "OpTypePointer StorageBuffer %s", block)
	t.define(id, "OpVariable %s StorageBuffer", pointer)
}

// shaderEntry adds an entry point around a body.
func (t *text) shaderEntry(entry string, params []param, body func(f *function)) {
	f := &function{text: t, builtin: map[string]bool{}, loaded: map[string]string{}, params: map[string]param{}, counter: map[string]int{}}
	for i, p := range params {
		f.params[p.name] = p
		t.buffer(p, i)
	}
	word := t.typ(u32.of(1))
	t.decorations = append(t.decorations, "OpDecorate %local_size SpecId 0")
	t.define("%local_size", "OpSpecConstant %s 64", word)
	one := t.constant(u32.of(1), "1")
	signature := t.define("%shader_type", "OpTypeFunction %s", t.void())
	body(f)
	t.functions = append(t.functions, "", "%"+entry+" = OpFunction "+t.void()+" None "+signature, "%entry = OpLabel")
	t.functions = append(t.functions, append(f.lines, "OpReturn", "OpFunctionEnd")...)
	used := sortedKeys(f.builtin)
	for _, p := range params {
		used = append(used, "%"+p.name)
	}
	t.entries = append(t.entries, fmt.Sprintf("OpEntryPoint GLCompute %%%s %q %s", entry, entry, strings.Join(used, " ")),
		fmt.Sprintf("OpExecutionModeId %%%s LocalSizeId %%local_size %s %s", entry, one, one))
}
