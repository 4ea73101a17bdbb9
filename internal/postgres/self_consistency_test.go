package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// Whoever answers duplicates otherwise than their originals is told so, field
// by field, and agreement does not move.
func TestSelfConsistency(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("self", 30)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, DuplicateCount: 6})
	for _, a := range accounts {
		for token := env.openItem(a); token != ""; {
			s := helpfulSubmission
			if env.queryInt(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 {
				s = unhelpfulSubmission
			}
			next, err := env.Submit(t.Context(), a.ID, token, s)
			if err != nil {
				t.Fatal(err)
			}
			token = next
		}
	}
	d, err := env.ReportData(t.Context(), env.admin.ID, p, "one")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(d, report.BuildOptions{Resamples: 50, Seed: 1})
	if err != nil || len(r.Annotators) != 2 {
		t.Fatalf("%d annotators, %v", len(r.Annotators), err)
	}
	for _, a := range r.Annotators {
		if a.Labels != 30 || len(a.SelfConsistency) != 5 {
			t.Errorf("%d labels and %d fields, want 30 and 5", a.Labels, len(a.SelfConsistency))
		}
		for _, self := range a.SelfConsistency {
			exact := 1.0
			if self.Field == "helpful" {
				exact = 0
			}
			if self.Duplicates != 6 || *self.Exact.Value != exact || *self.WithinOnePoint.Value != 1 {
				t.Errorf("%s: %d answers twice, %v alike", self.Field, self.Duplicates, *self.Exact.Value)
			}
		}
	}
	helpful, _ := r.Field("helpful")
	if f := helpful.Figures[0]; f.Ratings != 60 || *f.Value != 1 {
		t.Errorf("agreement rests on %d labels and is %v, want all 60 alike", f.Ratings, *f.Value)
	}
}
