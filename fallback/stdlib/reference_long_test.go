//go:build long

package stdlib

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMPFR holds every function against MPFR on many random points (SGRUN_POINTS, else a few thousand) with a C program made
// on the spot, and docs/math.md's table against what it finds, if SGRUN_ULP_TABLE names a file to write the table to.
func TestMPFR(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("NOT RUN: no gcc")
	}
	bin := filepath.Join(t.TempDir(), "reference")
	if out, err := exec.Command("gcc", "-O2", "-o", bin, "testdata/gen/reference.c", "-lmpfr", "-lgmp", "-lm").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "mpfr.h") {
			t.Skip("NOT RUN: no MPFR to compile against (package libmpfr-dev)")
		}
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	points := 3000
	if s := os.Getenv("SGRUN_POINTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		points = n
	}
	found := map[string][3]float64{}
	for _, name := range sortedNames() {
		for w, width := range widths {
			n := points
			if width.bits == 16 {
				n = min(n, 1<<16)
			}
			out, err := exec.Command(bin, name, strconv.Itoa(width.bits), "2", strconv.Itoa(n)).Output()
			if err != nil || len(out) != n*32 {
				t.Fatalf("%s f%d: %v, %d bytes", name, width.bits, err, len(out))
			}
			e, at, got := worst(t, name, w, decode(out))
			m := found[name]
			m[w] = e
			found[name] = m
			if limit := limits[name][width.limit]; e > limit {
				t.Errorf("%s f%d: %.3f ulp, limit %g, at %x, %x: got %x, want %x + %x", name, width.bits, e, limit, at.x, at.y, got, at.hi, at.lo)
			}
		}
	}
	if file := os.Getenv("SGRUN_ULP_TABLE"); file != "" {
		if err := os.WriteFile(file, []byte(ulpTable(found)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ulpTable is the table of docs/math.md.
func ulpTable(max map[string][3]float64) string {
	var s strings.Builder
	s.WriteString("| function | f16 | limit | f32 | limit | f64 | limit |\n|---|---|---|---|---|---|---|\n")
	for _, name := range sortedNames() {
		m, l := max[name], limits[name]
		fmt.Fprintf(&s, "| `%s` | %.3f | %g | %.3f | %g | %.3f | %g |\n", name, m[2], l[2], m[0], l[0], m[1], l[1])
	}
	return s.String()
}
