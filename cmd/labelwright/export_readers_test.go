package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

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
		code, _, stderr := runCommand(t, "", append([]string{"export", "--database-url", url, "--out", filepath.Join(out, name)}, args...)...)
		if code != exitOK && code != exitFound {
			t.Fatalf("%s: exit %d: %s", name, code, stderr)
		}
	}
	for _, project := range []string{"empathy", "retrieval"} {
		for _, format := range []string{"csv", "jsonl", "parquet"} {
			for _, shape := range []string{"long", "wide"} {
				for _, contents := range []string{"raw", "consensus", "both"} {
					export(strings.Join([]string{project, format, shape, contents}, "-"), "--project", project, "--format", format, "--shape", shape, "--contents", contents)
				}
			}
			export(project+"-"+format+"-hub", "--project", project, "--format", format, "--shape", "wide", "--contents", "both", "--layout", "huggingface", "--texts", "--exact-times")
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

// The README's Python examples run on an export.
func TestReadme_PythonExamples_Run(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "mlcroissant")
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	url, dir := newSampleDB(t), t.TempDir()
	for folder, layout := range map[string]string{"dataset": "plain", "hub": "huggingface"} {
		code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", "empathy", "--format", "parquet", "--layout", layout, "--out", filepath.Join(dir, folder))
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(examples) != 4 {
		t.Fatalf("the README has %d Python examples, want 4", len(examples))
	}
	for _, example := range examples {
		command := exec.CommandContext(t.Context(), python, "-c", string(example[1]))
		command.Dir, command.Env = dir, append(os.Environ(), "HF_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1")
		if text, err := command.CombinedOutput(); err != nil || len(text) == 0 {
			t.Errorf("%s: %v: %s", example[1], err, text)
		}
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
	if _, err := conn.Exec(t.Context(), `UPDATE items SET meta = meta || jsonb_build_object('trace_id', md5(source_id), 'score', id / 4.0, 'nested', jsonb_build_array(id))`); err != nil {
		t.Fatal(err)
	}
}
