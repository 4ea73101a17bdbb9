package report

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldReport is the agreement on one field.
type FieldReport struct {
	Key             string            `json:"key"`
	Title           string            `json:"title"`
	Scale           []int             `json:"scale"`
	Verdict         Verdict           `json:"verdict"`
	Figures         []AgreementFigure `json:"figures"` // every coefficient
	Pairs           []AnnotatorPair   `json:"pairs"`
	Confusion       [][]int           `json:"confusion"` // of all pairs, by scale, each pair in both directions
	ConsensusCounts []ConsensusCount  `json:"consensus_counts"`
	KappaOverTime   []KappaWindow     `json:"kappa_over_time"`
	MeansOverTime   []MeanWindow      `json:"means_over_time"`
}

// An AnnotatorPair is the agreement of two annotators on their shared items.
type AnnotatorPair struct {
	First            string          `json:"first"`
	Second           string          `json:"second"`
	PercentAgreement AgreementFigure `json:"percent_agreement"`
	Kappa            AgreementFigure `json:"kappa"` // linear weights
	Confusion        [][]int         `json:"confusion"`
}

// A KappaWindow is the agreement on a run of successive items.
type KappaWindow struct {
	From  time.Time       `json:"from"` // when its first item got its second label
	To    time.Time       `json:"to"`
	Kappa AgreementFigure `json:"kappa"` // Conger's, linear weights
}

// Figure returns the figure with that coefficient and variant.
func (f FieldReport) Figure(coefficient, variant string) AgreementFigure {
	i := slices.IndexFunc(f.Figures, func(g AgreementFigure) bool { return g.Coefficient == coefficient && g.Variant == variant })
	if i < 0 {
		return AgreementFigure{}
	}
	return f.Figures[i]
}

// Alpha returns Krippendorff's α that suits the scale.
func (f FieldReport) Alpha() AgreementFigure { return f.figureOf(stats.SuitableAlpha(f.Scale)) }

// GwetAC returns Gwet's coefficient that suits the scale.
func (f FieldReport) GwetAC() AgreementFigure { return f.figureOf(stats.SuitableAC(f.Scale)) }

func (f FieldReport) figureOf(m stats.Measure) AgreementFigure {
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

func (s *study) computeFieldReport(q fieldTable) FieldReport {
	f := FieldReport{Key: q.Key, Title: q.Title, Scale: q.scale}
	s.progress.start(stepAgreement(q.Title))
	f.Figures = figuresFromEstimates(stats.ComputeEstimates(q.table, s.options, stats.AllMeasures()...))
	f.Confusion = s.countConfusion(q)
	f.Verdict = newVerdict(f, s.Protocol.Plan.TargetKappa)
	constant, annotators := q.findConstantAnnotators()
	f.Verdict.adjustForPrevalence(f, constant, annotators)
	s.progress.start(stepOverlap(q.Title))
	f.Verdict.applyInterimAnalyses(s.runInterimAnalyses(q, &f.Verdict))
	s.progress.start(stepPairs(q.Title))
	f.Pairs = s.comparePairs(q)
	f.ConsensusCounts = s.consensus.countMethods(q.Key)
	f.KappaOverTime = s.computeKappaWindows(q)
	f.MeansOverTime = s.computeMeanWindows(q)
	return f
}

// maxPairsWithInterval is the number of pairs up to which each gets an interval and a
// confusion matrix. More would be slow and unreadable.
const maxPairsWithInterval = 66

// comparePairs compares every two annotators who share an item.
func (s *study) comparePairs(q fieldTable) []AnnotatorPair {
	shared := s.findSharingPairs(q.Key)
	names, pairs := q.table.Annotators(), []AnnotatorPair{}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if shared[[2]string{a, b}] {
				pairs = append(pairs, AnnotatorPair{First: a, Second: b})
			}
		}
	}
	measures := []stats.Measure{stats.PercentAgreement(), stats.LightKappa(stats.Linear)}
	for i := range pairs {
		p := &pairs[i]
		t := q.table.Pair(p.First, p.Second)
		if len(pairs) <= maxPairsWithInterval {
			figures := figuresFromEstimates(stats.ComputeEstimates(t, s.options, measures...))
			p.PercentAgreement, p.Kappa = figures[0], figures[1]
			p.Confusion = q.table.ConfusionMatrix(p.First, p.Second).Counts
			continue
		}
		p.PercentAgreement, p.Kappa = figureWithoutInterval(t, measures[0]), figureWithoutInterval(t, measures[1])
	}
	return pairs
}

func figureWithoutInterval(t stats.RatingTable, m stats.Measure) AgreementFigure {
	f := figureFromEstimate(stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, PointEstimate: m.Compute(t), Interval: stats.Interval{Undefined: stats.Reason{Code: stats.NoFigure}}})
	if f.Value != nil {
		f.IntervalNote = ManyPairs.Text()
	}
	return f
}

// findSharingPairs returns the pairs of annotators, each in order of name, who share an item.
func (s *study) findSharingPairs(field string) map[[2]string]bool {
	shared := map[[2]string]bool{}
	for _, labels := range s.byItem {
		list := answered(labels, field)
		for i, a := range list {
			for _, b := range list[i+1:] {
				shared[[2]string{min(a.Annotator, b.Annotator), max(a.Annotator, b.Annotator)}] = true
			}
		}
	}
	return shared
}

// countConfusion counts the answers of every two annotators to the same item, in both directions.
func (s *study) countConfusion(q fieldTable) [][]int {
	counts := q.newMatrix()
	for id := range s.byItem {
		values := s.answersTo(id, q.Key)
		for i, first := range values {
			for j, second := range values {
				if i != j {
					a, _ := q.scale.Index(first)
					b, _ := q.scale.Index(second)
					counts[a][b]++
				}
			}
		}
	}
	return counts
}
