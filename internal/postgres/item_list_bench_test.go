package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// BenchmarkLists opens lists of a project with a million items and three million labels. It
// reports the 95th percentile of each list in milliseconds, and fails if a list reads a whole
// table. Run it with
//
//	go test ./internal/postgres -run '^$' -bench Lists -benchtime 1x -timeout 2h
func BenchmarkLists(b *testing.B) {
	db, p, url := newLargeProject(b)
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
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
		SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('items', 'item_states', 'slots', 'assignments',
		'batch_items') OR relname LIKE 'annotations%'`).Scan(&n)
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
