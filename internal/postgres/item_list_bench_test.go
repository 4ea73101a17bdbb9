package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
)

// BenchmarkLists opens lists of a project with a million items and three labels each. It
// reports the 95th percentile of each list in milliseconds, and fails if a list reads a whole
// table. Run it with
//
//	go test ./internal/postgres -run '^$' -bench Lists -benchtime 1x -timeout 1h
func BenchmarkLists(b *testing.B) {
	server := startServer(b)
	url := server.URL(local.Database) + "&synchronous_commit=off"
	db, p := newLabeledProjectAt(b, url, 1_000_000, 3, 20)
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for _, sql := range measuredStates {
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
		if cursor = page.Next; cursor == "" && len(page.Items) == 50 {
			b.Errorf("%+v: no next page", f)
		}
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

// measuredStates gives the project texts, and its items the states and measures that the
// triggers would.
var measuredStates = []string{
	`SET session_replication_role = replica`,
	`SET work_mem = '256MB'`,
	`SET maintenance_work_mem = '512MB'`,
	`DROP INDEX items_search`,
	`UPDATE items SET title = 'Question ' || id || ' about ' || w.words[1] || ' and ' || w.words[2], preview = array_to_string(w.words, ' '),
	   search = array_to_tsvector(w.words || ARRAY['question', 'about', 'and', id::text, 'project:' || project_id, 'meta:system=' || id % 2]
	     || CASE WHEN id % 2 = 0 THEN ARRAY['halfway'] ELSE '{}' END || CASE WHEN id % 9999 = 0 THEN ARRAY['scarce'] ELSE '{}' END
	     || CASE WHEN id > 995000 THEN ARRAY['afterwards'] ELSE '{}' END || CASE WHEN id % 50 = 0 THEN ARRAY['gardening'] ELSE '{}' END)
	 FROM (SELECT n, array_agg(translate(left(md5(floor(exp(random() * ln(60000)))::int::text), 9), '0123456789', 'ghijklmnop')) AS words
	       FROM generate_series(1, 1000000) n, generate_series(1, 40) k GROUP BY n) w
	 WHERE w.n = id`,
	`CREATE INDEX items_search ON items USING gin (search)`,
	`INSERT INTO search_terms (project_id, term, trigrams)
	 SELECT (SELECT max(id) FROM projects), term, ARRAY (SELECT DISTINCT substr(term, k, 3) FROM generate_series(1, char_length(term) - 2) k)
	 FROM (SELECT translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop') AS term FROM generate_series(1, 60000) n
	       UNION SELECT unnest(ARRAY['question', 'halfway', 'scarce', 'afterwards', 'gardening'])) t
	 ON CONFLICT DO NOTHING`,
	`DELETE FROM item_states`,
	`WITH given AS MATERIALIZED (
	     SELECT n.item_id, e.key AS field, e.value::int AS answer FROM annotations n, jsonb_each_text(n.answers) e
	 ), sums AS MATERIALIZED (
	     SELECT item_id, field, array_agg(answer ORDER BY answer) AS answers FROM given GROUP BY item_id, field
	 ), fields AS MATERIALIZED (
	     SELECT item_id, field, answers, (answers[3] - answers[1]) * 2 / 3.0 / 4 AS mean, answers[3] - answers[1] AS distance FROM sums
	 ), labels AS MATERIALIZED (
	     SELECT item_id, array_agg(DISTINCT 'annotator=' || account_id) AS labels FROM annotations GROUP BY item_id
	 )
	 INSERT INTO item_states (item_id, project_id, batch_id, labels_wanted, label_count, disagreement, total_disagreement, max_distance, disagreeing_fields, tied_fields, labels)
	 SELECT f.item_id, (SELECT max(id) FROM projects), (SELECT max(id) FROM batches), 3, 3, max(f.mean), sum(f.mean), max(f.distance),
	        coalesce(array_agg(f.field ORDER BY f.mean DESC) FILTER (WHERE f.distance > 0), '{}'), '{}',
	        (SELECT array_agg(DISTINCT t) FROM unnest(array_agg(f.field || '=' || f.answers[1]) || array_agg(f.field || '=' || f.answers[2]) || array_agg(f.field || '=' || f.answers[3]) || max(l.labels)) t)
	 FROM fields f JOIN labels l ON l.item_id = f.item_id
	 GROUP BY f.item_id`,
	`SET session_replication_role = origin`,
	`VACUUM ANALYZE`,
}
