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
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// exportFiles returns the files of an export by name.
func (env testEnv) exportFiles(p project.Project, options ExportOptions) map[string]string {
	env.t.Helper()
	files := map[string]string{}
	_, err := env.Export(env.t.Context(), env.admin.ID, p, options,
		func(name string, write func(io.Writer) error) error {
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

// exportRows returns the rows of one file of a JSONL export.
func (env testEnv) exportRows(p project.Project, shape dataset.Shape, file string) (rows []map[string]any) {
	env.t.Helper()
	files := env.exportFiles(p, ExportOptions{Shape: shape, Format: dataset.JSONL, Contents: dataset.BothLabels})
	return parseJSONL(env.t, files[file+".jsonl"])
}

func parseJSONL(t *testing.T, text string) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestExport_OneFilePerKind(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newCalibrationBatch()
	env.submitInTurns(annotators)
	for _, shape := range []dataset.Shape{dataset.Long, dataset.Wide} {
		files := env.exportFiles(p, ExportOptions{Shape: shape, Format: dataset.JSONL, Contents: dataset.BothLabels})
		checkEqual(t, slices.Sorted(maps.Keys(files)), []string{"README.md", "annotations.jsonl", "attempts.jsonl",
			"calibration.jsonl", "codebook.csv", "consensus.jsonl",
			"duplicates.jsonl", "items.jsonl", "manifest.json", "protocol.yaml", "references.jsonl", "sessions.jsonl"})
		for name, kind := range map[string]string{"annotations": "work", "duplicates": "duplicate",
			"calibration": "calibration"} {
			found := map[any]bool{}
			for _, row := range parseJSONL(t, files[name+".jsonl"]) {
				if found[row["annotation"]] = true; row["kind"] != kind {
					t.Errorf("%s, %s: kind = %v", shape, name, row["kind"])
				}
			}
			if want := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id
				WHERE a.kind = $1`, kind); len(found) != want || want == 0 {
				t.Errorf("%s, %s: %d annotations, want %d", shape, name, len(found), want)
			}
		}
	}
}

// An export names no account, no skip and no reason for a skip.
func TestExport_Skips_StayPrivate(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newCalibrationBatch()
	for round, hasMore := 0, true; hasMore; round++ {
		hasMore = false
		for i, a := range annotators {
			token := env.openItem(a)
			switch {
			case token == "":
			case round%5 != 4:
				env.mustSubmit(a, token, helpfulSubmission)
			case i == 1:
				env.skipItem(a, token, labeling.Skip{Reason: labeling.OutsideExpertise, Comment: "private canary"})
			default:
				env.skipItem(a, token, labeling.Skip{Reason: labeling.Distressing})
			}
			hasMore = hasMore || token != ""
			env.resolveCalibration(a)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM skips WHERE reason = 'distressing'`); n < 3 {
		t.Fatalf("%d items skipped as distressing, want at least 3", n)
	}
	for _, shape := range []dataset.Shape{dataset.Long, dataset.Wide} {
		for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL} {
			for name, file := range env.exportFiles(p, ExportOptions{Shape: shape, Format: format,
				Contents: dataset.BothLabels, IncludeTexts: true, ExactTimes: true}) {
				for _, secret := range []string{"distressing", "outside_expertise", "canary", "@example.org",
					"Name of"} {
					if strings.Contains(file, secret) {
						t.Errorf("%s, %s contains %q", shape, name, secret)
					}
				}
			}
		}
	}
}

func TestExport_Reopened_HasBoth(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	token := env.openItem(annotators[0])
	env.mustSubmit(annotators[0], token, helpfulSubmission)
	env.advanceClock(25)
	env.reopenItem(p, b, annotators[0], token)
	env.submitAll(annotators[0], helpfulSubmission)
	rows := env.exportRows(p, dataset.Wide, "annotations")
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
		if old["current"] != false || row["current"] != true || old["item"] != row["item"] ||
			row["attempt_no"] != 2.0 || row["session_minutes"] != 25.0 || old["session_minutes"] != 0.0 {
			t.Errorf("%v\nreplaces\n%v", row, old)
		}
	}
	if len(rows) != 4 || found != 1 {
		t.Errorf("%d rows, %d of which replace another; want 4 and 1", len(rows), found)
	}
}

func TestExport_ConsensusCells(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	env.addItems(p, 3, 1) // in no batch
	countMethods := func() map[string]int {
		found := map[string]int{}
		for _, row := range env.exportRows(p, dataset.Long, "consensus") {
			found[row["how"].(string)]++
			if (row["value"] == nil) != (row["how"] == "tie") || row["labels"] != 2.0 || row["mean"] == nil ||
				row["spread"] == nil {
				t.Errorf("row = %v", row)
			}
		}
		return found
	}
	fields := len(p.Protocol.Fields)
	checkEqual(t, countMethods(), map[string]int{"majority": 3*fields - 1, "tie": 1})
	if err := env.adjudicate(env.admin, p, env.firstItem(p), helpfulDecision); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, countMethods(), map[string]int{"majority": 2 * fields, "adjudicated": fields})
}

func TestExport_NoAnswer_NoMethod(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	env.submitItem(annotators[0])
	found := map[any]any{}
	for _, row := range env.exportRows(p, dataset.Wide, "consensus") {
		found[row["helpful.how"]] = row["helpful.labels"]
	}
	checkEqual(t, found, map[any]any{"majority": 1.0, nil: 0.0})
}

// A blinded export names no item as it was imported; the key does.
func TestExport_Blinded_KeyExplainsIDs(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	sources := map[string]bool{}
	for _, row := range env.exportRows(p, dataset.Wide, "annotations") {
		sources[row["item"].(string)] = true
	}
	files := env.exportFiles(p, ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL, Blinded: true,
		IncludeTexts: true, Contents: dataset.BothLabels})
	var key bytes.Buffer
	if err := env.WriteUnblindingKey(t.Context(), env.admin.ID, p, &key); err != nil {
		t.Fatal(err)
	}
	for name, file := range files {
		if strings.Contains(file, `"meta.`) {
			t.Errorf("%s has metadata", name)
		}
		for source := range sources {
			if strings.Contains(file, `"`+source+`"`) {
				t.Errorf("%s names %s", name, source)
			}
		}
	}
	for _, row := range parseJSONL(t, files["annotations.jsonl"]) {
		if blinded := row["item"].(string); !strings.HasPrefix(blinded, "item-") ||
			!strings.Contains(key.String(), blinded) {
			t.Errorf("the key does not explain %s", blinded)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM audit_log WHERE action = 'project.export_key'`); n != 1 {
		t.Errorf("%d downloads of the key are in the audit log, want 1", n)
	}
}

func TestExport_Batch_OnlyItsLabels(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	name := env.exportRows(p, dataset.Wide, "annotations")[0]["batch"].(string)
	for _, options := range []ExportOptions{{Batches: []string{name}},
		{States: []project.ItemState{project.ItemDisagreement}}, {Batches: []string{name},
			States: []project.ItemState{project.ItemAdjudicated}}} {
		options.Shape, options.Format, options.Contents = dataset.Wide, dataset.JSONL, dataset.BothLabels
		files := env.exportFiles(p, options)
		want := map[bool]int{true: 6, false: 2 - 2*min(len(options.Batches), 1)}[options.States == nil]
		if got := len(parseJSONL(t, files["annotations.jsonl"])); got != want {
			t.Errorf("%+v: %d annotations, want %d", options, got, want)
		}
	}
	_, err := env.Export(t.Context(), env.admin.ID, p, ExportOptions{Shape: dataset.Wide, Format: dataset.CSV,
		Batches: []string{"none"}}, nil)
	if fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}
