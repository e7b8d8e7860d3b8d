package exec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/check"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// gang is up to 256 lanes of one work-group with their values and their places in the program. It can stop between any
// two blocks and go on later, so nothing of its state is on a goroutine's stack.
type gang struct {
	w     *groupState
	code  *Code
	file  []byte
	base  unsafe.Pointer
	index int // in the work-group
	first int // local linear id of lane 0
	n     int // lanes that exist
	all   mask
	ids   [3][MaxLanes]uint32 // local ids by dimension

	cur        group // the lane group that runs
	list       []run // the runs of cur.mask, see runs
	listed     bool  // list is up to date
	scattered  bool  // the runs are many and short
	lo, hi     int   // all active lanes lie in lo to hi-1
	taken      []side
	ended      mask     // lanes that have left the kernel
	started    bool     // cur is a group that is yet to run
	letThrough bool     // the current group need not be held again
	spins      int      // back-edges since others had a turn
	patience   int      // how many there may be
	turns      int      // times lanes gave way since other gangs had a turn
	polls      bool     // whether there were atomic accesses in that time
	split      bool     // every sub-group has regions of its own
	preempted  []group  // suspended groups that can go on
	held       []group  // suspended before a sub-group operation, see hold
	waiting    []parked // suspended at barriers
	ready      []group  // of a shader: groups that can go on
	spare      *region  // free list

	addrs   [MaxLanes]uint64 // addresses of the access being made, as the host sees them
	even    bool             // the active lanes are neighbours whose addresses are step bytes apart
	step    uint64
	string  []byte   // the string of bits of a bitcast shuffle
	members [128]int // of the sub-group that segments is at
	caches  []extentCache
	steps   uint64 // instructions executed
	counted uint64 // of steps, those the launch knows of
	fault   *Fault
}

// group is lanes that stand at the same place of the program, in the same call frame and the same dynamic instance of
// the regions around it.
type group struct {
	mask   mask
	block  int32
	region *region
}

// region is one dynamic instance of a part of the program: an activation of a function, a loop, and in a shader also one
// iteration of a loop and the way from a selection's header to its merge block. shader.go and kernel.go say how lanes meet
// in them.
type region struct {
	kind      regionKind
	loop      int32 // of a kernel: index of the innermost loop, or -1; of a shader: header block, of loopRegion
	parent    *region
	caller    *block // block that ends in the call; nil for the entry point's own region
	suspended int    // groups inside that are suspended
	iteration uint64 // of a loop
	arrived   mask   // lanes that wait at the meeting point or have returned

	// Of a shader:
	meet int32 // block where lanes meet; of a call, meaningless
	live mask  // lanes inside that have not arrived

	// Of a kernel:
	wait  []group // groups that wait for their turn, latest block first
	again mask    // lanes that wait for the loop's next iteration
}

type regionKind uint8

const (
	branchRegion regionKind = iota
	loopRegion
	callRegion
)

func newGang(w *groupState, index int) *gang {
	g := &gang{w: w, code: w.run.code, index: index, first: index * w.run.code.width, patience: w.run.patience()}
	g.file = vec.Alloc(g.code.size)
	g.base = unsafe.Pointer(unsafe.SliceData(g.file))
	g.caches = make([]extentCache, g.code.caches)
	for _, k := range g.code.prog.Consts {
		g.fill(k.Value, k.Bits)
	}
	return g
}

// fill sets a value to the same bits in all lanes.
func (g *gang) fill(v lane.Value, bits uint64) {
	p := g.row(g.code.slots[v])
	n := g.code.width
	switch k := g.code.prog.Values[v]; k {
	case lane.Bool:
		words := unsafe.Slice((*uint64)(p), (n+63)/64)
		for i := range words {
			words[i] = -(bits & 1)
		}
	case lane.I8:
		fillRow(p, n, uint8(bits))
	case lane.I16, lane.F16:
		fillRow(p, n, uint16(bits))
	case lane.I32, lane.F32:
		fillRow(p, n, uint32(bits))
	default:
		fillRow(p, n, bits)
	}
}

func fillRow[T any](p unsafe.Pointer, n int, v T) {
	row := unsafe.Slice((*T)(p), n)
	for i := range row {
		row[i] = v
	}
}

// rowOf views a row as elements of T, one per lane.
func rowOf[T any](g *gang, off uint32) []T {
	return unsafe.Slice((*T)(unsafe.Add(g.base, off)), g.code.width)
}

// boolRow views a row of booleans.
func (g *gang) boolRow(off uint32) mask {
	var m mask
	copy(m[:], unsafe.Slice((*uint64)(unsafe.Add(g.base, off)), (g.code.width+63)/64))
	return m
}

// start puts all lanes at the entry point.
func (g *gang) start() {
	g.all = firstLanes(g.n)
	g.ready, g.preempted, g.held, g.waiting = g.ready[:0], g.preempted[:0], g.held[:0], g.waiting[:0]
	g.ended, g.started, g.letThrough = mask{}, true, false
	// Where work-groups before this one had to give way, it probably must as well.
	g.patience = min(2*g.patience, g.w.run.patience())
	g.spins, g.polls, g.split = 0, false, false
	g.counted, g.turns = 0, 0
	g.steps, g.fault = 0, nil
	g.cur = group{mask: g.all, block: g.code.entry, region: g.newRegion(region{kind: callRegion, meet: -1, loop: -1, live: g.all})}
	g.listed = false
	g.lo, g.hi, g.scattered = g.all.extent()
}

func (g *gang) newRegion(r region) *region {
	p := g.spare
	if p == nil {
		p = new(region)
	} else {
		g.spare = p.parent
	}
	r.wait = p.wait[:0]
	*p = r
	return p
}

func (g *gang) freeRegion(r *region) {
	*r = region{parent: g.spare, wait: r.wait}
	g.spare = r
}

// report records an event for each sub-group that has lanes in the set.
func (g *gang) report(at int32, kind, message string, lanes mask) {
	rec := g.w.run.env.Recorder
	if rec == nil {
		return
	}
	size := g.w.run.env.SubGroupSize
	for lo := 0; lo < g.n; lo += size {
		var ids []int
		for i := lo; i < min(lo+size, g.n); i++ {
			if lanes.has(i) {
				ids = append(ids, i-lo)
			}
		}
		if ids != nil {
			rec.Add(check.Event{
				Check: check.Undefined, Kind: kind, Message: message, At: at,
				WorkGroup: g.w.group, SubGroup: (g.first + lo) / size, Lanes: ids,
			})
		}
	}
}
