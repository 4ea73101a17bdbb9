package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/problem"
)

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
	if d := check[problem.Details](create(`{"key":"other","title":"New","protocol":"empathy"}`, "k1"),
		422); d.Code != "idempotency_key_reused" {
		t.Errorf("%+v", d)
	}
	check[problem.Details](create(`{"key":"fresh","title":"Again","protocol":"empathy"}`, "k2"), 409)
	check[object](create(`{"key":"third","title":"Third","protocol":"empathy"}`, "k2"), 201)
	lines := []string{`{"id":"x","query":"Q?","answer":"A."}`, `{"id":"y","query":"Q?","answer":"A."}`}
	for i, want := range []int{200, 422} {
		if r := c.send("POST", "/projects/p/items", lines[i], append(asLines, "Idempotency-Key",
			"k3")...); r.status != want {
			t.Errorf("import %d: %d %s", i+1, r.status, r.body)
		}
	}
	env.execSQL(`UPDATE identity.api_requests SET response = '' WHERE idempotency_key = 'k1'`) // by an erasure
	if d := check[problem.Details](create(`{"key":"fresh","title":"New","protocol":"empathy"}`, "k1"),
		409); d.Code != "conflict" {
		t.Errorf("%+v", d)
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
	if page.status != 200 || !strings.HasPrefix(text, account.TokenPrefix) || len(text) != 46 ||
		strings.Contains(desk.get("/account/tokens").body, text) {
		t.Errorf("%d, token %q", page.status, text)
	}
	c := apiClient{env, text}
	if got := check[object](c.get("/token"), 200); got["limited"] != true || got["account"] != lead.Email {
		t.Errorf("%v", got)
	}
	if n := query[int](env, `SELECT count(*) FROM identity.api_tokens t WHERE t::text LIKE '%' || $1 || '%'
		OR last_used_at IS NULL`, text[10:]); n != 0 {
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
	if rest := c.get("/projects/p/annotations?cursor=" + last["cursor"].(string)); rest.status != 200 ||
		rest.body != "" {
		t.Errorf("after the last: %d %s", rest.status, rest.body)
	}
	check[problem.Details](c.get("/projects/p/annotations?cursor=x"), 422)
	check[problem.Details](c.get("/projects/p/annotations?batch=none"), 404)
}

// Text that the database cannot store is refused with its place, before anything reads the body.
func TestAPI_OpenBatch_NullCharacters_Refused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 3)
	c := env.newToken(env.newUser("admin@example.org", account.Admin), leadScopes)
	for _, body := range []string{`{"name":"x","annotators":["\u0000"],"overlap":1}`,
		`{"name":"\u0000","annotators":["lead@example.org"],"overlap":1}`,
		`{"name":"x","annotators":["lead@example.org"],"overlap":1,"stratify_by":"\u0000","sample":"1"}`} {
		for _, path := range []string{"/projects/p/batches", "/projects/p/batches/preview"} {
			if d := check[problem.Details](c.send("POST", path, body), 400); d.Code != "malformed" {
				t.Errorf("%s to %s: %+v", body, path, d)
			}
		}
	}
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
