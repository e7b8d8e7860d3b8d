package main

import (
	"context"
	"errors"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
)

// read reads the module that a MODULE argument names, without looking into it: asm, dis and val also work on what run
// refuses.
func (a *app) read(ctx context.Context, name string) (*runner.RawModule, error) {
	return runner.ReadModule(ctx, name, a.in, a.catalogue)
}

// load reads a module and checks it.
func (a *app) load(ctx context.Context, name string) (*runner.Source, error) {
	s, err := runner.LoadModule(ctx, name, a.in, a.catalogue)
	var typed *device.Error
	if errors.As(err, &typed) && typed.Kind == "invalid-module" && typed.Try == "" && name != "-" {
		typed.Try = "sgrun val " + name + ", which tells more"
	}
	return s, err
}

// catalogueNames lists the kernels of the catalogue.
func (a *app) catalogueNames() []string {
	names, err := runner.CatalogueNames(a.catalogue)
	if err != nil {
		panic(err) // it is part of the program
	}
	return names
}
