package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// valReport is the JSON form of what "sgrun val" found.
type valReport struct {
	// Module is the file or catalogue name as given.
	Module string `json:"module"`
	Valid  bool   `json:"valid"`
	// Violations are the broken rules in the order in which they were found.
	Violations []val.Violation `json:"violations"`
	// More says that there may be further violations.
	More bool `json:"more,omitempty"`
	// Error is why the module could not be read at all.
	Error string `json:"error,omitempty"`
}

func (a *app) valCommand() *cobra.Command {
	var (
		out    string
		format choice
	)
	cmd := &cobra.Command{
		Use:   "val MODULE...",
		Short: "Check modules against the SPIR-V specification",
		Long: fmt.Sprintf(`Check modules against the SPIR-V specification: header, order of instructions, operands, ids, types,
capabilities, extensions, control flow, and the rules of SPV_INTEL_subgroup_bitcast_shuffle.
Every violation is printed with the rule and its section, the instruction, the function and the
offset in words, %d at most. A valid module gets a line "OK".

The exit status is 4 where a module is invalid.`, val.MaxViolations),
		Example: `  sgrun val kernel.spv
  sgrun val bitcast-shuffle/u32-to-v2u16
  sgrun val --format json kernel.spvasm`,
		Args:              wants(1, -1, "a module: a .spv or .spvasm file, a name of the catalogue, or - for standard input"),
		ValidArgsFunction: a.completeModules,
		RunE: a.does(func(ctx context.Context, args []string) error {
			reports := []valReport{}
			invalid := 0
			for _, name := range args {
				r, err := a.validate(ctx, name)
				if err != nil {
					return err
				}
				if !r.Valid {
					invalid++
				}
				reports = append(reports, *r)
			}
			var err error
			if format.value == "json" {
				err = a.writeJSON(out, reports)
			} else {
				err = a.write(out, []byte(a.valText(reports)))
			}
			if err == nil && invalid > 0 {
				return exitStatus(device.Module.ExitStatus())
			}
			return err
		}),
	}
	addChoice(cmd, &format, "format", "", "how to report", "table", "json")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the report to `FILE` instead of standard output")
	return cmd
}

// validate checks one module. The error is about files.
func (a *app) validate(ctx context.Context, name string) (*valReport, error) {
	src, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &valReport{Module: src.Name, Violations: []val.Violation{}}
	b, _, err := src.Decode()
	if err != nil {
		r.Error = err.Error()
		return r, nil
	}
	_, err = val.Load(b)
	var broken *module.Error
	var rules *val.Error
	switch {
	case err == nil:
		r.Valid = true
	case errors.As(err, &rules):
		r.Violations, r.More = rules.Violations, rules.More
	case errors.As(err, &broken): // no model could be made: there may be more
		r.Violations, r.More = []val.Violation{{Rule: broken.Reason, Instruction: broken.Instruction, ID: broken.ID,
			Function: broken.Function, Offset: broken.Offset}}, true
	default:
		return nil, err
	}
	return r, nil
}

// valText prints the reports for people.
func (a *app) valText(reports []valReport) string {
	var b strings.Builder
	for _, r := range reports {
		if r.Valid {
			fmt.Fprintf(&b, "%s: %s\n", r.Module, a.paint(a.outTerminal, green, "OK"))
			continue
		}
		if r.Error != "" {
			fmt.Fprintln(&b, r.Error)
		}
		for _, v := range r.Violations {
			fmt.Fprintf(&b, "%s: %s %s\n", r.Module, a.paint(a.outTerminal, red, "invalid:"), v.Rule)
			t := newTable(leftColumns(2)...)
			if v.Instruction != "" {
				t.row("instruction", v.Instruction)
			}
			if v.Function != "" {
				t.row("function", v.Function)
			}
			if v.Offset > 0 {
				t.row("word offset", fmt.Sprint(v.Offset))
			}
			if v.Section != "" {
				t.row("rule", v.Section)
			}
			b.WriteString(indent(t.String(), "  "))
		}
		if r.More {
			fmt.Fprintf(&b, "%s: there may be more\n", r.Module)
		}
	}
	return b.String()
}
