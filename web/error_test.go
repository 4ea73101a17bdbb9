package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/problem"
)

// errorCases has an error of every kind, with its status and JSON.
var errorCases = map[string]struct {
	err  error
	want problem.Details
}{
	"signed out": {fault.SignedOut, problem.Details{Title: "Signed out", Status: 401, Code: "signed_out",
		Detail: fault.SignedOut.Text()}},
	"forbidden": {fault.Forbidden.Errorf("Not yours."), problem.Details{Title: "Not allowed", Status: 403,
		Code: "forbidden", Detail: "Not yours."}},
	"not found": {fmt.Errorf("find: %w", fault.NotFound), problem.Details{Title: "Not found", Status: 404,
		Code: "not_found", Detail: fault.NotFound.Text()}},
	"method": {problem.MethodNotAllowed.Errorf("Use the form."), problem.Details{Title: "Method not allowed",
		Status: 405, Code: "method_not_allowed", Detail: "Use the form."}},
	"malformed": {errMalformedAddress, problem.Details{Title: "Malformed request", Status: 400, Code: "malformed",
		Detail: fault.Message(errMalformedAddress)}},
	"media type": {errNotAForm, problem.Details{Title: "Unsupported media type", Status: 415,
		Code: "unsupported_media_type", Detail: fault.Message(errNotAForm)}},
	"key reused": {postgres.ReusedKey.Errorf("Used."), problem.Details{Title: "Idempotency key used before",
		Status: 422, Code: "idempotency_key_reused", Detail: "Used."}},
	"in progress": {postgres.RequestInProgress.Errorf("Runs."), problem.Details{Title: "Request in progress",
		Status: 409, Code: "request_in_progress", Detail: "Runs."}},
	"version": {postgres.VersionChanged.Errorf("Read it again."),
		problem.Details{Title: "Changed since it was read", Status: 412, Code: "precondition_failed",
			Detail: "Read it again."}},
	"scope": {problem.Scope.Errorf("No."), problem.Details{Title: "Missing scope", Status: 403,
		Code: "insufficient_scope", Detail: "No."}},
	"accept": {problem.NotAcceptable.Errorf("No."), problem.Details{Title: "Not acceptable", Status: 406,
		Code: "not_acceptable", Detail: "No."}},
	"conflict": {fault.Conflict.Errorf("Closed."), problem.Details{Title: "Conflict", Status: 409, Code: "conflict",
		Detail: "Closed."}},
	"too large": {fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1}), problem.Details{Title: "Too large",
		Status: 413, Code: "too_large", Detail: fault.TooLarge.Text()}},
	"invalid": {errUnstorableText, problem.Details{Title: "Invalid input", Status: 422, Code: "invalid",
		Detail: fault.Message(errUnstorableText)}},
	"answers": {protocol.Problems{{Key: "note", Rule: "note_length", Message: "Too long."}, {Message: "Odd."}},
		problem.Details{
			Title: "Invalid input", Status: 422, Code: "invalid", Detail: "Too long. Odd.",
			Errors: []problem.Field{{Field: "note", Code: "note_length", Detail: "Too long."}, {Detail: "Odd."}}}},
	"form": {fmt.Errorf("create: %w", project.FormProblems{{Field: "key", Err: fault.Conflict.Errorf("Taken.")}}),
		problem.Details{
			Title: "Conflict", Status: 409, Code: "conflict", Detail: "Taken.",
			Errors: []problem.Field{{Field: "key", Detail: "Taken."}}}},
	"limited": {fault.Limited.Errorf("Wait."), problem.Details{Title: "Too many attempts", Status: 429,
		Code: "limited", Detail: "Wait."}},
	"unavailable": {context.DeadlineExceeded, problem.Details{Title: "Not available", Status: 503, Code: "unavailable",
		Detail: fault.Unavailable.Text()}},
	"internal": {errors.New("pq: relation secret"), problem.Details{Title: "Something went wrong", Status: 500,
		Code: "internal", Detail: fault.Internal.Text()}},
}

// renderTestError renders err for a client that accepts a media type.
func renderTestError(err error, accept string) *httptest.ResponseRecorder {
	s := &Server{log: slog.New(slog.DiscardHandler)}
	r := httptest.NewRequest(http.MethodPost, "/work/token/draft", nil)
	r.Header.Set("Accept", accept)
	recorder := httptest.NewRecorder()
	s.renderError(recorder, r.WithContext(telemetry.WithRequest(r.Context(), &telemetry.Request{ID: "r-1"})), err)
	return recorder
}

func TestRenderError_JSON_ByKind(t *testing.T) {
	t.Parallel()
	for name, c := range errorCases {
		for _, accept := range []string{"application/json", "application/problem+json"} {
			recorder := renderTestError(c.err, accept)
			var got problem.Details
			if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil || recorder.Code != c.want.Status ||
				recorder.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d %v: %s", name, recorder.Code, recorder.Header(), recorder.Body)
			}
			c.want.RequestID = "r-1"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			checkRetryAfter(t, name, recorder)
		}
	}
}

func TestRenderError_HTML_ByKind(t *testing.T) {
	t.Parallel()
	for name, c := range errorCases {
		for _, accept := range []string{"text/html,application/xhtml+xml,application/json", "*/*", ""} {
			recorder := renderTestError(c.err, accept)
			if recorder.Code != c.want.Status || !strings.HasPrefix(recorder.Header().Get("Content-Type"),
				"text/html") {
				t.Errorf("%s: %d %v", name, recorder.Code, recorder.Header())
			}
			text := htmltest.Parse(t, strings.NewReader(recorder.Body.String())).Text()
			for _, part := range []string{c.want.Title, c.want.Detail, "r-1"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s does not show %q:\n%s", name, part, text)
				}
			}
			if strings.Contains(text, "secret") {
				t.Errorf("%s shows the text of an internal error:\n%s", name, text)
			}
			checkRetryAfter(t, name, recorder)
		}
	}
}

func checkRetryAfter(t *testing.T, name string, recorder *httptest.ResponseRecorder) {
	t.Helper()
	if got := recorder.Header().Get("Retry-After"); (got != "") != (recorder.Code == http.StatusServiceUnavailable) {
		t.Errorf("%s: status %d has Retry-After %q", name, recorder.Code, got)
	}
}

// Every kind has a status and a title, and every case above is one of them.
func TestOutcomes_EveryKind(t *testing.T) {
	t.Parallel()
	tested := map[fault.Kind]bool{}
	for _, c := range errorCases {
		tested[c.want.Code] = true
	}
	for _, kind := range problem.Kinds() {
		if !tested[kind] {
			t.Errorf("no case for %q", kind)
		}
	}
}

// A script that saves a draft gets JSON; the same request without its Accept
// header gets a page.
func TestSaveDraft_Error_IsJSON(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("ann@example.org", account.Annotator))
	header := map[string]string{"Sec-Fetch-Site": "same-origin", "Content-Type": formContentType,
		"Accept": "application/json"}
	for path, status := range map[string]int{"/work/none/draft": http.StatusNotFound, "/work": http.StatusSeeOther,
		"/nowhere": http.StatusNotFound} {
		a := b.request(http.MethodPost, path, "note=x", header)
		if a.status != status || status >= 400 && a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
	a := env.newBrowser().request(http.MethodPost, "/work/none/draft", "note=x", header)
	if a.status != http.StatusUnauthorized || !strings.Contains(a.body, `"code":"signed_out"`) {
		t.Errorf("signed out: %d %s", a.status, a.body)
	}
	delete(header, "Accept")
	if a := b.request(http.MethodPost, "/work/none/draft", "note=x", header); !strings.HasPrefix(
		a.header.Get("Content-Type"), "text/html") {
		t.Errorf("without Accept: %v", a.header)
	}
}

// stopDatabase ends every connection to the server's database and refuses new
// ones.
func (env testEnv) stopDatabase() {
	env.Helper()
	u, err := url.Parse(env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	conn, err := pgx.Connect(env.Context(), u.String())
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	for _, sql := range []string{
		"ALTER DATABASE " + pgx.Identifier{name}.Sanitize() + " ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		if _, err := conn.Exec(env.Context(), sql); err != nil {
			env.Fatal(err)
		}
	}
}

// A lost database is a temporary error of every page, with and without a
// session, and of the scripts.
func TestLostDatabase_EveryRoute_Unavailable(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	lead, anonymous := h.browserFor("lead"), h.newBrowser()
	h.stopDatabase()
	check := func(a testResponse) {
		t.Helper()
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q: %s", a.path, a.status, a.header.Get("Retry-After"), a.Text())
		}
	}
	for _, rt := range (&Server{}).routes() {
		check(lead.sendEmpty(rt.method, h.routePath(rt.path)))
	}
	check(anonymous.get("/invitations/token"))
	check(anonymous.post("/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password}}))
	a := lead.request(http.MethodPost, h.routePath("/work/{token}/draft"), "note=x",
		map[string]string{"Sec-Fetch-Site": "same-origin", "Content-Type": formContentType,
			"Accept": "application/json"})
	if check(a); !strings.Contains(a.body, `"code":"unavailable"`) {
		t.Errorf("the script gets %s", a.body)
	}
}

// failingStore is a session store that cannot save.
type failingStore struct{}

func (failingStore) Find(string) ([]byte, bool, error)      { return nil, false, nil }
func (failingStore) Commit(string, []byte, time.Time) error { return context.DeadlineExceeded }
func (failingStore) Delete(string) error                    { return context.DeadlineExceeded }

// The error of a session that cannot be saved replaces the response.
func TestSession_NotSaved_ReplacesResponse(t *testing.T) {
	t.Parallel()
	s := &Server{log: slog.New(slog.DiscardHandler), config: Config{BaseURL: &url.URL{Scheme: "http"}}}
	s.sessions = s.newSessionManager()
	s.sessions.Store = failingStore{}
	recorder := httptest.NewRecorder()
	s.withSession(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.sessions.Put(r.Context(), sessionSignIn, int64(1))
		_ = redirect(w, r, "/projects")
	})).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	if recorder.Code != http.StatusServiceUnavailable || recorder.Header().Get("Retry-After") == "" ||
		recorder.Header().Get("Location") != "" {
		t.Errorf("%d %v", recorder.Code, recorder.Header())
	}
	if body := recorder.Body.String(); strings.Count(body, "<html") != 1 || strings.Contains(body, "See Other") {
		t.Errorf("the response is %s", body)
	}
}
