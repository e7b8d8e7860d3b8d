package module

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/spirv"
)

// ConstantText prints the value of a constant for people: "7", "-1", "0.5", "true", "{1, 2}"; of a specialization
// constant the default. Where the value is not known, the id's name stands.
func (m *Module) ConstantText(id spirv.ID) string {
	var s strings.Builder
	m.constantText(&s, id, 0)
	return s.String()
}

func (m *Module) constantText(s *strings.Builder, id spirv.ID, nest int) {
	c := m.Constants[id]
	if c == nil || nest > maxTypeNest || s.Len() > maxTypeText {
		s.WriteString(m.Name(id))
		return
	}
	if v, ok := m.DefaultValue(id); ok {
		s.WriteString(ScalarText(c.Type, v))
		return
	}
	switch c.Inst.Op {
	case spirv.OpConstantNull:
		s.WriteString("null")
	case spirv.OpUndef:
		s.WriteString("undef")
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		s.WriteByte('{')
		for i, o := range c.Operands {
			if i > 0 {
				s.WriteString(", ")
			}
			if s.Len() > maxTypeText {
				s.WriteString(moreTypeText)
				break
			}
			m.constantText(s, o, nest+1)
		}
		s.WriteByte('}')
	default:
		s.WriteString(m.Name(id))
	}
}

// ScalarText prints the bits of a scalar of type bool, integer or float for people. Floats are printed with the fewest
// digits that read back as the same number.
func ScalarText(t *Type, bits uint64) string {
	switch t.Kind {
	case Bool:
		return strconv.FormatBool(bits != 0)
	case Int:
		if t.Signed && t.Width < 64 && t.Width > 0 {
			shift := 64 - t.Width
			return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
		}
		if t.Signed {
			return strconv.FormatInt(int64(bits), 10)
		}
		return strconv.FormatUint(bits, 10)
	case Float:
		switch {
		case t.Width == 64:
			return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
		case t.Width == 32:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
		case t.Width == 16 && t.Encoding == 0:
			return strconv.FormatFloat(half(uint16(bits)), 'g', 5, 64)
		case t.Width == 16 && t.Encoding == uint32(spirv.FPEncodingBFloat16KHR)+1:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits)<<16)), 'g', 4, 64)
		}
	}
	return fmt.Sprintf("0x%x", bits)
}

// half converts a number in the format binary16 of IEEE 754.
func half(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}
