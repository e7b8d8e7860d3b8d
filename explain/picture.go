package explain

// picture is shapes at their places, in pixels from the top left. Which colours they have is the matter of the writer.
type picture struct {
	w, h   int
	boxes  []box
	frames []frame
	links  []link
	texts  []text
}

// box is an area in the colour of a lane, or without colour for noLane.
type box struct {
	x, y, w, h int
	lane       int
	label, sub string // in its middle; below that, smaller
	tip        string // shown where the pointer rests
}

// frame is an outline around boxes that belong together.
type frame struct{ x, y, w, h int }

// link is a line in the colour of a lane.
type link struct{ x1, y1, x2, y2, lane int }

// text is a line of text. Its class says how it looks, its anchor where x is.
type text struct {
	x, y   int
	class  class
	anchor anchor
	s      string
}

type class string

const (
	classTitle   class = "t"
	classSection class = "s"
	classHead    class = "h" // of rows and columns
	classNote    class = "n"
)

type anchor string

const (
	atStart  anchor = "start"
	atMiddle anchor = "middle"
	atEnd    anchor = "end"
)

const (
	margin = 20
	// comfortable is how wide a picture may be before its lanes are drawn downwards instead of across.
	comfortable = 1120
	// narrowest is the room that title and notes need.
	narrowest  = 700
	lineHeight = 19
)

func (p *picture) text(x, y int, c class, a anchor, s string) {
	p.texts = append(p.texts, text{x, y, c, a, s})
}

// begin writes the title, the notes and what else is to be said about a picture whose drawing is so wide, and returns where
// the drawing may begin.
func (p *picture) begin(e *Explanation, width int, legend ...string) (y int) {
	p.w = max(width, narrowest) + 2*margin
	y = margin + 16
	for _, l := range wrap(e.title, (p.w-2*margin)/10) {
		p.text(margin, y, classTitle, atStart, l)
		y += 24
	}
	for _, n := range append(append([]string{}, e.notes...), legend...) {
		for _, l := range wrap(n, (p.w-2*margin)*10/67) {
			p.text(margin, y, classNote, atStart, l)
			y += lineHeight
		}
	}
	return y + 8
}

// end closes a picture below y.
func (p *picture) end(y int) *picture {
	p.h = y + margin
	return p
}
