package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

func TestInterim_Conclusive_Stops(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 90 { // every third item one point apart, throughout
		id, v := d.addItem(nil), 1+i%4
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", v+boolToInt(i%3 == 0), 3, 3, 3, 3)
	}
	v := d.mustField(d.build(), "emotion").Verdict
	last := v.InterimAnalyses[len(v.InterimAnalyses)-1]
	if !last.IsConclusive || last.Outcome != stats.VerdictMeetsTarget || !strings.Contains(v.OverlapAdvice, "Enough overlap: at") {
		t.Errorf("%+v: %s", last, v.OverlapAdvice)
	}
	for _, l := range v.InterimAnalyses[:len(v.InterimAnalyses)-1] {
		if l.IsConclusive {
			t.Errorf("the look at %d items settled it, and one more was made", l.Items)
		}
	}
	if v.InterimAnalyses[0].Items != 20 || v.InterimAnalyses[0].Level < 0.96 {
		t.Errorf("the first look is %+v", v.InterimAnalyses[0])
	}
}

func TestInterim_FewItems_None(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 15, 2)
	if v := d.mustField(d.build(), "emotion").Verdict; len(v.InterimAnalyses) != 0 || v.Outcome != stats.VerdictNotEnoughData || v.OverlapAdvice != "At least 5 more shared items are needed." {
		t.Errorf("%d looks, %s: %s", len(v.InterimAnalyses), v.Outcome, v.OverlapAdvice)
	}
}

func TestInterim_OutcomeChanged_IsStated(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 200 { // near each other for 80 items, and by chance from then on
		id, v := d.addItem(nil), 1+i%5
		other := min(5, v+boolToInt(i%5 == 0))
		if i >= 80 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", other, 3, 3, 3, 3)
	}
	if v := d.mustField(d.build(), "emotion").Verdict; v.Outcome == stats.VerdictMeetsTarget || !strings.Contains(v.OverlapAdvice, "it has changed since") {
		t.Errorf("%s: %s", v.Outcome, v.OverlapAdvice)
	}
}

func TestInterim_Inconclusive_NotEnough(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 39 { // near each other for 20 items, and rather by chance from then on
		id, v := d.addItem(nil), 1+i%5
		other := min(5, v+boolToInt(i%5 == 0))
		if i >= 20 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", other, 3, 3, 3, 3)
	}
	v := d.mustField(d.build(), "emotion").Verdict
	if v.ShortText() != "go, not sure" || !v.InterimAnalyses[0].IsConclusive || v.InterimAnalyses[0].Outcome != stats.VerdictMeetsTarget {
		t.Fatalf("this is to be settled at 20 items and unsure at 39: %s, %+v", v.ShortText(), v.InterimAnalyses)
	}
	if strings.Contains(v.OverlapAdvice, "Enough overlap") || !strings.Contains(v.OverlapAdvice, "it no longer is.") {
		t.Error(v.OverlapAdvice)
	}
}
