package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

const (
	smallJudgedGroupText = "a group has too few labels of items that the judge has answered to be shown"
	noGroupAnswersText   = "the judge gave no answers to items of a group"
	noDrawnLabelText     = "items of a group could be drawn, but none of its drawn items has a label yet"
)

// QuestionedText names the annotators whose answers are in question, of many the first ones.
func (d *JudgeDifference) QuestionedText() string { return nameSome(d.Questioned) }

// describe returns what the estimates of a difference show.
func (d *JudgeDifference) describe(comparisons int) string {
	source := "with the judge"
	if d.isLabelsAlone() {
		source = "from the labels alone"
	}
	with := d.WithJudge.describeWith(source)
	if d.Without != nil && d.Without.WithJudge.Value != nil {
		with += "; " + d.Without.WithJudge.describeWith("without "+nameSome(d.Questioned))
	}
	switch d.Conclusion {
	case Higher, Lower:
		return joinSentences(fmt.Sprintf("“%s” scores %s than “%s”: %s.", d.Value, d.Conclusion, d.Baseline, with), cmp.Or(warnUnreliable(d.unreliable), d.describeLabels()))
	case DependsOnAnnotators:
		if d.Without.WithJudge.Value == nil {
			return fmt.Sprintf("No conclusion, because nearly all answers in one of the groups are those of %s, which are in question: %s.", nameSome(d.Questioned), with)
		}
		return fmt.Sprintf("%s: %s. Look at the answers of %s before you draw a conclusion.", describeDependence(d.Value, d.Baseline, d.Questioned, d.concludeFromAll(), d.Without.Conclusion), with, nameSome(d.Questioned))
	case UnreliableAnswers:
		return fmt.Sprintf("No conclusion, because %s: %s.", d.unreliable, with)
	case Confounded:
		reason := "no annotators link the groups"
		if d.isUneven {
			reason = "annotators labeled different shares of the groups"
		}
		return fmt.Sprintf("“%s” scores %s than “%s”: %s. But %s, so more lenient annotators would look the same: let the same annotators label both.", d.Value, d.direction(), d.Baseline, with, reason)
	case NotAfterHolm:
		if p := *d.WithJudge.P; p > maxHolmP {
			return fmt.Sprintf("%s. The interval excludes 0, but the p-value is %s: too close for a conclusion.", capitalize(with), FormatP(p))
		}
		return fmt.Sprintf("%s. The interval excludes 0, but among %s that can happen by chance (adjusted p %s).", capitalize(with), study.Pluralize(comparisons, "comparison"), d.WithJudge.PText())
	case NoDifferenceShown:
		low, high := *d.WithJudge.Low, *d.WithJudge.High
		if d.Without != nil && d.Without.WithJudge.Low != nil {
			low, high = min(low, *d.Without.WithJudge.Low), max(high, *d.Without.WithJudge.High)
		}
		return fmt.Sprintf("No difference is shown: %s. Differences between %s and %s remain possible.", with, study.FormatSigned(low), study.FormatSigned(high))
	}
	if d.LabelsAlone.Low == nil {
		return fmt.Sprintf("No estimate: %s.", d.Undefined)
	}
	return fmt.Sprintf("No estimate with the judge: %s. %s.", d.Undefined, capitalize(d.LabelsAlone.describeWith("from the labels alone")))
}

// isLabelsAlone reports whether the judge is used in neither group.
func (d *JudgeDifference) isLabelsAlone() bool {
	return d.GainUndefined == judge.FewRarerOfGroup.Text() && d.WithJudge.Value != nil && d.LabelsAlone.Value != nil && *d.WithJudge.Value == *d.LabelsAlone.Value
}

func (d *JudgeDifference) direction() Conclusion {
	if d.WithJudge.side() > 0 {
		return Higher
	}
	return Lower
}

// describeLabels says whether the labels alone show a difference, too.
func (d *JudgeDifference) describeLabels() string {
	switch {
	case d.LabelsAlone.Value == nil, d.isLabelsAlone():
		return ""
	case d.isShownAlone():
		return fmt.Sprintf("The labels alone show it, too: %s.", d.LabelsAlone.describeWith(""))
	}
	return fmt.Sprintf("The labels alone do not show it: %s.", d.LabelsAlone.describeWith(""))
}

// describeWith states an estimate with what it is from.
func (e *DifferenceEstimate) describeWith(source string) string {
	text := strings.TrimSuffix(e.Signed()+" "+source, " ")
	if e.Low == nil {
		return text
	}
	return fmt.Sprintf("%s (95%% CI %s)", text, e.SignedRange())
}

// setTexts says what the differences of all groups from the baseline show with the judge.
func (c *JudgeComparison) setTexts(titleOf map[string]string) {
	var texts []string
	groups := c.Groups()
	for _, value := range groups {
		isShown := slices.ContainsFunc(c.Of(value), func(d JudgeDifference) bool { return d.isShown() })
		if len(groups) <= maxSummaryGroups || isShown {
			texts = append(texts, c.describeGroup(value, titleOf))
		}
	}
	if len(texts) == 0 {
		texts = []string{c.describeNone()}
	}
	c.Message, c.Notes = texts[0], keepTexts(append(texts[1:], c.describeShown())...)
}

// Groups returns the groups that are compared with the baseline.
func (c *JudgeComparison) Groups() (values []string) {
	for _, d := range c.Differences {
		if d.Field == c.Differences[0].Field {
			values = append(values, d.Value)
		}
	}
	return values
}

// Of returns the differences of a group from the baseline, by field.
func (c *JudgeComparison) Of(value string) (list []JudgeDifference) {
	for _, d := range c.Differences {
		if d.Value == value {
			list = append(list, d)
		}
	}
	return list
}

// describeGroup names the fields on which a group differs from the baseline, and in a second sentence
// those on which it cannot be compared.
func (c *JudgeComparison) describeGroup(value string, titleOf map[string]string) string {
	fields, baseline := map[Conclusion][]string{}, c.Differences[0].Baseline
	var notJudged []string
	for _, d := range c.Of(value) {
		if d.Conclusion == NoInterval && !d.IsJudged() {
			notJudged = append(notJudged, titleOf[d.Field])
		} else {
			fields[d.Conclusion] = append(fields[d.Conclusion], titleOf[d.Field])
		}
	}
	var parts []string
	for _, direction := range []Conclusion{Higher, Lower} {
		if len(fields[direction]) > 0 {
			parts = append(parts, fmt.Sprintf("%s than “%s” on %s", direction, baseline, quoteTitles(fields[direction])))
		}
	}
	var clauses, exceptions []string
	if len(parts) > 0 {
		clauses = append(clauses, fmt.Sprintf("with the judge, “%s” scores %s", value, strings.Join(parts, " and ")))
	}
	if unclear := append(append([]string{}, fields[NoDifferenceShown]...), fields[NotAfterHolm]...); len(unclear) > 0 {
		if len(unclear) == len(c.Of(value)) {
			clauses = append(clauses, fmt.Sprintf("with the judge, no clear difference between “%s” and “%s” is shown", value, baseline))
		} else {
			clauses = append(clauses, fmt.Sprintf("no clear difference of “%s” from “%s” is shown on %s", value, baseline, quoteTitles(unclear)))
		}
	}
	if names := fields[DependsOnAnnotators]; len(names) > 0 {
		exceptions = append(exceptions, fmt.Sprintf("on %s, it depends on the answers of questioned annotators whether “%s” and “%s” differ", quoteTitles(names), value, baseline))
	}
	if names := fields[UnreliableAnswers]; len(names) > 0 {
		exceptions = append(exceptions, fmt.Sprintf("on %s, the answers are too unreliable to compare “%s” and “%s”", quoteTitles(names), value, baseline))
	}
	if names := fields[Confounded]; len(names) > 0 {
		exceptions = append(exceptions, fmt.Sprintf("on %s, “%s” and “%s” differ, but so do their annotators", quoteTitles(names), value, baseline))
	}
	if names := fields[NoInterval]; len(names) > 0 {
		exceptions = append(exceptions, fmt.Sprintf("on %s, “%s” and “%s” cannot be compared with the judge", quoteTitles(names), value, baseline))
	}
	if len(notJudged) > 0 {
		exceptions = append(exceptions, fmt.Sprintf("the judge gave no answers on %s: compare the labels there", quoteTitles(notJudged)))
	}
	return joinSentences(joinClauses(clauses), joinClauses(exceptions))
}

// describeShown says how many of the differences that are shown with the judge the labels alone show.
func (c *JudgeComparison) describeShown() string {
	shown, alone := 0, 0
	for _, d := range c.Differences {
		if d.isShown() {
			shown++
			alone += study.BoolToInt(d.isShownAlone())
		}
	}
	switch {
	case shown == 0:
		return ""
	case shown == 1:
		return "The labels alone " + map[bool]string{true: "show this difference, too.", false: "do not show this difference."}[alone == 1]
	}
	return fmt.Sprintf("The labels alone show %d of these %d differences.", alone, shown)
}

// describeNone says that no comparison with the judge shows a difference.
func (c *JudgeComparison) describeNone() string {
	made := 0
	for _, d := range c.Differences {
		made += study.BoolToInt(d.WithJudge.Low != nil)
	}
	if made == 0 {
		return "With the judge, no comparison could be made."
	}
	return fmt.Sprintf("With the judge, none of %s shows a difference.", study.Pluralize(made, "comparison"))
}

// LabelCounts returns the labeled items of the group and of the baseline, such as "60 and 58".
func (d *JudgeDifference) LabelCounts() string {
	if !d.IsJudged() {
		return NotJudged
	}
	return d.GroupItems.text(d.GroupItems.Labels) + " and " + d.BaselineItems.text(d.BaselineItems.Labels)
}

// text returns a number of items, or that there is none because the judge answered no item.
func (c JudgedCount) text(n int) string {
	if !c.isJudged() {
		return study.Missing
	}
	return study.FormatCount(n)
}

// JudgmentCounts returns the items that only the judge has answered, in the same way.
func (d *JudgeDifference) JudgmentCounts() string {
	if !d.IsJudged() {
		return study.Missing
	}
	return d.GroupItems.text(d.GroupItems.Judgments) + " and " + d.BaselineItems.text(d.BaselineItems.Judgments)
}

// EquivalentText returns the labels that give the same precision without the judge.
func (d *JudgeDifference) EquivalentText() string {
	return equivalentText(d.EquivalentLabels, d.BaselineItems.Labels+d.GroupItems.Labels)
}

// Note says why there is no estimate with the judge, or why it is that of the labels alone.
func (d *JudgeDifference) Note() string { return judgeNote(d.Undefined, d.GainUndefined) }
