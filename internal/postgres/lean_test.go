package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

func TestTheReportTellsTheLeanInCalibration(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("lean", 3)
	w.references(p, 4)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Calibration: project.AsPlanned})
	w.calibrate(accounts[0], unhelpful)
	leans := func() map[string]report.Lean {
		d, err := w.ReportData(t.Context(), p, "one")
		if err != nil {
			t.Fatal(err)
		}
		r, err := report.Make(d, report.Options{Resamples: 50, Seed: 1})
		if err != nil || len(r.Annotators) != 1 {
			t.Fatalf("%d annotators, %v", len(r.Annotators), err)
		}
		of := map[string]report.Lean{}
		for _, l := range r.Annotators[0].Lean {
			of[l.Field] = l
		}
		return of
	}
	if helpful := leans()["helpful"]; helpful.N != 4 || helpful.Far != 4 || *helpful.Value != -1 {
		t.Errorf("before any work: %+v", helpful)
	}
	if err := w.ReadSection(t.Context(), accounts[0].ID, b.ID, "helpful"); err != nil {
		t.Fatal(err)
	}
	if err := w.BeginWork(t.Context(), accounts[0].ID, b.ID); err != nil {
		t.Fatal(err)
	}
	w.finish(accounts[0])
	if found := leans(); len(found) != 5 || *found["helpful"].Value != -1 || found["incomplete"].Equal != 4 {
		t.Errorf("after the work: %+v", found)
	}
}
