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
	maxLooks        = 6  // diagnoses in a report
	maxLooksPerKind = 3  // of one kind
	maxFound        = 64 // matches of one kind that are kept until it is clear which of them say the same
)

// Check says whether packed is the VNNI packing of the matrix in original, and if not, what it looks like instead and
// which elements are out of place. Where the layout is a tile of a larger matrix (K0, N0), original is the larger one.
//
// A packed buffer that is too short or too long is reported, not refused. What lies in the gaps between packed rows and
// after the last one does not matter. A wrong packing is named only if making it from original and comparing shows that
// at least half as many places as the matrix has elements agree, and none differs (packings that by their nature leave
// more of the buffer unwritten, such as tiles that were put too far apart, need only what they do write, in a buffer of
// at least that size); one that is the right packing for a matrix of this
// shape, such as row-major with one column, is never named.
//
// Memory is bounded by a constant and the elements listed, time by the size of the buffers: [Report.Cut] tells when that
// ended the search.
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
	rep := Report{Layout: l, SubGroupSize: opt.SubGroupSize, NeedBytes: l.PackedBytes(), HaveBytes: len(packed),
		Looks: []Diagnosis{}, First: []Misplaced{}}
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
	balance := map[uint32]int{}        // how often a value is missed less how often it is there instead of another
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
			if got == want {
				continue
			}
			rep.Differ++
			balance[want]++
			balance[got]--
			if k >= c.K {
				rep.DifferPadding++
			}
			if len(rep.First) < first {
				rep.First = append(rep.First, Misplaced{K: k, N: n, Padding: k >= c.K, Word: word, Bit: j * c.Bits, PackedRow: r,
					Lane: n % rep.SubGroupSize, Want: want, Got: got})
			}
		}
	}
	rep.Reordered = rep.Differ > 0 && rep.Missing == 0
	for _, n := range balance {
		rep.Reordered = rep.Reordered && n == 0
	}
	c.findOrigins(rep.First)
}

// findOrigins says of the values found which element they belong to, where just one element has the value.
func (c *checker) findOrigins(list []Misplaced) {
	if len(list) == 0 {
		return
	}
	type owner struct {
		Position
		count int
	}
	owners := map[uint32]*owner{}
	for _, m := range list {
		owners[m.Got] = &owner{}
	}
	for k := range c.K {
		for n := range c.N {
			if o := owners[unit(c.original, c.at(k, n).at, c.Bits)]; o != nil {
				o.Position = Position{k, n}
				o.count++
			}
		}
	}
	for i := range list {
		if o := owners[list[i].Got]; o.count == 1 {
			from := o.Position
			list[i].From = &from
		}
	}
}

// match is a candidate that the packed buffer agrees with.
type match struct {
	candidate
	compared int // places
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
		if perKind[cand.kind] >= maxFound {
			rep.Cut = true
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
		there := rep.Places - rep.Missing
		rep.Looks = append(rep.Looks, Diagnosis{Kind: KindCut, Compared: there,
			Text: fmt.Sprintf("the right packing cut off: all %d places it has are right, %d more are missing", there, rep.Missing)})
	}
	if rep.Differ > 0 && constant(c.packed) && !constant(c.original) {
		rep.Looks = append(rep.Looks, Diagnosis{Kind: KindConstant, Compared: rep.Places, Found: int(c.packed[0]),
			Text: fmt.Sprintf("every byte is 0x%02x: perhaps nothing was written there", c.packed[0])})
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.compared - a.compared })
	c.enter(rep, found)
	if len(rep.Looks) == 0 && rep.Differ > 0 && rep.Differ == rep.DifferPadding && rep.Missing == 0 {
		rep.Looks = append(rep.Looks, Diagnosis{Kind: KindPadding, Compared: rep.Places, Text: fmt.Sprintf(
			"every element is in its place, but the padding for the rows from %d to %d is not zero", c.K, c.rows*c.f-1)})
	}
}

// constant says whether all bytes are the same.
func constant(b []byte) bool {
	return len(b) > 0 && !slices.ContainsFunc(b, func(v byte) bool { return v != b[0] })
}

// enter puts the matches into the report, without those that say no more than one before them.
func (c *checker) enter(rep *Report, found []match) {
	var kept []match
	perKind := map[Kind]int{}
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
		if len(rep.Looks) == maxLooks || perKind[m.kind] == maxLooksPerKind {
			rep.Cut = true
			continue
		}
		perKind[m.kind]++
		kept = append(kept, m)
		rep.Looks = append(rep.Looks, Diagnosis{Kind: m.kind, Text: m.text, Found: m.found, Compared: m.compared})
	}
}

// compare says whether the packed buffer holds what the packing writes, and how many places show it.
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
			compared++
		}
	}
	compared /= c.Bits / cand.unit
	enough := c.K*c.N - c.K*c.N/2
	if cand.sparse {
		return compared, compared > 0 && len(c.packed)*8/c.Bits >= enough
	}
	return compared, compared >= enough
}

// within says whether everything that a writes into the packed buffer is what b writes there too.
func (c *checker) within(a, b candidate) bool {
	u := min(a.unit, b.unit)
	pa, pb := finer(a.place, a.unit/u), finer(b.place, b.unit/u)
	for s := range len(c.packed) * 8 / u {
		c.budget--
		if o := pa(s); o.op != opNone && o != pb(s) {
			return false
		}
	}
	return true
}
