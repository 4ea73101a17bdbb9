package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
)

// A doubt is why answers to a field may be no standard by which groups or judges can be compared.
type doubt struct {
	annotators []string // whose answers are in question; figures without them stand beside those of all
	unreliable string   // why the answers of all show little, as a clause; empty: no reason
}

// findDoubts sets doubts by the verdicts on the fields.
func (s *builder) findDoubts(r Report) {
	s.doubts = map[string]doubt{}
	for _, f := range r.Fields {
		if r.IsBelowTarget(f.Key) {
			s.doubts[f.Key] = doubt{unreliable: "annotators agree too little on this field (κ " + f.Kappa.Text() + ")"}
		}
	}
}

// withoutAnnotators returns a field without the answers of some annotators.
func (s *builder) withoutAnnotators(q fieldTable, names []string) (fieldTable, error) {
	q.Points = slices.Clone(q.Points)
	for g, name := range s.Annotators {
		if slices.Contains(names, name) {
			for _, l := range s.ByAnnotator.At(int32(g)) {
				q.Points[l] = study.NoAnswer
			}
		}
	}
	table, err := s.NewFieldTable(q.Field, q.Points)
	return fieldTable{FieldTable: table}, err
}
