package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
)

// A ConfusionMatrix counts the pairs of answers of two raters to the same items.
type ConfusionMatrix struct {
	ID, Title, Measure, Description string
	First, Second                   string // whose answers are in rows and in columns
	Scale                           []int
	Counts                          [][]int
	IsSymmetric                     bool // each pair is counted once, on or above the diagonal
}

// maxAxisName is the number of letters of a name that fit next to a matrix.
const maxAxisName = 42

// Chart draws the counts as a heat map.
func (c ConfusionMatrix) Chart(l *locale.Locale) Chart {
	n := len(c.Scale)
	size := min(64, (chartWidth-56)/float64(n))
	p := Chart{ID: c.ID, Title: c.Title, Measure: c.Measure, Description: c.Description, height: 58 + size*float64(n),
		Columns: []Column{{Text: c.First}}}
	maxCount := 1
	for _, row := range c.Counts {
		for _, count := range row {
			maxCount = max(maxCount, count)
		}
	}
	p.drawText("tick-label", "start", 0, 12, l.T("rows: %s", truncate(c.First, maxAxisName)))
	p.drawText("tick-label", "start", 0, 27, l.T("columns: %s", truncate(c.Second, maxAxisName)))
	for j, v := range c.Scale {
		p.drawText("series-label", "middle", 56+(float64(j)+0.5)*size, 46, strconv.Itoa(v))
		p.Columns = append(p.Columns, Column{Text: fmt.Sprintf("%s: %d", c.Second, v), Numeric: true})
	}
	for i, v := range c.Scale {
		y := 52 + float64(i)*size
		p.drawText("series-label", "end", 48, y+size/2+4, strconv.Itoa(v))
		row := []string{strconv.Itoa(v)}
		for j, w := range c.Scale {
			if c.IsSymmetric && j < i {
				row = append(row, "")
				continue
			}
			count := c.Counts[i][j]
			title := fmt.Sprintf("%s %d, %s %d: %d", c.First, v, c.Second, w, count)
			p.drawHeatCell(56+float64(j)*size, y, size, size, float64(count)/float64(maxCount),
				strconv.Itoa(count), title)
			row = append(row, strconv.Itoa(count))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// An AgreementMatrix shows the agreement of each pair of annotators.
type AgreementMatrix struct {
	ID, Title, Measure, Description string
	Names                           []string
	Values                          [][]*float64 // nil: not enough shared items
}

// MaxMatrixAnnotators is the number of annotators that fit in a matrix.
const MaxMatrixAnnotators = 12

// Chart draws the matrix, with annotators by name in rows and by number in columns.
func (m AgreementMatrix) Chart(l *locale.Locale) Chart {
	n := len(m.Names)
	const left, height = 104.0, 26.0
	size := min(56, (chartWidth-left)/float64(max(n, 1)))
	p := Chart{ID: m.ID, Title: m.Title, Measure: m.Measure, Description: m.Description, height: 24 + height*float64(n),
		Columns: []Column{{Text: ""}}}
	for j, name := range m.Names {
		p.drawText("tick-label", "middle", left+(float64(j)+0.5)*size, 14, strconv.Itoa(j+1))
		p.Columns = append(p.Columns, Column{Text: name, Numeric: true})
	}
	for i, name := range m.Names {
		y := 20 + float64(i)*height
		p.drawText("series-label", "start", 0, y+height/2+4, fmt.Sprintf("%d %s", i+1, truncate(name, 13)))
		row := []string{name}
		for j, other := range m.Names {
			text := "–"
			if v := m.Values[i][j]; v != nil && i != j {
				text = l.Figure(formatDecimal(*v))
				p.drawHeatCell(left+float64(j)*size, y, size, height, math.Max(*v, 0), trimLeadingZero(text, size),
					l.T("%s and %s: %s", name, other, text))
			} else {
				p.drawText("tick-label", "middle", left+(float64(j)+0.5)*size, y+height/2+4, map[bool]string{true: "",
					false: "–"}[i == j])
			}
			row = append(row, text)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// trimLeadingZero removes the zero before the decimal point in narrow cells, and the decimal places of ±1.
func trimLeadingZero(text string, size float64) string {
	if size >= 34 {
		return text
	}
	sign, digits := "", text
	if rest, ok := strings.CutPrefix(text, "−"); ok {
		sign, digits = "−", rest
	}
	if decimals, ok := strings.CutPrefix(digits, "0"); ok {
		return sign + decimals
	}
	return sign + strings.TrimSuffix(strings.TrimSuffix(digits, ".00"), ",00")
}
