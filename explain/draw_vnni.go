package explain

import (
	"fmt"
	"math/bits"
)

// draw draws the matrix and below it the packed matrix, each word as the elements it holds, one upon the other. Under an
// element's name is its place in memory. Columns that are too many for the page follow below.
func (v *VNNI) draw(e *Explanation) *picture {
	const (
		h    = 34
		gap  = 3
		page = 1220
	)
	l, p := v.layout, &picture{}
	f := l.Factor()
	left := margin + 146
	w := max(34, 8*len(elementName(l.K-1, l.N-1))+2)
	columns := l.N
	for columns*(w+gap) > page {
		columns = 1 << (bits.Len(uint(columns-1)) - 1) // the next smaller power of two
	}
	y := p.begin(e, left-margin+columns*(w+gap),
		fmt.Sprintf("Under each name: the element's place in memory, counted in elements of %d bits.", l.Bits))
	for from := 0; from < l.N; from += columns {
		to := min(from+columns, l.N)
		heads := func(name string) {
			y += 18
			p.text(margin, y, classSection, atStart, name)
			y += 24
			p.text(left-12, y, classHead, atEnd, "lane")
			for n := from; n < to; n++ {
				p.text(left+(n-from)*(w+gap)+w/2, y, classHead, atMiddle, fmt.Sprint(n))
			}
			y += 8
		}
		heads("Matrix B")
		for k := range l.K {
			p.text(left-12, y+h/2+4, classHead, atEnd, fmt.Sprintf("row %d", k))
			for n := from; n < to; n++ {
				x := left + (n-from)*(w+gap)
				p.boxes = append(p.boxes, box{x, y, w, h, n, elementName(k, n), fmt.Sprint(k*l.N + n), fmt.Sprintf("row %d, column %d", k, n)})
				p.frames = append(p.frames, frame{x, y, w, h})
			}
			y += h + gap
		}
		y += 12
		heads("Packed: words of 32 bits")
		for r := range l.PackedRows() {
			p.text(left-12, y+h/2+4, classHead, atEnd, fmt.Sprintf("packed row %d, low", r))
			p.text(left-12, y+(f-1)*h+h/2+4, classHead, atEnd, "high")
			for n := from; n < to; n++ {
				x := left + (n-from)*(w+gap)
				for part := range f {
					bx := box{x, y + part*h, w, h, noLane, v.label(r, n, part), fmt.Sprint((r*l.N+n)*f + part), "padding"}
					if k, n, ok := v.Element(r, n, part); ok {
						bx.lane, bx.tip = n, fmt.Sprintf("row %d, column %d", k, n)
					}
					bx.tip += fmt.Sprintf(": word %d, bits %d to %d", r*l.N+n, part*l.Bits, (part+1)*l.Bits-1)
					p.boxes = append(p.boxes, bx)
				}
				p.frames = append(p.frames, frame{x, y, w, f * h})
			}
			y += f*h + gap*2
		}
		y += 16
	}
	return p.end(y - 16)
}
