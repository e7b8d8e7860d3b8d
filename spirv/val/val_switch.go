package val

import (
	"slices"

	"github.com/sgrun/sgrun/spirv/module"
)

// cases checks the case constructs of a structured switch: the header dominates each, and each is left to the merge
// block, by a break or continue of an enclosing construct, or to one other case that stands directly behind it in the
// list of targets and that no other case falls into (SPIR-V 1.6, section 2.11).
func (s *shape) cases(k construct) bool {
	ids := s.c.Targets(k.header.Term)
	targets := make([]*module.Block, len(ids))
	isCase := map[*module.Block]bool{}
	for i, id := range ids {
		targets[i] = s.f.BlockByID[id]
		isCase[targets[i]] = targets[i] != k.exit
	}
	fall := map[*module.Block]*module.Block{} // the case a case falls into
	into := map[*module.Block]int{}
	var order []*module.Block
	for _, t := range targets {
		if _, done := fall[t]; done || t == k.exit {
			continue
		}
		if s.reachable(k.header) && s.reachable(t) && !s.dominates(k.header, t) {
			return s.fail(k.header, "the switch header %s must dominate its case %s", s.name(k.header), s.name(t))
		}
		to, ok := s.fallThrough(k, t, isCase)
		if !ok {
			return false
		}
		fall[t] = to
		if to != nil {
			into[to]++
			order = append(order, to)
		}
	}
	for _, t := range order {
		if into[t] > 1 {
			return s.fail(t, "more than one case falls through into the case %s", s.name(t))
		}
	}
	// The default may stand between two cases that fall one into the other; where it is a case's target too, its place
	// in the list is that case's.
	deflt := targets[0]
	listed := slices.Contains(targets[1:], deflt)
	for i := 1; i < len(targets); i++ {
		t := targets[i]
		to := fall[t]
		if to == deflt && !listed {
			to = fall[deflt]
		}
		if to == nil || t == k.exit {
			continue
		}
		j := i
		for j+1 < len(targets) && targets[j+1] == t {
			j++
		}
		if j+1 >= len(targets) || targets[j+1] != to {
			s.c.fail(s.c.instOf(k.header.Term), structuredSection, "the case %s falls through into %s and must stand directly before it in the list of targets", s.name(t), s.name(to))
			return false
		}
	}
	return true
}

// fallThrough walks a case construct and returns the case it falls into, nil where it does not.
func (s *shape) fallThrough(k construct, t *module.Block, isCase map[*module.Block]bool) (to *module.Block, ok bool) {
	seen := map[*module.Block]bool{}
	for todo := []*module.Block{t}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.work--; s.work < 0 {
			return nil, s.fail(k.header, "control flow nests deeper than %d", maxFlowNesting)
		}
		if b == k.exit || seen[b] {
			continue
		}
		seen[b] = true
		switch {
		case s.reachable(t) && s.reachable(b) && s.dominates(t, b):
			todo = append(todo, b.Succs...)
		case !isCase[b]:
			if !s.structuredExit(k, b) {
				return nil, s.fail(t, "the case %s branches to %s, which is no other case, merge block, break or continue", s.name(t), s.name(b))
			}
		case to == nil:
			if b != t {
				to = b
			}
		case to != b:
			return nil, s.fail(t, "the case %s falls through into more than one other, %s and %s", s.name(t), s.name(to), s.name(b))
		}
	}
	return to, true
}
