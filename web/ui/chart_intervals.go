package ui

import (
	"fmt"
	"math"
	"slices"
)

// IntervalChart are values with their intervals, one below the other, such as agreement
// per field against its target.
type IntervalChart struct {
	ID, Title, Description string
	Rows                   []IntervalRow
	From, To               float64  // what the axis covers at least
	Target                 *float64 // a line to compare with
	DrawBars               bool     // values are bars from zero, not dots
	AsPercent              bool     // values are written as per cent
	ShowSign               bool     // values are differences: their sign is written, and nothing is a line of its own
}

// A IntervalRow is one of them.
type IntervalRow struct {
	Label     string
	Value     *float64 // nil where Missing says why
	Low, High *float64
	Missing   string
	Basis     string // what it rests on: "40 items"
}

const (
	minTick           = 0.25 // the finest; exact in binary, so that sums of it are too
	maxTicks          = 4.5  // of them on an axis; beyond, they stand twice as far apart
	intervalRowHeight = 44
	intervalLeft      = 8
	intervalWidth     = chartWidth - 2*intervalLeft
)

// Chart draws the spans.
func (s IntervalChart) Chart() Chart {
	p := Chart{ID: s.ID, Title: s.Title, Description: s.Description, height: float64(len(s.Rows))*intervalRowHeight + s.axisHeight(),
		Columns: []Column{{Text: ""}, {Text: "Value", Numeric: true}, {Text: "95 % interval", Numeric: true}, {Text: "Rests on", Numeric: true}}}
	toX := s.drawAxis(&p)
	for i, row := range s.Rows {
		s.drawRow(&p, toX, row, float64(i)*intervalRowHeight+4)
		p.Rows = append(p.Rows, []string{row.Label, s.formatRowValue(row), s.formatInterval(row), row.Basis})
	}
	return p
}

// axisHeight is the room that the axis takes.
func (s IntervalChart) axisHeight() float64 {
	if s.Target == nil {
		return 26
	}
	return 40
}

// drawAxis draws the scale at the foot and returns where a value stands.
func (s IntervalChart) drawAxis(p *Chart) func(float64) float64 {
	from, to, tick := s.axisRange()
	toX := func(v float64) float64 { return intervalLeft + (v-from)/(to-from)*intervalWidth }
	bottom := p.height - s.axisHeight() + 6
	for v := from; v <= to; v += tick {
		class := "grid"
		if s.ShowSign && v == 0 {
			class = "axis"
		}
		p.drawLine(class, toX(v), 0, toX(v), bottom)
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
		p.drawLine("target-line", toX(*s.Target), 0, toX(*s.Target), bottom+18)
		p.drawText("tick-label", "middle", toX(*s.Target), bottom+30, "target "+s.formatValue(*s.Target))
	}
	return toX
}

// axisRange are round values that hold everything, and how far apart ticks stand.
func (s IntervalChart) axisRange() (from, to, tick float64) {
	from, to = s.From, s.To
	for _, r := range s.Rows {
		for _, v := range []*float64{r.Value, r.Low, r.High} {
			if v != nil {
				from, to = min(from, *v), max(to, *v)
			}
		}
	}
	for tick = minTick; (to-from)/tick > maxTicks; {
		tick *= 2
	}
	return math.Floor(from/tick) * tick, math.Ceil(to/tick) * tick, tick
}

func (s IntervalChart) drawRow(p *Chart, toX func(float64) float64, r IntervalRow, y float64) {
	p.drawText("series-label", "start", intervalLeft, y+13, truncate(r.Label, 42))
	if r.Value == nil {
		p.drawText("tick-label", "end", chartWidth-intervalLeft, y+13, "no figure")
		p.drawLine("zero-line", intervalLeft, y+27, chartWidth-intervalLeft, y+27)
		return
	}
	p.drawText("value-label", "end", chartWidth-intervalLeft, y+13, s.formatRowValue(r))
	title := r.Label + ": " + s.formatRowValue(r) + ", 95 % interval " + s.formatInterval(r)
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
		return fmt.Sprintf("%.0f %%", 100*v)
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

// formatInterval writes the interval, or why there is no figure at all.
func (s IntervalChart) formatInterval(r IntervalRow) string {
	switch {
	case r.Value == nil && r.Missing != "":
		return r.Missing
	case r.Value == nil || r.Low == nil || r.High == nil:
		return "–"
	}
	return s.formatValue(*r.Low) + " to " + s.formatValue(*r.High)
}
