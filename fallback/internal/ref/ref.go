// Package ref runs SPIR-V for one lane at a time, as plainly as can be: a map from ids to values, one instruction after
// another. It is what the emulator is compared with, and shares no code with it beyond the model of a module.
package ref

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Value is a scalar's bits, zero-extended, or a composite's parts, or a pointer.
type Value struct {
	Bits  uint64
	Parts []Value
	Ptr   *pointer
}

// pointer is a place: an element of a buffer, or a part of a variable.
type pointer struct {
	buffer []uint32 // of a buffer of words
	index  int
	cell   *Value
}

// Lane is one lane to be run.
type Lane struct {
	GlobalID, LocalID uint64 // in the one dimension there is
	In, Out           []uint32
	// Visit is called where the lane comes to a bitcast shuffle, with what tells its dynamic instance from others: lanes
	// execute it together exactly where both are equal.
	Visit func(in *spirv.Instruction, instance string)
	// Steps bounds the run, in blocks.
	Steps int
	// SubGroup is the sub-group's size, of lanes that RunGroup runs.
	SubGroup int

	wait   func(*point)       // returns when the others have come
	shared map[spirv.ID]Value // variables of the work-group
}

// Machine runs the lanes of one module.
type Machine struct {
	m      *module.Module
	shader bool
	consts map[spirv.ID]Value
	flows  map[*module.Function]*flow
	// Spec are the values of specialization constants by SpecId.
	Spec map[uint32]uint64
}

// New prepares a module.
func New(m *module.Module) *Machine {
	return &Machine{m: m, shader: !m.Kernel(), consts: map[spirv.ID]Value{}, flows: map[*module.Function]*flow{}}
}

// lane is a lane being run.
type lane struct {
	*Machine
	*Lane
	globals map[spirv.ID]Value
}

// frame is an activation of a function.
type frame struct {
	l    *lane
	f    *module.Function
	vals map[spirv.ID]Value
	path string // of the calls that lead here
	at   tracker
	// before and pos say how far the lane has come: the callers' places, and the way through the function.
	before []int
	pos    *loops
}

// Run runs the entry point for a lane that needs no others. The error says what the reference does not know, or that the
// lane never ends.
func (m *Machine) Run(e *module.EntryPoint, ln *Lane) error { return m.run(e, ln) }

func (m *Machine) run(e *module.EntryPoint, ln *Lane) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stopped); ok {
				return
			}
			err = fmt.Errorf("reference: %v", r) // also where an index is outside its composite
		}
	}()
	l := &lane{m, ln, map[spirv.ID]Value{}}
	var args []Value
	for _, p := range e.Function.Params {
		buf := ln.In
		if m.m.Names[p.ID] == "out" {
			buf = ln.Out
		}
		args = append(args, Value{Ptr: &pointer{buffer: buf}})
	}
	l.call(e.Function, args, "", nil)
	return nil
}

func fail(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// call runs a function and returns its result.
func (l *lane) call(f *module.Function, args []Value, path string, before []int) Value {
	fr := &frame{l: l, f: f, vals: make(map[spirv.ID]Value, 128), path: path, at: l.tracker(f), before: before,
		pos: &loops{flow: l.flow(f), count: map[int]int{}}}
	for i, p := range f.Params {
		fr.vals[p.ID] = args[i]
	}
	block, from := f.Blocks[0], (*module.Block)(nil)
	for {
		if l.Steps--; l.Steps < 0 {
			fail("too many steps")
		}
		fr.at.enter(from, block)
		fr.pos.enter(from, block)
		// Phis take their values all at once.
		phis := map[spirv.ID]Value{}
		for _, in := range block.Insts {
			if in.Op != spirv.OpPhi {
				continue
			}
			for w := in.Words[2:]; len(w) > 1; w = w[2:] {
				if spirv.ID(w[1]) == from.ID {
					phis[spirv.ID(in.Words[1])] = fr.get(w[0])
				}
			}
		}
		for id, v := range phis {
			fr.vals[id] = v
		}
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

func (fr *frame) typ(id uint32) *module.Type { return fr.l.m.Types[spirv.ID(id)] }

// typeOf is the type of a value.
func (fr *frame) typeOf(id uint32) *module.Type { return fr.l.m.TypeOf(spirv.ID(id)) }

// get returns what an id stands for.
func (fr *frame) get(word uint32) Value {
	id := spirv.ID(word)
	if v, ok := fr.vals[id]; ok {
		return v
	}
	if v, ok := fr.l.globals[id]; ok {
		return v
	}
	if c := fr.l.m.Constants[id]; c != nil {
		return fr.l.constant(c)
	}
	in := fr.l.m.Def(id)
	if in != nil && in.Op == spirv.OpVariable {
		v := fr.l.global(id, in)
		fr.l.globals[id] = v
		return v
	}
	fail("%v has no value", id)
	return Value{}
}

// global makes a module-scope variable: a built-in variable or a buffer.
func (l *lane) global(id spirv.ID, in *spirv.Instruction) Value {
	if d, ok := l.m.Decoration(id, spirv.DecorationBuiltIn); ok {
		v := Value{Bits: l.GlobalID}
		switch spirv.BuiltIn(d.Operands[0]) {
		case spirv.BuiltInGlobalInvocationId:
			v = Value{Parts: []Value{{Bits: l.GlobalID}, {}, {}}}
		case spirv.BuiltInSubgroupLocalInvocationId:
			v.Bits = l.LocalID % uint64(l.SubGroup)
		case spirv.BuiltInLocalInvocationId:
			v = Value{Parts: []Value{{Bits: l.LocalID}, {}, {}}}
		case spirv.BuiltInLocalInvocationIndex:
			v.Bits = l.LocalID
		}
		return Value{Ptr: &pointer{cell: &v}}
	}
	if spirv.StorageClass(in.Words[2]) == spirv.StorageClassWorkgroup {
		v, ok := l.shared[id]
		if !ok {
			cell := l.zero(l.m.Types[spirv.ID(in.Words[0])].Elem)
			v = Value{Ptr: &pointer{cell: &cell}}
			l.shared[id] = v
		}
		return v
	}
	buf := l.In
	if l.m.Names[id] == "out" {
		buf = l.Out
	}
	return Value{Ptr: &pointer{buffer: buf}}
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
	case spirv.OpSpecConstant:
		v.Bits = c.Bits
		if x, ok := m.Spec[c.SpecID]; ok {
			v.Bits = x
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
