package study

import (
	"errors"

	"github.com/labelwright/labelwright/internal/stats"
)

// ComputePairKappa does the same from the pairs of answers to a number of items. The pairs are not all
// answers, so a reason is about shared items.
func (s *Study) ComputePairKappa(scale stats.NumericScale, pairs []stats.PairedAnswers, items int,
	ifNone stats.ReasonCode) (AgreementFigure, error) {
	t, err := stats.NewPairTable(scale, pairs)
	if err != nil {
		return AgreementFigure{}, err
	}
	e := stats.ComputeEstimates(t, s.Options, stats.LightKappa(stats.Linear))[0]
	e.SetPairReason()
	f := FigureFromEstimate(e)
	if f.Items = items; items == 0 {
		f.Number = MissingNumber(ifNone)
	}
	return f, nil
}

// KappasWithOthers returns Cohen's κ of each annotator with work labels with the others, by name.
func (s *Study) KappasWithOthers(q FieldTable) ([]AgreementFigure, error) {
	if known, ok := s.withOthers[q.Key]; ok {
		return known, nil
	}
	figures, errs := make([]AgreementFigure, len(s.Annotators)), make([]error, len(s.Annotators))
	InParallel(len(figures), func(i int) { figures[i], errs[i] = s.ComputeKappaWithOthers(s.Annotators[i], q) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.withOthers[q.Key] = figures
	return figures, nil
}

// ComputeKappaWithOthers returns Cohen's κ of one annotator's answers against every
// other answer to the same item. Whole items are resampled.
func (s *Study) ComputeKappaWithOthers(name string, q FieldTable) (AgreementFigure, error) {
	own, items := q.Answered(s.LabelsOf(name)), 0
	pairs, clusters := make([]stats.PairedAnswers, 0, 2*len(own)), clusterNumbers{Study: s, numbers: map[int32]int32{}}
	for _, l := range own {
		item, before := s.Work.Item[l], len(pairs)
		for _, other := range s.ByItem.At(item) {
			if other != l && q.Points[other] != NoAnswer {
				pairs = append(pairs, stats.PairedAnswers{First: q.ValueOf(l), Second: q.ValueOf(other),
					Cluster: clusters.number(item)})
			}
		}
		items += BoolToInt(len(pairs) > before)
	}
	return s.ComputePairKappa(q.Values, pairs, items, NoOtherAnnotator)
}

// clusterNumbers number what items are resampled with, in order of appearance.
type clusterNumbers struct {
	*Study
	numbers map[int32]int32 // by record, or by −1 − item
}

func (c clusterNumbers) number(item int32) int32 {
	key := -1 - item
	if c.IsClustered() && c.RecordOf[item] >= 0 {
		key = c.RecordOf[item]
	}
	n, known := c.numbers[key]
	if !known {
		n = int32(len(c.numbers))
		c.numbers[key] = n
	}
	return n
}
