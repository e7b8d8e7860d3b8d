package gen

import "fmt"

// Programs whose lanes work together: operations of the sub-group, wherever lanes come to them; and, in programs that Sync,
// atomic accesses that commute, and exchanges between lanes of the work-group around barriers. An exchange only stands
// where all work-items come to it: in the body, or in loops that all of them leave together.

// GroupGlobals declares what such programs use besides Globals. The specialization constants are the work-group's and the
// sub-group's size, and the number of work-items.
const GroupGlobals = `
%local_n = OpSpecConstant %u32 64
%sub_n = OpSpecConstant %u32 16
%items_n = OpSpecConstant %u32 64
%words_shared = OpVariable %p_Workgroup_a8_u32 Workgroup
%longs_shared = OpVariable %p_Workgroup_a4_u64 Workgroup
%slots_shared = OpVariable %p_Workgroup_a256_u32 Workgroup
%lane_var = OpVariable %p_Input_u32 Input
`

// GroupAnnotate decorates it, GroupInterface lists it, GroupCaps are the capabilities.
const (
	GroupAnnotate = `OpDecorate %local_n SpecId 901
OpDecorate %sub_n SpecId 902
OpDecorate %items_n SpecId 903
OpDecorate %lane_var BuiltIn SubgroupLocalInvocationId`
	GroupInterface = "%words_shared %longs_shared %slots_shared %lane_var"
)

// GroupCaps are the capabilities a program needs besides those all have.
var GroupCaps = []string{
	"GroupNonUniform", "GroupNonUniformVote", "GroupNonUniformArithmetic", "GroupNonUniformBallot", "GroupNonUniformShuffle",
	"GroupNonUniformShuffleRelative", "GroupNonUniformClustered", "Int64Atomics",
}

var groupArithmetic = []string{
	"OpGroupNonUniformIAdd", "OpGroupNonUniformIMul", "OpGroupNonUniformSMin", "OpGroupNonUniformUMin", "OpGroupNonUniformSMax",
	"OpGroupNonUniformUMax", "OpGroupNonUniformBitwiseAnd", "OpGroupNonUniformBitwiseOr", "OpGroupNonUniformBitwiseXor",
}

// collective makes an operation of the sub-group.
func (g *generator) collective() *Stmt {
	s := &Stmt{Kind: Collective}
	res := "u32"
	switch g.r.IntN(12) {
	case 0, 1, 2:
		res = g.vectorOr(g.intType())
		s.Name, s.Args, s.Tail = g.pick(groupArithmetic), []Arg{g.arg(res)}, g.pick([]string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"})
	case 3:
		res = "bool"
		s.Name, s.Args = g.pick([]string{"OpGroupNonUniformLogicalAnd", "OpGroupNonUniformLogicalOr", "OpGroupNonUniformLogicalXor"}), []Arg{g.arg(res)}
		s.Tail = g.pick([]string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"})
	case 4:
		res = "bool"
		s.Name, s.Args = g.pick([]string{"OpGroupNonUniformAll", "OpGroupNonUniformAny"}), []Arg{g.arg("bool")}
	case 5:
		res = "bool"
		s.Name, s.Args = "OpGroupNonUniformAllEqual", []Arg{g.arg(g.pick([]string{"u32", "u8", "bool", "u64", "v2u16"}))}
	case 6:
		res, s.Name = "bool", "OpGroupNonUniformElect"
	case 7:
		res = g.vectorOr(g.scalar())
		s.Name, s.Args = "OpGroupNonUniformBroadcastFirst", []Arg{g.arg(res)}
	case 8:
		s.Name, s.Args = g.pick([]string{"ballot", "count", "first", "last", "extract", "inverse"}), []Arg{g.arg("bool"), g.arg("u32")}
		s.Tail = g.pick([]string{"Reduce", "InclusiveScan", "ExclusiveScan"})
		switch s.Name {
		case "ballot":
			res = "v4u32"
		case "extract", "inverse":
			res = "bool"
		}
	default:
		res = g.vectorOr(g.scalar())
		s.Name = g.pick([]string{"OpGroupNonUniformShuffle", "OpGroupNonUniformShuffleXor", "OpGroupNonUniformShuffleUp", "OpGroupNonUniformShuffleDown"})
		s.Args = []Arg{g.arg(res), g.arg("u32")}
	}
	if s.Tail == "ClusteredReduce" {
		s.Num = 1 << g.r.IntN(3)
	}
	s.Res = []Res{g.use(g.result(res))}
	return s
}

// sharedAtomics are the words of local memory: one kind of access each, so that their order makes no difference. start is
// what the word holds at first.
var sharedAtomics = []struct {
	ops   []string
	start string
}{
	{[]string{"IAdd", "ISub", "IIncrement", "IDecrement"}, "%u32_7"},
	{[]string{"And"}, "%u32_xffffffff"},
	{[]string{"Or"}, "%u32_0"},
	{[]string{"Xor"}, "%u32_12345"},
	{[]string{"UMin"}, "%u32_xffffffff"},
	{[]string{"UMax"}, "%u32_1"},
	{[]string{"SMin"}, "%u32_x7fffffff"},
	{[]string{"SMax"}, "%u32_x80000000"},
}

var longAtomics = []struct{ op, start string }{{"IAdd", "%u64_3"}, {"UMax", "%u64_1"}, {"Xor", "%u64_100"}, {"SMin", "%u64_31"}}

// atomic makes an atomic access that commutes with all others of its word. Functions have no access to the buffer.
func (g *generator) atomic() *Stmt {
	s := &Stmt{Kind: Atomic, Num: g.r.IntN(len(sharedAtomics))}
	switch n := g.r.IntN(6); {
	case n == 0:
		s.Num = g.r.IntN(len(longAtomics))
		s.Name, s.Tail, s.Args = longAtomics[s.Num].op, "long", []Arg{g.arg("u64")}
	case n == 1 && g.fn < 0:
		s.Name, s.Tail, s.Args = "IAdd", "buffer", []Arg{g.arg("u32"), g.arg("u32")}
	default:
		s.Name, s.Tail, s.Args = g.pick(sharedAtomics[s.Num].ops), "word", []Arg{g.arg("u32")}
	}
	return s
}

// exchange makes a value go to a lane some places away.
func (g *generator) exchange() *Stmt {
	s := &Stmt{Kind: Exchange, Args: []Arg{g.arg("u32")}, Num: g.r.IntN(9)}
	s.Res = []Res{g.use(g.result("u32"))}
	return s
}

// together makes a loop that all work-items go round equally often, so that exchanges may stand in it.
func (g *generator) together(depth int) *Stmt {
	loops, breaks := g.loops, g.breaks
	g.loops, g.breaks = -1, -1 // neither the loop's own
	s := g.loop(depth)
	g.loops, g.breaks = loops, breaks
	s.Args[0] = Arg{Type: "u32", Lit: g.pick([]string{"%u32_1", "%u32_2", "%u32_3"})}
	return s
}

func (e *emitter) collective(s *Stmt) {
	t := s.Res[0].Type
	var args []string
	for _, a := range s.Args {
		args = append(args, e.arg(a))
	}
	op := func(what, name, t, operands string) string {
		x := e.fresh(what)
		e.line("%s = %s %%%s %s", x, name, t, operands)
		return x
	}
	result := func(name, operands string) { e.line("%s = %s %%%s %s", e.define(s.Res[0]), name, t, operands) }
	const scope = "%u32_3"
	ballot := func(of string) string { return op("ballot", "OpGroupNonUniformBallot", "v4u32", scope+" "+of) }
	lane := func(n string) string { return op("lane", "OpUMod", "u32", n+" %sub_n") }
	switch s.Name {
	case "OpGroupNonUniformElect":
		result(s.Name, scope)
	case "OpGroupNonUniformAll", "OpGroupNonUniformAny", "OpGroupNonUniformAllEqual", "OpGroupNonUniformBroadcastFirst":
		result(s.Name, scope+" "+args[0])
	case "ballot":
		result("OpGroupNonUniformBallot", scope+" "+args[0])
	case "count":
		result("OpGroupNonUniformBallotBitCount", scope+" "+s.Tail+" "+ballot(args[0]))
	case "first":
		result("OpGroupNonUniformBallotFindLSB", scope+" "+ballot("%true")) // of nobody it is undefined
	case "last":
		result("OpGroupNonUniformBallotFindMSB", scope+" "+ballot("%true"))
	case "extract":
		result("OpGroupNonUniformBallotBitExtract", scope+" "+ballot(args[0])+" "+lane(args[1]))
	case "inverse":
		result("OpGroupNonUniformInverseBallot", scope+" "+ballot(args[0]))
	case "OpGroupNonUniformShuffle", "OpGroupNonUniformShuffleXor", "OpGroupNonUniformShuffleUp", "OpGroupNonUniformShuffleDown":
		// What a lane that is not active gives is undefined: nobody looks at it.
		n := lane(args[1])
		self := op("self", "OpLoad", "u32", "%lane_var")
		got := op("got", s.Name, t, scope+" "+args[0]+" "+n)
		source := n
		switch s.Name {
		case "OpGroupNonUniformShuffleXor":
			source = op("source", "OpBitwiseXor", "u32", self+" "+n)
		case "OpGroupNonUniformShuffleUp":
			source = op("source", "OpISub", "u32", self+" "+n)
		case "OpGroupNonUniformShuffleDown":
			source = op("source", "OpIAdd", "u32", self+" "+n)
		}
		inside := op("inside", "OpULessThan", "bool", source+" %sub_n")
		there := op("there", "OpGroupNonUniformBallotBitExtract", "bool", scope+" "+ballot("%true")+" "+lane(source))
		ok := op("ok", "OpLogicalAnd", "bool", inside+" "+there)
		result("OpSelect", ok+" "+got+" %null_"+t)
	default:
		operands := scope + " " + s.Tail + " " + args[0]
		if s.Tail == "ClusteredReduce" {
			operands += fmt.Sprintf(" %%u32_%d", s.Num)
		}
		result(s.Name, operands)
	}
}

// deviceScope and semantics of accesses to local memory and to buffers: relaxed, since only their sum counts.
const relaxed = " %u32_1 %u32_0"

func (e *emitter) atomic(s *Stmt) {
	at, x := e.fresh("at"), e.fresh("old")
	t := "u32"
	switch s.Tail {
	case "long":
		t = "u64"
		e.line("%s = OpAccessChain %%p_Workgroup_u64 %%longs_shared %%u32_%d", at, s.Num)
	case "word":
		e.line("%s = OpAccessChain %%p_Workgroup_u32 %%words_shared %%u32_%d", at, s.Num)
	case "buffer": // the fourth word of any work-item
		item, first, index := e.fresh("item"), e.fresh("first"), e.fresh("index")
		e.line("%s = OpUMod %%u32 %s %%items_n", item, e.arg(s.Args[1]))
		e.line("%s = OpIMul %%u32 %s %%u32_4", first, item)
		e.line("%s = OpIAdd %%u32 %s %%u32_3", index, first)
		if e.kernel {
			e.line("%s = OpInBoundsPtrAccessChain %%p_CrossWorkgroup_u32 %%in_buf %s", at, index)
		} else {
			e.line("%s = OpAccessChain %%p_StorageBuffer_u32 %%in_var %%u32_0 %s", at, index)
		}
	}
	value := " " + e.arg(s.Args[0])
	if s.Name == "IIncrement" || s.Name == "IDecrement" {
		value = ""
	}
	e.line("%s = OpAtomic%s %%%s %s%s%s", x, s.Name, t, at, relaxed, value)
}

func (e *emitter) barrier() { e.line("OpControlBarrier %%u32_2 %%u32_2 %%u32_264") }

func (e *emitter) exchange(s *Stmt) {
	mine, there, to, from := e.fresh("mine"), e.fresh("there"), e.fresh("to"), e.fresh("from")
	e.line("%s = OpAccessChain %%p_Workgroup_u32 %%slots_shared %%lid", mine)
	e.line("OpStore %s %s", mine, e.arg(s.Args[0]))
	e.barrier()
	e.line("%s = OpIAdd %%u32 %%lid %%u32_%d", to, s.Num)
	e.line("%s = OpUMod %%u32 %s %%local_n", from, to)
	e.line("%s = OpAccessChain %%p_Workgroup_u32 %%slots_shared %s", there, from)
	e.line("%s = OpLoad %%u32 %s", e.define(s.Res[0]), there)
	e.barrier()
}

// memory is a word of local memory that atomic accesses go to.
type memory struct {
	pointee, variable string
	index             int
	start             string
}

// memories lists the words a program's atomic accesses go to.
func (p *Program) memories() (out []memory) {
	used := map[string]bool{}
	var look func(list []*Stmt)
	look = func(list []*Stmt) {
		for _, s := range list {
			if s.Kind == Atomic {
				used[fmt.Sprint(s.Tail, s.Num)] = true
			}
			for _, b := range s.Bodies {
				look(b)
			}
		}
	}
	look(p.Main)
	for _, f := range p.Funcs {
		look(f.Body)
	}
	for i, w := range sharedAtomics {
		if used[fmt.Sprint("word", i)] {
			out = append(out, memory{"u32", "words", i, w.start})
		}
	}
	for i, w := range longAtomics {
		if used[fmt.Sprint("long", i)] {
			out = append(out, memory{"u64", "longs", i, w.start})
		}
	}
	return out
}

func (e *emitter) memoryAt(m memory) string {
	at := e.fresh("at")
	e.line("%s = OpAccessChain %%p_Workgroup_%s %%%s_shared %%u32_%d", at, m.pointee, m.variable, m.index)
	return at
}

// beginSync gives local memory its contents: every work-item stores the same.
func (e *emitter) beginSync(p *Program) {
	list := p.memories()
	for _, m := range list {
		e.line("OpStore %s %s", e.memoryAt(m), m.start)
	}
	if len(list) > 0 {
		e.barrier()
	}
}

// endSync looks at what has become of it.
func (e *emitter) endSync(p *Program) {
	list := p.memories()
	if len(list) > 0 {
		e.barrier()
	}
	for _, m := range list {
		at, x := e.memoryAt(m), e.fresh("x")
		e.line("%s = OpLoad %%%s %s", x, m.pointee, at)
		e.sink(x, m.pointee)
	}
}
