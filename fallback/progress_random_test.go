package fallback_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestImpatientLanes runs random programs and random flow graphs on a device whose lanes give way to others at every
// back-edge. That must change neither results nor, where all lanes run free of each other, which of them meet.
func TestImpatientLanes(t *testing.T) {
	dev := run.Device(t, fallback.Impatient)
	for seed := uint64(1_000_000); seed < 1_000_000+programs/5; seed++ {
		for _, d := range run.Dialects {
			if err := differ(t, dev, d, seed, gen.New(seed, d == run.Kernel)); err != nil {
				reportProgram(t, dev, d, seed, err)
				return
			}
		}
	}
	for seed := range uint64(programs / 2) {
		src := randomFlow(rand.New(rand.NewPCG(seed, 8)))
		m := run.Module(t, src.Text())
		err := compare(t, dev, src, m, m, seed)
		if err != nil && !(strings.Contains(err.Error(), "parts of a sub-group") && !singleEntries(m.EntryPoints[0].Function)) {
			t.Fatalf("flow graph %d: %v\n%s", seed, err, src.Text())
		}
	}
}
