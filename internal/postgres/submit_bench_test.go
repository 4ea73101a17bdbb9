package postgres_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/web"
)

const (
	clientCount = 16 // concurrent annotators
	runSeconds  = 10 // of each measurement
	password    = "a quiet morning tram"
)

// BenchmarkSubmit submits labels over HTTP, and runs the statements of one such request
// with pgbench on the same durable server. It compares the application with what the
// database can do. Run it with
//
//	go test ./internal/postgres -run '^$' -bench Submit -benchtime 1x
func BenchmarkSubmit(b *testing.B) {
	server := startServer(b)
	recorder := &queryRecorder{}
	s := newBenchServer(b, server.URL(local.Database), recorder)
	overHTTP := s.measureSubmits(b)
	pgbenchRate := runPgbench(b, server, s.pgbenchScript(b, recorder))
	secondRate := s.measureSubmits(b)
	b.ReportMetric(overHTTP, "submits/s")
	b.ReportMetric(secondRate, "submits/s-again")
	b.ReportMetric(pgbenchRate, "pgbench/s")
	b.ReportMetric((overHTTP+secondRate)/2/pgbenchRate, "of-pgbench")
	b.ReportMetric(0, "ns/op")
}

// benchServer is a server with signed-in annotators and a long batch.
type benchServer struct {
	baseURL    string
	db         *postgres.DB
	clients    []*http.Client
	tokens     []string // the open item of each
	accountIDs []account.ID
}

func newBenchServer(b *testing.B, databaseURL string, recorder *queryRecorder) *benchServer {
	db := openMigrated(b, databaseURL, recorder)
	listener := httptest.NewUnstartedServer(nil)
	baseURL := &url.URL{Scheme: "http", Host: listener.Listener.Addr().String()}
	listener.Config.Handler = web.New(db, web.Config{BaseURL: baseURL, Log: slog.New(slog.DiscardHandler)})
	listener.Start()
	b.Cleanup(listener.Close)
	s := &benchServer{baseURL: baseURL.String(), db: db}
	s.separateIDs(b, databaseURL)
	hash, err := account.HashPassword(b.Context(), "", password, account.Owner{})
	if err != nil {
		b.Fatal(err)
	}
	emails, ids := newAnnotators(b, db, clientCount, hash)
	s.accountIDs = ids
	newBatch(b, db, 5000, emails)
	for i, email := range emails {
		s.clients = append(s.clients, s.signIn(b, email))
		token, err := db.OpenNext(b.Context(), s.accountIDs[i], 0)
		if err != nil {
			b.Fatal(err)
		}
		s.tokens = append(s.tokens, token)
	}
	return s
}

// The first ids of each kind, so that an id shows its kind.
const (
	firstAccountID    = 1_000_000
	firstItemID       = 2_000_000
	firstAssignmentID = 3_000_000
)

func (s *benchServer) separateIDs(b *testing.B, databaseURL string) {
	conn, err := pgx.Connect(b.Context(), databaseURL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	_, err = conn.Exec(b.Context(), fmt.Sprintf(`
		ALTER TABLE accounts ALTER id RESTART WITH %d;
		ALTER TABLE items ALTER id RESTART WITH %d;
		ALTER TABLE assignments ALTER id RESTART WITH %d`, firstAccountID, firstItemID, firstAssignmentID))
	if err != nil {
		b.Fatal(err)
	}
}

func (s *benchServer) signIn(b *testing.B, email string) *http.Client {
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if location := s.post(b, client, "/sign-in", url.Values{"email": {email}, "password": {password}}); location != "/" {
		b.Fatalf("sign-in redirected to %q", location)
	}
	return client
}

// post sends a form and returns the redirect.
func (s *benchServer) post(b *testing.B, client *http.Client, path string, form url.Values) string {
	request, _ := http.NewRequest(http.MethodPost, s.baseURL+path, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := client.Do(request)
	if err != nil {
		b.Error(err)
		return ""
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body)
	return response.Header.Get("Location")
}

var validForm = url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"1"}, "incomplete": {"0"}, "unsafe_content": {"0"},
	"active_ms": {"61000"}, "note": {""}}

// measureSubmits has all annotators submit items and returns the submits per second. Each
// submit must open a new item.
func (s *benchServer) measureSubmits(b *testing.B) float64 {
	var wg sync.WaitGroup
	counts := make([]int, len(s.clients))
	start := time.Now()
	for i := range s.clients {
		wg.Go(func() {
			for time.Since(start) < runSeconds*time.Second {
				if !s.submitItem(b, i) {
					return
				}
				counts[i]++
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(start).Seconds()
}

func (s *benchServer) submitItem(b *testing.B, i int) bool {
	token, err := s.openItem(i)
	if err != nil {
		b.Error(err)
		return false
	}
	next, ok := strings.CutPrefix(s.post(b, s.clients[i], "/work/"+token, validForm), "/work/")
	if !ok || next == token {
		b.Errorf("submit of %s redirected to %q", token, next)
		return false
	}
	s.tokens[i] = next
	return true
}

// openItem returns the open item of annotator i. After pgbench it is not known yet.
func (s *benchServer) openItem(i int) (string, error) {
	if s.tokens[i] != "" {
		return s.tokens[i], nil
	}
	return s.db.OpenNext(context.Background(), s.accountIDs[i], 0)
}
