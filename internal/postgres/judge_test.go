package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAddModel_KeptSeparate(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("judged", 3)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		env.submitAllWith(a.ID, helpfulSubmission)
	}
	items, err := env.ItemsBySourceID(t.Context(), p.ID)
	if err != nil || len(items) != 3 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	before, err := env.DataVersion(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	judgments := []importer.Judgment{{ItemID: items["item-1"].ID, Values: map[string]int{"helpful": 0}}, {ItemID: items["item-3"].ID, Values: map[string]int{"helpful": 1}}}
	if err := env.AddJudge(t.Context(), env.admin.ID, p, "judge v1", judgments); err != nil {
		t.Fatal(err)
	}
	if err := env.AddJudge(t.Context(), env.admin.ID, p, "judge v1", judgments); !errors.Is(err, fault.Conflict) {
		t.Errorf("the same name again: %v", err)
	}
	d, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Labels) != 6 || len(d.Judgments) != 2 || d.Judgments[0].Judge != "judge v1" || d.Judgments[0].Values["helpful"] != 0 {
		t.Errorf("%d labels, and the models said %+v", len(d.Labels), d.Judgments)
	}
	if after, _ := env.DataVersion(t.Context(), p); after == before {
		t.Error("a report made before would still be shown")
	}
	if n := env.queryInt(`SELECT count(*) FROM accounts WHERE kind = 'model'`); n != 1 {
		t.Errorf("%d models, want 1: what is refused leaves nothing behind", n)
	}
	members, err := env.Members(t.Context(), p.ID)
	if err != nil || len(members) != 3 {
		t.Errorf("%d people, %v; want the admin and the two annotators", len(members), err)
	}
	if again, err := env.Batch(t.Context(), p.ID, b.Name); err != nil || again.Submitted != 6 {
		t.Errorf("the batch counts %d labels, %v", again.Submitted, err)
	}
	for _, statement := range []string{`UPDATE judgements SET answers = '{}'`, `DELETE FROM judgements`} {
		if _, err := env.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s was let through", statement)
		}
	}
	for _, name := range []string{"", " x ", string(make([]byte, 101))} {
		if err := env.AddJudge(t.Context(), 0, p, name, judgments); !errors.Is(err, fault.Invalid) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}
