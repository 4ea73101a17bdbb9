package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// jobAdder returns the client that adds jobs to transactions. It runs none.
var jobAdder = sync.OnceValues(func() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(nil), &river.Config{Schema: jobSchema, Logger: warningsOf(slog.Default())})
})

// addJob adds a job to a transaction. It runs after the commit, and not before delay has passed.
func addJob(ctx context.Context, tx pgx.Tx, args river.JobArgs, delay time.Duration) (id int64, err error) {
	adder, err := jobAdder()
	if err != nil {
		return 0, err
	}
	options := &river.InsertOpts{}
	if delay > 0 {
		options.ScheduledAt = time.Now().Add(delay)
	}
	added, err := adder.InsertTx(ctx, tx, args, options)
	if err != nil {
		return 0, fmt.Errorf("add a job: %w", err)
	}
	return added.Job.ID, nil
}

// addJobs adds jobs to a transaction, except those that are there and only one of which may be.
func addJobs[T river.JobArgs](ctx context.Context, tx pgx.Tx, args []T) error {
	adder, err := jobAdder()
	if err != nil || len(args) == 0 {
		return err
	}
	params := make([]river.InsertManyParams, len(args))
	for i, a := range args {
		params[i].Args = a
	}
	if _, err := adder.InsertManyTx(ctx, tx, params); err != nil {
		return fmt.Errorf("add jobs: %w", err)
	}
	return nil
}

// uniqueWhileActive allows one job with the same arguments that is not finished.
var uniqueWhileActive = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{rivertype.JobStateAvailable,
	rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}

// A worker runs the jobs of a kind.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	work  func(context.Context, *river.Job[T]) error
	pause func(attempt int) time.Duration // after a failed attempt

	isLong bool // it may run for more than jobTimeout
}

// longWorker returns a worker for jobs without a time limit.
func longWorker[T river.JobArgs](db *DB, work func(context.Context, *DB, *river.Job[T]) error) *worker[T] {
	return &worker[T]{isLong: true, pause: func(attempt int) time.Duration { return time.Second << min(attempt-1, 6) },
		work: func(ctx context.Context, job *river.Job[T]) error { return work(ctx, db, job) }}
}

// Work runs a job.
func (w *worker[T]) Work(ctx context.Context, job *river.Job[T]) error { return w.work(ctx, job) }

// Timeout returns how long a job may run: less than 0 is without a limit, and 0 jobTimeout. River runs no job again
// that has no limit, so one without a recent sign of life has one.
func (w *worker[T]) Timeout(job *river.Job[T]) time.Duration {
	if w.isLong && time.Since(*job.AttemptedAt) < jobLost {
		return -1
	}
	return 0
}

// NextRetry returns when a job that failed, or whose server stopped, runs again.
func (w *worker[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(w.pause(max(1, job.Attempt)))
}
