package page

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/ui"
)

// A ReportPart is a page of the report below the summary.
type ReportPart string

// The parts, by the last segment of their path.
const (
	AgreementPart  ReportPart = "agreement"
	AnnotatorsPart ReportPart = "annotators"
	ComparisonPart ReportPart = "comparison"
	MetricsPart    ReportPart = "metrics"
	JudgesPart     ReportPart = "judges"
	MethodsPart    ReportPart = "methods"
	FullPart       ReportPart = "full"     // all of them, to print
	CustomerPart   ReportPart = "customer" // the results without people, to print
)

// title returns the heading of a part.
func (p ReportPart) title(l *locale.Locale) string {
	switch p {
	case AgreementPart:
		return l.T("Agreement")
	case AnnotatorsPart:
		return l.T("Annotators")
	case ComparisonPart:
		return l.T("Comparison")
	case MetricsPart:
		return l.T("Metrics")
	case JudgesPart:
		return l.T("Model judges")
	case MethodsPart:
		return l.T("Methods")
	case CustomerPart:
		return l.T("For a customer")
	}
	return l.T("Full report")
}

// reportParts are the parts in the order of the navigation.
var reportParts = []ReportPart{AgreementPart, AnnotatorsPart, ComparisonPart, MetricsPart, JudgesPart,
	MethodsPart, FullPart, CustomerPart}

// isPrinted reports whether a page of the report is made for paper.
func isPrinted(path string) bool {
	return path == "report/"+string(FullPart) || path == "report/"+string(CustomerPart)
}

// parts are those that the user may read.
func (d ReportData) parts() []ReportPart {
	if d.IsForViewer() {
		return []ReportPart{AgreementPart, ComparisonPart, MetricsPart, MethodsPart, FullPart}
	}
	return reportParts
}

// partPath returns the path of a part, with the batch and the column.
func (d ReportData) partPath(p ReportPart) string { return d.path("report", string(p)) }

// hasPart reports whether the report has data for a part.
func (d ReportData) hasPart(p ReportPart) bool {
	switch p {
	case ComparisonPart:
		return d.Report.Breakdown != nil
	case MetricsPart:
		return len(d.Report.Metrics) > 0
	case JudgesPart:
		return len(d.Report.Judges) > 0
	}
	return true
}

// partLinks are the pages of the report. That of the comparison also says what a comparison needs.
func (d ReportData) partLinks(l *locale.Locale) []ui.Link {
	links := []ui.Link{{Path: d.path("report"), Text: l.T("Summary")}}
	for _, p := range d.parts() {
		if d.hasPart(p) || p == ComparisonPart {
			links = append(links, ui.Link{Path: d.partPath(p), Text: p.title(l)})
		}
	}
	return links
}

// stepPath returns where a next step leads; details is the page of the question.
func (d ReportData) stepPath(s prose.NextStep, details ReportPart) string {
	filter := project.ItemFilter{Batch: d.Batch}
	switch s.Kind {
	case report.StepReadDisagreements:
		filter.Field = s.Subject
		return withQuery(ProjectPath(d.Project.Key, "disagreements"), FilterQuery(filter))
	case report.StepLabelMore:
		return ProjectPath(d.Project.Key, "batches", "new")
	case report.StepSeeAnnotator:
		return d.path("annotators", s.Subject)
	case report.StepAdjudicate:
		return withQuery(ProjectPath(d.Project.Key, "adjudication"), FilterQuery(filter))
	}
	return d.partPath(details)
}

// agreementPlot shows κ of each field against the target.
func (d ReportData) agreementPlot(w prose.Writer, id string) ui.ForestPlot {
	p := ui.ForestPlot{ID: id, Title: w.Agreement(d.Report.Agreement()), Measure: w.T("κ by field, with 95%% CI: 1 is full agreement, 0 is chance"),
		To: 1, Columns: [4]string{"κ", w.T("95%% CI"), w.T("Based on"), w.T("Verdict")},
		Description: w.T("κ of each field with its 95%% CI, against the target.")}
	for _, f := range d.Report.Fields {
		row := ui.ForestRow{Label: f.Title, Path: d.partPath(AgreementPart) + "#field-" + f.Key, Basis: w.T("%d items",
			f.SharedItems),
			Verdict: w.Verdict(f.Verdict), VerdictClass: verdictClass(f.Verdict), Missing: w.T("no κ")}
		if f.Verdict == agreement.TooFewItems {
			row.Missing = w.T("too few items")
		} else if κ := boundCoefficient(f.Kappa); κ.Value != nil {
			row.Value, row.Low, row.High, row.Text = κ.Value, κ.Low, κ.High, κ.Text()
			if row.Low != nil {
				row.IntervalText = κ.Range()
			}
		}
		p.Rows = append(p.Rows, row)
	}
	if len(d.Report.Fields) > 0 {
		p.Zones, p.Lines = targetZones(w, d.Report.Fields[0].Target)
	}
	return p
}

// targetZones mark the target of κ.
func targetZones(w prose.Writer, target float64) ([]ui.ForestZone, []ui.ForestLine) {
	return []ui.ForestZone{{Class: "target-zone", From: target, To: 1}},
		[]ui.ForestLine{{At: target, Label: w.T("target %s", w.Decimal(target, 2)), IsAbove: true}}
}

// maxPlotRows is the number of rows of a picture of the summary.
const maxPlotRows = 8

// scaleSpan returns the number of points from the lowest to the highest answer of all fields; 0 if they differ.
func (d ReportData) scaleSpan() (span int) {
	for i, f := range d.Report.Fields {
		s := f.Scale[len(f.Scale)-1] - f.Scale[0]
		if i > 0 && s != span {
			return 0
		}
		span = s
	}
	return span
}

// A severityUnit formats differences between annotators, which are shares of the scale: in points if all
// scales have the same length, else in percent.
type severityUnit struct{ span float64 }

func (d ReportData) severityUnit() severityUnit {
	if span := d.scaleSpan(); span > 1 {
		return severityUnit{float64(span)}
	}
	return severityUnit{}
}

func (u severityUnit) isPoints() bool { return u.span > 0 }

func (u severityUnit) number(s ratereffect.Severity) study.Number {
	factor := 1.0
	if u.isPoints() {
		factor = u.span
	}
	return study.Number{Value: new(factor * s.Value), Low: new(factor * s.Low), High: new(factor * s.High)}
}

// marginText writes the difference that counts as none.
func (u severityUnit) marginText(l *locale.Locale, margin float64) string {
	if u.isPoints() {
		return l.T("%.1f points", u.span*margin)
	}
	return l.T("%.0f%% of the scale", 100*margin)
}

// severityPlot shows how far each annotator scores from the others.
func (d ReportData) severityPlot(l *locale.Locale, id, finding string) ui.ForestPlot {
	unit, margin := d.severityUnit(), d.Report.RaterEffects.Margin
	zone := *unit.number(ratereffect.Severity{Value: margin}).Value
	p := ui.ForestPlot{ID: id, Title: finding, Measure: l.T(
		"Scores relative to the other annotators of the same items, in percent of the scale"),
		From: -0.1, To: 0.1, AsPercent: true, ShowSign: true, LowEnd: l.T("stricter"), HighEnd: l.T("more lenient"),
		Columns:     [4]string{l.T("Difference"), l.T("95%% CI"), l.T("Based on"), l.T("Finding")},
		Zones:       []ui.ForestZone{{Class: "tolerance-zone", From: -zone, To: zone}},
		Description: l.T("Mean difference of each annotator from the others on the same items with its 95%% CI. The vertical line marks no difference, and the shaded band what counts as none.")}
	if unit.isPoints() {
		p.Measure, p.From, p.To, p.AsPercent = l.T(
			"Scores relative to the other annotators of the same items, in points"), -0.5, 0.5, false
	}
	for _, a := range d.Report.Annotators {
		if a.Severity == nil {
			continue
		}
		n := unit.number(*a.Severity)
		row := ui.ForestRow{Label: a.Name, Path: d.path("annotators", a.Name), Value: n.Value, Low: n.Low, High: n.High,
			Text: choose(unit.isPoints(), n.Signed(), n.SignedPercent()), IntervalText: choose(unit.isPoints(),
				n.SignedRange(), n.SignedPercentRange()),
			Basis: l.T("%d items", a.Severity.Items)}
		row.Verdict, row.VerdictClass = severityBadge(l, a, margin)
		if causes := d.causesOf(a.Name); len(causes) > 0 { // comes first
			row.VerdictClass, row.Verdict, row.VerdictPath = "rewrite", l.T("Lowers agreement"), causes[0].path
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// severityBadge says what a difference from the others means: nothing if its interval contains 0.
func severityBadge(l *locale.Locale, a report.Annotator, margin float64) (text, class string) {
	isFound := slices.ContainsFunc(a.RaterEffects, func(f ratereffect.FoundEffect) bool {
		return f.Effect == ratereffect.DifferentStandard && !f.HasReferences
	})
	switch s := a.Severity; {
	case isFound && s.Value > 0:
		return l.T("More lenient"), "revise"
	case isFound:
		return l.T("Stricter"), "revise"
	case s.Low <= 0 && s.High >= 0:
		return "", ""
	case s.Low >= -margin && s.High <= margin:
		return l.T("Negligible"), "undetermined"
	}
	return l.T("Not clear"), "undetermined"
}

// ratePlot shows the rates of a group of metrics. Observations that never occur are left out.
func ratePlot(l *locale.Locale, m report.MetricGroup) ui.ForestPlot {
	w := prose.Writer{Locale: l}
	p := ui.ForestPlot{ID: "rates-" + string(m.Name), Title: w.MainRate(m), Measure: w.Metric(m.Name), To: 1,
		DrawBars: true, AsPercent: m.HasShares(),
		Columns:     [4]string{l.T("Value"), l.T("95%% CI"), l.T("Based on"), ""},
		Description: l.T("Each rate as a bar from 0, with its 95%% CI as a line.")}
	for _, r := range m.Rates {
		if isNeverObserved(m, r) {
			continue
		}
		row := ui.ForestRow{Label: w.Rate(r), Value: r.Value, Low: r.Low, High: r.High, Text: w.RateValue(m, r),
			Missing: w.Missing(r.Number), Basis: l.Number(r.SampleSize)}
		if r.Low != nil {
			row.IntervalText = w.RateRange(m, r)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// mainRatePlot shows the rates of the main group of metrics, of many the largest.
func (d ReportData) mainRatePlot(l *locale.Locale) (p ui.ForestPlot) {
	m, _, ok := d.Report.MainRates()
	if !ok {
		return p
	}
	p = ratePlot(l, m)
	if all := len(p.Rows); all > maxPlotRows {
		p.Rows = slices.SortedStableFunc(slices.Values(p.Rows), func(a, b ui.ForestRow) int {
			return compareOptional(b.Value, a.Value)
		})[:maxPlotRows]
		p.Measure = l.T("%s, the %d of %d largest", p.Measure, maxPlotRows, all)
	}
	p.ID = "rates"
	return p
}

// compareOptional compares values; a missing one is smaller than any.
func compareOptional(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// A reportQuestion is a question of the summary other than that of agreement.
type reportQuestion struct {
	id, title string
	part      ReportPart
	details   string // text of the link to the part
	finding   prose.Finding
}

// questions are those that the report has something to say on.
func (d ReportData) questions(l *locale.Locale) []reportQuestion {
	w, r := prose.Writer{Locale: l}, *d.Report
	all := []reportQuestion{
		{"annotators", l.T("Who differs?"), AnnotatorsPart, l.T("All annotators"), w.Annotators(r)},
		{"by-group", "", ComparisonPart, l.T("Comparison in detail"), w.Comparison(r)},
		{"judges", l.T("Can the judge be used?"), JudgesPart, l.T("Model judges in detail"), w.Judges(r)},
		{"metrics", l.T("What do the metrics say?"), MetricsPart, l.T("Metrics in detail"), w.Metrics(r)},
	}
	if r.Breakdown != nil {
		all[1].title = l.T("Which %s scores higher?", isolate(r.Breakdown.Column))
	}
	return slices.DeleteFunc(all, func(q reportQuestion) bool {
		return q.finding.Text == "" || !slices.Contains(d.parts(), q.part) || !q.finding.IsShown && (d.Report.HasTooFewItems() || q.part == MetricsPart)
	})
}

// agreementStep is what the agreement asks for next, with where it is done.
func (d ReportData) agreementStep(w prose.Writer) ui.Link {
	s := d.Report.AgreementStep()
	if s.Kind == report.StepExport {
		return d.exportStep(w.Locale, w.Step(*d.Report, s))
	}
	return ui.Link{Path: d.stepPath(prose.NextStep{Kind: s.Kind, Subject: s.Subject}, AgreementPart),
		Text: w.Step(*d.Report, s)}
}

func (d ReportData) fieldColumns() (columns []ui.Column) {
	for _, f := range d.Report.Fields {
		columns = append(columns, ui.Column{Text: f.Title, Numeric: true})
	}
	return columns
}
