package report

import (
	"fmt"
	"slices"
)

// describeTests says for which fields the judge may replace an annotator.
func (j Judge) describeTests(titleOf map[string]string) string {
	var may, mayNot []string
	epsilon := 0.0
	for _, f := range j.Fields {
		t := f.Alternative
		if t.WinningRate == nil {
			continue
		}
		epsilon = t.Epsilon
		name := fmt.Sprintf("“%s” (ω = %s)", titleOf[f.Field], formatValue(*t.WinningRate))
		if t.Obstacle != "" {
			name = fmt.Sprintf("“%s” (ω = %s, but %s)", titleOf[f.Field], formatValue(*t.WinningRate), t.ShortReason)
		}
		if f.Use == JudgeReplaces {
			may = append(may, name)
		} else {
			mayNot = append(mayNot, name)
		}
	}
	switch {
	case len(may)+len(mayNot) == 0:
		return "Too few items have labels of two annotators to test whether the judge may replace an annotator."
	case len(mayNot) == 0:
		return fmt.Sprintf("The judge may replace an annotator for %s; ε = %s.", joinNames(may), formatValue(epsilon))
	case len(may) == 0:
		return fmt.Sprintf("The judge may not replace an annotator for %s; ε = %s.", joinNames(mayNot), formatValue(epsilon))
	}
	return fmt.Sprintf("The judge may replace an annotator for %s, not for %s; ε = %s.", joinNames(may), joinNames(mayNot), formatValue(epsilon))
}

// describeGain says what the labels are worth with the judge; empty without an estimate.
func (j Judge) describeGain() string {
	var equivalent, labels, items []int
	hasGain, isDrawn := false, false
	for _, f := range j.Fields {
		if e := f.Estimate; e.EquivalentLabels != nil {
			equivalent, labels, items = append(equivalent, int(*e.EquivalentLabels)), append(labels, e.Labels), append(items, e.Labels+e.Judgments)
			hasGain, isDrawn = hasGain || e.hasGain(), isDrawn || e.Design != nil
		}
	}
	switch {
	case len(equivalent) == 0:
		return ""
	case !hasGain:
		return "Its judgments make estimates hardly more precise."
	}
	precision := formatRange(equivalent, "labeled item")
	if slices.Min(equivalent) < slices.Max(equivalent) {
		precision += ", depending on the field"
	}
	if isDrawn {
		precision += ", if those were drawn at random"
	}
	return fmt.Sprintf("With the judge on %s, %s give the precision of %s.", formatRange(items, "item"), formatRange(labels, "labeled item"), precision)
}

// formatRange formats a count, or the range of several.
func formatRange(counts []int, noun string) string {
	if least := slices.Min(counts); least < slices.Max(counts) {
		return fmt.Sprintf("%s to %s", formatCount(least), pluralize(slices.Max(counts), noun))
	}
	return pluralize(counts[0], noun)
}
