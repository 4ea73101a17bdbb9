package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// WriteText writes the report as people read it in a terminal.
func (r Report) WriteText(w io.Writer) error {
	out := &textWriter{w: w}
	out.writeLine("%s, %s, %s", r.Project, cmp.Or(r.Batch, "all batches"), r.Protocol)
	c := r.Counts
	out.writeLine("%d labels of %d items by %d annotators; %d items with two or more. Apart from them: %d hidden duplicates, %d of calibration, %d by models.",
		c.Work, c.LabeledItems, c.Annotators, c.SharedItems, c.Duplicates, c.Calibration, c.Judgments)
	if c.Work == 0 {
		out.writeLine("There is nothing to report yet: it begins with the first label.")
		return out.err
	}
	out.writeAgreement(r)
	out.writeAnnotators(r)
	out.writeBreakdown(r.Breakdown)
	for _, m := range r.Metrics {
		out.writeMetrics(m)
	}
	out.writeJudges(r.Judges)
	out.writeDisagreements(r.Disagreements)
	out.writeLine("\nIntervals are at 95 %%, from resamples of seed %d. They cover the draw of items, not the choice of annotators.", r.Seed)
	return out.err
}

// A textWriter is text being written; the first error ends it.
type textWriter struct {
	w   io.Writer
	err error
}

func (p *textWriter) writeLine(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// writeTable writes rows of cells under a heading.
func (p *textWriter) writeTable(title string, rows [][]string) {
	p.writeLine("\n%s", title)
	if p.err != nil {
		return
	}
	t := tabwriter.NewWriter(p.w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	p.err = t.Flush()
}

func (p *textWriter) writeAgreement(r Report) {
	rows := [][]string{{"FIELD", "PERCENT", "κ LINEAR", "95% INTERVAL", "TARGET", "α", "AC", "ITEMS", "VERDICT"}}
	for _, f := range r.Fields {
		alpha, ac := f.Figure("alpha", "ordinal"), f.Figure("gwet_ac2", "linear")
		if len(f.Scale) == 2 {
			alpha, ac = f.Figure("alpha", "nominal"), f.Figure("gwet_ac1", "declared_categories")
		}
		percent := f.Figure("percent_agreement", "")
		rows = append(rows, []string{f.Key, percent.Percent(), f.Verdict.Kappa.Text(), f.Verdict.Kappa.Range(), formatValue(f.Verdict.Target),
			alpha.Text(), ac.Text(), fmt.Sprint(percent.Items), f.Verdict.ShortText()})
	}
	p.writeTable("Agreement", rows)
	for _, f := range r.Fields {
		p.writeLine("  %s: %s %s", f.Key, f.Verdict.Message, f.Verdict.OverlapAdvice)
	}
	p.writeKappaOverTime(r)
	rows = [][]string{{"FIELD", "UNANIMOUS", "MAJORITY", "MEDIAN", "TIED", "ONE ANSWER", "ADJUDICATED"}}
	for _, f := range r.Fields {
		row := []string{f.Key}
		for _, method := range []stats.ConsensusMethod{stats.Unanimous, stats.Majority, stats.MedianAnswer, stats.Tie, stats.SingleAnswer, Adjudicated} {
			row = append(row, fmt.Sprint(f.CountConsensus(method)))
		}
		rows = append(rows, row)
	}
	p.writeTable("How items were settled", rows)
}

// writeKappaOverTime writes κ of successive stretches of items.
func (p *textWriter) writeKappaOverTime(r Report) {
	rows := [][]string{{"FIELD", "FROM", "TO", "ITEMS", "κ LINEAR", "95% INTERVAL"}}
	for _, f := range r.Fields {
		for _, w := range f.KappaOverTime {
			rows = append(rows, []string{f.Key, w.From.UTC().Format(time.DateOnly), w.To.UTC().Format(time.DateOnly),
				fmt.Sprint(w.Kappa.Items), w.Kappa.Text(), w.Kappa.Range()})
		}
	}
	if len(rows) > 1 {
		p.writeTable("Over time", rows)
	}
}

// CountConsensus returns how many items were settled that way.
func (f FieldReport) CountConsensus(method stats.ConsensusMethod) int {
	for _, o := range f.ConsensusCounts {
		if o.Method == method {
			return o.Items
		}
	}
	return 0
}

func (p *textWriter) writeAnnotators(r Report) {
	rows := [][]string{{"ANNOTATOR", "LABELS", "PACE", "κ WITH OTHERS", "SAME ANSWER TWICE"}}
	for _, a := range r.Annotators {
		var kappas []string
		for _, f := range a.Fields {
			kappas = append(kappas, f.Kappa.Text())
		}
		rows = append(rows, []string{a.Name, fmt.Sprint(a.Labels), formatPace(a.PaceSeconds), strings.Join(kappas, " "), formatSelfConsistency(a.SelfConsistency)})
	}
	p.writeTable("Annotators", rows)
	p.writeCalibrationBias(r)
	for _, a := range r.Annotators {
		for _, h := range a.RaterEffects {
			if h.Detected {
				p.writeLine("  %s, %s: %s", a.Name, h.Name, h.Message)
			}
		}
	}
}

func formatPace(seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// writeCalibrationBias writes how far each annotator was from the reference in calibration.
func (p *textWriter) writeCalibrationBias(r Report) {
	rows := [][]string{{"ANNOTATOR", "FIELD", "ITEMS", "OWN − REFERENCE", "95% INTERVAL", "EQUAL", "FAR APART"}}
	for _, a := range r.Annotators {
		for _, l := range a.CalibrationBias {
			rows = append(rows, []string{a.Name, l.Field, fmt.Sprint(l.Items), l.Signed(), l.SignedRange(), fmt.Sprint(l.Matches), fmt.Sprint(l.LargeDifferences)})
		}
	}
	if len(rows) > 1 {
		p.writeTable("Lean in calibration. Far apart: 2 points or more; of a yes or no, answered otherwise", rows)
	}
}

// formatSelfConsistency is the share of fields within one point, over all of them.
func formatSelfConsistency(self []FieldSelfConsistency) string {
	hits, n := 0.0, 0
	for _, s := range self {
		if s.WithinOnePoint.Value != nil {
			hits, n = hits+*s.WithinOnePoint.Value*float64(s.Duplicates), n+s.Duplicates
		}
	}
	if n == 0 {
		return "–"
	}
	return formatPercent(hits/float64(n)) + " within one point"
}

func (p *textWriter) writeBreakdown(b *Breakdown) {
	if b == nil {
		return
	}
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "ITEMS", "MEAN", "95% INTERVAL", "LESS " + strings.ToUpper(b.Groups[0].Value), "95% INTERVAL", "ITEMS IN PAIRS", "κ LINEAR"}}
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups {
			f, difference, interval, paired := g.Fields[i], "", "", ""
			if f.Difference != nil {
				difference, interval, paired = f.Difference.Signed(), f.Difference.SignedRange(), fmt.Sprint(f.Difference.PairedItems)
			}
			rows = append(rows, []string{f.Field, g.Value, fmt.Sprint(g.Items), f.Mean.Text(), f.Mean.Range(), difference, interval, paired, f.Kappa.Text()})
		}
	}
	p.writeTable("By "+b.Column, rows)
	if b.Excluded > 0 {
		p.writeLine("  Left out: %d labelled items without a value there.", b.Excluded)
	}
	p.writeGroupRates(b, "Verdicts", func(g Group) []Rate { return g.Verdicts })
	p.writeGroupRates(b, "Observations", func(g Group) []Rate { return g.Observations })
}

// writeGroupRates writes rates that each group has, one column for each group.
func (p *textWriter) writeGroupRates(b *Breakdown, title string, groupRates func(Group) []Rate) {
	header, rows := []string{strings.ToUpper(title)}, [][]string{}
	for i, r := range groupRates(b.Groups[0]) {
		row, hasNonZero := []string{r.Title}, false
		for _, g := range b.Groups {
			rate := groupRates(g)[i]
			hasNonZero = hasNonZero || rate.Value != nil && *rate.Value > 0
			row = append(row, rate.Percent(), rate.PercentRange(), fmt.Sprint(rate.SampleSize))
		}
		if hasNonZero {
			rows = append(rows, row)
		}
	}
	for _, g := range b.Groups {
		header = append(header, strings.ToUpper(g.Value), "95% INTERVAL", "OF")
	}
	if len(rows) > 0 {
		p.writeTable(title+" by "+b.Column, append([][]string{header}, rows...))
	}
}

func (p *textWriter) writeMetrics(m MetricGroup) {
	header := []string{"RATE", "VALUE", "95% INTERVAL", "OF"}
	if m.Sources.Total() > 0 {
		header = append(header, "ADJUDICATED", "CONSENSUS", "ALONE")
	}
	rows := [][]string{header}
	for _, r := range m.Rates {
		value, interval := r.Text(), r.Range()
		if m.HasShares() {
			value, interval = r.Percent(), r.PercentRange()
		}
		row := []string{r.Title, value, interval, fmt.Sprint(r.SampleSize), fmt.Sprint(r.Sources.Adjudicated), fmt.Sprint(r.Sources.Consensus), fmt.Sprint(r.Sources.Single)}
		rows = append(rows, row[:len(header)])
	}
	p.writeTable(m.Title+". "+m.Message, rows)
}

func (p *textWriter) writeJudges(judges []Judge) {
	for _, m := range judges {
		rows := [][]string{{"FIELD", "ITEMS", "κ OF PEOPLE", "κ WITH THE MODEL", "95% INTERVAL", "BIAS", "95% INTERVAL", "LIMITS OF AGREEMENT"}}
		for _, f := range m.Fields {
			rows = append(rows, []string{f.Field, fmt.Sprint(f.SharedItems), f.HumanHuman.Text(), f.HumanJudge.Text(), f.HumanJudge.Range(),
				f.BlandAltman.Bias.Signed(), f.BlandAltman.Bias.SignedRange(), formatLimits(f.BlandAltman)})
		}
		p.writeTable("The model "+m.Name+", beside people", rows)
		rows = [][]string{{"FIELD", "POINT", "ITEMS", "BIAS", "95% INTERVAL"}}
		for _, f := range m.Fields {
			for _, b := range f.Bias {
				rows = append(rows, []string{f.Field, fmt.Sprint(b.Point), fmt.Sprint(b.Items), b.Signed(), b.SignedRange()})
			}
		}
		p.writeTable("Where people settled on a point, the model less it", rows)
	}
}

func formatLimits(b LimitsOfAgreement) string {
	if b.Low == nil {
		return "–"
	}
	return formatSigned(*b.Low) + " to " + formatSigned(*b.High)
}

// maxTextDisagreements is how many of the worst a terminal shows.
const maxTextDisagreements = 10

func (p *textWriter) writeDisagreements(all []FieldDisagreement) {
	if len(all) == 0 {
		return
	}
	rows := [][]string{{"ITEM", "FIELD", "ANSWERS"}}
	for _, d := range all[:min(len(all), maxTextDisagreements)] {
		var answers []string
		for _, a := range d.Answers {
			answers = append(answers, fmt.Sprintf("%s %d", a.Annotator, a.Value))
		}
		rows = append(rows, []string{d.Item, d.Field, strings.Join(answers, ", ")})
	}
	p.writeTable(fmt.Sprintf("The widest of %d disagreements", len(all)), rows)
}
