package nearest

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"buffers", "steps", "module", "bitcast-shuffle/u32-to-v2u16", "Kernel"}
	for wrong, want := range map[string]string{
		"bufers": "buffers", "setps": "steps", "kernle": "Kernel", "shuffle": "bitcast-shuffle/u32-to-v2u16", "xyz": "", "": "", "MODULE": "module",
	} {
		if got := strings.Join(Names(wrong, known, 1), " "); got != want {
			t.Errorf("%q: got %q, want %q", wrong, got, want)
		}
	}
	// The most alike come first.
	if got := strings.Join(Names("in", []string{"out", "int", "ix", "in2"}, 2), " "); got != "int ix" {
		t.Errorf("got %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"abcdef", "x", 4}} {
		if got := distance(c.a, c.b, 3); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
