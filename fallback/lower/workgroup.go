package lower

import (
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// workGroup lowers an instruction on all work-items of a work-group, of those that must be reached by all of them. It
// reports whether it is one.
func (b *builder) workGroup(in *spirv.Instruction) bool {
	g := lane.Group{}
	value, index := in.Words[3], []lane.Value(nil)
	to := lane.I32
	switch in.Op {
	case spirv.OpGroupAll:
		g.Combine = lane.LogicalAnd
	case spirv.OpGroupAny:
		g.Combine = lane.LogicalOr
	case spirv.OpGroupBroadcast:
		g.Source = lane.FromBroadcast
		index = b.comps(spirv.ID(in.Words[4]))
		to = b.integer(index[0])
	case spirv.OpGroupIAdd, spirv.OpGroupFAdd, spirv.OpGroupUMin, spirv.OpGroupSMin, spirv.OpGroupFMin, spirv.OpGroupUMax,
		spirv.OpGroupSMax, spirv.OpGroupFMax, spirv.OpGroupIMulKHR, spirv.OpGroupFMulKHR, spirv.OpGroupBitwiseAndKHR,
		spirv.OpGroupBitwiseOrKHR, spirv.OpGroupBitwiseXorKHR, spirv.OpGroupLogicalAndKHR, spirv.OpGroupLogicalOrKHR, spirv.OpGroupLogicalXorKHR:
		g.Combine, g.Scan, value = combineOps()[in.Op], b.scan(in.Words[3]), in.Words[4]
	default:
		return false
	}
	kind := b.scalarKind(b.resultType(in))
	if g.Combine != lane.Invalid && !g.Combine.Info().On.Has(kind) {
		b.refuse("%v on %v is not supported", in.Op, kind)
	}
	b.add(lane.Inst{Op: lane.GroupPut, Kind: kind, Src: b.comps(spirv.ID(value))})
	b.barrier(false)
	dst := b.fresh(b.flat(b.resultType(in)))
	for i := range dst {
		b.add(lane.Inst{Op: lane.GroupTake, Kind: kind, To: to, Imm: int64(i), Dst: dst[i : i+1], Src: index, Group: &g})
	}
	b.barrier(false)
	b.set(in, dst...)
	return true
}

// asyncCopy lowers OpGroupAsyncCopy: execution scope, destination, source, number of elements, stride, event. Elements are
// the stride apart on the side of global memory.
func asyncCopy(b *builder, in *spirv.Instruction) {
	b.workGroupScope(in.Words[2])
	b.barrier(false) // so that it is known who has left: one of the others copies
	to := spirv.ID(in.Words[3])
	size := b.pointee(to).Size
	step := b.constant(lane.I64, size)
	apart := b.op(lane.Mul, lane.I64, b.convert(b.one(spirv.ID(in.Words[6])), lane.I64, false), step)
	steps := []lane.Value{step, apart}
	if b.typeOf(to).Storage == spirv.StorageClassCrossWorkgroup {
		steps = []lane.Value{apart, step}
	}
	src := append([]lane.Value{b.address(to), b.address(spirv.ID(in.Words[4])), b.convert(b.one(spirv.ID(in.Words[5])), lane.I64, false)}, steps...)
	b.add(lane.Inst{Op: lane.AsyncCopy, Kind: lane.I64, Imm: int64(size), Src: src})
	b.set(in, b.constant(lane.I64, 1)) // an event
}

// waitEvents lowers OpGroupWaitEvents. The copies are done by one work-item before it comes here.
func waitEvents(b *builder, in *spirv.Instruction) {
	b.workGroupScope(in.Words[0])
	b.barrier(false)
}

func (b *builder) workGroupScope(id uint32) {
	if scope, ok := b.scalar(spirv.ID(id)); !ok || spirv.Scope(scope) != spirv.ScopeWorkgroup {
		b.refuse("%v with another execution scope than Workgroup is not supported", b.in.Op)
	}
}
