package page

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// ReportData is the report of a project or of one of its batches.
type ReportData struct {
	User        ui.User
	Project     project.Project
	Batches     []string
	Batch       string         // the one that is looked at; "": all
	GroupColumn string         // the metadata column asked for; "": the report's choice
	Report      *report.Report // nil while the first one is being computed
	IsStale     bool           // a newer one is being computed
	Progress    ReportProgress // how far that one is

	RaterEffectsShown bool // annotators see their own habits
}

// A ReportProgress is how far a report that is being computed has come.
type ReportProgress struct {
	Elapsed               time.Duration
	StepsDone, StepsTotal int    // steps; All is 0 while it is not known how many there are
	CurrentStep           string // what is being done; empty while it waits for its turn
}

// statusText tells how long it has taken so far.
func (m ReportProgress) statusText() string {
	switch {
	case m.CurrentStep == "" && m.Elapsed < 20*time.Second:
		return "It has begun."
	case m.CurrentStep == "":
		return "It waits for another large report; it was asked for " + formatElapsed(m.Elapsed) + " ago."
	}
	return "It was asked for " + formatElapsed(m.Elapsed) + " ago. Now: " + m.CurrentStep + "."
}

// formatElapsed writes a short time: "40 seconds", "3 minutes".
func formatElapsed(d time.Duration) string {
	if d < 100*time.Second {
		return pluralize(max(1, int(d.Seconds())), "second")
	}
	return pluralize(int(d.Round(time.Minute).Minutes()), "minute")
}

// path returns the address of a page of the report, with its choices.
func (d ReportData) path(steps ...string) string {
	q := url.Values{}
	if d.Batch != "" {
		q.Set("batch", d.Batch)
	}
	if d.GroupColumn != "" {
		q.Set("by", d.GroupColumn)
	}
	if len(q) == 0 {
		return ProjectPath(d.Project.Key, steps...)
	}
	return ProjectPath(d.Project.Key, steps...) + "?" + q.Encode()
}

// frame is that of a page whose tab, or whose page, is at here.
func (d ReportData) frame(title, path string) ui.Frame {
	return ui.Frame{Title: title, User: d.User, CurrentPath: ProjectPath(d.Project.Key, strings.Split(path, "/")...), Styles: []string{"report.css"}}
}

func (d ReportData) batchOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "All batches", Chosen: d.Batch == ""}}
	for _, b := range d.Batches {
		options = append(options, ui.Option{Value: b, Text: b, Chosen: d.Batch == b})
	}
	return options
}

func (d ReportData) columnOptions() (options []ui.Option) {
	for _, c := range d.Report.Columns {
		options = append(options, ui.Option{Value: c, Text: c, Chosen: d.Report.Breakdown != nil && d.Report.Breakdown.Column == c})
	}
	return options
}

// intro says what the report rests on.
func (d ReportData) intro() string {
	if d.Report == nil {
		return ""
	}
	c := d.Report.Counts
	return joinSentence(fmt.Sprintf("%s of %s by %s", pluralize(c.Work, "label"), pluralize(c.LabeledItems, "item"), pluralize(c.Annotators, "annotator")),
		fmt.Sprintf("%s labelled by two or more", pluralize(c.SharedItems, "item")))
}

// excludedText says what is kept out of agreement.
func (d ReportData) excludedText() string {
	c := d.Report.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{c.Duplicates, "hidden duplicate"}, {c.Calibration, "calibration label"}, {c.Judgments, "answer by a model"}} {
		if p.n > 0 {
			parts = append(parts, strings.Replace(pluralize(p.n, p.noun), "answer by a models", "answers by models", 1))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return joinSentence("kept apart from all of it: " + strings.Join(parts, ", "))
}

// fieldTitle returns a field's title by its key.
func (d ReportData) fieldTitle(key string) string {
	if f, ok := d.Report.Field(key); ok {
		return f.Title
	}
	return key
}

func (d ReportData) command() string {
	command := "labelwright report --project " + quoteShell(d.Project.Key)
	if d.Batch != "" {
		command += " --batch " + quoteShell(d.Batch)
	}
	return command + " --format json"
}

// sectionLinks lead to the sections of the page.
func (d ReportData) sectionLinks() (links []ui.Link) {
	links = []ui.Link{{Path: "#agreement", Text: "Agreement"}, {Path: "#fields", Text: "Where people part"}, {Path: "#annotators", Text: "Annotators"}}
	if d.Report.Breakdown != nil {
		links = append(links, ui.Link{Path: "#by-group", Text: "By " + d.Report.Breakdown.Column})
	}
	for _, m := range d.Report.Metrics {
		links = append(links, ui.Link{Path: "#" + metricsID(m.Title), Text: m.Title})
	}
	if len(d.Report.Judges) > 0 {
		links = append(links, ui.Link{Path: "#judges", Text: "Models"})
	}
	return append(links, ui.Link{Path: "#method", Text: "How it is computed"})
}

func metricsID(title string) string { return "metrics-" + strings.ToLower(title) }

// lastBatch is the one opened last.
func (d ReportData) lastBatch() string { return d.Batches[len(d.Batches)-1] }

// ratesChart draws metrics as bars. What was never observed is left to words.
func ratesChart(m report.MetricGroup) ui.Chart {
	s := ui.IntervalChart{ID: "rates-" + strings.ToLower(m.Title), Title: m.Title, Description: "Each rate as a bar from 0, with its 95 % interval as a line.",
		To: 1, DrawBars: true, AsPercent: m.HasShares()}
	for _, r := range m.Rates {
		if isNeverObserved(m, r) {
			continue
		}
		s.Rows = append(s.Rows, ui.IntervalRow{Label: r.Title, Value: r.Value, Low: r.Low, High: r.High, Missing: r.Undefined, Basis: strconv.Itoa(r.SampleSize)})
	}
	return s.Chart()
}

func isNeverObserved(m report.MetricGroup, r report.Rate) bool {
	return m.Title == "Observations" && (r.Value == nil || *r.Value == 0)
}

// neverObservedText names the observations that count in no label, and how sure that is.
func neverObservedText(m report.MetricGroup) string {
	var names []string
	high := 0.0
	for _, r := range m.Rates {
		if isNeverObserved(m, r) {
			names = append(names, r.Title)
			if r.High != nil {
				high = max(high, *r.High)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	message := "In no label: " + strings.Join(names, "; ") + "."
	if high > 0 {
		message += fmt.Sprintf(" By their intervals, each holds of %.0f %% of labels at most.", math.Ceil(100*high))
	}
	return message
}

// withinOnePoint is the share of answers given twice that lie within one point.
func withinOnePoint(self []report.FieldSelfConsistency) string {
	hits, n := 0.0, 0
	for _, s := range self {
		if s.WithinOnePoint.Value != nil {
			hits, n = hits+*s.WithinOnePoint.Value*float64(s.Duplicates), n+s.Duplicates
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% of %s", 100*hits/float64(n), formatNumber(n))
}

// formatPace writes seconds an item; a line where none were measured.
func formatPace(seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// numericColumns are heads of a table: a name, then figures.
func numericColumns(name string, titles ...string) []ui.Column {
	heads := []ui.Column{{Text: name}}
	for _, f := range titles {
		heads = append(heads, ui.Column{Text: f, Numeric: true})
	}
	return heads
}

// foundEffects returns what was found of an annotator.
func foundEffects(a report.Annotator) []report.RaterEffect {
	return slices.DeleteFunc(slices.Clone(a.RaterEffects), func(h report.RaterEffect) bool { return !h.Detected })
}

func hasFoundEffects(annotators []report.Annotator) bool {
	return slices.ContainsFunc(annotators, func(a report.Annotator) bool { return len(foundEffects(a)) > 0 })
}
