package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An IntervalChart shows values with their intervals in rows, such as agreement per
// field against its target.
type IntervalChart struct {
	ID, Title, Description string
	Rows                   []IntervalRow
	From, To               float64  // the axis covers at least this range
	Target                 *float64 // marked by a line; values from there on are shaded
	DrawBars               bool     // values are bars from zero instead of dots
	AsPercent              bool     // values are written as percentages
	ShowSign               bool     // values are differences, with sign and a line at zero
}

// An IntervalRow is one row of an IntervalChart.
type IntervalRow struct {
	Label     string
	Value     *float64 // nil: Missing says why
	Low, High *float64
	Missing   string
	Basis     string // what the value is computed from, such as "40 items"
}

const (
	minTick           = 0.25 // the smallest step of the axis; exact in binary, so that sums are exact
	maxTicks          = 4.5  // steps on an axis; more double the step
	intervalRowHeight = 44
	intervalLeft      = 8
	intervalWidth     = chartWidth - 2*intervalLeft
	intervalBand      = 20 // where the marks of a row start, below its text
)

// Chart draws the intervals. Lines and shading stay within the band of a row's
// marks, so that they never cross its text.
func (s IntervalChart) Chart() Chart {
	p := Chart{ID: s.ID, Title: s.Title, Description: s.Description, height: float64(len(s.Rows))*intervalRowHeight + s.axisHeight(),
		Columns: []Column{{Text: ""}, {Text: "Value", Numeric: true}, {Text: "95% CI", Numeric: true}, {Text: "Based on", Numeric: true}}}
	toX := s.drawAxis(&p)
	for i, row := range s.Rows {
		s.drawRow(&p, toX, row, float64(i)*intervalRowHeight+4)
		p.Rows = append(p.Rows, []string{row.Label, s.formatRowValue(row), s.formatInterval(row), row.Basis})
	}
	return p
}

// axisHeight returns the height of the axis labels.
func (s IntervalChart) axisHeight() float64 {
	if s.Target == nil {
		return 26
	}
	return 40
}

// drawAxis draws the horizontal axis and returns the coordinate of a value.
func (s IntervalChart) drawAxis(p *Chart) func(float64) float64 {
	from, to, tick := s.axisRange()
	toX := func(v float64) float64 { return intervalLeft + (v-from)/(to-from)*intervalWidth }
	bottom := p.height - s.axisHeight() + 6
	if s.Target != nil {
		for i := range s.Rows {
			p.drawBox("target-zone", toX(*s.Target), bandTop(i), toX(to)-toX(*s.Target), intervalRowHeight-intervalBand, "")
		}
	}
	for v := from; v <= to; v += tick {
		class := "grid"
		if s.ShowSign && v == 0 {
			class = "axis"
		}
		s.drawInBands(p, class, toX(v))
		anchor := "middle"
		switch v {
		case from:
			anchor = "start"
		case to:
			anchor = "end"
		}
		p.drawText("tick-label", anchor, toX(v), bottom+14, s.formatValue(v))
	}
	if s.Target != nil {
		s.drawInBands(p, "target-line", toX(*s.Target))
		p.drawText("tick-label", "middle", toX(*s.Target), bottom+30, "target "+s.formatValue(*s.Target))
	}
	return toX
}

// drawInBands draws a vertical line at x in the band of each row.
func (s IntervalChart) drawInBands(p *Chart, class string, x float64) {
	for i := range s.Rows {
		p.drawLine(class, x, bandTop(i), x, bandTop(i)+intervalRowHeight-intervalBand)
	}
}

// bandTop returns the top of the band of row i.
func bandTop(i int) float64 { return float64(i)*intervalRowHeight + intervalBand }

// axisRange returns round limits that include all values, and the step of the axis.
func (s IntervalChart) axisRange() (from, to, tick float64) {
	from, to = s.From, s.To
	for _, r := range s.Rows {
		for _, v := range []*float64{r.Value, r.Low, r.High} {
			if v != nil {
				from, to = min(from, *v), max(to, *v)
			}
		}
	}
	return roundLimits(from, to)
}

// roundLimits returns round limits around a range, and the step of the axis.
func roundLimits(from, to float64) (low, high, tick float64) {
	for tick = minTick; (to-from)/tick > maxTicks; {
		tick *= 2
	}
	return math.Floor(from/tick) * tick, math.Ceil(to/tick) * tick, tick
}

func (s IntervalChart) drawRow(p *Chart, toX func(float64) float64, r IntervalRow, y float64) {
	p.drawText("series-label", "start", intervalLeft, y+13, truncate(r.Label, s.maxLabel()))
	if r.Value == nil {
		p.drawText("tick-label", "end", chartWidth-intervalLeft, y+13, "no value")
		p.drawLine("zero-line", intervalLeft, y+27, chartWidth-intervalLeft, y+27)
		return
	}
	p.drawText("value-label", "end", chartWidth-intervalLeft, y+13, s.formatWithInterval(r))
	title := r.Label + ": " + s.formatWithInterval(r)
	if s.DrawBars {
		zero := toX(max(0, slices.Min([]float64{0, *r.Value})))
		p.drawBox("bar", min(zero, toX(*r.Value)), y+21, max(1, toX(*r.Value)-zero), 12, title)
	}
	if r.Low != nil && r.High != nil {
		class := "whisker"
		if s.DrawBars {
			class = "whisker overlay"
		}
		p.drawLine(class, toX(*r.Low), y+27, toX(*r.High), y+27)
		p.drawLine(class, toX(*r.Low), y+22, toX(*r.Low), y+32)
		p.drawLine(class, toX(*r.High), y+22, toX(*r.High), y+32)
	}
	if !s.DrawBars {
		p.drawDot("data-point", toX(*r.Value), y+27, title)
	}
}

func (s IntervalChart) formatValue(v float64) string {
	switch {
	case s.AsPercent:
		return fmt.Sprintf("%.0f%%", 100*v)
	case s.ShowSign:
		return formatSigned(v)
	}
	return formatDecimal(v)
}

func (s IntervalChart) formatRowValue(r IntervalRow) string {
	if r.Value == nil {
		return "–"
	}
	return s.formatValue(*r.Value)
}

// formatInterval writes the interval, or why there is no value.
func (s IntervalChart) formatInterval(r IntervalRow) string {
	switch {
	case r.Value == nil && r.Missing != "":
		return r.Missing
	case r.Value == nil || r.Low == nil || r.High == nil:
		return "–"
	}
	return s.formatBounds(*r.Low, *r.High)
}

// formatBounds writes "0.31–0.75", and " to " between bounds with a sign.
func (s IntervalChart) formatBounds(low, high float64) string {
	if s.ShowSign || low < 0 {
		return s.formatValue(low) + " to " + s.formatValue(high)
	}
	return strings.TrimSuffix(s.formatValue(low), "%") + "–" + s.formatValue(high)
}

// formatWithInterval writes a value and its interval: "0.55 (0.31–0.75)".
func (s IntervalChart) formatWithInterval(r IntervalRow) string {
	if r.Low == nil || r.High == nil {
		return s.formatRowValue(r)
	}
	return s.formatRowValue(r) + " (" + s.formatBounds(*r.Low, *r.High) + ")"
}

// maxLabel returns how many letters of a label fit next to the value.
func (s IntervalChart) maxLabel() int {
	if s.ShowSign {
		return 24
	}
	return 30
}
