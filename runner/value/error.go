package value

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong with a text in the VALUE syntax or with a file it names, and where.
type Error struct {
	Text    string // the whole text; empty where a file is at fault
	Offset  int    // bytes from its start
	Message string // a sentence without the full stop
	Try     string // what the user can do, without the full stop; may be empty
	Err     error  // the cause, if any
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the message, then the text with a caret below the place.
func (e *Error) Error() string {
	s := e.Message
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Text != "" {
		line, caret := e.excerpt()
		s += "\n    " + line + "\n    " + caret
	}
	if e.Try != "" {
		s += "\n  try: " + e.Try
	}
	return s
}

// excerpt returns one line of the text around the offset and a line with a caret below it.
func (e *Error) excerpt() (line, caret string) {
	const before, after = 40, 30
	from, to := max(0, e.Offset-before), min(len(e.Text), e.Offset+after)
	off := min(max(e.Offset, 0), len(e.Text))
	for from > 0 && !utf8.RuneStart(e.Text[from]) {
		from--
	}
	for to < len(e.Text) && !utf8.RuneStart(e.Text[to]) {
		to++
	}
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r == utf8.RuneError {
				return '?'
			}
			return r
		}, s)
	}
	head, tail := clean(e.Text[from:off]), clean(e.Text[off:max(off, to)])
	if from > 0 {
		head = "…" + head
	}
	if to < len(e.Text) {
		tail += "…"
	}
	return head + tail, strings.Repeat(" ", utf8.RuneCountInString(head)) + "^"
}

// BudgetError says that values would take more memory than is allowed.
type BudgetError struct {
	Need, Left uint64 // bytes
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s are more than the %s left of the memory budget", bytesText(e.Need), bytesText(e.Left))
}

// bytesText prints a size in bytes, with the binary unit where it is a large one.
func bytesText(n uint64) string {
	switch {
	case n >= 1<<40:
		return fmt.Sprintf("%d bytes (%.4g TiB)", n, float64(n)/(1<<40))
	case n >= 1<<30:
		return fmt.Sprintf("%d bytes (%.4g GiB)", n, float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d bytes (%.4g MiB)", n, float64(n)/(1<<20))
	case n == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
