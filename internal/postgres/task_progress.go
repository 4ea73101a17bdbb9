package postgres

import (
	"context"
	"sync/atomic"
	"time"
)

// A taskProgress is how far a task in the background is: bytes or rows.
type taskProgress struct{ done, total atomic.Int64 }

// setter returns the function that a task calls with its progress.
func (t *taskProgress) setter() progressFunc {
	return func(done, total int64) {
		t.done.Store(done)
		t.total.Store(total)
	}
}

// store runs update with id, done and total every second until ctx ends. It calls onGone, which
// may be nil, if there is no row to update any more. An error only delays what a page shows.
func (t *taskProgress) store(ctx context.Context, db *DB, update string, id int64, onGone func()) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		tag, err := db.pool.Exec(ctx, update, id, t.done.Load(), t.total.Load())
		if err == nil && tag.RowsAffected() == 0 && onGone != nil {
			onGone()
		}
	}
}
