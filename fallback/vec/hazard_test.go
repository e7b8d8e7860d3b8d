package vec

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// wantHazard tells from the specification's words whether the operation has no defined result.
func wantHazard(p primitive, x []uint64) bool {
	n := p.kind.Bits()
	switch p.op {
	case lane.UDiv, lane.URem:
		return x[1] == 0
	case lane.SDiv, lane.SRem, lane.SMod:
		if x[1] == 0 {
			return true
		}
		q := new(big.Int).Quo(signedOf(x[0], n), signedOf(x[1], n))
		return q.Cmp(pow2(n-1)) >= 0 // no signed number
	case lane.Shl, lane.LShr, lane.AShr:
		return unsignedOf(x[1]).Cmp(big.NewInt(int64(n))) >= 0
	case lane.BitFieldInsert, lane.BitFieldSExtract, lane.BitFieldUExtract:
		k := len(x)
		sum := new(big.Int).Add(unsignedOf(x[k-2]), unsignedOf(x[k-1]))
		return sum.Cmp(big.NewInt(int64(n))) > 0
	case lane.ConvertFToU, lane.ConvertFToS:
		_, ok := wantFloatToInt(p.op, p.kind, p.to, p.mode, x[0])
		return !ok
	}
	return false
}

func TestHazards(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for _, p := range primitives(t) {
		f, ok := HazardRounded(p.op, p.kind, p.to, p.mode)
		if want := p.op.Info().Undefined != ""; ok != want || (f != nil) != want {
			t.Errorf("%v: HazardRounded is %v, want %v", p, ok, want)
			continue
		}
		if _, same := Hazard(p.op, p.kind, p.to); same != ok {
			t.Errorf("%v: Hazard is %v, want %v", p, same, ok)
		}
		if !ok {
			continue
		}
		p.checkHazard(t, f, p.edgeTuples(), r)
	}
}

// checkHazard runs the tuples through a window in the middle of rows, between bits that must stay.
func (p primitive) checkHazard(t *testing.T, f HazardFunc, tuples [][]uint64, r *rand.Rand) {
	const lo, hi = 3, 250
	var ptr [4]unsafe.Pointer
	operands := make([]testRow, len(p.operands))
	for i, k := range p.operands {
		operands[i] = newRow(k, hi)
		ptr[i] = operands[i].pointer()
	}
	found, none := 0, 0
	for len(tuples) > 0 {
		n := min(len(tuples), hi-lo)
		for i, tuple := range tuples[:n] {
			for j, v := range tuple {
				operands[j].set(lo+i, v)
			}
		}
		before := [4]uint64{r.Uint64() & r.Uint64(), r.Uint64() & r.Uint64(), r.Uint64() & r.Uint64(), r.Uint64() & r.Uint64()}
		got := before
		f(ptr[0], ptr[1], ptr[2], ptr[3], lo, lo+n, &got)
		for i := range MaxLanes {
			old, bit := before[i/64]>>(i%64)&1 == 1, got[i/64]>>(i%64)&1 == 1
			want := old
			if lo <= i && i < lo+n {
				hazard := wantHazard(p, tuples[i-lo])
				want = old || hazard
				if hazard {
					found++
				} else {
					none++
				}
			}
			if bit != want {
				t.Errorf("%v lanes %d to %d: hazard of lane %d is %v, want %v", p, lo, lo+n, i, bit, want)
				return
			}
		}
		tuples = tuples[n:]
	}
	// An F16 is at most 65504, which integers of 32 and 64 bits hold, but NaNs, infinities and negative ones remain.
	if found == 0 || none == 0 {
		t.Errorf("%v: %d operands with and %d without a hazard, want both", p, found, none)
	}
}

func TestHazardUnknown(t *testing.T) {
	for _, test := range []struct {
		op       lane.Op
		kind, to lane.Kind
		imm      int64
	}{
		{lane.Invalid, lane.I32, lane.I32, 0},
		{lane.Load, lane.I32, lane.I32, 0},
		{255, lane.I32, lane.I32, 0},
		{lane.UDiv, lane.F32, lane.I32, 0},
		{lane.UDiv, 99, lane.I32, 0},
		{lane.ConvertFToU, lane.F32, lane.F32, 0},
		{lane.ConvertFToU, lane.F32, 99, 0},
		{lane.ConvertFToU, lane.F32, lane.I32, 5},
	} {
		if f, ok := HazardRounded(test.op, test.kind, test.to, test.imm); ok || f != nil {
			t.Errorf("HazardRounded%v is true, want false", test)
		}
	}
}
