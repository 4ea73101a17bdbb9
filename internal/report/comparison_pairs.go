package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
)

// A GroupPair compares two groups by field.
type GroupPair struct {
	Baseline string            `json:"baseline"`
	Value    string            `json:"value"`
	Summary  string            `json:"summary"`
	Fields   []FieldDifference `json:"fields"`
}

// A FieldDifference is how far a group is from the baseline in one field.
type FieldDifference struct {
	Field      string           `json:"field"`
	Difference *GroupDifference `json:"difference"`
}

// comparePair compares a group with a baseline in one field.
func (c *groupComparison) comparePair(a groupAnswers, baseline, group int) *GroupDifference {
	d := &GroupDifference{Baseline: c.values[baseline], AllItems: c.compareAllItems(a.fieldMeans, baseline, group),
		Paired: c.comparePairs(a.fieldMeans, baseline, group), Adjusted: a.adjusted.difference(baseline, group), IsShare: a.areShares, unreliable: a.unreliable,
		isUneven: a.adjusted.answers.link(baseline, group) < wellLinked}
	d.Adjusted.Items = d.AllItems.Items
	if questioned := c.thoseWhoAnswered(a, baseline, group); len(questioned) > 0 {
		d.Questioned, d.Without = questioned, c.comparePair(*a.without, baseline, group)
	}
	return d
}

// thoseWhoAnswered returns the questioned annotators with answers in one of two groups.
func (c *groupComparison) thoseWhoAnswered(a groupAnswers, baseline, group int) (names []string) {
	for _, name := range a.questioned {
		g, _ := slices.BinarySearch(c.Annotators, name)
		if counts := a.adjusted.answers; counts[baseline][g]+counts[group][g] > 0 {
			names = append(names, name)
		}
	}
	return names
}

// compareAllPairs compares every group with each one before it, those with the first as they
// are in first; nil with fewer than three groups.
func (c *groupComparison) compareAllPairs(answers groupAnswers, first []GroupField) (differences []*GroupDifference) {
	if len(c.values) < 3 {
		return nil
	}
	for group := range c.values {
		for baseline := range group {
			d := first[group].Difference
			if baseline > 0 {
				d = c.comparePair(answers, baseline, group)
			}
			differences = append(differences, d)
		}
	}
	return differences
}

// addPairs sets AllPairs from the differences of each field, in the order of compareAllPairs.
func (b *Breakdown) addPairs(fields []fieldTable, differences [][]*GroupDifference) {
	if len(b.Groups) < 3 {
		return
	}
	for group := range b.Groups {
		for baseline := range group {
			p := GroupPair{Baseline: b.Groups[baseline].Value, Value: b.Groups[group].Value}
			for i, f := range fields {
				p.Fields = append(p.Fields, FieldDifference{f.Key, differences[i][len(b.AllPairs)]})
			}
			b.AllPairs = append(b.AllPairs, p)
		}
	}
}

func (b *Breakdown) pairDifferences() (list []*GroupDifference) {
	for _, p := range b.AllPairs {
		for _, f := range p.Fields {
			list = append(list, f.Difference)
		}
	}
	return list
}

// CountPairDifferences returns the number of comparisons of all pairs and fields, and how many of
// them show a difference.
func (b *Breakdown) CountPairDifferences() (comparisons, shown int) {
	for _, d := range b.pairDifferences() {
		comparisons++
		shown += study.BoolToInt(d.IsShown())
	}
	return comparisons, shown
}

func (b *Breakdown) countPairs(c Conclusion) (n int) {
	for _, d := range b.pairDifferences() {
		n += study.BoolToInt(d.Conclusion == c)
	}
	return n
}

// IsShown reports whether the estimates show a difference.
func (d *GroupDifference) IsShown() bool { return d.Conclusion == Higher || d.Conclusion == Lower }

// ShowsDifference reports whether the groups differ in a field.
func (p GroupPair) ShowsDifference() bool {
	return slices.ContainsFunc(p.Fields, func(f FieldDifference) bool { return f.Difference.IsShown() })
}
