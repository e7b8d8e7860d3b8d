package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner"
)

func (a *app) linkCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "link MODULE...",
		Short: "Join SPIR-V modules into one",
		Long: `Join modules into one. What a module imports takes the definition that another exports under the same
name (decoration LinkageAttributes); an import that no module exports is an error. Types and constants
that are equal become one, and ids are numbered anew. sgrun run --link joins modules for one run.`,
		Example: `  sgrun link kernel.spv library.spv -o whole.spv
  sgrun link kernel.spv library.spv | sgrun info -`,
		Args:              wants(1, -1, "the modules to join"),
		ValidArgsFunction: a.completeModule,
		RunE: a.does(func(ctx context.Context, args []string) error {
			src, err := a.linkAll(ctx, args)
			if err != nil {
				return err
			}
			data, err := src.Binary.Encode()
			if err != nil {
				return err
			}
			return a.writeModule(out, data)
		}),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the module to `FILE` instead of standard output")
	return cmd
}

// loadLinked reads a module and joins it with others, if there are any.
func (a *app) loadLinked(ctx context.Context, name string, others []string) (*runner.Source, error) {
	if len(others) == 0 {
		return a.load(ctx, name)
	}
	return a.linkAll(ctx, append([]string{name}, others...))
}

func (a *app) linkAll(ctx context.Context, names []string) (*runner.Source, error) {
	var list []*runner.Source
	for _, name := range names {
		s, err := a.load(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return runner.Link(list...)
}

// writeModule writes a module to a file or to standard output, but not to a terminal.
func (a *app) writeModule(out string, data []byte) error {
	if (out == "" || out == "-") && a.outTerminal {
		e := usage("a module is binary, it is not written to a terminal")
		e.Try = "-o FILE.spv, or a pipe into sgrun dis -"
		return e
	}
	return a.write(out, data)
}
