package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
)

// A ForestPlot shows rows of values with their intervals on one axis. Labels, figures and
// verdicts are text around the marks, so that they wrap on narrow screens, print, and never
// cross a mark.
type ForestPlot struct {
	ID, Description string
	Title           string // the finding
	Measure         string // what the axis shows
	Rows            []ForestRow
	From, To        float64 // the axis covers at least this range
	Zones           []ForestZone
	Lines           []ForestLine
	AsPercent       bool      // the axis is written as percentages
	ShowSign        bool      // values are differences
	DrawBars        bool      // values are bars from zero
	LowEnd, HighEnd string    // what the ends of the axis mean; may be empty
	Columns         [4]string // of the table: value, interval, basis, verdict; an empty verdict has no column
}

// A ForestRow is one row of a ForestPlot.
type ForestRow struct {
	Label, Path  string   // Path may be empty
	Value        *float64 // nil: Missing says why
	Low, High    *float64
	Text         string // the value
	IntervalText string // empty without an interval
	Missing      string
	Basis        string // what the value is computed from
	Verdict      string // may be empty
	VerdictClass string
	VerdictPath  string // where the verdict leads; may be empty
	VerdictNote  string // how certain the verdict is; may be empty
	IsDetail     bool   // another estimate for the row above
}

// A ForestZone shades a range of the axis.
type ForestZone struct {
	Class    string
	From, To float64
}

// A ForestLine marks a value on the axis.
type ForestLine struct {
	At    float64
	Label string
	// IsAbove puts the label after the line, else before it.
	IsAbove bool
}

// limits returns the ends of the axis and its step.
func (p ForestPlot) limits() (from, to, tick float64) {
	from, to = p.From, p.To
	for _, r := range p.Rows {
		for _, v := range []*float64{r.Value, r.Low, r.High} {
			if v != nil {
				from, to = min(from, *v), max(to, *v)
			}
		}
	}
	return p.roundLimits(from, to)
}

// maxTicks is the number of steps on an axis, so that labels fit on a phone.
const maxTicks = 4

// axisSteps are the distances of ticks to choose from; those of shares are finer.
var axisSteps, shareSteps = []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}, []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1}

// roundLimits returns round limits around a range, and the step of the axis.
func (p ForestPlot) roundLimits(from, to float64) (low, high, tick float64) {
	steps := axisSteps
	if p.AsPercent {
		steps = shareSteps
	}
	for _, tick = range steps {
		if low, high = math.Floor(from/tick), math.Ceil(to/tick); high-low <= maxTicks {
			break
		}
	}
	return low * tick, high * tick, tick
}

// x returns the place of a value as a percentage of the width.
func (p ForestPlot) x(v float64) string {
	from, to, _ := p.limits()
	share := min(max((v-from)/(to-from), 0), 1)
	return formatCoordinate(100*share) + "%"
}

// width returns the distance of two values as a percentage of the width.
func (p ForestPlot) width(low, high float64) string {
	from, to, _ := p.limits()
	low, high = min(max(low, from), to), min(max(high, from), to)
	return formatCoordinate(100*(high-low)/(to-from)) + "%"
}

// ticks returns the values at which the axis is labeled.
func (p ForestPlot) ticks() (values []float64) {
	from, to, tick := p.limits()
	for i := math.Round(from / tick); i <= math.Round(to/tick); i++ {
		values = append(values, i*tick)
	}
	return values
}

// tickAnchor keeps the labels of the ends within the picture.
func (p ForestPlot) tickAnchor(v float64) string {
	from, to, tick := p.limits()
	switch {
	case v < from+tick/2:
		return "start"
	case v > to-tick/2:
		return "end"
	}
	return "middle"
}

func (p ForestPlot) formatTick(v float64) string {
	switch {
	case p.AsPercent && p.ShowSign && v > 0:
		return fmt.Sprintf("+%.0f%%", 100*v)
	case p.AsPercent:
		return strings.Replace(fmt.Sprintf("%.0f%%", 100*v), "-", "−", 1)
	case p.ShowSign:
		return formatSigned(v)
	}
	return formatDecimal(v)
}

func (l ForestLine) anchor() string {
	if l.IsAbove {
		return "start"
	}
	return "end"
}

// offset keeps a label off its line.
func (l ForestLine) offset() string {
	if l.IsAbove {
		return "3"
	}
	return "-3"
}

func (p ForestPlot) rowID(i int) string { return p.ID + "-row-" + strconv.Itoa(i) }

// axisClass returns the height of the axis: with names of lines it has two lines of text.
func (p ForestPlot) axisClass() string {
	if len(p.Lines) > 0 {
		return "forest-axis two-lines"
	}
	return "forest-axis one-line"
}

// localRows returns rows with percentages as the language writes them.
func localRows(l *locale.Locale, rows []ForestRow) []ForestRow {
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i].Text, rows[i].IntervalText = l.Figure(r.Text), l.Figure(r.IntervalText)
	}
	return rows
}

// figure returns the value with its interval.
func (r ForestRow) figure() string {
	switch {
	case r.Value == nil:
		return r.Missing
	case r.IntervalText == "":
		return r.Text
	}
	return r.Text + " (" + r.IntervalText + ")"
}

func (r ForestRow) describe(l *locale.Locale) string {
	text := r.figure()
	if r.IntervalText != "" {
		text = r.Text + ", " + l.T("95%% CI") + " " + r.IntervalText
	}
	for _, part := range []string{r.Basis, r.Verdict, r.VerdictNote} {
		if part != "" {
			text += ", " + part
		}
	}
	return text
}

// bar returns the ends of the bar of a value.
func (r ForestRow) bar() (low, high float64) { return min(*r.Value, 0), max(*r.Value, 0) }

func (p ForestPlot) tableColumns() []Column {
	columns := []Column{{Text: ""}, {Text: p.Columns[0], Numeric: true}, {Text: p.Columns[1], Numeric: true},
		{Text: p.Columns[2], Numeric: true}}
	if p.Columns[3] != "" {
		columns = append(columns, Column{Text: p.Columns[3]})
	}
	return columns
}

// formatSigned writes a difference with its sign and two decimals.
func formatSigned(v float64) string {
	if text := formatDecimal(v); v > 0 && text != "0.00" {
		return "+" + text
	}
	return formatDecimal(v)
}
