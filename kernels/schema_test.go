package kernels_test

import (
	"io/fs"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sgrun/sgrun/kernels"
)

// The vector files are what docs/vectors.schema.json describes.
func TestVectorsMatchTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/vectors.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(kernels.Vectors(), "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no vector files: %v", err)
	}
	for _, name := range names {
		f, err := kernels.Vectors().Open(name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
