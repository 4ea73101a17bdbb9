package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A BlandAltmanChart shows how two ways of scoring differ, against their mean
// (Bland and Altman 1986).
type BlandAltmanChart struct {
	ID, Title, Measure, Description string
	Scale                           []int
	DifferenceLabel                 string // such as "judge − annotators"
	Points                          []DifferencePoint
	Bias                            float64
	Low, High                       *float64    // limits of agreement: 95% of differences lie between them
	BiasInterval                    *[2]float64 // the 95% CI of the bias
}

// A DifferencePoint is the items at one position of the chart.
type DifferencePoint struct {
	Mean, Difference float64
	Items            int
}

const (
	diffLeft   = 28.0
	diffRight  = 258.0 // line labels are to the right of it
	diffTop    = 10.0
	diffBottom = 190.0
)

// Chart draws a dot at each point, larger for more items, and lines at the bias and
// both limits.
func (d BlandAltmanChart) Chart() Chart {
	p := Chart{ID: d.ID, Title: d.Title, Measure: d.Measure, Description: d.Description, height: 234,
		Columns: []Column{{Text: "Mean of both", Numeric: true}, {Text: "Difference", Unit: d.DifferenceLabel, Numeric: true}, {Text: "Items", Numeric: true}}}
	x, y := d.drawAxes(&p)
	d.drawLimits(&p, y)
	maxItems := 1
	for _, point := range d.Points {
		maxItems = max(maxItems, point.Items)
	}
	points := slices.SortedFunc(slices.Values(d.Points), func(a, b DifferencePoint) int {
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Difference, b.Difference))
	})
	for _, point := range points {
		radius := max(2.5, 9*math.Sqrt(float64(point.Items)/float64(maxItems)))
		title := fmt.Sprintf("Mean %s, difference %s: %d items", formatDecimal(point.Mean), formatSigned(point.Difference), point.Items)
		p.drawCircle("bubble", x(point.Mean), y(point.Difference), radius, title)
		p.Rows = append(p.Rows, []string{formatDecimal(point.Mean), formatSigned(point.Difference), strconv.Itoa(point.Items)})
	}
	return p
}

// drawAxes draws both axes and returns the coordinates of a mean and of a difference.
func (d BlandAltmanChart) drawAxes(p *Chart) (x, y func(float64) float64) {
	first, last := float64(d.Scale[0]), float64(d.Scale[len(d.Scale)-1])
	low, high := d.axisRange()
	unitWidth := (diffRight - diffLeft) / (last - first + 0.5)
	x = func(v float64) float64 { return diffLeft + (v-first+0.25)*unitWidth }
	y = func(v float64) float64 { return diffBottom - (v-low)/(high-low)*(diffBottom-diffTop) }
	for v := math.Ceil(low); v <= high; v++ {
		class := "grid"
		if v == 0 {
			class = "axis"
		}
		p.drawLine(class, diffLeft, y(v), diffRight, y(v))
		p.drawText("tick-label", "end", diffLeft-6, y(v)+4, formatSignedWhole(v))
	}
	for _, v := range d.Scale {
		p.drawText("tick-label", "middle", x(float64(v)), diffBottom+18, strconv.Itoa(v))
	}
	p.drawText("tick-label", "start", diffLeft, diffBottom+36, "horizontal: mean of both; vertical: "+d.DifferenceLabel)
	return x, y
}

// axisRange returns the range of the vertical axis, with half a point of margin.
func (d BlandAltmanChart) axisRange() (low, high float64) {
	low, high = min(0, d.Bias), max(0, d.Bias)
	for _, point := range d.Points {
		low, high = min(low, point.Difference), max(high, point.Difference)
	}
	if d.Low != nil && d.High != nil {
		low, high = min(low, *d.Low), max(high, *d.High)
	}
	return low - 0.5, high + 0.5
}

// drawLimits draws the bias with its interval and the limits, each with its value.
func (d BlandAltmanChart) drawLimits(p *Chart, y func(float64) float64) {
	biasY := y(d.Bias)
	if d.BiasInterval != nil {
		p.drawBox("limits-band", diffLeft, y(d.BiasInterval[1]), diffRight-diffLeft, max(1, y(d.BiasInterval[0])-y(d.BiasInterval[1])), "95% CI of the bias")
	}
	p.drawLine("bias", diffLeft, biasY, diffRight+4, biasY)
	p.drawText("value-label", "start", diffRight+8, biasY+4, "bias "+formatSigned(d.Bias))
	if d.Low == nil || d.High == nil {
		return
	}
	p.drawLine("target-line", diffLeft, y(*d.High), diffRight+4, y(*d.High))
	p.drawText("series-label", "start", diffRight+8, min(y(*d.High)+4, biasY-12), "limit "+formatSigned(*d.High))
	p.drawLine("target-line", diffLeft, y(*d.Low), diffRight+4, y(*d.Low))
	p.drawText("series-label", "start", diffRight+8, max(y(*d.Low)+4, biasY+20), "limit "+formatSigned(*d.Low))
}

// formatSigned writes a difference with its sign and two decimals.
func formatSigned(v float64) string {
	if text := formatDecimal(v); v > 0 && text != "0.00" {
		return "+" + text
	}
	return formatDecimal(v)
}

// formatSignedWhole writes a whole number with its sign.
func formatSignedWhole(v float64) string {
	switch {
	case v > 0:
		return fmt.Sprintf("+%.0f", v)
	case v < 0:
		return fmt.Sprintf("−%.0f", -v)
	}
	return "0"
}
