package web

import (
	"bytes"
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
	token, err := env.db.CreateAPIToken(env.Context(), a.ID, a.ID, account.NewAPIToken{Name: fmt.Sprint(scopes, projects), Scopes: scopes, Projects: projects, Days: 30})
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
	env.execSQL(`UPDATE items SET meta = '{"condition": "canary"}'`)
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
			got := check[map[string]int](judge.send("POST", path+"/judgments", lines.String(), asLines...), 200)
			if got[want] != len(work.Items) {
				t.Errorf("submission %d: %v", n+1, got)
			}
		}
		cursor, more = work.NextCursor, work.NextCursor != ""
	}
	if work := check[object](judge.get(path+"/work"), 200); judged != 7 || len(work["items"].([]any)) != 0 {
		t.Errorf("%d judged, then %v", judged, work)
	}
	field := env.protocolField("p")
	refused := check[problem.Details](judge.send("POST", path+"/judgments", `{"item":"p-1","`+field+`":0}`, asLines...), 409)
	if refused.Code != "conflict" || !strings.Contains(refused.Detail, "p-1") {
		t.Errorf("%+v", refused)
	}
	invalid := check[problem.Details](judge.send("POST", path+"/judgments", "{\"item\":\"p-1\",\""+field+"\":0}\n{\"item\":\"none\",\""+field+"\":9}\n", asLines...), 422)
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
	if judges := check[object](judge.get("/projects/p/report"), 200)["judges"].([]any); len(judges) == 0 {
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
	check[object](c.send("POST", "/projects", `{"key":"p","title":"By program","protocol":"rag-generation","instructions":"Answers cite sources."}`), 201)
	lines := `{"id":"a","query":"Q?","answer":"A."}` + "\n" + `{"id":"b","query":"R?","answer":"B."}` + "\n"
	for _, want := range []string{`"items":2,"already_imported":false`, `"items":0,"already_imported":true`} {
		if got := c.send("POST", "/projects/p/items", lines, asLines...); got.status != 200 || !strings.Contains(got.body, want) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	env.addMembers(env.mustProject("p"), account.Annotator, ann.Email, ben.Email)
	body := fmt.Sprintf(`{"name":"first","annotators":[%q,%q],"overlap":2,"calibration":0,"fewer_calibration":"A test.","duplicates":0}`, ann.Email, ben.Email)
	preview := check[object](c.send("POST", "/projects/p/batches/preview", body), 200)
	opening := strings.TrimSuffix(body, "}") + fmt.Sprintf(`,"seed":%.0f,"plan_digest":%q}`, preview["seed"], preview["plan_digest"])
	if b := check[object](c.send("POST", "/projects/p/batches", opening), 201); b["labels_wanted"] != preview["labels"] {
		t.Errorf("%v, previewed %v", b, preview)
	}
	env.skipReading()
	b, err := env.db.Batch(t.Context(), env.mustProject("p").ID, "first")
	if err != nil {
		t.Fatal(err)
	}
	env.labelAll(ann, b, 1)
	env.labelAll(ben, b, 0)
	if check[object](c.send("PATCH", "/projects/p/batches/first", `{"reason":"longer","break_every":5}`), 200)["break_every"] != 5.0 {
		t.Error("the batch did not change")
	}
	check[object](c.send("POST", "/projects/p/batches/first/close", `{"reason":"done"}`), 200)
	annotations := c.get("/projects/p/annotations?exact_times=true")
	if check[any](apiResponse{env, annotations.status, http.Header{}, annotations.body}, 200); strings.Count(annotations.body, "\n") != 4 {
		t.Errorf("annotations: %s", annotations.body)
	}
	disagreements := check[struct{ Items []struct{ ID int } }](c.get("/projects/p/items?state=disagreement"), 200)
	if len(disagreements.Items) != 2 {
		t.Fatalf("%+v", disagreements)
	}
	env.decideByAPI(c, disagreements.Items[0].ID)
	if d := check[object](c.get("/projects/p/adjudications"), 200)["adjudications"].([]any); len(d) != 1 || d[0].(object)["decided_by"] != lead.Name {
		t.Errorf("%v", d)
	}
	if zip := c.send("POST", "/projects/p/exports", `{"shape":"wide"}`); zip.status != 200 || !strings.HasPrefix(zip.body, "PK") {
		t.Errorf("%d, %d bytes", zip.status, len(zip.body))
	}
	env.checkReport(c, lead)
	log := c.get("/projects/p/audit-log")
	if n := strings.Count(log.body, "(API token "); n < 8 {
		t.Errorf("%d entries name the token: %s", n, log.body)
	}
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
	got := c.get("/projects/p/report")
	if diff := cmp.Diff(want.String(), got.body); diff != "" {
		env.Errorf("the report differs (-command +API):\n%s", diff)
	}
	if again := c.get("/projects/p/report", "If-None-Match", got.header.Get("ETag")); again.status != http.StatusNotModified || again.body != "" {
		env.Errorf("the same report again: %d", again.status)
	}
}

// A write with an idempotency key happens once, whatever the number of requests; another request
// with the key is refused, and a failed one frees it.
func TestAPI_IdempotencyKey_WritesOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 3)
	c := env.newToken(lead, leadScopes)
	create := func(body, key string) apiResponse { return c.send("POST", "/projects", body, "Idempotency-Key", key) }
	responses := make(chan apiResponse, 6)
	for range cap(responses) {
		go func() { responses <- create(`{"key":"fresh","title":"New","protocol":"empathy"}`, "k1") }()
	}
	created, replayed := 0, 0
	for range cap(responses) {
		r := <-responses
		switch {
		case r.status == 201 && r.header.Get("Idempotency-Replayed") == "":
			created++
		case r.status == 201:
			replayed++
		case r.status != 409 || !strings.Contains(r.body, "request_in_progress"):
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if created != 1 {
		t.Errorf("%d created, %d replayed", created, replayed)
	}
	again := create(`{"title":"New", "key":"fresh","protocol":"empathy"}`, "k1")
	if check[object](again, 201)["key"] != "fresh" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%v %s", again.header, again.body)
	}
	if d := check[problem.Details](create(`{"key":"other","title":"New","protocol":"empathy"}`, "k1"), 422); d.Code != "idempotency_key_reused" {
		t.Errorf("%+v", d)
	}
	check[problem.Details](create(`{"key":"fresh","title":"Again","protocol":"empathy"}`, "k2"), 409)
	check[object](create(`{"key":"third","title":"Third","protocol":"empathy"}`, "k2"), 201)
	lines := []string{`{"id":"x","query":"Q?","answer":"A."}`, `{"id":"y","query":"Q?","answer":"A."}`}
	for i, want := range []int{200, 422} {
		if r := c.send("POST", "/projects/p/items", lines[i], append(asLines, "Idempotency-Key", "k3")...); r.status != want {
			t.Errorf("import %d: %d %s", i+1, r.status, r.body)
		}
	}
	env.execSQL(`UPDATE identity.api_requests SET started_at = now() - interval '25 hours'`)
	if err := env.db.DeleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := query[int](env, `SELECT count(*) FROM identity.api_requests`); n != 0 {
		t.Errorf("%d responses are kept", n)
	}
}

// A token is shown once and stored as a hash; the page needs the password, and an admin can end
// the token of another user.
func TestTokensPage_CreateAndRevoke(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, admin := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin)
	other := env.newUser("other@example.org", account.Lead)
	env.newProject(lead, "p", 1)
	env.newProject(other, "q", 1)
	desk := env.signInAs(lead)
	form := url.Values{"name": {"nightly"}, "scopes": {"read"}, "projects": {"p"}, "days": {"30"}}
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = now() - interval '1 hour'`)
	if page := desk.post("/account/tokens", form); page.status != http.StatusForbidden {
		t.Errorf("without the password: %d", page.status)
	}
	form.Set("current_password", password)
	page := desk.post("/account/tokens", form)
	text := page.FindFirst(".copy-text code").Text()
	if page.status != 200 || !strings.HasPrefix(text, account.TokenPrefix) || len(text) != 46 || strings.Contains(desk.get("/account/tokens").body, text) {
		t.Errorf("%d, token %q", page.status, text)
	}
	c := apiClient{env, text}
	if got := check[object](c.get("/token"), 200); got["limited"] != true || got["account"] != lead.Email {
		t.Errorf("%v", got)
	}
	if n := query[int](env, `SELECT count(*) FROM identity.api_tokens t WHERE t::text LIKE '%' || $1 || '%' OR last_used_at IS NULL`, text[10:]); n != 0 {
		t.Error("the token is stored, or its use is not")
	}
	for name, f := range map[string]url.Values{
		"foreign project": {"name": {"x"}, "scopes": {"read"}, "projects": {"q"}, "days": {"30"}},
		"admin scope":     {"name": {"x"}, "scopes": {"admin"}, "days": {"30"}},
		"no scope":        {"name": {"x"}, "days": {"30"}},
		"never expires":   {"name": {"x"}, "scopes": {"read"}, "days": {"0"}},
		"no name":         {"scopes": {"read"}, "days": {"30"}},
	} {
		if page := desk.post("/account/tokens", f); page.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, page.status)
		}
	}
	if page := env.signInAs(other).post("/account/tokens/1/revoke", nil); page.status != http.StatusNotFound {
		t.Errorf("another lead revokes it: %d", page.status)
	}
	env.signInAs(admin).post("/account/tokens/1/revoke", nil).checkRedirect(fmt.Sprintf("/admin/users/%d", lead.ID))
	if d := check[problem.Details](c.get("/token"), 401); d.Code != "signed_out" {
		t.Errorf("%+v", d)
	}
}

// Too many requests with a token get 429, and the headers say how many are left.
func TestAPI_RateLimit(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	c := env.newToken(env.newUser("lead@example.org", account.Lead), leadScopes)
	if left := c.get("/token").header.Get("X-RateLimit-Remaining"); left != "599" {
		t.Errorf("%q requests left", left)
	}
	stranger := apiClient{env, "lw_unknown"}
	var last apiResponse
	for range 61 {
		last = stranger.get("/token")
	}
	if d := check[problem.Details](last, 429); d.Code != "limited" || last.header.Get("Retry-After") == "" {
		t.Errorf("%+v %v", d, last.header)
	}
}

// A stream of annotations continues at its cursor, and its pages hold no connection while the
// client reads nothing.
func TestAPI_Annotations_SlowReader_HoldsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 3)
	b := env.newBatch(lead, p, "first", 1, ann.Email)
	env.labelAll(ann, b, 1)
	c := env.newToken(lead, leadScopes)
	whole := c.get("/projects/p/annotations").body
	lines := strings.SplitAfter(strings.TrimSpace(whole), "\n")
	var last object
	if err := json.Unmarshal([]byte(lines[2]), &last); err != nil || len(lines) != 3 {
		t.Fatalf("%v: %s", err, whole)
	}
	if day := last["submitted_at"]; day != time.Now().UTC().Format(time.DateOnly) {
		t.Errorf("submitted at %v", day)
	}
	if rest := c.get("/projects/p/annotations?cursor=" + last["cursor"].(string)); rest.status != 200 || rest.body != "" {
		t.Errorf("after the last: %d %s", rest.status, rest.body)
	}
	check[problem.Details](c.get("/projects/p/annotations?cursor=x"), 422)
	check[problem.Details](c.get("/projects/p/annotations?batch=none"), 404)
}

// The document describes every operation, and the readable page has all of them.
func TestAPI_Document_MatchesGolden(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	document := apiClient{testEnv: env}.get("/openapi.json")
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(document.body), "", " "); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "testdata/openapi.golden", indented.String())
	page := env.newBrowser().get("/api")
	for path, methods := range check[struct{ Paths map[string]object }](document, 200).Paths {
		for method, op := range methods {
			if id := op.(object)["operationId"].(string); len(page.FindAll("#"+id)) == 0 {
				t.Errorf("/api does not show %s %s", method, path)
			}
		}
	}
	if strings.Contains(page.body, "https://") {
		t.Error("/api has outside links")
	}
}
