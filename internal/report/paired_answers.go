package report

import (
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

// computeKappa returns Cohen's κ between the two sides, with linear weights.
func (p *pairedAnswers) computeKappa(scale stats.NumericScale, o stats.IntervalOptions) (AgreementFigure, error) {
	t, err := stats.NewPairTable(scale, p.pairs)
	if err != nil {
		return AgreementFigure{}, err
	}
	f := figureFromEstimate(stats.ComputeEstimates(t, o, stats.LightKappa(stats.Linear))[0])
	f.Items = len(p.items)
	return f, nil
}

// computeKappaWithOthers returns Cohen's κ of one annotator's answers against every
// other answer to the same item. Whole items are resampled.
func (s *study) computeKappaWithOthers(name string, q fieldTable) (AgreementFigure, error) {
	paired := pairedAnswers{pairs: make([]stats.PairedAnswers, 0, 2*len(s.byAnnotator[name]))}
	for _, own := range answered(s.byAnnotator[name], q.Key) {
		for _, other := range s.byItem[own.ItemID] {
			if value, ok := other.Values[q.Key]; ok && other.Annotator != name {
				paired.add(s.itemsByID[own.ItemID], s.isClustered, own.Values[q.Key], value)
			}
		}
	}
	f, err := paired.computeKappa(q.scale, s.options)
	if len(paired.pairs) == 0 {
		f.Number = missingNumber(NoOtherAnnotator)
	}
	return f, err
}
