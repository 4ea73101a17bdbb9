package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldDisagreement is a field of an item with different answers.
type FieldDisagreement struct {
	ItemID       project.ItemID `json:"-"`
	Item         string         `json:"item"`
	Field        string         `json:"field"`
	MeanDistance float64        `json:"mean_distance"` // over all pairs of answers, as a share of the scale
	MaxDistance  int            `json:"max_distance"`  // in points
	Answers      []FieldAnswer  `json:"answers"`
}

// A FieldAnswer is one annotator's answer.
type FieldAnswer struct {
	Annotator string `json:"annotator"`
	Value     int    `json:"value"`
}

// A DisagreementItem is an item with every field on which its annotators disagree.
type DisagreementItem struct {
	ItemID     project.ItemID
	Item       string // its own id
	LabelCount int
	Fields     []FieldDisagreement // largest first
	TiedFields []string            // fields among them without a consensus
}

// MeanDistance is the largest mean distance among the fields, as a share of the scale.
func (d DisagreementItem) MeanDistance() float64 { return d.Fields[0].MeanDistance }

// TotalDistance is the sum of the mean distances of all fields.
func (d DisagreementItem) TotalDistance() (sum float64) {
	for _, f := range d.Fields {
		sum += f.MeanDistance
	}
	return sum
}

// FindDisagreements returns the items with disagreements, largest first: by their
// largest field, then by the sum over all fields. It reads only the protocol, the
// items' ids and the labels' values of d.
func FindDisagreements(d study.Data) ([]DisagreementItem, error) {
	s, err := newBuilder(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	byItem := map[project.ItemID]*DisagreementItem{}
	for f := range s.findDisagreements().All() {
		if byItem[f.ItemID] == nil {
			byItem[f.ItemID] = &DisagreementItem{ItemID: f.ItemID, Item: f.Item, LabelCount: s.ByItem.Len(s.NumberOf[f.ItemID])}
		}
		byItem[f.ItemID].Fields = append(byItem[f.ItemID].Fields, f)
	}
	for i := range s.fields {
		for _, item := range s.fields[i].Items {
			if s.fields[i].consensus.method(item) == stats.Tie {
				d := byItem[s.AllItems[item].ID]
				d.TiedFields = append(d.TiedFields, s.fields[i].Key)
			}
		}
	}
	list := make([]DisagreementItem, 0, len(byItem))
	for _, d := range byItem {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b DisagreementItem) int {
		return cmp.Or(cmp.Compare(b.MeanDistance(), a.MeanDistance()), cmp.Compare(b.TotalDistance(), a.TotalDistance()), cmp.Compare(a.Item, b.Item))
	})
	return list, nil
}

// findDisagreements returns the disagreements of all fields, largest first.
func (s *builder) findDisagreements() study.List[FieldDisagreement] {
	byDistance := map[float64][]int32{} // item · number of fields + field
	for item := range int32(len(s.AllItems)) {
		for n, q := range s.fields {
			if mean, largest := s.computeDistances(item, q); largest > 0 {
				byDistance[mean] = append(byDistance[mean], item*int32(len(s.fields))+int32(n))
			}
		}
	}
	var all []int32
	for _, mean := range slices.Backward(slices.Sorted(maps.Keys(byDistance))) {
		all = append(all, byDistance[mean]...)
		delete(byDistance, mean)
	}
	return study.NewComputedList(len(all), func(i int) FieldDisagreement {
		return s.fieldDisagreement(all[i]/int32(len(s.fields)), s.fields[all[i]%int32(len(s.fields))])
	})
}

// fieldDisagreement returns the disagreement on a field of an item, answers by annotator.
func (s *builder) fieldDisagreement(item int32, q fieldTable) FieldDisagreement {
	d := FieldDisagreement{ItemID: s.AllItems[item].ID, Item: s.AllItems[item].SourceID, Field: q.Key}
	d.MeanDistance, d.MaxDistance = s.computeDistances(item, q)
	labels := q.Answered(s.ByItem.At(item))
	slices.SortFunc(labels, func(a, b int32) int { return cmp.Compare(s.Work.Annotator[a], s.Work.Annotator[b]) })
	for _, l := range labels {
		d.Answers = append(d.Answers, FieldAnswer{s.Annotators[s.Work.Annotator[l]], q.ValueOf(l)})
	}
	return d
}

// computeDistances returns the distances between the answers to a field of an item: the mean over
// pairs, as a share of the scale, and the largest, in points.
func (s *builder) computeDistances(item int32, q fieldTable) (mean float64, largest int) {
	sum, pairs, labels := 0, 0, s.ByItem.At(item)
	for i, a := range labels {
		if q.Points[a] == study.NoAnswer {
			continue
		}
		for _, b := range labels[i+1:] {
			if q.Points[b] != study.NoAnswer {
				distance := max(q.ValueOf(a)-q.ValueOf(b), q.ValueOf(b)-q.ValueOf(a))
				sum, pairs, largest = sum+distance, pairs+1, max(largest, distance)
			}
		}
	}
	if largest == 0 {
		return 0, 0
	}
	return float64(sum) / float64(pairs) / float64(q.Values.Span()), largest
}
