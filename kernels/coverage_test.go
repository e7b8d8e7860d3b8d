package kernels_test

import (
	"slices"
	"testing"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// notCovered are the core instructions of the classes below that no kernel uses, with the reason.
var notCovered = map[string]string{
	"OpConstantSampler":          "samplers",
	"OpImageTexelPointer":        "images",
	"OpGenericPtrMemSemantics":   "memory semantics, which atomics and barriers use",
	"OpKill":                     "fragment shaders only",
	"OpTerminateInvocation":      "fragment shaders only",
	"OpDemoteToHelperInvocation": "fragment shaders only",
	"OpSDot":                     "integer dot products",
	"OpUDot":                     "integer dot products",
	"OpSUDot":                    "integer dot products",
	"OpSDotAccSat":               "integer dot products",
	"OpUDotAccSat":               "integer dot products",
	"OpSUDotAccSat":              "integer dot products",
}

// The kernels use every core instruction of the classes that compute, convert, take apart, access memory and branch, but
// for those listed.
func TestInstructionsAreCovered(t *testing.T) {
	classes := []string{"Arithmetic", "Bit", "Relational_and_Logical", "Conversion", "Composite", "Memory", "Control-Flow",
		"Function", "Constant-Creation"}
	used := map[spirv.Op]bool{}
	for _, name := range kernels.Names() {
		text, err := kernels.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		source, err := runner.ParseSource(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range source.Binary.Insts {
			used[in.Op] = true
		}
	}
	seen, left := map[string]bool{}, map[string]bool{}
	for _, in := range grammar.Instructions() {
		if in.Version == 0 {
			continue // of an extension
		}
		seen[in.Class] = true
		reason, listed := notCovered[in.Name]
		switch {
		case !slices.Contains(classes, in.Class):
		case !used[in.Op] && !listed:
			t.Errorf("no kernel uses %s", in.Name)
		case used[in.Op] && listed:
			t.Errorf("%s is used, and listed as not covered (%s)", in.Name, reason)
		case listed:
			left[in.Name] = true
		}
	}
	for name := range notCovered {
		if !left[name] {
			t.Errorf("%s is listed as not covered, and is none of these instructions", name)
		}
	}
	for _, c := range classes {
		if !seen[c] {
			t.Errorf("the grammar has no class %s", c)
		}
	}
}
