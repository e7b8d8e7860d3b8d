package value

import (
	"fmt"
	"iter"
	"strings"
)

// Item is one entry of a list: a number, or the numbers of one vector in < >.
type Item struct {
	Numbers []string // valid until the next item
	Vector  bool     // written as a vector
	At      int      // where it stands: bytes in a text, index in a JSON array; -1 in an error about the whole list
}

// ItemError is an error about one entry of a list.
type ItemError struct {
	Item    Item
	Message string // a sentence without the full stop
	Try     string // may be empty
}

func (e *ItemError) Error() string { return e.Message }

// FromItems makes an array of the numbers. A negative count is taken from the list; otherwise the list must hold as many,
// or exactly one element (one number, or one vector in < >), which is repeated.
func FromItems(t Type, count int, list iter.Seq[Item], budget *Budget) (*Array, error) {
	n, entries, groups := 0, 0, 0
	for it := range list {
		if it.Vector && (t.Comps == 1 || len(it.Numbers) != t.Comps) {
			if t.Comps == 1 {
				return nil, &ItemError{it, fmt.Sprintf("<…> is a vector, and %v is a scalar type", t), ""}
			}
			return nil, &ItemError{it, fmt.Sprintf("a vector of %d in a list of %v, which have %d components", len(it.Numbers), t, t.Comps), ""}
		}
		if it.Vector && n%t.Comps != 0 {
			return nil, &ItemError{it, fmt.Sprintf("a vector starts after %d numbers, in the middle of a %v", n, t), ""}
		}
		if it.Vector {
			groups++
		}
		n += len(it.Numbers)
		entries++
	}
	repeat := entries == 1 && (n == 1 || groups == 1)
	elements := n / t.Comps
	switch {
	case count < 0 && n%t.Comps != 0:
		return nil, &ItemError{Item{At: -1}, fmt.Sprintf("%d numbers are no whole number of %v, which have %d components", n, t, t.Comps), ""}
	case count < 0:
		count, repeat = elements, false
	case repeat:
	case n != count*t.Comps:
		e := &ItemError{Item{At: -1}, fmt.Sprintf("%v[%d] takes %d numbers, %d are given", t, count, count*t.Comps, n), "give all of them, or one that is repeated"}
		if t.Comps > 1 {
			e.Message = fmt.Sprintf("%v[%d] takes %d numbers (%d for each element), %d are given", t, count, count*t.Comps, t.Comps, n)
			e.Try = "give all of them, or one number or one <vector> that is repeated"
		}
		return nil, e
	}
	a, err := New(t, uint64(count), budget)
	if err != nil {
		return nil, err
	}
	at := 0
	for it := range list {
		for _, text := range it.Numbers {
			b, err := ParseNumber(text, t.Scalar)
			if err != nil {
				return nil, &ItemError{it, err.Error(), ""}
			}
			if at < a.Scalars() {
				a.SetBits(at/t.Comps, at%t.Comps, b)
			}
			at++
			if repeat && n == 1 {
				for ; at < min(t.Comps, a.Scalars()); at++ {
					a.SetBits(0, at, b)
				}
			}
		}
	}
	if repeat {
		a.repeatFirst()
	}
	return a, nil
}

// repeatFirst copies element 0 over all others.
func (a *Array) repeatFirst() {
	if a.Count < 2 {
		return
	}
	if bits := a.Type.Bits(); bits%8 == 0 {
		for done := bits / 8; done < len(a.Data); done *= 2 {
			copy(a.Data[done:], a.Data[:done])
		}
		return
	}
	for i := 1; i < a.Count; i++ {
		for c := range a.Type.Comps {
			a.SetBits(i, c, a.Bits(0, c))
		}
	}
}

// textItems cuts a list such as "1,<2,3>,4" into its entries. It has been checked by checkList.
func textItems(text string, at int) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		var one [1]string
		for pos := 0; pos <= len(text); {
			rest := text[pos:]
			trimmed := strings.TrimLeft(rest, " \t\n\r")
			pos += len(rest) - len(trimmed)
			if strings.HasPrefix(trimmed, "<") {
				end := strings.IndexByte(trimmed, '>')
				if end < 0 {
					return
				}
				var group []string
				for part := range strings.SplitSeq(trimmed[1:end], ",") {
					group = append(group, strings.TrimSpace(part))
				}
				if !yield(Item{group, true, at + pos}) {
					return
				}
				pos += end + 1
				if i := strings.IndexByte(text[pos:], ','); i >= 0 {
					pos += i + 1
					continue
				}
				return
			}
			end := strings.IndexByte(trimmed, ',')
			if end < 0 {
				end = len(trimmed)
			}
			one[0] = strings.TrimSpace(trimmed[:end])
			if !yield(Item{one[:], false, at + pos}) {
				return
			}
			pos += end + 1
		}
	}
}

// checkList finds what is no number of any type in the list and returns its offset and a message.
func checkList(text string) (at int, message string) {
	// What follows > must be a comma or the end.
	for pos, open := 0, -1; pos < len(text); pos++ {
		switch c := text[pos]; {
		case c == '<' && open >= 0:
			return pos, "< within a vector"
		case c == '<':
			open = pos
		case c == '>' && open < 0:
			return pos, "> without <"
		case c == '>':
			open = -1
			rest := strings.TrimLeft(text[pos+1:], " \t\n\r")
			if rest != "" && rest[0] != ',' {
				return pos + 1, "a comma is missing after a vector"
			}
		}
		if pos == len(text)-1 && open >= 0 {
			return open, "a vector without >"
		}
	}
	for it := range textItems(text, 0) {
		if it.Vector && len(it.Numbers) > 16 {
			return it.At, "a vector has at most 16 components"
		}
		for _, n := range it.Numbers {
			if n == "" {
				return it.At, "a number is missing"
			}
			if !numberLike(n) {
				return it.At, fmt.Sprintf("%s is no number", quote(n))
			}
		}
	}
	return 0, ""
}

// numberLike reports whether the text may be a number of some type; ParseNumber decides.
func numberLike(s string) bool {
	switch t := strings.ToLower(strings.TrimLeft(s, "+-")); t {
	case "inf", "nan", "infinity", "true", "false":
		return true
	case "":
		return false
	default:
		if t[0] != '.' && (t[0] < '0' || t[0] > '9') {
			return false
		}
	}
	return strings.Trim(s, "0123456789abcdefABCDEFxXpP+-._|") == ""
}
