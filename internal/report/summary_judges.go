package report

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/stats/judge"
)

func (r Report) SummarizeJudges() Finding {
	if len(r.Judges) == 0 {
		return Finding{}
	}
	var sentences []string
	isUntested := true
	for _, j := range r.Judges {
		sentences = append(sentences, r.DescribeJudge(j))
		isUntested = isUntested && !slices.ContainsFunc(j.Fields, func(f JudgeField) bool { return f.Use != JudgeUntested })
	}
	next := r.nextStepOfJudges(isUntested)
	return Finding{sentences[0], sentences[1:min(len(sentences), maxSummaryGroups)], next}
}

// nextStepOfJudges asks first for what the tests of judges lack.
func (r Report) nextStepOfJudges(isUntested bool) NextStep {
	if f, ok := r.judgedField(func(f JudgeField) bool { return f.Alternative.Obstacle == judge.DependsOnAnnotators }); ok {
		name := f.Alternative.Without.Questioned[0]
		return NextStep{Kind: StepSeeAnnotator, Subject: name, Text: seeAnnotatorText(name)}
	}
	unreliable, isUnreliable := r.judgedField(func(f JudgeField) bool { return !f.Alternative.hasStandard() })
	failed, open := r.fieldsWithoutJudge(), r.fieldsWithOpenTest()
	switch {
	case isUntested && !isUnreliable:
		return NextStep{Kind: StepLabelMore, Text: r.nextLabelsOfJudges()}
	case len(failed) > 0 && len(open) > 0:
		return NextStep{Kind: StepKeepAnnotators, Text: fmt.Sprintf("Keep annotators on %s; more labels can show whether a judge may replace one on %s.", r.nameFields(failed), r.nameFields(open))}
	case len(failed) > 0:
		return NextStep{Kind: StepKeepAnnotators, Text: fmt.Sprintf("Keep annotators on %s, and read the scorecard.", r.nameFields(failed))}
	case len(open) > 0:
		return NextStep{Kind: StepLabelMore, Text: fmt.Sprintf("More labels can show whether a judge may replace an annotator on %s.", r.nameFields(open))}
	case isUnreliable:
		return NextStep{Kind: StepReadDisagreements, Subject: unreliable.Field, Text: clarifyStepText(r.titles()[unreliable.Field])}
	}
	return NextStep{Kind: StepSeeDetails, Text: "Read the scorecard."}
}

// fieldsWithoutJudge returns the titles of the fields on which no judge may replace an annotator, and one is shown not to.
func (r Report) fieldsWithoutJudge() (titles []string) {
	for _, f := range r.Fields {
		isFailed, isReplaced := false, false
		for _, j := range r.Judges {
			for _, judged := range j.Fields {
				if judged.Field == f.Key {
					isFailed, isReplaced = isFailed || judged.Alternative.result() == mayNotReplace, isReplaced || judged.Use == JudgeReplaces
				}
			}
		}
		if isFailed && !isReplaced {
			titles = append(titles, f.Title)
		}
	}
	return titles
}

// fieldsWithOpenTest returns the titles of the fields on which no judge may replace an annotator, and more labels could show that one may.
func (r Report) fieldsWithOpenTest() (titles []string) {
	for _, f := range r.Fields {
		isOpen, isClosed := false, false
		for _, j := range r.Judges {
			for _, judged := range j.Fields {
				if judged.Field == f.Key {
					isOpen = isOpen || judged.Alternative.Obstacle.LacksData()
					isClosed = isClosed || judged.Alternative.result() == mayNotReplace || judged.Use == JudgeReplaces
				}
			}
		}
		if isOpen && !isClosed {
			titles = append(titles, f.Title)
		}
	}
	return titles
}

// judgedField returns the first field of a judge that is looked for.
func (r Report) judgedField(isFound func(JudgeField) bool) (JudgeField, bool) {
	for _, j := range r.Judges {
		if i := slices.IndexFunc(j.Fields, isFound); i >= 0 {
			return j.Fields[i], true
		}
	}
	return JudgeField{}, false
}

// nextLabelsOfJudges says which items to label so that a judge can be tested.
func (r Report) nextLabelsOfJudges() string {
	isLabeled := !slices.ContainsFunc(r.Judges, Judge.hasUnlabeled)
	switch lacksRecords := slices.ContainsFunc(r.Judges, Judge.lacksRecords); {
	case isLabeled && lacksRecords:
		return judgeRecordsText
	case isLabeled:
		return judgeMoreText
	case lacksRecords:
		return labelRecordsOfJudgeText
	}
	return labelJudgedText
}

// DescribeJudge says for which fields a judge can be used.
func (r Report) DescribeJudge(j Judge) string { return j.describeUse(r.titles()) }
