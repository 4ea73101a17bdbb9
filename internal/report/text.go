package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// Text returns the outcome in a few words.
func (o Outcome) Text() string {
	return map[Outcome]string{Go: "Go ahead", Revise: "Revise", Rewrite: "Rewrite", NotEnoughData: "Not enough data",
		NoVariation: "No variation", DominantAnswer: "One answer dominates", ConstantAnnotator: "Constant annotator"}[o]
}

// ShortText returns the outcome in a few words, and whether it is uncertain; where annotators are the
// cause, that, because an outcome names what to do about the question.
func (v Verdict) ShortText() string {
	if v.hasAnnotatorCause() && (v.IsInterpretable() || v.Outcome == NotEnoughData) {
		return v.shortCauseText()
	}
	if v.IsConclusive || !v.IsInterpretable() {
		return v.Outcome.Text()
	}
	return v.Outcome.Text() + " (uncertain)"
}

// shortCauseText names in a few words how annotators lower agreement.
func (v Verdict) shortCauseText() string {
	switch n := len(v.causingAnnotators()); {
	case n == 0:
		return "Swapped scale"
	case n == 1:
		return "One annotator"
	default:
		return fmt.Sprintf("%d annotators", n)
	}
}

// describe explains an outcome that rests on κ, in at most two sentences: how agreement compares with the
// target, κ with its interval and number of items, and what to do.
func (v Verdict) describe() string {
	if v.Outcome == NotEnoughData {
		return fmt.Sprintf("Not enough data for a verdict: %s%s.", v.kappaClause(), v.describeChances())
	}
	action := map[Outcome]string{Go: "Go ahead.", Revise: reviseActionText, Rewrite: rewriteActionText}[v.Outcome]
	if !v.IsConclusive {
		start := fmt.Sprintf("is most likely between %s and the target of %s", study.FormatTarget(v.rewriteLimit()), study.FormatTarget(v.Target))
		switch {
		case v.isPerhapsAtTarget():
			start = fmt.Sprintf("is close to the target of %s", study.FormatTarget(v.Target))
		case v.isPerhapsFarBelow():
			start = fmt.Sprintf("is below the target of %s, and perhaps below %s", study.FormatTarget(v.Target), study.FormatTarget(v.rewriteLimit()))
		}
		return fmt.Sprintf("Agreement %s: %s%s. %s", start, v.kappaClause(), v.describeChances(), action)
	}
	level := map[Outcome]string{Go: "meets", Revise: "is below", Rewrite: "is far below"}[v.Outcome]
	return fmt.Sprintf("Agreement %s the target of %s: %s, and %s. %s", level, study.FormatTarget(v.Target), v.kappaClause(), v.describeInterval(), action)
}

// kappaClause states κ with its interval and the number of items that it comes from.
func (v Verdict) kappaClause() string {
	if v.Kappa.Low == nil {
		return fmt.Sprintf("κ is %s (%s)", v.Kappa.Text(), study.Pluralize(v.shared, "shared item"))
	}
	return fmt.Sprintf("κ is %s (95%% CI %s, %s)", v.Kappa.Text(), v.Kappa.Range(), study.Pluralize(v.shared, "shared item"))
}

func (v Verdict) describeKappa() string { return v.kappaClause() + "." }

// describeChances continues a clause on κ with the probabilities of the outcomes at both ends.
func (v Verdict) describeChances() string {
	if v.GoProbability == nil {
		return ""
	}
	return fmt.Sprintf(", with a probability of %s to reach the target of %s and of %s to be below %s",
		formatChance(*v.GoProbability), study.FormatTarget(v.Target), formatChance(*v.RewriteProbability), study.FormatTarget(v.rewriteLimit()))
}

// describeInterval says as a clause why the outcome is certain enough.
func (v Verdict) describeInterval() string {
	low, high := v.Kappa.Low, v.Kappa.High
	switch {
	case v.Outcome == Go && low != nil && *low >= v.Target:
		return "the whole interval is above the target"
	case v.Outcome == Go:
		return fmt.Sprintf("the probability that it reaches the target is %s", formatChance(*v.GoProbability))
	case v.Outcome == Rewrite && high != nil && *high < v.rewriteLimit():
		return fmt.Sprintf("the whole interval is below %s", study.FormatTarget(v.rewriteLimit()))
	case v.Outcome == Rewrite:
		return fmt.Sprintf("the probability that it is below %s is %s", study.FormatTarget(v.rewriteLimit()), formatChance(*v.RewriteProbability))
	case v.isBetweenLimits():
		return fmt.Sprintf("the whole interval is between %s and the target", study.FormatTarget(v.rewriteLimit()))
	}
	return fmt.Sprintf("the probability that it is between %s and the target is %s", study.FormatTarget(v.rewriteLimit()), formatChance(1-*v.GoProbability-*v.RewriteProbability))
}

// ChanceText states in a few words the probability that a certain outcome rests on, such as
// “93% probable to reach 0.40”; empty if the whole interval agrees with the outcome, or without one.
func (v Verdict) ChanceText() string {
	low, high := v.Kappa.Low, v.Kappa.High
	if !v.IsConclusive || v.GoProbability == nil {
		return ""
	}
	switch {
	case v.Outcome == Go && (low == nil || study.IsBelow(*low, v.Target)):
		return fmt.Sprintf("%s probable to reach %s", formatChance(*v.GoProbability), study.FormatTarget(v.Target))
	case v.Outcome == Rewrite && (high == nil || !study.IsBelow(*high, v.rewriteLimit())):
		return fmt.Sprintf("%s probable to be below %s", formatChance(*v.RewriteProbability), study.FormatTarget(v.rewriteLimit()))
	case v.Outcome == Revise && !v.isBetweenLimits():
		return fmt.Sprintf("%s probable between %s and %s", formatChance(1-*v.GoProbability-*v.RewriteProbability), study.FormatTarget(v.rewriteLimit()), study.FormatTarget(v.Target))
	}
	return ""
}

// formatChance formats a probability, rounded towards 50%, so that it does not look more
// certain than it is.
func formatChance(p float64) string {
	switch percent := 100 * p; {
	case percent < 1:
		return "less than 1%"
	case percent > 99:
		return "more than 99%"
	case percent > 50:
		return fmt.Sprintf("%.0f%%", math.Floor(percent))
	default:
		return fmt.Sprintf("%.0f%%", math.Ceil(percent))
	}
}

// describeIntervals says what the intervals of a report account for.
func (r Report) describeIntervals() string {
	units := "items"
	if r.Counts.hasRecords {
		units = "records"
	}
	text := fmt.Sprintf("Intervals are 95%% confidence intervals; resamples have the seed %d. They account for the sampling of %s, not of annotators", r.Seed, units)
	if r.Breakdown != nil && r.Breakdown.Tested > 0 {
		text += "; those of differences between groups account for both"
	}
	return text + "."
}

// kappaExplanation explains the figures of agreement.
const kappaExplanation = "κ is agreement beyond chance: 1 is full agreement, 0 is no better than chance. α and AC measure the same in other ways."

func notEnoughDataText(shared int) string {
	items := "No item has"
	if shared > 0 {
		items = map[bool]string{true: "1 item has", false: study.FormatCount(shared) + " items have"}[shared == 1]
	}
	return fmt.Sprintf("%s labels from at least two annotators, and a verdict needs %d.", items, minSharedItems)
}

func noVariationText(reason string) string {
	return joinSentences("No verdict.", study.Sentence(reason))
}

func (v Verdict) dominantAnswerText(a dominantAnswer) string {
	action := dominantActionText
	if a.hasOneDisagreement() {
		action = addVariedItemsText
	}
	return fmt.Sprintf("κ cannot decide, because %s of the answers to shared items are %d: %s, and %s. %s",
		study.FormatPercent(a.share), a.value, v.kappaClause(), a.describeOthers(), action)
}

// describeOthers says on how many of the items with another answer annotators agree.
func (a dominantAnswer) describeOthers() string {
	if a.others == 0 {
		return "no item has another answer"
	}
	if a.others == 1 {
		return map[bool]string{true: "annotators agree", false: "annotators disagree"}[a.agreed == 1] + " on the only item with another answer"
	}
	return fmt.Sprintf("annotators agree on %d of the %d items with another answer", a.agreed, a.others)
}

func (v Verdict) fewOtherItemsText(a dominantAnswer) string {
	have := "shared items have"
	switch {
	case a.areRecords && a.otherUnits == 1:
		have = "record with shared items has"
	case a.areRecords:
		have = "records with shared items have"
	case a.otherUnits == 1:
		have = "shared item has"
	}
	return fmt.Sprintf("κ cannot decide, because only %d %s another answer than %d and a verdict needs %d: %s. %s",
		a.otherUnits, have, a.value, minGoItems, v.kappaClause(), addVariedItemsText)
}

func (v Verdict) constantAnnotatorText(f FieldReport, q fieldTable, constant []string) string {
	var answers []string
	for i, name := range constant {
		value := q.Table.Paired().UsedValues(name)[0]
		if i == 0 {
			answers = append(answers, fmt.Sprintf("%s gave the answer %d", name, value))
		} else {
			answers = append(answers, fmt.Sprintf("%s the answer %d", name, value))
		}
	}
	return fmt.Sprintf("κ cannot decide, because %s to every shared item: %s, and percent agreement is %s. Ask about it before you change the question.",
		joinNames(answers), v.kappaClause(), f.Figure("percent_agreement", "").Percent())
}

// riseText ends the sentence on an annotator without whom κ is shown to rise.
const riseText = "a significant rise."

// oneAnnotatorText names the annotator without whom κ is shown to rise, with both figures.
func (v Verdict) oneAnnotatorText(name string, without float64, isConstant, isSwapped bool) string {
	text := fmt.Sprintf("Without %s, κ is %s instead of %s, %s", name, v.Kappa.FormatBound(without), v.Kappa.Text(), riseText)
	switch {
	case isConstant:
		text += fmt.Sprintf(" %s gave every shared item the same answer.", name)
	case isSwapped:
		text += fmt.Sprintf(" %s answers against the others: ask whether the ends of the scale were mistaken for each other.", name)
	}
	return text
}

func constantCauseText(name string, value int) string {
	return fmt.Sprintf("%s gave every shared item the answer %d, so κ with this annotator is 0 whatever the others answer.", name, value)
}

func swappedCauseText(name string) string {
	return fmt.Sprintf("%s answers against the others: κ with them is below 0. Ask whether the ends of the scale were mistaken for each other.", name)
}

func (v Verdict) oneRecordText(record string, without float64) string {
	return fmt.Sprintf("κ is %s; without %s alone it is %s. Read the disagreement on it.", v.Kappa.Text(), record, v.Kappa.FormatBound(without))
}

func prevalenceCauseText(f FieldReport, a dominantAnswer) string {
	return fmt.Sprintf("%s of the answers to shared items are %d, which can make κ low even if annotators agree: percent agreement is %s, and %s. See the agreement on each answer.",
		study.FormatPercent(a.share), a.value, f.Figure("percent_agreement", "").Percent(), a.describeOthers())
}

// Text describes the boundary that separates the most answers.
func (b Boundary) Text() string {
	return fmt.Sprintf("Disagreements are most frequent across the boundary between %d and %d: %s.", b.Lower, b.Upper, study.Pluralize(b.Pairs, "pair")+" of answers")
}

// The steps of a report.
const (
	stepDisagreements = "disagreements"
	stepRaterEffects  = "rater effects"
	stepGroups        = "group comparison"
	stepMetrics       = "metrics and model judges"
)

func stepAgreement(field string) string { return "agreement on “" + field + "”" }
func stepOverlap(field string) string   { return "overlap on “" + field + "”" }
func stepPairs(field string) string     { return "pairs and trends on “" + field + "”" }
func stepAnnotator(name string) string  { return "results of " + name }

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
