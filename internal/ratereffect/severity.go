package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats/mixed"
)

const (
	// maxMargin is the difference of standards that counts as none, as a share of the scale.
	maxMargin = 0.05
	// marginInSpreads is the same as a share of the standard deviation of the answers, where that is small.
	marginInSpreads = 0.2
	// marginOfTwo is how many times as far two annotators may be from each other as one from the median.
	marginOfTwo = 1.5
)

// severity is how far an annotator scores from the median annotator, or from the only other one.
type severity struct {
	sample
	isOfTwo bool
}

// fitSeverities returns the severity of each annotator: of one mixed model of the means of labels over fields, with
// items and annotators crossed, for all annotators whom shared items connect. n is 0 without one: too few shared items,
// or more annotators than a model has.
func (s *labelSet) fitSeverities() []severity {
	list := make([]severity, len(s.Annotators))
	for _, group := range s.pairs.components(s.isExcluded) {
		if len(group) > 1 && len(group) <= mixed.MaxAnnotators {
			s.fitGroup(group, list)
		}
	}
	return list
}

// fitGroup sets the severities of annotators whom shared items connect.
func (s *labelSet) fitGroup(group []int32, list []severity) {
	data, hasDifferences := s.dataOf(group)
	for _, l := range data.Labels {
		list[group[l.Annotator]].n++
	}
	m, reason := mixed.Fit(data)
	if reason != "" || !hasDifferences { // all agree, or there is no error to compare with
		return
	}
	differences := m.SeverityDifferences()
	if values := make([]float64, len(group)); len(group) > 2 {
		for i, v := range m.Severities() {
			values[i] = v.Value
		}
		median := medianOf(values)
		for i, v := range values {
			differences[i].Value = v - median
		}
	}
	for i, a := range group {
		list[a].isOfTwo = len(group) == 2
		list[a].mean, list[a].standardError = differences[i].Value, differences[i].Error
	}
}

// dataOf returns the labels of items that several annotators of a group share: the mean over fields of the distance
// from the mean answer, as a share of the scale. The numbers of annotators are those in the group. hasDifferences
// reports whether two labels of an item differ.
func (s *labelSet) dataOf(group []int32) (d mixed.Data, hasDifferences bool) {
	d = mixed.Data{Annotators: len(group), Conditions: 1, FixedAnnotators: true}
	numbers, labels := make(map[int32]int32, len(group)), 0
	for i, a := range group {
		numbers[a] = int32(i)
		labels += len(s.byAnnotator[a])
	}
	d.Labels = make([]mixed.Label, 0, labels)
	for item := range int32(len(s.byItem.start) - 1) {
		from := len(d.Labels)
		for _, l := range s.byItem.at(item) {
			number, isOfGroup := numbers[s.AnnotatorOf[l]]
			if v, ok := s.meanOf(l); ok && isOfGroup {
				d.Labels = append(d.Labels, mixed.Label{Value: v, Record: item, Item: item, Annotator: number})
			}
		}
		if len(d.Labels)-from < 2 {
			d.Labels = d.Labels[:from]
			continue
		}
		for _, l := range d.Labels[from:] {
			hasDifferences = hasDifferences || l.Value != d.Labels[from].Value
		}
	}
	return d, hasDifferences
}

// meanOf returns the mean over fields of the distance of a label's answers from the mean answer.
func (s *labelSet) meanOf(label int32) (mean float64, ok bool) {
	sum, n := 0.0, 0.0
	for f := range s.fields {
		if v, ok := s.score(label, f); ok {
			sum, n = sum+v-s.means[f], n+1
		}
	}
	return sum / n, n > 0
}

// testStandard tests whether the severity of annotators differs from that of the median annotator by more than those of
// careful annotators, of whom 95% are within the margin.
func (s *labelSet) testStandard() (tests []test, severities []Severity) {
	fitted := s.severities
	if slices.Contains(s.isExcluded, true) {
		fitted = s.fitSeverities()
	}
	for a, own := range fitted {
		if own.n < minSharedItems {
			continue
		}
		margin := s.margin
		if own.isOfTwo {
			margin *= marginOfTwo
		}
		own.standardError = max(own.standardError, math.Sqrt(minVariance/float64(own.n)))
		widened := own.sample
		widened.standardError = math.Hypot(own.standardError, margin/2)
		t := test{FoundEffect: s.newFinding(DifferentStandard, a), detectable: widened.detectable(0)}
		t.Value, t.Items, t.P = own.mean, own.n, widened.beyond(0)
		t.Low, t.High = own.interval()
		tests = append(tests, t)
		severities = append(severities, Severity{t.Annotator, t.Value, t.Low, t.High, t.Items})
	}
	return tests, severities
}
