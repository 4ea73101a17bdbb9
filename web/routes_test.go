package web

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

var updateGolden = flag.Bool("update", false, "update the golden file; review the changes before you commit them")

// userKinds are the columns of the table, in order.
var userKinds = []string{"anonymous", "annotator", "other lead", "lead", "admin"}

// A projectFixture has one project, and a user of every kind.
type projectFixture struct {
	testEnv
	project    project.Project
	pathValues map[string]string // values of the path parameters
	accounts   map[string]account.Account
}

func newProjectFixture(t *testing.T) projectFixture {
	t.Helper()
	env := newTestEnv(t)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{
		"annotator": env.newUser("ann@example.org", account.Annotator), "other lead": env.newUser("other@example.org",
			account.Lead),
		"lead": env.newUser("lead@example.org", account.Lead), "admin": env.newUser("admin@example.org", account.Admin),
	}}
	lead := h.accounts["lead"]
	h.project = env.newProject(lead, "mine", 3)
	env.newProject(h.accounts["other lead"], "theirs", 1)
	b := env.newBatch(lead, h.project, "first", 1, h.accounts["annotator"].Email)
	token, err := env.db.OpenNext(t.Context(), h.accounts["annotator"].ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	uploadToken, err := env.db.StageUpload(t.Context(), lead.ID, h.project, "more.jsonl",
		strings.NewReader(`{"id":"z","query":"Q?","answer":"A."}`))
	if err != nil {
		t.Fatal(err)
	}
	started, _, err := env.db.StartUpload(t.Context(), lead.ID, h.project,
		postgres.UploadFile{Name: "large.csv", Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	hook, _, err := env.db.CreateWebhook(t.Context(), lead.ID, h.project, webhook.New{URL: "https://example.org/hook"})
	if err == nil {
		err = env.db.TestWebhook(t.Context(), lead.ID, h.project, hook)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.pathValues = map[string]string{
		"/projects/{key}": "/projects/mine", "/import/{token}": "/import/" + uploadToken,
		"/uploads/{token}": "/uploads/" + started, "/batches/{name}": "/batches/first",
		"/imports/{id}": "/imports/" + formatID(query[int64](env, `UPDATE imports SET invalid_rows = '{}'
			WHERE project_id = $1 RETURNING id`, h.project.ID)),
		"/items/{id}": "/items/" + formatID(query[int64](env, `SELECT min(id)
			FROM items`)), "/users/{id}": "/users/" + formatAccountID(h.accounts["annotator"]),
		"/adjudication/{id}": "/adjudication/" + formatID(query[int64](env, `SELECT min(id) FROM items`)),
		"/references/{id}":   "/references/" + formatID(query[int64](env, `SELECT min(id) FROM items`)),
		"/annotators/{pseudonym}": "/annotators/" + query[string](env, `SELECT pseudonym FROM members
			WHERE account_id = $1`, h.accounts["annotator"].ID),
		"/members/{pseudonym}": "/members/" + query[string](env, `SELECT pseudonym FROM members
			WHERE account_id = $1`, h.accounts["annotator"].ID),
		"/protocols/{key}/{version}": "/protocols/empathy/1", "/work/{token}": "/work/" + token,
		"/invitations/{token}": "/invitations/nothing", "/setup/{token}": "/setup/nothing",
		"/address/{token}": "/address/nothing", "/passkeys/{id}": "/passkeys/999",
		"/sign-ins/{id}": "/sign-ins/999", "/tokens/{id}": "/tokens/999", "/webhooks/{id}": "/webhooks/" +
			formatID(hook), "/openings/{id}": "/openings/" + env.newOpening(lead, h.project),
		"/exports/{id}": "/exports/" + env.newRunningExport(lead, h.project), "/help/{chapter}": "/help/leads",
		"/files/{file}": "/files/items.csv",
	}
	return h
}

func (h projectFixture) routePath(pattern string) string {
	for part, value := range h.pathValues {
		pattern = strings.Replace(pattern, part, value, 1)
	}
	if strings.Contains(pattern, "{") {
		h.Fatalf("%s has no values for its parameters", pattern)
	}
	return pattern
}

func (h projectFixture) browserFor(kind string) browser {
	if kind == "anonymous" {
		return h.newBrowser()
	}
	return h.signInAs(h.accounts[kind])
}

// A saved form must be a post whose page exists, because sign-in returns there.
func TestRoutes_SaveSignedOut_HasPage(t *testing.T) {
	t.Parallel()
	routes, saved := (&Server{}).routes(), 0
	for _, rt := range routes {
		if rt.saveSignedOut == nil {
			continue
		}
		saved++
		hasPage := slices.ContainsFunc(routes, func(other route) bool {
			return other.method == http.MethodGet && other.path == rt.path
		})
		if rt.method != http.MethodPost || !hasPage {
			t.Errorf("%s %s saves a form but has no page", rt.method, rt.path)
		}
	}
	if saved != 3 {
		t.Errorf("%d routes save a form, want 3", saved)
	}
}

// checkGolden compares text with a golden file.
func checkGolden(t *testing.T, golden, text string) {
	t.Helper()
	if t.Failed() {
		return
	}
	if *updateGolden {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s differs; to accept it, run go test ./web -run '%s' -update (-want +got):\n%s", golden,
			t.Name(), diff)
	}
}

func (b browser) sendEmpty(method, path string) testResponse {
	if method == http.MethodPost {
		return b.post(path, nil)
	}
	return b.get(path)
}

// describeResponse returns the status of a response, or "sign in".
func describeResponse(a testResponse) string {
	if strings.HasPrefix(a.header.Get("Location"), "/sign-in?next=") {
		return "sign in"
	}
	return fmt.Sprint(a.status)
}

// A user without access gets exactly the response of a page or project that
// does not exist.
func TestRoutes_Denied_LookMissing(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	for _, kind := range []string{"annotator", "other lead"} {
		b := h.browserFor(kind)
		for _, rt := range (&Server{}).routes() {
			isInProject := strings.HasPrefix(rt.path, "/projects/{key}")
			switch isDenied := rt.authorize(new(h.accounts[kind])) != nil; {
			case isDenied:
				missing := b.sendEmpty(rt.method, "/nowhere/at/all")
				checkSameAsMissing(t, missing, b.sendEmpty(rt.method, h.routePath(rt.path)), kind, "")
				if isInProject {
					checkSameAsMissing(t, missing, b.sendEmpty(rt.method, strings.Replace(h.routePath(rt.path), "/mine",
						"/none", 1)), kind, "")
				}
			case isInProject:
				missing := b.sendEmpty(rt.method, strings.Replace(h.routePath(rt.path), "/mine", "/none", 1))
				checkSameAsMissing(t, missing, b.sendEmpty(rt.method, h.routePath(rt.path)), kind, "mine")
			}
		}
	}
}

func checkSameAsMissing(t *testing.T, missing, denied testResponse, kind, key string) {
	t.Helper()
	body := denied.bodyWithoutID()
	if key != "" {
		body = strings.ReplaceAll(body, "“"+key+"”", "“none”")
	}
	if denied.status != http.StatusNotFound || missing.status != denied.status || body != missing.bodyWithoutID() {
		t.Errorf("%s as %s: %d, but %d for a missing page:\n%s\n%s", denied.path, kind, denied.status, missing.status,
			denied.Text(), missing.Text())
	}
}

// Data of one project is not found under another, even for an account that
// leads both.
func TestRoutes_OtherProject_NotFound(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	b := h.browserFor("admin")
	for _, pattern := range []string{"/items/{id}", "/import/{token}", "/batches/{name}", "/batches/{name}/close"} {
		b.get(h.routePath("/projects/{key}" + pattern)) // may be found there
		b.get("/projects/theirs" + h.routePath(pattern)).checkStatus(http.StatusNotFound)
	}
	b.get(h.routePath("/projects/{key}/items/{id}")).checkStatus(http.StatusOK)
	// uploads are private to their lead
	b.get(h.routePath("/projects/{key}/import/{token}")).checkStatus(http.StatusNotFound)
	h.browserFor("lead").get(h.routePath("/projects/{key}/import/{token}")).checkStatus(http.StatusOK)
}

// A path that takes other methods names them, on an error page.
func TestRoutes_WrongMethod_ListsAllow(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	for kind, requests := range map[string]map[string]string{
		"lead": {"GET /projects/mine/archive": "POST", "PUT /projects/mine/batches": "GET, HEAD, POST",
			"PUT /projects":         "GET, HEAD, POST",
			"DELETE /projects/mine": "GET, HEAD", "GET /projects/mine/batches/a%2Fb/calibration/comments": "POST"},
		"annotator": {"GET /work/none/draft": "POST", "PATCH /work/break": "GET, HEAD, POST"},
		"anonymous": {"POST /": "GET, HEAD", "GET /sign-out": "POST"},
	} {
		for request, allow := range requests {
			method, path, _ := strings.Cut(request, " ")
			a := h.browserFor(kind).send(method, path, "", nil).checkStatus(http.StatusMethodNotAllowed).checkContains(
				"Go to the start page")
			if got := strings.Join(a.header.Values("Allow"), ", "); got != allow {
				t.Errorf("%s allows %q, want %q", request, got, allow)
			}
		}
	}
	h.browserFor("lead").send(http.MethodPut, "/nowhere/at/all", "", nil).checkStatus(http.StatusNotFound)
}

// Paths that name nothing, and malformed addresses, get an ordinary error page.
func TestRoutes_BadPath_ErrorPage(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	b := h.browserFor("admin")
	for _, path := range []string{
		"/projects/mine/batches/a%2Fb", "/projects/mine/items/x", "/projects/mine/items/-1",
		"/projects/mine/items/99999999999999999999", "/protocols/empathy/x", "/protocols/empathy/99999",
		"/admin/users/0", "/admin/users/x",
	} {
		b.get(path).checkStatus(http.StatusNotFound)
	}
	for _, path := range []string{
		"/projects/%00", "/projects/%ff", "/projects/mine/batches/%00", "/projects/mine/import/%00", "/protocols/%00/1",
		"/%c0%af", "/nowhere/%00",
		"/projects/mine/items?search=%00", "/projects/mine/items?search=%ff&after_id=-1", "/projects?unknown=%ed%a0%80",
		"/projects?%ff=1", "/projects?search=%zz",
	} {
		b.get(path).checkStatus(http.StatusBadRequest).checkContains("Check the link")
	}
	for _, path := range []string{"/projects/mine/items?after_id=x", "/projects/mine/items?after_id=-1",
		"/admin/audit-log?before_id=x"} {
		b.get(path).checkStatus(http.StatusOK)
	}
	b.post("/projects", map[string][]string{"title": {"a\x00b"}}).checkStatus(http.StatusUnprocessableEntity)
}

// A batch can have any name, and its page is found.
func TestBatch_AnyName_IsFound(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	b := h.browserFor("lead")
	for _, name := range []string{"a/b", "50 % & more?", "ünï #1", "a+b", "..a", `<b>"x"`} {
		h.project = h.testEnv.newProject(h.accounts["lead"], "p-"+formatID(query[int64](h.testEnv, `SELECT count(*)
			FROM projects`)), 1)
		h.addMembers(h.project, account.Annotator, "ann@example.org")
		location := b.post("/projects/"+h.project.Key+"/batches", map[string][]string{"name": {name},
			"annotators": {"ann@example.org"}, "overlap": {"1"}, "fewer_calibration": {"A test."},
			"action": {"open"}}).checkRedirect("")
		page := b.get(location).checkStatus(http.StatusOK)
		if got := page.FindFirst("h1").RawText(); got != name {
			t.Errorf("%q opens the page of %q", name, got)
		}
		b.get(page.FindFirst("main a.button").Attr("href")).checkStatus(http.StatusOK)
	}
}
