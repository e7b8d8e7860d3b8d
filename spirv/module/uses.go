package module

import "github.com/sgrun/sgrun/spirv"

// Uses returns the module-scope variables the entry point's functions name, those in initializers included, in order of
// declaration (SPIR-V 1.6, section 2.2.5, static use).
func (m *Module) Uses(e *EntryPoint) []*Variable {
	m.refsOnce.Do(m.findReferences)
	seen := map[spirv.ID]bool{}
	var todo []spirv.ID
	mark := func(id spirv.ID) {
		if !seen[id] {
			seen[id] = true
			todo = append(todo, id)
		}
	}
	var ops []Operand
	mark(e.Function.ID)
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f := m.FunctionByID[id]; f != nil {
			for _, r := range m.refs[f] {
				mark(r)
			}
			continue
		}
		// Constants and variables may name variables in turn.
		ops, _ = m.AppendOperands(ops[:0], m.Def(id))
		for _, o := range ops {
			if o.IsID() && m.reference(o.ID()) {
				mark(o.ID())
			}
		}
	}
	var out []*Variable
	for _, v := range m.Globals {
		if seen[v.ID] {
			out = append(out, v)
		}
	}
	return out
}

// reference reports whether the id is a function, or at module scope a variable or a constant made from others.
func (m *Module) reference(id spirv.ID) bool {
	def := m.defs[id]
	if def == nil {
		return false
	}
	switch def.Op {
	case spirv.OpFunction:
		return true
	case spirv.OpVariable:
		return len(def.Words) > 2 && spirv.StorageClass(def.Words[2]) != spirv.StorageClassFunction
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite, spirv.OpSpecConstantOp, spirv.OpConstantCompositeReplicateEXT, spirv.OpSpecConstantCompositeReplicateEXT:
		return true
	}
	return false
}

// findReferences lists for every function what it names beyond itself, each once: one pass over the module, after which
// the use of variables by each of many entry points is cheap to find.
func (m *Module) findReferences() {
	m.refs = make(map[*Function][]spirv.ID, len(m.Functions))
	last := map[spirv.ID]*Function{} // who named the id last
	var ops []Operand
	for _, f := range m.Functions {
		note := func(in *spirv.Instruction) {
			ops, _ = m.AppendOperands(ops[:0], in)
			for _, o := range ops {
				if o.IsID() && last[o.ID()] != f && m.reference(o.ID()) {
					last[o.ID()] = f
					m.refs[f] = append(m.refs[f], o.ID())
				}
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				note(in)
			}
			note(b.Term)
		}
	}
}
