package oracle

import (
	"os/exec"
	"strings"
	"testing"
)

// The oracle shares no code with what it judges: of this module it imports nothing at all.
func TestImportsStandardLibraryOnly(t *testing.T) {
	const self = "github.com/sgrun/sgrun/kernels/oracle"
	out, err := exec.Command("go", "list", "-deps", self).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, path := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(path, "/")
		// The standard library's own vendored packages have import paths below vendor/.
		if path != self && first != "vendor" && strings.Contains(first, ".") {
			t.Errorf("the oracle depends on %s", path)
		}
	}
	if !strings.Contains(string(out), "math/big") {
		t.Error("go list does not list what the oracle imports: this test would not see a forbidden import")
	}
}
