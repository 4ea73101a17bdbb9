package stats

import (
	"cmp"
	"slices"
)

// An AnnotatorAnswer is the answer of one annotator.
type AnnotatorAnswer struct {
	Annotator string
	Value     int
}

// An ItemDisagreement is an item with different answers.
type ItemDisagreement struct {
	Item         string
	MeanDistance float64 // over pairs of answers, as a share of the scale's span
	MaxDistance  int     // over pairs of answers, in points
	Answers      []AnnotatorAnswer
}

// Disagreements returns the items with different answers, largest first: by mean
// distance, then maximum distance, then name.
func (t RatingTable) Disagreements() []ItemDisagreement {
	var found []ItemDisagreement
	for i, item := range t.items {
		annotators, categories := t.row(i)
		d := ItemDisagreement{Item: item}
		for j, g := range annotators {
			d.Answers = append(d.Answers, AnnotatorAnswer{t.annotators[g], t.Scale[categories[j]]})
		}
		if d.computeDistances(t.Scale.Span()); d.MaxDistance > 0 {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b ItemDisagreement) int {
		return cmp.Or(cmp.Compare(b.MeanDistance, a.MeanDistance), cmp.Compare(b.MaxDistance, a.MaxDistance), cmp.Compare(a.Item, b.Item))
	})
	return found
}

func (d *ItemDisagreement) computeDistances(span int) {
	sum, pairs := 0, 0
	for j, a := range d.Answers {
		for _, b := range d.Answers[j+1:] {
			distance := max(a.Value-b.Value, b.Value-a.Value)
			sum, pairs, d.MaxDistance = sum+distance, pairs+1, max(d.MaxDistance, distance)
		}
	}
	if d.MaxDistance > 0 {
		d.MeanDistance = float64(sum) / float64(pairs) / float64(span)
	}
}
