package ref

import (
	"math"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// garbage is what a lane gets that reads one that is not there. Whatever depends on it differs from the emulator, which
// gives something else.
const garbage = 0x5bd1e995a7c4f36d

// execute gives the lanes of a set, in the order of their numbers, the results of the instruction they wait at (SPIR-V 1.6,
// sections 3.52.21 and 3.52.24).
func (g *group) execute(set []*lane) {
	s := set[0].stopped
	if s.in.Op == spirv.OpControlBarrier {
		return
	}
	t := s.fr.typ(s.in.Words[0])
	if s.in.Op == spirv.OpSubgroupBitcastShuffleINTEL {
		g.bitcastShuffle(set, t)
		return
	}
	if s.in.Op == spirv.OpGroupNonUniformPartitionEXT { // has no scope
	} else if scope := s.arg(2).Bits; spirv.Scope(scope) != spirv.ScopeSubgroup {
		fail("%v of scope %d", s.in.Op, scope)
	}
	for i := range set {
		set[i].result = g.result(set, i, t)
	}
}

// active returns the lane of a number among those that execute the instruction; nil if it does not.
func active(set []*lane, number uint64) *lane {
	for _, l := range set {
		if uint64(l.number) == number {
			return l
		}
	}
	return nil
}

// result is what lane i of the set gets.
func (g *group) result(set []*lane, i int, t *module.Type) Value {
	me, s := set[i], set[i].stopped
	value := func() Value { return s.arg(3) }
	from := func(number uint64) Value {
		if l := active(set, number); l != nil {
			return l.stopped.arg(3)
		}
		return junk(g.zero(t), t)
	}
	number := uint64(me.number)
	switch s.in.Op {
	case spirv.OpGroupNonUniformElect:
		return truth(i == 0)
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		n := count(set, func(l *lane) bool { return l.stopped.arg(3).Bits != 0 })
		return truth(n == len(set) || n > 0 && s.in.Op == spirv.OpGroupNonUniformAny)
	case spirv.OpGroupNonUniformAllEqual:
		return truth(count(set, func(l *lane) bool { return equal(l.stopped.arg(3), value()) }) == len(set))
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle:
		return from(s.arg(4).Bits)
	case spirv.OpGroupNonUniformBroadcastFirst:
		return set[0].stopped.arg(3)
	case spirv.OpGroupNonUniformShuffleXor:
		return from(number ^ s.arg(4).Bits)
	case spirv.OpGroupNonUniformShuffleUp:
		return from(number - s.arg(4).Bits)
	case spirv.OpGroupNonUniformShuffleDown:
		return from(number + s.arg(4).Bits)
	case spirv.OpGroupNonUniformRotateKHR:
		cluster := uint64(g.SubGroup)
		if len(s.in.Words) > 5 {
			cluster = s.arg(5).Bits
		}
		return from((number+s.arg(4).Bits)&(cluster-1) + number&^(cluster-1))
	case spirv.OpGroupNonUniformQuadBroadcast:
		return from(number&^3 + s.arg(4).Bits)
	case spirv.OpGroupNonUniformQuadSwap: // 0: horizontal, 1: vertical, 2: diagonal
		return from(number ^ (s.arg(4).Bits + 1))
	case spirv.OpGroupNonUniformBallot:
		return mask(set, func(l *lane) bool { return l.stopped.arg(3).Bits != 0 })
	case spirv.OpGroupNonUniformPartitionEXT:
		return mask(set, func(l *lane) bool { return equal(l.stopped.arg(2), s.arg(2)) })
	case spirv.OpGroupNonUniformInverseBallot:
		return truth(bit(value(), number))
	case spirv.OpGroupNonUniformBallotBitExtract:
		return truth(bit(value(), s.arg(4).Bits))
	case spirv.OpGroupNonUniformBallotBitCount:
		n, last := 0, me.number // the numbers counted are below last
		switch spirv.GroupOperation(s.in.Words[3]) {
		case spirv.GroupOperationReduce:
			last = g.SubGroup
		case spirv.GroupOperationInclusiveScan:
			last++
		}
		for k := range last {
			n += int(truth(bit(s.arg(4), uint64(k))).Bits)
		}
		return Value{Bits: uint64(n)}
	case spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		found := uint64(garbage & 0xffffffff)
		for k := range uint64(g.SubGroup) {
			if bit(value(), k) {
				found = k
				if s.in.Op == spirv.OpGroupNonUniformBallotFindLSB {
					break
				}
			}
		}
		return Value{Bits: found}
	}
	return g.combine(set, me, t)
}

func count(set []*lane, f func(*lane) bool) (n int) {
	for _, l := range set {
		if f(l) {
			n++
		}
	}
	return n
}

// mask is the ballot of the lanes that f holds for.
func mask(set []*lane, f func(*lane) bool) Value {
	v := Value{Parts: make([]Value, 4)}
	for _, l := range set {
		if f(l) {
			v.Parts[l.number/32].Bits |= 1 << (l.number % 32)
		}
	}
	return v
}

func bit(ballot Value, i uint64) bool { return i < 128 && ballot.Parts[i/32].Bits>>(i%32)&1 != 0 }

func equal(a, b Value) bool {
	for i := range a.Parts {
		if !equal(a.Parts[i], b.Parts[i]) {
			return false
		}
	}
	return a.Bits == b.Bits
}

// junk fills a value of a type with garbage.
func junk(v Value, t *module.Type) Value {
	if t.Kind == module.Vector {
		for i := range v.Parts {
			v.Parts[i] = junk(v.Parts[i], t.Elem)
		}
		return v
	}
	width := t.Width
	if t.Kind == module.Bool {
		width = 1
	}
	return Value{Bits: cut(garbage, width)}
}

// combine is a reduction or scan over those of the set that count for the lane.
func (g *group) combine(set []*lane, me *lane, t *module.Type) Value {
	s := me.stopped
	var among []Value
	for _, l := range set {
		ok := true
		switch op := spirv.GroupOperation(s.in.Words[3]); op {
		case spirv.GroupOperationReduce:
		case spirv.GroupOperationInclusiveScan:
			ok = l.number <= me.number
		case spirv.GroupOperationExclusiveScan:
			ok = l.number < me.number
		case spirv.GroupOperationClusteredReduce:
			size := int(s.arg(5).Bits)
			ok = l.number/size == me.number/size
		default:
			fail("group operation %v", op)
		}
		if ok {
			among = append(among, l.stopped.arg(4))
		}
	}
	if t.Kind != module.Vector {
		return Value{Bits: fold(s.in.Op, t, among, -1)}
	}
	v := Value{}
	for i := range t.Count {
		v.Parts = append(v.Parts, Value{Bits: fold(s.in.Op, t.Elem, among, i)})
	}
	return v
}

// fold combines component i, or the scalars where i is -1, beginning with the operation's identity.
func fold(op spirv.Op, t *module.Type, list []Value, i int) uint64 {
	sum := identity(op, t)
	for _, v := range list {
		x := v.Bits
		if i >= 0 {
			x = v.Parts[i].Bits
		}
		sum = fold2(op, t, sum, x)
	}
	return sum
}

// identity is what an exclusive scan gives the first lane.
func identity(op spirv.Op, t *module.Type) uint64 {
	most := cut(math.MaxUint64, t.Width)
	switch op {
	case spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformLogicalAnd:
		return 1
	case spirv.OpGroupNonUniformFMul:
		return encode(t.Width, 1)
	case spirv.OpGroupNonUniformUMin, spirv.OpGroupNonUniformBitwiseAnd:
		return most
	case spirv.OpGroupNonUniformSMin:
		return most >> 1
	case spirv.OpGroupNonUniformSMax:
		return most ^ most>>1
	case spirv.OpGroupNonUniformFMin:
		return encode(t.Width, math.Inf(1))
	case spirv.OpGroupNonUniformFMax:
		return encode(t.Width, math.Inf(-1))
	}
	return 0
}

func fold2(op spirv.Op, t *module.Type, a, b uint64) uint64 {
	less := func(signedOnes bool) bool {
		if t.Kind == module.Float {
			return number(t.Width, a) < number(t.Width, b)
		}
		if signedOnes {
			return signed(a, t.Width) < signed(b, t.Width)
		}
		return a < b
	}
	pick := func(first bool) uint64 {
		if first {
			return a
		}
		return b
	}
	switch op {
	case spirv.OpGroupNonUniformIAdd:
		return cut(a+b, t.Width)
	case spirv.OpGroupNonUniformIMul:
		return cut(a*b, t.Width)
	case spirv.OpGroupNonUniformFAdd:
		return floatOp(spirv.OpFAdd, t.Width, a, b)
	case spirv.OpGroupNonUniformFMul:
		return floatOp(spirv.OpFMul, t.Width, a, b)
	case spirv.OpGroupNonUniformUMin, spirv.OpGroupNonUniformFMin:
		return pick(less(false))
	case spirv.OpGroupNonUniformUMax, spirv.OpGroupNonUniformFMax:
		return pick(!less(false))
	case spirv.OpGroupNonUniformSMin:
		return pick(less(true))
	case spirv.OpGroupNonUniformSMax:
		return pick(!less(true))
	case spirv.OpGroupNonUniformBitwiseAnd, spirv.OpGroupNonUniformLogicalAnd:
		return a & b
	case spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformLogicalOr:
		return a | b
	case spirv.OpGroupNonUniformBitwiseXor, spirv.OpGroupNonUniformLogicalXor:
		return a ^ b
	}
	fail("%v", op)
	return 0
}

// bitcastShuffle concatenates the first components of all lanes of the sub-group, then the second ones and so on, and cuts
// the bits up into components of the result in the same order (SPV_INTEL_subgroup_bitcast_shuffle). Lanes that do not
// execute it or do not exist count as zero (docs/emulator.md).
func (g *group) bitcastShuffle(set []*lane, t *module.Type) {
	s := set[0].stopped
	component := func(v Value, i int) uint64 {
		if v.Parts == nil {
			return v.Bits
		}
		return v.Parts[i].Bits
	}
	from := s.fr.typeOf(s.in.Words[2])
	n := from.Scalar().Width
	var stream []byte // one bit each
	for i := range components(from) {
		for k := range g.SubGroup {
			v := uint64(0)
			if l := active(set, uint64(k)); l != nil {
				v = component(l.stopped.arg(2), i)
			}
			for b := range n {
				stream = append(stream, byte(v>>b&1))
			}
		}
	}
	n = t.Scalar().Width
	for _, l := range set {
		v := Value{}
		for i := range components(t) {
			x := uint64(0)
			for b := range n {
				x |= uint64(stream[(i*g.SubGroup+l.number)*n+b]) << b
			}
			v.Parts = append(v.Parts, Value{Bits: x})
		}
		if t.Kind != module.Vector {
			v = v.Parts[0]
		}
		l.result = v
	}
}

func components(t *module.Type) int {
	if t.Kind == module.Vector {
		return t.Count
	}
	return 1
}
