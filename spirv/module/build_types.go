package module

import (
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// isType reports whether the opcode declares a type.
func isType(op spirv.Op) bool {
	g, ok := grammar.Lookup(op)
	return ok && g.HasResult() && !g.HasResultType() && strings.HasPrefix(g.Name, "OpType")
}

// declareTypes makes a Type of every OpType… instruction, resolves what they refer to, and refuses those that contain
// themselves.
func (b *builder) declareTypes() error {
	position := map[spirv.ID]int{}
	for i := range b.Binary.Insts {
		in := &b.Binary.Insts[i]
		switch {
		case in.Op == spirv.OpTypeForwardPointer:
			b.forward[spirv.ID(in.Words[0])] = true
		case isType(in.Op):
			id := resultID(in)
			position[id] = len(b.TypeOrder)
			t := &Type{ID: id, Inst: in, Kind: Other}
			b.Types[id] = t
			b.TypeOrder = append(b.TypeOrder, t)
		}
	}
	for i := range b.Binary.Insts { // names of types are wanted in the errors below, before the module is read
		if in := &b.Binary.Insts[i]; in.Op == spirv.OpName {
			if t := b.Types[spirv.ID(in.Words[0])]; t != nil && t.Name == "" {
				t.Name, _, _ = spirv.String(in.Words[1:])
			}
		}
	}
	for _, t := range b.TypeOrder {
		if err := b.resolve(t); err != nil {
			return err
		}
	}
	if err := b.nesting(); err != nil {
		return err
	}
	for i, t := range b.TypeOrder {
		for _, r := range t.references() {
			if position[r.ID] >= i && !(r.Kind == Pointer && b.forward[r.ID]) {
				return b.fail(t.Inst, "type %v is used before it is declared; only a pointer may be, after an OpTypeForwardPointer", r.ID)
			}
		}
	}
	return nil
}

// references returns the types a type's declaration names.
func (t *Type) references() []*Type {
	if t.Elem == nil {
		return t.Members
	}
	return append([]*Type{t.Elem}, t.Members...)
}

// resolve fills in a type from its instruction.
func (b *builder) resolve(t *Type) error {
	w := t.Inst.Words
	elem := func(i int) error {
		if t.Elem = b.Types[spirv.ID(w[i])]; t.Elem == nil {
			return b.fail(t.Inst, "%v is not a type", spirv.ID(w[i]))
		}
		return nil
	}
	members := func(ids []uint32) error {
		t.Members = make([]*Type, len(ids))
		for i, id := range ids {
			if t.Members[i] = b.Types[spirv.ID(id)]; t.Members[i] == nil {
				return b.fail(t.Inst, "%v is not a type", spirv.ID(id))
			}
		}
		return nil
	}
	switch t.Inst.Op {
	case spirv.OpTypeVoid:
		t.Kind = Void
	case spirv.OpTypeBool:
		t.Kind = Bool
	case spirv.OpTypeInt:
		t.Kind, t.Width, t.Signed = Int, int(w[1]), w[2] == 1
	case spirv.OpTypeFloat:
		t.Kind, t.Width = Float, int(w[1])
		if len(w) > 2 {
			t.Encoding = w[2] + 1
		}
	case spirv.OpTypeVector:
		t.Kind, t.Count = Vector, int(w[2])
		return elem(1)
	case spirv.OpTypeMatrix:
		t.Kind, t.Count = Matrix, int(w[2])
		return elem(1)
	case spirv.OpTypeArray:
		t.Kind, t.Length = Array, spirv.ID(w[2])
		return elem(1)
	case spirv.OpTypeRuntimeArray:
		t.Kind = RuntimeArray
		return elem(1)
	case spirv.OpTypeStruct:
		t.Kind = Struct
		return members(w[1:])
	case spirv.OpTypePointer:
		t.Kind, t.Storage = Pointer, spirv.StorageClass(w[1])
		return elem(2)
	case spirv.OpTypeFunction:
		t.Kind = FunctionType
		if err := elem(1); err != nil {
			return err
		}
		return members(w[2:])
	}
	return nil
}

// nesting computes how deep each type nests, pointers not followed, and refuses types that contain themselves or nest
// too deep. It keeps its own stack: a hostile module may nest types as deep as it is long.
func (b *builder) nesting() error {
	const open = -1
	type frame struct {
		t    *Type
		refs []*Type
	}
	for _, root := range b.TypeOrder {
		if root.depth != 0 {
			continue
		}
		stack := []frame{{root, inside(root)}}
		root.depth = open
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if len(f.refs) > 0 {
				r := f.refs[0]
				f.refs = f.refs[1:]
				switch r.depth {
				case open:
					return b.fail(r.Inst, "type %s contains itself other than through a pointer", b.typeName(r))
				case 0:
					r.depth = open
					stack = append(stack, frame{r, inside(r)})
				}
				continue
			}
			depth := 1
			for _, r := range inside(f.t) {
				depth = max(depth, r.depth+1)
			}
			if depth > MaxTypeDepth {
				return b.fail(f.t.Inst, "type %s nests more than %d deep", b.typeName(f.t), MaxTypeDepth)
			}
			f.t.depth = depth
			stack = stack[:len(stack)-1]
		}
	}
	return nil
}

// inside returns the types whose values a value of the type contains.
func inside(t *Type) []*Type {
	if t.Kind == Pointer {
		return nil
	}
	return t.references()
}

func (b *builder) typeName(t *Type) string {
	if t.Name != "" {
		return t.ID.String() + " (" + t.Name + ")"
	}
	return t.ID.String()
}
