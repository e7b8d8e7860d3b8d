package runner

import (
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/internal/nearest"
	"github.com/sgrun/sgrun/runner/value"
)

// binder matches the arguments of one step to the slots of its entry point.
type binder struct {
	plan  *plan
	facts *device.Facts
	src   *Source
	step  *planStep
	slots []slot
	args  []*Argument // beside slots
	bound []int       // beside slots: the buffer in plan.buffers, -1 where there is none yet
}

func (b *binder) bind() error {
	b.args, b.bound = make([]*Argument, len(b.slots)), make([]int, len(b.slots))
	for i := range b.bound {
		b.bound[i] = -1
	}
	for i := range b.step.Args {
		if err := b.match(&b.step.Args[i]); err != nil {
			return err
		}
	}
	if err := b.missing(); err != nil {
		return err
	}
	// Arrays become buffers first, so that &NAME can mean any argument, whatever the order.
	for i := range b.slots {
		if err := b.makeBuffer(i); err != nil {
			return err
		}
	}
	for i := range b.slots {
		if err := b.argument(i); err != nil {
			return err
		}
	}
	return nil
}

// find returns the slots that go by the name.
func (b *binder) find(name string) []int {
	var out []int
	for i, s := range b.slots {
		if slices.Contains(s.names, name) {
			out = append(out, i)
		}
	}
	return out
}

func (b *binder) match(a *Argument) error {
	found := b.find(a.Name)
	switch {
	case len(found) == 0:
		e := usage("unknown-argument", "%s has no argument %q", b.step.entry.Name, a.Name)
		var names []string
		for _, s := range b.slots {
			names = append(names, s.names...)
			e.Where = append(e.Where, device.Place{Key: s.title(), Value: s.want()})
		}
		if near := nearest.Names(a.Name, names, 1); len(near) > 0 {
			e.Try = near[0]
		}
		if len(b.slots) == 0 {
			e.Message += ", it takes none"
		}
		return e
	case len(found) > 1:
		e := usage("ambiguous-argument", "%d arguments of %s are called %q", len(found), b.step.entry.Name, a.Name)
		e.Try = "the index"
		return e
	case b.args[found[0]] != nil:
		return usage("bad-argument", "%s is given twice, as %s and as %s", b.slots[found[0]].title(), b.args[found[0]].Name, a.Name)
	}
	b.args[found[0]] = a
	return nil
}

func (b *binder) missing() error {
	var places []device.Place
	for i, s := range b.slots {
		if b.args[i] == nil {
			places = append(places, device.Place{Key: s.title(), Value: s.want()})
		}
	}
	if len(places) == 0 {
		return nil
	}
	e := usage("missing-argument", "%d of %d arguments of %s are missing", len(places), len(b.slots), b.step.entry.Name)
	if len(b.slots) == 1 {
		e.Message = fmt.Sprintf("the argument of %s is missing", b.step.entry.Name)
	}
	e.Where = places
	for i, s := range b.slots {
		if b.args[i] == nil {
			e.Try = s.names[0] + map[slotKind]string{takesBuffer: "=u32[64]:iota", takesLocal: "=local[256]", takesValue: "=1"}[s.takes]
			break
		}
	}
	return e
}

// fail is the error about the argument of a slot.
func (b *binder) fail(i int, format string, args ...any) *device.Error {
	return usage("bad-argument", "%s: %s", b.slots[i].title(), fmt.Sprintf(format, args...))
}

// makeBuffer makes a buffer of an array given to a slot that takes one.
func (b *binder) makeBuffer(i int) error {
	s, v := &b.slots[i], b.args[i].Value
	if s.takes != takesBuffer {
		return nil
	}
	if v.Kind == value.Struct && s.kind == device.SlotBinding && !s.node.Runtime {
		p, err := pack(b.src, v, s.node)
		if err != nil {
			return b.fail(i, "%v", err)
		}
		if len(p.pointers) > 0 {
			return b.fail(i, "a buffer's contents cannot hold pointers to other buffers")
		}
		v = &value.Value{Kind: value.Typed, Filled: true, Array: &value.Array{Type: value.Of(value.U8), Count: len(p.bytes), Data: p.bytes}}
	}
	if v.Kind != value.Typed {
		return nil
	}
	name := s.names[0]
	for n := 2; b.plan.find(name) >= 0; n++ {
		name = fmt.Sprintf("%s#%d", s.names[0], n)
	}
	b.bound[i] = len(b.plan.buffers)
	b.plan.buffers = append(b.plan.buffers, planBuffer{Buffer: Buffer{name, v}})
	return nil
}

// resolve returns the buffer that &NAME means: a named buffer, or that of another argument.
func (b *binder) resolve(i int, v *value.Value) (int, error) {
	name := v.Ref
	seen := map[int]bool{}
	for {
		if at := b.plan.find(name); at >= 0 {
			return at, nil
		}
		found := b.find(name)
		if len(found) != 1 || seen[found[0]] {
			e := b.fail(i, "there is no buffer %q", v.Ref)
			if len(found) == 1 {
				e = b.fail(i, "&%s leads back to itself", v.Ref)
			}
			var names []string
			for _, buf := range b.plan.buffers {
				names = append(names, buf.Name)
			}
			e.Try = tryNames(v.Ref, names)
			return 0, e
		}
		other := found[0]
		if b.bound[other] >= 0 {
			return b.bound[other], nil
		}
		if to := b.args[other].Value; to.Kind == value.Ref && b.slots[other].takes == takesBuffer {
			seen[other] = true
			name = to.Ref
			continue
		}
		return 0, b.fail(i, "&%s means %s, which is no buffer", v.Ref, b.slots[other].title())
	}
}

// argument makes the device's argument of a slot.
func (b *binder) argument(i int) error {
	s, v := &b.slots[i], b.args[i].Value
	arg := device.Arg{Slot: s.kind, Index: s.index, Set: s.set, Bind: s.bind, Name: s.names[0]}
	pa := planArg{buffer: -1, value: v}
	switch s.takes {
	case takesLocal:
		if v.Kind != value.Local || v.Bytes == 0 {
			return b.fail(i, "it takes local memory, such as local[256], got %s", v.Describe())
		}
		if limit := b.facts.LocalMemBytes; limit > 0 && v.Bytes > limit {
			return &device.Error{Class: device.Unsupported, Kind: "local-memory", Message: fmt.Sprintf("%s: %d bytes of local memory, and %s has %d", s.title(), v.Bytes, b.facts.Name, limit)}
		}
		arg.Kind, arg.Local = device.ArgLocal, v.Bytes
	case takesBuffer:
		arg.Kind = device.ArgBuffer
		switch {
		case b.bound[i] >= 0:
			pa.buffer = b.bound[i]
		case v.Kind == value.Ref:
			at, err := b.resolve(i, v)
			if err != nil {
				return err
			}
			pa.buffer, arg.Offset = at, v.Offset
			if n := uint64(len(b.plan.buffers[at].Value.Array.Data)); v.Offset > n {
				return b.fail(i, "the offset %d is beyond the buffer %s of %d bytes", v.Offset, v.Ref, n)
			}
		case v.Kind == value.Null && s.kind == device.SlotParam:
		default:
			e := b.fail(i, "it takes a buffer (%v), got %s", s.typ, v.Describe())
			e.Try = s.names[0] + "=u32[64]:iota, or &NAME for a named buffer"
			return e
		}
		if pa.buffer >= 0 {
			if err := b.checkBuffer(i, pa.buffer, arg.Offset); err != nil {
				return err
			}
		}
	case takesValue:
		arg.Kind = device.ArgValue
		if v.Kind == value.Local {
			return b.fail(i, "it takes %s, got %s", s.want(), v.Describe())
		}
		p, err := pack(b.src, v, s.node)
		if err != nil {
			return b.fail(i, "%v", err)
		}
		arg.Value = p.bytes
		for _, ptr := range p.pointers {
			at, err := b.resolve(i, ptr.ref)
			if err != nil {
				return err
			}
			arg.Pointers = append(arg.Pointers, device.Pointer{At: ptr.at, Offset: ptr.ref.Offset})
			pa.pointers = append(pa.pointers, at)
		}
	}
	b.step.dispatch.Args = append(b.step.dispatch.Args, arg)
	b.step.args = append(b.step.args, pa)
	return nil
}

// checkBuffer checks a shader's block against the buffer bound to it, and notes the buffer's other names.
func (b *binder) checkBuffer(i, buffer int, offset uint64) error {
	s, buf := &b.slots[i], &b.plan.buffers[buffer]
	if s.node != nil && s.takes == takesBuffer {
		if n := uint64(len(buf.Value.Array.Data)) - offset; n < s.node.Size {
			return b.fail(i, "the block %v needs %d bytes, got %d", s.typ, s.node.Size, n)
		}
	}
	for _, n := range append([]string{b.args[i].Name}, s.names...) {
		if n != buf.Name && !slices.Contains(buf.aliases, n) {
			buf.aliases = append(buf.aliases, n)
		}
	}
	return nil
}

// lift returns the launch with the arrays that stood in arguments as named buffers.
func (p *plan) lift(module string) *Launch {
	l := &Launch{Module: module}
	for _, b := range p.buffers {
		l.Buffers = append(l.Buffers, b.Buffer)
	}
	for _, s := range p.steps {
		step := *s.Step
		step.Kernel = s.entry.Name
		step.Args = nil
		for i, pa := range s.args {
			a := s.dispatch.Args[i]
			v := pa.value
			if pa.buffer >= 0 {
				ref := "&" + p.buffers[pa.buffer].Name
				if a.Offset > 0 {
					ref += fmt.Sprintf("+%d", a.Offset)
				}
				v = &value.Value{Kind: value.Ref, Text: ref, Ref: p.buffers[pa.buffer].Name, Offset: a.Offset}
			}
			step.Args = append(step.Args, Argument{a.Name, v})
		}
		l.Steps = append(l.Steps, step)
	}
	return l
}
