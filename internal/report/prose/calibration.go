package prose

import (
	"math"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

// CalibrationBias names the fields with a significant bias, and those where all answers are off by the same number of
// points, so that there is no interval.
func (w Writer) CalibrationBias(biases []report.CalibrationBias, titleOf func(field string) string) string {
	var significant, constant []string
	for _, b := range biases {
		if b.Value == nil || *b.Value == 0 {
			continue
		}
		size := w.Decimal(math.Abs(*b.Value), 2)
		part := w.T("“%s” %s lower", titleOf(b.Field), size)
		if *b.Value > 0 {
			part = w.T("“%s” %s higher", titleOf(b.Field), size)
		}
		if b.IsOneSided() {
			significant = append(significant, part)
		} else if b.Reason == stats.ConstantDifference {
			constant = append(constant, part)
		}
	}
	var sentences []string
	if len(significant) > 0 {
		sentences = append(sentences, w.T("Significant bias: scores %s than the reference.",
			strings.Join(significant, ", ")))
	}
	if len(constant) > 0 {
		sentences = append(sentences, w.T("Every answer is off by the same: scores %s than the reference.",
			strings.Join(constant, ", ")))
	}
	if len(sentences) == 0 {
		return w.T("No significant bias.")
	}
	return strings.Join(sentences, " ")
}
