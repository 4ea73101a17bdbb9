package postgres_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/protocol"
)

// BenchmarkLongHistory submits for annotators who have labeled 0, 1,000 and 5,000 items.
// The cost of a submit must not grow with their number. Writes to disk are not included.
// Run it with
//
//	go test ./internal/postgres -run '^$' -bench LongHistory -benchtime 500x
func BenchmarkLongHistory(b *testing.B) {
	url := startServer(b).URL(local.Database) + "&synchronous_commit=off"
	db := openMigrated(b, url, nil)
	completedCounts := []int{0, 1000, 5000}
	emails, ids := newAnnotators(b, db, len(completedCounts), "")
	newBatch(b, db, 12_000, emails)
	for i, n := range completedCounts {
		submitItems(b, db, ids[i], n)
	}
	vacuum(b, url)
	for range 3 { // in turns, so that other load on the machine affects all equally
		for i, n := range completedCounts {
			b.Run(strconv.Itoa(n), func(b *testing.B) {
				durations := submitItems(b, db, ids[i], b.N)
				b.ReportMetric(float64(durations[len(durations)/2].Microseconds()), "µs-median")
			})
		}
	}
}

// vacuum updates the statistics of the query planner.
func vacuum(b *testing.B, url string) {
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	if _, err := conn.Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
		b.Fatal(err)
	}
}

// submitItems submits n items for an annotator and returns the sorted durations.
func submitItems(b *testing.B, db *postgres.DB, accountID account.ID, n int) []time.Duration {
	ctx, durations := context.Background(), make([]time.Duration, n)
	token, err := db.OpenNext(ctx, accountID, 0)
	b.ResetTimer()
	for i := range n {
		if err == nil && token == "" {
			b.Fatal("no item left")
		}
		start := time.Now()
		if err == nil {
			result, submitErr := db.Submit(ctx, accountID, token, helpfulSubmission)
			token, err = result.NextToken, submitErr
		}
		durations[i] = time.Since(start)
	}
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(durations)
	return durations
}

var helpfulSubmission = labeling.Submission{ActiveMS: 61_000, Answers: protocol.Answers{Values: map[string]int{
	"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}}}
