// Package module is the model of a SPIR-V module: types, constants, variables, functions, blocks and their dominators,
// entry points with their execution modes, names and decorations, the layout of types in memory, and reflection.
//
// New builds it from a decoded binary. It checks only what it needs to build the model without guessing; package val
// checks the rest. What New promises to those who read a model:
//
//   - every instruction with a known opcode has exactly the operands its grammar asks for, no id operand is 0 or at or
//     above the bound, every id is defined at most once;
//   - every result type is a declared type; types contain themselves through pointers only and nest at most
//     MaxTypeDepth deep, so recursion over Type.Elem and Type.Members that stops at pointers ends;
//   - every block ends with a termination instruction whose targets are blocks of the same function;
//   - entry points name functions of the module, and no call graph below an entry point has a cycle.
//
// Nothing here changes the binary. All values are safe for concurrent readers.
package module

import (
	"sync"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
)

// MaxBound is the largest bound of ids New accepts (SPIR-V 1.6, section 2.17, Universal Limits).
const MaxBound = 0x3fffff

// MaxTypeDepth is how deep types may nest, pointers not followed. The specification bounds structures directly in
// structures to 255 (SPIR-V 1.6, section 2.17), arrays between them not counted; package val checks that.
const MaxTypeDepth = 512

// MaxEntryPoints is how many entry points a module may have, and MaxDecorations how many decorations one id or member:
// what is looked up for each of them would take quadratic time otherwise.
const (
	MaxEntryPoints = 4096
	MaxDecorations = 1024
)

// Module is the model of one module. All fields are read-only after New.
type Module struct {
	Binary *spirv.Binary

	Capabilities  []spirv.Capability // as declared, in order
	Extensions    []string           // as declared, in order
	ExtInstSets   map[spirv.ID]string
	Addressing    spirv.AddressingModel
	MemoryModel   spirv.MemoryModel
	EntryPoints   []*EntryPoint
	Names         map[spirv.ID]string         // OpName; the first where there are several
	MemberNames   map[spirv.ID]map[int]string // OpMemberName, by structure type and member
	Decorations   map[spirv.ID][]Decoration   // with decoration groups expanded
	MemberDecs    map[spirv.ID]map[int][]Decoration
	Types         map[spirv.ID]*Type
	TypeOrder     []*Type                // in order of declaration
	Constants     map[spirv.ID]*Constant // OpConstant*, OpSpecConstant*, OpConstantNull, module-scope OpUndef
	ConstantOrder []*Constant
	Globals       []*Variable // module-scope OpVariable, in order
	Functions     []*Function // in order
	FunctionByID  map[spirv.ID]*Function

	defs        map[spirv.ID]*spirv.Instruction
	resultTypes map[spirv.ID]spirv.ID
	caps        map[spirv.Capability]bool
	groupSize   *Constant // decorated as the built-in WorkgroupSize
	refsOnce    sync.Once
	refs        map[*Function][]spirv.ID // see references
	printerOnce sync.Once
	printer     *asm.Printer
}

// Def returns the instruction that defines the id, or nil.
func (m *Module) Def(id spirv.ID) *spirv.Instruction { return m.defs[id] }

// TypeOf returns the type of the value the id names, or nil where it names no typed value.
func (m *Module) TypeOf(id spirv.ID) *Type { return m.Types[m.resultTypes[id]] }

// HasCapability reports whether the module declares the capability or one that implies it (SPIR-V 1.6, section 3.2.30).
func (m *Module) HasCapability(c spirv.Capability) bool { return m.caps[c] }

// HasExtension reports whether the module declares the extension.
func (m *Module) HasExtension(name string) bool {
	for _, e := range m.Extensions {
		if e == name {
			return true
		}
	}
	return false
}

// Kernel reports whether the module is in the OpenCL dialect (capability Kernel) and not a shader.
func (m *Module) Kernel() bool {
	return m.caps[spirv.CapabilityKernel] && !m.caps[spirv.CapabilityShader]
}

// Name returns how to call the id in a message: its OpName, or the id where it has none.
func (m *Module) Name(id spirv.ID) string {
	if s := m.Names[id]; s != "" {
		return s
	}
	return id.String()
}

// Decoration is one decoration with its operand words.
type Decoration struct {
	Kind     spirv.Decoration
	Operands []uint32
	Inst     *spirv.Instruction // the OpDecorate… it comes from
}

// Decoration returns the id's first decoration of that kind.
func (m *Module) Decoration(id spirv.ID, kind spirv.Decoration) (Decoration, bool) {
	return find(m.Decorations[id], kind)
}

// MemberDecoration returns the first decoration of that kind on a structure's member.
func (m *Module) MemberDecoration(id spirv.ID, member int, kind spirv.Decoration) (Decoration, bool) {
	return find(m.MemberDecs[id][member], kind)
}

func find(list []Decoration, kind spirv.Decoration) (Decoration, bool) {
	for _, d := range list {
		if d.Kind == kind {
			return d, true
		}
	}
	return Decoration{}, false
}

// TypeKind says which OpType… instruction declares a type.
type TypeKind uint8

// Kinds of types.
const (
	Void TypeKind = iota
	Bool
	Int
	Float
	Vector
	Matrix
	Array
	RuntimeArray
	Struct
	Pointer
	FunctionType
	// Other is every type the model does not take apart (images, samplers, events, cooperative matrices, …); Inst has it.
	Other
)

// Type is one type. The pointers to other types are resolved; for a pointer declared ahead by OpTypeForwardPointer they
// may form a cycle.
type Type struct {
	ID       spirv.ID
	Kind     TypeKind
	Inst     *spirv.Instruction
	Width    int                // bits, of Int and Float
	Signed   bool               // of Int: the signedness operand is 1
	Encoding uint32             // of Float: the FP encoding operand + 1, 0 where absent (IEEE 754)
	Elem     *Type              // component of Vector, column of Matrix, element of arrays, pointee of Pointer, result of FunctionType
	Count    int                // components of Vector, columns of Matrix
	Length   spirv.ID           // of Array: the constant that is its length (it may be a specialization constant)
	Members  []*Type            // of Struct; parameters of FunctionType
	Storage  spirv.StorageClass // of Pointer
	Name     string             // OpName, empty where there is none
	depth    int                // how deep it nests, pointers not followed

	lengthText string // of Array
}

// Scalar returns the component type of a vector, the component type of a matrix's columns, and the type itself otherwise.
func (t *Type) Scalar() *Type {
	for t.Kind == Vector || t.Kind == Matrix {
		t = t.Elem
	}
	return t
}

// Components returns the number of components: Count of a vector, 1 otherwise.
func (t *Type) Components() int {
	if t.Kind == Vector {
		return t.Count
	}
	return 1
}

// Constant is one constant instruction at module scope.
type Constant struct {
	ID        spirv.ID
	Type      *Type
	Inst      *spirv.Instruction
	Spec      bool // OpSpecConstant…, may be changed by specialization or depends on one that may
	HasSpecID bool
	SpecID    uint32
	// Bits is the value of a scalar OpConstant, OpSpecConstant (its default), OpConstantTrue/False and null: the literal's
	// bits, zero-extended from the type's width.
	Bits     uint64
	Operands []spirv.ID // constituents of a composite
}

// Variable is an OpVariable (module scope or function).
type Variable struct {
	ID          spirv.ID
	Type        *Type // the pointer type
	Storage     spirv.StorageClass
	Initializer spirv.ID // 0 where there is none
	Inst        *spirv.Instruction
}

// Function is one function.
type Function struct {
	ID        spirv.ID
	Type      *Type // the function type
	Control   spirv.FunctionControl
	Inst      *spirv.Instruction
	Params    []Param
	Variables []*Variable // those of Function storage, which are in its blocks' Insts too
	Blocks    []*Block    // in order of declaration; the first is the entry block; empty for an imported function
	BlockByID map[spirv.ID]*Block
	Calls     []*spirv.Instruction // its OpFunctionCalls, in order
}

// Param is one OpFunctionParameter.
type Param struct {
	ID   spirv.ID
	Type *Type
	Inst *spirv.Instruction
}

// Block is one basic block.
type Block struct {
	ID    spirv.ID
	Index int // position in Function.Blocks
	Label *spirv.Instruction
	Insts []*spirv.Instruction // everything between the label and the terminator except merge instructions, OpLine and OpNoLine
	Merge *spirv.Instruction   // OpSelectionMerge or OpLoopMerge, or nil
	Term  *spirv.Instruction   // the termination instruction
	Succs []*Block             // each once, in order of appearance in the terminator
	Preds []*Block             // each once
}

// EntryPoint is one OpEntryPoint with its execution modes.
type EntryPoint struct {
	Name      string
	Model     spirv.ExecutionModel
	Function  *Function
	Interface []spirv.ID
	Modes     []ExecutionMode
	Inst      *spirv.Instruction
}

// ExecutionMode is one OpExecutionMode or OpExecutionModeId. Operands are literals or ids as the mode defines.
type ExecutionMode struct {
	Mode     spirv.ExecutionMode
	Operands []uint32
	Inst     *spirv.Instruction
}

// Mode returns the entry point's execution mode of that kind, if it has one.
func (e *EntryPoint) Mode(mode spirv.ExecutionMode) (ExecutionMode, bool) {
	for _, m := range e.Modes {
		if m.Mode == mode {
			return m, true
		}
	}
	return ExecutionMode{}, false
}

// IsTerminator reports whether the opcode is a termination instruction (SPIR-V 1.6, section 2.2.4).
func IsTerminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue, spirv.OpKill,
		spirv.OpUnreachable, spirv.OpTerminateInvocation, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR,
		spirv.OpEmitMeshTasksEXT, spirv.OpAbortKHR:
		return true
	}
	return false
}

// IsSpecConstant reports whether the opcode declares a specialization constant.
func IsSpecConstant(op spirv.Op) bool {
	switch op {
	case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant, spirv.OpSpecConstantComposite, spirv.OpSpecConstantOp,
		spirv.OpSpecConstantCompositeReplicateEXT, spirv.OpSpecConstantCompositeContinuedINTEL, spirv.OpSpecConstantStringAMDX:
		return true
	}
	return false
}
