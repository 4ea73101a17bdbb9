package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
)

// A job is work that the server repeats until it stops.
type job struct {
	name  string // what it does, for the log
	pause time.Duration
	run   func(context.Context) (hasMore bool, err error) // hasMore: run again without a pause
}

// startJobs starts the jobs of the server. Several servers can run them at the same time.
func startJobs(ctx context.Context, db *postgres.DB) {
	for _, j := range []job{
		{"delete expired sessions, tokens and drafts", time.Hour, func(ctx context.Context) (bool, error) {
			return false, db.DeleteExpired(ctx)
		}},
		// no annotator waits longer for them
		{"release abandoned items", 30 * time.Second, func(ctx context.Context) (bool, error) {
			_, err := db.ReleaseAbandoned(ctx)
			return false, err
		}},
		{"measure labeled items", time.Second, db.MeasureItems},
		{"refresh the state of a batch", 5 * time.Second, db.RefreshBatchState},
	} {
		go j.repeat(ctx)
	}
}

func (j job) repeat(ctx context.Context) {
	for {
		hasMore, err := j.run(ctx)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, j.name, "error", err)
		}
		pause := j.pause
		if hasMore && err == nil {
			pause = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
