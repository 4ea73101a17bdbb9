package ratereffect

import (
	"math"
	"slices"
)

// A labelSet is the labels of all annotators, and who of them the others are compared with.
type labelSet struct {
	Labels
	fields      []FieldSpec
	scores      [][]float64 // field → point → share of the scale; empty for a scale of one point
	byAnnotator [][]int32   // annotator → labels, by position
	byItem      rows
	pairs       pairGraph
	means       []float64  // field → mean score
	variances   []float64  // field → variance of the scores
	severities  []severity // of all annotators
	isExcluded  []bool     // annotator → is careless, so that nobody is compared with them
	margin      float64    // difference of standards that counts as none
}

func newLabelSet(fields []FieldSpec, labels Labels) *labelSet {
	s := &labelSet{Labels: labels, fields: fields, byAnnotator: labels.groupByAnnotator(), byItem: labels.groupByItem(),
		isExcluded: make([]bool, len(labels.Annotators))}
	for _, f := range fields {
		scores := make([]float64, len(f.Scale))
		for i, v := range f.Scale {
			scores[i] = float64(v-f.Scale[0]) / float64(max(f.Scale.Span(), 1))
		}
		s.scores = append(s.scores, scores)
	}
	s.pairs = s.collectPairs()
	spread, n := 0.0, 0.0
	for f := range fields {
		mean, variance := s.spreadOf(f)
		s.means, s.variances = append(s.means, mean), append(s.variances, variance)
		if variance > 0 {
			spread, n = spread+math.Sqrt(variance), n+1
		}
	}
	s.margin = min(maxMargin, marginInSpreads*spread/max(n, 1))
	s.severities = s.fitSeverities()
	s.comparePairs()
	return s
}

// scaleSpan returns the span of the scales; 0 if they differ.
func (s *labelSet) scaleSpan() int {
	for _, f := range s.fields {
		if f.Scale.Span() != s.fields[0].Scale.Span() {
			return 0
		}
	}
	if len(s.fields) == 0 {
		return 0
	}
	return s.fields[0].Scale.Span()
}

// score returns an answer as a share of the scale.
func (s *labelSet) score(label int32, field int) (score float64, ok bool) {
	point := s.Points[field][label]
	if point == NoPoint {
		return 0, false
	}
	return s.scores[field][point], true
}

// leveled returns an answer without the severity of the annotator.
func (s *labelSet) leveled(label int32, field int) (score float64, ok bool) {
	score, ok = s.score(label, field)
	return score - s.severities[s.AnnotatorOf[label]].mean, ok
}

// spreadOf returns the mean and the variance of the scores of a field; 0 where they are all equal.
func (s *labelSet) spreadOf(field int) (mean, variance float64) {
	var sum, squares, n float64
	for l := range int32(len(s.ItemOf)) {
		if v, ok := s.score(l, field); ok {
			sum, squares, n = sum+v, squares+v*v, n+1
		}
	}
	if n < 2 {
		return sum / max(n, 1), 0
	}
	mean = sum / n
	if variance = squares/n - mean*mean; variance <= epsilon {
		variance = 0
	}
	return mean, variance
}

const epsilon = 1e-9

// others calls visit for the other labels of an item, of annotators to compare with.
func (s *labelSet) others(label int32, visit func(other int32)) {
	for _, other := range s.byItem.at(s.ItemOf[label]) {
		if a := s.AnnotatorOf[other]; a != s.AnnotatorOf[label] && !s.isExcluded[a] {
			visit(other)
		}
	}
}

// exclude excludes the annotators of findings from the comparisons of others.
func (s *labelSet) exclude(found []FoundEffect) {
	for _, f := range found {
		s.isExcluded[slices.Index(s.Annotators, f.Annotator)] = true
	}
}

// onlyOther returns the other annotator if two share items only with each other. Nothing shows who of them differs from
// careful work.
func (s *labelSet) onlyOther(annotator int) (other string, isOnly bool) {
	of := func(a int) (found []int32) {
		for _, n := range s.pairs.of[a] {
			if p := s.pairs.list[n]; !s.isExcluded[p.other(int32(a))] {
				found = append(found, p.other(int32(a)))
			}
		}
		return found
	}
	found := of(annotator)
	if len(found) != 1 || len(of(int(found[0]))) != 1 {
		return "", false
	}
	return s.Annotators[found[0]], true
}

// newFinding returns a finding on an annotator next to the others.
func (s *labelSet) newFinding(effect Effect, annotator int) FoundEffect {
	f := FoundEffect{Effect: effect, Annotator: s.Annotators[annotator]}
	f.Other, f.IsEither = s.onlyOther(annotator)
	return f
}
