package stats

import (
	"fmt"
	"math"
)

// A AgreementVerdict is what agreement says of a field against a target.
type AgreementVerdict string

// The verdicts: at or over the target; under it but at or over Floor; under that;
// no number to judge.
const (
	VerdictMeetsTarget   AgreementVerdict = "go"
	VerdictRevise        AgreementVerdict = "revise"
	VerdictRewrite       AgreementVerdict = "rewrite"
	VerdictNotEnoughData AgreementVerdict = "not enough overlap"
)

// RewriteThreshold is the agreement below which a field is to be rewritten.
const RewriteThreshold = 0.25

// JudgeAgreement judges a figure against the target, usually 0.4. Fewer than
// minItems shared items are not enough, whatever they give.
func JudgeAgreement(f PointEstimate, target float64, minItems int) AgreementVerdict {
	switch {
	case !f.Defined() || f.Items < minItems:
		return VerdictNotEnoughData
	case f.Value >= target:
		return VerdictMeetsTarget
	case f.Value >= RewriteThreshold:
		return VerdictRevise
	}
	return VerdictRewrite
}

// InterimConfidenceLevel is the level an interval needs at the nth look at growing data, so
// that all looks together, however many, err in at most 5 %: the share of error
// spent at look n is 6/π²n² of it. From the third look on, ends so far out want
// 5,000 resamples or more.
func InterimConfidenceLevel(n int) float64 {
	analysisNo := float64(max(n, 1))
	return 1 - 0.05*6/(math.Pi*math.Pi*analysisNo*analysisNo)
}

// Sufficiency says whether the answers so far settle on which side of a target
// the agreement lies.
type Sufficiency struct {
	IsSufficient  bool
	IsAboveTarget bool // where enough: over the target, else under it
	MoreItems     int  // where not enough: about how many more items it takes, if the figure stays; 0 where that cannot be said
	Message       string
}

// AssessSufficiency judges an estimate whose interval was made at InterimConfidenceLevel of this look.
func AssessSufficiency(e Estimate, target float64) Sufficiency {
	if !e.Defined() || !e.Interval.Defined() {
		return Sufficiency{Message: "Not yet: " + e.Interval.Describe() + "."}
	}
	switch low, high := e.Interval.Low, e.Interval.High; {
	case low > target:
		return Sufficiency{IsSufficient: true, IsAboveTarget: true, Message: fmt.Sprintf("Enough: agreement lies above %.2f (%.2f to %.2f).", target, low, high)}
	case high < target:
		return Sufficiency{IsSufficient: true, Message: fmt.Sprintf("Enough: agreement lies below %.2f (%.2f to %.2f).", target, low, high)}
	}
	s := Sufficiency{MoreItems: e.estimateMoreItems(target)}
	s.Message = fmt.Sprintf("Not yet: agreement may lie on either side of %.2f (%.2f to %.2f).", target, e.Interval.Low, e.Interval.High)
	if s.MoreItems > 0 {
		s.Message += fmt.Sprintf(" If it stays at %.2f, about %d more items settle it.", e.Value, s.MoreItems)
	}
	return s
}

// estimateMoreItems is how many items bring the nearer end of the interval to the target.
func (e Estimate) estimateMoreItems(target float64) int {
	margin := e.Value - e.Interval.Low
	if e.Value < target {
		margin = e.Interval.High - e.Value
	}
	const maxItems = 100_000
	distance := math.Abs(e.Value - target)
	if needed := float64(e.Items) * margin * margin / (distance * distance); distance > 0 && needed < maxItems {
		return int(math.Ceil(needed-epsilon*needed)) - e.Items
	}
	return 0
}
