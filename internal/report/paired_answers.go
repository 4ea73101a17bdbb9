package report

import (
	"errors"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A pairedAnswers collects pairs of answers to the same item, one from each of two sides.
type pairedAnswers struct {
	pairs    []stats.PairedAnswers
	items    map[project.ItemID]bool
	clusters map[string]int32
}

func (p *pairedAnswers) add(item *ItemData, isClustered bool, first, second int) {
	if p.items == nil {
		p.items, p.clusters = map[project.ItemID]bool{}, map[string]int32{}
	}
	cluster := item.SourceID
	if isClustered && item.RecordID != "" {
		cluster = item.RecordID
	}
	n, known := p.clusters[cluster]
	if !known {
		n = int32(len(p.clusters))
		p.clusters[cluster] = n
	}
	p.items[item.ID] = true
	p.pairs = append(p.pairs, stats.PairedAnswers{First: first, Second: second, Cluster: n})
}

// computeKappa returns Cohen's κ between the two sides, with linear weights; without a pair, the reason
// ifNone.
func (p *pairedAnswers) computeKappa(s *study, scale stats.NumericScale, ifNone stats.ReasonCode) (AgreementFigure, error) {
	return s.computePairKappa(scale, p.pairs, len(p.items), ifNone)
}

// computePairKappa does the same from the pairs of answers to a number of items. The pairs are not all
// answers, so a reason is about shared items.
func (s *study) computePairKappa(scale stats.NumericScale, pairs []stats.PairedAnswers, items int, ifNone stats.ReasonCode) (AgreementFigure, error) {
	t, err := stats.NewPairTable(scale, pairs)
	if err != nil {
		return AgreementFigure{}, err
	}
	e := s.nameUnits(stats.ComputeEstimates(t, s.options, stats.LightKappa(stats.Linear))[0])
	e.SetPairReason()
	f := figureFromEstimate(e)
	if f.Items = items; items == 0 {
		f.Number = missingNumber(ifNone)
	}
	return f, nil
}

// nameUnits names what an interval over pairs of answers is over: the pairs of an item are one unit
// or, where items share records, those of a record.
func (s *study) nameUnits(e stats.Estimate) stats.Estimate {
	if !s.isClustered() && e.Interval.UnitName != "" {
		e.Interval.UnitName = "items"
		if e.Interval.Undefined.UnitName != "" {
			e.Interval.Undefined.UnitName = "items"
		}
	}
	return e
}

// kappasWithOthers returns Cohen's κ of each annotator with work labels with the others, by name.
func (s *study) kappasWithOthers(q fieldTable) ([]AgreementFigure, error) {
	if known, ok := s.withOthers[q.Key]; ok {
		return known, nil
	}
	figures, errs := make([]AgreementFigure, len(s.annotators)), make([]error, len(s.annotators))
	inParallel(len(figures), func(i int) { figures[i], errs[i] = s.computeKappaWithOthers(s.annotators[i], q) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.withOthers[q.Key] = figures
	return figures, nil
}

// computeKappaWithOthers returns Cohen's κ of one annotator's answers against every
// other answer to the same item. Whole items are resampled.
func (s *study) computeKappaWithOthers(name string, q fieldTable) (AgreementFigure, error) {
	own, items := q.answered(s.labelsOf(name)), 0
	pairs, clusters := make([]stats.PairedAnswers, 0, 2*len(own)), clusterNumbers{study: s, numbers: map[int32]int32{}}
	for _, l := range own {
		item, before := s.work.item[l], len(pairs)
		for _, other := range s.byItem.at(item) {
			if other != l && q.points[other] != noAnswer {
				pairs = append(pairs, stats.PairedAnswers{First: q.value(l), Second: q.value(other), Cluster: clusters.number(item)})
			}
		}
		items += boolToInt(len(pairs) > before)
	}
	return s.computePairKappa(q.scale, pairs, items, NoOtherAnnotator)
}

// clusterNumbers number what items are resampled with, in order of appearance.
type clusterNumbers struct {
	*study
	numbers map[int32]int32 // by record, or by −1 − item
}

func (c clusterNumbers) number(item int32) int32 {
	key := -1 - item
	if c.isClustered() && c.recordOf[item] >= 0 {
		key = c.recordOf[item]
	}
	n, known := c.numbers[key]
	if !known {
		n = int32(len(c.numbers))
		c.numbers[key] = n
	}
	return n
}
