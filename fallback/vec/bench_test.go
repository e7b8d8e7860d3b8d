package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// BenchmarkRow measures primitives on rows of 16, 64 and 256 lanes, in nanoseconds a lane. Operands are
// integers of any magnitude and floats near 1, conditions are random.
func BenchmarkRow(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, p := range []primitive{
		{op: lane.Add, kind: lane.I32},
		{op: lane.Add, kind: lane.I8},
		{op: lane.Mul, kind: lane.I32},
		{op: lane.Xor, kind: lane.I32},
		{op: lane.Shl, kind: lane.I32},
		{op: lane.FAdd, kind: lane.F32},
		{op: lane.FMul, kind: lane.F32},
		{op: lane.FMul, kind: lane.F64},
		{op: lane.FMul, kind: lane.F16},
		{op: lane.FDiv, kind: lane.F32},
		{op: lane.FMod, kind: lane.F32},
		{op: lane.IEqual, kind: lane.I32, result: lane.Bool},
		{op: lane.ULess, kind: lane.I32, result: lane.Bool},
		{op: lane.FOrdLess, kind: lane.F32, result: lane.Bool},
		{op: lane.FOrdLess, kind: lane.F16, result: lane.Bool},
		{op: lane.LogicalAnd, kind: lane.Bool},
		{op: lane.Select, kind: lane.I32},
		{op: lane.Copy, kind: lane.I32},
		{op: lane.UConvert, kind: lane.I32, to: lane.I16},
		{op: lane.ConvertSToF, kind: lane.I32, to: lane.F32},
		{op: lane.ConvertFToS, kind: lane.F32, to: lane.I32},
		{op: lane.FConvert, kind: lane.F32, to: lane.F16},
		{op: lane.FConvert, kind: lane.F16, to: lane.F32},
		{op: lane.FConvert, kind: lane.F64, to: lane.F32, mode: lane.RoundTowardZero},
	} {
		f, ok := For(p.op, p.kind, p.to, p.mode)
		if !ok {
			b.Fatalf("%v: no primitive", p)
		}
		var ptr [4]unsafe.Pointer
		for i := range p.op.Info().Arity {
			k := p.kind
			if p.op == lane.Select && i == 0 {
				k = lane.Bool
			}
			row := newRow(k, MaxLanes)
			for l := range MaxLanes {
				v := random(r, k)
				if k.Float() { // between 1/8 and 8: no overflow, no subnormal number
					f := formats[k]
					bias := uint64(1)<<(f.exponent-1) - 1
					v = v&^((1<<f.exponent-1)<<f.fraction) | (bias-3+r.Uint64N(6))<<f.fraction
				}
				row.set(l, v)
			}
			ptr[i] = row.pointer()
		}
		d := unsafe.Pointer(unsafe.SliceData(Alloc(8 * MaxLanes)))
		for _, lanes := range []int{16, 64, 256} {
			b.Run(fmt.Sprintf("%v/%d", p, lanes), func(b *testing.B) {
				for b.Loop() {
					f(d, ptr[0], ptr[1], ptr[2], ptr[3], 0, lanes)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lanes), "ns/lane")
			})
		}
	}
}
