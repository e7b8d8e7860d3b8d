package matrix

import (
	"fmt"
	"strings"
)

// Verdict is the answer of [Check] in a word.
type Verdict string

// The verdicts.
const (
	// VerdictPacked: it is the packing of the matrix.
	VerdictPacked Verdict = "packed"
	// VerdictIndistinct: it is the packing of the matrix, but a wrong packing of this matrix would look the same.
	VerdictIndistinct Verdict = "packed-but-indistinct"
	// VerdictWrong: it is not the packing, and looks like the one thing in Looks.
	VerdictWrong Verdict = "wrong"
	// VerdictAmbiguous: it is not the packing, and this matrix cannot tell which of those in Looks it is.
	VerdictAmbiguous Verdict = "ambiguous"
	// VerdictUnknown: it is not the packing, and nothing that Check knows.
	VerdictUnknown Verdict = "unknown"
)

// Report is what [Check] found. It is plain data: it prints with String and marshals to JSON.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Layout is the layout that was checked, with its leading dimensions filled in.
	Layout       Layout `json:"layout"`
	SubGroupSize int    `json:"sub_group_size"`
	// Places counts the elements and the places of the padding; Differ those that hold something else than they
	// should, DifferPadding how many of these are padding, Missing those beyond the end of the packed buffer.
	Places        int `json:"places"`
	Differ        int `json:"differ"`
	DifferPadding int `json:"differ_padding"`
	Missing       int `json:"missing"`
	// NeedBytes is what the packing takes, HaveBytes what the packed buffer has.
	NeedBytes int `json:"need_bytes"`
	HaveBytes int `json:"have_bytes"`
	// Reordered says that the packed buffer holds the right values, each as often as it should, but not in their places.
	Reordered bool `json:"reordered"`
	// Looks lists what the packed matrix looks like, the one that accounts for most of it first; for
	// VerdictIndistinct, what it could be as well.
	Looks []Diagnosis `json:"looks"`
	// Cut says that the search for wrong packings ended before all were tried.
	Cut bool `json:"cut"`
	// First lists the first places that hold something else than they should, by row.
	First []Misplaced `json:"first"`
}

// Diagnosis is one thing that a packed matrix looks like.
type Diagnosis struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// Found is the number it was made with: the factor, the width in bits, the leading dimension (of the source in
	// elements, of the packed matrix in words), the rows or columns of a tile, the constant byte; 0 where there is none.
	Found int `json:"found"`
	// Compared is how many places of the packed buffer bear it out.
	Compared int `json:"compared"`
	// Also lists other kinds that are the very same thing for a matrix of this shape.
	Also []Kind `json:"also,omitempty"`
}

// Position is an element by row and column.
type Position struct {
	K int `json:"k"`
	N int `json:"n"`
}

// Misplaced is a place in the packed matrix that holds something else than it should.
type Misplaced struct {
	// K and N are the row and column of the element that belongs there; row K and on are padding.
	K       int  `json:"k"`
	N       int  `json:"n"`
	Padding bool `json:"padding,omitempty"`
	// Word and Bit are where it should be: the index of the 32-bit word in the packed buffer and its lowest bit there.
	Word int `json:"word"`
	Bit  int `json:"bit"`
	// PackedRow is the packed row of that word, Lane the lane that holds the column: N mod SubGroupSize.
	PackedRow int `json:"packed_row"`
	Lane      int `json:"lane"`
	// Want is the element, Got what is there, both as bits.
	Want uint32 `json:"want"`
	Got  uint32 `json:"got"`
	// From is the element whose value was found, if just one element of the matrix has it.
	From *Position `json:"from,omitempty"`
}

// OK says whether the packed matrix is the packing of the original, also where the matrix cannot rule out that a wrong
// packing looks the same (VerdictIndistinct).
func (r Report) OK() bool { return r.Verdict == VerdictPacked || r.Verdict == VerdictIndistinct }

// decide sets the verdict from the rest.
func (r *Report) decide() {
	right := r.Differ == 0 && r.Missing == 0
	switch {
	case right && len(r.Looks) == 0:
		r.Verdict = VerdictPacked
	case right:
		r.Verdict = VerdictIndistinct
	case len(r.Looks) == 0:
		r.Verdict = VerdictUnknown
	case len(r.Looks) == 1:
		r.Verdict = VerdictWrong
	default:
		r.Verdict = VerdictAmbiguous
	}
}

// String tells the report in full: what it is, what it looks like, the first elements out of place. The lines end
// without a newline at the very end.
func (r Report) String() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.OK() {
		say("This is the VNNI packing of %s (factor %d).", r.Layout, r.Layout.Factor())
	} else {
		say("This is not the VNNI packing of %s (factor %d): %s.", r.Layout, r.Layout.Factor(), r.amount())
	}
	switch r.Verdict {
	case VerdictIndistinct:
		say("But this matrix cannot tell it from a wrong packing; choose one whose elements differ. It could also be:")
		r.list(say)
	case VerdictWrong:
		say("It looks like: %s%s.", r.Looks[0].Text, r.Looks[0].also())
	case VerdictAmbiguous:
		say("Cannot tell what it is, this matrix does not distinguish: choose one whose elements differ. It could be:")
		r.list(say)
	case VerdictUnknown:
		switch {
		case r.HaveBytes == 0:
			say("The packed buffer is empty.")
		case r.Reordered:
			say("It is none of the known wrong packings, but all the right values are there, in another order.")
		default:
			say("It is none of the known wrong packings, and holds other values than the matrix.")
		}
	}
	if r.HaveBytes != r.NeedBytes {
		say("The packed buffer has %d bytes, the packing takes %d.", r.HaveBytes, r.NeedBytes)
	}
	if r.Cut {
		say("The search for wrong packings was cut short; there may be others that fit.")
	}
	if len(r.First) > 0 {
		say("First elements out of place (sub-group size %d):", r.SubGroupSize)
	}
	for _, m := range r.First {
		say("  %s", m.in(r.Layout))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r Report) list(say func(string, ...any)) {
	for _, d := range r.Looks {
		say("  - %s%s", d.Text, d.also())
	}
}

// amount says how much is wrong.
func (r Report) amount() string {
	var s []string
	if n := r.Differ - r.DifferPadding; n > 0 {
		s = append(s, fmt.Sprintf("%d of %d elements differ", n, r.Layout.K*r.Layout.N))
	}
	if r.DifferPadding > 0 {
		s = append(s, fmt.Sprintf("%d of %d places in the padding are not zero", r.DifferPadding, r.Places-r.Layout.K*r.Layout.N))
	}
	if r.Missing > 0 {
		s = append(s, fmt.Sprintf("%d of %d places are missing at the end", r.Missing, r.Places))
	}
	return strings.Join(s, ", ")
}

func (d Diagnosis) also() string {
	if len(d.Also) == 0 {
		return ""
	}
	s := make([]string, len(d.Also))
	for i, k := range d.Also {
		s[i] = string(k)
	}
	return " (for this shape the same as: " + strings.Join(s, ", ") + ")"
}

// in tells one misplaced element.
func (m Misplaced) in(l Layout) string {
	digits := l.Bits / 4
	s := fmt.Sprintf("row %d, column %d (lane %d), ", m.K, m.N, m.Lane)
	if m.Padding {
		s = fmt.Sprintf("padding below row %d, column %d (lane %d), ", l.K-1, m.N, m.Lane)
	}
	s += fmt.Sprintf("word %d, bits %d to %d: should be 0x%0*x, is 0x%0*x",
		m.Word, m.Bit, m.Bit+l.Bits-1, digits, m.Want, digits, m.Got)
	if m.From != nil {
		s += fmt.Sprintf(", which belongs to row %d, column %d", m.From.K, m.From.N)
	}
	return s
}
