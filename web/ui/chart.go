package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Chart is drawn on the server as SVG: a title and a description for those
// who do not see it, and the table it was drawn from for everybody. Colours are
// the style sheet's, by class.
type Chart struct {
	ID          string // unique on the page
	Title       string
	Description string // what it shows, in a sentence
	Columns     []Column
	Rows        [][]string // the table behind it; the first cell of a row names it

	height float64
	shapes []shape
}

// chartWidth is that of every picture, in its own units: a phone's without its
// margins, so that letters never shrink.
const chartWidth = 340

// A shape is one mark of a picture.
type shape struct {
	kind    shapeKind
	class   string
	x, y    float64
	x2, y2  float64 // a line's other end; a box's width and height; a dot's radius
	anchor  string
	text    string // of a letter; of others the title that says what they are
	path    string
	opacity float64 // of a heat box
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
	p.drawCircle(class, x, y, 4, title)
}

func (p *Chart) drawCircle(class string, x, y, radius float64, title string) {
	p.shapes = append(p.shapes, shape{kind: dotShape, class: class, x: x, y: y, x2: radius, text: title})
}

func (p *Chart) drawText(class, anchor string, x, y float64, text string) {
	p.shapes = append(p.shapes, shape{kind: textShape, class: class, anchor: anchor, x: x, y: y, text: text})
}

// drawHeatCell fills a cell by a share, and writes into it in what can be read there.
func (p *Chart) drawHeatCell(x, y, width, height, share float64, text, title string) {
	share = min(max(share, 0), 1)
	p.shapes = append(p.shapes, shape{kind: boxShape, class: "heat", x: x, y: y, x2: width - 1, y2: height - 1, text: title, opacity: accentOpacity(share)})
	p.drawText("cell "+heatTextClasses(share), "middle", x+(width-1)/2, y+(height-1)/2+4, text)
}

// formatCoordinate writes a coordinate to a tenth.
func formatCoordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func formatOpacity(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/1000, 'f', -1, 64)
}

// truncate shortens a name to what fits so many letters.
func truncate(name string, maxLetters int) string {
	if utf8.RuneCountInString(name) <= maxLetters {
		return name
	}
	return string([]rune(name)[:maxLetters-1]) + "…"
}

// formatDecimal writes v to two places, without the sign of a nothing.
func formatDecimal(v float64) string {
	if text := fmt.Sprintf("%.2f", v); text != "-0.00" {
		return strings.Replace(text, "-", "−", 1)
	}
	return "0.00"
}
