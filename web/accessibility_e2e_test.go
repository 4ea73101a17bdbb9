package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
)

// routesWithoutPage lists the routes that render no page of their own, with
// the reason.
var routesWithoutPage = map[string]string{
	"/inbox/events":                          "a stream of events",
	"/account/data":                          "a download",
	"/projects/{key}/batches/{name}/events":  "a stream of events",
	"/":                                      "leads on to work, to projects or to the sign-in page",
	"/sign-in/oidc":                          "leads to the company's sign-in",
	"/sign-in/oidc/callback":                 "leads back from there",
	"/sign-in/passkey":                       "exists only at an address where browsers offer passkeys",
	"/sign-in/second-factor":                 "exists only during a sign-in",
	"/setup/{token}":                         "exists only without an account; tested below",
	"/projects/new/key":                      "JSON for a module",
	"/projects/{key}/exports/{id}/file":      "a file",
	"/projects/{key}/report/json":            "a file",
	"/help/files/{file}":                     "a file",
	"/projects/{key}/import/{token}/invalid": "a file",
	"/projects/{key}/imports/{id}/invalid":   "a file",
}

// A pageAddress is a path that shows a full page of a route, and a user who
// may open it.
type pageAddress struct{ path, userKind string }

// pageAddresses returns the addresses of routes for which the fixture alone
// shows too little.
func (h projectFixture) pageAddresses() map[string]pageAddress {
	itemID := query[int64](h.testEnv, `SELECT min(i.id) FROM items i JOIN projects p ON p.id = i.project_id
		WHERE p.key = 'hard-days'`)
	referenceID := query[int64](h.testEnv, `SELECT min(item_id) FROM reference_answers`)
	pseudonym := query[string](h.testEnv, `SELECT pseudonym FROM members m JOIN projects p ON p.id = m.project_id
		WHERE p.key = 'hard-days' AND account_id = $1`, h.accounts["annotator"].ID)
	pilotID := query[int64](h.testEnv, `SELECT b.id FROM batches b JOIN projects p ON p.id = b.project_id
		WHERE p.key = 'hard-days'`)
	calmID := query[int64](h.testEnv, `SELECT b.id FROM batches b JOIN projects p ON p.id = b.project_id
		WHERE p.key = 'calm'`)
	sheetBatchID := query[int64](h.testEnv, `
		WITH added AS (
			INSERT INTO sheets (batch_id, account_id) SELECT batch_id, account_id FROM batch_annotators
			WHERE batch_id = $1 AND account_id = $2 RETURNING batch_id)
		SELECT batch_id FROM added`, pilotID, h.accounts["annotator"].ID)
	invited := strings.TrimPrefix(h.signInAs(h.accounts["admin"]).post("/admin/users/"+
		formatAccountID(h.accounts["on break"])+"/invitation", nil).checkStatus(http.StatusOK).FindFirst(
		".command").Text(), h.baseURL)
	calibrated := query[string](h.testEnv, `SELECT max(token) FROM assignments
		WHERE kind = 'calibration' AND state = 'submitted' AND account_id = $1`, h.accounts["newcomer"].ID)
	h.execSQL(`INSERT INTO identity.invitations (token_hash, account_id, created_by, for_project, is_mailed, expires_at,
		new_email) VALUES (sha256('link'), $1, $1, false, true, now() + interval '1 day', 'new@example.org')`,
		h.accounts["annotator"].ID)
	const projectPath = "/projects/hard-days"
	h.addJudge("spare", "judge 1")
	return map[string]pageAddress{
		"/projects/{key}/report/judges/next": {"/projects/spare/report/judges/next?judge=judge+1&seed=1&size=3",
			"lead"},
		"/projects/{key}/batches/new": {"/projects/spare/batches/new?draw=" +
			project.JudgeDraw{Judge: "judge 1", By: project.DrawAtRandom, Size: 3}.Token(), "lead"},
		"/invitations/{token}":     {invited, "anonymous"},
		"/account/address/{token}": {"/account/address/link", "annotator"},
		"/work/break":              {"/work/break", "on break"},
		"/work/pause":              {"/work/pause?batch=" + formatID(pilotID), "annotator"},
		"/work/sheets":             {"/work/sheets?batch=" + formatID(sheetBatchID), "annotator"},
		"/work/guide":              {"/work/guide?project=hard-days", "annotator"},
		"/work/rater-effects":      {"/work/rater-effects?project=hard-days", "annotator"},
		"/work/{token}/reference":  {"/work/" + calibrated + "/reference", "newcomer"},
		"/work/calibration":        {"/work/calibration?batch=" + formatID(calmID), "newcomer"},
		"/projects/new":            {"/projects/new?protocol=empathy@1", "lead"},
		"/projects/{key}":          {projectPath, "lead"},
		"/projects/{key}/items":    {projectPath + "/items", "lead"},
		"/projects/{key}/items/archive": {projectPath + "/items/archive?item_ids=" +
			formatID(itemID), "lead"},
		"/projects/{key}/items/tags": {projectPath + "/items/tags?item_ids=" +
			formatID(itemID), "lead"},
		"/projects/{key}/skips":                      {projectPath + "/skips", "lead"},
		"/projects/{key}/items/{id}":                 {projectPath + "/items/" + formatID(itemID), "lead"},
		"/projects/{key}/members":                    {projectPath + "/members", "lead"},
		"/projects/{key}/batches/{name}":             {projectPath + "/batches/pilot", "lead"},
		"/projects/{key}/batches/{name}/close":       {projectPath + "/batches/pilot/close", "lead"},
		"/projects/{key}/batches/{name}/change":      {projectPath + "/batches/pilot/change", "lead"},
		"/projects/{key}/batches/{name}/round":       {h.newRound(), "lead"},
		"/projects/{key}/versions":                   {h.newVersion(), "lead"},
		"/projects/{key}/batches/{name}/revision":    {h.newRevisedBatch(h.accounts["lead"]) + "/revision", "lead"},
		"/projects/{key}/export":                     {projectPath + "/export", "lead"},
		"/projects/{key}/exports/{id}":               {projectPath + "/exports/" + h.exportSample(), "lead"},
		"/projects/{key}/report":                     {projectPath + "/report", "lead"},
		"/projects/{key}/consensus":                  {projectPath + "/consensus", "lead"},
		"/projects/{key}/disagreements":              {projectPath + "/disagreements", "lead"},
		"/projects/{key}/adjudication":               {projectPath + "/adjudication", "lead"},
		"/projects/{key}/adjudication/{id}":          {projectPath + "/adjudication/" + formatID(itemID), "lead"},
		"/projects/{key}/annotators/{pseudonym}":     {projectPath + "/annotators/" + pseudonym, "lead"},
		"/projects/{key}/references":                 {"/projects/calm/references", "lead"},
		"/projects/{key}/references/{id}":            {"/projects/calm/references/" + formatID(referenceID), "lead"},
		"/projects/{key}/batches/{name}/calibration": {"/projects/calm/batches/one/calibration", "lead"},
	}
}

// newVersion publishes a version that a project does not have yet, and returns the path of what it changes.
func (h projectFixture) newVersion() string {
	h.Helper()
	h.publishMood(1, "")
	p, err := h.db.CreateProject(h.Context(), h.accounts["lead"], project.Spec{Title: "Mood", Key: "mood",
		Protocol: "mood@1"})
	if err != nil {
		h.Fatal(err)
	}
	h.publishMood(2, `  - {key: warmth, title: Warmth, question: "How warm is it?", scale: {1: Cold, 2: Warm}}`+"\n")
	return "/projects/" + p.Key + "/versions"
}

// publishMood publishes a version of a small protocol.
func (env testEnv) publishMood(version int, fields string) {
	env.Helper()
	p, err := protocol.Read("mood.yaml", fmt.Appendf(nil, `protocol: mood
version: %d
revision: 0
title: Mood
summary: How a reply sounds.
between: no
unit: {noun: a reply, id: id, parts: [{key: text, title: Text, judged: yes}]}
fields:
  - {key: tone, title: Tone, question: "How does it sound?", scale: {1: Harsh, 2: Plain, 3: Kind}}
%splan: {calibration: 0, duplicates: 0, break every: 0, break minutes: 0, pace: 20..40, target: 0.4}
`, version, fields))
	if err != nil {
		env.Fatal(err)
	}
	if err := env.db.Publish(env.Context(), 0, p); err != nil {
		env.Fatal(err)
	}
}

// newRound labels items twice, and returns the path of what moved.
func (h projectFixture) newRound() string {
	h.Helper()
	lead, ann := h.accounts["lead"], h.newUser("again@example.org", account.Annotator)
	p := h.newProject(lead, "again", 3)
	b := h.newBatch(lead, p, "first", 1, ann.Email)
	h.labelAll(ann, b, 1)
	if err := h.db.CloseBatch(h.Context(), lead.ID, p, b.Name, project.BatchClosing{Reason: "Done."}); err != nil {
		h.Fatal(err)
	}
	b = h.newBatchFromSpec(lead, p, project.BatchSpec{Name: "again", Annotators: []string{ann.Email}, Overlap: 1,
		Round: project.RoundOfLabeled})
	h.labelAll(ann, b, 0)
	return "/projects/" + p.Key + "/batches/" + b.Name + "/round"
}

func (h projectFixture) addressFor(rt route, addresses map[string]pageAddress) pageAddress {
	if p, ok := addresses[rt.path]; ok {
		return p
	}
	for _, kind := range []string{"anonymous", "annotator", "lead", "admin"} {
		var a *account.Account
		if kind != "anonymous" {
			a = new(h.accounts[kind])
		}
		if rt.authorize(a) == nil {
			return pageAddress{h.routePath(rt.path), kind}
		}
	}
	h.Fatalf("no user kind may open %s", rt.path)
	return pageAddress{}
}

// openTabAs opens a browser tab as a user of the given kind.
func (h projectFixture) openTabAs(t *testing.T, kind string) browsertest.Tab {
	t.Helper()
	return h.openTabAt(t, kind, "/sign-in")
}

func (h projectFixture) openTabAt(t *testing.T, kind, path string) browsertest.Tab {
	t.Helper()
	b := browsertest.Open(t, h.baseURL, path)
	if kind != "anonymous" {
		form := url.Values{"email": {h.accounts[kind].Email}, "password": {password}}
		browsertest.Eval[bool](b, fmt.Sprintf(
			`fetch(%q, { method: 'POST', body: new URLSearchParams(%q) }).then(r => r.ok)`, h.baseURL+"/sign-in",
			form.Encode()))
	}
	return b
}

// Every page is accessible. A route without an address, or whose address does
// not open, fails the test.
func TestPages_ByURL_AreAccessible(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	addresses := h.pageAddresses()
	pages := map[string]map[string]string{} // by kind of user, then route: the path
	for _, rt := range (&Server{}).routes() {
		if rt.method == http.MethodGet && routesWithoutPage[rt.path] == "" {
			p := h.addressFor(rt, addresses)
			if pages[p.userKind] == nil {
				pages[p.userKind] = map[string]string{}
			}
			pages[p.userKind][rt.path] = p.path
		}
	}
	pages["annotator"]["nothing there"] = "/nothing/there"
	pages["stranger"] = map[string]string{"no work": "/work"}
	for userKind, paths := range pages {
		t.Run(userKind, func(t *testing.T) {
			t.Parallel()
			b := h.openTabAs(t, userKind)
			for name, path := range paths {
				t.Run(name, func(t *testing.T) {
					tab := b.In(t)
					tab.Visit(path)
					tab.WaitFor(`location.pathname + location.search`, path)
					tab.WaitFor(`performance.getEntriesByType('navigation')[0].responseStatus`, map[bool]int{true: 404,
						false: 200}[name == "nothing there"])
					checkAccessibility(tab, userKind+screenshotName(name))
				})
			}
		})
	}
}

// screenshotName returns a route as part of a file name.
func screenshotName(route string) string {
	return strings.NewReplacer("/", "-", "{", "", "}", "", " ", "-").Replace(route)
}

// The pages that only a form opens: errors, results and confirmations.
func TestPages_ByForm_AreAccessible(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	const projectPath = "/projects/hard-days"
	token := strings.TrimPrefix(h.routePath("/work/{token}"), "/work/")
	source := h.browserFor("lead").get("/protocols/rag-grounding/1").FindFirst("pre code").RawText()
	source = firstRevision(strings.Replace(source, "protocol: rag-grounding", "protocol: mine", 1))
	batch := url.Values{"name": {"second"}, "annotators": {"ann@example.org"}, "overlap": {"1"}, "action": {"preview"}}
	for name, c := range map[string]struct {
		who, path string
		form      url.Values
		file      string // its name and content, separated by a line break
		status    int
	}{
		"sign-in-wrong": {"anonymous", "/sign-in", url.Values{"email": {"ann@example.org"}, "password": {"not it"}},
			"", 422},
		"account-wrong": {"annotator", "/account/password", url.Values{"current_password": {"not it"},
			"password": {"short"}}, "", 422},
		"label-refused": {"annotator", "/work/" + token, url.Values{"helpful": {"7"}, "note": {"typed"}}, "", 422},
		"skip-refused": {"annotator", "/work/" + token + "/skip", url.Values{"reason": {"unclear"},
			"comment": {""}}, "", 422},
		"item-gone": {"annotator", "/work/none/draft", url.Values{"note": {"x"}}, "", 404},
		"project-refused": {"lead", "/projects", url.Values{"protocol": {"empathy"}, "key": {"Not a key"},
			"support_url": {"javascript:x"}}, "", 422},
		"import-refused": {"lead", projectPath + "/import", nil,
			"faulty.csv\nid,user_statement,response\na,What?,\nb,Who?,Me,too\na,When?,Now\n", 422},
		"member-refused": {"lead", projectPath + "/members", url.Values{"email": {"invalid"}, "role": {"annotator"}},
			"", 422},
		"member-invited": {"lead", projectPath + "/members", url.Values{"email": {"eve@example.org"}, "name": {"Eve"},
			"role": {"annotator"}}, "", 200},
		"batch-refused": {"lead", "/projects/mine/batches", url.Values{"overlap": {"two"}, "seed": {"-1"}}, "", 422},
		"batch-planned": {"lead", "/projects/spare/batches", batch, "", 200},
		"protocol-refused": {"lead", "/protocols/new", url.Values{"source": {strings.Replace(source, "plan:", "plans:",
			1)}, "action": {"publish"}}, "", 422},
		"protocol-seen":  {"lead", "/protocols/new", url.Values{"source": {source}, "action": {"preview"}}, "", 200},
		"person-refused": {"admin", "/admin/users", url.Values{"email": {"invalid"}, "role": {"king"}}, "", 422},
		"person-invited": {"admin", "/admin/users", url.Values{"email": {"fay@example.org"}, "name": {"Fay"},
			"role": {"lead"}}, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := h.openTabAs(t, c.who)
			submitForm(b, c.path, c.form, c.file)
			b.WaitFor(`performance.getEntriesByType('navigation')[0].responseStatus`, c.status)
			// a preview that is computed again is dimmed
			b.WaitFor(`document.querySelector('[data-loading]') === null`, true)
			checkAccessibility(b, "form-"+name)
		})
	}
}

// submitForm makes the browser post a form to path, as a page would.
func submitForm(b browsertest.Tab, path string, form url.Values, file string) {
	b.Helper()
	fields, err := json.Marshal(form)
	if err != nil {
		b.Fatal(err)
	}
	name, content, _ := strings.Cut(file, "\n")
	browsertest.Eval[bool](b, fmt.Sprintf(`(([fields, path, name, content]) => {
		const form = Object.assign(document.createElement('form'), { method: 'post', action: path })
		for (const [name, values] of Object.entries(fields ?? {})) for (const value of values) {
			form.append(Object.assign(document.createElement('textarea'), { name, value }))
		}
		if (name) {
			const data = new DataTransfer(), input = Object.assign(document.createElement('input'), { type: 'file', name: 'file' })
			data.items.add(new File([content], name))
			input.files = data.files
			form.enctype = 'multipart/form-data'
			form.append(input)
		}
		document.body.append(form)
		window.before = true
		setTimeout(() => form.submit())
		return true
	})([%s, %q, %q, %q])`, fields, path, name, content))
	b.WaitFor(`!window.before && document.readyState`, "complete")
}

// The setup page exists only while there is no admin.
func TestSetup_NoAdmin_IsAccessible(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	token, err := db.SetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	base := &url.URL{Scheme: "http", Host: server.Listener.Addr().String()}
	server.Config.Handler = newServer(db,
		Config{BaseURL: base, Log: slog.New(slog.NewTextHandler(errorLogWriter{t}, nil))})
	server.Start()
	t.Cleanup(server.Close)
	checkAccessibility(browsertest.Open(t, base.String(), "/setup/"+token), "first")
}

// maxFirstVisitBytes bounds the size of a labeling screen with all its files
// and response headers.
const maxFirstVisitBytes = 60 << 10

func TestLabelPage_FirstVisit_IsSmall(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "calm", 2, 0), project.BatchSpec{Name: "b",
		Annotators: []string{ann.Email}, Overlap: 1})
	path := env.signInAs(ann).openItem()
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"annotator": ann}}
	b := h.openTabAt(t, "annotator", "/healthz") // a page without files that could be cached
	previous, before := b.Requests()
	b.Visit(path)
	b.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	b.WaitFor(`performance.getEntriesByType('resource').every(r => r.responseEnd > 0)`, true)
	requests, after := b.Requests()
	t.Logf("%d requests, %d bytes with headers", len(requests)-len(previous), after-before)
	if n := after - before; n > maxFirstVisitBytes || n < 10<<10 {
		t.Errorf("%d bytes, want at most %d", n, maxFirstVisitBytes)
	}
}
