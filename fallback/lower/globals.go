package lower

import (
	"encoding/binary"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// maxImage bounds the initial contents of a variable, in bytes.
const maxImage = 1 << 28

// memoryInput is a built-in variable that needs an address: each lane has a copy in its private memory.
type memoryInput struct {
	variable int // index in Program.Variables
	inputs   []lane.Value
	node     *module.Node
}

// scalar returns the bits of an integer or Boolean constant, specialization applied.
func (l *lowerer) scalar(id spirv.ID) (uint64, bool) {
	c := l.m.Constants[id]
	if c == nil || c.Type == nil {
		return 0, false
	}
	switch c.Type.Kind {
	case module.Int, module.Bool:
		return l.isConst[l.constantValue(c).comps[0]], true
	}
	return 0, false
}

// constantValue returns a constant, taken apart.
func (l *lowerer) constantValue(c *module.Constant) value {
	if v, ok := l.values[c.ID]; ok {
		return v
	}
	kinds := l.flat(c.Type)
	var comps []lane.Value
	switch c.Inst.Op {
	case spirv.OpConstantNull, spirv.OpUndef:
		for _, k := range kinds {
			comps = append(comps, l.constant(k, 0))
		}
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		for _, id := range c.Operands {
			part := l.m.Constants[id]
			if part == nil {
				l.inConstant(c, func() { l.refuse("the address of a variable in a constant is not supported") })
			}
			comps = append(comps, l.constantValue(part).comps...)
		}
	case spirv.OpConstant, spirv.OpSpecConstant, spirv.OpConstantTrue, spirv.OpSpecConstantTrue, spirv.OpConstantFalse, spirv.OpSpecConstantFalse:
		bits := c.Bits
		if given, ok := l.opt.Spec[c.SpecID]; ok && c.HasSpecID {
			bits = given
		}
		comps = []lane.Value{l.constant(kinds[0], bits)}
	case spirv.OpSpecConstantOp:
		comps = l.specConstantOp(c)
	default:
		l.inConstant(c, func() { l.refuse("%v is not supported", c.Inst.Op) })
	}
	v := value{comps: comps}
	l.values[c.ID] = v
	return v
}

// inConstant runs f with the constant's instruction as the one that messages name.
func (l *lowerer) inConstant(c *module.Constant, f func()) {
	in, fn := l.in, l.fn
	l.in, l.fn = c.Inst, nil
	f()
	l.in, l.fn = in, fn
}

// specConstantOp computes a constant expression by lowering its instruction outside of any function: the builder folds
// what is constant, and everything in it is.
func (l *lowerer) specConstantOp(c *module.Constant) (comps []lane.Value) {
	op := spirv.Op(c.Inst.Words[2])
	words := append([]uint32{c.Inst.Words[0], c.Inst.Words[1]}, c.Inst.Words[3:]...)
	l.inConstant(c, func() {
		b := &builder{lowerer: l, local: map[spirv.ID]value{}, handlers: handlers()}
		b.inst(&spirv.Instruction{Op: op, Words: words, Offset: c.Inst.Offset})
		v, ok := b.local[c.ID]
		if !ok {
			l.refuse("OpSpecConstantOp with %v is not supported", op)
		}
		for _, x := range v.comps {
			if _, ok := l.isConst[x]; !ok {
				l.refuse("OpSpecConstantOp with %v is not supported here: its result is not known before the kernel runs", op)
			}
		}
		comps = v.comps
	})
	return comps
}

// globals gives the module-scope variables the entry point uses a place.
func (l *lowerer) globals() {
	addressed := l.addressedInputs()
	for _, v := range l.m.Uses(l.opt.Entry) {
		l.in = v.Inst
		l.values[v.ID] = l.global(v, addressed[v.ID])
	}
	l.in = nil
}

func (l *lowerer) global(v *module.Variable, addressed bool) value {
	switch v.Storage {
	case spirv.StorageClassInput:
		return l.builtIn(v, addressed)
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		return l.resource(v)
	case spirv.StorageClassPushConstant:
		n := l.node(v.Type.Elem, v.Storage)
		l.p.PushSize = max(l.p.PushSize, n.Size)
		return value{comps: []lane.Value{l.input(l.p.AddrKind, lane.FromPush, 0, 0)}}
	case spirv.StorageClassUniformConstant:
		if l.p.Shader {
			l.refuse("the resource %s is not a buffer; images and samplers are not supported", l.m.Name(v.ID))
		}
	case spirv.StorageClassWorkgroup, spirv.StorageClassPrivate, spirv.StorageClassCrossWorkgroup:
	default:
		l.refuse("variables of storage class %v are not supported", v.Storage)
	}
	i := l.variable(v)
	if v.Initializer != 0 {
		l.p.Variables[i].Init = l.image(v)
	}
	return value{comps: []lane.Value{l.input(l.p.AddrKind, lane.FromVariable, i, 0)}}
}

// variable gives a variable room in memory.
func (l *lowerer) variable(v *module.Variable) int {
	n := l.node(v.Type.Elem, v.Storage)
	if n.Size > maxVariable {
		l.refuse("the variable %s takes %d bytes, more than the %d the emulator gives a variable", l.m.Name(v.ID), n.Size, uint64(maxVariable))
	}
	align, err := l.layout.Align(v)
	if err != nil {
		l.invalid("%v", err)
	}
	l.p.Variables = append(l.p.Variables, lane.Variable{
		Name: l.m.Name(v.ID), Storage: v.Storage, Size: n.Size, Align: min(align, 4096),
		Writable: v.Storage != spirv.StorageClassUniformConstant,
	})
	return len(l.p.Variables) - 1
}

// node returns the layout of a type.
func (l *lowerer) node(t *module.Type, storage spirv.StorageClass) *module.Node {
	n, err := l.layout.Of(t, storage)
	if err != nil {
		l.invalid("%v", err)
	}
	return n
}

// resource finds the buffer a shader's variable is bound to.
func (l *lowerer) resource(v *module.Variable) value {
	set, ok1 := l.m.Decoration(v.ID, spirv.DecorationDescriptorSet)
	bind, ok2 := l.m.Decoration(v.ID, spirv.DecorationBinding)
	if !ok1 || !ok2 {
		l.invalid("the variable %s has no DescriptorSet and Binding decorations, so nothing can be bound to it", l.m.Name(v.ID))
	}
	if v.Type.Elem.Kind != module.Struct {
		l.refuse("the resource %s is %v; arrays of resources are not supported", l.m.Name(v.ID), v.Type.Elem)
	}
	n := l.node(v.Type.Elem, v.Storage)
	_, bufferBlock := l.m.Decoration(v.Type.Elem.ID, spirv.DecorationBufferBlock)
	l.p.Resources = append(l.p.Resources, lane.Resource{
		Name: l.m.Name(v.ID), Set: set.Operands[0], Binding: bind.Operands[0], Storage: v.Storage,
		MinSize: n.Size, Writable: v.Storage == spirv.StorageClassStorageBuffer || bufferBlock,
	})
	i := len(l.p.Resources) - 1
	return value{comps: []lane.Value{l.input(l.p.AddrKind, lane.FromResource, i, 0)}, resource: i + 1}
}

// builtIn makes a built-in variable of the storage class Input: registers where it is only read, otherwise a copy in
// each lane's private memory.
func (l *lowerer) builtIn(v *module.Variable, addressed bool) value {
	d, ok := l.m.Decoration(v.ID, spirv.DecorationBuiltIn)
	if !ok {
		l.refuse("the input variable %s is no built-in variable", l.m.Name(v.ID))
	}
	b := spirv.BuiltIn(d.Operands[0])
	n := l.opt.BuiltIn(b)
	if n == 0 {
		l.refuse("the built-in variable %v is not supported", b)
	}
	kinds := l.flat(v.Type.Elem)
	if len(kinds) != n {
		l.invalid("the built-in variable %v has %d components, not type %v", b, n, v.Type.Elem)
	}
	var comps []lane.Value
	for i, k := range kinds {
		if k != lane.I32 && k != lane.I64 {
			l.refuse("the built-in variable %v of type %v is not supported", b, v.Type.Elem)
		}
		comps = append(comps, l.input(k, lane.FromBuiltIn, int(b), i))
	}
	if !addressed {
		return value{reg: &register{comps: comps, readOnly: true, index: lane.NoValue}}
	}
	node := l.node(v.Type.Elem, spirv.StorageClassFunction)
	l.p.Variables = append(l.p.Variables, lane.Variable{Name: l.m.Name(v.ID), Storage: spirv.StorageClassPrivate, Size: node.Size, Align: node.Align, Writable: true})
	i := len(l.p.Variables) - 1
	l.inputsInMemory = append(l.inputsInMemory, memoryInput{i, comps, node})
	return value{comps: []lane.Value{l.input(l.p.AddrKind, lane.FromVariable, i, 0)}}
}

// image makes the initial contents of a variable.
func (l *lowerer) image(v *module.Variable) []byte {
	n := l.node(v.Type.Elem, v.Storage)
	if n.Size > maxImage {
		l.refuse("the initial contents of %s take %d bytes, more than %d", l.m.Name(v.ID), n.Size, maxImage)
	}
	out := make([]byte, n.Size)
	l.imagePart(out, n, v.Initializer)
	return out
}

// imagePart writes a constant into an image. Arrays and structures are taken apart here, so that large tables need no
// lane value per element.
func (l *lowerer) imagePart(out []byte, n *module.Node, id spirv.ID) {
	c := l.m.Constants[id]
	if c == nil {
		l.refuse("the address of a variable as initial contents is not supported")
	}
	switch {
	case n.Size == 0: // however often it is repeated
	case c.Inst.Op == spirv.OpConstantNull || c.Inst.Op == spirv.OpUndef:
	case c.Type.Kind == module.Struct && len(c.Operands) == len(n.Fields) && len(c.Operands) > 0:
		for i, f := range n.Fields {
			l.imagePart(out[f.Offset:], f.Node, c.Operands[i])
		}
	case c.Type.Kind == module.Array && len(c.Operands) > 0:
		for i, part := range c.Operands {
			l.imagePart(out[uint64(i)*n.Stride:], n.Elem, part)
		}
	default:
		comps := l.constantValue(c).comps
		for i, at := range l.places(n) {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], l.isConst[comps[i]])
			copy(out[at.Off:], b[:at.Kind.Bytes()])
		}
	}
}

// places returns where the scalars of a laid-out value are, in the order of flat.
func (l *lowerer) places(n *module.Node) []lane.Comp {
	return l.appendPlaces(make([]lane.Comp, 0, len(l.flat(n.Type))), n, 0)
}

func (l *lowerer) appendPlaces(out []lane.Comp, n *module.Node, off uint64) []lane.Comp {
	switch n.Type.Kind {
	case module.Struct:
		for _, f := range n.Fields {
			out = l.appendPlaces(out, f.Node, off+f.Offset)
		}
	case module.Vector, module.Matrix, module.Array:
		count := uint64(n.Type.Count)
		if n.Type.Kind == module.Array {
			count, _ = l.scalar(n.Type.Length)
		}
		for i := range count {
			if len(l.flat(n.Elem.Type)) == 0 {
				break // however many empty structures
			}
			out = l.appendPlaces(out, n.Elem, off+i*n.Stride)
		}
	default:
		for _, k := range l.flat(n.Type) {
			out = append(out, lane.Comp{Off: off, Kind: k})
		}
	}
	return out
}
