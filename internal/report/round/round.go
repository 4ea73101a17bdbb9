// Package round answers what labeling some items again moved: how the labels of a round differ from the first labels
// of the same items. Its results are codes and numbers.
package round

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Label is the answers of an annotator to an item.
type Label struct {
	ItemID    project.ItemID
	SourceID  string
	Record    string // empty: none
	Annotator string // pseudonym
	Values    map[string]int
}

// A Verdict is whether the first labels of a field can stand next to those of the round.
type Verdict string

// The verdicts.
const (
	Kept  Verdict = "kept"  // the shift is within KeptShare of the scale with certainty
	Moved Verdict = "moved" // the shift is not 0 with certainty
	Open  Verdict = "open"  // neither
)

// KeptShare is the part of the length of a scale up to which a shift is small.
const KeptShare = 0.1

// A FieldShift is what moved on one field, on the items that both have answers to.
type FieldShift struct {
	Key     string       `json:"key"`
	Verdict Verdict      `json:"verdict"`
	Items   int          `json:"items"`
	Equal   study.Number `json:"equal"` // share of items whose mean answer is the same
	Shift   study.Number `json:"shift"` // mean of second less first mean answers of an item, in points of the scale
	// κ among the first labels of these items, and among those of the round
	FirstKappa  study.AgreementFigure `json:"first_kappa"`
	SecondKappa study.AgreementFigure `json:"second_kappa"`
}

// A Repeater is an annotator who gave both a first label and one of the round.
type Repeater struct {
	Annotator string       `json:"annotator"` // pseudonym
	Items     int          `json:"items"`
	Equal     study.Number `json:"equal"` // share of the own answers that are the same
}

// A MovedItem is an item whose mean answers differ.
type MovedItem struct {
	ItemID   project.ItemID     `json:"item"`
	SourceID string             `json:"source_id"`
	Distance float64            `json:"distance"` // sum over the fields, in lengths of their scales
	Shifts   map[string]float64 `json:"shifts"`   // by field, in points; without those that are 0
}

// A Comparison compares a round with the first labels.
type Comparison struct {
	// of the protocol: those of the first labels, and that of the round
	FirstVersions []int        `json:"first_versions"`
	Version       int          `json:"version"`
	Items         int          `json:"items"`  // with labels in both
	Labels        int          `json:"labels"` // of the round
	Fields        []FieldShift `json:"fields"`
	Repeaters     []Repeater   `json:"repeaters"` // by pseudonym
	Moved         []MovedItem  `json:"moved"`     // up to MaxMoved, farthest first
}

// MaxMoved is the number of items that a Comparison lists.
const MaxMoved = 50

// Compare compares the labels of a round with the first labels of its items. seed is that of the intervals.
func Compare(fields []protocol.Field, first, second []Label, seed uint64) (Comparison, error) {
	c := Comparison{Labels: len(second), Fields: []FieldShift{}, Repeaters: []Repeater{}, Moved: []MovedItem{}}
	options := stats.IntervalOptions{Seed: seed}
	moved := map[project.ItemID]*MovedItem{}
	items := map[project.ItemID]bool{}
	for _, f := range fields {
		field, shifts, err := compareField(f, first, second, options)
		if err != nil {
			return c, err
		}
		c.Fields = append(c.Fields, field)
		for _, s := range shifts {
			if items[s.label.ItemID] = true; s.points == 0 {
				continue
			}
			m := moved[s.label.ItemID]
			if m == nil {
				m = &MovedItem{ItemID: s.label.ItemID, SourceID: s.label.SourceID, Shifts: map[string]float64{}}
				moved[m.ItemID] = m
			}
			m.Shifts[f.Key], m.Distance = s.points, m.Distance+math.Abs(s.points)/length(f)
		}
	}
	c.Items, c.Repeaters = len(items), findRepeaters(first, second)
	for _, m := range moved {
		c.Moved = append(c.Moved, *m)
	}
	slices.SortFunc(c.Moved, func(a, b MovedItem) int {
		return cmp.Or(cmp.Compare(b.Distance, a.Distance), cmp.Compare(a.ItemID, b.ItemID))
	})
	c.Moved = c.Moved[:min(len(c.Moved), MaxMoved)]
	return c, nil
}

// length returns the length of the scale of a field, in points.
func length(f protocol.Field) float64 {
	values := f.Scale.Values()
	return float64(slices.Max(values) - slices.Min(values))
}

// A shift is how far the mean answer to an item moved.
type shift struct {
	label  Label // one of the item
	points float64
}

func compareField(f protocol.Field, first, second []Label, o stats.IntervalOptions) (field FieldShift, shifts []shift,
	err error) {
	before, after := byItem(f.Key, first), byItem(f.Key, second)
	var points []float64
	var clusters []string
	equal := map[string]stats.ClusterHits{}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if len(before[id]) == 0 {
			continue
		}
		s := shift{label: after[id][0], points: meanOf(f.Key, after[id]) - meanOf(f.Key, before[id])}
		cluster := cmp.Or(s.label.Record, "\x00"+strconv.FormatInt(int64(id), 10))
		hits := equal[cluster]
		if hits.Total++; s.points == 0 {
			hits.Hits++
		}
		equal[cluster] = hits
		shifts, points, clusters = append(shifts, s), append(points, s.points), append(clusters, cluster)
	}
	field = FieldShift{Key: f.Key, Items: len(shifts),
		Equal: study.NumberFromShare(stats.NewClusteredProportion(inOrder(equal)))}
	sum, none := 0.0, stats.Reason{}
	for _, p := range points {
		sum += p
	}
	if len(points) == 0 {
		none.Code = stats.NoFigure
	}
	field.Shift = study.NewNumber(sum/float64(max(len(points), 1)), none, stats.MeanInterval(points, clusters, o))
	field.Verdict = decide(field.Shift, KeptShare*length(f))
	if field.FirstKappa, err = kappa(f, shifts, before, o); err != nil {
		return field, nil, err
	}
	field.SecondKappa, err = kappa(f, shifts, after, o)
	return field, shifts, err
}

// decide returns the verdict on a shift. Where every item moved by the same, no resample differs and the shift itself
// is what is certain.
func decide(shift study.Number, limit float64) Verdict {
	low, high := shift.Low, shift.High
	if shift.Reason == stats.ConstantResamples {
		low, high = shift.Value, shift.Value
	}
	switch {
	case low == nil:
		return Open
	case *low >= -limit && *high <= limit:
		return Kept
	case *low > 0 || *high < 0:
		return Moved
	}
	return Open
}

// kappa returns the agreement on a field, as the verdict of a report measures it.
func kappa(f protocol.Field, items []shift, labels map[project.ItemID][]Label, o stats.IntervalOptions) (
	study.AgreementFigure, error) {
	var ratings []stats.Rating
	for _, item := range items {
		for _, l := range labels[item.label.ItemID] {
			ratings = append(ratings, stats.Rating{Item: l.SourceID, Annotator: l.Annotator, Value: l.Values[f.Key],
				Cluster: l.Record})
		}
	}
	t, err := stats.NewRatingTable(stats.NewNumericScale(f.Scale.Values()...), ratings)
	if err != nil {
		return study.AgreementFigure{}, err
	}
	return study.FigureFromEstimate(stats.ComputeEstimates(t, o, stats.SharedKappa(stats.Linear))[0]), nil
}

// byItem groups the labels with an answer to a field.
func byItem(field string, labels []Label) map[project.ItemID][]Label {
	groups := map[project.ItemID][]Label{}
	for _, l := range labels {
		if _, isAnswered := l.Values[field]; isAnswered {
			groups[l.ItemID] = append(groups[l.ItemID], l)
		}
	}
	return groups
}

func meanOf(field string, labels []Label) float64 {
	sum := 0
	for _, l := range labels {
		sum += l.Values[field]
	}
	return float64(sum) / float64(len(labels))
}

// findRepeaters compares the answers of each annotator with their own first ones to the same items.
func findRepeaters(first, second []Label) []Repeater {
	type key struct {
		item      project.ItemID
		annotator string
	}
	before := map[key]map[string]int{}
	for _, l := range first {
		before[key{l.ItemID, l.Annotator}] = l.Values
	}
	answers := map[string]map[string]stats.ClusterHits{} // by annotator and item
	for _, l := range second {
		own, isRepeated := before[key{l.ItemID, l.Annotator}]
		if !isRepeated {
			continue
		}
		var hits stats.ClusterHits
		for field, value := range l.Values {
			if earlier, isAnswered := own[field]; isAnswered {
				if hits.Total++; earlier == value {
					hits.Hits++
				}
			}
		}
		if answers[l.Annotator] == nil {
			answers[l.Annotator] = map[string]stats.ClusterHits{}
		}
		answers[l.Annotator][l.SourceID] = hits
	}
	repeaters := []Repeater{}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		repeaters = append(repeaters, Repeater{Annotator: name, Items: len(answers[name]),
			Equal: study.NumberFromShare(stats.NewClusteredProportion(inOrder(answers[name])))})
	}
	return repeaters
}

// inOrder returns the clusters in the order of their names, so that sums do not depend on chance.
func inOrder(clusters map[string]stats.ClusterHits) (list []stats.ClusterHits) {
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		list = append(list, clusters[name])
	}
	return list
}
