package postgres

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

func TestReportData_IsOneSnapshot(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("told", 3)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		if n := env.submitAllWith(a.ID, helpfulSubmission); n != 3 {
			t.Fatalf("%d labels, want 3", n)
		}
	}
	env.addItems(p, 3, 1) // an item that is in no batch yet
	d, err := env.ReportData(t.Context(), env.admin.ID, p, "one")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Items) != 4 || len(d.Labels) != 6 {
		t.Fatalf("%d items and %d labels", len(d.Items), len(d.Labels))
	}
	item, label := d.Items[0], d.Labels[0]
	if item.SourceID != "item-1" || item.TextLength != len("An answer.") || item.MatchKey == "" || item.MatchKey == d.Items[1].MatchKey {
		t.Errorf("the item is %+v", item)
	}
	if label.Kind != report.Work || label.Annotator == "" || label.Values["helpful"] != 1 || label.ActiveMS != 1000 || label.SubmittedAt.IsZero() {
		t.Errorf("the label is %+v", label)
	}
	reach, err := env.DataVersion(t.Context(), p)
	if err != nil || reach.LastAnnotationID != d.Labels[5].ID {
		t.Errorf("the labels reach %+v, %v; want %d", reach, err, d.Labels[5].ID)
	}
	if _, err := env.ReportData(t.Context(), env.admin.ID, p, "two"); !errors.Is(err, fault.NotFound) {
		t.Errorf("a batch that is not there: %v", err)
	}
}

func TestReportData_Items_HaveMetadata(t *testing.T) {
	env := newTestEnv(t)
	for _, tt := range []struct {
		protocol string
		content  project.Content
		want     report.ItemData
	}{
		{"rag-retrieval", project.Content{"query": {Text: "Why?"}, "chunk": {Chunks: []project.Chunk{{ID: "c", Rank: 3, Text: "Because."}}}}, report.ItemData{Rank: 3, TextLength: 8}},
		{"ambiguity", project.Content{"turns": {Turns: []project.Turn{{Role: "user", Text: "So?"}, {Role: "assistant", Text: "It is open."}}}}, report.ItemData{TextLength: 11}},
	} {
		p, err := env.CreateProject(t.Context(), env.admin, project.ProjectSpec{Key: tt.protocol, Title: "T", Protocol: tt.protocol})
		if err != nil {
			t.Fatal(err)
		}
		meta := map[string]json.RawMessage{"system": json.RawMessage(`"base"`), "run": json.RawMessage("2"), "list": json.RawMessage("[1]"), "none": json.RawMessage("null")}
		item := project.Item{SourceID: "x", RecordID: "r", Facts: project.DeriveFacts(p.Protocol, tt.content), Content: tt.content, Meta: meta}
		if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "x", SHA256: sha256.Sum256([]byte(tt.protocol))}, []project.Item{item}); err != nil {
			t.Fatal(err)
		}
		d, err := env.ReportData(t.Context(), env.admin.ID, p, "")
		if err != nil {
			t.Fatal(err)
		}
		got := d.Items[0]
		if got.Rank != tt.want.Rank || got.TextLength != tt.want.TextLength || got.RecordID != "r" || got.MatchKey == "" {
			t.Errorf("%s: the item is %+v", tt.protocol, got)
		}
		if len(got.Meta) != 2 || got.Meta["system"] != "base" || got.Meta["run"] != "2" {
			t.Errorf("%s: the metadata is %v", tt.protocol, got.Meta)
		}
		if tt.protocol == "ambiguity" && got.Facts["multi_turn"] != (protocol.Facts{})["multi_turn"] {
			t.Errorf("the facts are %v", got.Facts)
		}
	}
}

func TestReportData_Observations(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("settled")
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items`))
	before, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if err != nil || len(before.AdjudicatedObservations) != 0 {
		t.Fatalf("before there is %v, %v", before.AdjudicatedObservations, err)
	}
	if err := env.adjudicate(env.admin, p, item, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	after, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if observed, settled := after.AdjudicatedObservations[item]; err != nil || !settled || len(observed) != 0 || len(after.AdjudicatedObservations) != 1 {
		t.Errorf("after there is %v, %v", after.AdjudicatedObservations, err)
	}
}

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
			next, err := env.submit(t.Context(), a.ID, token, s)
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
