package module

import (
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/spirv"
)

const (
	maxTypeText  = 200 // longest text of a type, in bytes, before it is cut
	maxTypeNest  = 8   // how deep a type is spelled out before ids stand in
	moreTypeText = "…"
)

// String spells the type the way the command line and reports do:
//
//	void bool u32 i32 f16 f32 f64 bf16 f8e4m3 f8e5m2    scalars; i where the signedness operand is 1
//	v4u8                                                a vector of four u8
//	m3v4f32                                             a matrix of three columns v4f32
//	[16]f32 []f32 [N]f32                                arrays; runtime arrays; arrays as long as the specialization constant N
//	ptr<CrossWorkgroup,u32>                             a pointer
//	Params  struct{u32,v4f32}                           a structure with and without a name
//	func(u32,f32)void                                   a function type
//	sampler image2D event cooperativeMatrixKHR          all others
//
// A text that grows too long is cut with "…".
func (t *Type) String() string {
	var s strings.Builder
	t.spell(&s, 0)
	if s.Len() > maxTypeText {
		return strings.ToValidUTF8(s.String()[:maxTypeText], "") + moreTypeText
	}
	return s.String()
}

func (t *Type) spell(s *strings.Builder, nest int) {
	if s.Len() > maxTypeText {
		return
	}
	if nest > maxTypeNest {
		s.WriteString(t.ID.String())
		return
	}
	switch t.Kind {
	case Void:
		s.WriteString("void")
	case Bool:
		s.WriteString("bool")
	case Int:
		if t.Signed {
			s.WriteByte('i')
		} else {
			s.WriteByte('u')
		}
		s.WriteString(strconv.Itoa(t.Width))
	case Float:
		s.WriteString(t.floatName())
	case Vector:
		s.WriteString("v" + strconv.Itoa(t.Count))
		t.Elem.spell(s, nest+1)
	case Matrix:
		s.WriteString("m" + strconv.Itoa(t.Count))
		t.Elem.spell(s, nest+1)
	case Array:
		s.WriteString("[" + t.lengthText + "]")
		t.Elem.spell(s, nest+1)
	case RuntimeArray:
		s.WriteString("[]")
		t.Elem.spell(s, nest+1)
	case Struct:
		if t.Name != "" {
			s.WriteString(t.Name)
			return
		}
		s.WriteString("struct{")
		spellList(s, t.Members, nest)
		s.WriteByte('}')
	case Pointer:
		s.WriteString("ptr<" + t.Storage.String() + ",")
		t.Elem.spell(s, nest+1)
		s.WriteByte('>')
	case FunctionType:
		s.WriteString("func(")
		spellList(s, t.Members, nest)
		s.WriteByte(')')
		t.Elem.spell(s, nest+1)
	default:
		name := strings.TrimPrefix(t.Inst.Op.String(), "OpType")
		s.WriteString(strings.ToLower(name[:1]) + name[1:])
		if t.Inst.Op == spirv.OpTypeImage && len(t.Inst.Words) > 2 {
			s.WriteString(strings.TrimPrefix(spirv.Dim(t.Inst.Words[2]).String(), "Dim"))
		}
	}
}

func spellList(s *strings.Builder, list []*Type, nest int) {
	for i, t := range list {
		if i > 0 {
			s.WriteByte(',')
		}
		if s.Len() > maxTypeText {
			return
		}
		t.spell(s, nest+1)
	}
}

func (t *Type) floatName() string {
	switch t.Encoding {
	case uint32(spirv.FPEncodingBFloat16KHR) + 1:
		return "bf" + strconv.Itoa(t.Width)
	case uint32(spirv.FPEncodingFloat8E4M3EXT) + 1:
		return "f8e4m3"
	case uint32(spirv.FPEncodingFloat8E5M2EXT) + 1:
		return "f8e5m2"
	}
	return "f" + strconv.Itoa(t.Width)
}

// nameLengths gives array types the text of their length, once the constants are known.
func (b *builder) nameLengths() {
	for _, t := range b.TypeOrder {
		if t.Kind != Array {
			continue
		}
		c := b.Constants[t.Length]
		if c != nil && !c.Spec && c.Inst.Op == spirv.OpConstant {
			t.lengthText = strconv.FormatUint(c.Bits, 10)
		} else {
			t.lengthText = b.Name(t.Length)
		}
	}
}
