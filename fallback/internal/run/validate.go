package run

import (
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// validate checks the module against the specification.
func validate(m *module.Module) error { return val.Check(m) }
