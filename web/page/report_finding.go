package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
)

// The findings that titles of pictures state: figures of the picture itself, without a conclusion.

// equalFinding counts the equal answers in pairs, which a symmetric matrix counts both ways.
func equalFinding(counts [][]int, isSymmetric bool, noun string) string {
	equal, all := 0, 0
	for i, row := range counts {
		for j, n := range row {
			if all += n; i == j {
				equal += n
			}
		}
	}
	if isSymmetric {
		equal, all = equal/2, all/2
	}
	if all == 0 {
		return "there are no answers to compare"
	}
	return fmt.Sprintf("%s of %s %s", formatNumber(equal), formatNumber(all), noun)
}

// histogramFinding names the most frequent answers.
func histogramFinding(scale, counts []int) string {
	most, all := slices.Max(counts), 0
	var answers []string
	for i, n := range counts {
		if all += n; n == most {
			answers = append(answers, strconv.Itoa(scale[i]))
		}
	}
	switch {
	case all == 0:
		return "no answers"
	case len(answers) == 1:
		return fmt.Sprintf("most often %s, in %s of %s", answers[0], formatNumber(most), Pluralize(all, "answer"))
	}
	return fmt.Sprintf("most often %s, each in %s of %s", joinList(answers, "and"), formatNumber(most), Pluralize(all, "answer"))
}

// driftFinding states the range of the means of consecutive answers.
func driftFinding(steps []report.DriftSegment) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range steps {
		low, high = min(low, s.Mean), max(high, s.Mean)
	}
	if formatMean(&low) == formatMean(&high) {
		return "every mean is " + formatMean(&low)
	}
	return "means from " + formatMean(&low) + " to " + formatMean(&high)
}

// pairFinding names the pair of annotators with the lowest κ, among those that share as many items as a
// verdict needs.
func pairFinding(pairs []agreement.Pair, minItems int) string {
	var lowest *agreement.Pair
	for i, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= minItems && (lowest == nil || *p.Kappa.Value < *lowest.Kappa.Value) {
			lowest = &pairs[i]
		}
	}
	switch {
	case lowest == nil && minItems > 1:
		return fmt.Sprintf("no pair has a κ of %d shared items or more", minItems)
	case lowest == nil:
		return "no pair has a κ"
	}
	return fmt.Sprintf("lowest κ %s, %s and %s (%s)", lowest.Kappa.Text(), lowest.First, lowest.Second, Pluralize(lowest.Kappa.Items, "item"))
}
