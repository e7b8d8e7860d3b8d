package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// generatedMark tells generated kernels from those written by hand.
const generatedMark = "Written by kernels/gen"

// text builds the SPIR-V text of one module. Types and constants are declared when they are first asked for; ids are
// named for what they are: %v4u32, %ptr_CrossWorkgroup_f32, %u32_5.
type text struct {
	about        []string
	version      string // of SPIR-V; empty: 1.0
	shader       bool   // in the dialect of shaders; see newShader
	capabilities []string
	extensions   []string
	entries      []string
	names        []string
	decorations  []string
	globals      []string // types, constants, variables
	functions    []string
	declared     map[string]bool
	signatures   map[string]string // ids of function types by their declaration
}

// newText starts a module of the OpenCL dialect. about is printed above it as a comment; the first line begins with the
// catalogue name.
func newText(about ...string) *text {
	t := &text{about: about, capabilities: []string{"Addresses", "Kernel", "Int64"},
		declared: map[string]bool{}, signatures: map[string]string{}}
	t.void()
	return t
}

// capability declares one, once.
func (t *text) capability(name string) {
	if !slices.Contains(t.capabilities, name) {
		t.capabilities = append(t.capabilities, name)
	}
}

// extension declares one, once.
func (t *text) extension(name string) {
	if !slices.Contains(t.extensions, name) {
		t.extensions = append(t.extensions, name)
	}
}

// define adds a module-scope instruction with a result, once, and returns the id.
func (t *text) define(id, instruction string, args ...any) string {
	if !t.declared[id] {
		t.declared[id] = true
		t.globals = append(t.globals, id+" = "+fmt.Sprintf(instruction, args...))
	}
	return id
}

// typ returns the id of the type.
func (t *text) typ(v vec) string {
	id := "%" + v.String()
	if t.declared[id] {
		return id
	}
	if v.n > 1 {
		if v.n > 4 {
			t.capability("Vector16")
		}
		return t.define(id, "OpTypeVector %s %d", t.typ(v.of(1)), v.n)
	}
	switch {
	case v.elem == boolean:
		return t.define(id, "OpTypeBool")
	case v.kind == 'f':
		if v.bits != 32 {
			t.capability(fmt.Sprintf("Float%d", v.bits))
		}
		return t.define(id, "OpTypeFloat %d", v.bits)
	}
	if v.bits != 32 {
		t.capability(fmt.Sprintf("Int%d", v.bits))
	}
	return t.define(id, "OpTypeInt %d %d", v.bits, map[byte]int{'i': 1}[v.kind]) // kernels have no signed types
}

func (t *text) void() string { return t.define("%void", "OpTypeVoid") }

// pointer returns the id of the pointer type.
func (t *text) pointer(class string, to vec) string {
	pointee := t.typ(to)
	name := "%ptr_" + class + "_" + pointee[1:]
	if class == "CrossWorkgroup" && !t.shader { // the pointers to global memory, which are everywhere here
		name = "%ptr_" + pointee[1:]
	}
	return t.define(name, "OpTypePointer %s %s", class, pointee)
}

// constant returns the id of a scalar constant, or of a vector with that number in every component.
func (t *text) constant(v vec, literal string) string {
	name := strings.NewReplacer("-", "minus_", ".", "_", "+", "").Replace(literal)
	if v.n == 1 {
		return t.define(t.typ(v)+"_"+name, "OpConstant %s %s", t.typ(v), literal)
	}
	one := t.constant(v.of(1), literal)
	return t.define(t.typ(v)+"_"+name, "OpConstantComposite %s%s", t.typ(v), strings.Repeat(" "+one, v.n))
}

// composite returns the id of a vector constant with these components.
func (t *text) composite(name string, v vec, literals ...string) string {
	var parts []string
	for _, l := range literals {
		parts = append(parts, t.constant(v.of(1), l))
	}
	return t.define("%"+name, "OpConstantComposite %s %s", t.typ(v), strings.Join(parts, " "))
}

// builtin returns the id of an input variable, which is declared at first use.
func (t *text) builtin(id, name string, v vec) string {
	if !t.declared[id] {
		pointer := t.pointer("Input", v)
		t.decorations = append(t.decorations, fmt.Sprintf("OpDecorate %s BuiltIn %s", id, name))
		t.define(id, "OpVariable %s Input", pointer)
	}
	return id
}

// param is a kernel parameter: a pointer to global memory, or a value.
type param struct {
	name  string
	typ   vec
	value bool
}

func pointerTo(name string, t vec) param { return param{name, t, false} }

// function is the body of a kernel under construction.
type function struct {
	*text
	prefix  string // of local ids, in modules with several kernels
	lines   []string
	builtin map[string]bool // input variables used
	loaded  map[string]string
	params  map[string]param
	counter map[string]int
}

// kernel adds an entry point. Where a module has several, prefix keeps their ids apart.
func (t *text) kernel(entry, prefix string, params []param, body func(f *function)) {
	if t.shader {
		t.shaderEntry(entry, params, body)
		return
	}
	f := &function{text: t, prefix: prefix, builtin: map[string]bool{}, loaded: map[string]string{},
		params: map[string]param{}, counter: map[string]int{}}
	var types, list []string
	for _, p := range params {
		typ := t.typ(p.typ)
		if !p.value {
			typ = t.pointer("CrossWorkgroup", p.element())
		}
		id := "%" + prefix + p.name
		f.params[p.name] = p
		types = append(types, typ)
		list = append(list, id+" = OpFunctionParameter "+typ)
		t.names = append(t.names, fmt.Sprintf("OpName %s %q", id, p.name))
	}
	signature := t.signature(types)
	body(f)

	id := "%" + entry
	t.functions = append(t.functions, "", id+" = OpFunction "+t.void()+" None "+signature)
	t.functions = append(t.functions, list...)
	t.functions = append(t.functions, "%"+prefix+"entry = OpLabel")
	t.functions = append(t.functions, f.lines...)
	t.functions = append(t.functions, "OpReturn", "OpFunctionEnd")
	var inputs strings.Builder
	for _, v := range sortedKeys(f.builtin) {
		inputs.WriteString(" " + v)
	}
	t.entries = append(t.entries, fmt.Sprintf("OpEntryPoint Kernel %s %q%s", id, entry, inputs.String()))
}

// element is what the parameter points to: vectors of three are stored number by number, without OpenCL's padding.
func (p param) element() vec {
	if p.typ.n == 3 {
		return p.typ.of(1)
	}
	return p.typ
}

// signature returns the id of the type of kernels with parameters of these types.
func (t *text) signature(types []string) string {
	declaration := "OpTypeFunction " + t.void() + " " + strings.Join(types, " ")
	id := t.signatures[declaration]
	if id == "" {
		id = "%kernel_type"
		if n := len(t.signatures); n > 0 {
			id = fmt.Sprintf("%s_%d", id, n)
		}
		t.signatures[declaration] = id
	}
	return t.define(id, "%s", declaration)
}

// op adds an instruction with a result and returns its id, made of name.
func (f *function) op(name, instruction string, args ...any) string {
	id := "%" + f.prefix + name
	if n := f.counter[name]; n > 0 {
		id = fmt.Sprintf("%s_%d", id, n)
	}
	f.counter[name]++
	f.lines = append(f.lines, id+" = "+fmt.Sprintf(instruction, args...))
	return id
}

// do adds an instruction without a result.
func (f *function) do(instruction string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(instruction, args...))
}

// input loads an input variable, once.
func (f *function) input(variable, name, result string, v vec) string {
	id := "%" + variable
	if f.loaded[id] == "" {
		f.text.builtin(id, name, v)
		f.builtin[id] = true
		f.loaded[id] = f.op(result, "OpLoad %s %s", f.typ(v), id)
	}
	return f.loaded[id]
}

// globalID is component c of GlobalInvocationId.
func (f *function) globalID(c int) string {
	key := fmt.Sprint("component", c)
	if f.loaded[key] == "" {
		id := f.input("global_id", "GlobalInvocationId", "id", f.index().of(3))
		f.loaded[key] = f.op([]string{"i", "j", "k"}[c], "OpCompositeExtract %s %s %d", f.typ(f.index()), id, c)
	}
	return f.loaded[key]
}

// address is the address of element index of what a parameter points to.
func (f *function) address(p, index string) string {
	t := f.params[p].element()
	if f.shader {
		return f.op("at_"+p, "OpAccessChain %s %%%s %s %s", f.pointer("StorageBuffer", t), p, f.constant(u32.of(1), "0"), index)
	}
	return f.op("at_"+p, "OpInBoundsPtrAccessChain %s %%%s%s %s", f.pointer("CrossWorkgroup", t), f.prefix, p, index)
}

// load loads element index of what a parameter points to.
func (f *function) load(p, index string) string {
	t := f.params[p].typ
	if t.n != 3 {
		return f.op(p+"_i", "OpLoad %s %s", f.typ(t), f.address(p, index))
	}
	var parts []string
	for _, at := range f.threeOf(index) {
		parts = append(parts, f.op(p+"_i", "OpLoad %s %s", f.typ(t.of(1)), f.address(p, at)))
	}
	return f.op(p+"_i", "OpCompositeConstruct %s %s", f.typ(t), strings.Join(parts, " "))
}

// store stores element index of what a parameter points to.
func (f *function) store(p, index, object string) {
	t := f.params[p].typ
	if t.n != 3 {
		f.do("OpStore %s %s", f.address(p, index), object)
		return
	}
	for c, at := range f.threeOf(index) {
		part := f.op(p+"_i", "OpCompositeExtract %s %s %d", f.typ(t.of(1)), object, c)
		f.do("OpStore %s %s", f.address(p, at), part)
	}
}

// threeOf is 3*index, 3*index+1 and 3*index+2.
func (f *function) threeOf(index string) [3]string {
	key := "three of " + index
	if f.loaded[key] == "" {
		long := f.typ(f.index())
		i0 := f.op("i0", "OpIMul %s %s %s", long, index, f.number(3))
		i1 := f.op("i1", "OpIAdd %s %s %s", long, i0, f.number(1))
		i2 := f.op("i2", "OpIAdd %s %s %s", long, i0, f.number(2))
		f.loaded[key] = strings.Join([]string{i0, i1, i2}, " ")
	}
	return [3]string(strings.Fields(f.loaded[key]))
}

// String is the module's text, instructions aligned as spirv-dis aligns them.
func (t *text) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "; SPIR-V\n; Version: %s\n;\n", cmp.Or(t.version, "1.0"))
	for _, line := range t.about {
		b.WriteString("; " + line + "\n")
	}
	b.WriteString("; " + generatedMark + ": changes belong there.\n\n")
	var lines []string
	section := func(format string, items []string) {
		for _, item := range items {
			lines = append(lines, fmt.Sprintf(format, item))
		}
	}
	section("OpCapability %s", t.capabilities)
	section("OpExtension %q", t.extensions)
	model := "Physical64 OpenCL"
	if t.shader {
		model = "Logical GLSL450"
	}
	lines = append(lines, "OpMemoryModel "+model)
	section("%s", t.entries)
	section("%s", t.names)
	section("%s", t.decorations)
	lines = append(lines, "")
	section("%s", t.globals)
	section("%s", t.functions)
	b.WriteString(align(lines))
	return b.String()
}

// align puts the "=" of all lines below each other.
func align(lines []string) string {
	width := 14
	for _, line := range lines {
		if id, _, ok := strings.Cut(line, " = "); ok {
			width = max(width, len(id))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		id, rest, ok := strings.Cut(line, " = ")
		switch {
		case line == "":
			b.WriteString("\n")
		case ok:
			fmt.Fprintf(&b, "%*s = %s\n", width, id, rest)
		default:
			fmt.Fprintf(&b, "%*s%s\n", width+3, "", line)
		}
	}
	return b.String()
}
