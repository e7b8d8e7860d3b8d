// Package lower turns one entry point of a SPIR-V module into a lane program.
//
// It folds constants, applies specialization, lays types out, takes composites apart and finds where lanes meet. What
// the emulator does not support is refused here, by name, before anything runs. Handlers for instructions are in one
// table, in table.go.
package lower

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Options are the choices that make a lane program of a module.
type Options struct {
	Entry *module.EntryPoint
	// Spec has the values of specialization constants by SpecId, as bits zero-extended from their width.
	Spec map[uint32]uint64
	// BuiltIn returns the number of components of a built-in variable, 0 for those that the engine does not provide.
	BuiltIn func(spirv.BuiltIn) int
}

// maxComponents bounds how many scalars one value may have. A load of a larger array is refused; accesses to its
// elements are not.
const maxComponents = 1 << 14

// maxWork bounds a lane program, counted in operands: taking composites apart can multiply instructions, and a hostile
// module must cost bounded time and memory.
const maxWork = 1 << 22

// maxVariable is the largest variable, in bytes. It is far more than any memory budget allows; it keeps sums of sizes
// from overflowing.
const maxVariable = 1 << 40

// Lower lowers the entry point. The module must have passed val.Check. The error is an *device.Error of class Module
// that names the instruction, or of class Usage for a specialization value without a constant.
func Lower(m *module.Module, opt Options) (p *lane.Program, err error) {
	l := &lowerer{
		m: m, opt: opt,
		consts: map[constKey]lane.Value{}, inputs: map[lane.Input]lane.Value{}, isConst: map[lane.Value]uint64{},
		values: map[spirv.ID]value{}, flats: map[*module.Type][]lane.Kind{}, counts: map[*module.Type]uint64{}, funcs: map[*module.Function]int{},
		at: map[*spirv.Instruction]int32{},
	}
	l.p = &lane.Program{Entry: opt.Entry.Name, Shader: opt.Entry.Model != spirv.ExecutionModelKernel, AddrKind: lane.I64, Source: m.Binary.Insts}
	if m.Addressing == spirv.AddressingModelPhysical32 {
		l.p.AddrKind = lane.I32
	}
	for i := range m.Binary.Insts {
		l.at[&m.Binary.Insts[i]] = int32(i)
	}
	// Errors deep in the lowering of nested values travel as panics of type *device.Error up to here.
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *device.Error:
			p, err = nil, r
		default:
			panic(r)
		}
	}()
	l.layout = m.Layout(l.scalar)
	l.checkSpec()
	l.modes()
	l.globals()
	l.function(opt.Entry.Function)
	for i := 0; i < len(l.todo); i++ {
		l.lowerFunction(l.todo[i])
	}
	return l.p, nil
}

type lowerer struct {
	m      *module.Module
	opt    Options
	p      *lane.Program
	layout *module.Layout
	at     map[*spirv.Instruction]int32 // index in the binary

	consts         map[constKey]lane.Value
	isConst        map[lane.Value]uint64 // bits of values that are constants
	inputs         map[lane.Input]lane.Value
	values         map[spirv.ID]value // at module scope: constants and variables
	flats          map[*module.Type][]lane.Kind
	counts         map[*module.Type]uint64 // scalars, see scalars
	funcs          map[*module.Function]int
	todo           []*module.Function
	inputsInMemory []memoryInput // built-in variables that need an address, filled in by the entry point

	in   *spirv.Instruction // being lowered
	fn   *module.Function   // likewise
	work int                // operands so far, see maxWork
}

type constKey struct {
	kind lane.Kind
	bits uint64
}

// value is what an id stands for: scalars, or a pointer to a variable that has registers instead of memory.
type value struct {
	comps []lane.Value
	reg   *register
	// node is the layout of the pointee where a pointer came from an access chain, since a matrix in a structure may be
	// laid out differently from the same matrix elsewhere; nil: as its type says.
	node *module.Node
	// resource is the shader resource + 1 whose block the pointer points to, for OpArrayLength; 0: none.
	resource int
}

// register is a pointer to a variable without memory, or to a part of it.
type register struct {
	comps    []lane.Value // one register, or for a built-in variable one input, per scalar
	readOnly bool
	// index picks one of the equally large parts of comps at run time; NoValue: all of comps are meant.
	index lane.Value
	parts int
}

// refuse ends lowering: the emulator does not support something of a valid module.
func (l *lowerer) refuse(format string, args ...any) {
	l.fail("unsupported", fmt.Sprintf(format, args...), "sgrun val MODULE for the rules of the specification; docs/emulator.md says what the emulator runs")
}

// invalid ends lowering: the module breaks a rule.
func (l *lowerer) invalid(format string, args ...any) {
	l.fail("invalid-module", fmt.Sprintf(format, args...), "")
}

func (l *lowerer) fail(kind, message, try string) {
	e := &device.Error{Class: device.Module, Kind: kind, Message: message, Try: try}
	e.Where = Where(l.m, l.fn, l.in)
	panic(e)
}

// Where names the place of an instruction for messages: its text, its function and its word offset.
func Where(m *module.Module, f *module.Function, in *spirv.Instruction) []device.Place {
	if in == nil {
		return nil
	}
	places := []device.Place{{Key: "instruction", Value: m.Text(in)}}
	if f != nil {
		places = append(places, device.Place{Key: "function", Value: FunctionName(m, f)})
	}
	return append(places, device.Place{Key: "word offset", Value: fmt.Sprint(in.Offset)})
}

// FunctionName is the function's OpName, or where it has none the entry point it is.
func FunctionName(m *module.Module, f *module.Function) string {
	for _, e := range m.EntryPoints {
		if e.Function == f && m.Names[f.ID] == "" {
			return e.Name
		}
	}
	return m.Name(f.ID)
}

// checkSpec refuses values for specialization constants the module does not have.
func (l *lowerer) checkSpec() {
	have := map[uint32]bool{}
	var ids []string
	for _, c := range l.m.ConstantOrder {
		if c.HasSpecID && !have[c.SpecID] {
			have[c.SpecID] = true
			ids = append(ids, fmt.Sprint(c.SpecID))
		}
	}
	for id := range l.opt.Spec {
		if !have[id] {
			e := &device.Error{Class: device.Usage, Kind: "unknown-spec-id", Message: fmt.Sprintf("the module has no specialization constant with SpecId %d", id)}
			if e.Try = "one of " + strings.Join(ids, ", "); ids == nil {
				e.Try = "the module without specialization constants, it has none"
			}
			panic(e)
		}
	}
}

// modes applies the entry point's execution modes, and refuses those that would change results and are not supported.
func (l *lowerer) modes() {
	e := l.opt.Entry
	l.in = e.Inst
	if e.Model != spirv.ExecutionModelKernel && e.Model != spirv.ExecutionModelGLCompute {
		l.refuse("entry point %q has the execution model %v; the emulator runs Kernel and GLCompute", e.Name, e.Model)
	}
	for _, m := range e.Modes {
		l.in = m.Inst
		switch m.Mode {
		case spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId, spirv.ExecutionModeLocalSizeHint, spirv.ExecutionModeLocalSizeHintId,
			spirv.ExecutionModeSubgroupSize, spirv.ExecutionModeVecTypeHint, spirv.ExecutionModeMaximallyReconvergesKHR,
			// These ask for what the emulator does in any case: no contraction, denormals kept, round to nearest even,
			// signed zeros, infinities and NaNs.
			spirv.ExecutionModeContractionOff, spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeRoundingModeRTE,
			spirv.ExecutionModeSignedZeroInfNanPreserve:
		default:
			l.refuse("execution mode %v is not supported", m.Mode)
		}
	}
	if size, ok := l.m.LocalSize(e, l.scalar); ok {
		for i, v := range size {
			l.p.LocalSize[i] = uint64(v)
		}
	}
	if size, ok := l.m.SubgroupSize(e, l.scalar); ok {
		l.p.SubGroupSize = int(size)
	}
	l.in = nil
}

// spend counts work and refuses a module that makes too much of it.
func (l *lowerer) spend(n int) {
	if l.work += n; l.work > maxWork {
		l.refuse("the entry point has more than %d operands once its composites are taken apart", maxWork)
	}
}

// flat returns the kinds of the scalars a value of the type consists of, in memory order.
func (l *lowerer) flat(t *module.Type) []lane.Kind {
	if k, ok := l.flats[t]; ok {
		return k
	}
	var out []lane.Kind
	switch t.Kind {
	case module.Void:
	case module.Bool:
		out = []lane.Kind{lane.Bool}
	case module.Int:
		switch t.Width {
		case 8, 16, 32, 64:
			out = []lane.Kind{lane.IntOf(t.Width)}
		default:
			l.refuse("integers of %d bits are not supported", t.Width)
		}
	case module.Float:
		switch {
		case t.Encoding != 0:
			l.refuse("the type %v is not supported", t)
		case t.Width == 16:
			out = []lane.Kind{lane.F16}
		case t.Width == 32:
			out = []lane.Kind{lane.F32}
		case t.Width == 64:
			out = []lane.Kind{lane.F64}
		default:
			l.refuse("floats of %d bits are not supported", t.Width)
		}
	case module.Pointer:
		out = []lane.Kind{l.p.AddrKind}
	case module.Vector, module.Matrix:
		out = l.repeat(t, uint64(t.Count))
	case module.Array:
		n, ok := l.scalar(t.Length)
		if !ok {
			l.refuse("the length of the array %v is not a constant the emulator can compute", t)
		}
		out = l.repeat(t, n)
	case module.Struct:
		for _, m := range t.Members {
			out = append(out, l.flat(m)...)
			if len(out) > maxComponents {
				l.refuse("a value of type %v has more than %d scalars; access its elements in memory instead", t, maxComponents)
			}
		}
	default:
		if t.Inst.Op == spirv.OpTypeEvent {
			out = []lane.Kind{lane.I64}
			break
		}
		l.refuse("values of type %v (%v) are not supported", t, t.Inst.Op)
	}
	l.flats[t] = out
	return out
}

func (l *lowerer) repeat(t *module.Type, n uint64) []lane.Kind {
	elem := l.flat(t.Elem)
	if len(elem) > 0 && n > maxComponents/uint64(len(elem)) {
		l.refuse("a value of type %v has more than %d scalars; access its elements in memory instead", t, maxComponents)
	}
	var out []lane.Kind
	if len(elem) > 0 {
		for range n {
			out = append(out, elem...)
		}
	}
	return out
}

// constant returns a value that is the same in all lanes.
func (l *lowerer) constant(k lane.Kind, bits uint64) lane.Value {
	if k.Bits() < 64 {
		bits &= 1<<k.Bits() - 1
	}
	key := constKey{k, bits}
	v, ok := l.consts[key]
	if !ok {
		v = l.p.NewValue(k)
		l.consts[key] = v
		l.isConst[v] = bits
		l.p.Consts = append(l.p.Consts, lane.Const{Value: v, Bits: bits})
	}
	return v
}

// input returns an input, the same value for the same source.
func (l *lowerer) input(k lane.Kind, from lane.InputFrom, a, b int) lane.Value {
	key := lane.Input{Value: lane.Value(k), From: from, A: a, B: b}
	v, ok := l.inputs[key]
	if !ok {
		v = l.p.NewValue(k)
		l.inputs[key] = v
		l.p.Inputs = append(l.p.Inputs, lane.Input{Value: v, From: from, A: a, B: b})
	}
	return v
}

// function returns the index of a function in the lane program; it is lowered later.
func (l *lowerer) function(f *module.Function) int {
	i, ok := l.funcs[f]
	if ok {
		return i
	}
	if len(f.Blocks) == 0 {
		l.fail("unsupported", fmt.Sprintf("the function %s has no body: it is imported, and nothing here provides it", l.m.Name(f.ID)), "sgrun run --link with the module that exports it")
	}
	i = len(l.p.Funcs)
	l.funcs[f] = i
	g := &lane.Func{Name: l.m.Name(f.ID)}
	l.p.Funcs = append(l.p.Funcs, g)
	for _, p := range f.Params {
		for _, k := range l.flat(p.Type) {
			if i > 0 { // the entry point's parameters are inputs
				g.Params = append(g.Params, l.p.NewValue(k))
			}
		}
	}
	for _, k := range l.flat(f.Type.Elem) {
		g.Results = append(g.Results, l.p.NewValue(k))
	}
	l.todo = append(l.todo, f)
	return i
}

// fold computes an elementwise operation whose operands are all constants.
func (l *lowerer) fold(op lane.Op, kind, to lane.Kind, imm int64, src []lane.Value) (lane.Value, bool) {
	bits := make([]uint64, len(src))
	for i, s := range src {
		b, ok := l.isConst[s]
		if !ok {
			return 0, false
		}
		bits[i] = b
	}
	result, ok := vec.Fold(op, kind, to, imm, bits...)
	if !ok {
		return 0, false
	}
	return l.constant(resultKind(op, kind, to), result), true
}

// resultKind is the kind of an elementwise operation's result.
func resultKind(op lane.Op, kind, to lane.Kind) lane.Kind {
	switch op.Info().Shape {
	case lane.Test:
		return lane.Bool
	case lane.Convert:
		return to
	}
	return kind
}
