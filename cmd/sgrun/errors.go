package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
)

// usage makes an error of class Usage.
func usage(format string, args ...any) *device.Error {
	return &device.Error{Class: device.Usage, Kind: "usage", Message: fmt.Sprintf(format, args...)}
}

// exitStatus is an error whose story has been told: only the exit status is left.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// report writes an error to standard error and returns the exit status for it.
func (a *app) report(err error) int {
	var told exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &told):
		return int(told)
	}
	message := strings.TrimRight(err.Error(), "\n")
	if errors.Is(err, context.Canceled) {
		var typed *device.Error
		if !errors.As(err, &typed) {
			message = "interrupted"
		}
	}
	fmt.Fprintf(a.err, "%s %s\n", a.paint(a.errTerminal, red, "sgrun:"), message)
	return runner.ExitStatus(err)
}

// wants returns a check of the number of arguments that says what the arguments are.
func wants(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var e *device.Error
		name := strings.TrimPrefix(cmd.CommandPath(), "sgrun ")
		switch {
		case len(args) < low:
			e = usage("%s wants %s", name, what)
		case high >= 0 && len(args) > high:
			e = usage("%s wants %s; %q is one argument too many", name, what, args[high])
		default:
			return nil
		}
		e.Try = "see " + cmd.CommandPath() + " --help"
		return e
	}
}
