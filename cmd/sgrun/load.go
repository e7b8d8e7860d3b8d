package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
)

// source is a module as it was read, before anybody looked into it: asm, dis and val also work on what runner refuses.
type source struct {
	Name   string // for messages
	Data   []byte
	Binary bool // SPIR-V words, not text
}

// read reads the module that a MODULE argument names.
func (a *app) read(ctx context.Context, name string) (*source, error) {
	data, err := a.readData(name)
	if err != nil {
		return nil, err
	}
	if data == nil { // runner knows best why not
		_, err := runner.LoadModule(ctx, name, a.in, a.catalogue)
		return nil, err
	}
	s := &source{Name: name, Data: data}
	if name == "-" {
		s.Name = "standard input"
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, usage("%s is empty", s.Name)
	}
	s.Binary = isWords(data)
	return s, nil
}

// readData returns nil where there is no such module.
func (a *app) readData(name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(a.in, runner.MaxModuleBytes+1))
		if err == nil && len(data) > runner.MaxModuleBytes {
			err = fmt.Errorf("it is larger than the %d MiB accepted", runner.MaxModuleBytes>>20)
		}
		if err != nil {
			return nil, fileUsage("standard input", err)
		}
		return append([]byte{}, data...), nil // never nil
	}
	if slices.Contains([]string{".cl", ".comp", ".glsl"}, filepath.Ext(name)) {
		return nil, nil
	}
	if fs.ValidPath(name) {
		if data, err := fs.ReadFile(a.catalogue, name+".spvasm"); err == nil {
			return data, nil
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() || info.Size() > runner.MaxModuleBytes {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, runner.MaxModuleBytes+1))
	if err != nil || len(data) > runner.MaxModuleBytes {
		return nil, nil
	}
	return append([]byte{}, data...), nil // never nil
}

// isWords reports whether the data is meant to be SPIR-V words: it begins with the magic number, or is no text.
func isWords(data []byte) bool {
	head := data[:min(len(data), 4)]
	return bytes.Equal(head, []byte{0x03, 0x02, 0x23, 0x07}) || bytes.Equal(head, []byte{0x07, 0x23, 0x02, 0x03}) || bytes.IndexByte(data, 0) >= 0
}

// Assemble assembles the text. The error shows the line at fault.
func (s *source) Assemble(opt asm.Options) (*spirv.Binary, error) {
	b, err := asm.Assemble(s.Data, opt)
	var syntax *asm.SyntaxError
	if errors.As(err, &syntax) {
		return nil, &device.Error{Class: device.Module, Kind: "syntax",
			Message: fmt.Sprintf("%s:%d:%d: %s%s", s.Name, syntax.Line, syntax.Column, syntax.Msg, excerpt(s.Data, syntax.Line, syntax.Column))}
	}
	return b, err
}

// Decode returns the module's instructions, of text assembled as run does it.
func (s *source) Decode() (*spirv.Binary, error) {
	if !s.Binary {
		return s.Assemble(asm.Options{HeaderComments: true})
	}
	b, err := spirv.Decode(s.Data)
	if err != nil {
		return nil, &device.Error{Class: device.Module, Kind: "not-spirv", Message: s.Name, Err: err}
	}
	return b, nil
}

// load reads a module and checks it: what runner.LoadModule does, with the line at fault shown where text does not parse.
func (a *app) load(ctx context.Context, name string) (*runner.Source, error) {
	src, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	s, err := runner.NewSource(src.Name, src.Data)
	var typed *device.Error
	if !errors.As(err, &typed) {
		return s, err
	}
	switch {
	case typed.Kind == "syntax":
		if _, err := src.Decode(); err != nil {
			return nil, err
		}
	case typed.Kind == "invalid-module" && typed.Try == "" && name != "-":
		typed.Try = "sgrun val " + name + ", which tells more"
	}
	return nil, err
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

// catalogueNames lists the kernels of the catalogue.
func (a *app) catalogueNames() []string {
	names, err := runner.CatalogueNames(a.catalogue)
	if err != nil {
		panic(err) // it is part of the program
	}
	return names
}
