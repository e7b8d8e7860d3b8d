package module

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// Info is what a module says about itself: plain data that prints as JSON. Sizes, offsets and alignments are bytes.
type Info struct {
	Version       string         `json:"version"` // "1.6"
	Generator     Generator      `json:"generator"`
	Bound         uint32         `json:"bound"`
	Addressing    string         `json:"addressing"`
	MemoryModel   string         `json:"memory_model"`
	Capabilities  []string       `json:"capabilities"` // as declared
	Extensions    []string       `json:"extensions"`
	Imports       []string       `json:"imports"` // extended instruction sets
	Sources       []Source       `json:"sources,omitempty"`
	SpecConstants []SpecConstant `json:"spec_constants,omitempty"`
	EntryPoints   []Entry        `json:"entry_points"`
	// Truncated says that structures have more members than are listed (maxMembers).
	Truncated bool `json:"truncated,omitempty"`
}

// Generator is the tool that wrote the module, as the header's third word tells.
type Generator struct {
	Tool    uint16 `json:"tool"`           // its number in Khronos' registry
	Name    string `json:"name,omitempty"` // its name there, empty where it is not known
	Version uint16 `json:"version"`
}

// Source is one OpSource.
type Source struct {
	Language string `json:"language"`
	Version  uint32 `json:"version"`
	File     string `json:"file,omitempty"`
}

// SpecConstant is a specialization constant that a launch may set.
type SpecConstant struct {
	ID      uint32 `json:"id"`   // the SpecId
	Name    string `json:"name"` // OpName or the result id
	Type    string `json:"type"`
	Default string `json:"default"`
}

// Entry is one entry point.
type Entry struct {
	Name              string     `json:"name"`
	Model             string     `json:"execution_model"`
	Modes             []string   `json:"execution_modes"`
	RequiredGroupSize *[3]uint32 `json:"required_work_group_size,omitempty"`
	HintedGroupSize   *[3]uint32 `json:"work_group_size_hint,omitempty"`
	SubgroupSize      uint32     `json:"required_subgroup_size,omitempty"` // 0 where none is required
	// WorkgroupBytes is the size of the Workgroup variables the entry point uses, without what parameters add.
	WorkgroupBytes uint64      `json:"workgroup_bytes"`
	Parameters     []Parameter `json:"parameters,omitempty"` // of a kernel
	Resources      []Resource  `json:"resources,omitempty"`  // of a shader: with set and binding, and push constants
	Inputs         []Variables `json:"built_ins,omitempty"`  // built-in variables it uses
}

// Parameter is one parameter of a kernel.
type Parameter struct {
	Index      int    `json:"index"`
	Name       string `json:"name"`                  // empty where the module has none; the index will do
	Type       string `json:"type"`                  // as Type.String spells it
	SourceType string `json:"source_type,omitempty"` // in the source language, where the compiler left it
	// Pointee is the type a pointer points to; empty for other parameters.
	Pointee string `json:"pointee,omitempty"`
	// Size and Align are those of the argument to be passed: of the structure for a pointer that is ByVal, of the
	// pointer for other pointers.
	Size  uint64 `json:"size"`
	Align uint64 `json:"align"`
	// PointeeSize and PointeeAlign are those of what a pointer points to; PointeeAlign respects the decoration Alignment.
	PointeeSize  uint64   `json:"pointee_size,omitempty"`
	PointeeAlign uint64   `json:"pointee_align,omitempty"`
	StorageClass string   `json:"storage_class,omitempty"` // of a pointer
	AddressSpace string   `json:"address_space,omitempty"` // of a pointer, as OpenCL C names it
	ByVal        bool     `json:"by_val,omitempty"`
	Access       string   `json:"access,omitempty"`     // of an image or pipe: ReadOnly, WriteOnly, ReadWrite
	Attributes   []string `json:"attributes,omitempty"` // NoWrite, Restrict, Volatile, …
	Members      []Member `json:"members,omitempty"`    // of a structure by value
}

// Resource is one variable of a shader's interface.
type Resource struct {
	Name         string   `json:"name"`
	StorageClass string   `json:"storage_class"`
	Set          *uint32  `json:"set,omitempty"`
	Binding      *uint32  `json:"binding,omitempty"`
	Type         string   `json:"type"`
	Count        uint64   `json:"count,omitempty"` // of an array of descriptors, 0 where there is no array or no fixed length
	Size         uint64   `json:"size"`            // of a block, without its runtime array
	Align        uint64   `json:"align,omitempty"`
	Stride       uint64   `json:"stride,omitempty"` // of the runtime array that ends the block
	Attributes   []string `json:"attributes,omitempty"`
	Members      []Member `json:"members,omitempty"`
}

// Member is one member of a structure.
type Member struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	// Stride is the distance of the elements of an array; MatrixStride that of a matrix's columns or, row-major, rows.
	Stride       uint64   `json:"stride,omitempty"`
	MatrixStride uint64   `json:"matrix_stride,omitempty"`
	RowMajor     bool     `json:"row_major,omitempty"`
	Members      []Member `json:"members,omitempty"` // of structures and arrays of structures
}

// Variables is one built-in variable.
type Variables struct {
	BuiltIn string `json:"built_in"`
	Type    string `json:"type"`
}

// maxMembers bounds the members listed in all: structures in structures may have very many.
const maxMembers = 1 << 12

// Reflect collects what there is to know about a module before it is run. Sizes that depend on specialization constants
// are computed from their defaults; what has no size is listed with size 0.
func Reflect(m *Module) *Info {
	r := &reflector{Module: m, layout: m.Layout(nil), left: maxMembers}
	info := &Info{
		Version:      VersionString(m.Binary.Version),
		Generator:    generator(m.Binary.Generator),
		Bound:        m.Binary.Bound,
		Addressing:   m.Addressing.String(),
		MemoryModel:  m.MemoryModel.String(),
		Capabilities: []string{},
		Extensions:   append([]string{}, m.Extensions...),
		Imports:      []string{},
		EntryPoints:  []Entry{},
	}
	for _, c := range m.Capabilities {
		info.Capabilities = append(info.Capabilities, c.String())
	}
	for i := range m.Binary.Insts {
		switch in := &m.Binary.Insts[i]; in.Op {
		case spirv.OpExtInstImport:
			info.Imports = append(info.Imports, m.ExtInstSets[spirv.ID(in.Words[0])])
		case spirv.OpSource:
			info.Sources = append(info.Sources, r.source(in))
		case spirv.OpString:
			r.argTypes(in)
		}
	}
	for _, c := range m.ConstantOrder {
		if c.HasSpecID {
			info.SpecConstants = append(info.SpecConstants, SpecConstant{c.SpecID, m.Name(c.ID), c.Type.String(), m.ConstantText(c.ID)})
		}
	}
	for _, e := range m.EntryPoints {
		info.EntryPoints = append(info.EntryPoints, r.entry(e))
	}
	info.Truncated = r.left <= 0
	return info
}

// VersionString writes the version word of a header, such as 0x00010600, as "1.6".
func VersionString(v uint32) string { return fmt.Sprintf("%d.%d", v>>16&0xff, v>>8&0xff) }

// reflector holds what Reflect needs on the way.
type reflector struct {
	*Module
	layout  *Layout
	left    int                 // members that may still be listed
	sources map[string][]string // source types of parameters, by kernel
}

func (r *reflector) source(in *spirv.Instruction) Source {
	s := Source{Language: spirv.SourceLanguage(in.Words[0]).String(), Version: in.Words[1]}
	if len(in.Words) > 2 {
		if def := r.Def(spirv.ID(in.Words[2])); def != nil && def.Op == spirv.OpString {
			s.File, _, _ = spirv.String(def.Words[1:])
		}
	}
	return s
}

// argTypes reads the source types of a kernel's parameters from an OpString "kernel_arg_type.NAME.T1,T2,", which
// compilers from OpenCL C leave there.
func (r *reflector) argTypes(in *spirv.Instruction) {
	s, _, _ := spirv.String(in.Words[1:])
	rest, ok := strings.CutPrefix(s, "kernel_arg_type.")
	if !ok {
		return
	}
	name, list, ok := strings.Cut(rest, ".")
	if !ok {
		return
	}
	if r.sources == nil {
		r.sources = map[string][]string{}
	}
	r.sources[name] = strings.Split(strings.TrimSuffix(list, ","), ",")
}

// modeText prints an execution mode with its operands, ids of constants as their values.
func (r *reflector) modeText(mode ExecutionMode) string {
	s := []string{mode.Mode.String()}
	ops := r.Operands(mode.Inst)
	for _, o := range ops[min(2, len(ops)):] {
		switch {
		case o.Raw || !o.IsID():
			if str, _, ok := spirv.String(o.Words); ok && o.Kind == grammar.LiteralString {
				s = append(s, fmt.Sprintf("%q", str))
				continue
			}
			for _, w := range o.Words {
				s = append(s, enumerantText(o.Kind, w))
			}
		case r.Types[o.ID()] != nil:
			s = append(s, r.Types[o.ID()].String())
		default:
			s = append(s, r.ConstantText(o.ID()))
		}
	}
	return strings.Join(s, " ")
}

func enumerantText(kind grammar.Kind, w uint32) string {
	if kind.Info().Category == grammar.ValueEnum {
		if e, ok := kind.Info().Enumerant(w); ok {
			return e.Name
		}
	}
	return fmt.Sprint(w)
}
