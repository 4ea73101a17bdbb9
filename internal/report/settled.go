package report

import "github.com/labelwright/labelwright/internal/stats"

// An Alpha is Krippendorff's α of one field, without an interval: nominal where
// the scale has two points, else ordinal.
type Alpha struct {
	Field   string
	Variant stats.Distance
	stats.Figure
}

// Alphas returns how far annotators agree on each field.
func Alphas(d Data) ([]Alpha, error) {
	s, err := newStudy(d, Options{})
	if err != nil {
		return nil, err
	}
	alphas := make([]Alpha, len(s.fields))
	for i, q := range s.fields {
		variant := stats.NominalDistance
		if q.ordered() {
			variant = stats.OrdinalDistance
		}
		alphas[i] = Alpha{Field: q.Key, Variant: variant, Figure: stats.Alpha(variant).Of(q.table)}
	}
	return alphas, nil
}

// Settle returns what people settled on of each item and field that has an
// answer.
func Settle(d Data) ([]Settled, error) {
	s, err := newStudy(d, Options{})
	if err != nil {
		return nil, err
	}
	return s.consensus, nil
}
