package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

// sides lays out eight items of two systems, which ada and bo label.
func sides(d *deck, system, other string) {
	for i := range 8 {
		id := d.item(func(item *report.Item) {
			item.Meta = map[string]string{"system": []string{system, other}[i%2], "source_system": []string{"x", "y"}[i/4]}
		})
		for _, who := range []string{"ada", "bo"} {
			l := d.label(id, who, report.Work, 2+i%2, 3, 3, 3, 3)
			if i%2 == 1 {
				l.Observed = []string{"template_like"}
			}
		}
	}
}

func TestAColumnNamedLikeAConditionComesBeforeOneThatOnlyContainsTheWord(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	sides(d, "one", "two")
	if r := d.report(); r.By.Column != "system" || len(r.Columns) != 2 {
		t.Errorf("of %v it is compared by %q", r.Columns, r.By.Column)
	}
}

func TestOthersAreComparedWithTheBaseline(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	sides(d, "gpt2_vanilla", "chain")
	by := d.report().By
	if by.Groups[0].Value != "gpt2_vanilla" || by.Groups[1].Fields[0].Difference.First != "gpt2_vanilla" {
		t.Fatalf("the first group is %q", by.Groups[0].Value)
	}
	near(t, "the difference", by.Groups[1].Fields[0].Difference.Value, 1)
}

func TestObservationsAreCountedInEachGroup(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	sides(d, "base", "new")
	for _, g := range d.report().By.Groups {
		for _, r := range g.Observed {
			want := 0.0
			if g.Value == "new" && r.Name == "template_like" {
				want = 1
			}
			if near(t, g.Value+" "+r.Name, r.Value, want); r.N != 8 {
				t.Errorf("%s of %s rests on %d labels", r.Name, g.Value, r.N)
			}
		}
	}
}

func TestTheReportSaysHowFarItHasCome(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	sides(d, "base", "new")
	last, told := report.Progress{Done: -1}, map[string]bool{}
	if _, err := report.Make(d.Data, report.Options{Resamples: 20, Tell: func(p report.Progress) {
		if p.Done != last.Done+1 || told[p.Doing] {
			t.Errorf("step %+v comes after %+v", p, last)
		}
		last, told[p.Doing] = p, true
	}}); err != nil {
		t.Fatal(err)
	}
	if last != (report.Progress{Done: 21, All: 21}) || !told["habits"] { // three for each of five fields, two people, and four
		t.Errorf("the last step is %+v of %v", last, told)
	}
}
