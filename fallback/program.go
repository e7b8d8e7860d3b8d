package fallback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sgrun/sgrun/fallback/check"
	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/lower"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// program is a module with its specialization. It keeps what it has lowered.
type program struct {
	d    *emulated
	m    *module.Module
	spec map[uint32]uint64

	mu      sync.Mutex
	lowered map[string]*lane.Program
	codes   map[codeKey]*exec.Code
}

type codeKey struct {
	entry  string
	width  int
	checks bool
}

func (p *program) Log() string  { return "" }
func (p *program) Close() error { return nil }

// entry finds an entry point by name.
func (p *program) entry(name string) (*module.EntryPoint, error) {
	var names []string
	for _, e := range p.m.EntryPoints {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	message := fmt.Sprintf("the module has no entry point %q", name)
	if len(names) == 0 {
		return nil, &device.Error{Class: device.Module, Kind: "no-entry-point", Message: "the module has no entry point, so there is nothing to run"}
	}
	return nil, &device.Error{Class: device.Usage, Kind: "unknown-kernel", Message: message, Try: "one of " + strings.Join(names, ", ")}
}

// lower lowers an entry point, once.
func (p *program) lower(name string) (*lane.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lowered[name]; l != nil {
		return l, nil
	}
	e, err := p.entry(name)
	if err != nil {
		return nil, err
	}
	l, err := lower.Lower(p.m, lower.Options{Entry: e, Spec: p.spec, BuiltIn: exec.BuiltInComponents})
	if err != nil {
		return nil, err
	}
	p.lowered[name] = l
	return l, nil
}

// code prepares a lowered entry point for gangs of a width, once.
func (p *program) code(l *lane.Program, width int, checks bool) (*exec.Code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := codeKey{l.Entry, width, checks}
	c := p.codes[k]
	if c == nil {
		var err error
		if c, err = exec.Prepare(l, width, checks); err != nil {
			return nil, &device.Error{Class: device.Module, Kind: "too-large", Message: err.Error()}
		}
		p.codes[k] = c
	}
	return c, nil
}

// internalError reports a bug of the emulator.
func internalError(err *exec.InternalError) error {
	return &device.Error{Class: device.Internal, Kind: "internal", Message: "the emulator has a bug", Err: err, Try: "a report of this with the module"}
}

// Launch runs an entry point.
func (p *program) Launch(ctx context.Context, d *device.Dispatch) (report *device.Report, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = internalError(&exec.InternalError{What: r, Stack: debug.Stack()})
		}
	}()
	start := time.Now()
	l, err := p.lower(d.EntryPoint)
	if err != nil {
		return nil, err
	}
	env := &exec.Env{
		Space: p.d.memory(), Global: d.Global, Offset: d.Offset,
		MaxInstructions: cmp.Or(d.MaxInstructions, DefaultMaxInstructions), Seed: d.Seed, Deterministic: d.Deterministic,
		ReleaseExited: d.ReleaseExited, Patience: p.d.opt.patience,
	}
	if err := p.shape(l, d, env); err != nil {
		return nil, err
	}
	for _, c := range d.Check {
		if c != check.Undefined {
			return nil, &device.Error{Class: device.Usage, Kind: "unknown-check", Message: fmt.Sprintf("the emulator has no check %q", c), Try: "one of " + strings.Join(check.Names(), ", ")}
		}
		env.Recorder = new(check.Recorder)
	}
	b := binder{p: p, l: l, env: env}
	defer b.close()
	if err := b.bind(d.Args); err != nil {
		return nil, err
	}
	items := env.Local[0] * env.Local[1] * env.Local[2]
	width := env.SubGroupSize
	for !p.d.opt.narrow && width < exec.MaxLanes && uint64(width) < items {
		width *= 2
	}
	code, err := p.code(l, width, env.Recorder != nil)
	if err != nil {
		return nil, err
	}
	stats, err := exec.Run(ctx, code, env)
	r := &device.Report{SubGroupSize: env.SubGroupSize, Local: env.Local}
	if stats != nil {
		r.Groups, r.Instructions = stats.Groups, stats.Instructions
	}
	if env.Recorder != nil {
		r.Findings, r.MoreFindings = env.Recorder.Findings(p.describe)
	}
	r.Wall = time.Since(start)
	return r, p.explain(err, l)
}

// shape decides the work-group and sub-group size.
func (p *program) shape(l *lane.Program, d *device.Dispatch, env *exec.Env) error {
	usage := func(kind, format string, args ...any) error {
		return &device.Error{Class: device.Usage, Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
	prof := &p.d.profile
	env.SubGroupSize = cmp.Or(d.SubGroupSize, l.SubGroupSize, prof.SubGroupSize)
	if l.SubGroupSize != 0 && d.SubGroupSize != 0 && l.SubGroupSize != d.SubGroupSize {
		return usage("sub-group-size", "the kernel requires a sub-group size of %d, but %d is asked for", l.SubGroupSize, d.SubGroupSize)
	}
	if !slices.Contains(prof.SubGroupSizes, env.SubGroupSize) {
		class := device.Unsupported
		if prof.Name == "generic" {
			class = device.Usage
		}
		return &device.Error{Class: class, Kind: "sub-group-size", Message: fmt.Sprintf("the emulator's profile %s has no sub-group size %d", prof.Name, env.SubGroupSize),
			Try: fmt.Sprintf("one of %s", strings.Trim(fmt.Sprint(prof.SubGroupSizes), "[]"))}
	}
	env.Local = d.Local
	if l.LocalSize != [3]uint64{} {
		if d.Local != [3]uint64{} && d.Local != l.LocalSize {
			return usage("work-group-size", "the kernel requires a work-group size of %v, but %v is asked for", l.LocalSize, d.Local)
		}
		env.Local = l.LocalSize
	}
	items := uint64(1)
	for i := range 3 {
		if d.Global[i] == 0 {
			return usage("global-size", "the global size is 0 in dimension %d", i)
		}
		if d.Global[i] > 1<<40 || d.Offset[i] > 1<<40 {
			return usage("global-size", "a global size or offset above 2^40 work-items")
		}
	}
	if d.Global[0] > 1<<48/d.Global[1] || d.Global[0]*d.Global[1] > 1<<48/d.Global[2] {
		return usage("global-size", "more than 2^48 work-items")
	}
	if env.Local == [3]uint64{} {
		env.Local = p.chooseLocal(d.Global, env.SubGroupSize)
	}
	for i, n := range env.Local {
		if n == 0 || n > prof.MaxWorkGroupSize {
			return usage("work-group-size", "a work-group size of %d in dimension %d; the device takes 1 to %d", n, i, prof.MaxWorkGroupSize)
		}
		items *= n
	}
	if items > prof.MaxWorkGroupSize {
		return usage("work-group-size", "a work-group of %d work-items; the device takes at most %d", items, prof.MaxWorkGroupSize)
	}
	return nil
}

// chooseLocal picks a work-group size: as many work-items along the first dimension as a gang has lanes, or the largest
// divisor below, so that no work-group is partial unless it has to be.
func (p *program) chooseLocal(global [3]uint64, subGroup int) [3]uint64 {
	limit := min(uint64(exec.MaxLanes), p.d.profile.MaxWorkGroupSize)
	if global[0] <= limit {
		return [3]uint64{global[0], 1, 1}
	}
	for n := limit; n >= uint64(subGroup); n-- {
		if global[0]%n == 0 {
			return [3]uint64{n, 1, 1}
		}
	}
	return [3]uint64{limit, 1, 1}
}

// describe fills in where a finding is.
func (p *program) describe(at int32, f *device.Finding) {
	in := &p.m.Binary.Insts[at]
	f.Instruction, f.WordOffset = p.m.Text(in), in.Offset
	if fn := p.functionOf(at); fn != nil {
		f.Function = lower.FunctionName(p.m, fn)
	}
}

// functionOf finds the function an instruction is in.
func (p *program) functionOf(at int32) *module.Function {
	for i := at; i >= 0; i-- {
		if in := &p.m.Binary.Insts[i]; in.Op == spirv.OpFunction {
			return p.m.FunctionByID[spirv.ID(in.Words[1])]
		}
	}
	return nil
}

// explain turns an engine's error into one for users.
func (p *program) explain(err error, l *lane.Program) error {
	var f *exec.Fault
	var budget *mem.BudgetError
	var internal *exec.InternalError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &internal):
		return internalError(internal)
	case errors.As(err, &budget):
		return outOfMemory(err)
	case !errors.As(err, &f):
		return err
	}
	e := &device.Error{Class: device.Fault, Kind: f.Kind, Message: f.Message, Try: f.Try}
	e.Where = append(e.Where, device.Place{Key: "kernel", Value: l.Entry})
	if f.At >= 0 {
		e.Where = append(e.Where, lower.Where(p.m, p.functionOf(f.At), &p.m.Binary.Insts[f.At])...)
	}
	e.Where = append(e.Where, f.Places...)
	if f.Kind == "stopped" {
		e.Err = f.Err
		if errors.Is(f.Err, context.DeadlineExceeded) {
			e.Kind, e.Message, e.Err = "timeout", "the kernel exceeded its time limit, it may be in an endless loop", nil
			e.Try = "a larger --timeout, if the kernel is meant to run that long"
		}
	}
	return e
}
