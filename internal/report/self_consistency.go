package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldSelfConsistency compares an annotator's answers to hidden duplicates with the first answers.
type FieldSelfConsistency struct {
	Field          string          `json:"field"`
	Duplicates     int             `json:"duplicates"` // with both answers
	Exact          Number          `json:"exact"`
	WithinOnePoint Number          `json:"within_one_point"`
	Kappa          AgreementFigure `json:"kappa"`
}

func (s *study) computeSelfConsistency(name string) ([]FieldSelfConsistency, error) {
	list := []FieldSelfConsistency{}
	for _, q := range s.fields {
		repeated := s.findRepeatedAnswers(name, q.Key)
		if len(repeated) == 0 {
			continue
		}
		c, err := stats.ComputeSelfConsistency(q.scale, repeated, s.options)
		if err != nil {
			return nil, err
		}
		list = append(list, FieldSelfConsistency{q.Key, c.AnswerCount, numberFromShare(c.ExactShare), numberFromShare(c.WithinOnePoint), figureFromEstimate(c.Kappa)})
	}
	return list, nil
}

// findRepeatedAnswers returns an annotator's answers to a field of hidden duplicates, each with the first answer.
func (s *study) findRepeatedAnswers(name, field string) (repeated []stats.RepeatedAnswer) {
	first := map[project.ItemID]int{}
	for _, l := range answered(s.byAnnotator[name], field) {
		first[l.ItemID] = l.Values[field]
	}
	for _, l := range s.Labels {
		original, hasOriginal := first[l.ItemID]
		value, isAnswered := l.Values[field]
		if l.Kind == Duplicate && l.Annotator == name && hasOriginal && isAnswered {
			repeated = append(repeated, stats.RepeatedAnswer{Item: s.itemsByID[l.ItemID].SourceID, First: original, Second: value})
		}
	}
	return repeated
}
