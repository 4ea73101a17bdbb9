package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// Large uploads of others, which never end, do not hold up a small one; nor one that no longer yields.
func TestOpenTurn_EndlessUploads_SmallOneWorks(t *testing.T) {
	t.Parallel()
	q := &turnQueue{open: [2]chan struct{}{make(chan struct{}, maxOpenSmall), make(chan struct{}, maxOpenLarge)},
		working: make(chan struct{}, maxWorking)}
	ctx, cancel := context.WithCancel(t.Context())
	var readings sync.WaitGroup
	defer readings.Wait()
	defer cancel()
	for i := range maxOpenLarge {
		turn, err := q.openTurn(ctx, account.ID(i+1), smallUpload+1)
		if err != nil {
			t.Fatal(err)
		}
		readings.Go(func() {
			defer turn.close()
			for ctx.Err() == nil {
				time.Sleep(time.Millisecond)
				if i > 0 { // the first one never yields
					_ = turn.pause(ctx)
				}
			}
		})
	}
	start := time.Now()
	small, err := q.openTurn(ctx, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		time.Sleep(readingSlice)
		if err := small.pause(ctx); err != nil {
			t.Fatal(err)
		}
	}
	small.close()
	if took := time.Since(start); took > 5*readingStarve {
		t.Errorf("a small upload took %s", took)
	}
	wait, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	_, err = q.openTurn(wait, 99, smallUpload+1)
	checkErrorIs(t, "a further large upload", err, fault.Unavailable)
}
