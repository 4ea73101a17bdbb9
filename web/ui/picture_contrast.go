package ui

import "math"

// A colour is red, green and blue from 0 to 1.
type colour [3]float64

// The tokens of base.css that heat maps are made of, by theme.
type heatTheme struct{ paper, accent, ink, onAccent colour }

var (
	lightHeat = heatTheme{hex(0xfaf8f3), hex(0x125c55), hex(0x1e1b16), hex(0xfffefb)}
	darkHeat  = heatTheme{hex(0x161513), hex(0x74c7ba), hex(0xece7dc), hex(0x10201d)}
)

func hex(rgb int) colour {
	return colour{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}

// depth is how much of the accent a share is painted with. It leaves out the
// middle tones, on which no colour can be read, and darkens all the way.
func depth(share float64) float64 {
	if share < 0.5 {
		return share * 0.96
	}
	return 0.78 + (share-0.5)*0.44
}

// overHeat returns the classes of what is written on a cell of that share: in
// each theme the colour that stands out more.
func overHeat(share float64) string {
	return "light-" + lightHeat.readable(share) + " dark-" + darkHeat.readable(share)
}

func (t heatTheme) readable(share float64) string {
	ground := t.ground(depth(share))
	if contrast(ground, t.onAccent) > contrast(ground, t.ink) {
		return "on"
	}
	return "ink"
}

// ground is so much of the accent laid over the paper.
func (t heatTheme) ground(depth float64) (c colour) {
	for i := range c {
		c[i] = depth*t.accent[i] + (1-depth)*t.paper[i]
	}
	return c
}

// contrast is the ratio of WCAG 2.2, 1 to 21.
func contrast(a, b colour) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c colour) float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}
