package web

import (
	"context"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
)

// A reportKey names a report.
type reportKey struct {
	project   int64
	batch, by string
}

// A reportDesk keeps reports that were made, and makes new ones behind the
// requests, one at a time. The zero desk is empty and ready.
type reportDesk struct {
	mu      sync.Mutex
	shelves map[reportKey]*shelf
	turn    sync.Mutex // held by the one that is being made
}

// A shelf is for one report: the last that was made, and the one under way.
type shelf struct {
	ready *madeReport
	under *madeReport
	used  time.Time
}

// A madeReport is a report made at a reach, once done is closed.
type madeReport struct {
	reach  postgres.Reach
	report report.Report
	err    error
	done   chan struct{}
}

const (
	patience     = 1500 * time.Millisecond // for a report that is being made; then its page says so
	longestMake  = 10 * time.Minute
	shelvesKept  = 24
	disagreeKept = 1000 // of the worst, so that a report kept stays small
)

// ask returns the report at a reach if it is there in time, else the last one
// made, or nil. stale says that a newer one is under way.
func (d *reportDesk) ask(ctx context.Context, key reportKey, reach postgres.Reach, wait time.Duration, compute func(context.Context) (report.Report, error)) (last *report.Report, stale bool, err error) {
	job := d.begin(ctx, key, reach, compute)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-job.done:
		return &job.report, job.reach != reach, job.err
	case <-ctx.Done():
		return nil, true, ctx.Err()
	case <-timer.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.shelves[key]; s != nil && s.ready != nil {
		return &s.ready.report, true, nil
	}
	return nil, true, nil
}

// begin returns the report that is ready at that reach, or is under way.
func (d *reportDesk) begin(ctx context.Context, key reportKey, reach postgres.Reach, compute func(context.Context) (report.Report, error)) *madeReport {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.shelf(key)
	s.used = time.Now()
	if s.ready != nil && s.ready.reach == reach {
		return s.ready
	}
	if s.under == nil {
		s.under = &madeReport{reach: reach, done: make(chan struct{})}
		go d.finish(context.WithoutCancel(ctx), s, s.under, compute)
	}
	return s.under
}

// finish makes the report and puts it on its shelf.
func (d *reportDesk) finish(ctx context.Context, s *shelf, job *madeReport, compute func(context.Context) (report.Report, error)) {
	ctx, cancel := context.WithTimeout(ctx, longestMake)
	defer cancel()
	d.turn.Lock()
	job.report, job.err = compute(ctx)
	d.turn.Unlock()
	job.report.Consensus = nil // pages do not show it, and it is as long as the project
	if len(job.report.Disagreements) > disagreeKept {
		job.report.Disagreements = job.report.Disagreements[:disagreeKept:disagreeKept]
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.under = nil; job.err == nil {
		s.ready = job
	}
	close(job.done)
}

// shelf returns the shelf of a report, and clears the one that was not asked for
// longest where there are too many.
func (d *reportDesk) shelf(key reportKey) *shelf {
	if d.shelves == nil {
		d.shelves = map[reportKey]*shelf{}
	}
	if s := d.shelves[key]; s != nil {
		return s
	}
	var oldest reportKey
	for k, s := range d.shelves {
		if s.under == nil && (d.shelves[oldest] == nil || s.used.Before(d.shelves[oldest].used)) {
			oldest = k
		}
	}
	if len(d.shelves) >= shelvesKept {
		delete(d.shelves, oldest)
	}
	s := &shelf{}
	d.shelves[key] = s
	return s
}
