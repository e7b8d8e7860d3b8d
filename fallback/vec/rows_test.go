package vec

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// cutTo returns v without the bits above the kind's width.
func cutTo(k lane.Kind, v uint64) uint64 { return v & (^uint64(0) >> (64 - k.Bits())) }

// edges returns scalars of the kind where operations change their behaviour; for operations on one scalar, many more.
func edges(k lane.Kind, unary bool) []uint64 {
	var list []uint64
	switch {
	case k == lane.Bool:
		list = []uint64{0, 1}
	case k.Float():
		list = floatEdges(k)
		if unary {
			list = append(list, floatSteps(k)...)
		}
	default:
		list = intEdges(k)
		if unary {
			list = append(list, intSteps(k)...)
		}
	}
	for i, v := range list {
		list[i] = cutTo(k, v)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func intEdges(k lane.Kind) []uint64 {
	n := uint64(k.Bits())
	top := uint64(1) << (n - 1)
	list := []uint64{n/2 - 1, n / 2, n - 1, n, n + 1, 1<<(n/2) - 1, 1 << (n / 2), 0x5555555555555555, 0xaaaaaaaaaaaaaaaa}
	for _, v := range []uint64{0, 1, 2, 3, 5, 7} {
		list = append(list, v, -v, top+v, top-v)
	}
	return list
}

// intSteps returns integers around powers of two, where the ranges of other kinds end, and around those where the float
// formats begin to round: with 11, 24 and 53 bits, and halfway between two of these. The last are the end of F16.
func intSteps(k lane.Kind) (list []uint64) {
	for i := range k.Bits() {
		p := uint64(1) << i
		for _, bits := range []int{0, 1, 2, 10, 11, 12, 23, 24, 25, 52, 53, 54, i - 1, i} {
			if bits > i || bits < 0 {
				continue
			}
			last := uint64(1) << (i - bits)
			for _, v := range []uint64{p + last, p - last, p + last + 1, p + last - 1, p + 3*last, p + 3*last - 1} {
				list = append(list, v, -v)
			}
		}
	}
	for v := uint64(65500); v < 65540; v++ {
		list = append(list, v, -v)
	}
	return list
}

func floatEdges(k lane.Kind) (list []uint64) {
	f := formats[k]
	inf := infinity(k, false)
	unit := uint64(1<<(f.exponent-1)-1) << f.fraction // 1
	up := uint64(1) << f.fraction                     // to the double
	for _, v := range []uint64{
		0, 1, 2, 3, up - 1, up, up + 1, up + up/2, // around the least normal number
		unit - 1, unit, unit + 1, unit + up/2, unit + up, unit + up + up/2, unit - up,
		unit + uint64(f.fraction)*up, unit + uint64(f.fraction+1)*up + 1, // where whole numbers get sparse
		unit - uint64(f.fraction+1)*up, unit/2 + 0x123, // far below 1
		inf - 1, inf - 2, inf - up, // the largest
		inf, inf + 1, inf + up/2, inf + up/2 + 5, // infinity, signalling and quiet NaNs
	} {
		list = append(list, v, v|1<<(k.Bits()-1))
	}
	return list
}

// floatSteps returns floats around powers of two, and around halfway cases of narrower formats and of whole numbers, at
// exponents where the ranges of the other kinds and formats end and near that of 1.
func floatSteps(k lane.Kind) (list []uint64) {
	f := formats[k]
	bias := 1<<(f.exponent-1) - 1
	for biased := range 1<<f.exponent - 1 {
		e := biased - bias
		near := -28 <= e && e <= 67
		single := -152 <= e && e <= -123 || 125 <= e && e <= 129
		own := biased < 3 || biased > 2*bias-2
		if !near && !single && !own {
			continue
		}
		p := uint64(biased) << f.fraction
		for _, bits := range []int{0, 1, 2, 3, 9, 10, 11, 12, 22, 23, 24, 25, 31, 51, e, e + 1, e + 2} {
			if bits > f.fraction || bits < 0 {
				continue
			}
			last := uint64(1) << (f.fraction - bits)
			for _, v := range []uint64{p + last, p + last - 1, p + last + 1, p - last, p + 3*last} {
				list = append(list, v, v|1<<(k.Bits()-1))
			}
		}
	}
	return list
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
	count := 1
	for _, list := range lists {
		count *= len(list)
	}
	flat := make([]uint64, count*len(lists))
	all := make([][]uint64, count)
	for i := range all {
		tuple := flat[i*len(lists):][:len(lists):len(lists)]
		rest := i
		for j, list := range lists {
			tuple[j] = list[rest%len(list)]
			rest /= len(list)
		}
		all[i] = tuple
	}
	return all
}
