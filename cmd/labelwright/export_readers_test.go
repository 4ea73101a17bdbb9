package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/require"
)

// Every combination of an export reads the same with pandas, DuckDB and Polars; load_dataset
// and the validators of Croissant, Label Studio and Langfuse accept their layouts.
func TestExport_PythonReaders_ReadTheSame(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "mlcroissant")
	url := newSampleDB(t)
	addTraceIDs(t, url)
	out := t.TempDir()
	export := func(name string, args ...string) {
		t.Helper()
		code, _, stderr := runCommand(t, "", append([]string{"export", "--database-url", url, "--out",
			filepath.Join(out, name)}, args...)...)
		if code != exitOK && code != exitFound {
			t.Fatalf("%s: exit %d: %s", name, code, stderr)
		}
	}
	for _, project := range []string{"empathy", "retrieval"} {
		for _, format := range []string{"csv", "jsonl", "parquet"} {
			for _, shape := range []string{"long", "wide"} {
				for _, contents := range []string{"raw", "consensus", "both"} {
					export(strings.Join([]string{project, format, shape, contents}, "-"), "--project", project,
						"--format", format, "--shape", shape, "--contents", contents)
				}
			}
			export(project+"-"+format+"-hub", "--project", project, "--format", format, "--shape", "wide", "--contents",
				"both", "--layout", "huggingface", "--texts", "--exact-times")
			export(project+"-"+format+"-blinded", "--project", project, "--format", format, "--blinded", "--texts")
		}
		export(project+"-label-studio", "--project", project, "--layout", "label-studio", "--contents", "both")
		export(project+"-langfuse", "--project", project, "--layout", "langfuse", "--contents", "both")
	}
	command := exec.CommandContext(t.Context(), python, "testdata/read_exports.py", out)
	command.Env = append(os.Environ(), "HF_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1")
	text, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(text), `"plain": 42`) {
		t.Fatalf("%v: %.6000s", err, text)
	}
}

// A program that has only the export, and the published formulas, finds the figures of the report.
func TestReport_ByOtherProgram_SameFromExport(t *testing.T) {
	t.Parallel()
	python := require.Program(t, "python3")
	url := newSampleDB(t)
	for _, d := range demoProjects {
		dir := newExport(t, url, d.Key, "--format", "jsonl", "--shape", "long", "--contents", "both", "--exact-times")
		report := runReportJSON(t, "--database-url", url, "--project", d.Key)
		recompute := func() (string, error) {
			text, err := json.Marshal(report)
			file := filepath.Join(t.TempDir(), "report.json")
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), python, "testdata/recompute_report.py", dir,
				file).CombinedOutput()
			return string(out), err
		}
		out, err := recompute()
		if err != nil || !strings.Contains(out, `"alpha": `) || !strings.Contains(out, `"self_consistency": `) {
			t.Errorf("%s: %v: %.4000s", d.Key, err, out)
		}
		figure := report["fields"].([]any)[0].(map[string]any)["figures"].([]any)[0].(map[string]any)
		figure["value"] = figure["value"].(float64) + 1e-8
		if out, err := recompute(); err == nil || !strings.Contains(out, "the export gives") {
			t.Errorf("%s: another figure is not noticed: %v: %.4000s", d.Key, err, out)
		}
	}
}

// The manual's Python examples run on an export.
func TestManual_PythonExamples_Run(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "mlcroissant")
	manual, err := os.ReadFile("../../web/manual/en/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	url, dir := newSampleDB(t), t.TempDir()
	for folder, layout := range map[string]string{"dataset": "plain", "hub": "huggingface"} {
		code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", "empathy", "--format",
			"parquet", "--layout", layout, "--out", filepath.Join(dir, folder))
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(manual, -1)
	if len(examples) != 4 {
		t.Fatalf("the manual has %d Python examples, want 4", len(examples))
	}
	for _, example := range examples {
		command := exec.CommandContext(t.Context(), python, "-c", string(example[1]))
		command.Dir, command.Env = dir, append(os.Environ(), "HF_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1")
		if text, err := command.CombinedOutput(); err != nil || len(text) == 0 {
			t.Errorf("%s: %v: %s", example[1], err, text)
		}
	}
}

// The manual's R example reads an export, with its rows and types.
func TestManual_RExample_Runs(t *testing.T) {
	t.Parallel()
	r := require.Program(t, "Rscript")
	manual, err := os.ReadFile("../../web/manual/en/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```r\n(.*?)```").FindSubmatch(manual)
	if example == nil {
		t.Fatal("the manual has no R example")
	}
	url, dir := newSampleDB(t), t.TempDir()
	code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", "empathy", "--out",
		filepath.Join(dir, "dataset"))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "dataset", dataset.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := dataset.ReadManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), r, "-e", string(example[1])+
		`cat(nrow(labels), class(labels$current), class(labels$value), length(unique(current$dimension)))`)
	command.Dir = dir
	out, err := command.CombinedOutput()
	if want := fmt.Sprintf("%d logical integer 5", m.Files[0].Rows); err != nil ||
		!strings.HasSuffix(string(out), want) || !strings.Contains(string(out), "helpfulness") {
		t.Errorf("%v: %s, want %s at the end", err, out, want)
	}
}

// addTraceIDs gives each item the id of a trace, as imports from tracing tools do.
func addTraceIDs(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `ALTER TABLE items DISABLE TRIGGER keep_content;
		UPDATE items SET meta = meta || jsonb_build_object('trace_id', md5(source_id),
		'score', id / 4.0, 'nested', jsonb_build_array(id))`); err != nil {
		t.Fatal(err)
	}
}
