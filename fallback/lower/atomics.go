package lower

import (
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// atomicHandlers are the atomic instructions and the memory barrier. Scopes and semantics are not looked at: every atomic
// access and every barrier is ordered with all others, which is the strongest they can ask for.
func atomicHandlers() map[spirv.Op]handler {
	h := map[spirv.Op]handler{
		spirv.OpAtomicLoad:                atomicLoad,
		spirv.OpAtomicStore:               atomicStore,
		spirv.OpAtomicCompareExchange:     compareExchange,
		spirv.OpAtomicCompareExchangeWeak: compareExchange,
		spirv.OpAtomicIIncrement:          atomicStep(lane.Add),
		spirv.OpAtomicIDecrement:          atomicStep(lane.Sub),
		spirv.OpAtomicFlagTestAndSet:      flagTestAndSet,
		spirv.OpAtomicFlagClear:           flagClear,
		spirv.OpMemoryBarrier:             memoryBarrier,
		spirv.OpControlBarrier:            controlBarrier,
		spirv.OpGroupAsyncCopy:            asyncCopy,
		spirv.OpGroupWaitEvents:           waitEvents,
	}
	for op, combine := range map[spirv.Op]lane.Op{
		spirv.OpAtomicExchange: lane.Copy, spirv.OpAtomicIAdd: lane.Add, spirv.OpAtomicISub: lane.Sub,
		spirv.OpAtomicSMin: lane.SMin, spirv.OpAtomicUMin: lane.UMin, spirv.OpAtomicSMax: lane.SMax, spirv.OpAtomicUMax: lane.UMax,
		spirv.OpAtomicAnd: lane.And, spirv.OpAtomicOr: lane.Or, spirv.OpAtomicXor: lane.Xor,
		spirv.OpAtomicFAddEXT: lane.FAdd, spirv.OpAtomicFMinEXT: lane.FMin, spirv.OpAtomicFMaxEXT: lane.FMax,
	} {
		h[op] = atomicUpdate(combine)
	}
	return h
}

// addAtomic adds an atomic access to what a pointer points to.
func (b *builder) addAtomic(pointer uint32, kind lane.Kind, a lane.AtomicAccess, dst []lane.Value, operands ...lane.Value) {
	src := append([]lane.Value{b.address(spirv.ID(pointer))}, operands...)
	b.add(lane.Inst{Op: lane.Atomic, Kind: kind, To: kind, Dst: dst, Src: src, Atomic: &a})
}

func atomicLoad(b *builder, in *spirv.Instruction) {
	kind := b.scalarKind(b.resultType(in))
	dst := b.fresh([]lane.Kind{kind})
	b.memoryOrder(in.Words[3], in.Words[4])
	b.addAtomic(in.Words[2], kind, lane.AtomicAccess{Mode: lane.AtomicLoad}, dst)
	b.set(in, dst...)
}

func atomicStore(b *builder, in *spirv.Instruction) {
	b.memoryOrder(in.Words[1], in.Words[2])
	value := spirv.ID(in.Words[3])
	b.addAtomic(in.Words[0], b.scalarKind(b.typeOf(value)), lane.AtomicAccess{Mode: lane.AtomicStore}, nil, b.one(value))
}

func atomicUpdate(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		b.memoryOrder(in.Words[3], in.Words[4])
		kind := b.scalarKind(b.resultType(in))
		dst := b.fresh([]lane.Kind{kind})
		b.addAtomic(in.Words[2], kind, lane.AtomicAccess{Mode: lane.AtomicUpdate, Combine: op}, dst, b.one(spirv.ID(in.Words[5])))
		b.set(in, dst...)
	}
}

func atomicStep(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		b.memoryOrder(in.Words[3], in.Words[4])
		kind := b.scalarKind(b.resultType(in))
		dst := b.fresh([]lane.Kind{kind})
		b.addAtomic(in.Words[2], kind, lane.AtomicAccess{Mode: lane.AtomicUpdate, Combine: op}, dst, b.constant(kind, 1))
		b.set(in, dst...)
	}
}

// compareExchange has its operands in the order pointer, scope, two semantics, value, comparator.
func compareExchange(b *builder, in *spirv.Instruction) {
	b.memoryOrder(in.Words[3], in.Words[4], in.Words[5])
	kind := b.scalarKind(b.resultType(in))
	dst := b.fresh([]lane.Kind{kind})
	b.addAtomic(in.Words[2], kind, lane.AtomicAccess{Mode: lane.AtomicCompareExchange}, dst, b.one(spirv.ID(in.Words[6])), b.one(spirv.ID(in.Words[7])))
	b.set(in, dst...)
}

// flagTestAndSet sets a flag, a 32-bit integer, to all ones and says whether it was set before.
func flagTestAndSet(b *builder, in *spirv.Instruction) {
	b.memoryOrder(in.Words[3], in.Words[4])
	old := b.fresh([]lane.Kind{lane.I32})
	b.addAtomic(in.Words[2], lane.I32, lane.AtomicAccess{Mode: lane.AtomicUpdate, Combine: lane.Copy}, old, b.constant(lane.I32, 0xffffffff))
	b.set(in, b.op(lane.INotEqual, lane.I32, old[0], b.constant(lane.I32, 0)))
}

func flagClear(b *builder, in *spirv.Instruction) {
	b.memoryOrder(in.Words[1], in.Words[2])
	b.addAtomic(in.Words[0], lane.I32, lane.AtomicAccess{Mode: lane.AtomicStore}, nil, b.constant(lane.I32, 0))
}

// controlBarrier ends the lane block. It orders memory too, whatever its semantics ask for.
func controlBarrier(b *builder, in *spirv.Instruction) {
	scope, ok := b.scalar(spirv.ID(in.Words[0]))
	if !ok {
		b.refuse("an execution scope that is not a constant is not supported")
	}
	b.memoryOrder(in.Words[1], in.Words[2:]...)
	switch s := spirv.Scope(scope); s {
	case spirv.ScopeWorkgroup, spirv.ScopeSubgroup:
		b.barrier(s == spirv.ScopeSubgroup)
	default:
		b.refuse("a barrier with the execution scope %v is not supported", s)
	}
}

// barrier ends the lane block with a barrier of the work-group or the sub-group, which is a fence too.
func (b *builder) barrier(subGroup bool) {
	b.add(lane.Inst{Op: lane.Fence})
	b.block.Term = lane.Term{Kind: lane.Barrier, At: b.lowerer.at[b.in], Cond: lane.NoValue, SubGroup: subGroup, Edges: []lane.Edge{{To: len(b.out.Blocks)}}}
	b.newBlock()
}

func memoryBarrier(b *builder, in *spirv.Instruction) {
	b.memoryOrder(in.Words[0], in.Words[1])
	b.add(lane.Inst{Op: lane.Fence})
}

// memoryOrder makes sure that a memory scope and semantics mean something, where they are constants. What they mean makes
// no difference: everything is ordered.
func (b *builder) memoryOrder(scope uint32, semantics ...uint32) {
	const known = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease | spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsSequentiallyConsistent |
		spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsSubgroupMemory | spirv.MemorySemanticsWorkgroupMemory |
		spirv.MemorySemanticsCrossWorkgroupMemory | spirv.MemorySemanticsAtomicCounterMemory | spirv.MemorySemanticsImageMemory |
		spirv.MemorySemanticsOutputMemory | spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible | spirv.MemorySemanticsVolatile
	if s, ok := b.scalar(spirv.ID(scope)); ok && s > uint64(spirv.ScopeQueueFamily) {
		b.refuse("the memory scope %v of %v is not supported", spirv.Scope(s), b.in.Op)
	}
	for _, id := range semantics {
		if s, ok := b.scalar(spirv.ID(id)); ok && s&^uint64(known) != 0 {
			b.invalid("the memory semantics 0x%x of %v have bits without meaning", s, b.in.Op)
		}
	}
}
