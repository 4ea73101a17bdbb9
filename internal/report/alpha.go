package report

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An Alpha is Krippendorff's α of one field that suits its scale, without an interval.
type Alpha struct {
	Field   string
	Variant string
	stats.PointEstimate
}

// ComputeAlphas returns Krippendorff's α of each field.
func ComputeAlphas(d study.Data) ([]Alpha, error) {
	s, err := study.New(d, stats.IntervalOptions{}, nil)
	if err != nil {
		return nil, err
	}
	alphas := make([]Alpha, len(s.Fields))
	for i, q := range s.Fields {
		m := stats.SuitableAlpha(q.Values)
		alphas[i] = Alpha{Field: q.Key, Variant: m.Variant, PointEstimate: m.Compute(q.Table)}
	}
	return alphas, nil
}
