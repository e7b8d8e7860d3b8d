package explain

import (
	"fmt"
	"math"
)

// rgb is a colour as screens take it (sRGB).
type rgb struct{ r, g, b uint8 }

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// scheme is the colours of a picture on a light or dark screen.
type scheme struct {
	page, ink, muted, line string // background, text, text of less weight, outlines
	onLane                 string // text on a lane's colour
	// fill and stroke are the lightness and chroma (OKLCH) of a lane's colour as an area and as a line. Areas of neighbours
	// differ in lightness too, since hues are close where lanes are many.
	fill   [2]float64
	stroke float64
	chroma float64
}

func lightScheme() scheme {
	return scheme{page: "#ffffff", ink: "#16181d", muted: "#4b5563", line: "#6b7280", onLane: "#000000",
		fill: [2]float64{0.79, 0.90}, stroke: 0.56, chroma: 0.11}
}

func darkScheme() scheme {
	return scheme{page: "#14171c", ink: "#eceef1", muted: "#b4bbc6", line: "#8b93a0", onLane: "#ffffff",
		fill: [2]float64{0.47, 0.36}, stroke: 0.74, chroma: 0.10}
}

// area is the colour of a lane's areas: hues go round the circle from the first lane to the last.
func (s scheme) area(lane, lanes int) rgb { return oklch(s.fill[lane%2], s.chroma, hue(lane, lanes)) }

// lineOf is the colour of a lane's lines.
func (s scheme) lineOf(lane, lanes int) rgb { return oklch(s.stroke, s.chroma*1.2, hue(lane, lanes)) }

func hue(lane, lanes int) float64 { return 25 + 360*float64(lane)/float64(lanes) }

// oklch converts a colour of the OKLCH space (CSS Color 4, section 9.3) to sRGB, with as much of its chroma as there is.
func oklch(lightness, chroma, degrees float64) rgb {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for ; ; chroma -= 0.005 {
		if c, ok := oklab(lightness, chroma*cos, chroma*sin); ok || chroma <= 0 {
			return c
		}
	}
}

// oklab converts a colour of the OKLab space to sRGB; ok is false where sRGB lacks it.
func oklab(lightness, a, b float64) (c rgb, ok bool) {
	l := cube(lightness + 0.3963377774*a + 0.2158037573*b)
	m := cube(lightness - 0.1055613458*a - 0.0638541728*b)
	s := cube(lightness - 0.0894841775*a - 1.2914855480*b)
	channels := [3]float64{
		+4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	}
	var out [3]uint8
	ok = true
	for i, v := range channels {
		ok = ok && v > -0.0005 && v < 1.0005
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(255 * v))
	}
	return rgb{out[0], out[1], out[2]}, ok
}

func cube(x float64) float64 { return x * x * x }

// Terminal returns the escape sequence that makes a terminal of 256 colours write black on a lane's colour, which can be
// read whatever the terminal's own colours are. "\x1b[0m" ends it.
func Terminal(lane, lanes int) string {
	c := oklch([2]float64{0.75, 0.90}[lane%2], 0.13, hue(lane, lanes))
	return fmt.Sprintf("\x1b[38;5;16;48;5;%dm", 16+36*level(c.r)+6*level(c.g)+level(c.b))
}

// level is the nearest of the six levels 0, 95, 135, 175, 215, 255 that terminals mix 216 of their colours from.
func level(v uint8) int {
	if v < 75 {
		return min(int(v)/48, 1)
	}
	return min((int(v)-35)/40, 5)
}
