package postgres

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// How uploads are read. A small one never waits for a large one, nor an upload of one account for more than
// the small ones of others. What is open takes memory; what works takes the time of annotators.
const (
	smallUpload   = 1 << 20 // bytes
	maxOpenLarge  = 3       // uploads of different accounts
	maxOpenSmall  = 3
	maxWorking    = 2
	readingSlice  = 50 * time.Millisecond // after which the next upload works
	readingStarve = time.Second           // after which an upload works in any case, as others may wait for it
	readingGC     = 50                    // percent, while uploads are read: they need memory that others had before
)

// maxUploadItems is how many items an upload may have. Their ids are in memory. The command, which is a process of
// its own, takes more.
const maxUploadItems = 1_000_000

// uploadTurns are the turns of the uploads that this process reads.
var uploadTurns = turnQueue{open: [2]chan struct{}{make(chan struct{}, maxOpenSmall),
	make(chan struct{}, maxOpenLarge)}, working: make(chan struct{}, maxWorking)}

// A turnQueue lets uploads be read in turn.
type turnQueue struct {
	open     [2]chan struct{} // small, large
	working  chan struct{}
	memory   readingMemory
	accounts sync.Map // of accountKey: chan struct{}, the one upload of that size that is open
}

// A readingMemory keeps less garbage while uploads are open, and gives their memory back after the last one.
type readingMemory struct {
	sync.Mutex
	uploads int
	percent int // of the garbage collector, before the first upload
}

func (m *readingMemory) open() {
	m.Lock()
	defer m.Unlock()
	if m.uploads++; m.uploads == 1 {
		m.percent = debug.SetGCPercent(readingGC)
	}
}

func (m *readingMemory) close() {
	m.Lock()
	defer m.Unlock()
	if m.uploads--; m.uploads == 0 {
		debug.SetGCPercent(m.percent)
		debug.FreeOSMemory()
	}
}

type accountKey struct {
	id      account.ID
	isLarge bool
}

// A readingTurn is an upload that is open.
type readingTurn struct {
	queue     *turnQueue
	isWorking bool
	since     time.Time
	release   func()
}

// openTurn waits until an upload of that size can be read.
func (q *turnQueue) openTurn(ctx context.Context, id account.ID, size int64) (*readingTurn, error) {
	key, slots := accountKey{id, size > smallUpload}, q.open[0]
	if key.isLarge {
		slots = q.open[1]
	}
	own, _ := q.accounts.LoadOrStore(key, make(chan struct{}, 1))
	for n, slot := range []chan struct{}{own.(chan struct{}), slots} {
		select {
		case slot <- struct{}{}:
		case <-ctx.Done():
			if n > 0 {
				<-own.(chan struct{})
			}
			return nil, fault.Unavailable.Errorf("Other files are being imported. Try again in a minute.")
		}
	}
	t := &readingTurn{queue: q, release: func() { <-slots; <-own.(chan struct{}) }}
	q.memory.open()
	if err := t.resume(ctx); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// pause lets others work if this upload has worked for a while. nil does nothing.
func (t *readingTurn) pause(ctx context.Context) error {
	if t == nil || time.Since(t.since) < readingSlice {
		return nil
	}
	t.stop()
	return t.resume(ctx)
}

func (t *readingTurn) resume(ctx context.Context) error {
	starved := time.NewTimer(readingStarve)
	defer starved.Stop()
	select {
	case t.queue.working <- struct{}{}:
		t.isWorking = true
	case <-starved.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	t.since = time.Now()
	return nil
}

func (t *readingTurn) stop() {
	if t.isWorking {
		t.isWorking = false
		<-t.queue.working
	}
}

// close ends the turn. After the last one the memory is given back.
func (t *readingTurn) close() {
	t.stop()
	t.queue.memory.close()
	t.release()
}
