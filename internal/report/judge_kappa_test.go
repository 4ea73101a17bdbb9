package report_test

import (
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// TestJudge_KappaAmongAnnotators_IsThatOfAgreement has annotators of different severity, where κ of pooled pairs is
// lower. A judge that answered half of the items has another κ.
func TestJudge_KappaAmongAnnotators_IsThatOfAgreement(t *testing.T) {
	t.Parallel()
	for _, judged := range []int{60, 30} {
		d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(63, 0))
		d.Protocol.Fields = d.Protocol.Fields[:1]
		key := d.Protocol.Fields[0].Key
		for i := range 60 {
			id, truth := d.addItem(nil), 1+r.IntN(4)
			d.addLabel(id, "ada", study.Work, truth)
			d.addLabel(id, "bo", study.Work, truth+1)
			d.addLabel(id, "cy", study.Work, 1+r.IntN(5))
			if i < judged {
				d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: 1 + r.IntN(5)}})
			}
		}
		built := d.build()
		agreement, scorecard := built.Fields[0].Figure("shared_kappa", "linear"), built.Judges[0].Fields[0].HumanHuman
		isEqual := *scorecard.Value == *agreement.Value && *scorecard.Low == *agreement.Low && scorecard.Items == agreement.Items && scorecard.Coefficient == agreement.Coefficient
		if isEqual != (judged == 60) || scorecard.Items != judged {
			t.Errorf("%d judged items: κ %v of %d items, under Agreement %v of %d", judged, *scorecard.Value, scorecard.Items, *agreement.Value, agreement.Items)
		}
	}
}

// TestJudge_BiasInterval_IsPossible has a judge that is at most 4 points above the consensus of 1.
func TestJudge_BiasInterval_IsPossible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answers []int
		isEnd   bool
	}{{[]int{5, 5, 3}, true}, {[]int{2, 2, 2, 3, 2, 2, 3, 2}, false}} {
		d := newDataBuilder(t, "empathy")
		d.Protocol.Fields = d.Protocol.Fields[:1]
		for _, answer := range c.answers {
			id := d.addItem(nil)
			d.addLabel(id, "ada", study.Work, 1)
			d.addLabel(id, "bo", study.Work, 1)
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{d.Protocol.Fields[0].Key: answer}})
		}
		f := d.build().Judges[0].Fields[0]
		for _, b := range []study.Number{f.Bias[0].Number, f.BlandAltman.Bias} {
			if b.High == nil || *b.High > 4 || *b.Low < -4 || (*b.High == 4) != c.isEnd {
				t.Errorf("%v: bias %s, %s", c.answers, b.Signed(), b.SignedRange())
			}
		}
	}
}
