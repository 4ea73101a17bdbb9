package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/telemetry"
)

// OpenRecorded is Open for a server that records its queries and its pool of connections.
func OpenRecorded(ctx context.Context, url string, r *telemetry.Recorder) (*DB, error) {
	if r == nil {
		return open(ctx, url, nil)
	}
	db, err := open(ctx, url, queryTracer{r})
	if err == nil {
		r.WatchPool(db.poolStats)
		r.WatchWork(db.workStats)
	}
	return db, err
}

func (db *DB) poolStats() telemetry.PoolStats {
	s := db.pool.Stat()
	return telemetry.PoolStats{Acquired: s.AcquiredConns(), Idle: s.IdleConns(), Max: s.MaxConns(),
		Waits: s.EmptyAcquireCount(), WaitTime: s.EmptyAcquireWaitTime()}
}

// workStats reads what the server has done and what waits, in one statement. Jobs that ended are not read.
func (db *DB) workStats(ctx context.Context) (telemetry.WorkStats, error) {
	return collectOne[telemetry.WorkStats](db.pool.Query(ctx, `
		SELECT (SELECT coalesce(sum(label_count), 0) FROM batch_annotators) AS labels,
		       (SELECT extract(epoch FROM now() - max(created_at))::float8 FROM backups) AS backup_age,
		       (SELECT count(*) FROM identity.webhook_deliveries
		        WHERE delivered_at IS NULL AND failed_at IS NULL) AS waiting_events,
		       (SELECT coalesce(jsonb_agg(j), '[]') FROM (
		            SELECT kind, state, count(*) AS count, greatest(extract(epoch FROM now() - min(scheduled_at)), 0) AS age
		            FROM river.river_job WHERE state IN ('available', 'running', 'retryable', 'pending')
		            GROUP BY kind, state) j) AS jobs`))
}

// A queryTracer records statements without their arguments.
type queryTracer struct{ recorder *telemetry.Recorder }

type queryEndKey struct{}

func (t queryTracer) start(ctx context.Context, sql string) context.Context {
	return context.WithValue(ctx, queryEndKey{}, t.recorder.StartQuery(ctx, sql))
}

func (t queryTracer) end(ctx context.Context, err error) {
	if end, ok := ctx.Value(queryEndKey{}).(func(error)); ok {
		end(err)
	}
}

// TraceQueryStart records the start of a statement.
func (t queryTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return t.start(ctx, data.SQL)
}

// TraceQueryEnd records the end of a statement.
func (t queryTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.end(ctx, data.Err)
}

// TraceBatchStart records the start of a batch, as one statement.
func (t queryTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var statements []string
	for _, q := range data.Batch.QueuedQueries {
		statements = append(statements, q.SQL)
	}
	return t.start(ctx, "BATCH "+strings.Join(statements, "; "))
}

// TraceBatchQuery does nothing: the batch is recorded as a whole.
func (queryTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd records the end of a batch.
func (t queryTracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	t.end(ctx, data.Err)
}

// TraceCopyFromStart records the start of a COPY.
func (t queryTracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn,
	data pgx.TraceCopyFromStartData) context.Context {
	return t.start(ctx, "COPY "+data.TableName.Sanitize())
}

// TraceCopyFromEnd records the end of a COPY.
func (t queryTracer) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	t.end(ctx, data.Err)
}
