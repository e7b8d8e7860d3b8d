package fallback_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/lanecheck"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/fallback/lower"
	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// lowerAll lowers every entry point, checks the lane programs, and prepares them for narrow and wide gangs. It returns how
// many there are.
func lowerAll(t *testing.T, m *module.Module) (n int) {
	t.Helper()
	for _, e := range m.EntryPoints[:min(len(m.EntryPoints), 32)] {
		p, err := lower.Lower(m, lower.Options{Entry: e, BuiltIn: exec.BuiltInComponents})
		if err != nil {
			typed(t, err)
			continue
		}
		n++
		if err := lanecheck.Check(p); err != nil {
			t.Errorf("entry point %s: %v", e.Name, err)
			continue
		}
		for _, width := range []int{1, 256} {
			if _, err := exec.Prepare(p, width, width == 1); err != nil && !strings.Contains(err.Error(), "too many values") {
				t.Errorf("entry point %s: %v", e.Name, err)
			}
		}
	}
	return n
}

// TestLanePrograms lowers the catalogue and random programs and checks what comes out.
func TestLanePrograms(t *testing.T) {
	n := 0
	for _, name := range kernels.Names() {
		text, err := kernels.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.Load(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n += lowerAll(t, m)
	}
	for seed := range uint64(60) {
		for _, d := range run.Dialects {
			n += lowerAll(t, run.Module(t, programSource(gen.New(1000+seed, d == run.Kernel)).Text()))
		}
	}
	if n < 500 {
		t.Errorf("only %d lane programs", n)
	}
}

// FuzzLower lowers whatever passes the checks before it. What comes out is well formed, or the error is one for users.
func FuzzLower(f *testing.F) {
	add := func(data []byte, err error) {
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for seed := range uint64(30) {
		for _, d := range run.Dialects {
			m, err := run.Load(programSource(gen.New(seed, d == run.Kernel)).Text())
			if err != nil {
				f.Fatal(err)
			}
			add(m.Binary.Encode())
		}
	}
	for i, name := range kernels.Names() {
		if i%20 != 0 {
			continue
		}
		text, err := kernels.Source(name)
		if errors.Is(err, fs.ErrNotExist) {
			f.Fatal(err)
		}
		m, err := run.Load(string(text))
		if err != nil {
			f.Fatal(err)
		}
		add(m.Binary.Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := spirv.Decode(data)
		if err != nil {
			return
		}
		m, err := module.New(b)
		if err != nil || val.Check(m) != nil {
			return
		}
		lowerAll(t, m)
	})
}
