package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The queues of tasks. Imports wait for their turn in uploadTurns.
const (
	exportQueue      = "export"
	importQueue      = "import"
	openingQueue     = "opening"
	reportQueue      = "report"
	largeReportQueue = "large_report" // each takes much memory
)

// taskQueues returns how many tasks a server runs at once, so that annotators never wait for them. Each export holds
// a connection for its snapshot and takes a second one for each chunk.
func (db *DB) taskQueues() map[string]river.QueueConfig {
	exports := max(1, min(2, int(db.pool.Config().MaxConns)/4))
	return map[string]river.QueueConfig{
		exportQueue:      {MaxWorkers: exports},
		importQueue:      {MaxWorkers: 2 * (maxOpenLarge + maxOpenSmall)},
		openingQueue:     {MaxWorkers: 1},
		reportQueue:      {MaxWorkers: exports, FetchCooldown: 20 * time.Millisecond}, // a page waits a moment for it
		largeReportQueue: {MaxWorkers: 1},
	}
}

// maxTaskAttempts is how often a task runs whose server stops each time.
const maxTaskAttempts = 10

// taskOptions are those of the job of a task.
func taskOptions(queue string) river.InsertOpts {
	return river.InsertOpts{Queue: queue, MaxAttempts: maxTaskAttempts}
}

// A task is work without a time limit that a user waits for. It has a row with its progress and outcome.
type task struct {
	id       int64  // of the row, $1 of the statements
	progress string // stores what is done, $2, of the total, $3, unless the task is finished
	fail     string // stores why it failed, $2, unless it is finished
	language string // of the reason
}

// errTaskEnded reports that a task was cancelled or deleted, or that another attempt runs it.
var errTaskEnded = errors.New("the task was cancelled, or another attempt runs it")

// addTask adds the job of a task to the transaction that adds its row.
func addTask(ctx context.Context, tx pgx.Tx, table string, id int64, args river.JobArgs) error {
	jobID, err := addJob(ctx, tx, args, 0)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE `+table+` SET job_id = $2 WHERE id = $1`, id, jobID)
	return err
}

// taskIsLost is true of a row t whose job ended without an outcome, because its server stopped at each attempt.
const taskIsLost = `(t.finished_at IS NULL AND NOT EXISTS (SELECT FROM river.river_job j
	WHERE j.id = t.job_id AND j.finalized_at IS NULL))`

// runTask runs an attempt of a task. It runs again, at another server, if this one stops.
func (w Work) runTask(ctx context.Context, db *DB, job *rivertype.JobRow, t task,
	run func(context.Context, progressFunc) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var progress taskProgress
	go progress.store(ctx, db, t, func() { stop(errTaskEnded) })
	err := run(ctx, func(done, total int64) {
		progress.done.Store(done)
		progress.total.Store(total)
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTaskEnded) || errors.Is(context.Cause(ctx), errTaskEnded):
		return db.awaitNewerAttempt(context.WithoutCancel(ctx), job)
	case ctx.Err() != nil:
		return err
	}
	_, failErr := db.pool.Exec(ctx, t.fail, t.id, w.Explain(t.language, err))
	return failErr
}

// A taskProgress is how far a task is: bytes or rows.
type taskProgress struct{ done, total atomic.Int64 }

// store stores the progress of a task every second until ctx ends. It calls onEnd if the task is finished or
// deleted. An error only delays what a page shows.
func (p *taskProgress) store(ctx context.Context, db *DB, t task, onEnd func()) {
	everySecond(ctx, func() {
		tag, err := db.pool.Exec(ctx, t.progress, t.id, p.done.Load(), p.total.Load())
		if err == nil && tag.RowsAffected() == 0 {
			onEnd()
		}
	})
}

// everySecond calls do every second until ctx ends.
func everySecond(ctx context.Context, do func()) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do()
		}
	}
}
