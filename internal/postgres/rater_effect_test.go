package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

func TestRaterEffects_ClosedBatchesOnly(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("shown", 3)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		env.submitAllWith(a.ID, helpfulSubmission)
	}
	listProjects := func() []RaterEffectProject {
		t.Helper()
		list, err := env.RaterEffectProjects(t.Context(), accounts[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := listProjects(); len(list) != 0 {
		t.Errorf("nobody allowed it, and there is %+v", list)
	}
	if err := env.SetShowRaterEffects(t.Context(), env.admin.ID, p, true); err != nil {
		t.Fatal(err)
	}
	if shown, err := env.ShowsRaterEffects(t.Context(), p); !shown || err != nil {
		t.Errorf("shown: %v, %v", shown, err)
	}
	list := listProjects()
	if len(list) != 1 || list[0].ClosedBatches != 0 || list[0].Pseudonym == "" {
		t.Fatalf("there is %+v", list)
	}
	if d, err := env.raterEffectData(t.Context(), list[0]); err != nil || len(d.Labels) != 0 {
		t.Errorf("%d labels of an open batch, %v", len(d.Labels), err)
	}
	before, _ := env.DataVersion(t.Context(), list[0].Project())
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	if d, err := env.raterEffectData(t.Context(), listProjects()[0]); err != nil || len(d.Labels) != 6 || listProjects()[0].ClosedBatches != 1 {
		t.Errorf("%d labels of a closed batch, %v", len(d.Labels), err)
	}
	if after, _ := env.DataVersion(t.Context(), list[0].Project()); after == before {
		t.Error("what was made before the batch closed would still be shown")
	}
	if list, _ := env.RaterEffectProjects(t.Context(), env.admin.ID); len(list) != 0 {
		t.Errorf("the lead is no annotator of it: %+v", list)
	}
}

func TestRaterEffects_OmitDecisions(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("unseen")
	if err := env.adjudicate(env.admin, p, project.ItemID(env.queryInt(`SELECT min(id) FROM items`)), unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	d, err := env.raterEffectData(t.Context(), RaterEffectProject{ID: p.ID, Key: p.Key, ProtocolVersionID: p.ProtocolVersionID})
	if err != nil || len(d.Labels) != 6 || len(d.Adjudicated) != 0 {
		t.Errorf("%d labels, gold %v, %v", len(d.Labels), d.Adjudicated, err)
	}
}
