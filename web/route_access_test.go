package web

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/webhook"
)

// identities are the columns of the table. "mine" and "theirs" are projects. The annotator,
// the viewer, the lead and the labeling lead are members of mine, and the labeling lead cannot see the
// answers of others. The removed annotator was a member of mine. The disabled annotator is
// one too, and was signed in before.
var identities = []string{"signed out", "no project", "annotator", "other annot.", "viewer", "lead", "other lead",
	"labeling lead", "admin", "removed", "disabled"}

// scopes are the rows of a route: whose objects its ids name. With two or more ids, the last
// one decides: a mixed request names an object of theirs inside mine.
var scopes = []string{"own", "foreign", "mixed", "absent"}

// An accessFixture has two projects with the same objects, and a user of every identity.
type accessFixture struct {
	testEnv
	accounts map[string]account.Account
	browsers map[string]browser
	objects  map[string]map[string]string // ids by project and name: see routeRefs and routeForms
	tokens   map[string]string            // open items by identity

	answersShown int // responses with an answer of another annotator
}

// routeRefs are the parts of paths that name an object.
var routeRefs = []string{"/projects/{key}", "/import/{token}", "/imports/{id}", "/uploads/{token}", "/batches/{name}",
	"/openings/{id}", "/exports/{id}", "/webhooks/{id}", "/items/{id}", "/adjudication/{id}", "/references/{id}",
	"/annotators/{pseudonym}",
	"/members/{pseudonym}", "/users/{id}", "/sign-ins/{id}", "/tokens/{id}", "/protocols/{key}/{version}",
	"/work/{token}", "/invitations/{token}", "/setup/{token}", "/address/{token}", "/passkeys/{id}",
	"/help/{chapter}",
	"/files/{file}"}

// routeForms are forms and queries that name objects. A value in braces is the id of one.
var routeForms = map[string]string{
	"POST /account/tokens":                                     "name=Nightly&scopes=read&days=30",
	"POST /work":                                               "batch={batch}",
	"GET /work":                                                "batch={batch}",
	"GET /work/guide":                                          "project={project}&batch={batch}",
	"GET /work/pause":                                          "batch={batch}",
	"POST /work/break":                                         "batch={batch}",
	"POST /work/break/end":                                     "batch={batch}",
	"POST /work/reading":                                       "batch={batch}&document=guide&version={revision}",
	"GET /work/corrections":                                    "batch={batch}",
	"POST /work/corrections":                                   "batch={batch}&message=I+meant+no&token={submitted}",
	"GET /work/sheets":                                         "batch={batch}",
	"POST /work/sheets":                                        "batch={batch}",
	"POST /work/sheets/download":                               "batch={batch}",
	"POST /work/messages":                                      "announcement={announcement}",
	"POST /work/{token}/question":                              "lead_question=Why",
	"POST /projects/{key}/items/{id}/notes":                    "tags=odd&note=Odd.",
	"POST /projects/{key}/items/{id}/questions":                "question_id={question}&answer=Yes",
	"POST /projects/{key}/batches/{name}/announcements":        "message=Hello",
	"POST /projects/{key}/batches/{name}/withheld":             "allow_seen={email}&reason=None",
	"GET /work/calibration":                                    "batch={batch}",
	"POST /work/calibration/read-section":                      "batch={batch}&section=helpful",
	"POST /work/calibration/start":                             "batch={batch}",
	"POST /work/calibration/retake":                            "batch={batch}",
	"POST /work/calibration/comments":                          "batch={batch}&message=Why&item={item}",
	"GET /work/rater-effects":                                  "project={project}",
	"POST /admin/audit-log/export":                             "format=csv",
	"POST /projects/{key}/audit-log/export":                    "format=jsonl",
	"POST /projects/new/rag":                                   "title=Handbook",
	"POST /projects/{key}/settings":                            "title=Renamed",
	"POST /projects/{key}/instructions":                        "instructions=Cite+sources.",
	"POST /projects/{key}/members/invite":                      "role=annotator&list=new1%40example.org%0Anew2%40example.org",
	"POST /admin/users/invite":                                 "role=annotator&list=new3%40example.org",
	"POST /projects/{key}/members/{pseudonym}/role":            "role=lead",
	"POST /projects/{key}/members":                             "invite_account_id={invited}",
	"POST /projects/{key}/batches":                             "name=next&overlap=1&items=1&seed=1&break_every=0&break_minutes=5&fewer_calibration=x&action=open&annotators={email}",
	"GET /projects/{key}/report":                               "batch={batch name}",
	"GET /projects/{key}/consensus":                            "batch={batch name}",
	"GET /projects/{key}/disagreements":                        "batch={batch name}",
	"GET /projects/{key}/items/archive":                        "item_ids={item}",
	"GET /projects/{key}/items/tags":                           "item_ids={item}",
	"POST /projects/{key}/items/tags":                          "item_ids={item}&tags=odd",
	"POST /projects/{key}/items/{id}/give":                     "give_to=nobody&reason=Because",
	"GET /projects/{key}/adjudication":                         "batch={batch name}",
	"POST /projects/{key}/webhooks":                            "url=https://example.org/hook",
	"POST /projects/{key}/webhooks/{id}":                       "url=https://example.org/other",
	"POST /projects/{key}/webhooks/{id}/resend":                "delivery={delivery}",
	"POST /projects/{key}/batches/{name}/progress":             "action=accept&request_id={request}",
	"POST /projects/{key}/batches/{name}/calibration":          "action=retake&account_id={account}",
	"POST /projects/{key}/batches/{name}/calibration/comments": "message=Because&item={item}",
}

func newAccessFixture(t *testing.T) *accessFixture {
	t.Helper()
	f := &accessFixture{testEnv: newTestEnv(t), accounts: map[string]account.Account{},
		browsers: map[string]browser{"signed out": {}}, objects: map[string]map[string]string{},
		tokens: map[string]string{}}
	for _, identity := range identities[1:] {
		role := account.Annotator
		if strings.Contains(identity, "lead") {
			role = account.Lead
		} else if identity == "admin" || identity == "viewer" {
			role = account.Role(identity)
		}
		f.accounts[identity] = f.newUser(strings.ReplaceAll(strings.TrimSuffix(identity, "."), " ", "-")+
			"@example.org", role)
	}
	f.browsers["signed out"] = f.newBrowser()
	for _, identity := range identities[1:] {
		f.browsers[identity] = f.signInAs(f.accounts[identity])
	}
	f.fill("mine", "lead", "annotator", "labeling lead", "removed", "disabled")
	f.fill("theirs", "other lead", "other annot.")
	for _, a := range f.accounts {
		if a.Role.CanLead() {
			f.newToken(a, leadScopes)
		}
	}
	p := f.project("mine")
	f.addMembers(p, account.Lead, f.accounts["labeling lead"].Email)
	f.addMembers(p, account.Viewer, f.accounts["viewer"].Email)
	_, err := f.db.RemoveMember(t.Context(), 0, p, f.accounts["removed"].Email)
	if err == nil {
		err = f.db.UpdateAccount(t.Context(), 0, f.accounts["disabled"].ID, account.Annotator, true)
	}
	f.addAnswerCanaries()
	for hasMore := true; hasMore && err == nil; { // else a list measures what waits, which changes data
		hasMore, err = f.db.MeasureItems(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// close ends the connections to the database, so that it can be copied.
func (f *accessFixture) close() {
	f.server.Drain()
	f.db.Close()
}

// copy returns a server on a copy of the database of f, with the same signed-in browsers. f
// is closed.
func (f *accessFixture) copy(t *testing.T) *accessFixture {
	t.Helper()
	c := &accessFixture{testEnv: newTestEnvOn(t, pgtest.NewCopy(t, f.databaseURL)), accounts: f.accounts,
		browsers: map[string]browser{}, objects: f.objects, tokens: f.tokens}
	from, to := mustParseURL(f.baseURL), mustParseURL(c.baseURL)
	for identity, b := range f.browsers {
		c.browsers[identity] = c.newBrowser()
		c.browsers[identity].client.Jar.SetCookies(to, b.client.Jar.Cookies(from))
	}
	return c
}

func mustParseURL(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

func (f *accessFixture) project(key string) project.Project {
	f.Helper()
	p, err := f.db.Project(f.Context(), f.accounts["admin"], key)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

// fill creates a project with a batch in which the first annotator has submitted an item, asks
// for its correction, and has another item open.
func (f *accessFixture) fill(key, leadIdentity string, annotators ...string) {
	f.Helper()
	lead := f.accounts[leadIdentity]
	p := f.newProject(lead, key, 8)
	emails := make([]string, len(annotators))
	for i, identity := range annotators {
		emails[i] = f.accounts[identity].Email
	}
	b := f.newBatchFromSpec(lead, p, project.BatchSpec{Name: "batch of " + key, Annotators: emails,
		Overlap: len(annotators), Sample: project.Sample{Count: 4}, Seed: 2})
	first := f.accounts[annotators[0]]
	f.labelItems(first, b, 1)
	submitted := query[string](f.testEnv, `SELECT token FROM assignments WHERE batch_id = $1`, b.ID)
	err := f.db.RequestCorrection(f.Context(), first.ID, submitted, "I meant no")
	for _, identity := range annotators {
		if err == nil {
			f.tokens[identity], err = f.db.OpenNext(f.Context(), f.accounts[identity].ID, b.ID)
		}
	}
	if err == nil {
		err = f.db.AskLead(f.Context(), first.ID, f.tokens[annotators[0]], "Why?")
	}
	if err == nil {
		err = f.db.Announce(f.Context(), lead.ID, p, b, "Hello")
	}
	var upload, started, invitation string
	if err == nil {
		upload, err = f.db.StageUpload(f.Context(), lead.ID, p, "more.jsonl",
			strings.NewReader(`{"id":"z","query":"Q?","answer":"A."}`))
	}
	if err == nil {
		started, _, err = f.db.StartUpload(f.Context(), lead.ID, p, postgres.UploadFile{Name: "large.csv", Size: 10})
	}
	if err == nil {
		invitation, err = f.db.AddMember(f.Context(), lead.ID, p, account.NewAccount{Email: "invited-to-" + key +
			"@example.org", Name: "Invited", Role: account.Annotator})
	}
	var hook webhook.ID
	if err == nil {
		hook, _, err = f.db.CreateWebhook(f.Context(), lead.ID, p, webhook.New{URL: "https://example.org/hook"})
	}
	if err == nil {
		err = f.db.TestWebhook(f.Context(), lead.ID, p, hook)
	}
	if err != nil {
		f.Fatal(err)
	}
	export := f.newRunningExport(lead, p)
	item := formatID(query[int64](f.testEnv, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	pseudonym := query[string](f.testEnv, `SELECT pseudonym FROM members WHERE project_id = $1
		AND account_id = $2`, p.ID, first.ID)
	f.objects[key] = map[string]string{
		"/projects/{key}": "/projects/" + key, "/import/{token}": "/import/" + upload, "/uploads/{token}": "/uploads/" +
			started, "/batches/{name}": "/batches/" + url.PathEscape(b.Name), "/items/{id}": "/items/" + item,
		"/imports/{id}": "/imports/" + formatID(query[int64](f.testEnv, `UPDATE imports SET invalid_rows = '{}'
			WHERE project_id = $1 RETURNING id`, p.ID)), "/openings/{id}": "/openings/" + f.newOpening(lead, p),
		"/exports/{id}": "/exports/" + export, "{export}": export, "/help/{chapter}": "/help/leads",
		"/files/{file}": "/files/items.csv", "/webhooks/{id}": "/webhooks/" + formatID(hook), "{delivery}": formatID(query[int64](f.testEnv, `SELECT max(id)
			FROM identity.webhook_deliveries`)),
		"/adjudication/{id}": "/adjudication/" + item, "/references/{id}": "/references/" + item,
		"/annotators/{pseudonym}": "/annotators/" + pseudonym,
		"/members/{pseudonym}":    "/members/" + pseudonym, "/users/{id}": "/users/" + formatAccountID(first),
		"/work/{token}":        "/work/" + f.tokens[annotators[0]],
		"/invitations/{token}": "/invitations/" + invitation, "{batch}": formatID(b.ID),
		"{revision}": strconv.Itoa(b.ProtocolRevision), "{project}": key, "{batch name}": b.Name, "{item}": item,
		"{submitted}": submitted,
		"{account}":   formatAccountID(first), "{email}": first.Email, "{invited}": formatID(query[int64](f.testEnv,
			`SELECT max(account_id) FROM identity.users`)),
		"{request}": formatID(query[int64](f.testEnv, `SELECT max(id) FROM correction_requests`)),
		"{announcement}": formatID(query[int64](f.testEnv, `SELECT max(id)
			FROM announcements`)), "{question}": formatID(query[int64](f.testEnv, `SELECT max(id) FROM questions`)),
	}
}

var absentObjects = map[string]string{
	"/projects/{key}": "/projects/none", "/import/{token}": "/import/none", "/imports/{id}": "/imports/999999",
	"/uploads/{token}": "/uploads/none", "/batches/{name}": "/batches/none", "/openings/{id}": "/openings/999999",
	"/help/{chapter}": "/help/none", "/files/{file}": "/files/none",
	"/exports/{id}": "/exports/999999", "{export}": "999999", "/webhooks/{id}": "/webhooks/999999",
	"{delivery}": "999999", "/items/{id}": "/items/999999", "/adjudication/{id}": "/adjudication/999999",
	"/references/{id}": "/references/999999", "/annotators/{pseudonym}": "/annotators/none",
	"/members/{pseudonym}": "/members/none", "/users/{id}": "/users/999999",
	"/sign-ins/{id}": "/sign-ins/999999", "/tokens/{id}": "/tokens/999999",
	"/protocols/{key}/{version}": "/protocols/none/1", "/work/{token}": "/work/none",
	"/invitations/{token}": "/invitations/none",
	"/address/{token}":     "/address/none", "/passkeys/{id}": "/passkeys/999999",
	"/setup/{token}": "/setup/none", "{batch}": "999999", "{project}": "none", "{batch name}": "none",
	"{item}": "999999", "{submitted}": "none", "{account}": "999999",
	"{email}": "unknown@example.org", "{invited}": "999999", "{request}": "999999", "{announcement}": "999999",
	"{question}": "999999", "{revision}": "9",
}

// send sends the request of a scope, as an identity.
func (f *accessFixture) send(rt route, scope, identity string) testResponse {
	f.Helper()
	path, form, refs := rt.path, routeForms[rt.method+" "+rt.path], refsOf(rt)
	for i, ref := range refs {
		refScope := scope
		if i < len(refs)-1 && (scope == "mixed" || scope == "absent") {
			refScope = "own"
		} else if scope == "mixed" {
			refScope = "foreign"
		}
		id := f.object(ref, refScope, identity)
		if id == "" {
			f.Fatalf("%s %s has no %s object for %s", rt.method, rt.path, refScope, ref)
		}
		path, form = strings.Replace(path, ref, id, 1), strings.Replace(form, ref, url.QueryEscape(id), 1)
	}
	if strings.Contains(path, "{") {
		f.Fatalf("%s has no values for its parameters", rt.path)
	}
	values, err := url.ParseQuery(form)
	if err != nil {
		f.Fatal(err)
	}
	var response testResponse
	start := time.Now()
	if rt.method == http.MethodPost {
		response = f.browsers[identity].post(path, values)
	} else {
		response = f.browsers[identity].get(path + "?" + values.Encode())
	}
	if f.checkReveal(f.accounts[identity].ID, start, rt.method+" "+rt.path, response.body) {
		f.answersShown++
	}
	return response
}

// mayChange reports whether a request may change data, so that it needs a fixture of its own:
// a post that the route's policy and the project allow, or a form that is saved for sign-in.
func (f *accessFixture) mayChange(rt route, scope, identity string) bool {
	if rt.method != http.MethodPost {
		return false
	}
	if identity == "signed out" || identity == "disabled" {
		return rt.authorize(nil) == nil || rt.saveSignedOut != nil
	}
	if rt.authorize(new(f.accounts[identity])) != nil {
		return false
	}
	isTheirs := identity == "other lead" || identity == "other annot."
	switch {
	case strings.HasPrefix(rt.path, "/account/tokens/") && !f.accounts[identity].Role.CanLead():
		return false // has none
	case strings.HasPrefix(rt.path, "/account/tokens/") && identity == "admin":
		return scope != "absent"
	case scope == "own" && strings.HasPrefix(rt.path, "/projects/{key}"):
		return !isTheirs
	case scope == "own":
		return true
	case scope == "foreign" && strings.HasPrefix(rt.path, "/account"):
		return false
	case scope == "foreign":
		return isTheirs || identity == "admin" || strings.HasPrefix(rt.path, "/invitations")
	}
	return rt.path == "/projects/{key}/batches" && identity == "admin" // may choose any user
}

// A cellKey is one request of the table.
type cellKey struct {
	route           int
	scope, identity string
}

// Every route is requested by every identity, with objects of their own, of another
// project, of both in one request, and with absent ones. The golden table has the outcomes;
// a route without an entry fails the test. No request changes data unless the route and the
// project allow it.
func TestRoutes_ByIdentity_MatchGolden(t *testing.T) {
	t.Parallel()
	routes := (&Server{}).routes()
	cells := map[cellKey]string{}
	prepared := newAccessFixture(t)
	prepared.close()
	changing := fillUnchangingCells(prepared.copy(t), routes, cells)
	outcomes := make([]map[cellKey]string, len(routes))
	t.Run("allowed", func(t *testing.T) {
		for i, rt := range routes {
			if len(changing[i]) > 0 {
				t.Run(rt.method+rt.path, func(t *testing.T) {
					t.Parallel()
					f := prepared.copy(t)
					outcomes[i] = map[cellKey]string{}
					for _, key := range changing[i] {
						outcomes[i][key] = describeResponse(f.send(rt, key.scope, key.identity))
					}
				})
			}
		}
	})
	for _, filled := range outcomes {
		maps.Copy(cells, filled)
	}
	require.Time(t) // near its end, routes were skipped
	checkGolden(t, "testdata/route-access.golden", formatAccessTable(routes, cells))
}
