package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// statements remembers what is sent to PostgreSQL while it watches.
type statements struct {
	sync.Mutex
	watching bool
	seen     []pgx.TraceQueryStartData
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.see(data)
	return ctx
}

func (s *statements) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	s.see(pgx.TraceQueryStartData{SQL: data.SQL, Args: data.Args})
}

func (s *statements) see(one pgx.TraceQueryStartData) {
	s.Lock()
	defer s.Unlock()
	if s.watching {
		s.seen = append(s.seen, one)
	}
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// script returns what pgbench has to do for one submit: the statements of a
// real one, with its tokens and ids replaced by those of each client.
func (s *site) script(b *testing.B, watch *statements) string {
	token := s.tokens[0]
	watch.Lock()
	watch.watching, watch.seen = true, nil
	watch.Unlock()
	if !s.submit(b, 0) {
		b.Fatal("no submit to watch")
	}
	watch.Lock()
	watch.watching = false
	watch.Unlock()
	defer func() { s.tokens = make([]string, len(s.tokens)) }()
	a := &adapter{known: map[string]string{token: ":token", s.tokens[0]: "md5(random()::text)"}}
	lines := []string{
		`\set account :client_id + ` + strconv.FormatInt(s.ids[0], 10),
		`\if :started = 0`,
		`SELECT token FROM assignments WHERE account_id = :account AND state = 'open' \gset`,
		`\set started 1`,
		`\endif`,
	}
	for _, one := range watch.seen {
		lines = append(lines, a.line(b, one))
	}
	return strings.Join(lines, "\n") + "\n"
}

// An adapter turns statements with arguments into lines for pgbench.
type adapter struct {
	known map[string]string // an argument's text to what stands for it
}

var places = regexp.MustCompile(`\$\d+`)

func (a *adapter) line(b *testing.B, q pgx.TraceQueryStartData) string {
	text := places.ReplaceAllStringFunc(q.SQL, func(place string) string {
		n, _ := strconv.Atoi(place[1:])
		return a.value(b, q.Args[n-1])
	})
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "::", "\x00")), " ")
	text = strings.ReplaceAll(text, "\x00", "::")
	switch {
	case strings.Contains(text, "FOR UPDATE OF a, ba"):
		return text + ` \gset a_`
	case strings.Contains(text, "RETURNING token"):
		return text + ` \gset`
	case text == "begin", text == "commit":
		return text + ";"
	}
	return text + ";"
}

// value returns an argument as SQL. The ids of the assignment come from the
// statement that locked it.
func (a *adapter) value(b *testing.B, arg any) string {
	text := fmt.Sprint(arg)
	if known, ok := a.known[text]; ok {
		return known
	}
	switch arg := arg.(type) {
	case string:
		return "'" + strings.ReplaceAll(arg, "'", "''") + "'"
	case int64:
		return id(arg)
	case int, int16, int32, bool, float64:
		return text
	case []string:
		return "'{" + strings.Join(arg, ",") + "}'::text[]"
	}
	encoded, err := json.Marshal(arg)
	if err != nil {
		b.Fatal(err)
	}
	return "'" + strings.ReplaceAll(string(encoded), "'", "''") + "'"
}

// id returns an id of the watched submit as that of each client's own.
func id(n int64) string {
	switch {
	case n >= assignments:
		return ":a_id"
	case n >= items:
		return ":a_item_id"
	case n >= accounts:
		return ":account"
	}
	return strconv.FormatInt(n, 10)
}

// pgbench runs a script as the crowd would, and returns transactions a second.
func pgbench(b *testing.B, server *local.Server, script string) float64 {
	program, err := exec.LookPath("pgbench")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
		if len(found) == 0 {
			b.Skip("needs pgbench, of PostgreSQL's client programs")
		}
		program = found[len(found)-1]
	}
	file := filepath.Join(b.TempDir(), "submit.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		b.Fatal(err)
	}
	said, err := exec.Command(program, "-n", "-M", "prepared", "-c", strconv.Itoa(crowd), "-j", "2", "-T", strconv.Itoa(seconds),
		"-D", "started=0", "-D", "token=none", "-f", file, "--random-seed", strconv.Itoa(rand.IntN(1e6)), server.URL(local.Database)).CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s\n%s", err, said, script)
	}
	found := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(said)
	if found == nil || !strings.Contains(string(said), "failed transactions: 0 ") {
		b.Fatalf("pgbench:\n%s\n%s", said, script)
	}
	rate, _ := strconv.ParseFloat(string(found[1]), 64)
	return rate
}
