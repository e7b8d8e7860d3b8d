//go:build long

package fallback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

// Work-groups that wait for ones before them finish, also where these are more than can be resident at a time and are begun
// in an order drawn from a seed.
func TestProgressOfManyWorkGroups(t *testing.T) {
	const groups, local = 1100, 4
	for _, c := range progress {
		if c.name != "look-back scan" {
			continue
		}
		src := atomics(strings.NewReplacer("LOCAL", fmt.Sprint(local), "TOTAL", fmt.Sprint(groups*local)).Replace(c.body))
		for _, seed := range []uint64{1, 3} {
			shared, got := launchShared(t, &src, c.words, run.Options{Items: groups * local, Local: local, SubGroup: local, Seed: seed, Deterministic: true, Budget: 200_000_000})
			if got.Err != nil {
				t.Fatalf("%s, seed %d: %v", c.name, seed, got.Err)
			}
			if err := c.check(shared, got.Out, local); err != nil {
				t.Fatalf("%s, seed %d: %v", c.name, seed, err)
			}
		}
	}
}
