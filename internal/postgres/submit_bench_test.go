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
	crowd    = 16 // annotators at once
	seconds  = 10 // of each side
	passWord = "a quiet morning tram"
)

// BenchmarkSubmit submits labels over HTTP, and then runs the statements that
// one such request sent to PostgreSQL through pgbench, on the same durable
// server: how near is the application to what the database can do? Run it with
//
//	go test ./internal/postgres -run '^$' -bench Submit -benchtime 1x
func BenchmarkSubmit(b *testing.B) {
	server := durable(b)
	watch := &statements{}
	s := newSite(b, server.URL(local.Database), watch)
	overHTTP := s.labels(b)
	direct := pgbench(b, server, s.script(b, watch))
	again := s.labels(b)
	b.ReportMetric(overHTTP, "submits/s")
	b.ReportMetric(again, "submits/s-again")
	b.ReportMetric(direct, "pgbench/s")
	b.ReportMetric((overHTTP+again)/2/direct, "of-pgbench")
	b.ReportMetric(0, "ns/op")
}

// A site is a server with annotators who are signed in and have a long batch.
type site struct {
	base    string
	db      *postgres.DB
	clients []*http.Client
	tokens  []string // the open item of each
	ids     []int64
}

func newSite(b *testing.B, address string, watch *statements) *site {
	db := migrated(b, address, watch)
	listener := httptest.NewUnstartedServer(nil)
	base := &url.URL{Scheme: "http", Host: listener.Listener.Addr().String()}
	listener.Config.Handler = web.New(db, web.Config{Base: base, Log: slog.New(slog.DiscardHandler)})
	listener.Start()
	b.Cleanup(listener.Close)
	s := &site{base: base.String(), db: db}
	s.tellApart(b, address)
	hash, err := account.Hash(b.Context(), passWord)
	if err != nil {
		b.Fatal(err)
	}
	emails, ids := people(b, db, crowd, hash)
	s.ids = ids
	longBatch(b, db, 5000, emails)
	for i, email := range emails {
		s.clients = append(s.clients, s.signIn(b, email))
		token, err := db.Begin(b.Context(), s.ids[i], 0)
		if err != nil {
			b.Fatal(err)
		}
		s.tokens = append(s.tokens, token)
	}
	return s
}

// Where ids begin, so that an argument tells what it is the id of.
const (
	accounts    = 1_000_000
	items       = 2_000_000
	assignments = 3_000_000
)

func (s *site) tellApart(b *testing.B, address string) {
	conn, err := pgx.Connect(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	_, err = conn.Exec(b.Context(), fmt.Sprintf(`
		ALTER TABLE accounts ALTER id RESTART WITH %d;
		ALTER TABLE items ALTER id RESTART WITH %d;
		ALTER TABLE assignments ALTER id RESTART WITH %d`, accounts, items, assignments))
	if err != nil {
		b.Fatal(err)
	}
}

func (s *site) signIn(b *testing.B, email string) *http.Client {
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if to := s.post(b, client, "/sign-in", url.Values{"email": {email}, "password": {passWord}}); to != "/" {
		b.Fatalf("signing in led to %q", to)
	}
	return client
}

// post sends a form and returns where it led.
func (s *site) post(b *testing.B, client *http.Client, path string, form url.Values) string {
	request, _ := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := client.Do(request)
	if err != nil {
		b.Error(err)
		return ""
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return answer.Header.Get("Location")
}

var filled = url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"1"}, "incomplete": {"0"}, "unsafe_content": {"0"},
	"active_ms": {"61000"}, "note": {""}}

// labels has everybody submit one item after the other, and returns how many
// a second there were. Every answer has to lead to a new item.
func (s *site) labels(b *testing.B) float64 {
	var wg sync.WaitGroup
	counts := make([]int, len(s.clients))
	start := time.Now()
	for i := range s.clients {
		wg.Go(func() {
			for time.Since(start) < seconds*time.Second {
				if !s.submit(b, i) {
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

func (s *site) submit(b *testing.B, i int) bool {
	token, err := s.current(i)
	if err != nil {
		b.Error(err)
		return false
	}
	next, ok := strings.CutPrefix(s.post(b, s.clients[i], "/work/"+token, filled), "/work/")
	if !ok || next == token {
		b.Errorf("submitting %s led to %q", token, next)
		return false
	}
	s.tokens[i] = next
	return true
}

// current returns annotator i's open item; pgbench may have gone on from the
// one we know.
func (s *site) current(i int) (string, error) {
	if s.tokens[i] != "" {
		return s.tokens[i], nil
	}
	return s.db.Begin(context.Background(), s.ids[i], 0)
}
