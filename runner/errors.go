package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/internal/nearest"
	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// usage makes an error of wrong usage.
func usage(kind, format string, args ...any) *device.Error {
	return &device.Error{Class: device.Usage, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// tryNames advises on a name that is not there: the nearest ones, or all.
func tryNames(wrong string, known []string) string {
	if near := nearest.Names(wrong, known, 3); len(near) > 0 {
		return strings.Join(near, ", ")
	}
	const most = 20
	if len(known) > most {
		return strings.Join(known[:most], ", ") + fmt.Sprintf(" or one of %d more", len(known)-most)
	}
	if len(known) == 0 {
		return ""
	}
	return strings.Join(known, ", ")
}

// MismatchError says that values differ from what was expected. Its exit status is 1.
type MismatchError struct {
	Message string
}

func (e *MismatchError) Error() string { return e.Message }

// precedence orders exit statuses from the one that says most about a run to the one that says least: a bug in sgrun, a
// kernel that misbehaved, a module nothing can run, wrong usage, a value that differed, a device that lacks something.
var precedence = [...]int{6, 5, 4, 2, 1, 3}

// ExitStatus returns the exit status of sgrun for errors: 0 where all are nil; 1 for a *MismatchError; what its class says
// for a *device.Error; 2 for the errors of package value and 4 for those that say a module is invalid; 5 for a context that
// ended; 6, an internal error, for everything else. Of several, and of those joined by errors.Join, the first of 6, 5, 4, 2,
// 1, 3 that occurs counts.
func ExitStatus(errs ...error) int {
	statuses := map[int]bool{}
	for _, err := range errs {
		collectStatus(err, statuses)
	}
	return worst(statuses)
}

func worst(statuses map[int]bool) int {
	for _, s := range precedence {
		if statuses[s] {
			return s
		}
	}
	return 0
}

func collectStatus(err error, statuses map[int]bool) {
	if err == nil {
		return
	}
	switch e := err.(type) {
	case *device.Error:
		statuses[e.Class.ExitStatus()] = true
		return
	case *MismatchError:
		statuses[1] = true
		return
	case *value.Error, *value.BudgetError:
		statuses[device.Usage.ExitStatus()] = true
		return
	case *spirv.FormatError, *asm.SyntaxError, *module.Error, *val.Error:
		statuses[device.Module.ExitStatus()] = true
		return
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			collectStatus(err, statuses)
		}
		return
	}
	if inner := errors.Unwrap(err); inner != nil {
		collectStatus(inner, statuses)
		return
	}
	if err == context.Canceled || err == context.DeadlineExceeded {
		statuses[5] = true
		return
	}
	statuses[6] = true
}
