//go:build long

package vec

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/fallback/lane"
)

// TestAllHalfArithmetic computes +, -, × and ÷ of all pairs of halves of which the first is not negative (the sign is
// not rounded), a matter of minutes. Sums and products of halves are exact in F64; a quotient rounded to F64
// stays on its side of the middle of two halves, which it misses by 2^-23 of itself or more.
func TestAllHalfArithmetic(t *testing.T) {
	var all [1 << 16]float64
	for h := range 1 << 15 {
		v := math.NaN()
		switch {
		case h < 0x7c00:
			v = ladder[h]
		case h == 0x7c00:
			v = math.Inf(1)
		}
		all[h], all[h|0x8000] = v, -v
	}
	for _, test := range []struct {
		op lane.Op
		f  func(x, y float64) float64
	}{
		{lane.FAdd, func(x, y float64) float64 { return x + y }},
		{lane.FSub, func(x, y float64) float64 { return x - y }},
		{lane.FMul, func(x, y float64) float64 { return x * y }},
		{lane.FDiv, func(x, y float64) float64 { return x / y }},
	} {
		f, _ := For(test.op, lane.F16, 0, 0)
		var wait sync.WaitGroup
		for worker := range runtime.NumCPU() {
			wait.Go(func() {
				a, b, d := newRow(lane.F16, MaxLanes), newRow(lane.F16, MaxLanes), newRow(lane.F16, MaxLanes)
				got := row[uint16](d.pointer(), 0, MaxLanes)
				x, y := row[uint16](a.pointer(), 0, MaxLanes), row[uint16](b.pointer(), 0, MaxLanes)
				for first := worker; first <= 0x7c01; first += runtime.NumCPU() {
					for base := 0; base < 1<<16; base += MaxLanes {
						for i := range MaxLanes {
							x[i], y[i] = uint16(first), uint16(base+i)
						}
						f(d.pointer(), a.pointer(), b.pointer(), nil, nil, 0, MaxLanes)
						for i, g := range got {
							if want := F64ToF16(test.f(all[first], all[base+i]), lane.RoundNearest); g != want {
								t.Errorf("%v of 0x%04x and 0x%04x is 0x%04x, want 0x%04x", test.op, first, base+i, g, want)
								return
							}
						}
					}
				}
			})
		}
		wait.Wait()
	}
}
