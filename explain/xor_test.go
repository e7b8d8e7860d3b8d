package explain

import (
	"strings"
	"testing"
)

// TestPairs holds against the pairings of an 8-lane sub-group that a description of subgroupShuffleXor prints for the masks
// 1, 2 and 4, copied from there by hand.
func TestPairs(t *testing.T) {
	for mask, want := range map[uint32]string{
		1: `Lane 0 (000) ↔ Lane 1 (001)
Lane 2 (010) ↔ Lane 3 (011)
Lane 4 (100) ↔ Lane 5 (101)
Lane 6 (110) ↔ Lane 7 (111)`,
		2: `Lane 0 (000) ↔ Lane 2 (010)
Lane 1 (001) ↔ Lane 3 (011)
Lane 4 (100) ↔ Lane 6 (110)
Lane 5 (101) ↔ Lane 7 (111)`,
		4: `Lane 0 (000) ↔ Lane 4 (100)
Lane 1 (001) ↔ Lane 5 (101)
Lane 2 (010) ↔ Lane 6 (110)
Lane 3 (011) ↔ Lane 7 (111)`,
		// By hand: nobody's partner, and partners that are not there.
		0: `Lane 0 (000) ↔ itself
Lane 1 (001) ↔ itself
Lane 2 (010) ↔ itself
Lane 3 (011) ↔ itself
Lane 4 (100) ↔ itself
Lane 5 (101) ↔ itself
Lane 6 (110) ↔ itself
Lane 7 (111) ↔ itself`,
		9: `Lane 0 (0000) ← Lane 9 (1001), which is not there: undefined
Lane 1 (0001) ← Lane 8 (1000), which is not there: undefined
Lane 2 (0010) ← Lane 11 (1011), which is not there: undefined
Lane 3 (0011) ← Lane 10 (1010), which is not there: undefined
Lane 4 (0100) ← Lane 13 (1101), which is not there: undefined
Lane 5 (0101) ← Lane 12 (1100), which is not there: undefined
Lane 6 (0110) ← Lane 15 (1111), which is not there: undefined
Lane 7 (0111) ← Lane 14 (1110), which is not there: undefined`,
	} {
		x, err := NewShuffleXor(mask, 8)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Explanation().Text(nil); !strings.Contains(got, "\n\n"+want+"\n\n") {
			t.Errorf("mask %d:\n%s\nwant\n%s", mask, got, want)
		}
	}
}

// TestPairsAreSymmetric: if lane a reads from lane b, lane b reads from lane a, whatever the size and the mask.
func TestPairsAreSymmetric(t *testing.T) {
	for lanes := 1; lanes <= MaxSubGroupSize; lanes++ {
		for _, mask := range []uint32{0, 1, 2, 3, 5, 16, 64, 127, 128, 1 << 31, 0xffffffff} {
			x, err := NewShuffleXor(mask, lanes)
			if err != nil {
				t.Fatal(err)
			}
			for l := range lanes {
				s, ok := x.Source(l)
				if ok != (s < uint32(lanes)) {
					t.Fatalf("mask %d, %d lanes: lane %d reads %d, %v", mask, lanes, l, s, ok)
				}
				if back, _ := x.Source(int(s)); ok && back != uint32(l) {
					t.Fatalf("mask %d, %d lanes: lane %d reads %d, which reads %d", mask, lanes, l, s, back)
				}
			}
		}
	}
	if _, err := NewShuffleXor(1, 0); err == nil {
		t.Error("a sub-group of no lanes")
	}
}
