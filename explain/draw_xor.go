package explain

import "fmt"

// draw draws the lanes before and after, with a line from each lane to the lane that gets its value: across, or downwards
// where they are many.
func (x *ShuffleXor) draw(e *Explanation) *picture {
	const (
		size  = 30 // of a lane's box
		step  = 32
		reach = 110 // from a lane before to the lanes after
	)
	p := &picture{}
	left := margin + 90
	across := left-margin+x.lanes*step <= comfortable
	width := left - margin + x.lanes*step
	if !across {
		width = 0
	}
	y := p.begin(e, width)
	// before and after are where the boxes of a lane are.
	y += 14
	before := func(l int) (int, int) { return left + l*step, y }
	after := func(l int) (int, int) { return left + l*step, y + size + reach }
	if across {
		p.text(left-12, y+size/2+5, classHead, atEnd, "lane")
		p.text(left-12, y+size+reach+size/2+5, classHead, atEnd, "value from")
		p.text(left-12, y+2*size+reach+18, classHead, atEnd, "lane")
	} else {
		y += 10
		right := left + size + 2*reach
		before = func(l int) (int, int) { return left, y + l*step }
		after = func(l int) (int, int) { return right, y + l*step }
		p.text(left+size/2, y-8, classHead, atMiddle, "lane")
		p.text(right+size/2, y-8, classHead, atMiddle, "value from")
	}
	for l := range x.lanes {
		bx, by := before(l)
		p.boxes = append(p.boxes, box{x: bx, y: by, w: size, h: size, lane: l, label: fmt.Sprint(l), tip: fmt.Sprintf("lane %d (%s)", l, x.binary(uint32(l)))})
		p.frames = append(p.frames, frame{bx, by, size, size})
		ax, ay := after(l)
		to := box{x: ax, y: ay, w: size, h: size, lane: noLane, label: "?", tip: fmt.Sprintf("lane %d gets an undefined value", l)}
		if source, ok := x.Source(l); ok {
			s := int(source)
			to.lane, to.label = s, fmt.Sprint(s)
			to.tip = fmt.Sprintf("lane %d (%s) gets the value of lane %d (%s)", l, x.binary(uint32(l)), s, x.binary(source))
			sx, sy := before(s)
			if across {
				p.links = append(p.links, link{sx + size/2, sy + size, ax + size/2, ay, s})
			} else {
				p.links = append(p.links, link{sx + size, sy + size/2, ax, ay + size/2, s})
			}
		}
		p.boxes = append(p.boxes, to)
		p.frames = append(p.frames, frame{ax, ay, size, size})
		if across {
			p.text(ax+size/2, ay+size+18, classHead, atMiddle, fmt.Sprint(l))
		} else {
			p.text(ax+size+10, ay+size/2+5, classHead, atStart, fmt.Sprintf("lane %d", l))
		}
	}
	if across {
		return p.end(y + 2*size + reach + 18)
	}
	return p.end(y + x.lanes*step)
}
