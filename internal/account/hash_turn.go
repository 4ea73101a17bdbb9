package account

import (
	"context"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/fault"
)

// The limits of hashing. Hashing takes 19 MiB and about 40 ms, so that the wait is at
// most about a second.
const (
	hashSlots  = 2
	maxWaiting = 64
)

var hashTurns = turnQueue{free: hashSlots}

// A HashTurn is the right to hash or verify one password. End it.
type HashTurn struct{ queue *turnQueue }

// AwaitHashTurn waits until ctx ends for a turn to hash a password. Client addresses take turns,
// whatever the number of their requests: one that sends many delays only its own, and its
// newest give way when all places are taken. The error is fault.Unavailable.
func AwaitHashTurn(ctx context.Context, client string) (HashTurn, error) {
	return hashTurns.await(ctx, client)
}

// End lets the next client hash.
func (t HashTurn) End() { t.queue.end() }

// A turnQueue has one line of waiting requests per client, and serves the lines in turn.
type turnQueue struct {
	mu      sync.Mutex
	free    int
	waiting int
	lines   []*turnLine // in the order of their next turns
}

// A turnLine holds the waiting requests of a client. A request receives true for its turn,
// and false if it has to give way.
type turnLine struct {
	client   string
	requests []chan bool
}

var errManyWaiting = fault.Unavailable.Errorf(
	"Many people are signing in right now. Wait a few seconds, then try again.")

func (q *turnQueue) await(ctx context.Context, client string) (HashTurn, error) {
	request, err := q.enter(client)
	if err != nil {
		return HashTurn{}, err
	}
	select {
	case isTurn := <-request:
		return q.admit(isTurn)
	case <-ctx.Done():
	}
	if !q.leave(client, request) { // it was decided before it could leave
		if turn, err := q.admit(<-request); err == nil {
			turn.End()
		}
	}
	return HashTurn{}, fault.Unavailable
}

func (q *turnQueue) admit(isTurn bool) (HashTurn, error) {
	if !isTurn {
		return HashTurn{}, errManyWaiting
	}
	return HashTurn{q}, nil
}

// enter adds a request to the line of its client. If all places are taken, the newest
// request of the longest line gives way, unless it would be this one.
func (q *turnQueue) enter(client string) (chan bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	request := make(chan bool, 1)
	if q.free > 0 {
		q.free--
		request <- true
		return request, nil
	}
	line := q.line(client)
	if q.waiting == maxWaiting {
		longest := slices.MaxFunc(q.lines, func(a, b *turnLine) int { return len(a.requests) - len(b.requests) })
		if line != nil && len(line.requests)+1 >= len(longest.requests) || len(longest.requests) == 1 {
			return nil, errManyWaiting
		}
		last := len(longest.requests) - 1
		longest.requests[last] <- false
		longest.requests = longest.requests[:last]
		q.waiting--
	}
	if line == nil {
		line = &turnLine{client: client}
		q.lines = append(q.lines, line)
	}
	line.requests = append(line.requests, request)
	q.waiting++
	return request, nil
}

func (q *turnQueue) line(client string) *turnLine {
	i := slices.IndexFunc(q.lines, func(l *turnLine) bool { return l.client == client })
	if i < 0 {
		return nil
	}
	return q.lines[i]
}

// leave removes a waiting request. It returns false if the request waits no longer.
func (q *turnQueue) leave(client string, request chan bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.line(client)
	if line == nil {
		return false
	}
	i := slices.Index(line.requests, request)
	if i < 0 {
		return false
	}
	line.requests = slices.Delete(line.requests, i, i+1)
	q.waiting--
	q.removeIfEmpty(line)
	return true
}

// end gives the slot to the first request of the next line, which goes to the back.
func (q *turnQueue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == 0 {
		q.free++
		return
	}
	line := q.lines[0]
	q.lines = append(q.lines[1:], line)
	line.requests[0] <- true
	line.requests = line.requests[1:]
	q.waiting--
	q.removeIfEmpty(line)
}

func (q *turnQueue) removeIfEmpty(line *turnLine) {
	if len(line.requests) == 0 {
		q.lines = slices.DeleteFunc(q.lines, func(l *turnLine) bool { return l == line })
	}
}
