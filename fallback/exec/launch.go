package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sgrun/sgrun/fallback/check"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/spirv"
)

// Env is what a launch runs in.
type Env struct {
	Space  *mem.Space
	Window uint64 // what 32-bit address 0 stands for

	SubGroupSize  int       // lanes, a power of two from 1 to 128
	Global, Local [3]uint64 // work-items, at least 1 in each dimension; Local need not divide Global
	Offset        [3]uint64

	Args      []Arg     // by parameter
	Resources []Binding // by index in Program.Resources
	Push      uint64    // address of the push constants
	// Names has what messages call allocations, where not by their own name: a buffer is called after its argument.
	Names map[*mem.Alloc]string

	// ReleaseExited makes barriers count work-items that have left the kernel as arrived.
	ReleaseExited   bool
	MaxInstructions uint64 // that one gang may execute
	Patience        int    // back-edges after which a gang gives way at first; 0: as many as serve most programs best
	Seed            uint64
	Deterministic   bool            // one work-group after another, in an order drawn from Seed (0: their natural order)
	Recorder        *check.Recorder // nil: undefined cases are not reported
	Watch           Watcher         // nil: accesses are not watched
}

// Arg is a kernel argument.
type Arg struct {
	Value []byte // of a value; of a pointer its address, little-endian
	Local uint64 // of a local-memory parameter: bytes
}

// Binding is the memory bound to a shader resource.
type Binding struct {
	Addr, Size uint64 // bytes
}

// Watcher is the one place where sanitizers hook into memory. It is called by all workers at once.
type Watcher interface {
	// Access is called before an access is made, after its bounds were checked.
	Access(a Access)
}

// Access is one lane's access to memory.
type Access struct {
	Addr, Size uint64 // bytes
	Write      bool
	At         int32 // index of the SPIR-V instruction
	Group      [3]uint64
	Item       int // local linear id
}

// Stats is what a finished launch is known by.
type Stats struct {
	Groups       [3]uint64
	Instructions uint64 // executed by all gangs
}

// launch is one run of a program over its work-groups.
type launch struct {
	code      *Code
	env       *Env
	dims      [3]uint64 // work-groups
	variables []*mem.Alloc
	stop      atomic.Bool
	next      atomic.Uint64
	steps     atomic.Uint64

	mu    sync.Mutex
	fault *Fault
	err   error
}

// Run runs all work-groups of a launch. The error is a *Fault where the kernel misbehaved or was stopped, a
// *mem.BudgetError, or an *InternalError.
func Run(ctx context.Context, code *Code, env *Env) (*Stats, error) {
	l := &launch{code: code, env: env}
	total := uint64(1)
	for i := range l.dims {
		l.dims[i] = (env.Global[i]-1)/env.Local[i] + 1
		total *= l.dims[i]
	}
	if err := l.allocVariables(); err != nil {
		return nil, err
	}
	defer l.freeVariables()
	if ctx.Err() != nil {
		return &Stats{Groups: l.dims}, &Fault{Kind: "stopped", Message: "the kernel was stopped before it began", At: -1, Err: context.Cause(ctx)}
	}
	first, err := newGroupState(l)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { l.stop.Store(true) })()

	workers := min(uint64(runtime.GOMAXPROCS(0)), total)
	order := func(i uint64) uint64 { return i }
	if env.Deterministic {
		workers = 1
		if env.Seed != 0 {
			order = permutation(total, env.Seed)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { l.work(first, total, order) })
	for range workers - 1 {
		wg.Go(func() {
			// Where memory does not suffice for more workers, fewer do the work.
			if w, err := newGroupState(l); err == nil {
				l.work(w, total, order)
			}
		})
	}
	wg.Wait()
	stats := &Stats{Groups: l.dims, Instructions: l.steps.Load()}
	switch {
	case l.err != nil:
		return stats, l.err
	case l.fault != nil:
		if l.fault.Kind == "stopped" {
			l.fault.Err = context.Cause(ctx)
		}
		return stats, l.fault
	}
	return stats, nil
}

// patience is how many back-edges a gang takes at first before it gives way.
func (l *launch) patience() int { return cmp.Or(l.env.Patience, fullPatience) }

// permutation draws an order of n work-groups. It mixes them within windows that are smaller than the number of work-groups
// that can be resident, so that one which waits for those before it, as in a scan with look-back, finds them begun.
func permutation(n, seed uint64) func(uint64) uint64 {
	const window = mostResident / 2
	tail := n % window
	whole, rest := permutationOf(window, seed), permutationOf(max(tail, 1), seed)
	return func(i uint64) uint64 {
		first := i / window * window
		if n-first < window {
			return first + rest(i-first)
		}
		return first + whole(i-first)
	}
}

// permutationOf draws an order of n numbers: multiplication by one without common factor, plus an offset.
func permutationOf(n, seed uint64) func(uint64) uint64 {
	r := rand.New(rand.NewPCG(seed, n))
	a, b := uint64(1), r.Uint64N(n)
	if n > 2 {
		for {
			a = 1 + r.Uint64N(n-1)
			if gcd(a, n) == 1 {
				break
			}
		}
	}
	return func(i uint64) uint64 { return (i*a + b) % n }
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// work runs work-groups until there are none left or the launch ends. A work-group that gives way lets the worker begin
// the next one, since it may wait for what that one does.
func (l *launch) work(first *groupState, total uint64, order func(uint64) uint64) {
	all, free := []*groupState{first}, []*groupState{first}
	defer func() {
		for _, w := range all {
			w.close()
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			l.end(&InternalError{What: r, Stack: debug.Stack()}, nil)
		}
	}()
	stuck := 0 // times that work-groups gave way since one ended
	var resident []*groupState
	// begin starts the next work-group, if there is one and room for it.
	begin := func() *groupState {
		if n := len(resident); n >= maxResident && stuck < 256*n || n >= mostResident {
			return nil
		}
		if len(free) == 0 {
			// Where memory does not suffice for more, the work-groups that are there go on.
			if w, err := newGroupState(l); err == nil {
				all, free = append(all, w), append(free, w)
			} else {
				return nil
			}
		}
		i := l.next.Add(1) - 1
		if i >= total {
			return nil
		}
		i = order(i)
		w := free[len(free)-1]
		free = free[:len(free)-1]
		w.begin([3]uint64{i % l.dims[0], i / l.dims[0] % l.dims[1], i / l.dims[0] / l.dims[1]})
		return w
	}
	gaveWay := false
	for !l.stop.Load() {
		var w *groupState
		if gaveWay || len(resident) == 0 {
			w = begin()
		}
		if w == nil {
			if len(resident) == 0 {
				return
			}
			w = resident[0]
			resident = slices.Delete(resident, 0, 1)
		}
		s, f := w.resume()
		l.steps.Add(w.takeSteps())
		switch {
		case f != nil:
			l.end(nil, f)
			return
		case s == done:
			free = append(free, w)
			stuck = 0
		default:
			resident = append(resident, w)
			stuck++
		}
		gaveWay = s != done
	}
	if l.next.Load() < total || len(resident) > 0 {
		l.end(nil, &Fault{Kind: "stopped", Message: "the kernel was stopped between two work-groups", At: -1})
	}
}

// end stops the launch. The first fault counts, but a gang that was stopped because of another's is no news.
func (l *launch) end(err error, f *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.err == nil {
		l.err = err
	}
	if f != nil && (l.fault == nil || l.fault.Kind == "stopped" && f.Kind != "stopped") {
		l.fault = f
	}
	l.stop.Store(true)
}

// InternalError is a panic of the engine: a bug in it.
type InternalError struct {
	What  any
	Stack []byte
}

func (e *InternalError) Error() string { return fmt.Sprintf("%v\n%s", e.What, e.Stack) }

// alloc allocates memory that the program can have addresses of.
func (l *launch) alloc(desc mem.Alloc) (*mem.Alloc, error) {
	a, err := l.env.Space.Alloc(desc)
	if err == nil && l.code.prog.AddrKind == lane.I32 && !l.env.Space.InWindow(a) {
		l.env.Space.Free(a)
		return nil, &mem.BudgetError{Name: desc.Name, Size: desc.Size, Err: errors.New("the 4 GiB that 32-bit addresses name are full")}
	}
	return a, err
}

// allocVariables allocates the variables there is one of per launch and fills in their contents.
func (l *launch) allocVariables() error {
	l.variables = make([]*mem.Alloc, len(l.code.prog.Variables))
	for i, v := range l.code.prog.Variables {
		switch v.Storage {
		case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup:
			continue
		}
		a, err := l.alloc(mem.Alloc{Size: v.Size, Name: "variable " + v.Name, Storage: v.Storage, Writable: v.Writable})
		if err != nil {
			l.freeVariables()
			return err
		}
		l.variables[i] = a
		copy(a.Bytes(), v.Init)
	}
	for i, v := range l.code.prog.Variables {
		for _, p := range v.Pointers {
			if l.variables[i] != nil && l.variables[p.Variable] != nil {
				putAddr(l.variables[i].Bytes()[p.At:], l.address(l.variables[p.Variable].Base+p.Offset), l.code.prog.AddrKind)
			}
		}
	}
	return nil
}

func (l *launch) freeVariables() {
	for _, a := range l.variables {
		if a != nil {
			l.env.Space.Free(a)
		}
	}
}

// address converts an address of the host to one the program computes with.
func (l *launch) address(a uint64) uint64 {
	if l.code.prog.AddrKind == lane.I32 {
		return a - l.env.Window
	}
	return a
}

func putAddr(b []byte, addr uint64, k lane.Kind) {
	for i := range k.Bytes() {
		b[i] = byte(addr >> (8 * i))
	}
}
