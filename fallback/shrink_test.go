package fallback_test

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// What is cut down from a failing program is valid, still fails and is little more than what makes it fail.
func TestShrink(t *testing.T) {
	empty := strings.Count(programSource(run.Kernel, &gen.Program{}).Text(), "\n")
	for _, what := range []string{"OpGroupNonUniformShuffleXor", "OpAtomicXor", "OpSwitch", "OpFunctionCall", "OpGroupNonUniformElect", "OpFDiv"} {
		fails := func(p *gen.Program) bool {
			text := programSource(run.Kernel, p).Text()
			_, err := run.Load(text)
			return err == nil && strings.Contains(text, what+" ")
		}
		cut := 0
		for seed := uint64(0); cut < 3; seed++ {
			p := gen.New(seed, true)
			if !fails(p) {
				continue
			}
			cut++
			q := gen.Shrink(p, fails)
			if !fails(q) {
				t.Fatalf("%s, seed %d: what is left does not fail", what, seed)
			}
			before, after := strings.Count(programSource(run.Kernel, p).Text(), "\n"), strings.Count(programSource(run.Kernel, q).Text(), "\n")
			if after > empty+120 {
				t.Errorf("%s, seed %d: cut down from %d to %d lines, the empty program has %d", what, seed, before, after, empty)
			}
			if !fails(p) {
				t.Errorf("%s, seed %d: the program that was cut down has changed", what, seed)
			}
		}
	}
}
