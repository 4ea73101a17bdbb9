package ui

import (
	"fmt"
	"math"
	"slices"
)

// Spans are values with their intervals, one below the other, such as agreement
// per field against its target.
type Spans struct {
	ID, Title, Desc string
	Rows            []Span
	From, To        float64  // what the axis covers at least
	Target          *float64 // a line to compare with
	Bars            bool     // values are bars from zero, not dots
	Percent         bool     // values are written as per cent
	Signed          bool     // values are differences: their sign is written, and nothing is a line of its own
}

// A Span is one of them.
type Span struct {
	Label     string
	Value     *float64 // nil where Missing says why
	Low, High *float64
	Missing   string
	N         string // what it rests on: "40 items"
}

const (
	spanTick = 0.25 // the finest; exact in binary, so that sums of it are too
	mostTick = 4.5  // of them on an axis; beyond, they stand twice as far apart
	spanRow  = 44
	spanLeft = 8
	spanWide = pictureWidth - 2*spanLeft
)

// Picture draws the spans.
func (s Spans) Picture() Picture {
	p := Picture{ID: s.ID, Title: s.Title, Desc: s.Desc, height: float64(len(s.Rows))*spanRow + s.foot(),
		Columns: []Column{{Text: ""}, {Text: "Value", Figure: true}, {Text: "95 % interval", Figure: true}, {Text: "Rests on", Figure: true}}}
	at := s.axis(&p)
	for i, row := range s.Rows {
		s.draw(&p, at, row, float64(i)*spanRow+4)
		p.Rows = append(p.Rows, []string{row.Label, s.value(row), s.interval(row), row.N})
	}
	return p
}

// foot is the room that the axis takes.
func (s Spans) foot() float64 {
	if s.Target == nil {
		return 26
	}
	return 40
}

// axis draws the scale at the foot and returns where a value stands.
func (s Spans) axis(p *Picture) func(float64) float64 {
	from, to, tick := s.ends()
	at := func(v float64) float64 { return spanLeft + (v-from)/(to-from)*spanWide }
	foot := p.height - s.foot() + 6
	for v := from; v <= to; v += tick {
		class := "grid"
		if s.Signed && v == 0 {
			class = "axis"
		}
		p.line(class, at(v), 0, at(v), foot)
		anchor := "middle"
		switch v {
		case from:
			anchor = "start"
		case to:
			anchor = "end"
		}
		p.write("tick", anchor, at(v), foot+14, s.number(v))
	}
	if s.Target != nil {
		p.line("target", at(*s.Target), 0, at(*s.Target), foot+18)
		p.write("tick", "middle", at(*s.Target), foot+30, "target "+s.number(*s.Target))
	}
	return at
}

// ends are round values that hold everything, and how far apart ticks stand.
func (s Spans) ends() (from, to, tick float64) {
	from, to = s.From, s.To
	for _, r := range s.Rows {
		for _, v := range []*float64{r.Value, r.Low, r.High} {
			if v != nil {
				from, to = min(from, *v), max(to, *v)
			}
		}
	}
	for tick = spanTick; (to-from)/tick > mostTick; {
		tick *= 2
	}
	return math.Floor(from/tick) * tick, math.Ceil(to/tick) * tick, tick
}

func (s Spans) draw(p *Picture, at func(float64) float64, r Span, y float64) {
	p.write("name", "start", spanLeft, y+13, cut(r.Label, 42))
	if r.Value == nil {
		p.write("tick", "end", pictureWidth-spanLeft, y+13, "no figure")
		p.line("none", spanLeft, y+27, pictureWidth-spanLeft, y+27)
		return
	}
	p.write("value", "end", pictureWidth-spanLeft, y+13, s.value(r))
	says := r.Label + ": " + s.value(r) + ", 95 % interval " + s.interval(r)
	if s.Bars {
		zero := at(max(0, slices.Min([]float64{0, *r.Value})))
		p.box("bar", min(zero, at(*r.Value)), y+21, max(1, at(*r.Value)-zero), 12, says)
	}
	if r.Low != nil && r.High != nil {
		class := "whisker"
		if s.Bars {
			class = "whisker over"
		}
		p.line(class, at(*r.Low), y+27, at(*r.High), y+27)
		p.line(class, at(*r.Low), y+22, at(*r.Low), y+32)
		p.line(class, at(*r.High), y+22, at(*r.High), y+32)
	}
	if !s.Bars {
		p.dot("mark", at(*r.Value), y+27, says)
	}
}

func (s Spans) number(v float64) string {
	switch {
	case s.Percent:
		return fmt.Sprintf("%.0f %%", 100*v)
	case s.Signed:
		return plus(v)
	}
	return decimal(v)
}

func (s Spans) value(r Span) string {
	if r.Value == nil {
		return "–"
	}
	return s.number(*r.Value)
}

// interval writes the interval, or why there is no figure at all.
func (s Spans) interval(r Span) string {
	switch {
	case r.Value == nil && r.Missing != "":
		return r.Missing
	case r.Value == nil || r.Low == nil || r.High == nil:
		return "–"
	}
	return s.number(*r.Low) + " to " + s.number(*r.High)
}
