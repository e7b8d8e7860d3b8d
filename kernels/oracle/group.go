package oracle

// SubGroup is the invocations of a sub-group: which of them are active, by SubgroupLocalInvocationId.
type SubGroup []bool

// Full is a sub-group of that many invocations, all active.
func Full(size int) SubGroup {
	s := make(SubGroup, size)
	for i := range s {
		s[i] = true
	}
	return s
}

// Lanes are the active invocations in order.
func (s SubGroup) Lanes() (lanes []int) {
	for i, active := range s {
		if active {
			lanes = append(lanes, i)
		}
	}
	return lanes
}

// Elect is OpGroupNonUniformElect: true in the active invocation with the lowest id.
func (s SubGroup) Elect(lane int) bool { return s.Lanes()[0] == lane }

// All is OpGroupNonUniformAll, Any OpGroupNonUniformAny.
func (s SubGroup) All(holds func(lane int) bool) bool {
	for _, i := range s.Lanes() {
		if !holds(i) {
			return false
		}
	}
	return true
}

// Any is whether the predicate holds in any active invocation.
func (s SubGroup) Any(holds func(lane int) bool) bool {
	return !s.All(func(i int) bool { return !holds(i) })
}

// Ballot is OpGroupNonUniformBallot: four words with the bits of the active invocations the predicate holds for.
func (s SubGroup) Ballot(holds func(lane int) bool) (words [4]uint64) {
	for _, i := range s.Lanes() {
		if holds(i) {
			words[i/32] |= 1 << (i % 32)
		}
	}
	return words
}

// InBallot is bit i of a ballot.
func InBallot(words [4]uint64, i int) bool { return words[i/32]>>(i%32)&1 == 1 }

// ShuffleXor is the source of OpGroupNonUniformShuffleXor and OpSubgroupShuffleXorINTEL (SPIR-V 1.6, section 3.3.24;
// SPV_INTEL_subgroups): the invocation whose id is the exclusive or of an invocation's own and the mask. The value is
// undefined where that invocation is not active or there is none of that id.
func (s SubGroup) ShuffleXor(lane int, mask uint64) (source int, defined bool) {
	id := uint64(lane) ^ mask
	if id >= uint64(len(s)) || !s[id] {
		return 0, false
	}
	return int(id), true
}

// Scan is a group operation (SPIR-V 1.6, section 3.3.24, Group Operation).
type Scan int

// Group operations.
const (
	Reduce Scan = iota
	InclusiveScan
	ExclusiveScan
)

// Results combines the values of a list of invocations in its order and says what each of them gets: the values of all,
// those up to its own, or those before it, where the identity stands for none. A value alone is taken as it is.
func (scan Scan) Results(lanes []int, identity uint64, value func(lane int) uint64, join func(a, b uint64) uint64) []uint64 {
	results := make([]uint64, len(lanes))
	sum := identity
	for i, lane := range lanes {
		results[i] = sum // of those before
		if i == 0 {
			sum = value(lane)
		} else {
			sum = join(sum, value(lane))
		}
		if scan == InclusiveScan {
			results[i] = sum
		}
	}
	if scan == Reduce {
		for i := range results {
			results[i] = sum
		}
	}
	return results
}

// Source is the invocation whose value an instruction that moves values gives to an invocation, by the end of the
// instruction's name and its operand. size is that of the sub-group or of the cluster (SPIR-V 1.6, section 3.3.24;
// SPV_KHR_shader_ballot, SPV_KHR_subgroup_rotate).
func Source(name string, lane, operand, size int) int {
	switch name {
	case "Shuffle", "Broadcast", "ReadInvocation":
		return operand
	case "ShuffleXor":
		return lane ^ operand
	case "ShuffleUp":
		return lane - operand
	case "ShuffleDown":
		return lane + operand
	case "Rotate":
		return (lane+operand)&(size-1) + lane&^(size-1)
	case "QuadBroadcast":
		return lane/4*4 + operand
	case "QuadSwap": // invocations 0 1 above 2 3; across, down, along the diagonal
		return lane/4*4 + [3][4]int{{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}[operand][lane%4]
	}
	panic("no instruction " + name)
}

// IntelShuffle is OpSubgroupShuffleDownINTEL or OpSubgroupShuffleUpINTEL (SPV_INTEL_subgroups, revision 2): which of the
// two data operands is read, 0 or 1, and in which invocation. size is SubgroupMaxSize.
func IntelShuffle(up bool, lane, delta, size int) (operand, source int) {
	if up { // of Previous and Current
		if index := lane - delta; index >= 0 {
			return 1, index
		} else {
			return 0, index + size
		}
	}
	if index := lane + delta; index < size { // of Current and Next
		return 0, index
	} else {
		return 1, index - size
	}
}

// Cluster are the active invocations of the cluster that an invocation is in.
func (s SubGroup) Cluster(lane, size int) (lanes []int) {
	for _, i := range s.Lanes() {
		if i/size == lane/size {
			lanes = append(lanes, i)
		}
	}
	return lanes
}

// Like are the active invocations with the same value as one.
func (s SubGroup) Like(lane int, value func(lane int) uint64) (lanes []int) {
	for _, i := range s.Lanes() {
		if value(i) == value(lane) {
			lanes = append(lanes, i)
		}
	}
	return lanes
}

// Joins are the binary operations of group and atomic instructions on numbers of a width, by the end of their names.
func Joins(width int) map[string]func(a, b uint64) uint64 {
	pick := func(signed bool, want int) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 {
			if CompareInt(width, signed, a, b) == want {
				return a
			}
			return b
		}
	}
	m := map[string]func(a, b uint64) uint64{
		"IAdd": func(a, b uint64) uint64 { return IAdd(width, a, b) },
		"IMul": func(a, b uint64) uint64 { return IMul(width, a, b) },
		"SMin": pick(true, -1), "SMax": pick(true, 1), "UMin": pick(false, -1), "UMax": pick(false, 1),
		"BitwiseAnd": func(a, b uint64) uint64 { return BitwiseAnd(width, a, b) },
		"BitwiseOr":  func(a, b uint64) uint64 { return BitwiseOr(width, a, b) },
		"BitwiseXor": func(a, b uint64) uint64 { return BitwiseXor(width, a, b) },
	}
	if width > 8 {
		f := FormatOf(width)
		float := func(want int) func(a, b uint64) uint64 {
			return func(a, b uint64) uint64 {
				if order, _ := f.Compare(a, b); order == want {
					return a
				}
				return b
			}
		}
		m["FAdd"], m["FMul"] = f.FAdd, f.FMul
		m["FMin"], m["FMax"] = float(-1), float(1)
	}
	return m
}

// Identity is what an exclusive scan gives where nothing is before (SPIR-V 1.6, section 3.3.24, the instructions' tables).
func Identity(width int, name string) uint64 {
	switch name {
	case "IMul":
		return 1
	case "UMin", "BitwiseAnd":
		return Wrap(width, unsignedMax(width))
	case "SMin":
		return Wrap(width, signedMax(width))
	case "SMax":
		return Wrap(width, signedMin(width))
	case "FMul":
		return FormatOf(width).FromSigned(64, 1, RTE)
	case "FMin":
		return FormatOf(width).Inf(false)
	case "FMax":
		return FormatOf(width).Inf(true)
	}
	return 0
}
