// Package gen makes random kernels, small and well defined, for comparing the emulator with a reference: integers, floats,
// vectors, structures, arrays, phis, selections, switches, loops, calls. A program is a tree, so that one that fails can be
// cut down to what makes it fail.
package gen

import (
	"fmt"
	"math/rand/v2"
)

// Program is a kernel body and the functions it calls. Function i calls functions after it only.
type Program struct {
	Main   []*Stmt
	Funcs  []*Func
	Sync   bool // it has barriers and atomic accesses, and all work-items come to its end
	kernel bool
}

// Func is a function; it returns Ret and takes a pointer to the accumulator before its parameters.
type Func struct {
	Params []Res
	Ret    Arg
	Body   []*Stmt
}

// Arg is an operand: a value by number, or something written out.
type Arg struct {
	Ref  int
	Type string
	Lit  string // "%u32_7"; empty where Ref counts
}

// Res is a result.
type Res struct {
	ID   int
	Type string
}

// Kind says what a statement is.
type Kind int

// Kinds of statement.
const (
	Op         Kind = iota // Res[0] = Name Args Tail
	Sink                   // adds Args[0] to the accumulator
	Shuffle                // an identity shuffle of Args[0], which is added to the accumulator
	Variable               // a variable of type Name, with number Res[0].ID
	Load                   // Res[0] = element of variable Args[0].Ref
	Store                  // element of variable Args[0].Ref = Args[1]
	If                     // Args[0] is the condition; Bodies then and else
	Loop                   // Args[0] is the count; Bodies[0]
	Switch                 // Args[0] selects; Bodies by case, the last is the default
	Call                   // Res[0] = function Num of Args
	Return                 // from the function
	Break                  // out of the innermost loop or switch, where Args[0] if there is one
	Continue               // with the innermost loop, where Args[0] if there is one
	Collective             // Res[0] = operation Name of the sub-group, see group.go
	Atomic                 // an access to shared word Num
	Exchange               // Res[0] = Args[0] of the work-item Num places on in the work-group
)

// Stmt is a statement.
type Stmt struct {
	Kind   Kind
	Name   string
	Res    []Res
	Args   []Arg
	Tail   string // literal operands
	Index  []Arg  // of Load and Store: one index a level; a Lit is a member number
	Num    int
	Bodies [][]*Stmt
	// Outs are the values of the results of If and Switch, by body, and of Loop the next values of Carry.
	Outs   [][]Arg
	Init   []Arg // of Loop
	Carry  []Res // of Loop
	Labels []int64
	Fall   []bool // of Switch: a body goes on into the next
	Test   bool   // of Loop: the test is at the end
}

// generator makes one program.
type generator struct {
	r      *rand.Rand
	next   int
	scope  []Res // values that can be used here
	vars   []Res // variables
	funcs  []*Func
	fn     int // number of the function being made; -1: the body
	left   int // statements that may still be made
	loops  int // around here
	breaks int // loops and switches around here
	kernel bool
	sync   bool
	// uniform is set where all work-items come.
	uniform bool
	// pending are statements that define what the one being made needs.
	pending []*Stmt
}

// take returns the pending statements, which are pending no more.
func (g *generator) take() []*Stmt {
	list := g.pending
	g.pending = nil
	return list
}

// New makes a program from a seed. Kernels have a few more operations than shaders.
func New(seed uint64, kernel bool) *Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 77)), kernel: kernel}
	p := &Program{kernel: kernel, Sync: g.r.IntN(2) == 0}
	g.sync = p.Sync
	for range g.r.IntN(3) {
		p.Funcs = append(p.Funcs, &Func{})
	}
	g.funcs = p.Funcs
	for i := len(p.Funcs) - 1; i >= 0; i-- {
		g.function(i)
	}
	g.fn, g.left = -1, 8+g.r.IntN(30)
	g.scope = []Res{{-1, "u32"}, {-2, "u32"}, {-3, "u32"}, {-4, "u32"}}
	g.vars = nil
	for i := range p.Funcs { // none without a call
		c := g.callTo(i)
		p.Main = append(append(p.Main, g.take()...), c, g.sink())
	}
	g.uniform = p.Sync
	p.Main = append(p.Main, g.block(3)...)
	return p
}

func (g *generator) function(i int) {
	f := g.funcs[i]
	g.fn, g.left = i, 3+g.r.IntN(10)
	g.scope, g.vars = nil, nil
	for range 1 + g.r.IntN(3) {
		f.Params = append(f.Params, g.result(g.anyType()))
	}
	f.Ret.Type = g.anyType() // known to returns in the body
	g.scope = append(g.scope, f.Params...)
	f.Body = g.block(2)
	f.Ret = g.arg(f.Ret.Type)
	f.Body = append(f.Body, g.take()...)
}

var scalars = []string{"u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"}

func (g *generator) pick(list []string) string { return list[g.r.IntN(len(list))] }

func (g *generator) scalar() string {
	if g.r.IntN(3) == 0 {
		return "u32"
	}
	return g.pick(scalars)
}

// anyType is the type of a value: a scalar, a vector, an array or a structure.
func (g *generator) anyType() string {
	switch g.r.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("v%d%s", 2+g.r.IntN(3), g.scalar())
	case 2:
		return g.pick(composites)
	}
	return g.scalar()
}

// composites are the arrays and structures of all programs; Globals declares the structures.
var composites = []string{"a4_u32", "a2_v2f32", "s0", "s1", "a2_s0"}

// Globals declares the types a program uses.
const Globals = `
%s0 = OpTypeStruct %u32 %f32 %u8
%s1 = OpTypeStruct %s0 %v3u16 %a2_u64
%carry = OpTypeStruct %u32 %u32
`

// parts are the types a composite consists of; nil for scalars.
func parts(t string) []string {
	repeat := func(t string, n int) (out []string) {
		for range n {
			out = append(out, t)
		}
		return out
	}
	switch {
	case t == "s0":
		return []string{"u32", "f32", "u8"}
	case t == "s1":
		return []string{"s0", "v3u16", "a2_u64"}
	case t == "carry":
		return []string{"u32", "u32"}
	case t[0] == 'v':
		return repeat(t[2:], int(t[1]-'0'))
	case t[0] == 'a':
		return repeat(t[3:], int(t[1]-'0'))
	}
	return nil
}

func bits(t string) int {
	switch t[1:] {
	case "8":
		return 8
	case "16":
		return 16
	case "32":
		return 32
	case "64":
		return 64
	}
	return 1
}

func isInt(t string) bool   { return t[0] == 'u' }
func isFloat(t string) bool { return t[0] == 'f' }

// split takes a scalar or vector type apart: what a vector's name begins with, and the scalar.
func split(t string) (prefix, scalar string) {
	if t[0] == 'v' {
		return t[:2], t[2:]
	}
	return "", t
}

func (g *generator) result(t string) Res {
	g.next++
	return Res{g.next, t}
}

// arg finds an operand of a type: a value in scope, one made for the purpose, or now and then a constant.
func (g *generator) arg(t string) Arg {
	if g.r.IntN(10) == 0 {
		return Arg{Type: t, Lit: g.literal(t)}
	}
	var have []Res
	for _, v := range g.scope {
		if v.Type == t {
			have = append(have, v)
		}
	}
	switch {
	case len(have) > 0 && g.r.IntN(8) > 0:
		return Arg{Ref: have[g.r.IntN(len(have))].ID, Type: t}
	case t == "u32":
		return Arg{Type: t, Lit: g.literal(t)}
	}
	return g.build(t)
}

// build makes a value of a type out of others, in the end of the inputs, so that lanes differ.
func (g *generator) build(t string) Arg {
	s := g.make("", t)
	switch p, scalar := split(t); {
	case parts(t) != nil && (p == "" || g.r.IntN(2) == 0):
		s.Name = "OpCompositeConstruct"
		for _, e := range parts(t) {
			s.Args = append(s.Args, g.arg(e))
		}
	case scalar == "bool":
		s.Name, s.Args = g.pick([]string{"OpULessThan", "OpSLessThan", "OpIEqual"}), []Arg{g.arg(p + "u32"), g.arg(p + "u32")}
	case isInt(t) || p != "" && isInt(scalar):
		s.Name, s.Args = "OpUConvert", []Arg{g.arg(p + "u32")}
		if scalar == "u32" {
			s.Name, s.Args = "OpIAdd", []Arg{g.arg(t), g.arg(t)}
		}
	default:
		s.Name, s.Args = g.pick([]string{"OpConvertSToF", "OpConvertUToF"}), []Arg{g.arg(p + "u32")}
	}
	g.pending = append(g.pending, s)
	g.use(s.Res[0])
	return Arg{Ref: s.Res[0].ID, Type: t}
}

func (g *generator) literal(t string) string {
	switch {
	case t == "bool":
		return g.pick([]string{"%true", "%false"})
	case isInt(t) && len(t) <= 3:
		v := g.pick([]string{"0", "1", "2", "3", "7", "31", "100", "x7f", "x80", "xff"})
		if bits(t) > 8 && g.r.IntN(3) == 0 {
			v = g.pick([]string{"x7fff", "x8000", "xffff", "12345"})
		}
		if bits(t) > 16 && g.r.IntN(3) == 0 {
			v = g.pick([]string{"x7fffffff", "x80000000", "xffffffff", "1664525"})
		}
		return "%" + t + "_" + v
	case isFloat(t):
		return "%" + t + "_" + g.pick([]string{"0", "1", "m1", "0p5", "3p25", "m1000", "0p001", "65000", "m0p3333"})
	}
	return "%null_" + t
}

func (g *generator) use(r Res) Res {
	g.scope = append(g.scope, r)
	return r
}

func (g *generator) sink() *Stmt {
	if len(g.scope) == 0 {
		return &Stmt{Kind: Sink, Args: []Arg{g.arg("u32")}}
	}
	v := g.scope[len(g.scope)-1-g.r.IntN(min(len(g.scope), 3))]
	return &Stmt{Kind: Sink, Args: []Arg{{Ref: v.ID, Type: v.Type}}}
}

// block makes a list of statements; what they define goes out of scope behind it.
func (g *generator) block(depth int) []*Stmt {
	scope, vars := g.scope, g.vars
	out := g.open(depth)
	g.scope, g.vars = scope[:len(scope):len(scope)], vars
	return out
}

// open is block with everything left in scope.
func (g *generator) open(depth int) (out []*Stmt) {
	first := len(g.scope)
	for range 2 + g.r.IntN(6) {
		if g.left--; g.left < 0 {
			break
		}
		s := g.statement(depth)
		out = append(append(out, g.take()...), s)
		if leaves(s) {
			return out
		}
	}
	// What was computed last is looked at, so that little is without effect.
	for i := len(g.scope) - 1; i >= max(first, len(g.scope)-4); i-- {
		v := g.scope[i]
		out = append(out, &Stmt{Kind: Sink, Args: []Arg{{Ref: v.ID, Type: v.Type}}})
	}
	return out
}

// leaves reports whether nothing after the statement is reached.
func leaves(s *Stmt) bool {
	return s.Kind == Return || (s.Kind == Break || s.Kind == Continue) && len(s.Args) == 0
}

func (g *generator) statement(depth int) *Stmt {
	for {
		switch n := g.r.IntN(29); {
		case n >= 26 && g.r.IntN(4) > 0:
			return g.collective()
		case n >= 25 && g.uniform && g.r.IntN(3) == 0 && depth > 0:
			return g.together(depth - 1)
		case n >= 25 && g.uniform && g.r.IntN(2) == 0:
			return g.exchange()
		case n >= 24 && g.sync:
			return g.atomic()
		case n >= 24:
			continue
		case n < 10:
			return g.op()
		case n < 11:
			return g.sink()
		case n < 12:
			return &Stmt{Kind: Shuffle, Args: []Arg{g.arg("u32")}}
		case n < 13:
			t := g.pick(append([]string{"u32", "f32", "v4u32", "u8", "bool"}, composites...))
			s := &Stmt{Kind: Variable, Name: t, Res: []Res{g.result(t)}, Args: []Arg{{Type: t, Lit: "%null_" + t}}}
			g.vars = append(g.vars, s.Res[0])
			return s
		case n < 16 && len(g.vars) > 0:
			return g.access()
		case n < 18 && depth > 0:
			return g.ifStmt(depth - 1)
		case n < 20 && depth > 0:
			return g.loop(depth - 1)
		case n < 21 && depth > 0:
			return g.switchStmt(depth - 1)
		case n < 22 && g.fn+1 < len(g.funcs):
			return g.call()
		case n < 23 && g.breaks > 0 && g.r.IntN(2) == 0:
			s := &Stmt{Kind: Break}
			if g.loops > 0 && g.r.IntN(2) == 0 {
				s.Kind = Continue
			}
			if g.r.IntN(3) > 0 {
				s.Args = []Arg{g.arg("bool")}
			}
			return s
		case n < 24 && depth < 2 && g.r.IntN(4) == 0 && !(g.sync && g.fn < 0):
			return g.returnStmt()
		}
	}
}

func (g *generator) returnStmt() *Stmt {
	s := &Stmt{Kind: Return}
	if g.fn >= 0 {
		s.Args = []Arg{g.arg(g.funcs[g.fn].Ret.Type)}
	}
	return s
}

func (g *generator) call() *Stmt { return g.callTo(g.fn + 1 + g.r.IntN(len(g.funcs)-g.fn-1)) }

func (g *generator) callTo(n int) *Stmt {
	f := g.funcs[n]
	s := &Stmt{Kind: Call, Num: n}
	for _, p := range f.Params {
		s.Args = append(s.Args, g.arg(p.Type))
	}
	s.Res = []Res{g.use(g.result(f.Ret.Type))}
	return s
}

// access loads or stores an element of a variable. An index into an array is any value, cut to its length.
func (g *generator) access() *Stmt {
	v := g.vars[g.r.IntN(len(g.vars))]
	s := &Stmt{Kind: Load, Args: []Arg{{Ref: v.ID, Type: v.Type}}}
	t := v.Type
	for parts(t) != nil && g.r.IntN(4) > 0 {
		p := parts(t)
		i := g.r.IntN(len(p))
		index := Arg{Type: "u32", Lit: fmt.Sprintf("%%u32_%d", i)}
		if t[0] == 'a' && g.r.IntN(2) == 0 {
			index = g.arg("u32")
		}
		s.Index = append(s.Index, index)
		t = p[i]
	}
	if g.r.IntN(2) == 0 {
		s.Kind = Store
		s.Args = append(s.Args, g.arg(t))
		return s
	}
	s.Res = []Res{g.use(g.result(t))}
	return s
}

func (g *generator) ifStmt(depth int) *Stmt {
	s := &Stmt{Kind: If, Args: []Arg{g.arg("bool")}}
	g.bodies(s, depth, 2)
	return s
}

// bodies makes the bodies of a selection and its results.
func (g *generator) bodies(s *Stmt, depth, n int) {
	types := []string{}
	for range g.r.IntN(3) {
		types = append(types, g.anyType())
	}
	uniform := g.uniform
	g.uniform = false
	for range n {
		scope, vars := g.scope, g.vars
		before := g.take()
		body := g.open(depth)
		var outs []Arg
		for _, t := range types {
			outs = append(outs, g.arg(t))
		}
		body = append(body, g.take()...)
		g.pending = before
		g.scope, g.vars = scope[:len(scope):len(scope)], vars
		s.Bodies, s.Outs = append(s.Bodies, body), append(s.Outs, outs)
	}
	g.uniform = uniform
	for _, t := range types {
		s.Res = append(s.Res, g.use(g.result(t)))
	}
}

func (g *generator) switchStmt(depth int) *Stmt {
	t := g.pick([]string{"u32", "u32", "u8", "u16", "u64"})
	s := &Stmt{Kind: Switch, Args: []Arg{g.arg(t)}}
	n := 1 + g.r.IntN(4)
	g.breaks++
	g.bodies(s, depth, n+1)
	g.breaks--
	used := map[int64]bool{}
	for i := range n {
		v := int64(g.r.IntN(8))
		for used[v] {
			v++
		}
		used[v] = true
		s.Labels = append(s.Labels, v)
		s.Fall = append(s.Fall, i < n-1 && g.r.IntN(4) == 0)
	}
	return s
}

func (g *generator) loop(depth int) *Stmt {
	s := &Stmt{Kind: Loop, Args: []Arg{g.arg("u32")}, Test: g.r.IntN(3) == 0}
	types := []string{}
	for range g.r.IntN(3) {
		types = append(types, g.anyType())
	}
	for _, t := range types {
		s.Init = append(s.Init, g.arg(t))
	}
	scope, vars := g.scope, g.vars
	s.Res = []Res{g.result("u32")} // the counter
	for _, t := range types {
		s.Carry = append(s.Carry, g.result(t))
	}
	inside := append(append(scope[:len(scope):len(scope)], s.Res[0]), s.Carry...)
	g.scope = inside[:len(inside):len(inside)]
	g.loops++
	g.breaks++
	uniform := g.uniform
	g.uniform = uniform && g.loops == 0 // made by together
	before := g.take()
	body := g.open(depth)
	g.uniform = uniform
	g.loops--
	g.breaks--
	var outs []Arg
	for _, t := range types {
		outs = append(outs, g.arg(t))
	}
	body = append(body, g.take()...)
	g.pending = before
	s.Bodies, s.Outs = [][]*Stmt{body}, [][]Arg{outs}
	g.scope, g.vars = inside[:len(inside):len(inside)], vars
	return s
}
