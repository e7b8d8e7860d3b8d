package val_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/val"
)

// oursOnly are rules that Check applies and SPIRV-Tools' validator does not, each of them written in the specification.
// A module may be refused by Check alone for these reasons only.
var oursOnly = regexp.MustCompile(strings.Join([]string{
	`cannot be laid out in memory|overlap:|array stride .* is smaller|matrix stride is smaller`, // section 2.16.2; spirv-val asks for it in its Vulkan environments only
	`the decoration (FuncParamAttr|LinkageAttributes) belongs on`,                               // section 3.2.19
	`the signedness of an integer type must be 0 or 1`,                                          // section 3.3.6; spirv-val looks at 32-bit types only
	`the scope .* must be a 32-bit integer`,                                                     // section 3.2.26, of OpGroup… instructions
	`the element of Op\w+PtrAccessChain must be an integer`,                                     // section 3.3.8
	`\d+ is no scope`,                          // section 3.2.26, of OpGroup… instructions
	`has \d+ parts, \d+ are given`,             // section 3.3.7; spirv-val leaves out arrays with 64-bit lengths
	`the literal \d+ stands twice in OpSwitch`, // section 3.3.17
	`has the decoration \w+ twice`,             // section 2.16.1
	`the alignment must be a power of two`,     // section 3.2.25; newer versions of spirv-val know it
	`the local id of OpGroupBroadcast`,         // section 3.3.21
}, "|"))

// theirsOnly are rules of SPIRV-Tools' validator that Check does not have (see the package comment).
var theirsOnly = regexp.MustCompile(strings.Join([]string{
	`Image|Coordinate|Expected (Result Type|Texel|Sample)`, // images
	`Unhandled OpEntryPoint|Invalid extended instruction import`,
}, "|"))

func spirvVal(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("not run: spirv-val is not installed")
	}
	return path
}

// verdict runs spirv-val on a module.
func verdict(t *testing.T, tool, dir string, b *spirv.Binary) (valid bool, message string) {
	t.Helper()
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "m.spv")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, path).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return err == nil, string(out)
}

func compare(t *testing.T, tool, dir, what string, b *spirv.Binary) {
	t.Helper()
	theirs, message := verdict(t, tool, dir, b)
	_, err := val.Load(b)
	switch {
	case theirs && err != nil && !oursOnly.MatchString(err.Error()):
		t.Errorf("%s: spirv-val accepts it, Check says: %v", what, err)
	case !theirs && err == nil && !theirsOnly.MatchString(message):
		t.Errorf("%s: Check accepts it, spirv-val says: %s", what, message)
	}
}

// TestParity compares verdicts with those of SPIRV-Tools' validator, on what compilers made and on mutants of it.
func TestParity(t *testing.T) {
	tool := spirvVal(t)
	files := compiled(t)
	mutants := 4
	if testing.Short() {
		mutants = 1
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		dir := t.TempDir()
		wg.Go(func() {
			for i := range work {
				f := files[i]
				compare(t, tool, dir, f, decodeFile(t, f))
				rng := rand.New(rand.NewPCG(11, uint64(i)))
				for range mutants {
					b := decodeFile(t, f)
					mutate(rng, b)
					compare(t, tool, dir, "mutant of "+f, b)
				}
			}
		})
	}
	for i := range files {
		work <- i
	}
	close(work)
	wg.Wait()
}
