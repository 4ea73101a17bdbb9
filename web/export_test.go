package web

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
)

// unzip returns the files of a response by name.
func unzip(t *testing.T, a testResponse) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

func TestExport_Page_MatchesCommand(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	h.startJobs()
	b := h.signInAs(h.accounts["lead"])
	b.get("/projects/hard-days/export").checkStatus(200).checkContains("The zip file contains")
	a := b.post("/projects/hard-days/export", url.Values{"shape": {"wide"}, "format": {"jsonl"}, "contents": {"both"}})
	if contentType, disposition := a.header.Get("Content-Type"),
		a.header.Get("Content-Disposition"); a.status != http.StatusOK || contentType != "application/zip" ||
		disposition != `attachment; filename=hard-days-wide.zip` {
		t.Fatalf("%d %s %s", a.status, contentType, disposition)
	}
	files := unzip(t, a)
	p, err := h.db.Project(t.Context(), h.accounts["admin"], "hard-days")
	if err != nil {
		t.Fatal(err)
	}
	x := postgres.ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL, Contents: dataset.BothLabels, BOM: true}
	names := []string{}
	_, err = h.db.Export(t.Context(), 0, p, x, func(name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		if names = append(names, name); name != "manifest.json" && files[name] != file.String() {
			t.Errorf("%s differs:\n%.400s\n%.400s", name, files[name], file.String())
		}
		return err
	})
	if err != nil || len(names) != len(files) || !slices.Contains(names, "consensus.jsonl") ||
		!slices.Contains(names, "README.md") {
		t.Errorf("%q and %d files, %v", names, len(files), err)
	}
	var m dataset.Manifest
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil || m.Blinded || m.Agreement == nil {
		t.Errorf("the manifest is %+v, %v", m, err)
	}
	if !strings.Contains(files["annotations.jsonl"], `"meta.condition":"baseline"`) {
		t.Error("the conditions are missing")
	}
	blinded := unzip(t, b.post("/projects/hard-days/export", url.Values{"shape": {"wide"}, "format": {"jsonl"},
		"blinded": {"1"}}))
	if all := strings.Join([]string{blinded["annotations.jsonl"], blinded["codebook.csv"], blinded["manifest.json"]},
		""); strings.Contains(all, "condition\"") || strings.Contains(all, "meta.") {
		t.Error("a blinded export contains the condition")
	}
}

func TestExport_Download_IsAudited(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	h.startJobs()
	b := h.signInAs(h.accounts["lead"])
	b.post("/projects/hard-days/export", url.Values{"shape": {"tall"}, "format": {"csv"}}).checkStatus(
		http.StatusUnprocessableEntity)
	b.post("/projects/hard-days/export", url.Values{"shape": {"long"}, "format": {"csv"}, "exact": {"1"}})
	if n := query[int](h.testEnv, `SELECT count(*) FROM audit_log WHERE action = 'project.export' AND account_id = $1
		AND detail @> '{"exact_times": true}'`, h.accounts["lead"].ID); n != 1 {
		t.Errorf("%d exports are in the audit log, want 1", n)
	}
	h.signInAs(h.accounts["admin"]).get("/admin/audit-log?action=project.export").checkStatus(200).checkContains(
		"exported the dataset of hard-days.")
	h.signInAs(h.accounts["admin"]).get("/admin/audit-log?action=account.sign_in_failed").checkStatus(200)
}
