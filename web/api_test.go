package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/problem"
)

// An apiClient is a program with a token.
type apiClient struct {
	testEnv
	token string
}

// newToken returns a client with a new token of a, for some projects or all.
func (env testEnv) newToken(a account.Account, scopes []account.Scope, projects ...string) apiClient {
	env.Helper()
	token, err := env.db.CreateAPIToken(env.Context(), a.ID, a.ID, account.NewAPIToken{Name: fmt.Sprint(scopes,
		projects), Scopes: scopes, Projects: projects, Days: 30})
	if err != nil {
		env.Fatal(err)
	}
	return apiClient{env, token}
}

// leadScopes are the scopes that a lead's token can have.
var leadScopes = []account.Scope{account.ScopeRead, account.ScopeJudge, account.ScopeManage, account.ScopeExport}

type apiResponse struct {
	testEnv
	status int
	header http.Header
	body   string
}

func (c apiClient) get(path string, header ...string) apiResponse {
	c.Helper()
	return c.send(http.MethodGet, path, "", header...)
}

// send sends a body of JSON, or of JSON lines. header has pairs of names and values.
func (c apiClient) send(method, path, body string, header ...string) apiResponse {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.baseURL+apiPath+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	return apiResponse{c.testEnv, response.StatusCode, response.Header, string(text)}
}

// asLines is the header of a body with JSON lines.
var asLines = []string{"Content-Type", "application/x-ndjson"}

// check fails unless the response has a status, and reads its body into a T.
func check[T any](a apiResponse, status int) (body T) {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if a.body != "" && strings.Contains(a.header.Get("Content-Type"), "json") {
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			a.Fatalf("%v: %s", err, a.body)
		}
	}
	return body
}

type object = map[string]any

// A judge gets all items that are not calibration items, submits judgments in parts, and reads
// the scorecard. Repeated judgments change nothing, and different ones are refused.
func TestAPI_Judge_LabelsProject(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 7)
	env.changeItems(`UPDATE items SET meta = '{"condition": "canary"}'`)
	judge := env.newToken(lead, []account.Scope{account.ScopeRead, account.ScopeJudge}, "p")
	path, judged := "/projects/p/judges/"+url.PathEscape("judge 4/b"), 0
	for cursor, more := "", true; more; {
		response := judge.get(path + "/work?limit=3&cursor=" + cursor)
		work := check[struct {
			Items []struct {
				Item   string
				Parts  project.Content
				Fields []string
			}
			NextCursor string `json:"next_cursor"`
		}](response, 200)
		if strings.Contains(response.body, "canary") {
			t.Error("a judge gets metadata")
		}
		var lines bytes.Buffer
		for _, i := range work.Items {
			fmt.Fprintf(&lines, `{"item":%q,%q:1}`+"\n", i.Item, i.Fields[0])
			if i.Parts["query"].Text == "" {
				t.Errorf("%s has no text", i.Item)
			}
		}
		judged += len(work.Items)
		for n, want := range []string{"added", "unchanged"} {
			got := check[map[string]any](judge.send("POST", path+"/judgments", lines.String(), asLines...), 200)
			if got[want] != float64(len(work.Items)) {
				t.Errorf("submission %d: %v", n+1, got)
			}
		}
		cursor, more = work.NextCursor, work.NextCursor != ""
	}
	if work := check[object](judge.get(path+"/work"), 200); judged != 7 || len(work["items"].([]any)) != 0 {
		t.Errorf("%d judged, then %v", judged, work)
	}
	field := env.protocolField("p")
	refused := check[problem.Details](judge.send("POST", path+"/judgments", `{"item":"p-1","`+field+`":0}`, asLines...),
		409)
	if refused.Code != "conflict" || !strings.Contains(refused.Detail, "p-1") {
		t.Errorf("%+v", refused)
	}
	invalid := check[problem.Details](judge.send("POST", path+"/judgments", "{\"item\":\"p-1\",\""+field+
		"\":0}\n{\"item\":\"none\",\""+field+"\":9}\n", asLines...), 422)
	if len(invalid.Errors) != 1 || invalid.Errors[0].Row != 2 || invalid.Errors[0].Field != "item" {
		t.Errorf("%+v", invalid)
	}
	list := check[object](judge.get(path+"/judgments?limit=5"), 200)
	if len(list["judgments"].([]any)) != 5 || list["next_cursor"] == "" {
		t.Errorf("%v", list)
	}
	if names := check[object](judge.get("/projects/p/judges"), 200)["judges"].([]any); len(names) != 1 {
		t.Errorf("%v", names)
	}
	if judges := check[object](judge.getReport("/projects/p/report"), 200)["judges"].([]any); len(judges) == 0 {
		t.Error("the report has no judge")
	}
}

// protocolField returns the first field of a project's protocol that applies to all items.
func (env testEnv) protocolField(key string) string {
	env.Helper()
	p, err := env.db.Project(env.Context(), account.Account{Role: account.Admin}, key)
	if err != nil {
		env.Fatal(err)
	}
	for _, f := range p.Protocol.Fields {
		if f.OnlyWhen == "" {
			return f.Key
		}
	}
	env.Fatal("no field")
	return ""
}

// A study by API: project, items, member, batch and its changes, then annotations, decision and
// export. The report is the one that the command prints.
func TestAPI_Study_FromProjectToExport(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	c := env.newToken(lead, leadScopes)
	check[object](c.send("POST", "/projects",
		`{"key":"p","title":"By program","protocol":"rag-generation","instructions":"Answers cite sources."}`), 201)
	lines := `{"id":"a","query":"Q?","answer":"A."}` + "\n" + `{"id":"b","query":"R?","answer":"B."}` + "\n"
	for _, want := range [][]string{
		{`"items":2,`, `"key":"query","shown":2,`, `"left_out":[]`, `"already_imported":false`},
		{`"items":0,`, `"already_imported":true`},
	} {
		got := c.send("POST", "/projects/p/items", lines, asLines...)
		isMissing := func(text string) bool { return !strings.Contains(got.body, text) }
		if got.status != 200 || slices.ContainsFunc(want, isMissing) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	env.addMembers(env.mustProject("p"), account.Annotator, ann.Email, ben.Email)
	body := fmt.Sprintf(`{"name":"first","annotators":[%q,%q],"overlap":2,"calibration":0,"fewer_calibration":"A test.","duplicates":0}`, ann.Email, ben.Email)
	preview := check[object](c.send("POST", "/projects/p/batches/preview", body), 200)
	opening := strings.TrimSuffix(body, "}") + fmt.Sprintf(`,"seed":%.0f,"plan_digest":%q}`, preview["seed"],
		preview["plan_digest"])
	if b := check[object](c.send("POST", "/projects/p/batches", opening),
		201); b["labels_wanted"] != preview["labels_wanted"] {
		t.Errorf("%v, previewed %v", b, preview)
	}
	env.skipReading()
	b, err := env.db.Batch(t.Context(), 0, env.mustProject("p").ID, "first")
	if err != nil {
		t.Fatal(err)
	}
	env.labelAll(ann, b, 1)
	env.labelAll(ben, b, 0)
	if check[object](c.send("PATCH", "/projects/p/batches/first", `{"reason":"longer","break_every":5}`),
		200)["break_every"] != 5.0 {
		t.Error("the batch did not change")
	}
	check[object](c.send("POST", "/projects/p/batches/first/close", `{"reason":"done"}`), 200)
	annotations := c.get("/projects/p/annotations?exact_times=true")
	if check[any](apiResponse{env, annotations.status, http.Header{}, annotations.body},
		200); strings.Count(annotations.body, "\n") != 4 {
		t.Errorf("annotations: %s", annotations.body)
	}
	disagreements := check[struct{ Items []struct{ ID int } }](c.get("/projects/p/items?state=disagreement"), 200)
	if len(disagreements.Items) != 2 {
		t.Fatalf("%+v", disagreements)
	}
	env.decideByAPI(c, disagreements.Items[0].ID)
	if d := check[object](c.get("/projects/p/adjudications"), 200)["adjudications"].([]any); len(d) != 1 ||
		d[0].(object)["decided_by"] != lead.Name {
		t.Errorf("%v", d)
	}
	env.exportByAPI(c)
	env.checkReport(c, lead)
	log := c.get("/projects/p/audit-log")
	if n := strings.Count(log.body, "(API token "); n < 8 {
		t.Errorf("%d entries name the token: %s", n, log.body)
	}
}

// exportByAPI exports the dataset, waits for its file, downloads it in two parts and deletes it.
func (env testEnv) exportByAPI(c apiClient) {
	env.Helper()
	type export struct {
		ID            int
		State, SHA256 string
		SizeBytes     int `json:"size_bytes"`
	}
	defer env.startJobs()()
	path := fmt.Sprintf("/projects/p/exports/%d", check[export](c.send("POST", "/projects/p/exports",
		`{"shape":"wide"}`), 202).ID)
	x := check[export](c.get(path), 200)
	for ; x.State == "running"; x = check[export](c.get(path), 200) {
		time.Sleep(20 * time.Millisecond)
	}
	file := c.get(path + "/file")
	if x.State != "ready" || file.status != 200 || len(file.body) != x.SizeBytes ||
		fmt.Sprintf("%x", sha256.Sum256([]byte(file.body))) != x.SHA256 {
		env.Errorf("%+v, status %d, %d bytes", x, file.status, len(file.body))
	}
	rest := c.send("GET", path+"/file", "", "Range", "bytes=100-", "If-Range", file.header.Get("ETag"))
	if rest.status != 206 || file.body[:100]+rest.body != file.body {
		env.Errorf("the rest: status %d, %d bytes", rest.status, len(rest.body))
	}
	if list := check[struct{ Exports []export }](c.get("/projects/p/exports"), 200); len(list.Exports) != 1 ||
		list.Exports[0] != x {
		env.Errorf("%+v", list)
	}
	if cancelled := check[export](c.send("POST", path+"/cancel", ""), 200); cancelled != x {
		env.Errorf("%+v", cancelled)
	}
	check[object](c.send("DELETE", path, ""), 200)
	check[object](c.get(path+"/file"), 404)
}

// decideByAPI decides an item as its first annotator answered. A decision on an earlier version
// of it is refused.
func (env testEnv) decideByAPI(c apiClient, id int) {
	env.Helper()
	path := fmt.Sprintf("/projects/p/adjudications/%d", id)
	item := check[struct {
		Labels           []struct{ Answers map[string]int }
		LastAnnotationID int64 `json:"last_annotation_id"`
	}](c.get(path), 200)
	answers, err := json.Marshal(item.Labels[0].Answers)
	if err != nil {
		env.Fatal(err)
	}
	decision := `{"answers":%s,"cause":"ambiguous_item","reason":"It is.","last_annotation_id":%d,"decision_no":0}`
	check[problem.Details](c.send("POST", path, fmt.Sprintf(decision, answers, item.LastAnnotationID-1)), 409)
	check[object](c.send("POST", path, fmt.Sprintf(decision, answers, item.LastAnnotationID)), 201)
	check[problem.Details](c.send("POST", path, fmt.Sprintf(decision, answers, item.LastAnnotationID)), 409)
}

func (env testEnv) mustProject(key string) project.Project {
	env.Helper()
	p, err := env.db.Project(env.Context(), account.Account{Role: account.Admin}, key)
	if err != nil {
		env.Fatal(err)
	}
	return p
}

// getReport returns a report as soon as a job has computed it.
func (c apiClient) getReport(path string) apiResponse {
	c.Helper()
	defer c.startJobs()()
	for range 600 {
		if got := c.get(path); got.status != http.StatusAccepted {
			return got
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.Fatalf("%s is never computed", path)
	return apiResponse{}
}

// checkReport compares the report with the one of the command.
func (env testEnv) checkReport(c apiClient, lead account.Account) {
	env.Helper()
	data, err := env.db.ReportData(env.Context(), lead.ID, env.mustProject("p"), "")
	if err != nil {
		env.Fatal(err)
	}
	r, err := report.Build(data, report.BuildOptions{Resamples: 1000, Seed: 1})
	if err != nil {
		env.Fatal(err)
	}
	var want strings.Builder
	if err := r.WriteJSON(&want); err != nil {
		env.Fatal(err)
	}
	got := c.getReport("/projects/p/report")
	if diff := cmp.Diff(want.String(), got.body); diff != "" {
		env.Errorf("the report differs (-command +API):\n%s", diff)
	}
	if again := c.get("/projects/p/report", "If-None-Match",
		got.header.Get("ETag")); again.status != http.StatusNotModified || again.body != "" {
		env.Errorf("the same report again: %d", again.status)
	}
}
