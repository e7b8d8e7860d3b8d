package lower

import (
	"math/bits"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// groupHandlers are the instructions on the invocations of a sub-group.
func groupHandlers() map[spirv.Op]handler {
	h := map[spirv.Op]handler{
		spirv.OpGroupNonUniformElect:            scoped(collective(lane.Elect, lane.Group{})),
		spirv.OpGroupNonUniformAll:              scoped(collective(lane.VoteAll, lane.Group{})),
		spirv.OpGroupNonUniformAny:              scoped(collective(lane.VoteAny, lane.Group{})),
		spirv.OpGroupNonUniformAllEqual:         scoped(collective(lane.VoteEqual, lane.Group{})),
		spirv.OpGroupNonUniformBallot:           scoped(collective(lane.Ballot, lane.Group{})),
		spirv.OpGroupNonUniformInverseBallot:    scoped(collective(lane.InverseBallot, lane.Group{})),
		spirv.OpGroupNonUniformBallotBitExtract: scoped(collective(lane.BallotBit, lane.Group{})),
		spirv.OpGroupNonUniformBallotBitCount:   scoped(ballotCount),
		spirv.OpGroupNonUniformBallotFindLSB:    scoped(collective(lane.BallotFirst, lane.Group{})),
		spirv.OpGroupNonUniformBallotFindMSB:    scoped(collective(lane.BallotLast, lane.Group{})),
		spirv.OpGroupNonUniformBroadcast:        scoped(shuffleFrom(lane.FromBroadcast)),
		spirv.OpGroupNonUniformBroadcastFirst:   scoped(shuffleFrom(lane.FromFirst)),
		spirv.OpGroupNonUniformShuffle:          scoped(shuffleFrom(lane.FromLane)),
		spirv.OpGroupNonUniformShuffleXor:       scoped(shuffleFrom(lane.FromXor)),
		spirv.OpGroupNonUniformShuffleUp:        scoped(shuffleFrom(lane.FromBelow)),
		spirv.OpGroupNonUniformShuffleDown:      scoped(shuffleFrom(lane.FromAbove)),
		spirv.OpGroupNonUniformRotateKHR:        scoped(shuffleFrom(lane.FromRotated)),
		spirv.OpGroupNonUniformQuadBroadcast:    scoped(shuffleFrom(lane.FromQuad)),
		spirv.OpGroupNonUniformQuadSwap:         scoped(shuffleFrom(lane.FromQuadSwap)),
		spirv.OpGroupNonUniformPartitionEXT:     partition,
		spirv.OpGroupNonUniformQuadAllKHR:       quadVote(lane.LogicalAnd),
		spirv.OpGroupNonUniformQuadAnyKHR:       quadVote(lane.LogicalOr),

		spirv.OpGroupAll:       scoped(collective(lane.VoteAll, lane.Group{})),
		spirv.OpGroupAny:       scoped(collective(lane.VoteAny, lane.Group{})),
		spirv.OpGroupBroadcast: scoped(shuffleFrom(lane.FromBroadcast)),

		spirv.OpSubgroupBallotKHR:          collective(lane.Ballot, lane.Group{}),
		spirv.OpSubgroupFirstInvocationKHR: shuffleFrom(lane.FromFirst),
		spirv.OpSubgroupAllKHR:             collective(lane.VoteAll, lane.Group{}),
		spirv.OpSubgroupAnyKHR:             collective(lane.VoteAny, lane.Group{}),
		spirv.OpSubgroupAllEqualKHR:        collective(lane.VoteEqual, lane.Group{}),
		spirv.OpSubgroupReadInvocationKHR:  shuffleFrom(lane.FromBroadcast),

		spirv.OpSubgroupShuffleINTEL:     shuffleFrom(lane.FromLane),
		spirv.OpSubgroupShuffleXorINTEL:  shuffleFrom(lane.FromXor),
		spirv.OpSubgroupShuffleDownINTEL: shuffleTwo(lane.FromAbove),
		spirv.OpSubgroupShuffleUpINTEL:   shuffleTwo(lane.FromBelow),
		spirv.OpSubgroupBlockReadINTEL:   blockRead,
		spirv.OpSubgroupBlockWriteINTEL:  blockWrite,
	}
	for op, combine := range combineOps() {
		h[op] = scoped(combineWith(combine))
	}
	return h
}

// combineOps are the instructions that reduce or scan, with the operation that joins two values.
func combineOps() map[spirv.Op]lane.Op {
	return map[spirv.Op]lane.Op{
		spirv.OpGroupNonUniformIAdd: lane.Add, spirv.OpGroupNonUniformFAdd: lane.FAdd,
		spirv.OpGroupNonUniformIMul: lane.Mul, spirv.OpGroupNonUniformFMul: lane.FMul,
		spirv.OpGroupNonUniformSMin: lane.SMin, spirv.OpGroupNonUniformUMin: lane.UMin, spirv.OpGroupNonUniformFMin: lane.FMin,
		spirv.OpGroupNonUniformSMax: lane.SMax, spirv.OpGroupNonUniformUMax: lane.UMax, spirv.OpGroupNonUniformFMax: lane.FMax,
		spirv.OpGroupNonUniformBitwiseAnd: lane.And, spirv.OpGroupNonUniformBitwiseOr: lane.Or, spirv.OpGroupNonUniformBitwiseXor: lane.Xor,
		spirv.OpGroupNonUniformLogicalAnd: lane.LogicalAnd, spirv.OpGroupNonUniformLogicalOr: lane.LogicalOr,
		spirv.OpGroupNonUniformLogicalXor: lane.LogicalNotEqual,

		spirv.OpGroupIAdd: lane.Add, spirv.OpGroupFAdd: lane.FAdd,
		spirv.OpGroupSMin: lane.SMin, spirv.OpGroupUMin: lane.UMin, spirv.OpGroupFMin: lane.FMin,
		spirv.OpGroupSMax: lane.SMax, spirv.OpGroupUMax: lane.UMax, spirv.OpGroupFMax: lane.FMax,
		spirv.OpGroupIMulKHR: lane.Mul, spirv.OpGroupFMulKHR: lane.FMul,
		spirv.OpGroupBitwiseAndKHR: lane.And, spirv.OpGroupBitwiseOrKHR: lane.Or, spirv.OpGroupBitwiseXorKHR: lane.Xor,
		spirv.OpGroupLogicalAndKHR: lane.LogicalAnd, spirv.OpGroupLogicalOrKHR: lane.LogicalOr,
		spirv.OpGroupLogicalXorKHR: lane.LogicalNotEqual,
	}
}

// scoped checks the execution scope, the third word, and hands the instruction on without it.
func scoped(h handler) handler {
	return func(b *builder, in *spirv.Instruction) {
		scope, ok := b.scalar(spirv.ID(in.Words[2]))
		if !ok {
			b.refuse("an execution scope that is not a constant is not supported")
		}
		s := spirv.Scope(scope)
		if s == spirv.ScopeWorkgroup && b.workGroup(in) {
			return
		}
		if s != spirv.ScopeSubgroup {
			b.refuse("%v with the execution scope %v is not supported", in.Op, s)
		}
		rest := append([]uint32{in.Words[0], in.Words[1]}, in.Words[3:]...)
		h(b, &spirv.Instruction{Op: in.Op, Words: rest, Offset: in.Offset})
	}
}

// operands returns the scalars of all operands from a word on.
func (b *builder) operands(in *spirv.Instruction, from int) (out []lane.Value) {
	for _, w := range in.Words[from:] {
		out = append(out, b.comps(spirv.ID(w))...)
	}
	return out
}

// addGroup adds an operation on the lanes of a sub-group with the instruction's result.
func (b *builder) addGroup(op lane.Op, in *spirv.Instruction, kind, to lane.Kind, g lane.Group, src []lane.Value) {
	dst := b.fresh(b.flat(b.resultType(in)))
	b.add(lane.Inst{Op: op, Kind: kind, To: to, Dst: dst, Src: src, Group: &g})
	b.set(in, dst...)
}

// collective lowers an instruction whose operands are the operation's.
func collective(op lane.Op, g lane.Group) handler {
	return func(b *builder, in *spirv.Instruction) {
		kind := lane.Bool
		src := b.operands(in, 2)
		switch op {
		case lane.VoteEqual:
			kind = b.scalarKind(b.typeOf(spirv.ID(in.Words[2])))
		case lane.BallotBit:
			src[4] = b.convert(src[4], lane.I32, false)
		}
		b.addGroup(op, in, kind, kind, g, src)
	}
}

func ballotCount(b *builder, in *spirv.Instruction) {
	b.addGroup(lane.BallotCount, in, lane.I32, lane.I32, lane.Group{Scan: b.scan(in.Words[2])}, b.operands(in, 3))
}

// scan reads a group operation; clustered and partitioned ones are reductions and scans of fewer lanes.
func (b *builder) scan(word uint32) lane.Scan {
	switch op := spirv.GroupOperation(word); op {
	case spirv.GroupOperationReduce, spirv.GroupOperationClusteredReduce, spirv.GroupOperationPartitionedReduceNV:
		return lane.ReduceAll
	case spirv.GroupOperationInclusiveScan, spirv.GroupOperationPartitionedInclusiveScanNV:
		return lane.InclusiveScan
	case spirv.GroupOperationExclusiveScan, spirv.GroupOperationPartitionedExclusiveScanNV:
		return lane.ExclusiveScan
	default:
		b.refuse("the group operation %v is not supported", op)
		return 0
	}
}

// clusterSize reads a cluster size: a constant power of two. That it is not above the sub-group size is seen at run time.
func (b *builder) clusterSize(id uint32) int {
	n, ok := b.isConst[b.one(spirv.ID(id))]
	if !ok || bits.OnesCount64(n) != 1 || n > 128 {
		b.invalid("a cluster size must be a constant power of two, at most 128")
	}
	return int(n)
}

// combineWith lowers reductions and scans: group operation, value, then a cluster size or a partition.
func combineWith(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		g := lane.Group{Combine: op, Scan: b.scan(in.Words[2])}
		var partition []lane.Value
		switch spirv.GroupOperation(in.Words[2]) {
		case spirv.GroupOperationClusteredReduce:
			if len(in.Words) < 5 {
				b.invalid("a clustered reduction needs a cluster size")
			}
			g.Cluster = b.clusterSize(in.Words[4])
		case spirv.GroupOperationPartitionedReduceNV, spirv.GroupOperationPartitionedInclusiveScanNV, spirv.GroupOperationPartitionedExclusiveScanNV:
			if len(in.Words) < 5 {
				b.invalid("a partitioned operation needs a ballot")
			}
			g.Partition, partition = true, b.comps(spirv.ID(in.Words[4]))
		}
		kind := b.scalarKind(b.resultType(in))
		if !op.Info().On.Has(kind) {
			b.refuse("%v on %v is not supported", in.Op, kind)
		}
		dst := b.fresh(b.flat(b.resultType(in)))
		for i, v := range b.comps(spirv.ID(in.Words[3])) {
			b.add(lane.Inst{Op: lane.Combine, Kind: kind, To: kind, Dst: dst[i : i+1], Src: append([]lane.Value{v}, partition...), Group: &g})
		}
		b.set(in, dst...)
	}
}

// shuffleFrom lowers instructions that take a whole value from another lane: value, then what finds the lane, if
// anything, then a cluster size, if any.
func shuffleFrom(s lane.Source) handler {
	return func(b *builder, in *spirv.Instruction) {
		g := lane.Group{Source: s}
		src := append([]lane.Value(nil), b.comps(spirv.ID(in.Words[2]))...)
		to := lane.I32
		if len(in.Words) > 3 {
			index := b.one(spirv.ID(in.Words[3]))
			src, to = append(src, index), b.integer(index)
		}
		if len(in.Words) > 4 {
			g.Cluster = b.clusterSize(in.Words[4])
		}
		// Components of one kind travel together; a structure's would be of several, which no instruction here allows.
		b.addGroup(lane.Shuffle, in, b.scalarKind(b.resultType(in)), to, g, src)
	}
}

func shuffleTwo(s lane.Source) handler {
	return func(b *builder, in *spirv.Instruction) {
		src := b.operands(in, 2)
		src[len(src)-1] = b.convert(src[len(src)-1], lane.I32, false)
		b.addGroup(lane.ShuffleTwo, in, b.scalarKind(b.resultType(in)), lane.I32, lane.Group{Source: s}, src)
	}
}

// partition lowers OpGroupNonUniformPartitionEXT, which is of the sub-group always.
func partition(b *builder, in *spirv.Instruction) {
	b.addGroup(lane.Partition, in, b.scalarKind(b.typeOf(spirv.ID(in.Words[2]))), lane.I32, lane.Group{}, b.operands(in, 2))
}

// quadVote is a reduction over clusters of four (SPV_KHR_quad_control).
func quadVote(op lane.Op) handler {
	return func(b *builder, in *spirv.Instruction) {
		b.addGroup(lane.Combine, in, lane.Bool, lane.Bool, lane.Group{Combine: op, Cluster: 4}, b.operands(in, 2))
	}
}

func blockRead(b *builder, in *spirv.Instruction) {
	b.addGroup(lane.BlockRead, in, b.scalarKind(b.resultType(in)), 0, lane.Group{}, []lane.Value{b.address(spirv.ID(in.Words[2]))})
}

func blockWrite(b *builder, in *spirv.Instruction) {
	data := spirv.ID(in.Words[1])
	src := append([]lane.Value{b.address(spirv.ID(in.Words[0]))}, b.comps(data)...)
	b.add(lane.Inst{Op: lane.BlockWrite, Kind: b.scalarKind(b.typeOf(data)), Src: src, Group: &lane.Group{}})
}
