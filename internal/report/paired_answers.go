package report

import "github.com/labelwright/labelwright/internal/project"
import "github.com/labelwright/labelwright/internal/stats"

// A pairedAnswers is answers of one side against answers of another to the same items.
type pairedAnswers struct {
	pairs    []stats.PairedAnswers
	items    map[project.ItemID]bool
	clusters map[string]int32
}

func (m *pairedAnswers) add(item *ItemData, clustered bool, first, other int) {
	if m.items == nil {
		m.items, m.clusters = map[project.ItemID]bool{}, map[string]int32{}
	}
	cluster := item.SourceID
	if clustered && item.RecordID != "" {
		cluster = item.RecordID
	}
	n, known := m.clusters[cluster]
	if !known {
		n = int32(len(m.clusters))
		m.clusters[cluster] = n
	}
	m.items[item.ID] = true
	m.pairs = append(m.pairs, stats.PairedAnswers{First: first, Second: other, Cluster: n})
}

// computeKappa is Cohen's κ between the two sides.
func (m *pairedAnswers) computeKappa(scale stats.NumericScale, o stats.IntervalOptions, w stats.Weighting) (AgreementFigure, error) {
	t, err := stats.NewPairTable(scale, m.pairs)
	if err != nil {
		return AgreementFigure{}, err
	}
	f := figureFromEstimate(stats.ComputeEstimates(t, o, stats.LightKappa(w))[0])
	f.Items = len(m.items)
	return f, nil
}

// computeKappaWithOthers is Cohen's linear-weighted κ of one annotator's answers against
// every answer that another gave to the same item, items drawn whole.
func (s *study) computeKappaWithOthers(name string, q fieldTable) (AgreementFigure, error) {
	paired := pairedAnswers{pairs: make([]stats.PairedAnswers, 0, 2*len(s.labelsByAnnotator[name]))}
	for _, l := range s.labelsByAnnotator[name] {
		value, ok := s.workLabels[l].Values[q.Key]
		if !ok {
			continue
		}
		for _, o := range s.labelsByItem[s.workLabels[l].ItemID] {
			if other, ok := s.workLabels[o].Values[q.Key]; ok && s.workLabels[o].Annotator != name {
				paired.add(s.itemsByID[s.workLabels[l].ItemID], s.isClustered, value, other)
			}
		}
	}
	f, err := paired.computeKappa(q.scale, s.options, stats.Linear)
	if len(paired.pairs) == 0 {
		f.Undefined = "nobody else has judged the same items: there is nothing to compare"
		f.IntervalNote = f.Undefined
	}
	return f, err
}
