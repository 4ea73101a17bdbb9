// Package judging compares model judges with the annotators of a project. Judgments never enter the consensus.
package judging

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// DefaultEpsilon is the advantage of a judge in cost and effort in the alternative annotator test, as for experts;
// Calderon,
// Reichart & Dror (2025) propose 0.15 for trained annotators and 0.1 for crowd workers.
const DefaultEpsilon = 0.2

// A Judge is the comparison of a model judge with the annotators.
type Judge struct {
	Name    string  `json:"judge"`
	Items   int     `json:"items"`    // judged
	KeptOut int     `json:"kept_out"` // of them, whose labels do not count because the items were drawn by disagreement
	Fields  []Field `json:"fields"`

	Comparison *Comparison `json:"comparison"` // of the groups of the report's breakdown; null without two groups
}

// A Field compares a judge with the annotators on one field.
type Field struct {
	judge.Result
	Disagreements []Disagreement `json:"disagreements"` // the largest ones, with the judge's reasons
}

// A Disagreement is an item on which the judge's answer is not that of the annotators.
type Disagreement struct {
	judge.Disagreement
	ItemID    project.ItemID `json:"-"`
	Rationale string         `json:"rationale"` // of the judge; empty: none was imported
}

// A Comparison is how the groups of a metadata column differ in the mean answer to all items that a judge has answered,
// from the labels
// alone and with the judge.
type Comparison struct {
	Column      string       `json:"column"`
	Differences []Difference `json:"differences"` // of each group from the baseline, by field
}

// A Difference is how far a group is from the baseline in one field.
type Difference struct {
	Field            string                `json:"field"`
	Baseline         string                `json:"baseline"`
	Value            string                `json:"value"`
	Labels           int                   `json:"labels"`    // items with labels that count, of both groups
	Judgments        int                   `json:"judgments"` // other items with a judgment
	LabelsAlone      judge.ConcludedFigure `json:"labels_alone"`
	WithJudge        judge.ConcludedFigure `json:"with_judge"`        // prediction-powered
	EquivalentLabels *float64              `json:"equivalent_labels"` // that give an interval as wide without the judge
	// why EquivalentLabels is null although there is an estimate
	GainUndefined judge.ReasonCode `json:"gain_undefined"`
}

// Input is what a comparison is computed from.
type Input struct {
	Fields  []stats.Dimension // labels of people, by the items' own ids
	Items   func(ownID string) Item
	Column  string   // of the groups; empty: none
	Groups  []string // values; the first is the baseline
	Options judge.Options
}

// An Item is what is known of a judged item.
type Item struct {
	ID        project.ItemID
	Cluster   int // of its record, or its own
	IsKeptOut bool
	Group     int // place in Input.Groups, or −1
}

// An Answer is a judge's answers to one item.
type Answer struct {
	Item      string // its own id
	Values    map[string]int
	Rationale string
}

// Compare compares one judge with the annotators.
func Compare(in Input, name string, answers []Answer) Judge {
	j, rationales := Judge{Name: name, Items: len(answers)}, map[string]string{}
	for _, a := range answers {
		rationales[a.Item] = a.Rationale
		if in.Items(a.Item).IsKeptOut {
			j.KeptOut++
		}
	}
	in.Options.IsKeptOut = func(item string) bool { return in.Items(item).IsKeptOut }
	if len(in.Groups) > 1 {
		j.Comparison = &Comparison{in.Column, []Difference{}}
	}
	for _, d := range in.Fields {
		var given []judge.Answer
		for _, a := range answers {
			if value, ok := a.Values[d.Name]; ok {
				given = append(given, judge.Answer{Item: a.Item, Value: value, Cluster: in.Items(a.Item).Cluster})
			}
		}
		f := Field{Result: judge.CompareAnswers(d, name, given, in.Options), Disagreements: []Disagreement{}}
		for _, x := range f.Result.Disagreements {
			f.Disagreements = append(f.Disagreements, Disagreement{x, in.Items(x.Item).ID, rationales[x.Item]})
		}
		f.Result.Disagreements = nil
		j.Fields = append(j.Fields, f)
		if j.Comparison != nil {
			j.Comparison.Differences = append(j.Comparison.Differences, in.compareGroups(d, given)...)
		}
	}
	return j
}

// compareGroups compares each group with the baseline in a field.
func (in Input) compareGroups(d stats.Dimension, answers []judge.Answer) (differences []Difference) {
	groups := make([][]judge.Answer, len(in.Groups))
	for _, a := range answers {
		if g := in.Items(a.Item).Group; g >= 0 {
			groups[g] = append(groups[g], a)
		}
	}
	samples := make([]judge.Sample, len(groups))
	for g := range groups {
		samples[g] = judge.NewSample(d, groups[g], in.Options)
	}
	least, most := float64(d.Table.Scale[0]), float64(d.Table.Scale[len(d.Table.Scale)-1])
	r := judge.Range{Least: least, Most: most, IsRate: len(d.Table.Scale) == 2}
	for g := 1; g < len(groups); g++ {
		first, second := samples[0], samples[g]
		alone, both := judge.ConcludeLabelDifference(first, second, r), judge.ConcludeDifference(first, second, r)
		x := Difference{Field: d.Name, Baseline: in.Groups[0], Value: in.Groups[g],
			Labels:    len(first.Labeled) + len(second.Labeled),
			Judgments: len(first.Judged) + len(second.Judged), GainUndefined: both.GainUndefined}
		span := judge.Range{Least: least - most, Most: most - least}
		x.LabelsAlone, x.WithJudge = judge.NewConcludedFigure(alone.Estimate, span),
			judge.NewConcludedFigure(both.Estimate, span)
		if both.Undefined == "" && both.GainUndefined == "" {
			x.EquivalentLabels = &both.EquivalentLabels
		}
		differences = append(differences, x)
	}
	return differences
}
