package module

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/sgrun/sgrun/spirv"
)

// HandleBytes is the size Layout gives to what a program can hold but not look into: images, samplers, events, queues,
// pipes.
const HandleBytes = 8

// Layout computes where the parts of values lie in memory. It keeps what it has computed and is not safe for concurrent
// use.
type Layout struct {
	m      *Module
	length func(spirv.ID) (uint64, bool)
	memo   map[layoutKey]*Node
}

type layoutKey struct {
	t            spirv.ID
	rule         rule
	matrixStride uint64
	rowMajor     bool
	column       bool // of a matrix: the stride and the order are its own
}

// rule says how strictly a storage class is laid out.
type rule uint8

const (
	natural  rule = iota // as OpenCL C lays types out, decorations respected where they are
	external             // natural, but shared with the outside: bool has no size
	explicit             // offsets and strides must be given by decorations; bool has no size
)

// Node is the layout of one type where it stands: a tree with one child per step of an access chain. Element i of an
// array, a matrix or a vector is Stride*i bytes from its start; field i of a structure is at Fields[i].Offset.
type Node struct {
	Type  *Type
	Size  uint64 // bytes from the first to behind the last, padding at the end included; of a runtime array 0
	Align uint64 // bytes, a power of two
	// Stride is the distance of elements in bytes, of arrays, matrices (column to column) and vectors. In a row-major
	// matrix the components of a column are the matrix stride apart and the columns a component apart.
	Stride  uint64
	Elem    *Node   // of arrays, matrices and vectors
	Fields  []Field // of structures
	Runtime bool    // a runtime array, or a structure that ends with one: Size is what comes before its elements
}

// Field is one member of a structure.
type Field struct {
	Offset uint64
	Node   *Node
}

// Layout returns the layouts of the module's types. length gives the values of constants that are array lengths, with
// specialization applied; where it is nil or says no, the value in the module stands (for OpSpecConstant: its default).
func (m *Module) Layout(length func(spirv.ID) (uint64, bool)) *Layout {
	return &Layout{m: m, length: length, memo: map[layoutKey]*Node{}}
}

// Of returns the layout of a type in a storage class:
//
//   - Uniform, StorageBuffer, PushConstant, PhysicalStorageBuffer, ShaderRecordBufferKHR: as the decorations Offset,
//     ArrayStride, MatrixStride and RowMajor say; they must be there (SPIR-V 1.6, section 2.16.2, explicit layout).
//   - all others: a structure whose members all have an Offset and an array with an ArrayStride are laid out as they
//     say. Everything else as in OpenCL C: a vector of 3 takes the room of 4, vectors are aligned to their size,
//     structures are padded, unless CPacked.
//
// bool takes one byte in the storage classes Function, Private and Workgroup and has no size in others. A size must stay
// below 2^63. The error is an *Error.
func (l *Layout) Of(t *Type, storage spirv.StorageClass) (*Node, error) {
	return l.node(t, layoutKey{t: t.ID, rule: ruleOf(storage)})
}

// Align returns the alignment in bytes of a variable: that of its type, or its Alignment decoration where that is larger.
func (l *Layout) Align(v *Variable) (uint64, error) {
	n, err := l.Of(v.Type.Elem, v.Storage)
	if err != nil {
		return 0, err
	}
	align := n.Align
	if d, ok := l.m.Decoration(v.ID, spirv.DecorationAlignment); ok && len(d.Operands) > 0 && bits.OnesCount32(d.Operands[0]) == 1 {
		align = max(align, uint64(d.Operands[0]))
	}
	return align, nil
}

func ruleOf(storage spirv.StorageClass) rule {
	switch storage {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant,
		spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR:
		return explicit
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup:
		return natural
	}
	return external
}

func (l *Layout) fail(t *Type, format string, args ...any) error {
	return &Error{
		Reason:      fmt.Sprintf("type %v (%v) cannot be laid out in memory: %s", t.ID, t, fmt.Sprintf(format, args...)),
		Instruction: l.m.Text(t.Inst),
		ID:          t.ID,
		Offset:      t.Inst.Offset,
	}
}

func (l *Layout) node(t *Type, key layoutKey) (*Node, error) {
	if n := l.memo[key]; n != nil {
		return n, nil
	}
	n, err := l.compute(t, key)
	if err != nil {
		return nil, err
	}
	if n.Size > math.MaxInt64 || n.Align > math.MaxInt64 || n.Stride > math.MaxInt64 {
		return nil, l.fail(t, "it takes 2^63 bytes or more")
	}
	l.memo[key] = n
	return n, nil
}

func (l *Layout) compute(t *Type, key layoutKey) (*Node, error) {
	switch t.Kind {
	case Bool:
		if key.rule != natural {
			return nil, l.fail(t, "bool has no size in this storage class")
		}
		return leaf(t, 1), nil
	case Int, Float:
		if t.Width < 1 || t.Width > 1024 {
			return nil, l.fail(t, "its width is %d bits", t.Width)
		}
		return leaf(t, ceilPow2(uint64(t.Width+7)/8)), nil
	case Pointer:
		return l.pointer(t, key)
	case Vector:
		return l.vector(t, key)
	case Matrix:
		return l.matrix(t, key)
	case Array, RuntimeArray:
		return l.array(t, key)
	case Struct:
		return l.structure(t, key)
	case Other:
		switch t.Inst.Op {
		case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeEvent, spirv.OpTypeDeviceEvent,
			spirv.OpTypeReserveId, spirv.OpTypeQueue, spirv.OpTypePipe, spirv.OpTypePipeStorage, spirv.OpTypeNamedBarrier:
			return leaf(t, HandleBytes), nil
		}
	}
	return nil, l.fail(t, "it has no size")
}

func leaf(t *Type, size uint64) *Node { return &Node{Type: t, Size: size, Align: size} }

func ceilPow2(v uint64) uint64 {
	if v <= 1 {
		return 1
	}
	return 1 << bits.Len64(v-1)
}

func (l *Layout) pointer(t *Type, key layoutKey) (*Node, error) {
	switch {
	case t.Storage == spirv.StorageClassPhysicalStorageBuffer:
		return leaf(t, 8), nil
	case l.m.Addressing == spirv.AddressingModelPhysical32:
		return leaf(t, 4), nil
	case l.m.Addressing == spirv.AddressingModelPhysical64, key.rule == natural:
		return leaf(t, 8), nil
	}
	return nil, l.fail(t, "a pointer has no size under logical addressing")
}

func (l *Layout) vector(t *Type, key layoutKey) (*Node, error) {
	c, err := l.node(t.Elem, layoutKey{t: t.Elem.ID, rule: key.rule})
	if err != nil {
		return nil, err
	}
	if t.Count < 1 || t.Count > math.MaxUint16 {
		return nil, l.fail(t, "it has %d components", t.Count)
	}
	n := &Node{Type: t, Elem: c, Stride: c.Size, Align: c.Align}
	switch {
	case key.column && key.rowMajor:
		n.Stride = key.matrixStride
		over, span := bits.Mul64(uint64(t.Count-1), n.Stride)
		if over != 0 || span > math.MaxInt64 {
			return nil, l.fail(t, "it takes 2^63 bytes or more")
		}
		n.Size = span + c.Size
	case key.rule == explicit:
		n.Size = uint64(t.Count) * c.Size
	default:
		n.Size = ceilPow2(uint64(t.Count)) * c.Size
		n.Align = n.Size
	}
	return n, nil
}

func (l *Layout) matrix(t *Type, key layoutKey) (*Node, error) {
	columnKey := key
	columnKey.t, columnKey.column = t.Elem.ID, true
	if key.matrixStride == 0 && key.rule == explicit {
		return nil, l.fail(t, "a matrix in this storage class needs the decoration MatrixStride")
	}
	col, err := l.node(t.Elem, columnKey)
	if err != nil {
		return nil, err
	}
	if t.Count < 1 || t.Count > math.MaxUint16 || t.Elem.Kind != Vector {
		return nil, l.fail(t, "it has %d columns of type %v", t.Count, t.Elem)
	}
	n := &Node{Type: t, Elem: col, Align: col.Align}
	switch {
	case key.matrixStride == 0:
		n.Stride = col.Size
		n.Size, err = l.times(t, n.Stride, uint64(t.Count))
	case key.rowMajor:
		n.Stride = col.Elem.Size
		n.Size, err = l.times(t, key.matrixStride, uint64(t.Elem.Count))
	default:
		n.Stride = key.matrixStride
		n.Size, err = l.times(t, n.Stride, uint64(t.Count))
	}
	return n, err
}

func (l *Layout) array(t *Type, key layoutKey) (*Node, error) {
	elemKey := key
	elemKey.t = t.Elem.ID
	e, err := l.node(t.Elem, elemKey)
	if err != nil {
		return nil, err
	}
	if e.Runtime {
		return nil, l.fail(t, "its elements have no fixed size")
	}
	n := &Node{Type: t, Elem: e, Align: e.Align, Stride: e.Size}
	if d, ok := l.m.Decoration(t.ID, spirv.DecorationArrayStride); ok && len(d.Operands) > 0 {
		n.Stride = uint64(d.Operands[0])
	} else if key.rule == explicit {
		return nil, l.fail(t, "an array in this storage class needs the decoration ArrayStride")
	}
	if t.Kind == RuntimeArray {
		n.Runtime = true
		return n, nil
	}
	count, ok := l.constant(t.Length)
	if !ok {
		return nil, l.fail(t, "its length %v is not known before specialization", t.Length)
	}
	n.Size, err = l.times(t, n.Stride, count)
	return n, err
}

// constant returns the value of an integer constant.
func (l *Layout) constant(id spirv.ID) (uint64, bool) {
	if l.length != nil {
		if v, ok := l.length(id); ok {
			return v, true
		}
	}
	return l.m.DefaultValue(id)
}

// DefaultValue returns the value of a scalar constant as the module gives it, without specialization: the literal's
// bits, zero-extended. It is not known for the result of OpSpecConstantOp.
func (m *Module) DefaultValue(id spirv.ID) (uint64, bool) {
	c := m.Constants[id]
	if c == nil {
		return 0, false
	}
	switch c.Inst.Op {
	case spirv.OpConstant, spirv.OpSpecConstant, spirv.OpConstantTrue, spirv.OpSpecConstantTrue, spirv.OpConstantFalse, spirv.OpSpecConstantFalse:
		return c.Bits, true
	case spirv.OpConstantNull:
		return 0, c.Type.Kind == Bool || c.Type.Kind == Int || c.Type.Kind == Float
	}
	return 0, false
}

func (l *Layout) times(t *Type, a, b uint64) (uint64, error) {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 || lo > math.MaxInt64 {
		return 0, l.fail(t, "it takes 2^63 bytes or more")
	}
	return lo, nil
}

func (l *Layout) structure(t *Type, key layoutKey) (*Node, error) {
	offsets, err := l.offsets(t, key)
	if err != nil {
		return nil, err
	}
	_, packed := l.m.Decoration(t.ID, spirv.DecorationCPacked)
	n := &Node{Type: t, Align: 1, Fields: make([]Field, len(t.Members))}
	for i, member := range t.Members {
		memberKey := layoutKey{t: member.ID, rule: key.rule}
		if d, ok := l.m.MemberDecoration(t.ID, i, spirv.DecorationMatrixStride); ok && len(d.Operands) > 0 {
			memberKey.matrixStride = uint64(d.Operands[0])
			_, memberKey.rowMajor = l.m.MemberDecoration(t.ID, i, spirv.DecorationRowMajor)
		}
		f, err := l.node(member, memberKey)
		if err != nil {
			return nil, err
		}
		if f.Runtime {
			if i != len(t.Members)-1 {
				return nil, l.fail(t, "member %d has no fixed size and is not the last", i)
			}
			n.Runtime = true
		}
		if !packed {
			n.Align = max(n.Align, f.Align)
		}
		at := n.Size
		if offsets != nil {
			at = offsets[i]
		} else if !packed {
			at = alignUp(at, f.Align)
		}
		if at > math.MaxInt64-f.Size {
			return nil, l.fail(t, "it takes 2^63 bytes or more")
		}
		n.Fields[i] = Field{at, f}
		n.Size = max(n.Size, at+f.Size)
	}
	if offsets == nil {
		n.Size = alignUp(n.Size, n.Align)
	}
	return n, nil
}

// offsets returns the Offset decorations of a structure's members, nil where it is laid out without.
func (l *Layout) offsets(t *Type, key layoutKey) ([]uint64, error) {
	offsets := make([]uint64, len(t.Members))
	for i := range t.Members {
		d, ok := l.m.MemberDecoration(t.ID, i, spirv.DecorationOffset)
		if !ok || len(d.Operands) == 0 {
			if key.rule == explicit {
				return nil, l.fail(t, "member %d needs the decoration Offset in this storage class", i)
			}
			return nil, nil
		}
		offsets[i] = uint64(d.Operands[0])
	}
	return offsets, nil
}

// alignUp may pass 2^63 where v is close to it; node refuses the result.
func alignUp(v, align uint64) uint64 { return (v + align - 1) &^ (align - 1) }
