package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAddJudge_SeparateFromAnnotators(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	items, err := env.ItemsBySourceID(t.Context(), p.ID)
	if err != nil || len(items) != 3 {
		t.Fatalf("%d items, %v; want 3", len(items), err)
	}
	before := env.reportVersion(p)
	judgments := []importer.ItemAnswers{{ItemID: items["item-1"].ID, Values: map[string]int{"helpful": 0}},
		{ItemID: items["item-3"].ID, Values: map[string]int{"helpful": 1}}}
	if err := env.AddJudge(t.Context(), env.admin.ID, p, "judge v1", judgments); err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "same name", env.AddJudge(t.Context(), env.admin.ID, p, "judge v1", judgments), fault.Conflict)
	d := env.reportData(p, "")
	if len(d.Labels) != 6 || len(d.Judgments) != 2 || d.Judgments[0].Judge != "judge v1" ||
		d.Judgments[0].Values["helpful"] != 0 {
		t.Errorf("%d labels, judgments %+v", len(d.Labels), d.Judgments)
	}
	if env.reportVersion(p) == before {
		t.Error("data version is unchanged")
	}
	env.checkCount(1, `accounts WHERE kind = 'model'`)
	if members, err := env.Members(t.Context(), p.ID); err != nil || len(members) != 3 {
		t.Errorf("%d members, %v; want the admin and two annotators", len(members), err)
	}
	if got, err := env.Batch(t.Context(), 0, p.ID, b.Name); err != nil || got.LabelsGiven != 6 {
		t.Errorf("%d labels in the batch, %v; want 6", got.LabelsGiven, err)
	}
	for _, name := range []string{"", " x ", string(make([]byte, 101))} {
		checkErrorIs(t, "name "+name, env.AddJudge(t.Context(), 0, p, name, judgments), fault.Invalid)
	}
}
