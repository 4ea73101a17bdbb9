package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

func TestReport_CalibrationBias(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("lean", 3)
	env.addReferences(p, 4)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: project.UseDefault})
	env.submitCalibration(accounts[0], unhelpfulSubmission)
	reportBiases := func() map[string]report.CalibrationBias {
		d, err := env.ReportData(t.Context(), env.admin.ID, p, "one")
		if err != nil {
			t.Fatal(err)
		}
		r, err := report.Build(d, report.BuildOptions{Resamples: 50, Seed: 1})
		if err != nil || len(r.Annotators) != 1 {
			t.Fatalf("%d annotators, %v", len(r.Annotators), err)
		}
		byField := map[string]report.CalibrationBias{}
		for _, l := range r.Annotators[0].CalibrationBias {
			byField[l.Field] = l
		}
		return byField
	}
	if helpful := reportBiases()["helpful"]; helpful.Items != 4 || helpful.LargeDifferences != 4 || *helpful.Value != -1 {
		t.Errorf("before any work: %+v", helpful)
	}
	if err := env.MarkSectionRead(t.Context(), accounts[0].ID, b.ID, "helpful"); err != nil {
		t.Fatal(err)
	}
	if err := env.StartWork(t.Context(), accounts[0].ID, b.ID); err != nil {
		t.Fatal(err)
	}
	env.submitAll(accounts[0])
	if biases := reportBiases(); len(biases) != 5 || *biases["helpful"].Value != -1 || biases["incomplete"].Matches != 4 {
		t.Errorf("after the work: %+v", biases)
	}
}
