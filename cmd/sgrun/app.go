package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/sgrun/sgrun/runner/device"
)

// app is what the subcommands share: their surroundings.
type app struct {
	in                       io.Reader
	out, err                 io.Writer
	outTerminal, errTerminal bool
	env                      func(string) string
	backends                 []backend
	catalogue, vectors       fs.FS

	ran bool // a subcommand has begun: its errors are not about the command line
}

// isTerminal reports whether somebody is watching what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// main runs one command line and returns the exit status. Nothing that happens in it ends as a Go panic.
func (a *app) main(ctx context.Context, args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(a.err, "sgrun: internal error, please report it with the command line and these lines: %v\n%s\n%s",
				r, versionLine(), debug.Stack())
			status = device.Internal.ExitStatus()
		}
	}()
	root := a.root()
	if args == nil {
		args = []string{} // cobra takes a nil slice to mean os.Args
	}
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !a.ran {
		err = commandLineError(cmd, err)
	}
	return a.report(err)
}

// root is the command tree. It is made anew for each command line, so that flags never keep old values.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sgrun",
		Short: "Run SPIR-V kernels and check what they compute",
		Long: `sgrun loads SPIR-V kernels and compute shaders, checks them and runs them on an emulator
that needs no GPU. It knows sub-group instructions that other tools do not know yet, such as
OpSubgroupBitcastShuffleINTEL.

A MODULE is a file (.spv, .spvasm), the name of a kernel of the built-in catalogue, or - for
standard input.

Exit status:
  0  all well
  1  a value differed from what was expected
  2  wrong usage: arguments, files, sizes
  3  this device or backend is absent or lacks what is needed; another could do it
  4  the module is invalid, or nothing here can run it
  5  the kernel misbehaved: access out of bounds, time limit, reported undefined behaviour
  6  an internal error of sgrun`,
		Example: `  sgrun verify
  sgrun info bitcast-shuffle/u32-to-v2u16
  sgrun run bitcast-shuffle/u32-to-v2u16 --global 8 --sub-group-size 8 in=u32[8]:iota out=v2u16[8]`,
		Args:                       cobra.ArbitraryArgs,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Version:                    versionLine(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(a.err)
			if err := cmd.Help(); err != nil {
				return err
			}
			return exitStatus(device.Usage.ExitStatus())
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(a.helpCommand())
	root.AddCommand(
		a.devicesCommand(),
		a.infoCommand(),
		a.runCommand(),
		a.verifyCommand(),
		a.asmCommand(),
		a.disCommand(),
		a.valCommand(),
		a.linkCommand(),
		a.vnniCommand(),
		a.explainCommand(),
		a.completionCommand(),
		a.versionCommand(),
	)
	return root
}

// does makes the RunE of a subcommand. What it returns from then on is no error of the command line's form.
func (a *app) does(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.ran = true
		return f(cmd.Context(), args)
	}
}

// helpCommand is "sgrun help [COMMAND]".
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a subcommand",
		Long:  "Show the help of a subcommand: what it does, its flags, and examples.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range at.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(at, rest[0])
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// unknownCommand says which subcommands are alike.
func unknownCommand(parent *cobra.Command, name string) error {
	e := usage("there is no command %q", strings.TrimPrefix(parent.CommandPath()+" ", "sgrun ")+name)
	if s := parent.SuggestionsFor(name); len(s) > 0 {
		e.Try = parent.CommandPath() + " " + strings.Join(s, ", or "+parent.CommandPath()+" ")
	} else {
		e.Try = "see " + parent.CommandPath() + " --help"
	}
	return e
}

// flagError makes errors of flags name those that are alike.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	e := usage("%s", err)
	e.Try = "see " + cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		e.Message = fmt.Sprintf("there is no flag -%s", unknown.GetSpecifiedName()[:1])
	case errors.As(err, &unknown):
		e.Message = fmt.Sprintf("there is no flag --%s", unknown.GetSpecifiedName())
		if s := similarFlags(cmd, unknown.GetSpecifiedName()); len(s) > 0 {
			e.Try = strings.Join(s, ", or ")
		}
	case errors.As(err, &missing):
		name, about := pflag.UnquoteUsage(missing.GetFlag())
		e.Message = fmt.Sprintf("--%s needs a value, %s: %s", missing.GetFlag().Name, name, about)
	case errors.As(err, &invalid):
		e.Message = fmt.Sprintf("--%s %s: %s", invalid.GetFlag().Name, invalid.GetValue(), plainReason(invalid.Unwrap(), invalid.GetFlag().Value.Type()))
	}
	return e
}

// plainReason takes what only Go programmers understand out of an error of a standard flag.
func plainReason(err error, typ string) string {
	s := err.Error()
	switch {
	case strings.HasPrefix(s, "time:"):
		return "it is a time such as 10s or 500ms"
	case strings.HasPrefix(s, "strconv.") && strings.HasSuffix(s, "value out of range"):
		return "that number is out of range"
	case strings.HasPrefix(s, "strconv.") && strings.HasPrefix(typ, "uint"):
		return "it is a whole number of at least 0"
	case strings.HasPrefix(s, "strconv."):
		return "it is a whole number"
	}
	return s
}

// similarFlags asks cobra, which knows likeness of commands only, for flags with a name like it.
func similarFlags(cmd *cobra.Command, name string) []string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		c.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	s := c.SuggestionsFor(name)
	for i := range s {
		s[i] = "--" + s[i]
	}
	return s
}

// commandLineError turns what cobra says about a command line into an error of class Usage.
func commandLineError(cmd *cobra.Command, err error) error {
	var typed *device.Error
	var status exitStatus
	if errors.As(err, &typed) || errors.As(err, &status) {
		return err
	}
	e := usage("%s", err)
	e.Try = "see " + cmd.CommandPath() + " --help"
	return e
}

// usageTemplate is cobra's with less in it.
const usageTemplate = `Usage:
{{- if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [ARGUMENT...]
{{- else}}
  {{.UseLine}}
{{- end}}
{{- if .HasExample}}

Examples:
{{.Example}}
{{- end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableSubCommands}}

See {{.CommandPath}} COMMAND --help.
{{- end}}
`
