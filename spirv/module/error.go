package module

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv"
)

// Error says why no model can be made of a module, and where.
type Error struct {
	Reason      string   // a sentence without the full stop
	Instruction string   // text of the instruction, such as "%9 = OpIAdd %uint %7 %8"; empty where none is at fault
	ID          spirv.ID // result id of the instruction, or the id at fault; 0 where there is none
	Function    string   // name of the function, empty at module scope
	Offset      int      // word offset of the instruction, 0 where it was not decoded from a binary
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("invalid module: ")
	s.WriteString(e.Reason)
	writePlace(&s, e.Instruction, e.Function, e.Offset)
	return s.String()
}

func writePlace(s *strings.Builder, inst, function string, offset int) {
	if inst != "" {
		fmt.Fprintf(s, ": %s", inst)
	}
	switch {
	case function != "" && offset > 0:
		fmt.Fprintf(s, " (function %s, word offset %d)", function, offset)
	case function != "":
		fmt.Fprintf(s, " (function %s)", function)
	case offset > 0:
		fmt.Fprintf(s, " (word offset %d)", offset)
	}
}
