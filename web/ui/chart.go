package ui

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Chart is an SVG drawn on the server, with a title and a description for screen
// readers and its data as a table. The style sheet sets the colors by class.
type Chart struct {
	ID          string // unique on the page
	Title       string // the finding
	Measure     string // what it shows, in a few words
	Description string // the same in one or two sentences
	Columns     []Column
	Rows        [][]string // the data; the first cell names the row

	height float64
	shapes []shape
}

// chartWidth is the width of every chart in SVG units: that of a phone without
// margins, so that text never shrinks.
const chartWidth = 340

// A shape is one element of a chart.
type shape struct {
	kind    shapeKind
	class   string
	x, y    float64
	x2, y2  float64 // the end of a line; width and height of a box; radius of a dot
	anchor  string
	text    string // the text, or the tooltip of another shape
	path    string
	opacity float64 // of a heat map cell
}

type shapeKind int

const (
	lineShape shapeKind = iota
	boxShape
	dotShape
	textShape
	pathShape
)

func (p Chart) viewBox() string { return "0 0 340 " + formatCoordinate(p.height) }

func (p *Chart) drawLine(class string, x, y, x2, y2 float64) {
	p.shapes = append(p.shapes, shape{kind: lineShape, class: class, x: x, y: y, x2: x2, y2: y2})
}

func (p *Chart) drawBox(class string, x, y, w, h float64, title string) {
	p.shapes = append(p.shapes, shape{kind: boxShape, class: class, x: x, y: y, x2: w, y2: h, text: title})
}

func (p *Chart) drawDot(class string, x, y float64, title string) {
	p.shapes = append(p.shapes, shape{kind: dotShape, class: class, x: x, y: y, x2: 4, text: title})
}

func (p *Chart) drawText(class, anchor string, x, y float64, text string) {
	p.shapes = append(p.shapes, shape{kind: textShape, class: class, anchor: anchor, x: x, y: y, text: text})
}

// drawHeatCell fills a cell by share, from 0 to 1, with text in a readable color.
func (p *Chart) drawHeatCell(x, y, width, height, share float64, text, title string) {
	share = min(max(share, 0), 1)
	p.shapes = append(p.shapes, shape{kind: boxShape, class: "heat", x: x, y: y, x2: width - 1, y2: height - 1,
		text: title, opacity: accentOpacity(share)})
	p.drawText("cell "+heatTextClasses(share), "middle", x+(width-1)/2, y+(height-1)/2+4, text)
}

// formatCoordinate writes a coordinate with at most one decimal.
func formatCoordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func formatOpacity(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/1000, 'f', -1, 64)
}

// truncate shortens name to maxLetters.
func truncate(name string, maxLetters int) string {
	if utf8.RuneCountInString(name) <= maxLetters {
		return name
	}
	return string([]rune(name)[:maxLetters-1]) + "…"
}

// formatDecimal writes v with two decimals, and never as −0.00.
func formatDecimal(v float64) string {
	if text := strconv.FormatFloat(v, 'f', 2, 64); text != "-0.00" {
		return strings.Replace(text, "-", "−", 1)
	}
	return "0.00"
}
