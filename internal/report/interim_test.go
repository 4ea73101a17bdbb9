package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

func TestInterim_Conclusive_Stops(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 90 { // every third item differs by one point
		id, v := d.addItem(nil), 1+i%4
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", v+boolToInt(i%3 == 0), 3, 3, 3, 3)
	}
	v := d.mustField(d.build(), "emotion").Verdict
	last := v.InterimAnalyses[len(v.InterimAnalyses)-1]
	if !last.IsConclusive || last.Outcome != report.Go || !strings.Contains(v.OverlapAdvice, "Enough overlap: this verdict was clear at 20 shared items already") {
		t.Errorf("%+v: %s", last, v.OverlapAdvice)
	}
	for _, l := range v.InterimAnalyses[:len(v.InterimAnalyses)-1] {
		if l.IsConclusive {
			t.Errorf("another analysis follows the conclusive one at %d items", l.Items)
		}
	}
	if v.InterimAnalyses[0].Items != 20 || v.InterimAnalyses[0].Level < 0.96 {
		t.Errorf("first analysis: %+v", v.InterimAnalyses[0])
	}
}

func TestInterim_FewItems_None(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 15, 2)
	if v := d.mustField(d.build(), "emotion").Verdict; len(v.InterimAnalyses) != 0 || v.Outcome != report.NotEnoughData || v.OverlapAdvice != "Get labels of two annotators on at least 5 more items." {
		t.Errorf("%d analyses, %s: %s", len(v.InterimAnalyses), v.Outcome, v.OverlapAdvice)
	}
}

func TestInterim_OutcomeChanged_IsStated(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 200 { // high agreement on 80 items, then chance
		id, v := d.addItem(nil), 1+i%5
		other := min(5, v+boolToInt(i%5 == 0))
		if i >= 80 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", other, 3, 3, 3, 3)
	}
	if v := d.mustField(d.build(), "emotion").Verdict; v.Outcome == report.Go || v.Overlap != report.OverlapOutcomeChanged || !strings.Contains(v.OverlapAdvice, "the verdict was “Go ahead”, and it has changed since") {
		t.Errorf("%s: %s", v.Outcome, v.OverlapAdvice)
	}
}

func TestInterim_Inconclusive_NotEnough(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 39 { // high agreement on 20 items, then chance
		id, v := d.addItem(nil), 1+i%5
		other := min(5, v+boolToInt(i%5 == 0))
		if i >= 20 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.addLabel(id, "ada", "work", v, 3, 3, 3, 3)
		d.addLabel(id, "bo", "work", other, 3, 3, 3, 3)
	}
	v := d.mustField(d.build(), "emotion").Verdict
	if v.ShortText() != "Not enough data" || !v.IsUndecided() || !v.InterimAnalyses[0].IsConclusive || v.InterimAnalyses[0].Outcome != report.Go {
		t.Fatalf("want conclusive at 20 items and uncertain at 39: %s, %+v", v.ShortText(), v.InterimAnalyses)
	}
	if v.Overlap != report.OverlapUncertainAgain || !strings.Contains(v.OverlapAdvice, "it is uncertain again. ") {
		t.Error(v.OverlapAdvice)
	}
}

// TestReport_OrderUnknown_HasNoOrder has labels of one time.
func TestReport_OrderUnknown_HasNoOrder(t *testing.T) {
	t.Parallel()
	for _, isUnknown := range []bool{false, true} {
		d := newDataBuilder(t, "empathy")
		d.IsOrderUnknown = isUnknown
		for i := range 60 {
			id, value := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": fmt.Sprint(i % 2)} }), 1+i%5
			d.addLabel(id, "ada", study.Work, value, value, value, value, value)
			d.addLabel(id, "bo", study.Work, value, value, value, value, value)
		}
		r := d.build()
		f := r.Fields[0]
		if hasOrder := len(f.KappaOverTime) > 0 && len(f.Verdict.InterimAnalyses) > 0 && r.Breakdown.Groups[1].LaterShare != nil; hasOrder == isUnknown {
			t.Errorf("unknown %t: %d periods, %d checks", isUnknown, len(f.KappaOverTime), len(f.Verdict.InterimAnalyses))
		}
	}
}
