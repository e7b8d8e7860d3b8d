package explain_test

import (
	"fmt"

	"github.com/sgrun/sgrun/explain"
)

// The first example of the specification: 32-bit numbers become vectors of two 16-bit numbers.
func ExampleNewBitcastShuffle() {
	from, _ := explain.ParseType("u32")
	to, _ := explain.ParseType("v2u16")
	b, err := explain.NewBitcastShuffle(from, to, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lane 3 holds", b.Operand(3), "and then", b.Result(3))
	p := b.Source(explain.Piece{Lane: 3, Component: 1})
	fmt.Printf("its second component is piece %d, from lane %d\n", b.Number(p), p.Lane)
	// Output:
	// lane 3 holds 6|7 and then <3,11>
	// its second component is piece 11, from lane 5
}

func ExampleExplanation_Text() {
	x, err := explain.NewShuffleXor(2, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(x.Explanation().Text(nil))
	// Output:
	// OpGroupNonUniformShuffleXor (subgroupShuffleXor), mask 2 (0b10), sub-group size 4
	//
	// Lane 0 (00) ↔ Lane 2 (10)
	// Lane 1 (01) ↔ Lane 3 (11)
	//
	// Lane l gets the value of lane l XOR mask.
}
