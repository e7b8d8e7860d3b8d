package gen

import (
	"fmt"
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
	targets []target
	kernel  bool
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
	e := &emitter{scope: map[int]bool{-1: true, -2: true, -3: true, -4: true}, label: "%entry", acc: "%acc", kernel: p.kernel}
	e.line("%%acc = OpVariable %%p_Function_u32 Function")
	e.line("OpStore %%acc %%u32_1")
	if p.Sync {
		e.beginSync(p)
	}
	if e.list(p, p.Main) {
		if p.Sync {
			e.endSync(p)
		}
		e.finish()
	}
	body = e.b.String()
	for i, f := range p.Funcs {
		e.b.Reset()
		e.function(p, i, f)
		functions += hoist(e.b.String())
	}
	return body, functions
}

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

// Globals returns the module-scope text: structures and function types.
func (p *Program) Globals() string {
	text := Globals + GroupGlobals
	seen := map[string]bool{}
	for _, f := range p.Funcs {
		if t := f.signature(); !seen[t] {
			seen[t] = true
			text += fmt.Sprintf("%%%s = OpTypeFunction %%%s %%p_Function_u32%s\n", t, f.Ret.Type, strings.Join(append([]string{""}, f.types()...), " %"))
		}
	}
	return text
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
func value(id int) string {
	if id < 0 {
		return []string{"%in0", "%in1", "%in2", "%gid"}[-id-1]
	}
	return fmt.Sprintf("%%v%d", id)
}

func (e *emitter) arg(a Arg) string {
	switch {
	case a.Lit != "":
		return a.Lit
	case e.scope[a.Ref]:
		return value(a.Ref)
	}
	return "%null_" + a.Type
}

func (e *emitter) define(r Res) string {
	e.scope[r.ID] = true
	return value(r.ID)
}

func (e *emitter) function(p *Program, i int, f *Func) {
	e.scope, e.acc, e.ret = map[int]bool{}, fmt.Sprintf("%%acc%d", i), f.Ret.Type
	e.line("%%func%d = OpFunction %%%s None %%%s", i, f.Ret.Type, f.signature())
	e.line("%s = OpFunctionParameter %%p_Function_u32", e.acc)
	for _, r := range f.Params {
		e.line("%s = OpFunctionParameter %%%s", e.define(r), r.Type)
	}
	e.begin(fmt.Sprintf("%%func%d_entry", i))
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
		x := e.fresh("shuffle")
		e.line("%s = OpSubgroupBitcastShuffleINTEL %%f32 %s", x, e.arg(s.Args[0]))
		e.sink(x, "f32")
	case Variable:
		e.line("%s = OpVariable %%p_Function_%s Function", e.define(s.Res[0]), s.Name)
		e.line("OpStore %s %s", value(s.Res[0].ID), e.arg(s.Args[0]))
	case Load, Store:
		e.access(s)
	case If:
		return e.ifStmt(p, s)
	case Loop:
		e.loop(p, s)
	case Switch:
		return e.switchStmt(p, s)
	case Call:
		args := e.acc
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
	case Collective:
		e.collective(s)
	case Atomic:
		e.atomic(s)
	case Exchange:
		e.exchange(s)
	}
	return true
}

func (e *emitter) op(s *Stmt) {
	args := ""
	for i, a := range s.Args {
		text := e.arg(a)
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
	at := value(v.Ref)
	if indices != "" {
		x := e.fresh("p")
		e.line("%s = OpAccessChain %%p_Function_%s %s%s", x, t, at, indices)
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
	q := &Program{Main: cloneList(p.Main), Sync: p.Sync, kernel: p.kernel}
	for _, f := range p.Funcs {
		q.Funcs = append(q.Funcs, &Func{Params: slices.Clone(f.Params), Ret: f.Ret, Body: cloneList(f.Body)})
	}
	return q
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
