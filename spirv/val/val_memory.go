package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// Memory instructions (SPIR-V 1.6, section 3.3.8).
var memoryRules = map[spirv.Op]rule{
	spirv.OpVariable: variable, spirv.OpLoad: load, spirv.OpStore: store, spirv.OpCopyMemory: copyMemory, spirv.OpCopyMemorySized: copyMemorySized,
	spirv.OpAccessChain: accessChain, spirv.OpInBoundsAccessChain: accessChain, spirv.OpPtrAccessChain: ptrAccessChain, spirv.OpInBoundsPtrAccessChain: ptrAccessChain,
	spirv.OpArrayLength: arrayLength, spirv.OpGenericPtrMemSemantics: genericSemantics, spirv.OpPtrEqual: ptrCompare, spirv.OpPtrNotEqual: ptrCompare, spirv.OpPtrDiff: ptrCompare,
	spirv.OpLifetimeStart: lifetime, spirv.OpLifetimeStop: lifetime,
}

// logicalPointer checks that the operand is a pointer, and under logical addressing one whose memory object is known
// (SPIR-V 1.6, section 2.16.1).
func (c *checker) logicalPointer(in *inst, i int, what string) *module.Type {
	t := c.typeOf(in, i)
	if !isPointerLike(t) {
		c.bad(in, "%s of %v must be a pointer, %s", what, in.Op, is(t))
		return nil
	}
	if c.Addressing != spirv.AddressingModelLogical {
		return t
	}
	def := c.byID[in.arg(i)]
	switch def.Op {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpUntypedAccessChainKHR,
		spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpFunctionParameter, spirv.OpImageTexelPointer, spirv.OpCopyObject, spirv.OpRawAccessChainNV:
		return t
	case spirv.OpSelect, spirv.OpPhi, spirv.OpFunctionCall, spirv.OpPtrAccessChain, spirv.OpUntypedPtrAccessChainKHR, spirv.OpLoad, spirv.OpConstantNull:
		if c.variablePointers() {
			return t
		}
	}
	c.fail(in, core+"2.16.1", "%s of %v must name a memory object under logical addressing, it is the result of %v", what, in.Op, def.Op)
	return nil
}

func variable(c *checker, in *inst) {
	t, storage := in.rt, spirv.StorageClass(in.Words[2])
	if t.Storage != storage {
		c.bad(in, "the storage class %v of a variable must be that of its pointer type, %v", storage, t.Storage)
		return
	}
	if len(in.Words) > 3 && !c.initializer(in, t, storage) {
		return
	}
	switch {
	case storage == spirv.StorageClassGeneric || storage == spirv.StorageClassPhysicalStorageBuffer:
		c.bad(in, "a variable cannot be in the storage class %v", storage)
		return
	case in.fn != nil && storage != spirv.StorageClassFunction:
		c.bad(in, "a variable inside a function must be in the storage class Function, it is in %v", storage)
		return
	case in.fn == nil && storage == spirv.StorageClassFunction:
		c.bad(in, "a variable outside a function cannot be in the storage class Function")
		return
	case in.fn != nil && in.block != in.fn.Blocks[0]:
		c.bad(in, "a variable of a function must stand in its first block")
		return
	case isKind(t.Elem, module.FunctionType) || isVoid(t.Elem):
		c.bad(in, "a variable cannot hold %v", t.Elem)
		return
	}
	for _, check := range []func(*inst, *module.Type, spirv.StorageClass) bool{c.boolStorage, c.pointerStorage, c.coopStorage, c.smallStorage} {
		if !check(in, t.Elem, storage) {
			return
		}
	}
}

func (c *checker) initializer(in *inst, t *module.Type, storage spirv.StorageClass) bool {
	id := spirv.ID(in.Words[3])
	def := c.byID[id]
	global := (def.Op == spirv.OpVariable || def.Op == spirv.OpUntypedVariableKHR) && def.fn == nil
	switch {
	case !global && !c.isConstant(id):
		c.bad(in, "the initializer of a variable must be a constant or a module-scope variable, %s is the result of %v", c.name(id), def.Op)
	case c.TypeOf(id) != t.Elem:
		c.bad(in, "the initializer of a variable must have its type %v, %s", t.Elem, is(c.TypeOf(id)))
	case storage == spirv.StorageClassInput || storage == spirv.StorageClassTaskPayloadWorkgroupEXT:
		c.bad(in, "a variable in %v cannot have an initializer", storage)
	default:
		return true
	}
	return false
}

// boolStorage refuses booleans where the outside could see them (SPIR-V 1.6, section 2.16.1).
func (c *checker) boolStorage(in *inst, t *module.Type, storage spirv.StorageClass) bool {
	switch storage {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer,
		spirv.StorageClassAtomicCounter, spirv.StorageClassImage:
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		if _, ok := c.Decoration(in.result, spirv.DecorationBuiltIn); ok || isKind(t, module.Struct) && c.builtInMembers(t) > 0 {
			return true
		}
	default:
		return true
	}
	if c.has.bools.by(t) {
		c.fail(in, core+"2.16.1", "a variable in %v cannot hold bool", storage)
		return false
	}
	return true
}

// pointerStorage checks variables that hold pointers under logical addressing (SPIR-V 1.6, section 2.16.1).
func (c *checker) pointerStorage(in *inst, t *module.Type, storage spirv.StorageClass) bool {
	if c.Addressing != spirv.AddressingModelLogical && c.Addressing != spirv.AddressingModelPhysicalStorageBuffer64 {
		return true
	}
	switch {
	case c.has.fixedPointers.by(t):
		c.fail(in, core+"2.16.1", "a variable cannot hold pointers as %v does under logical addressing without a capability for variable pointers", t)
		return false
	case c.has.pointers.by(t) && storage != spirv.StorageClassFunction && storage != spirv.StorageClassPrivate:
		c.fail(in, core+"2.16.1", "a variable that holds pointers must be in Function or Private under logical addressing, it is in %v", storage)
		return false
	}
	return true
}

func (c *checker) coopStorage(in *inst, t *module.Type, storage spirv.StorageClass) bool {
	if storage == spirv.StorageClassFunction || storage == spirv.StorageClassPrivate || !c.has.coops.by(t) {
		return true
	}
	c.fail(in, "SPV_KHR_cooperative_matrix", "a variable that holds cooperative matrices must be in Function or Private, it is in %v", storage)
	return false
}

// smallStorage checks the capabilities for 8- and 16-bit numbers in the memory of shaders (SPIR-V 1.6, section 3.2.30).
func (c *checker) smallStorage(in *inst, t *module.Type, storage spirv.StorageClass) bool {
	if !c.HasCapability(spirv.CapabilityShader) {
		return true
	}
	for hops := 0; isPtr(t) && hops < maxHops; hops++ {
		storage, t = t.Storage, t.Elem
	}
	inner := t
	if isKind(inner, module.Array) || isKind(inner, module.RuntimeArray) {
		inner = inner.Elem
	}
	_, bufferBlock := c.Decoration(inner.ID, spirv.DecorationBufferBlock)
	for _, width := range []int{16, 8} {
		small := c.has.small16
		if width == 8 {
			small = c.has.small8
		}
		if small.by(t) && !c.smallAllowed(storage, width, bufferBlock) {
			c.fail(in, core+"3.2.30", "a variable in %v that holds %d-bit numbers needs a capability for them", storage, width)
			return false
		}
	}
	return true
}

// storageCapabilities are the capabilities that allow 16-bit and 8-bit numbers in a storage class.
var storageCapabilities = map[spirv.StorageClass][2]spirv.Capability{
	spirv.StorageClassStorageBuffer:         {spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityStorageBuffer8BitAccess},
	spirv.StorageClassPhysicalStorageBuffer: {spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityStorageBuffer8BitAccess},
	spirv.StorageClassUniform:               {spirv.CapabilityUniformAndStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer8BitAccess},
	spirv.StorageClassPushConstant:          {spirv.CapabilityStoragePushConstant16, spirv.CapabilityStoragePushConstant8},
	spirv.StorageClassWorkgroup:             {spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR, spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR},
}

func (c *checker) smallAllowed(storage spirv.StorageClass, width int, bufferBlock bool) bool {
	i := 0
	if width == 8 {
		i = 1
	}
	if (storage == spirv.StorageClassInput || storage == spirv.StorageClassOutput) && width == 16 {
		return c.HasCapability(spirv.CapabilityStorageInputOutput16)
	}
	need, ok := storageCapabilities[storage]
	if !ok {
		return false
	}
	return c.HasCapability(need[i]) ||
		storage == spirv.StorageClassUniform && bufferBlock && c.HasCapability(storageCapabilities[spirv.StorageClassStorageBuffer][i])
}

func isRuntimeArray(t *module.Type) bool { return isKind(t, module.RuntimeArray) }

func load(c *checker, in *inst) {
	p := c.logicalPointer(in, 0, "the pointer")
	switch {
	case p == nil:
	case isVoid(in.rt) || isKind(in.rt, module.FunctionType):
		c.bad(in, "OpLoad cannot load %v", in.rt)
	case isPtr(p) && p.Elem != in.rt:
		c.bad(in, "the result of OpLoad must have the type the pointer points to, %v, it is %v", p.Elem, in.rt)
	case c.has.runtimeArrays.by(in.rt):
		c.bad(in, "OpLoad cannot load a runtime array")
	case c.storageOnly(in.rt) && !isPtr(in.rt) && !isNumberSV(in.rt) && !isKind(in.rt, module.Matrix):
		c.bad(in, "OpLoad cannot load %v: its 8- or 16-bit numbers may be loaded as scalars, vectors and matrices only", in.rt)
	default:
		c.memoryAccess(in, 1, p, nil)
	}
}

// readOnly reports storage classes no instruction may write (SPIR-V 1.6, section 3.2.6).
func readOnly(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassUniformConstant, spirv.StorageClassInput, spirv.StorageClassPushConstant, spirv.StorageClassShaderRecordBufferKHR:
		return true
	}
	return false
}

func store(c *checker, in *inst) {
	p := c.logicalPointer(in, 0, "the pointer")
	o := c.typeOf(in, 1)
	switch {
	case p == nil:
	case readOnly(storageOf(p)):
		c.bad(in, "OpStore cannot write to the storage class %v", storageOf(p))
	case isVoid(o):
		c.bad(in, "OpStore cannot store void")
	case isPtr(p) && p.Elem != o:
		c.bad(in, "the object of OpStore must have the type the pointer points to, %v, %s", p.Elem, is(o))
	default:
		c.memoryAccess(in, 2, p, nil)
	}
}

// access is one set of memory operands.
type access struct {
	mask      uint32
	alignment uint32
	scopes    []spirv.ID // of MakePointerAvailable, MakePointerVisible, as far as they are set
	end       int        // the operand behind
}

// accessAt reads the memory operands that begin at operand i; ok is false where there are none.
func (in *inst) accessAt(i int) (a access, ok bool) {
	ops := in.args()
	if i >= len(ops) || ops[i].Kind != grammar.MemoryAccess {
		return a, false
	}
	a.mask = ops[i].Words[0]
	i++
	for bit := uint32(1); bit != 0 && i < len(ops) && ops[i].Kind != grammar.MemoryAccess; bit <<= 1 {
		if a.mask&bit == 0 {
			continue
		}
		switch spirv.MemoryAccess(bit) {
		case spirv.MemoryAccessAligned:
			a.alignment = ops[i].Words[0]
			i++
		case spirv.MemoryAccessMakePointerAvailable, spirv.MemoryAccessMakePointerVisible:
			a.scopes = append(a.scopes, ops[i].ID())
			i++
		case spirv.MemoryAccessAliasScopeINTELMask, spirv.MemoryAccessNoAliasINTELMask:
			i++
		}
	}
	a.end = i
	return a, true
}

// memoryAccess checks the memory operands at operand i of an instruction that goes through pointer p, and q where it
// copies (SPIR-V 1.6, section 3.2.25).
func (c *checker) memoryAccess(in *inst, i int, p, q *module.Type) {
	const section = core + "3.2.25"
	physical := storageOf(p) == spirv.StorageClassPhysicalStorageBuffer || q != nil && storageOf(q) == spirv.StorageClassPhysicalStorageBuffer
	a, ok := in.accessAt(i)
	if !ok {
		if physical {
			c.fail(in, section, "an access to PhysicalStorageBuffer needs the memory operand Aligned")
		}
		return
	}
	has := func(m spirv.MemoryAccess) bool { return a.mask&uint32(m) != 0 }
	switch {
	case has(spirv.MemoryAccessMakePointerAvailable) && in.Op == spirv.OpLoad:
		c.fail(in, section, "MakePointerAvailable cannot be used with OpLoad")
	case has(spirv.MemoryAccessMakePointerVisible) && in.Op == spirv.OpStore:
		c.fail(in, section, "MakePointerVisible cannot be used with OpStore")
	case (has(spirv.MemoryAccessMakePointerAvailable) || has(spirv.MemoryAccessMakePointerVisible)) && !has(spirv.MemoryAccessNonPrivatePointer):
		c.fail(in, section, "MakePointerAvailable and MakePointerVisible need NonPrivatePointer too")
	case has(spirv.MemoryAccessNonPrivatePointer) && (!shared(storageOf(p)) || q != nil && !shared(storageOf(q))):
		c.fail(in, section, "NonPrivatePointer needs a pointer in a storage class that invocations share")
	case has(spirv.MemoryAccessAligned) && (a.alignment == 0 || a.alignment&(a.alignment-1) != 0):
		c.fail(in, section, "the alignment must be a power of two, it is %d", a.alignment)
	case physical && !has(spirv.MemoryAccessAligned):
		c.fail(in, section, "an access to PhysicalStorageBuffer needs the memory operand Aligned")
	case physical && uint64(a.alignment) < max(c.largestScalar(p), c.largestScalar(q)):
		c.fail(in, section, "the alignment %d is smaller than the largest scalar accessed, %d bytes", a.alignment, max(c.largestScalar(p), c.largestScalar(q)))
	default:
		for _, s := range a.scopes {
			if !c.memoryScope(in, s) {
				return
			}
		}
	}
}

// shared reports storage classes that more than one invocation can reach.
func shared(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassUniform, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric, spirv.StorageClassImage,
		spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer:
		return true
	}
	return false
}

// largestScalar returns the size in bytes of the largest scalar in what a pointer into PhysicalStorageBuffer points to.
func (c *checker) largestScalar(p *module.Type) uint64 {
	if p == nil || !isPtr(p) || p.Storage != spirv.StorageClassPhysicalStorageBuffer {
		return 0
	}
	return c.scalarIn(p.Elem)
}

func (c *checker) scalarIn(t *module.Type) uint64 {
	if n, ok := c.scalars[t]; ok {
		return n
	}
	var n uint64
	switch t.Kind {
	case module.Int, module.Float:
		n = uint64(t.Width) / 8
	case module.Pointer:
		n = 8
	case module.Struct:
		for _, m := range t.Members {
			n = max(n, c.scalarIn(m))
		}
	case module.Vector, module.Matrix, module.Array, module.RuntimeArray:
		n = c.scalarIn(t.Elem)
	}
	c.scalars[t] = n
	return n
}

func copyMemory(c *checker, in *inst) {
	to, from := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isPointerLike(to) || !isPointerLike(from):
		c.bad(in, "target and source of OpCopyMemory must be pointers, they are %v and %v", to, from)
	case isPtr(to) && isVoid(to.Elem) || isPtr(from) && isVoid(from.Elem):
		c.bad(in, "OpCopyMemory cannot copy void")
	case isPtr(to) && isPtr(from) && to.Elem != from.Elem:
		c.bad(in, "target and source of OpCopyMemory must point to the same type, they are %v and %v", to, from)
	case !isPtr(to) && !isPtr(from):
		c.bad(in, "target or source of OpCopyMemory must be a typed pointer")
	default:
		c.copyOperands(in, 2, to, from)
	}
}

func copyMemorySized(c *checker, in *inst) {
	to, from, size := c.typeOf(in, 0), c.typeOf(in, 1), c.typeOf(in, 2)
	switch {
	case !isPointerLike(to) || !isPointerLike(from):
		c.bad(in, "target and source of OpCopyMemorySized must be pointers, they are %v and %v", to, from)
		return
	case !isInt(size):
		c.bad(in, "the size of OpCopyMemorySized must be an integer, %s", is(size))
		return
	}
	if v, ok := c.constant(in.arg(2)); ok && (v == 0 || size.Signed && v>>(size.Width-1) == 1) {
		c.bad(in, "the size of OpCopyMemorySized must be above 0, it is %s", module.ScalarText(size, v))
		return
	}
	c.copyOperands(in, 3, to, from)
}

func (c *checker) copyOperands(in *inst, i int, to, from *module.Type) {
	if readOnly(storageOf(to)) {
		c.bad(in, "%v cannot write to the storage class %v", in.Op, storageOf(to))
		return
	}
	for t, hops := to, 0; isPtr(t) && hops < maxHops; t, hops = t.Elem, hops+1 {
		if !isPtr(t.Elem) && c.storageOnly(t.Elem) {
			c.bad(in, "%v cannot copy %v: the module declares a capability for the storage of its 8- or 16-bit numbers only", in.Op, t.Elem)
			return
		}
	}
	c.memoryAccess(in, i, to, from)
	first, ok := in.accessAt(i)
	if !ok {
		return
	}
	second, ok := in.accessAt(first.end)
	switch {
	case !ok:
	case c.Binary.Version < v14:
		c.bad(in, "two sets of memory operands need SPIR-V 1.4")
	case first.mask&uint32(spirv.MemoryAccessMakePointerVisible) != 0:
		c.bad(in, "the memory operands of the target cannot have MakePointerVisible")
	case second.mask&uint32(spirv.MemoryAccessMakePointerAvailable) != 0:
		c.bad(in, "the memory operands of the source cannot have MakePointerAvailable")
	default:
		c.memoryAccess(in, first.end, to, from)
	}
}

func arrayLength(c *checker, in *inst) {
	p := c.typeOf(in, 0)
	member, _ := in.word(1)
	switch {
	case !isInt(in.rt) || in.rt.Signed || in.rt.Width != 32 && in.rt.Width != 64:
		c.bad(in, "the result of OpArrayLength must be u32 or u64, it is %v", in.rt)
	case !isPtr(p) || !isKind(p.Elem, module.Struct):
		c.bad(in, "the structure of OpArrayLength must be a pointer to a structure, %s", is(p))
	case len(p.Elem.Members) == 0 || !isRuntimeArray(p.Elem.Members[len(p.Elem.Members)-1]):
		c.bad(in, "the last member of the structure of OpArrayLength must be a runtime array")
	case uint64(member) != uint64(len(p.Elem.Members)-1):
		c.bad(in, "OpArrayLength must name the last member, %d, not %d", len(p.Elem.Members)-1, member)
	}
}

func genericSemantics(c *checker, in *inst) {
	p := c.typeOf(in, 0)
	switch {
	case !isInt(in.rt) || in.rt.Width != 32:
		c.bad(in, "the result of %v must be a 32-bit integer, it is %v", in.Op, in.rt)
	case !isPtr(p) || p.Storage != spirv.StorageClassGeneric:
		c.bad(in, "the pointer of %v must be in Generic, %s", in.Op, is(p))
	}
}

func ptrCompare(c *checker, in *inst) {
	a, b := c.typeOf(in, 0), c.typeOf(in, 1)
	logical := c.Addressing == spirv.AddressingModelLogical || c.Addressing == spirv.AddressingModelPhysicalStorageBuffer64
	switch {
	case !isPointerLike(a) || !isPointerLike(b):
		c.bad(in, "the operands of %v must be pointers, they are %v and %v", in.Op, a, b)
	case in.Op == spirv.OpPtrDiff && !isInt(in.rt):
		c.bad(in, "the result of OpPtrDiff must be an integer, it is %v", in.rt)
	case in.Op != spirv.OpPtrDiff && !isBool(in.rt):
		c.bad(in, "the result of %v must be bool, it is %v", in.Op, in.rt)
	case isPtr(a) && isPtr(b) && a != b, in.Op == spirv.OpPtrDiff && a != b, storageOf(a) != storageOf(b):
		c.bad(in, "the operands of %v must have the same type, they are %v and %v", in.Op, a, b)
	case logical && storageOf(a) != spirv.StorageClassPhysicalStorageBuffer && !c.variablePointers():
		c.bad(in, "%v needs a capability for variable pointers under logical addressing", in.Op)
	case c.Addressing == spirv.AddressingModelLogical && !c.mayVary(storageOf(a)):
		c.bad(in, "%v cannot compare pointers in %v under logical addressing", in.Op, storageOf(a))
	case storageOf(a) == spirv.StorageClassPhysicalStorageBuffer:
		c.bad(in, "%v cannot compare pointers in PhysicalStorageBuffer", in.Op)
	}
}

func lifetime(c *checker, in *inst) {
	p := c.typeOf(in, 0)
	size, _ := in.word(1)
	switch {
	case !isPointerLike(p) || storageOf(p) != spirv.StorageClassFunction:
		c.bad(in, "the pointer of %v must be in Function, %s", in.Op, is(p))
	case size != 0 && isPtr(p) && !isVoid(p.Elem) && !c.HasCapability(spirv.CapabilityAddresses):
		c.bad(in, "the size of %v must be 0 without the capability Addresses", in.Op)
	}
}
