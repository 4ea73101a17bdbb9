package report_test

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

func TestMeanWindows_Answers_EvenlySplit(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 40 { // two answers per item: 2 in the first half, then 4 and 5
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, 2+2*boolToInt(i >= 20), 3, 3, 3, 3)
		d.addLabel(id, "bo", study.Work, 2+3*boolToInt(i >= 20), 3, 3, 3, 3)
	}
	for i := range d.Labels {
		d.Labels[i].Revision = 1 + boolToInt(i >= 40)
	}
	means := d.mustField(d.build(), "emotion").MeansOverTime
	if len(means) != 2 || means[0].Answers != 40 || means[0].Items != 20 || means[1].Answers != 40 {
		t.Fatalf("windows: %+v", means)
	}
	checkNear(t, "first", means[0].Mean.Value, 2)
	checkNear(t, "second", means[1].Mean.Value, 4.5)
	if !means[0].From.Equal(d.Labels[0].SubmittedAt) || !means[1].To.Equal(d.Labels[79].SubmittedAt) {
		t.Errorf("from %v to %v", means[0].From, means[1].To)
	}
	if len(means[0].NewRevisions) != 0 || !slices.Equal(means[1].NewRevisions, []int{2}) {
		t.Errorf("new revisions are %v and %v, want 2 in the second window", means[0].NewRevisions, means[1].NewRevisions)
	}
}

func TestMeanWindows_EachItem_CountsOnce(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 30 { // odd items have three labels, all with 5
		id := d.addItem(nil)
		for _, annotator := range []string{"ada", "bo", "cem"}[:1+2*(i%2)] {
			d.addLabel(id, annotator, study.Work, 1+4*(i%2), 3, 3, 3, 3)
		}
	}
	means := d.mustField(d.build(), "emotion").MeansOverTime
	first := means[0]
	if len(means) != 2 || first.Mean.Low == nil || *first.Mean.Low >= *first.Mean.Value || *first.Mean.High <= *first.Mean.Value {
		t.Fatalf("windows: %+v", means)
	}
	checkNear(t, "mean over items", first.Mean.Value, 3)
}

func TestMeanWindows_FewAnswers_None(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for range 29 {
		d.addLabel(d.addItem(nil), "ada", study.Work, 3, 3, 3, 3, 3)
	}
	if means := d.mustField(d.build(), "emotion").MeansOverTime; len(means) != 0 {
		t.Errorf("got %+v", means)
	}
}
