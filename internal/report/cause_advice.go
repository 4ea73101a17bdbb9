package report

import (
	"fmt"
	"slices"
	"strings"
)

// isAboutAnnotators reports whether the cause is answers of annotators, and not the question or the items.
func (c Cause) isAboutAnnotators() bool { return c.Annotator != "" || c.Kind == SwappedScale }

// hasAnnotatorCause reports whether annotators are the first cause of low agreement, so that they come
// before the question and before more labels.
func (v Verdict) hasAnnotatorCause() bool {
	return len(v.Causes) > 0 && v.Causes[0].isAboutAnnotators()
}

// causingAnnotators returns the annotators who are causes; none if it is unknown who is.
func (v Verdict) causingAnnotators() (names []string) {
	for _, c := range v.Causes {
		if c.Annotator != "" && !slices.Contains(names, c.Annotator) {
			names = append(names, c.Annotator)
		}
	}
	return names
}

// applyCauses lets the advice of a verdict follow from the first cause.
func (v *Verdict) applyCauses() {
	switch {
	case len(v.Causes) == 0:
	case v.hasAnnotatorCause() && v.IsUndecided():
		v.Message, v.MoreItems = v.undecidedByAnnotatorsText(), nil
		v.setOverlap(OverlapAskAnnotators, v.askBeforeLabelsText())
	case v.hasAnnotatorCause():
		v.replaceAction(v.askText())
		if v.IsInterpretable() {
			v.setOverlap(OverlapAskAnnotators, v.askBeforeLabelsText())
		}
	case v.Causes[0].Kind == OneRecord:
		v.replaceAction(readRecordText(v.Causes[0].Record))
	}
}

// replaceAction replaces the advice on the question at the end of the message.
func (v *Verdict) replaceAction(action string) {
	for _, old := range []string{reviseActionText, rewriteActionText, dominantActionText, addVariedItemsText} {
		if rest, ok := strings.CutSuffix(v.Message, old); ok {
			v.Message = rest + action
		}
	}
}

// nextStep returns what to do about a field that does not meet the target: what its first cause asks
// for, or else what the verdict does.
func (f FieldReport) nextStep() NextStep {
	v := f.Verdict
	if names := v.causingAnnotators(); len(names) > 0 && v.hasAnnotatorCause() {
		return NextStep{Kind: StepSeeAnnotator, Subject: names[0], Text: seeAnnotatorText(names[0])}
	}
	read := NextStep{Kind: StepReadDisagreements, Subject: f.Key}
	switch {
	case v.hasAnnotatorCause():
		read.Text = askEndsStepText(f.Title)
	case len(v.Causes) > 0 && v.Causes[0].Kind == OneRecord:
		read.Text = readRecordStepText(v.Causes[0].Record, f.Title)
	case v.Outcome == DominantAnswer && strings.HasSuffix(v.Message, dominantActionText):
		read.Text = dominantStepText(f.Title)
	case v.Outcome == NoVariation || v.Outcome == DominantAnswer:
		return NextStep{Kind: StepAddItems, Text: addItemsText}
	case v.Outcome == Rewrite:
		read.Text = rewriteStepText(f.Title)
	case v.Outcome == ConstantAnnotator && len(v.ConstantAnnotators) > 0:
		return NextStep{Kind: StepSeeAnnotator, Subject: v.ConstantAnnotators[0], Text: seeAnnotatorText(v.ConstantAnnotators[0])}
	case v.Outcome == NotEnoughData && v.Overlap != OverlapAtLimit:
		return NextStep{Kind: StepLabelMore, Text: labelMoreText}
	default:
		read.Text = reviseStepText(f.Title)
	}
	return read
}

// The advice that a cause can replace.
const (
	reviseActionText   = "Discuss the disagreements with the annotators and make the anchors more specific."
	rewriteActionText  = "Annotators read this question differently: rewrite it."
	dominantActionText = "Read the disagreements, and add items on which the answers should differ."
	addVariedItemsText = "Add items on which the answers should differ."
)

// nameCausing names the annotators who are causes, of many the first ones.
func (v Verdict) nameCausing() string {
	names := v.causingAnnotators()
	if len(names) == 0 {
		return "the annotators"
	}
	return nameSome(names)
}

// nameSome names annotators, of many the first ones.
func nameSome(names []string) string {
	if more := len(names) - maxNamedAnnotators; more > 0 {
		names = append(names[:maxNamedAnnotators:maxNamedAnnotators], fmt.Sprintf("%d more", more))
	}
	return joinNames(names)
}

func (v Verdict) askText() string {
	if len(v.causingAnnotators()) == 0 {
		return "Ask the annotators how they read the ends of the scale before you change the question."
	}
	return fmt.Sprintf("Talk to %s before you change the question.", v.nameCausing())
}

func (v Verdict) askBeforeLabelsText() string {
	return fmt.Sprintf("Talk to %s before more items are labeled.", v.nameCausing())
}

// undecidedByAnnotatorsText explains why κ gives no answer where annotators are the cause.
func (v Verdict) undecidedByAnnotatorsText() string {
	reason := map[CauseKind]string{OneAnnotator: "lowers it", ConstantAnswers: "gave every shared item the same answer",
		SwappedScale: "answers against the others"}[v.Causes[0].Kind]
	if name := v.Causes[0].Annotator; name != "" {
		reason = name + " " + reason
	} else {
		reason = "annotators answer against each other"
	}
	return fmt.Sprintf("κ cannot decide, because %s: %s. %s", reason, v.kappaClause(), v.askText())
}

func readRecordText(record string) string {
	return fmt.Sprintf("Read the disagreement on %s before you change the question.", record)
}

func dominantStepText(title string) string {
	return fmt.Sprintf("Read the disagreements on “%s”, and add items on which the answers should differ.", title)
}

func readRecordStepText(record, title string) string {
	return fmt.Sprintf("Read the disagreement on %s before you change “%s”.", record, title)
}

func askEndsStepText(title string) string {
	return fmt.Sprintf("Read the disagreements on “%s”, then ask the annotators how they read the ends of the scale.", title)
}
