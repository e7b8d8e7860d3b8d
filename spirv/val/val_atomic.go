package val

import (
	"math/bits"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Atomic instructions (SPIR-V 1.6, section 3.3.18).
var atomicRules = map[spirv.Op]rule{
	spirv.OpAtomicLoad: atomic(isNumber, 0), spirv.OpAtomicStore: atomicStore, spirv.OpAtomicExchange: atomic(isNumber, 1),
	spirv.OpAtomicCompareExchange: atomic(isInt, 2), spirv.OpAtomicCompareExchangeWeak: atomic(isInt, 2),
	spirv.OpAtomicIIncrement: atomic(isInt, 0), spirv.OpAtomicIDecrement: atomic(isInt, 0),
	spirv.OpAtomicIAdd: atomic(isInt, 1), spirv.OpAtomicISub: atomic(isInt, 1), spirv.OpAtomicSMin: atomic(isInt, 1), spirv.OpAtomicUMin: atomic(isInt, 1),
	spirv.OpAtomicSMax: atomic(isInt, 1), spirv.OpAtomicUMax: atomic(isInt, 1), spirv.OpAtomicAnd: atomic(isInt, 1), spirv.OpAtomicOr: atomic(isInt, 1),
	spirv.OpAtomicXor: atomic(isInt, 1), spirv.OpAtomicFAddEXT: atomic(isFloat, 1), spirv.OpAtomicFMinEXT: atomic(isFloat, 1), spirv.OpAtomicFMaxEXT: atomic(isFloat, 1),
	spirv.OpAtomicFlagTestAndSet: atomicFlag, spirv.OpAtomicFlagClear: atomicFlag,
}

func isNumber(t *module.Type) bool { return isInt(t) || isFloat(t) }

// atomicPointer checks the pointer of an atomic instruction and returns what it points to.
func (c *checker) atomicPointer(in *inst) *module.Type {
	p := c.typeOf(in, 0)
	if !isPointerLike(p) {
		c.bad(in, "the pointer of %v must be a pointer, %s", in.Op, is(p))
		return nil
	}
	t := p.Elem
	if !isPtr(p) {
		if t = in.rt; t == nil {
			t = c.typeOf(in, 3)
		}
	}
	switch s := storageOf(p); s {
	case spirv.StorageClassFunction:
		if c.HasCapability(spirv.CapabilityShader) {
			c.bad(in, "%v cannot work on the storage class Function in a shader", in.Op)
			return nil
		}
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric,
		spirv.StorageClassAtomicCounter, spirv.StorageClassImage, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassTaskPayloadWorkgroupEXT:
	default:
		c.bad(in, "%v cannot work on the storage class %v", in.Op, s)
		return nil
	}
	if isInt(t) && t.Width == 64 && !c.HasCapability(spirv.CapabilityInt64Atomics) {
		c.bad(in, "%v on 64-bit integers needs the capability Int64Atomics", in.Op)
		return nil
	}
	return t
}

// atomic: a result of a class, a pointer to it, scope and semantics, and n values of the same type.
func atomic(want func(*module.Type) bool, n int) rule {
	return func(c *checker, in *inst) {
		t := c.atomicPointer(in)
		vector := isKind(in.rt, module.Vector) && isFloat(in.rt.Elem) && in.rt.Elem.Width == 16 && (in.rt.Count == 2 || in.rt.Count == 4) && c.HasCapability(spirv.CapabilityAtomicFloat16VectorNV)
		switch {
		case t == nil:
			return
		case !want(in.rt) && !vector:
			c.bad(in, "%v cannot make %v", in.Op, in.rt)
			return
		case t != in.rt:
			c.bad(in, "the pointer of %v must point to the result type %v, it points to %v", in.Op, in.rt, t)
			return
		}
		if !c.atomicFloat(in) || !c.memoryScope(in, in.arg(1)) || !c.semantics(in, in.arg(2)) {
			return
		}
		next := 3
		if n == 2 {
			if !c.semantics(in, in.arg(3)) || !c.unequal(in) {
				return
			}
			next = 4
		}
		for i := range n {
			if v := c.typeOf(in, next+i); v != in.rt {
				c.bad(in, "the values of %v must have the result type %v, %s", in.Op, in.rt, is(v))
				return
			}
		}
	}
}

// atomicFloat checks the capability for the width of a floating-point sum, minimum or maximum in a shader.
func (c *checker) atomicFloat(in *inst) bool {
	if !c.HasCapability(spirv.CapabilityShader) {
		return true
	}
	var need map[int]spirv.Capability
	switch in.Op {
	case spirv.OpAtomicFAddEXT:
		need = map[int]spirv.Capability{16: spirv.CapabilityAtomicFloat16AddEXT, 32: spirv.CapabilityAtomicFloat32AddEXT, 64: spirv.CapabilityAtomicFloat64AddEXT}
	case spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		need = map[int]spirv.Capability{16: spirv.CapabilityAtomicFloat16MinMaxEXT, 32: spirv.CapabilityAtomicFloat32MinMaxEXT, 64: spirv.CapabilityAtomicFloat64MinMaxEXT}
	default:
		return true
	}
	if k, ok := need[bitsOf(in.rt)]; ok && !isKind(in.rt, module.Vector) && !c.HasCapability(k) {
		c.bad(in, "%v on %v needs the capability %v", in.Op, in.rt, k)
		return false
	}
	return true
}

func atomicStore(c *checker, in *inst) {
	t := c.atomicPointer(in)
	switch v := c.typeOf(in, 3); {
	case t == nil:
	case !isNumber(t):
		c.bad(in, "the pointer of OpAtomicStore must point to a number, it points to %v", t)
	case !c.memoryScope(in, in.arg(1)) || !c.semantics(in, in.arg(2)):
	case v != t:
		c.bad(in, "the value of OpAtomicStore must have the type the pointer points to, %v, %s", t, is(v))
	}
}

func atomicFlag(c *checker, in *inst) {
	t := c.atomicPointer(in)
	switch {
	case t == nil:
	case !isInt(t) || t.Width != 32:
		c.bad(in, "the pointer of %v must point to a 32-bit integer, it points to %v", in.Op, t)
	case in.rt != nil && !isBool(in.rt):
		c.bad(in, "the result of %v must be bool, it is %v", in.Op, in.rt)
	default:
		_ = c.memoryScope(in, in.arg(1)) && c.semantics(in, in.arg(2))
	}
}

// scope checks a scope operand: a 32-bit integer, a constant in shaders (SPIR-V 1.6, section 3.2.26).
func (c *checker) scope(in *inst, id spirv.ID) (value uint64, known, ok bool) {
	const section = core + "3.2.26"
	t := c.TypeOf(id)
	if !isInt(t) || t.Width != 32 {
		c.fail(in, section, "the scope %s must be a 32-bit integer, %s", c.name(id), is(t))
		return 0, false, false
	}
	value, known = c.constant(id)
	switch {
	case !known && c.HasCapability(spirv.CapabilityShader) && !(c.HasCapability(spirv.CapabilityCooperativeMatrixNV) && c.isConstant(id)):
		c.fail(in, section, "the scope %s must be an OpConstant in a shader", c.name(id))
		return 0, false, false
	case known && value > uint64(spirv.ScopeShaderCallKHR):
		c.fail(in, section, "%d is no scope", value)
		return 0, false, false
	}
	return value, known, true
}

func (c *checker) executionScope(in *inst, id spirv.ID, allowed ...spirv.Scope) bool {
	v, known, ok := c.scope(in, id)
	if !ok || !known || len(allowed) == 0 {
		return ok
	}
	for _, s := range allowed {
		if uint64(s) == v {
			return true
		}
	}
	c.fail(in, core+"3.2.26", "the scope of %v cannot be %v, it must be one of %v", in.Op, spirv.Scope(v), allowed)
	return false
}

func (c *checker) memoryScope(in *inst, id spirv.ID) bool {
	v, known, ok := c.scope(in, id)
	vulkan := c.HasCapability(spirv.CapabilityVulkanMemoryModel)
	switch {
	case !ok || !known:
		return ok
	case v == uint64(spirv.ScopeQueueFamily) && !vulkan:
		c.fail(in, core+"3.2.26", "the scope QueueFamily needs the capability VulkanMemoryModel")
		return false
	case v == uint64(spirv.ScopeDevice) && vulkan && !c.HasCapability(spirv.CapabilityVulkanMemoryModelDeviceScope):
		c.fail(in, core+"3.2.26", "the scope Device with the Vulkan memory model needs the capability VulkanMemoryModelDeviceScope")
		return false
	}
	return true
}

const (
	semAcquire = uint64(spirv.MemorySemanticsAcquire)
	semRelease = uint64(spirv.MemorySemanticsRelease)
	semAcqRel  = uint64(spirv.MemorySemanticsAcquireRelease)
	semSeqCst  = uint64(spirv.MemorySemanticsSequentiallyConsistent)
	semOrders  = semAcquire | semRelease | semAcqRel | semSeqCst
	semStorage = uint64(spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsWorkgroupMemory | spirv.MemorySemanticsImageMemory | spirv.MemorySemanticsOutputMemory)
)

// semantics checks a memory semantics operand (SPIR-V 1.6, section 3.2.24).
func (c *checker) semantics(in *inst, id spirv.ID) bool {
	const section = core + "3.2.24"
	fail := func(format string, args ...any) bool {
		c.fail(in, section, format, args...)
		return false
	}
	t := c.TypeOf(id)
	if !isInt(t) || t.Width != 32 {
		return fail("the memory semantics %s must be a 32-bit integer, %s", c.name(id), is(t))
	}
	v, known := c.constant(id)
	if !known {
		if c.HasCapability(spirv.CapabilityShader) && !(c.HasCapability(spirv.CapabilityCooperativeMatrixNV) && c.isConstant(id)) {
			return fail("the memory semantics %s must be an OpConstant in a shader", c.name(id))
		}
		return true
	}
	vulkanCap := c.HasCapability(spirv.CapabilityVulkanMemoryModel)
	vulkan := c.MemoryModel == spirv.MemoryModelVulkan
	order := v & semOrders
	has := func(m spirv.MemorySemantics) bool { return v&uint64(m) != 0 }
	loads := in.Op == spirv.OpAtomicLoad
	stores := in.Op == spirv.OpAtomicStore || in.Op == spirv.OpAtomicFlagClear
	switch {
	case has(spirv.MemorySemanticsUniformMemory) && !c.HasCapability(spirv.CapabilityShader):
		return fail("UniformMemory needs the capability Shader")
	case (has(spirv.MemorySemanticsOutputMemory) || has(spirv.MemorySemanticsMakeAvailable) || has(spirv.MemorySemanticsMakeVisible) || has(spirv.MemorySemanticsVolatile)) && !vulkanCap:
		return fail("OutputMemory, MakeAvailable, MakeVisible and Volatile need the capability VulkanMemoryModel")
	case bits.OnesCount64(order) > 1:
		return fail("memory semantics must have one order at most, 0x%x has several", v)
	case vulkan && order == semSeqCst:
		return fail("the Vulkan memory model has no SequentiallyConsistent")
	case stores && (order == semAcquire || order == semAcqRel):
		return fail("%v cannot have the order Acquire or AcquireRelease", in.Op)
	case loads && (order == semRelease || order == semAcqRel):
		return fail("%v cannot have the order Release or AcquireRelease", in.Op)
	case vulkan && in.Op == spirv.OpMemoryBarrier && order == 0:
		return fail("OpMemoryBarrier must have an order with the Vulkan memory model")
	case vulkan && order != 0 && v&semStorage == 0:
		return fail("memory semantics with an order must name a storage class with the Vulkan memory model")
	case vulkan && order == 0 && v&semStorage != 0:
		return fail("memory semantics that name a storage class must have an order with the Vulkan memory model")
	case has(spirv.MemorySemanticsMakeAvailable) && order != semRelease && order != semAcqRel:
		return fail("MakeAvailable needs the order Release or AcquireRelease")
	case has(spirv.MemorySemanticsMakeVisible) && order != semAcquire && order != semAcqRel:
		return fail("MakeVisible needs the order Acquire or AcquireRelease")
	case has(spirv.MemorySemanticsVolatile) && in.g.Class != "Atomic":
		return fail("Volatile cannot be used with %v", in.Op)
	}
	return true
}

// unequal checks the semantics of OpAtomicCompareExchange for the case that nothing is exchanged.
func (c *checker) unequal(in *inst) bool {
	equal, ok1 := c.constant(in.arg(2))
	v, ok2 := c.constant(in.arg(3))
	if !ok2 {
		return true
	}
	if v&(semRelease|semAcqRel) != 0 {
		c.bad(in, "the semantics for unequal values cannot have the order Release or AcquireRelease")
		return false
	}
	if ok1 && (v&semSeqCst != 0 && equal&semSeqCst == 0 || v&semAcquire != 0 && equal&semOrders == 0) {
		c.bad(in, "the semantics for unequal values cannot be stronger than those for equal ones")
		return false
	}
	if c.MemoryModel != spirv.MemoryModelVulkan || !ok1 {
		return true
	}
	const visible, volatile = uint64(spirv.MemorySemanticsMakeVisible), uint64(spirv.MemorySemanticsVolatile)
	if v&^equal&(semStorage|visible) != 0 || (v^equal)&volatile != 0 {
		c.bad(in, "the semantics for unequal values must not name storage classes, MakeVisible or Volatile that those for equal ones do not, and be Volatile where those are")
		return false
	}
	return true
}

// Barrier instructions (SPIR-V 1.6, section 3.3.20).
var barrierRules = map[spirv.Op]rule{
	spirv.OpControlBarrier: func(c *checker, in *inst) {
		if c.executionScope(in, in.arg(0)) && c.memoryScope(in, in.arg(1)) && c.semantics(in, in.arg(2)) && c.Binary.Version < v13 {
			c.models(in, []spirv.ExecutionModel{
				spirv.ExecutionModelTessellationControl, spirv.ExecutionModelGLCompute, spirv.ExecutionModelKernel, spirv.ExecutionModelTaskNV, spirv.ExecutionModelMeshNV,
			})
		}
	},
	spirv.OpControlBarrierArriveINTEL: splitBarrier, spirv.OpControlBarrierWaitINTEL: splitBarrier,
	spirv.OpMemoryBarrier: func(c *checker, in *inst) {
		_ = c.memoryScope(in, in.arg(0)) && c.semantics(in, in.arg(1))
	},
	spirv.OpNamedBarrierInitialize: func(c *checker, in *inst) {
		switch t := c.typeOf(in, 0); {
		case !isOther(in.rt, spirv.OpTypeNamedBarrier):
			c.bad(in, "the result of %v must be a named barrier, it is %v", in.Op, in.rt)
		case !isInt(t) || t.Width != 32:
			c.bad(in, "the sub-group count of %v must be a 32-bit integer, %s", in.Op, is(t))
		}
	},
	spirv.OpMemoryNamedBarrier: func(c *checker, in *inst) {
		if t := c.typeOf(in, 0); !isOther(t, spirv.OpTypeNamedBarrier) {
			c.bad(in, "%v needs a named barrier, %s", in.Op, is(t))
			return
		}
		_ = c.memoryScope(in, in.arg(1)) && c.semantics(in, in.arg(2))
	},
}

func splitBarrier(c *checker, in *inst) {
	if !c.executionScope(in, in.arg(0)) || !c.memoryScope(in, in.arg(1)) || !c.semantics(in, in.arg(2)) {
		return
	}
	allowed := semRelease
	if in.Op == spirv.OpControlBarrierWaitINTEL {
		allowed = semAcquire
	}
	if v, ok := c.constant(in.arg(2)); ok && c.MemoryModel == spirv.MemoryModelVulkan && v&semOrders&^allowed != 0 {
		c.bad(in, "%v must have the order Release on arrival and Acquire on waiting, or none", in.Op)
		return
	}
	c.models(in, []spirv.ExecutionModel{spirv.ExecutionModelGLCompute, spirv.ExecutionModelKernel})
}
