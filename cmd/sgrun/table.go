package main

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// table is rows of aligned columns without lines, the same for terminals and pipes.
type table struct {
	align  []tw.Align
	header []string
	rows   [][]string
}

// newTable makes a table with a column for each alignment.
func newTable(align ...tw.Align) *table { return &table{align: align} }

const (
	left  = tw.AlignLeft
	right = tw.AlignRight
)

// leftColumns returns the alignment of n columns of text.
func leftColumns(n int) []tw.Align {
	a := make([]tw.Align, n)
	for i := range a {
		a[i] = left
	}
	return a
}

func (t *table) head(cells ...string) { t.header = cells }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// String draws the table. Lines end without spaces, so that the text can be compared and pasted.
func (t *table) String() string {
	if len(t.rows) == 0 && len(t.header) == 0 {
		return ""
	}
	var b strings.Builder
	align := tw.CellAlignment{Global: left, PerColumn: t.align}
	w := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(align),
		tablewriter.WithRowAlignmentConfig(align),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: "  ", Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	if t.header != nil {
		w.Header(t.header)
	}
	for _, r := range t.rows {
		if err := w.Append(r); err != nil {
			panic(err) // a strings.Builder takes everything, and rows are strings
		}
	}
	if err := w.Render(); err != nil {
		panic(err)
	}
	return trimLines(b.String())
}

// trimLines takes the spaces from the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// indent puts the same text before each line.
func indent(s, by string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		if strings.TrimSuffix(l, "\n") != "" {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "")
}
