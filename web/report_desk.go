package web

import (
	"context"
	"sync"
	"sync/atomic"
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
// requests: those of large projects one at a time, and those of others one at a
// time beside them, so that nobody waits for a project that is not theirs to
// wait for. The zero desk is empty and ready.
type reportDesk struct {
	mu           sync.Mutex
	shelves      map[reportKey]*shelf
	large, small sync.Mutex // held by the one of its kind that is being made
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
	begun  time.Time
	told   atomic.Pointer[report.Progress] // nil: not begun yet
	report report.Report
	err    error
	done   chan struct{}
}

// tell is report.Options.Tell.
func (m *madeReport) tell(p report.Progress) { m.told.Store(&p) }

// making returns how far the report has come.
func (m *madeReport) making() making {
	far := making{For: time.Since(m.begun)}
	if p := m.told.Load(); p != nil {
		far.Done, far.All, far.Doing = p.Done, p.All, p.Doing
	}
	return far
}

// A maker computes a report, and tells how far it has come.
type maker func(ctx context.Context, tell func(report.Progress)) (report.Report, error)

// An answerOfDesk is what the desk has to show: the report, or the last one
// made while a newer one is under way, or none yet.
type answerOfDesk struct {
	report *report.Report
	stale  bool // a newer one is under way
	making making
}

// A making is how far the one under way has come.
type making struct {
	For       time.Duration
	Done, All int    // steps; All is 0 while it waits for its turn, or for its data
	Doing     string // what is being done; empty while it waits for its turn
}

const (
	patience    = 1500 * time.Millisecond // for a report that is being made; then its page says so
	longestMake = 10 * time.Minute
	largeFrom   = 3000 // items
	shelvesKept = 24
	rowsKept    = 500_000 // of consensus and disagreements on all shelves: some 70 MB
)

// ask returns the report at a reach if it is there in time, else the last one
// made.
func (d *reportDesk) ask(ctx context.Context, key reportKey, reach postgres.Reach, wait time.Duration, compute maker) (answerOfDesk, error) {
	job := d.begin(ctx, key, reach, compute)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-job.done:
		return answerOfDesk{report: &job.report, stale: job.reach != reach}, job.err
	case <-ctx.Done():
		return answerOfDesk{stale: true}, ctx.Err()
	case <-timer.C:
	}
	a := answerOfDesk{stale: true, making: job.making()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.shelves[key]; s != nil && s.ready != nil {
		a.report = &s.ready.report
	}
	return a, nil
}

// begin returns the report that is ready at that reach, or is under way.
func (d *reportDesk) begin(ctx context.Context, key reportKey, reach postgres.Reach, compute maker) *madeReport {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.shelf(key)
	s.used = time.Now()
	if s.ready != nil && s.ready.reach == reach {
		return s.ready
	}
	if s.under == nil {
		s.under = &madeReport{reach: reach, begun: time.Now(), done: make(chan struct{})}
		go d.finish(context.WithoutCancel(ctx), s, s.under, compute)
	}
	return s.under
}

// finish makes the report and puts it on its shelf.
func (d *reportDesk) finish(ctx context.Context, s *shelf, job *madeReport, compute maker) {
	turn := &d.small
	if job.reach.Items >= largeFrom {
		turn = &d.large
	}
	turn.Lock()
	job.tell(report.Progress{Doing: "reading the labels"})
	ctx, cancel := context.WithTimeout(ctx, longestMake)
	defer cancel()
	job.report, job.err = compute(ctx, job.tell)
	turn.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.under = nil; job.err == nil {
		s.ready = job
	}
	d.clear(s)
	close(job.done)
}

// shelf returns the shelf of a report.
func (d *reportDesk) shelf(key reportKey) *shelf {
	if d.shelves == nil {
		d.shelves = map[reportKey]*shelf{}
	}
	if d.shelves[key] == nil {
		d.shelves[key] = &shelf{}
		d.clear(d.shelves[key])
	}
	return d.shelves[key]
}

// clear takes away the shelves that were not asked for longest, but for one,
// while there are too many or they hold too much.
func (d *reportDesk) clear(but *shelf) {
	for {
		rows := 0
		var oldest reportKey
		for k, s := range d.shelves {
			if s.ready != nil {
				rows += len(s.ready.report.Consensus) + len(s.ready.report.Disagreements)
			}
			if s != but && s.under == nil && (d.shelves[oldest] == nil || s.used.Before(d.shelves[oldest].used)) {
				oldest = k
			}
		}
		if d.shelves[oldest] == nil || len(d.shelves) <= shelvesKept && rows <= rowsKept {
			return
		}
		delete(d.shelves, oldest)
	}
}
