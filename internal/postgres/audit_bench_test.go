package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const auditWriterCount = 4

// BenchmarkSubmit_WithAuditWriters submits labels over HTTP: alone, while entries are added
// to the audit log more often than any use of the application does, and while they are added
// as fast as possible. Then it adds entries alone.
func BenchmarkSubmit_WithAuditWriters(b *testing.B) {
	s := newBenchServer(b, 16, 20_000)
	databaseURL := s.databaseURL
	s.warmUp(b)
	b.ReportMetric(s.measure(b, runTime, 0).rate(), "submits/s")
	for _, c := range []struct {
		pause       time.Duration
		submit, add string
	}{
		{100 * time.Millisecond, "submits/s-40-entries", ""},
		{0, "submits/s-max-entries", "entries/s"},
	} {
		stop := startAuditWriters(b, databaseURL, c.pause)
		b.ReportMetric(s.measure(b, runTime, 0).rate(), c.submit)
		if n := stop(); c.add != "" {
			b.ReportMetric(float64(n)/runTime.Seconds(), c.add)
		}
	}
	stop := startAuditWriters(b, databaseURL, 0)
	time.Sleep(runTime)
	b.ReportMetric(float64(stop())/runTime.Seconds(), "entries/s-alone")
	b.ReportMetric(0, "ns/op")
}

// startAuditWriters adds entries to the audit log until stop is called, which returns their
// number.
func startAuditWriters(b *testing.B, databaseURL string, pause time.Duration) (stop func() int) {
	ctx, cancel := context.WithCancel(b.Context())
	counts := make(chan int, auditWriterCount)
	for range auditWriterCount {
		conn, err := pgx.Connect(b.Context(), databaseURL)
		if err != nil {
			b.Fatal(err)
		}
		go func() {
			defer conn.Close(context.Background())
			n := 0
			for ctx.Err() == nil {
				_, err := conn.Exec(b.Context(), `INSERT INTO audit_log (action, subject)
					VALUES ('account.update', 'account 1')`)
				if err != nil {
					b.Error(err)
					break
				}
				n++
				time.Sleep(pause)
			}
			counts <- n
		}()
	}
	return func() (total int) {
		cancel()
		for range auditWriterCount {
			total += <-counts
		}
		return total
	}
}
