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

// Over combines values over the invocations of a list, in order, for the one of them that asks: all, those up to it, or those
// before it, where the identity stands for none.
func (scan Scan) Over(lanes []int, lane int, identity uint64, value func(lane int) uint64, join func(a, b uint64) uint64) uint64 {
	result := identity
	for _, i := range lanes {
		if scan == ExclusiveScan && i >= lane || scan == InclusiveScan && i > lane {
			break
		}
		result = join(result, value(i))
	}
	return result
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
