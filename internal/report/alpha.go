package report

import "github.com/labelwright/labelwright/internal/stats"

// An Alpha is Krippendorff's α of one field, without an interval. It is nominal for
// a scale of two points and ordinal otherwise.
type Alpha struct {
	Field   string
	Variant stats.Distance
	stats.PointEstimate
}

// ComputeAlphas returns Krippendorff's α of each field.
func ComputeAlphas(d Data) ([]Alpha, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	alphas := make([]Alpha, len(s.fields))
	for i, q := range s.fields {
		alphas[i] = Alpha{Field: q.Key, Variant: q.alphaDistance(), PointEstimate: stats.Alpha(q.alphaDistance()).Compute(q.table)}
	}
	return alphas, nil
}
