package judge

import "fmt"

// An Obstacle is why a judge is not recommended as a replacement although it wins the test or is close to that.
type Obstacle string

// LacksData reports whether more items or records, or better answers, can show that the judge may replace an annotator.
func (o Obstacle) LacksData() bool {
	switch o {
	case FewItems, FewRecords, FewRarerItems, AnnotatorsUnclear, JudgeUnclear, DependsOnAnnotators, UnreliableAnswers:
		return true
	}
	return false
}

// The obstacles.
const (
	AnnotatorsByChance Obstacle = "annotators_by_chance" // as shown; AnnotatorsUnclear: not excluded
	AnnotatorsUnclear  Obstacle = "annotators_unclear"
	NeverGivesValue    Obstacle = "never_gives_value"
	JudgeByChance      Obstacle = "judge_by_chance" // as shown; JudgeUnclear: not excluded
	JudgeUnclear       Obstacle = "judge_unclear"
	MissesValue        Obstacle = "misses_value"
	MissesRarer        Obstacle = "misses_rarer_answers" // more often than annotators; FewRarerItems: not excluded
	FewRarerItems      Obstacle = "few_rarer_answers"
	Biased             Obstacle = "biased"              // answers are higher or lower than those of annotators
	FarFromAnnotators  Obstacle = "far_from_annotators" // κ with them is less than half of theirs
	FewRecords         Obstacle = "few_records"
	FewItems           Obstacle = "few_items" // the judge loses the test, but is close to enough annotators

	// Of a report, which knows more about the annotators.
	DependsOnAnnotators Obstacle = "depends_on_annotators" // without the answers of questioned annotators, the test says something else
	UnreliableAnswers   Obstacle = "unreliable_answers"    // annotators agree too little to be a standard
	FavorsGroup         Obstacle = "favors_group"          // it answers items of one group higher than annotators do, compared with another
)

// Reason returns an obstacle as a clause about the judge; name names a value.
func (e Evidence) Reason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return fmt.Sprintf("the annotators agree with each other hardly more than by chance (%s), so being as good as one of them shows nothing", e.Annotators.text())
	case AnnotatorsUnclear:
		return fmt.Sprintf("whether the annotators agree with each other more than by chance is not shown yet (%s)", e.Annotators.text())
	case JudgeByChance:
		return fmt.Sprintf("it agrees with the annotators hardly more than by chance (%s)", e.Judge.text())
	case JudgeUnclear:
		return fmt.Sprintf("whether it agrees with the annotators more than by chance is not shown yet (%s)", e.Judge.text())
	case MissesRarer:
		return e.Rarer.missedReason(name)
	case FewRarerItems:
		return e.Rarer.lackingReason(name)
	case NeverGivesValue:
		missed := e.mostMissed(true)
		return fmt.Sprintf("it never answers %s, and so missed %d of %d items with this answer of all annotators", name(missed.Value), missed.Items, missed.Items)
	case MissesValue:
		missed := e.mostMissed(false)
		return fmt.Sprintf("it misses %d of %d items that all annotators answered %s", missed.Missed, missed.Items, name(missed.Value))
	case Biased:
		return e.Bias.text()
	case FarFromAnnotators:
		return fmt.Sprintf("its agreement with the annotators (%s) is less than half of theirs with each other (%s)", e.Judge.text(), e.Annotators.text())
	case FewRecords:
		return e.Test.Records.reason()
	case FewItems:
		return fmt.Sprintf("it comes within ε of %d, so more labeled items can show that it may", e.Test.close)
	}
	return ""
}

// ShortReason returns an obstacle in a few words about the judge.
func (e Evidence) ShortReason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return "the annotators agree hardly more than by chance"
	case JudgeByChance:
		return "it agrees with them hardly more than by chance"
	case AnnotatorsUnclear, JudgeUnclear:
		return "more items are needed to show agreement above chance"
	case MissesRarer:
		return fmt.Sprintf("it misses %d of %s", e.Rarer.Missed, e.Rarer.describeItems(name))
	case FewRarerItems:
		return "more items with rare answers are needed to show it"
	case NeverGivesValue:
		missed := e.mostMissed(true)
		return fmt.Sprintf("it never answers %s and missed %d of %d", name(missed.Value), missed.Items, missed.Items)
	case MissesValue:
		missed := e.mostMissed(false)
		return fmt.Sprintf("it misses %d of %d items answered %s", missed.Missed, missed.Items, name(missed.Value))
	case FarFromAnnotators:
		return "its κ with the annotators is less than half of theirs"
	case Biased:
		return e.Bias.shortText()
	case FewRecords:
		return "more records are needed to show it"
	case FewItems:
		return "more items are needed to show it"
	}
	return ""
}

// mostMissed returns the value with most missed items, of those that the judge never or sometimes gives.
func (e Evidence) mostMissed(isNeverGiven bool) (most MissedValue) {
	for _, m := range e.Missed {
		if m.isNeverGiven == isNeverGiven && m.Missed > most.Missed {
			most = m
		}
	}
	return most
}

// reason says that the judge does not win by record.
func (t RecordTest) reason() string {
	if t.records < minWeightedUnits {
		return fmt.Sprintf("items of a record are alike, so the test needs %d records, and there are %d", minWeightedUnits, t.records)
	}
	return fmt.Sprintf("items of a record are alike, and by record it wins against only %d of %d (%d records)", t.wins, t.annotators, t.records)
}

// NextAction returns what to do about an obstacle, as a sentence.
func (o Obstacle) NextAction() string {
	return map[Obstacle]string{
		AnnotatorsByChance: "Clarify the guide, and test a judge when annotators agree.",
		AnnotatorsUnclear:  "Have two annotators label more items before the judge replaces one.",
		NeverGivesValue:    "Keep annotators on this field, or use a judge that gives this answer.",
		JudgeByChance:      "Keep annotators on this field, or test another judge.",
		JudgeUnclear:       "Label more items before the judge replaces an annotator.",
		MissesValue:        "Keep annotators on this field, or use a judge that finds this answer.",
		MissesRarer:        "Keep annotators on this field, or use a judge that finds these items.",
		FewRarerItems:      "Label more such items before the judge replaces an annotator.",
		Biased:             "Keep annotators on this field, or show the judge the anchors of the scale.",
		FavorsGroup:        "Keep annotators on this field where groups are compared.",
		FarFromAnnotators:  "Keep annotators on this field, or test another judge.",
		FewItems:           "Label more items before the judge replaces an annotator.",
		FewRecords:         "Label items of more records before the judge replaces an annotator.",
	}[o]
}
