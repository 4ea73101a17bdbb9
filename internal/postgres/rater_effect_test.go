package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
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
	if r := env.raterEffectReport(open[0]); r.Counts.Work != 0 {
		t.Errorf("%d labels of an open batch, want 0", r.Counts.Work)
	}
	env.closeBatch(p, b)
	closed := listProjects()
	if r := env.raterEffectReport(closed[0]); r.Counts.Work != 6 || closed[0].ClosedBatches != 1 {
		t.Errorf("%d labels of %d closed batches, want 6 of 1", r.Counts.Work, closed[0].ClosedBatches)
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
	if r := env.raterEffectReport(RaterEffectProject{ID: p.ID, Key: p.Key}); r.Counts.Work != 6 ||
		r.Fields[0].CountConsensus(stats.Adjudicated) != 0 {
		t.Errorf("%+v, methods %v; want 6 labels without decisions", r.Counts, r.Fields[0].ConsensusCounts)
	}
}

// raterEffectReport computes the report that annotators see.
func (env testEnv) raterEffectReport(p RaterEffectProject) *report.Report {
	env.t.Helper()
	return env.computeReport(func() (ReportStatus, error) { return env.RaterEffectStatus(env.t.Context(), p) })
}
