package val

import "github.com/sgrun/sgrun/spirv/module"

// coopAlike reports whether two cooperative matrix types have the same scope, rows and columns, and with use the same
// use, as far as constants tell.
func (c *checker) coopAlike(a, b *module.Type, use bool) bool {
	if !isCoop(a) || !isCoop(b) || a.Inst.Op != b.Inst.Op {
		return false
	}
	last := len(a.Inst.Words)
	if !use && last > 5 {
		last = 5
	}
	for i := 2; i < last; i++ {
		x, okX := c.constant(idAt(a, i))
		y, okY := c.constant(idAt(b, i))
		if okX && okY && x != y {
			return false
		}
	}
	return true
}
