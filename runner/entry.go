package runner

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// slot is a place of an entry point that an argument goes to: a kernel's parameter, a shader's resource or its push
// constants.
type slot struct {
	kind  device.Slot
	index int    // SlotParam
	set   uint32 // SlotBinding
	bind  uint32 // SlotBinding
	// names are what an argument may call it; the first is what messages and results do.
	names []string
	typ   *module.Type // of the parameter; of a resource the block
	// storage is the storage class of a pointer or resource; meaningless for values.
	takes slotKind
	node  *module.Node // layout of what is passed by value, or of a shader's block
}

// slotKind says what goes into a slot.
type slotKind uint8

const (
	takesValue slotKind = iota
	takesBuffer
	takesLocal
)

// want says what the slot takes, for messages.
func (s *slot) want() string {
	switch s.takes {
	case takesBuffer:
		if s.kind == device.SlotBinding {
			return fmt.Sprintf("a buffer for %v", s.typ)
		}
		return fmt.Sprintf("a buffer (%v)", s.typ)
	case takesLocal:
		return fmt.Sprintf("local[BYTES] (%v)", s.typ)
	}
	if s.node != nil {
		return fmt.Sprintf("a value of type %v, %d bytes", s.typ, s.node.Size)
	}
	return fmt.Sprintf("a value of type %v", s.typ)
}

// title names the slot in messages: "in (argument 0)", "binding 0.1 (params)".
func (s *slot) title() string {
	switch {
	case s.kind == device.SlotBinding && len(s.names) > 1:
		return fmt.Sprintf("binding %s (%s)", s.names[0], s.names[1])
	case s.kind == device.SlotBinding:
		return "binding " + s.names[0]
	case s.kind == device.SlotPush:
		return "the push constants (push)"
	case len(s.names) > 1:
		return fmt.Sprintf("%s (argument %d)", s.names[0], s.index)
	}
	return fmt.Sprintf("argument %d", s.index)
}

// findEntry returns the entry point a step names: by its name, its name demangled, or the only one there is.
func findEntry(src *Source, kernel string) (*module.EntryPoint, error) {
	var all []*module.EntryPoint
	var names []string
	for _, e := range src.Module.EntryPoints {
		if e.Model == spirv.ExecutionModelKernel || e.Model == spirv.ExecutionModelGLCompute {
			all = append(all, e)
			names = append(names, e.Name)
		}
	}
	if len(all) == 0 {
		e := usage("no-entry-point", "%s has no kernel and no compute shader", src.Name)
		if len(src.Module.EntryPoints) > 0 {
			e.Message += fmt.Sprintf("; its entry points are of the kinds %s", modelNames(src.Module))
		}
		return nil, e
	}
	if kernel == "" {
		if len(all) == 1 {
			return all[0], nil
		}
		e := usage("no-entry-point", "%s has %d entry points, and none is chosen", src.Name, len(all))
		e.Try = "--kernel with one of " + tryNames("", names)
		return nil, e
	}
	for _, exact := range []bool{true, false} {
		var found []*module.EntryPoint
		for _, e := range all {
			if e.Name == kernel || !exact && demangle(e.Name) == kernel {
				found = append(found, e)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			e := usage("ambiguous-entry-point", "%d entry points of %s match %q", len(found), src.Name, kernel)
			for _, f := range found {
				e.Where = append(e.Where, device.Place{Key: "entry point", Value: f.Name})
			}
			e.Try = "the mangled name"
			return nil, e
		}
	}
	e := usage("no-entry-point", "%s has no entry point %q", src.Name, kernel)
	e.Try = tryNames(kernel, names)
	return nil, e
}

func modelNames(m *module.Module) string {
	var names []string
	for _, e := range m.EntryPoints {
		names = append(names, e.Model.String())
	}
	return strings.Join(names, ", ")
}

// demangle returns the plain name of a function whose name is mangled by the Itanium C++ ABI: "_Z3addPfS_" is "add",
// "_ZN2ns3addEv" is "ns::add", and "_ZTS3Foo", as SYCL calls kernels, is "Foo". Other names are returned as they are.
func demangle(name string) string {
	rest, ok := strings.CutPrefix(name, "_ZTS")
	if !ok {
		if rest, ok = strings.CutPrefix(name, "_Z"); !ok {
			return name
		}
	}
	rest, nested := strings.CutPrefix(rest, "N")
	var parts []string
	for rest != "" && rest[0] >= '1' && rest[0] <= '9' {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || digits+n > len(rest) || n < 1 {
			return name
		}
		parts = append(parts, rest[digits:digits+n])
		rest = rest[digits+n:]
		if !nested {
			break
		}
	}
	if len(parts) == 0 || nested && !strings.HasPrefix(rest, "E") {
		return name
	}
	return strings.Join(parts, "::")
}

// slots lists what an entry point takes. lengths gives specialized values of constants.
func slots(src *Source, e *module.EntryPoint, value func(spirv.ID) (uint64, bool)) ([]slot, error) {
	layout := src.Module.Layout(value)
	if e.Model == spirv.ExecutionModelKernel {
		return kernelSlots(src, e, layout)
	}
	return shaderSlots(src, e, layout)
}

func kernelSlots(src *Source, e *module.EntryPoint, layout *module.Layout) ([]slot, error) {
	var out []slot
	for i, p := range e.Function.Params {
		s := slot{kind: device.SlotParam, index: i, typ: p.Type, names: []string{strconv.Itoa(i)}}
		if n := src.name(p.ID); n != "" {
			s.names = []string{n, strconv.Itoa(i)}
		}
		switch {
		case p.Type.Kind == module.Other:
			return nil, notSupported(s.title(), p.Type)
		case p.Type.Kind == module.Pointer && byVal(src.Module, p.ID):
			s.typ = p.Type.Elem
		case p.Type.Kind == module.Pointer && p.Type.Storage == spirv.StorageClassWorkgroup:
			s.takes = takesLocal
		case p.Type.Kind == module.Pointer:
			s.takes = takesBuffer
			if opaque(p.Type.Elem) {
				return nil, notSupported(s.title(), p.Type)
			}
		}
		if s.takes == takesValue {
			var err error
			if s.node, err = layout.Of(s.typ, spirv.StorageClassFunction); err != nil {
				return nil, moduleError(s.title(), "invalid-module", err)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func opaque(t *module.Type) bool { return t.Kind == module.Other }

// notSupported is the error for arguments sgrun cannot make yet.
func notSupported(title string, t *module.Type) error {
	what := "arguments of this type"
	switch t.Scalar().Inst.Op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage:
		what = "images and samplers"
	}
	return &device.Error{Class: device.Module, Kind: "unsupported-argument", Message: fmt.Sprintf("%s is of type %v: not supported yet: %s", title, t, what)}
}

func byVal(m *module.Module, id spirv.ID) bool {
	for _, d := range m.Decorations[id] {
		if d.Kind == spirv.DecorationFuncParamAttr && len(d.Operands) > 0 && spirv.FunctionParameterAttribute(d.Operands[0]) == spirv.FunctionParameterAttributeByVal {
			return true
		}
	}
	return false
}

func shaderSlots(src *Source, e *module.EntryPoint, layout *module.Layout) ([]slot, error) {
	var out []slot
	for _, v := range src.Module.Uses(e) {
		s := slot{kind: device.SlotBinding, takes: takesBuffer, typ: v.Type.Elem}
		switch v.Storage {
		case spirv.StorageClassPushConstant:
			s.kind, s.takes, s.names = device.SlotPush, takesValue, []string{"push"}
		case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer:
			set, _ := src.Module.Decoration(v.ID, spirv.DecorationDescriptorSet)
			bind, ok := src.Module.Decoration(v.ID, spirv.DecorationBinding)
			if !ok || len(bind.Operands) == 0 {
				return nil, moduleError(fmt.Sprintf("variable %s of %s has no Binding", src.Module.Name(v.ID), e.Name), "invalid-module", nil)
			}
			if len(set.Operands) > 0 {
				s.set = set.Operands[0]
			}
			s.bind = bind.Operands[0]
			s.names = []string{fmt.Sprintf("%d.%d", s.set, s.bind)}
		case spirv.StorageClassUniformConstant:
			return nil, notSupported("variable "+src.Module.Name(v.ID), v.Type.Elem)
		default:
			continue
		}
		if k := s.typ.Kind; k == module.Array || k == module.RuntimeArray {
			return nil, &device.Error{Class: device.Module, Kind: "unsupported-argument", Message: fmt.Sprintf("binding %s is an array of descriptors: not supported yet", s.names[0])}
		}
		for _, n := range []string{src.name(v.ID), s.typ.Name} {
			if n != "" && n != s.names[len(s.names)-1] {
				s.names = append(s.names, n)
			}
		}
		var err error
		if s.node, err = layout.Of(s.typ, v.Storage); err != nil {
			return nil, moduleError(s.title(), "invalid-module", err)
		}
		out = append(out, s)
	}
	return out, nil
}
