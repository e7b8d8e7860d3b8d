package module_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
)

const kernelHead = `
OpCapability Kernel
OpCapability Addresses
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
`

const shaderHead = `
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
`

func assemble(t testing.TB, text string) *spirv.Binary {
	t.Helper()
	b, err := asm.Assemble([]byte(text), asm.Options{Version: 0x00010600})
	if err != nil {
		t.Fatalf("the test's module does not assemble: %v\n%s", err, text)
	}
	return b
}

func load(t testing.TB, text string) *module.Module {
	t.Helper()
	m, err := module.New(assemble(t, text))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return m
}

// named returns the id with that OpName.
func named(t testing.TB, m *module.Module, name string) spirv.ID {
	t.Helper()
	for id, n := range m.Names {
		if n == name {
			return id
		}
	}
	t.Fatalf("no id is named %q", name)
	return 0
}

func wantError(t *testing.T, b *spirv.Binary, parts ...string) *module.Error {
	t.Helper()
	_, err := module.New(b)
	if err == nil {
		t.Errorf("New accepts the module, want an error with %q", parts)
		return nil
	}
	var e *module.Error
	if !errors.As(err, &e) {
		t.Errorf("the error is a %T, want *module.Error", err)
		return nil
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error is\n  %v\nwant it to contain %q", err, p)
		}
	}
	return e
}
