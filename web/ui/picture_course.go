package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Course is a figure with its interval in successive stretches of time.
type Course struct {
	ID, Title, Desc string
	Stretches       []Stretch
	Target          *float64 // a line to compare with
	Scale           []int    // what the figure is a mean of; nil: one that goes up to 1
}

// A Stretch is one of them.
type Stretch struct {
	From, To  string // dates, as they are written
	Value     *float64
	Low, High *float64
	Missing   string // why there is no value
	N         string // what it rests on: "40 items"
	Mark      string // what changed in it; drawn as a broken upright line before it
}

const (
	courseLeft = 34.0
	courseTop  = 10.0
	courseFoot = 124.0
)

// Picture draws a dot for each stretch, upright lines for the intervals, and a
// line from dot to dot.
func (c Course) Picture() Picture {
	p := Picture{ID: c.ID, Title: c.Title, Desc: c.Desc, height: 148,
		Columns: []Column{{Text: "From"}, {Text: "To"}, {Text: "Value", Figure: true}, {Text: "95 % interval", Figure: true}, {Text: "Rests on", Figure: true}}}
	if c.marked() {
		p.Columns = append(p.Columns, Column{Text: "New in it"})
	}
	y := c.axis(&p)
	wide := (pictureWidth - courseLeft) / float64(max(1, len(c.Stretches)))
	var path strings.Builder
	step := "M"
	for i, s := range c.Stretches {
		x, row := courseLeft+(float64(i)+0.5)*wide, Span{Value: s.Value, Low: s.Low, High: s.High, Missing: s.Missing}
		p.Rows = append(p.Rows, []string{s.From, s.To, Spans{}.value(row), Spans{}.interval(row), s.N})
		if c.marked() {
			p.Rows[i] = append(p.Rows[i], s.Mark)
		}
		if s.Mark != "" {
			p.line("rest", x-wide/2, courseTop-4, x-wide/2, courseFoot+4)
		}
		if s.Value == nil {
			p.write("tick", "middle", x, courseFoot-4, "–")
			step = "M"
			continue
		}
		c.whisker(&p, x, y, s)
		fmt.Fprintf(&path, "%s%s %s", step, px(x), px(y(*s.Value)))
		p.dot("mark", x, y(*s.Value), fmt.Sprintf("%s to %s: %s, 95 %% interval %s, %s", s.From, s.To, Spans{}.value(row), Spans{}.interval(row), s.N))
		step = "L"
	}
	p.shapes = append(p.shapes, shape{kind: aPath, class: "trend", path: path.String()})
	if n := len(c.Stretches); n > 0 {
		p.write("tick", "start", courseLeft, courseFoot+18, c.Stretches[0].From)
		p.write("tick", "end", pictureWidth, courseFoot+18, c.Stretches[n-1].To)
	}
	return p
}

// axis draws the scale at the left, and returns where a value stands.
func (c Course) axis(p *Picture) func(float64) float64 {
	if len(c.Scale) > 1 {
		return c.points(p)
	}
	from := 0.0
	for _, s := range c.Stretches {
		for _, v := range []*float64{s.Value, s.Low} {
			if v != nil {
				from = min(from, *v)
			}
		}
	}
	from = math.Floor(from/0.5) * 0.5
	y := func(v float64) float64 { return courseFoot - (v-from)/(1-from)*(courseFoot-courseTop) }
	for v := from; v <= 1; v += 0.5 {
		p.line("grid", courseLeft, y(v), pictureWidth, y(v))
		p.write("tick", "end", courseLeft-6, y(v)+4, decimal(v))
	}
	if c.Target != nil {
		p.line("target", courseLeft, y(*c.Target), pictureWidth, y(*c.Target))
		p.write("tick", "middle", (courseLeft+pictureWidth)/2, courseFoot+18, "target "+decimal(*c.Target))
	}
	return y
}

// points draws the points of the scale as the axis.
func (c Course) points(p *Picture) func(float64) float64 {
	low, high := float64(c.Scale[0]), float64(c.Scale[len(c.Scale)-1])
	y := func(v float64) float64 { return courseFoot - (v-low)/(high-low)*(courseFoot-courseTop) }
	for _, v := range c.Scale {
		p.line("grid", courseLeft, y(float64(v)), pictureWidth, y(float64(v)))
		p.write("tick", "end", courseLeft-6, y(float64(v))+4, strconv.Itoa(v))
	}
	return y
}

// marked says whether anything changed in any stretch.
func (c Course) marked() bool {
	return slices.ContainsFunc(c.Stretches, func(s Stretch) bool { return s.Mark != "" })
}

func (c Course) whisker(p *Picture, x float64, y func(float64) float64, s Stretch) {
	if s.Low == nil || s.High == nil {
		return
	}
	p.line("whisker", x, y(*s.Low), x, y(*s.High))
	p.line("whisker", x-5, y(*s.Low), x+5, y(*s.Low))
	p.line("whisker", x-5, y(*s.High), x+5, y(*s.High))
}
