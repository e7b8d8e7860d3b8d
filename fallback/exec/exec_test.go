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
		lo, hi, scattered := m.extent()
		if n := len(runs); n > 0 && (lo != runs[0].lo || hi != runs[n-1].hi || scattered != (n > 2 && hi-lo < 16*n)) {
			t.Fatalf("%x: extent %d to %d, %v, of the runs %v", m, lo, hi, scattered, runs)
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
		g.setGroup(group{mask: active})
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

// TestScattered runs operations in sets of lanes with gaps: active lanes get their results, and lanes that are not active
// keep what they have in rows that values do not share.
func TestScattered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, in := range []lane.Inst{
		{Op: lane.Add, Kind: lane.I8}, {Op: lane.Xor, Kind: lane.I16}, {Op: lane.Mul, Kind: lane.I32}, {Op: lane.Sub, Kind: lane.I64},
		{Op: lane.UDiv, Kind: lane.I32}, {Op: lane.ULess, Kind: lane.I32}, {Op: lane.LogicalOr, Kind: lane.Bool}, {Op: lane.FAdd, Kind: lane.F16},
	} {
		result := in.Kind
		if in.Op.Info().Shape == lane.Test {
			result = lane.Bool
		}
		for range 200 {
			p := &lane.Program{Values: []lane.Kind{in.Kind, in.Kind, result, result}}
			c := &Code{prog: p, width: MaxLanes, own: []bool{true, true, true, false}, isConst: make([]bool, 4)}
			for i := range uint32(4) {
				c.slots = append(c.slots, firstSlot+i*8*MaxLanes)
			}
			g := &gang{code: c, file: vec.Alloc(firstSlot + 4*8*MaxLanes)}
			g.base = unsafe.Pointer(unsafe.SliceData(g.file))
			for i := range g.file {
				g.file[i] = byte(r.Uint32())
			}
			active := mask{r.Uint64() & r.Uint64(), r.Uint64(), 0, r.Uint64()}
			var before, want [MaxLanes]uint64
			for i := range MaxLanes {
				before[i] = g.element(2, i)
				want[i], _ = vec.Fold(in.Op, in.Kind, in.Kind, 0, g.element(0, i), g.element(1, i))
			}
			g.setGroup(group{mask: active})
			for dst := lane.Value(2); dst < 4; dst++ {
				x := in
				x.Dst, x.Src = []lane.Value{dst}, []lane.Value{0, 1}
				o := c.decode(&x, false)
				o.do(g, &o)
				for i := range MaxLanes {
					got := g.element(dst, i)
					if active.has(i) && got != want[i] || !active.has(i) && dst == 2 && got != before[i] {
						t.Fatalf("%v %v, lane %d of %x: %#x, want %#x, before %#x", in.Op, in.Kind, i, active, got, want[i], before[i])
					}
				}
			}
		}
	}
}
