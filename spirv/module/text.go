package module

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
)

// Text returns the instruction's text for messages, such as "%sum = OpIAdd %uint %a %7". It works on what no grammar fits
// as well.
func (m *Module) Text(in *spirv.Instruction) string { return m.text().Text(in) }

// IDText returns how Text writes an id.
func (m *Module) IDText(id spirv.ID) string { return m.text().ID(id) }

func (m *Module) text() *asm.Printer {
	m.printerOnce.Do(func() { m.printer = asm.NewPrinter(m.Binary, asm.DisOptions{}) })
	return m.printer
}
