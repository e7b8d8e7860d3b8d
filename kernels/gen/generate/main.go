// Command generate writes the generated kernels and the test vectors into the folder of package kernels, which is its
// only argument. Files it has written before and does not write any more are removed.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sgrun/sgrun/kernels/gen"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	tree := os.DirFS(folder)
	all, err := gen.New(tree)
	if err != nil {
		return err
	}
	files, err := all.Files()
	if err != nil {
		return err
	}
	old, err := gen.Generated(tree)
	if err != nil {
		return err
	}
	for _, name := range old {
		if files[name] == nil {
			if err := os.Remove(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	for name, data := range files {
		if had, err := fs.ReadFile(tree, name); err == nil && bytes.Equal(had, data) {
			continue
		}
		if strings.HasPrefix(path.Clean(name), "..") {
			return fmt.Errorf("%s is outside of the folder", name)
		}
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
