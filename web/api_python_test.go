package web

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/require"
)

// The program in web/api/README.md labels a project and prints the scorecard. It is not hindered by a
// second run.
func TestAPI_JudgeRecipe_Runs(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "requests")
	text, err := os.ReadFile("api/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "```python\n")
	program, _, _ = strings.Cut(program, "```")
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 5)
	env.labelAll(ann, env.newBatch(lead, p, "first", 1, ann.Email), 1)
	env.startJobs() // the program reads the report
	token := env.newToken(lead, []account.Scope{account.ScopeRead, account.ScopeJudge}, "p").token
	run := func(project, token string, wanted ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), python, "-c", program)
		command.Env = append(os.Environ(), "LABELWRIGHT_URL="+env.baseURL, "LABELWRIGHT_PROJECT="+project,
			"LABELWRIGHT_TOKEN="+token)
		out, err := command.CombinedOutput()
		for _, want := range wanted {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v, %q is missing: %s", err, want, out)
			}
		}
	}
	for _, want := range []string{"5 items judged", "0 items judged"} {
		run("p", token, want, "example-judge v1")
	}
	all := env.newToken(lead, leadScopes)
	check[object](all.send("POST", "/projects", `{"key":"chunks","title":"Chunks","protocol":"rag-retrieval"}`), 201)
	var lines strings.Builder
	for i := range 8 { // texts of different lengths, so that some answers break a rule
		fmt.Fprintf(&lines, `{"id":"r%d","query":"Q%s?","answer":"A.","chunks":[{"chunk_id":"c","chunk_rank":1,"text":"T."}]}`+"\n", i, strings.Repeat("x", i))
	}
	check[object](all.send("POST", "/projects/chunks/items", lines.String(), asLines...), 200)
	run("chunks", all.token, "8 items judged", "is not sufficient evidence")
}

// Schemathesis calls every operation with valid and invalid requests that it derives from the
// OpenAPI document. No response is a server error or undeclared, and each has the declared type
// and shape.
func TestAPI_Schemathesis_FindsNothing(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "schemathesis")
	f := newAccessFixture(t)
	f.server.api.SetLimit(1_000_000)
	token := f.newToken(f.accounts["admin"], account.Scopes).token
	examples := "5"
	if require.FullSize() {
		examples = "100"
	}
	command := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "run", f.baseURL+apiPath+
		"/openapi.json",
		"--header", "Authorization: Bearer "+token, "--max-examples", examples, "--phases", "examples,coverage,fuzzing",
		"--seed", "1", "--workers", "2",
		"--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method,ignored_auth",
		"--suppress-health-check", "all", "--no-color")
	hooks, err := filepath.Abs("testdata/schemathesis")
	if err != nil {
		t.Fatal(err)
	}
	command.Dir = t.TempDir() // it keeps a cache there
	command.Env = append(os.Environ(), "SCHEMATHESIS_HOOKS=hooks", "PYTHONPATH="+hooks)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The Python package has every operation, and the program of its README runs.
func TestAPI_PythonPackage_HasEveryOperation(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "openapi_python_client")
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.labelAll(ann, env.newBatch(lead, env.newProject(lead, "pilot", 3), "first", 1, ann.Email), 1)
	readme, err := os.ReadFile("api/python/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(readme), "```python\n")
	program, _, _ = strings.Cut(program, "```")
	program += "\nimport compileall, sys\nsys.exit(not compileall.compile_dir(labelwright.__path__[0], quiet=1))"
	folder := t.TempDir()
	run := func(name string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, arguments...)
		command.Env = append(os.Environ(), "PYTHON="+python, "PYTHONPATH="+folder, "LABELWRIGHT_SERVER="+env.baseURL,
			"LABELWRIGHT_TOKEN="+env.newToken(lead, leadScopes, "pilot").token)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	run("api/python/build", "0.1.0", folder)
	run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder,
		filepath.Join(folder, "labelwright-0.1.0-py3-none-any.whl"))
	out := run(python, "-c", program)
	if !strings.Contains(out, "1 items are new") || strings.Count(out, "{'") != 3 {
		t.Error(out)
	}
	for _, op := range (apiClient{testEnv: env}).operations() {
		name := strings.ReplaceAll(op.id, "-", "_") + ".py"
		found, err := filepath.Glob(filepath.Join(folder, "labelwright", "api", "*", name))
		if len(found) != 1 || err != nil {
			t.Errorf("%s is in %q, %v", op.id, found, err)
		}
	}
}
