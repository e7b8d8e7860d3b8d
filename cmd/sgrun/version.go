package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the versions of sgrun and of what it is built with",
		Long:    "Show the version of sgrun, of Go and of the SPIR-V grammar, and which backends are built in.",
		Example: "  sgrun version",
		Args:    wants(0, 0, "no arguments"),
		RunE: a.does(func(context.Context, []string) error {
			t := newTable(leftColumns(2)...)
			for _, l := range versionLines(a.backends) {
				t.row(l[0], l[1])
			}
			return a.print(t.String())
		}),
	}
}

// versionLines are the rows of "sgrun version".
func versionLines(backends []backend) [][2]string {
	var have, lack []string
	for _, b := range backends {
		if b.open != nil {
			have = append(have, b.name+" ("+b.about+")")
		} else {
			lack = append(lack, b.name)
		}
	}
	lines := [][2]string{
		{"sgrun", strings.TrimPrefix(versionLine(), "sgrun ")},
		{"go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{"spir-v grammar", fmt.Sprintf("%s, %d instructions", module.VersionString(asm.DefaultVersion), len(grammar.Instructions()))},
		{"backends", strings.Join(have, ", ")},
	}
	if len(lack) > 0 {
		lines = append(lines, [2]string{"not built in", strings.Join(lack, ", ")})
	}
	return lines
}

// versionLine is the version of sgrun with the revision it was built from, as far as the build recorded them.
func versionLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "sgrun (version not recorded in the build)"
	}
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	var revision, when, changed string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.time":
			when = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with changes"
			}
		}
	}
	if revision == "" {
		return "sgrun " + version
	}
	return fmt.Sprintf("sgrun %s, revision %.12s%s, %s", version, revision, changed, when)
}
