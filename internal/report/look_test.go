package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

func TestEnoughIsSaidAtALookThatSettlesIt(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 90 { // every third item one point apart, throughout
		id, v := d.item(nil), 1+i%4
		d.label(id, "ada", "work", v, 3, 3, 3, 3)
		d.label(id, "bo", "work", v+at(i%3 == 0), 3, 3, 3, 3)
	}
	v := d.field(d.report(), "emotion").Verdict
	last := v.Looks[len(v.Looks)-1]
	if !last.Settled || last.Word != stats.Go || !strings.Contains(v.Enough, "Enough overlap: at") {
		t.Errorf("%+v: %s", last, v.Enough)
	}
	for _, l := range v.Looks[:len(v.Looks)-1] {
		if l.Settled {
			t.Errorf("the look at %d items settled it, and one more was made", l.Items)
		}
	}
	if v.Looks[0].Items != 20 || v.Looks[0].Level < 0.96 {
		t.Errorf("the first look is %+v", v.Looks[0])
	}
}

func TestNothingIsJudgedBeforeTheFirstLook(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 15, 2)
	if v := d.field(d.report(), "emotion").Verdict; len(v.Looks) != 0 || v.Word != stats.NotEnough || v.Enough != "At least 5 more shared items are needed." {
		t.Errorf("%d looks, %s: %s", len(v.Looks), v.Word, v.Enough)
	}
}

func TestAVerdictThatChangedAfterItWasSettledIsSaidToHave(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 200 { // near each other for 80 items, and by chance from then on
		id, v := d.item(nil), 1+i%5
		other := min(5, v+at(i%5 == 0))
		if i >= 80 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.label(id, "ada", "work", v, 3, 3, 3, 3)
		d.label(id, "bo", "work", other, 3, 3, 3, 3)
	}
	if v := d.field(d.report(), "emotion").Verdict; v.Word == stats.Go || !strings.Contains(v.Enough, "it has changed since") {
		t.Errorf("%s: %s", v.Word, v.Enough)
	}
}

func TestAnUnsureVerdictIsNeverSaidToHaveEnough(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 39 { // near each other for 20 items, and rather by chance from then on
		id, v := d.item(nil), 1+i%5
		other := min(5, v+at(i%5 == 0))
		if i >= 20 {
			other = 1 + (i*i/3+i/7)%5
		}
		d.label(id, "ada", "work", v, 3, 3, 3, 3)
		d.label(id, "bo", "work", other, 3, 3, 3, 3)
	}
	v := d.field(d.report(), "emotion").Verdict
	if v.Short() != "go, not sure" || !v.Looks[0].Settled || v.Looks[0].Word != stats.Go {
		t.Fatalf("this is to be settled at 20 items and unsure at 39: %s, %+v", v.Short(), v.Looks)
	}
	if strings.Contains(v.Enough, "Enough overlap") || !strings.Contains(v.Enough, "it no longer is.") {
		t.Error(v.Enough)
	}
}
