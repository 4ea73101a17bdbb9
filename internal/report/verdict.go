package report

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An Outcome is what the agreement on a field means for the project.
type Outcome string

// The outcomes. With the last four, κ gives no answer.
const (
	Go                Outcome = "go"      // agreement meets the target
	Revise            Outcome = "revise"  // below the target
	Rewrite           Outcome = "rewrite" // below RewriteLimit
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
	OverlapAskAnnotators  OverlapStatus = "ask_annotators" // they are the cause, and come before more items
	OverlapUnknown        OverlapStatus = "unknown"        // κ has no interval
)

// A Verdict is the outcome of a field, explained. It rests on the probabilities that κ
// reaches the target and that it is below the limit for a rewrite.
type Verdict struct {
	Outcome            Outcome               `json:"outcome"`
	Message            string                `json:"message"` // the outcome in at most two sentences, with what to do
	Overlap            OverlapStatus         `json:"overlap"`
	OverlapAdvice      string                `json:"overlap_advice"`   // Overlap in a sentence or two
	InterimAnalyses    []InterimAnalysis     `json:"interim_analyses"` // at 20, 40, 80, … shared items
	IsConclusive       bool                  `json:"conclusive"`       // the outcome has a probability of 0.9 or more
	Target             float64               `json:"target"`
	MinItems           int                   `json:"min_items"`           // shared items that a verdict needs
	Kappa              study.AgreementFigure `json:"kappa"`               // of the shared items, linear weights
	UnbiasedKappa      *float64              `json:"unbiased_kappa"`      // Kappa without the bias of few items; null without an interval
	GoProbability      *float64              `json:"go_probability"`      // that κ reaches the target; null if unknown
	RewriteProbability *float64              `json:"rewrite_probability"` // that κ is below the limit for a rewrite
	MoreItems          *MoreItems            `json:"more_items"`          // null if more items are not needed, would not decide, or annotators are the cause
	Causes             []Cause               `json:"causes"`
	ConstantAnnotators []string              `json:"constant_annotators"` // of the outcome ConstantAnnotator; null for others

	shared int // items
}

// MoreItems is how many more shared items would decide the verdict.
type MoreItems struct {
	Low  int  `json:"low"`
	High *int `json:"high"` // null: more than would be advised
}

const (
	defaultTarget = 0.4
	// minSharedItems equals the first interim analysis: with fewer items the interval
	// of κ spans all outcomes.
	minSharedItems = firstInterimItems
	// narrowInterval is the width up to which an interval that includes a limit is an answer:
	// agreement is at the limit.
	narrowInterval = 0.2
)

// rewriteLimit returns the κ below which the question needs another wording: at most the target.
func (v Verdict) rewriteLimit() float64 { return min(study.RewriteLimit, v.Target) }

// limits returns the values of κ that decide the verdict, across which no figure is rounded.
func (v Verdict) limits() [2]float64 { return [2]float64{v.rewriteLimit(), v.Target} }

// newVerdict judges κ of the shared items with linear weights.
func newVerdict(f FieldReport, target float64) Verdict {
	if target <= 0 {
		target = defaultTarget
	}
	v := Verdict{Target: target, MinItems: minSharedItems, Kappa: f.Figure("shared_kappa", "linear"), Causes: []Cause{}}
	v.Kappa.Limits, v.UnbiasedKappa = v.limits(), v.Kappa.Unbiased
	shared := f.Figure("percent_agreement", "").Items
	v.shared = shared
	switch {
	case shared < minSharedItems:
		v.Outcome, v.Message = NotEnoughData, notEnoughDataText(shared)
		v.setOverlap(OverlapMoreItems, missingItemsText(minSharedItems-shared))
	case v.Kappa.Value == nil:
		v.Outcome, v.Message = NoVariation, noVariationText(v.Kappa.Undefined)
		v.setOverlap(OverlapVariedItems, variedItemsText)
	default:
		v.setProbabilities()
		v.decide()
		v.Message = v.describe()
		v.assessOverlap(shared)
	}
	return v
}

// setProbabilities sets the probabilities from the interval of κ.
func (v *Verdict) setProbabilities() {
	interval := v.Kappa.SamplingInterval()
	reaches, ok := interval.ProbabilityAtLeast(v.Target)
	reachesRevise, _ := interval.ProbabilityAtLeast(v.rewriteLimit())
	if ok {
		below := 1 - reachesRevise
		v.GoProbability, v.RewriteProbability = &reaches, &below
	}
}

// decide sets the outcome that the probabilities give.
func (v *Verdict) decide() {
	if v.GoProbability == nil {
		v.Outcome = NotEnoughData
		return
	}
	v.IsConclusive = true
	switch revise := 1 - *v.GoProbability - *v.RewriteProbability; {
	case *v.GoProbability >= stats.CommittedProbability:
		v.Outcome = Go
	case *v.RewriteProbability >= stats.CommittedProbability:
		v.Outcome = Rewrite
	case revise >= stats.CommittedProbability, v.isBetweenLimits():
		v.Outcome = Revise
	case v.rewriteLimit() < v.Target && v.Kappa.Low != nil && *v.Kappa.High-*v.Kappa.Low <= narrowInterval:
		v.Outcome, v.IsConclusive = Revise, false
	default:
		v.Outcome, v.IsConclusive = NotEnoughData, false
	}
}

func (v *Verdict) isBetweenLimits() bool {
	return v.Kappa.Low != nil && *v.Kappa.Low >= v.rewriteLimit() && *v.Kappa.High < v.Target
}

// isPerhapsAtTarget reports whether an uncertain outcome to revise is uncertain because κ may reach the target.
func (v *Verdict) isPerhapsAtTarget() bool {
	return v.Outcome == Revise && !v.IsConclusive && v.GoProbability != nil && *v.GoProbability > 1-stats.CommittedProbability
}

// isPerhapsFarBelow reports whether κ is below the target with a committed probability, and the outcome to revise uncertain
// because it may be below the limit for a rewrite.
func (v *Verdict) isPerhapsFarBelow() bool {
	return v.Outcome == Revise && !v.IsConclusive && !v.isPerhapsAtTarget() && v.RewriteProbability != nil && *v.RewriteProbability > 1-stats.CommittedProbability
}

// IsUndecided reports whether κ is known, but not well enough for an outcome.
func (v Verdict) IsUndecided() bool {
	return v.Outcome == NotEnoughData && v.Kappa.Value != nil && v.shared >= minSharedItems
}

// A FieldOutcome is the agreement on a field and its outcome.
type FieldOutcome struct {
	Key       string
	Kappa     *float64 // nil: not defined yet
	Low, High *float64
	Outcome   Outcome

	AnnotatorsFirst bool // annotators are the first cause of low agreement, and come before the question
}

// ComputeOutcomes returns the outcome of each field as Build does, without the rest of a report.
func ComputeOutcomes(d study.Data, o BuildOptions) ([]FieldOutcome, error) {
	s, err := newBuilder(d, o)
	if err != nil {
		return nil, err
	}
	fields, err := s.judgeFields()
	if err != nil {
		return nil, err
	}
	outcomes := make([]FieldOutcome, len(fields))
	for i, f := range fields {
		v := f.Verdict
		outcomes[i] = FieldOutcome{Key: f.Key, Kappa: v.Kappa.Value, Low: v.Kappa.Low, High: v.Kappa.High, Outcome: v.Outcome, AnnotatorsFirst: v.hasAnnotatorCause()}
	}
	return outcomes, nil
}

// outcomeFor returns the outcome of a κ that is known exactly.
func (v *Verdict) outcomeFor(κ float64) Outcome {
	switch {
	case !study.IsBelow(κ, v.Target):
		return Go
	case !study.IsBelow(κ, v.rewriteLimit()):
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

// overlapSeed is the seed of the simulation of further items.
const overlapSeed = 1

// assessOverlap says how many more shared items would decide the verdict.
func (v *Verdict) assessOverlap(shared int) {
	switch {
	case v.GoProbability == nil || v.Kappa.Low == nil && !v.IsConclusive:
		v.setOverlap(OverlapUnknown, v.unknownUncertaintyText())
		return
	case v.IsConclusive:
		v.setOverlap(OverlapEnough, enoughText)
		return
	}
	r, ok := v.Kappa.SamplingInterval().FurtherItems(shared, []float64{v.rewriteLimit(), v.Target}, overlapSeed)
	more := &MoreItems{Low: roundEstimate(r.Low)}
	if !r.Unbounded {
		more.High = new(roundEstimate(r.High))
	}
	switch {
	case !ok:
		v.setOverlap(OverlapAtLimit, v.atLimitText(nil))
	case v.Outcome == Revise: // the disagreements come first
		v.setOverlap(OverlapAtLimit, v.atLimitText(more.High))
	default:
		v.MoreItems = more
		v.setOverlap(OverlapMoreItems, more.advice())
	}
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
