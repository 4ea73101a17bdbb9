package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A TrendChart shows a value with its interval in consecutive periods.
type TrendChart struct {
	ID, Title, Measure, Description string
	Periods                         []Period
	Target                          *float64 // a line to compare with
	Scale                           []int    // the scale of a mean; nil: a coefficient of at most 1
}

// A Period is one point of a TrendChart.
type Period struct {
	From, To     string // formatted dates
	Value        *float64
	Low, High    *float64
	Text         string // the value
	IntervalText string // the interval, or why there is no value
	Basis        string // what the value is computed from, such as "40 items"
	Change       string // what changed in it; drawn as a dashed vertical line
}

const (
	trendLeft   = 42.0
	trendTop    = 10.0
	trendBottom = 124.0
)

// Chart draws a dot for each period with its interval, and a line between dots.
func (c TrendChart) Chart() Chart {
	p := Chart{ID: c.ID, Title: c.Title, Measure: c.Measure, Description: c.Description, height: 148,
		Columns: []Column{{Text: "From"}, {Text: "To"}, {Text: "Value", Numeric: true}, {Text: "95% CI", Numeric: true}, {Text: "Based on", Numeric: true}}}
	if c.hasMarks() {
		p.Columns = append(p.Columns, Column{Text: "Change"})
	}
	y := c.drawAxis(&p)
	columnWidth := (chartWidth - trendLeft) / float64(max(1, len(c.Periods)))
	var path strings.Builder
	command := "M"
	for i, s := range c.Periods {
		x := trendLeft + (float64(i)+0.5)*columnWidth
		p.Rows = append(p.Rows, []string{s.From, s.To, s.Text, s.IntervalText, s.Basis})
		if c.hasMarks() {
			p.Rows[i] = append(p.Rows[i], s.Change)
		}
		if s.Change != "" {
			p.drawLine("break-line", x-columnWidth/2, trendTop-4, x-columnWidth/2, trendBottom+4)
		}
		if s.Value == nil {
			p.drawText("tick-label", "middle", x, trendBottom-4, "–")
			command = "M"
			continue
		}
		c.drawWhisker(&p, x, y, s)
		fmt.Fprintf(&path, "%s%s %s", command, formatCoordinate(x), formatCoordinate(y(*s.Value)))
		p.drawDot("data-point", x, y(*s.Value), fmt.Sprintf("%s to %s: %s (95%% CI %s), %s", s.From, s.To, s.Text, s.IntervalText, s.Basis))
		command = "L"
	}
	p.shapes = append(p.shapes, shape{kind: pathShape, class: "trend", path: path.String()})
	if n := len(c.Periods); n > 0 {
		p.drawText("tick-label", "start", trendLeft, trendBottom+18, c.Periods[0].From)
		p.drawText("tick-label", "end", chartWidth, trendBottom+18, c.Periods[n-1].To)
	}
	return p
}

// drawAxis draws the vertical axis and returns the coordinate of a value.
func (c TrendChart) drawAxis(p *Chart) func(float64) float64 {
	if len(c.Scale) > 1 {
		return c.drawScaleAxis(p)
	}
	from := 0.0
	for _, s := range c.Periods {
		for _, v := range []*float64{s.Value, s.Low} {
			if v != nil {
				from = min(from, *v)
			}
		}
	}
	from = math.Floor(from/0.5) * 0.5
	y := func(v float64) float64 { return trendBottom - (v-from)/(1-from)*(trendBottom-trendTop) }
	for v := from; v <= 1; v += 0.5 {
		p.drawLine("grid", trendLeft, y(v), chartWidth, y(v))
		p.drawText("tick-label", "end", trendLeft-6, y(v)+4, formatDecimal(v))
	}
	if c.Target != nil {
		p.drawLine("target-line", trendLeft, y(*c.Target), chartWidth, y(*c.Target))
		p.drawText("tick-label", "middle", (trendLeft+chartWidth)/2, trendBottom+18, "target "+formatDecimal(*c.Target))
	}
	return y
}

// drawScaleAxis draws an axis with the points of the scale.
func (c TrendChart) drawScaleAxis(p *Chart) func(float64) float64 {
	low, high := float64(c.Scale[0]), float64(c.Scale[len(c.Scale)-1])
	y := func(v float64) float64 { return trendBottom - (v-low)/(high-low)*(trendBottom-trendTop) }
	for _, v := range c.Scale {
		p.drawLine("grid", trendLeft, y(float64(v)), chartWidth, y(float64(v)))
		p.drawText("tick-label", "end", trendLeft-6, y(float64(v))+4, strconv.Itoa(v))
	}
	return y
}

// hasMarks reports whether anything changed in a period.
func (c TrendChart) hasMarks() bool {
	return slices.ContainsFunc(c.Periods, func(s Period) bool { return s.Change != "" })
}

func (c TrendChart) drawWhisker(p *Chart, x float64, y func(float64) float64, s Period) {
	if s.Low == nil || s.High == nil {
		return
	}
	p.drawLine("whisker", x, y(*s.Low), x, y(*s.High))
	p.drawLine("whisker", x-5, y(*s.Low), x+5, y(*s.Low))
	p.drawLine("whisker", x-5, y(*s.High), x+5, y(*s.High))
}
