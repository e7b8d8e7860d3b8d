// Package check collects what the emulator notices about a run: undefined cases today, what sanitizers find later.
package check

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/sgrun/sgrun/runner/device"
)

// Undefined is the check that reports values or behaviour the specification leaves undefined.
const Undefined = "undefined"

// Names lists the words --check accepts.
func Names() []string { return []string{Undefined} }

// Event is one occurrence of something worth reporting, seen by one sub-group.
type Event struct {
	Check   string
	Kind    string // a short stable word: "division-by-zero"
	Message string // one sentence without the full stop
	At      int32  // index of the SPIR-V instruction

	WorkGroup [3]uint64
	SubGroup  int   // index in the work-group
	Lanes     []int // sub-group local invocation ids
}

// maxFindings is how many different findings are returned, those that come first in the module. More are counted only;
// maxKept bounds how many are told apart at all.
const (
	maxFindings = 100
	maxKept     = 1 << 14
)

// Recorder collects events of all workers. Events of one kind at one instruction become one finding: the first of
// them, in the order of work-groups, with a count.
type Recorder struct {
	mu       sync.Mutex
	findings map[key]*finding
	more     uint64 // events past maxKept
}

type key struct {
	kind string
	at   int32
}

type finding struct {
	Event
	count uint64
}

// Add records an event.
func (r *Recorder) Add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.findings == nil {
		r.findings = map[key]*finding{}
	}
	k := key{e.Kind, e.At}
	f := r.findings[k]
	switch {
	case f == nil && len(r.findings) == maxKept:
		r.more++
		return
	case f == nil:
		f = &finding{Event: e}
		r.findings[k] = f
	case before(e, f.Event):
		f.Event = e
	}
	f.count++
}

// before orders events by place, so that the one that is shown does not depend on which worker came first.
func before(a, b Event) bool {
	for i := 2; i >= 0; i-- {
		if a.WorkGroup[i] != b.WorkGroup[i] {
			return a.WorkGroup[i] < b.WorkGroup[i]
		}
	}
	return a.SubGroup < b.SubGroup
}

// Findings returns what was recorded, in the order of the module, and how many events there were besides. describe fills
// in the instruction's text, function and word offset.
func (r *Recorder) Findings(describe func(at int32, f *device.Finding)) (list []device.Finding, more uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := slices.SortedFunc(maps.Keys(r.findings), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	more = r.more
	for i, k := range order {
		e := r.findings[k]
		if i >= maxFindings {
			more += e.count
			continue
		}
		f := device.Finding{
			Check: e.Check, Kind: e.Kind, Message: e.Message,
			WorkGroup: e.WorkGroup, SubGroup: e.SubGroup, Lanes: e.Lanes, Count: e.count,
		}
		describe(e.At, &f)
		list = append(list, f)
	}
	return list, more
}
