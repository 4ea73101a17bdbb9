package ui

import "math"

// A color is red, green and blue from 0 to 1.
type color [3]float64

// The tokens of base.css that heat maps are made of, by theme.
type heatTheme struct{ paper, accent, ink, onAccent color }

var (
	lightHeat = heatTheme{colorFromHex(0xfaf8f3), colorFromHex(0x125c55), colorFromHex(0x1e1b16), colorFromHex(0xfffefb)}
	darkHeat  = heatTheme{colorFromHex(0x161513), colorFromHex(0x74c7ba), colorFromHex(0xece7dc), colorFromHex(0x10201d)}
)

func colorFromHex(rgb int) color {
	return color{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}

// accentOpacity is how much of the accent a share is painted with. It leaves out the
// middle tones, on which no colour can be read, and darkens all the way.
func accentOpacity(share float64) float64 {
	if share < 0.5 {
		return share * 0.96
	}
	return 0.78 + (share-0.5)*0.44
}

// heatTextClasses returns the classes of what is written on a cell of that share: in
// each theme the colour that stands out more.
func heatTextClasses(share float64) string {
	return "light-" + lightHeat.textToken(share) + " dark-" + darkHeat.textToken(share)
}

func (t heatTheme) textToken(share float64) string {
	background := t.blend(accentOpacity(share))
	if contrast(background, t.onAccent) > contrast(background, t.ink) {
		return "on"
	}
	return "ink"
}

// blend is so much of the accent laid over the paper.
func (t heatTheme) blend(amount float64) (c color) {
	for i := range c {
		c[i] = amount*t.accent[i] + (1-amount)*t.paper[i]
	}
	return c
}

// contrast is the ratio of WCAG 2.2, 1 to 21.
func contrast(a, b color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color) float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}
