package stats

import (
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
