package value_test

import (
	"fmt"

	"github.com/sgrun/sgrun/runner/value"
)

func ExampleParser_ParseArray() {
	p := &value.Parser{}
	v, err := p.ParseArray("v2u16[4]:<0,8>,<1,9>,<2,10>,<3,11>")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Array.Type, v.Array.Count, v.Array.Head(3, 80, value.Format{}))
	fmt.Printf("% x\n", v.Array.Data)

	_, err = p.ParseArray("i8[4]:1,2,300,4")
	fmt.Println(err)
	// Output:
	// v2u16 4 <0,8> <1,9> <2,10> …
	// 00 00 08 00 01 00 09 00 02 00 0a 00 03 00 0b 00
	// "300" is out of range for i8, which takes -128 to 127
	//     i8[4]:1,2,300,4
	//               ^
}

// Packed data can be written and printed by its parts, lowest bits first, as the specification of the bitcast shuffle does.
func ExampleFormat() {
	v, err := (&value.Parser{}).ParseArray("u32[3]:0|1,2|3,4|5")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Array.List(0, 3, value.Format{}))
	fmt.Println(v.Array.List(0, 3, value.Format{Parts: 16}))
	fmt.Println(v.Array.List(0, 3, value.Format{Hex: true}))
	// Output:
	// 65536,196610,327684
	// 0|1,2|3,4|5
	// 0x00010000,0x00030002,0x00050004
}
