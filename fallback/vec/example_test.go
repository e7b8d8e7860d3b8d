package vec_test

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// A comparison of eight lanes, of which it computes lanes 2 to 7: its row of results is a bit set.
func ExampleFor() {
	less, ok := vec.For(lane.SLess, lane.I32, 0, 0)
	if !ok {
		fmt.Println("not defined")
		return
	}
	row := func(lanes ...int32) unsafe.Pointer {
		p := unsafe.Pointer(unsafe.SliceData(vec.Alloc(4 * len(lanes))))
		copy(unsafe.Slice((*int32)(p), len(lanes)), lanes)
		return p
	}
	var result uint64
	less(unsafe.Pointer(&result), row(-4, -3, -2, -1, 0, 1, 2, 3), row(0, 0, 0, 0, 0, 0, 0, 9), nil, nil, 2, 8)
	fmt.Printf("%08b\n", result)
	// Output: 10001100
}

// Constant folding: 1/3 as F32, and 300.7 as an integer of 8 bits, where it saturates.
func ExampleFold() {
	third, _ := vec.Fold(lane.FDiv, lane.F32, 0, 0, uint64(math.Float32bits(1)), uint64(math.Float32bits(3)))
	fmt.Println(math.Float32frombits(uint32(third)))
	whole, _ := vec.Fold(lane.ConvertFToU, lane.F64, lane.I8, lane.RoundDefault, math.Float64bits(300.7))
	fmt.Println(whole)
	// Output:
	// 0.33333334
	// 255
}

// A check finds the lane that divides by zero.
func ExampleHazard() {
	find, _ := vec.Hazard(lane.UDiv, lane.I8, 0)
	dividends, divisors := []byte{1, 2, 3, 4}, []byte{1, 0, 2, 0}
	var lanes [vec.MaxLanes / 64]uint64
	find(unsafe.Pointer(&dividends[0]), unsafe.Pointer(&divisors[0]), nil, nil, 0, 4, &lanes)
	fmt.Printf("%04b\n", lanes[0])
	// Output: 1010
}
