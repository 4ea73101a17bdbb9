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

// A client that openapi-python-client generates compiles and has every operation.
func TestAPI_PythonClient_HasEveryOperation(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "openapi_python_client")
	env := newTestEnv(t)
	folder := filepath.Join(t.TempDir(), "client")
	for _, arguments := range [][]string{
		{"-m", "openapi_python_client", "generate", "--url", env.baseURL + apiPath + "/openapi.json", "--meta", "none",
			"--output-path", folder},
		{"-m", "compileall", "-q", folder},
	} {
		out, err := exec.CommandContext(t.Context(), python, arguments...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "not be generated") || strings.Contains(string(out),
			"Unable to process") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, op := range (apiClient{testEnv: env}).operations() {
		name := strings.ReplaceAll(op.id, "-", "_") + ".py"
		if found, err := filepath.Glob(filepath.Join(folder, "api", "*", name)); len(found) != 1 || err != nil {
			t.Errorf("%s is in %q, %v", op.id, found, err)
		}
	}
}
