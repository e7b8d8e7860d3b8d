package module

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// Text returns the instruction's text for messages, such as "%9 = OpIAdd %5 %7 %8". It never fails: what cannot be cut
// into operands is printed as numbers.
func (m *Module) Text(in *spirv.Instruction) string {
	var s strings.Builder
	if id := resultID(in); id != 0 {
		fmt.Fprintf(&s, "%v = ", id)
	}
	s.WriteString(in.Op.String())
	ops, err := m.AppendOperands(nil, in)
	n := 0
	for _, o := range ops {
		n = o.Index + len(o.Words)
		switch {
		case o.Kind == grammar.IdResult:
		case o.IsID():
			fmt.Fprintf(&s, " %v", o.ID())
		case o.Kind == grammar.LiteralString:
			str, _, _ := spirv.String(o.Words)
			fmt.Fprintf(&s, " %q", str)
		default:
			fmt.Fprintf(&s, " %d", o.Words)
		}
	}
	if err != nil {
		for _, w := range in.Words[n:] {
			fmt.Fprintf(&s, " %d", w)
		}
	}
	return s.String()
}
