package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// queryRecorder records the statements sent to PostgreSQL while recording is set.
type queryRecorder struct {
	sync.Mutex
	recording bool
	queries   []pgx.TraceQueryStartData
}

func (r *queryRecorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn,
	data pgx.TraceQueryStartData) context.Context {
	r.record(data)
	return ctx
}

func (r *queryRecorder) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	r.record(pgx.TraceQueryStartData{SQL: data.SQL, Args: data.Args})
}

func (r *queryRecorder) record(query pgx.TraceQueryStartData) {
	r.Lock()
	defer r.Unlock()
	if r.recording {
		r.queries = append(r.queries, query)
	}
}

func (r *queryRecorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *queryRecorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (r *queryRecorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// start and stop bound what is recorded.
func (r *queryRecorder) start() {
	r.Lock()
	defer r.Unlock()
	r.recording, r.queries = true, nil
}

func (r *queryRecorder) stop() []pgx.TraceQueryStartData {
	r.Lock()
	defer r.Unlock()
	r.recording = false
	return r.queries
}

// pgbenchScript returns a pgbench script with the statements of one submit and its next
// page. Tokens and ids are replaced by those of each client.
func (s *benchServer) pgbenchScript(b *testing.B) string {
	queries := s.recordSubmit(b)
	writer := &scriptWriter{}
	lines := []string{
		`\set account :client_id + ` + strconv.FormatInt(int64(s.accountIDs[0]), 10),
		`\if :started = 0`,
		`SELECT a.token FROM batch_annotators ba JOIN assignments a ON a.id = ba.open_assignment_id
			WHERE ba.account_id = :account \gset`,
		`\set started 1`,
		`\endif`,
	}
	for _, query := range queries {
		lines = append(lines, writer.line(b, query))
	}
	s.tokens = make([]string, len(s.tokens))
	return strings.Join(lines, "\n") + "\n"
}

// scriptWriter turns statements with arguments into lines of a pgbench script.
type scriptWriter struct{ opens bool }

var placeholders = regexp.MustCompile(`\$\d+`)

// itemToken is the form of a token in the path of an item.
var itemToken = regexp.MustCompile(`^[A-Za-z0-9_-]{29}$`)

func (w *scriptWriter) line(b *testing.B, q pgx.TraceQueryStartData) string {
	w.opens = strings.Contains(q.SQL, "SELECT token FROM opened")
	text := placeholders.ReplaceAllStringFunc(q.SQL, func(placeholder string) string {
		n, _ := strconv.Atoi(placeholder[1:])
		return w.literal(b, q.Args[n-1])
	})
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "::", "\x00")), " ")
	text = strings.ReplaceAll(text, "\x00", "::")
	switch {
	case strings.Contains(text, "FOR NO KEY UPDATE OF a, ba"):
		return text + ` \gset a_`
	case w.opens:
		return text + ` \gset`
	}
	return text + ";"
}

// literal returns an argument as SQL. The ids of the assignment come from the statement
// that locked it.
func (w *scriptWriter) literal(b *testing.B, arg any) string {
	text := fmt.Sprint(arg)
	if itemToken.MatchString(text) && w.opens {
		return "md5(random()::text)"
	} else if itemToken.MatchString(text) {
		return ":token"
	}
	switch value := arg.(type) {
	case time.Duration:
		return fmt.Sprintf("'%d microseconds'", value.Microseconds())
	case []string:
		return "'{" + strings.Join(value, ",") + "}'::text[]"
	}
	switch value := reflect.ValueOf(arg); value.Kind() {
	case reflect.String:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case reflect.Int64: // an id, which has a type of its own
		return clientID(value.Int())
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Bool, reflect.Float64:
		return text
	}
	encoded, err := json.Marshal(arg)
	if err != nil {
		b.Fatal(err)
	}
	if string(encoded) == "null" {
		return "null"
	}
	return "'" + strings.ReplaceAll(string(encoded), "'", "''") + "'"
}

// clientID replaces an id of the recorded submit by the variable of each client.
func clientID(n int64) string {
	switch {
	case n >= firstAssignmentID:
		return ":a_id"
	case n >= firstItemID:
		return ":a_item_id"
	case n >= firstAccountID:
		return ":account"
	}
	return strconv.FormatInt(n, 10)
}

// runPgbench runs a script with that many clients and returns transactions per second.
func runPgbench(b *testing.B, server *local.Server, clients int, script string) float64 {
	program, err := exec.LookPath("pgbench")
	if err != nil {
		matches, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
		if len(matches) == 0 {
			b.Skip("needs pgbench")
		}
		program = matches[len(matches)-1]
	}
	file := filepath.Join(b.TempDir(), "submit.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		b.Fatal(err)
	}
	command := exec.Command(program, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2", "-T",
		strconv.Itoa(int(runTime.Seconds())),
		"-D", "started=0", "-D", "token=none", "-f", file, "--random-seed", strconv.Itoa(rand.IntN(1e6)),
		server.URL(local.Database))
	command.Env = append(os.Environ(), "PGOPTIONS=-c plan_cache_mode=force_generic_plan") // as the application
	output, err := command.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s\n%s", err, output, script)
	}
	matches := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(output)
	if matches == nil || !strings.Contains(string(output), "failed transactions: 0 ") {
		b.Fatalf("pgbench:\n%s\n%s", output, script)
	}
	rate, _ := strconv.ParseFloat(string(matches[1]), 64)
	return rate
}
