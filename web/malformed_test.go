package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// fuzzedRoutes returns all routes: first those that change nothing, last those that end the
// batch, the account or the session that the others need.
func fuzzedRoutes() []route {
	routes := (&Server{}).routes()
	order := func(rt route) int {
		switch {
		case rt.method == http.MethodGet:
			return 0
		case strings.HasPrefix(rt.path, "/admin/"): // disables the account
			return 4
		case rt.path == "/account/password": // its wrong passwords keep the account from signing in
			return 3
		case strings.HasSuffix(rt.path, "/close"), strings.HasSuffix(rt.path, "/remove"), strings.HasPrefix(rt.path,
			"/account/"):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(routes, func(a, b route) int { return order(a) - order(b) })
	for _, path := range []string{"/healthz", "/static/base.css", "/static/absent.css", "/absent"} { // not in the table
		routes = append(routes, route{method: http.MethodGet, path: path, authorize: allowAnyone})
	}
	return routes
}

// No malformed request is an internal error, whatever its route; text that cannot be stored
// is rejected before a handler sees it. With LABELWRIGHT_SLOW=1 each route gets 500.
func TestRoutes_MalformedRequest_NeverInternal(t *testing.T) {
	t.Parallel()
	f := newRequestFuzzer(t)
	count := 40
	if require.FullSize() {
		count = 500
	}
	total := map[int]int{}
	for _, rt := range fuzzedRoutes() {
		statuses := map[int]int{}
		for range count {
			r := f.newRequest(rt)
			recorder := httptest.NewRecorder()
			f.handler.ServeHTTP(recorder, r.Request)
			statuses[recorder.Code]++
			total[recorder.Code]++
			f.checkFuzzed(r, recorder)
			// the session may be over
			if recorder.Code == http.StatusSeeOther && strings.HasPrefix(rt.path, "/account/") {
				f.signInAgain(f.userOf(rt))
			}
		}
		f.checkSignedIn(rt)
		t.Log(rt.method, rt.path, statuses)
	}
	t.Logf("%d requests for each route: %v", count, total)
}

// signInAgain starts a new session for a kind of user, from another network.
func (f *requestFuzzer) signInAgain(user string) {
	f.Helper()
	form := url.Values{"email": {f.accounts[user].Email}, "password": {password}}
	r := httptest.NewRequest(http.MethodPost, f.baseURL+"/sign-in", strings.NewReader(form.Encode())).WithContext(
		f.Context())
	r.Header.Set("Content-Type", formContentType)
	r.Header.Set("X-Forwarded-For", f.pickClient())
	recorder := httptest.NewRecorder()
	f.handler.ServeHTTP(recorder, r)
	f.cookies[user] = ""
	for _, cookie := range recorder.Result().Cookies() {
		if cookie.Name == "labelwright" {
			f.cookies[user] = cookie.Name + "=" + cookie.Value
		}
	}
}

func (f *requestFuzzer) pickClient() string {
	return fmt.Sprintf("10.%d.%d.%d", f.rng.IntN(256), f.rng.IntN(256), f.rng.IntN(256))
}

// checkSignedIn checks that the requests of a route were those of the user it wants.
func (f *requestFuzzer) checkSignedIn(rt route) {
	f.Helper()
	user := f.userOf(rt)
	if user == "anonymous" {
		return
	}
	r := httptest.NewRequest(http.MethodGet, f.baseURL+"/account", nil).WithContext(f.Context())
	r.Header.Set("Cookie", f.cookies[user])
	recorder := httptest.NewRecorder()
	if f.handler.ServeHTTP(recorder, r); recorder.Code != http.StatusOK {
		f.Fatalf("%s %s ends the session of the %s: %d", rt.method, rt.path, user, recorder.Code)
	}
}

func (f *requestFuzzer) checkFuzzed(r fuzzedRequest, recorder *httptest.ResponseRecorder) {
	f.Helper()
	switch status := recorder.Code; {
	case status >= http.StatusInternalServerError:
		f.Errorf("%d: %s", status, r.description)
	case r.hasMalformedURL && status != http.StatusBadRequest:
		f.Errorf("%d for a malformed address: %s", status, r.description)
	case r.hasMalformedForm && status < http.StatusBadRequest:
		f.Errorf("%d for a malformed form: %s", status, r.description)
	}
}
