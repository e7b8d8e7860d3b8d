package main

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/spirv/module"
)

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Write a script that makes a shell complete sgrun's command lines",
		Long: `Write a script for a shell, to standard output. With it the shell completes subcommands, flags, names of
the catalogue, kernel names, devices and files.

  bash        source <(sgrun completion bash)
  zsh         sgrun completion zsh > "${fpath[1]}/_sgrun"
  fish        sgrun completion fish > ~/.config/fish/completions/sgrun.fish
  powershell  sgrun completion powershell | Out-String | Invoke-Expression`,
		Example:   "  sgrun completion bash",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      wants(1, 1, "the name of a shell: bash, zsh, fish or powershell"),
	}
	cmd.RunE = a.does(func(_ context.Context, args []string) error {
		var b bytes.Buffer
		var err error
		switch root := cmd.Root(); args[0] {
		case "bash":
			err = root.GenBashCompletionV2(&b, true)
		case "zsh":
			err = root.GenZshCompletion(&b)
		case "fish":
			err = root.GenFishCompletion(&b, true)
		case "powershell":
			err = root.GenPowerShellCompletionWithDesc(&b)
		default:
			return usage("there is no completion for %q, there is for bash, zsh, fish and powershell", args[0])
		}
		if err != nil {
			return err
		}
		return a.write("", b.Bytes())
	})
	return cmd
}

// completeModule offers names of the catalogue, and files, as the first argument.
func (a *app) completeModule(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeModules(cmd, args, typed)
}

// completeModules offers names of the catalogue, and files, for every argument.
func (a *app) completeModules(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, n := range a.catalogueNames() {
		if strings.HasPrefix(n, typed) {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveDefault // files too
}

// completeKernel offers the entry points of the module on the command line.
func (a *app) completeKernel(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) > 0 && args[0] != "-" {
		if src, err := a.read(cmd.Context(), args[0]); err == nil {
			if b, _, err := src.Decode(); err == nil {
				if m, err := module.New(b); err == nil {
					for _, e := range m.EntryPoints {
						names = append(names, e.Name)
					}
				}
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
