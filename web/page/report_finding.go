package page

import (
	"math"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
)

// The findings that titles of pictures state: figures of the picture itself, without a conclusion.

// equalFinding counts the equal answers in pairs, which a symmetric matrix counts both ways.
func equalFinding(l *locale.Locale, counts [][]int) string {
	equal, all := 0, 0
	for i, row := range counts {
		for j, n := range row {
			if all += n; i == j {
				equal += n
			}
		}
	}
	if all == 0 {
		return l.T("there are no answers to compare")
	}
	return l.T("%d of %d equal", equal, all)
}

// histogramFinding names the most frequent answers.
func histogramFinding(l *locale.Locale, scale, counts []int) string {
	most, all := slices.Max(counts), 0
	var answers []string
	for i, n := range counts {
		if all += n; n == most {
			answers = append(answers, strconv.Itoa(scale[i]))
		}
	}
	switch {
	case all == 0:
		return l.T("no answers")
	case len(answers) == 1:
		return l.T("most often %s, in %d of %d answers", answers[0], most, all)
	}
	return l.T("most often %s, each in %d of %d answers", joinList(answers, l.T("and")), most, all)
}

// driftFinding states the range of the means of consecutive answers.
func driftFinding(l *locale.Locale, steps []report.DriftSegment) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range steps {
		low, high = min(low, s.Mean), max(high, s.Mean)
	}
	if l.Decimal(low, 2) == l.Decimal(high, 2) {
		return l.T("every mean is %s", l.Decimal(low, 2))
	}
	return l.T("means from %s to %s", l.Decimal(low, 2), l.Decimal(high, 2))
}

// pairFinding names the pair of annotators with the lowest κ, among those that share as many items as a
// verdict needs.
func pairFinding(l *locale.Locale, pairs []agreement.Pair, minItems int) string {
	var lowest *agreement.Pair
	for i, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= minItems && (lowest == nil ||
			*p.Kappa.Value < *lowest.Kappa.Value) {
			lowest = &pairs[i]
		}
	}
	if lowest == nil {
		return l.T("no pair has a κ of %d shared items or more", minItems)
	}
	return l.T("lowest κ %s, %s and %s", l.Decimal(*lowest.Kappa.Value, 2), lowest.First, lowest.Second)
}
