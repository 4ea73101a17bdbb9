package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
)

// A Histogram shows how often each point of a scale was chosen.
type Histogram struct {
	ID, Title, Measure, Description string
	Scale                           []int
	Counts                          []int
}

// Chart draws the histogram.
func (h Histogram) Chart(l *locale.Locale) Chart {
	const top, foot = 18.0, 84.0
	p := Chart{ID: h.ID, Title: h.Title, Measure: h.Measure, Description: h.Description, height: 104,
		Columns: []Column{{Text: l.T("Answer")}, {Text: l.T("Count"), Numeric: true}}}
	maxCount := 1
	for _, c := range h.Counts {
		maxCount = max(maxCount, c)
	}
	barWidth := min(56, (chartWidth-8)/float64(max(len(h.Scale), 1)))
	for i, v := range h.Scale {
		x, barHeight := 4+float64(i)*barWidth, float64(h.Counts[i])/float64(maxCount)*(foot-top)
		p.drawBox("data-point", x+2, foot-barHeight, barWidth-4, barHeight, fmt.Sprintf("%d: %s", v,
			l.T("%d answers", h.Counts[i])))
		p.drawText("value-label", "middle", x+barWidth/2, foot-barHeight-4, strconv.Itoa(h.Counts[i]))
		p.drawText("series-label", "middle", x+barWidth/2, foot+15, strconv.Itoa(v))
		p.Rows = append(p.Rows, []string{strconv.Itoa(v), strconv.Itoa(h.Counts[i])})
	}
	p.drawLine("axis", 0, foot, 8+barWidth*float64(len(h.Scale)), foot)
	return p
}

// A DriftChart shows the mean of consecutive answers, and the breaks between them.
type DriftChart struct {
	ID, Title, Measure, Description string
	Scale                           []int
	Steps                           []DriftStep
}

// A DriftStep is a group of consecutive answers.
type DriftStep struct {
	From, To int // counted from 1
	Mean     float64
	Breaks   []int // numbers of its answers that are the first after a break
}

// breakText says before which items breaks were.
func breakText(l *locale.Locale, breaks []int) string {
	if len(breaks) == 0 {
		return ""
	}
	texts := make([]string, len(breaks))
	for i, b := range breaks {
		texts[i] = strconv.Itoa(b)
	}
	return l.T("before item %s", strings.Join(texts, ", "))
}

// Chart draws the means and the breaks.
func (d DriftChart) Chart(l *locale.Locale) Chart {
	const left, top, foot = 26.0, 12.0, 128.0
	p := Chart{ID: d.ID, Title: d.Title, Measure: d.Measure, Description: d.Description, height: 160,
		Columns: []Column{{Text: l.T("Items")}, {Text: l.T("Mean"), Numeric: true}, {Text: l.T("Break")}}}
	low, high := d.Scale[0], d.Scale[len(d.Scale)-1]
	toY := func(v float64) float64 { return foot - (v-float64(low))/float64(high-low)*(foot-top) }
	for _, v := range d.Scale {
		p.drawLine("grid", left, toY(float64(v)), chartWidth, toY(float64(v)))
		p.drawText("tick-label", "end", left-6, toY(float64(v))+4, strconv.Itoa(v))
	}
	var path strings.Builder
	last := max(1, d.Steps[len(d.Steps)-1].To)
	toX := func(item float64) float64 { return left + item/float64(last)*(chartWidth-left-8) }
	for i, s := range d.Steps {
		x := toX(float64(s.From+s.To) / 2)
		for _, b := range s.Breaks {
			p.drawLine("break-line", toX(float64(b)-0.5), top-4, toX(float64(b)-0.5), foot+4)
		}
		fmt.Fprintf(&path, "%s%s %s", map[bool]string{true: "M", false: "L"}[i == 0], formatCoordinate(x),
			formatCoordinate(toY(s.Mean)))
		p.drawDot("data-point", x, toY(s.Mean), l.T("Items %d to %d: mean %s", s.From, s.To,
			l.Decimal(s.Mean, 2)))
		p.Rows = append(p.Rows, []string{fmt.Sprintf("%d–%d", s.From, s.To), l.Decimal(s.Mean, 2),
			breakText(l, s.Breaks)})
	}
	p.shapes = append(p.shapes, shape{kind: pathShape, class: "trend", path: path.String()})
	p.drawText("tick-label", "start", left, foot+16, l.T("first item"))
	p.drawText("tick-label", "end", chartWidth, foot+16, l.T("item %d", last))
	return p
}
