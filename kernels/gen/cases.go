package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// Case is one launch with its expectation.
type Case struct {
	Name  string
	About string
	// From says where the expected values come from.
	From   string
	Module string
	// Buffers are the named buffers in order; those without data are outputs.
	Buffers []*Buffer
	Steps   []*Step
	// Compare says how expectations are compared; empty means bit by bit.
	Compare string

	// Check, if any, compares the expectation with a second way to it.
	Check func(buffers map[string][]byte) error

	Requires []string
	// printedExpect replaces the text of expectations, to print them as a specification does.
	printedExpect map[string]string
	// Expect holds what every expected buffer must contain after the launch, computed with the true rules.
	Expect []*Expectation
}

// Buffer is a named buffer of a case.
type Buffer struct {
	Name string
	// Array holds the initial contents, or gives type and count of an output.
	Array  *Array
	Output bool
	// printed replaces the text made from Array, to print data as a specification does.
	printed string
}

// Expectation is what a buffer must contain.
type Expectation struct {
	Buffer  string
	Array   *Array
	printed string
}

// Step is one launch of one entry point.
type Step struct {
	Kernel   *Kernel
	Global   []int // work-items; for shaders work-groups, see Groups
	Local    []int
	Offset   []int
	SubGroup int
	Groups   bool // Global counts work-groups
	Spec     []Spec
	// Args maps parameters to "&buffer" or a value in the VALUE syntax.
	Args map[string]string
	// Values are the bytes of the arguments that are not buffers.
	Values map[string][]byte
	// BuildOptions go to the device's compiler.
	BuildOptions string
}

// Spec sets a specialization constant.
type Spec struct {
	ID   uint32
	Text string // as the vector file has it
	Bits uint64
}

// Launch is what an Effect sees of a step.
type Launch struct {
	Global, Local, Offset [3]int // work-items
	SubGroup              int
	Spec                  map[uint32]uint64 // bits of the constants that are set
	Args                  map[string][]byte // buffers and values by parameter name
}

// Items is the number of work-items.
func (l *Launch) Items() int { return l.Global[0] * l.Global[1] * l.Global[2] }

// scalar returns number 0 of an argument.
func (l *Launch) scalar(name string, e elem) uint64 { return number(l.Args[name], e, 0) }

// in makes an input buffer.
func in(name string, a *Array) *Buffer { return &Buffer{Name: name, Array: a} }

// out makes an output buffer.
func out(name string, t vec, count int) *Buffer {
	return &Buffer{Name: name, Array: newArray(t, count), Output: true}
}

// refs maps each name to the buffer of the same name.
func refs(names ...string) map[string]string {
	m := map[string]string{}
	for _, n := range names {
		m[n] = "&" + n
	}
	return m
}

// finish computes what the case requires and expects.
func (a *All) finish(c *Case, sources fs.FS) error {
	text, ok := a.Sources[c.Module]
	if !ok {
		data, err := fs.ReadFile(sources, c.Module+".spvasm")
		if err != nil {
			return err
		}
		text = string(data)
	}
	c.Requires = capabilities(text)
	if len(c.Expect) > 0 {
		return errors.New("expectations are computed, not given")
	}

	// Two runs on outputs with different contents: what differs afterwards has not been written, and an expectation of
	// it would be an accident.
	first, err := c.Run(&Rules{}, 0xa5)
	if err != nil {
		return err
	}
	second, err := c.Run(&Rules{}, 0x5a)
	if err != nil {
		return err
	}
	if c.Check != nil {
		if err := c.Check(first); err != nil {
			return err
		}
	}
	for _, b := range c.Buffers {
		got := first[b.Name]
		if !bytes.Equal(got, second[b.Name]) {
			return fmt.Errorf("buffer %s is not written completely", b.Name)
		}
		if !b.Output && bytes.Equal(got, b.Array.Data) {
			continue
		}
		e := &Expectation{Buffer: b.Name, Array: &Array{typ: b.Array.typ, count: b.Array.count, Data: got}}
		e.printed = c.printedExpect[b.Name]
		c.Expect = append(c.Expect, e)
	}
	if len(c.Expect) == 0 {
		return errors.New("no buffer changes: the case cannot fail")
	}
	return nil
}

// Run applies the steps by the rules to buffers whose outputs are filled with the poison byte, and returns the buffers'
// contents.
func (c *Case) Run(r *Rules, poison byte) (map[string][]byte, error) {
	buffers := map[string][]byte{}
	for _, b := range c.Buffers {
		data := bytes.Clone(b.Array.Data)
		if b.Output {
			data = bytes.Repeat([]byte{poison}, len(data))
		}
		buffers[b.Name] = data
	}
	for _, s := range c.Steps {
		l := &Launch{Spec: map[uint32]uint64{}, SubGroup: s.SubGroup, Args: map[string][]byte{}}
		for _, c := range s.Spec {
			l.Spec[c.ID] = c.Bits
		}
		l.Global, l.Local, l.Offset = three(s.Global, 1), three(s.Local, 1), three(s.Offset, 0)
		if s.Groups {
			for i := range l.Global {
				l.Global[i] *= l.Local[i]
			}
		}
		for _, p := range s.Kernel.Params {
			text, ok := s.Args[p]
			if !ok {
				return nil, fmt.Errorf("argument %s of %s is missing", p, s.Kernel.Entry)
			}
			if text[0] == '&' {
				l.Args[p] = buffers[text[1:]]
			} else {
				l.Args[p] = s.Values[p]
			}
			if l.Args[p] == nil {
				return nil, fmt.Errorf("argument %s of %s has no data", p, s.Kernel.Entry)
			}
		}
		if len(s.Args) != len(s.Kernel.Params) {
			return nil, fmt.Errorf("%d arguments for the %d parameters of %s", len(s.Args), len(s.Kernel.Params), s.Kernel.Entry)
		}
		s.Kernel.Effect(r, l)
	}
	return buffers, nil
}

func three(n []int, missing int) [3]int {
	t := [3]int{missing, missing, missing}
	copy(t[:], n)
	return t
}
