package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/report/study"
)

const (
	enoughText      = "Enough overlap: more labels of the same kind would hardly change the verdict."
	variedItemsText = "More overlap helps only with items on which the answers can differ."
	sameItemsText   = "More overlap of the same kind does not help: κ needs items on which the answers differ."
	// constantAnswersText is the advice where an annotator always answers the same.
	constantAnswersText = "More overlap does not help as long as an annotator gives every item the same answer."
)

func missingItemsText(n int) string {
	return fmt.Sprintf("Get labels of two annotators on at least %s.", study.Pluralize(n, "more item"))
}

func (v Verdict) unknownUncertaintyText() string {
	if v.Kappa.Low != nil {
		return "The uncertainty of κ is unknown: both ends of its interval are equal."
	}
	return fmt.Sprintf("κ has no interval, because %s.", v.Kappa.IntervalNote)
}

// atLimitText says what more items would not decide soon, or how many could be needed for that; nil: unknown, or more than would be
// advised.
func (v Verdict) atLimitText(needed *int) string {
	soon := "More overlap will not decide soon"
	if needed != nil {
		soon = fmt.Sprintf("Up to %s could be needed to decide", study.Pluralize(*needed, "further shared item"))
	}
	switch {
	case v.isPerhapsAtTarget() && needed != nil:
		return soon + " whether agreement meets the target: until then, take it as below."
	case v.isPerhapsAtTarget():
		return soon + " whether agreement meets the target: take it as below."
	case v.isPerhapsFarBelow():
		return fmt.Sprintf("%s whether agreement is below %s: the disagreements show whether to rewrite the question or to revise it.", soon, study.FormatTarget(v.rewriteLimit()))
	}
	return "Agreement is most likely below the target, but not far below, and more overlap will hardly change that."
}

// advice says how many more items would decide a verdict.
func (m MoreItems) advice() string {
	if m.High == nil {
		return fmt.Sprintf("Not enough overlap: it would take %s or many more to decide, because agreement may be close to a limit.", study.Pluralize(m.Low, "more shared item"))
	}
	if *m.High <= m.Low {
		return fmt.Sprintf("Not enough overlap: about %s would decide it.", study.Pluralize(m.Low, "more shared item"))
	}
	return fmt.Sprintf("Not enough overlap: %s to %s would decide it, at the agreement that is plausible now.", study.FormatCount(m.Low), study.Pluralize(*m.High, "more shared item"))
}

func uncertainAgainText(a InterimAnalysis, advice string) string {
	return joinSentences(fmt.Sprintf("At %s the verdict was “%s”, but with the labels since then it is uncertain again.", study.Pluralize(a.Items, "shared item"), a.Outcome.Text()), advice)
}

func enoughAtText(a InterimAnalysis) string {
	return fmt.Sprintf("Enough overlap: this verdict was clear at %s already, and more labels would hardly change it.", study.Pluralize(a.Items, "shared item"))
}

func enoughBeforeText(a InterimAnalysis) string {
	return fmt.Sprintf("Almost enough overlap: this verdict was clear at %s, but is less certain with the labels since then. See agreement over time.", study.Pluralize(a.Items, "shared item"))
}

func outcomeChangedText(a InterimAnalysis) string {
	return fmt.Sprintf("At %s the verdict was “%s”, and it has changed since. See agreement over time.", study.Pluralize(a.Items, "shared item"), a.Outcome.Text())
}

// almostEnoughText says when the next check is, unless the question should be changed before.
func (v Verdict) almostEnoughText(next int) string {
	if v.Outcome != Go {
		return "Almost enough overlap: this verdict is probable, but repeated checks need more certainty. Read the disagreements first."
	}
	return fmt.Sprintf("Almost enough overlap: this verdict is probable, but repeated checks need more certainty. The next check is at %s.", study.Pluralize(next, "shared item"))
}
