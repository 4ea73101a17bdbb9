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
	judgeIntervalNote = "accounts for the sampling of items"
	smallDesignNote   = "the effective sample size is below 15, or all answers are the same"
	fewRecordsNote    = "an interval needs items of at least 15 records, and differences that vary"
)

// PointBiasNote says how bias by consensus value can mislead.
const PointBiasNote = "A consensus of answers with errors is itself wrong at the ends of the scale, which pulls this bias toward the middle even for a perfect judge."

// Text returns the use in a few words.
func (u JudgeUse) Text() string {
	return map[JudgeUse]string{JudgeReplaces: "May replace", JudgeSupports: "Supports estimates", JudgeNoReplacement: "May not replace", JudgeFails: "Not usable", JudgeUntested: "Not enough data"}[u]
}

// Definition says in a sentence what the use means; empty where its text says it.
func (u JudgeUse) Definition() string {
	return map[JudgeUse]string{
		JudgeReplaces:      "May replace: the judge is as close to the other annotators as an annotator is, within a tolerance.",
		JudgeSupports:      "Supports estimates: means from labels and the judge together are more precise than from labels alone.",
		JudgeNoReplacement: "May not replace: the judge did not pass a test that it must pass to replace an annotator.",
		JudgeFails:         "Not usable: the judge may not replace an annotator, and is not shown to make means more precise.",
	}[u]
}

// UseDefinitions say what the uses of judges mean, each once.
func (r Report) UseDefinitions() (texts []string) {
	for _, u := range []JudgeUse{JudgeReplaces, JudgeSupports, JudgeNoReplacement, JudgeFails} {
		if _, ok := r.judgedField(func(f JudgeField) bool { return f.Use == u && !f.hasNoAnswers() }); ok {
			texts = append(texts, u.Definition())
		}
	}
	return texts
}

// NotJudged marks figures of a field to which a judge gave no answers.
const NotJudged = "Not judged"

// UseText returns the use in a few words.
func (f JudgeField) UseText() string {
	switch {
	case f.hasNoAnswers():
		return NotJudged
	case f.Use == JudgeUntested && !f.Alternative.hasStandard():
		return "Annotators disagree"
	}
	return f.Use.Text()
}

// hasStandard reports whether annotators agree enough for their answers to be a standard.
func (t AlternativeTest) hasStandard() bool { return t.Obstacle != judge.UnreliableAnswers }

// WinningRateText formats ω; missing without a standard, of which it would say something.
func (t AlternativeTest) WinningRateText() string {
	if !t.hasStandard() {
		return study.Missing
	}
	return study.Number{Value: t.WinningRate}.Text()
}

// AdvantageText formats ρ in the same way.
func (t AlternativeTest) AdvantageText() string {
	if !t.hasStandard() {
		return study.Missing
	}
	return study.Number{Value: t.AdvantageProbability}.Text()
}

// LabelsText returns the number of labeled items with an answer of the judge.
func (e JudgeEstimate) LabelsText() string {
	if e.Labels+e.Judgments == 0 {
		return NotJudged
	}
	return study.FormatCount(e.Labels)
}

// JudgmentsText returns the number of the other items with an answer of the judge.
func (e JudgeEstimate) JudgmentsText() string {
	if e.Labels+e.Judgments == 0 {
		return study.Missing
	}
	return study.FormatCount(e.Judgments)
}

// describe says what the judge can be used for, with the figures that it rests on.
func (f JudgeField) describe() string {
	switch o := f.Alternative.Obstacle; {
	case o == "":
	case o == judge.UnreliableAnswers:
		return joinSentences(fmt.Sprintf("The judge cannot be tested: %s.", f.Alternative.Reason), f.describeNextAction())
	case o.LacksData():
		return joinSentences(fmt.Sprintf("Whether the judge may replace an annotator is not known: %s, but %s.", f.Alternative.describe(), f.Alternative.Reason), f.describeNextAction())
	default:
		return joinSentences(fmt.Sprintf("The judge is not recommended to replace an annotator, although %s: %s.", f.Alternative.describe(), f.Alternative.Reason), f.describeNextAction())
	}
	switch f.Use {
	case JudgeReplaces:
		text := fmt.Sprintf("The judge may replace an annotator: %s.", f.Alternative.describe())
		if without := f.Alternative.Without; without != nil {
			text = fmt.Sprintf("The judge may replace an annotator: %s; %s.", f.Alternative.describe(), without.describe())
		}
		if f.Estimate.hasGain() {
			text = joinSentences(text, f.Estimate.describeGain())
		}
		return text
	case JudgeSupports:
		if f.Alternative.WinningRate == nil {
			return joinSentences(fmt.Sprintf("Whether the judge may replace an annotator is not known: %s.", f.Alternative.Undefined), f.Estimate.describeGain())
		}
		return joinSentences(fmt.Sprintf("The judge may not replace an annotator: %s.", f.Alternative.describe()), f.Estimate.describeGain())
	case JudgeNoReplacement:
		return fmt.Sprintf("The judge may not replace an annotator: %s. Whether it supports estimates is not known: %s.", f.Alternative.describe(), cmp.Or(f.Estimate.GainUndefined, f.Estimate.Undefined))
	case JudgeUntested:
		if f.hasNoAnswers() {
			return fmt.Sprintf("%s: %s.", NotJudged, noAnswersText)
		}
		return fmt.Sprintf("Not enough data: %s.", f.Alternative.Undefined)
	}
	return joinSentences(fmt.Sprintf("The judge may not replace an annotator: %s.", f.Alternative.describe()), f.Estimate.describeGain())
}

func (f JudgeField) hasNoAnswers() bool { return f.Estimate.Labels+f.Estimate.Judgments == 0 }

// describeNextAction says what to do about an obstacle, and what labels are worth with the judge.
func (f JudgeField) describeNextAction() string {
	if f.Use != JudgeSupports {
		return f.Alternative.NextAction
	}
	return strings.TrimSuffix(f.Alternative.NextAction, ".") + "; " + strings.Replace(f.Estimate.describeGain(), "With", "with", 1)
}

// describe states the winning rate as a clause.
func (t AlternativeTest) describe() string {
	return fmt.Sprintf("it wins against %d of %s (ω = %s, ε = %s)", t.Wins(), study.Pluralize(len(t.Annotators), "annotator"), study.FormatValue(*t.WinningRate), study.FormatValue(t.Epsilon))
}

// hasGain reports whether the judgments make the estimate clearly more precise.
func (e JudgeEstimate) hasGain() bool {
	return e.EquivalentLabels != nil && *e.EquivalentLabels >= minJudgeGain*float64(e.Labels)
}

// EquivalentText returns the labels that give the same precision without the judge.
func (e JudgeEstimate) EquivalentText() string {
	return equivalentText(e.EquivalentLabels, e.Labels)
}

// equivalentText returns how many labels some labels are worth with a judge.
func equivalentText(equivalent *float64, labels int) string {
	switch {
	case equivalent == nil:
		return study.Missing
	case *equivalent < minJudgeGain*float64(labels):
		return "no gain"
	}
	return study.Pluralize(int(*equivalent), "label")
}

// Note says why there is no estimate with the judge, or why it is that of the labels alone.
func (e JudgeEstimate) Note() string { return judgeNote(e.Undefined, e.GainUndefined) }

func judgeNote(undefined, gainUndefined string) string {
	if gainUndefined == judge.FewRarerLabels.Text() || gainUndefined == judge.FewRarerOfGroup.Text() {
		return cmp.Or(undefined, gainUndefined)
	}
	return undefined
}

const noAnswersText = "the judge gave no answers"

const (
	noGainText = "The judge adds nothing: the labels alone are about as precise."
	lossText   = "The judge adds nothing: the labels alone are more precise."
)

// isLessPrecise reports whether the interval with the judge is clearly wider than that of the labels alone.
func (e JudgeEstimate) isLessPrecise() bool {
	return e.EquivalentLabels != nil && *e.EquivalentLabels*minJudgeGain < float64(e.Labels)
}

// describeGain says how many labels the judge is worth.
func (e JudgeEstimate) describeGain() string {
	switch {
	case e.GainUndefined != "":
		return fmt.Sprintf("How many labels its judgments are worth is not known: %s.", e.GainUndefined)
	case e.EquivalentLabels == nil && e.WithJudge.Value != nil:
		return fmt.Sprintf("The estimate with it has no interval: %s.", e.Undefined)
	case e.EquivalentLabels == nil:
		return fmt.Sprintf("There is no estimate with it: %s.", e.Undefined)
	case e.isLessPrecise():
		return lossText
	case !e.hasGain():
		return noGainText
	}
	equivalent := study.Pluralize(int(*e.EquivalentLabels), "labeled item")
	if e.Design != nil {
		equivalent += " chosen in the same way"
	}
	return fmt.Sprintf("With its judgments of %s, %s give the precision of %s.", study.Pluralize(e.Judgments, "further item"), study.Pluralize(e.Labels, "labeled item"), equivalent)
}

// setTexts says by which design the labels are weighted, and which items are not in it.
func (d *Design) setTexts() {
	batches := "batch"
	if len(d.Batches) > 1 {
		batches = "batches"
	}
	d.Note = fmt.Sprintf("Of %s with labels that count, %s drawn (%s %s); labels are weighted by 1 / sampling probability. The effective sample size is %s: as many labels with equal weights are as precise.",
		study.Pluralize(d.Drawn+d.Before, "item"), countWithVerb(d.Drawn), batches, quoteSome(d.Batches, "batches"), study.FormatCount(int(d.Effective+0.5)))
	d.Notes = []string{}
	if d.Uncovered > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("Not in the draw and not labeled: %s. The estimate assumes that the judge is as good on them.", study.Pluralize(d.Uncovered, "judged item")))
	}
	if d.Before > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("Labeled otherwise: %s. They count for themselves only, because it is not known how they were chosen, so intervals can be wider than without a draw.", study.Pluralize(d.Before, "item")))
	}
	if d.Unused > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("Not counted: %s that could be drawn but got labels otherwise.", study.Pluralize(d.Unused, "item")))
	}
}

const weightedNote = "All estimates are weighted: means, differences, κ, the test against annotators, bias and limits of agreement. Numbers of items and dots in charts are of the labeled items as they are."

// designNotes says how labels are weighted, or that those of drawn items do not count yet.
func (e JudgeEstimate) designNotes() []string {
	switch {
	case e.Design != nil:
		return append([]string{e.Design.Note}, e.Design.Notes...)
	case e.Waiting > 0:
		return []string{fmt.Sprintf("Not counted yet: the labels of %s. From %d on, they count for all items that could be drawn.", study.Pluralize(e.Waiting, "drawn item"), minDesignLabels)}
	}
	return nil
}

// DesignNotes says by which designs the labels are weighted, by field where they differ. Empty:
// no labels are weighted.
func (j Judge) DesignNotes(titleOf func(field string) string) (notes []string) {
	fieldsOf, isWeighted := map[string][]string{}, false
	for _, f := range j.Fields {
		isWeighted = isWeighted || f.Estimate.Design != nil
		for _, note := range f.Estimate.designNotes() {
			if fieldsOf[note] == nil {
				notes = append(notes, note)
			}
			fieldsOf[note] = append(fieldsOf[note], titleOf(f.Field))
		}
	}
	if len(notes) == 0 {
		return nil
	}
	for i, note := range notes {
		if len(fieldsOf[note]) < len(j.Fields) {
			notes[i] = fmt.Sprintf("%s: %s", quoteTitles(fieldsOf[note]), note)
		}
	}
	if isWeighted {
		notes = append(notes, weightedNote)
	}
	return notes
}

// AssumptionNotes says what estimates with unweighted labels assume, and for which fields that does not
// look true.
func (j Judge) AssumptionNotes(titleOf func(field string) string) (notes []string) {
	var selected []string
	isDrawn, isEstimated := false, false
	for _, f := range j.Fields {
		isDrawn, isEstimated = isDrawn || f.Estimate.Design != nil, isEstimated || f.Estimate.WithJudge.Value != nil
		if f.Estimate.LooksSelected {
			selected = append(selected, titleOf(f.Field))
		}
	}
	if isEstimated && !isDrawn {
		notes = append(notes, "The estimate with the judge assumes that the labeled items are a random sample of the judged ones. If you chose them by hand, use the labels alone: they describe the labeled items only.")
	}
	if len(selected) > 0 {
		notes = append(notes, fmt.Sprintf("This looks wrong on %s: the judge answers labeled items differently from the others (p < 0.001). Neither estimate is then of all judged items.", quoteTitles(selected)))
	}
	return notes
}

// describeUse says for which fields the judge can be used, and why not for those where it only wins the test.
func (j Judge) describeUse(titleOf map[string]string) string {
	titles, obstructed, reasons, dependsClauses := map[string][]string{}, map[string][]string{}, []string(nil), []string(nil) // titles by clause
	for _, f := range j.Fields {
		reason, clause := f.Alternative.ShortReason, useClauses[f.Use]
		switch {
		case f.Use == JudgeUntested && f.Alternative.Obstacle == judge.FewRecords:
			clause = recordsClause
		case f.Use == JudgeUntested && f.Alternative.Obstacle == judge.FewRarerItems:
			clause = rarerClause
		case f.Use == JudgeUntested && f.Alternative.Obstacle == judge.UnreliableAnswers:
			clause = noStandardClause
		case f.Alternative.Obstacle == judge.DependsOnAnnotators:
			clause = "may or may not replace an annotator on %s, depending on the answers of " + nameSome(f.Alternative.Without.Questioned)
			if !slices.Contains(dependsClauses, clause) {
				dependsClauses = append(dependsClauses, clause)
			}
		case f.Use == JudgeUntested && f.hasNoAnswers():
			clause = noAnswersClause
		}
		if reason == "" || f.Use == JudgeSupports || f.Use == JudgeUntested || f.Alternative.Obstacle == judge.DependsOnAnnotators {
			titles[clause] = append(titles[clause], titleOf[f.Field])
			continue
		}
		if obstructed[reason] == nil {
			reasons = append(reasons, reason)
		}
		obstructed[reason] = append(obstructed[reason], titleOf[f.Field])
	}
	var parts []string
	clauses := []string{useClauses[JudgeReplaces], useClauses[JudgeSupports], useClauses[JudgeNoReplacement], useClauses[JudgeFails]}
	for _, clause := range append(append(clauses, dependsClauses...), recordsClause, rarerClause, noStandardClause, useClauses[JudgeUntested], noAnswersClause) {
		if len(titles[clause]) > 0 {
			parts = append(parts, fmt.Sprintf(clause, quoteTitles(titles[clause])))
		}
	}
	for _, reason := range reasons {
		parts = append(parts, fmt.Sprintf("is not recommended on %s, because %s", quoteTitles(obstructed[reason]), reason))
	}
	return fmt.Sprintf("“%s” %s.", j.Name, strings.Join(parts, "; it "))
}

const (
	recordsClause   = "needs more records to show whether it may replace an annotator on %s"
	rarerClause     = "needs more items with rare answers to show whether it may replace an annotator on %s"
	noAnswersClause = "gave no answers on %s"
	// noStandardClause is about fields whose agreement is far below the target.
	noStandardClause = "cannot be tested yet on %s, where annotators agree too little"
)

var useClauses = map[JudgeUse]string{JudgeReplaces: "may replace an annotator on %s", JudgeSupports: "supports estimates on %s",
	JudgeNoReplacement: "may not replace an annotator on %s, and whether it supports estimates is not known", JudgeFails: "cannot be used on %s", JudgeUntested: "is not tested enough on %s"}
