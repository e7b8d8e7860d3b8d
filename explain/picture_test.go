package explain

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// explanations are one of each kind and way of drawing.
func explanations(t *testing.T) map[string]*Explanation {
	t.Helper()
	all := map[string]*Explanation{}
	for _, c := range []struct {
		from, to string
		lanes    int
	}{
		{"u32", "v2u16", 1}, {"u32", "v2u16", 8}, {"v2u16", "u32", 16}, {"u32", "v4u8", 32}, {"v2u64", "v16u8", 8}, {"v16u8", "v2u64", 32},
		{"v16u32", "v8u64", 128}, {"v16u8", "v2u64", 128}, {"u32", "f32", 16}, {"v3u32", "v3f32", 64},
	} {
		b, err := NewBitcastShuffle(mustType(t, c.from), mustType(t, c.to), c.lanes)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("%s to %s, %d lanes", c.from, c.to, c.lanes)] = b.Explanation()
	}
	for _, c := range [][2]int{{1, 8}, {0, 1}, {4, 16}, {5, 32}, {3, 33}, {64, 128}, {9, 12}, {math.MaxUint32, 8}} {
		x, err := NewShuffleXor(uint32(c[0]), c[1])
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("xor %d, %d lanes", c[0], c[1])] = x.Explanation()
	}
	for _, c := range [][3]int{{16, 4, 8}, {8, 7, 16}, {8, 8, 32}, {4, 9, 12}, {16, 33, 128}, {4, 1, 1}} {
		v, err := NewVNNI(c[0], c[1], c[2])
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("vnni %d bits, %d by %d", c[0], c[1], c[2])] = v.Explanation()
	}
	return all
}

// TestPicture: what is drawn is inside the picture, areas do not cover each other, and what is written fits.
func TestPicture(t *testing.T) {
	for name, e := range explanations(t) {
		p := e.picture
		taken := make([]bool, (p.w/2+1)*(p.h/2+1)) // squares of 2 by 2 pixels that boxes cover
		for _, b := range p.boxes {
			if b.x < 0 || b.y < 0 || b.x+b.w > p.w || b.y+b.h > p.h {
				t.Fatalf("%s: %+v is outside the picture of %d by %d", name, b, p.w, p.h)
			}
			if b.label == "" || b.tip == "" || b.lane >= e.lanes {
				t.Errorf("%s: %+v says nothing", name, b)
			}
			// A digit of DejaVu Sans, the widest font of the style, is 0.64 of its size wide.
			if w := 0.64 * 13 * float64(utf8.RuneCountInString(b.label)); w > float64(b.w) {
				t.Errorf("%s: %q takes %.0f pixels, its box has %d", name, b.label, w, b.w)
			}
			for x := b.x / 2; x < (b.x+b.w)/2; x++ {
				for y := b.y / 2; y < (b.y+b.h)/2; y++ {
					if at := y*(p.w/2+1) + x; taken[at] {
						t.Fatalf("%s: %+v covers another", name, b)
					} else {
						taken[at] = true
					}
				}
			}
		}
		for _, x := range p.texts {
			size := map[class]float64{classTitle: 10, classSection: 9, classHead: 7.8, classNote: 6.7}[x.class]
			w := size * float64(utf8.RuneCountInString(x.s))
			from := map[anchor]float64{atStart: 0, atMiddle: -w / 2, atEnd: -w}[x.anchor] + float64(x.x)
			if from < 0 || from+w > float64(p.w) || x.y > p.h || x.y < 0 {
				t.Errorf("%s: %q at %d, %d does not fit the picture of %d by %d", name, x.s, x.x, x.y, p.w, p.h)
			}
		}
		if e.lanes <= 32 && p.w > 1400 {
			t.Errorf("%s: %d pixels wide", name, p.w)
		}
	}
}

// TestPictureShowsTheMapping reads the picture of a bitcast shuffle: each piece of the operand is there twice, in the colour
// of its lane, and in the result it names that lane.
func TestPictureShowsTheMapping(t *testing.T) {
	for _, lanes := range []int{8, 32} { // across and down
		b, err := NewBitcastShuffle(mustType(t, "v2u32"), mustType(t, "v8u8"), lanes)
		if err != nil {
			t.Fatal(err)
		}
		boxes := b.Explanation().picture.boxes
		n := 8 * lanes
		if len(boxes) != 2*n {
			t.Fatalf("%d lanes: %d boxes", lanes, len(boxes))
		}
		seen := map[string]int{}
		for i, x := range boxes {
			number, err := strconv.Atoi(x.label)
			if err != nil || x.lane != number/8 {
				t.Errorf("%d lanes: piece %s in the colour of lane %d", lanes, x.label, x.lane)
			}
			if want := fmt.Sprintf("L%d", number/8); i >= n && x.sub != want {
				t.Errorf("%d lanes: piece %s is said to be from %s", lanes, x.label, x.sub)
			}
			seen[x.label]++
		}
		for label, times := range seen {
			if times != 2 {
				t.Errorf("%d lanes: piece %s is there %d times", lanes, label, times)
			}
		}
	}
}

// TestLinks: each line of a shuffle leads from its lane to the lane that gets its value.
func TestLinks(t *testing.T) {
	for _, lanes := range []int{8, 64} {
		x, err := NewShuffleXor(3, lanes)
		if err != nil {
			t.Fatal(err)
		}
		p := x.Explanation().picture
		boxAt := func(px, py int) box {
			for _, b := range p.boxes {
				if px >= b.x && px <= b.x+b.w && py >= b.y && py <= b.y+b.h {
					return b
				}
			}
			t.Fatalf("no box at %d, %d", px, py)
			return box{}
		}
		for _, l := range p.links {
			from, to := boxAt(l.x1, l.y1), boxAt(l.x2, l.y2)
			if from.lane != l.lane || to.lane != l.lane || from.label != to.label {
				t.Errorf("%d lanes: the line of lane %d leads from %+v to %+v", lanes, l.lane, from, to)
			}
			want := fmt.Sprintf("lane %d ", l.lane^3)
			if !strings.HasPrefix(to.tip, want) {
				t.Errorf("%d lanes: the line of lane %d leads to %q", lanes, l.lane, to.tip)
			}
		}
		if len(p.links) != lanes {
			t.Errorf("%d lanes: %d lines", lanes, len(p.links))
		}
	}
}

// TestSVG: well-formed, with title and description, and nothing from elsewhere.
func TestSVG(t *testing.T) {
	for name, e := range explanations(t) {
		svg := e.SVG()
		var doc struct {
			XMLName xml.Name
			ID      string `xml:"id,attr"`
			Role    string `xml:"role,attr"`
			By      string `xml:"aria-labelledby,attr"`
			Title   struct {
				ID   string `xml:"id,attr"`
				Text string `xml:",chardata"`
			} `xml:"title"`
			Desc struct {
				ID   string `xml:"id,attr"`
				Text string `xml:",chardata"`
			} `xml:"desc"`
			Groups []struct {
				Title string   `xml:"title"`
				Texts []string `xml:"text"`
			} `xml:"g"`
		}
		if err := xml.Unmarshal([]byte(svg), &doc); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if doc.XMLName.Space != "http://www.w3.org/2000/svg" || doc.Role != "img" || doc.By != doc.Title.ID+" "+doc.Desc.ID ||
			doc.Title.Text != e.Title() || len(doc.Desc.Text) < 40 || len(doc.Groups) != len(e.picture.boxes) {
			t.Errorf("%s: %+v", name, doc.XMLName)
		}
		rest := strings.Replace(svg, `xmlns="http://www.w3.org/2000/svg"`, "", 1)
		for _, bad := range []string{"http", "href", "<script", "url(", "@import"} {
			if strings.Contains(rest, bad) {
				t.Errorf("%s: the picture needs %s", name, bad)
			}
		}
		for line := range strings.Lines(svg[strings.Index(svg, "<style>")+8 : strings.Index(svg, "</style>")]) {
			if strings.Contains(line, "{") && !strings.HasPrefix(line, "@media") && !strings.HasPrefix(line, "#"+doc.ID+" ") {
				t.Errorf("%s: the rule %q would touch other pictures of a page", name, line)
			}
		}
	}
}

// TestHTML: well-formed as XML is but for what HTML leaves open, and the table has a row for each lane.
func TestHTML(t *testing.T) {
	for name, e := range explanations(t) {
		page := e.HTML()
		d := xml.NewDecoder(strings.NewReader(page))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		rows, pictures := 0, 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s, ok := token.(xml.StartElement); ok {
				switch s.Name.Local {
				case "tr":
					rows++
				case "svg":
					pictures++
				}
			}
		}
		if rows != e.lanes+1 || pictures != 1 || !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.Contains(page, `<html lang="en">`) {
			t.Errorf("%s: %d rows, %d pictures", name, rows, pictures)
		}
	}
}

var (
	fillRule = regexp.MustCompile(`(?m)^#\S+ (\S+)\{fill:(#[0-9a-f]{6})\}$`)
	lineRule = regexp.MustCompile(`(?m)^#\S+ (\.k\d+)\{stroke:(#[0-9a-f]{6})\}$`)
)

// TestContrast reads the colours from the pictures: text has a contrast of at least 4.5 to what it stands on, lines of 3 to
// the page (WCAG 2.2, 1.4.3 and 1.4.11), in both schemes, and no two lanes have the same colour.
func TestContrast(t *testing.T) {
	for _, lanes := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128} {
		x, err := NewShuffleXor(0, lanes)
		if err != nil {
			t.Fatal(err)
		}
		svg := x.Explanation().SVG()
		light, dark, ok := strings.Cut(svg, "@media (prefers-color-scheme:dark){")
		if !ok {
			t.Fatal("no dark scheme")
		}
		for scheme, css := range map[string]string{"light": light, "dark": dark} {
			fill := map[string]string{}
			for _, m := range fillRule.FindAllStringSubmatch(css, -1) {
				for s := range strings.SplitSeq(m[1], ",") {
					fill[s] = m[2]
				}
			}
			seen := map[string]int{}
			check := func(what, a, b string, least float64) {
				if c := contrast(t, a, b); c < least {
					t.Errorf("%d lanes, %s: %s: %s on %s has a contrast of %.2f", lanes, scheme, what, a, b, c)
				}
			}
			for l := range lanes {
				c := fill[fmt.Sprintf(".c%d", l)]
				check(fmt.Sprintf("text on lane %d", l), fill[".v"], c, 4.5)
				if other, ok := seen[c]; ok {
					t.Errorf("%d lanes, %s: lanes %d and %d are both %s", lanes, scheme, other, l, c)
				}
				seen[c] = l
			}
			for _, c := range []string{".t", ".s", ".n", ".h", ".u", ".v.u"} {
				check(c, fill[c], fill[".page"], 4.5)
			}
			lines := lineRule.FindAllStringSubmatch(css, -1)
			if len(lines) != lanes {
				t.Errorf("%d lanes, %s: %d colours of lines", lanes, scheme, len(lines))
			}
			for _, m := range lines {
				check(m[1], m[2], fill[".page"], 3)
			}
		}
	}
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(c string) float64 {
		n, err := strconv.ParseUint(strings.TrimPrefix(c, "#"), 16, 24)
		if err != nil || len(c) != 7 {
			t.Fatalf("%q is no colour", c)
		}
		l := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(n>>(16-8*i)&0xff) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			l += weight * v
		}
		return l
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestTerminalColours: black on any of them can be read, and neighbours differ.
func TestTerminalColours(t *testing.T) {
	levels := [6]int{0, 95, 135, 175, 215, 255} // of xterm's colours 16 to 231
	for lanes := 2; lanes <= MaxSubGroupSize; lanes++ {
		before := ""
		for l := range lanes {
			escape := Terminal(l, lanes)
			var n int
			if _, err := fmt.Sscanf(escape, "\x1b[38;5;16;48;5;%dm", &n); err != nil || n < 16 || n > 231 {
				t.Fatalf("%q", escape)
			}
			n -= 16
			c := fmt.Sprintf("#%02x%02x%02x", levels[n/36], levels[n/6%6], levels[n%6])
			if contrast(t, "#000000", c) < 4.5 {
				t.Errorf("lane %d of %d: black on %s", l, lanes, c)
			}
			if escape == before {
				t.Errorf("lane %d of %d looks like the one before", l, lanes)
			}
			before = escape
		}
	}
}

// TestText: paint sees each lane's text and changes nothing else, and lines are as wide as they may be.
func TestText(t *testing.T) {
	marked := regexp.MustCompile(`\[(\d+):([^\]]*)\]`)
	for name, e := range explanations(t) {
		plain := e.Text(nil)
		painted := e.Text(func(lane int, s string) string { return fmt.Sprintf("[%d:%s]", lane, s) })
		if got := marked.ReplaceAllString(painted, "$2"); got != plain {
			t.Errorf("%s: painted\n%s\nplain\n%s", name, got, plain)
		}
		if !marked.MatchString(painted) {
			t.Errorf("%s: nothing is painted", name)
		}
		if !strings.HasSuffix(plain, "\n") || !strings.HasPrefix(plain, e.Title()+"\n\n") || strings.Contains(plain, "\n\n\n") {
			t.Errorf("%s: %q", name, plain)
		}
		for line := range strings.Lines(plain) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s: a line ends with a space: %q", name, line)
			}
			wide := strings.Contains(name, "16u") || strings.HasPrefix(name, "xor 4294967295")
			if n := utf8.RuneCountInString(line); n > textWidth && !wide {
				t.Errorf("%s: a line of %d characters: %s", name, n, line)
			}
		}
	}
}
