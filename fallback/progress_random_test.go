package fallback_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestImpatientLanes runs random programs and random flow graphs on a device whose lanes give way to others at every
// back-edge. That must change neither results nor, where all lanes run free of each other, which of them meet.
func TestImpatientLanes(t *testing.T) {
	dev := run.Device(t, fallback.Impatient)
	for seed := uint64(1_000_000); seed < 1_000_000+programs/5; seed++ {
		p := program(seed)
		if _, diff := differ(t, dev, p, trials(p, seed)); diff != nil {
			reportProgram(t, dev, seed, p, diff)
			return
		}
	}
	for seed := range uint64(programs / 4) {
		r := rand.New(rand.NewPCG(seed, 8))
		src := randomFlow(r)
		m := run.Module(t, src.Text())
		_, diff := compareTrials(t, dev, src, m, m, []trial{flowTrial(r, seed)})
		if diff != nil && (diff.class != "finding" || singleEntries(m.EntryPoints[0].Function)) {
			t.Fatalf("flow graph %d: %v\n%s", seed, diff, src.Text())
		}
	}
}

// TestNarrowGangs runs random programs on a device whose gangs are single sub-groups, which go each their own way between
// barriers.
func TestNarrowGangs(t *testing.T) {
	dev := run.Device(t, fallback.Narrow)
	for seed := uint64(2_000_000); seed < 2_000_000+programs/5; seed++ {
		p := program(seed)
		if _, diff := differ(t, dev, p, trials(p, seed)); diff != nil {
			reportProgram(t, dev, seed, p, diff)
			return
		}
	}
}
