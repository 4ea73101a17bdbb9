package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/page"
)

const (
	reportTimeout  = 1500 * time.Millisecond // how long a request waits for a report,
	largeTimeout   = 50 * time.Millisecond   // and for a large one, which takes longer than anyone waits
	maxComputeTime = 10 * time.Minute
	minLargeItems  = 3000            // of a large report
	minPausedTime  = 2 * time.Second // of a computation after which the next one waits four times as long
	maxEntries     = 24
)

// A reportKey identifies a report.
type reportKey struct {
	projectID      project.ID
	batch, groupBy string
	epsilon        float64
	view           string // of the accounts that may see it
	hasRows        bool   // in its long lists
}

// A reportCache stores reports and computes new ones in the background. It
// computes one large and one small report at a time, so that small projects do
// not wait for large ones. The zero value is an empty cache.
type reportCache struct {
	mu               sync.Mutex
	entries          map[reportKey]*cacheEntry
	sources          reportSources
	largeMu, smallMu sync.Mutex // held while a report of this size is computed
}

// A cacheEntry holds the last computed report and the one being computed.
type cacheEntry struct {
	loadMu   sync.Mutex // held while the stored report is read
	isLoaded bool
	latest   *reportJob
	pending  *reportJob
	usedAt   time.Time
}

// confirm makes the last computed report that of a later version, if hasChanged says that none of
// what it is computed from has changed.
func (c *reportCache) confirm(key reportKey, version postgres.DataVersion, hasChanged func(earlier postgres.DataVersion, readAt time.Time) (bool, error)) error {
	c.mu.Lock()
	entry := c.entryFor(key)
	latest, earlier := entry.latest, postgres.DataVersion{}
	if latest != nil {
		earlier = latest.version
	}
	c.mu.Unlock()
	if latest == nil || earlier == version {
		return nil
	}
	changed, err := hasChanged(earlier, latest.readAt)
	if err != nil || changed {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if latest.version == earlier {
		latest.version = version
	}
	return nil
}

// A reportJob is the computation of a report. Its result is set once done is
// closed.
type reportJob struct {
	version      postgres.DataVersion // once it is done, the lock of the cache is needed
	startedAt    time.Time
	readAt       time.Time                           // the labels were not read before
	finishedAt   time.Time                           // set with the result
	lastProgress atomic.Pointer[study.BuildProgress] // nil: not started
	report       *postgres.SharedReport
	err          error
	done         chan struct{}
}

// isPaused reports whether it is too early to compute a later version: while a batch runs, a
// report whose labels always change is computed for a fifth of the time.
func (j *reportJob) isPaused() bool {
	took := j.finishedAt.Sub(j.startedAt)
	return took >= minPausedTime && time.Since(j.finishedAt) < 4*took
}

// setProgress is report.BuildOptions.OnProgress.
func (j *reportJob) setProgress(p study.BuildProgress) { j.lastProgress.Store(&p) }

func (j *reportJob) progress() page.ReportProgress {
	progress := page.ReportProgress{Elapsed: time.Since(j.startedAt)}
	if p := j.lastProgress.Load(); p != nil {
		progress.BuildProgress = *p
	}
	return progress
}

// A computeFunc computes a report and reports its progress.
type computeFunc func(ctx context.Context, setProgress func(study.BuildProgress)) (*postgres.SharedReport, error)

// labelScope returns whose labels the report is of.
func (k reportKey) labelScope() postgres.LabelScope {
	if k.batch == closedBatchesKey {
		return postgres.LabelScope{OnlyClosed: true}
	}
	return postgres.LabelScope{Batch: k.batch}
}

// A reportStatus is what the cache can show now.
type reportStatus struct {
	report   *postgres.SharedReport // may be nil or of an earlier version
	isStale  bool                   // a newer report is being computed, or will be
	finished time.Time              // of the report
	progress page.ReportProgress    // of the newer report
}

// get returns the report of a version if it is computed within wait, or sooner if it is
// large, else the last computed one.
func (c *reportCache) get(ctx context.Context, key reportKey, version postgres.DataVersion, wait time.Duration, compute computeFunc) (reportStatus, error) {
	job := c.startJob(ctx, key, version, compute)
	if version.ItemCount >= minLargeItems {
		wait = min(wait, largeTimeout)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-job.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		return reportStatus{report: job.report, isStale: job.version != version, finished: job.finishedAt}, job.err
	case <-ctx.Done():
		return reportStatus{isStale: true}, ctx.Err()
	case <-timer.C:
	}
	status := reportStatus{isStale: true, progress: job.progress()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry := c.entries[key]; entry != nil && entry.latest != nil {
		status.report, status.finished = entry.latest.report, entry.latest.finishedAt
	}
	return status, nil
}

// preload adds the report that is stored in the database, if the cache has none yet.
func (c *reportCache) preload(key reportKey, load func() (*postgres.StoredReport, error)) error {
	c.mu.Lock()
	entry := c.entryFor(key)
	entry.usedAt = time.Now()
	c.mu.Unlock()
	entry.loadMu.Lock()
	defer entry.loadMu.Unlock()
	if entry.isLoaded {
		return nil
	}
	stored, err := load()
	if err != nil {
		return err
	}
	entry.isLoaded = true
	c.mu.Lock()
	defer c.mu.Unlock()
	if stored != nil && entry.latest == nil {
		entry.latest = &reportJob{version: stored.Version, startedAt: stored.ComputedAt, readAt: stored.ComputedAt.Add(-maxComputeTime),
			finishedAt: stored.ComputedAt, report: stored.Report, done: make(chan struct{})}
		close(entry.latest.done)
	}
	return nil
}

// startJob returns the finished job of a version, or the pending job of the report. It starts
// one if there is neither, unless it is too early for a report without rows, which pages show.
func (c *reportCache) startJob(ctx context.Context, key reportKey, version postgres.DataVersion, compute computeFunc) *reportJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := c.entryFor(key)
	entry.usedAt = time.Now()
	if entry.latest != nil && entry.latest.version == version {
		return entry.latest
	}
	if entry.pending == nil && entry.latest != nil && !key.hasRows && entry.latest.isPaused() {
		return entry.latest
	}
	if entry.pending == nil {
		entry.pending = &reportJob{version: version, startedAt: time.Now(), readAt: time.Now(), done: make(chan struct{})}
		go c.runJob(context.WithoutCancel(ctx), entry, entry.pending, compute)
	}
	return entry.pending
}

// runJob computes the report of a job and stores it in its entry.
func (c *reportCache) runJob(ctx context.Context, entry *cacheEntry, job *reportJob, compute computeFunc) {
	mu := &c.smallMu
	if job.version.ItemCount >= minLargeItems {
		mu = &c.largeMu
	}
	mu.Lock()
	job.setProgress(study.BuildProgress{Step: study.StepReadLabels})
	ctx, cancel := context.WithTimeout(ctx, maxComputeTime)
	defer cancel()
	job.report, job.err = compute(ctx, job.setProgress)
	mu.Unlock()
	job.finishedAt = time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry.pending = nil; job.err == nil {
		entry.latest = job
	}
	c.evict(entry)
	close(job.done)
}

// entryFor returns the entry of a report, and adds it if there is none.
func (c *reportCache) entryFor(key reportKey) *cacheEntry {
	if c.entries == nil {
		c.entries = map[reportKey]*cacheEntry{}
	}
	if c.entries[key] == nil {
		c.entries[key] = &cacheEntry{}
		c.evict(c.entries[key])
	}
	return c.entries[key]
}

// evict removes the least recently used entries while the cache is too large. It
// keeps the given entry and those with a pending report.
func (c *reportCache) evict(except *cacheEntry) {
	for {
		var oldest reportKey
		for key, entry := range c.entries {
			if entry != except && entry.pending == nil && (c.entries[oldest] == nil || entry.usedAt.Before(c.entries[oldest].usedAt)) {
				oldest = key
			}
		}
		if c.entries[oldest] == nil || len(c.entries) <= maxEntries {
			return
		}
		delete(c.entries, oldest)
	}
}
