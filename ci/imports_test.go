// Package ci holds what .ci/run calls, and tests about the repository as a whole.
package ci

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/sgrun/sgrun/"

// mayImport says which of the project's packages a package may import, by the longest prefix that matches; a package
// may always import those below its own folder. It is docs/design.md's picture in the form of a test.
var mayImport = map[string][]string{
	"ci":                 {},
	"ci/oclgrind":        {"fallback", "runner/device", "spirv"},
	"cmd/sgrun":          {"runner", "fallback", "cl", "levelzero", "kernels", "spirv", "matrix", "explain"},
	"runner":             {"runner/device", "spirv", "matrix"},
	"runner/device":      {"spirv"},
	"fallback":           {"runner/device", "spirv", "matrix"},
	"cl":                 {"runner/device", "spirv", "matrix"},
	"levelzero":          {"runner/device", "spirv", "matrix"},
	"spirv":              {},
	"spirv/grammar":      {"spirv"},
	"spirv/asm":          {"spirv", "spirv/grammar"},
	"spirv/module":       {"spirv", "spirv/grammar", "spirv/asm"},
	"spirv/val":          {"spirv", "spirv/grammar", "spirv/asm", "spirv/module"},
	"spirv/link":         {"spirv", "spirv/module"},
	"matrix":             {},
	"explain":            {"matrix"},
	"kernels":            {},
	"kernels/gen":        {"kernels/oracle"},
	"kernels/oracle":     {},
	"fallback/lane":      {"spirv"},
	"fallback/vec":       {"fallback/lane"},
	"fallback/mem":       {"spirv"},
	"fallback/check":     {"runner/device"},
	"fallback/stdlib":    {"fallback/lane", "fallback/vec"},
	"fallback/lower":     {"fallback/lane", "fallback/vec", "fallback/stdlib", "runner/device", "spirv"},
	"fallback/exec":      {"fallback/lane", "fallback/vec", "fallback/stdlib", "fallback/mem", "fallback/check", "runner/device", "spirv"},
	"spirv/grammar/gen":  {},
	"kernels/oracle/gen": {},
}

// TestImportsGoOneWay holds every package's imports against the picture.
func TestImportsGoOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", root+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		seen++
		from := strings.TrimPrefix(p.ImportPath, root)
		rule, ok := ruleFor(from)
		if !ok {
			t.Errorf("%s is in no known folder; say in mayImport whom it may import", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, root)
			if ours && !under(to, rule) && !slices.ContainsFunc(mayImport[rule], func(ok string) bool { return under(to, ok) }) {
				t.Errorf("%s imports %s; it may import %v", from, to, mayImport[rule])
			}
		}
	}
	if seen < 10 {
		t.Fatalf("go list found only %d packages", seen)
	}
}

// ruleFor returns the longest key of mayImport that is the package or a folder above it.
func ruleFor(pkg string) (rule string, ok bool) {
	for k := range mayImport {
		if under(pkg, k) && len(k) >= len(rule) {
			rule, ok = k, true
		}
	}
	return rule, ok
}

func under(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }
