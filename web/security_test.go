package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// request sends a request with the given headers only, without those a browser
// adds.
func (b browser) request(method, path, body string, header map[string]string) testResponse {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.baseURL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	r.Host = header["Host"]
	return b.do(r)
}

const formContentType = "application/x-www-form-urlencoded"

// sessionToken returns the token of the session, or "".
func (b browser) sessionToken() string {
	u, _ := url.Parse(b.baseURL)
	return findSessionCookie(b.client.Jar.Cookies(u)).Value
}

// findSessionCookie returns the session cookie, or an empty one.
func findSessionCookie(cookies []*http.Cookie) *http.Cookie {
	for _, c := range cookies {
		if c.Name == "labelwright" || c.Name == "__Host-labelwright" {
			return c
		}
	}
	return &http.Cookie{}
}

// checkSecurityHeaders checks the headers of every response.
func checkSecurityHeaders(t *testing.T, a testResponse) {
	t.Helper()
	h := a.header
	for name, want := range map[string]string{
		"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if h.Get(name) != want {
			t.Errorf("%s (%d): %s is %q", a.path, a.status, name, h.Get(name))
		}
	}
	isCacheable := strings.Contains(a.path, "/static/") && a.status == http.StatusOK
	if h.Get("Permissions-Policy") == "" || !isCacheable && h.Get("Cache-Control") != "no-store" ||
		h.Get("Content-Security-Policy-Report-Only") != "" {
		t.Errorf("%s (%d): %v", a.path, a.status, h)
	}
}

func TestResponse_Any_HasHeaders(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	statuses := map[int]bool{}
	for _, kind := range userKinds {
		b := h.browserFor(kind)
		for _, rt := range (&Server{}).routes() {
			a := b.sendEmpty(rt.method, h.routePath(rt.path))
			statuses[a.status] = true
			checkSecurityHeaders(t, a)
		}
	}
	b := h.browserFor("lead")
	for _, a := range []testResponse{
		b.get("/nowhere"), b.get("/static/nothing.css"), b.get("/healthz"), b.get("/readyz"),
		b.get(b.get("/projects").FindFirst("link[rel='stylesheet']").Attr("href")),
		b.request(http.MethodPut, "/projects", "", map[string]string{"Sec-Fetch-Site": "same-origin"}),
		b.request("TRACE", "/", "", map[string]string{"Sec-Fetch-Site": "same-origin"}),
		b.request(http.MethodGet, "/projects", "", map[string]string{"Host": "evil.example"}),
		b.request(http.MethodPost, "/projects", "", nil),
		b.post("/projects", url.Values{"title": {strings.Repeat("x", formLimit)}}),
	} {
		statuses[a.status] = true
		checkSecurityHeaders(t, a)
	}
	for _, status := range []int{200, 303, 401, 403, 404, 413, 421, 422} {
		if !statuses[status] {
			t.Errorf("no response has status %d", status)
		}
	}
}

// The page of an internal error shows a request id for the log, and no
// details.
func TestInternalError_Page_HidesDetail(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	base := &url.URL{Scheme: "https", Host: "labels.example"}
	server := newServer(db, Config{BaseURL: base, Log: slog.New(slog.NewTextHandler(&log, nil))})
	db.Close()
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "https://labels.example/sign-in",
		strings.NewReader("email=ann%40example.org&password=a+secret+word"))
	r.Header.Set("Content-Type", formContentType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	server.ServeHTTP(recorder, r)
	if recorder.Code != http.StatusInternalServerError {
		t.Fatalf("%d: %s", recorder.Code, recorder.Body)
	}
	checkSecurityHeaders(t, testResponse{status: recorder.Code, header: recorder.Header(), path: "an error"})
	if got := recorder.Header().Get("Strict-Transport-Security"); !strings.Contains(got, "includeSubDomains") {
		t.Errorf("Strict-Transport-Security is %q", got)
	}
	if body := recorder.Body.String(); strings.Contains(body, "pool") ||
		!strings.Contains(body, "Something went wrong") {
		t.Errorf("the page shows %s", body)
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), "ann@example.org") ||
		!strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log contains %s", log.String())
	}
}

// Requests that another site makes a browser send change nothing.
func TestCrossSite_Forms_AreRefused(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	b := h.browserFor("admin")
	before := h.hashState()
	for _, rt := range (&Server{}).routes() {
		if rt.method == http.MethodGet {
			continue
		}
		for name, header := range map[string]map[string]string{
			"cross-site": {"Sec-Fetch-Site": "cross-site"}, "same-site": {"Sec-Fetch-Site": "same-site"},
			"a foreign origin": {"Origin": "https://evil.example"},
			"no origin":        {"Origin": "null"}, "another port": {"Origin": "http://127.0.0.1:1"},
			"nothing said": {},
		} {
			header["Content-Type"] = formContentType
			a := b.request(rt.method, h.routePath(rt.path),
				"role=admin&name=x&email=evil%40example.org&password=something+long+enough", header)
			if a.status != http.StatusForbidden {
				t.Errorf("%s, %s: %d, want 403", a.path, name, a.status)
			}
		}
	}
	if h.hashState() != before {
		t.Error("data changed")
	}
	if a := b.request(http.MethodPost, "/sign-out", "",
		map[string]string{"Origin": h.baseURL}); a.status != http.StatusSeeOther {
		t.Errorf("from the site itself: %d", a.status)
	}
}

func TestHost_Unknown_Misdirected(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	b := h.browserFor("admin")
	before := h.hashState()
	for _, rt := range (&Server{}).routes() {
		for _, host := range []string{"evil.example", "127.0.0.1", "localhost:80", strings.TrimPrefix(h.baseURL,
			"http://") + ".evil.example"} {
			header := map[string]string{"Host": host, "Sec-Fetch-Site": "same-origin"}
			if a := b.request(rt.method, h.routePath(rt.path), "", header); a.status != http.StatusMisdirectedRequest ||
				a.body != "" {
				t.Errorf("%s at %s: %d %s", a.path, host, a.status, a.body)
			}
		}
	}
	if h.hashState() != before {
		t.Error("data changed")
	}
}

func TestSignIn_OtherHost_Ignored(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("ann@example.org", account.Annotator)
	for _, next := range []string{
		"https://evil.example/", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`,
		"/\t/evil.example", "/\n/evil.example", "http:evil.example",
		"javascript:alert(1)", "data:text/html,x", "evil.example", "@evil.example", "https:/evil.example",
		"/%2f/../\\evil.example", " //evil.example", "%2f%2fevil.example", "?next=//evil.example",
	} {
		b := env.newBrowser()
		a := b.post("/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password},
			"next": {next}}).checkStatus(http.StatusSeeOther)
		u, err := url.Parse(a.header.Get("Location"))
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/") ||
			strings.HasPrefix(a.header.Get("Location"), "//") || strings.Contains(u.Path, `\`) {
			t.Errorf("%q redirects to %q", next, a.header.Get("Location"))
		}
		if got := formValues(b.get("/sign-in?next=" + url.QueryEscape(next)).FindFirst("main form")).Get(
			"next"); strings.Contains(got, "evil.example") && strings.HasPrefix(strings.TrimLeft(got, "/\\"), "evil") {
			t.Errorf("%q is in the page as %q", next, got)
		}
	}
	b := env.newBrowser()
	b.post("/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password},
		"next": {"/\x00/evil.example"}}).checkStatus(http.StatusUnprocessableEntity)
	b.post("/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password},
		"next": {"/work/guide"}}).checkRedirect("/work/guide")
}

func TestSession_SignInAndOut_Rotates(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	b := env.newBrowser()
	u, _ := url.Parse(b.baseURL)
	planted := &http.Cookie{Name: "labelwright", Value: "planted-by-an-attacker-0123456789abcdefghijk", Path: "/"}
	b.client.Jar.SetCookies(u, []*http.Cookie{planted})
	signIn := func() *http.Cookie {
		t.Helper()
		a := b.post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}})
		a.checkRedirect("/")
		cookies := (&http.Response{Header: a.header}).Cookies()
		for _, c := range cookies {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Fatalf("a cookie is %v", c)
			}
		}
		if len(cookies) != 2 || findSessionCookie(cookies).Value == "" {
			t.Fatalf("the cookies are %v", cookies)
		}
		return findSessionCookie(cookies)
	}
	first := signIn()
	if first.Value == planted.Value {
		t.Error("a planted session is used")
	}
	second := signIn()
	if second.Value == first.Value {
		t.Error("signing in again keeps the session")
	}
	openAccount := func(c *http.Cookie) testResponse {
		t.Helper()
		return env.newBrowser().request(http.MethodGet, "/account", "", map[string]string{"Cookie": c.Name +
			"=" + c.Value})
	}
	openAccount(first).checkRedirect("/sign-in")
	openAccount(second).checkStatus(http.StatusOK).checkContains(ann.Email)
	a := b.post("/sign-out", nil)
	if a.checkRedirect("/sign-in"); !strings.Contains(a.header.Get("Clear-Site-Data"), "storage") {
		t.Error("signing out leaves data in the browser")
	}
	openAccount(second).checkRedirect("/sign-in")
	openAccount(planted).checkRedirect("/sign-in")
}

// The sessions table contains nothing that opens a session.
func TestSession_Stored_IsHashed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("ann@example.org", account.Annotator))
	b.get("/account").checkStatus(http.StatusOK)
	value := b.sessionToken()
	if len(value) < 40 {
		t.Fatalf("the session is %q", value)
	}
	if n := query[int](env, `SELECT count(*) FROM sessions`); n != 1 {
		t.Fatalf("%d sessions are stored, want 1", n)
	}
	if n := query[int](env, `SELECT count(*) FROM sessions s WHERE position($1 in s::text) > 0
		OR position(convert_to($1, 'UTF8') in data) > 0`, value); n != 0 {
		t.Error("the table contains a usable session")
	}
	stored := query[string](env, `SELECT token_hash FROM sessions`)
	env.newBrowser().request(http.MethodGet, "/account", "", map[string]string{"Cookie": "labelwright=" +
		stored}).checkRedirect("/sign-in")
}

// With https, only this host can set the session cookie.
func TestSessionCookie_TLS_HostBound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("ann@example.org", account.Annotator)
	base := &url.URL{Scheme: "https", Host: "labels.example"}
	server := newServer(env.db, Config{BaseURL: base, Log: slog.New(slog.NewTextHandler(errorLogWriter{t}, nil))})
	form := url.Values{"email": {"ann@example.org"}, "password": {password}}
	r := httptest.NewRequest(http.MethodPost, "https://labels.example/sign-in", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", formContentType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, r)
	cookies := recorder.Result().Cookies()
	if len(cookies) != 2 {
		t.Errorf("%d: the cookies are %v", recorder.Code, cookies)
	}
	for _, c := range cookies {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" {
			t.Errorf("the cookie is %v", c)
		}
	}
}
