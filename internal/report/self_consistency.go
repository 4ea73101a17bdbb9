package report

import (
	"math"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldSelfConsistency compares an annotator's answers to hidden duplicates with the first answers.
type FieldSelfConsistency struct {
	Field          string                `json:"field"`
	Duplicates     int                   `json:"duplicates"` // with both answers
	Exact          study.Number          `json:"exact"`
	WithinOnePoint study.Number          `json:"within_one_point"` // missing on scales with fewer than four points
	Kappa          study.AgreementFigure `json:"kappa"`
}

// A SelfConsistencySummary is the self-consistency of an annotator over all fields.
type SelfConsistencySummary struct {
	Pairs, NearPairs int // pairs of answers; those on scales with four points or more
	Equal, Near      int // equal; at most one point apart, of NearPairs
}

// SummarizeSelfConsistency sums up the fields.
func SummarizeSelfConsistency(fields []FieldSelfConsistency) (s SelfConsistencySummary) {
	equal, near := 0.0, 0.0
	for _, f := range fields {
		if f.Exact.Value != nil {
			s.Pairs, equal = s.Pairs+f.Duplicates, equal+*f.Exact.Value*float64(f.Duplicates)
		}
		if f.WithinOnePoint.Value != nil {
			s.NearPairs, near = s.NearPairs+f.Duplicates, near+*f.WithinOnePoint.Value*float64(f.Duplicates)
		}
	}
	s.Equal, s.Near = int(math.Round(equal)), int(math.Round(near))
	return s
}

func (s *builder) computeSelfConsistency(name string) ([]FieldSelfConsistency, error) {
	list := []FieldSelfConsistency{}
	for _, q := range s.fields {
		repeated := s.findRepeatedAnswers(name, q)
		if len(repeated) == 0 {
			continue
		}
		c, err := stats.ComputeSelfConsistency(q.Values, repeated, s.Options)
		if err != nil {
			return nil, err
		}
		c.Kappa.SetPairReason() // of the duplicates, which are not all answers
		within := study.MissingNumber(study.ShortScale)
		if len(q.Values) >= protocol.MinNearPoints {
			within = study.NumberFromShare(c.WithinOnePoint)
		}
		list = append(list, FieldSelfConsistency{q.Key, c.AnswerCount, study.NumberFromShare(c.ExactShare), within,
			study.FigureFromEstimate(c.Kappa)})
	}
	return list, nil
}

// findRepeatedAnswers returns an annotator's answers to a field of hidden duplicates, each with the first answer.
func (s *builder) findRepeatedAnswers(name string, q fieldTable) (repeated []stats.RepeatedAnswer) {
	if len(s.Duplicates[name]) == 0 {
		return nil
	}
	first := map[project.ItemID]int{}
	for _, l := range q.Answered(s.LabelsOf(name)) {
		first[s.AllItems[s.Work.Item[l]].ID] = q.ValueOf(l)
	}
	for _, n := range s.Duplicates[name] {
		l := &s.Others[n]
		original, hasOriginal := first[l.ItemID]
		value, isAnswered := l.Values[q.Key]
		if hasOriginal && isAnswered {
			repeated = append(repeated, stats.RepeatedAnswer{Item: s.Item(l.ItemID).SourceID, First: original,
				Second: value})
		}
	}
	return repeated
}
