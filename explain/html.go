package explain

import (
	"fmt"
	"html"
	"strings"
)

// HTML writes a page with the picture and, as a table, everything that is in it. The page needs nothing besides itself.
func (e *Explanation) HTML() string {
	var b strings.Builder
	light, dark := lightScheme(), darkScheme()
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
body{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;line-height:1.5;margin:1.5rem;background:%s;color:%s}
h1{position:absolute;clip-path:inset(50%%)} /* for who listens: the picture shows it */
h2{font-size:1.05rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.15rem .8rem;border-bottom:1px solid %s;white-space:nowrap}
@media (prefers-color-scheme:dark){
body{background:%s;color:%s}
th,td{border-color:%s}
}
</style>
</head>
<body>
<h1>%s</h1>
`, html.EscapeString(e.title), light.page, light.ink, light.line, dark.page, dark.ink, dark.line, html.EscapeString(e.title))
	b.WriteString("<div class=\"scroll\" role=\"region\" aria-label=\"Picture\" tabindex=\"0\">\n" + e.SVG() + "</div>\n")
	b.WriteString("<h2>The same as a table</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">\n<table>\n<thead><tr>")
	for _, r := range e.table {
		fmt.Fprintf(&b, "<th scope=\"col\">%s</th>", html.EscapeString(strings.TrimSuffix(r.head, ":")))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for lane := range e.lanes {
		b.WriteString("<tr>")
		for i, r := range e.table {
			cell := html.EscapeString(plainText(r.cells[lane]))
			if i == 0 {
				fmt.Fprintf(&b, "<th scope=\"row\">%s</th>", cell)
			} else {
				fmt.Fprintf(&b, "<td>%s</td>", cell)
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n</div>\n</body>\n</html>\n")
	return b.String()
}
