// Package agreement answers whether annotators agree: κ of each field against the target, and why it is low. Its
// results
// are codes and numbers.
package agreement

import (
	"math"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Verdict is whether agreement on a field reaches the target.
type Verdict string

// The verdicts.
const (
	Meets       Verdict = "meets"        // P(κ ≥ target) is at least CommittedProbability
	BelowTarget Verdict = "below_target" // P(κ ≥ target) is at most 1 − CommittedProbability
	Open        Verdict = "open"         // neither, or κ has no interval
	TooFewItems Verdict = "too_few_items"
)

// Verdicts lists the verdicts in the order of urgency.
var Verdicts = []Verdict{BelowTarget, Open, TooFewItems, Meets}

// An Advice is what to do about a field below the target.
type Advice string

// The advice. It is no verdict.
const (
	Rewrite Advice = "rewrite" // κ is below study.RewriteLimit
	Revise  Advice = "revise"
)

const (
	// DefaultTarget is the κ to reach where a protocol has none.
	DefaultTarget = 0.4
	// MinItems is the number of shared items that a verdict needs.
	MinItems = 20
	// MinAnswerItems is the number of shared items with an answer that agreement on this answer needs.
	MinAnswerItems = 20
	// maxMoreItems is the number of further items, for each shared item, above which κ counts as at the target.
	maxMoreItems = 10
)

// A Field is the agreement on one field.
type Field struct {
	Key         string  `json:"key"`
	Title       string  `json:"title"`
	Scale       []int   `json:"scale"`
	Verdict     Verdict `json:"verdict"`
	Advice      Advice  `json:"advice"` // empty unless the verdict is BelowTarget
	Target      float64 `json:"target"`
	SharedItems int     `json:"shared_items"` // with answers of two annotators
	// Conger's, of the shared items, linear weights
	Kappa study.AgreementFigure `json:"kappa"`
	// without the bias of few items; null without an interval
	UnbiasedKappa    *float64 `json:"unbiased_kappa"`
	MeetsProbability *float64 `json:"meets_probability"` // that κ reaches the target; null if unknown
	// shared items that would decide, if κ stays; null unless the verdict is Open, and if κ is at the target
	MoreItems *int `json:"more_items"`
	// of an agreement that does not meet the target, the first comes first
	Causes            []Cause                 `json:"causes"`
	Figures           []study.AgreementFigure `json:"figures"` // every coefficient
	SpecificAgreement []AnswerAgreement       `json:"specific_agreement"`
	Pairs             []Pair                  `json:"pairs"` // of more than 4,950, those that share most items
	// of all pairs, by scale, each pair in both directions
	Confusion  [][]int    `json:"confusion"`
	Boundaries []Boundary `json:"boundaries"` // between neighboring points of the scale
	// of the mean of some labels of an item; empty if unknown
	Reliability []LabelReliability `json:"reliability"`

	severities []float64 // by annotator, of the model that gives the reliability; nil if unknown
}

// An AnswerAgreement is the specific agreement on one answer: of the answers that are equal to it, the share of other
// answers to the same item that are too. For yes and no, these are positive and negative agreement. It has no value
// with
// fewer than MinAnswerItems items.
type AnswerAgreement struct {
	Answer    int                   `json:"answer"`
	Items     int                   `json:"items"` // shared items with this answer
	Agreement study.AgreementFigure `json:"agreement"`
}

// Figure returns the figure with that coefficient and variant.
func (f Field) Figure(m stats.Measure) study.AgreementFigure {
	for _, g := range f.Figures {
		if g.Coefficient == m.Coefficient && g.Variant == m.Variant {
			return g
		}
	}
	return study.AgreementFigure{}
}

// Compute returns the agreement on each field.
func Compute(s *study.Study) ([]Field, error) {
	return compute(s, func(q study.FieldTable, f *Field) {
		s.Progress.Start(study.StepAgreement, q.Title)
		measures := stats.AllMeasures()
		figures := study.FiguresFromEstimates(stats.ComputeEstimates(q.Table, s.Options,
			append(measures, q.Table.SpecificAgreements()...)...))
		f.Figures, f.Confusion = figures[:len(measures)], countConfusion(q)
		f.addSpecificAgreement(q, figures[len(measures):])
		f.Boundaries = findBoundaries(q, f.Confusion)
		f.fitModel(s, q)
		s.Progress.Start(study.StepPairs, q.Title)
		f.Pairs = comparePairs(s, q)
	})
}

// ComputeVerdicts returns the verdicts and causes as Compute does, without the other figures.
func ComputeVerdicts(s *study.Study) ([]Field, error) {
	return compute(s, func(q study.FieldTable, f *Field) {
		f.Figures = study.FiguresFromEstimates(stats.ComputeEstimates(q.Table, s.Options, stats.PercentAgreement(),
			stats.SharedKappa(stats.Linear)))
	})
}

func compute(s *study.Study, addFigures func(q study.FieldTable, f *Field)) ([]Field, error) {
	target := s.Protocol.Plan.TargetKappa
	if target <= 0 {
		target = DefaultTarget
	}
	fields := make([]Field, len(s.Fields))
	for i, q := range s.Fields {
		f := &fields[i]
		*f = Field{Key: q.Key, Title: q.Title, Scale: q.Values, Target: target, Causes: []Cause{},
			Reliability: []LabelReliability{}}
		addFigures(q, f)
		f.decide(q)
	}
	return fields, findCauses(s, fields)
}

// decide sets the verdict.
func (f *Field) decide(q study.FieldTable) {
	f.Kappa = f.Figure(stats.SharedKappa(stats.Linear))
	f.Kappa.Number = f.Kappa.Against(f.Target)
	f.UnbiasedKappa, f.SharedItems = f.Kappa.Unbiased, f.Figure(stats.PercentAgreement()).Items
	p, isKnown := f.Kappa.SamplingInterval().ProbabilityAtLeast(f.Target)
	if isKnown {
		f.MeetsProbability = &p
	}
	switch {
	case f.SharedItems < MinItems:
		f.Verdict = TooFewItems
	case f.Kappa.Value == nil || !isKnown:
		f.Verdict = Open
	case p >= stats.CommittedProbability && hasOtherAnswers(q):
		f.Verdict = Meets
	case p <= 1-stats.CommittedProbability:
		f.Verdict, f.Advice = BelowTarget, Revise
		if study.IsBelow(*f.Kappa.Value, min(study.RewriteLimit, f.Target)) {
			f.Advice = Rewrite
		}
	default:
		f.Verdict, f.MoreItems = Open, itemsToDecide(p, f.SharedItems)
	}
}

// itemsToDecide returns how many more shared items would give a verdict if κ stays where it is: its distance from the
// target in standard errors grows with the root of the number of items. It returns nil if κ is at the target, so that
// more items do not decide.
func itemsToDecide(p float64, shared int) *int {
	distance, needed := math.Abs(stats.NormalQuantile(p)), stats.NormalQuantile(stats.CommittedProbability)
	more := float64(shared) * (math.Pow(needed/distance, 2) - 1)
	if distance == 0 || more > maxMoreItems*float64(shared) || more < 1 {
		return nil
	}
	rounded := roundUp(more)
	return &rounded
}

// roundUp rounds to two significant digits, and never below 10.
func roundUp(n float64) int {
	step := math.Pow10(max(int(math.Log10(n))-1, 0))
	return max(int(math.Ceil(n/step)*step), 10)
}

// addSpecificAgreement adds the agreement on each answer that enough shared items have.
func (f *Field) addSpecificAgreement(q study.FieldTable, figures []study.AgreementFigure) {
	items := make([]int, len(q.Values))
	for item := range q.Table.ByItem() {
		if len(item.Categories) < 2 {
			continue
		}
		seen := make([]bool, len(q.Values))
		for _, c := range item.Categories {
			if !seen[c] {
				seen[c], items[c] = true, items[c]+1
			}
		}
	}
	for c, figure := range figures {
		if items[c] < MinAnswerItems {
			figure.Number, figure.Interval = study.MissingNumber(stats.TooFewItems), nil
		}
		f.SpecificAgreement = append(f.SpecificAgreement, AnswerAgreement{q.Values[c], items[c], figure})
	}
}
