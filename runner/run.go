package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

// Options are the choices of a run that are no part of the launch.
type Options struct {
	// Check lists the kinds of finding to report, such as "undefined".
	Check []string
	// Seed and Deterministic choose the order of work-groups, where the device can.
	Seed          uint64
	Deterministic bool
	// ReleaseExited makes barriers count work-items that have left the kernel as arrived, where the device can.
	ReleaseExited bool
	// MaxInstructions bounds what a work-item executes; 0: the device's default.
	MaxInstructions uint64
	// Timeout bounds building and running of each step, each for itself, where the step has no limit of its own; 0: none.
	Timeout time.Duration
	// Memory bounds the buffers together, in bytes; 0: value.DefaultBudget.
	Memory uint64

	// initial gives the contents of an unfilled buffer; nil: zeros.
	initial func(name string) []byte
}

// Result is what is known after a run.
type Result struct {
	Device  *device.Facts
	Buffers []BufferResult
	Steps   []StepResult // those that were started
	Notes   []string     // things a user should know
	// Launch is the launch with the arrays that stood in arguments as named buffers, as --save-launch writes it.
	Launch *Launch
}

// BufferResult is a buffer after the run.
type BufferResult struct {
	Name    string
	Aliases []string     // the arguments it was bound to, by name, index or binding
	Initial *value.Array // as it was before
	Final   *value.Array // as it is now; nil where it could not be read
	Changed bool
	Err     error // why Final is nil
}

// StepResult is one step after the run.
type StepResult struct {
	Kernel string
	Log    string         // of the device's compiler
	Report *device.Report // nil where the step did not get to run
	global [3]uint64
}

// Buffer returns the buffer with the name, or the one that an argument of that name, index or binding was bound to. The
// error is a *device.Error that lists those there are.
func (r *Result) Buffer(name string) (*BufferResult, error) {
	var found []*BufferResult
	var names []string
	for i := range r.Buffers {
		b := &r.Buffers[i]
		if b.Name == name {
			return b, nil
		}
		if slices.Contains(b.Aliases, name) {
			found = append(found, b)
		}
		names = append(names, b.Name)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := usage("unknown-buffer", "there is no buffer %q", name)
	e.Try = tryNames(name, names)
	if len(found) > 1 {
		e.Message = fmt.Sprintf("%q means a different buffer in different steps", name)
	}
	return nil, e
}

// Findings returns the findings of all steps, and how many more were left out.
func (r *Result) Findings() (list []device.Finding, more uint64) {
	for _, s := range r.Steps {
		if s.Report != nil {
			list = append(list, s.Report.Findings...)
			more += s.Report.MoreFindings
		}
	}
	return list, more
}

// Err returns an error of class Fault where a check found something, so that the exit status says so; otherwise nil.
func (r *Result) Err() error {
	list, more := r.Findings()
	if len(list) == 0 {
		return nil
	}
	f := &list[0]
	e := &device.Error{Class: device.Fault, Kind: f.Kind, Message: f.Message}
	if n := uint64(len(list)) + more; n > 1 {
		e.Message = fmt.Sprintf("%d findings, the first: %s", n, f.Message)
	}
	for _, p := range []device.Place{{Key: "check", Value: f.Check}, {Key: "function", Value: f.Function}, {Key: "instruction", Value: f.Instruction}} {
		if p.Value != "" {
			e.Where = append(e.Where, p)
		}
	}
	return e
}

// Run binds a launch to a module, runs its steps in order on the device and reads the buffers back. It checks everything
// it can before anything runs. The error is a *device.Error. After a fault of a kernel the result is returned beside the
// error, with the buffers as the kernel left them; otherwise an error comes without a result.
func Run(ctx context.Context, dev device.Device, src *Source, launch *Launch, opt Options) (*Result, error) {
	s := NewSession(dev)
	defer s.Close()
	return s.Run(ctx, src, launch, opt)
}

// Session runs launches on one device and keeps compiled programs for the launches that follow. It is not safe for
// concurrent use.
type Session struct {
	dev      device.Device
	programs map[string]device.Program // of src
	src      *Source
}

// NewSession starts a session on a device.
func NewSession(dev device.Device) *Session { return &Session{dev: dev} }

// Close frees the compiled programs.
func (s *Session) Close() error {
	var errs []error
	for _, p := range s.programs {
		errs = append(errs, p.Close())
	}
	s.programs, s.src = nil, nil
	return errors.Join(errs...)
}

// Run is like the function Run.
func (s *Session) Run(ctx context.Context, src *Source, launch *Launch, opt Options) (*Result, error) {
	facts := s.dev.Facts()
	p, err := makePlan(facts, src, launch, opt.Memory)
	if err != nil {
		return nil, err
	}
	if err := checkChecks(facts, opt.Check); err != nil {
		return nil, err
	}
	if s.src != src {
		s.Close()
		s.src, s.programs = src, map[string]device.Program{}
	}
	res := &Result{Device: facts, Launch: p.lift(launch.Module)}
	if !facts.Executes {
		res.Notes = append(res.Notes, facts.Name+" accepts launches but does not compute: the buffers keep their contents")
	}
	// All programs are built before anything runs.
	programs := make([]device.Program, len(p.steps))
	for i := range p.steps {
		if programs[i], err = s.build(ctx, &p.steps[i], opt); err != nil {
			return nil, err
		}
	}
	buffers, err := s.allocate(p, opt)
	defer func() {
		for _, b := range buffers {
			if b != nil {
				b.Close()
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	var fault error
	for i := range p.steps {
		st := &p.steps[i]
		report, err := s.launch(ctx, programs[i], st, buffers, opt)
		res.Steps = append(res.Steps, StepResult{Kernel: st.entry.Name, Log: programs[i].Log(), Report: report, global: st.dispatch.Global})
		if report != nil {
			res.Notes = append(res.Notes, report.Notes...)
		}
		if err != nil {
			fault = err
			break
		}
	}
	s.readBack(p, buffers, res)
	return res, fault
}

func checkChecks(facts *device.Facts, checks []string) error {
	for _, c := range checks {
		if !slices.Contains(facts.Checks, c) {
			e := &device.Error{Class: device.Unsupported, Kind: "check", Message: fmt.Sprintf("%s cannot check %q", facts.Name, c)}
			e.Try = tryNames(c, facts.Checks)
			return e
		}
	}
	return nil
}

// errTimeLimit is the cause of contexts that a time limit ended.
var errTimeLimit = errors.New("the time limit is over")

// limited returns a context for one part of a step.
func limited(ctx context.Context, st *planStep, opt Options) (context.Context, context.CancelFunc, time.Duration) {
	limit := st.Timeout
	if limit == 0 {
		limit = opt.Timeout
	}
	if limit == 0 {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, 0
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	return ctx, cancel, limit
}

// stopped turns the error of a call whose context ended into one that says why.
func stopped(ctx context.Context, err error, kernel, what string, limit time.Duration) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	e := &device.Error{Class: device.Fault}
	var de *device.Error
	if errors.As(err, &de) {
		if de.Class != device.Fault || de.Kind != "" && de.Kind != "timeout" && de.Kind != "cancelled" {
			return err // it had failed for a reason of its own
		}
		e.Where = de.Where
	} else if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if !slices.ContainsFunc(e.Where, func(p device.Place) bool { return p.Key == "kernel" }) {
		e.Where = append([]device.Place{{Key: "kernel", Value: kernel}}, e.Where...)
	}
	if context.Cause(ctx) == errTimeLimit {
		e.Kind, e.Message = "timeout", fmt.Sprintf("%s %s did not end within the time limit of %v", what, kernel, limit)
		e.Try = "a longer --timeout, if the kernel is not in an endless loop"
		return e
	}
	e.Kind, e.Message, e.Err = "cancelled", fmt.Sprintf("%s %s was stopped", what, kernel), context.Cause(ctx)
	return e
}

// guard turns a panic of a device into an internal error, so that one case cannot end a whole verification.
func guard(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &device.Error{Class: device.Internal, Kind: "panic", Message: fmt.Sprintf("%s failed: %v", what, r), Try: "report this with the lines below",
				Where: []device.Place{{Key: "stack", Value: strings.ReplaceAll(string(debug.Stack()), "\n", "\n    ")}}}
		}
	}()
	return f()
}

// typed makes sure an error of a device has a class.
func typed(err error, what string) error {
	var de *device.Error
	if err == nil || errors.As(err, &de) {
		return err
	}
	return &device.Error{Class: device.Internal, Kind: "device", Message: what, Err: err}
}

func (s *Session) build(ctx context.Context, st *planStep, opt Options) (device.Program, error) {
	bo := device.BuildOptions{Spec: st.spec, Options: st.BuildOptions}
	key := fmt.Sprintf("%v %q", bo.Spec, bo.Options)
	if p := s.programs[key]; p != nil {
		return p, nil
	}
	ctx, cancel, limit := limited(ctx, st, opt)
	defer cancel()
	var p device.Program
	err := guard("building "+s.src.Name, func() (err error) {
		p, err = s.dev.Build(ctx, s.src.Module, bo)
		return err
	})
	if err != nil {
		return nil, typed(stopped(ctx, err, st.entry.Name, "building kernel", limit), "cannot build "+s.src.Name)
	}
	s.programs[key] = p
	return p, nil
}

func (s *Session) allocate(p *plan, opt Options) (buffers []device.Buffer, err error) {
	for i := range p.buffers {
		b := &p.buffers[i]
		a := b.Value.Array
		if !b.Value.Filled && opt.initial != nil {
			if data := opt.initial(b.Name); data != nil {
				c := *a
				c.Data = data
				a = &c
			}
		}
		b.initial = a
		buf, err := s.dev.NewBuffer(uint64(len(a.Data)))
		if err != nil {
			return buffers, typed(err, "cannot allocate buffer "+b.Name)
		}
		buffers = append(buffers, buf)
		if len(a.Data) > 0 {
			if err := buf.Write(a.Data, 0); err != nil {
				return buffers, typed(err, "cannot write buffer "+b.Name)
			}
		}
	}
	return buffers, nil
}

func (s *Session) launch(ctx context.Context, prog device.Program, st *planStep, buffers []device.Buffer, opt Options) (*device.Report, error) {
	d := st.dispatch
	d.Args = slices.Clone(d.Args)
	for i, pa := range st.args {
		a := &d.Args[i]
		if pa.buffer >= 0 {
			a.Buffer = buffers[pa.buffer]
		}
		a.Pointers = slices.Clone(a.Pointers)
		for j, b := range pa.pointers {
			a.Pointers[j].Buffer = buffers[b]
		}
	}
	d.Check, d.Seed, d.Deterministic, d.MaxInstructions = opt.Check, opt.Seed, opt.Deterministic, opt.MaxInstructions
	d.ReleaseExited = opt.ReleaseExited
	ctx, cancel, limit := limited(ctx, st, opt)
	defer cancel()
	var report *device.Report
	err := guard("running "+d.EntryPoint, func() (err error) {
		report, err = prog.Launch(ctx, &d)
		return err
	})
	return report, typed(stopped(ctx, err, d.EntryPoint, "kernel", limit), "cannot run "+d.EntryPoint)
}

func (s *Session) readBack(p *plan, buffers []device.Buffer, res *Result) {
	for i := range p.buffers {
		b := &p.buffers[i]
		r := BufferResult{Name: b.Name, Aliases: b.aliases, Initial: b.initial}
		data := make([]byte, len(b.initial.Data))
		if len(data) > 0 {
			r.Err = typed(buffers[i].Read(data, 0), "cannot read buffer "+b.Name)
		}
		if r.Err == nil {
			final := *b.initial
			final.Data = data
			r.Final, r.Changed = &final, !bytes.Equal(data, b.initial.Data)
		}
		res.Buffers = append(res.Buffers, r)
	}
}
