package gen

import (
	"fmt"
	"strings"
)

// let writes an instruction and returns its result, a new id.
func (e *emitter) let(t, op string, args ...string) string {
	x := e.fresh("t")
	e.line("%s = %s %%%s %s", x, op, t, strings.Join(args, " "))
	return x
}

// splat is a scalar constant, or a vector of it where prefix is that of a vector type.
func (e *emitter) splat(prefix, scalar, lit string) string {
	c := "%" + scalar + "_" + lit
	if prefix == "" {
		return c
	}
	args := make([]string, prefix[1]-'0')
	for i := range args {
		args[i] = c
	}
	return e.let(prefix+scalar, "OpCompositeConstruct", args...)
}

const subgroupScope = "%u32_3"

// group writes a sub-group instruction, and around it what keeps it well defined: shuffles and broadcasts read lanes that
// are active.
func (e *emitter) group(s *Stmt) {
	t := s.Res[0].Type
	x := e.arg(s.Args[0])
	define := func(op string, args ...string) {
		r := e.define(s.Res[0])
		e.line("%s = %s %%%s %s", r, op, t, strings.Join(args, " "))
	}
	// active is the ballot of the lanes that are here.
	active := func() string { return e.let("v4u32", "OpGroupNonUniformBallot", subgroupScope, "%true") }
	switch op := "OpGroupNonUniform" + s.Name; s.Name {
	case "Elect":
		define(op, subgroupScope)
	case "All", "Any", "AllEqual", "BroadcastFirst", "Ballot":
		define(op, subgroupScope, x)
	case "PartitionEXT":
		define(op, x)
	case "Broadcast":
		last := e.let("u32", "OpGroupNonUniformBallotFindMSB", subgroupScope, active())
		define(op, subgroupScope, x, last)
	case "InverseBallot":
		b := e.let("v4u32", "OpGroupNonUniformBallot", subgroupScope, x)
		define(op, subgroupScope, e.let("v4u32", "OpNot", b))
	case "BallotBitExtract":
		b := e.let("v4u32", "OpGroupNonUniformBallot", subgroupScope, x)
		i := e.let("u32", "OpUMod", e.arg(s.Args[1]), e.let("u32", "OpLoad", "%size_var"))
		define(op, subgroupScope, b, i)
	case "BallotBitCount":
		b := e.let("v4u32", "OpGroupNonUniformBallot", subgroupScope, x)
		define(op, subgroupScope, s.Tail, b)
	case "BallotFindLSB", "BallotFindMSB":
		define(op, subgroupScope, active())
	case "Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown":
		define(op, subgroupScope, x, e.shuffleIndex(s, active()))
	case "RotateKHR", "QuadBroadcast", "QuadSwap":
		e.checked(s, op, x, active())
	default:
		e.reduce(s, define, x)
	}
}

// shuffleIndex writes the last operand of a shuffle: one that leads to an active lane.
func (e *emitter) shuffleIndex(s *Stmt, active string) string {
	own, size := e.let("u32", "OpLoad", "%lane_var"), e.let("u32", "OpLoad", "%size_var")
	d := e.let("u32", "OpUMod", e.arg(s.Args[1]), size)
	target := d
	switch s.Name {
	case "ShuffleXor":
		target = e.let("u32", "OpBitwiseXor", own, d)
	case "ShuffleUp":
		target = e.let("u32", "OpISub", own, d) // wraps around to a large number below lane 0
	case "ShuffleDown":
		target = e.let("u32", "OpIAdd", own, d)
	}
	target = e.activeOr(target, own, size, active)
	switch s.Name {
	case "ShuffleXor":
		return e.let("u32", "OpBitwiseXor", own, target)
	case "ShuffleUp":
		return e.let("u32", "OpISub", own, target)
	case "ShuffleDown":
		return e.let("u32", "OpISub", target, own)
	}
	return target
}

// activeOr is the lane where it is active, else own.
func (e *emitter) activeOr(target, own, size, active string) string {
	exists := e.let("bool", "OpULessThan", target, size)
	target = e.let("u32", "OpSelect", exists, target, own)
	ok := e.let("bool", "OpGroupNonUniformBallotBitExtract", subgroupScope, active, target)
	return e.let("u32", "OpSelect", ok, target, own)
}

// checked writes a rotation or a quad instruction, whose result counts only where the lane read is active.
func (e *emitter) checked(s *Stmt, op, x, active string) {
	own, size := e.let("u32", "OpLoad", "%lane_var"), e.let("u32", "OpLoad", "%size_var")
	t := s.Res[0].Type
	var got, target string
	switch s.Name {
	case "QuadBroadcast":
		i := fmt.Sprintf("%%u32_%d", s.Num%4)
		got = e.let(t, op, subgroupScope, x, i)
		target = e.let("u32", "OpBitwiseOr", e.let("u32", "OpBitwiseAnd", own, "%u32_xfffffffc"), i)
	case "QuadSwap":
		got = e.let(t, op, subgroupScope, x, fmt.Sprintf("%%u32_%d", s.Num%3))
		target = e.let("u32", "OpBitwiseXor", own, fmt.Sprintf("%%u32_%d", s.Num%3+1))
	default:
		delta := e.let("u32", "OpBitwiseAnd", e.arg(s.Args[1]), "%u32_127")
		cluster := size
		if s.Num > 0 {
			cluster = fmt.Sprintf("%%u32_%d", s.Num)
			got = e.let(t, op, subgroupScope, x, delta, cluster)
		} else {
			got = e.let(t, op, subgroupScope, x, delta)
		}
		low := e.let("u32", "OpISub", cluster, "%u32_1")
		place := e.let("u32", "OpBitwiseAnd", e.let("u32", "OpIAdd", own, delta), low)
		target = e.let("u32", "OpBitwiseOr", place, e.let("u32", "OpBitwiseAnd", own, e.let("u32", "OpNot", low)))
	}
	there := e.let("bool", "OpIEqual", e.activeOr(target, own, size, active), target)
	r := e.define(s.Res[0])
	e.line("%s = OpSelect %%%s %s %s %s", r, t, there, got, x)
}

// reduce writes a reduction or scan. Floats are small whole numbers, so that their sum does not depend on the order.
func (e *emitter) reduce(s *Stmt, define func(string, ...string), x string) {
	p, f := split(s.Res[0].Type)
	whole := func(mask, less string) {
		v := e.let(p+"u32", "OpBitwiseAnd", x, e.splat(p, "u32", mask))
		v = e.let(p+"u32", "OpISub", v, e.splat(p, "u32", less))
		x = e.let(p+f, "OpConvertSToF", v)
	}
	switch s.Name {
	case "FAdd":
		whole("7", "3")
	case "FMul":
		whole("2", "1")
	case "FMin", "FMax":
		whole("255", "100")
	}
	args := []string{subgroupScope, s.Tail, x}
	if s.Num > 0 {
		args = append(args, fmt.Sprintf("%%u32_%d", s.Num))
	}
	define("OpGroupNonUniform"+s.Name, args...)
}

// barrier writes a barrier of the work-group, for its memory and that of buffers.
func (e *emitter) barrier() {
	semantics := 0x8 | 0x100 | 0x40
	if e.kernel {
		semantics = 0x8 | 0x100 | 0x200
	}
	e.line("OpControlBarrier %%u32_2 %%u32_2 %%u32_%d", semantics)
}

// exchange writes the lane's slot and reads another's.
func (e *emitter) exchange(s *Stmt) {
	t, x := s.Res[0].Type, e.arg(s.Args[0])
	slot := func(i string) string {
		return e.let("p_Workgroup_"+t, "OpAccessChain", "%wg_"+t, i)
	}
	if s.Name == "buffer" {
		slot = func(i string) string {
			base := e.let("u32", "OpISub", "%gid", "%lid")
			i = e.let("u32", "OpIMul", e.let("u32", "OpIAdd", base, i), fmt.Sprintf("%%u32_%d", Outs))
			return e.word(e.let("u32", "OpIAdd", i, fmt.Sprintf("%%u32_%d", Shared+1)))
		}
	}
	e.line("OpStore %s %s", slot(e.own("lid")), x)
	e.barrier()
	other := e.let("u32", "OpUMod", e.arg(s.Args[1]), e.own("cnt"))
	at := slot(other)
	r := e.define(s.Res[0])
	e.line("%s = OpLoad %%%s %s", r, t, at)
	e.barrier()
}

// word is a pointer to a word of the output buffer.
func (e *emitter) word(i string) string {
	if e.kernel {
		return e.let("p_CrossWorkgroup_u32", "OpInBoundsPtrAccessChain", "%out_buf", e.let("u64", "OpUConvert", i))
	}
	return e.let("p_StorageBuffer_u32", "OpAccessChain", "%out_var", "%u32_0", i)
}

// read loads a word of the inputs.
func (e *emitter) read(s *Stmt) {
	i := e.let("u32", "OpUMod", e.arg(s.Args[0]), e.own("cnt"))
	var at string
	if e.kernel {
		at = e.let("p_CrossWorkgroup_u32", "OpInBoundsPtrAccessChain", "%in_buf", e.let("u64", "OpUConvert", i))
	} else {
		at = e.let("p_StorageBuffer_u32", "OpAccessChain", "%in_var", "%u32_0", i)
	}
	r := e.define(s.Res[0])
	e.line("%s = OpLoad %%u32 %s", r, at)
}

// cell is a pointer to a word that atomics change, and their scope.
func (e *emitter) cell(place string, slot int) (at, scope string) {
	switch place {
	case "buf32":
		return e.word(fmt.Sprintf("%%u32_%d", slot)), "%u32_1"
	case "buf64":
		at := e.word(fmt.Sprintf("%%u32_%d", len(atomics)+2*slot))
		return e.let("p_CrossWorkgroup_u64", "OpBitcast", at), "%u32_1"
	case "wg64":
		return e.let("p_Workgroup_u64", "OpAccessChain", "%wga64", fmt.Sprintf("%%u32_%d", slot)), "%u32_2"
	}
	return e.let("p_Workgroup_u32", "OpAccessChain", "%wga32", fmt.Sprintf("%%u32_%d", slot)), "%u32_2"
}

func (e *emitter) atomic(s *Stmt) {
	at, scope := e.cell(s.Tail, s.Num)
	args := []string{at, scope, "%u32_0"}
	if !strings.HasSuffix(s.Name, "crement") {
		args = append(args, e.arg(s.Args[0]))
	}
	e.let(s.Args[0].Type, s.Name, args...)
}

// gather reads what atomics of the whole work-group have made of a word.
func (e *emitter) gather(s *Stmt) {
	e.barrier()
	at, scope := e.cell(s.Tail, s.Num)
	r := e.define(s.Res[0])
	e.line("%s = OpAtomicLoad %%%s %s %s %%u32_0", r, s.Res[0].Type, at, scope)
	e.barrier()
}

// atomicsStart gives the words that atomics of the work-group change their first values.
func (e *emitter) atomicsStart(body string) {
	first := [2]string{}
	for i, t := range []string{"u32", "u64"} {
		if strings.Contains(body, "%wga"+t[1:]) {
			first[i] = t
		}
	}
	if first[0]+first[1] == "" {
		return
	}
	then, end := e.fresh("first"), e.fresh("end")
	cond := e.let("bool", "OpIEqual", "%lid", "%u32_0")
	e.line("OpSelectionMerge %s None", end)
	e.line("OpBranchConditional %s %s %s", cond, then, end)
	e.begin(then)
	for _, t := range first {
		for i := 0; i < len(atomics) && t != ""; i++ {
			at := e.let("p_Workgroup_"+t, "OpAccessChain", "%wga"+t[1:], fmt.Sprintf("%%u32_%d", i))
			e.line("OpStore %s %%%s_x5a5a1234", at, t)
		}
	}
	e.line("OpBranch %s", end)
	e.begin(end)
	e.barrier()
}
