package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/spirv/asm"
)

func (a *app) disCommand() *cobra.Command {
	var (
		out string
		opt asm.DisOptions
	)
	cmd := &cobra.Command{
		Use:   "dis MODULE",
		Short: "Disassemble a SPIR-V module into text",
		Long: `Print a module in the language of spirv-dis. MODULE is a file, a name of the catalogue, or - for
standard input; text is assembled first, so that dis also puts text into its usual form. Invalid
modules can be printed too: what has no name is written as raw words, and nothing is lost.

With --raw-id, sgrun asm --preserve-numeric-ids gives the same words again.`,
		Example: `  sgrun dis kernel.spv
  sgrun dis --raw-id --offsets kernel.spv
  sgrun dis bitcast-shuffle/u32-to-v2u16 --no-header`,
		Args:              wants(1, 1, "a module: a .spv file, or - for standard input"),
		ValidArgsFunction: a.completeModule,
		RunE: a.does(func(ctx context.Context, args []string) error {
			src, err := a.read(ctx, args[0])
			if err != nil {
				return err
			}
			b, _, err := src.Decode()
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := asm.Disassemble(b, &text, opt); err != nil {
				return err
			}
			return a.write(out, text.Bytes())
		}),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the text to `FILE` instead of standard output")
	cmd.Flags().BoolVar(&opt.RawID, "raw-id", false, "print ids as numbers, not as names")
	cmd.Flags().BoolVar(&opt.NoIndent, "no-indent", false, "do not align the equals signs")
	cmd.Flags().BoolVar(&opt.NoHeader, "no-header", false, "leave out the header's comments")
	cmd.Flags().BoolVar(&opt.Offsets, "offsets", false, "show each instruction's byte offset")
	return cmd
}
