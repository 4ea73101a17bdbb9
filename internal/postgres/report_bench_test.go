package postgres_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// BenchmarkReport prints the report of a project of five fields as JSON, with 1,000 resamples, as
// the command does, in its own process. The projects have three labels for each of 20,000 items,
// or of 333,334, which is a million labels: LABELWRIGHT_SLOW=1 adds it. peak-MiB is the largest memory of
// the process. Run it with
//
//	LABELWRIGHT_SLOW=1 go test ./internal/postgres -run '^$' -bench Report -benchtime 1x -timeout 1h
func BenchmarkReport(b *testing.B) {
	program := buildProgram(b)
	for _, c := range []struct {
		items, overlap, annotators int
		isSlow                     bool
	}{{20_000, 3, 10, false}, {333_334, 3, 10, true}} {
		b.Run(fmt.Sprintf("items=%d/each=%d", c.items, c.overlap), func(b *testing.B) {
			if c.isSlow && !require.FullSize() {
				b.Skip("A million labels take minutes to create: LABELWRIGHT_SLOW=1 runs it.")
			}
			url := newLabeledProject(b, c.items, c.overlap, c.annotators)
			for b.Loop() {
				command := exec.Command(program, "report", "--project", "large", "--format", "json")
				command.Env = append(os.Environ(), "DATABASE_URL="+url)
				command.Stderr = os.Stderr
				if err := command.Run(); err != nil {
					b.Fatal(err)
				}
				usage := command.ProcessState.SysUsage().(*syscall.Rusage)
				b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
				b.ReportMetric(command.ProcessState.UserTime().Seconds()+command.ProcessState.SystemTime().Seconds(),
					"cpu-s")
			}
		})
	}
}

func buildProgram(b *testing.B) (path string) {
	path = filepath.Join(b.TempDir(), "labelwright")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/labelwright").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// largeProjectItems returns the number of items of a large project: a million labels at full size.
func largeProjectItems() int {
	if require.FullSize() {
		return 333_334
	}
	return 20_000
}

// addLabels adds a fourth label to n items, by an annotator who has none of them.
func addLabels(b *testing.B, url string, n int) {
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for _, sql := range []string{`SET session_replication_role = replica`, `
		WITH added AS (
			INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no, state)
			SELECT 'more-' || i.id, a.batch_id, i.id, other.account_id, a.protocol_version_id, a.sequence_no,
			'submitted'
			FROM (SELECT id FROM items i WHERE NOT EXISTS (SELECT FROM assignments m WHERE m.token = 'more-' || i.id)
			ORDER BY id LIMIT ` + fmt.Sprint(n) + `) i
			JOIN assignments a ON a.item_id = i.id AND a.token = i.id || '-1'
			CROSS JOIN LATERAL (
				SELECT account_id FROM batch_annotators ba
				WHERE ba.batch_id = a.batch_id AND NOT EXISTS (SELECT FROM assignments t WHERE t.item_id = i.id AND t.account_id = ba.account_id)
				ORDER BY account_id LIMIT 1) other
			RETURNING *)
		INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers, note, active_ms, sequence_no, items_since_completed_break)
		SELECT n.protocol_version_id, n.revision, x.id, n.batch_id, n.item_id, x.account_id, n.answers, n.note, n.active_ms, n.sequence_no, n.items_since_completed_break
		FROM added x
		JOIN assignments a ON a.item_id = x.item_id AND a.token = x.item_id || '-1'
		JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = 1`} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
}

// newLabeledProject creates a labeled project by SQL, because a million submits would take
// half an hour. Answers are within a point of a value of the item; every tenth is random.
func newLabeledProject(b *testing.B, items, overlap, annotators int) (url string) {
	url = startServer(b).URL(local.Database)
	db := openMigrated(b, url, nil)
	_, ids := newAnnotators(b, db, annotators, "")
	p, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Spec{Key: "large",
		Title: "Large", Protocol: "empathy"})
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), url+"&synchronous_commit=off")
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`SET session_replication_role = replica`, nil},
		{`SELECT setseed(0.5)`, nil},
		{`INSERT INTO imports (project_id, sha256, file_name, item_count)
			VALUES ($1, '', 'large', $2)`, []any{p.ID, items}},
		{`INSERT INTO items (project_id, import_id, source_id, content, facts, word_count, meta)
		  SELECT $1, (SELECT max(id) FROM imports), 'item-' || n, jsonb_build_object('user_statement',
		  jsonb_build_object('text', 'A day.'),
		         'response', jsonb_build_object('text', repeat('So it is. ', 5 + n % 40))), '{}', 40,
		         jsonb_build_object('system', n % 2, 'run', 'r' || n)
		  FROM generate_series(1, $2::int) n`, []any{p.ID, items}},
		{`INSERT INTO item_states (item_id, project_id) SELECT id, project_id FROM items`, nil},
		{`INSERT INTO members (project_id, account_id, role, pseudonym) SELECT $1, id, 'annotator', 'A' || n
			FROM unnest($2::bigint[]) WITH ORDINALITY AS t (id, n)`, []any{p.ID, ids}},
		{`INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, seed, break_every,
			break_minutes) VALUES ($1, $3, 0, 'large', $2, 1, 30, 5)`, []any{p.ID, overlap, p.ProtocolVersionID}},
		{`INSERT INTO batch_annotators (batch_id, account_id) SELECT (SELECT max(id) FROM batches), id
			FROM unnest($1::bigint[]) id`, []any{ids}},
		{`INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no, state)
		  SELECT i.id || '-' || k, (SELECT max(id) FROM batches), i.id, ($2::bigint[])[1 + (i.id + k) %
		  cardinality($2::bigint[])], $1, i.id, 'submitted'
		  FROM items i, generate_series(1, $3::int) k`, []any{p.ProtocolVersionID, ids, overlap}},
		{`INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers,
			note, active_ms, sequence_no, items_since_completed_break)
		  SELECT $1, 1, a.id, a.batch_id, a.item_id, a.account_id,
		         jsonb_build_object('emotion', v[1], 'validation', v[2], 'helpfulness', v[3], 'safety', v[4], 'overall',
		         v[5]), 'A note.', 40000 + a.id % 50000, a.sequence_no, a.sequence_no % 30
		  FROM assignments a
		  CROSS JOIN LATERAL (SELECT array_agg(least(5, greatest(1, CASE WHEN random() < 0.1 THEN 1 + floor(random() *
		  5) ELSE 1 + (a.item_id * f) % 5 + floor(random() * 3) - 1 END))::int) AS v
		                      FROM generate_series(1, 5) f
		                      WHERE a.id IS NOT NULL) answers`, []any{p.ProtocolVersionID}},
		{`UPDATE batch_annotators ba SET label_count = c.labels, completed_count = c.labels
		  FROM (SELECT batch_id, account_id, count(*) AS labels FROM annotations GROUP BY batch_id, account_id) c
		  WHERE c.batch_id = ba.batch_id AND c.account_id = ba.account_id`, nil},
		{`VACUUM ANALYZE`, nil},
	} {
		if _, err := conn.Exec(b.Context(), step.sql, step.args...); err != nil {
			b.Fatalf("%.60s: %v", step.sql, err)
		}
	}
	return url
}
