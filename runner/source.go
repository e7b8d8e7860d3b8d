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
	"unicode/utf8"

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
// assembles, models and validates. The name is for messages. The error is a *device.Error of class Module.
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
	raw := &RawModule{Name: name, Data: data}
	s := &Source{Name: name}
	var err error
	if s.Binary, s.Text, err = raw.Decode(); err != nil {
		return nil, err
	}
	if s.Module, err = module.New(s.Binary); err != nil {
		return nil, moduleError(name, "invalid-module", err)
	}
	return s, nil
}

// RawModule is a module as it was read, before anybody looked into it.
type RawModule struct {
	Name string // for messages
	Data []byte
}

// IsText reports whether the module is text of the assembler rather than words. A zero byte, which text has not, makes
// what is neither a thing that is meant to be words.
func (r *RawModule) IsText() bool {
	magic := bytes.HasPrefix(r.Data, []byte{0x03, 0x02, 0x23, 0x07}) || bytes.HasPrefix(r.Data, []byte{0x07, 0x23, 0x02, 0x03})
	return !magic && bytes.IndexByte(r.Data, 0) < 0
}

// Assemble assembles the text. The message of a syntax error shows the line at fault.
func (r *RawModule) Assemble(opt asm.Options) (*spirv.Binary, *asm.Source, error) {
	b, text, err := asm.AssembleSource(r.Data, opt)
	var syntax *asm.SyntaxError
	if errors.As(err, &syntax) {
		return nil, nil, &device.Error{Class: device.Module, Kind: "syntax",
			Message: fmt.Sprintf("%s:%d:%d: %s%s", r.Name, syntax.Line, syntax.Column, syntax.Msg, excerpt(r.Data, syntax.Line, syntax.Column))}
	}
	if err != nil {
		return nil, nil, moduleError(r.Name, "not-spirv", err)
	}
	return b, text, nil
}

// Decode returns the module's instructions, of text assembled with what its header comments say. The error is a
// *device.Error of class Module.
func (r *RawModule) Decode() (*spirv.Binary, *asm.Source, error) {
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return nil, nil, &device.Error{Class: device.Module, Kind: "empty-file", Message: r.Name + " is empty", Try: "a SPIR-V binary (.spv) or its text (.spvasm)"}
	}
	if r.IsText() {
		return r.Assemble(asm.Options{HeaderComments: true})
	}
	b, err := spirv.Decode(r.Data)
	if err != nil {
		return nil, nil, moduleError(r.Name, "not-spirv", err)
	}
	return b, nil, nil
}

func moduleError(name, kind string, err error) error {
	return &device.Error{Class: device.Module, Kind: kind, Message: name, Err: err}
}

// LoadModule brings the module of a name: "-" for what stdin gives, a path that ends in .spv or .spvasm, a name of the
// catalogue (the path of a file in it without its suffix), or any other file. The catalogue may be nil. The error is a
// *device.Error.
func LoadModule(ctx context.Context, name string, stdin io.Reader, catalogue fs.FS) (*Source, error) {
	raw, err := ReadModule(ctx, name, stdin, catalogue)
	if err != nil {
		return nil, err
	}
	return NewSource(raw.Name, raw.Data)
}

// ReadModule reads the module that LoadModule loads.
func ReadModule(ctx context.Context, name string, stdin io.Reader, catalogue fs.FS) (*RawModule, error) {
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
		return &RawModule{"standard input", data}, nil
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
	return &RawModule{name, data}, nil
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
func fromCatalogue(name string, catalogue fs.FS) (*RawModule, error) {
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
		return &RawModule{name, data}, nil
	}
	return nil, nil
}

// loadCatalogue brings a module of the catalogue and no other: vector files name no files of the machine they run on.
func loadCatalogue(name string, catalogue fs.FS) (*Source, error) {
	if catalogue != nil && fs.ValidPath(name) {
		raw, err := fromCatalogue(name, catalogue)
		if err != nil {
			return nil, err
		}
		if raw != nil {
			return NewSource(raw.Name, raw.Data)
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

// excerpt returns the line of a text on a line of its own, and a caret below the column; of long lines the part around it.
func excerpt(text []byte, line, column int) string {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) || column < 1 {
		return ""
	}
	l := lines[line-1]
	at := min(column-1, len(l))
	const before, after = 60, 40
	from, to := max(0, at-before), min(len(l), at+after)
	for from > 0 && !utf8.RuneStart(l[from]) {
		from--
	}
	for to < len(l) && !utf8.RuneStart(l[to]) {
		to++
	}
	clean := func(b []byte) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r == utf8.RuneError {
				return ' '
			}
			return r
		}, string(b))
	}
	head, tail := clean(l[from:at]), clean(l[at:to])
	return "\n    " + head + strings.TrimRight(tail, " ") + "\n    " + strings.Repeat(" ", utf8.RuneCountInString(head)) + "^"
}
