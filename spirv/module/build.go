package module

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// maxExpanded bounds the decorations that decoration groups expand to: a group of D decorations applied to T targets
// takes D+T words and stands for D*T decorations.
const maxExpanded = 1 << 20

// builder makes one Module.
type builder struct {
	*Module
	forward  map[spirv.ID]bool // pointers declared by OpTypeForwardPointer
	groups   []*spirv.Instruction
	modes    []*spirv.Instruction
	entries  []*spirv.Instruction
	fn       *Function // the function being read, nil at module scope
	block    *Block    // the block being read, nil outside
	operands []Operand // scratch
}

// New makes the model of a module. It never panics, whatever the words. The error is an *Error.
func New(b *spirv.Binary) (*Module, error) {
	bd := &builder{
		Module: &Module{
			Binary:       b,
			ExtInstSets:  map[spirv.ID]string{},
			Names:        map[spirv.ID]string{},
			MemberNames:  map[spirv.ID]map[int]string{},
			Decorations:  map[spirv.ID][]Decoration{},
			MemberDecs:   map[spirv.ID]map[int][]Decoration{},
			Types:        map[spirv.ID]*Type{},
			Constants:    map[spirv.ID]*Constant{},
			FunctionByID: map[spirv.ID]*Function{},
			defs:         make(map[spirv.ID]*spirv.Instruction, len(b.Insts)/2),
			resultTypes:  make(map[spirv.ID]spirv.ID, len(b.Insts)/2),
			caps:         map[spirv.Capability]bool{},
		},
		forward: map[spirv.ID]bool{},
	}
	if b.Bound > MaxBound {
		return nil, &Error{Reason: fmt.Sprintf("the bound of ids is %d, the limit is %d", b.Bound, MaxBound)}
	}
	for _, pass := range []func() error{bd.define, bd.cut, bd.declareTypes, bd.read, bd.finish} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return bd.Module, nil
}

// fail makes the error for an instruction; in may be nil.
func (b *builder) fail(in *spirv.Instruction, format string, args ...any) error {
	e := &Error{Reason: fmt.Sprintf(format, args...)}
	if b.fn != nil {
		e.Function = b.Name(b.fn.ID)
	}
	if in != nil {
		e.Instruction = b.Text(in)
		e.ID = resultID(in)
		e.Offset = in.Offset
	}
	return e
}

// resultID returns the id the instruction defines, 0 where it defines none.
func resultID(in *spirv.Instruction) spirv.ID {
	g, ok := grammar.Lookup(in.Op)
	if !ok || !g.HasResult() {
		return 0
	}
	i := 0
	if g.HasResultType() {
		i = 1
	}
	if i >= len(in.Words) {
		return 0
	}
	return spirv.ID(in.Words[i])
}

// define finds what every id is, so that the passes after it can look ahead.
func (b *builder) define() error {
	for i := range b.Binary.Insts {
		in := &b.Binary.Insts[i]
		if in.Op == spirv.OpExtInstImport && len(in.Words) > 1 {
			if s, _, ok := spirv.String(in.Words[1:]); ok {
				b.ExtInstSets[spirv.ID(in.Words[0])] = s
			}
		}
		id := resultID(in)
		if id == 0 {
			continue
		}
		if first := b.defs[id]; first != nil {
			return b.fail(in, "id %v is defined twice, first by %v at word offset %d", id, first.Op, first.Offset)
		}
		b.defs[id] = in
		if g, _ := grammar.Lookup(in.Op); g.HasResultType() {
			b.resultTypes[id] = spirv.ID(in.Words[0])
		}
	}
	return nil
}

// cut checks that every instruction has the operands its grammar asks for and that ids are below the bound.
func (b *builder) cut() error {
	for i := range b.Binary.Insts {
		in := &b.Binary.Insts[i]
		ops, err := b.AppendOperands(b.operands[:0], in)
		b.operands = ops
		if err != nil {
			return b.fail(in, "%v", err)
		}
		for _, o := range ops {
			if !o.IsID() {
				continue
			}
			if id := o.ID(); id == 0 || uint32(id) >= b.Binary.Bound {
				return b.fail(in, "id %v is not between 1 and the bound of %d", id, b.Binary.Bound)
			}
		}
	}
	return nil
}

// read goes through the module in order.
func (b *builder) read() error {
	for i := range b.Binary.Insts {
		in := &b.Binary.Insts[i]
		if t := b.resultTypes[resultID(in)]; t != 0 && b.Types[t] == nil && in.Op != spirv.OpTypeForwardPointer {
			return b.fail(in, "the result type %v is not a type", t)
		}
		var err error
		if b.fn == nil {
			err = b.global(in)
		} else {
			err = b.local(in)
		}
		if err != nil {
			return err
		}
	}
	if b.fn != nil {
		return b.fail(b.fn.Inst, "the function is not ended by OpFunctionEnd")
	}
	return nil
}

// global reads one instruction at module scope.
func (b *builder) global(in *spirv.Instruction) error {
	w := in.Words
	switch in.Op {
	case spirv.OpCapability:
		c := spirv.Capability(w[0])
		b.Capabilities = append(b.Capabilities, c)
		b.imply(c)
	case spirv.OpExtension:
		s, _, _ := spirv.String(w)
		b.Extensions = append(b.Extensions, s)
	case spirv.OpMemoryModel:
		b.Addressing, b.MemoryModel = spirv.AddressingModel(w[0]), spirv.MemoryModel(w[1])
	case spirv.OpEntryPoint:
		if b.entries = append(b.entries, in); len(b.entries) > MaxEntryPoints {
			return b.fail(in, "the module has more than %d entry points", MaxEntryPoints)
		}
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		b.modes = append(b.modes, in)
	case spirv.OpName:
		id := spirv.ID(w[0])
		if _, ok := b.Names[id]; !ok {
			b.Names[id], _, _ = spirv.String(w[1:])
		}
	case spirv.OpMemberName:
		id := spirv.ID(w[0])
		if b.MemberNames[id] == nil {
			b.MemberNames[id] = map[int]string{}
		}
		if _, ok := b.MemberNames[id][int(w[1])]; !ok {
			b.MemberNames[id][int(w[1])], _, _ = spirv.String(w[2:])
		}
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString:
		return b.decorate(in, spirv.ID(w[0]), Decoration{spirv.Decoration(w[1]), w[2:], in})
	case spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT:
		return b.decorateMember(in, spirv.ID(w[0]), int(w[1]), Decoration{spirv.Decoration(w[2]), w[3:], in})
	case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		b.groups = append(b.groups, in)
	case spirv.OpVariable:
		v, err := b.variable(in)
		if err != nil {
			return err
		}
		b.Globals = append(b.Globals, v)
	case spirv.OpFunction:
		return b.beginFunction(in)
	default:
		if isConstant(in.Op) {
			b.constant(in)
		} else if in.Op == spirv.OpLabel || in.Op == spirv.OpFunctionParameter || in.Op == spirv.OpFunctionEnd || IsTerminator(in.Op) {
			return b.fail(in, "%v stands outside a function", in.Op)
		}
	}
	return nil
}

func (b *builder) decorate(in *spirv.Instruction, id spirv.ID, d ...Decoration) error {
	b.Decorations[id] = append(b.Decorations[id], d...)
	if n := len(b.Decorations[id]); n > MaxDecorations {
		return b.fail(in, "%v has more than %d decorations", id, MaxDecorations)
	}
	return nil
}

func (b *builder) decorateMember(in *spirv.Instruction, id spirv.ID, member int, d ...Decoration) error {
	if b.MemberDecs[id] == nil {
		b.MemberDecs[id] = map[int][]Decoration{}
	}
	b.MemberDecs[id][member] = append(b.MemberDecs[id][member], d...)
	if n := len(b.MemberDecs[id][member]); n > MaxDecorations {
		return b.fail(in, "member %d of %v has more than %d decorations", member, id, MaxDecorations)
	}
	return nil
}

// imply adds a capability and those it implies.
func (b *builder) imply(c spirv.Capability) {
	for todo := []spirv.Capability{c}; len(todo) > 0; {
		c, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if b.caps[c] {
			continue
		}
		b.caps[c] = true
		if e, ok := grammar.Capability.Info().Enumerant(uint32(c)); ok {
			todo = append(todo, e.Capabilities...)
		}
	}
}

func isConstant(op spirv.Op) bool {
	switch op {
	case spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpConstant, spirv.OpConstantComposite, spirv.OpConstantSampler, spirv.OpConstantNull,
		spirv.OpUndef, spirv.OpPoisonKHR, spirv.OpConstantCompositeReplicateEXT, spirv.OpConstantFunctionPointerINTEL:
		return true
	}
	return IsSpecConstant(op) && resultKind(op)
}

// resultKind reports whether the opcode has a result.
func resultKind(op spirv.Op) bool {
	g, ok := grammar.Lookup(op)
	return ok && g.HasResult()
}

func (b *builder) constant(in *spirv.Instruction) {
	w := in.Words
	c := &Constant{ID: spirv.ID(w[1]), Type: b.Types[spirv.ID(w[0])], Inst: in, Spec: IsSpecConstant(in.Op)}
	switch in.Op {
	case spirv.OpConstantTrue, spirv.OpSpecConstantTrue:
		c.Bits = 1
	case spirv.OpConstant, spirv.OpSpecConstant:
		width := c.Type.Width
		if width == 0 {
			width = 64
		}
		c.Bits = literalBits(w[2:], width)
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		c.Operands = make([]spirv.ID, len(w)-2)
		for i, id := range w[2:] {
			c.Operands[i] = spirv.ID(id)
		}
	}
	if d, ok := b.Decoration(c.ID, spirv.DecorationSpecId); ok && len(d.Operands) > 0 {
		c.HasSpecID, c.SpecID = true, d.Operands[0]
	}
	b.Constants[c.ID] = c
	b.ConstantOrder = append(b.ConstantOrder, c)
}

func (b *builder) variable(in *spirv.Instruction) (*Variable, error) {
	w := in.Words
	v := &Variable{ID: spirv.ID(w[1]), Type: b.Types[spirv.ID(w[0])], Storage: spirv.StorageClass(w[2]), Inst: in}
	if v.Type.Kind != Pointer {
		return nil, b.fail(in, "the type of a variable must be a pointer, it is %v", v.Type)
	}
	if len(w) > 3 {
		v.Initializer = spirv.ID(w[3])
	}
	return v, nil
}
