package report

import (
	"fmt"
	"strings"
)

const judgeIntervalNote = "accounts for the sampling of items"

// Text returns the use in a few words.
func (u JudgeUse) Text() string {
	return map[JudgeUse]string{JudgeReplaces: "Can replace", JudgeSupports: "Can support", JudgeFails: "Not usable", JudgeUntested: "Not enough data"}[u]
}

// describe says what the judge can be used for, with the figures that it rests on.
func (f JudgeField) describe() string {
	switch f.Use {
	case JudgeReplaces:
		return fmt.Sprintf("The judge may replace an annotator: %s.", f.Alternative.describe())
	case JudgeSupports:
		if f.Alternative.WinningRate == nil {
			return joinSentences(fmt.Sprintf("Whether the judge may replace an annotator is not known: %s.", f.Alternative.Undefined), f.Estimate.describeGain())
		}
		return joinSentences(fmt.Sprintf("The judge may not replace an annotator: %s.", f.Alternative.describe()), f.Estimate.describeGain())
	case JudgeUntested:
		return fmt.Sprintf("Not enough data: %s.", f.Alternative.Undefined)
	}
	return joinSentences(fmt.Sprintf("The judge may not replace an annotator: %s.", f.Alternative.describe()), f.Estimate.describeGain())
}

// describe states the winning rate as a clause.
func (t AlternativeTest) describe() string {
	return fmt.Sprintf("it wins against %d of %s (ω = %s, ε = %s)", t.Wins(), pluralize(len(t.Annotators), "annotator"), formatValue(*t.WinningRate), formatValue(t.Epsilon))
}

// describeGain says how many labels the judge is worth.
func (e JudgeEstimate) describeGain() string {
	switch {
	case e.EquivalentLabels == nil:
		return fmt.Sprintf("There is no estimate with it: %s.", e.Undefined)
	case *e.EquivalentLabels < minJudgeGain*float64(e.Labels):
		return fmt.Sprintf("Its %s make estimates hardly more precise.", pluralize(e.Judgments, "further judgment"))
	}
	return fmt.Sprintf("With its judgments of %s, %s give the precision of %s.", pluralize(e.Judgments, "further item"), pluralize(e.Labels, "labeled item"), formatCount(int(*e.EquivalentLabels)))
}

// describeUse says for which fields the judge can be used.
func (j Judge) describeUse(titleOf map[string]string) string {
	titles := map[JudgeUse][]string{}
	for _, f := range j.Fields {
		titles[f.Use] = append(titles[f.Use], titleOf[f.Field])
	}
	var parts []string
	for _, use := range []JudgeUse{JudgeReplaces, JudgeSupports, JudgeFails, JudgeUntested} {
		if len(titles[use]) > 0 {
			parts = append(parts, fmt.Sprintf(useClauses[use], quoteTitles(titles[use])))
		}
	}
	return fmt.Sprintf("%s %s.", j.Name, strings.Join(parts, ", "))
}

var useClauses = map[JudgeUse]string{JudgeReplaces: "can replace an annotator on %s", JudgeSupports: "can support estimates on %s",
	JudgeFails: "cannot be used on %s", JudgeUntested: "is not tested enough on %s"}
