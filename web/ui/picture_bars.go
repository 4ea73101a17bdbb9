package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// A Histogram is how often each point of a scale was given.
type Histogram struct {
	ID, Title, Desc string
	Scale           []int
	Counts          []int
}

// Picture draws the histogram.
func (h Histogram) Picture() Picture {
	const top, foot = 18.0, 84.0
	p := Picture{ID: h.ID, Title: h.Title, Desc: h.Desc, height: 104, Columns: []Column{{Text: "Answer"}, {Text: "Times", Figure: true}}}
	most := 1
	for _, c := range h.Counts {
		most = max(most, c)
	}
	wide := min(56, (pictureWidth-8)/float64(max(len(h.Scale), 1)))
	for i, v := range h.Scale {
		x, high := 4+float64(i)*wide, float64(h.Counts[i])/float64(most)*(foot-top)
		p.box("mark", x+2, foot-high, wide-4, high, fmt.Sprintf("%d: given %d times", v, h.Counts[i]))
		p.write("value", "middle", x+wide/2, foot-high-4, strconv.Itoa(h.Counts[i]))
		p.write("name", "middle", x+wide/2, foot+15, strconv.Itoa(v))
		p.Rows = append(p.Rows, []string{strconv.Itoa(v), strconv.Itoa(h.Counts[i])})
	}
	p.line("axis", 0, foot, 8+wide*float64(len(h.Scale)), foot)
	return p
}

// A Drift is the mean of successive answers, with a mark where a break was taken.
type Drift struct {
	ID, Title, Desc string
	Scale           []int
	Steps           []Step
}

// A Step is some answers in a row.
type Step struct {
	From, To int // counted from 1
	Mean     float64
	Rest     bool // a break was taken within them, or before the first
}

// Picture draws the drift.
func (d Drift) Picture() Picture {
	const left, top, foot = 26.0, 12.0, 128.0
	p := Picture{ID: d.ID, Title: d.Title, Desc: d.Desc, height: 160,
		Columns: []Column{{Text: "Items"}, {Text: "Mean", Figure: true}, {Text: "Break"}}}
	low, high := d.Scale[0], d.Scale[len(d.Scale)-1]
	at := func(v float64) float64 { return foot - (v-float64(low))/float64(high-low)*(foot-top) }
	for _, v := range d.Scale {
		p.line("grid", left, at(float64(v)), pictureWidth, at(float64(v)))
		p.write("tick", "end", left-6, at(float64(v))+4, strconv.Itoa(v))
	}
	var path strings.Builder
	last := max(1, d.Steps[len(d.Steps)-1].To)
	for i, s := range d.Steps {
		x := left + (float64(s.From+s.To)/2)/float64(last)*(pictureWidth-left-8)
		if s.Rest {
			p.line("rest", x, top-4, x, foot+4)
		}
		fmt.Fprintf(&path, "%s%s %s", map[bool]string{true: "M", false: "L"}[i == 0], px(x), px(at(s.Mean)))
		p.dot("mark", x, at(s.Mean), fmt.Sprintf("Items %d to %d: mean %s", s.From, s.To, decimal(s.Mean)))
		p.Rows = append(p.Rows, []string{fmt.Sprintf("%d–%d", s.From, s.To), decimal(s.Mean), map[bool]string{true: "yes"}[s.Rest]})
	}
	p.shapes = append(p.shapes, shape{kind: aPath, class: "trend", path: path.String()})
	p.write("tick", "start", left, foot+16, "first item")
	p.write("tick", "end", pictureWidth, foot+16, fmt.Sprintf("item %d", last))
	return p
}
