package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// Whoever answers duplicates otherwise than their originals is told so, field
// by field, and agreement does not move.
func TestSelfConsistencyComesFromTheDuplicatesAlone(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("self", 30)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Duplicates: 6})
	for _, a := range accounts {
		for token := w.begin(a); token != ""; {
			s := good
			if w.count(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 {
				s = unhelpful
			}
			next, err := w.Submit(t.Context(), a.ID, token, s)
			if err != nil {
				t.Fatal(err)
			}
			token = next
		}
	}
	d, err := w.ReportData(t.Context(), p, "one")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Make(d, report.Options{Resamples: 50, Seed: 1})
	if err != nil || len(r.Annotators) != 2 {
		t.Fatalf("%d annotators, %v", len(r.Annotators), err)
	}
	for _, a := range r.Annotators {
		if a.Labels != 30 || len(a.Self) != 5 {
			t.Errorf("%d labels and %d fields, want 30 and 5", a.Labels, len(a.Self))
		}
		for _, self := range a.Self {
			exact := 1.0
			if self.Field == "helpful" {
				exact = 0
			}
			if self.N != 6 || *self.Exact.Value != exact || *self.Within.Value != 1 {
				t.Errorf("%s: %d answers twice, %v alike", self.Field, self.N, *self.Exact.Value)
			}
		}
	}
	helpful, _ := r.Field("helpful")
	if f := helpful.Figures[0]; f.Ratings != 60 || *f.Value != 1 {
		t.Errorf("agreement rests on %d labels and is %v, want all 60 alike", f.Ratings, *f.Value)
	}
}
