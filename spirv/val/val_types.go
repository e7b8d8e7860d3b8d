package val

import (
	"fmt"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Type-declaration instructions (SPIR-V 1.6, section 3.3.6).
var typeRules = map[spirv.Op]rule{
	spirv.OpTypeInt: typeInt, spirv.OpTypeFloat: typeFloat, spirv.OpTypeVector: typeVector, spirv.OpTypeMatrix: typeMatrix,
	spirv.OpTypeArray: typeArray, spirv.OpTypeRuntimeArray: typeRuntimeArray, spirv.OpTypeStruct: typeStruct, spirv.OpTypePointer: typePointer,
	spirv.OpTypeFunction: typeFunction, spirv.OpTypeForwardPointer: typeForwardPointer, spirv.OpTypeImage: typeImage, spirv.OpTypeSampledImage: typeSampledImage,
	spirv.OpTypeCooperativeMatrixKHR: typeCoop, spirv.OpTypeCooperativeMatrixNV: typeCoop, spirv.OpTypeVoid: nothing, spirv.OpTypeBool: nothing, spirv.OpTypeSampler: nothing,
	spirv.OpTypeOpaque: nothing, spirv.OpTypeEvent: nothing, spirv.OpTypeDeviceEvent: nothing, spirv.OpTypeReserveId: nothing,
	spirv.OpTypeQueue: nothing, spirv.OpTypePipe: nothing,
}

// nothing is the rule of instructions of which the specification asks nothing that the grammar and the kinds of ids do
// not say.
func nothing(*checker, *inst) {}

// checkUnique refuses two declarations of the same type, except aggregates and pointers, which decorations may tell
// apart (SPIR-V 1.6, section 2.8).
func (c *checker) checkUnique() {
	seen := map[string]*inst{}
	for _, t := range c.TypeOrder {
		switch t.Inst.Op {
		case spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypeStruct, spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR, spirv.OpTypeNodePayloadArrayAMDX:
			continue
		}
		key := fmt.Sprint(t.Inst.Op, t.Inst.Words[1:])
		in := c.byID[t.ID]
		if first := seen[key]; first != nil {
			c.fail(in, core+"2.8", "%s declares the same type as %s", c.name(t.ID), c.name(first.result))
			continue
		}
		seen[key] = in
	}
}

func typeInt(c *checker, in *inst) {
	width, sign := in.Words[1], in.Words[2]
	need := func(ok bool, what string) bool {
		if !ok {
			c.bad(in, "an integer type of %d bits needs %s", width, what)
		}
		return ok
	}
	any := c.HasCapability(spirv.CapabilityArbitraryPrecisionIntegersALTERA)
	switch width {
	case 32:
	case 8:
		if !need(any || c.HasCapability(spirv.CapabilityInt8) || c.int8Storage(), "the capability Int8 or one for the storage of 8-bit numbers") {
			return
		}
	case 16:
		if !need(any || c.HasCapability(spirv.CapabilityInt16) || c.int16Storage(), "the capability Int16 or one for the storage of 16-bit numbers") {
			return
		}
	case 64:
		if !need(any || c.HasCapability(spirv.CapabilityInt64), "the capability Int64") {
			return
		}
	case 4:
		if !need(any || c.HasCapability(spirv.CapabilityInt4TypeINTEL), "the capability Int4TypeINTEL") {
			return
		}
	default:
		if !need(any && width > 0, "the capability ArbitraryPrecisionIntegersALTERA, and 8, 16, 32 and 64 bits another") {
			return
		}
	}
	switch {
	case sign > 1:
		c.bad(in, "the signedness of an integer type must be 0 or 1, it is %d", sign)
	case sign == 1 && c.HasCapability(spirv.CapabilityKernel):
		c.fail(in, core+"2.16.3", "the signedness of an integer type must be 0 in a module with the capability Kernel")
	}
}

func (c *checker) int8Storage() bool {
	return c.HasCapability(spirv.CapabilityStorageBuffer8BitAccess) || c.HasCapability(spirv.CapabilityUniformAndStorageBuffer8BitAccess) ||
		c.HasCapability(spirv.CapabilityStoragePushConstant8) || c.HasCapability(spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR)
}

func (c *checker) int16Storage() bool {
	return c.freeRounding() || c.HasExtension("SPV_AMD_gpu_shader_int16") || c.HasCapability(spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
}

func (c *checker) half() bool {
	return c.HasCapability(spirv.CapabilityFloat16) || c.HasCapability(spirv.CapabilityFloat16Buffer) || c.freeRounding() ||
		c.HasExtension("SPV_AMD_gpu_shader_half_float") || c.HasCapability(spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
}

func typeFloat(c *checker, in *inst) {
	width := in.Words[1]
	encoded := len(in.Words) > 2
	var encoding spirv.FPEncoding
	if encoded {
		encoding = spirv.FPEncoding(in.Words[2])
	}
	wrong := func() { c.bad(in, "a floating-point type of %d bits cannot have the encoding %v", width, encoding) }
	switch width {
	case 16:
		switch {
		case encoded && encoding != spirv.FPEncodingBFloat16KHR:
			wrong()
		case !encoded && !c.half():
			c.bad(in, "a floating-point type of 16 bits needs the capability Float16 or one for the storage of 16-bit numbers")
		}
	case 32, 64:
		switch {
		case encoded:
			wrong()
		case width == 64 && !c.HasCapability(spirv.CapabilityFloat64):
			c.bad(in, "a floating-point type of 64 bits needs the capability Float64")
		}
	case 4, 6, 8:
		switch {
		case !encoded:
			c.bad(in, "a floating-point type of %d bits needs an encoding", width)
		case width == 8 && encoding != spirv.FPEncodingFloat8E4M3EXT && encoding != spirv.FPEncodingFloat8E5M2EXT &&
			encoding != spirv.FPEncodingFloat8UnsignedE8M0EXT && encoding != spirv.FPEncodingMXInt8EXT,
			width == 6 && encoding != spirv.FPEncodingFloat6E2M3EXT && encoding != spirv.FPEncodingFloat6E3M2EXT,
			width == 4 && encoding != spirv.FPEncodingFloat4E2M1EXT:
			wrong()
		}
	default:
		c.bad(in, "a floating-point type cannot have %d bits", width)
	}
}

func isScalar(t *module.Type) bool { return isInt(t) || isFloat(t) || isBool(t) }

func typeVector(c *checker, in *inst) {
	t := c.Types[in.result]
	switch {
	case !isScalar(t.Elem) && !(isPtr(t.Elem) && c.HasCapability(spirv.CapabilityMaskedGatherScatterINTEL)):
		c.bad(in, "the components of a vector must be scalars, they are %v", t.Elem)
	case t.Count >= 2 && t.Count <= 4:
	case t.Count == 8 || t.Count == 16:
		if !c.HasCapability(spirv.CapabilityVector16) && !c.HasCapability(spirv.CapabilityLongVectorEXT) {
			c.bad(in, "a vector of %d components needs the capability Vector16", t.Count)
		}
	case t.Count == 0 || !c.HasCapability(spirv.CapabilityLongVectorEXT):
		c.bad(in, "a vector must have 2, 3, 4, 8 or 16 components, not %d", t.Count)
	}
}

func typeMatrix(c *checker, in *inst) {
	t := c.Types[in.result]
	switch {
	case !isKind(t.Elem, module.Vector):
		c.bad(in, "the columns of a matrix must be vectors, they are %v", t.Elem)
	case !isFloat(t.Elem.Elem):
		c.bad(in, "the components of a matrix must be floating-point numbers, they are %v", t.Elem.Elem)
	case t.Count < 2 || t.Count > 4:
		c.bad(in, "a matrix must have 2, 3 or 4 columns, not %d", t.Count)
	}
}

// isBlock reports a structure decorated Block or BufferBlock.
func (c *checker) isBlock(t *module.Type) bool {
	if !isKind(t, module.Struct) {
		return false
	}
	_, block := c.Decoration(t.ID, spirv.DecorationBlock)
	_, buffer := c.Decoration(t.ID, spirv.DecorationBufferBlock)
	return block || buffer
}

func (c *checker) elements(in *inst) bool {
	t := c.Types[in.result]
	if isVoid(t.Elem) {
		c.bad(in, "the elements of an array cannot be void")
		return false
	}
	if _, stride := c.Decoration(t.ID, spirv.DecorationArrayStride); stride && c.HasCapability(spirv.CapabilityShader) && c.isBlock(t.Elem) {
		c.bad(in, "an array of blocks must not have the decoration ArrayStride")
		return false
	}
	return true
}

func typeArray(c *checker, in *inst) {
	t := c.Types[in.result]
	if !c.elements(in) {
		return
	}
	k := c.Constants[t.Length]
	switch {
	case k == nil || k.Inst.Op == spirv.OpUndef || !isInt(k.Type):
		c.bad(in, "the length of an array must be an integer constant, %s is none", c.name(t.Length))
	default:
		if v, ok := c.DefaultValue(t.Length); ok && (v == 0 || k.Type.Signed && k.Type.Width <= 64 && v>>(k.Type.Width-1)&1 == 1) {
			c.bad(in, "the length of an array must be at least 1, it is %s", module.ScalarText(k.Type, v))
		}
	}
}

func typeRuntimeArray(c *checker, in *inst) { c.elements(in) }

func typeStruct(c *checker, in *inst) {
	t := c.Types[in.result]
	if len(t.Members) > 16383 {
		c.fail(in, core+"2.17", "a structure must have no more than 16383 members, it has %d", len(t.Members))
		return
	}
	if d := c.structDepth(t); d > 255 {
		c.fail(in, core+"2.17", "structures must nest no deeper than 255, it is %d", d)
		return
	}
	for i, m := range t.Members {
		if isVoid(m) {
			c.bad(in, "member %d of a structure cannot be void", i)
			return
		}
		if isKind(m, module.Struct) && c.builtInMembers(m) > 0 {
			c.fail(in, core+"2.16.1", "member %d has members with the decoration BuiltIn and cannot be a member itself", i)
			return
		}
	}
	if builtIns := c.builtInMembers(t); builtIns > 0 && builtIns != len(t.Members) {
		c.fail(in, core+"2.16.1", "all members of a structure or none must have the decoration BuiltIn, %d of %d have", builtIns, len(t.Members))
		return
	}
	if !c.isBlock(t) {
		return
	}
	for i, m := range t.Members {
		if c.has.blocks.by(m) {
			c.fail(in, core+"2.16.2", "a block cannot hold another, member %d does", i)
			return
		}
	}
}

func (c *checker) builtInMembers(t *module.Type) int {
	n := 0
	for i := range t.Members {
		if _, ok := c.MemberDecoration(t.ID, i, spirv.DecorationBuiltIn); ok {
			n++
		}
	}
	return n
}

func typePointer(c *checker, in *inst) {
	t := c.Types[in.result]
	if isVoid(t.Elem) && c.HasCapability(spirv.CapabilityShader) && !c.HasCapability(spirv.CapabilityKernel) {
		return // tolerated: nothing can be done with it
	}
	if t.Storage == spirv.StorageClassGeneric && !c.HasCapability(spirv.CapabilityGenericPointer) && !c.HasCapability(spirv.CapabilityKernel) {
		c.bad(in, "the storage class Generic needs the capability GenericPointer")
	}
}

func typeFunction(c *checker, in *inst) {
	t := c.Types[in.result]
	if t.Elem.Kind == module.FunctionType {
		c.bad(in, "a function cannot return a function")
		return
	}
	for i, p := range t.Members {
		if isVoid(p) {
			c.bad(in, "parameter %d of a function cannot be void", i)
			return
		}
	}
	if len(t.Members) > 255 {
		c.fail(in, core+"2.17", "a function must have no more than 255 parameters, it has %d", len(t.Members))
	}
}

func typeForwardPointer(c *checker, in *inst) {
	t := c.Types[spirv.ID(in.Words[0])]
	storage := spirv.StorageClass(in.Words[1])
	switch {
	case !isPtr(t):
		c.bad(in, "OpTypeForwardPointer must name a pointer type, %s is none", c.name(spirv.ID(in.Words[0])))
	case t.Storage != storage:
		c.bad(in, "the storage class %v must be that of the pointer, %v", storage, t.Storage)
	case !isKind(t.Elem, module.Struct):
		c.bad(in, "a forward pointer must point to a structure, it points to %v", t.Elem)
	case c.HasCapability(spirv.CapabilityShader) && !c.HasCapability(spirv.CapabilityKernel) && storage != spirv.StorageClassPhysicalStorageBuffer:
		c.bad(in, "a forward pointer must be in the storage class PhysicalStorageBuffer in a shader, it is in %v", storage)
	}
}

// structDepth counts structures directly inside structures; module.New bounds how deep types nest.
func (c *checker) structDepth(t *module.Type) int {
	if d, ok := c.depths[t]; ok {
		return d
	}
	depth := 0
	for _, m := range t.Members {
		if m.Kind == module.Struct {
			depth = max(depth, c.structDepth(m))
		}
	}
	c.depths[t] = depth + 1
	return depth + 1
}
