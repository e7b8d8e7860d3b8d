package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// Constant-creation instructions (SPIR-V 1.6, section 3.3.7).
var constantRules = map[spirv.Op]rule{
	spirv.OpConstantTrue: constantBool, spirv.OpConstantFalse: constantBool, spirv.OpSpecConstantTrue: constantBool, spirv.OpSpecConstantFalse: constantBool,
	spirv.OpConstant: smallConstant(constantNumber), spirv.OpSpecConstant: smallConstant(constantNumber), spirv.OpConstantComposite: smallConstant(constantComposite), spirv.OpSpecConstantComposite: smallConstant(constantComposite),
	spirv.OpConstantNull: smallConstant(constantNull), spirv.OpConstantSampler: constantSampler, spirv.OpSpecConstantOp: smallConstant(specConstantOp),
	spirv.OpConstantCompositeReplicateEXT: smallConstant(constantReplicate), spirv.OpSpecConstantCompositeReplicateEXT: smallConstant(constantReplicate),
	spirv.OpUndef: smallConstant(undef), spirv.OpNop: nothing,
}

func undef(c *checker, in *inst) {
	if isVoid(in.rt) {
		c.bad(in, "OpUndef cannot make void")
	}
}

// smallConstant refuses constants of 8- and 16-bit types that a shader may only store.
func smallConstant(r rule) rule {
	return func(c *checker, in *inst) {
		if c.storageOnly(in.rt) && in.rt.Kind != module.Pointer {
			c.bad(in, "%v cannot make %v: the module declares a capability for its storage only, not for arithmetic", in.Op, in.rt)
			return
		}
		r(c, in)
	}
}

func constantBool(c *checker, in *inst) {
	if !isBool(in.rt) {
		c.bad(in, "the result of %v must be bool, it is %v", in.Op, in.rt)
	}
}

// constantNumber checks the type and that the bits above its width are its sign (SPIR-V 1.6, section 2.2.1, Literal).
func constantNumber(c *checker, in *inst) {
	if !isInt(in.rt) && !isFloat(in.rt) {
		c.bad(in, "the result of %v must be an integer or floating-point number, it is %v", in.Op, in.rt)
		return
	}
	width := in.rt.Width
	if width%32 == 0 || width > 64 {
		return
	}
	last := in.Words[len(in.Words)-1]
	keep := width % 32
	high := last >> keep
	ones := uint32(1)<<(32-keep) - 1
	negative := last>>(keep-1)&1 == 1
	if high != 0 && !(isInt(in.rt) && in.rt.Signed && negative && high == ones) || isInt(in.rt) && in.rt.Signed && negative && high != ones {
		c.fail(in, core+"2.2.1", "the bits of the literal above its width of %d must be 0, or the sign of a signed integer", width)
	}
}

// parts checks that constituents are constants, and none of them a specialization constant where the result is none.
func (c *checker) constantParts(in *inst) bool {
	for i := range in.args() {
		id := in.arg(i)
		k := c.Constants[id]
		switch {
		case k == nil && !c.constantAddress(id):
			c.bad(in, "constituent %d of %v must be a constant, %s is none", i, in.Op, c.name(id))
			return false
		case k != nil && k.Spec && !module.IsSpecConstant(in.Op):
			c.bad(in, "constituent %d of %v must not be a specialization constant", i, in.Op)
			return false
		}
	}
	return true
}

// constantAddress reports a module-scope variable, whose address is a constant in kernels.
func (c *checker) constantAddress(id spirv.ID) bool {
	def := c.byID[id]
	return def != nil && def.fn == nil && (def.Op == spirv.OpVariable || def.Op == spirv.OpUntypedVariableKHR) && c.HasCapability(spirv.CapabilityKernel)
}

func constantComposite(c *checker, in *inst) {
	switch {
	case isCoop(in.rt):
		if len(in.args()) != 1 || c.typeOf(in, 0) != c.coopElem(in.rt) {
			c.bad(in, "a constant cooperative matrix has one constituent of its component type")
			return
		}
	case isOther(in.rt, spirv.OpTypeVectorIdEXT), isOther(in.rt, spirv.OpTypeTensorARM):
	case !isComposite(in.rt):
		c.bad(in, "the result of %v must be a composite, it is %v", in.Op, in.rt)
		return
	case !c.constituents(in, "constituent"):
		return
	}
	c.constantParts(in)
}

func constantReplicate(c *checker, in *inst) {
	replicate(c, in)
	c.constantParts(in)
}

func constantNull(c *checker, in *inst) {
	if c.has.noNulls.by(in.rt) {
		c.bad(in, "%v has no null value", in.rt)
	}
}

// noNull reports types whose values, or those of what holds them, cannot be null (OpConstantNull).
func noNull(t *module.Type) bool {
	switch t.Kind {
	case module.Bool, module.Int, module.Float, module.Vector, module.Matrix, module.Array, module.Struct:
		return false
	case module.Pointer:
		return t.Storage == spirv.StorageClassPhysicalStorageBuffer
	case module.Other:
		switch t.Inst.Op {
		case spirv.OpTypeEvent, spirv.OpTypeDeviceEvent, spirv.OpTypeReserveId, spirv.OpTypeQueue, spirv.OpTypeCooperativeMatrixKHR,
			spirv.OpTypeCooperativeMatrixNV, spirv.OpTypeVectorIdEXT, spirv.OpTypeTensorARM:
			return false
		case spirv.OpTypeUntypedPointerKHR:
			return storageOf(t) == spirv.StorageClassPhysicalStorageBuffer
		}
	}
	return true
}

func constantSampler(c *checker, in *inst) {
	if !isOther(in.rt, spirv.OpTypeSampler) {
		c.bad(in, "the result of OpConstantSampler must be a sampler, it is %v", in.rt)
	}
}

// specConstantOp checks the operation inside by its own rule: as if it stood there itself, with constants as operands.
func specConstantOp(c *checker, in *inst) {
	op := spirv.Op(in.Words[2])
	g, ok := grammar.Lookup(op)
	if !ok {
		return // checkGrammar has refused it
	}
	inner := *in
	inner.g = g
	words := append([]uint32{in.Words[0], in.Words[1]}, in.Words[3:]...)
	inner.Instruction = &spirv.Instruction{Op: op, Words: words, Offset: in.Offset}
	inner.ops = append(append([]module.Operand{}, in.ops[:2]...), in.ops[3:]...)
	for i := range inner.ops[2:] {
		o := inner.ops[2+i]
		if !o.IsID() || c.Types[o.ID()] != nil {
			continue
		}
		if c.Constants[o.ID()] == nil && !c.constantAddress(o.ID()) {
			c.bad(in, "operand %s of OpSpecConstantOp must be a constant", c.name(o.ID()))
			return
		}
	}
	if r := c.table[op]; r != nil {
		before := len(c.found)
		r(c, &inner)
		for i := before; i < len(c.found); i++ { // what is printed is the instruction that stands there
			c.found[i].Instruction = c.Text(in.Instruction)
		}
	}
}
