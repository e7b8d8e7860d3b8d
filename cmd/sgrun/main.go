// Command sgrun loads SPIR-V kernels, checks them and runs them.
//
// Each subcommand has a file of its own: it turns flags into calls of the packages below and their answers into tables.
// Only this package knows all backends.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sgrun/sgrun/kernels"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole command with its surroundings as arguments. It returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	a := &app{
		in:          stdin,
		out:         stdout,
		err:         stderr,
		outTerminal: isTerminal(stdout),
		errTerminal: isTerminal(stderr),
		env:         os.Getenv,
		backends:    allBackends(),
		catalogue:   kernels.Catalogue(),
		vectors:     kernels.Vectors(),
	}
	return a.main(ctx, args)
}
