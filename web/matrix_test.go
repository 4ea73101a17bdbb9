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
	"github.com/labelwright/labelwright/internal/project"
)

var update = flag.Bool("update", false, "write the table of who may do what anew, to be read before it is kept")

// visitors are the columns of the table, in order.
var visitors = []string{"anonymous", "annotator", "other lead", "lead", "admin"}

// A house is a world with one project in it, and somebody of every kind.
type house struct {
	world
	project project.Project
	known   map[string]string // what stands for the parameters of addresses
	who     map[string]account.Account
}

func newHouse(t *testing.T) house {
	t.Helper()
	w := newWorld(t)
	h := house{world: w, who: map[string]account.Account{
		"annotator": w.person("ann@example.org", account.Annotator), "other lead": w.person("other@example.org", account.Lead),
		"lead": w.person("lead@example.org", account.Lead), "admin": w.person("admin@example.org", account.Admin),
	}}
	lead := h.who["lead"]
	h.project = w.project(lead, "mine", 3)
	w.project(h.who["other lead"], "theirs", 1)
	b := w.open(lead, h.project, "first", 1, h.who["annotator"].Email)
	token, err := w.db.Begin(t.Context(), h.who["annotator"].ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := w.db.StageUpload(t.Context(), lead.ID, h.project.ID, "more.jsonl", []byte(`{"id":"z","query":"Q?","answer":"A."}`))
	if err != nil {
		t.Fatal(err)
	}
	h.known = map[string]string{
		"/projects/{key}": "/projects/mine", "/import/{token}": "/import/" + waiting, "/batches/{name}": "/batches/first",
		"/items/{id}": "/items/" + id64(query[int64](w, `SELECT min(id) FROM items`)), "/people/{id}": "/people/" + id(h.who["annotator"]),
		"/adjudication/{id}":         "/adjudication/" + id64(query[int64](w, `SELECT min(id) FROM items`)),
		"/calibration/{id}":          "/calibration/" + id64(query[int64](w, `SELECT min(id) FROM items`)),
		"/annotators/{pseudonym}":    "/annotators/" + query[string](w, `SELECT pseudonym FROM members WHERE account_id = $1`, h.who["annotator"].ID),
		"/protocols/{key}/{version}": "/protocols/empathy/1", "/work/{token}": "/work/" + token,
		"/invitations/{token}": "/invitations/nothing", "/first/{token}": "/first/nothing",
	}
	return h
}

// address returns the path of a route in the house.
func (h house) address(pattern string) string {
	for part, known := range h.known {
		pattern = strings.Replace(pattern, part, known, 1)
	}
	if strings.Contains(pattern, "{") {
		h.Fatalf("what stands for the parameters of %s?", pattern)
	}
	return pattern
}

func (h house) visitor(kind string) browser {
	if kind == "anonymous" {
		return h.anybody()
	}
	return h.as(h.who[kind])
}

// Every route is asked by everybody, with an empty form where it takes one. The
// table tells what each is answered; a route that is not in it fails the test.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	routes := (&Server{}).routes()
	cells := make([][5]string, len(routes))
	t.Run("who only looks or is refused", func(t *testing.T) { changeNothing(t, routes, cells) })
	t.Run("who may", func(t *testing.T) {
		for i, rt := range routes {
			if slices.Contains(cells[i][:], "") {
				t.Run(rt.method+rt.path, func(t *testing.T) {
					t.Parallel()
					fill(newHouse(t), rt, cells[i][:])
				})
			}
		}
	})
	compare(t, "testdata/who-may.golden", table(routes, cells))
}

// fill asks for one route as everybody who is not in its cells yet, one after
// the other: what a lead has closed an admin finds closed.
func fill(h house, rt route, cells []string) {
	h.Helper()
	for j, kind := range visitors {
		if cells[j] == "" {
			cells[j] = outcomeOf(h.visitor(kind).ask(rt.method, h.address(rt.path)))
		}
	}
}

// changeNothing fills the cells of those who look or are refused, all in one
// house, which stays as it is.
func changeNothing(t *testing.T, routes []route, cells [][5]string) {
	h, browsers := newHouse(t), map[string]browser{}
	for _, kind := range visitors {
		browsers[kind] = h.visitor(kind) // signing in is remembered
	}
	before := h.state()
	for j, kind := range visitors {
		b := browsers[kind]
		for i, rt := range routes {
			keeps := rt.path == "/work/{token}" // the form of somebody whose session is over
			if rt.method == http.MethodGet || h.refuses(rt, kind) && !keeps {
				cells[i][j] = outcomeOf(b.ask(rt.method, h.address(rt.path)))
			}
		}
		if h.state() != before {
			t.Errorf("%s looked or was refused, and something changed", kind)
		}
	}
}

// refuses reports whether a route is closed to a kind of visitor, by its policy
// or because the project is another's.
func (h house) refuses(rt route, kind string) bool {
	if strings.HasPrefix(rt.path, "/projects/{key}") && kind == "other lead" {
		return true
	}
	if kind == "anonymous" {
		return rt.may(nil) != nil
	}
	return rt.may(new(h.who[kind])) != nil
}

func table(routes []route, cells [][5]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-50s%-12s%-12s%-12s%-12s%s\n", "", "anonymous", "annotator", "other lead", "lead", "admin")
	for i, rt := range routes {
		c := cells[i]
		fmt.Fprintf(&b, "%-50s%-12s%-12s%-12s%-12s%s\n", rt.method+" "+rt.path, c[0], c[1], c[2], c[3], c[4])
	}
	return b.String()
}

// compare holds text against a golden file.
func compare(t *testing.T, golden, text string) {
	t.Helper()
	if t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s differs; if it is meant to, go test ./web -run '%s' -update (-want +got):\n%s", golden, t.Name(), diff)
	}
}

func (b browser) ask(method, path string) answer {
	if method == http.MethodPost {
		return b.post(path, nil)
	}
	return b.get(path)
}

// outcomeOf tells an answer in a word: its status, or that one has to sign in.
func outcomeOf(a answer) string {
	if strings.HasPrefix(a.header.Get("Location"), "/sign-in?next=") {
		return "sign in"
	}
	return fmt.Sprint(a.status)
}

// To whom it is not open, a page is not there: the answer is byte for byte that
// of a page or a project that does not exist.
func TestWhatIsDeniedLooksLikeWhatIsAbsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, kind := range []string{"annotator", "other lead"} {
		b := h.visitor(kind)
		for _, rt := range (&Server{}).routes() {
			within := strings.HasPrefix(rt.path, "/projects/{key}")
			switch closed := rt.may(new(h.who[kind])) != nil; {
			case closed:
				absent := b.ask(rt.method, "/nowhere/at/all")
				sameAs(t, absent, b.ask(rt.method, h.address(rt.path)), kind, "")
				if within {
					sameAs(t, absent, b.ask(rt.method, strings.Replace(h.address(rt.path), "/mine", "/none", 1)), kind, "")
				}
			case within:
				absent := b.ask(rt.method, strings.Replace(h.address(rt.path), "/mine", "/none", 1))
				sameAs(t, absent, b.ask(rt.method, h.address(rt.path)), kind, "mine")
			}
		}
	}
}

func sameAs(t *testing.T, absent, denied answer, kind, key string) {
	t.Helper()
	body := denied.body
	if key != "" {
		body = strings.ReplaceAll(body, "“"+key+"”", "“none”")
	}
	if denied.status != http.StatusNotFound || absent.status != denied.status || body != absent.body {
		t.Errorf("%s as %s: %d, and of what is absent %d:\n%s\n%s", denied.path, kind, denied.status, absent.status, denied.Text(), absent.Text())
	}
}

// What belongs to one project is not found under another, even by who leads
// both.
func TestWhatIsInOneProjectIsNotInAnother(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.visitor("admin")
	for _, pattern := range []string{"/items/{id}", "/import/{token}", "/batches/{name}", "/batches/{name}/close"} {
		b.get(h.address("/projects/{key}" + pattern)) // there it may be found
		b.get("/projects/theirs" + h.address(pattern)).is(http.StatusNotFound)
	}
	b.get(h.address("/projects/{key}/items/{id}")).is(http.StatusOK)
	b.get(h.address("/projects/{key}/import/{token}")).is(http.StatusNotFound) // it is the lead's who brought it
	h.visitor("lead").get(h.address("/projects/{key}/import/{token}")).is(http.StatusOK)
}

// An address that is there under other methods names them, on a page of ours.
func TestAWrongMethodIsToldWhichOnesThereAre(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for kind, requests := range map[string]map[string]string{
		"lead":      {"GET /projects/mine/batches": "POST", "PUT /projects": "GET, HEAD, POST", "DELETE /projects/mine": "GET, HEAD", "GET /projects/mine/batches/a%2Fb/calibration/say": "POST"},
		"annotator": {"GET /work/none/draft": "POST", "PATCH /work/break": "GET, HEAD, POST"},
		"anonymous": {"POST /": "GET, HEAD", "GET /sign-out": "POST"},
	} {
		for request, allow := range requests {
			method, path, _ := strings.Cut(request, " ")
			a := h.visitor(kind).send(method, path, "", nil).is(http.StatusMethodNotAllowed).says("Begin at the start")
			if got := strings.Join(a.header.Values("Allow"), ", "); got != allow {
				t.Errorf("%s allows %q, want %q", request, got, allow)
			}
		}
	}
	h.visitor("lead").send(http.MethodPut, "/nowhere/at/all", "", nil).is(http.StatusNotFound)
}

// Addresses that no page makes are answered calmly.
func TestAddressesThatNobodyMakes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.visitor("admin")
	for _, path := range []string{
		"/projects/%00", "/projects/%ff", "/projects/mine/batches/%00", "/projects/mine/batches/a%2Fb", "/projects/mine/items/x", "/projects/mine/items/-1",
		"/projects/mine/items/99999999999999999999", "/projects/mine/import/%00", "/protocols/empathy/x", "/protocols/empathy/99999", "/protocols/%00/1", "/admin/people/0", "/admin/people/x",
	} {
		b.get(path).is(http.StatusNotFound)
	}
	for _, path := range []string{"/projects/mine/items?search=%00", "/projects/mine/items?after=x", "/projects/mine/items?search=%ff&after=-1", "/admin/audit?before=x"} {
		b.get(path).is(http.StatusOK)
	}
	b.post("/projects", map[string][]string{"title": {"a\x00b"}}).is(http.StatusUnprocessableEntity)
}

// A batch may have any name, and its page is found.
func TestABatchOfAnyNameIsFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.visitor("lead")
	for _, name := range []string{"a/b", "50 % & more?", "ünï #1", "a+b", "..a", `<b>"x"`} {
		h.project = h.world.project(h.who["lead"], "p-"+id64(query[int64](h.world, `SELECT count(*) FROM projects`)), 1)
		to := b.post("/projects/"+h.project.Key+"/batches", map[string][]string{"name": {name}, "annotators": {"ann@example.org"}, "overlap": {"1"}, "act": {"open"}}).leads("")
		page := b.get(to).is(http.StatusOK)
		if got := page.First("h1").Raw(); got != name {
			t.Errorf("%q leads to the page of %q", name, got)
		}
		b.get(page.First("main a.button").Attr("href")).is(http.StatusOK)
	}
}
