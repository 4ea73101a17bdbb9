package report

import "github.com/labelwright/labelwright/internal/project"
import "github.com/labelwright/labelwright/internal/stats"

// A FieldSelfConsistency is how an annotator's answers to hidden duplicates match the first ones.
type FieldSelfConsistency struct {
	Field          string          `json:"field"`
	Duplicates     int             `json:"n"` // answers given twice
	Exact          Number          `json:"exact"`
	WithinOnePoint Number          `json:"within_one_point"`
	Kappa          AgreementFigure `json:"kappa"`
}

// computeSelfConsistency judges the hidden duplicates of an annotator against the first answers.
func (s *study) computeSelfConsistency(name string) ([]FieldSelfConsistency, error) {
	first := map[project.ItemID]*Label{}
	for _, l := range s.labelsByAnnotator[name] {
		first[s.workLabels[l].ItemID] = s.workLabels[l]
	}
	found := []FieldSelfConsistency{}
	for _, q := range s.fields {
		var duplicates []stats.RepeatedAnswer
		for _, l := range s.Labels {
			original, known := first[l.ItemID]
			if l.Kind != Duplicate || l.Annotator != name || !known {
				continue
			}
			repeatedValue, ok := l.Values[q.Key]
			originalValue, hasOriginal := original.Values[q.Key]
			if ok && hasOriginal {
				duplicates = append(duplicates, stats.RepeatedAnswer{Item: s.itemsByID[l.ItemID].SourceID, First: originalValue, Second: repeatedValue})
			}
		}
		if len(duplicates) == 0 {
			continue
		}
		a, err := stats.ComputeSelfConsistency(q.scale, duplicates, s.options)
		if err != nil {
			return nil, err
		}
		found = append(found, FieldSelfConsistency{q.Key, a.AnswerCount, numberFromShare(a.ExactShare), numberFromShare(a.WithinOnePoint), figureFromEstimate(a.Kappa)})
	}
	return found, nil
}
