package val

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// MaxViolations is how many violations Check collects before it stops.
const MaxViolations = 20

// Violation is one broken rule.
type Violation struct {
	Rule        string   `json:"rule"`                  // what must hold and what is there instead, without the full stop
	Instruction string   `json:"instruction,omitempty"` // text of the instruction, such as "%9 = OpIAdd %uint %7 %8"
	ID          spirv.ID `json:"id,omitempty"`          // its result id, 0 where it has none
	Function    string   `json:"function,omitempty"`    // name of the function it stands in, empty at module scope
	Offset      int      `json:"offset,omitempty"`      // its word offset, 0 where the module was not decoded from a binary
	Section     string   `json:"section"`               // where the rule is written, such as "SPIR-V 1.6, section 3.3.13"
}

// String prints the violation in one line.
func (v Violation) String() string {
	var s strings.Builder
	s.WriteString(v.Rule)
	if v.Instruction != "" {
		s.WriteString(": ")
		s.WriteString(v.Instruction)
	}
	s.WriteString(" (")
	if v.Function != "" {
		fmt.Fprintf(&s, "function %s, ", v.Function)
	}
	if v.Offset > 0 {
		fmt.Fprintf(&s, "word offset %d, ", v.Offset)
	}
	s.WriteString(v.Section)
	s.WriteByte(')')
	return s.String()
}

// Error holds the violations found in a module, in the order in which they were found.
type Error struct {
	Violations []Violation `json:"violations"`
	// More says that the search stopped at MaxViolations.
	More bool `json:"more,omitempty"`
}

// Error prints the first violation and how many others there are.
func (e *Error) Error() string {
	s := "invalid module: " + e.Violations[0].String()
	switch n := len(e.Violations) - 1; {
	case e.More:
		s += fmt.Sprintf("; and %d more or still others", n)
	case n > 0:
		s += fmt.Sprintf("; and %d more", n)
	}
	return s
}

// Check checks a module against the specification. The error is an *Error.
func Check(m *module.Module) error {
	c := newChecker(m)
	// A phase builds on those before it: types are looked at only where every id is known to be what it is used as.
	for _, phase := range []func(){c.checkHeader, c.checkOrder, c.checkGrammar, c.checkIDs, c.checkModule, c.checkInstructions, c.checkFlow} {
		phase()
		if len(c.found) > 0 {
			return &Error{Violations: c.found, More: c.more}
		}
	}
	return nil
}

// Load makes the model of a module and checks it. The error is a *module.Error or an *Error.
func Load(b *spirv.Binary) (*module.Module, error) {
	m, err := module.New(b)
	if err != nil {
		return nil, err
	}
	if err := Check(m); err != nil {
		return nil, err
	}
	return m, nil
}

// inst is one instruction with what the rules ask about it.
type inst struct {
	*spirv.Instruction
	g      *grammar.Instruction // nil where the opcode is unknown
	ops    []module.Operand
	index  int              // position in the module
	fn     *module.Function // nil at module scope
	block  *module.Block    // nil outside blocks
	result spirv.ID         // 0 where there is none
	rt     *module.Type     // result type, nil where there is none
}

// args returns the operands behind result type and result id.
func (in *inst) args() []module.Operand {
	n := 0
	if in.g.HasResultType() {
		n++
	}
	if in.g.HasResult() {
		n++
	}
	return in.ops[n:]
}

// arg returns the id that is the i-th operand behind result type and result id; 0 where there are fewer operands or it
// is no id.
func (in *inst) arg(i int) spirv.ID {
	if a := in.args(); i < len(a) && a[i].IsID() {
		return a[i].ID()
	}
	return 0
}

// word returns the first word of the i-th operand behind result type and result id; ok is false where there are fewer.
func (in *inst) word(i int) (w uint32, ok bool) {
	if a := in.args(); i < len(a) {
		return a[i].Words[0], true
	}
	return 0, false
}

// checker checks one module.
type checker struct {
	*module.Module
	insts   []inst
	byID    map[spirv.ID]*inst // what defines an id
	doms    map[*module.Function]*module.DomTree
	layouts *module.Layout
	entries map[*module.Function][]*module.EntryPoint // see reaching
	table   map[spirv.Op]rule
	index   map[*spirv.Instruction]*inst              // filled by instOf
	entryOf map[*spirv.Instruction]*module.EntryPoint // filled by checkEntries
	has     parts
	scalars map[*module.Type]uint64 // filled by scalarIn
	depths  map[*module.Type]int    // of structures
	found   []Violation
	more    bool
}

func newChecker(m *module.Module) *checker {
	c := &checker{Module: m, byID: map[spirv.ID]*inst{}, doms: map[*module.Function]*module.DomTree{}, layouts: m.Layout(nil), table: rules(), depths: map[*module.Type]int{}, scalars: map[*module.Type]uint64{}}
	c.has = c.newParts()
	c.insts = make([]inst, len(m.Binary.Insts))
	arena := make([]module.Operand, 0, 4*len(m.Binary.Insts))
	var fn *module.Function
	var block *module.Block
	for i := range c.insts {
		in := &c.insts[i]
		in.Instruction = &m.Binary.Insts[i]
		in.index = i
		in.g, _ = grammar.Lookup(in.Op)
		from := len(arena)
		arena, _ = m.AppendOperands(arena, in.Instruction)
		in.ops = arena[from:len(arena):len(arena)]
		if in.g != nil && in.g.HasResult() {
			at := 0
			if in.g.HasResultType() {
				at = 1
				in.rt = m.Types[in.ops[0].ID()]
			}
			in.result = in.ops[at].ID()
			c.byID[in.result] = in
		}
		switch in.Op {
		case spirv.OpFunction:
			fn = m.FunctionByID[in.result]
		case spirv.OpLabel:
			if fn != nil {
				block = fn.BlockByID[in.result]
			}
		}
		in.fn, in.block = fn, block
		switch {
		case module.IsTerminator(in.Op):
			block = nil
		case in.Op == spirv.OpFunctionEnd:
			fn = nil
		}
	}
	return c
}

// fail notes a violation of a rule of the section by the instruction; in may be nil.
func (c *checker) fail(in *inst, section, format string, args ...any) {
	if len(c.found) >= MaxViolations {
		c.more = true
		return
	}
	v := Violation{Rule: fmt.Sprintf(format, args...), Section: section}
	if in != nil {
		v.Instruction = c.Text(in.Instruction)
		v.ID = in.result
		v.Offset = in.Offset
		if in.fn != nil {
			v.Function = c.Name(in.fn.ID)
		}
	}
	c.found = append(c.found, v)
}

// full reports whether the search must stop here, short of the module's end.
func (c *checker) full() bool {
	c.more = c.more || len(c.found) >= MaxViolations
	return c.more
}

// name writes an id for messages, as the text of instructions has it.
func (c *checker) name(id spirv.ID) string { return c.IDText(id) }

// typeOf returns the type of the value that is the i-th operand behind result type and result id, nil where it is none.
func (c *checker) typeOf(in *inst, i int) *module.Type {
	return c.TypeOf(in.arg(i))
}

// dom returns the dominators of a function.
func (c *checker) dom(f *module.Function) *module.DomTree {
	d := c.doms[f]
	if d == nil {
		d = f.Dominators()
		c.doms[f] = d
	}
	return d
}

// constant returns the value of an integer or boolean constant that specialization cannot change.
func (c *checker) constant(id spirv.ID) (uint64, bool) {
	k := c.Constants[id]
	if k == nil || k.Spec {
		return 0, false
	}
	return c.DefaultValue(id)
}

// isConstant reports whether the id is the result of a constant instruction, OpUndef not counted.
func (c *checker) isConstant(id spirv.ID) bool {
	k := c.Constants[id]
	return k != nil && k.Inst.Op != spirv.OpUndef
}

const core = "SPIR-V 1.6, section "

// coreSections are the subsections of section 3.3 by class of instruction in the grammar.
var coreSections = map[string]string{
	"Miscellaneous": "3.3.1", "Debug": "3.3.2", "Annotation": "3.3.3", "Extension": "3.3.4", "Mode-Setting": "3.3.5",
	"Type-Declaration": "3.3.6", "Constant-Creation": "3.3.7", "Memory": "3.3.8", "Function": "3.3.9", "Image": "3.3.10",
	"Conversion": "3.3.11", "Composite": "3.3.12", "Arithmetic": "3.3.13", "Bit": "3.3.14", "Relational_and_Logical": "3.3.15",
	"Derivative": "3.3.16", "Control-Flow": "3.3.17", "Atomic": "3.3.18", "Primitive": "3.3.19", "Barrier": "3.3.20",
	"Group": "3.3.21", "Device-Side_Enqueue": "3.3.22", "Pipe": "3.3.23", "Non-Uniform": "3.3.24",
}

// section returns where the instruction is specified.
func (in *inst) section() string {
	if s, ok := coreSections[in.g.Class]; ok {
		return core + s
	}
	return core + "3.3"
}

// bad notes a violation of what the specification says of the instruction itself.
func (c *checker) bad(in *inst, format string, args ...any) {
	c.fail(in, in.section(), format, args...)
}
