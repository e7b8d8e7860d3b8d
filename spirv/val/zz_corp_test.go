package val

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

func TestCorp(t *testing.T) {
	dir := os.Getenv("CORP")
	if dir == "" {
		t.Skip()
	}
	f, _ := os.Open(dir + "/verdicts")
	out, _ := os.Create(dir + "/diff")
	defer out.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	stat := map[string][4]int{}
	for sc.Scan() {
		p := strings.SplitN(sc.Text(), " ", 3)
		if p[1] == "noasm" {
			continue
		}
		group := p[0][:strings.LastIndex(p[0], "-")]
		d, err := os.ReadFile(dir + "/spv/" + p[0])
		if err != nil {
			continue
		}
		b, err := spirv.Decode(d)
		if err == nil {
			_, err = Load(b)
		}
		s := stat[group]
		theirs := p[1] == "ok"
		switch {
		case theirs && err == nil:
			s[0]++
		case !theirs && err != nil:
			s[1]++
		case theirs:
			s[2]++
			fmt.Fprintf(out, "OURS %s | %.220s\n", p[0], err)
		default:
			s[3]++
			fmt.Fprintf(out, "THEIRS %s | %.220s\n", p[0], p[2])
		}
		stat[group] = s
	}
	for g, s := range stat {
		fmt.Printf("%-50s ok/ok %5d bad/bad %5d  ours-only %4d theirs-only %4d\n", g, s[0], s[1], s[2], s[3])
	}
}
