package runner

import (
	"strings"
	"time"

	"github.com/sgrun/sgrun/runner/value"
)

// Launch is what to run, as data: named buffers, and steps that run one after another over them. It knows nothing of a
// device. A launch file holds one as JSON (docs/vectors.md).
type Launch struct {
	// Module is the name of the module as LoadModule takes it; empty where the caller has the module.
	Module  string
	Buffers []Buffer
	Steps   []Step
}

// Buffer is a named buffer. Its value is of kind value.Typed; where the value is not filled, the buffer is an output: Run
// makes it zeros, Verify fills it with a poison that the kernel must overwrite.
type Buffer struct {
	Name  string
	Value *value.Value
}

// Step is one launch of one entry point.
type Step struct {
	// Kernel is the name of the entry point, mangled or not; empty where the module has one only.
	Kernel string
	// Global is the number of work-items in one to three dimensions, Groups the number of work-groups: one of them.
	Global, Groups []uint64
	// Local is the work-group size; where it is nil, the module or the device chooses.
	Local []uint64
	// GlobalOffset is added to the global ids.
	GlobalOffset []uint64
	// SubGroupSize is the required sub-group size in lanes; 0: the module or the device chooses.
	SubGroupSize int
	// Spec sets specialization constants.
	Spec []Spec
	// Args are the arguments, in any order.
	Args []Argument
	// BuildOptions are for the device's compiler.
	BuildOptions string
	// Timeout bounds building and running, each for itself; 0: no limit but the device's own.
	Timeout time.Duration
}

// Spec sets one specialization constant, named by its SpecId or its OpName, to a number of the constant's type.
type Spec struct{ Name, Value string }

// Argument is one argument. Name is a parameter's name or index, a shader resource's name or "set.binding", or "push".
type Argument struct {
	Name  string
	Value *value.Value
}

// ParseArgument reads one NAME=VALUE argument of the command line. The error is a *device.Error that names the argument.
func ParseArgument(text string, p *value.Parser) (Argument, error) {
	name, val, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		e := usage("bad-argument", "%q is no argument", text)
		e.Try = "NAME=VALUE, such as n=1024 or x=f32[1024]:iota"
		return Argument{}, e
	}
	v, err := p.Parse(val)
	if err != nil {
		return Argument{}, argumentError(name, err)
	}
	return Argument{name, v}, nil
}

func argumentError(name string, err error) error {
	e := usage("bad-value", "argument %s", name)
	e.Err = err
	return e
}

// ParseSpec reads one ID=VALUE of the command line's --spec.
func ParseSpec(text string) (Spec, error) {
	name, val, ok := strings.Cut(text, "=")
	if !ok || strings.TrimSpace(name) == "" || strings.TrimSpace(val) == "" {
		e := usage("bad-argument", "%q sets no specialization constant", text)
		e.Try = "ID=VALUE, such as 0=64"
		return Spec{}, e
	}
	return Spec{strings.TrimSpace(name), strings.TrimSpace(val)}, nil
}

// buffer returns the buffer with the name, or nil.
func (l *Launch) buffer(name string) *Buffer {
	for i := range l.Buffers {
		if l.Buffers[i].Name == name {
			return &l.Buffers[i]
		}
	}
	return nil
}
