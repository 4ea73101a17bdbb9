package report

import "github.com/labelwright/labelwright/internal/stats"

// An Alpha is Krippendorff's α of one field, without an interval: nominal where
// the scale has two points, else ordinal.
type Alpha struct {
	Field   string
	Variant stats.Distance
	stats.PointEstimate
}

// ComputeAlphas returns how far annotators agree on each field.
func ComputeAlphas(d Data) ([]Alpha, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	alphas := make([]Alpha, len(s.fields))
	for i, q := range s.fields {
		variant := stats.NominalDistance
		if q.isOrdered() {
			variant = stats.OrdinalDistance
		}
		alphas[i] = Alpha{Field: q.Key, Variant: variant, PointEstimate: stats.Alpha(variant).Compute(q.table)}
	}
	return alphas, nil
}

// ComputeConsensus returns what people settled on of each item and field that has an
// answer.
func ComputeConsensus(d Data) ([]ConsensusResult, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	return s.consensus, nil
}
