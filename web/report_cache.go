package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// A reportKey names a report.
type reportKey struct {
	projectID      project.ID
	batch, groupBy string
}

// A reportCache keeps reports that were made, and makes new ones behind the
// requests: those of large projects one at a time, and those of others one at a
// time beside them, so that nobody waits for a project that is not theirs to
// wait for. The zero desk is empty and ready.
type reportCache struct {
	mu               sync.Mutex
	entries          map[reportKey]*cacheEntry
	largeMu, smallMu sync.Mutex // held by the one of its kind that is being made
}

// A cacheEntry is for one report: the last that was made, and the one under way.
type cacheEntry struct {
	latest  *reportJob
	pending *reportJob
	usedAt  time.Time
}

// A reportJob is a report made at a reach, once done is closed.
type reportJob struct {
	version      postgres.DataVersion
	startedAt    time.Time
	lastProgress atomic.Pointer[report.BuildProgress] // nil: not begun yet
	report       *postgres.SharedReport
	err          error
	done         chan struct{}
}

// setProgress is report.BuildOptions.Tell.
func (m *reportJob) setProgress(p report.BuildProgress) { m.lastProgress.Store(&p) }

// progress returns how far the report has come.
func (m *reportJob) progress() jobProgress {
	progress := jobProgress{Elapsed: time.Since(m.startedAt)}
	if p := m.lastProgress.Load(); p != nil {
		progress.StepsDone, progress.StepsTotal, progress.CurrentStep = p.Done, p.Total, p.Activity
	}
	return progress
}

// A computeFunc computes a report, and tells how far it has come.
type computeFunc func(ctx context.Context, tell func(report.BuildProgress)) (*postgres.SharedReport, error)

// An reportStatus is what the desk has to show: the report, or the last one
// made while a newer one is under way, or none yet.
type reportStatus struct {
	report   *postgres.SharedReport
	isStale  bool // a newer one is under way
	progress jobProgress
}

// A jobProgress is how far the one under way has come.
type jobProgress struct {
	Elapsed               time.Duration
	StepsDone, StepsTotal int    // steps; All is 0 while it waits for its turn, or for its data
	CurrentStep           string // what is being done; empty while it waits for its turn
}

const (
	reportTimeout  = 1500 * time.Millisecond // for a report that is being made; then its page says so
	maxComputeTime = 10 * time.Minute
	minLargeItems  = 3000 // items
	maxEntries     = 24
	maxCachedRows  = 500_000 // of consensus and disagreements on all shelves: some 70 MB
)

// get returns the report at a reach if it is there in time, else the last one
// made.
func (d *reportCache) get(ctx context.Context, key reportKey, version postgres.DataVersion, wait time.Duration, compute computeFunc) (reportStatus, error) {
	job := d.startJob(ctx, key, version, compute)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-job.done:
		return reportStatus{report: job.report, isStale: job.version != version}, job.err
	case <-ctx.Done():
		return reportStatus{isStale: true}, ctx.Err()
	case <-timer.C:
	}
	status := reportStatus{isStale: true, progress: job.progress()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.entries[key]; s != nil && s.latest != nil {
		status.report = s.latest.report
	}
	return status, nil
}

// startJob returns the report that is ready at that reach, or is under way.
func (d *reportCache) startJob(ctx context.Context, key reportKey, version postgres.DataVersion, compute computeFunc) *reportJob {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := d.entryFor(key)
	entry.usedAt = time.Now()
	if entry.latest != nil && entry.latest.version == version {
		return entry.latest
	}
	if entry.pending == nil {
		entry.pending = &reportJob{version: version, startedAt: time.Now(), done: make(chan struct{})}
		go d.runJob(context.WithoutCancel(ctx), entry, entry.pending, compute)
	}
	return entry.pending
}

// runJob makes the report and puts it on its shelf.
func (d *reportCache) runJob(ctx context.Context, entry *cacheEntry, job *reportJob, compute computeFunc) {
	mu := &d.smallMu
	if job.version.ItemCount >= minLargeItems {
		mu = &d.largeMu
	}
	mu.Lock()
	job.setProgress(report.BuildProgress{Activity: "reading the labels"})
	ctx, cancel := context.WithTimeout(ctx, maxComputeTime)
	defer cancel()
	job.report, job.err = compute(ctx, job.setProgress)
	mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if entry.pending = nil; job.err == nil {
		entry.latest = job
	}
	d.evict(entry)
	close(job.done)
}

// entryFor returns the shelf of a report.
func (d *reportCache) entryFor(key reportKey) *cacheEntry {
	if d.entries == nil {
		d.entries = map[reportKey]*cacheEntry{}
	}
	if d.entries[key] == nil {
		d.entries[key] = &cacheEntry{}
		d.evict(d.entries[key])
	}
	return d.entries[key]
}

// evict takes away the shelves that were not asked for longest, but for one,
// while there are too many or they hold too much.
func (d *reportCache) evict(except *cacheEntry) {
	for {
		rows := 0
		var oldest reportKey
		for k, s := range d.entries {
			if s.latest != nil {
				rows += s.latest.report.RowCount()
			}
			if s != except && s.pending == nil && (d.entries[oldest] == nil || s.usedAt.Before(d.entries[oldest].usedAt)) {
				oldest = k
			}
		}
		if d.entries[oldest] == nil || len(d.entries) <= maxEntries && rows <= maxCachedRows {
			return
		}
		delete(d.entries, oldest)
	}
}
