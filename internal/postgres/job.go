package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// Times of jobs. A running job shows a sign of life every signOfLife. Without one for jobLost, its server counts as
// stopped, and another one runs the job again.
const (
	signOfLife   = 10 * time.Second
	jobLost      = time.Minute
	jobTimeout   = 45 * time.Second // of a short job
	jobRetention = time.Hour        // how long a completed job stays in its table
)

// pollInterval is how often a server asks for jobs. Without a pooler it is notified of new ones before.
func (db *DB) pollInterval() time.Duration {
	if db.hasPooler {
		return time.Second
	}
	return 5 * time.Second
}

// outboxQueue is the queue of what is sent to other servers.
const outboxQueue = "outbox"

// maxDeliveries is how many mails and events a server sends at the same time.
const maxDeliveries = 16

// Work is what jobs do outside of the database.
type Work struct {
	Log *slog.Logger
	SendEvent
	SendMail func(context.Context, Mail) error       // calls MailSent, DropMail or MailFailed; nil: no mail server
	Explain  func(language string, err error) string // says to a user why a task failed, and logs what is internal
}

// StartJobs runs jobs. The returned function stops them: they run again on another server, or at the next start.
// Several servers can run jobs at the same time; each job runs on one of them.
func (db *DB) StartJobs(ctx context.Context, w Work) (stop func(), err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(db.runUpkeep))
	river.AddWorker(workers, db.mailWorker(w.SendMail))
	river.AddWorker(workers, db.eventWorker(w.SendEvent))
	river.AddWorker(workers, longWorker(db, w.runExport))
	river.AddWorker(workers, longWorker(db, w.runImportTask))
	river.AddWorker(workers, longWorker(db, w.runBatchOpening))
	river.AddWorker(workers, longWorker(db, w.runReport))
	queues := db.taskQueues()
	queues[upkeepQueue] = river.QueueConfig{MaxWorkers: len(upkeepTasks)}
	queues[outboxQueue] = river.QueueConfig{MaxWorkers: maxDeliveries, FetchCooldown: 20 * time.Millisecond}
	client, err := river.NewClient(riverpgxv5.New(db.pool), &river.Config{
		Schema:                      jobSchema,
		Workers:                     workers,
		Queues:                      queues,
		PeriodicJobs:                periodicUpkeep(),
		PollOnly:                    db.hasPooler,
		FetchPollInterval:           db.pollInterval(),
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        jobLost,
		CompletedJobRetentionPeriod: jobRetention,
		ReindexerSchedule:           river.NeverSchedule(), // only the owner of an index may
		Middleware:                  []rivertype.Middleware{river.WorkerMiddlewareFunc(db.showLife)},
		ErrorHandler:                jobErrors{w.Log},
		Logger:                      warningsOf(w.Log),
	})
	if err != nil {
		return nil, err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if err := client.StopAndCancel(ctx); err != nil {
			w.Log.Warn("jobs did not stop in time; they run again in a minute", "error", err)
		}
	}, nil
}

// showLife stores signs of life while a job runs. It cancels a job that another server took over, or that is not to
// be run any more.
func (db *DB) showLife(ctx context.Context, job *rivertype.JobRow, run func(context.Context) error) error {
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	var isLost atomic.Bool
	go func() {
		ticker := time.NewTicker(signOfLife)
		defer ticker.Stop()
		for {
			select {
			case <-runCtx.Done():
				return
			case <-ticker.C:
			}
			tag, err := db.pool.Exec(runCtx, `UPDATE river.river_job SET attempted_at = now()
				WHERE id = $1 AND attempt = $2 AND state = 'running'`, job.ID, job.Attempt)
			if err == nil && tag.RowsAffected() == 0 {
				isLost.Store(true)
				cancel()
			}
		}
	}()
	err := run(runCtx)
	if isLost.Load() {
		return errors.Join(err, db.awaitNewerAttempt(ctx, job))
	}
	return err
}

// awaitNewerAttempt waits while another server runs, or is about to run, a job that it took over. River would store
// the outcome of this attempt as that of the newer one.
func (db *DB) awaitNewerAttempt(ctx context.Context, job *rivertype.JobRow) error {
	for {
		var isTakenOver bool
		err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM river.river_job WHERE id = $1 AND finalized_at IS NULL
			AND (attempt <> $2 OR state <> 'running'))`, job.ID, job.Attempt).Scan(&isTakenOver)
		if err != nil || !isTakenOver {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// jobErrors logs why jobs failed.
type jobErrors struct{ log *slog.Logger }

// HandleError logs an error.
func (e jobErrors) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	e.log.WarnContext(ctx, "job failed", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "error", Redact(err))
	return nil
}

// HandlePanic logs a panic.
func (e jobErrors) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any,
	trace string) *river.ErrorHandlerResult {
	e.log.ErrorContext(ctx, "job panicked", "kind", job.Kind, "job", job.ID, "panic", value, "trace", trace)
	return nil
}
