package runner

import (
	"errors"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv/link"
	"github.com/sgrun/sgrun/spirv/val"
)

// Link joins modules into one, whose imports are the exports of the same name in any of them. The error is a *device.Error
// of class Module.
func Link(modules ...*Source) (*Source, error) {
	var list []link.Module
	var names []string
	for _, s := range modules {
		list = append(list, link.Module{Name: s.Name, Model: s.Module})
		names = append(names, s.Name)
	}
	name := strings.Join(names, " + ")
	m, err := link.Link(list...)
	if err != nil {
		e := &device.Error{Class: device.Module, Kind: "link", Message: "cannot link " + name, Err: err}
		var le *link.Error
		if errors.As(err, &le) && le.Kind == "unresolved" {
			e.Try = "--link with the module that exports it"
		}
		return nil, e
	}
	if err := val.Check(m); err != nil {
		return nil, moduleError(name, "invalid-module", err)
	}
	return &Source{Name: name, Binary: m.Binary, Module: m}, nil
}
