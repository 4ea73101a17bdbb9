package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
)

// BenchmarkLists opens lists of a project with a million items, in the states of three
// labels each. It
// reports the 95th percentile of each list in milliseconds, and fails if a list reads a whole
// table. Run it with
//
//	go test ./internal/postgres -run '^$' -bench Lists -benchtime 1x -timeout 1h
func BenchmarkLists(b *testing.B) {
	server := startServer(b)
	url := server.URL(local.Database) + "&synchronous_commit=off"
	db := openMigrated(b, url, nil)
	newAnnotators(b, db, 20, "")
	p, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Spec{Key: "large", Title: "Large", Protocol: "empathy"})
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for _, sql := range measuredItems {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatalf("%.60s: %v", sql, err)
		}
	}
	before := readWholeScans(b, conn)
	for name, f := range map[string]project.ItemFilter{
		"all":          {},
		"newest":       {Sort: project.SortNewest},
		"rare-word":    {Search: "scarce"},
		"half":         {Search: "halfway"},
		"every":        {Search: "question"},
		"two-letters":  {Search: "qu"},
		"typed":        {Search: "gard"},
		"two-words":    {Search: "question scarce"},
		"late-word":    {Search: "afterwards"},
		"within":       {Search: "alfwa"},
		"nothing":      {Search: "absent"},
		"condition":    {Condition: "system=1"},
		"rare-late":    {Search: "afterwards", Condition: "system=1", State: project.ItemDisagreement},
		"disagreement": {Sort: project.SortDisagreement},
		"queue":        {Sort: project.SortDisagreement, UnresolvedOnly: true},
		"queue-word":   {Sort: project.SortDisagreement, UnresolvedOnly: true, Search: "gard"},
		"ties":         {Sort: project.SortDisagreement, UnresolvedOnly: true, TiedOnly: true},
		"complete":     {State: project.ItemComplete},
		"unassigned":   {State: project.ItemUnassigned},
		"batch":        {Batch: "large", State: project.ItemDisagreement},
		"annotator":    {Annotator: "A3"},
		"field":        {Field: "emotion", Sort: project.SortDisagreement},
		"answer":       {Answer: "emotion=1"},
	} {
		b.ReportMetric(measureList(b, db, p, f), "p95-ms-"+name)
	}
	b.ReportMetric(measure(b, func() error {
		_, err := db.DisagreementNeighbor(b.Context(), 0, p, project.ItemFilter{}, 500_000)
		return err
	}), "p95-ms-next")
	b.ReportMetric(0, "ns/op")
	if after := readWholeScans(b, conn); after != before {
		b.Errorf("%d scans of whole tables, want none", after-before)
	}
}

// readWholeScans counts the scans of whole tables that grow with the items.
func readWholeScans(b *testing.B, conn *pgx.Conn) (n int) {
	time.Sleep(2 * time.Second) // PostgreSQL reports with a delay
	err := conn.QueryRow(b.Context(), `
		SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('items', 'item_states', 'slots', 'assignments', 'batch_items') OR relname LIKE 'annotations%'`).Scan(&n)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// measureList returns the 95th percentile of opening the first two pages of a list, with
// its count.
func measureList(b *testing.B, db *postgres.DB, p project.Project, f project.ItemFilter) float64 {
	cursor := ""
	return measure(b, func() error {
		page, err := db.ListItems(b.Context(), 0, p, f, cursor, 50)
		if err != nil {
			return err
		}
		cursor = page.Next
		_, err = db.CountItems(b.Context(), 0, p, f, page.MatchesInWords)
		return err
	})
}

func measure(b *testing.B, call func() error) float64 {
	const runs = 20
	times := make([]float64, runs)
	for i := range times {
		startedAt := time.Now()
		if err := call(); err != nil {
			b.Fatal(err)
		}
		times[i] = float64(time.Since(startedAt).Microseconds()) / 1000
	}
	slices.Sort(times)
	return times[runs*95/100-1]
}

// measuredItems gives a project a million items with texts, and the states and measures that
// the triggers would write for three labels each. $1 is the project.
var measuredItems = []string{
	`CREATE FUNCTION pg_temp.f(n int, k int) RETURNS int LANGUAGE sql AS $$ SELECT floor(exp((abs(hashint4(n * 16 + k)) % 100000) / 100000.0 * ln(60000)))::int $$`,
	`SET session_replication_role = replica`,
	`SET work_mem = '256MB'`,
	`SET maintenance_work_mem = '512MB'`,
	`DROP INDEX items_search`,
	`INSERT INTO imports (project_id, sha256, file_name, item_count) SELECT max(id), '', 'large', 1000000 FROM projects`,
	`INSERT INTO members (project_id, account_id, role, pseudonym) SELECT p.id, a.id, 'annotator', 'A' || a.id FROM accounts a, projects p`,
	`INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, seed, break_every, break_minutes)
	 SELECT id, protocol_version_id, 0, 'large', 3, 1, 30, 5 FROM projects`,
	`CREATE TEMP TABLE vocabulary AS SELECT n, translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop') AS term FROM generate_series(1, 60000) n`,
	`CREATE UNIQUE INDEX ON vocabulary (n) INCLUDE (term)`,
	`INSERT INTO items (project_id, import_id, source_id, content, facts, word_count, meta, title, preview, search)
	 SELECT p.id, (SELECT max(id) FROM imports), 'item-' || w.n, '{"user_statement": {"text": "A day."}, "response": {"text": "So it is."}}', '{}', 40,
	        jsonb_build_object('system', w.n % 2), 'Question ' || w.n || ' about ' || w.words[1] || ' and ' || w.words[2], array_to_string(w.words, ' '),
	        array_to_tsvector(w.words || ARRAY['question', 'about', 'and', 'item', w.n::text, 'project:' || p.id, 'meta:system=' || w.n % 2]
	          || CASE WHEN w.n % 2 = 0 THEN ARRAY['halfway'] ELSE '{}' END || CASE WHEN w.n % 9999 = 0 THEN ARRAY['scarce'] ELSE '{}' END
	          || CASE WHEN w.n > 995000 THEN ARRAY['afterwards'] ELSE '{}' END || CASE WHEN w.n % 50 = 0 THEN ARRAY['gardening'] ELSE '{}' END)
	 FROM projects p, (
	     SELECT g.n, ARRAY (SELECT v.term FROM vocabulary v WHERE v.n = ANY (g.numbers)) AS words
	     FROM (SELECT n, ARRAY[pg_temp.f(n, 1), pg_temp.f(n, 2), pg_temp.f(n, 3), pg_temp.f(n, 4), pg_temp.f(n, 5), pg_temp.f(n, 6), pg_temp.f(n, 7), pg_temp.f(n, 8), pg_temp.f(n, 9), pg_temp.f(n, 10)] AS numbers FROM generate_series(1, 1000000) n) g) w`,
	`CREATE INDEX items_search ON items USING gin (search)`,
	`INSERT INTO search_terms (project_id, term, trigrams)
	 SELECT p.id, t.term, ARRAY (SELECT DISTINCT substr(t.term, k, 3) FROM generate_series(1, char_length(t.term) - 2) k)
	 FROM projects p, (SELECT term FROM vocabulary UNION SELECT unnest(ARRAY['question', 'halfway', 'scarce', 'afterwards', 'gardening'])) t
	 ON CONFLICT DO NOTHING`,
	`DELETE FROM item_states`,
	`INSERT INTO item_states (item_id, project_id, batch_id, labels_wanted, label_count, disagreement, total_disagreement, max_distance, disagreeing_fields, tied_fields, labels)
	 SELECT i.id, i.project_id, b.id, 3, 3, d.distance / 6.0, d.distance / 3.0, d.distance, CASE WHEN d.distance > 0 THEN ARRAY['emotion', 'safety'] ELSE '{}' END,
	        CASE WHEN d.distance = 4 THEN ARRAY['emotion'] ELSE '{}' END,
	        ARRAY (SELECT f || '=' || 1 + (i.id * k) % 5 FROM unnest(ARRAY['emotion', 'validation', 'helpfulness', 'safety', 'overall']) WITH ORDINALITY AS t (f, k))
	          || ARRAY['annotator=' || 1 + i.id % 20, 'annotator=' || 1 + (i.id + 1) % 20, 'annotator=' || 1 + (i.id + 2) % 20]
	 FROM items i, batches b, LATERAL (SELECT (hashint8(i.id) & 7) % 5 AS distance) d`,
	`SET session_replication_role = origin`,
	`VACUUM ANALYZE`,
}
