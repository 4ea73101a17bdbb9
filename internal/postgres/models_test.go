package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

func TestAModelStandsBesidePeopleAndNeverAmongThem(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("judged", 3)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		w.labelAll(a.ID, good)
	}
	known, err := w.KnownItems(t.Context(), p.ID)
	if err != nil || len(known) != 3 {
		t.Fatalf("%d items, %v", len(known), err)
	}
	before, err := w.Reach(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	said := []report.Judgement{{ItemID: known["item-1"].ID, Values: map[string]int{"helpful": 0}}, {ItemID: known["item-3"].ID, Values: map[string]int{"helpful": 1}}}
	if err := w.AddModel(t.Context(), w.admin.ID, p, "judge v1", said); err != nil {
		t.Fatal(err)
	}
	if err := w.AddModel(t.Context(), w.admin.ID, p, "judge v1", said); !errors.Is(err, fault.Conflict) {
		t.Errorf("the same name again: %v", err)
	}
	d, err := w.ReportData(t.Context(), p, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Labels) != 6 || len(d.Models) != 2 || d.Models[0].Model != "judge v1" || d.Models[0].Values["helpful"] != 0 {
		t.Errorf("%d labels, and the models said %+v", len(d.Labels), d.Models)
	}
	if after, _ := w.Reach(t.Context(), p); after == before {
		t.Error("a report made before would still be shown")
	}
	if n := w.count(`SELECT count(*) FROM accounts WHERE kind = 'model'`); n != 1 {
		t.Errorf("%d models, want 1: what is refused leaves nothing behind", n)
	}
	members, err := w.Members(t.Context(), p.ID)
	if err != nil || len(members) != 3 {
		t.Errorf("%d people, %v; want the admin and the two annotators", len(members), err)
	}
	if again, err := w.Batch(t.Context(), p.ID, b.Name); err != nil || again.Submitted != 6 {
		t.Errorf("the batch counts %d labels, %v", again.Submitted, err)
	}
	for _, statement := range []string{`UPDATE judgements SET answers = '{}'`, `DELETE FROM judgements`} {
		if _, err := w.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s was let through", statement)
		}
	}
	for _, name := range []string{"", " x ", string(make([]byte, 101))} {
		if err := w.AddModel(t.Context(), 0, p, name, said); !errors.Is(err, fault.Invalid) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}
