package explain

import "fmt"

// bitcastPlan is where the values of the lanes are drawn: lanes across, with a row for each component, as the specification
// writes them; or lanes down where that would be too wide.
type bitcastPlan struct {
	b      *BitcastShuffle
	pic    *picture
	pieceW int
	across bool
	laneW  int // across: from one lane to the next
	left   int // where lanes (across) or the operand (down) begin
}

const (
	componentGap = 5
	laneGap      = 6
	operandH     = 28 // a piece with its number
	resultH      = 36 // a piece with its number and its lane
)

// draw draws the operand's pieces in the colours of their lanes, and the same pieces in the places they have in the result.
func (b *BitcastShuffle) draw(e *Explanation) *picture {
	d := &bitcastPlan{b: b, pic: &picture{}, pieceW: 28, left: margin + 100}
	if b.perLane()*b.lanes > 1000 { // numbers of four digits
		d.pieceW = 36
	}
	d.laneW = max(b.parts(b.from), b.parts(b.to))*d.pieceW + laneGap
	d.across = d.left-margin+b.lanes*d.laneW <= comfortable
	if d.across {
		return d.drawAcross(e)
	}
	return d.drawDown(e)
}

// legend says how the drawing is to be read, and in which order the concatenation takes it.
func (d *bitcastPlan) legend(order string) []string {
	lines := []string{"Under a number of the result: the lane it comes from (L0, L1, …), whose colour it has."}
	if !d.b.plain() {
		lines = append(lines, "The operand is read "+order+"; the result is the same bits, dealt out in the same order.")
	}
	if d.b.parts(d.b.from) > 1 || d.b.parts(d.b.to) > 1 {
		lines = append(lines, "A frame is a component, its lowest bits on the left.")
	}
	return lines
}

func (d *bitcastPlan) drawAcross(e *Explanation) *picture {
	b, p := d.b, d.pic
	y := p.begin(e, d.left-margin+b.lanes*d.laneW, d.legend("row by row: first components of all lanes, then second ones, …")...)
	half := func(name string, t Type, h int, source func(Piece) Piece, sub bool) {
		y += 18
		p.text(margin, y, classSection, atStart, fmt.Sprintf("%s: %v", name, t))
		y += 24
		p.text(d.left-12, y, classHead, atEnd, "lane")
		for lane := range b.lanes {
			p.text(d.laneX(lane)+(d.laneW-laneGap)/2, y, classHead, atMiddle, fmt.Sprint(lane))
		}
		y += 8
		for c := range t.Count {
			if t.Count > 1 {
				p.text(d.left-12, y+h/2+4, classHead, atEnd, fmt.Sprintf("component %d", c))
			}
			for lane := range b.lanes {
				x := d.laneX(lane) + (d.laneW-laneGap-b.parts(t)*d.pieceW)/2
				d.component(x, y, h, t, Piece{Lane: lane, Component: c}, source, sub)
			}
			y += h + componentGap
		}
	}
	half("Operand", b.from, operandH, same, false)
	y += 12
	half("Result", b.to, resultH, b.Source, true)
	return p.end(y)
}

func (d *bitcastPlan) laneX(lane int) int { return d.left + lane*d.laneW }

func (d *bitcastPlan) drawDown(e *Explanation) *picture {
	b, p := d.b, d.pic
	d.left = margin + 64
	valueW := func(t Type) int { return t.Count * (b.parts(t)*d.pieceW + componentGap) }
	right := d.left + max(valueW(b.from), 170) + 50
	y := p.begin(e, right+max(valueW(b.to), 170)-margin,
		d.legend("downwards, column by column: first components of all lanes, then second ones, …")...)
	y += 16
	const rowH = resultH + 4
	half := func(x int, name string, t Type, h int, source func(Piece) Piece, sub bool) {
		y := y
		p.text(x, y, classSection, atStart, fmt.Sprintf("%s: %v", name, t))
		y += 22
		componentW := b.parts(t)*d.pieceW + componentGap
		if t.Count > 1 {
			p.text(x-12, y, classHead, atEnd, "comp.")
			for c := range t.Count {
				p.text(x+c*componentW+(componentW-componentGap)/2, y, classHead, atMiddle, fmt.Sprint(c))
			}
		}
		y += 8
		for lane := range b.lanes {
			for c := range t.Count {
				d.component(x+c*componentW, y+(resultH-h)/2, h, t, Piece{Lane: lane, Component: c}, source, sub)
			}
			y += rowH
		}
	}
	half(d.left, "Operand", b.from, operandH, same, false)
	half(right, "Result", b.to, resultH, b.Source, true)
	y += 30
	for lane := range b.lanes {
		p.text(d.left-12, y+resultH/2+4, classHead, atEnd, fmt.Sprintf("lane %d", lane))
		p.text(right-12, y+resultH/2+4, classHead, atEnd, fmt.Sprint(lane))
		y += rowH
	}
	return p.end(y)
}

// component draws the pieces of a component side by side, the lowest bits first.
func (d *bitcastPlan) component(x, y, h int, t Type, at Piece, source func(Piece) Piece, sub bool) {
	b := d.b
	for part := range b.parts(t) {
		at.Part = part
		from := source(at)
		bx := box{x: x + part*d.pieceW, y: y, w: d.pieceW, h: h, lane: from.Lane, label: fmt.Sprint(b.Number(from))}
		if sub {
			bx.sub = fmt.Sprintf("L%d", from.Lane)
			bx.tip = fmt.Sprintf("%s: from %s of the operand", d.place(b.to, at), d.place(b.from, from))
		} else {
			bx.tip = fmt.Sprintf("%s of the operand", d.place(b.from, from))
		}
		d.pic.boxes = append(d.pic.boxes, bx)
	}
	d.pic.frames = append(d.pic.frames, frame{x, y, b.parts(t) * d.pieceW, h})
}

// place says where a piece is.
func (d *bitcastPlan) place(t Type, at Piece) string {
	s := fmt.Sprintf("lane %d", at.Lane)
	if t.Count > 1 {
		s += fmt.Sprintf(", component %d", at.Component)
	}
	if d.b.parts(t) > 1 {
		s += fmt.Sprintf(", bits %d to %d", at.Part*d.b.PieceBits(), (at.Part+1)*d.b.PieceBits()-1)
	}
	return s
}
