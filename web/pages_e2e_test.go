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
	"github.com/labelwright/labelwright/web/browsertest"
)

// notPages are the routes that show no page of their own, and why.
var notPages = map[string]string{
	"/":              "leads on to work, to projects or to the sign-in page",
	"/first/{token}": "is there only while nobody has an account; it is looked at below",
}

// A place is where a route shows a page worth looking at, and who sees it there.
type place struct{ path, who string }

// placesOf says where to look at routes that the house alone shows nothing of.
func (h house) placesOf() map[string]place {
	items := query[int64](h.world, `SELECT min(i.id) FROM items i JOIN projects p ON p.id = i.project_id WHERE p.key = 'hard-days'`)
	reference := query[int64](h.world, `SELECT min(item_id) FROM reference_answers`)
	pseudonym := query[string](h.world, `SELECT pseudonym FROM members m JOIN projects p ON p.id = m.project_id WHERE p.key = 'hard-days' AND account_id = $1`, h.who["annotator"].ID)
	pilot := query[int64](h.world, `SELECT b.id FROM batches b JOIN projects p ON p.id = b.project_id WHERE p.key = 'hard-days'`)
	calm := query[int64](h.world, `SELECT b.id FROM batches b JOIN projects p ON p.id = b.project_id WHERE p.key = 'calm'`)
	invited := strings.TrimPrefix(h.as(h.who["admin"]).post("/admin/people/"+id(h.who["resting"])+"/invitation", nil).is(http.StatusOK).First(".command").Text(), h.url)
	const told = "/projects/hard-days"
	return map[string]place{
		"/invitations/{token}":                       {invited, "anonymous"},
		"/work/break":                                {"/work/break", "resting"},
		"/work/pause":                                {"/work/pause?batch=" + id64(pilot), "annotator"},
		"/work/guide":                                {"/work/guide?project=hard-days", "annotator"},
		"/work/habits":                               {"/work/habits?project=hard-days", "annotator"},
		"/work/calibration":                          {"/work/calibration?batch=" + id64(calm), "newcomer"},
		"/projects/new":                              {"/projects/new?protocol=empathy@1", "lead"},
		"/projects/{key}":                            {told, "lead"},
		"/projects/{key}/items":                      {told + "/items", "lead"},
		"/projects/{key}/items/{id}":                 {told + "/items/" + id64(items), "lead"},
		"/projects/{key}/items/{id}/answers":         {told + "/items/" + id64(items) + "/answers", "lead"},
		"/projects/{key}/people":                     {told + "/people", "lead"},
		"/projects/{key}/batches/{name}":             {told + "/batches/pilot", "lead"},
		"/projects/{key}/batches/{name}/close":       {told + "/batches/pilot/close", "lead"},
		"/projects/{key}/export":                     {told + "/export", "lead"},
		"/projects/{key}/report":                     {told + "/report", "lead"},
		"/projects/{key}/consensus":                  {told + "/consensus", "lead"},
		"/projects/{key}/disagreements":              {told + "/disagreements", "lead"},
		"/projects/{key}/adjudication":               {told + "/adjudication", "lead"},
		"/projects/{key}/adjudication/{id}":          {told + "/adjudication/" + id64(items), "lead"},
		"/projects/{key}/annotators/{pseudonym}":     {told + "/annotators/" + pseudonym, "lead"},
		"/projects/{key}/calibration":                {"/projects/calm/calibration", "lead"},
		"/projects/{key}/calibration/{id}":           {"/projects/calm/calibration/" + id64(reference), "lead"},
		"/projects/{key}/batches/{name}/calibration": {"/projects/calm/batches/one/calibration", "lead"},
	}
}

// place returns where to look at a route.
func (h house) place(rt route, places map[string]place) place {
	if p, ok := places[rt.path]; ok {
		return p
	}
	for _, kind := range []string{"anonymous", "annotator", "lead", "admin"} {
		var a *account.Account
		if kind != "anonymous" {
			a = new(h.who[kind])
		}
		if rt.may(a) == nil {
			return place{h.address(rt.path), kind}
		}
	}
	h.Fatalf("nobody may see %s", rt.path)
	return place{}
}

// signedIn opens a tab of somebody.
func (h house) signedIn(t *testing.T, kind string) browsertest.Tab {
	t.Helper()
	return h.signedInAt(t, kind, "/sign-in")
}

func (h house) signedInAt(t *testing.T, kind, path string) browsertest.Tab {
	t.Helper()
	b := browsertest.Open(t, h.url, path)
	if kind != "anonymous" {
		form := url.Values{"email": {h.who[kind].Email}, "password": {password}}
		browsertest.Read[bool](b, fmt.Sprintf(`fetch('/sign-in', { method: 'POST', body: new URLSearchParams(%q) }).then(r => r.ok)`, form.Encode()))
	}
	return b
}

// Every page that an address opens is good for everybody: a route without one,
// or one that opens nothing, fails the test.
func TestEveryPageThatAnAddressOpensIsAccessible(t *testing.T) {
	t.Parallel()
	h := newBusyHouse(t)
	places := h.placesOf()
	pages := map[string]map[string]string{} // by who sees them, route and path
	for _, rt := range (&Server{}).routes() {
		if rt.method == http.MethodGet && notPages[rt.path] == "" {
			p := h.place(rt, places)
			if pages[p.who] == nil {
				pages[p.who] = map[string]string{}
			}
			pages[p.who][rt.path] = p.path
		}
	}
	pages["annotator"]["nothing there"] = "/nothing/there"
	pages["stranger"] = map[string]string{"no work": "/work"}
	for who, paths := range pages {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			b := h.signedIn(t, who)
			for name, path := range paths {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					tab := b.Another(t, path)
					tab.Becomes(`location.pathname + location.search`, path)
					tab.Becomes(`performance.getEntriesByType('navigation')[0].responseStatus`, map[bool]int{true: 404, false: 200}[name == "nothing there"])
					look(tab, who+pictureName(name))
				})
			}
		})
	}
}

// pictureName is a route as part of a file's name.
func pictureName(route string) string {
	return strings.NewReplacer("/", "-", "{", "", "}", "", " ", "-").Replace(route)
}

// Pages that only a form opens: refusals, results and what comes before a
// decision.
func TestEveryPageThatAFormOpensIsAccessible(t *testing.T) {
	t.Parallel()
	h := newBusyHouse(t)
	const told = "/projects/hard-days"
	token := strings.TrimPrefix(h.address("/work/{token}"), "/work/")
	source := h.visitor("lead").get("/protocols/rag-grounding/1").First("pre code").Raw()
	source = strings.Replace(source, "protocol: rag-grounding", "protocol: mine", 1)
	batch := url.Values{"name": {"second"}, "annotators": {"ann@example.org"}, "overlap": {"1"}, "act": {"look"}}
	for name, c := range map[string]struct {
		who, path string
		form      url.Values
		file      string // its name and content, apart by a line break
		status    int
	}{
		"sign-in-wrong":     {"anonymous", "/sign-in", url.Values{"email": {"ann@example.org"}, "password": {"not it"}}, "", 422},
		"account-wrong":     {"annotator", "/account/password", url.Values{"old": {"not it"}, "password": {"short"}}, "", 422},
		"label-refused":     {"annotator", "/work/" + token, url.Values{"helpful": {"7"}, "note": {"typed"}}, "", 422},
		"set-aside-refused": {"annotator", "/work/" + token + "/set-aside", url.Values{"reason": {"unclear"}, "word": {""}}, "", 422},
		"item-gone":         {"annotator", "/work/none/draft", url.Values{"note": {"x"}}, "", 404},
		"project-refused":   {"lead", "/projects", url.Values{"protocol": {"empathy"}, "key": {"Not a key"}, "support_url": {"javascript:x"}}, "", 422},
		"import-refused":    {"lead", told + "/import", nil, "faulty.csv\nid,user_statement,response\na,What?,\nb,Who?,Me,too\na,When?,Now\n", 422},
		"member-refused":    {"lead", told + "/people", url.Values{"email": {"nobody"}, "as": {"annotator"}}, "", 422},
		"member-invited":    {"lead", told + "/people", url.Values{"email": {"eve@example.org"}, "name": {"Eve"}, "as": {"annotator"}}, "", 200},
		"batch-refused":     {"lead", "/projects/mine/batches", url.Values{"overlap": {"two"}, "seed": {"-1"}}, "", 422},
		"batch-planned":     {"lead", "/projects/spare/batches", batch, "", 200},
		"protocol-refused":  {"lead", "/protocols/new", url.Values{"source": {strings.Replace(source, "plan:", "plans:", 1)}, "act": {"publish"}}, "", 422},
		"protocol-seen":     {"lead", "/protocols/new", url.Values{"source": {source}, "act": {"look"}}, "", 200},
		"person-refused":    {"admin", "/admin/people", url.Values{"email": {"nobody"}, "role": {"king"}}, "", 422},
		"person-invited":    {"admin", "/admin/people", url.Values{"email": {"fay@example.org"}, "name": {"Fay"}, "role": {"lead"}}, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := h.signedIn(t, c.who)
			sends(b, c.path, c.form, c.file)
			b.Becomes(`performance.getEntriesByType('navigation')[0].responseStatus`, c.status)
			look(b, "form-"+name)
		})
	}
}

// sends has the browser send a form to path, as if a page had it.
func sends(b browsertest.Tab, path string, form url.Values, file string) {
	b.Helper()
	fields, err := json.Marshal(form)
	if err != nil {
		b.Fatal(err)
	}
	name, content, _ := strings.Cut(file, "\n")
	browsertest.Read[bool](b, fmt.Sprintf(`(([fields, path, name, content]) => {
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
	b.Becomes(`!window.before && document.readyState`, "complete")
}

// The page for the first account is there only while there is none.
func TestThePageForTheFirstAccountIsAccessible(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	server := httptest.NewUnstartedServer(nil)
	base := &url.URL{Scheme: "http", Host: server.Listener.Addr().String()}
	server.Config.Handler = New(db, Config{Base: base, FirstToken: "open-sesame", Log: slog.New(slog.NewTextHandler(failing{t}, nil))})
	server.Start()
	t.Cleanup(server.Close)
	look(browsertest.Open(t, base.String(), "/first/open-sesame"), "first")
}

// firstVisit is what a labelling screen may weigh, with all it needs and the
// headers of every answer.
const firstVisit = 60 << 10

func TestTheFirstLabellingPageIsLight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	w.handOut(lead, w.empathy(lead, "calm", 2, 0), project.Handout{Name: "b", Annotators: []string{ann.Email}, Overlap: 1})
	path := w.as(ann).next()
	h := house{world: w, who: map[string]account.Account{"annotator": ann}}
	b := h.signedInAt(t, "annotator", "/healthz") // a page without styles, so that nothing is kept from it
	asked, before := b.Requests()
	b.Visit(path)
	b.Becomes(`document.getElementById('answers') !== null && document.readyState`, "complete")
	b.Becomes(`performance.getEntriesByType('resource').every(r => r.responseEnd > 0)`, true)
	requests, after := b.Requests()
	t.Logf("%d requests, %d bytes with headers", len(requests)-len(asked), after-before)
	if n := after - before; n > firstVisit || n < 10<<10 {
		t.Errorf("%d bytes, want at most %d", n, firstVisit)
	}
}
