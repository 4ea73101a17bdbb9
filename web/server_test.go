package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/argon2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/webhook"
	"github.com/labelwright/labelwright/web/htmltest"
)

// A testEnv is a server with its own database.
type testEnv struct {
	*testing.T
	db          *postgres.DB
	baseURL     string // of the server
	databaseURL string // of the database
	server      *Server
}

func newTestEnv(t *testing.T) testEnv {
	t.Helper()
	return newTestEnvOn(t, pgtest.New(t))
}

// newTestEnvOn returns a server on a database with a schema.
func newTestEnvOn(t *testing.T, databaseURL string) testEnv {
	t.Helper()
	return newTestEnvWith(t, databaseURL, 16)
}

// newTestEnvWith returns an environment with a number of connections.
func newTestEnvWith(t *testing.T, databaseURL string, connections int) testEnv {
	t.Helper()
	require.Time(t)
	db, err := postgres.Open(t.Context(), fmt.Sprintf("%s&pool_max_conns=%d", databaseURL, connections))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	server := httptest.NewUnstartedServer(nil)
	baseURL, err := url.Parse("http://" + server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	handler := newServer(db, Config{BaseURL: baseURL, Log: slog.New(slog.NewTextHandler(errorLogWriter{t}, nil))})
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(func() {
		handler.Drain() // ends streams, which Close waits for
		server.Close()
	})
	return testEnv{t, db, baseURL.String(), databaseURL, handler}
}

// newServer returns a server that does not wait for a report, since most tests run no jobs.
func newServer(db *postgres.DB, c Config) *Server {
	s := New(db, c)
	s.reportWait = 0
	return s
}

// startJobs runs jobs until the test ends, or the returned function is called. Exports are then downloaded at once,
// also on a busy machine.
func (env testEnv) startJobs() (stop func()) {
	env.Helper()
	env.server.directExport = time.Minute
	stop, err := env.db.StartJobs(env.Context(), postgres.Work{Log: env.server.log,
		SendEvent: func(context.Context, string, webhook.Signing, webhook.Message) webhook.Attempt {
			return webhook.Attempt{StatusCode: http.StatusOK}
		}, Explain: env.server.ExplainFailure})
	if err != nil {
		env.Fatal(err)
	}
	stop = sync.OnceFunc(stop)
	env.Cleanup(stop)
	return stop
}

// errorLogWriter is a log that fails the test on an internal error. That jobs end while one adds another is none.
type errorLogWriter struct{ *testing.T }

func (f errorLogWriter) Write(line []byte) (int, error) {
	isEnd := bytes.Contains(line, []byte("job insert notification")) &&
		bytes.Contains(line, []byte("context canceled"))
	if bytes.Contains(line, []byte("level=ERROR")) && !isEnd {
		f.Errorf("%s", line)
	}
	return len(line), nil
}

const password = "a quiet morning tram"

// passwordHash uses the cheapest parameters, because tests sign in often.
var passwordHash = func() string {
	salt := make([]byte, 16)
	key := argon2.IDKey([]byte(password), salt, 1, 8, 1, 32)
	return fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}()

// newUser adds a user with a password.
func (env testEnv) newUser(email string, role account.Role) account.Account {
	env.Helper()
	name, _, _ := strings.Cut(email, "@")
	id, err := env.db.CreateAccount(env.Context(), 0, account.NewAccount{Email: email, Name: "Name of " + name,
		Role: role}, passwordHash)
	if err != nil {
		env.Fatal(err)
	}
	a, err := env.db.Account(env.Context(), id)
	if err != nil {
		env.Fatal(err)
	}
	return a
}

// newProject creates a project of the generation protocol with n items and
// lead a.
func (env testEnv) newProject(a account.Account, key string, n int) project.Project {
	env.Helper()
	p, err := env.db.CreateProject(env.Context(), a, project.Spec{Key: key, Title: "Project " + key,
		Protocol: "rag-generation", Instructions: "Answers cite sources as [1]."})
	if err != nil {
		env.Fatal(err)
	}
	if n == 0 {
		return p
	}
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("%s-%d", key, i+1), Facts: protocol.Facts{},
			Content: project.Content{
				"query":  {Text: fmt.Sprintf("Question %d?", i+1)},
				"answer": {Text: "An answer."},
			}}
	}
	if err := env.db.Import(env.Context(), a.ID, p, postgres.File{Name: "items.jsonl",
		SHA256: sha256.Sum256([]byte(key))}, items); err != nil {
		env.Fatal(err)
	}
	return p
}

// newBatch opens a batch of a project for annotators, who become members.
func (env testEnv) newBatch(a account.Account, p project.Project, name string, overlap int,
	annotators ...string) project.Batch {
	env.Helper()
	return env.newBatchFromSpec(a, p, project.BatchSpec{Name: name, Annotators: annotators, Overlap: overlap, Seed: 1})
}

func (env testEnv) newBatchFromSpec(a account.Account, p project.Project, spec project.BatchSpec) project.Batch {
	env.Helper()
	env.addMembers(p, account.Annotator, spec.Annotators...)
	spec.FewerCalibration = "A test."
	b, err := env.db.OpenBatch(env.Context(), a.ID, p, spec)
	if err != nil {
		env.Fatal(err)
	}
	env.skipReading()
	return b
}

// skipReading acknowledges the instructions and guides of all batches for their annotators.
func (env testEnv) skipReading() {
	env.Helper()
	env.execSQL(`
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id
		WHERE r.document <> 'content_warning'
		ON CONFLICT DO NOTHING`)
}

// addMembers adds users to a project as a command does, so that leads see their names.
func (env testEnv) addMembers(p project.Project, role account.Role, emails ...string) {
	env.Helper()
	for _, email := range emails {
		if _, err := env.db.AddMember(env.Context(), 0, p, account.NewAccount{Email: email, Name: "Name of " + email,
			Role: role}); err != nil {
			env.Fatal(err)
		}
	}
}

// query returns the single value of a query.
func query[T any](env testEnv, sql string, args ...any) (value T) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	if err := conn.QueryRow(env.Context(), sql, args...).Scan(&value); err != nil {
		env.Fatalf("%s: %v", sql, err)
	}
	return value
}

// execSQL changes data directly in the database.
func (env testEnv) execSQL(sql string, args ...any) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	if _, err := conn.Exec(env.Context(), sql, args...); err != nil {
		env.Fatalf("%s: %v", sql, err)
	}
}

// changeItems changes what never changes of items.
func (env testEnv) changeItems(sql string) {
	env.Helper()
	env.execSQL(`ALTER TABLE items DISABLE TRIGGER keep_content; ` + sql)
}

// hashState returns a hash of all stored data except sessions, sign-in attempts, what was read and the
// minutes when each browser was last active and each token last used.
func (env testEnv) hashState() string {
	env.Helper()
	return query[string](env, `
		SELECT string_agg(format('%s %s', c.oid::regclass,
			(xpath('/row/sum/text()', query_to_xml(format(
				'SELECT coalesce(md5(string_agg(%2$s::text, chr(10) ORDER BY %2$s::text)), ''none'') AS sum FROM %1$s t', c.oid::regclass,
				CASE c.relname WHEN 'sign_ins' THEN '(to_jsonb(t) - ''last_active_at'')' WHEN 'api_tokens' THEN
				'(to_jsonb(t) - ''last_used_at'')' ELSE 't' END), false, true, '')))[1]), chr(10) ORDER BY c.oid)
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('public', 'identity') AND c.relkind = 'r'
		AND c.relname NOT IN ('sessions', 'sign_in_attempts', 'reports', 'answer_reveals')`)
}

// A browser keeps cookies and follows no redirects.
type browser struct {
	testEnv
	client *http.Client
}

// newBrowser returns a browser that is not signed in.
func (env testEnv) newBrowser() browser {
	env.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		env.Fatal(err)
	}
	return browser{env, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

func (env testEnv) signInAs(a account.Account) browser {
	env.Helper()
	b := env.newBrowser()
	b.post("/sign-in", url.Values{"email": {a.Email}, "password": {password}}).checkRedirect("/")
	return b
}

// A testResponse is a response with its parsed page.
type testResponse struct {
	htmltest.Element
	status int
	header http.Header
	body   string
	path   string // method and path of the request
}

// bodyWithoutID returns the body without the id of the request.
func (a testResponse) bodyWithoutID() string {
	return strings.ReplaceAll(a.body, a.header.Get(requestIDHeader), "")
}

func (b browser) get(path string) testResponse {
	b.Helper()
	return b.send(http.MethodGet, path, "", nil)
}

func (b browser) post(path string, form url.Values) testResponse {
	b.Helper()
	return b.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// upload posts a form with a file.
func (b browser) upload(path, name, content string) testResponse {
	b.Helper()
	return b.uploadWith(path, nil, name, content)
}

// uploadWith posts a form with fields and a file.
func (b browser) uploadWith(path string, fields url.Values, name, content string) testResponse {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for key, values := range fields {
		for _, value := range values {
			if err := form.WriteField(key, value); err != nil {
				b.Fatal(err)
			}
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return b.send(http.MethodPost, path, form.FormDataContentType(), &body)
}

func (b browser) send(method, path, contentType string, body io.Reader) testResponse {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.baseURL+path, body)
	if err != nil {
		b.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

func (b browser) do(r *http.Request) testResponse {
	b.Helper()
	httpResponse, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer httpResponse.Body.Close()
	body, err := io.ReadAll(httpResponse.Body)
	if err != nil {
		b.Fatal(err)
	}
	page := htmltest.Parse(b.T, bytes.NewReader(body))
	return testResponse{page, httpResponse.StatusCode, httpResponse.Header, string(body), r.Method + " " +
		r.URL.RequestURI()}
}

// checkStatus requires a status, and returns the response.
func (a testResponse) checkStatus(status int) testResponse {
	a.Helper()
	if a.status != status {
		a.Fatalf("%s: %d, want %d: %s", a.path, a.status, status, a.Text())
	}
	return a
}

// checkRedirect requires a redirect to a path, and returns its location.
func (a testResponse) checkRedirect(want string) string {
	a.Helper()
	a.checkStatus(http.StatusSeeOther)
	location := a.header.Get("Location")
	if path, _, _ := strings.Cut(location, "?"); want != "" && path != want {
		a.Fatalf("%s redirects to %s, want %s", a.path, location, want)
	}
	return location
}

// checkContains requires the text of the page to contain each of texts.
func (a testResponse) checkContains(texts ...string) testResponse {
	a.Helper()
	for _, text := range texts {
		if !strings.Contains(a.Text(), text) {
			a.Errorf("%s does not contain %q:\n%s", a.path, text, a.Text())
		}
	}
	return a
}

func formatAccountID(a account.Account) string { return formatID(a.ID) }
