package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// minPrevalence is from which share of all answers on one of them makes κ fall although
// people agree (Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43).
const minPrevalence = 0.8

// adjustForPrevalence takes a low κ back where it says nothing of the question, and tells what
// Gwet's coefficient says beside it.
func (v *Verdict) adjustForPrevalence(f FieldReport, constant []string, annotators int) {
	if !v.IsInterpretable() || v.Outcome == stats.VerdictMeetsTarget {
		return
	}
	value, share := f.mostCommonAnswer()
	ac := f.GwetAC()
	comparison := fmt.Sprintf("People give equal answers in %s of comparisons, and %s, which does not fall for that reason, is %s", f.Figure("percent_agreement", "").Percent(), gwetName(f), ac.Text())
	if ac.Low != nil {
		comparison += ", 95 % interval " + ac.Range()
	}
	switch {
	case share >= minPrevalence && v.outcomeAt(ac.Low) == stats.VerdictMeetsTarget:
		v.Outcome, v.IsConclusive = DominantAnswer, false
		v.Message = fmt.Sprintf("κ cannot tell: %s of all answers are %d, and where one answer prevails κ is low even if people agree. %s %s. Read the disagreements, and look for items on which the answers should differ.",
			formatPercent(share), value, v.describeKappa(), comparison)
	case len(constant) > 0 && annotators-len(constant) < 2:
		v.Outcome, v.IsConclusive = ConstantAnnotator, false
		v.Message = fmt.Sprintf("κ cannot tell: %s answered %s to every shared item, and against somebody who never varies κ is 0 whatever others say. %s %s. Talk about it with them before you change the question.",
			strings.Join(constant, " and "), f.describeConstantAnswer(constant), v.describeKappa(), comparison)
	case share >= minPrevalence:
		v.Message += fmt.Sprintf(" Note that %s of all answers are %d, which lowers κ by itself. %s.", formatPercent(share), value, comparison)
	}
}

func gwetName(f FieldReport) string {
	if len(f.Scale) == 2 {
		return "Gwet's AC1"
	}
	return "Gwet's AC2"
}

// GwetAC is Gwet's coefficient that suits the scale: AC1 of two answers, else AC2 with
// linear weights.
func (f FieldReport) GwetAC() AgreementFigure {
	if len(f.Scale) == 2 {
		return f.Figure("gwet_ac1", "declared_categories")
	}
	return f.Figure("gwet_ac2", "linear")
}

// mostCommonAnswer returns the answer given most often to shared items, and its share.
func (f FieldReport) mostCommonAnswer() (value int, share float64) {
	maxCount, total := 0, 0
	for index, row := range f.Confusion {
		n := 0
		for _, count := range row {
			n += count
		}
		if total += n; n > maxCount {
			value, maxCount = f.Scale[index], n
		}
	}
	return value, float64(maxCount) / float64(max(total, 1))
}

// describeConstantAnswer says what annotators who never vary answered: “1”, or “the same”.
func (f FieldReport) describeConstantAnswer(constant []string) string {
	value, share := f.mostCommonAnswer()
	if share > 0.99 || len(constant) == 0 {
		return fmt.Sprint(value)
	}
	return "the same"
}

// findConstantAnnotators returns the annotators, in order, who gave one answer to every item
// that somebody else judged too, and how many judged such items.
func (q fieldTable) findConstantAnnotators() (constant []string, annotators int) {
	shared := q.table.Paired()
	for _, name := range shared.Annotators() {
		used := shared.UsedValues(name)
		if len(used) == 1 {
			constant = append(constant, name)
		}
	}
	return slices.Clip(constant), len(shared.Annotators())
}
