package module

import (
	"github.com/sgrun/sgrun/spirv"
)

func (r *reflector) entry(e *EntryPoint) Entry {
	out := Entry{Name: e.Name, Model: e.Model.String(), Modes: []string{}}
	for _, mode := range e.Modes {
		out.Modes = append(out.Modes, r.modeText(mode))
	}
	if size, ok := r.LocalSize(e, nil); ok {
		out.RequiredGroupSize = &size
	}
	if size, ok := r.modeSize(e, spirv.ExecutionModeLocalSizeHint, spirv.ExecutionModeLocalSizeHintId, r.DefaultValue); ok {
		out.HintedGroupSize = &size
	}
	out.SubgroupSize, _ = r.SubgroupSize(e, nil)
	if e.Model == spirv.ExecutionModelKernel {
		for i := range e.Function.Params {
			out.Parameters = append(out.Parameters, r.parameter(e, i))
		}
	}
	for _, v := range r.Uses(e) {
		switch v.Storage {
		case spirv.StorageClassWorkgroup:
			if n, err := r.layout.Of(v.Type.Elem, v.Storage); err == nil {
				align, _ := r.layout.Align(v)
				out.WorkgroupBytes = alignUp(out.WorkgroupBytes, align) + n.Size
			}
		case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassUniformConstant,
			spirv.StorageClassAtomicCounter:
			if e.Model != spirv.ExecutionModelKernel {
				out.Resources = append(out.Resources, r.resource(v))
			}
		case spirv.StorageClassInput, spirv.StorageClassOutput:
			if d, ok := r.Decoration(v.ID, spirv.DecorationBuiltIn); ok && len(d.Operands) > 0 {
				out.Inputs = append(out.Inputs, Variables{spirv.BuiltIn(d.Operands[0]).String(), v.Type.Elem.String()})
			}
		}
	}
	return out
}

// LocalSize returns the work-group size the entry point requires: the constant decorated as the built-in WorkgroupSize,
// else the execution mode LocalSize or LocalSizeId; ok is false where there is none. value gives the values of
// specialization constants; where it is nil or says no, their defaults stand.
func (m *Module) LocalSize(e *EntryPoint, value func(spirv.ID) (uint64, bool)) (size [3]uint32, ok bool) {
	get := m.orDefault(value)
	if c := m.groupSize; c != nil && len(c.Operands) == 3 {
		for i, id := range c.Operands {
			v, known := get(id)
			if !known {
				return size, false
			}
			size[i] = uint32(v)
		}
		return size, true
	}
	return m.modeSize(e, spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId, get)
}

// SubgroupSize returns the sub-group size the entry point requires with the execution mode SubgroupSize; ok is false
// where it requires none.
func (m *Module) SubgroupSize(e *EntryPoint, value func(spirv.ID) (uint64, bool)) (size uint32, ok bool) {
	if mode, ok := e.Mode(spirv.ExecutionModeSubgroupSize); ok && len(mode.Operands) > 0 {
		return mode.Operands[0], true
	}
	return 0, false
}

func (m *Module) orDefault(value func(spirv.ID) (uint64, bool)) func(spirv.ID) (uint64, bool) {
	return func(id spirv.ID) (uint64, bool) {
		if value != nil {
			if v, ok := value(id); ok {
				return v, true
			}
		}
		return m.DefaultValue(id)
	}
}

// modeSize returns the three sizes of an execution mode with literal operands or of its twin with ids.
func (m *Module) modeSize(e *EntryPoint, literal, ids spirv.ExecutionMode, get func(spirv.ID) (uint64, bool)) (size [3]uint32, ok bool) {
	if mode, ok := e.Mode(literal); ok && len(mode.Operands) >= 3 {
		return [3]uint32(mode.Operands[:3]), true
	}
	mode, ok := e.Mode(ids)
	if !ok || len(mode.Operands) < 3 {
		return size, false
	}
	for i := range size {
		v, known := get(spirv.ID(mode.Operands[i]))
		if !known {
			return size, false
		}
		size[i] = uint32(v)
	}
	return size, true
}

func (r *reflector) parameter(e *EntryPoint, i int) Parameter {
	p := e.Function.Params[i]
	out := Parameter{Index: i, Name: r.parameterName(e.Function, i), Type: p.Type.String()}
	if list := r.sources[e.Name]; i < len(list) && len(list) == len(e.Function.Params) {
		out.SourceType = list[i]
	}
	var alignment uint64
	for _, d := range r.Decorations[p.ID] {
		switch d.Kind {
		case spirv.DecorationFuncParamAttr:
			if len(d.Operands) == 0 {
				continue
			}
			attr := spirv.FunctionParameterAttribute(d.Operands[0])
			out.ByVal = out.ByVal || attr == spirv.FunctionParameterAttributeByVal
			out.Attributes = append(out.Attributes, attr.String())
		case spirv.DecorationAlignment:
			if len(d.Operands) > 0 {
				alignment = uint64(d.Operands[0])
			}
		case spirv.DecorationRestrict, spirv.DecorationAliased, spirv.DecorationVolatile, spirv.DecorationConstant, spirv.DecorationCoherent,
			spirv.DecorationNonWritable, spirv.DecorationNonReadable:
			out.Attributes = append(out.Attributes, d.Kind.String())
		}
	}
	if n, err := r.layout.Of(p.Type, spirv.StorageClassFunction); err == nil {
		out.Size, out.Align = n.Size, n.Align
	}
	switch p.Type.Kind {
	case Pointer:
		out.Pointee = p.Type.Elem.String()
		out.StorageClass = p.Type.Storage.String()
		out.AddressSpace = addressSpace(p.Type.Storage)
		out.PointeeAlign = alignment
		if n, err := r.layout.Of(p.Type.Elem, p.Type.Storage); err == nil {
			out.PointeeSize, out.PointeeAlign = n.Size, max(n.Align, alignment)
			if out.ByVal {
				out.Size, out.Align = out.PointeeSize, out.PointeeAlign
				out.Members = r.members(n)
			}
		}
	case Struct:
		if n, err := r.layout.Of(p.Type, spirv.StorageClassFunction); err == nil {
			out.Members = r.members(n)
		}
	case Other:
		switch w := p.Type.Inst.Words; {
		case p.Type.Inst.Op == spirv.OpTypeImage && len(w) > 8:
			out.Access = spirv.AccessQualifier(w[8]).String()
		case p.Type.Inst.Op == spirv.OpTypePipe && len(w) > 1:
			out.Access = spirv.AccessQualifier(w[1]).String()
		}
	}
	return out
}

// parameterName returns the OpName of a parameter. Compilers from LLVM make an unnamed wrapper of each kernel that only
// calls it: then the name is that of the parameter it is passed to.
func (r *reflector) parameterName(f *Function, i int) string {
	id := f.Params[i].ID
	if s := r.Names[id]; s != "" || len(f.Calls) != 1 {
		return s
	}
	call := f.Calls[0]
	callee := r.FunctionByID[spirv.ID(call.Words[2])]
	for j, w := range call.Words[3:] {
		if spirv.ID(w) == id && j < len(callee.Params) {
			return r.Names[callee.Params[j].ID]
		}
	}
	return ""
}

// addressSpace names the storage classes of kernels as OpenCL C does.
func addressSpace(s spirv.StorageClass) string {
	switch s {
	case spirv.StorageClassCrossWorkgroup:
		return "global"
	case spirv.StorageClassWorkgroup:
		return "local"
	case spirv.StorageClassUniformConstant:
		return "constant"
	case spirv.StorageClassFunction:
		return "private"
	case spirv.StorageClassGeneric:
		return "generic"
	}
	return ""
}

func (r *reflector) resource(v *Variable) Resource {
	out := Resource{Name: r.Names[v.ID], StorageClass: v.Storage.String()}
	t := v.Type.Elem
	number := func(kind spirv.Decoration) *uint32 {
		if d, ok := r.Decoration(v.ID, kind); ok && len(d.Operands) > 0 {
			n := d.Operands[0]
			return &n
		}
		return nil
	}
	out.Set, out.Binding = number(spirv.DecorationDescriptorSet), number(spirv.DecorationBinding)
	for _, d := range r.Decorations[v.ID] {
		switch d.Kind {
		case spirv.DecorationRestrict, spirv.DecorationAliased, spirv.DecorationVolatile, spirv.DecorationCoherent, spirv.DecorationNonWritable, spirv.DecorationNonReadable:
			out.Attributes = append(out.Attributes, d.Kind.String())
		}
	}
	out.Type = t.String()
	for block := t; block.Kind == Array || block.Kind == RuntimeArray; t = block { // an array of descriptors
		if n, ok := r.DefaultValue(block.Length); ok && block.Kind == Array && out.Count == 0 {
			out.Count = n
		}
		block = block.Elem
	}
	if out.Name == "" { // GLSL leaves the variable of a block without instance name unnamed
		if out.Name = t.Name; out.Name == "" {
			out.Name = v.ID.String()
		}
	}
	if n, err := r.layout.Of(t, v.Storage); err == nil && t.Kind == Struct {
		out.Size, out.Align, out.Members = n.Size, n.Align, r.members(n)
		if last := len(n.Fields) - 1; last >= 0 && n.Fields[last].Node.Type.Kind == RuntimeArray {
			out.Stride = n.Fields[last].Node.Stride
		}
	}
	return out
}

// members lists the members of a structure's layout.
func (r *reflector) members(n *Node) []Member {
	out := []Member{}
	for i, f := range n.Fields {
		if r.left--; r.left < 0 {
			break
		}
		m := Member{Name: r.MemberNames[n.Type.ID][i], Type: f.Node.Type.String(), Offset: f.Offset, Size: f.Node.Size}
		inner := f.Node
		if inner.Type.Kind == Array || inner.Type.Kind == RuntimeArray {
			m.Stride = inner.Stride
		}
		for inner.Type.Kind == Array || inner.Type.Kind == RuntimeArray {
			inner = inner.Elem
		}
		switch inner.Type.Kind {
		case Matrix:
			_, m.RowMajor = r.MemberDecoration(n.Type.ID, i, spirv.DecorationRowMajor)
			m.MatrixStride = max(inner.Stride, inner.Elem.Stride)
		case Struct:
			m.Members = r.members(inner)
		}
		out = append(out, m)
	}
	return out
}
