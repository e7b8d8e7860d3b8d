package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Function instructions (SPIR-V 1.6, section 3.3.9).
var functionRules = map[spirv.Op]rule{
	spirv.OpFunction: function, spirv.OpFunctionParameter: nothing, spirv.OpFunctionEnd: nothing, spirv.OpFunctionCall: functionCall,
}

func function(c *checker, in *inst) {
	f := in.fn
	t := f.Type
	if in.rt != t.Elem {
		c.bad(in, "the result type of OpFunction must be what the function type returns, %v, it is %v", t.Elem, in.rt)
		return
	}
	if len(f.Params) != len(t.Members) {
		c.bad(in, "the function type has %d parameters, the function has %d", len(t.Members), len(f.Params))
		return
	}
	for i, p := range f.Params {
		if p.Type != t.Members[i] {
			c.fail(c.byID[p.ID], in.section(), "parameter %d must have the type the function type gives, %v, it is %v", i, t.Members[i], p.Type)
			return
		}
	}
	imported := false
	if d, ok := c.Decoration(f.ID, spirv.DecorationLinkageAttributes); ok {
		imported = linkage(d) == spirv.LinkageTypeImport
	}
	switch {
	case len(f.Blocks) == 0 && !imported:
		c.fail(in, core+"2.16.1", "a function without blocks must be imported (decoration LinkageAttributes)")
	case len(f.Blocks) > 0 && imported:
		c.fail(in, core+"2.16.1", "an imported function must not have blocks")
	}
}

// linkage returns the linkage type of a LinkageAttributes decoration.
func linkage(d module.Decoration) spirv.LinkageType {
	if _, n, ok := spirv.String(d.Operands); ok && n < len(d.Operands) {
		return spirv.LinkageType(d.Operands[n])
	}
	return spirv.LinkageTypeExport
}

func functionCall(c *checker, in *inst) {
	f := c.FunctionByID[in.arg(0)]
	t := f.Type
	args := len(in.args()) - 1
	switch {
	case in.rt != t.Elem:
		c.bad(in, "the result of the call must be what %s returns, %v, it is %v", c.Name(f.ID), t.Elem, in.rt)
		return
	case args != len(t.Members):
		c.bad(in, "%s has %d parameters, %d arguments are given", c.Name(f.ID), len(t.Members), args)
		return
	}
	for i, p := range t.Members {
		if a := c.typeOf(in, 1+i); a != p {
			c.bad(in, "argument %d of the call must have the parameter's type %v, %s", i, p, is(a))
			return
		}
	}
	if c.Addressing == spirv.AddressingModelLogical || c.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 {
		c.logicalCall(in, t)
	}
}

// logicalCall checks which pointers may be passed under logical addressing (SPIR-V 1.6, section 2.16.1).
func (c *checker) logicalCall(in *inst, t *module.Type) {
	const section = core + "2.16.1"
	if isPointerLike(t.Elem) && !c.mayVary(storageOf(t.Elem)) {
		c.fail(in, section, "a function cannot return a pointer in %v under logical addressing", storageOf(t.Elem))
		return
	}
	for i, p := range t.Members {
		if !isPointerLike(p) {
			continue
		}
		s := storageOf(p)
		switch s {
		case spirv.StorageClassPhysicalStorageBuffer:
			continue
		case spirv.StorageClassUniformConstant, spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup, spirv.StorageClassAtomicCounter,
			spirv.StorageClassTileImageEXT, spirv.StorageClassShaderRecordBufferKHR:
		case spirv.StorageClassStorageBuffer:
			if !c.variablePointers() {
				c.fail(in, section, "argument %d: a pointer in StorageBuffer needs a capability for variable pointers to be passed", i)
				return
			}
		default:
			c.fail(in, section, "argument %d: a pointer in %v cannot be passed under logical addressing", i, s)
			return
		}
		def := c.byID[in.arg(1+i)]
		switch def.Op {
		case spirv.OpVariable, spirv.OpFunctionParameter, spirv.OpUntypedVariableKHR:
		default:
			if !c.mayVary(s) && s != spirv.StorageClassUniformConstant {
				c.fail(in, section, "argument %d must be a variable or a parameter under logical addressing, it is the result of %v", i, def.Op)
				return
			}
		}
	}
}

func (c *checker) variablePointers() bool {
	return c.HasCapability(spirv.CapabilityVariablePointers) || c.HasCapability(spirv.CapabilityVariablePointersStorageBuffer)
}
