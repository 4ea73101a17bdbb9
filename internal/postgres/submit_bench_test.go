package postgres_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web"
)

const (
	runTime   = 10 * time.Second // of each measurement
	thinkTime = 500 * time.Millisecond

	// maxConnections is how many connections pgbench opens; the server allows 100.
	maxConnections = 80
	password       = "a quiet morning tram"
)

// BenchmarkSubmit has annotators submit labels to "labelwright serve", a process of its
// own, each answered with the next item. It runs the statements of the same requests with
// pgbench on the same durable server, before and after. Both run without a pause, so that
// they compare the application with what the database can do. Every connection has run each
// statement often enough for its final plan. Run it with
//
//	go test ./internal/postgres -run '^$' -bench 'Submit$' -benchtime 1x -timeout 1h
func BenchmarkSubmit(b *testing.B) {
	for _, clients := range []int{16, 64, 200} {
		b.Run(fmt.Sprintf("annotators=%d", clients), func(b *testing.B) {
			s := newBenchServer(b, clients, 1600*clients)
			s.warmUp(b)
			before := s.measure(b, runTime, 0)
			pgbenchRate := runPgbench(b, s.server, min(clients, maxConnections), s.pgbenchScript(b))
			after := s.measure(b, runTime, 0)
			b.ReportMetric(before.rate(), "submits/s")
			b.ReportMetric(after.rate(), "submits/s-again")
			b.ReportMetric(pgbenchRate, "pgbench/s")
			b.ReportMetric((before.rate()+after.rate())/2/pgbenchRate, "of-pgbench")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSubmitThinking measures the time of a submit with the next item while 200
// annotators think for half a second between items.
func BenchmarkSubmitThinking(b *testing.B) {
	s := newBenchServer(b, 200, 20_000)
	s.warmUp(b)
	m := s.measure(b, 3*runTime, thinkTime)
	b.ReportMetric(m.rate(), "submits/s")
	b.ReportMetric(m.percentile(50), "ms-p50")
	b.ReportMetric(m.percentile(99), "ms-p99")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSubmitBatchSize measures 16 annotators in batches of different sizes. A submit
// must cost the same in each.
func BenchmarkSubmitBatchSize(b *testing.B) {
	for _, items := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			s := newBenchServer(b, 16, items)
			s.warmUp(b)
			m := s.measure(b, min(runTime, time.Duration(items)*3*time.Millisecond), 0)
			b.ReportMetric(m.rate(), "submits/s")
			b.ReportMetric(m.percentile(50), "ms-p50")
			b.ReportMetric(m.percentile(99), "ms-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A benchServer is a running "labelwright serve" with signed-in annotators and a batch whose
// items have two labels each.
type benchServer struct {
	server *local.Server
	databaseURL,
	baseURL string
	db         *postgres.DB
	recorder   *queryRecorder
	clients    []*http.Client
	tokens     []string // the open item of each
	screenKey  string   // of the labeling screen
	accountIDs []account.ID
}

func newBenchServer(b *testing.B, clients, items int) *benchServer {
	server := startServer(b)
	s := &benchServer{server: server, databaseURL: server.URL(local.Database), recorder: &queryRecorder{}}
	s.db = openMigrated(b, s.databaseURL, s.recorder)
	s.execSQL(b, fmt.Sprintf(`
		ALTER TABLE accounts ALTER id RESTART WITH %d;
		ALTER TABLE items ALTER id RESTART WITH %d;
		ALTER TABLE assignments ALTER id RESTART WITH %d`, firstAccountID, firstItemID, firstAssignmentID))
	var emails []string
	emails, s.accountIDs = newAnnotators(b, s.db, clients, "")
	s.openBatch(b, items, emails)
	s.baseURL = s.serve(b)
	for _, id := range s.accountIDs {
		s.clients = append(s.clients, s.signIn(b, id))
		token, err := s.db.OpenNext(b.Context(), id, 0)
		if err != nil || token == "" {
			b.Fatalf("token %q, %v", token, err)
		}
		s.tokens = append(s.tokens, token)
	}
	s.screenKey = s.loadScreenKey(b, s.baseURL)
	return s
}

// The first ids of each kind, so that an id shows its kind.
const (
	firstAccountID    = 1_000_000
	firstItemID       = 20_000_000
	firstAssignmentID = 30_000_000
)

func (s *benchServer) execSQL(b *testing.B, sql string) {
	conn, err := pgx.Connect(b.Context(), s.databaseURL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(b.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		b.Fatal(err)
	}
}

func (s *benchServer) openBatch(b *testing.B, items int, emails []string) {
	p, err := s.db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Spec{Key: "long",
		Title: "Long", Protocol: "empathy"})
	if err != nil {
		b.Fatal(err)
	}
	s.execSQL(b, fmt.Sprintf(`
		UPDATE projects SET content_warning = '';
		INSERT INTO imports (project_id, sha256, file_name, item_count) VALUES (%[1]d, '', 'long.jsonl', %[2]d);
		INSERT INTO items (project_id, import_id, source_id, content, facts, word_count)
		SELECT %[1]d, (SELECT max(id) FROM imports), 'item-' || n,
		       jsonb_build_object('user_statement', jsonb_build_object('text', 'My exam is tomorrow, and I am afraid.'),
		                          'response', jsonb_build_object('text', repeat('That sounds hard. ', 20))), '{}', 60
		FROM generate_series(1, %[2]d) n;
		ANALYZE`, p.ID, items))
	start := time.Now()
	if _, err := s.db.OpenBatch(b.Context(), 0, p, project.BatchSpec{Name: "long", Annotators: emails, Overlap: 2,
		Seed: 1, DuplicateCount: 10, FewerCalibration: "A test."}); err != nil {
		b.Fatal(err)
	}
	s.execSQL(b, `INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT b.project_id, r.account_id, r.document, r.version FROM pending_reading r
		JOIN batches b ON b.id = r.batch_id`)
	b.Logf("opened %d items × 2 for %d annotators in %s", items, len(emails), time.Since(start).Round(time.Millisecond))
}

// serve starts the server process and returns its URL.
func (s *benchServer) serve(b *testing.B) string {
	program := filepath.Join(b.TempDir(), "labelwright")
	if output, err := exec.Command("go", "build", "-o", program,
		"github.com/labelwright/labelwright/cmd/labelwright").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	command := exec.Command(program, "serve", "--addr", "127.0.0.1:0")
	command.Env = append(os.Environ(), "DATABASE_URL="+s.databaseURL)
	stdout, err := command.StdoutPipe()
	if err := errors.Join(err, command.Start()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = command.Process.Signal(syscall.SIGTERM); _ = command.Wait() })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, baseURL, ok := strings.Cut(lines.Text(), "Labelwright is ready at "); ok {
			go io.Copy(io.Discard, stdout)
			return strings.Fields(baseURL)[0]
		}
	}
	b.Fatal("the server did not become ready")
	return ""
}

// signIn returns a client with a session of an account.
func (s *benchServer) signIn(b *testing.B, id account.ID) *http.Client {
	signInID, err := s.db.StartSignIn(b.Context(), id, "benchmark", "127.0.0.1")
	if err != nil {
		b.Fatal(err)
	}
	token, expiresAt := account.NewToken(), time.Now().Add(time.Hour)
	data, encodeErr := scs.GobCodec{}.Encode(expiresAt, map[string]any{"sign_in": int64(signInID)})
	hash := sha256.Sum256([]byte(token))
	saveErr := s.db.SaveSession(b.Context(), base64.RawURLEncoding.EncodeToString(hash[:]), data, signInID, expiresAt)
	if err := errors.Join(err, encodeErr, saveErr); err != nil {
		b.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	base, _ := url.Parse(s.baseURL)
	jar.SetCookies(base, []*http.Cookie{{Name: "labelwright", Value: token}})
	return &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 2},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var validForm = url.Values{"emotion": {"3"}, "validation": {"3"}, "helpfulness": {"4"}, "safety": {"3"},
	"overall": {"3"}, "active_ms": {"61000"}, "note": {""}}

var nextItem = regexp.MustCompile(`action="/work/([\w-]+)"`)

// submitItem submits the open item of annotator i as the labeling screen does: the answer is
// the next item.
func (s *benchServer) submitItem(baseURL string, i int) error {
	if s.tokens[i] == "" { // after pgbench
		token, err := s.db.OpenNext(context.Background(), s.accountIDs[i], 0)
		if err != nil || token == "" {
			return fmt.Errorf("open the next item: %q, %w", token, err)
		}
		s.tokens[i] = token
	}
	path := "/work/" + s.tokens[i]
	request, _ := http.NewRequest(http.MethodPost, baseURL+path, strings.NewReader(validForm.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Labeling-Screen", s.screenKey)
	response, err := s.clients[i].Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	next := nextItem.FindSubmatch(content)
	if err != nil || response.StatusCode != http.StatusOK || next == nil || string(next[1]) == s.tokens[i] {
		return fmt.Errorf("submit of %s: status %d, next page %q, %w", path, response.StatusCode,
			response.Header.Get("Next-Page"), err)
	}
	s.tokens[i] = string(next[1])
	return nil
}

// loadScreenKey returns the key of the screen from the labeling page of the first annotator.
func (s *benchServer) loadScreenKey(b *testing.B, baseURL string) string {
	response, err := s.clients[0].Get(baseURL + "/work/" + s.tokens[0])
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	key := regexp.MustCompile(`data-screen="([^"]+)"`).FindSubmatch(content)
	if err != nil || key == nil {
		b.Fatalf("labeling page: status %d, %v", response.StatusCode, err)
	}
	return html.UnescapeString(string(key[1]))
}

// A measurement is the durations of all submits, sorted, each with its next item.
type measurement struct {
	durations []time.Duration
	elapsed   time.Duration
}

func (m measurement) rate() float64 { return float64(len(m.durations)) / m.elapsed.Seconds() }

func (m measurement) percentile(p int) float64 {
	return float64(m.durations[min(len(m.durations)*p/100, len(m.durations)-1)].Microseconds()) / 1000
}

// warmUp has every connection plan every statement, and updates the statistics of the
// planner.
func (s *benchServer) warmUp(b *testing.B) {
	s.measure(b, 5*time.Second, 0)
	s.execSQL(b, `ANALYZE`)
}

// measure has all annotators submit items for a time, with a pause before each.
func (s *benchServer) measure(b *testing.B, d, pause time.Duration) measurement {
	var wg sync.WaitGroup
	durations := make([][]time.Duration, len(s.clients))
	start := time.Now()
	for i := range s.clients {
		wg.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(len(s.clients)))
			for time.Since(start) < d {
				began := time.Now()
				if err := s.submitItem(s.baseURL, i); err != nil {
					b.Errorf("annotator %d: %v", i, err)
					return
				}
				durations[i] = append(durations[i], time.Since(began))
				time.Sleep(pause)
			}
		})
	}
	wg.Wait()
	m := measurement{slices.Concat(durations...), time.Since(start)}
	slices.Sort(m.durations)
	if b.Failed() || len(m.durations) == 0 {
		b.FailNow()
	}
	return m
}

// recordSubmit returns the statements of one submit with its next item, which a server in
// this process runs.
func (s *benchServer) recordSubmit(b *testing.B) []pgx.TraceQueryStartData {
	listener := httptest.NewUnstartedServer(nil)
	base := &url.URL{Scheme: "http", Host: listener.Listener.Addr().String()}
	listener.Config.Handler = web.New(s.db, web.Config{BaseURL: base, Log: slog.New(slog.DiscardHandler)})
	listener.Start()
	defer listener.Close()
	cookies, _ := url.Parse(s.baseURL)
	s.clients[0].Jar.SetCookies(base, s.clients[0].Jar.Cookies(cookies))
	served := s.screenKey
	defer func() { s.screenKey = served }()
	s.screenKey = s.loadScreenKey(b, base.String()) // of another build
	if err := s.submitItem(base.String(), 0); err != nil {
		b.Fatal(err)
	}
	s.recorder.start()
	if err := s.submitItem(base.String(), 0); err != nil {
		b.Fatal(err)
	}
	return s.recorder.stop()
}
