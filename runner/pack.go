package runner

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// maxValue bounds what is passed by value, in bytes: kernels' parameters may be large, but not as a buffer is.
const maxValue = 1 << 20

// packer lays out a value passed by value.
type packer struct {
	src   *Source
	bytes []byte
	// pointers are places in bytes for buffers' addresses.
	pointers []pointerAt
	// loose allows negative numbers for unsigned integers: in kernels the integers of SPIR-V have no sign.
	loose bool
}

type pointerAt struct {
	at  uint64
	ref *value.Value // of kind value.Ref
}

// pack makes the bytes of a value in the layout of node.
func pack(src *Source, v *value.Value, node *module.Node) (*packer, error) {
	if node.Size > maxValue {
		return nil, fmt.Errorf("it takes %d bytes, and values of at most %d are accepted", node.Size, maxValue)
	}
	p := &packer{src: src, bytes: make([]byte, node.Size), loose: src.Module.Kernel()}
	return p, p.put(v, node, 0, "")
}

// put writes the value at an offset; path is where it stands in the structure, for messages.
func (p *packer) put(v *value.Value, n *module.Node, at uint64, path string) error {
	t := n.Type
	fail := func(format string, args ...any) error {
		if path != "" {
			return fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
		}
		return fmt.Errorf(format, args...)
	}
	switch v.Kind {
	case value.Typed: // bytes are bytes
		if uint64(len(v.Array.Data)) != n.Size {
			return fail("it is of type %v and needs %d bytes, got %s", t, n.Size, v.Describe())
		}
		copy(p.bytes[at:], v.Array.Data)
		return nil
	case value.Numbers:
		if err := p.numbers(v, n, at); err != nil {
			return fail("%v", err)
		}
		return nil
	case value.Struct:
		if t.Kind != module.Struct && t.Kind != module.Array {
			return fail("it is of type %v, got %s", t, v.Describe())
		}
		return p.fields(v, n, at, path)
	case value.Null:
		if t.Kind == module.Pointer {
			return nil
		}
	case value.Ref:
		if t.Kind == module.Pointer || t.Kind == module.Int && t.Width == 64 {
			p.pointers = append(p.pointers, pointerAt{at, v})
			return nil
		}
	}
	if t.Kind == module.Pointer {
		return fail("it is a pointer (%v) and needs &NAME or null, got %s", t, v.Describe())
	}
	return fail("it is of type %v (%d bytes), got %s", t, n.Size, v.Describe())
}

// numbers writes numbers of the type of a scalar, a vector, or an array of these.
func (p *packer) numbers(v *value.Value, n *module.Node, at uint64) error {
	elem, count, stride := n, 1, uint64(0)
	if n.Type.Kind == module.Array && n.Elem != nil && n.Stride > 0 {
		elem, count, stride = n.Elem, int(n.Size/n.Stride), n.Stride
	}
	s, ok := scalarOf(elem.Type.Scalar())
	comps := elem.Type.Components()
	if !ok || elem.Type.Kind == module.Matrix {
		if elem.Type.Kind == module.Pointer {
			return fmt.Errorf("it is a pointer (%v) and needs &NAME or null, got %s", elem.Type, v.Describe())
		}
		return fmt.Errorf("it is of type %v (%d bytes), got %s; a structure is written {field=value,...}", n.Type, n.Size, v.Describe())
	}
	if given := v.Count(); given != 1 && given != count*comps {
		return fmt.Errorf("it is of type %v and takes %d numbers, %d are given", n.Type, count*comps, given)
	}
	if p.loose && !s.Float() && strings.Contains(v.Text, "-") {
		if s, ok = signedOf(s); !ok {
			return fmt.Errorf("%q is out of range for bool", v.Text)
		}
	}
	a, err := v.NumbersAs(value.Of(s), count*comps, nil)
	if err != nil {
		return err
	}
	width := uint64(s.Bits() / 8)
	step := width
	if elem.Stride > 0 && elem.Type.Kind == module.Vector {
		step = elem.Stride
	}
	for i := range count * comps {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], a.Bits(i, 0))
		to := at + uint64(i/comps)*stride + uint64(i%comps)*step
		copy(p.bytes[to:to+width], b[:width])
	}
	return nil
}

// scalarOf returns the scalar that is written and read as the SPIR-V type is.
func scalarOf(t *module.Type) (value.Scalar, bool) {
	switch t.Kind {
	case module.Bool:
		return value.Bool, true
	case module.Int:
		s, ok := map[int][2]value.Scalar{8: {value.U8, value.I8}, 16: {value.U16, value.I16}, 32: {value.U32, value.I32}, 64: {value.U64, value.I64}}[t.Width]
		if t.Signed {
			return s[1], ok
		}
		return s[0], ok
	case module.Float:
		if t.Encoding == 0 {
			s, ok := map[int]value.Scalar{16: value.F16, 32: value.F32, 64: value.F64}[t.Width]
			return s, ok
		}
		s, ok := map[spirv.FPEncoding]value.Scalar{
			spirv.FPEncodingBFloat16KHR: value.BF16, spirv.FPEncodingFloat8E4M3EXT: value.E4M3, spirv.FPEncodingFloat8E5M2EXT: value.E5M2,
		}[spirv.FPEncoding(t.Encoding-1)]
		return s, ok
	}
	return value.NoScalar, false
}

func signedOf(s value.Scalar) (value.Scalar, bool) {
	if s.Signed() {
		return s, true
	}
	v, ok := map[value.Scalar]value.Scalar{value.U8: value.I8, value.U16: value.I16, value.U32: value.I32, value.U64: value.I64}[s]
	return v, ok
}

// fields writes the members of a structure, by name or index, or the elements of an array, by index. All must be given.
func (p *packer) fields(v *value.Value, n *module.Node, at uint64, path string) error {
	type member struct {
		offset uint64
		node   *module.Node
		name   string
	}
	var members []member
	if n.Type.Kind == module.Struct {
		for i, f := range n.Fields {
			members = append(members, member{f.Offset, f.Node, p.src.Module.MemberNames[n.Type.ID][i]})
		}
	} else if n.Stride > 0 {
		for off := uint64(0); off < n.Size; off += n.Stride {
			members = append(members, member{off, n.Elem, ""})
		}
	}
	title := func(i int) string {
		if members[i].name != "" {
			return members[i].name
		}
		return strconv.Itoa(i)
	}
	given := make([]bool, len(members))
	for _, f := range v.Fields {
		found := -1
		for i := range members {
			if f.Name == members[i].name || f.Name == strconv.Itoa(i) {
				found = i
				break
			}
		}
		if found < 0 {
			var names []string
			for i := range members {
				names = append(names, title(i))
			}
			return fmt.Errorf("%s has no field %q; there are: %s", or(path, n.Type.String()), f.Name, strings.Join(names[:min(len(names), 20)], ", "))
		}
		if given[found] {
			return fmt.Errorf("the field %s is given twice", title(found))
		}
		given[found] = true
		inner := title(found)
		if path != "" {
			inner = path + "." + inner
		}
		if err := p.put(f.Value, members[found].node, at+members[found].offset, inner); err != nil {
			return err
		}
	}
	for i, ok := range given {
		if !ok {
			return fmt.Errorf("%s: the field %s of type %v is missing", or(path, n.Type.String()), title(i), members[i].node.Type)
		}
	}
	return nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
