package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
)

const upkeepQueue = "upkeep"

// upkeepArgs are those of a job that one server runs at an interval.
type upkeepArgs struct {
	Task string `json:"task"`
}

// Kind names the kind of job.
func (upkeepArgs) Kind() string { return "upkeep" }

// InsertOpts has a task wait for its turn once. It is not tried again, because its next turn is near.
func (upkeepArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: upkeepQueue, MaxAttempts: 1, UniqueOpts: uniqueWhileActive}
}

// upkeepTasks are what is done at an interval. Figures of labels are not a job of each submit, which would then write
// more, but of all since the last turn: every ten seconds is 8,640 jobs a day, and none is late, because lists
// measure the items that wait themselves.
var upkeepTasks = map[string]struct {
	interval time.Duration
	run      func(*DB, context.Context) (hasMore bool, err error)
}{
	"delete_expired":    {time.Hour, (*DB).deleteExpired},
	"measure_items":     {10 * time.Second, (*DB).MeasureItems},
	"queue_digests":     {10 * time.Minute, (*DB).queueDigests},
	"refresh_batches":   {10 * time.Second, (*DB).RefreshBatchState},
	"release_abandoned": {30 * time.Second, (*DB).releaseAbandoned}, // no annotator waits longer for them
}

// periodicUpkeep lists the jobs that the leader among the servers adds.
func periodicUpkeep() (jobs []*river.PeriodicJob) {
	for name, task := range upkeepTasks {
		jobs = append(jobs, river.NewPeriodicJob(river.PeriodicInterval(task.interval),
			func() (river.JobArgs, *river.InsertOpts) { return upkeepArgs{Task: name}, nil },
			&river.PeriodicJobOpts{ID: name, RunOnStart: true}))
	}
	return jobs
}

// runUpkeep runs a task until nothing is left, at most for half a minute.
func (db *DB) runUpkeep(ctx context.Context, job *river.Job[upkeepArgs]) error {
	task, isKnown := upkeepTasks[job.Args.Task]
	if !isKnown {
		return fmt.Errorf("unknown task %q", job.Args.Task)
	}
	started := time.Now()
	hasMore, err := task.run(db, ctx)
	for hasMore && err == nil && time.Since(started) < jobTimeout/2 {
		hasMore, err = task.run(db, ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", job.Args.Task, err)
	}
	return nil
}

func (db *DB) deleteExpired(ctx context.Context) (hasMore bool, err error) {
	return false, db.DeleteExpired(ctx)
}

func (db *DB) releaseAbandoned(ctx context.Context) (hasMore bool, err error) {
	_, err = db.ReleaseAbandoned(ctx)
	return false, err
}
