package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// MaxModuleBytes bounds a module, as text or binary: 256 MiB.
const MaxModuleBytes = 256 << 20

// Source is a module ready to run.
type Source struct {
	Name   string // as it was asked for
	Binary *spirv.Binary
	Module *module.Module
	// Text is where the parts of the module stand in its text; nil for a module that was binary.
	Text *asm.Source
}

// NewSource makes a source of a module given as bytes: SPIR-V in either byte order, or the text of the assembler. It
// assembles, models and validates. The name is for messages. The error is a *device.Error: of class Module where the
// module is invalid, of class Usage where it is no module.
func NewSource(name string, data []byte) (*Source, error) {
	s, err := ParseSource(name, data)
	if err != nil {
		return nil, err
	}
	if err := val.Check(s.Module); err != nil {
		return nil, moduleError(name, "invalid-module", err)
	}
	return s, nil
}

// ParseSource is NewSource without validation.
func ParseSource(name string, data []byte) (*Source, error) {
	s := &Source{Name: name}
	if len(bytes.TrimSpace(data)) == 0 {
		e := usage("empty-file", "%s is empty", name)
		e.Try = "a SPIR-V binary (.spv) or its text (.spvasm)"
		return nil, e
	}
	var err error
	if isBinary(data) {
		s.Binary, err = spirv.Decode(data)
	} else if at := bytes.IndexByte(data, 0); at >= 0 {
		_, err = spirv.Decode(data) // says what is wrong with the magic number
		if err == nil {
			err = fmt.Errorf("byte %d is 0, which text has not", at)
		}
	} else {
		s.Binary, s.Text, err = asm.AssembleSource(data, asm.Options{HeaderComments: true})
		var syntax *asm.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &device.Error{Class: device.Module, Kind: "syntax", Message: fmt.Sprintf("%s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Msg)}
		}
	}
	if err != nil {
		return nil, moduleError(name, "not-spirv", err)
	}
	s.Module, err = module.New(s.Binary)
	if err != nil {
		return nil, moduleError(name, "invalid-module", err)
	}
	return s, nil
}

// isBinary reports whether the data starts as a SPIR-V binary of either byte order does. The magic number's bytes are no
// text of the assembler.
func isBinary(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0x03, 0x02, 0x23, 0x07}) || bytes.HasPrefix(data, []byte{0x07, 0x23, 0x02, 0x03})
}

func moduleError(name, kind string, err error) error {
	return &device.Error{Class: device.Module, Kind: kind, Message: name, Err: err}
}

// LoadModule brings the module of a name: "-" for what stdin gives, a path that ends in .spv or .spvasm, a name of the
// catalogue (the path of a file in it without its suffix), or any other file. The catalogue may be nil. The error is a
// *device.Error.
func LoadModule(ctx context.Context, name string, stdin io.Reader, catalogue fs.FS) (*Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case name == "":
		return nil, moduleAdvice(usage("no-module", "no module is named"))
	case name == "-":
		if stdin == nil {
			return nil, usage("no-module", "there is no standard input to read a module from")
		}
		data, err := readLimited(stdin, MaxModuleBytes)
		if err != nil {
			return nil, readError("standard input", err)
		}
		return NewSource("standard input", data)
	case strings.HasSuffix(name, ".cl"), strings.HasSuffix(name, ".comp"), strings.HasSuffix(name, ".glsl"):
		e := &device.Error{Class: device.Unsupported, Kind: "source-language", Message: fmt.Sprintf("%s is source code, which sgrun does not compile", name)}
		e.Try = "compile it to SPIR-V first: clang and llvm-spirv for OpenCL C, glslang for GLSL"
		return nil, e
	}
	if !isModuleFile(name) && catalogue != nil && fs.ValidPath(name) {
		if s, err := fromCatalogue(name, catalogue); s != nil || err != nil {
			return s, err
		}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isModuleFile(name):
		e := usage("no-module", "there is no module %q, neither in the catalogue nor as a file", name)
		names, _ := CatalogueNames(catalogue)
		e.Try = tryNames(name, names)
		return nil, moduleAdvice(e)
	case err != nil:
		return nil, moduleAdvice(readError(name, err).(*device.Error))
	case info.IsDir():
		return nil, moduleAdvice(usage("folder", "%s is a folder", name))
	case info.Mode().IsRegular() && info.Size() > MaxModuleBytes:
		return nil, tooLarge(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	data, err := readLimited(f, MaxModuleBytes)
	if err != nil {
		return nil, readError(name, err)
	}
	return NewSource(name, data)
}

func moduleAdvice(e *device.Error) error {
	if e.Try == "" {
		e.Try = "a file .spv or .spvasm, a name of the catalogue, or - for standard input"
	}
	return e
}

var errTooLarge = fmt.Errorf("it is larger than the %d MiB accepted", MaxModuleBytes>>20)

func tooLarge(name string) error {
	e := usage("too-large", "%s", name)
	e.Err = errTooLarge
	return e
}

func readLimited(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// isModuleFile reports whether the name can only be that of a module file.
func isModuleFile(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".spv" || ext == ".spvasm"
}

// fromCatalogue returns nil where the catalogue has no module of the name.
func fromCatalogue(name string, catalogue fs.FS) (*Source, error) {
	for _, ext := range []string{".spvasm", ".spv"} {
		f, err := catalogue.Open(name + ext)
		if err != nil {
			continue
		}
		defer f.Close()
		data, err := readLimited(f, MaxModuleBytes)
		if err != nil {
			return nil, readError(name+ext, err)
		}
		return NewSource(name, data)
	}
	return nil, nil
}

// loadCatalogue brings a module of the catalogue and no other: vector files name no files of the machine they run on.
func loadCatalogue(name string, catalogue fs.FS) (*Source, error) {
	if catalogue != nil && fs.ValidPath(name) {
		if s, err := fromCatalogue(name, catalogue); s != nil || err != nil {
			return s, err
		}
	}
	e := usage("no-module", "there is no module %q in the catalogue", name)
	names, _ := CatalogueNames(catalogue)
	e.Try = tryNames(name, names)
	return nil, e
}

// CatalogueNames lists the modules of a catalogue, sorted. A nil catalogue has none.
func CatalogueNames(catalogue fs.FS) ([]string, error) {
	var names []string
	if catalogue == nil {
		return nil, nil
	}
	err := fs.WalkDir(catalogue, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && isModuleFile(p) {
			names = append(names, strings.TrimSuffix(p, path.Ext(p)))
		}
		return nil
	})
	return names, err
}

// name returns how to call an id: its OpName, else what the module's text calls it; empty where neither says.
func (s *Source) name(id spirv.ID) string {
	if n := s.Module.Names[id]; n != "" {
		return n
	}
	if s.Text != nil {
		if n, ok := s.Text.Name(id); ok && strings.Trim(n, "0123456789") != "" {
			return n
		}
	}
	return ""
}
