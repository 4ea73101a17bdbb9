package report

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// An Outcome is what the agreement on a field means for the project.
type Outcome string

// The outcomes. With the last four, κ gives no answer.
const (
	Go                Outcome = "go"      // agreement meets the target
	Revise            Outcome = "revise"  // below the target
	Rewrite           Outcome = "rewrite" // below rewriteThreshold
	NotEnoughData     Outcome = "not_enough_data"
	NoVariation       Outcome = "no_variation"       // all answers are equal
	DominantAnswer    Outcome = "dominant_answer"    // nearly all are equal, which lowers κ although annotators agree
	ConstantAnnotator Outcome = "constant_annotator" // in every pair one annotator always answers the same, so κ is 0
)

// An OverlapStatus is whether more shared items would change the verdict.
type OverlapStatus string

// The overlap statuses.
const (
	OverlapEnough         OverlapStatus = "enough"
	OverlapAlmostEnough   OverlapStatus = "almost_enough" // conclusive, but not yet for repeated checks
	OverlapMoreItems      OverlapStatus = "more_items"
	OverlapVariedItems    OverlapStatus = "varied_items" // only items with different answers help
	OverlapAtLimit        OverlapStatus = "at_limit"     // agreement is at the limit of two outcomes
	OverlapUncertainAgain OverlapStatus = "uncertain_again"
	OverlapOutcomeChanged OverlapStatus = "outcome_changed"
	OverlapUnknown        OverlapStatus = "unknown" // κ has no interval
)

// A Verdict is the outcome of a field, explained.
type Verdict struct {
	Outcome         Outcome           `json:"outcome"`
	Message         string            `json:"message"` // the outcome in a few sentences, with what to do
	Overlap         OverlapStatus     `json:"overlap"`
	OverlapAdvice   string            `json:"overlap_advice"`   // Overlap in a sentence or two
	InterimAnalyses []InterimAnalysis `json:"interim_analyses"` // at 20, 40, 80, … shared items
	IsConclusive    bool              `json:"conclusive"`       // the whole interval gives this outcome
	Target          float64           `json:"target"`
	MinItems        int               `json:"min_items"` // shared items that a verdict needs
	Kappa           AgreementFigure   `json:"kappa"`     // what the verdict is based on
}

const (
	defaultTarget    = 0.4
	rewriteThreshold = 0.25
	// minSharedItems equals the first interim analysis: with fewer items the interval
	// of κ spans all outcomes.
	minSharedItems = firstInterimItems
)

// newVerdict judges Light's κ with linear weights, and Conger's if a pair of
// annotators has no variation, which leaves Light's undefined.
func newVerdict(f FieldReport, target float64) Verdict {
	if target <= 0 {
		target = defaultTarget
	}
	v := Verdict{Target: target, MinItems: minSharedItems, Kappa: f.Figure("cohen_kappa", "linear")}
	if v.Kappa.Value == nil {
		v.Kappa = f.Figure("conger_kappa", "linear")
	}
	v.Kappa.limits = [2]float64{rewriteThreshold, target}
	shared := f.Figure("percent_agreement", "").Items
	switch {
	case shared < minSharedItems:
		v.Outcome, v.Message = NotEnoughData, notEnoughDataText(shared)
		v.setOverlap(OverlapMoreItems, missingItemsText(minSharedItems-shared))
	case v.Kappa.Value == nil:
		v.Outcome, v.Message = NoVariation, noVariationText(v.Kappa.Undefined)
		v.setOverlap(OverlapVariedItems, variedItemsText)
	default:
		v.Outcome = v.outcomeFor(*v.Kappa.Value)
		v.IsConclusive = v.outcomeAt(v.Kappa.Low) == v.Outcome && v.outcomeAt(v.Kappa.High) == v.Outcome
		v.Message = v.describe()
		v.assessOverlap(*v.Kappa.Value, shared)
	}
	return v
}

// A FieldOutcome is the agreement on a field and its outcome.
type FieldOutcome struct {
	Key       string
	Kappa     *float64 // nil: not defined yet
	Low, High *float64
	Outcome   Outcome
}

// ComputeOutcomes returns the outcome of each field as Build does, without the rest of a report.
func ComputeOutcomes(d Data, o BuildOptions) ([]FieldOutcome, error) {
	s, err := newStudy(d, o)
	if err != nil {
		return nil, err
	}
	var outcomes []FieldOutcome
	for _, q := range s.fields {
		f := FieldReport{Key: q.Key, Scale: q.scale, Confusion: s.countConfusion(q)}
		f.Figures = figuresFromEstimates(stats.ComputeEstimates(q.table, s.options,
			stats.PercentAgreement(), stats.LightKappa(stats.Linear), stats.CongerKappa(stats.Linear), stats.SuitableAlpha(q.scale), stats.SuitableAC(q.scale)))
		v := newVerdict(f, d.Protocol.Plan.TargetKappa)
		constant, annotators := q.findConstantAnnotators()
		v.adjustForPrevalence(f, constant, annotators)
		outcomes = append(outcomes, FieldOutcome{Key: q.Key, Kappa: v.Kappa.Value, Low: v.Kappa.Low, High: v.Kappa.High, Outcome: v.Outcome})
	}
	return outcomes, nil
}

// outcomeFor returns the outcome of a κ from enough items.
func (v *Verdict) outcomeFor(κ float64) Outcome {
	switch {
	case κ >= v.Target:
		return Go
	case κ >= rewriteThreshold:
		return Revise
	}
	return Rewrite
}

// outcomeAt returns the outcome at an end of the interval; empty if there is none.
func (v *Verdict) outcomeAt(end *float64) Outcome {
	if end == nil {
		return ""
	}
	return v.outcomeFor(*end)
}

func (v *Verdict) setOverlap(status OverlapStatus, advice string) {
	v.Overlap, v.OverlapAdvice = status, advice
}

// maxItemsAdvised is the number of shared items above which more overlap is not advised.
const maxItemsAdvised = 5000

// assessOverlap estimates how many shared items make the verdict conclusive. An
// interval narrows with the square root of the number of items.
func (v *Verdict) assessOverlap(κ float64, shared int) {
	switch {
	case v.Kappa.Low == nil:
		v.setOverlap(OverlapUnknown, unknownUncertaintyText(v.Kappa.IntervalNote))
		return
	case v.IsConclusive:
		v.setOverlap(OverlapEnough, enoughText)
		return
	}
	limit, distance := v.findNearestLimit(κ)
	gap := math.Abs(κ - limit)
	needed := math.Ceil(float64(shared)*math.Pow(distance/max(gap, 1e-9), 2) - 1e-6)
	if needed > maxItemsAdvised {
		v.setOverlap(OverlapAtLimit, atLimitText(limit))
		return
	}
	v.setOverlap(OverlapMoreItems, moreItemsText(limit, roundEstimate(max(1, int(needed)-shared))))
}

// roundEstimate rounds n to two significant digits.
func roundEstimate(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step/2) / step * step
}

// IsInterpretable reports whether κ gives an answer.
func (v Verdict) IsInterpretable() bool {
	return v.Outcome == Go || v.Outcome == Revise || v.Outcome == Rewrite
}

// findNearestLimit returns the limit between outcomes within the interval that needs
// the most items to exclude, and the distance from κ to the interval's end on its side.
func (v *Verdict) findNearestLimit(κ float64) (limit, distance float64) {
	maxRatio := 0.0
	for _, l := range []float64{rewriteThreshold, v.Target} {
		if l <= *v.Kappa.Low || l > *v.Kappa.High {
			continue
		}
		r := *v.Kappa.High - κ
		if l <= κ {
			r = κ - *v.Kappa.Low
		}
		if ratio := r / max(math.Abs(κ-l), 1e-9); ratio > maxRatio {
			maxRatio, limit, distance = ratio, l, r
		}
	}
	return limit, distance
}
