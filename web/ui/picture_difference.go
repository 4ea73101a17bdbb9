package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Differences is how two ways of scoring differ, against the mean of both, as
// Bland and Altman drew it (1986).
type Differences struct {
	ID, Title, Desc string
	Scale           []int
	Less            string // what is taken from what: "model less people"
	Dots            []Difference
	Bias            float64
	Low, High       *float64    // 95 % of differences are expected between them
	Sure            *[2]float64 // the interval of the bias
}

// A Difference is the items that lie at one place of the picture.
type Difference struct {
	Mean, Apart float64
	Items       int
}

const (
	diffLeft  = 28.0
	diffRight = 258.0 // labels of lines stand behind it
	diffTop   = 10.0
	diffFoot  = 190.0
)

// Picture draws a dot at each place, larger where more items lie, and lines at
// the bias and at both limits.
func (d Differences) Picture() Picture {
	p := Picture{ID: d.ID, Title: d.Title, Desc: d.Desc, height: 234,
		Columns: []Column{{Text: "Mean of both", Figure: true}, {Text: "Difference", Unit: d.Less, Figure: true}, {Text: "Items", Figure: true}}}
	x, y := d.axes(&p)
	d.lines(&p, y)
	most := 1
	for _, dot := range d.Dots {
		most = max(most, dot.Items)
	}
	dots := slices.SortedFunc(slices.Values(d.Dots), func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Apart, b.Apart))
	})
	for _, dot := range dots {
		r := max(2.5, 9*math.Sqrt(float64(dot.Items)/float64(most)))
		says := fmt.Sprintf("mean %s, difference %s, items: %d", decimal(dot.Mean), plus(dot.Apart), dot.Items)
		p.round("bubble", x(dot.Mean), y(dot.Apart), r, says)
		p.Rows = append(p.Rows, []string{decimal(dot.Mean), plus(dot.Apart), strconv.Itoa(dot.Items)})
	}
	return p
}

// axes draws both axes, and returns where a mean and a difference stand.
func (d Differences) axes(p *Picture) (x, y func(float64) float64) {
	first, last := float64(d.Scale[0]), float64(d.Scale[len(d.Scale)-1])
	low, high := d.ends()
	room := (diffRight - diffLeft) / (last - first + 0.5)
	x = func(v float64) float64 { return diffLeft + (v-first+0.25)*room }
	y = func(v float64) float64 { return diffFoot - (v-low)/(high-low)*(diffFoot-diffTop) }
	for v := math.Ceil(low); v <= high; v++ {
		class := "grid"
		if v == 0 {
			class = "axis"
		}
		p.line(class, diffLeft, y(v), diffRight, y(v))
		p.write("tick", "end", diffLeft-6, y(v)+4, whole(v))
	}
	for _, v := range d.Scale {
		p.write("tick", "middle", x(float64(v)), diffFoot+18, strconv.Itoa(v))
	}
	p.write("tick", "start", diffLeft, diffFoot+36, "mean of both; upwards "+d.Less)
	return x, y
}

// ends hold every dot and line, with half a point of air.
func (d Differences) ends() (low, high float64) {
	low, high = min(0, d.Bias), max(0, d.Bias)
	for _, dot := range d.Dots {
		low, high = min(low, dot.Apart), max(high, dot.Apart)
	}
	if d.Low != nil && d.High != nil {
		low, high = min(low, *d.Low), max(high, *d.High)
	}
	return low - 0.5, high + 0.5
}

// lines draws the bias, how sure it is, and the limits, each with its figure.
func (d Differences) lines(p *Picture, y func(float64) float64) {
	at := y(d.Bias)
	if d.Sure != nil {
		p.box("band", diffLeft, y(d.Sure[1]), diffRight-diffLeft, max(1, y(d.Sure[0])-y(d.Sure[1])), "the interval of the bias")
	}
	p.line("bias", diffLeft, at, diffRight+4, at)
	p.write("value", "start", diffRight+8, at+4, "bias "+plus(d.Bias))
	if d.Low == nil || d.High == nil {
		return
	}
	p.line("target", diffLeft, y(*d.High), diffRight+4, y(*d.High))
	p.write("name", "start", diffRight+8, min(y(*d.High)+4, at-12), "limit "+plus(*d.High))
	p.line("target", diffLeft, y(*d.Low), diffRight+4, y(*d.Low))
	p.write("name", "start", diffRight+8, max(y(*d.Low)+4, at+20), "limit "+plus(*d.Low))
}

// plus writes a difference with its sign.
func plus(v float64) string {
	if text := decimal(v); v > 0 && text != "0.00" {
		return "+" + text
	}
	return decimal(v)
}

// whole writes a whole difference with its sign.
func whole(v float64) string {
	switch {
	case v > 0:
		return fmt.Sprintf("+%.0f", v)
	case v < 0:
		return fmt.Sprintf("−%.0f", -v)
	}
	return "0"
}
