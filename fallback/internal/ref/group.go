package ref

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// A point is where a lane waits for others: at an operation of the sub-group, or at a barrier of the work-group.
type point struct {
	in       *spirv.Instruction
	instance string // of the execution: lanes are together where instruction and instance are equal
	place    []int  // how far the lane has come, see frame.place
	args     []Value
	result   Value
}

// waiting is a lane of a work-group with the point it has come to; nil where it has ended.
type waiting struct {
	ln   *Lane
	at   *point
	next func() (*point, bool)
	stop func()
	err  error
}

// RunGroup runs the lanes of one work-group, in order of their local ids. They run one after the other, each to the next
// point where it needs others. When all have stopped, those that are furthest behind in a sub-group go on, together with
// whoever is at the same point: nobody else can come there any more. A barrier is passed when all lanes that have not ended
// stand at it.
func (m *Machine) RunGroup(e *module.EntryPoint, lanes []*Lane, subGroup int) (err error) {
	shared := map[spirv.ID]Value{}
	all := make([]*waiting, len(lanes))
	for i, ln := range lanes {
		w := &waiting{ln: ln}
		all[i] = w
		w.next, w.stop = iter.Pull(func(yield func(*point) bool) {
			ln.wait = func(p *point) {
				if !yield(p) {
					panic(stopped{})
				}
			}
			ln.shared = shared
			w.err = m.run(e, ln)
		})
		defer w.stop()
	}
	step := func(w *waiting) error {
		p, ok := w.next()
		w.at = p
		if !ok {
			w.at = nil
		}
		return w.err
	}
	for _, w := range all {
		if err := step(w); err != nil {
			return err
		}
	}
	for {
		moved := false
		for first := 0; first < len(all); first += subGroup {
			group := all[first:min(first+subGroup, len(all))]
			together := furthestBehind(group)
			if together == nil {
				continue
			}
			moved = true
			m.collective(together, first, subGroup)
			for _, w := range together {
				if err := step(w); err != nil {
					return err
				}
			}
		}
		if moved {
			continue
		}
		var at []*waiting
		for _, w := range all {
			if w.at != nil {
				at = append(at, w)
			}
		}
		if len(at) == 0 {
			return nil
		}
		if len(at) < len(all) {
			return fmt.Errorf("reference: %d of %d lanes come to a barrier", len(at), len(all))
		}
		for _, w := range at {
			if w.at.in != at[0].at.in || w.at.instance != at[0].at.instance {
				return fmt.Errorf("reference: lanes wait at different barriers")
			}
		}
		for _, w := range at {
			if err := step(w); err != nil {
				return err
			}
		}
	}
}

// stopped ends a lane that is not needed any more.
type stopped struct{}

// furthestBehind returns the lanes of a sub-group that stand at the same operation and are furthest behind; nil where all
// have ended or wait at a barrier.
func furthestBehind(group []*waiting) (together []*waiting) {
	var least *point
	for _, w := range group {
		if w.at != nil && w.at.in.Op != spirv.OpControlBarrier && (least == nil || slices.Compare(w.at.place, least.place) < 0) {
			least = w.at
		}
	}
	if least == nil {
		return nil
	}
	for _, w := range group {
		if w.at != nil && w.at.in == least.in && w.at.instance == least.instance {
			together = append(together, w)
		}
	}
	return together
}

// place says how far a lane has come: for each call the loops it is in with their iterations, the block and the
// instruction. A lane's places only grow.
func (fr *frame) place(in *spirv.Instruction) []int {
	p := slices.Clone(fr.before)
	for _, h := range slices.Sorted(maps.Keys(fr.pos.count)) {
		p = append(p, h, fr.pos.count[h])
	}
	return append(p, fr.pos.at.Index, in.Offset)
}

// meet makes the lane wait at an operation of the sub-group or a barrier and returns the result.
func (fr *frame) meet(in *spirv.Instruction, args ...Value) Value {
	if fr.l.wait == nil {
		fail("%v without other lanes", in.Op)
	}
	p := &point{in: in, instance: fr.instance(), place: fr.place(in), args: args}
	fr.l.wait(p)
	return p.result
}

// groupInst executes an instruction that has to do with other lanes. It reports whether it is one.
func (fr *frame) groupInst(in *spirv.Instruction) bool {
	w := in.Words
	set := func(v Value) { fr.vals[spirv.ID(w[1])] = v }
	lane := uint64(fr.l.LocalID) % uint64(fr.l.SubGroup)
	bit := func(ballot Value, i uint64) uint64 { return ballot.Parts[i/32].Bits >> (i % 32) & 1 }
	switch in.Op {
	case spirv.OpControlBarrier:
		fr.meet(in)
	case spirv.OpGroupNonUniformElect:
		set(fr.meet(in))
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformAllEqual, spirv.OpGroupNonUniformBallot,
		spirv.OpGroupNonUniformBroadcastFirst:
		set(fr.meet(in, fr.get(w[3])))
	case spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown:
		set(fr.meet(in, fr.get(w[3]), fr.get(w[4])))
	case spirv.OpGroupNonUniformInverseBallot:
		set(Value{Bits: bit(fr.get(w[3]), lane)})
	case spirv.OpGroupNonUniformBallotBitExtract:
		set(Value{Bits: bit(fr.get(w[3]), fr.get(w[4]).Bits)})
	case spirv.OpGroupNonUniformBallotBitCount:
		n := uint64(0)
		for i := range uint64(fr.l.SubGroup) {
			op := spirv.GroupOperation(w[3])
			if op == spirv.GroupOperationReduce || i < lane || i == lane && op == spirv.GroupOperationInclusiveScan {
				n += bit(fr.get(w[4]), i)
			}
		}
		set(Value{Bits: n})
	case spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		found, any := uint64(0), false
		for i := range uint64(fr.l.SubGroup) {
			if bit(fr.get(w[3]), i) == 1 && (!any || in.Op == spirv.OpGroupNonUniformBallotFindMSB) {
				found, any = i, true
			}
		}
		set(Value{Bits: found})
	default:
		if _, ok := reductions[in.Op]; ok {
			set(fr.meet(in, fr.get(w[4])))
			return true
		}
		return fr.atomic(in)
	}
	return true
}

// reductions are the operations that join values of lanes, on bits of a width, with what changes nothing.
var reductions = map[spirv.Op]struct {
	join     func(width int, a, b uint64) uint64
	identity func(width int) uint64
}{
	spirv.OpGroupNonUniformIAdd:       {func(_ int, a, b uint64) uint64 { return a + b }, zeros},
	spirv.OpGroupNonUniformIMul:       {func(_ int, a, b uint64) uint64 { return a * b }, func(int) uint64 { return 1 }},
	spirv.OpGroupNonUniformUMin:       {func(_ int, a, b uint64) uint64 { return min(a, b) }, ones},
	spirv.OpGroupNonUniformUMax:       {func(_ int, a, b uint64) uint64 { return max(a, b) }, zeros},
	spirv.OpGroupNonUniformSMin:       {func(w int, a, b uint64) uint64 { return uint64(min(signed(a, w), signed(b, w))) }, func(w int) uint64 { return ones(w) >> 1 }},
	spirv.OpGroupNonUniformSMax:       {func(w int, a, b uint64) uint64 { return uint64(max(signed(a, w), signed(b, w))) }, func(w int) uint64 { return 1 << (w - 1) }},
	spirv.OpGroupNonUniformBitwiseAnd: {func(_ int, a, b uint64) uint64 { return a & b }, ones},
	spirv.OpGroupNonUniformBitwiseOr:  {func(_ int, a, b uint64) uint64 { return a | b }, zeros},
	spirv.OpGroupNonUniformBitwiseXor: {func(_ int, a, b uint64) uint64 { return a ^ b }, zeros},
	spirv.OpGroupNonUniformLogicalAnd: {func(_ int, a, b uint64) uint64 { return a & b }, ones},
	spirv.OpGroupNonUniformLogicalOr:  {func(_ int, a, b uint64) uint64 { return a | b }, zeros},
	spirv.OpGroupNonUniformLogicalXor: {func(_ int, a, b uint64) uint64 { return a ^ b }, zeros},
}

func zeros(int) uint64  { return 0 }
func ones(w int) uint64 { return ^uint64(0) >> (64 - w) }

// collective gives the lanes that are together the results of their operation.
func (m *Machine) collective(together []*waiting, first, subGroup int) {
	in := together[0].at.in
	number := func(w *waiting) int { return int(w.ln.LocalID) - first }
	by := map[int]*waiting{}
	for _, w := range together {
		by[number(w)] = w
	}
	truths := 0
	for _, w := range together {
		if len(w.at.args) > 0 && w.at.args[0].Bits != 0 {
			truths++
		}
	}
	for _, w := range together {
		p := w.at
		switch in.Op {
		case spirv.OpGroupNonUniformElect:
			p.result = truth(w == together[0])
		case spirv.OpGroupNonUniformAll:
			p.result = truth(truths == len(together))
		case spirv.OpGroupNonUniformAny:
			p.result = truth(truths > 0)
		case spirv.OpGroupNonUniformAllEqual:
			p.result = truth(!slices.ContainsFunc(together, func(v *waiting) bool { return !same(v.at.args[0], p.args[0]) }))
		case spirv.OpGroupNonUniformBroadcastFirst:
			p.result = together[0].at.args[0].clone()
		case spirv.OpGroupNonUniformBallot:
			p.result = Value{Parts: make([]Value, 4)}
			for _, v := range together {
				p.result.Parts[number(v)/32].Bits |= v.at.args[0].Bits << (number(v) % 32)
			}
		case spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown:
			from, n := number(w), int(p.args[1].Bits)
			switch in.Op {
			case spirv.OpGroupNonUniformShuffle:
				from = n
			case spirv.OpGroupNonUniformShuffleXor:
				from ^= n
			case spirv.OpGroupNonUniformShuffleUp:
				from -= n
			default:
				from += n
			}
			p.result = p.args[0].clone() // anything, where nobody is
			if v := by[from]; v != nil && from < subGroup {
				p.result = v.at.args[0].clone()
			}
		default:
			p.result = m.reduce(in, together, w)
		}
	}
}

func same(a, b Value) bool {
	return a.Bits == b.Bits && slices.EqualFunc(a.Parts, b.Parts, same)
}

// reduce joins the values of the lanes that a lane's reduction or scan takes in, in the order of the lanes.
func (m *Machine) reduce(in *spirv.Instruction, together []*waiting, self *waiting) Value {
	t := m.m.Types[spirv.ID(in.Words[0])]
	r, op := reductions[in.Op], spirv.GroupOperation(in.Words[3])
	cluster := uint64(0)
	if op == spirv.GroupOperationClusteredReduce {
		cluster, _ = m.m.DefaultValue(spirv.ID(in.Words[5]))
	}
	one := func(width int, part func(Value) uint64) uint64 {
		sum := r.identity(width)
		for _, w := range together {
			a, b := w.ln.LocalID, self.ln.LocalID
			switch op {
			case spirv.GroupOperationInclusiveScan:
				if a > b {
					continue
				}
			case spirv.GroupOperationExclusiveScan:
				if a >= b {
					continue
				}
			case spirv.GroupOperationClusteredReduce:
				n := uint64(self.ln.SubGroup)
				if a%n/cluster != b%n/cluster {
					continue
				}
			}
			sum = cut(r.join(width, sum, part(w.at.args[0])), width)
		}
		return sum
	}
	if t.Kind == module.Vector {
		v := Value{}
		for i := range int(t.Count) {
			v.Parts = append(v.Parts, Value{Bits: one(t.Elem.Width, func(v Value) uint64 { return v.Parts[i].Bits })})
		}
		return v
	}
	width := t.Width
	if t.Kind == module.Bool {
		width = 1
	}
	return Value{Bits: one(width, func(v Value) uint64 { return v.Bits })}
}

// atomic makes an atomic access at once: lanes run one at a time.
func (fr *frame) atomic(in *spirv.Instruction) bool {
	w := in.Words
	if len(w) < 5 {
		return false
	}
	var join func(width int, old, x uint64) uint64
	switch in.Op {
	case spirv.OpAtomicIIncrement:
		join = func(_ int, old, _ uint64) uint64 { return old + 1 }
	case spirv.OpAtomicIDecrement:
		join = func(_ int, old, _ uint64) uint64 { return old - 1 }
	case spirv.OpAtomicISub:
		join = func(_ int, old, x uint64) uint64 { return old - x }
	case spirv.OpAtomicIAdd:
		join = reductions[spirv.OpGroupNonUniformIAdd].join
	case spirv.OpAtomicAnd:
		join = reductions[spirv.OpGroupNonUniformBitwiseAnd].join
	case spirv.OpAtomicOr:
		join = reductions[spirv.OpGroupNonUniformBitwiseOr].join
	case spirv.OpAtomicXor:
		join = reductions[spirv.OpGroupNonUniformBitwiseXor].join
	case spirv.OpAtomicUMin:
		join = reductions[spirv.OpGroupNonUniformUMin].join
	case spirv.OpAtomicUMax:
		join = reductions[spirv.OpGroupNonUniformUMax].join
	case spirv.OpAtomicSMin:
		join = reductions[spirv.OpGroupNonUniformSMin].join
	case spirv.OpAtomicSMax:
		join = reductions[spirv.OpGroupNonUniformSMax].join
	default:
		return false
	}
	p, width, x := fr.get(w[2]).Ptr, fr.typ(w[0]).Width, uint64(0)
	if len(w) > 5 {
		x = fr.get(w[5]).Bits
	}
	old := p.load()
	fr.vals[spirv.ID(w[1])] = old
	p.store(Value{Bits: cut(join(width, old.Bits, x), width)})
	return true
}
