package vec

import (
	"math"
	"testing"

	"github.com/sgrun/sgrun/fallback/lane"
)

func TestFold(t *testing.T) {
	nan := uint64(math.Float32bits(float32(math.NaN())))
	for _, test := range []struct {
		op       lane.Op
		kind, to lane.Kind
		imm      int64
		x        []uint64
		want     uint64
	}{
		{lane.Add, lane.I8, 0, 0, []uint64{200, 100}, 44},
		{lane.Add, lane.I8, 0, 0, []uint64{0xff00000000000001, 0xabcd02}, 3}, // high bits of operands are ignored
		{lane.Sub, lane.I16, 0, 0, []uint64{0, 1}, 0xffff},
		{lane.SDiv, lane.I32, 0, 0, []uint64{0x80000000, 0xffffffff}, 0x80000000},
		{lane.UDiv, lane.I64, 0, 0, []uint64{5, 0}, 1<<64 - 1},
		{lane.SMod, lane.I32, 0, 0, []uint64{0xfffffff9, 3}, 2}, // -7 mod 3
		{lane.SRem, lane.I32, 0, 0, []uint64{0xfffffff9, 3}, 0xffffffff},
		{lane.SLess, lane.I64, 0, 0, []uint64{1<<64 - 1, 0}, 1},
		{lane.ULess, lane.I64, 0, 0, []uint64{1<<64 - 1, 0}, 0},
		{lane.LogicalNot, lane.Bool, 0, 0, []uint64{0}, 1},
		{lane.LogicalNot, lane.Bool, 0, 0, []uint64{1}, 0},
		{lane.LogicalEqual, lane.Bool, 0, 0, []uint64{2, 0}, 1},
		{lane.Select, lane.I16, 0, 0, []uint64{1, 0x1234, 0x5678}, 0x1234},
		{lane.Select, lane.I16, 0, 0, []uint64{0, 0x1234, 0x5678}, 0x5678},
		{lane.Select, lane.Bool, 0, 0, []uint64{0, 0, 1}, 1},
		{lane.BitFieldInsert, lane.I32, 0, 0, []uint64{0xffffffff, 0, 8, 16}, 0xff0000ff},
		{lane.FAdd, lane.F16, 0, 0, []uint64{0x3c00, 0x3c00}, 0x4000},
		{lane.FAdd, lane.F32, 0, 0, []uint64{nan | 7, 0x3f800000}, 0x7fc00000},
		{lane.FNeg, lane.F32, 0, 0, []uint64{0x7f800001}, 0xff800001},
		{lane.FMod, lane.F64, 0, 0, []uint64{math.Float64bits(-7), math.Float64bits(3)}, math.Float64bits(2)},
		{lane.FConvert, lane.F64, lane.F32, lane.RoundUp, []uint64{math.Float64bits(0.1)}, uint64(math.Float32bits(0.1))},
		{lane.FConvert, lane.F64, lane.F32, lane.RoundDown, []uint64{math.Float64bits(0.1)}, uint64(math.Float32bits(0.1)) - 1},
		{lane.ConvertFToS, lane.F32, lane.I8, lane.RoundDefault, []uint64{uint64(math.Float32bits(-1000))}, 0x80},
		{lane.ConvertFToU, lane.F32, lane.I8, lane.RoundUp, []uint64{uint64(math.Float32bits(1.25))}, 2},
		{lane.SConvert, lane.I8, lane.I64, 0, []uint64{0x80}, 0xffffffffffffff80},
		{lane.QuantizeToF16, lane.F32, 0, 0, []uint64{uint64(math.Float32bits(-0x1p-15))}, 0x80000000},
	} {
		if got, ok := Fold(test.op, test.kind, test.to, test.imm, test.x...); !ok || got != test.want {
			t.Errorf("Fold(%v %v to %v, %d, %#x) = %#x, %v, want %#x", test.op, test.kind, test.to, test.imm, test.x, got, ok, test.want)
		}
	}
}

// TestFoldRefuses: no result, and no panic, where there is none.
func TestFoldRefuses(t *testing.T) {
	for _, test := range []struct {
		op   lane.Op
		kind lane.Kind
		x    []uint64
	}{
		{lane.Add, lane.I32, nil},
		{lane.Add, lane.I32, []uint64{1}},
		{lane.Add, lane.I32, []uint64{1, 2, 3}},
		{lane.Add, lane.I32, []uint64{1, 2, 3, 4, 5, 6}},
		{lane.Add, lane.F32, []uint64{1, 2}},
		{lane.Add, lane.Bool, []uint64{1, 1}},
		{lane.Add, 200, []uint64{1, 2}},
		{lane.Invalid, lane.I32, nil},
		{lane.Load, lane.I32, []uint64{0}},
		{lane.Repack, lane.I32, []uint64{0}},
		{255, lane.I32, []uint64{0}},
	} {
		if got, ok := Fold(test.op, test.kind, lane.I32, 0, test.x...); ok || got != 0 {
			t.Errorf("Fold(%d %d, %v) = %#x, %v, want nothing", test.op, test.kind, test.x, got, ok)
		}
	}
}

// TestFoldIsTheRow folds what TestEdges computes in rows.
func TestFoldIsTheRow(t *testing.T) {
	for _, p := range primitives(t) {
		var lists [][]uint64
		for _, k := range p.operands {
			list := edges(k, false)
			lists = append(lists, list[:min(len(list), 5)])
		}
		for _, x := range product(lists...) {
			got, ok := Fold(p.op, p.kind, p.to, p.mode, x...)
			if want := want(p.op, p.kind, p.to, p.mode, x); !ok || got != want {
				t.Fatalf("Fold of %v %#x = %#x, %v, want %#x", p, x, got, ok, want)
			}
		}
	}
}
