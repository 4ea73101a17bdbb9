package page

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/ui"
)

// ReportData is the data of the report of a project or a batch.
type ReportData struct {
	User        ui.User
	Project     project.Project
	Batches     []string
	Batch       string         // empty: all
	GroupColumn string         // the metadata column to compare by; empty: the default
	Epsilon     *float64       // of the test of judges; nil: judging.DefaultEpsilon
	Report      *report.Report // nil while the first report is being computed
	IsStale     bool           // there are newer labels, decisions, judgments or items
	LaterLabels int            // submitted since Report was computed
	FinishedAt  time.Time      // when Report was computed
	Progress    ReportProgress // of the report being computed

	OpenBatches       []project.Batch // of the batches that the summary shows
	HiddenItems       int             // left out, because the user labels in their batch
	RaterEffectsShown bool            // annotators see their own rater effects
}

// IsForViewer reports whether the user may read nothing about single annotators and items.
func (d ReportData) IsForViewer() bool { return d.User.Role == account.Viewer }

// staleText says how old a report is, and that the next one follows.
func (d ReportData) staleText(l *locale.Locale) string {
	return l.T("This report is of %s; %s. The next report follows by itself.", l.Time(d.FinishedAt), d.laterText(l))
}

// laterText says as a clause what is newer than the report.
func (d ReportData) laterText(l *locale.Locale) string {
	switch {
	case d.LaterLabels > 0:
		return l.T("%d labels were submitted since", d.LaterLabels)
	}
	return l.T("decisions, judgments or items are newer")
}

// A ReportProgress is the progress of a report being computed.
type ReportProgress struct {
	Elapsed             time.Duration
	study.BuildProgress // Total is 0 while unknown, and Step is empty while the report waits to start
}

func (m ReportProgress) statusText(l *locale.Locale) string {
	switch {
	case m.Step == "" && m.Elapsed < 20*time.Second:
		return l.T("Started.")
	case m.Step == "":
		return l.T("Requested %s ago. Waiting for another large report.", formatElapsed(l, m.Elapsed))
	}
	return l.T("Requested %s ago. Current step: %s.", formatElapsed(l, m.Elapsed),
		prose.Writer{Locale: l}.Progress(m.BuildProgress))
}

// formatElapsed writes a short duration: "40 seconds", "3 minutes".
func formatElapsed(l *locale.Locale, d time.Duration) string {
	if d < 100*time.Second {
		return l.T("%d seconds", max(1, int(d.Seconds())))
	}
	return l.T("%d minutes", int(d.Round(time.Minute).Minutes()))
}

// path returns the path of a page of the report, with the batch and the column.
func (d ReportData) path(steps ...string) string {
	return withQuery(ProjectPath(d.Project.Key, steps...), d.query())
}

// printPath returns the path of the full report that opens the print dialog.
func (d ReportData) printPath() string {
	q := d.query()
	q.Set("print", "1")
	return withQuery(ProjectPath(d.Project.Key, "report", string(FullPart)), q)
}

// printedOf says on paper of which project, batch and time the report is.
func (d ReportData) printedOf(l *locale.Locale) string {
	parts := []string{d.Project.Title}
	if d.Batch != "" {
		parts = append(parts, d.Batch)
	}
	if !d.FinishedAt.IsZero() {
		parts = append(parts, l.Time(d.FinishedAt))
	}
	return strings.Join(parts, " · ")
}

// query returns the parameters of the pages of the report.
func (d ReportData) query() url.Values {
	q := url.Values{}
	if d.Batch != "" {
		q.Set("batch", d.Batch)
	}
	if d.GroupColumn != "" {
		q.Set("by", d.GroupColumn)
	}
	if d.Epsilon != nil {
		q.Set("epsilon", formatEpsilon(*d.Epsilon))
	}
	return q
}

func (d ReportData) frame(l *locale.Locale, title, path string) ui.Frame {
	f := ui.Frame{Title: title, User: d.User, CurrentPath: ProjectPath(d.Project.Key, strings.Split(path, "/")...),
		Styles: []string{"report.css"}}
	if strings.HasPrefix(path, "report") && d.Report != nil {
		if f.Section.Views = d.partLinks(l); !d.IsForViewer() {
			f.Section.Views = append(f.Section.Views, resultViews(l, d.Project)...)
		}
		f.Section.ViewPath = d.path(strings.Split(path, "/")...)
	}
	if isPrinted(path) {
		f.Modules = []string{"print.mjs"}
	}
	return f
}

func (d ReportData) batchOptions(l *locale.Locale) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("All batches"), Chosen: d.Batch == ""}}
	for _, b := range d.Batches {
		options = append(options, ui.Option{Value: b, Text: b, Chosen: d.Batch == b})
	}
	return options
}

func formatEpsilon(epsilon float64) string { return strconv.FormatFloat(epsilon, 'f', -1, 64) }

// epsilonOptions are the values of ε that the authors of the test propose, and the chosen one.
func (d ReportData) epsilonOptions(l *locale.Locale) []ui.Option {
	options := []ui.Option{{Value: "0.2", Text: l.T("%s – next to experts", l.Decimal(0.2, 1))},
		{Value: "0.15", Text: l.T("%s – next to trained annotators", l.Decimal(0.15, 2))},
		{Value: "0.1", Text: l.T("%s – next to crowd workers", l.Decimal(0.1, 1))}, {Value: "0", Text: l.T("0 – none")}}
	chosen := options[0].Value
	if d.Epsilon != nil {
		chosen = formatEpsilon(*d.Epsilon)
	}
	if !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		options = append(options, ui.Option{Value: chosen, Text: chosen})
	}
	for i := range options {
		options[i].Chosen = options[i].Value == chosen
	}
	return options
}

func (d ReportData) columnOptions() (options []ui.Option) {
	for _, c := range d.Report.Columns {
		options = append(options, ui.Option{Value: c, Text: c, Chosen: d.Report.Breakdown != nil &&
			d.Report.Breakdown.Column == c})
	}
	return options
}

func (d ReportData) intro(l *locale.Locale) string {
	if d.Report == nil {
		return ""
	}
	return prose.Writer{Locale: l}.Counts(d.Report.Counts)
}

// excludedText names the labels that are not part of agreement.
func (d ReportData) excludedText(l *locale.Locale) string {
	c := d.Report.Counts
	var parts []string
	if c.Duplicates > 0 {
		parts = append(parts, l.T("%d hidden duplicates", c.Duplicates))
	}
	if c.NotBlind > 0 {
		parts = append(parts, l.T("%d labels that are not blind, given after seeing other answers to the item", c.NotBlind))
	}
	if c.Gold > 0 {
		parts = append(parts, l.T("%d labels of gold items", c.Gold))
	}
	if c.Calibration > 0 {
		parts = append(parts, l.T("%d calibration labels", c.Calibration))
	}
	if c.Judgments > 0 {
		parts = append(parts, l.T("%d model judgments", c.Judgments))
	}
	if len(parts) == 0 {
		return ""
	}
	return l.T("Not part of agreement or consensus: %s.", strings.Join(parts, ", "))
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
	if d.Epsilon != nil {
		command += " --epsilon " + formatEpsilon(*d.Epsilon)
	}
	return command + " --format json"
}

func isNeverObserved(m report.MetricGroup, r report.Rate) bool {
	return m.Name == report.ObservationMetrics && (r.Value == nil || *r.Value == 0)
}

// neverObservedText names the observations that never occur, with an upper limit.
func neverObservedText(l *locale.Locale, m report.MetricGroup) string {
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
	switch {
	case len(names) == 0:
		return ""
	case high == 0:
		return l.T("In 0%% of labels: %s.", strings.Join(names, ", "))
	}
	return l.T("In 0%% of labels: %s. Each occurs in at most %.0f%% of labels (upper limit of the 95%% CI).",
		strings.Join(names, ", "), math.Ceil(100*high))
}

// selfConsistencyText counts the equal answers to hidden duplicates and, on scales with four points
// or more, those at most one point apart.
func selfConsistencyText(l *locale.Locale, self []report.FieldSelfConsistency) string {
	s := report.SummarizeSelfConsistency(self)
	switch {
	case s.Pairs == 0:
		return "–"
	case s.NearPairs == 0:
		return l.T("%d of %d equal", s.Equal, s.Pairs)
	}
	return l.T("%d of %d equal, %d of %d within 1 point", s.Equal, s.Pairs, s.Near, s.NearPairs)
}

// formatPace writes seconds per item; "–" without measurements.
func formatPace(l *locale.Locale, seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return l.T("%.0f s", seconds)
}

func numericColumns(name string, titles ...string) []ui.Column {
	heads := []ui.Column{{Text: name}}
	for _, f := range titles {
		heads = append(heads, ui.Column{Text: f, Numeric: true})
	}
	return heads
}

// nameEffects names the rater effects found in an annotator's answers.
func nameEffects(l *locale.Locale, a report.Annotator) string {
	var names []string
	for _, f := range a.RaterEffects {
		names = append(names, prose.Writer{Locale: l}.Effect(f.Effect))
	}
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}
