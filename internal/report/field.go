package report

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldReport is the agreement on one field.
type FieldReport struct {
	Key               string                  `json:"key"`
	Title             string                  `json:"title"`
	Scale             []int                   `json:"scale"`
	Verdict           Verdict                 `json:"verdict"`
	Figures           []study.AgreementFigure `json:"figures"`            // every coefficient
	SpecificAgreement []AnswerAgreement       `json:"specific_agreement"` // on each point of the scale
	Pairs             []AnnotatorPair         `json:"pairs"`              // of more than 4,950, those that share most items
	Confusion         [][]int                 `json:"confusion"`          // of all pairs, by scale, each pair in both directions
	Boundaries        []Boundary              `json:"boundaries"`         // between neighboring points of the scale
	WeakBoundary      *WeakBoundary           `json:"weak_boundary"`      // null if none stands out
	ConsensusCounts   []ConsensusCount        `json:"consensus_counts"`
	KappaOverTime     []KappaWindow           `json:"kappa_over_time"`
	MeansOverTime     []MeanWindow            `json:"means_over_time"`
}

// SpecificAgreementTitle explains specific agreement.
const SpecificAgreementTitle = "Agreement on each answer: where one annotator gives it, how often another annotator of the same item gives it too"

// An AnswerAgreement is the specific agreement on one answer: of the answers that are equal to it,
// the share of other answers to the same item that are too. For yes and no, these are positive and
// negative agreement.
type AnswerAgreement struct {
	Answer    int                   `json:"answer"`
	Agreement study.AgreementFigure `json:"agreement"`
}

// Text states the agreement on an answer, such as "1: 40% (12–77%)".
func (a AnswerAgreement) Text() string {
	if a.Agreement.Low == nil {
		return fmt.Sprintf("%d: %s", a.Answer, a.Agreement.Percent())
	}
	return fmt.Sprintf("%d: %s (%s)", a.Answer, a.Agreement.Percent(), a.Agreement.PercentRange())
}

// Figure returns the figure with that coefficient and variant.
func (f FieldReport) Figure(coefficient, variant string) study.AgreementFigure {
	i := slices.IndexFunc(f.Figures, func(g study.AgreementFigure) bool { return g.Coefficient == coefficient && g.Variant == variant })
	if i < 0 {
		return study.AgreementFigure{}
	}
	return f.Figures[i]
}

// Alpha returns Krippendorff's α that suits the scale.
func (f FieldReport) Alpha() study.AgreementFigure { return f.figureOf(stats.SuitableAlpha(f.Scale)) }

// GwetAC returns Gwet's coefficient that suits the scale.
func (f FieldReport) GwetAC() study.AgreementFigure { return f.figureOf(stats.SuitableAC(f.Scale)) }

func (f FieldReport) figureOf(m stats.Measure) study.AgreementFigure {
	return f.Figure(m.Coefficient, m.Variant)
}

// CountConsensus returns the number of items whose consensus comes from that method.
func (f FieldReport) CountConsensus(method stats.ConsensusMethod) int {
	for _, c := range f.ConsensusCounts {
		if c.Method == method {
			return c.Items
		}
	}
	return 0
}

func (s *builder) computeFieldReport(q fieldTable) FieldReport {
	f := FieldReport{Key: q.Key, Title: q.Title, Scale: q.Values}
	s.Progress.Start(stepAgreement(q.Title))
	measures := stats.AllMeasures()
	figures := study.FiguresFromEstimates(stats.ComputeEstimates(q.Table, s.Options, append(measures, q.Table.SpecificAgreements()...)...))
	f.Figures = figures[:len(measures)]
	for i, figure := range figures[len(measures):] {
		f.SpecificAgreement = append(f.SpecificAgreement, AnswerAgreement{q.Values[i], figure})
	}
	f.Confusion = countConfusion(q)
	f.Verdict = newVerdict(f, s.Protocol.Plan.TargetKappa)
	f.Verdict.adjustForPrevalence(q, f, s.countTests())
	f.Boundaries, f.WeakBoundary = q.findBoundaries(f.Confusion), s.findWeakBoundary(q, f)
	s.Progress.Start(stepOverlap(q.Title))
	f.Verdict.applyInterimAnalyses(s.runInterimAnalyses(q, &f.Verdict))
	s.Progress.Start(stepPairs(q.Title))
	f.Pairs = s.comparePairs(q)
	f.ConsensusCounts = s.countMethods(q)
	f.KappaOverTime = s.computeKappaWindows(q)
	f.MeansOverTime = s.computeMeanWindows(q)
	return f
}
