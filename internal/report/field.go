package report

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldReport is how far annotators agree on one field.
type FieldReport struct {
	Key             string            `json:"key"`
	Title           string            `json:"title"`
	Scale           []int             `json:"scale"`
	Verdict         Verdict           `json:"verdict"`
	Figures         []AgreementFigure `json:"figures"` // every coefficient
	Pairs           []AnnotatorPair   `json:"pairs"`
	Confusion       [][]int           `json:"confusion"` // of all pairs together, by scale, both ways around
	ConsensusCounts []ConsensusCount  `json:"settling"`
	KappaOverTime   []KappaWindow     `json:"time"`
	MeansOverTime   []MeanWindow      `json:"means"` // of successive stretches of time
}

// An ConsensusCount is how many items came to one answer in a way.
type ConsensusCount struct {
	Method stats.ConsensusMethod `json:"how"`
	Items  int                   `json:"items"`
}

// A AnnotatorPair is how two annotators agree on the items both judged.
type AnnotatorPair struct {
	First            string          `json:"first"`
	Second           string          `json:"second"`
	PercentAgreement AgreementFigure `json:"percent"`
	Kappa            AgreementFigure `json:"kappa"` // linear-weighted
	Confusion        [][]int         `json:"confusion"`
}

// A KappaWindow is a stretch of time with enough items in it to say something.
type KappaWindow struct {
	From  time.Time       `json:"from"` // when its first item had its second label
	To    time.Time       `json:"to"`
	Kappa AgreementFigure `json:"kappa"` // linear-weighted, Conger's
}

// Figure returns the figure of that coefficient in that variant.
func (f FieldReport) Figure(coefficient, variant string) AgreementFigure {
	i := slices.IndexFunc(f.Figures, func(g AgreementFigure) bool { return g.Coefficient == coefficient && g.Variant == variant })
	if i < 0 {
		return AgreementFigure{}
	}
	return f.Figures[i]
}

func (s *study) computeFieldReport(q fieldTable) FieldReport {
	f := FieldReport{Key: q.Key, Title: q.Title, Scale: q.scale}
	s.startStep("agreement on “" + q.Title + "”")
	f.Figures = figuresFromEstimates(stats.ComputeEstimates(q.table, s.options, stats.AllMeasures()...))
	f.Confusion = s.countConfusion(q)
	f.Verdict = newVerdict(f, s.Protocol.Plan.TargetKappa)
	constant, annotators := q.findConstantAnnotators()
	f.Verdict.adjustForPrevalence(f, constant, annotators)
	s.startStep("whether the overlap on “" + q.Title + "” is enough")
	f.Verdict.applyInterimAnalyses(s.runInterimAnalyses(q, &f.Verdict))
	s.startStep("“" + q.Title + "” by pair and over time")
	f.Pairs = s.comparePairs(q)
	f.ConsensusCounts = s.countConsensus(q)
	f.KappaOverTime = s.computeKappaWindows(q)
	f.MeansOverTime = s.computeMeanWindows(q)
	return f
}

// maxPairsWithInterval is up to how many pairs each gets an interval and a table of its
// own; beyond, nobody reads them, and they cost.
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
	return figureFromEstimate(stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, PointEstimate: m.Compute(t),
		Interval: stats.Interval{Undefined: "there are too many pairs to compute the interval of each"}})
}

// findSharingPairs returns which annotators, in order, share an item.
func (s *study) findSharingPairs(field string) map[[2]string]bool {
	shared := map[[2]string]bool{}
	for _, labels := range s.labelsByItem {
		for i, l := range labels {
			for _, m := range labels[i+1:] {
				a, b := s.workLabels[l], s.workLabels[m]
				_, hasFirst := a.Values[field]
				_, hasSecond := b.Values[field]
				if hasFirst && hasSecond {
					shared[[2]string{min(a.Annotator, b.Annotator), max(a.Annotator, b.Annotator)}] = true
				}
			}
		}
	}
	return shared
}

// countConfusion counts the answers of every two annotators to the same item, both
// ways around.
func (s *study) countConfusion(q fieldTable) [][]int {
	counts := make([][]int, len(q.scale))
	for i := range counts {
		counts[i] = make([]int, len(q.scale))
	}
	for _, labels := range s.labelsByItem {
		for _, l := range labels {
			for _, m := range labels {
				first, hasFirst := s.workLabels[l].Values[q.Key]
				second, hasSecond := s.workLabels[m].Values[q.Key]
				if l != m && hasFirst && hasSecond {
					a, _ := q.scale.Index(first)
					b, _ := q.scale.Index(second)
					counts[a][b]++
				}
			}
		}
	}
	return counts
}
