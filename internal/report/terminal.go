package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/report/effects"
	"github.com/labelwright/labelwright/internal/report/study"
)

// WriteText writes the report for a terminal.
func (r Report) WriteText(w io.Writer) error {
	out := &textWriter{w: w}
	out.writeLine("Project %s, %s, protocol %s", r.Project, batchText(r.Batch), r.Protocol)
	out.writeLine("%s", r.Counts.describe())
	if note := r.Counts.DrawnNote(); note != "" {
		out.writeLine("%s", note)
	}
	if r.Counts.Work == 0 {
		out.writeLine("There is nothing to report yet. Come back when annotators have submitted labels.")
		return out.err
	}
	out.writeSummary(r.Summarize())
	out.writeAgreement(r)
	out.writeAnnotators(r)
	out.writeBreakdown(r.Breakdown, r.titles())
	for _, m := range r.Metrics {
		out.writeMetrics(m)
	}
	out.writeJudges(r.Judges)
	out.writeDisagreements(r.Disagreements)
	out.writeDisagreementGroups(r)
	out.writeLine("\n%s", r.describeIntervals())
	return out.err
}

// writeSummary writes what a lead needs to know first, then what else was found, and the next steps.
func (p *textWriter) writeSummary(f Findings) {
	p.writeLine("\nSummary")
	lines := slices.Clone(f.Headline)
	for _, finding := range []Finding{f.Annotators, f.Comparison, f.Metrics, f.Judges} {
		lines = append(append(lines, finding.Text), finding.Notes...)
	}
	for _, finding := range []Finding{f.Agreement, f.Annotators, f.Comparison, f.Metrics, f.Judges} {
		if finding.Next.Text != "" && finding.Next.Kind != StepSeeDetails {
			lines = append(lines, "Next: "+finding.Next.Text)
		}
	}
	for i, line := range lines {
		if line != "" && !slices.Contains(lines[:i], line) {
			p.writeLine("  %s", line)
		}
	}
}

func batchText(batch string) string {
	if batch == "" {
		return "all batches"
	}
	return "batch " + batch
}

func (c Counts) describe() string {
	return fmt.Sprintf("%s of %s by %s; %s with at least two labels. Counted separately: %s, %s and %s.",
		study.Pluralize(c.Work, "label"), study.Pluralize(c.LabeledItems, "item"), study.Pluralize(c.Annotators, "annotator"), study.Pluralize(c.SharedItems, "item"),
		study.Pluralize(c.Duplicates, "hidden duplicate"), study.Pluralize(c.Calibration, "calibration label"), study.Pluralize(c.Judgments, "model judgment"))
}

// A textWriter writes lines and tables and keeps the first error.
type textWriter struct {
	w   io.Writer
	err error
}

func (p *textWriter) writeLine(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// writeTable writes rows of cells under a title, unless there is only a header.
func (p *textWriter) writeTable(title string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
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
	rows := [][]string{{"FIELD", "PERCENT AGREEMENT", "κ", "95% CI", "TARGET", "α", "AC", "ITEMS", "VERDICT"}}
	for _, f := range r.Fields {
		percent, v := f.Figure("percent_agreement", ""), f.Verdict
		κ, interval, alpha, ac := v.Kappa.Text(), v.Kappa.Range(), f.Alpha().Text(), f.GwetAC().Text()
		if v.Outcome == NotEnoughData && !v.IsUndecided() { // too few items to estimate them
			κ, interval, alpha, ac = study.Missing, study.Missing, study.Missing, study.Missing
		}
		rows = append(rows, []string{f.Key, percent.Percent(), κ, interval, study.FormatTarget(v.Target), alpha, ac, study.FormatCount(percent.Items), v.ShortText()})
	}
	p.writeTable("Agreement", rows)
	p.writeLine("  %s", kappaExplanation)
	if note := r.Counts.DrawnSharedNote(); note != "" {
		p.writeLine("  %s", note)
	}
	for _, f := range r.Fields {
		p.writeLine("  %s: %s", f.Key, f.Verdict.Message)
		p.writeLine("    %s", f.Verdict.OverlapAdvice)
		for _, c := range f.Verdict.Causes {
			p.writeLine("    %s", c.Message)
		}
		for _, text := range f.BoundaryTexts() {
			p.writeLine("    %s", text)
		}
	}
	p.writeSpecificAgreement(r)
	p.writeKappaOverTime(r)
	p.writeConsensusCounts(r)
}

// writeSpecificAgreement prints one row per field.
func (p *textWriter) writeSpecificAgreement(r Report) {
	rows := [][]string{{"FIELD", "ANSWER: AGREEMENT (95% CI)"}}
	for _, f := range r.Fields {
		row := []string{f.Key}
		for _, a := range f.SpecificAgreement {
			if a.Agreement.Value != nil {
				row = append(row, a.Text())
			}
		}
		if len(row) > 1 {
			rows = append(rows, row)
		}
	}
	p.writeTable(SpecificAgreementTitle, rows)
}

func (p *textWriter) writeConsensusCounts(r Report) {
	header := []string{"FIELD"}
	for _, method := range ConsensusMethods {
		header = append(header, strings.ToUpper(method.Text()))
	}
	rows := [][]string{header}
	for _, f := range r.Fields {
		row := []string{f.Key}
		for _, method := range ConsensusMethods {
			row = append(row, study.FormatCount(f.CountConsensus(method)))
		}
		rows = append(rows, row)
	}
	p.writeTable("Consensus: items by method", rows)
}

func (p *textWriter) writeKappaOverTime(r Report) {
	const day = "2 Jan 2006"
	rows := [][]string{{"FIELD", "FROM", "TO", "ITEMS", "κ", "95% CI"}}
	for _, f := range r.Fields {
		for _, w := range f.KappaOverTime {
			rows = append(rows, []string{f.Key, w.From.UTC().Format(day), w.To.UTC().Format(day), study.FormatCount(w.Kappa.Items), w.Kappa.Against(f.Verdict.Target).Text(), w.Kappa.Range()})
		}
	}
	p.writeTable("Agreement over time", rows)
}

func (p *textWriter) writeAnnotators(r Report) {
	rows := [][]string{{"ANNOTATOR", "LABELS", "PACE", "κ WITH OTHERS", "SELF-CONSISTENCY"}}
	for _, a := range r.Annotators {
		var kappas []string
		for _, f := range a.Fields {
			kappas = append(kappas, f.Kappa.Text())
		}
		rows = append(rows, []string{a.Name, study.FormatCount(a.Labels), formatPace(a.PaceSeconds), strings.Join(kappas, " "), formatSelfConsistency(a.SelfConsistency)})
	}
	p.writeTable("Annotators", rows)
	p.writeCalibrationBias(r)
	for _, a := range r.Annotators {
		for _, e := range a.RaterEffects {
			p.writeLine("  %s, %s: %s", a.Name, effects.Name(effects.English{}, e.Effect), r.effectTexts().Sentence(e, e.Other))
		}
	}
}

func formatPace(seconds float64) string {
	if seconds <= 0 {
		return study.Missing
	}
	return fmt.Sprintf("%.0f s", seconds)
}

func (p *textWriter) writeCalibrationBias(r Report) {
	rows := [][]string{{"ANNOTATOR", "FIELD", "ITEMS", "BIAS", "95% CI", "MATCHES", "LARGE DIFFERENCES"}}
	for _, a := range r.Annotators {
		for _, b := range a.CalibrationBias {
			rows = append(rows, []string{a.Name, b.Field, study.FormatCount(b.Items), b.Signed(), b.SignedRange(), study.FormatCount(b.Matches), study.FormatCount(b.LargeDifferences)})
		}
	}
	p.writeTable("Calibration: bias is the mean of answer − reference. A large difference is 2 points or more, or any difference on a yes/no field", rows)
}

// formatSelfConsistency counts the equal answers and, on longer scales, those within one point.
func formatSelfConsistency(fields []FieldSelfConsistency) string {
	s := SummarizeSelfConsistency(fields)
	switch {
	case s.Pairs == 0:
		return study.Missing
	case s.NearPairs == 0:
		return fmt.Sprintf("%s of %s equal", study.FormatCount(s.Equal), study.FormatCount(s.Pairs))
	}
	return fmt.Sprintf("%s of %s equal, %s of %s within one point", study.FormatCount(s.Equal), study.FormatCount(s.Pairs), study.FormatCount(s.Near), study.FormatCount(s.NearPairs))
}

func (p *textWriter) writeBreakdown(b *Breakdown, titleOf map[string]string) {
	if b == nil {
		return
	}
	if b.HiddenGroups > 0 {
		p.writeLine("%s: %s", b.Column, inEnglish.HiddenGroups(&b.Result))
	}
	if len(b.Groups) == 0 {
		return
	}
	p.writeGroups(b, titleOf)
	if b.Excluded > 0 {
		p.writeLine("  Excluded: %s without a value for %s.", study.Pluralize(b.Excluded, "labeled item"), b.Column)
	}
	p.writeGroupRates(b, "Verdicts", func(g GroupRates) []Rate { return g.Verdicts })
	p.writeGroupRates(b, "Observations", func(g GroupRates) []Rate { return g.Observations })
}

// writeGroupRates writes rates that all groups have, except those that are 0 in every group.
func (p *textWriter) writeGroupRates(b *Breakdown, title string, groupRates func(GroupRates) []Rate) {
	header, hasTies := []string{strings.ToUpper(title)}, slices.ContainsFunc(b.Rates, func(g GroupRates) bool {
		return slices.ContainsFunc(groupRates(g), func(r Rate) bool { return r.Ties > 0 })
	})
	for _, g := range b.Rates {
		if header = append(header, strings.ToUpper(g.Value), "95% CI", "OF"); hasTies {
			header = append(header, "TIES")
		}
	}
	rows := [][]string{header}
	for i, r := range groupRates(b.Rates[0]) {
		row, hasNonZero := []string{r.Title}, false
		for _, g := range b.Rates {
			rate := groupRates(g)[i]
			hasNonZero = hasNonZero || rate.Value != nil && *rate.Value > 0
			if row = append(row, rate.Percent(), rate.PercentRange(), study.FormatCount(rate.SampleSize)); hasTies {
				row = append(row, rate.TieText())
			}
		}
		if hasNonZero {
			rows = append(rows, row)
		}
	}
	p.writeTable(title+" by "+b.Column, rows)
}

func (p *textWriter) writeMetrics(m MetricGroup) {
	header := []string{"METRIC", "VALUE", "95% CI", "OF"}
	if m.Sources.Total() > 0 {
		header = append(header, "ADJUDICATED", "CONSENSUS", "SINGLE", "TIES", "RANGE")
	}
	rows := [][]string{header}
	for _, r := range m.Rates {
		value, interval := r.Text(), r.Range()
		if m.HasShares() {
			value, interval = r.Percent(), r.PercentRange()
		}
		row := []string{r.Title, value, interval, study.FormatCount(r.SampleSize), study.FormatCount(r.Sources.Adjudicated), study.FormatCount(r.Sources.Consensus), study.FormatCount(r.Sources.Single), study.FormatCount(r.Ties), r.TieRange(m.HasShares())}
		rows = append(rows, row[:len(header)])
	}
	p.writeTable(strings.Join(append([]string{m.Title, m.Message}, m.Notes...), "\n  "), rows)
}

func (p *textWriter) writeJudges(judges []Judge) {
	for _, judge := range judges {
		rows := [][]string{{"FIELD", "ITEMS", "κ OF ANNOTATORS", "κ WITH THE JUDGE", "95% CI", "BIAS", "95% CI", "LIMITS OF AGREEMENT"}}
		for _, f := range judge.Fields {
			rows = append(rows, []string{f.Field, study.FormatCount(f.HumanJudge.Items), f.HumanHuman.Text(), f.HumanJudge.Text(), f.HumanJudge.Range(),
				f.BlandAltman.Bias.Signed(), f.BlandAltman.Bias.SignedRange(), f.BlandAltman.formatLimits()})
		}
		p.writeTable("Model judge "+judge.Name+" compared with the annotators. Bias is the mean of judge − annotators", rows)
		p.writeJudgeUses(judge)
		rows = [][]string{{"FIELD", "CONSENSUS", "ITEMS", "BIAS", "95% CI"}}
		for _, f := range judge.Fields {
			for _, b := range f.Bias {
				rows = append(rows, []string{f.Field, fmt.Sprint(b.Point), study.FormatCount(b.Items), b.Signed(), b.SignedRange()})
			}
		}
		p.writeTable("Bias by consensus value: mean of judge − consensus", rows)
		p.writeLine("  %s", PointBiasNote)
	}
}

func (l LimitsOfAgreement) formatLimits() string {
	return study.Number{Low: l.Low, High: l.High}.SignedRange()
}

// writeDisagreementGroups writes which part of the guide annotators read differently.
func (p *textWriter) writeDisagreementGroups(r Report) {
	rows := [][]string{{"TICKED", "ITEMS", "BY ALL", "DISAGREED", "95% CI", "MOST ON"}}
	for _, g := range r.DisagreementsByObservation {
		byAll := study.FormatCount(g.TickedByAll)
		if g.Key == "" {
			byAll = study.Missing
		}
		rows = append(rows, []string{g.Title, study.FormatCount(g.Items), byAll, g.Percent(), g.PercentRange(), r.FieldsText(g)})
	}
	p.writeTable(ObservationTableTitle, rows)
	if text := r.ObservationFinding(); text != "" {
		p.writeLine("  %s", text)
	}
	rows = [][]string{{"CAUSE", "ITEMS", "DISAGREED", "MOST ON"}}
	for _, g := range r.DisagreementsByCause {
		rows = append(rows, []string{g.Title, study.FormatCount(g.Items), study.FormatCount(g.Disagreed), r.FieldsText(g)})
	}
	p.writeTable(CauseTableTitle, rows)
	if text := r.CauseFinding(); text != "" {
		p.writeLine("  %s", text)
	}
}

// maxTextDisagreements is the number of disagreements shown on a terminal.
const maxTextDisagreements = 10

func (p *textWriter) writeDisagreements(all study.List[FieldDisagreement]) {
	rows := [][]string{{"ITEM", "FIELD", "ANSWERS"}}
	for i := range min(all.Len(), maxTextDisagreements) {
		d := all.At(i)
		var answers []string
		for _, a := range d.Answers {
			answers = append(answers, fmt.Sprintf("%s %d", a.Annotator, a.Value))
		}
		rows = append(rows, []string{d.Item, d.Field, strings.Join(answers, ", ")})
	}
	p.writeTable(fmt.Sprintf("Disagreements, largest first (%s of %s)", study.FormatCount(len(rows)-1), study.FormatCount(all.Len())), rows)
}
