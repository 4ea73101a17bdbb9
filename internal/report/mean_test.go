package report_test

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestMeansGoOverTimeInStretchesOfAsManyAnswers(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 40 { // two answers an item: 2 in the first half, then 4 and 5
		id := d.item(nil)
		d.label(id, "ada", report.Work, 2+2*at(i >= 20), 3, 3, 3, 3)
		d.label(id, "bo", report.Work, 2+3*at(i >= 20), 3, 3, 3, 3)
	}
	for i := range d.Labels {
		d.Labels[i].Revision = 1 + at(i >= 40)
	}
	means := d.field(d.report(), "emotion").Means
	if len(means) != 2 || means[0].Answers != 40 || means[0].Items != 20 || means[1].Answers != 40 {
		t.Fatalf("the stretches are %+v", means)
	}
	near(t, "first", means[0].Mean.Value, 2)
	near(t, "second", means[1].Mean.Value, 4.5)
	if !means[0].From.Equal(d.Labels[0].Submitted) || !means[1].To.Equal(d.Labels[79].Submitted) {
		t.Errorf("they are from %v to %v", means[0].From, means[1].To)
	}
	if len(means[0].Reworded) != 0 || !slices.Equal(means[1].Reworded, []int{2}) {
		t.Errorf("new wordings are %v and %v, want revision 2 in the second", means[0].Reworded, means[1].Reworded)
	}
}

func TestAMeanOverTimeIsOverItemsAndCoversTheirDraw(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 30 { // the odd ones are judged three times, and are all 5
		id := d.item(nil)
		for _, who := range []string{"ada", "bo", "cem"}[:1+2*(i%2)] {
			d.label(id, who, report.Work, 1+4*(i%2), 3, 3, 3, 3)
		}
	}
	means := d.field(d.report(), "emotion").Means
	whole := means[0]
	if len(means) != 2 || whole.Mean.Low == nil || *whole.Mean.Low >= *whole.Mean.Value || *whole.Mean.High <= *whole.Mean.Value {
		t.Fatalf("the means are %+v", means)
	}
	near(t, "each item once", whole.Mean.Value, 3)
}

func TestFewAnswersHaveNoMeansOverTime(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for range 29 {
		d.label(d.item(nil), "ada", report.Work, 3, 3, 3, 3, 3)
	}
	if means := d.field(d.report(), "emotion").Means; len(means) != 0 {
		t.Errorf("there are %+v", means)
	}
}
