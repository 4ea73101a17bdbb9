package postgres_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/protocol"
)

// BenchmarkBehind submits for annotators who have nothing, 1,000 and 5,000
// items behind them: what one submit costs must not grow with that. The time
// that the disk takes for each is left out. Run it with
//
//	go test ./internal/postgres -run '^$' -bench Behind -benchtime 500x
func BenchmarkBehind(b *testing.B) {
	url := durable(b).URL(local.Database) + "&synchronous_commit=off"
	db := migrated(b, url, nil)
	behind := []int{0, 1000, 5000}
	emails, ids := people(b, db, len(behind), "")
	longBatch(b, db, 12_000, emails)
	for i, n := range behind {
		submitted(b, db, ids[i], n)
	}
	vacuumed(b, url)
	for range 3 { // in turns, so that what else the machine does falls on all alike
		for i, n := range behind {
			b.Run(strconv.Itoa(n), func(b *testing.B) {
				took := submitted(b, db, ids[i], b.N)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
			})
		}
	}
}

// vacuumed has the planner know how much there is.
func vacuumed(b *testing.B, url string) {
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	if _, err := conn.Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
		b.Fatal(err)
	}
}

// submitted has an annotator submit n items, and returns how long each took,
// the quickest first.
func submitted(b *testing.B, db *postgres.DB, by int64, n int) []time.Duration {
	ctx, took := context.Background(), make([]time.Duration, n)
	token, err := db.Begin(ctx, by, 0)
	b.ResetTimer()
	for i := range n {
		if err == nil && token == "" {
			b.Fatal("there is nothing left to submit")
		}
		start := time.Now()
		if err == nil {
			token, err = db.Submit(ctx, by, token, yes)
		}
		took[i] = time.Since(start)
	}
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	return took
}

var yes = labeling.Submission{ActiveMS: 61_000, Answers: protocol.Answers{Values: map[string]int{
	"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}}}
