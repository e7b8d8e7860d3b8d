package ref

import (
	"fmt"
	"iter"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// group is a work-group being run.
type group struct {
	*Machine
	*Launch
	entry  *module.EntryPoint
	first  int // global id of its first lane
	shared map[spirv.ID]Value
	subs   [][]*lane
}

// lane is a lane being run.
type lane struct {
	*group
	id, number int // global, and in the sub-group
	sub        []*lane
	globals    map[spirv.ID]Value
	steps      int
	next       func() (*stop, bool)
	stopped    *stop // nil: at its end
	yield      func(*stop) bool
	result     Value // of what it stopped at
}

// stop is an instruction that a lane waits at for others, with the values of its operands.
type stop struct {
	in   *spirv.Instruction
	fr   *frame
	inst instance
}

// barrier reports whether all of the work-group must come.
func (s *stop) barrier() bool {
	return s.in.Op == spirv.OpControlBarrier && spirv.Scope(s.fr.get(s.in.Words[0]).Bits) == spirv.ScopeWorkgroup
}

// arg is an operand's value.
func (s *stop) arg(i int) Value { return s.fr.get(s.in.Words[i]) }

// abandoned unwinds a lane that is not to be run to its end.
type abandoned struct{}

// wait stops the lane until those it executes the instruction with have come, and returns its result.
func (fr *frame) wait(in *spirv.Instruction) Value {
	if !fr.at.flow.ordered {
		fail("the blocks of %v do not stand in the order in which they are passed", fr.f.ID)
	}
	l := fr.l
	if !l.yield(&stop{in, fr, fr.instance(in)}) {
		panic(abandoned{})
	}
	return l.result
}

// advance runs the lane up to its next stop.
func (l *lane) advance() {
	s, ok := l.next()
	if !ok {
		s = nil
	}
	l.stopped = s
}

// run runs the work-group.
func (g *group) run() error {
	var all []*lane
	for i := g.first; i < min(g.first+g.Local, g.Items); i++ {
		l := &lane{group: g, id: i, number: (i - g.first) % g.SubGroup, globals: map[spirv.ID]Value{}}
		if l.number == 0 {
			g.subs = append(g.subs, nil)
		}
		s := &g.subs[len(g.subs)-1]
		*s = append(*s, l)
		next, stop := iter.Pull(func(yield func(*stop) bool) {
			defer func() {
				if r := recover(); r != nil && r != (abandoned{}) {
					panic(r)
				}
			}()
			l.yield = yield
			l.start(g.entry)
		})
		defer stop()
		l.next = next
		all = append(all, l)
	}
	for _, s := range g.subs {
		for _, l := range s {
			l.sub = s
		}
	}
	for _, l := range all {
		l.advance()
	}
	for {
		for _, s := range g.subs {
			for g.subGroup(s) {
			}
		}
		// Everybody is at a barrier or has left.
		left := together(all)
		switch {
		case len(left) == 0:
			return nil
		case len(left) != len(all):
			return fmt.Errorf("%w: %d of %d lanes wait at a barrier, at word offset %d", ErrUndefined, len(left), len(all), left[0].stopped.in.Offset)
		}
		for _, l := range left {
			l.advance()
		}
	}
}

// together returns the lanes that wait at the least instance at which any waits.
func together(list []*lane) (set []*lane) {
	for _, l := range list {
		if l.stopped == nil {
			continue
		}
		if len(set) > 0 {
			c := compareInstances(l.stopped.inst, set[0].stopped.inst)
			if c > 0 {
				continue
			}
			if c < 0 {
				set = set[:0]
			}
		}
		set = append(set, l)
	}
	return set
}

// subGroup lets those lanes of a sub-group go on that can, and reports whether there are any.
func (g *group) subGroup(list []*lane) bool {
	set := together(list)
	if len(set) == 0 || set[0].stopped.barrier() {
		return false
	}
	g.execute(set)
	for _, l := range set {
		l.advance()
	}
	return true
}
