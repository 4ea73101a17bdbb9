package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
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

	HabitsShown bool // annotators see their own habits
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

// wordClass is the class of a verdict's word.
func wordClass(v report.Verdict) string {
	if v.Word == stats.NotEnough || v.Word == report.NoVariation {
		return "unsaid"
	}
	return string(v.Word)
}

// alphaOf and acOf are the variants that suit a field's scale.
func alphaOf(f report.Field) report.Figure {
	if len(f.Scale) == 2 {
		return f.Get("alpha", "nominal")
	}
	return f.Get("alpha", "ordinal")
}

func acOf(f report.Field) report.Figure {
	if len(f.Scale) == 2 {
		return f.Get("gwet_ac1", "declared_categories")
	}
	return f.Get("gwet_ac2", "linear")
}

// againstTarget draws κ of every field with its interval.
func (d ReportData) againstTarget() ui.Picture {
	s := ui.Spans{ID: "against-target", Title: "Agreement per field, against the target", To: 1}
	for _, f := range d.Report.Fields {
		v := f.Verdict
		s.Target = &v.Target
		row := ui.Span{Label: f.Title, N: count(f.Get("percent_agreement", "").Items, "item")}
		if v.Word == stats.NotEnough {
			row.Missing = "not enough overlap"
		} else {
			row.Value, row.Low, row.High, row.Missing = v.Kappa.Value, v.Kappa.Low, v.Kappa.High, v.Kappa.Undefined
		}
		s.Rows = append(s.Rows, row)
	}
	s.Desc = "κ of each field as a dot with its 95 % interval as a line. The broken line is the target"
	if s.Target != nil {
		s.Desc += fmt.Sprintf(", %.2f", *s.Target)
	}
	s.Desc += "."
	return s.Picture()
}

// matrix draws κ of every two annotators; false where they are too many to draw.
func matrix(f report.Field) (ui.Picture, bool) {
	var names []string
	for _, p := range f.Pairs {
		for _, n := range []string{p.First, p.Second} {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	if len(names) < 3 || len(names) > ui.MostInMatrix {
		return ui.Picture{}, false
	}
	values := make([][]*float64, len(names))
	for i := range values {
		values[i] = make([]*float64, len(names))
	}
	for _, p := range f.Pairs {
		i, j := slices.Index(names, p.First), slices.Index(names, p.Second)
		values[i][j], values[j][i] = p.Kappa.Value, p.Kappa.Value
	}
	return ui.Matrix{ID: "pairs-" + f.Key, Title: "κ of every two annotators", Names: names, Values: values,
		Desc: "Linear-weighted κ of each pair of annotators on " + f.Title + ". Darker is more agreement; a line means that it cannot be said."}.Picture(), true
}

// together draws what people said where another said something.
func together(f report.Field) ui.Picture {
	return ui.Confusion{ID: "confusion-" + f.Key, Title: "What one said, and what another said", First: "one", Second: "another", Scale: f.Scale, Counts: f.Confusion,
		Desc: "Answers of every two annotators to the same item on " + f.Title + ", both ways around. On the diagonal they agree; darker is more often."}.Picture()
}

// rates draws metrics as bars.
func rates(m report.Metrics) ui.Picture {
	s := ui.Spans{ID: "rates-" + strings.ToLower(m.Title), Title: m.Title, Desc: "Each rate as a bar from 0, with its 95 % interval as a line.",
		To: 1, Bars: true, Percent: m.Title != "Retrieval"}
	for _, r := range m.Rates {
		s.Rows = append(s.Rows, ui.Span{Label: r.Title, Value: r.Value, Low: r.Low, High: r.High, Missing: r.Undefined, N: strconv.Itoa(r.N)})
	}
	return s.Picture()
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
	return fmt.Sprintf("%.0f %% of %d", 100*hits/float64(n), n)
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
