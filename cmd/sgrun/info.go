package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/spirv/module"
)

func (a *app) infoCommand() *cobra.Command {
	var (
		rep    report
		kernel string
	)
	cmd := &cobra.Command{
		Use:   "info MODULE",
		Short: "Show a module's kernels, their parameters and what they need",
		Long: `Show what a module says about itself: its entry points with their parameters (name, type, size,
storage class) or shader resources (set and binding, layout), required sizes, specialization
constants, capabilities and extensions. MODULE is a .spv or .spvasm file, a name of the catalogue,
or - for standard input. The module is checked first: an invalid one ends with exit status 4.

Types are spelled u32, v4f16, ptr<CrossWorkgroup,u32>; sizes and offsets are bytes.`,
		Example: `  sgrun info bitcast-shuffle/u32-to-v2u16
  sgrun info --format json kernel.spv`,
		Args:              wants(1, 1, "a module: a .spv or .spvasm file, a name of the catalogue, or - for standard input"),
		ValidArgsFunction: a.completeModule,
		RunE: a.does(func(ctx context.Context, args []string) error {
			if err := rep.noJUnit("info"); err != nil {
				return err
			}
			src, err := a.load(ctx, args[0])
			if err != nil {
				return err
			}
			info := module.Reflect(src.Module)
			if kernel != "" {
				if err := oneEntry(info, kernel); err != nil {
					return err
				}
			}
			if rep.format.value == "json" {
				return a.writeJSON(rep.file, info)
			}
			return a.write(rep.file, []byte(infoText(src.Name, info)))
		}),
	}
	addReport(cmd, &rep)
	cmd.Flags().StringVarP(&kernel, "kernel", "k", "", "show only the entry point `NAME`")
	if err := cmd.RegisterFlagCompletionFunc("kernel", a.completeKernel); err != nil {
		panic(err)
	}
	return cmd
}

// oneEntry leaves the entry point with the name.
func oneEntry(info *module.Info, name string) error {
	var there []string
	for _, e := range info.EntryPoints {
		if e.Name == name {
			info.EntryPoints = []module.Entry{e}
			return nil
		}
		there = append(there, e.Name)
	}
	e := usage("the module has no entry point %q", name)
	e.Try = "-k with one of " + strings.Join(there, ", ")
	return e
}

// infoText prints reflection for people.
func infoText(name string, info *module.Info) string {
	var b strings.Builder
	t := newTable(leftColumns(2)...)
	t.row("module", name)
	t.row("version", "SPIR-V "+info.Version)
	t.row("generator", generatorText(info.Generator))
	t.row("memory", info.Addressing+" "+info.MemoryModel)
	for _, s := range info.Sources {
		t.row("source", strings.TrimSpace(fmt.Sprintf("%s %d %s", s.Language, s.Version, s.File)))
	}
	listRow(t, "capabilities", info.Capabilities)
	listRow(t, "extensions", info.Extensions)
	listRow(t, "imports", info.Imports)
	b.WriteString(t.String())
	if len(info.SpecConstants) > 0 {
		b.WriteString("\nspecialization constants\n")
		t := newTable(right, left, left, right)
		t.head("id", "name", "type", "default")
		for _, c := range info.SpecConstants {
			t.row(fmt.Sprint(c.ID), c.Name, c.Type, c.Default)
		}
		b.WriteString(indent(t.String(), "  "))
	}
	for i := range info.EntryPoints {
		b.WriteString("\n")
		entryText(&b, &info.EntryPoints[i])
	}
	if len(info.EntryPoints) == 0 {
		b.WriteString("\nno entry points\n")
	}
	if info.Truncated {
		b.WriteString("\nsome members of structures are left out\n")
	}
	return b.String()
}

// listRow adds a row with a list, where there is one.
func listRow(t *table, name string, list []string) {
	if len(list) > 0 {
		t.row(name, strings.Join(list, ", "))
	}
}

func generatorText(g module.Generator) string {
	name := g.Name
	if name == "" {
		name = fmt.Sprintf("tool %d", g.Tool)
	}
	return fmt.Sprintf("%s, version %d", name, g.Version)
}

// entryText prints one entry point.
func entryText(b *strings.Builder, e *module.Entry) {
	model := map[string]string{"Kernel": "kernel", "GLCompute": "compute shader"}[e.Model]
	if model == "" {
		model = e.Model + " shader"
	}
	fmt.Fprintf(b, "%s %s\n", model, e.Name)
	t := newTable(leftColumns(2)...)
	if s := e.RequiredGroupSize; s != nil {
		t.row("work-group size", fmt.Sprintf("%d,%d,%d required", s[0], s[1], s[2]))
	}
	if s := e.HintedGroupSize; s != nil {
		t.row("work-group size", fmt.Sprintf("%d,%d,%d hinted", s[0], s[1], s[2]))
	}
	if e.SubgroupSize > 0 {
		t.row("sub-group size", fmt.Sprintf("%d required", e.SubgroupSize))
	}
	if e.WorkgroupBytes > 0 {
		t.row("work-group memory", fmt.Sprintf("%d bytes", e.WorkgroupBytes))
	}
	listRow(t, "modes", e.Modes)
	var builtIns []string
	for _, v := range e.Inputs {
		builtIns = append(builtIns, v.BuiltIn+" "+v.Type)
	}
	listRow(t, "built-ins", builtIns)
	b.WriteString(indent(t.String(), "  "))
	parameterTable(b, e.Parameters)
	resourceTable(b, e.Resources)
}

// parameterTable prints the parameters of a kernel.
func parameterTable(b *strings.Builder, params []module.Parameter) {
	if len(params) == 0 {
		return
	}
	t := newTable(right, left, left, right, right, left, left)
	t.head("#", "parameter", "type", "size", "align", "storage", "notes")
	for _, p := range params {
		var notes []string
		if p.SourceType != "" {
			notes = append(notes, "in the source: "+p.SourceType)
		}
		if p.Access != "" {
			notes = append(notes, p.Access)
		}
		if p.Pointee != "" && !p.ByVal {
			notes = append(notes, fmt.Sprintf("elements of %d bytes", p.PointeeSize))
		}
		for _, attr := range p.Attributes {
			if attr == "ByVal" {
				attr = "by value"
			}
			notes = append(notes, attr)
		}
		storage := p.StorageClass
		if p.AddressSpace != "" {
			storage += " (" + p.AddressSpace + ")"
		}
		t.row(fmt.Sprint(p.Index), p.Name, p.Type, fmt.Sprint(p.Size), fmt.Sprint(p.Align), storage, strings.Join(notes, ", "))
		memberRows(t, "  ", p.Members)
	}
	b.WriteString(indent(t.String(), "  "))
}

// resourceTable prints the resources of a shader.
func resourceTable(b *strings.Builder, resources []module.Resource) {
	if len(resources) == 0 {
		return
	}
	t := newTable(right, left, left, right, right, left, left)
	t.head("binding", "resource", "type", "size", "align", "storage", "notes")
	for _, r := range resources {
		slot := "push"
		if r.Set != nil && r.Binding != nil {
			slot = fmt.Sprintf("%d.%d", *r.Set, *r.Binding)
		}
		var notes []string
		if r.Stride > 0 {
			notes = append(notes, fmt.Sprintf("then elements of %d bytes", r.Stride))
		}
		if r.Count > 0 {
			notes = append(notes, fmt.Sprintf("%d descriptors", r.Count))
		}
		notes = append(notes, r.Attributes...)
		t.row(slot, r.Name, r.Type, fmt.Sprint(r.Size), fmt.Sprint(r.Align), r.StorageClass, strings.Join(notes, ", "))
		memberRows(t, "  ", r.Members)
	}
	b.WriteString(indent(t.String(), "  "))
}

// memberRows adds a row for each member of a structure, deeper ones further in.
func memberRows(t *table, in string, members []module.Member) {
	for _, m := range members {
		note := fmt.Sprintf("offset %d", m.Offset)
		if m.Stride > 0 {
			note += fmt.Sprintf(", stride %d", m.Stride)
		}
		if m.RowMajor {
			note += ", row-major"
		}
		t.row("", in+m.Name, in+m.Type, fmt.Sprint(m.Size), "", "", note)
		memberRows(t, in+"  ", m.Members)
	}
}
