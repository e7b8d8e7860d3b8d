package runner

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/value"
)

// Modes of comparison.
const (
	ModeBits     = "bits"     // bit patterns must be equal
	ModeULP      = "ulp"      // floats may be Max steps of their format apart
	ModeAbsolute = "absolute" // |got-want| may be Max
	ModeRelative = "relative" // |got-want| may be Max*|want|
)

// NaN rules.
const (
	NaNBits = "bits" // a NaN must have the same bits; the default of ModeBits
	NaNAny  = "any"  // a NaN equals any NaN; the default of all other modes, in which no other rule makes sense
)

// Comparison says when two numbers are the same. The zero value compares bits.
//
// In all modes an infinity equals only itself, and a NaN equals no number. Where tolerance is allowed, -0 equals 0.
// Integers compare exactly with ModeBits and by their difference with ModeAbsolute and ModeRelative; steps of a format are
// for floats only.
type Comparison struct {
	Mode string  `json:"mode"`
	Max  float64 `json:"max,omitempty"`
	NaN  string  `json:"nan,omitempty"`
}

// ParseTolerance reads the command line's --tolerance: "bits", "2ulp", "1e-6" (absolute), "1e-5rel" or "0.1%" (relative).
func ParseTolerance(text string) (Comparison, error) {
	number, mode := text, ModeAbsolute
	scale := 1.0
	switch {
	case text == ModeBits:
		return Comparison{Mode: ModeBits}, nil
	case strings.HasSuffix(text, "ulp"):
		number, mode = strings.TrimSuffix(text, "ulp"), ModeULP
	case strings.HasSuffix(text, "rel"):
		number, mode = strings.TrimSuffix(text, "rel"), ModeRelative
	case strings.HasSuffix(text, "%"):
		number, mode, scale = strings.TrimSuffix(text, "%"), ModeRelative, 0.01
	}
	x, err := strconv.ParseFloat(number, 64)
	c := Comparison{Mode: mode, Max: x * scale}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		e := usage("bad-tolerance", "%q is no tolerance", text)
		e.Try = "bits, 2ulp, 1e-6 (absolute), 1e-5rel (relative) or 0.1%"
		return Comparison{}, e
	}
	return c, nil
}

// check returns an error for a comparison that means nothing; it is a sentence without the full stop.
func (c Comparison) check() error {
	switch c.Mode {
	case "", ModeBits:
		if c.Max != 0 {
			return fmt.Errorf("mode bits has no max")
		}
	case ModeULP, ModeAbsolute, ModeRelative:
		if !(c.Max >= 0) || math.IsInf(c.Max, 0) {
			return fmt.Errorf("max must be a number of at least 0")
		}
		if c.NaN == NaNBits {
			return fmt.Errorf("nan bits is for mode bits only")
		}
	default:
		return unknownMode(c.Mode)
	}
	if c.NaN != "" && c.NaN != NaNBits && c.NaN != NaNAny {
		return fmt.Errorf("unknown rule %q for NaNs; there are bits and any", c.NaN)
	}
	return nil
}

var modes = []string{ModeBits, ModeULP, ModeAbsolute, ModeRelative}

func unknownMode(mode string) error {
	return fmt.Errorf("unknown mode %q; there are %s", mode, strings.Join(modes, ", "))
}

// String says in words what is compared.
func (c Comparison) String() string {
	switch c.Mode {
	case ModeULP:
		return fmt.Sprintf("within %g ulp", c.Max)
	case ModeAbsolute:
		return fmt.Sprintf("within %g", c.Max)
	case ModeRelative:
		return fmt.Sprintf("within %g of the value", c.Max)
	}
	if c.NaN == NaNAny {
		return "exact bits, any NaN for a NaN"
	}
	return "exact bits"
}

// maxFirst is how many differing numbers a Diff holds.
const maxFirst = 8

// Diff is how two arrays differ.
type Diff struct {
	Numbers   int          `json:"numbers"`   // compared, components of vectors one by one
	Different int          `json:"different"` // 0: they are equal
	First     []Difference `json:"first,omitempty"`
}

// Difference is one number that differs.
type Difference struct {
	Element   int    `json:"element"`
	Component *int   `json:"component,omitempty"` // of a vector
	Got       string `json:"got"`
	Want      string `json:"want"`
	GotHex    string `json:"got_bits"`
	WantHex   string `json:"want_bits"`
	Lane      *Lane  `json:"lane,omitempty"` // where the element belongs to one work-item
}

// Lane is the work-item that element i belongs to, where a one-dimensional launch has as many work-items as the buffer has
// elements and its work-items are numbered as usual.
type Lane struct {
	WorkItem  uint64 `json:"work_item"` // global id less the offset
	WorkGroup uint64 `json:"work_group"`
	SubGroup  uint64 `json:"sub_group"` // in the work-group
	Lane      uint64 `json:"lane"`      // in the sub-group
}

// String prints the difference in one line: "[3]: got 5 (0x00000005), want 7 (0x00000007), work-group 0, sub-group 0, lane 3".
func (d Difference) String() string {
	at := fmt.Sprintf("[%d]", d.Element)
	if d.Component != nil {
		at += fmt.Sprintf(".%d", *d.Component)
	}
	show := func(v, hex string) string {
		if v == hex {
			return v
		}
		return fmt.Sprintf("%s (%s)", v, hex)
	}
	s := fmt.Sprintf("%s: got %s, want %s", at, show(d.Got, d.GotHex), show(d.Want, d.WantHex))
	if d.Lane != nil {
		s += fmt.Sprintf(", work-group %d, sub-group %d, lane %d", d.Lane.WorkGroup, d.Lane.SubGroup, d.Lane.Lane)
	}
	return s
}

// Compare compares the bytes of got, taken as numbers of want's type, with want. The padding of vectors of three does not
// count. The error says that the two cannot be compared: their sizes differ, or the comparison does not suit the type.
func Compare(got, want *value.Array, c Comparison) (*Diff, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := want.Type.Scalar
	if c.Mode == ModeULP && !s.Float() {
		return nil, fmt.Errorf("%v are no floats, and ulp is for floats only", s)
	}
	if len(got.Data) != len(want.Data) {
		return nil, fmt.Errorf("%v[%d] is expected, which has %d bytes, and the buffer has %d (%v[%d])", want.Type, want.Count, len(want.Data), len(got.Data), got.Type, got.Count)
	}
	d := &Diff{Numbers: want.Scalars()}
	if bytes.Equal(got.Data, want.Data) { // equal bits are equal in every mode
		return d, nil
	}
	g := &value.Array{Type: want.Type, Count: want.Count, Data: got.Data}
	for i := range want.Count {
		for k := range want.Type.Comps {
			a, b := g.Bits(i, k), want.Bits(i, k)
			if a == b || c.same(s, a, b) {
				continue
			}
			d.Different++
			if len(d.First) == maxFirst {
				continue
			}
			diff := Difference{Element: i, Got: value.FormatNumber(a, s, false), Want: value.FormatNumber(b, s, false), GotHex: value.FormatNumber(a, s, true), WantHex: value.FormatNumber(b, s, true)}
			if want.Type.Comps > 1 {
				diff.Component = &k
			}
			d.First = append(d.First, diff)
		}
	}
	return d, nil
}

// same compares two numbers whose bits differ.
func (c Comparison) same(s value.Scalar, got, want uint64) bool {
	if s.IsNaN(got) || s.IsNaN(want) {
		anyNaN := c.NaN == NaNAny || c.NaN == "" && c.Mode != ModeBits && c.Mode != ""
		return anyNaN && s.IsNaN(got) && s.IsNaN(want)
	}
	if c.Mode == ModeBits || c.Mode == "" {
		return false
	}
	if !s.Float() {
		diff, size := intDistance(s, got, want)
		if c.Mode == ModeRelative {
			return diff <= c.Max*size
		}
		return diff <= c.Max
	}
	x, y := s.DecodeFloat(got), s.DecodeFloat(want)
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	switch c.Mode {
	case ModeULP:
		return float64(ulpDistance(s, got, want)) <= c.Max
	case ModeRelative:
		return math.Abs(x-y) <= c.Max*math.Abs(y)
	}
	return math.Abs(x-y) <= c.Max
}

// intDistance returns |got-want| and |want|, rounded to float64 only at the end.
func intDistance(s value.Scalar, got, want uint64) (diff, size float64) {
	if s.Signed() {
		shift := 64 - s.Bits()
		a, b := int64(got<<shift)>>shift, int64(want<<shift)>>shift
		return float64(uint64(max(a, b)) - uint64(min(a, b))), math.Abs(float64(b))
	}
	return float64(max(got, want) - min(got, want)), float64(want)
}

// ulpDistance counts the steps between two finite floats of a format; 0 and -0 are none apart.
func ulpDistance(s value.Scalar, a, b uint64) uint64 {
	sign := uint64(1) << (s.Bits() - 1)
	order := func(v uint64) int64 {
		if v&sign != 0 {
			return -int64(v &^ sign)
		}
		return int64(v)
	}
	x, y := order(a), order(b)
	return uint64(max(x, y)) - uint64(min(x, y))
}

// lanes fills in which work-items the differing elements belong to, where the last step tells.
func (d *Diff) lanes(r *Result, count int) {
	if len(r.Steps) == 0 {
		return
	}
	st := r.Steps[len(r.Steps)-1]
	rep := st.Report
	if rep == nil || rep.SubGroupSize <= 0 || rep.Local[0] == 0 || st.global[0] != uint64(count) || st.global[1] != 1 || st.global[2] != 1 {
		return
	}
	for i := range d.First {
		f := &d.First[i]
		item := uint64(f.Element)
		local, sg := item%rep.Local[0], uint64(rep.SubGroupSize)
		f.Lane = &Lane{WorkItem: item, WorkGroup: item / rep.Local[0], SubGroup: local / sg, Lane: local % sg}
	}
}
