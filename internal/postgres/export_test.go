package postgres

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// exportFiles returns the files of an export by name.
func (env testEnv) exportFiles(p project.Project, spec ExportOptions) map[string]string {
	env.t.Helper()
	files := map[string]string{}
	_, err := env.Export(env.t.Context(), env.admin.ID, p, spec, func(name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		files[name] = file.String()
		return err
	})
	if err != nil {
		env.t.Fatal(err)
	}
	return files
}

// parseJSONL reads JSONL.
func (env testEnv) parseJSONL(file string) (rows []map[string]any) {
	env.t.Helper()
	for line := range strings.Lines(file) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			env.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestExport_OneFilePerKind(t *testing.T) {
	env := newTestEnv(t)
	p, _, accounts := env.newCalibrationBatch("kinds")
	for hasMore := true; hasMore; {
		hasMore = false
		for _, a := range accounts {
			hasMore = env.submitItem(a) || hasMore
			env.resolveCalibration(a)
		}
	}
	for _, shape := range []dataset.Shape{dataset.Long, dataset.Wide} {
		files := env.exportFiles(p, ExportOptions{Shape: shape, Format: dataset.JSONL, IncludeConsensus: true})
		checkEqual(t, slices.Sorted(maps.Keys(files)), []string{"README.md", "annotations.jsonl", "calibration.jsonl", "codebook.csv", "consensus.jsonl", "duplicates.jsonl", "manifest.json"})
		for name, kind := range map[string]string{"annotations": "work", "duplicates": "duplicate", "calibration": "calibration"} {
			found := map[any]bool{}
			for _, row := range env.parseJSONL(files[name+".jsonl"]) {
				if found[row["annotation"]] = true; row["kind"] != kind {
					t.Errorf("%s, %s: a row of kind %v", shape, name, row["kind"])
				}
			}
			if want := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = $1`, kind); len(found) != want || want == 0 {
				t.Errorf("%s, %s: %d annotations, want %d", shape, name, len(found), want)
			}
		}
	}
}

// Whoever was distressed is nobody's business, and neither is who set what aside.
func TestExport_Skips_StayPrivate(t *testing.T) {
	env := newTestEnv(t)
	p, _, accounts := env.newCalibrationBatch("aside")
	for n, hasMore := 0, true; hasMore; n++ {
		hasMore = false
		for i, a := range accounts {
			token := env.openItem(a)
			if env.resolveCalibration(a); token == "" {
				continue
			}
			hasMore = true
			skip := labeling.Skip{Reason: labeling.Distressing}
			if i == 1 {
				skip = labeling.Skip{Reason: labeling.OutsideExpertise, Comment: "a canary's word"}
			}
			var err error
			if n%5 == 4 {
				_, err = env.Skip(t.Context(), a.ID, token, skip)
			} else {
				_, err = env.Submit(t.Context(), a.ID, token, helpfulSubmission)
			}
			if err != nil {
				t.Fatal(err)
			}
			env.resolveCalibration(a)
		}
	}
	if env.queryInt(`SELECT count(*) FROM set_aside WHERE reason = 'distressing'`) < 3 {
		t.Fatal("hardly anything was set aside")
	}
	for _, shape := range []dataset.Shape{dataset.Long, dataset.Wide} {
		for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL} {
			for name, file := range env.exportFiles(p, ExportOptions{Shape: shape, Format: format, IncludeConsensus: true, IncludeTexts: true, ExactTimes: true}) {
				for _, secret := range []string{"distress", "outside_expertise", "set_aside", "canary", "@example.org", "Name of"} {
					if strings.Contains(file, secret) {
						t.Errorf("%s, %s tells %q", shape, name, secret)
					}
				}
			}
		}
	}
}

func TestExport_Reopened_HasBoth(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("reopened", 3)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	annotator, token := accounts[0], env.openItem(accounts[0])
	if _, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	env.advanceClock(25)
	if err := env.RequestCorrection(t.Context(), annotator.ID, token, "I meant no"); err != nil {
		t.Fatal(err)
	}
	corrections, err := env.CorrectionRequests(t.Context(), b.ID)
	if err == nil {
		err = env.AcceptCorrection(t.Context(), env.admin.ID, p, b, corrections[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	env.submitAll(annotator)
	rows := env.parseJSONL(env.exportFiles(p, ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL})["annotations.jsonl"])
	byID := map[any]map[string]any{}
	for _, row := range rows {
		byID[row["annotation"]] = row
	}
	found := 0
	for _, row := range rows {
		old := byID[row["replaces_id"]]
		if old == nil {
			continue
		}
		found++
		if old["current"] != false || row["current"] != true || old["item"] != row["item"] || row["attempt_no"] != 2.0 || row["session_minutes"] != 25.0 || old["session_minutes"] != 0.0 {
			t.Errorf("%v\nreplaces\n%v", row, old)
		}
	}
	if len(rows) != 4 || found != 1 {
		t.Errorf("%d rows, %d of which replace another; want 4 and 1", len(rows), found)
	}
}

func TestExport_ConsensusSource(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("settled")
	env.addItems(p, 3, 1) // in no batch
	countSources := func() map[string]int {
		found := map[string]int{}
		for _, row := range env.parseJSONL(env.exportFiles(p, ExportOptions{Shape: dataset.Long, Format: dataset.JSONL, IncludeConsensus: true})["consensus.jsonl"]) {
			found[row["source"].(string)]++
			if (row["value"] == nil) != (row["source"] == "tied") || row["answers"] != 2.0 {
				t.Errorf("%v", row)
			}
		}
		return found
	}
	differing := 0
	for key, value := range helpfulSubmission.Answers.Values {
		if unhelpfulSubmission.Answers.Values[key] != value {
			differing++
		}
	}
	fields := len(p.Protocol.Fields)
	checkEqual(t, countSources(), map[string]int{"unanimous": 3*fields - differing, "tied": differing})
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	if err := env.adjudicate(env.admin, p, item, helpfulDecision); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, countSources(), map[string]int{"unanimous": 2 * fields, "adjudicated": fields})
}

func TestExport_NoAnswer_Unresolved(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("open", 2)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	env.submitItem(accounts[0])
	found := map[any]any{}
	for _, row := range env.parseJSONL(env.exportFiles(p, ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL, IncludeConsensus: true})["consensus.jsonl"]) {
		found[row["helpful.source"]] = row["helpful.answer_count"]
	}
	checkEqual(t, found, map[any]any{"single": 1.0, "unresolved": 0.0})
}
