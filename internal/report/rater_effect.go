package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/ratereffect"
)

// findRaterEffects tests all annotators, once.
func (s *builder) findRaterEffects() ratereffect.Result {
	if s.raterEffects == nil {
		found := s.computeRaterEffects()
		s.raterEffects = &found
	}
	return *s.raterEffects
}

func (s *builder) computeRaterEffects() ratereffect.Result {
	fields := make([]ratereffect.FieldSpec, len(s.fields))
	for i, q := range s.fields {
		fields[i] = ratereffect.FieldSpec{Scale: q.Values, UnsafeAnswers: unsafeAnswers(q)}
	}
	labels := ratereffect.Labels{Annotators: s.Annotators, AnnotatorOf: s.Work.Annotator, ItemOf: s.Work.Item,
		Position:        s.positions(),
		ItemsSinceBreak: func(l int32) int { return int(s.Work.ItemsSinceBreak[l]) },
		ActiveSeconds:   func(l int32) float64 { return float64(s.Work.ActiveMS[l]) / 1000 },
		SubmittedAt:     func(l int32) int64 { return s.Work.SubmittedAt[l] },
		TextLength:      s.TextLength, IsForced: s.forcedAnswers()}
	for _, q := range s.fields {
		labels.Points = append(labels.Points, q.Points)
	}
	return ratereffect.Detect(fields, labels, s.collectKnownAnswers())
}

// positions returns the place of each label among those of its annotator, from 1.
func (s *builder) positions() func(label int32) int {
	places := make([]int32, s.Work.Len())
	for annotator := range s.Annotators {
		for i, l := range s.ByAnnotator.At(int32(annotator)) {
			places[l] = int32(i + 1)
		}
	}
	return func(label int32) int { return int(places[label]) }
}

// forcedAnswers returns which answers of the labels ticked observations force; nil if none is ticked.
func (s *builder) forcedAnswers() func(label int32, field int) bool {
	if s.Observations.SetOf == nil {
		return nil
	}
	facts := protocol.Facts{}
	for _, f := range s.Protocol.Facts {
		facts[f.Key] = true // so that all fields apply; answers to those that do not are missing
	}
	forced := make([][]bool, len(s.Observations.Sets))
	for n, set := range s.Observations.Sets {
		_, filled := s.Protocol.FillForced(facts, protocol.Answers{Observations: set})
		forced[n] = make([]bool, len(s.fields))
		for f, q := range s.fields {
			forced[n][f] = slices.ContainsFunc(filled, func(a protocol.Filled) bool { return a.Field == q.Key })
		}
	}
	return func(label int32, field int) bool { return forced[s.Observations.SetOf[label]][field] }
}

// unsafeAnswers returns the answers that report a risk: the lower two fifths of the
// scale of safety, and 1 for unsafe content.
func unsafeAnswers(q fieldTable) []int {
	switch q.Key {
	case "safety":
		return q.Values[:len(q.Values)*2/5]
	case "unsafe_content":
		return []int{1}
	}
	return nil
}
