package postgres

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

func (env testEnv) reportData(p project.Project, batch string) study.Data {
	env.t.Helper()
	d, err := env.ReportData(env.t.Context(), env.admin.ID, p, batch)
	if err != nil {
		env.t.Fatal(err)
	}
	d.Items, d.Labels = d.Source.Items(), d.Source.Labels()
	return d
}

// buildReport returns the report of batch "one" and checks its number of annotators.
func (env testEnv) buildReport(p project.Project, wantAnnotators int) report.Report {
	env.t.Helper()
	r, err := report.Build(env.reportData(p, "one"), report.BuildOptions{Resamples: 50, Seed: 1})
	if err != nil || len(r.Annotators) != wantAnnotators {
		env.t.Fatalf("%d annotators, %v; want %d", len(r.Annotators), err, wantAnnotators)
	}
	return r
}

func TestReportData_HasItemsAndLabels(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	for _, a := range annotators {
		if n := env.submitAll(a, helpfulSubmission); n != 3 {
			t.Fatalf("submitted %d items, want 3", n)
		}
	}
	env.addItems(p, 3, 1) // in no batch
	d := env.reportData(p, "one")
	if len(d.Items) != 4 || len(d.Labels) != 6 {
		t.Fatalf("%d items and %d labels, want 4 and 6", len(d.Items), len(d.Labels))
	}
	item, label := d.Items[0], d.Labels[0]
	if item.SourceID != "item-1" || item.TextLength != len("An answer.") || item.MatchKey == "" ||
		item.MatchKey == d.Items[1].MatchKey {
		t.Errorf("item = %+v", item)
	}
	if label.Kind != study.Work || label.Annotator == "" || label.Values["helpful"] != 1 || label.ActiveMS != 1000 ||
		label.SubmittedAt.IsZero() {
		t.Errorf("label = %+v", label)
	}
	_, err := env.ReportData(t.Context(), env.admin.ID, p, "two")
	checkErrorIs(t, "unknown batch", err, fault.NotFound)
}

func TestReportData_Items_HaveMetadata(t *testing.T) {
	env := newTestEnv(t)
	for _, tt := range []struct {
		protocol string
		content  project.Content
		want     study.ItemData
	}{
		{"rag-retrieval", project.Content{"query": {Text: "Why?"},
			"chunk": {Chunks: []project.Chunk{{ID: "c", Rank: 3, Text: "Because."}}}},
			study.ItemData{Rank: 3, TextLength: 8, Facts: protocol.Facts{}}},
		{"ambiguity", project.Content{"turns": {Turns: []project.Turn{{Role: "user", Text: "So?"},
			{Role: "assistant", Kind: project.TurnThinking, Text: "Hm."},
			{Role: "assistant", Text: "It is open."}}}},
			study.ItemData{TextLength: 11, Facts: protocol.Facts{"multi_turn": false}}},
	} {
		p, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: tt.protocol, Title: "T",
			Protocol: tt.protocol, Instructions: testInstructions})
		if err != nil {
			t.Fatal(err)
		}
		meta := map[string]json.RawMessage{"system": json.RawMessage(`"base"`), "run": json.RawMessage("2"),
			"list": json.RawMessage("[1]"), "none": json.RawMessage("null")}
		item := project.Item{SourceID: "x", RecordID: "r", Facts: project.DeriveFacts(p.Protocol, tt.content),
			Content: tt.content, Meta: meta}
		if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "x", SHA256: sha256.Sum256([]byte(tt.protocol))},
			[]project.Item{item}); err != nil {
			t.Fatal(err)
		}
		got := env.reportData(p, "").Items[0]
		if got.Rank != tt.want.Rank || got.TextLength != tt.want.TextLength || got.RecordID != "r" ||
			got.MatchKey == "" {
			t.Errorf("%s: item = %+v", tt.protocol, got)
		}
		checkEqual(t, got.Meta, map[string]string{"system": "base", "run": "2"})
		checkEqual(t, got.Facts, tt.want.Facts)
	}
}

// A record that retrieved nothing is counted, and the manifest of an export has the number.
func TestReportData_EmptyRecords_Counted(t *testing.T) {
	env := newTestEnv(t)
	p, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "rag", Title: "T", Protocol: "rag-retrieval",
		Instructions: testInstructions})
	if err != nil {
		t.Fatal(err)
	}
	const chunks = `"chunks":[{"chunk_id":"c%[1]s","doc_id":"d","chunk_rank":1,"text":"One."}]}` + "\n"
	for want, content := range []string{
		`{"record_id":"a","query":"Q?","answer":"A.",` + fmt.Sprintf(chunks, "1"),
		`{"record_id":"b","query":"R?","answer":"A.","chunks":[]}` + "\n" +
			`{"record_id":"c","query":"S?","answer":"A.",` + fmt.Sprintf(chunks, "2"),
	} {
		source := ImportSource{File: File{Name: "a.jsonl", SHA256: sha256.Sum256([]byte(content))},
			Content: strings.NewReader(content), Size: int64(len(content))}
		if _, err := env.ImportFile(t.Context(), env.admin.ID, source, []ProjectImport{{Project: p}}); err != nil {
			t.Fatal(err)
		}
		manifest := env.exportFiles(p, ExportOptions{Shape: dataset.Long, Format: dataset.JSONL,
			Contents: dataset.BothLabels})["manifest.json"]
		if n := env.reportData(p, "").EmptyRecords; n != want ||
			strings.Contains(manifest, `"empty_records": 1`) != (want == 1) {
			t.Errorf("%d empty records, want %d; manifest %s", n, want, manifest)
		}
	}
}

// TestReportData_Conversations_MatchByOpening imports conversations with one opening, which continue
// in different ways, and one with another.
func TestReportData_Conversations_MatchByOpening(t *testing.T) {
	env := newTestEnv(t)
	p, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "talk", Title: "T", Protocol: "ambiguity",
		Instructions: testInstructions})
	if err != nil {
		t.Fatal(err)
	}
	conversations := [][]string{
		{"user", "So?", "assistant", "Which one?"},
		{"user", "So?", "assistant", "It depends.", "user", "On what?", "assistant", "On you."},
		{"system", "Be brief.", "assistant", "Hello!", "user", "So?", "assistant", "No."},
		{"user", "Well?", "assistant", "Which one?"},
		{"user", "So?", "user", "Well?", "assistant", "Which one?"},
	}
	var items []project.Item
	for n, texts := range conversations {
		var turns []project.Turn
		for i := 0; i < len(texts); i += 2 {
			turns = append(turns, project.Turn{Role: texts[i], Text: texts[i+1]})
		}
		content := project.Content{"turns": {Turns: turns}}
		items = append(items, project.Item{SourceID: fmt.Sprint("c", n), RecordID: fmt.Sprint("c", n),
			Facts: project.DeriveFacts(p.Protocol, content), Content: content})
	}
	if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "x", SHA256: sha256.Sum256([]byte("talk"))},
		items); err != nil {
		t.Fatal(err)
	}
	got := env.reportData(p, "").Items
	for n, wantEqual := range []bool{true, true, true, false, false} {
		if isEqual := got[n].MatchKey == got[0].MatchKey; isEqual != wantEqual || got[n].MatchKey == "" {
			t.Errorf("conversation %d has the opening of the first: %t", n, isEqual)
		}
	}
}

func TestReportData_Decision_HasObservations(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	if d := env.reportData(p, ""); len(d.AdjudicatedObservations) != 0 {
		t.Errorf("before a decision: %v", d.AdjudicatedObservations)
	}
	itemID := env.firstItem(p)
	if err := env.adjudicate(env.admin, p, itemID, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	d := env.reportData(p, "")
	if observations, ok := d.AdjudicatedObservations[itemID]; !ok || len(observations) != 0 ||
		len(d.AdjudicatedObservations) != 1 {
		t.Errorf("after a decision: %v", d.AdjudicatedObservations)
	}
}

func TestReport_CalibrationBias(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator := env.newCalibratingAnnotator(3, 4, 0)
	env.submitCalibration(annotator, unhelpfulSubmission)
	biases := func() map[string]report.CalibrationBias {
		byField := map[string]report.CalibrationBias{}
		for _, bias := range env.buildReport(p, 1).Annotators[0].CalibrationBias {
			byField[bias.Field] = bias
		}
		return byField
	}
	if helpful := biases()["helpful"]; helpful.Items != 4 || helpful.LargeDifferences != 4 || *helpful.Value != -1 {
		t.Errorf("before work: bias = %+v", helpful)
	}
	if err := env.MarkSectionRead(t.Context(), annotator.ID, b.ID, "helpful"); err != nil {
		t.Fatal(err)
	}
	env.startWork(annotator, b)
	env.submitAll(annotator, helpfulSubmission)
	if got := biases(); len(got) != 5 || *got["helpful"].Value != -1 || got["incomplete"].Matches != 4 {
		t.Errorf("after work: biases = %+v", got)
	}
}

// Answers to hidden duplicates count for self-consistency and not for agreement.
func TestReport_SelfConsistency_ByField(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 30, project.BatchSpec{DuplicateCount: 6})
	for _, a := range annotators {
		env.submitEach(a, func(token string) labeling.Submission {
			if env.isDuplicate(token) {
				return unhelpfulSubmission
			}
			return helpfulSubmission
		})
	}
	r := env.buildReport(p, 2)
	for _, a := range r.Annotators {
		if a.Labels != 30 || len(a.SelfConsistency) != 5 {
			t.Errorf("%d labels and %d fields, want 30 and 5", a.Labels, len(a.SelfConsistency))
		}
		for _, field := range a.SelfConsistency {
			exact := 1.0
			if field.Field == "helpful" {
				exact = 0
			}
			if field.Duplicates != 6 || *field.Exact.Value != exact || field.WithinOnePoint.Value != nil {
				t.Errorf("%s: %v of %d duplicates equal, want %v of 6", field.Field, *field.Exact.Value,
					field.Duplicates, exact)
			}
		}
	}
	helpful, _ := r.Field("helpful")
	if f := helpful.Figures[0]; f.Ratings != 60 || *f.Value != 1 {
		t.Errorf("agreement of %d labels = %v, want 1 of 60", f.Ratings, *f.Value)
	}
}
