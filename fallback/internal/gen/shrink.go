package gen

import (
	"slices"
	"strings"
)

// once is the count of a loop that does not need more.
const once = "%u32_1"

// maxTries bounds how many smaller programs Shrink tries.
const maxTries = 2000

// Shrink cuts a program down while fails holds: statements are left out, many at a time first; selections and loops are
// replaced by what is in them; loops run once, operands become null. The program given must fail.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	tries := 0
	for again := true; again && tries < maxTries; {
		again = false
		for n := 0; tries < maxTries; n++ {
			q := p.Clone()
			changed, more := q.edit(n)
			if !more {
				break
			}
			if !changed {
				continue
			}
			tries++
			if fails(q) {
				p, again = q, true
				n--
			}
		}
	}
	return p
}

// edit makes the n-th smaller program of this one. more is false where n is past the last.
func (p *Program) edit(n int) (changed, more bool) {
	e := editor{n: n}
	for _, f := range p.Funcs {
		f.Body = e.list(f.Body)
	}
	p.Main = e.list(p.Main)
	return e.changed, e.n < 0
}

type editor struct {
	n       int // edits still to be passed over; below 0 when done
	changed bool
}

// turn reports whether it is this edit's turn.
func (e *editor) turn() bool {
	e.n--
	return e.n == -1
}

func (e *editor) list(list []*Stmt) []*Stmt {
	for size := len(list) / 2; size > 1; size /= 2 {
		for at := 0; at < len(list); at += size {
			if e.turn() {
				e.changed = true
				return append(list[:at:at], list[min(at+size, len(list)):]...)
			}
		}
	}
	for i := 0; i < len(list) && e.n >= 0; i++ {
		s := list[i]
		rest := list[i+1:]
		if e.turn() {
			e.changed = true
			return append(list[:i:i], rest...)
		}
		for j := range s.Bodies {
			if e.turn() { // the body in place of the whole
				e.changed = true
				return append(append(list[:i:i], s.Bodies[j]...), rest...)
			}
			s.Bodies[j] = e.list(s.Bodies[j])
		}
		if (s.Kind == If || s.Kind == Switch || s.Kind == Loop) && len(s.Res)+len(s.Carry) > 0 && e.turn() {
			// Without results; a loop keeps its counter.
			e.changed = true
			if s.Kind == Loop {
				s.Carry, s.Init = nil, nil
			} else {
				s.Res = nil
			}
		}
		if s.Kind == Loop && s.Args[0].Lit != once && e.turn() {
			e.changed = true
			s.Args[0].Lit = once
		}
		for j, a := range s.Args {
			variable := j == 0 && (s.Kind == Load || s.Kind == Store) || strings.HasPrefix(a.Type, pointerTo)
			if a.Lit == "" && !variable && e.turn() {
				e.changed = true
				s.Args[j].Lit = "%null_" + a.Type
			}
		}
	}
	return list
}

// pure are the instructions that Tidy leaves out where nobody uses the result. Extensions of them end in a space.
var pure = []string{
	"OpCompositeExtract ", "OpCompositeConstruct ", "OpCopyObject ", "OpLoad ", "OpIMul ", "OpIAdd ", "OpUConvert ", "OpAccessChain ", "OpInBoundsPtrAccessChain ",
	"OpConstant ", "OpConstantNull ", "OpConstantTrue ", "OpConstantFalse ", "OpTypeVector ", "OpTypeArray ", "OpTypeStruct ", "OpTypePointer ", "OpTypeInt ", "OpTypeFloat ",
	"OpTypeBool",
}

// Tidy leaves lines out of a module's text that define what nobody uses.
func Tidy(text string) string {
	for {
		uses := map[string]int{}
		for _, w := range strings.Fields(text) {
			uses[w]++
		}
		var b strings.Builder
		for line := range strings.Lines(text) {
			id, def, ok := strings.Cut(strings.TrimSpace(line), " = ")
			if !ok || uses[id] > 1 || !slices.ContainsFunc(pure, func(op string) bool { return strings.HasPrefix(def, op) }) {
				b.WriteString(line)
			}
		}
		if b.Len() == len(text) {
			return text
		}
		text = b.String()
	}
}
