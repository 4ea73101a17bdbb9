package agreement

import (
	"cmp"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

const (
	// maxFittedItems is the number of shared items from which the model of a field comes, evenly spaced among all.
	maxFittedItems = 10_000
	// MaxHardItems is the number of items that a report lists as the most difficult.
	MaxHardItems = 10
)

// reliabilityLabels are the numbers of labels of an item that the reliability is given for.
var reliabilityLabels = []int{1, 2, 3, 5}

// A LabelReliability is the share of the variance of the means of so many labels per item that is the items' own.
type LabelReliability struct {
	Labels int     `json:"labels"`
	Value  float64 `json:"value"`
}

// A HardItem is an item whose labels are far apart, beyond what the severities of its annotators explain.
type HardItem struct {
	ItemID project.ItemID `json:"-"`
	Item   string         `json:"item"`
	// standard deviation of the labels, as a share of the scale: the mean over fields
	Spread float64 `json:"spread"`
	Field  string  `json:"field"` // with the largest spread
}

// fitModel sets the reliability of a field and the severities of its annotators: of a mixed model of the labels of
// shared items,
// with items, records and annotators crossed. Neither is known without differences to estimate errors from.
func (f *Field) fitModel(s *study.Study, q study.FieldTable) {
	all := f.Figure(stats.PercentAgreement()).Items
	if all < MinItems {
		return
	}
	data, differs := mixed.Data{Annotators: len(s.Annotators), Conditions: 1}, false
	step, shared := max(1, (all+maxFittedItems-1)/maxFittedItems), 0
	for _, item := range q.Items {
		labels := q.Answered(s.ByItem.At(item))
		if len(labels) < 2 {
			continue
		}
		if shared++; shared%step != 0 {
			continue
		}
		record := item
		if s.IsClustered() && s.RecordOf[item] >= 0 {
			record = int32(len(s.AllItems)) + s.RecordOf[item]
		}
		for _, l := range labels {
			differs = differs || q.Points[l] != q.Points[labels[0]]
			data.Labels = append(data.Labels, mixed.Label{Value: float64(q.ValueOf(l)), Record: record, Item: item,
				Annotator: s.Work.Annotator[l]})
		}
	}
	m, reason := mixed.Fit(data)
	if reason != "" || !differs {
		return
	}
	for _, n := range reliabilityLabels {
		f.Reliability = append(f.Reliability, LabelReliability{n, m.Reliability(n)})
	}
	for _, severity := range m.Severities() {
		f.severities = append(f.severities, severity.Value)
	}
}

// FindHardItems returns the items with the largest spread of labels over all fields, the largest first.
func FindHardItems(s *study.Study, fields []Field) []HardItem {
	hardest := []HardItem{}
	for _, item := range s.Labeled {
		h := HardItem{ItemID: s.AllItems[item].ID, Item: s.AllItems[item].SourceID}
		sum, counted, largest := 0.0, 0, 0.0
		for i, q := range s.Fields {
			spread, ok := fields[i].spread(s, q, item)
			if !ok {
				continue
			}
			if sum, counted = sum+spread, counted+1; spread > largest {
				largest, h.Field = spread, q.Key
			}
		}
		if h.Spread = sum / float64(max(counted, 1)); h.Field == "" || len(hardest) == MaxHardItems &&
			h.Spread <= hardest[MaxHardItems-1].Spread {
			continue
		}
		place, _ := slices.BinarySearchFunc(hardest, h, func(a, b HardItem) int {
			return cmp.Or(cmp.Compare(b.Spread, a.Spread), -1)
		})
		hardest = slices.Insert(hardest, place, h)
		hardest = hardest[:min(len(hardest), MaxHardItems)]
	}
	return hardest
}

// spread returns the standard deviation of the answers to a field of an item, less the severities of their annotators,
// as a
// share of the scale; false with fewer than two answers.
func (f *Field) spread(s *study.Study, q study.FieldTable, item int32) (spread float64, ok bool) {
	sum, squares, n := 0.0, 0.0, 0.0
	for _, l := range s.ByItem.At(item) {
		if q.Points[l] == study.NoAnswer {
			continue
		}
		v := float64(q.ValueOf(l))
		if f.severities != nil {
			v -= f.severities[s.Work.Annotator[l]]
		}
		sum, squares, n = sum+v, squares+v*v, n+1
	}
	if n < 2 {
		return 0, false
	}
	return math.Sqrt(max(0, squares-sum*sum/n)/(n-1)) / float64(q.Values.Span()), true
}
