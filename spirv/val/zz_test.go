package val

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

func TestZ(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.spv")
	for _, f := range files {
		d, _ := os.ReadFile(f)
		b, err := spirv.Decode(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(b); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}
