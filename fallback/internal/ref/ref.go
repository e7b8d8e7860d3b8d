// Package ref runs SPIR-V for one lane at a time, as plainly as can be: a value for each id, one instruction after another.
// It is what the emulator is compared with, and shares no code with it beyond the model of a module.
//
// A lane stops where it needs others, at barriers and sub-group instructions. Of the lanes of a sub-group that have stopped,
// those at the least position go on, together with all others of the same instance: nobody else can come there any more.
package ref

import (
	"errors"
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// ErrUndefined is in the error of a program that no specification gives a meaning: not all lanes of a work-group reach a
// barrier, a loop does not end, an index is outside of its composite.
var ErrUndefined = errors.New("the program is not well defined")

// Value is a scalar's bits, zero-extended, or a composite's parts, or a pointer.
type Value struct {
	Bits  uint64
	Parts []Value
	Ptr   *pointer
	known bool
}

// Launch is a launch in one dimension.
type Launch struct {
	Items, Local, SubGroup int
	In, Out                []uint32
	// Visit is called where a lane, given by its global id, comes to a bitcast shuffle, with the name of the dynamic
	// instance: lanes execute it together exactly where both are equal.
	Visit func(in *spirv.Instruction, id int, instance string)
	// Steps bounds the run of each lane, in blocks.
	Steps int
}

// Machine runs the lanes of one module.
type Machine struct {
	m      *module.Module
	shader bool
	bound  int
	consts map[spirv.ID]Value
	flows  map[*module.Function]*flow
}

// New prepares a module.
func New(m *module.Module) *Machine {
	return &Machine{m: m, shader: !m.Kernel(), bound: int(m.Binary.Bound), consts: map[spirv.ID]Value{}, flows: map[*module.Function]*flow{}}
}

// frame is an activation of a function.
type frame struct {
	l     *lane
	f     *module.Function
	vals  []Value  // by id
	path  instance // of the calls that lead here
	at    tracker
	block *module.Block
}

// Run runs the entry point, one work-group after another. The error says what the reference does not know, or why the
// program is not well defined.
func (m *Machine) Run(e *module.EntryPoint, l *Launch) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("reference: %s", string(r))
		case error: // also where an index is outside its composite
			err = fmt.Errorf("reference: %w: %w", ErrUndefined, r)
		default:
			panic(r)
		}
	}()
	for first := 0; first < l.Items; first += l.Local {
		g := &group{Machine: m, Launch: l, entry: e, first: first, shared: map[spirv.ID]Value{}}
		if err := g.run(); err != nil {
			return fmt.Errorf("reference: %w", err)
		}
	}
	return nil
}

// failure is what the reference does not know.
type failure string

func fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// undefined ends the run of a program that is not well defined.
func undefined(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// start calls the entry point.
func (l *lane) start(e *module.EntryPoint) {
	var args []Value
	for _, p := range e.Function.Params {
		args = append(args, Value{Ptr: &pointer{buffer: l.buffer(p.ID)}})
	}
	l.call(e.Function, args, instance{})
}

// buffer is the one a parameter or variable stands for.
func (l *lane) buffer(id spirv.ID) []uint32 {
	if l.m.Names[id] == "out" {
		return l.Out
	}
	return l.In
}

// call runs a function and returns its result.
func (l *lane) call(f *module.Function, args []Value, path instance) Value {
	fr := &frame{l: l, f: f, vals: make([]Value, l.bound), path: path, at: l.tracker(f)}
	for i, p := range f.Params {
		fr.set(uint32(p.ID), args[i])
	}
	block, from := f.Blocks[0], (*module.Block)(nil)
	for {
		if l.steps++; l.steps > l.Steps {
			undefined("lane %d takes more than %d steps", l.id, l.Steps)
		}
		fr.block = block
		fr.at.enter(from, block)
		fr.phis(from)
		for _, in := range block.Insts {
			if in.Op != spirv.OpPhi {
				fr.inst(in)
			}
		}
		t := block.Term
		from = block
		switch t.Op {
		case spirv.OpBranch:
			block = f.BlockByID[spirv.ID(t.Words[0])]
		case spirv.OpBranchConditional:
			to := t.Words[2]
			if fr.get(t.Words[0]).Bits != 0 {
				to = t.Words[1]
			}
			block = f.BlockByID[spirv.ID(to)]
		case spirv.OpSwitch:
			to := spirv.ID(t.Words[1])
			sel := fr.get(t.Words[0]).Bits
			for _, c := range l.m.SwitchCases(t) {
				if c.Literal == sel {
					to = c.Target
				}
			}
			block = f.BlockByID[to]
		case spirv.OpReturn:
			return Value{}
		case spirv.OpReturnValue:
			return fr.get(t.Words[0])
		default:
			fail("%v", t.Op)
		}
		fr.at.leave(from, block)
	}
}

// phis gives the block's phis their values, all at once.
func (fr *frame) phis(from *module.Block) {
	var ids []uint32
	var vals []Value
	for _, in := range fr.block.Insts {
		if in.Op != spirv.OpPhi {
			continue
		}
		for w := in.Words[2:]; len(w) > 1; w = w[2:] {
			if spirv.ID(w[1]) == from.ID {
				ids, vals = append(ids, in.Words[1]), append(vals, fr.get(w[0]))
			}
		}
	}
	for i, id := range ids {
		fr.set(id, vals[i])
	}
}

func (fr *frame) typ(id uint32) *module.Type { return fr.l.m.Types[spirv.ID(id)] }

// typeOf is the type of a value.
func (fr *frame) typeOf(id uint32) *module.Type { return fr.l.m.TypeOf(spirv.ID(id)) }

func (fr *frame) set(id uint32, v Value) {
	v.known = true
	fr.vals[id] = v
}

// get returns what an id stands for.
func (fr *frame) get(word uint32) Value {
	if v := fr.vals[word]; v.known {
		return v
	}
	v := fr.l.module(spirv.ID(word))
	fr.set(word, v)
	return v
}

// module returns what an id at module scope stands for.
func (l *lane) module(id spirv.ID) Value {
	if v, ok := l.globals[id]; ok {
		return v
	}
	if v, ok := l.shared[id]; ok {
		return v
	}
	if c := l.m.Constants[id]; c != nil {
		return l.constant(c)
	}
	in := l.m.Def(id)
	if in == nil || in.Op != spirv.OpVariable {
		fail("%v has no value", id)
	}
	v := l.global(id, in)
	if spirv.StorageClass(in.Words[2]) == spirv.StorageClassWorkgroup {
		l.shared[id] = v
	} else {
		l.globals[id] = v
	}
	return v
}

// global makes a module-scope variable: a built-in variable, a buffer, or memory of the lane or the work-group.
func (l *lane) global(id spirv.ID, in *spirv.Instruction) Value {
	switch spirv.StorageClass(in.Words[2]) {
	case spirv.StorageClassWorkgroup, spirv.StorageClassPrivate:
		v := l.zero(l.m.Types[spirv.ID(in.Words[0])].Elem)
		return Value{Ptr: &pointer{cell: &v}}
	case spirv.StorageClassInput:
		d, _ := l.m.Decoration(id, spirv.DecorationBuiltIn)
		v := Value{}
		switch spirv.BuiltIn(d.Operands[0]) {
		case spirv.BuiltInGlobalLinearId:
			v.Bits = uint64(l.id)
		case spirv.BuiltInGlobalInvocationId:
			v = Value{Parts: []Value{{Bits: uint64(l.id)}, {}, {}}}
		case spirv.BuiltInLocalInvocationId:
			v = Value{Parts: []Value{{Bits: uint64(l.id % l.Local)}, {}, {}}}
		case spirv.BuiltInLocalInvocationIndex:
			v.Bits = uint64(l.id % l.Local)
		case spirv.BuiltInSubgroupLocalInvocationId:
			v.Bits = uint64(l.number)
		case spirv.BuiltInSubgroupMaxSize:
			v.Bits = uint64(l.SubGroup)
		case spirv.BuiltInSubgroupSize:
			// It shrinks in kernels (docs/emulator.md).
			if v.Bits = uint64(l.SubGroup); !l.shader {
				v.Bits = uint64(len(l.sub))
			}
		default:
			fail("built-in variable %d", d.Operands[0])
		}
		return Value{Ptr: &pointer{cell: &v}}
	}
	return Value{Ptr: &pointer{buffer: l.buffer(id)}}
}

// constant returns a constant's value.
func (m *Machine) constant(c *module.Constant) Value {
	if v, ok := m.consts[c.ID]; ok {
		return v
	}
	v := m.zero(c.Type)
	switch c.Inst.Op {
	case spirv.OpConstant, spirv.OpConstantTrue, spirv.OpConstantFalse:
		v.Bits = c.Bits
	case spirv.OpConstantComposite:
		for i, id := range c.Operands {
			v.Parts[i] = m.constant(m.m.Constants[id])
		}
	case spirv.OpConstantNull, spirv.OpUndef:
	default:
		fail("%v", c.Inst.Op)
	}
	m.consts[c.ID] = v
	return v
}

// zero is the null value of a type.
func (m *Machine) zero(t *module.Type) Value {
	v := Value{}
	switch t.Kind {
	case module.Vector:
		v.Parts = make([]Value, t.Count)
	case module.Array:
		n, _ := m.m.DefaultValue(t.Length)
		v.Parts = make([]Value, n)
		for i := range v.Parts {
			v.Parts[i] = m.zero(t.Elem)
		}
	case module.Struct:
		for _, e := range t.Members {
			v.Parts = append(v.Parts, m.zero(e))
		}
	}
	return v
}

// clone copies a value, so that changing a part of the copy leaves the value alone.
func (v Value) clone() Value {
	if v.Parts == nil {
		return v
	}
	parts := make([]Value, len(v.Parts))
	for i, p := range v.Parts {
		parts[i] = p.clone()
	}
	v.Parts = parts
	return v
}
