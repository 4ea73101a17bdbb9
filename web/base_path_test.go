package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/browsertest"
)

// startBelow starts another server on the database, below a path, with a proxy in front that removes the path or not.
func (env testEnv) startBelow(base string, isStripped bool) testEnv {
	env.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := &url.URL{Scheme: "http", Host: server.Listener.Addr().String(), Path: base}
	below := newServer(env.db, Config{BaseURL: address, Log: slog.New(slog.NewTextHandler(errorLogWriter{env.T}, nil))})
	server.Config.Handler = below
	if isStripped {
		server.Config.Handler = http.StripPrefix(base, below)
	}
	server.Start()
	env.Cleanup(func() { below.Drain(); server.Close() })
	env.baseURL, env.server = address.String(), below
	return env
}

// localAddress matches an attribute with an address of the site.
var localAddress = regexp.MustCompile(`[a-z-]+="/(?:[^/"][^"]*)?"`)

// TestBasePath_EveryPage_SameBelowPath opens every page of a lead at the root and below a path: they are equal but for
// the path, and no address leaves it.
func TestBasePath_EveryPage_SameBelowPath(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	h.startJobs()
	h.signInAs(h.accounts["lead"]).waitForReport("/projects/mine/report")
	for name, isStripped := range map[string]bool{"proxy keeps the path": false, "proxy removes the path": true} {
		root := h.signInAs(h.accounts["lead"])
		below := browser{h.startBelow("/labels/eu", isStripped), root.client}
		variable := regexp.MustCompile(`data-version="[^"]*"|datetime="[^"]*"`)
		root.crawl([]string{"/projects", "/inbox", "/account"}, func(want testResponse) {
			_, path, _ := strings.Cut(want.path, " ")
			got := below.get(path).checkStatus(http.StatusOK)
			for _, found := range localAddress.FindAllString(got.body, -1) {
				if !strings.Contains(found, `="/labels/eu/`) && !strings.HasPrefix(found, "value=") {
					t.Errorf("%s: %s has %s", name, path, found)
				}
			}
			same := func(a testResponse) string { return variable.ReplaceAllString(a.bodyWithoutID(), "") }
			if text := strings.ReplaceAll(same(got), `="/labels/eu/`, `="/`); text != same(want) {
				t.Errorf("%s: %s differs:\n%s\nwant\n%s", name, path, text, same(want))
			}
		})
		b := browser{below.testEnv, below.newBrowser().client}
		location := b.get("/work").checkStatus(http.StatusSeeOther).header.Get("Location")
		if !strings.HasPrefix(location, "/labels/eu/sign-in") {
			t.Errorf("%s: redirected to %s", name, location)
		}
		b.post("/sign-in", url.Values{"email": {h.accounts["annotator"].Email}, "password": {password},
			"next": {"/work"}}).checkRedirect("/labels/eu/work")
		b.get(h.staticPath(b)).checkStatus(http.StatusOK)
	}
}

// staticPath returns the address of a style sheet of a page, without the path of the site.
func (h projectFixture) staticPath(b browser) string {
	h.Helper()
	href := b.get("/sign-in").FindFirst("link[rel=stylesheet]").Attr("href")
	path, found := strings.CutPrefix(href, "/labels/eu")
	if !found {
		h.Errorf("style sheet %s", href)
	}
	return path
}

// TestBasePath_Label_InPlace labels below a path in a browser: drafts are saved, and the next item comes in place.
func TestBasePath_Label_InPlace(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "below", 2, 0), project.BatchSpec{Name: "b",
		Annotators: []string{ann.Email}, Overlap: 1})
	path := env.signInAs(ann).openItem()
	below := projectFixture{testEnv: env.startBelow("/labels", true), accounts: map[string]account.Account{"annotator": ann}}
	b := below.openTabAt(t, "annotator", "/healthz")
	b.Visit(path)
	b.WaitFor(`location.pathname.startsWith('/labels/work/') && document.readyState`, "complete")
	browsertest.Eval[bool](b, `window.isSameDocument = true`)
	pickAnswer(b, "emotion", 3)
	b.WaitFor(savedTextJS, "Saved")
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pickAnswer(b, key, 3)
	}
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 2")
	b.WaitFor(`[window.isSameDocument, location.pathname.startsWith('/labels/work/')]`, []any{true, true})
}
