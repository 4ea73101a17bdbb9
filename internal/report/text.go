package report

import (
	"math"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// The steps of a report.
const (
	stepDisagreements = "disagreements"
	stepRaterEffects  = "rater effects"
	stepGroups        = "group comparison"
	stepMetrics       = "metrics and model judges"
)

func stepAnnotator(name string) string { return "results of " + name }

// joinSentences joins those that are not empty.
func joinSentences(sentences ...string) string { return strings.Join(keepTexts(sentences...), " ") }

// keepTexts returns those that are not empty.
func keepTexts(texts ...string) []string {
	return slices.DeleteFunc(append([]string{}, texts...), func(text string) bool { return text == "" })
}

// FormatP formats a p-value so that it stays on its side of the limit.
func FormatP(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p < 0.1:
		return study.FormatPlaces(math.Ceil(p*1000)/1000, 3)
	}
	return study.FormatPlaces(p, 2)
}

// joinNames returns "a", "a and b", or "a, b and c".
func joinNames(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
