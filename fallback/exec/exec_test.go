package exec

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// TestPermutation has every work-group exactly once, for every number of them.
func TestPermutation(t *testing.T) {
	for n := uint64(1); n < 300; n++ {
		for seed := uint64(1); seed < 5; seed++ {
			order := permutation(n, seed)
			seen := make([]bool, n)
			for i := range n {
				j := order(i)
				if j >= n || seen[j] {
					t.Fatalf("%d work-groups, seed %d: number %d comes twice or does not exist", n, seed, j)
				}
				seen[j] = true
			}
		}
	}
	for _, n := range []uint64{1<<32 - 1, 1 << 32, 1 << 48} { // products must not overflow
		order := permutation(n, 3)
		a, b := order(0), order(1)
		if a >= n || b >= n || order(n-1) >= n || a == b {
			t.Errorf("%d work-groups: %d, %d", n, a, b)
		}
	}
}

// TestRuns compares the runs of random masks with a look at every lane.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 5000 {
		var m mask
		switch i % 5 {
		case 0:
			m = mask{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		case 1:
			m = firstLanes(r.IntN(257))
		case 2:
			m = firstLanes(r.IntN(257)).andNot(firstLanes(r.IntN(257)))
		case 3:
			m[r.IntN(4)] = 1 << r.IntN(64)
		case 4:
			m = mask{^uint64(0), ^uint64(0) << r.IntN(64), ^uint64(0) >> r.IntN(64), ^uint64(0)}
		}
		runs := m.runs(nil)
		var back mask
		for j, x := range runs {
			if x.lo >= x.hi || j > 0 && x.lo <= runs[j-1].hi {
				t.Fatalf("%x: runs %v are empty, out of order or touch", m, runs)
			}
			for l := x.lo; l < x.hi; l++ {
				back[l>>6] |= 1 << (l & 63)
			}
		}
		if back != m {
			t.Fatalf("%x: runs %v", m, runs)
		}
		if !m.empty() && m.first() != runs[0].lo {
			t.Fatalf("%x: first is %d", m, m.first())
		}
	}
	for n := range 257 {
		m := firstLanes(n)
		for l := range MaxLanes {
			if m.has(l) != (l < n) {
				t.Fatalf("the first %d lanes: lane %d", n, l)
			}
		}
	}
}

// TestCopies makes parallel copies, with cycles and one source for many, and compares with copying from a snapshot.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		n := 1 + r.IntN(12)
		p := &lane.Program{Values: make([]lane.Kind, n)}
		c := &Code{prog: p, width: 64, slots: make([]uint32, n)}
		for i := range n {
			p.Values[i] = lane.I32
			c.slots[i] = firstSlot + uint32(i)*256
		}
		c.size = firstSlot + n*256
		perm := r.Perm(n)
		var dst, src []lane.Value
		for _, d := range perm[:1+r.IntN(n)] {
			dst = append(dst, lane.Value(d))
			src = append(src, lane.Value(r.IntN(n)))
		}
		if r.IntN(2) == 0 { // a permutation: cycles only
			dst, src = nil, nil
			for d, s := range r.Perm(n) {
				dst, src = append(dst, lane.Value(d)), append(src, lane.Value(s))
			}
		}
		g := &gang{code: c, file: vec.Alloc(c.size)}
		g.base = unsafe.Pointer(unsafe.SliceData(g.file))
		var active mask
		active[0] = r.Uint64() | 1
		g.runs = active.runs(nil)
		before := make([][]uint32, n)
		for i := range n {
			row := rowOf[uint32](g, c.slots[i])
			for l := range row {
				row[l] = r.Uint32()
			}
			before[i] = slices.Clone(row)
		}
		g.copy(c.copies(dst, src))
		for i := range n {
			want := slices.Clone(before[i])
			for k, d := range dst {
				if int(d) == i {
					for l := range want {
						if active.has(l) {
							want[l] = before[src[k]][l]
						}
					}
				}
			}
			if got := rowOf[uint32](g, c.slots[i]); !slices.Equal(got, want) {
				t.Fatalf("copies %v from %v: row %d is wrong", dst, src, i)
			}
		}
	}
}
