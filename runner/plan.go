package runner

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// plan is a launch bound to a module: everything resolved but the device's own objects.
type plan struct {
	buffers []planBuffer
	steps   []planStep
}

type planBuffer struct {
	Buffer
	aliases []string // other names: parameter, index, binding
	initial *value.Array
}

type planStep struct {
	*Step
	entry    *module.EntryPoint
	dispatch device.Dispatch // without the arguments' buffers
	args     []planArg       // beside dispatch.Args
	spec     []device.SpecValue
}

// planArg says which buffers an argument needs; -1 is none.
type planArg struct {
	value    *value.Value // as given
	buffer   int
	pointers []int // beside Arg.Pointers
}

// makePlan checks a launch against a module and a device. The error is a *device.Error.
func makePlan(facts *device.Facts, src *Source, l *Launch, budget uint64) (*plan, error) {
	p := &plan{}
	for _, b := range l.Buffers {
		if b.Value == nil || b.Value.Kind != value.Typed {
			return nil, usage("bad-value", "buffer %s has no type and contents", b.Name)
		}
		if p.find(b.Name) >= 0 {
			return nil, usage("bad-value", "the buffer %s is given twice", b.Name)
		}
		p.buffers = append(p.buffers, planBuffer{Buffer: b})
	}
	if len(l.Steps) == 0 {
		return nil, usage("no-step", "the launch has no step")
	}
	for i := range l.Steps {
		s, err := p.step(facts, src, &l.Steps[i])
		if err != nil {
			if de, ok := err.(*device.Error); ok && len(l.Steps) > 1 {
				de.Where = append([]device.Place{{Key: "step", Value: strconv.Itoa(i)}}, de.Where...)
			}
			return nil, err
		}
		p.steps = append(p.steps, *s)
	}
	return p, p.checkMemory(facts, budget)
}

func (p *plan) find(name string) int {
	return slices.IndexFunc(p.buffers, func(b planBuffer) bool { return b.Name == name })
}

func (p *plan) checkMemory(facts *device.Facts, budget uint64) error {
	if budget == 0 {
		budget = value.DefaultBudget
	}
	total := uint64(0)
	for _, b := range p.buffers {
		n := uint64(len(b.Value.Array.Data))
		total += n
		if facts.MaxBufferBytes > 0 && n > facts.MaxBufferBytes {
			return &device.Error{Class: device.Unsupported, Kind: "memory", Message: fmt.Sprintf("buffer %s needs %d bytes, and %s allows %d in one buffer", b.Name, n, facts.Name, facts.MaxBufferBytes)}
		}
	}
	if total > budget {
		e := usage("memory", "the buffers need %d bytes together, and the memory budget is %d", total, budget)
		return e
	}
	if facts.GlobalMemBytes > 0 && total > facts.GlobalMemBytes {
		return &device.Error{Class: device.Unsupported, Kind: "memory", Message: fmt.Sprintf("the buffers need %d bytes together, and %s has %d", total, facts.Name, facts.GlobalMemBytes)}
	}
	return nil
}

func (p *plan) step(facts *device.Facts, src *Source, st *Step) (*planStep, error) {
	entry, err := findEntry(src, st.Kernel)
	if err != nil {
		return nil, err
	}
	s := &planStep{Step: st, entry: entry}
	s.dispatch.EntryPoint = entry.Name
	at := func(err error) error {
		if de, ok := err.(*device.Error); ok {
			de.Where = append([]device.Place{{Key: "kernel", Value: entry.Name}}, de.Where...)
		}
		return err
	}
	lookup, err := s.specialize(src)
	if err != nil {
		return nil, at(err)
	}
	if err := s.geometry(facts, src, lookup); err != nil {
		return nil, at(err)
	}
	list, err := slots(src, entry, lookup)
	if err != nil {
		return nil, at(err)
	}
	b := binder{plan: p, facts: facts, src: src, step: s, slots: list}
	if err := b.bind(); err != nil {
		return nil, at(err)
	}
	return s, nil
}

// specialize reads the values of specialization constants and returns how to look up a constant's specialized value.
func (s *planStep) specialize(src *Source) (func(spirv.ID) (uint64, bool), error) {
	m := src.Module
	values := map[uint32]uint64{}
	var names []string
	for _, c := range m.ConstantOrder {
		if c.HasSpecID {
			names = append(names, strconv.FormatUint(uint64(c.SpecID), 10))
			if n := src.name(c.ID); n != "" {
				names = append(names, n)
			}
		}
	}
	for _, spec := range s.Spec {
		var found *module.Constant
		for _, c := range m.ConstantOrder {
			if c.HasSpecID && (spec.Name == strconv.FormatUint(uint64(c.SpecID), 10) || spec.Name == src.name(c.ID)) {
				found = c
				break
			}
		}
		if found == nil {
			e := usage("unknown-spec-constant", "%s has no specialization constant %q", src.Name, spec.Name)
			e.Try = tryNames(spec.Name, names)
			return nil, e
		}
		title := fmt.Sprintf("specialization constant %s", spec.Name)
		scalar, ok := scalarOf(found.Type)
		if !ok {
			return nil, moduleError(title+" is of type "+found.Type.String(), "unsupported-argument", nil)
		}
		bits, err := value.ParseNumber(spec.Value, scalar)
		if signed, ok := signedOf(scalar); err != nil && ok && m.Kernel() { // integers of kernels have no sign
			if b, err2 := value.ParseNumber(spec.Value, signed); err2 == nil {
				bits, err = b&(1<<scalar.Bits()-1), nil
			}
		}
		if err != nil {
			e := usage("bad-value", "%s of type %v", title, found.Type)
			e.Err = err
			return nil, e
		}
		if _, twice := values[found.SpecID]; twice {
			return nil, usage("bad-value", "%s is given twice", title)
		}
		values[found.SpecID] = bits
		s.spec = append(s.spec, device.SpecValue{ID: found.SpecID, Bits: bits})
	}
	slices.SortFunc(s.spec, func(a, b device.SpecValue) int { return int(int64(a.ID) - int64(b.ID)) })
	return func(id spirv.ID) (uint64, bool) {
		c := m.Constants[id]
		if c == nil || !c.HasSpecID {
			return 0, false
		}
		v, ok := values[c.SpecID]
		return v, ok
	}, nil
}
