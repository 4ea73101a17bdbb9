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
	Visitor ui.Visitor
	Project project.Project
	Batches []string
	Batch   string         // the one that is looked at; "": all
	By      string         // the metadata column asked for; "": the report's choice
	Report  *report.Report // nil while the first one is being computed
	Stale   bool           // a newer one is being computed
	Making  Making         // how far that one is

	HabitsShown bool // annotators see their own habits
}

// A Making is how far a report that is being computed has come.
type Making struct {
	For       time.Duration
	Done, All int    // steps; All is 0 while it is not known how many there are
	Doing     string // what is being done; empty while it waits for its turn
}

// says tells how long it has taken so far.
func (m Making) says() string {
	switch {
	case m.Doing == "" && m.For < 20*time.Second:
		return "It has begun."
	case m.Doing == "":
		return "It waits for another large report; it was asked for " + hurry(m.For) + " ago."
	}
	return "It was asked for " + hurry(m.For) + " ago. Now: " + m.Doing + "."
}

// hurry writes a short time: "40 seconds", "3 minutes".
func hurry(d time.Duration) string {
	if d < 100*time.Second {
		return count(max(1, int(d.Seconds())), "second")
	}
	return count(int(d.Round(time.Minute).Minutes()), "minute")
}

// path returns the address of a page of the report, with its choices.
func (d ReportData) path(steps ...string) string {
	q := url.Values{}
	if d.Batch != "" {
		q.Set("batch", d.Batch)
	}
	if d.By != "" {
		q.Set("by", d.By)
	}
	if len(q) == 0 {
		return ProjectPath(d.Project.Key, steps...)
	}
	return ProjectPath(d.Project.Key, steps...) + "?" + q.Encode()
}

// frame is that of a page whose tab, or whose page, is at here.
func (d ReportData) frame(title, here string) ui.Frame {
	return ui.Frame{Title: title, Visitor: d.Visitor, Here: ProjectPath(d.Project.Key, strings.Split(here, "/")...), Wide: true, Styles: []string{"report.css"}}
}

func (d ReportData) batchOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "All batches", Chosen: d.Batch == ""}}
	for _, b := range d.Batches {
		options = append(options, ui.Option{Value: b, Text: b, Chosen: d.Batch == b})
	}
	return options
}

func (d ReportData) byOptions() (options []ui.Option) {
	for _, c := range d.Report.Columns {
		options = append(options, ui.Option{Value: c, Text: c, Chosen: d.Report.By != nil && d.Report.By.Column == c})
	}
	return options
}

// lead says what the report rests on.
func (d ReportData) lead() string {
	if d.Report == nil {
		return ""
	}
	c := d.Report.Counts
	return sentence(fmt.Sprintf("%s of %s by %s", count(c.Work, "label"), count(c.Labelled, "item"), count(c.Annotators, "annotator")),
		fmt.Sprintf("%s labelled by two or more", count(c.Shared, "item")))
}

// apart says what is kept out of agreement.
func (d ReportData) apart() string {
	c := d.Report.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{c.Duplicates, "hidden duplicate"}, {c.Calibration, "calibration label"}, {c.Models, "answer by a model"}} {
		if p.n > 0 {
			parts = append(parts, strings.Replace(count(p.n, p.noun), "answer by a models", "answers by models", 1))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return sentence("kept apart from all of it: " + strings.Join(parts, ", "))
}

// titleOf returns a field's title by its key.
func (d ReportData) titleOf(key string) string {
	if f, ok := d.Report.Field(key); ok {
		return f.Title
	}
	return key
}

func (d ReportData) command() string {
	command := "labelwright report --project " + shellWord(d.Project.Key)
	if d.Batch != "" {
		command += " --batch " + shellWord(d.Batch)
	}
	return command + " --format json"
}

// parts lead to the sections of the page.
func (d ReportData) parts() (links []ui.Link) {
	links = []ui.Link{{Path: "#agreement", Text: "Agreement"}, {Path: "#parts", Text: "Where people part"}, {Path: "#annotators", Text: "Annotators"}}
	if d.Report.By != nil {
		links = append(links, ui.Link{Path: "#by", Text: "By " + d.Report.By.Column})
	}
	for _, m := range d.Report.Metrics {
		links = append(links, ui.Link{Path: "#" + anchor(m.Title), Text: m.Title})
	}
	if len(d.Report.Models) > 0 {
		links = append(links, ui.Link{Path: "#models", Text: "Models"})
	}
	return append(links, ui.Link{Path: "#method", Text: "How it is computed"})
}

func anchor(title string) string { return "metrics-" + strings.ToLower(title) }

// lastBatch is the one opened last.
func (d ReportData) lastBatch() string { return d.Batches[len(d.Batches)-1] }

// rates draws metrics as bars. What was never observed is left to words.
func rates(m report.Metrics) ui.Picture {
	s := ui.Spans{ID: "rates-" + strings.ToLower(m.Title), Title: m.Title, Desc: "Each rate as a bar from 0, with its 95 % interval as a line.",
		To: 1, Bars: true, Percent: m.Shares()}
	for _, r := range m.Rates {
		if never(m, r) {
			continue
		}
		s.Rows = append(s.Rows, ui.Span{Label: r.Title, Value: r.Value, Low: r.Low, High: r.High, Missing: r.Undefined, N: strconv.Itoa(r.N)})
	}
	return s.Picture()
}

func never(m report.Metrics, r report.Rate) bool {
	return m.Title == "Observations" && (r.Value == nil || *r.Value == 0)
}

// neverSeen names the observations that count in no label, and how sure that is.
func neverSeen(m report.Metrics) string {
	var names []string
	high := 0.0
	for _, r := range m.Rates {
		if never(m, r) {
			names = append(names, r.Title)
			if r.High != nil {
				high = max(high, *r.High)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	says := "In no label: " + strings.Join(names, "; ") + "."
	if high > 0 {
		says += fmt.Sprintf(" By their intervals, each holds of %.0f %% of labels at most.", math.Ceil(100*high))
	}
	return says
}

// within is the share of answers given twice that lie within one point.
func within(self []report.Self) string {
	hits, n := 0.0, 0
	for _, s := range self {
		if s.Within.Value != nil {
			hits, n = hits+*s.Within.Value*float64(s.N), n+s.N
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% of %s", 100*hits/float64(n), figure(n))
}

// pace writes seconds an item; a line where none were measured.
func pace(seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// columns are heads of a table: a name, then figures.
func columns(name string, figures ...string) []ui.Column {
	list := []ui.Column{{Text: name}}
	for _, f := range figures {
		list = append(list, ui.Column{Text: f, Figure: true})
	}
	return list
}

// foundHabits returns what was found of an annotator.
func foundHabits(a report.Annotator) []report.Habit {
	return slices.DeleteFunc(slices.Clone(a.Habits), func(h report.Habit) bool { return !h.Found })
}

func anyFound(list []report.Annotator) bool {
	return slices.ContainsFunc(list, func(a report.Annotator) bool { return len(foundHabits(a)) > 0 })
}
