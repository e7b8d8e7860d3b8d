package explain

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// TestPacking gives the oracle a matrix of elements that tell where they are from.
func TestPacking(t *testing.T) {
	for _, bits := range []int{4, 8, 16} {
		factor := 32 / bits
		for _, shape := range [][2]int{{factor, 1}, {factor, 8}, {2 * factor, 3}, {64, 16}, {8 * factor, 128}} {
			rows, columns := shape[0], shape[1]
			if rows > MaxRows {
				continue
			}
			v, err := NewVNNI(bits, rows, columns)
			if err != nil {
				t.Fatal(err)
			}
			// Elements are too narrow for their place: its digits come one after the other.
			for shift := 0; shift < 16; shift += bits {
				b := make([][]uint64, rows)
				for k := range b {
					for n := range columns {
						b[k] = append(b[k], uint64(k*columns+n)>>shift&(1<<bits-1))
					}
				}
				for r, words := range oracle.PackVNNI(b, bits) {
					for n, word := range words {
						for part := range factor {
							k, col, ok := v.Element(r, n, part)
							if want := word >> (part * bits) & (1<<bits - 1); !ok || b[k][col] != want {
								t.Fatalf("%d bits, %d rows, %d columns: packed row %d, column %d, part %d: element %d,%d (%v), the oracle has another", bits, rows, columns, r, n, part, k, col, ok)
							}
						}
					}
				}
			}
		}
	}
}

// TestPackingText: a matrix of three rows by hand. The second packed row is half padding.
func TestPackingText(t *testing.T) {
	v, err := NewVNNI(16, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
Lane:          0        1        2

B row 0:       0,0      0,1      0,2
B row 1:       1,0      1,1      1,2
B row 2:       2,0      2,1      2,2

Packed row 0:  0,0|1,0  0,1|1,1  0,2|1,2
Packed row 1:  2,0|0    2,1|0    2,2|0

`
	if got := v.Explanation().Text(nil); !strings.Contains(got, want) || !strings.Contains(got, "padding") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPackingRefused(t *testing.T) {
	for _, c := range []struct {
		bits, rows, columns int
		parameter, allowed  string
	}{
		{32, 4, 4, "bits", "4, 8 or 16"},
		{0, 4, 4, "bits", "4, 8 or 16"},
		{16, 0, 4, "rows", "1 to 64"},
		{16, 65, 4, "rows", "1 to 64"},
		{16, 4, -1, "columns", "1 to 128"},
		{16, 4, 129, "columns", "1 to 128"},
	} {
		_, err := NewVNNI(c.bits, c.rows, c.columns)
		e, ok := err.(*Error)
		if !ok || e.Parameter != c.parameter || e.Allowed[0] != c.allowed {
			t.Errorf("%d bits, %d rows, %d columns: %v", c.bits, c.rows, c.columns, err)
		}
	}
}
