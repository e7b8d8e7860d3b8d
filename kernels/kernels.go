// Package kernels is the catalogue: kernels in SPIR-V text, and the test vectors that every backend is judged by.
//
// A kernel's name in the catalogue is its file below this folder without ".spvasm": "bitcast-shuffle/u32-to-v2u16". Most
// are generated, and say so in their heading; the others are written by hand. Vectors are JSON files, one a topic, with
// large arrays in .npy files beside them; docs/vectors.md describes the format.
//
// The vectors' expected values come from package oracle, which shares no code with the programs they judge.
package kernels

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ./gen/generate .

//go:embed */*.spvasm
var catalogue embed.FS

//go:embed vectors
var vectors embed.FS

const extension = ".spvasm"

// Catalogue returns the kernels as files named after their catalogue names: "bitcast-shuffle/u32-to-v2u16.spvasm".
func Catalogue() fs.FS { return catalogue }

// Vectors returns the vector files, such as "bitcast-shuffle.json", and the arrays they refer to.
func Vectors() fs.FS {
	sub, err := fs.Sub(vectors, "vectors")
	if err != nil {
		panic(err) // the name is valid, so fs.Sub cannot fail
	}
	return sub
}

// Names lists the catalogue names in alphabetical order.
func Names() []string {
	files, err := fs.Glob(catalogue, "*/*"+extension)
	if err != nil {
		panic(err) // the pattern is valid, so fs.Glob cannot fail
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, extension)
	}
	return files
}

// Source returns the SPIR-V text of a kernel by its catalogue name. Where there is none of that name the error is an
// *fs.PathError with fs.ErrNotExist.
func Source(name string) ([]byte, error) {
	if path.Ext(name) == extension {
		name = strings.TrimSuffix(name, extension)
	}
	return catalogue.ReadFile(name + extension)
}
