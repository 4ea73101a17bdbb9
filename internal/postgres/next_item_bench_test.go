package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
)

const historyAnnotators = 40

// BenchmarkNextItem submits items, and opens the next ones, in planned and pool batches with
// 10 thousand and 10 million earlier assignments. The cost must not grow with their number.
// Writes to disk are not included. Run it with
//
//	go test ./internal/postgres -run '^$' -bench NextItem -benchtime 1x -timeout 2h
func BenchmarkNextItem(b *testing.B) {
	for _, mode := range []project.AssignmentMode{project.Planned, project.Pool} {
		for _, n := range []int{10_000, 10_000_000} {
			b.Run(fmt.Sprintf("%s/assignments=%d", mode, n), func(b *testing.B) {
				db, ids := newHistory(b, mode, n)
				var durations []time.Duration
				for _, id := range ids {
					submitItems(b, db, id, 5) // every connection plans every statement
				}
				for _, id := range ids {
					durations = append(durations, submitItems(b, db, id, 25)...)
				}
				slices.Sort(durations)
				b.ReportMetric(float64(durations[len(durations)/2].Microseconds()), "µs-median")
				b.ReportMetric(float64(durations[len(durations)*95/100].Microseconds()), "µs-p95")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// newHistory creates a batch in which n items were labeled, and as many as the annotators
// will submit wait.
func newHistory(b *testing.B, mode project.AssignmentMode, n int) (*postgres.DB, []account.ID) {
	url := startServer(b).URL(local.Database) + "&synchronous_commit=off"
	db := openMigrated(b, url, nil)
	p, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Spec{Key: "history",
		Title: "History", Protocol: "rag-generation"})
	if err != nil {
		b.Fatal(err)
	}
	_, ids := newAnnotators(b, db, historyAnnotators, "")
	s := &benchServer{databaseURL: url}
	// Slot k of n belongs to annotator k % 40 at place k / 40; the first n were given.
	s.execSQL(b, fmt.Sprintf(`
		SET session_replication_role = replica; -- no triggers: the rows agree
		INSERT INTO imports (project_id, sha256, file_name, item_count) VALUES (%[1]d, '', 'history', 0);
		INSERT INTO items (project_id, import_id, source_id, content, facts, word_count)
		SELECT %[1]d, 1, 'item-' || k, '{"query": {"text": "Why?"}, "answer": {"text": "So it is."}}', '{}', 5
		FROM generate_series(0, %[2]d / 2 + 2000) k;
		INSERT INTO members (project_id, account_id, role, pseudonym) SELECT %[1]d, id, 'annotator', 'a-' || id FROM accounts WHERE role = 'annotator';
		INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, assignment, seed, break_every, break_minutes)
		VALUES (%[1]d, %[4]d, 0, 'history', 2, '%[3]s', 1, 0, 5);
		INSERT INTO batch_items (batch_id, item_id) SELECT 1, id FROM items;
		CREATE TEMP TABLE owners AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS owner_no FROM accounts WHERE role = 'annotator';
		CREATE TEMP TABLE planned AS
		SELECT 1 + k / 2 AS item_id, 1 + k %% 2 AS slot_no, o.id AS account_id, 1 + k / 40 AS queue_no, k < %[2]d AS given
		FROM generate_series(0, %[2]d + 3999) k
		JOIN owners o ON o.owner_no = k %% 40;
		INSERT INTO slots (batch_id, item_id, slot_no, account_id, queue_no)
		SELECT 1, item_id, slot_no, CASE WHEN given OR '%[3]s' = 'planned' THEN account_id END, CASE WHEN given AND '%[3]s' = 'pool' THEN 0 ELSE queue_no END FROM planned;
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no, state, closed_at)
		SELECT md5(item_id || '-' || slot_no), 1, item_id, account_id, %[4]d, queue_no, 'submitted', now() FROM planned WHERE given;
		INSERT INTO batch_annotators (batch_id, account_id, queue_cursor, waiting_count, last_sequence_no, presented_count, completed_count, label_count)
		SELECT 1, account_id, CASE '%[3]s' WHEN 'planned' THEN max(queue_no) FILTER (WHERE given) ELSE 0 END,
		       CASE '%[3]s' WHEN 'planned' THEN count(*) FILTER (WHERE NOT given) ELSE 0 END,
		       max(queue_no) FILTER (WHERE given), count(*) FILTER (WHERE given), count(*) FILTER (WHERE given), count(*) FILTER (WHERE given)
		FROM planned GROUP BY account_id;
		UPDATE projects SET content_warning = '';`, p.ID, n, mode, p.ProtocolVersionID))
	vacuum(b, url)
	return db, ids
}
