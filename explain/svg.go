package explain

import (
	"fmt"
	"html"
	"strings"
)

// SVG draws the explanation. The picture needs nothing besides itself, follows the reader's preference for light or dark,
// and says in words what it shows, for those who do not see it.
func (e *Explanation) SVG() string {
	var b strings.Builder
	p := e.picture
	id := fmt.Sprintf("sgrun-%s-%d", e.name, e.lanes)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" id="%s" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="%s-title %s-desc">`+"\n",
		id, p.w, p.h, p.w, p.h, id, id)
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n", id, html.EscapeString(e.title), id, html.EscapeString(e.description()))
	b.WriteString("<style>\n")
	e.style(&b, "#"+id)
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, "<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", p.w, p.h)
	for _, l := range p.links {
		fmt.Fprintf(&b, "<path class=\"to k%d\" d=\"M%d %dL%d %d\"/>\n", l.lane, l.x1, l.y1, l.x2, l.y2)
	}
	for _, x := range p.boxes {
		x.write(&b)
	}
	for _, f := range p.frames {
		fmt.Fprintf(&b, "<rect class=\"f\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", f.x, f.y, f.w, f.h)
	}
	for _, t := range p.texts {
		fmt.Fprintf(&b, "<text class=\"%s\" x=\"%d\" y=\"%d\"%s>%s</text>\n", t.class, t.x, t.y, t.anchor.attribute(), html.EscapeString(t.s))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (a anchor) attribute() string {
	if a == atStart {
		return ""
	}
	return fmt.Sprintf(" text-anchor=\"%s\"", a)
}

func (x box) write(b *strings.Builder) {
	lane, ink := fmt.Sprintf("c%d", x.lane), "v"
	if x.lane == noLane {
		lane, ink = "none", "v u"
	}
	fmt.Fprintf(b, "<g><title>%s</title><rect class=\"c %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>",
		html.EscapeString(x.tip), lane, x.x, x.y, x.w, x.h)
	middle, base := x.x+x.w/2, x.y+x.h/2+5
	if x.sub != "" {
		base -= 6
		fmt.Fprintf(b, "<text class=\"%s w\" x=\"%d\" y=\"%d\">%s</text>", ink, middle, base+13, html.EscapeString(x.sub))
	}
	fmt.Fprintf(b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text></g>\n", ink, middle, base, html.EscapeString(x.label))
}

// style writes the rules of both schemes. All begin with the picture's id, so that several pictures can stand in one page.
func (e *Explanation) style(b *strings.Builder, id string) {
	rule := func(selector, declarations string) { fmt.Fprintf(b, "%s %s{%s}\n", id, selector, declarations) }
	rule("text", "font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px")
	rule(".t", "font-size:16px;font-weight:600")
	rule(".s", "font-size:14px;font-weight:600")
	rule(".v", "text-anchor:middle;font-variant-numeric:tabular-nums")
	rule(".w", "font-size:10px")
	rule(".f", "fill:none;stroke-width:1.5")
	rule(".to", "fill:none;stroke-width:2")
	e.colours(rule, lightScheme())
	b.WriteString("@media (prefers-color-scheme:dark){\n")
	e.colours(rule, darkScheme())
	b.WriteString("}\n")
}

// colours writes the rules that differ between light and dark.
func (e *Explanation) colours(rule func(selector, declarations string), s scheme) {
	rule(".page", "fill:"+s.page)
	rule(".t,.s,.u", "fill:"+s.ink)
	rule(".n,.h", "fill:"+s.muted)
	rule(".v", "fill:"+s.onLane)
	rule(".v.u", "fill:"+s.ink)
	rule(".f", "stroke:"+s.line)
	rule(".c", fmt.Sprintf("stroke:%s;stroke-width:.5", s.line))
	rule(".none", "fill:none;stroke-dasharray:3 2")
	for lane := range e.lanes {
		rule(fmt.Sprintf(".c%d", lane), fmt.Sprintf("fill:%v", s.area(lane, e.lanes)))
		if e.picture.links != nil {
			rule(fmt.Sprintf(".k%d", lane), fmt.Sprintf("stroke:%v", s.lineOf(lane, e.lanes)))
		}
	}
}

// describedLanes is up to how many lanes the description tells of each; more would be a burden to who has it read aloud.
const describedLanes = 32

// description says in words what the picture shows.
func (e *Explanation) description() string {
	s := append([]string{}, e.notes...)
	if e.lanes > describedLanes || len(e.table) > 3 {
		return strings.Join(s, " ")
	}
	for lane := range e.lanes {
		var said []string
		for _, r := range e.table {
			head := strings.TrimSuffix(r.head, ":")
			said = append(said, fmt.Sprintf("%s %s", strings.ToLower(head), plainText(r.cells[lane])))
		}
		s = append(s, upperFirst(strings.Join(said, ", "))+".")
	}
	return strings.Join(s, " ")
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
