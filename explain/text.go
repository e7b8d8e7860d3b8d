package explain

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Explanation is what an instruction does with the lanes of a sub-group, ready to be written.
type Explanation struct {
	name  string // as on the command line
	title string
	// notes say how to read it, in sentences, and notation what the marks in the table mean.
	notes, notation []string
	lanes           int
	table           []row // the first row is that of the lanes
	// lines are the text in place of the table, where lanes are not read in order.
	lines   [][]span
	picture *picture
}

// row is a row of a table that has a column for each lane.
type row struct {
	head  string
	cells [][]span
	gap   bool // an empty line comes before
}

// span is a piece of text that belongs to a lane; noLane where it belongs to none.
type span struct {
	text string
	lane int
}

const noLane = -1

// mark is punctuation: text that belongs to no lane.
func mark(text string) span { return span{text, noLane} }

func laneCell(lane int) []span { return []span{{fmt.Sprint(lane), lane}} }

func plainText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// Lanes is the number of lanes, each of which has a colour.
func (e *Explanation) Lanes() int { return e.lanes }

// Title is one line that says what is explained.
func (e *Explanation) Title() string { return e.title }

// textWidth is the number of characters that lines of text keep to where they can.
const textWidth = 100

// Text writes the explanation as lines of text. paint colours what comes from a lane; nil leaves all plain.
func (e *Explanation) Text(paint func(lane int, s string) string) string {
	p := painter(func(lane int, s string) string { return s })
	if paint != nil {
		p = paint
	}
	var b strings.Builder
	b.WriteString(e.title + "\n\n")
	if e.lines != nil {
		for _, l := range e.lines {
			b.WriteString(p.line(l) + "\n")
		}
	} else {
		p.table(&b, e.table, e.lanes)
	}
	b.WriteString("\n")
	for _, n := range append(append([]string{}, e.notes...), e.notation...) {
		for _, l := range wrap(n, textWidth) {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

type painter func(lane int, s string) string

func (p painter) line(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.lane == noLane {
			b.WriteString(s.text)
		} else {
			b.WriteString(p(s.lane, s.text))
		}
	}
	return b.String()
}

// table writes lanes across, in blocks where they are too many for a line. A few rows of long cells are read best with a
// lane a line.
func (p painter) table(b *strings.Builder, rows []row, lanes int) {
	const between = 2
	head, cell := 0, 0
	for _, r := range rows {
		head = max(head, utf8.RuneCountInString(r.head))
		for _, c := range r.cells {
			cell = max(cell, utf8.RuneCountInString(plainText(c)))
		}
	}
	fit := (textWidth - head + between - 1) / (cell + between) // the last cell of a line needs no space behind it
	if fit < lanes && fit < 4 && len(rows) <= 3 {
		p.lanesDown(b, rows, lanes)
		return
	}
	block := lanes
	if fit < lanes { // a power of two, so that blocks are easy to compare
		block = 1 << (bits.Len(uint(max(fit, 1))) - 1)
	}
	for from := 0; from < lanes; from += block {
		if from > 0 {
			b.WriteString("\n")
		}
		for _, r := range rows {
			if r.gap {
				b.WriteString("\n")
			}
			writeCells(b, head+between, []span{mark(r.head)}, cell+between, r.cells[from:min(from+block, lanes)], p)
		}
	}
}

// lanesDown writes a table turned on its side.
func (p painter) lanesDown(b *strings.Builder, rows []row, lanes int) {
	widths := make([]int, len(rows))
	heads := make([]string, len(rows))
	for i, r := range rows {
		heads[i] = strings.TrimSuffix(r.head, ":")
		widths[i] = utf8.RuneCountInString(heads[i]) + 2
		for _, c := range r.cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(plainText(c))+2)
		}
	}
	line := func(cell func(i int) []span) {
		pad := 0
		for i := range rows {
			c := cell(i)
			b.WriteString(strings.Repeat(" ", pad) + p.line(c))
			pad = widths[i] - utf8.RuneCountInString(plainText(c))
		}
		b.WriteString("\n")
	}
	line(func(i int) []span { return []span{mark(heads[i])} })
	for lane := range lanes {
		line(func(i int) []span { return rows[i].cells[lane] })
	}
}

// writeCells writes a line of cells. It ends without spaces.
func writeCells(b *strings.Builder, headWidth int, head []span, width int, cells [][]span, p painter) {
	b.WriteString(p.line(head))
	pad := headWidth - utf8.RuneCountInString(plainText(head))
	for _, c := range cells {
		b.WriteString(strings.Repeat(" ", pad) + p.line(c))
		pad = width - utf8.RuneCountInString(plainText(c))
	}
	b.WriteString("\n")
}

// wrap breaks a sentence into lines of at most so many characters, as far as its words allow.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
