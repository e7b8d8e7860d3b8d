package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/spirv/asm"
)

// targets are the environments spirv-as knows, with the newest SPIR-V version they take (as SPIRV-Tools has them).
var targets = map[string]uint32{
	"spv1.0": 0x10000, "spv1.1": 0x10100, "spv1.2": 0x10200, "spv1.3": 0x10300, "spv1.4": 0x10400, "spv1.5": 0x10500, "spv1.6": 0x10600,
	"vulkan1.0": 0x10000, "vulkan1.1": 0x10300, "vulkan1.1spv1.4": 0x10400, "vulkan1.2": 0x10500, "vulkan1.3": 0x10600, "vulkan1.4": 0x10600,
	"opencl1.2": 0x10000, "opencl1.2embedded": 0x10000, "opencl2.0": 0x10000, "opencl2.0embedded": 0x10000,
	"opencl2.1": 0x10000, "opencl2.1embedded": 0x10000, "opencl2.2": 0x10200, "opencl2.2embedded": 0x10200,
}

func targetNames() []string {
	var names []string
	for n := range targets {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (a *app) asmCommand() *cobra.Command {
	var (
		out      string
		preserve bool
		target   string
	)
	cmd := &cobra.Command{
		Use:   "asm TEXT",
		Short: "Assemble text into a SPIR-V module",
		Long: `Assemble a module in the language of spirv-as. TEXT is a file, a name of the catalogue, or - for
standard input. Instructions that spirv-as does not know yet are known here, among them
OpSubgroupBitcastShuffleINTEL. The module is not checked: see sgrun val.

Version, generator and bound are taken from the comments at the top that sgrun dis and spirv-dis
write ("; Version: 1.0"), where they are there. Without them the version is 1.6, as with spirv-as;
--target-env sets it whatever the comments say.`,
		Example: `  sgrun asm kernel.spvasm -o kernel.spv
  sgrun asm --target-env opencl2.2 kernel.spvasm -o kernel.spv
  sgrun asm bitcast-shuffle/u32-to-v2u16 | sgrun dis -`,
		Args:              wants(1, 1, "the text of a module: a file, or - for standard input"),
		ValidArgsFunction: a.completeModule,
		RunE: a.does(func(ctx context.Context, args []string) error {
			opt := asm.Options{PreserveNumericIDs: preserve, HeaderComments: target == ""}
			if target != "" {
				version, ok := targets[target]
				if !ok {
					return usage("--target-env %s: it is one of %s", target, strings.Join(targetNames(), ", "))
				}
				opt.Version = version
			}
			src, err := a.read(ctx, args[0])
			if err != nil {
				return err
			}
			if !src.IsText() {
				e := usage("%s is no text but an assembled module", src.Name)
				e.Try = "sgrun dis " + args[0]
				return e
			}
			b, _, err := src.Assemble(opt)
			if err != nil {
				return err
			}
			data, err := b.Encode()
			if err != nil {
				return err
			}
			return a.writeModule(out, data)
		}),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the module to `FILE` instead of standard output")
	cmd.Flags().BoolVar(&preserve, "preserve-numeric-ids", false, "keep the numbers of numeric ids: %42 is id 42")
	cmd.Flags().StringVar(&target, "target-env", "", "assemble for `ENV`, as spirv-as has them: spv1.0 to spv1.6, opencl2.2, vulkan1.3, ...")
	complete(cmd, "target-env", targetNames()...)
	return cmd
}
