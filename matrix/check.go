package matrix

import (
	"fmt"
	"slices"
)

// CheckOptions are the choices of [Check]. The zero value is usable.
type CheckOptions struct {
	// SubGroupSize is the number of lanes that the columns are spread over: column n is held by lane n mod
	// SubGroupSize. 0 means 16.
	SubGroupSize int
	// First is how many of the elements out of place are listed. 0 means 8.
	First int
}

const (
	maxLooks        = 6 // diagnoses in a report
	maxLooksPerKind = 3
)

// Check says whether packed is the VNNI packing of the matrix in original, and if not, what it looks like instead and
// which elements are out of place. Where the layout is a tile of a larger matrix (K0, N0), original is the larger one.
//
// A packed buffer that is too short or too long is reported, not refused. What lies in the gaps between packed rows and
// after the last one does not matter. A wrong packing is named only if making it from original and comparing shows that
// at least half of the matrix lies there (packings that by their nature leave more of the buffer unwritten, such as
// tiles that were put too far apart, need only what they do write); one that is the right packing for a matrix of this
// shape, such as row-major with one column, is never named.
//
// Memory is bounded by a constant, time by the size of the buffers: [Report.Cut] tells when that ended the search.
//
// Errors: [*LayoutError], and [*SizeError] if original is too short.
func Check(original, packed []byte, l Layout, opt CheckOptions) (Report, error) {
	if err := l.Validate(); err != nil {
		return Report{}, err
	}
	if opt.SubGroupSize < 0 {
		return Report{}, &LayoutError{"SubGroupSize", opt.SubGroupSize, "a sub-group has at least one lane"}
	}
	if opt.First < 0 {
		return Report{}, &LayoutError{"First", opt.First, "the number of elements to list is not negative"}
	}
	if opt.SubGroupSize == 0 {
		opt.SubGroupSize = 16
	}
	if opt.First == 0 {
		opt.First = 8
	}
	l = l.Normal()
	if need := l.SourceBytes(); len(original) < need {
		return Report{}, &SizeError{"source", need, len(original), "bytes", l}
	}
	c := &checker{
		geometry: newGeometry(l, len(original)*8/l.Bits, len(packed)/4),
		original: original, packed: packed,
	}
	rep := Report{Layout: l, SubGroupSize: opt.SubGroupSize, NeedBytes: l.PackedBytes(), HaveBytes: len(packed)}
	c.elements(&rep, opt.First)
	c.diagnose(&rep)
	rep.decide()
	return rep, nil
}

// checker is one check. It reads the buffers and keeps a budget of units to compare.
type checker struct {
	*geometry
	original, packed []byte
	budget           int
}

// value returns what a packing writes in a unit; ok is false if it writes nothing there, or what is not in the source.
func (c *checker) value(o origin, unitBits int) (v uint32, ok bool) {
	switch o.op {
	case opZero:
		return 0, true
	case opCopy:
		return unit(c.original, o.at, unitBits), true
	case opSign:
		if unit(c.original, o.at, unitBits)>>(unitBits-1) != 0 {
			return 1<<unitBits - 1, true
		}
		return 0, true
	}
	return 0, false
}

// elements compares every element and every place of the padding with what the packed buffer holds.
func (c *checker) elements(rep *Report, first int) {
	have := len(c.packed) * 8 / c.Bits // whole elements there
	seen := newValues(c)
	// The padding of the last packed row counts as places of rows K and on.
	for k := range c.rows * c.f {
		r, j := k/c.f, k%c.f
		for n := range c.N {
			word := r*c.PackedLD + n
			slot := word*c.f + j
			rep.Places++
			if slot >= have {
				rep.Missing++
				continue
			}
			want, _ := c.value(c.atOrPad(k, n), c.Bits)
			got := unit(c.packed, slot, c.Bits)
			seen.count(want, got)
			if got == want {
				continue
			}
			rep.Differ++
			if k >= c.K {
				rep.DifferPadding++
			}
			if len(rep.First) < first {
				m := Misplaced{K: k, N: n, Padding: k >= c.K, Word: word, Bit: j * c.Bits, PackedRow: r,
					Lane: n % rep.SubGroupSize, Want: want, Got: got}
				if ek, en, ok := seen.only(got); ok {
					m.From = &Position{K: ek, N: en}
				}
				rep.First = append(rep.First, m)
			}
		}
	}
	rep.Reordered = rep.Differ > 0 && rep.Missing == 0 && seen.balanced()
}

// values counts which values occur, to say where one came from and whether two buffers hold the same ones.
type values struct {
	c *checker
	// balance is how often a value is wanted less how often it is there.
	balance []int
	// where is 1 + the index (k*N + n) of the element with a value, 0 if there is none, -1 if there are several. It
	// is made when first asked for.
	where []int
}

func newValues(c *checker) *values { return &values{c: c, balance: make([]int, 1<<c.Bits)} }

func (v *values) count(want, got uint32) {
	v.balance[want]++
	v.balance[got]--
}

func (v *values) balanced() bool {
	return !slices.ContainsFunc(v.balance, func(n int) bool { return n != 0 })
}

// only returns the one element that has the value; ok is false if none or several have it.
func (v *values) only(value uint32) (k, n int, ok bool) {
	if v.where == nil {
		v.where = make([]int, 1<<v.c.Bits)
		for k := range v.c.K {
			for n := range v.c.N {
				e := &v.where[unit(v.c.original, v.c.at(k, n).at, v.c.Bits)]
				if *e != 0 {
					*e = -1
				} else {
					*e = 1 + k*v.c.N + n
				}
			}
		}
	}
	i := v.where[value] - 1
	return i / v.c.N, i % v.c.N, i >= 0
}

// match is a candidate that the packed buffer agrees with.
type match struct {
	candidate
	compared int // places of elements
}

// diagnose tries every wrong packing and enters those that the packed buffer agrees with.
func (c *checker) diagnose(rep *Report) {
	right := candidate{unit: c.Bits, place: c.right()}
	c.budget = 1<<22 + 16*(len(c.packed)*8/c.Bits)
	var found []match
	perKind := map[Kind]int{}
	for cand := range c.candidates() {
		if c.budget -= 16; c.budget < 0 {
			rep.Cut = true
			break
		}
		if perKind[cand.kind] >= maxLooksPerKind {
			continue
		}
		compared, ok := c.compare(cand)
		if !ok {
			continue
		}
		if c.within(cand, right) {
			continue // for a matrix of this shape it is the right packing
		}
		perKind[cand.kind]++
		found = append(found, match{cand, compared})
	}
	if rep.Differ == 0 && rep.Missing > 0 && rep.Missing < rep.Places {
		rep.Looks = append(rep.Looks, Diagnosis{Kind: KindCut, Compared: rep.Places - rep.Missing,
			Text: fmt.Sprintf("the right packing cut off: all %d places it has are right, %d more are missing", rep.Places-rep.Missing, rep.Missing)})
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.compared - a.compared })
	c.enter(rep, found)
	if len(rep.Looks) == 0 && rep.Differ > 0 && rep.Differ == rep.DifferPadding && rep.Missing == 0 {
		rep.Looks = append(rep.Looks, Diagnosis{Kind: KindPadding, Compared: rep.Places, Text: fmt.Sprintf(
			"every element is in its place, but the padding for the rows from %d to %d is not zero", c.K, c.rows*c.f-1)})
	}
}

// enter puts the matches into the report, without those that say no more than one before them.
func (c *checker) enter(rep *Report, found []match) {
	var kept []match
next:
	for _, m := range found {
		for i, k := range kept {
			if !c.within(m.candidate, k.candidate) {
				continue
			}
			if d := &rep.Looks[len(rep.Looks)-len(kept)+i]; m.kind != k.kind && m.compared == k.compared && !slices.Contains(d.Also, m.kind) {
				d.Also = append(d.Also, m.kind)
			}
			continue next
		}
		if len(rep.Looks) == maxLooks {
			rep.Cut = true
			return
		}
		kept = append(kept, m)
		rep.Looks = append(rep.Looks, Diagnosis{Kind: m.kind, Text: m.text, Found: m.found, Compared: m.compared})
	}
}

// compare says whether the packed buffer holds what the packing writes, and how many places of elements that shows.
func (c *checker) compare(cand candidate) (compared int, ok bool) {
	units := len(c.packed) * 8 / cand.unit
	probe := min(cand.probe, units)
	for _, span := range [2][2]int{{probe, units}, {0, probe}} {
		for s := span[0]; s < span[1]; s++ {
			c.budget--
			o := cand.place(s)
			want, ok := c.value(o, cand.unit)
			if !ok {
				continue
			}
			if want != unit(c.packed, s, cand.unit) {
				return 0, false
			}
			if o.op == opCopy {
				compared++
			}
		}
	}
	compared /= c.Bits / cand.unit
	whole := c.K * c.N
	return compared, compared > 0 && (cand.sparse || compared >= whole-whole/2)
}

// within says whether everything that a writes into the packed buffer is what b writes there too.
func (c *checker) within(a, b candidate) bool {
	u := min(a.unit, b.unit)
	pa, pb := finer(a.place, a.unit/u), finer(b.place, b.unit/u)
	for s := range len(c.packed) * 8 / u {
		if o := pa(s); o.op != opNone && o != pb(s) {
			return false
		}
	}
	return true
}
