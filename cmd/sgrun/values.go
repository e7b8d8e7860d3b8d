package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sgrun/sgrun/runner/value"
)

// show is one --print: which buffer, and how.
type show struct {
	buffer string
	typ    value.Type // the zero type is the buffer's own
	format value.Format
}

// parseShow reads NAME[:TYPE][:hex][:packedBITS].
func parseShow(text string) (show, error) {
	name, rest, more := strings.Cut(text, ":")
	s := show{buffer: name}
	if name == "" {
		e := usage("--print %q names no buffer", text)
		e.Try = "--print out, --print out:v2u16, --print out:hex, or --print out:packed16"
		return s, e
	}
	for more {
		var word string
		word, rest, more = strings.Cut(rest, ":")
		if bits, ok := strings.CutPrefix(word, "packed"); ok {
			n, err := strconv.Atoi(bits)
			if err != nil || n != 4 && n != 8 && n != 16 && n != 32 {
				return s, usage("--print %s: %s is not packed4, packed8, packed16 or packed32", text, word)
			}
			s.format.Parts = n
			continue
		}
		if word == "hex" {
			s.format.Hex = true
			continue
		}
		t, err := value.ParseType(word)
		if err != nil {
			e := usage("--print %s: %q is neither a type nor hex nor packed8, packed16, ...", text, word)
			e.Try = "--print " + name + ":v2u16"
			return s, e
		}
		s.typ = t
	}
	return s, nil
}

// of returns the array as it is to be printed.
func (s *show) of(a *value.Array) (*value.Array, error) {
	if s.typ != (value.Type{}) {
		as, err := a.As(s.typ)
		if err != nil {
			e := usage("--print %s:%v", s.buffer, s.typ)
			e.Err = err
			return nil, e
		}
		a = as
	}
	if p := s.format.Parts; p > 0 && (a.Type.Scalar.Bits() <= p || a.Type.Scalar.Float()) {
		return nil, usage("--print %s:packed%d: %v is not made of parts of %d bits", s.buffer, p, a.Type, p)
	}
	return a, nil
}

// lineWidth is how wide lines of numbers get, in characters.
const lineWidth = 96

// writeArray writes the first elements of an array, n of them or all where n is negative. A few stand on one line; more
// stand in columns, each line beginning with the index of its first element. Vectors stand as <x,y>, an element each.
func writeArray(w io.Writer, a *value.Array, n int, f value.Format, in string) error {
	if n < 0 || n > a.Count {
		n = a.Count
	}
	if n == 0 {
		return nil
	}
	width, total := 0, 0
	for i := range n {
		l := utf8.RuneCountInString(a.Element(i, f))
		width, total = max(width, l), total+l+1
		if width > lineWidth {
			break
		}
	}
	if total-1 <= lineWidth && width <= lineWidth {
		_, err := fmt.Fprintf(w, "%s%s\n", in, a.Head(n, lineWidth+4*n, f))
		return err
	}
	index := len(strconv.Itoa(n - 1))
	perLine := 1
	for 2*perLine*(width+1) <= lineWidth {
		perLine *= 2
	}
	var line strings.Builder
	for i := 0; i < n; i += perLine {
		line.Reset()
		fmt.Fprintf(&line, "%s%*d:", in, index, i)
		for j := i; j < min(i+perLine, n); j++ {
			if e := a.Element(j, f); a.Type.Comps > 1 {
				fmt.Fprintf(&line, " %-*s", width, e)
			} else {
				fmt.Fprintf(&line, " %*s", width, e)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
