package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// primitive is one primitive and what it takes and gives.
type primitive struct {
	op       lane.Op
	kind, to lane.Kind
	mode     lane.Rounding
	f        Func
	operands []lane.Kind
	result   lane.Kind
}

func (p primitive) String() string {
	s := fmt.Sprintf("%v %v", p.op, p.kind)
	if p.op.Info().Shape == lane.Convert {
		s += fmt.Sprintf(" to %v", p.to)
	}
	if p.mode != lane.RoundDefault {
		s += fmt.Sprintf(" rounding %d", p.mode)
	}
	return s
}

// rounds lists the operations whose result depends on the rounding mode, written down a second time for the test.
var rounds = map[lane.Op]bool{
	lane.FConvert: true, lane.ConvertFToU: true, lane.ConvertFToS: true, lane.ConvertUToF: true, lane.ConvertSToF: true,
	lane.QuantizeToF16: true,
}

// primitives returns all there are, by the tables of package lane.
func primitives(t testing.TB) []primitive {
	var all []primitive
	for op := lane.Op(1); op.Elementwise(); op++ {
		info := op.Info()
		for kind := range lane.NumKinds {
			if !info.On.Has(kind) {
				continue
			}
			for to := range lane.NumKinds {
				if info.Shape == lane.Convert && !info.To.Has(to) || info.Shape != lane.Convert && to != 0 {
					continue
				}
				for mode := lane.RoundDefault; mode <= lane.RoundDown; mode++ {
					if mode != lane.RoundDefault && !rounds[op] {
						continue
					}
					p := primitive{op: op, kind: kind, to: to, mode: mode, result: kind}
					switch info.Shape {
					case lane.Test:
						p.result = lane.Bool
					case lane.Convert:
						p.result = to
					}
					for i := range info.Arity {
						k := kind
						if info.Shape == lane.Pick && i == 0 {
							k = lane.Bool
						}
						p.operands = append(p.operands, k)
					}
					f, ok := For(op, kind, to, mode)
					if !ok || f == nil {
						t.Fatalf("%v: no primitive", p)
					}
					p.f = f
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// testRow is a row with room for n lanes and no more.
type testRow struct {
	kind lane.Kind
	data []byte
}

func newRow(kind lane.Kind, n int) testRow {
	if kind == lane.Bool {
		return testRow{kind, Alloc((n + 63) / 64 * 8)}
	}
	return testRow{kind, Alloc(n * kind.Bytes())}
}

func (r testRow) pointer() unsafe.Pointer { return unsafe.Pointer(&r.data[0]) }

// get reads a lane byte by byte, as the package's documentation lays them out on a little-endian machine.
func (r testRow) get(i int) (v uint64) {
	if r.kind == lane.Bool {
		return uint64(r.data[i/8] >> (i % 8) & 1)
	}
	n := r.kind.Bytes()
	for j := range n {
		v |= uint64(r.data[i*n+j]) << (8 * j)
	}
	return v
}

func (r testRow) set(i int, v uint64) {
	if r.kind == lane.Bool {
		r.data[i/8] = r.data[i/8]&^(1<<(i%8)) | byte(v)<<(i%8)
		return
	}
	n := r.kind.Bytes()
	for j := range n {
		r.data[i*n+j] = byte(v >> (8 * j))
	}
}

// call runs the primitive on rows of its operands.
func (p primitive) call(d testRow, operands []testRow, lo, hi int) {
	var ptr [4]unsafe.Pointer
	for i, r := range operands {
		ptr[i] = r.pointer()
	}
	p.f(d.pointer(), ptr[0], ptr[1], ptr[2], ptr[3], lo, hi)
}

// check compares the primitive with the oracle on tuples of operands, in full rows.
func (p primitive) check(t *testing.T, tuples [][]uint64) {
	t.Helper()
	d := newRow(p.result, MaxLanes)
	operands := make([]testRow, len(p.operands))
	for i, k := range p.operands {
		operands[i] = newRow(k, MaxLanes)
	}
	wrong := 0
	for len(tuples) > 0 {
		n := min(len(tuples), MaxLanes)
		for i, tuple := range tuples[:n] {
			for j, v := range tuple {
				operands[j].set(i, v)
			}
		}
		p.call(d, operands, 0, n)
		for i, tuple := range tuples[:n] {
			if got, want := d.get(i), want(p.op, p.kind, p.to, p.mode, tuple); got != want {
				t.Errorf("%v %#x = %#x, want %#x", p, tuple, got, want)
				if wrong++; wrong == 5 {
					return
				}
			}
		}
		tuples = tuples[n:]
	}
}

// cut returns v without the bits above the kind's width.
func cutTo(k lane.Kind, v uint64) uint64 { return v & (^uint64(0) >> (64 - k.Bits())) }

// edges returns scalars of the kind where operations change their behaviour. For a unary operation there can be more.
func edges(k lane.Kind, unary bool) []uint64 {
	var list []uint64
	add := func(v uint64) { list = append(list, cutTo(k, v)) }
	n := k.Bits()
	top := uint64(1) << (n - 1)
	switch {
	case k == lane.Bool:
		return []uint64{0, 1}
	case !k.Float():
		for _, v := range []uint64{0, 1, 2, 3, 5, 7} {
			add(v)
			add(-v)
			add(top + v)
			add(top - v)
		}
		for _, v := range []uint64{uint64(n/2 - 1), uint64(n / 2), uint64(n - 1), uint64(n), uint64(n + 1), 1<<(n/2) - 1, 1 << (n / 2), 0x5555555555555555, 0xaaaaaaaaaaaaaaaa} {
			add(v)
		}
		if unary {
			// Around all powers of two: the ranges of the other kinds, and where floats begin to round.
			for i := range n {
				for j := range i {
					for _, v := range []uint64{1<<i + 1<<j, 1<<i - 1<<j, 1<<i + 1<<j + 1, 1<<i + 1<<j - 1, 1<<i + 1<<(j+1) + 1<<j, 1<<i + 3<<j} {
						add(v)
						add(-v)
					}
				}
			}
			for v := uint64(65500); v < 65540; v++ { // the end of F16
				add(v)
				add(-v)
			}
		}
		return list
	}
	f := formats[k]
	inf := uint64(1<<f.exponent-1) << f.fraction
	bias := uint64(1<<(f.exponent-1) - 1)
	unit := bias << f.fraction // 1
	ulp := uint64(1)
	for _, v := range []uint64{
		0, 1, 2, 3, 1<<f.fraction - 1, 1 << f.fraction, 1<<f.fraction + 1, 3 << (f.fraction - 1), // around the least normal
		unit - ulp, unit, unit + ulp, unit + 1<<(f.fraction-1), unit + 1<<f.fraction, unit + 3<<(f.fraction-1), unit - 1<<f.fraction,
		unit + uint64(f.fraction)<<f.fraction, unit + uint64(f.fraction+1)<<f.fraction + 1, // where whole numbers get sparse
		unit - uint64(f.fraction+1)<<f.fraction, unit/2 + 0x123, // far below 1
		inf - 1, inf - 2, inf - 1<<f.fraction, // the largest
		inf, inf + 1, inf + 1<<(f.fraction-1), inf + 1<<(f.fraction-1) + 5, // infinity, signalling and quiet NaNs
	} {
		add(v)
		add(v | top)
	}
	if unary {
		// Powers of two and their neighbours, halves between two whole numbers, halfway cases of narrower formats.
		for e := range uint64(1<<f.exponent - 1) {
			if d := int(e) - int(bias); k == lane.F64 && (d < -200 && d > -1000 || d > 200 && d < 1000) {
				continue
			}
			p := e << f.fraction
			for _, drop := range []int{0, 1, 2, f.fraction - 11, f.fraction - 10, f.fraction - 9, 28, 29, 30, f.fraction - 1, f.fraction} {
				if drop < 0 || drop > f.fraction {
					continue
				}
				for _, v := range []uint64{p + 1<<drop, p + 1<<drop - 1, p + 1<<drop + 1, p - 1<<drop, p + 3<<drop} {
					add(v)
					add(v | top)
				}
			}
		}
		for e := range uint64(70) { // a half more or less than a whole number
			for _, m := range []uint64{1, 3, 5, 7, 255, 257, 65535, 1<<31 - 1, 1<<32 - 1} {
				v := m<<1 | 1
				if bitLen := len64(v); bitLen <= f.fraction+1 && unit>>f.fraction+uint64(bitLen)+e < inf>>f.fraction {
					w := unit + uint64(bitLen-2)<<f.fraction + v<<(f.fraction+1-bitLen)&(1<<f.fraction-1)
					if e == 0 {
						add(w)
						add(w | top)
						add(w - 1)
						add(w + 1)
					}
				}
			}
		}
	}
	return list
}

func len64(v uint64) (n int) {
	for ; v != 0; v >>= 1 {
		n++
	}
	return n
}

// random returns a scalar of the kind: any bits, or a number of any magnitude.
func random(r *rand.Rand, k lane.Kind) uint64 {
	v := r.Uint64()
	switch {
	case k.Float():
		if f := formats[k]; r.IntN(2) == 0 { // near 1, so that operands meet
			bias := uint64(1<<(f.exponent-1) - 1)
			v = v&^((1<<f.exponent-1)<<f.fraction) | (bias+uint64(r.IntN(40))-20)&(1<<f.exponent-1)<<f.fraction
			if k == lane.F16 {
				v = r.Uint64()
			}
		}
	case k != lane.Bool && r.IntN(2) == 0:
		v >>= r.IntN(64)
		if r.IntN(2) == 0 {
			v = -v
		}
	}
	return cutTo(k, v)
}

// product returns all tuples with one of each list.
func product(lists ...[]uint64) [][]uint64 {
	all := [][]uint64{nil}
	for _, list := range lists {
		var longer [][]uint64
		for _, tuple := range all {
			for _, v := range list {
				longer = append(longer, append(tuple[:len(tuple):len(tuple)], v))
			}
		}
		all = longer
	}
	return all
}
