package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/explain"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain INSTRUCTION",
		Short: "Draw where each bit goes",
		Long: `Show where data goes: which bits of which lane of a sub-group an instruction puts into which lane, and which
elements of a matrix the VNNI packing puts into which word. INSTRUCTION is bitcast-shuffle, shuffle-xor or
vnni.

--format text, the default, is for terminals; svg is a picture and html a page with the picture and the
same as a table. Both stand alone, in one file, and follow the reader's choice of light or dark.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return wants(1, 1, "bitcast-shuffle, shuffle-xor or vnni")(cmd, args)
		},
	}
	cmd.AddCommand(a.explainBitcastCommand(), a.explainXorCommand(), a.explainVNNICommand())
	return cmd
}

func (a *app) explainBitcastCommand() *cobra.Command {
	var out drawing
	var from, to string
	var size int
	cmd := &cobra.Command{
		Use:     "bitcast-shuffle --from TYPE --to TYPE",
		Aliases: []string{"OpSubgroupBitcastShuffleINTEL"},
		Short:   "Draw OpSubgroupBitcastShuffleINTEL",
		Long: `Show what OpSubgroupBitcastShuffleINTEL does to the lanes of a full sub-group, as the examples of
SPV_INTEL_subgroup_bitcast_shuffle print it: 0|1 are the low and the high part of a number, <0,8> the
components of a vector. The numbers stand for pieces of the operand, as wide as the narrower component.

The types are those of the table Supported Types of the specification, in either direction (u32, v2u16,
v4u8 and so on; i for signed), or two types of as many components and bits (f32 and u32).`,
		Example: `  sgrun explain bitcast-shuffle --from u32 --to v2u16 --sub-group-size 8
  sgrun explain bitcast-shuffle --from v4u8 --to u32 --sub-group-size 4
  sgrun explain bitcast-shuffle --from u32 --to v2u16 --sub-group-size 16 --format svg -o shuffle.svg`,
		Args: wants(0, 0, "no arguments but its flags"),
	}
	cmd.RunE = a.does(func(context.Context, []string) error {
		for _, name := range []string{"from", "to"} {
			if !cmd.Flags().Changed(name) {
				e := usage("explain bitcast-shuffle wants --%s: the type of the %s", name, map[string]string{"from": "operand", "to": "result"}[name])
				e.Try = "--from u32 --to v2u16"
				return e
			}
		}
		source, err := explain.ParseType(from)
		if err != nil {
			return explainError("--from "+from+": ", err)
		}
		result, err := explain.ParseType(to)
		if err != nil {
			return explainError("--to "+to+": ", err)
		}
		b, err := explain.NewBitcastShuffle(source, result, size)
		if err != nil {
			return explainError("", err)
		}
		return a.draw(&out, b.Explanation())
	})
	cmd.Flags().StringVar(&from, "from", "", "`TYPE` of the operand, such as u32 or v4u8")
	cmd.Flags().StringVar(&to, "to", "", "`TYPE` of the result")
	addLanes(cmd, &size)
	out.add(cmd)
	complete(cmd, "from", tableTypes()...)
	err := cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		words := tableTypes()
		if t, err := explain.ParseType(from); err == nil {
			words = nil
			for _, to := range explain.Targets(t) {
				words = append(words, to.String())
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
	return cmd
}

// tableTypes are the types of the table Supported Types.
func tableTypes() []string {
	var names []string
	for _, t := range slices.Concat(explain.Supported()...) {
		names = append(names, t.String())
	}
	return names
}

func (a *app) explainXorCommand() *cobra.Command {
	var out drawing
	var mask uint32
	var size int
	cmd := &cobra.Command{
		Use:     "shuffle-xor --mask N",
		Aliases: []string{"OpGroupNonUniformShuffleXor", "subgroupShuffleXor"},
		Short:   "Draw OpGroupNonUniformShuffleXor, GLSL's subgroupShuffleXor",
		Long: `Show which lanes of a sub-group exchange their values in OpGroupNonUniformShuffleXor, which GLSL calls
subgroupShuffleXor: each lane gets the value of the lane whose number is its own, exclusive-or the mask.
Where the sub-group has no such lane, what comes is undefined.`,
		Example: `  sgrun explain shuffle-xor --mask 1 --sub-group-size 8
  sgrun explain shuffle-xor --mask 0b100 --sub-group-size 32 --format html -o butterfly.html`,
		Args: wants(0, 0, "no arguments but its flags"),
	}
	cmd.RunE = a.does(func(context.Context, []string) error {
		if !cmd.Flags().Changed("mask") {
			e := usage("explain shuffle-xor wants --mask: what the numbers of the lanes are combined with")
			e.Try = "--mask 1"
			return e
		}
		x, err := explain.NewShuffleXor(mask, size)
		if err != nil {
			return explainError("", err)
		}
		return a.draw(&out, x.Explanation())
	})
	cmd.Flags().Uint32Var(&mask, "mask", 0, "the mask: `N` such as 4, 0x4 or 0b100")
	addLanes(cmd, &size)
	out.add(cmd)
	return cmd
}

func (a *app) explainVNNICommand() *cobra.Command {
	var out drawing
	var bits, rows, cols int
	cmd := &cobra.Command{
		Use:   "vnni",
		Short: "Draw the VNNI packing of a matrix",
		Long: `Show which elements of a matrix the words of its VNNI packing hold. Elements are named row,column; 0,0|1,0
are the low and the high part of a word. "sgrun vnni" packs matrices this way.`,
		Example: `  sgrun explain vnni --bits 16 --rows 4 --cols 8
  sgrun explain vnni --bits 8 --rows 8 --cols 16 --format svg -o packing.svg`,
		Args: wants(0, 0, "no arguments but its flags"),
		RunE: a.does(func(context.Context, []string) error {
			v, err := explain.NewVNNI(bits, rows, cols)
			if err != nil {
				return explainError("", err)
			}
			return a.draw(&out, v.Explanation())
		}),
	}
	cmd.Flags().IntVar(&bits, "bits", 16, "bits of an element: 4, 8 or 16")
	cmd.Flags().IntVar(&rows, "rows", 4, "rows of the matrix (`K`), 1 to 64")
	cmd.Flags().IntVar(&cols, "cols", 8, "columns of the matrix (`N`), 1 to 128")
	complete(cmd, "bits", "4", "8", "16")
	out.add(cmd)
	return cmd
}

func addLanes(cmd *cobra.Command, size *int) {
	cmd.Flags().IntVar(size, "sub-group-size", 16, "lanes of the sub-group, 1 to 128")
}

// drawing is how and where an explanation is written: --format and -o.
type drawing struct {
	format choice
	file   string
}

func (d *drawing) add(cmd *cobra.Command) {
	addChoice(cmd, &d.format, "format", "", "how to show it", "text", "svg", "html")
	cmd.Flags().StringVarP(&d.file, "output", "o", "", "write it to `FILE` instead of standard output")
}

// draw writes an explanation.
func (a *app) draw(d *drawing, e *explain.Explanation) error {
	var s string
	switch d.format.value {
	case "svg":
		s = e.SVG()
	case "html":
		s = e.HTML()
	default:
		watched := a.outTerminal && (d.file == "" || d.file == "-")
		s = e.Text(func(lane int, s string) string { return a.paint(watched, explain.Terminal(lane, e.Lanes()), s) })
	}
	return a.write(d.file, []byte(s))
}

// explainError makes an error of package explain one of class Usage. before says where it was found, where the error itself
// does not.
func explainError(before string, err error) error {
	var e *explain.Error
	if !errors.As(err, &e) {
		return err
	}
	u := usage("%s%s", before, e.Message)
	u.Try = strings.Join(e.Allowed, "\n       ")
	flags := map[string]string{"sub-group size": "--sub-group-size ", "bits": "--bits ", "rows": "--rows ", "columns": "--cols "}
	u.Try = flags[e.Parameter] + u.Try
	return u
}
