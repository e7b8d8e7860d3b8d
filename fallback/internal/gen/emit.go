package gen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// emitter writes a program as SPIR-V text. A value that is not defined where it is used, because what defined it was cut
// out of the program, is written as a null constant.
type emitter struct {
	b       strings.Builder
	scope   map[int]bool
	label   string // of the current block
	next    int
	acc     string // pointer to the accumulator
	ret     string // type of the function's result; empty in the body
	suffix  string // of the names of what every function has
	kernel  bool
	strict  bool
	targets []target
}

// target is a construct around here that Break and Continue lead out of.
type target struct {
	merge  string
	breaks []string // blocks that break
	loop   bool
	next   string
	again  []string // blocks that continue
}

// Body returns the text of the kernel body and of its functions.
func (p *Program) Body() (body, functions string) {
	e := &emitter{label: "%entry", kernel: p.Kernel, strict: p.Strict}
	called := p.called()
	for i, f := range p.Funcs {
		if !called[i] {
			continue
		}
		e.function(p, i, f)
		functions += hoist(e.b.String())
		e.b.Reset()
	}
	e.scope, e.acc, e.ret, e.suffix = map[int]bool{privateStorage: true}, "%acc", "", ""
	for i := globalID - 1; i < 0; i++ {
		e.scope[i] = true
	}
	e.label = "%on"
	if e.list(p, p.Main) {
		e.finish()
	}
	body = e.b.String()
	e.b.Reset()
	e.line("%%acc = OpVariable %%p_Function_u32 Function")
	e.line("OpStore %%acc %%u32_1")
	e.line("%%cnt = OpCopyObject %%u32 %%in3")
	e.line("%%uni = OpCopyObject %%u32 %%in4")
	if len(called) > 0 {
		e.line("%%ctx = OpCompositeConstruct %%v4u32 %%gid %%lid %%cnt %%uni")
	}
	e.atomicsStart(body + functions)
	e.line("OpBranch %%on")
	e.begin("%on")
	return e.b.String() + body, functions
}

// called are the functions that calls lead to.
func (p *Program) called() map[int]bool {
	out := map[int]bool{}
	var list func([]*Stmt)
	list = func(body []*Stmt) {
		for _, s := range body {
			if s.Kind == Call && !out[s.Num] {
				out[s.Num] = true
				list(p.Funcs[s.Num].Body)
			}
			for _, b := range s.Bodies {
				list(b)
			}
		}
	}
	list(p.Main)
	return out
}

// own is what every function has: the lane's ids gid and lid, the count cnt of lanes in its work-group, the input uni.
func (e *emitter) own(name string) string { return "%" + name + e.suffix }

// hoist moves a function's variables behind its first label, where they must stand.
func hoist(text string) string {
	var head, vars, rest strings.Builder
	at := &head
	for line := range strings.Lines(text) {
		switch {
		case strings.Contains(line, " = OpVariable "):
			vars.WriteString(line)
		default:
			at.WriteString(line)
			if strings.Contains(line, " = OpLabel") && at == &head {
				at = &rest
			}
		}
	}
	return head.String() + vars.String() + rest.String()
}

// Module is what stands around a program's functions, given their text.
type Module struct {
	Globals, Annotate, Interface string
	Caps, Exts                   []string
}

var workgroupVariable = regexp.MustCompile(`%wg_\w+`)

// Around returns what the text of the functions needs at module scope.
func (p *Program) Around(text string) Module {
	m := Module{Globals: Globals}
	seen := map[string]bool{}
	called := p.called()
	for i, f := range p.Funcs {
		if t := f.signature(); called[i] && !seen[t] {
			seen[t] = true
			m.Globals += fmt.Sprintf("%%%s = OpTypeFunction %%%s %%p_Function_u32 %%v4u32%s\n", t, f.Ret.Type, strings.Join(append([]string{""}, f.types()...), " %"))
		}
	}
	variable := func(id, class, t string, more string) {
		if !seen[id] && strings.Contains(text, id) {
			seen[id] = true
			m.Globals += fmt.Sprintf("%s = OpVariable %%p_%s_%s %s%s\n", id, class, t, class, more)
			m.Interface += " " + id
		}
	}
	for _, id := range workgroupVariable.FindAllString(text, -1) {
		variable(id, "Workgroup", fmt.Sprintf("a%d_%s", LocalLimit, id[len("%wg_"):]), "")
	}
	variable("%wga32", "Workgroup", fmt.Sprintf("a%d_u32", len(atomics)), "")
	variable("%wga64", "Workgroup", fmt.Sprintf("a%d_u64", len(atomics)), "")
	variable("%prv", "Private", "s1", " %null_s1")
	variable("%lane_var", "Input", "u32", "")
	variable("%size_var", "Input", "u32", "")
	for _, b := range [][2]string{{"%lane_var", "SubgroupLocalInvocationId"}, {"%size_var", "SubgroupSize"}} {
		if seen[b[0]] {
			m.Annotate += fmt.Sprintf("OpDecorate %s BuiltIn %s\n", b[0], b[1])
		}
	}
	m.Caps, m.Exts = needed(capabilities, text), needed(extensions, text)
	return m
}

// needed are those names of a table whose mark is in the text.
func needed(table [][2]string, text string) (out []string) {
	for _, c := range table {
		if strings.Contains(text, c[1]) && !slices.Contains(out, c[0]) {
			out = append(out, c[0])
		}
	}
	return out
}

func (f *Func) types() (out []string) {
	for _, p := range f.Params {
		out = append(out, p.Type)
	}
	return out
}

func (f *Func) signature() string { return "type_" + f.Ret.Type + "_" + strings.Join(f.types(), "_") }

func (e *emitter) line(format string, args ...any) {
	fmt.Fprintf(&e.b, format+"\n", args...)
}

func (e *emitter) fresh(what string) string {
	e.next++
	return fmt.Sprintf("%%%s_%d", what, e.next)
}

func (e *emitter) begin(label string) {
	e.line("%s = OpLabel", label)
	e.label = label
}

// value writes a value's id.
func (e *emitter) value(id int) string {
	switch {
	case id == privateStorage:
		return "%prv"
	case id == globalID:
		return e.own("gid")
	case id == uniformInput:
		return e.own("uni")
	case id < 0:
		return fmt.Sprintf("%%in%d", -id-1)
	}
	return fmt.Sprintf("%%v%d", id)
}

func (e *emitter) arg(a Arg) string {
	switch {
	case a.Lit != "":
		return a.Lit
	case e.scope[a.Ref]:
		return e.value(a.Ref)
	case strings.HasPrefix(a.Type, pointerTo):
		x := e.fresh("none")
		e.line("%s = OpVariable %%%s Function %%null_%s", x, a.Type, a.Type[len(pointerTo):])
		return x
	}
	return "%null_" + a.Type
}

func (e *emitter) define(r Res) string {
	e.scope[r.ID] = true
	return e.value(r.ID)
}

func (e *emitter) function(p *Program, i int, f *Func) {
	e.scope, e.acc, e.ret = map[int]bool{globalID: true, uniformInput: true, privateStorage: true}, fmt.Sprintf("%%acc%d", i), f.Ret.Type
	e.suffix = fmt.Sprintf("_f%d", i)
	e.line("%%func%d = OpFunction %%%s None %%%s", i, f.Ret.Type, f.signature())
	e.line("%s = OpFunctionParameter %%p_Function_u32", e.acc)
	e.line("%%ctx%d = OpFunctionParameter %%v4u32", i)
	for _, r := range f.Params {
		e.line("%s = OpFunctionParameter %%%s", e.define(r), r.Type)
	}
	e.begin(fmt.Sprintf("%%func%d_entry", i))
	for k, name := range []string{"gid", "lid", "cnt", "uni"} {
		e.line("%s = OpCompositeExtract %%u32 %%ctx%d %d", e.own(name), i, k)
	}
	if e.list(p, f.Body) {
		e.line("OpReturnValue %s", e.arg(f.Ret))
	}
	e.line("OpFunctionEnd")
}

// finish ends the kernel.
func (e *emitter) finish() {
	x := e.fresh("x")
	e.line("%s = OpLoad %%u32 %%acc", x)
	e.line("OpStore %%out0 %s", x)
	e.line("OpReturn")
}

// list writes statements. It reports whether their end is reached. What they define stays in scope.
func (e *emitter) list(p *Program, list []*Stmt) bool {
	for _, s := range list {
		if !e.stmt(p, s) {
			return false
		}
	}
	return true
}

// body writes statements whose definitions end with them, but for f, which is called at their end.
func (e *emitter) body(p *Program, list []*Stmt, f func()) bool {
	before := make(map[int]bool, len(e.scope))
	for k := range e.scope {
		before[k] = true
	}
	reached := e.list(p, list)
	if reached {
		f()
	}
	e.scope = before
	return reached
}

func (e *emitter) stmt(p *Program, s *Stmt) bool {
	switch s.Kind {
	case Op:
		e.op(s)
	case Sink:
		e.sink(e.arg(s.Args[0]), s.Args[0].Type)
	case Shuffle:
		if len(s.Res) > 0 {
			x := e.arg(s.Args[0])
			r := e.define(s.Res[0])
			e.line("%s = OpSubgroupBitcastShuffleINTEL %%%s %s", r, s.Res[0].Type, x)
			break
		}
		x := e.fresh("shuffle")
		e.line("%s = OpSubgroupBitcastShuffleINTEL %%f32 %s", x, e.arg(s.Args[0]))
		e.sink(x, "f32")
	case Variable:
		e.line("%s = OpVariable %%p_Function_%s Function", e.define(s.Res[0]), s.Name)
		e.line("OpStore %s %s", e.value(s.Res[0].ID), e.arg(s.Args[0]))
	case Load, Store:
		e.access(s)
	case If:
		return e.ifStmt(p, s)
	case Loop:
		e.loop(p, s)
	case Switch:
		return e.switchStmt(p, s)
	case Call:
		args := e.acc + " %ctx" + strings.Replace(e.suffix, "_f", "", 1)
		for _, a := range s.Args {
			args += " " + e.arg(a)
		}
		e.line("%s = OpFunctionCall %%%s %%func%d %s", e.define(s.Res[0]), s.Res[0].Type, s.Num, args)
	case Return:
		if e.ret == "" {
			e.finish()
		} else {
			e.line("OpReturnValue %s", e.arg(s.Args[0]))
		}
		return false
	case Break, Continue:
		return e.leave(s)
	case Group:
		e.group(s)
	case Exchange:
		e.exchange(s)
	case Atomic:
		e.atomic(s)
	case Gather:
		e.gather(s)
	case Read:
		e.read(s)
	}
	return true
}

func (e *emitter) op(s *Stmt) {
	args := ""
	for i, text := range e.guarded(s) {
		if s.Num > 0 && i == len(s.Args)-1 { // an index into a vector of Num components
			x := e.fresh("i")
			e.line("%s = OpUMod %%u32 %s %%u32_%d", x, text, s.Num)
			text = x
		}
		args += " " + text
	}
	e.line("%s = %s %%%s%s%s", e.define(s.Res[0]), s.Name, s.Res[0].Type, args, s.Tail)
}

// sink adds a value to the accumulator.
func (e *emitter) sink(v, t string) {
	for _, x := range e.words(v, t) {
		old, m, sum := e.fresh("s"), e.fresh("s"), e.fresh("s")
		e.line("%s = OpLoad %%u32 %s", old, e.acc)
		e.line("%s = OpIMul %%u32 %s %%u32_31", m, old)
		e.line("%s = OpIAdd %%u32 %s %s", sum, m, x)
		e.line("OpStore %s %s", e.acc, sum)
	}
}

// words takes a value apart into 32-bit words.
func (e *emitter) words(v, t string) (out []string) {
	if p := parts(t); p != nil {
		for i, t := range p {
			x := e.fresh("s")
			e.line("%s = OpCompositeExtract %%%s %s %d", x, t, v, i)
			out = append(out, e.words(x, t)...)
		}
		return out
	}
	if isFloat(t) {
		t = "u" + t[1:]
		x := e.fresh("s")
		e.line("%s = OpBitcast %%%s %s", x, t, v)
		v = x
	}
	x := e.fresh("s")
	switch t {
	case "u32":
		return []string{v}
	case "bool":
		e.line("%s = OpSelect %%u32 %s %%u32_1 %%u32_0", x, v)
	case "u64":
		high, y := e.fresh("s"), e.fresh("s")
		e.line("%s = OpShiftRightLogical %%u64 %s %%u64_32", high, v)
		e.line("%s = OpUConvert %%u32 %s", y, high)
		e.line("%s = OpUConvert %%u32 %s", x, v)
		return []string{x, y}
	default:
		e.line("%s = OpUConvert %%u32 %s", x, v)
	}
	return []string{x}
}

func (e *emitter) access(s *Stmt) {
	v := s.Args[0]
	if !e.scope[v.Ref] { // the variable was cut out
		if s.Kind == Load {
			e.line("%s = OpCopyObject %%%s %%null_%s", e.define(s.Res[0]), s.Res[0].Type, s.Res[0].Type)
		}
		return
	}
	t, indices := v.Type, ""
	for _, a := range s.Index {
		p := parts(t)
		text := e.arg(a)
		if t[0] == 'a' && a.Lit == "" {
			x := e.fresh("i")
			e.line("%s = OpUMod %%u32 %s %%u32_%d", x, text, len(p))
			text = x
			t = p[0]
		} else {
			i := 0
			fmt.Sscanf(strings.TrimPrefix(a.Lit, "%u32_"), "%d", &i)
			i %= len(p)
			text = fmt.Sprintf("%%u32_%d", i)
			t = p[i]
		}
		indices += " " + text
	}
	at := e.value(v.Ref)
	if indices != "" {
		x := e.fresh("p")
		class := "Function"
		if v.Ref == privateStorage {
			class = "Private"
		}
		e.line("%s = OpAccessChain %%p_%s_%s %s%s", x, class, t, at, indices)
		at = x
	}
	if s.Kind == Load {
		e.line("%s = OpLoad %%%s %s", e.define(s.Res[0]), t, at)
	} else {
		e.line("OpStore %s %s", at, e.arg(s.Args[1]))
	}
}

// leave writes a Break or Continue.
func (e *emitter) leave(s *Stmt) bool {
	i := len(e.targets) - 1
	for ; i >= 0 && s.Kind == Continue && !e.targets[i].loop; i-- {
	}
	if i < 0 {
		return true // the construct was cut out
	}
	t := &e.targets[i]
	to := t.merge
	if s.Kind == Continue {
		to = t.next
		t.again = append(t.again, e.label)
	} else {
		t.breaks = append(t.breaks, e.label)
	}
	if len(s.Args) == 0 {
		e.line("OpBranch %s", to)
		return false
	}
	rest := e.fresh("on")
	e.line("OpBranchConditional %s %s %s", e.arg(s.Args[0]), to, rest)
	e.begin(rest)
	return true
}

// Clone copies a program.
func (p *Program) Clone() *Program {
	q := *p
	q.Main, q.Funcs = cloneList(p.Main), nil
	for _, f := range p.Funcs {
		c := *f
		c.Body = cloneList(f.Body)
		q.Funcs = append(q.Funcs, &c)
	}
	return &q
}

func cloneList(list []*Stmt) []*Stmt {
	out := make([]*Stmt, len(list))
	for i, s := range list {
		c := *s
		c.Args, c.Init = slices.Clone(s.Args), slices.Clone(s.Init)
		c.Bodies = make([][]*Stmt, len(s.Bodies))
		for j, b := range s.Bodies {
			c.Bodies[j] = cloneList(b)
		}
		out[i] = &c
	}
	return out
}
