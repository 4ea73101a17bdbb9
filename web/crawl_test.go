package web

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/htmltest"
)

// payload is hostile text that would run if a page did not escape it.
const payload = `"'><x-pwn onload=alert(1)></x-pwn><img src=x onerror=alert(1)><script>alert(1)</script>{{7*7}}&lt;\u202e`

// crawl opens every page that links lead to from the given paths, and passes
// each to check.
func (b browser) crawl(starts []string, visit func(testResponse)) {
	b.Helper()
	seen, pending := map[string]bool{}, starts
	for len(pending) > 0 {
		path := pending[0]
		pending = pending[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		a := b.get(path).checkStatus(http.StatusOK)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") { // a download
			continue
		}
		visit(a)
		for _, link := range a.FindAll("a[href]") {
			u, err := url.Parse(link.Attr("href"))
			if err != nil {
				b.Fatalf("%s links to %q", path, link.Attr("href"))
			}
			// Work redirects to the next item and has its own tests.
			if u.Host == "" && u.Path != "" && u.Path != "/" && !strings.HasPrefix(u.Path, "/work") &&
				!strings.HasPrefix(u.Path, "/static") {
				u.Fragment = ""
				pending = append(pending, u.String())
			}
		}
	}
	if len(seen) < 20 {
		b.Errorf("only %d pages were reached", len(seen))
	}
}

var crawlStarts = []string{"/projects", "/projects/new", "/projects/mine", "/protocols", "/admin/users",
	"/admin/audit-log", "/account"}

func TestCrawl_AllPages_ChangeNothing(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	admin, lead := h.browserFor("admin"), h.browserFor("lead")
	before := h.hashState()
	reached := map[string]bool{}
	admin.crawl(append(crawlStarts, h.routePath("/projects/{key}/batches/{name}/close")), func(a testResponse) {
		reached[a.FindFirst("title").Text()] = true
		checkMarkup(t, a)
	})
	lead.get(h.routePath("/projects/{key}/import/{token}")).checkStatus(http.StatusOK)
	if h.hashState() != before {
		t.Error("a GET changed data")
	}
}

// checkMarkup finds controls without a name, duplicate or missing ids, and
// markup that the content policy blocks.
func checkMarkup(t *testing.T, a testResponse) {
	t.Helper()
	ids := map[string]int{}
	for _, e := range a.FindAll("[id]") {
		ids[e.Attr("id")]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s: id %q appears %d times", a.path, id, n)
		}
	}
	for n := range a.Node.Descendants() {
		for _, attr := range n.Attr {
			if strings.HasPrefix(attr.Key, "on") || attr.Key == "style" {
				t.Errorf("%s: <%s> has %s", a.path, n.Data, attr.Key)
			}
			if attr.Key == "for" && ids[attr.Val] == 0 {
				t.Errorf("%s: a label is for %q, which does not exist", a.path, attr.Val)
			}
			if attr.Key == "aria-describedby" && slices.ContainsFunc(strings.Fields(attr.Val), func(id string) bool {
				return ids[id] == 0
			}) {
				t.Errorf("%s: described by %q, which does not exist", a.path, attr.Val)
			}
		}
	}
	for _, control := range slices.Concat(a.FindAll("input"), a.FindAll("select"), a.FindAll("textarea")) {
		if !hasLabel(a, control) {
			t.Errorf("%s: the control %q has no label", a.path, control.Attr("name"))
		}
	}
	if len(a.FindAll("h1")) != 1 || a.FindFirst("html").Attr("lang") != "en" {
		t.Errorf("%s: the page needs one heading and a language", a.path)
	}
}

// proseOf returns the texts of a protocol that pages show within sentences of their own.
func proseOf(p protocol.Protocol) (texts []string) {
	texts = append(texts, p.Unit.Noun)
	for _, part := range p.Unit.Parts {
		texts = append(texts, part.Title)
	}
	for _, f := range p.Fields {
		texts = append(texts, f.Title)
	}
	for _, o := range p.Observations {
		texts = append(texts, o.Title, o.Subject)
	}
	for _, f := range p.Facts {
		texts = append(texts, f.Title)
	}
	for _, h := range p.Hints {
		texts = append(texts, h.Message)
	}
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// inGerman asks for German pages.
type inGerman struct{}

func (inGerman) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Accept-Language", "de")
	return http.DefaultTransport.RoundTrip(r)
}

// englishWord is a word that no German text has; quotedName is a name in a text, such as the first line of an item,
// and citation the title of a work.
var (
	citation    = regexp.MustCompile(`Alternative Annotator Test|\((?:[A-Z][\pL&, ]+ )+(?:19|20)\d\d[^)]*\)|[A-Z]\pL+ \((?:19|20)\d\d[^)]*\)`)
	englishWord = regexp.MustCompile(`(?i)\b(the|and|of|with|by|for|your|this|that|are|is|has|batch|labels?|items?|annotators?)\b`)
	quotedName  = regexp.MustCompile(`„[^“]*“|^.*… |\S*[./-]\S+`)
)

// Leads and admins who ask for German read no English on any page, apart from what users, protocols and programs
// have written, and the page about the API.
func TestCrawl_German_NoEnglish(t *testing.T) {
	t.Parallel()
	s := newCanaryStudy(t)
	s.addJudge("hard-days", "gpt")
	written := query[string](s.testEnv, `SELECT coalesce(string_agg(content::text, ' '), '') FROM items`) +
		query[string](s.testEnv, `SELECT coalesce(string_agg(note, ' '), '') FROM annotations`)
	var names []string // of what protocols have, the longest first
	for _, p := range protocol.Builtin() {
		written += " " + p.Source
		names = append(names, proseOf(p)...)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	removeNames := func(text string) string {
		for _, name := range names {
			text = strings.ReplaceAll(text, name, "")
		}
		return citation.ReplaceAllString(quotedName.ReplaceAllString(text, ""), "")
	}
	written = joinFields(strings.NewReplacer(`\n`, " ", `\"`, `"`, "''", "'").Replace(written))
	kinds, pages := map[string]int{"GET /api": 2, "/api": 2}, 0
	for _, kind := range []string{"lead", "admin"} {
		b := s.browsers[kind]
		b.client.Transport = inGerman{}
		b.waitForReport("/projects/hard-days/report/full")
		pages += b.visitAll([]string{"/projects", "/inbox", "/protocols", "/admin/users", "/admin/audit-log",
			"/account",
			"/projects/hard-days/report/full", "/work", "/nowhere"}, kinds, func(page testResponse) {
			if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || page.status == http.StatusSeeOther {
				return
			}
			if lang := page.FindOne("html").Attr("lang"); lang != "de" {
				t.Errorf("%s is in %q", page.path, lang)
			}
			for _, text := range shownTexts(page.Node) {
				if !strings.Contains(written, text) && englishWord.MatchString(removeNames(text)) {
					t.Errorf("%s: %s shows %q", kind, page.path, text)
				}
			}
		})
	}
	if pages < 100 {
		t.Errorf("only %d pages were reached", pages)
	}
}

// shownTexts returns the texts below n, without those that have a language of their own, and names.
func shownTexts(n *html.Node) (texts []string) {
	switch n.Type {
	case html.TextNode:
		return []string{joinFields(n.Data)}
	case html.ElementNode:
		if slices.Contains([]string{"script", "style", "bdi", "code", "textarea"}, n.Data) {
			return nil
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "lang", "translate":
				if n.Data != "html" {
					return nil
				}
			case "aria-label", "title", "placeholder", "alt":
				texts = append(texts, joinFields(a.Val))
			}
		}
	}
	for child := range n.ChildNodes() {
		texts = append(texts, shownTexts(child)...)
	}
	return texts
}

func joinFields(text string) string { return strings.Join(strings.Fields(text), " ") }

// hasLabel reports whether a control has a label, around it or for it.
func hasLabel(a testResponse, control htmltest.Element) bool {
	hidden := slices.ContainsFunc(control.Node.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
	if hidden || control.Attr("type") == "hidden" || control.Attr("aria-label") != "" {
		return true
	}
	for n := control.Node.Parent; n != nil; n = n.Parent {
		if n.Data == "label" {
			return true
		}
	}
	return len(a.FindAll("label[for='"+control.Attr("id")+"']")) > 0
}

// Pages escape hostile text wherever it comes from.
func TestPages_HostileText_Escaped(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInWithHostileData()
	shown := 0
	b.crawl(crawlStarts, func(page testResponse) {
		checkEscaped(page)
		if strings.Contains(page.FindFirst("main").RawText(), payload) {
			shown++
		}
	})
	if shown < 4 {
		t.Errorf("%d pages show the payload", shown)
	}
	for path, form := range map[string]url.Values{
		"/projects": {"protocol": {"empathy"}, "key": {payload}, "title": {payload},
			"content_warning": {payload}, "support_url": {payload}},
		"/projects/mine/members": {"email": {payload}, "name": {payload}, "role": {payload}},
		"/projects/mine/batches": {"name": {payload}, "other_emails": {payload}, "overlap": {payload},
			"seed": {payload}, "annotators": {payload}},
		"/protocols/new": {"source": {payload}},
		"/admin/users":   {"name": {payload}, "email": {payload}, "role": {payload}},
	} {
		checkEscaped(b.post(path, form).checkStatus(http.StatusUnprocessableEntity))
	}
	checkEscaped(b.upload("/projects/mine/import", payload, payload).checkStatus(http.StatusUnprocessableEntity))
	checkEscaped(b.upload("/projects/mine/import", "a.csv", payload+",query\nx\n").checkStatus(
		http.StatusUnprocessableEntity))
	checkEscaped(b.get("/projects/new?protocol=" + url.QueryEscape(payload)))
	checkEscaped(b.get("/projects/mine/items?search=" + url.QueryEscape(payload[:50])))
	checkEscaped(b.get("/projects/" + url.PathEscape(payload)).checkStatus(http.StatusNotFound))
}

// signInWithHostileData stores the payload in every field that accepts text,
// and returns the browser of the admin.
func (env testEnv) signInWithHostileData() browser {
	env.Helper()
	id, err := env.db.CreateAccount(env.Context(), 0, account.NewAccount{Email: "admin@example.org", Name: payload[:80],
		Role: account.Admin}, passwordHash)
	if err != nil {
		env.Fatal(err)
	}
	a, err := env.db.Account(env.Context(), id)
	if err != nil {
		env.Fatal(err)
	}
	p, err := env.db.CreateProject(env.Context(), a, project.Spec{Key: "mine", Title: payload,
		Protocol: "rag-generation", Instructions: "Cite as [1].", ContentWarning: payload,
		SupportURL: "https://example.org/?" + url.QueryEscape(payload)})
	if err != nil {
		env.Fatal(err)
	}
	b := env.signInAs(a)
	quoted := strings.ReplaceAll(strings.ReplaceAll(payload, `\`, `\\`), `"`, `\"`)
	line := strings.ReplaceAll(`{"id":"P","record_id":"P","query":"P","answer":"P","P":"P"}`, "P", quoted)
	preview := b.upload("/projects/mine/import", payload[:60]+".jsonl", line).checkRedirect("")
	checkEscaped(b.get(preview).checkStatus(http.StatusOK))
	b.post(preview, nil).checkRedirect("/projects/mine")
	env.newBatch(a, p, payload[:90], 1, a.Email)
	return b
}

// checkEscaped finds elements that the payload would create.
func checkEscaped(page testResponse) {
	page.Helper()
	for _, e := range page.FindAll("x-pwn, img, script:not([src]):not([type='application/json'])") {
		page.Errorf("%s contains <%s>", page.path, e.Data)
	}
}
