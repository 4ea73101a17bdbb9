package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/report/fromexport"
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

// newExport exports a project to a new folder.
func newExport(t *testing.T, url, project string, args ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "export")
	code, _, stderr := runCommand(t, "", append([]string{"export", "--database-url", url, "--project", project, "--out",
		dir}, args...)...)
	if code != exitOK && code != exitFound {
		t.Fatalf("%s %q: exit %d: %s", project, args, code, stderr)
	}
	return dir
}

// exportForms are the forms of an export with labels.
var exportForms = func() (forms [][]string) {
	for _, format := range []string{"jsonl", "csv", "parquet"} {
		for _, shape := range []string{"wide", "long"} {
			for _, layout := range []string{"plain", "huggingface"} {
				forms = append(forms, []string{"--format", format, "--shape", shape, "--layout", layout})
			}
		}
	}
	return forms
}()

// The export alone gives every figure of the report, in every form.
func TestReport_FromExport_SameAsProject(t *testing.T) {
	t.Parallel()
	url := newSampleDB(t)
	for i, d := range demoProjects {
		dir := newExport(t, url, d.Key, append([]string{"--exact-times"}, exportForms[i]...)...)
		want := runReportJSON(t, "--database-url", url, "--project", d.Key)
		if diff := gocmp.Diff(want, runReportJSON(t, "--from", dir)); diff != "" {
			t.Errorf("%s (-project +export):\n%.4000s", d.Key, diff)
		}
		data, _, err := fromexport.Read(os.DirFS(dir), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range exportForms {
			got, limits, err := fromexport.Read(os.DirFS(newExport(t, url, d.Key, append([]string{"--exact-times"},
				form...)...)), "")
			if diff := gocmp.Diff(data, got); diff != "" || err != nil || limits != nil {
				t.Errorf("%s, %q: %v, %q (-first form +other form):\n%.2000s", d.Key, form, err, limits, diff)
			}
		}
		for _, args := range [][]string{{"--blinded"}, {"--comments", "--contents", "both"}, {"--format", "parquet",
			"--shape", "long", "--blinded"}} {
			if _, _, err := fromexport.Read(os.DirFS(newExport(t, url, d.Key, args...)), ""); err != nil {
				t.Errorf("%s, %q: %v", d.Key, args, err)
			}
		}
		labels := filepath.Join(newExport(t, url, d.Key, "--format", "csv", "--shape", "long", "--texts"),
			"annotations.csv")
		for _, args := range [][]string{{"agree", labels, "--resamples", "2"}, {"consensus", labels}} {
			if code, _, stderr := runCommand(t, "", args...); code != exitOK {
				t.Errorf("%s, %s: exit %d: %s", d.Key, args[0], code, stderr)
			}
		}
	}
}

// runReportJSON returns the report as JSON. Without --database-url it has no database.
func runReportJSON(t *testing.T, args ...string) (report map[string]any) {
	t.Helper()
	code, stdout, stderr := runCommand(t, "", append([]string{"report", "--format", "json", "--resamples", "100",
		"--seed", "7"}, args...)...)
	if code != exitOK {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// An export with days instead of times gives all figures but those of time.
func TestReport_FromExportWithDays_DiffersInTimesOnly(t *testing.T) {
	t.Parallel()
	url := newSampleDB(t)
	dir := newExport(t, url, "empathy")
	want := runReportJSON(t, "--database-url", url, "--project", "empathy")
	var differing []string
	got := runReportJSON(t, "--from", dir)
	for key := range want {
		listDifferences(key, want[key], got[key], &differing)
	}
	slices.Sort(differing)
	if diff := gocmp.Diff([]string{"annotators.pace_seconds"}, slices.Compact(differing)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// listDifferences appends the paths at which two values differ, without the numbers of rows.
func listDifferences(path string, a, b any, paths *[]string) {
	switch x := a.(type) {
	case map[string]any:
		if y, isObject := b.(map[string]any); isObject {
			for key := range x {
				listDifferences(path+"."+key, x[key], y[key], paths)
			}
			return
		}
	case []any:
		if y, isList := b.([]any); isList && len(x) == len(y) {
			for i := range x {
				listDifferences(path, x[i], y[i], paths)
			}
			return
		}
	}
	if !gocmp.Equal(a, b) {
		*paths = append(*paths, path)
	}
}

// An export that is changed, incomplete or without labels gives no report, but a reason.
func TestReport_FromDamagedExport_SaysWhy(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 6)
	for name, c := range map[string]struct {
		args    []string
		damage  func(dir string) error
		report  []string
		want    string
		isUsage bool
	}{
		"changed": {damage: func(dir string) error { return appendTo(filepath.Join(dir, "annotations.csv"), "x") },
			want: "annotations.csv was changed after the export"},
		"incomplete": {damage: func(dir string) error { return os.Remove(filepath.Join(dir, "items.csv")) },
			want: "items.csv"},
		"no export": {damage: func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) },
			want: "the folder has no export"},
		"no labels": {args: []string{"--contents", "consensus"}, want: "Export again with --contents raw or both"},
		"no tables": {args: []string{"--layout", "label-studio"}, want: "--layout plain or huggingface"},
		"no batch":  {report: []string{"--batch", "other"}, want: "The export has no batch “other”."},
		"project": {report: []string{"--project", "pilot"}, want: "--project and --from can't be used together",
			isUsage: true},
	} {
		dir := newExport(t, url, "pilot", c.args...)
		if c.damage != nil {
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
		}
		code, _, stderr := runCommand(t, "", append([]string{"report", "--from", dir}, c.report...)...)
		if want := map[bool]int{false: exitFailed, true: exitUsage}[c.isUsage]; code != want ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, want, stderr)
		}
	}
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprint(file, text)
	return err
}
