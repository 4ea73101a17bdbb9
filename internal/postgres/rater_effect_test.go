package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

func TestRaterEffects_ClosedBatchesOnly(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	listProjects := func() []RaterEffectProject {
		t.Helper()
		list, err := env.RaterEffectProjects(t.Context(), annotators[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := listProjects(); len(list) != 0 {
		t.Errorf("before the project shows rater effects: %+v", list)
	}
	if err := env.SetShowRaterEffects(t.Context(), env.admin.ID, p, true); err != nil {
		t.Fatal(err)
	}
	if shown, err := env.ShowsRaterEffects(t.Context(), p); !shown || err != nil {
		t.Errorf("ShowsRaterEffects = %v, %v", shown, err)
	}
	open := listProjects()
	if len(open) != 1 || open[0].ClosedBatches != 0 || open[0].Pseudonym == "" {
		t.Fatalf("projects = %+v", open)
	}
	if d, err := env.raterEffectData(t.Context(), open[0]); err != nil || d.Source.Len() != 0 {
		t.Errorf("%d labels of an open batch, %v; want 0", d.Source.Len(), err)
	}
	before, _ := env.DataVersion(t.Context(), open[0].Project())
	env.closeBatch(p, b)
	closed := listProjects()
	if d, err := env.raterEffectData(t.Context(), closed[0]); err != nil || d.Source.Len() != 6 || closed[0].ClosedBatches != 1 {
		t.Errorf("%d labels of %d closed batches, %v; want 6 of 1", d.Source.Len(), closed[0].ClosedBatches, err)
	}
	if after, _ := env.DataVersion(t.Context(), open[0].Project()); after == before {
		t.Error("data version is unchanged after closing the batch")
	}
	if list, _ := env.RaterEffectProjects(t.Context(), env.admin.ID); len(list) != 0 {
		t.Errorf("projects of a user who is no annotator: %+v", list)
	}
}

func TestRaterEffects_OmitDecisions(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	if err := env.adjudicate(env.admin, p, env.firstItem(p), unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, project.Batch{Name: "one"})
	d, err := env.raterEffectData(t.Context(), RaterEffectProject{ID: p.ID, Key: p.Key, ProtocolVersionID: p.ProtocolVersionID})
	if err != nil || d.Source.Len() != 6 || len(d.Adjudicated) != 0 {
		t.Errorf("%d labels and decisions %v, %v; want 6 and none", d.Source.Len(), d.Adjudicated, err)
	}
}
