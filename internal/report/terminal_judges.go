package report

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// CompareJudges returns the judges of a report, without the rest of it.
func CompareJudges(d study.Data, o BuildOptions) ([]Judge, error) {
	s, err := newBuilder(d, o)
	if err != nil {
		return nil, err
	}
	groups, err := comparison.Select(s.Study, o.Column, comparison.FindColumns(s.Study), o.HideSmallGroups)
	if err != nil {
		return nil, err
	}
	fields, err := s.judgeFields()
	if err != nil {
		return nil, err
	}
	s.findDoubts(fields)
	return s.compareJudges(groups)
}

// WriteJudgesJSON writes the judges as a report does, in an object with the key judges.
func WriteJudgesJSON(w io.Writer, judges []Judge) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Judges []Judge `json:"judges"`
	}{judges})
}

// WriteJudgesText writes the scorecards of judges for a terminal.
func WriteJudgesText(w io.Writer, judges []Judge) error {
	out := &textWriter{w: w}
	if len(judges) == 0 {
		out.writeLine("No model judge has judged items of this project.")
	}
	out.writeJudges(judges)
	return out.err
}

// writeJudgeUses writes what a judge can be used for, and the figures that it rests on.
func (p *textWriter) writeJudgeUses(j Judge) {
	uses := [][]string{{"FIELD", "USE", "ω", "ρ", "TESTED AGAINST", "LABELED", "ONLY JUDGED", "LABELS ALONE", "95% CI", "WITH THE JUDGE", "95% CI"}}
	tests := [][]string{{"FIELD", "LEFT OUT", "ITEMS", "JUDGE AS CLOSE OR CLOSER", "P", "P (ADJUSTED)"}}
	for _, f := range j.Fields {
		t, e := f.Alternative, f.Estimate
		uses = append(uses, []string{f.Field, f.UseText(), t.WinningRateText(), t.AdvantageText(), study.Pluralize(len(t.Annotators), "annotator"),
			e.LabelsText(), e.JudgmentsText(), e.LabelsAlone.Text(), e.LabelsAlone.Range(), e.WithJudge.Text(), e.WithJudge.Range()})
		for _, a := range t.Annotators {
			tests = append(tests, []string{f.Field, a.Annotator, study.FormatCount(a.Items), study.FormatPercent(a.Advantage), FormatP(a.P), FormatP(a.AdjustedP)})
		}
	}
	p.writeTable("What "+j.Name+" can be used for. ω is the share of annotators against whom it wins: it is shown to be less than ε worse than them, where ε is its advantage in cost and effort", uses)
	p.writeLine("  %s", j.Message)
	for _, f := range j.Fields {
		p.writeLine("  %s: %s", f.Field, f.Message)
	}
	name := func(field string) string { return field }
	for _, note := range append(j.DesignNotes(name), j.AssumptionNotes(name)...) {
		p.writeLine("  %s", note)
	}
	p.writeTable("Alternative annotator test", tests)
	agreements, differences := [][]string{{"FIELD", "ANSWER", "WITH THE JUDGE", "95% CI", "AMONG ANNOTATORS", "95% CI"}}, [][]string{{"FIELD", "ITEM", "ANNOTATORS", "JUDGE"}}
	for _, f := range j.Fields {
		for i, a := range f.Specific {
			with, among := a.Agreement, f.HumanSpecific[i].Agreement
			agreements = append(agreements, []string{f.Field, strconv.Itoa(a.Answer), with.Percent(), with.PercentRange(), among.Percent(), among.PercentRange()})
		}
		for _, d := range f.Disagreements[:min(len(f.Disagreements), 5)] {
			differences = append(differences, []string{f.Field, d.Item, d.AnswersText(), strconv.Itoa(d.Judge)})
		}
	}
	p.writeTable("Agreement on each answer: where one side gives it, how often the other does", agreements)
	p.writeTable("Items to read: the largest differences from "+j.Name, differences)
	p.writeJudgeComparison(j)
}

// writeJudgeComparison writes how groups differ, from the labels alone and with the judge.
func (p *textWriter) writeJudgeComparison(j Judge) {
	c := j.Comparison
	if c == nil || len(c.Differences) == 0 {
		return
	}
	p.writeTable("Differences by "+c.Column+" over all items that "+j.Name+" answered, from the labels alone and with the judge", c.rows(c.Differences))
	for _, text := range append([]string{c.Message}, c.Notes...) {
		p.writeLine("  %s", text)
	}
	for _, d := range c.Differences {
		p.writeLine("  %s: %s", d.Field, d.Message)
	}
	p.writeTable("All pairs by "+c.Column+" with "+j.Name, c.rows(c.AllPairs))
}

// rows returns a table of differences.
func (c *JudgeComparison) rows(differences []JudgeDifference) [][]string {
	rows := [][]string{{"FIELD", strings.ToUpper(c.Column), "− " + strings.ToUpper(c.Column), "LABELED", "ONLY JUDGED", "LABELS ALONE", "95% CI", "p (HOLM)", "WITH THE JUDGE", "95% CI", "p (HOLM)", "AS PRECISE AS"}}
	for _, d := range differences {
		rows = append(rows, []string{d.Field, d.Value, d.Baseline, d.LabelCounts(), d.JudgmentCounts(), d.LabelsAlone.Signed(), d.LabelsAlone.SignedRange(), d.LabelsAlone.PText(),
			d.WithJudge.Signed(), d.WithJudge.SignedRange(), d.WithJudge.PText(), d.EquivalentText()})
	}
	return rows
}
