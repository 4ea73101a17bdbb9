package report

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// describeTests says for which fields the judge may replace an annotator.
func (j Judge) describeTests(titleOf map[string]string) string {
	var may, mayNot, unclear, questioned []string
	epsilon := 0.0
	for _, f := range j.Fields {
		t := f.Alternative
		if t.WinningRate == nil {
			continue
		}
		epsilon = t.Epsilon
		name := fmt.Sprintf("“%s” (ω = %s)", titleOf[f.Field], study.FormatValue(*t.WinningRate))
		switch {
		case f.Use == JudgeReplaces:
			may = append(may, name)
		case t.Obstacle == judge.DependsOnAnnotators, t.Obstacle == judge.UnreliableAnswers:
			questioned = append(questioned, fmt.Sprintf("“%s” (%s)", titleOf[f.Field], t.ShortReason))
		case t.Obstacle.LacksData():
			unclear = append(unclear, name)
		case t.Obstacle != "":
			mayNot = append(mayNot, fmt.Sprintf("“%s” (ω = %s, but %s)", titleOf[f.Field], study.FormatValue(*t.WinningRate), t.ShortReason))
		default:
			mayNot = append(mayNot, name)
		}
	}
	var text string
	switch {
	case len(may)+len(mayNot)+len(unclear)+len(questioned) == 0:
		return "Too few items have an answer of the judge and labels of two annotators to test whether the judge may replace an annotator."
	case len(may)+len(mayNot)+len(questioned) == 0:
		return fmt.Sprintf("Whether the judge may replace an annotator for %s is not known: that needs more labels; ε = %s.", joinNames(unclear), study.FormatValue(epsilon))
	case len(may)+len(mayNot) == 0:
		text = "Whether the judge may replace an annotator is not known for " + joinNames(questioned)
	case len(mayNot) == 0:
		text = "The judge may replace an annotator for " + joinNames(may)
	case len(may) == 0:
		text = "The judge may not replace an annotator for " + joinNames(mayNot)
	default:
		text = fmt.Sprintf("The judge may replace an annotator for %s, not for %s", joinNames(may), joinNames(mayNot))
	}
	if len(questioned) > 0 && len(may)+len(mayNot) > 0 {
		text += "; not known for " + joinNames(questioned)
	}
	if len(unclear) > 0 {
		text += "; more labels are needed for " + joinNames(unclear)
	}
	return fmt.Sprintf("%s; ε = %s.", text, study.FormatValue(epsilon))
}

// lacksRecords reports whether more records could show that the judge may replace an annotator.
func (j Judge) lacksRecords() bool {
	return slices.ContainsFunc(j.Fields, func(f JudgeField) bool { return f.Alternative.Obstacle == judge.FewRecords })
}

// hasUnlabeled reports whether the judge has answered an item without labels of two annotators.
func (j Judge) hasUnlabeled() bool {
	return slices.ContainsFunc(j.Fields, func(f JudgeField) bool { return f.HumanHuman.Items < f.Estimate.Labels+f.Estimate.Judgments })
}

// describeGain says what the labels are worth with the judge; empty without an estimate.
func (j Judge) describeGain(titleOf map[string]string) string {
	var equivalent, labels, items []int
	var useless []string
	isDrawn, isLessPrecise := false, false
	for _, f := range j.Fields {
		switch e := f.Estimate; {
		case e.hasGain():
			equivalent, labels, items = append(equivalent, int(*e.EquivalentLabels)), append(labels, e.Labels), append(items, e.Labels+e.Judgments)
			isDrawn = isDrawn || e.Design != nil
		case e.EquivalentLabels != nil:
			useless, isLessPrecise = append(useless, titleOf[f.Field]), isLessPrecise || e.isLessPrecise()
		}
	}
	switch {
	case len(equivalent)+len(useless) == 0:
		return ""
	case len(equivalent) == 0 && isLessPrecise:
		return lossText
	case len(equivalent) == 0:
		return noGainText
	}
	precision := formatRange(equivalent, "labeled item")
	if slices.Min(equivalent) < slices.Max(equivalent) {
		precision += ", depending on the field"
	}
	if isDrawn {
		precision += ", if those were chosen in the same way"
	}
	if len(useless) > 0 {
		precision += "; it adds nothing on " + quoteTitles(useless)
	}
	return fmt.Sprintf("With the judge on %s, %s give the precision of %s.", formatRange(items, "item"), formatRange(labels, "labeled item"), precision)
}

// formatRange formats a count, or the range of several.
func formatRange(counts []int, noun string) string {
	if least := slices.Min(counts); least < slices.Max(counts) {
		return fmt.Sprintf("%s to %s", study.FormatCount(least), study.Pluralize(slices.Max(counts), noun))
	}
	return study.Pluralize(counts[0], noun)
}
