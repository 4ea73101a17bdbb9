package report

import "github.com/labelwright/labelwright/internal/stats"

// A Self is how an annotator's answers to hidden duplicates match the first ones.
type Self struct {
	Field  string `json:"field"`
	N      int    `json:"n"` // answers given twice
	Exact  Number `json:"exact"`
	Within Number `json:"within_one_point"`
	Kappa  Figure `json:"kappa"`
}

// self judges the hidden duplicates of an annotator against the first answers.
func (s *study) self(name string) ([]Self, error) {
	first := map[int64]*Label{}
	for _, l := range s.of[name] {
		first[s.work[l].ItemID] = s.work[l]
	}
	found := []Self{}
	for _, q := range s.fields {
		var repeats []stats.Repeat
		for _, l := range s.Labels {
			was, known := first[l.ItemID]
			if l.Kind != Duplicate || l.Annotator != name || !known {
				continue
			}
			again, ok := l.Values[q.Key]
			before, asked := was.Values[q.Key]
			if ok && asked {
				repeats = append(repeats, stats.Repeat{Item: s.items[l.ItemID].Source, First: before, Again: again})
			}
		}
		if len(repeats) == 0 {
			continue
		}
		a, err := stats.SelfAgreementOf(q.scale, repeats, s.o)
		if err != nil {
			return nil, err
		}
		found = append(found, Self{q.Key, a.N, shareOf(a.Exact), shareOf(a.Within), figureOf(a.Kappa)})
	}
	return found, nil
}
