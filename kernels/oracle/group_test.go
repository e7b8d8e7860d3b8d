package oracle

import (
	"slices"
	"testing"
)

// The example of the OpenCL C specification (Work-group Collective Functions): scans with addition of eight numbers.
func TestScansOfTheSpecification(t *testing.T) {
	list := []uint64{3, 1, 7, 0, 4, 1, 6, 3}
	lanes := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for scan, want := range map[Scan][]uint64{
		InclusiveScan: {3, 4, 11, 11, 15, 16, 22, 25},
		ExclusiveScan: {0, 3, 4, 11, 11, 15, 16, 22},
		Reduce:        {25, 25, 25, 25, 25, 25, 25, 25},
	} {
		got := scan.Results(lanes, Identity(32, "IAdd"), func(i int) uint64 { return list[i] }, Joins(32)["IAdd"])
		if !slices.Equal(got, want) {
			t.Errorf("scan %d gives %v, not %v", scan, got, want)
		}
	}
}

// Lanes that are not active take no part, and keep no place.
func TestResultsOfSomeLanes(t *testing.T) {
	s := SubGroup{false, true, true, false, false, true, false, true}
	value := func(i int) uint64 { return 1 << i }
	or := Joins(8)["BitwiseOr"]
	if got, want := InclusiveScan.Results(s.Lanes(), 0, value, or), []uint64{0x02, 0x06, 0x26, 0xa6}; !slices.Equal(got, want) {
		t.Errorf("inclusive: %x, not %x", got, want)
	}
	if got, want := ExclusiveScan.Results(s.Lanes(), 0, value, or), []uint64{0, 0x02, 0x06, 0x26}; !slices.Equal(got, want) {
		t.Errorf("exclusive: %x, not %x", got, want)
	}
	if got, want := s.Cluster(5, 4), []int{5, 7}; !slices.Equal(got, want) {
		t.Errorf("cluster of 4 with lane 5: %v, not %v", got, want)
	}
	if got, want := s.Like(2, func(i int) uint64 { return uint64(i % 3) }), []int{2, 5}; !slices.Equal(got, want) {
		t.Errorf("like lane 2: %v, not %v", got, want)
	}
	if got, want := s.Ballot(func(i int) bool { return i != 2 }), [4]uint64{0xa2}; got != want {
		t.Errorf("ballot %x, not %x", got, want)
	}
	if !s.Elect(1) || s.Elect(2) {
		t.Error("the first active lane is not elected, or another one is")
	}
}

// A value alone is taken as it is: joined with the identity +0, -0 would become +0.
func TestValueAlone(t *testing.T) {
	minusZero := F32.Zero(true)
	for _, scan := range []Scan{Reduce, InclusiveScan} {
		if got := scan.Results([]int{4}, 0, func(int) uint64 { return minusZero }, F32.FAdd); got[0] != minusZero {
			t.Errorf("scan %d of -0 is 0x%x", scan, got[0])
		}
	}
}

// Identities by SPIR-V 1.6 (section 3.3.21, of each instruction): joined with any value they give that value.
func TestIdentities(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64} {
		values := []uint64{0, 1, 5, Wrap(width, signedMax(width)), Wrap(width, signedMin(width)), Wrap(width, unsignedMax(width))}
		for name, join := range Joins(width) {
			list := values
			if name[0] == 'F' {
				f := FormatOf(width)
				list = []uint64{f.Zero(false), f.FromSigned(64, 1, RTE), f.FromUnsigned(64, 3, RTE), f.Max(true), f.Max(false), f.Inf(false), f.Inf(true)}
			}
			for _, x := range list {
				if got := join(Identity(width, name), x); got != x {
					t.Errorf("%s of %d bits: the identity with 0x%x gives 0x%x", name, width, x, got)
				}
			}
		}
	}
}

// Where values come from, written out for a sub-group of eight as the specifications describe it.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		name          string
		operand, size int
		want          []int
	}{
		{"Shuffle", 3, 8, []int{3, 3, 3, 3, 3, 3, 3, 3}},
		{"ShuffleXor", 1, 8, []int{1, 0, 3, 2, 5, 4, 7, 6}},
		{"ShuffleXor", 5, 8, []int{5, 4, 7, 6, 1, 0, 3, 2}},
		{"ShuffleUp", 2, 8, []int{-2, -1, 0, 1, 2, 3, 4, 5}},
		{"ShuffleDown", 2, 8, []int{2, 3, 4, 5, 6, 7, 8, 9}},
		{"Rotate", 3, 8, []int{3, 4, 5, 6, 7, 0, 1, 2}},
		{"Rotate", 1, 4, []int{1, 2, 3, 0, 5, 6, 7, 4}},
		{"QuadBroadcast", 2, 4, []int{2, 2, 2, 2, 6, 6, 6, 6}},
		{"QuadSwap", 0, 4, []int{1, 0, 3, 2, 5, 4, 7, 6}}, // across
		{"QuadSwap", 1, 4, []int{2, 3, 0, 1, 6, 7, 4, 5}}, // down
		{"QuadSwap", 2, 4, []int{3, 2, 1, 0, 7, 6, 5, 4}}, // diagonally
	} {
		for lane, want := range c.want {
			if got := Source(c.name, lane, c.operand, c.size); got != want {
				t.Errorf("%s by %d in lane %d reads %d, not %d", c.name, c.operand, lane, got, want)
			}
		}
	}
}

// The shuffles with two sources, by the text of SPV_INTEL_subgroups, revision 2: from what follows, and from what was before.
func TestIntelShuffles(t *testing.T) {
	type from struct{ operand, lane int }
	for _, c := range []struct {
		up    bool
		delta int
		want  []from
	}{
		{false, 0, []from{{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
		{false, 1, []from{{0, 1}, {0, 2}, {0, 3}, {1, 0}}},
		{false, 3, []from{{0, 3}, {1, 0}, {1, 1}, {1, 2}}},
		{true, 0, []from{{1, 0}, {1, 1}, {1, 2}, {1, 3}}},
		{true, 1, []from{{0, 3}, {1, 0}, {1, 1}, {1, 2}}},
		{true, 4, []from{{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
	} {
		for lane, want := range c.want {
			if operand, source := IntelShuffle(c.up, lane, c.delta, 4); (from{operand, source}) != want {
				t.Errorf("up %v by %d in lane %d reads operand %d of lane %d, not %v", c.up, c.delta, lane, operand, source, want)
			}
		}
	}
}
