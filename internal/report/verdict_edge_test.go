package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestNextStep_FewRecords_AsksForLabels has full agreement on too few records for an interval: there is no disagreement to read.
func TestNextStep_FewRecords_AsksForLabels(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 60 {
		id, value := d.addItem(func(item *study.ItemData) { item.RecordID = fmt.Sprint("r", i%4) }), 1+i%5
		for _, name := range []string{"ada", "bo"} {
			d.addLabel(id, name, study.Work, value, value, value, value, value)
		}
	}
	if next := d.build().Summarize().Agreement.Next; next.Kind != report.StepLabelMore {
		t.Errorf("%s: %s", next.Kind, next.Text)
	}
}

// TestCause_RareAnswers_MeetNoTarget has an annotator who answers against two others. Without that one agreement is full, but on four items with
// another answer only, which are too few for a verdict.
func TestCause_RareAnswers_MeetNoTarget(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-generation")
	for i := range 80 {
		id := d.addItem(nil)
		for _, name := range []string{"ada", "bo", "cy"} {
			isHelpful := i < 4 && name != "ada" || i >= 40 && i < 49 && name == "ada"
			d.addLabel(id, name, study.Work, 1, 1, map[bool]int{true: 1}[isHelpful], 0, 0)
		}
	}
	r := d.build()
	for _, text := range append(r.Summarize().Headline, r.Fields[2].Verdict.Message) {
		if strings.Contains(text, "meets the target") && strings.Contains(text, "ada") {
			t.Error(text)
		}
	}
}

// TestVerdict_LowTarget_HasNoRevision checks the probabilities of a target below the limit for a rewrite, which then is the target itself.
func TestVerdict_LowTarget_HasNoRevision(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	d.Protocol.Fields = d.Protocol.Fields[:1]
	d.Protocol.Plan.TargetKappa = 0.1
	for i := range 300 {
		id, value := d.addItem(nil), 1+i%5
		d.addLabel(id, "ada", study.Work, value)
		if i%6 > 0 {
			value = 1 + (i*7/5)%5
		}
		d.addLabel(id, "bo", study.Work, value)
	}
	v := d.build().Fields[0].Verdict
	if sum := *v.GoProbability + *v.RewriteProbability; sum < 1-1e-9 || sum > 1+1e-9 || strings.Contains(v.Message, "below 0.25") {
		t.Errorf("the probabilities sum up to %g: %s", sum, v.Message)
	}
}

// TestVerdict_ConstantInEveryPair_CannotDecide has two pairs of annotators on different items, in each of which one always answers
// the same.
func TestVerdict_ConstantInEveryPair_CannotDecide(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	d.Protocol.Fields = d.Protocol.Fields[:1]
	for i := range 60 {
		id, names := d.addItem(nil), [2]string{"ada", "bo"}
		if i >= 30 {
			names = [2]string{"cy", "di"}
		}
		d.addLabel(id, names[0], study.Work, 1+i%5)
		d.addLabel(id, names[1], study.Work, 3)
	}
	r := d.build()
	if v, next := r.Fields[0].Verdict, r.Summarize().Agreement.Next; v.Outcome != report.ConstantAnnotator || len(v.ConstantAnnotators) != 2 || next.Kind != report.StepSeeAnnotator {
		t.Errorf("%s, %s: %s", v.Outcome, next.Text, v.Message)
	}
}

// TestWorstBoundary_Tie_NamesNone has as many disagreements across two boundaries.
func TestWorstBoundary_Tie_NamesNone(t *testing.T) {
	t.Parallel()
	for pairs, want := range map[[2]int]bool{{6, 6}: false, {7, 6}: true, {6, 7}: true} {
		f := report.FieldReport{Boundaries: []report.Boundary{{Lower: 1, Upper: 2}, {Lower: 2, Upper: 3, Pairs: pairs[0], AdjacentPairs: pairs[0]}, {Lower: 3, Upper: 4, Pairs: pairs[1], AdjacentPairs: pairs[1]}}}
		if b, ok := f.WorstBoundary(); ok != want {
			t.Errorf("%v: %d or %d, %t", pairs, b.Lower, b.Upper, ok)
		}
	}
}
