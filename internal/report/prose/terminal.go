package prose

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
)

// maxTerminalRows is the number of rows of a table on a terminal.
const maxTerminalRows = 10

// WriteReport writes a report for a terminal, on one screen.
func (w Writer) WriteReport(out io.Writer, r report.Report) error {
	t := &terminal{w: out}
	batch := r.Batch
	if batch == "" {
		batch = w.T("all batches")
	}
	t.line("%s, %s, %s", r.Project, batch, r.Protocol)
	if r.Counts.Work == 0 {
		t.line("%s", w.T("There is nothing to report yet."))
		return t.err
	}
	t.line("%s", w.Counts(r.Counts))
	w.writeAgreement(t, r)
	for _, f := range []Finding{w.Annotators(r), w.Comparison(r), w.Judges(r)} {
		if f.Text != "" && (f.IsShown || !r.HasTooFewItems()) {
			t.line("\n%s", f.Text)
		}
	}
	w.writeGroups(t, r)
	w.writeMetrics(t, r)
	t.line("\n%s", w.T("Next:"))
	for _, step := range w.Steps(r) {
		t.line("  %s", step)
	}
	t.line("\n%s", w.T("All figures: labelwright report --format json"))
	return t.err
}

// Counts says what a report is computed from.
func (w Writer) Counts(c report.Counts) string {
	return w.T("Labels: %d, of %d items, by %d annotators. Items with two or more labels: %d.", c.Work, c.LabeledItems,
		c.Annotators, c.SharedItems)
}

func (w Writer) writeAgreement(t *terminal, r report.Report) {
	t.line("\n%s", w.Agreement(r.Agreement()))
	rows := [][]string{{w.T("Field"), "κ", w.T("95%% CI"), w.T("Target"), w.T("Items"), w.T("Verdict")}}
	for _, f := range r.Fields {
		if f.Verdict == agreement.TooFewItems {
			f.Kappa.Number = study.Number{}
		}
		interval := study.Missing
		if f.Kappa.Low != nil {
			interval = w.T("%s to %s", w.number(f.Kappa.Number, max(*f.Kappa.Low, -1)), w.number(f.Kappa.Number,
				min(*f.Kappa.High, 1)))
		}
		rows = append(rows, []string{f.Title, w.optional(f.Kappa.Number), interval, w.number(study.Number{}, f.Target),
			w.Number(f.SharedItems), w.Verdict(f.Verdict)})
	}
	if !r.HasTooFewItems() {
		w.table(t, rows)
	}
	for _, note := range w.AgreementNotes(r.Agreement()) {
		t.line("  %s", note)
	}
}

// writeGroups writes the mean of each group by field.
func (w Writer) writeGroups(t *terminal, r report.Report) {
	if r.Breakdown == nil || len(r.Breakdown.Groups) == 0 {
		return
	}
	rows := [][]string{{r.Breakdown.Column}}
	for _, f := range r.Fields {
		rows[0] = append(rows[0], f.Title)
	}
	for _, g := range r.Breakdown.Groups {
		row := []string{g.Value}
		for _, f := range g.Fields {
			row = append(row, w.optional(f.Mean))
		}
		rows = append(rows, row)
	}
	w.table(t, rows)
}

func (w Writer) writeMetrics(t *terminal, r report.Report) {
	for _, m := range r.Metrics {
		rows := [][]string{{w.Metric(m.Name), w.T("Value"), w.T("95%% CI"), w.T("Of")}}
		for _, rate := range m.Rates {
			if rate.Value == nil || m.Name == report.ObservationMetrics && *rate.Value == 0 {
				continue
			}
			rows = append(rows, []string{w.Rate(rate), w.RateValue(m, rate), w.RateRange(m, rate),
				w.Number(rate.SampleSize)})
		}
		if len(rows) > 1 {
			t.line("")
			w.table(t, rows)
			return
		}
	}
}

// optional writes a value, or a dash without one.
func (w Writer) optional(n study.Number) string {
	if n.Value == nil {
		return study.Missing
	}
	return w.number(n, *n.Value)
}

// table writes rows in columns, of many the first ones.
func (w Writer) table(t *terminal, rows [][]string) {
	if t.err != nil {
		return
	}
	columns := tabwriter.NewWriter(t.w, 0, 4, 2, ' ', 0)
	for _, row := range rows[:min(len(rows), maxTerminalRows+1)] {
		fmt.Fprintln(columns, "  "+strings.Join(row, "\t"))
	}
	if t.err = columns.Flush(); len(rows) > maxTerminalRows+1 {
		t.line("  %s", w.T("and %d more", len(rows)-maxTerminalRows-1))
	}
}

// A terminal writes lines and keeps the first error.
type terminal struct {
	w   io.Writer
	err error
}

func (t *terminal) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}
