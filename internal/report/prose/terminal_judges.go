package prose

import (
	"fmt"
	"io"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// Judges says how model judges agree with people, and what to do next.
func (w Writer) Judges(r report.Report) Finding {
	if len(r.Judges) == 0 {
		return Finding{}
	}
	titleOf := func(key string) string {
		f, _ := r.Field(key)
		return f.Title
	}
	var sentences []string
	for _, j := range r.Judges {
		sentences = append(sentences, w.Judge(j, titleOf))
	}
	text, conclusion := w.JudgeNextStep(r.Judges, titleOf)
	kind := map[judge.Conclusion]report.StepKind{judge.LessThanPeople: report.StepKeepAnnotators,
		judge.Biased:      report.StepKeepAnnotators,
		judge.TooFewItems: report.StepLabelMore, judge.AsPeople: report.StepSeeDetails}[conclusion]
	return Finding{Text: sentences[0], Notes: sentences[1:], Next: NextStep{Kind: kind, Subject: "judges", Text: text},
		IsShown: true}
}

// WriteJudges writes judges with all details for a terminal.
func (w Writer) WriteJudges(out io.Writer, judges []judging.Judge) error {
	t := &terminal{w: out}
	if len(judges) == 0 {
		t.line("%s", w.T("No model judge has judged items of this project."))
	}
	for _, j := range judges {
		t.line("%s", w.Judge(j, func(field string) string { return field }))
		w.writeJudgeAgreement(t, j)
		w.writeJudgeDetails(t, j)
	}
	return t.err
}

func (w Writer) writeJudgeAgreement(t *terminal, j judging.Judge) {
	rows := [][]string{{w.T("Field"), w.T("Agrees"), w.T("Items"), w.T("κ with people"), w.T("95%% CI"),
		w.T("κ among people"), w.T("95%% CI"), w.T("Bias"), w.T("95%% CI")}}
	for _, f := range j.Fields {
		rows = append(rows, append([]string{f.Dimension, w.JudgeConclusion(f.Conclusion), w.Number(f.Items)},
			w.figureCells(f.WithPeople, f.People, f.Bias)...))
	}
	w.table(t, rows)
}

// figureCells returns the value and the interval of each figure.
func (w Writer) figureCells(figures ...judge.Figure) (cells []string) {
	for _, f := range figures {
		cells = append(cells, w.Value(f), w.Range(f))
	}
	return cells
}

func (w Writer) writeJudgeDetails(t *terminal, j judging.Judge) {
	tests := [][]string{{w.T("Field"), "ω", "ρ", w.T("Left out"), w.T("Items"), w.T("Judge as close or closer"), "p"}}
	means := [][]string{{w.T("Field"), w.T("Labeled"), w.T("Only judged"), w.T("Labels alone"), w.T("95%% CI"),
		w.T("With the judge"), w.T("95%% CI"), w.T("As many labels as")}}
	items := [][]string{{w.T("Field"), w.T("Item"), w.T("People"), w.T("Judge"), w.T("The judge’s reason")}}
	for _, f := range j.Fields {
		for _, a := range f.Annotators {
			tests = append(tests, []string{f.Dimension, w.Value(judge.Figure{Value: f.WinningRate}),
				w.Value(judge.Figure{Value: f.AdvantageProbability}),
				a.Annotator, w.Number(a.Items), w.Value(judge.Figure{Value: &a.Advantage}),
				w.Value(judge.Figure{Value: &a.P})})
		}
		means = append(means, append(append([]string{f.Dimension, w.Number(f.PPI.Labels), w.Number(f.PPI.Judgments)},
			w.figureCells(f.PPI.LabelsAlone.Figure, f.PPI.Concluded.Figure)...), w.equivalent(f.PPI.EquivalentLabels)))
		for _, d := range f.Disagreements[:min(len(f.Disagreements), 3)] {
			items = append(items, []string{f.Dimension, d.Item, strings.Join(d.Labels, ", "), d.Judge, d.Rationale})
		}
	}
	t.line("\n%s", w.T("Alternative annotator test"))
	w.table(t, tests)
	t.line("\n%s", w.T("Mean answer over all judged items"))
	w.table(t, means)
	t.line("\n%s", w.T("Items to read"))
	w.table(t, items)
	if j.Comparison == nil {
		return
	}
	groups := [][]string{append([]string{w.T("Field"), j.Comparison.Column}, means[0][1:]...)}
	for _, d := range j.Comparison.Differences {
		groups = append(groups, append(append([]string{d.Field, fmt.Sprintf("%s − %s", d.Value, d.Baseline),
			w.Number(d.Labels), w.Number(d.Judgments)},
			w.figureCells(d.LabelsAlone.Figure, d.WithJudge.Figure)...), w.equivalent(d.EquivalentLabels)))
	}
	t.line("\n%s", w.T("Differences by %s over all judged items", j.Comparison.Column))
	w.table(t, groups)
}

func (w Writer) equivalent(labels *float64) string {
	if labels == nil {
		return "–"
	}
	return w.Number(int(*labels))
}
