package fallback_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

var updateShapes = flag.Bool("update-shapes", false, "write the table of shapes in docs/emulator.md instead of comparing it")

// The extents of the array that all files in testdata/shapes store to: what a lane sees at a point in a round.
const (
	flowPoints = 12
	flowRounds = 8
	flowItems  = 128
	flowLocal  = 64
)

// A flowShape is one file of testdata/shapes: a module, and in the comments at its head what lanes 0 to 7 see at its
// numbered points. Lane l of a sub-group of any size does what lane l mod 8 does.
type flowShape struct {
	name, title string // of the first line
	text        string
	want        map[[2]int][]flowGroup // by point and round
	elect       map[int]bool           // points that store who is elected instead of the ballot
}

// A flowGroup is lanes that come to a point in one round, and all those that are there with them. They differ where some
// of the lanes count another round. The first character is lane 0.
type flowGroup struct{ lanes, ballot string }

var (
	shapeTitle = regexp.MustCompile(`^; ((?:shader|kernel)-[a-z0-9-]+): (\S.*)$`)
	shapePoint = regexp.MustCompile(`^; (point|elect) (\d+)(?: round (\d+))?: (.+)$`)
	shapeGroup = regexp.MustCompile(`^([01]{8})(?: of ([01]{8}))?$`)
	shapeCode  = regexp.MustCompile(`(?m)^ +; (point|elect) (\d+)$`)
)

// readShape reads a file. Everything in it that could make the comparison say less than the file's comments is an error.
func readShape(path string) (*flowShape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &flowShape{text: string(data), want: map[[2]int][]flowGroup{}, elect: map[int]bool{}}
	described := map[string]bool{}
	for i, line := range strings.Split(s.text, "\n") {
		if !strings.HasPrefix(line, ";") {
			break
		}
		if i == 0 {
			m := shapeTitle.FindStringSubmatch(line)
			if m == nil || m[1] != strings.TrimSuffix(filepath.Base(path), ".spvasm") {
				return nil, fmt.Errorf("the first line must be \"; NAME: what it is\", with the name of the file: %q", line)
			}
			s.name, s.title = m[1], m[2]
			continue
		}
		m := shapePoint.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "; point ") || strings.HasPrefix(line, "; elect ") {
				return nil, fmt.Errorf("line %d is not read: %q", i+1, line)
			}
			continue
		}
		point, _ := strconv.Atoi(m[2])
		round, _ := strconv.Atoi(m[3]) // 0 where there is none
		key := [2]int{point, round}
		if _, twice := s.want[key]; twice || point >= flowPoints || round >= flowRounds {
			return nil, fmt.Errorf("line %d: twice, or beyond the array: %q", i+1, line)
		}
		described[m[1]+" "+m[2]] = true
		s.elect[point] = m[1] == "elect"
		if s.want[key], err = readGroups(m[4]); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	for _, m := range shapeCode.FindAllStringSubmatch(s.text, -1) {
		what := m[1] + " " + m[2]
		if !described[what] {
			return nil, fmt.Errorf("%s stands in the code, and nothing says who comes there", what)
		}
		delete(described, what)
	}
	if len(described) > 0 {
		return nil, fmt.Errorf("points that do not stand in the code, or twice: %v", described)
	}
	if len(s.want) == 0 {
		return nil, fmt.Errorf("no points")
	}
	return s, nil
}

func readGroups(text string) ([]flowGroup, error) {
	if text == "none" {
		return []flowGroup{}, nil
	}
	var groups []flowGroup
	var seen [8]bool
	for _, t := range strings.Split(text, ", ") {
		m := shapeGroup.FindStringSubmatch(t)
		if m == nil {
			return nil, fmt.Errorf("%q is no ballot of eight lanes", t)
		}
		g := flowGroup{m[1], m[2]}
		if g.ballot == "" {
			g.ballot = g.lanes
		}
		for l := range 8 {
			if g.lanes[l] == '1' && (seen[l] || g.ballot[l] == '0') {
				return nil, fmt.Errorf("lane %d of %q is in two groups, or not in its own ballot", l, t)
			}
			seen[l] = seen[l] || g.lanes[l] == '1'
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// at is what an item must store at a point in a round: its sub-group's ballot or the elected lane of it as a mask, 0 if it
// does not come there.
func (s *flowShape) at(point, round, item, subGroup int) uint32 {
	for _, g := range s.want[[2]int{point, round}] {
		if g.lanes[item%8] == '0' {
			continue
		}
		var ballot uint32
		for lane := range subGroup {
			if g.ballot[(item/subGroup*subGroup+lane)%8] == '1' {
				ballot |= 1 << lane
			}
		}
		if s.elect[point] {
			ballot &= -ballot
		}
		return ballot
	}
	return 0
}

func readShapes(t *testing.T) []*flowShape {
	t.Helper()
	paths, err := filepath.Glob("testdata/shapes/*.spvasm")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d files in testdata/shapes: %v", len(paths), err)
	}
	var list []*flowShape
	for _, p := range paths {
		s, err := readShape(p)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		list = append(list, s)
	}
	return list
}

// TestShapes runs every shape at several sub-group sizes, in parallel, in several orders of the work-groups, and with lanes
// that give way at every back-edge others wait behind, which must not part them.
func TestShapes(t *testing.T) {
	for _, s := range readShapes(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			t.Log(s.title)
			patient, impatient := run.Device(t, fallback.Options{}), run.Device(t, fallback.Impatient)
			m := run.Module(t, s.text)
			for _, subGroup := range []int{1, 2, 4, 8, 16, 32} {
				want := s.expect(subGroup)
				opts := []run.Options{
					{Device: patient}, {Device: patient, Deterministic: true}, {Device: patient, Deterministic: true, Seed: 1},
					{Device: patient, Deterministic: true, Seed: 2}, {Device: impatient, Deterministic: true},
				}
				for _, opt := range opts {
					opt.Items, opt.Local, opt.SubGroup = flowItems, flowLocal, subGroup
					out := run.Buffer(t, opt.Device, make([]byte, 4*flowPoints*flowRounds*flowItems))
					arg := device.Arg{Kind: device.ArgBuffer, Buffer: out, Name: "out"}
					if strings.HasPrefix(s.name, "shader-") {
						arg.Slot = device.SlotBinding
					}
					opt.Args = []device.Arg{arg}
					if r := run.Launch(t, m, &run.Source{}, opt); r.Err != nil {
						t.Fatalf("sub-groups of %d: %v", subGroup, r.Err)
					}
					data := make([]byte, out.Size())
					if err := out.Read(data, 0); err != nil {
						t.Fatal(err)
					}
					if err := out.Close(); err != nil {
						t.Fatal(err)
					}
					if got := run.FromWords(data); !slices.Equal(got, want) {
						compareShapes(t, got, want, subGroup)
					}
				}
			}
		})
	}
}

// expect is what a launch must leave in the array.
func (s *flowShape) expect(subGroup int) []uint32 {
	want := make([]uint32, flowPoints*flowRounds*flowItems)
	for key := range s.want {
		for item := range flowItems {
			want[(key[0]*flowRounds+key[1])*flowItems+item] = s.at(key[0], key[1], item, subGroup)
		}
	}
	return want
}

// compareShapes reports the first difference in each round of a point.
func compareShapes(t *testing.T, got, want []uint32, subGroup int) {
	t.Helper()
	for at := 0; at < len(got); at++ {
		if got[at] == want[at] {
			continue
		}
		row := at / flowItems
		t.Errorf("sub-groups of %d, point %d round %d: item %d sees %s, want %s", subGroup, row/flowRounds, row%flowRounds,
			at%flowItems, lanesOf(got[at], subGroup), lanesOf(want[at], subGroup))
		at = (row+1)*flowItems - 1
	}
}

// lanesOf writes a ballot as the files do, lane 0 first.
func lanesOf(ballot uint32, subGroup int) string {
	b := []byte(fmt.Sprintf("%0*b", subGroup, ballot))
	slices.Reverse(b)
	return string(b)
}

// TestShapesListed compares the table in docs/emulator.md with the files.
func TestShapesListed(t *testing.T) {
	const path, begin, end = "../docs/emulator.md", "<!-- shapes: go test ./fallback -run TestShapesListed -update-shapes -->\n", "<!-- end of shapes -->\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks %q or %q", path, begin, end)
	}
	var table strings.Builder
	for _, dialect := range []string{"shader", "kernel"} {
		fmt.Fprintf(&table, "\n| %s | |\n|---|---|\n", dialect)
		for _, s := range readShapes(t) {
			if name, ok := strings.CutPrefix(s.name, dialect+"-"); ok {
				fmt.Fprintf(&table, "| `%s` | %s |\n", name, strings.ReplaceAll(s.title, "|", `\|`))
			}
		}
	}
	want := before + begin + table.String() + "\n" + end + after
	if *updateShapes {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Errorf("%s does not list the files of testdata/shapes; run the command that stands there", path)
	}
}
