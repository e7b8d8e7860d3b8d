package vec

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// TestNoHole asks for every operation, kind and rounding mode, and beyond. For has what the tables of package lane
// define, and nothing else.
func TestNoHole(t *testing.T) {
	n := 0
	for op := range lane.Op(255) {
		for kind := range lane.NumKinds + 2 {
			for to := range lane.NumKinds + 2 {
				for mode := lane.Rounding(-1); mode <= lane.RoundDown+1; mode++ {
					want := false
					if op.Elementwise() && kind < lane.NumKinds {
						info := op.Info()
						want = info.On.Has(kind)
						if info.Shape == lane.Convert {
							want = want && to < lane.NumKinds && info.To.Has(to)
						}
						if rounds[op] && (mode < lane.RoundDefault || mode > lane.RoundDown) {
							want = false
						}
					}
					f, ok := For(op, kind, to, mode)
					if ok != want || (f != nil) != want {
						t.Fatalf("For(%d, %d, %d, %d) = %v, want %v", op, kind, to, mode, ok, want)
					}
					if ok {
						n++
					}
				}
			}
		}
	}
	if n == 0 {
		t.Fatal("no primitive at all")
	}
}

// TestEdges compares every primitive with the oracle on edges and random operands.
func TestEdges(t *testing.T) {
	if thin > 1 {
		t.Logf("under the race detector this and TestAll8, TestAll16 and TestHazards take every %dth tuple of operands only", thin)
	}
	inParallel(t, allKinds, func(t *testing.T, p primitive) {
		r := rand.New(rand.NewPCG(1, uint64(p.op)<<16|uint64(p.kind)<<8|uint64(p.to)))
		tuples := p.edgeTuples()
		for range 1000 {
			var tuple []uint64
			for _, k := range p.operands {
				tuple = append(tuple, random(r, k))
			}
			tuples = append(tuples, tuple)
		}
		p.check(t, tuples)
	})
}

var allKinds = []lane.Kind{lane.Bool, lane.I8, lane.I16, lane.I32, lane.I64, lane.F16, lane.F32, lane.F64}

// edgeTuples returns edges × edges: of the last two operands, with few of the others; and many more for one operand.
func (p primitive) edgeTuples() [][]uint64 {
	if len(p.operands) == 1 {
		k := p.operands[0]
		return append(thinned(product(edges(k, true))), product(edges(k, false))...)
	}
	var lists [][]uint64
	for i, k := range p.operands {
		list := edges(k, false)
		if i < len(p.operands)-2 && k != lane.Bool {
			list = list[:6]
		}
		lists = append(lists, list)
	}
	return thinned(product(lists...))
}

// inParallel calls f for each primitive on the kinds, in one parallel subtest per kind.
func inParallel(t *testing.T, kinds []lane.Kind, f func(t *testing.T, p primitive)) {
	all := primitives(t)
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			for _, p := range all {
				if p.kind == kind {
					f(t, p)
				}
			}
		})
	}
}

// thinned returns every thin-th tuple.
func thinned(tuples [][]uint64) [][]uint64 {
	n := 0
	for i := 0; i < len(tuples); i += thin {
		tuples[n] = tuples[i]
		n++
	}
	return tuples[:n]
}

// TestAll8 compares the operations on one or two 8-bit integers with the oracle on all operands.
func TestAll8(t *testing.T) {
	all := make([]uint64, 256)
	for i := range all {
		all[i] = uint64(i)
	}
	pairs, singles := thinned(product(all, all)), product(all)
	for _, p := range primitives(t) {
		switch {
		case p.kind != lane.I8 || p.op == lane.Select:
		case len(p.operands) == 1:
			p.check(t, singles)
		case len(p.operands) == 2:
			p.check(t, pairs)
		case p.op == lane.BitFieldSExtract || p.op == lane.BitFieldUExtract:
			p.check(t, product(all, all[:10], all[:10]))
		}
	}
}

// TestAll16 compares the operations on one 16-bit scalar with the oracle on all operands.
func TestAll16(t *testing.T) {
	all := make([]uint64, 1<<16)
	for i := range all {
		all[i] = uint64(i)
	}
	singles := thinned(product(all))
	inParallel(t, []lane.Kind{lane.I16, lane.F16}, func(t *testing.T, p primitive) {
		if len(p.operands) == 1 {
			p.check(t, singles)
		}
	})
}

var windows = [][2]int{
	{0, 1}, {0, 2}, {0, 3}, {0, 5}, {0, 16}, {0, 63}, {0, 64}, {0, 65}, {0, 128}, {0, 255}, {0, 256}, {1, 2}, {3, 16}, {7, 64},
	{60, 68}, {63, 64}, {63, 65}, {64, 128}, {64, 65}, {65, 66}, {64, 200}, {5, 250}, {127, 129}, {192, 256}, {255, 256}, {1, 256},
}

// TestWindows runs every primitive on parts of rows: lanes outside keep what they hold, operands too, and rows need reach
// no further than the last lane. Whole rows are compared with the oracle in TestEdges.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, p := range primitives(t) {
		whole := newRow(p.result, MaxLanes)
		var full []testRow
		for _, k := range p.operands {
			row := newRow(k, MaxLanes)
			list := edges(k, false)
			for i := range MaxLanes {
				v := random(r, k)
				if r.IntN(3) == 0 {
					v = list[r.IntN(len(list))]
				}
				row.set(i, v)
			}
			full = append(full, row)
		}
		p.call(whole, full, 0, MaxLanes)
		for _, w := range windows {
			lo, hi := w[0], w[1]
			var operands []testRow
			for _, row := range full {
				short := newRow(row.kind, hi)
				copy(short.data, row.data)
				operands = append(operands, short)
			}
			d, before := newRow(p.result, hi), newRow(p.result, hi)
			for i := range before.data {
				before.data[i] = byte(r.Uint32())
			}
			copy(d.data, before.data)
			p.call(d, operands, lo, hi)
			compare := func(what string, d testRow) {
				end := hi
				if d.kind == lane.Bool {
					end = len(d.data) * 8 // bits past the last lane are left alone too
				}
				for i := range end {
					want := before.get(i)
					if lo <= i && i < hi {
						want = whole.get(i)
					}
					if got := d.get(i); got != want {
						t.Errorf("%v lanes %d to %d%s: lane %d is %#x, want %#x", p, lo, hi, what, i, got, want)
						return
					}
				}
			}
			compare("", d)
			for i, row := range operands {
				if !bytes.Equal(row.data, full[i].data[:len(row.data)]) {
					t.Errorf("%v lanes %d to %d changed operand %d", p, lo, hi, i)
				}
			}
			for i, row := range operands {
				if row.kind.Bits() != p.result.Bits() {
					continue
				}
				before = newRow(row.kind, hi)
				copy(before.data, row.data)
				before.kind, row.kind = p.result, p.result
				p.call(row, operands, lo, hi)
				compare(" in place", row)
				copy(operands[i].data, before.data)
			}
		}
	}
}

// TestSameRow gives all operands of the result's size the result's row.
func TestSameRow(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, p := range primitives(t) {
		d := newRow(p.result, MaxLanes)
		for i := range MaxLanes {
			d.set(i, random(r, p.result))
		}
		var operands []testRow
		for _, k := range p.operands {
			row := d
			if k.Bits() != p.result.Bits() {
				row = newRow(k, MaxLanes)
				for i := range MaxLanes {
					row.set(i, random(r, k))
				}
			}
			row.kind = k
			operands = append(operands, row)
		}
		var tuples [][]uint64
		for i := range MaxLanes {
			var tuple []uint64
			for _, row := range operands {
				tuple = append(tuple, row.get(i))
			}
			tuples = append(tuples, tuple)
		}
		p.call(d, operands, 0, MaxLanes)
		for i, tuple := range tuples {
			if got, want := d.get(i), want(p.op, p.kind, p.to, p.mode, tuple); got != want {
				t.Errorf("%v %#x = %#x, want %#x", p, tuple, got, want)
				break
			}
		}
	}
}

// TestUniform holds primitives for a second operand that is the same in all lanes against the general ones.
func TestUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	tested := 0
	for _, p := range primitives(t) {
		f, ok := ForUniform(p.op, p.kind)
		if !ok {
			continue
		}
		tested++
		a, b := newRow(p.kind, MaxLanes), newRow(p.kind, MaxLanes)
		for i := range MaxLanes {
			a.set(i, random(r, p.kind))
		}
		for shift := range 2*p.kind.Bits() + 2 {
			for i := range MaxLanes {
				b.set(i, uint64(shift))
			}
			for _, w := range windows {
				d, want := newRow(p.result, MaxLanes), newRow(p.result, MaxLanes)
				f(d.pointer(), a.pointer(), b.pointer(), nil, nil, w[0], w[1])
				p.f(want.pointer(), a.pointer(), b.pointer(), nil, nil, w[0], w[1])
				if !bytes.Equal(d.data, want.data) {
					t.Fatalf("%v by %d, lanes %d to %d: %x, want %x", p, shift, w[0], w[1], d.data, want.data)
				}
				in := newRow(p.result, MaxLanes)
				copy(in.data, a.data)
				f(in.pointer(), in.pointer(), b.pointer(), nil, nil, w[0], w[1])
				for i := w[0]; i < w[1]; i++ {
					if in.get(i) != want.get(i) {
						t.Fatalf("%v by %d in place, lanes %d to %d: lane %d is %#x, want %#x", p, shift, w[0], w[1], i, in.get(i), want.get(i))
					}
				}
			}
		}
	}
	if tested != 12 {
		t.Errorf("%d primitives, want 3 shifts of 4 kinds", tested)
	}
}

func TestAlloc(t *testing.T) {
	for n := range 300 {
		b := Alloc(n)
		if len(b) != n || cap(b) != n {
			t.Fatalf("Alloc(%d) has length %d and capacity %d", n, len(b), cap(b))
		}
		if p := uintptr(unsafe.Pointer(unsafe.SliceData(b))); n > 0 && p%64 != 0 {
			t.Fatalf("Alloc(%d) is at %#x, want a multiple of 64", n, p)
		}
	}
}
