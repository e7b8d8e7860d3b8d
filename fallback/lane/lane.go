// Package lane defines the lane program: what one entry point of a SPIR-V module becomes before an engine runs it.
//
// A lane program describes what one invocation (a lane) does; engines run it for many lanes at once. It is a small SSA
// program over scalars. Lowering has folded constants and specialization constants, laid out types, taken vectors and
// structures apart, resolved calls and found where lanes that part meet again. Engines share this program, not each
// other's storage of values.
//
// # Values
//
// A [Value] is one scalar per lane. It is a constant, an input (an argument, an address or a built-in variable, see
// [Input]), the result of one instruction, or a variable's register, which is the only kind of value written more than once
// (by Copy). A value's kind fixes its width; floats and integers of equal width are the same bits, so a bitcast between
// them is no instruction at all.
//
// # Control flow
//
// Blocks are straight lines that end in a [Term]. Calls end a block, so that an engine can stop and go on at block
// starts only. Phis are parallel copies on edges. No function can be entered twice by one lane at the same time
// (recursion is refused), so each function's values have one place per lane.
package lane

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
)

// Kind is the kind of a scalar.
type Kind uint8

// Kinds. Integers have no signedness; operations do.
const (
	Bool Kind = iota
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	NumKinds
)

// Bytes returns the size of the kind in memory, in bytes; a Bool takes one.
func (k Kind) Bytes() int { return [...]int{1, 1, 2, 4, 8, 2, 4, 8}[k] }

// Bits returns the width of the kind; of a Bool, 1.
func (k Kind) Bits() int { return [...]int{1, 8, 16, 32, 64, 16, 32, 64}[k] }

// Float reports whether the kind is a floating-point format.
func (k Kind) Float() bool { return k >= F16 }

// String returns "bool", "i8", … "f64".
func (k Kind) String() string {
	return [...]string{"bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64"}[k]
}

// IntOf returns the integer kind of the width in bits (8, 16, 32, 64).
func IntOf(bits int) Kind {
	switch bits {
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	}
	panic(fmt.Sprintf("lane: no integer kind of %d bits", bits))
}

// Value names one scalar per lane; it indexes Program.Values.
type Value int32

// NoValue is no value.
const NoValue Value = -1

// Program is one entry point, ready to run.
type Program struct {
	Entry     string // the entry point's name
	Shader    bool   // lanes meet at declared merge blocks; otherwise wherever they come to the same block
	AddrKind  Kind   // I64, or I32 with Physical32 addressing
	Values    []Kind
	Consts    []Const
	Inputs    []Input
	Variables []Variable
	Funcs     []*Func // Funcs[0] is the entry point
	Params    []Param // kernel parameters, by index
	Resources []Resource
	PushSize  uint64 // bytes of the push-constant block that are used; 0: there is none
	// LocalSize is the work-group size the module requires; zero where it leaves that to the launch.
	LocalSize [3]uint64
	// SubGroupSize is the sub-group size the module requires, in lanes; zero where it leaves that to the launch.
	SubGroupSize int
	// Source is the module's instructions; Inst.At and Term.At index it.
	Source []spirv.Instruction
}

// NewValue adds a value of the kind.
func (p *Program) NewValue(k Kind) Value {
	p.Values = append(p.Values, k)
	return Value(len(p.Values) - 1)
}

// Const gives a value that is the same in all lanes always.
type Const struct {
	Value Value
	Bits  uint64 // zero-extended
}

// Rate says when an input changes.
type Rate uint8

// Rates.
const (
	PerLaunch Rate = iota
	PerSize        // with a work-group of another size than the one before
	PerGroup       // with each work-group
)

// Input gives a value that the engine fills in before a lane starts.
type Input struct {
	Value Value
	From  InputFrom
	// A and B depend on From.
	A, B int
}

// InputFrom says what an input holds.
type InputFrom uint8

// Sources of inputs.
const (
	FromParam       InputFrom = iota // bytes of parameter A at offset B; for a local-memory parameter, its address
	FromResource                     // address of Resources[A]
	FromResourceLen                  // size in bytes of the buffer bound to Resources[A]
	FromPush                         // address of the push-constant block
	FromVariable                     // address of Variables[A]
	FromBuiltIn                      // component B of the built-in variable spirv.BuiltIn(A)
)

// Variable is a variable that lives in memory.
type Variable struct {
	Name    string
	Storage spirv.StorageClass // Function and Private: one per lane; Workgroup: one per work-group; otherwise one per launch
	Size    uint64             // bytes
	Align   uint64             // bytes
	// Init is the initial contents of a variable held once per launch, per work-group or of storage class Private; nil
	// where the contents are undefined. A Function variable is initialised by stores instead.
	Init     []byte
	Writable bool
	// Pointers are places in Init that hold addresses of other variables.
	Pointers []VariablePointer
}

// VariablePointer is an address inside a variable's initial contents.
type VariablePointer struct {
	At       uint64 // bytes from the variable's start
	Variable int    // index in Program.Variables
	Offset   uint64 // bytes from that variable's start
}

// Param is a kernel parameter.
type Param struct {
	Name  string
	Kind  ParamKind
	Size  uint64 // bytes of the argument's value, of ParamValue
	Align uint64 // bytes; of ParamLocal: of its memory
}

// ParamKind says what a parameter takes.
type ParamKind uint8

// Kinds of parameter.
const (
	ParamValue   ParamKind = iota // a value's bytes
	ParamPointer                  // an address in device memory
	ParamLocal                    // work-group memory of the launch's choice
)

// Resource is a buffer bound by descriptor set and binding.
type Resource struct {
	Name         string
	Set, Binding uint32
	Storage      spirv.StorageClass
	MinSize      uint64 // bytes the block takes without its run-time array
	Writable     bool
}

// Func is a function.
type Func struct {
	Name    string
	Params  []Value // written by calls
	Results []Value // written by returns, read by callers
	// Blocks[0] is the entry block. In a kernel, blocks stand in the order in which lanes that have parted take turns:
	// lanes at an earlier block go first, so that they can catch up with lanes at a later one. The blocks of a loop stand
	// together, its header first; lanes that come back to the header wait for all that are still in the loop's blocks.
	Blocks []Block
	Loops  []Loop // of a kernel
}

// Loop is a loop of a kernel's flow graph.
type Loop struct {
	Head, Last int // indices of its first and last block
	Parent     int // the loop around it, an index into Func.Loops, or -1
}

// Block is a straight line of instructions.
type Block struct {
	Insts []Inst
	Term  Term
	// Loop is the innermost loop of a kernel's block, an index into Func.Loops, or -1.
	Loop int
	// Merge and Continue are the declared merge block and continue target when the program is a shader, or -1.
	Merge, Continue int
}

// Inst is one instruction.
type Inst struct {
	Op     Op
	Kind   Kind // of the operands, see Shape
	To     Kind // of the result of a conversion
	Dst    []Value
	Src    []Value
	Mem    *Access
	Group  *Group // of operations on the lanes of a sub-group
	Atomic *AtomicAccess
	Imm    int64
	Off    int64
	// Defined is true where the module says what happens to operands that otherwise have no defined result (the
	// decoration SaturatedConversion): nothing is to be reported.
	Defined bool
	At      int32 // index of the SPIR-V instruction in Program.Source
}

// Access describes a Load or Store.
type Access struct {
	Storage  spirv.StorageClass
	Comps    []Comp
	Size     uint64 // bytes from the address to the end of the last component
	Align    uint64 // promised alignment in bytes; 0: none
	Volatile bool
}

// Comp is one scalar of an access.
type Comp struct {
	Off  uint64 // bytes from the address
	Kind Kind
}

// TermKind says how a block ends.
type TermKind uint8

// Ends of blocks.
const (
	Jump        TermKind = iota // to Edges[0]
	Branch                      // to Edges[0] where Cond, else to Edges[1]
	Switch                      // to Edges[i+1] where Cond == Cases[i], else to Edges[0]
	Call                        // Callee, then Edges[0]
	Barrier                     // wait for the other lanes, then Edges[0]
	Return                      // from the function; Src are the results
	Unreachable                 // reaching it is an error
)

// Term is the end of a block.
type Term struct {
	Kind   TermKind
	Cond   Value // Bool of Branch, integer of Switch
	Cases  []uint64
	Edges  []Edge
	Callee int // index in Program.Funcs
	// SubGroup is true for a Barrier of the sub-group's lanes; otherwise it is one of the work-group's.
	SubGroup bool
	Src      []Value // arguments of Call, results of Return
	Dst      []Value // results of Call
	At       int32   // index of the SPIR-V instruction in Program.Source
}

// Edge goes to a block. Its copies are done at once, for the lanes that take it.
type Edge struct {
	To       int
	Dst, Src []Value
}
