package check

import (
	"slices"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/runner/device"
)

// TestFindings adds events from many goroutines in any order: what is returned does not depend on it.
func TestFindings(t *testing.T) {
	for round := range 20 {
		var r Recorder
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 50 {
					group := (i*7 + g*13 + round) % 50
					r.Add(Event{Check: Undefined, Kind: "b", At: 9, WorkGroup: [3]uint64{uint64(group), 1, 0}, SubGroup: g, Lanes: []int{group}})
					r.Add(Event{Check: Undefined, Kind: "a", At: 9, WorkGroup: [3]uint64{uint64(group), 0, uint64(g)}})
					r.Add(Event{Check: Undefined, Kind: "z", At: int32(8 - g)})
				}
			})
		}
		wg.Wait()
		list, more := r.Findings(func(at int32, f *device.Finding) { f.WordOffset = int(at) })
		type line struct {
			at, subGroup int
			kind         string
			group        [3]uint64
			count        uint64
		}
		var got []line
		for _, f := range list {
			got = append(got, line{f.WordOffset, f.SubGroup, f.Kind, f.WorkGroup, f.Count})
		}
		want := []line{
			{5, 0, "z", [3]uint64{}, 50}, {6, 0, "z", [3]uint64{}, 50}, {7, 0, "z", [3]uint64{}, 50}, {8, 0, "z", [3]uint64{}, 50},
			{9, 0, "a", [3]uint64{}, 200}, {9, 0, "b", [3]uint64{0, 1, 0}, 200},
		}
		if more != 0 || !slices.Equal(got, want) {
			t.Fatalf("got %v and %d more, want %v", got, more, want)
		}
	}
}

// TestTooMany keeps count of what it does not list.
func TestTooMany(t *testing.T) {
	var r Recorder
	for at := range 3 * maxKept {
		r.Add(Event{Kind: "a", At: int32(at)})
	}
	r.Add(Event{Kind: "a", At: 7})
	list, more := r.Findings(func(int32, *device.Finding) {})
	if len(list) != maxFindings || more != 3*maxKept-maxFindings || list[7].Count != 2 {
		t.Errorf("%d listed, %d more, %d times the eighth", len(list), more, list[7].Count)
	}
}
