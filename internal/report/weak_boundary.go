package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A WeakBoundary is two neighboring points of a scale between which annotators choose hardly better than
// by chance, although they tell the other points apart.
type WeakBoundary struct {
	Lower   int                   `json:"lower"`
	Upper   int                   `json:"upper"`
	Kappa   study.AgreementFigure `json:"kappa"` // κ of the answers that are Lower or Upper
	Guide   string                `json:"guide"` // what the guide says about the boundary; may be empty
	Message string                `json:"message"`
}

// minBoundaryShare is the smallest share of the rarer of two neighboring answers among both for which κ is looked
// at: a point that is given only by mistake is no boundary.
const minBoundaryShare = 0.25

// findWeakBoundary returns the only boundary at which κ is shown to be below the limit for a rewrite; nil
// without one. At each of the others for which there are enough answers, and there is one, κ must reach the
// target: on a wide scale with ordinary errors, all boundaries are weak, and none stands out.
func (s *builder) findWeakBoundary(q fieldTable, f FieldReport) *WeakBoundary {
	weakest, others := -1, 0
	for k := range len(f.Scale) - 1 {
		switch κ, ok := boundaryKappa(f.Confusion, k); {
		case !ok:
		case κ >= f.Verdict.Target:
			others++
		case weakest >= 0 || κ >= study.RewriteLimit:
			return nil
		default:
			weakest = k
		}
	}
	if weakest < 0 || others == 0 {
		return nil
	}
	table := q.Table.SelectValues(uint8(weakest), uint8(weakest+1))
	figure := study.FigureFromEstimate(stats.ComputeEstimates(table, s.Options, stats.SharedKappa(stats.Linear))[0])
	reaches, ok := figure.SamplingInterval().ProbabilityAtLeast(study.RewriteLimit)
	if !ok || 1-reaches < stats.CommittedProbability || figure.Low == nil || figure.Items < minSharedItems {
		return nil
	}
	figure.Limits = f.Verdict.limits()
	b := &WeakBoundary{Lower: f.Scale[weakest], Upper: f.Scale[weakest+1], Kappa: figure, Guide: q.boundaryGuide(f.Scale[weakest], f.Scale[weakest+1])}
	b.Message = b.text(f.Verdict.Outcome == Go)
	return b
}

// boundaryKappa returns κ of the pairs of answers that are the points k and k + 1 of the scale; false with
// too few, or if nearly all are one of them.
func boundaryKappa(confusion [][]int, k int) (κ float64, ok bool) {
	lower, upper, different := float64(confusion[k][k]), float64(confusion[k+1][k+1]), float64(confusion[k][k+1]+confusion[k+1][k])
	pairs := lower + upper + different // each in both directions
	share := (lower + different/2) / pairs
	if pairs < 2*minSharedItems || min(share, 1-share) < minBoundaryShare {
		return 0, false
	}
	return 1 - different/pairs/(2*share*(1-share)), true
}

// text says what the boundary means; meetsTarget is whether agreement on the field does.
func (b WeakBoundary) text(meetsTarget bool) string {
	start, level := "Annotators", "little"
	if meetsTarget {
		start = "Agreement meets the target, but annotators"
	}
	if *b.Kappa.Value <= 0 {
		level = "no"
	}
	return fmt.Sprintf("%s choose between %d and %d %s better than by chance: of these two answers κ is %s (95%% CI %s, %s). Discuss such items and make this boundary clearer.",
		start, b.Lower, b.Upper, level, b.Kappa.Text(), b.Kappa.Range(), study.Pluralize(b.Kappa.Items, "item"))
}

// weakFields returns the fields that meet the target but have a weak boundary.
func (r Report) weakFields() (fields []FieldReport) {
	for _, f := range r.Fields {
		if f.Verdict.Outcome == Go && f.WeakBoundary != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// weakHeadline names the points that annotators hardly tell apart on fields that meet the target; empty
// without any.
func (r Report) weakHeadline() string {
	fields, places := r.weakFields(), []string{}
	if len(fields) > maxNamedAnnotators {
		return fmt.Sprintf("On %d of these fields, annotators hardly tell two neighboring points of the scale apart.", len(fields))
	}
	for _, f := range fields {
		places = append(places, fmt.Sprintf("%d from %d on “%s”", f.WeakBoundary.Lower, f.WeakBoundary.Upper, f.Title))
	}
	if len(places) == 0 {
		return ""
	}
	return fmt.Sprintf("Annotators hardly tell %s.", joinNames(places))
}

// boundaryStep asks to read the disagreements at a weak boundary.
func (f FieldReport) boundaryStep() NextStep {
	return NextStep{Kind: StepReadDisagreements, Subject: f.Key,
		Text: fmt.Sprintf("Read the disagreements on “%s”, then make the boundary between %d and %d clearer.", f.Title, f.WeakBoundary.Lower, f.WeakBoundary.Upper)}
}

// BoundaryTexts name the boundary of a scale of three points or more that most needs a look, and what the
// guide says about it: a weak one or, where agreement is below the target, that with most disagreements. There
// are none where annotators are the cause, which come before the guide.
func (f FieldReport) BoundaryTexts() []string {
	guide, texts := "", []string{}
	if f.Verdict.hasAnnotatorCause() {
		return texts
	}
	if b, ok := f.WorstBoundary(); f.WeakBoundary != nil {
		guide, texts = f.WeakBoundary.Guide, []string{f.WeakBoundary.Message}
	} else if ok && (f.Verdict.Outcome == Revise || f.Verdict.Outcome == Rewrite) && len(f.Scale) > 2 {
		guide, texts = b.Guide, []string{b.Text()}
	}
	if guide != "" {
		texts = append(texts, "The guide says: “"+guide+"”")
	}
	return texts
}
