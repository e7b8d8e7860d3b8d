package matrix_test

import (
	"fmt"

	"github.com/sgrun/sgrun/matrix"
)

func ExamplePackVNNI() {
	// Letters for elements of 8 bits: four rows of three columns.
	l := matrix.Layout{Bits: 8, K: 4, N: 3}
	source := []byte("abc" + "def" + "ghi" + "jkl")
	packed := make([]byte, l.PackedBytes())
	if err := matrix.PackVNNI(packed, source, l); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", packed)
	// Output: adgjbehkcfil
}

func ExamplePackVNNI_tile() {
	// The tile of four rows and two columns at row 4, column 2 of a matrix with five columns, put in its place in the
	// packed whole: the row offset is divided by the factor, the column offset is not.
	source := []byte("....." + "....." + "....." + "....." + "..ab." + "..cd." + "..ef." + "..gh.")
	whole := matrix.Layout{Bits: 8, K: 8, N: 5}
	tile := matrix.Layout{Bits: 8, K: 4, N: 2, LD: 5, PackedLD: 5, K0: 4, N0: 2}
	packed := make([]byte, whole.PackedBytes())
	word, _ := whole.PackedPosition(4, 2)
	if err := matrix.PackVNNI(packed[4*word:], source, tile); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("word %d: %s\n", word, packed[4*word:4*word+8])
	// Output: word 7: acegbdfh
}

func ExampleUnpackVNNI() {
	l := matrix.Layout{Bits: 8, K: 4, N: 3}
	source := make([]byte, l.SourceBytes())
	if err := matrix.UnpackVNNI(source, []byte("adgjbehkcfil"), l); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", source)
	// Output: abcdefghijkl
}

func ExamplePackSlice() {
	// Sixteen-bit elements, three rows: the second packed row is padded with zero.
	l := matrix.Layout{K: 3, N: 2}
	packed := make([]uint32, 2*2)
	if err := matrix.PackSlice(packed, []uint16{1, 2, 3, 4, 5, 6}, l); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%08x\n", packed)
	// Output: [00030001 00040002 00000005 00000006]
}

func ExampleJoinNibbles() {
	// Four-bit elements from one a byte to two a byte.
	fmt.Printf("% x\n", matrix.JoinNibbles([]byte{1, 2, 3}))
	// Output: 21 03
}

func ExampleLayout_PackedPosition() {
	l := matrix.Layout{Bits: 16, K: 32, N: 8}
	word, bit := l.PackedPosition(5, 3)
	k, n, ok := l.ElementAt(word, bit)
	fmt.Println(word, bit)
	fmt.Println(k, n, ok)
	// Output:
	// 19 16
	// 5 3 true
}

func ExampleCheck() {
	// Packed with factor 2, as for 16-bit elements.
	l := matrix.Layout{Bits: 8, K: 4, N: 4}
	original := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	packed := []byte{1, 5, 2, 6, 3, 7, 4, 8, 9, 13, 10, 14, 11, 15, 12, 16}
	rep, err := matrix.Check(original, packed, l, matrix.CheckOptions{SubGroupSize: 8, First: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep)
	// Output:
	// This is not the VNNI packing of a matrix of 8-bit elements, K=4, N=4 (factor 4): 12 of 16 elements differ.
	// It looks like: packed with factor 2, not 4: 2 rows are interleaved, 8 elements from one group of rows to the next.
	// First elements out of place (sub-group size 8):
	//   row 0, column 1 (lane 1), word 1, bits 0 to 7: should be 0x02, is 0x03, which belongs to row 0, column 2
	//   row 0, column 2 (lane 2), word 2, bits 0 to 7: should be 0x03, is 0x09, which belongs to row 2, column 0
}

func ExampleFillDistinct() {
	l := matrix.Layout{Bits: 8, K: 4, N: 3}
	source := make([]byte, l.SourceBytes())
	if err := matrix.FillDistinct(source, l); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(source)
	// Output: [1 2 3 4 5 6 7 8 9 10 11 12]
}
