package gen

// Words of a lane: three of any value, how many lanes its work-group has, and one that is the same for all of them.
const Ins = 5

// Outs are the words each lane writes: its result, and one that it exchanges values through.
const Outs = 2

// atomics are the instructions that change a word, by word: those of one word commute.
var atomics = [][]string{
	{"OpAtomicIAdd", "OpAtomicISub", "OpAtomicIIncrement", "OpAtomicIDecrement"}, {"OpAtomicAnd"}, {"OpAtomicOr"}, {"OpAtomicXor"},
	{"OpAtomicUMin"}, {"OpAtomicUMax"}, {"OpAtomicSMin"}, {"OpAtomicSMax"},
}

// Shared is how many words at the start of the output buffer atomics change.
const Shared = 8 + 2*8

// LocalLimit is how many lanes a work-group may have.
const LocalLimit = 300

// group makes a sub-group instruction.
func (g *generator) group() *Stmt {
	s := &Stmt{Kind: Group}
	t := g.vectorOr(g.scalar())
	result := t
	switch n := g.r.IntN(20); {
	case n < 1:
		s.Name, result, s.Args = "Elect", "bool", []Arg{{Type: "u32", Lit: "%u32_0"}}
	case n < 3:
		s.Name, result, s.Args = g.pick([]string{"All", "Any", "InverseBallot"}), "bool", []Arg{g.arg("bool")}
	case n < 4:
		t := g.vectorOr(g.pick([]string{"u8", "u16", "u32", "u64", "bool"}))
		s.Name, result, s.Args = "AllEqual", "bool", []Arg{g.arg(t)}
	case n < 6:
		s.Name, s.Args = g.pick([]string{"Broadcast", "BroadcastFirst"}), []Arg{g.arg(t)}
	case n < 7:
		s.Name, result, s.Args = "Ballot", "v4u32", []Arg{g.arg("bool")}
	case n < 8:
		s.Name, result, s.Args = "BallotBitExtract", "bool", []Arg{g.arg("bool"), g.arg("u32")}
	case n < 9:
		s.Name, result, s.Args = "BallotBitCount", "u32", []Arg{g.arg("bool")}
		s.Tail = g.pick([]string{"Reduce", "InclusiveScan", "ExclusiveScan"})
	case n < 10:
		s.Name, result, s.Args = g.pick([]string{"BallotFindLSB", "BallotFindMSB"}), "u32", []Arg{{Type: "u32", Lit: "%u32_0"}}
	case n < 13:
		s.Name, s.Args = g.pick([]string{"Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown"}), []Arg{g.arg(t), g.arg("u32")}
	case n < 14:
		s.Name, s.Args, s.Num = "RotateKHR", []Arg{g.arg(t), g.uniform()}, g.cluster()
		if g.p.Full && g.r.IntN(2) == 0 {
			s.Num = 0 // the whole sub-group
		}
	case n < 15 && g.p.Sizes[0] >= 4:
		s.Name, s.Args, s.Num = g.pick([]string{"QuadBroadcast", "QuadSwap"}), []Arg{g.arg(t)}, g.r.IntN(12)
	case n < 16 && !g.kernel:
		s.Name, result, s.Args = "PartitionEXT", "v4u32", []Arg{g.arg(g.pick([]string{"u8", "u16", "u32", "u64", "bool"}))}
	default:
		return g.reduce()
	}
	s.Res = []Res{g.use(g.result(result))}
	return s
}

// cluster is a size of a cluster that all sizes of sub-groups allow.
func (g *generator) cluster() int {
	n := 1
	for n < g.p.Sizes[0] && g.r.IntN(3) > 0 {
		n *= 2
	}
	return n
}

func (g *generator) reduce() *Stmt {
	s := &Stmt{Kind: Group, Tail: g.pick([]string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"})}
	if s.Tail == "ClusteredReduce" {
		s.Num = g.cluster()
	}
	var t, of string
	switch g.r.IntN(5) {
	case 0:
		p, f := split(g.vectorOr(g.floatType()))
		t, of = p+f, p+"u32"
		s.Name = g.pick([]string{"FAdd", "FMul", "FMin", "FMax"})
	case 1:
		t = g.vectorOr("bool")
		of = t
		s.Name = g.pick([]string{"LogicalAnd", "LogicalOr", "LogicalXor"})
	default:
		t = g.vectorOr(g.intType())
		of = t
		s.Name = g.pick([]string{"IAdd", "IMul", "SMin", "UMin", "SMax", "UMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
	}
	s.Args = []Arg{g.arg(of)}
	s.Res = []Res{g.use(g.result(t))}
	return s
}

// atomic makes an atomic instruction whose result nobody uses.
func (g *generator) atomic() *Stmt {
	places := []string{"wg32", "wg64", "buf32", "buf32"}
	if g.kernel {
		places = []string{"wg32", "wg64"}
		if g.fn < 0 { // functions have no pointer to the buffer
			places = append(places, "buf32", "buf64")
		}
	}
	s := &Stmt{Kind: Atomic, Tail: g.pick(places), Num: g.r.IntN(len(atomics))}
	s.Name = g.pick(atomics[s.Num])
	s.Args = []Arg{g.arg("u" + s.Tail[len(s.Tail)-2:])}
	return s
}

// uniform is an operand that is the same for all lanes of the work-group.
func (g *generator) uniform() Arg {
	u := Arg{Ref: uniformInput, Type: "u32"}
	if g.r.IntN(4) == 0 {
		return Arg{Type: "u32", Lit: g.literal("u32")}
	}
	if g.r.IntN(2) == 0 {
		s := g.make(g.pick([]string{"OpIMul", "OpBitwiseXor", "OpIAdd"}), "u32", u, Arg{Type: "u32", Lit: g.literal("u32")})
		g.pending = append(g.pending, s)
		return Arg{Ref: s.Res[0].ID, Type: "u32"}
	}
	return u
}

// together makes a statement that all lanes of the work-group must reach together.
func (g *generator) together(depth int) *Stmt {
	switch n := g.r.IntN(8); {
	case n < 3 || depth == 0 && n < 6:
		g.barrier = true
		t := g.anyType()
		for hasBool(t) {
			t = g.anyType()
		}
		s := &Stmt{Kind: Exchange, Args: []Arg{g.arg(t), g.arg("u32")}}
		if t == "u32" && g.fn < 0 && g.r.IntN(2) == 0 {
			s.Name = "buffer"
		}
		s.Res = []Res{g.use(g.result(t))}
		return s
	case n < 4 || depth == 0:
		g.barrier = true
		t := g.pick([]string{"u32", "u64"})
		s := &Stmt{Kind: Gather, Tail: "wg" + t[1:], Num: g.r.IntN(len(atomics))}
		s.Res = []Res{g.use(g.result(t))}
		return s
	case n < 6:
		c := g.make(g.pick([]string{"OpULessThan", "OpIEqual", "OpSGreaterThan"}), "bool", g.uniform(), Arg{Type: "u32", Lit: g.literal("u32")})
		g.pending = append(g.pending, c)
		return g.ifOf(Arg{Ref: c.Res[0].ID, Type: "bool"}, depth-1)
	default:
		return g.loopOf(g.uniform(), depth-1, true)
	}
}

// hasBool reports whether a type has a part that has no size in memory.
func hasBool(t string) bool {
	_, scalar := split(t)
	return scalar == "bool"
}

// shuffle makes a bitcast shuffle.
func (g *generator) shuffle() *Stmt {
	t := g.pick2([][2]string{
		{"u32", "v2u16"}, {"u32", "v4u8"}, {"u64", "v2u32"}, {"u64", "v4u16"}, {"u16", "v2u8"}, {"v2u16", "v4u8"}, {"v2u32", "v4u16"}, {"v2u64", "v4u32"},
	})
	if g.r.IntN(2) == 0 {
		t[0], t[1] = t[1], t[0]
	}
	s := &Stmt{Kind: Shuffle, Args: []Arg{g.arg(t[0])}}
	s.Res = []Res{g.use(g.result(t[1]))}
	return s
}

// Capabilities of what programs may hold, with a part of its name.
var capabilities = [][2]string{
	{"GroupNonUniform", "OpGroupNonUniform"},
	{"GroupNonUniformVote", "OpGroupNonUniformA"},
	{"GroupNonUniformBallot", "OpGroupNonUniformBallot"}, {"GroupNonUniformBallot", "OpGroupNonUniformBroadcast"}, {"GroupNonUniformBallot", "OpGroupNonUniformInverse"},
	{"GroupNonUniformShuffle", "OpGroupNonUniformShuffle"}, {"GroupNonUniformShuffleRelative", "OpGroupNonUniformShuffle"},
	{"GroupNonUniformRotateKHR", "OpGroupNonUniformRotate"},
	{"GroupNonUniformQuad", "OpGroupNonUniformQuad"},
	{"GroupNonUniformPartitionedNV", "OpGroupNonUniformPartition"},
	{"GroupNonUniformArithmetic", "Reduce "}, {"GroupNonUniformArithmetic", "Scan "},
	{"GroupNonUniformClustered", "ClusteredReduce"},
	{"Int64Atomics", "%wga64"}, {"Int64Atomics", "%p_CrossWorkgroup_u64"},
}

var extensions = [][2]string{
	{"SPV_KHR_subgroup_rotate", "OpGroupNonUniformRotate"}, {"SPV_NV_shader_subgroup_partitioned", "OpGroupNonUniformPartition"},
}
