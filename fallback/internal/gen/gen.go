// Package gen makes random kernels, small and well defined, for comparing the emulator with a reference: integers, floats,
// vectors, structures, arrays, pointers, phis, selections, switches, loops, calls, barriers, atomics, sub-group instructions.
// A program is a tree, so that one that fails can be cut down to what makes it fail.
package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Program is a kernel body and the functions it calls. Function i calls functions after it only.
type Program struct {
	Main   []*Stmt
	Funcs  []*Func
	Kernel bool
	// Strict is whether nothing undefined happens. Other programs hold cases for which the emulator documents a value.
	Strict bool
	// Full is whether work-groups must be multiples of the sub-group size.
	Full bool
	// Sizes are those of sub-groups, smallest first.
	Sizes [3]int
}

// Func is a function; it returns Ret and takes a pointer to the accumulator before its parameters.
//
// A parameter of a type such as p_Function_u32 is a variable of the caller.
type Func struct {
	Params  []Res
	Ret     Arg
	Body    []*Stmt
	Barrier bool // all lanes of the work-group must call it together
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
	Op       Kind = iota // Res[0] = Name Args Tail
	Sink                 // adds Args[0] to the accumulator
	Shuffle              // Res[0] = a bitcast shuffle of Args[0]; without Res an identity, which is added to the accumulator
	Variable             // a variable of type Name, with number Res[0].ID
	Load                 // Res[0] = element of variable Args[0].Ref
	Store                // element of variable Args[0].Ref = Args[1]
	If                   // Args[0] is the condition; Bodies then and else
	Loop                 // Args[0] is the count; Bodies[0]
	Switch               // Args[0] selects; Bodies by case, the last is the default
	Call                 // Res[0] = function Num of Args
	Return               // from the function
	Break                // out of the innermost loop or switch, where Args[0] if there is one
	Continue             // with the innermost loop, where Args[0] if there is one
	Group                // Res[0] = the sub-group instruction Name (less OpGroupNonUniform) of Args, Tail, a cluster of Num
	Exchange             // Args[0] into the lane's slot, Res[0] = another lane's, by Args[1]
	Atomic               // the instruction Name on word Num of Tail, with Args[0]
	Gather               // Res[0] = word Num of Tail, between two barriers
	Read                 // Res[0] = the input word Args[0]
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
	Init   []Arg     // of Loop
	Carry  []Res     // of Loop
	Labels [][]int64 // of Switch, by body but the last
	Fall   []bool    // of Switch: a body goes on into the next
	Test   bool      // of Loop: the test is at the end
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
	p      *Program
	// uni is whether all lanes of the work-group are together here, if none has returned.
	uni      bool
	returned bool // some lanes may have returned
	noReturn int  // loops around here that all lanes must go through together
	barrier  bool // the function being made holds a barrier
	// pending are statements that define what the one being made needs.
	pending []*Stmt
}

// take returns the pending statements, which are pending no more.
func (g *generator) take() []*Stmt {
	list := g.pending
	g.pending = nil
	return list
}

// subGroupSizes are what programs run with.
var subGroupSizes = [][3]int{{1, 8, 32}, {4, 16, 64}, {2, 8, 16}, {8, 16, 32}, {16, 32, 128}, {4, 8, 32}}

// New makes a program from a seed. Every fourth is not strict.
func New(seed uint64, kernel bool) *Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 77)), kernel: kernel}
	p := &Program{Kernel: kernel, Strict: seed%4 != 3, Full: seed%2 == 0, Sizes: subGroupSizes[g.r.IntN(len(subGroupSizes))]}
	g.p = p
	for range g.r.IntN(3) {
		p.Funcs = append(p.Funcs, &Func{})
	}
	g.funcs = p.Funcs
	for i := len(p.Funcs) - 1; i >= 0; i-- {
		g.function(i)
	}
	g.fn, g.left = -1, 8+g.r.IntN(30)
	g.start([]Res{{-1, "u32"}, {-2, "u32"}, {-3, "u32"}, {globalID, "u32"}, {uniformInput, "u32"}}, true)
	for i := range p.Funcs { // none without a call
		c := g.callTo(i)
		p.Main = append(append(p.Main, g.take()...), c, g.sink())
	}
	p.Main = append(p.Main, g.block(3)...)
	return p
}

// What all functions know besides their parameters.
const (
	globalID       = -4
	uniformInput   = -5
	privateStorage = -10 // a variable of shaders
)

// start prepares for the body of a function.
func (g *generator) start(scope []Res, together bool) {
	g.scope, g.vars = scope, nil
	if !g.kernel {
		g.vars = []Res{{privateStorage, "s1"}}
	}
	g.uni, g.returned, g.barrier = together, false, false
}

func (g *generator) function(i int) {
	f := g.funcs[i]
	g.fn, g.left = i, 3+g.r.IntN(10)
	g.start([]Res{{globalID, "u32"}, {uniformInput, "u32"}}, g.r.IntN(2) == 0)
	for range 1 + g.r.IntN(3) {
		p := g.result(g.anyType())
		if g.r.IntN(4) == 0 {
			g.vars = append(g.vars, p)
			p.Type = pointerTo + p.Type
		} else {
			g.scope = append(g.scope, p)
		}
		f.Params = append(f.Params, p)
	}
	f.Ret.Type = g.anyType() // known to returns in the body
	f.Body = g.block(2)
	f.Ret = g.arg(f.Ret.Type)
	f.Body = append(f.Body, g.take()...)
	f.Barrier = g.barrier
}

const pointerTo = "p_Function_"

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
		uni := g.uni && !g.returned
		switch n := g.r.IntN(34); {
		case n < 10:
			return g.op()
		case n < 11:
			return g.sink()
		case n < 12 && !g.p.Strict:
			if g.r.IntN(2) == 0 {
				return g.shuffle()
			}
			return &Stmt{Kind: Shuffle, Args: []Arg{g.arg("u32")}}
		case n < 12 && uni && g.p.Full:
			g.barrier = true // callers must come together
			return g.shuffle()
		case n < 13:
			return g.variable(g.pick(append([]string{"u32", "f32", "v4u32", "u8", "bool"}, composites...)))
		case n < 16 && len(g.vars) > 0:
			return g.access()
		case n < 18 && depth > 0:
			return g.ifStmt(depth - 1)
		case n < 20 && depth > 0:
			return g.loop(depth - 1)
		case n < 21 && depth > 0:
			return g.switchStmt(depth - 1)
		case n < 22 && g.fn+1 < len(g.funcs):
			if s := g.call(); s != nil {
				return s
			}
		case n < 23 && g.breaks > 0 && g.r.IntN(2) == 0:
			s := &Stmt{Kind: Break}
			if g.loops > 0 && g.r.IntN(2) == 0 {
				s.Kind = Continue
			}
			if g.r.IntN(3) > 0 {
				s.Args = []Arg{g.arg("bool")}
			}
			return s
		case n < 24 && depth < 2 && g.noReturn == 0 && g.r.IntN(4) == 0:
			return g.returnStmt()
		case n < 25 && (g.fn < 0 || !g.kernel):
			return &Stmt{Kind: Read, Args: []Arg{g.arg("u32")}, Res: []Res{g.use(g.result("u32"))}}
		case n < 30:
			return g.group()
		case n < 32:
			return g.atomic()
		case n < 34 && uni:
			return g.together(depth)
		}
	}
}

func (g *generator) variable(t string) *Stmt {
	s := &Stmt{Kind: Variable, Name: t, Res: []Res{g.result(t)}, Args: []Arg{{Type: t, Lit: "%null_" + t}}}
	g.vars = append(g.vars, s.Res[0])
	return s
}

func (g *generator) returnStmt() *Stmt {
	s := &Stmt{Kind: Return}
	g.returned = true
	if g.fn >= 0 {
		s.Args = []Arg{g.arg(g.funcs[g.fn].Ret.Type)}
	}
	return s
}

// call makes a call; nil if no function may be called here.
func (g *generator) call() *Stmt {
	n := g.fn + 1 + g.r.IntN(len(g.funcs)-g.fn-1)
	if g.funcs[n].Barrier && !(g.uni && !g.returned) {
		return nil
	}
	return g.callTo(n)
}

func (g *generator) callTo(n int) *Stmt {
	f := g.funcs[n]
	g.barrier = g.barrier || f.Barrier
	s := &Stmt{Kind: Call, Num: n}
	for _, p := range f.Params {
		if t, ok := strings.CutPrefix(p.Type, pointerTo); ok {
			s.Args = append(s.Args, Arg{Ref: g.variableOf(t), Type: p.Type})
		} else {
			s.Args = append(s.Args, g.arg(p.Type))
		}
	}
	s.Res = []Res{g.use(g.result(f.Ret.Type))}
	return s
}

// variableOf finds or makes a variable of a type.
func (g *generator) variableOf(t string) int {
	for _, v := range g.vars {
		if v.Type == t && v.ID != privateStorage {
			return v.ID
		}
	}
	v := g.variable(t)
	g.pending = append(g.pending, v)
	return v.Res[0].ID
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
	defer g.apart()()
	return g.ifOf(g.arg("bool"), depth)
}

// apart notes that lanes part here; the result ends that.
func (g *generator) apart() func() {
	before := g.uni
	g.uni = false
	return func() { g.uni = before }
}

func (g *generator) ifOf(cond Arg, depth int) *Stmt {
	s := &Stmt{Kind: If, Args: []Arg{cond}}
	g.bodies(s, depth, 2)
	return s
}

// bodies makes the bodies of a selection and its results.
func (g *generator) bodies(s *Stmt, depth, n int) {
	types := []string{}
	for range g.r.IntN(3) {
		types = append(types, g.anyType())
	}
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
	for _, t := range types {
		s.Res = append(s.Res, g.use(g.result(t)))
	}
}

func (g *generator) switchStmt(depth int) *Stmt {
	t := g.pick([]string{"u32", "u32", "u8", "u16", "u64"})
	s := &Stmt{Kind: Switch, Args: []Arg{g.arg(t)}}
	defer g.apart()()
	n := 1 + g.r.IntN(4)
	g.breaks++
	g.bodies(s, depth, n+1)
	g.breaks--
	used := map[int64]bool{}
	for i := range n {
		var labels []int64
		for more := true; more; more = g.r.IntN(4) == 0 {
			v := int64(g.r.IntN(8))
			for used[v] {
				v++
			}
			used[v] = true
			labels = append(labels, v)
		}
		s.Labels = append(s.Labels, labels)
		s.Fall = append(s.Fall, i < n-1 && g.r.IntN(4) == 0)
	}
	return s
}

func (g *generator) loop(depth int) *Stmt {
	defer g.apart()()
	return g.loopOf(g.arg("u32"), depth, false)
}

// loopOf makes a loop; no lane leaves one that all go through together before its end.
func (g *generator) loopOf(count Arg, depth int, together bool) *Stmt {
	s := &Stmt{Kind: Loop, Args: []Arg{count}, Test: g.r.IntN(3) == 0}
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
	loops, breaks := g.loops, g.breaks
	g.loops++
	g.breaks++
	if together {
		g.loops, g.breaks = 0, 0
		g.noReturn++
	}
	before := g.take()
	body := g.open(depth)
	g.loops, g.breaks = loops, breaks
	if together {
		g.noReturn--
	}
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
