package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A recordedStatement is a statement as the application sent it.
type recordedStatement struct {
	sql    string
	args   []any
	inList bool // in a transaction that reads lists
}

// A statementRecorder is a tracer that keeps each different statement.
type statementRecorder struct {
	statements map[string]recordedStatement
	inList     bool
}

// TraceQueryStart keeps the statement.
func (r *statementRecorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn,
	data pgx.TraceQueryStartData) context.Context {
	switch {
	case strings.Contains(data.SQL, "'enable_seqscan'"):
		r.inList = true
	case strings.HasPrefix(data.SQL, "commit"), strings.HasPrefix(data.SQL, "rollback"):
		r.inList = false
	case strings.Contains(data.SQL, "FROM"):
		r.statements[data.SQL] = recordedStatement{data.SQL, slices.Clone(data.Args), r.inList}
	}
	return ctx
}

// TraceQueryEnd does nothing.
func (r *statementRecorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A planNode is a node of a plan of PostgreSQL.
type planNode struct {
	NodeType  string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	Index     string     `json:"Index Name"`
	IndexCond string     `json:"Index Cond"`
	Plans     []planNode `json:"Plans"`
}

// largeTables grow with the items and their labels.
func isLargeTable(name string) bool {
	return slices.Contains([]string{"items", "item_states", "available_items", "batch_items", "slots", "assignments"},
		name) || strings.HasPrefix(name, "annotations")
}

// wholeScans lists the nodes that read a large table or one of its indexes as a whole. With
// enable_seqscan off, the planner may read a whole index instead of the table.
func (n planNode) wholeScans() (scans []string) {
	switch n.NodeType {
	case "Seq Scan", "Parallel Seq Scan", "Sample Scan":
		if isLargeTable(n.Relation) {
			scans = append(scans, n.NodeType+" on "+n.Relation)
		}
	case "Index Scan", "Index Only Scan":
		if isLargeTable(n.Relation) && n.IndexCond == "" {
			scans = append(scans, n.NodeType+" on "+n.Relation+" using "+n.Index+" without a condition")
		}
	case "Bitmap Index Scan":
		if n.IndexCond == "" {
			scans = append(scans, n.NodeType+" on "+n.Index+" without a condition")
		}
	}
	for _, child := range n.Plans {
		scans = append(scans, child.wholeScans()...)
	}
	return scans
}

// explain returns the plan of a statement as the application has it: for its values in a list,
// else the generic one.
func explain(t *testing.T, tx pgx.Tx, s recordedStatement) planNode {
	t.Helper()
	var plans []struct{ Plan planNode }
	var text []byte
	var err error
	if s.inList {
		if err := prepareList(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		err = tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+s.sql, s.args...).Scan(&text)
	} else {
		text, err = explainGeneric(t.Context(), tx, s.sql)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, s.sql)
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return plans[0].Plan
}

func explainGeneric(ctx context.Context, tx pgx.Tx, sql string) (text []byte, err error) {
	_, err = tx.Exec(ctx, `SELECT set_config('enable_seqscan', 'on', true), set_config('plan_cache_mode',
		'force_generic_plan', true)`)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(sql))
	statement, err := tx.Prepare(ctx, fmt.Sprintf("explained_%x", hash[:8]), sql)
	if err != nil {
		return nil, err
	}
	args := strings.Join(slices.Repeat([]string{"NULL"}, len(statement.ParamOIDs)), ", ")
	if args != "" {
		args = "(" + args + ")"
	}
	err = tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE "+statement.Name+args,
		pgx.QueryExecModeSimpleProtocol).Scan(&text)
	return text, err
}

// manyItems gives two projects 10,000 items each. In the project "large", a closed batch has
// two labels for most, with skips and decisions.
var manyItems = []string{
	`SET session_replication_role = replica`,
	`INSERT INTO imports (project_id, sha256, file_name, item_count) SELECT id, '\x01', 'many', 10000 FROM projects`,
	`INSERT INTO items (project_id, import_id, source_id, record_id, content, facts, word_count, meta, title, preview,
		search)
	 SELECT p.id, (SELECT max(m.id) FROM imports m WHERE m.project_id = p.id), 'many-' || n, 'r' || n / 5,
	 '{"user_statement": {"text": "A day."}, "response": {"text": "So it is."}}', '{}', 40,
	        jsonb_build_object('system', n % 2), 'Question ' || n, 'So it is.',
	        array_to_tsvector(ARRAY['question', 'so', 'w' || n % 100, n::text, 'project:' || p.id,
	        'meta:system=' || n % 2, 'record:r' || n / 5])
	 FROM projects p, generate_series(1, 10000) n`,
	`INSERT INTO search_terms (project_id, term, trigrams) SELECT id, 'question', '{que,ues,est,sti,tio,ion}'
		FROM projects ON CONFLICT DO NOTHING`,
	`INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, seed, break_every,
		break_minutes, closed_at)
	 SELECT id, protocol_version_id, 1, 'large', 2, 1, 30, 5, now() FROM projects WHERE key = 'large'`,
	`INSERT INTO batch_annotators (batch_id, account_id) SELECT b.id, m.account_id FROM batches b
		JOIN members m ON m.project_id = b.project_id WHERE b.name = 'large'`,
	`INSERT INTO batch_items (batch_id, item_id) SELECT b.id, i.id FROM batches b
		JOIN items i ON i.project_id = b.project_id WHERE b.name = 'large' AND i.source_id LIKE 'many-%'`,
	`INSERT INTO slots (batch_id, item_id, slot_no, account_id, queue_no)
	 SELECT bi.batch_id, bi.item_id, k, (SELECT min(account_id) + k FROM batch_annotators), bi.item_id
	 FROM batch_items bi JOIN batches b ON b.id = bi.batch_id AND b.name = 'large', generate_series(1, 2) k`,
	`INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no, state, closed_at)
	 SELECT md5(item_id || '-' || slot_no), batch_id, item_id, account_id, (SELECT max(protocol_version_id)
	 FROM batches), queue_no, CASE WHEN item_id % 50 = 0 THEN 'skipped' ELSE 'submitted' END, now() FROM slots s
	 WHERE batch_id = (SELECT id FROM batches WHERE name = 'large')`,
	`INSERT INTO skips (assignment_id, project_id, batch_id, item_id, reason, comment)
	 SELECT a.id, p.id, a.batch_id, a.item_id, 'unclear', 'Why?' FROM assignments a, projects p
	 WHERE a.state = 'skipped' AND p.key = 'large'`,
	`INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers,
		note, active_ms)
	 SELECT a.protocol_version_id, 1, a.id, a.batch_id, a.item_id, a.account_id, jsonb_build_object('emotion',
	 1 + a.id % 5, 'validation', 1, 'helpfulness', 2, 'safety', 3, 'overall', 4), 'A note.', 1000
	 FROM assignments a WHERE a.state = 'submitted'`,
	`DELETE FROM item_states`,
	`INSERT INTO item_states (item_id, project_id, batch_id, archived_at, labels_wanted, label_count, disagreement,
		total_disagreement, max_distance, disagreeing_fields, tied_fields, labels, decided_at)
	 SELECT i.id, i.project_id, b.id, CASE WHEN i.id % 1000 = 3 THEN now() END, 2, CASE WHEN i.id % 50 = 0 THEN 0 ELSE 3
	 END, d.distance / 6.0, d.distance / 3.0, d.distance, CASE WHEN d.distance > 0 THEN ARRAY['emotion',
	 'safety'] ELSE '{}' END,
	        CASE WHEN d.distance = 4 THEN ARRAY['emotion'] ELSE '{}' END,
	        ARRAY['emotion=' || 1 + i.id % 5, 'safety=' || 1 + i.id % 3, 'annotator=' || (SELECT min(account_id)
	        FROM batch_annotators) + 1 + i.id % 2],
	        CASE WHEN i.id % 97 = 0 THEN now() - i.id * interval '1 second' END
	 FROM items i
	 LEFT JOIN batches b ON b.name = 'large' AND b.project_id = i.project_id AND i.id % 7 > 0
	 CROSS JOIN LATERAL (SELECT (hashint8(i.id) & 7) % 5 AS distance) d`,
	`INSERT INTO available_items (project_id, item_id) SELECT project_id, item_id FROM item_states
		WHERE batch_id IS NULL ON CONFLICT DO NOTHING`,
	`SET session_replication_role = origin`,
	`VACUUM ANALYZE`,
}

// Whatever a lead filters, searches and sorts by, no statement reads a whole table, or a whole
// index.
func TestLists_ManyItems_ReadNoWholeTable(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(2)
	lead := env.newUser("lead@example.org", account.Lead)
	p, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "large", Title: "Large", Protocol: "empathy"})
	if err != nil {
		t.Fatal(err)
	}
	env.addLead(p, lead)
	if _, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "other", Title: "Other",
		Protocol: "empathy"}); err != nil {
		t.Fatal(err)
	}
	if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "s.jsonl"},
		[]project.Item{{SourceID: "one", Facts: protocol.Facts{},
			Content: project.Content{"user_statement": {Text: "A day."}, "response": {Text: "So."}}}}); err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, project.BatchSpec{Name: "open", Annotators: append(emails, lead.Email), Overlap: 1})
	conn := env.connectAsLogin()
	for _, sql := range manyItems {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v: %.80s", err, sql)
		}
	}
	recorder := &statementRecorder{statements: map[string]recordedStatement{}}
	db, err := open(t.Context(), env.pool.Config().ConnString(), recorder)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pseudonym := query[string](env, `SELECT max(pseudonym) FROM members WHERE project_id = $1`, p.ID)
	for _, actorID := range []account.ID{0, lead.ID} {
		for _, f := range everyFilter(p, "large", pseudonym, project.ItemSorts) {
			recordList(t, db, actorID, p, f)
		}
	}
	tx, err := env.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	t.Logf("%d different statements", len(recorder.statements))
	for _, s := range recorder.statements {
		if strings.Contains(s.sql, "INSERT INTO answer_reveals") {
			continue // a filter by answer tells a lead who labels in the batch something about each of its items
		}
		if scans := explain(t, tx, s).wholeScans(); len(scans) > 0 {
			t.Errorf("%s:\n%s\n%v", strings.Join(scans, ", "), s.sql, s.args)
		}
	}
	checkBulkArchive(t, env, p)
}

// recordList reads a list as its page does, with its second page.
func recordList(t *testing.T, db *DB, actorID account.ID, p project.Project, f project.ItemFilter) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", f.Describe(locale.English), err)
		}
	}
	page, err := db.ListItems(t.Context(), actorID, p, f, "", 5)
	check(err)
	if page.Next != "" && f.Consensus == "" {
		_, err = db.ListItems(t.Context(), actorID, p, f, page.Next, 5)
		check(err)
	}
	_, err = db.CountItems(t.Context(), actorID, p, f, page.MatchesInWords)
	check(err)
	if len(page.Items) == 0 {
		return
	}
	ids := []project.ItemID{page.Items[0].ID}
	_, err = db.ItemConsensus(t.Context(), actorID, p, ids)
	check(err)
	_, err = db.ItemSkips(t.Context(), actorID, p, ids)
	check(err)
	if f.UnresolvedOnly {
		_, err = db.DisagreementNeighbor(t.Context(), actorID, p, f, ids[0])
		check(err)
	}
}

// checkBulkArchive archives thousands of matching items at once.
func checkBulkArchive(t *testing.T, env testEnv, p project.Project) {
	t.Helper()
	f := project.ItemFilter{Condition: "system=1", State: project.ItemComplete}
	ids, err := env.SelectItems(t.Context(), env.admin.ID, p, f)
	if err != nil || len(ids) < 500 {
		t.Fatalf("%d items, %v", len(ids), err)
	}
	startedAt := time.Now()
	if n, err := env.ArchiveItems(t.Context(), env.admin.ID, p, f, "Test data."); err != nil || n != len(ids) {
		t.Errorf("%d of %d archived, %v", n, len(ids), err)
	}
	t.Logf("%d items archived in %v", len(ids), time.Since(startedAt))
	if _, err := env.SelectItems(t.Context(), env.admin.ID, p, f); err == nil {
		t.Error("some are left")
	}
}
