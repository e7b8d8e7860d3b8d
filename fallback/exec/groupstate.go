package exec

import (
	"math"
	"math/bits"
	"slices"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/spirv"
)

// poison fills memory whose contents are undefined, so that a program that reads it does not see zeros by luck.
const poison = 0xA5

// guard is the room left free between two variables in one allocation, in bytes, so that an access just past the end
// of one is an error rather than an access to the next.
const guard = 64

// stackLayout places the variables each lane has of its own. No function is active twice in a lane, so every variable
// of every function has one place.
type stackLayout struct {
	stride  uint64 // bytes of one lane's piece; 0: there are no such variables
	parts   []mem.Part
	offsets map[int]uint64 // by index in Program.Variables
}

// sharedLayout places the Workgroup variables.
type sharedLayout struct {
	size    uint64
	parts   []mem.Part
	offsets map[int]uint64
}

func layoutStack(p *lane.Program) stackLayout {
	parts, offsets, size := place(p, spirv.StorageClassFunction, spirv.StorageClassPrivate)
	return stackLayout{size, parts, offsets}
}

func layoutShared(p *lane.Program) sharedLayout {
	parts, offsets, size := place(p, spirv.StorageClassWorkgroup)
	return sharedLayout{size, parts, offsets}
}

func place(p *lane.Program, classes ...spirv.StorageClass) (parts []mem.Part, offsets map[int]uint64, size uint64) {
	offsets = map[int]uint64{}
	for i, v := range p.Variables {
		if !slices.Contains(classes, v.Storage) {
			continue
		}
		size = alignUp(size, max(v.Align, 1))
		offsets[i] = size
		parts = append(parts, mem.Part{Off: size, Size: v.Size, Name: "variable " + v.Name, Writable: true})
		size = alignUp(size+v.Size+guard, guard)
	}
	return parts, offsets, size
}

func alignUp(n, align uint64) uint64 { return (n + align - 1) / align * align }

// maxResident is how many work-groups one worker keeps at a time, where some give way to others; mostResident how many where
// none of these seems to come to its end: they may wait for one that has not begun.
const (
	maxResident  = 16
	mostResident = 1024
)

// groupState is what a work-group needs to run. It serves one work-group after another.
type groupState struct {
	run    *launch
	gangs  []*gang
	active []*gang    // those of the current work-group
	values uint64     // bytes of the gangs' files
	stack  *mem.Alloc // private memory of all lanes; nil where none is needed
	shared *mem.Alloc // local memory of the work-group; nil where none is needed
	locals []uint64   // addresses of local-memory arguments, by parameter
	group  [3]uint64
	// scratch has the operands of an operation on all work-items, see workgroup.go.
	scratch []uint64
	size    [3]uint64 // of the current work-group, in work-items
}

func newGroupState(l *launch) (*groupState, error) {
	w := &groupState{run: l}
	code, env := l.code, l.env
	items := env.Local[0] * env.Local[1] * env.Local[2]
	n := int((items + uint64(code.width) - 1) / uint64(code.width))
	values := uint64(n) * uint64(code.size)
	if err := env.Space.Reserve(values, "the values of a work-group's work-items"); err != nil {
		return nil, err
	}
	w.values = values
	if s := &code.stack; s.stride > 0 {
		over, size := bits.Mul64(s.stride, uint64(n*code.width))
		if over != 0 {
			size = math.MaxUint64
		}
		a, err := l.alloc(mem.Alloc{
			Size: size, Stride: s.stride, Parts: s.parts,
			Name: "private memory", Storage: spirv.StorageClassFunction, Writable: true,
		})
		if err != nil {
			w.close()
			return nil, err
		}
		w.stack = a
	}
	if err := w.allocShared(); err != nil {
		w.close()
		return nil, err
	}
	for i := range n {
		g := newGang(w, i)
		w.gangs = append(w.gangs, g)
		g.fillInputs(lane.PerLaunch)
	}
	return w, nil
}

// allocShared allocates the module's Workgroup variables and the local-memory arguments in one divided piece.
func (w *groupState) allocShared() error {
	code, env := w.run.code, w.run.env
	parts, size := slices.Clone(code.shared.parts), code.shared.size
	w.locals = make([]uint64, len(code.prog.Params))
	for i, p := range code.prog.Params {
		if p.Kind != lane.ParamLocal {
			continue
		}
		// Aligned for any type: the parameter's type does not say what the kernel keeps there.
		size = alignUp(size, 128)
		w.locals[i] = size
		parts = append(parts, mem.Part{Off: size, Size: env.Args[i].Local, Name: "local memory of argument " + p.Name, Writable: true})
		size += env.Args[i].Local + guard
	}
	if len(parts) == 0 {
		return nil
	}
	a, err := w.run.alloc(mem.Alloc{Size: size, Parts: parts, Name: "local memory", Storage: spirv.StorageClassWorkgroup, Writable: true})
	if err != nil {
		return err
	}
	w.shared = a
	return nil
}

func (w *groupState) close() {
	w.run.env.Space.Unreserve(w.values)
	for _, a := range []*mem.Alloc{w.stack, w.shared} {
		if a != nil {
			w.run.env.Space.Free(a)
		}
	}
}

// begin puts all lanes of a work-group at the entry point.
func (w *groupState) begin(group [3]uint64) {
	env := w.run.env
	w.group = group
	items := uint64(1)
	before := w.size
	for i := range w.size {
		w.size[i] = min(env.Local[i], env.Global[i]-group[i]*env.Local[i])
		items *= w.size[i]
	}
	w.reset()
	w.active = w.active[:0]
	for _, g := range w.gangs {
		if uint64(g.first) >= items {
			break
		}
		g.n = int(min(items-uint64(g.first), uint64(g.code.width)))
		if w.size != before {
			g.countIDs()
			g.fillInputs(lane.PerSize)
		}
		g.fillInputs(lane.PerGroup)
		g.start()
		w.active = append(w.active, g)
	}
}

// resume runs the work-group until it has ended or gives way to others.
func (w *groupState) resume() (state, *Fault) {
	for {
		ended, waits := true, true
		for _, g := range w.active {
			s, f := g.run()
			if f != nil {
				return done, f
			}
			ended = ended && s == done
			waits = waits && s != yielded
		}
		if ended {
			return done, nil
		}
		released := w.releaseSubGroups()
		switch {
		case !waits:
			return yielded, nil
		case released:
			continue
		}
		if f := w.releaseBarrier(); f != nil {
			return done, f
		}
	}
}

// takeSteps returns how many instructions were executed since it was asked last.
func (w *groupState) takeSteps() (n uint64) {
	for _, g := range w.active {
		n += g.steps - g.counted
		g.counted = g.steps
	}
	return n
}

// reset gives the work-group's memory its initial contents.
func (w *groupState) reset() {
	code := w.run.code
	for _, a := range []*mem.Alloc{w.stack, w.shared} {
		if a != nil {
			fillPoison(a.Bytes())
		}
	}
	for i, v := range code.prog.Variables {
		if v.Init == nil {
			continue
		}
		if off, ok := code.shared.offsets[i]; ok {
			copy(w.shared.Bytes()[off:], v.Init)
		}
		if off, ok := code.stack.offsets[i]; ok {
			for b := w.stack.Bytes(); len(b) > 0; b = b[code.stack.stride:] {
				copy(b[off:], v.Init)
			}
		}
	}
}

// fillPoison fills a piece byte by byte and copies it over the rest: copying is many times faster.
func fillPoison(b []byte) {
	piece := b[:min(len(b), 32<<10)]
	for i := range piece {
		piece[i] = poison
	}
	for rest := b[len(piece):]; len(rest) > 0; rest = rest[min(len(rest), len(piece)):] {
		copy(rest, piece)
	}
}
