package runner

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/runner/value"
)

// Expectation is what a buffer must hold after a run.
type Expectation struct {
	Name  string       // of the buffer, or the name, index or binding of an argument
	Value *value.Value // an array with its type, or numbers, which take the buffer's type
}

// ParseExpectation reads one NAME=VALUE of the command line's --expect.
func ParseExpectation(text string, p *value.Parser) (Expectation, error) {
	a, err := ParseArgument(text, p)
	if err != nil {
		return Expectation{}, err
	}
	e := Expectation(a)
	return e, e.check()
}

func (e Expectation) check() error {
	switch {
	case e.Value.Kind == value.Numbers, e.Value.Kind == value.Typed && e.Value.Filled:
		return nil
	case e.Value.Kind == value.Typed:
		err := usage("bad-value", "the expectation of %s has no contents", e.Name)
		err.Try = "TYPE[COUNT]:FILL, such as u32[64]:zeros"
		return err
	}
	return usage("bad-value", "%s is expected to be %s, and a buffer can only hold numbers", e.Name, e.Value.Describe())
}

// Outcome is what came of one expectation.
type Outcome struct {
	Name string `json:"name"`
	Diff *Diff  `json:"diff"`
}

// CheckExpectations compares the buffers of a result with what is expected of them. Where values differ the error is a
// *MismatchError; where an expectation does not fit its buffer it is a *device.Error of class Usage.
func CheckExpectations(r *Result, expected []Expectation, c Comparison) ([]Outcome, error) {
	var out []Outcome
	var wrong []string
	for _, e := range expected {
		b, err := r.Buffer(e.Name)
		if err != nil {
			return out, err
		}
		if b.Final == nil {
			return out, b.Err
		}
		want, err := e.array(b.Final)
		if err != nil {
			return out, err
		}
		d, err := Compare(b.Final, want, c)
		if err != nil {
			u := usage("bad-value", "the expectation of %s", e.Name)
			u.Err = err
			return out, u
		}
		d.lanes(r, want.Count)
		out = append(out, Outcome{e.Name, d})
		if d.Different > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d of %d numbers differ (%v), the first at %v", e.Name, d.Different, d.Numbers, c, d.First[0]))
		}
	}
	if len(wrong) > 0 {
		return out, &MismatchError{strings.Join(wrong, "\n")}
	}
	return out, nil
}

// array returns the expectation as an array; numbers take type and count from the buffer.
func (e Expectation) array(buffer *value.Array) (*value.Array, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if e.Value.Kind == value.Typed {
		return e.Value.Array, nil
	}
	a, err := e.Value.NumbersAs(buffer.Type, buffer.Count, nil)
	if err != nil {
		u := usage("bad-value", "the expectation of %s", e.Name)
		u.Err = err
		return nil, u
	}
	return a, nil
}
