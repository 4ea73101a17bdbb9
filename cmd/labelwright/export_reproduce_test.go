package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// newSampleDB returns the address of a database with the sample projects and a judge.
func newSampleDB(t *testing.T) string {
	t.Helper()
	url := pgtest.New(t)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := prepareDemo(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return url
}

// readTable returns the rows of a JSONL table of an export; none if it does not exist.
func readTable(t *testing.T, files map[string]string, name string) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(files[name+".jsonl"]) {
		var row map[string]any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func text(value any) string { s, _ := value.(string); return s }

func number(value any) int64 {
	n, _ := value.(json.Number)
	i, _ := strconv.ParseInt(string(n), 10, 64)
	return i
}

// answersOf returns the answers in the columns of the fields.
func answersOf(p protocol.Protocol, row map[string]any) map[string]int {
	values := map[string]int{}
	for _, f := range p.Fields {
		if n, ok := row[f.Key].(json.Number); ok {
			values[f.Key] = int(number(n))
		}
	}
	return values
}

func observationsOf(p protocol.Protocol, row map[string]any) []string {
	list := []string{}
	for _, o := range p.Observations {
		if number(row["obs."+o.Key]) == 1 {
			list = append(list, o.Key)
		}
	}
	return list
}

// readReportData reads what a report is computed from from a wide export with exact times.
func readReportData(t *testing.T, files map[string]string) report.Data {
	t.Helper()
	var m dataset.Manifest
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	p, err := protocol.Read("protocol.yaml", []byte(files["protocol.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	d := report.Data{Project: m.Project, Protocol: p, References: map[project.ItemID]map[string]int{},
		Adjudicated: map[project.ItemID]map[string]int{}, AdjudicatedObservations: map[project.ItemID][]string{}}
	ids := map[string]project.ItemID{}
	for _, row := range readTable(t, files, "items") {
		id := project.ItemID(len(ids) + 1)
		ids[text(row["item"])] = id
		if row["calibration"] == true {
			continue
		}
		item := report.ItemData{ID: id, SourceID: text(row["item"]), RecordID: text(row["record"]), MatchKey: text(row["match_key"]),
			Rank: int(number(row["rank"])), TextLength: int(number(row["text_length"])), Facts: protocol.Facts{}, Meta: map[string]string{}}
		for name, value := range row {
			if key, ok := strings.CutPrefix(name, "fact."); ok {
				item.Facts[key] = number(value) == 1
			}
			if key, ok := strings.CutPrefix(name, "meta."); ok && value != nil && value != "" && len(mustMarshal(t, value)) <= 80 {
				item.Meta[key] = fmt.Sprint(value)
			}
		}
		d.Items = append(d.Items, item)
	}
	for table, kind := range map[string]report.LabelKind{"annotations": report.Work, "duplicates": report.Duplicate, "calibration": report.Calibration} {
		for _, row := range readTable(t, files, table) {
			id, _ := strconv.ParseInt(text(row["annotation"]), 10, 64)
			submitted, err := time.Parse(time.RFC3339, text(row["submitted_at"]))
			if err != nil {
				t.Fatal(err)
			}
			if row["current"] == true {
				d.Labels = append(d.Labels, report.Label{ID: id, ItemID: ids[text(row["item"])], Annotator: text(row["annotator"]), Kind: kind, Values: answersOf(p, row),
					Observations: observationsOf(p, row), ItemsSinceBreak: int(number(row["items_since_completed_break"])), ActiveMS: number(row["active_ms"]),
					SubmittedAt: submitted, Revision: int(number(row["revision"]))})
			}
		}
	}
	slices.SortFunc(d.Labels, func(a, b report.Label) int { return cmp.Compare(a.ID, b.ID) })
	for _, row := range readTable(t, files, "judgments") {
		d.Judgments = append(d.Judgments, report.Judgment{ItemID: ids[text(row["item"])], Judge: text(row["judge"]), Values: answersOf(p, row)})
	}
	for _, row := range readTable(t, files, "adjudications") {
		if row["current"] == true {
			id := ids[text(row["item"])]
			d.Adjudicated[id], d.AdjudicatedObservations[id] = answersOf(p, row), observationsOf(p, row)
		}
	}
	for _, row := range readTable(t, files, "references") {
		d.References[ids[text(row["item"])]] = answersOf(p, row)
	}
	return d
}

func mustMarshal(t *testing.T, value any) []byte {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// The export alone gives every figure of the report.
func TestExport_Alone_ReproducesReport(t *testing.T) {
	t.Parallel()
	url := newSampleDB(t)
	for _, d := range demoProjects {
		dir := filepath.Join(t.TempDir(), d.Key)
		code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", d.Key, "--out", dir, "--format", "jsonl", "--shape", "wide", "--exact-times")
		if code != exitOK && code != exitFound {
			t.Fatalf("%s: exit %d: %s", d.Key, code, stderr)
		}
		code, want, stderr := runCommand(t, "", "report", "--database-url", url, "--project", d.Key, "--format", "json", "--resamples", "100", "--seed", "7")
		if code != exitOK {
			t.Fatalf("%s: exit %d: %s", d.Key, code, stderr)
		}
		r, err := report.Build(readReportData(t, folderContents(t, dir)), report.BuildOptions{Resamples: 100, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := r.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(parse(t, []byte(want)), parse(t, got.Bytes())); diff != "" {
			t.Errorf("%s (-report +from the export):\n%.4000s", d.Key, diff)
		}
	}
}

func parse(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
