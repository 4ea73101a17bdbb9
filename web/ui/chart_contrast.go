package ui

import "math"

// A color is red, green and blue from 0 to 1.
type color [3]float64

// A heatTheme holds the colors of base.css that heat maps use.
type heatTheme struct{ background, accent, text, onAccent color }

var (
	lightHeat = heatTheme{colorFromHex(0xfaf8f3), colorFromHex(0x125c55), colorFromHex(0x1e1b16),
		colorFromHex(0xfffefb)}
	darkHeat = heatTheme{colorFromHex(0x161513), colorFromHex(0x74c7ba), colorFromHex(0xece7dc),
		colorFromHex(0x10201d)}
)

func colorFromHex(rgb int) color {
	return color{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}

// accentOpacity returns the opacity of the accent color for a share. It skips the
// middle tones, on which neither text color is readable.
func accentOpacity(share float64) float64 {
	if share < 0.5 {
		return share * 0.96
	}
	return 0.78 + (share-0.5)*0.44
}

// heatTextClasses returns the classes of the text on a cell of that share: in each
// theme the color with more contrast.
func heatTextClasses(share float64) string {
	return "light-" + lightHeat.textToken(share) + " dark-" + darkHeat.textToken(share)
}

func (t heatTheme) textToken(share float64) string {
	cell := t.blend(accentOpacity(share))
	if contrast(cell, t.onAccent) > contrast(cell, t.text) {
		return "on-accent"
	}
	return "text"
}

// blend returns the accent color at that opacity over the background.
func (t heatTheme) blend(amount float64) (c color) {
	for i := range c {
		c[i] = amount*t.accent[i] + (1-amount)*t.background[i]
	}
	return c
}

// contrast returns the contrast ratio of WCAG 2.2, from 1 to 21.
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
