package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldReport is the agreement and the consensus on one field.
type FieldReport struct {
	agreement.Field
	ConsensusCounts []ConsensusCount `json:"consensus_counts"`
}

// Alpha returns Krippendorff's α that suits the scale.
func (f FieldReport) Alpha() study.AgreementFigure { return f.Figure(stats.SuitableAlpha(f.Scale)) }

// GwetAC returns Gwet's coefficient that suits the scale.
func (f FieldReport) GwetAC() study.AgreementFigure { return f.Figure(stats.SuitableAC(f.Scale)) }

// CountConsensus returns the number of items whose consensus comes from that method.
func (f FieldReport) CountConsensus(method stats.ConsensusMethod) int {
	for _, c := range f.ConsensusCounts {
		if c.Method == method {
			return c.Items
		}
	}
	return 0
}

// Agreement returns the agreement on each field.
func (r Report) Agreement() (fields []agreement.Field) {
	for _, f := range r.Fields {
		fields = append(fields, f.Field)
	}
	return fields
}

// HasTooFewItems reports whether no field has enough shared items for a verdict.
func (r Report) HasTooFewItems() bool {
	return !slices.ContainsFunc(r.Fields, func(f FieldReport) bool { return f.Verdict != agreement.TooFewItems })
}

// IsBelowTarget reports whether agreement on a field is shown to be below the target.
func (r Report) IsBelowTarget(key string) bool {
	f, ok := r.Field(key)
	return ok && f.Verdict == agreement.BelowTarget
}
