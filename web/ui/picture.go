package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Picture is drawn on the server as SVG: a title and a description for those
// who do not see it, and the table it was drawn from for everybody. Colours are
// the style sheet's, by class.
type Picture struct {
	ID      string // unique on the page
	Title   string
	Desc    string // what it shows, in a sentence
	Columns []Column
	Rows    [][]string // the table behind it; the first cell of a row names it

	height float64
	shapes []shape
}

// pictureWidth is that of every picture, in its own units: a phone's without its
// margins, so that letters never shrink.
const pictureWidth = 340

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
	aLine shapeKind = iota
	aBox
	aDot
	aText
	aPath
)

func (p Picture) viewBox() string { return "0 0 340 " + px(p.height) }

func (p *Picture) line(class string, x, y, x2, y2 float64) {
	p.shapes = append(p.shapes, shape{kind: aLine, class: class, x: x, y: y, x2: x2, y2: y2})
}

func (p *Picture) box(class string, x, y, w, h float64, says string) {
	p.shapes = append(p.shapes, shape{kind: aBox, class: class, x: x, y: y, x2: w, y2: h, text: says})
}

func (p *Picture) dot(class string, x, y float64, says string) { p.round(class, x, y, 4, says) }

func (p *Picture) round(class string, x, y, r float64, says string) {
	p.shapes = append(p.shapes, shape{kind: aDot, class: class, x: x, y: y, x2: r, text: says})
}

func (p *Picture) write(class, anchor string, x, y float64, text string) {
	p.shapes = append(p.shapes, shape{kind: aText, class: class, anchor: anchor, x: x, y: y, text: text})
}

// heat fills a cell by a share, and writes into it in what can be read there.
func (p *Picture) heat(x, y, size, height, share float64, text, says string) {
	share = min(max(share, 0), 1)
	p.shapes = append(p.shapes, shape{kind: aBox, class: "heat", x: x, y: y, x2: size - 1, y2: height - 1, text: says, opacity: depth(share)})
	p.write("cell "+overHeat(share), "middle", x+(size-1)/2, y+(height-1)/2+4, text)
}

// px writes a coordinate to a tenth.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func opacity(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/1000, 'f', -1, 64)
}

// cut shortens a name to what fits so many letters.
func cut(name string, letters int) string {
	if utf8.RuneCountInString(name) <= letters {
		return name
	}
	return string([]rune(name)[:letters-1]) + "…"
}

// decimal writes v to two places, without the sign of a nothing.
func decimal(v float64) string {
	if text := fmt.Sprintf("%.2f", v); text != "-0.00" {
		return strings.Replace(text, "-", "−", 1)
	}
	return "0.00"
}
