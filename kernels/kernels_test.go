package kernels_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/kernels/gen"
)

// The kernels and vectors in the repository are what the generator writes now, and nothing it does not write any more.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	folder := os.DirFS(".")
	files, err := getSuite(t).all.Files()
	if err != nil {
		t.Fatal(err)
	}
	stale := 0
	report := func(name, what string) {
		if stale++; stale <= 5 {
			t.Errorf("%s %s: run go generate ./kernels", name, what)
		}
	}
	for name, want := range files {
		got, err := fs.ReadFile(folder, name)
		switch {
		case err != nil:
			report(name, "is missing")
		case !bytes.Equal(got, want):
			report(name, "is not what the generator writes")
		}
	}
	old, err := gen.Generated(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if files[name] == nil {
			report(name, "is not written by the generator any more")
		}
	}
	if stale > 5 {
		t.Errorf("and %d files more", stale-5)
	}
}

// What is embedded is what lies in the folder: a file in a deeper folder, or with another extension, would be left out in
// silence.
func TestEverythingIsEmbedded(t *testing.T) {
	var size int64
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inVectors, isVector := strings.CutPrefix(name, gen.Vectors+"/")
		switch {
		case isVector:
			if _, err := fs.Stat(kernels.Vectors(), inVectors); err != nil {
				t.Error(err)
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		case path.Ext(name) == ".spvasm":
			if _, err := kernels.Source(strings.TrimSuffix(name, ".spvasm")); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if size > 10<<20 {
		t.Errorf("the vectors take %d bytes; 10 MiB are the limit", size)
	}
}

// Every kernel of the catalogue is used by some case: one that nothing runs is not known to work.
func TestEveryKernelHasACase(t *testing.T) {
	all := getSuite(t).all
	used := map[gen.KernelName]bool{}
	modules := map[string]bool{}
	cases := 0
	for _, topic := range all.Topics {
		names := map[string]bool{}
		for _, c := range topic.Cases {
			cases++
			if names[c.Name] {
				t.Errorf("%s has two cases called %s", topic.Name, c.Name)
			}
			names[c.Name] = true
			modules[c.Module] = true
			for _, s := range c.Steps {
				used[s.Kernel.KernelName] = true
			}
		}
	}
	for name := range all.Kernels {
		if !used[name] {
			t.Errorf("no case runs %s of %s", name.Entry, name.Module)
		}
	}
	for _, name := range kernels.Names() {
		if !modules[name] {
			t.Errorf("no case uses %s", name)
		}
	}
	if cases > 3500 {
		t.Errorf("%d cases: more than 3500 take too long to verify", cases)
	}
	t.Logf("%d cases, %d kernels in %d modules", cases, len(all.Kernels), len(kernels.Names()))
}

// docs/vectors.md has every topic in its tables.
func TestTopicsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range getSuite(t).all.Topics {
		if !regexp.MustCompile("(?m)^\\| .*`" + regexp.QuoteMeta(topic.Name) + "`.* \\|").Match(text) {
			t.Errorf("%s is in no table", topic.Name)
		}
	}
}

// Neither oracle nor generator imports a package that the vectors judge.
func TestVectorsAreIndependent(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/sgrun/sgrun/kernels/gen/generate").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var own []string
	for _, p := range strings.Fields(string(out)) {
		if rest, ok := strings.CutPrefix(p, "github.com/sgrun/sgrun/"); ok {
			own = append(own, rest)
		}
	}
	slices.Sort(own)
	if want := []string{"kernels/gen", "kernels/gen/generate", "kernels/oracle"}; !slices.Equal(own, want) {
		t.Errorf("the generator depends on %v of this module, not only on %v", own, want)
	}
}

// The bitcast shuffle has a kernel for each of the 40 directions of the specification's table.
func TestFortyDirections(t *testing.T) {
	var names []string
	for _, n := range kernels.Names() {
		if strings.HasPrefix(n, "bitcast-shuffle/") {
			names = append(names, n)
		}
	}
	if len(names) != 40 {
		t.Errorf("%d kernels in bitcast-shuffle: %v", len(names), names)
	}
}

func ExampleSource() {
	text, err := kernels.Source("bitcast-shuffle/u32-to-v2u16")
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "OpSubgroupBitcastShuffleINTEL") && strings.Contains(line, "=") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output: %shuffled = OpSubgroupBitcastShuffleINTEL %v2u16 %in_i
}
