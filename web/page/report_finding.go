package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// The findings that titles of pictures state: figures of the picture itself, without a conclusion.

// goFinding counts the fields with the verdict to go ahead.
func goFinding(fields []report.FieldReport) string {
	ready, undecided := 0, 0
	for _, f := range fields {
		switch f.Verdict.Outcome {
		case report.Go:
			ready++
		case report.NotEnoughData:
			undecided++
		}
	}
	switch {
	case len(fields) == 1:
		return fields[0].Title + ": " + fields[0].Verdict.ShortText()
	case undecided == len(fields):
		return fmt.Sprintf("Not enough data for a verdict on any of %d fields", len(fields))
	case ready == len(fields):
		return fmt.Sprintf("Go ahead with all %d fields", len(fields))
	case ready == 0:
		return fmt.Sprintf("Go ahead with none of %d fields", len(fields))
	}
	return fmt.Sprintf("Go ahead with %d of %d fields", ready, len(fields))
}

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

// trendFinding compares the first and the last value of consecutive periods. There is a change if their
// intervals do not overlap.
func trendFinding(name string, periods []ui.Period) string {
	hasValue := func(p ui.Period) bool { return p.Value != nil }
	first := slices.IndexFunc(periods, hasValue)
	if first < 0 {
		return "no period has a value"
	}
	last := first
	for i, p := range periods {
		if hasValue(p) {
			last = i
		}
	}
	if last == first {
		return fmt.Sprintf("%s is %s in the only period with a value", name, periods[first].Text)
	}
	a, b := periods[first], periods[last]
	if a.Low == nil || b.Low == nil || *a.High >= *b.Low && *b.High >= *a.Low {
		return "no clear change of " + name + " over time"
	}
	text := fmt.Sprintf("%s %s from %s in the first period", name, choose(*b.Value > *a.Value, "rises", "falls"), a.Text)
	if first > 0 {
		text += " with a value"
	}
	text += fmt.Sprintf(" to %s in the last", b.Text)
	if last < len(periods)-1 {
		text += " with a value"
	}
	return text
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
func pairFinding(pairs []report.AnnotatorPair, minItems int) string {
	var lowest *report.AnnotatorPair
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

// minPointItems is how many items a title needs to name the bias at a consensus value.
const minPointItems = 10

// pointFinding names the point of the scale at which a judge is furthest from the consensus.
func pointFinding(points []report.PointBias) string {
	var largest *report.PointBias
	place := ""
	for i, b := range points {
		if b.Items > 0 && b.Items < minPointItems {
			place = fmt.Sprintf(" with %d or more items", minPointItems)
		}
		if b.Items >= minPointItems && b.Low != nil && (*b.Low > 0 || *b.High < 0) && (largest == nil || compareSize(*b.Value, *largest.Value) > 0) {
			largest = &points[i]
		}
	}
	switch {
	case largest == nil:
		return "no clear difference at any value" + place
	case place != "":
		place = ", among values" + place
	}
	return fmt.Sprintf("largest clear difference %s, at %d%s", largest.Signed(), largest.Point, place)
}
