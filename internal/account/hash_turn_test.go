package account

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
)

// hash takes 40 ms, like hashing a password.
func hash(ctx context.Context, q *turnQueue, client string) (waited time.Duration, err error) {
	start := time.Now()
	turn, err := q.await(ctx, client)
	waited = time.Since(start)
	if err != nil {
		return waited, err
	}
	time.Sleep(40 * time.Millisecond)
	turn.End()
	return waited, nil
}

// One user signs in while another address sends 400 requests at once.
func TestTurns_Flood_DelaysOnlyItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &turnQueue{free: hashSlots}
		var mu sync.Mutex
		rejected, longest := 0, time.Duration(0)
		done := make(chan struct{})
		for range 400 {
			go func() {
				defer func() { done <- struct{}{} }()
				waited, err := hash(t.Context(), q, "attacker")
				mu.Lock()
				defer mu.Unlock()
				if longest = max(longest, waited); err != nil {
					rejected++
				}
			}()
		}
		synctest.Wait()
		for n := range 20 {
			if waited, err := hash(t.Context(), q, fmt.Sprintf("user %d", n%3)); err != nil ||
				waited > 80*time.Millisecond {
				t.Errorf("user %d waited %v: %v", n, waited, err)
			}
		}
		for range 400 {
			<-done
		}
		if rejected < 400-maxWaiting-hashSlots-20 || longest > 2*time.Second {
			t.Errorf("%d rejected, the longest wait took %v", rejected, longest)
		}
		if q.free != hashSlots || q.waiting != 0 || len(q.lines) != 0 {
			t.Errorf("left over: %+v", q)
		}
	})
}

// A hundred people behind one address sign in at once: as many as there are places get in.
func TestTurns_OneAddress_UsesAllPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &turnQueue{free: hashSlots}
		admitted := make(chan bool, 100)
		for range 100 {
			go func() {
				_, err := hash(t.Context(), q, "office")
				admitted <- err == nil
			}()
		}
		n := 0
		for range 100 {
			if <-admitted {
				n++
			}
		}
		if n != maxWaiting+hashSlots {
			t.Errorf("%d got in, want %d", n, maxWaiting+hashSlots)
		}
	})
}

// Whatever the order of requests, cancellations and ends, no slot is lost or used twice.
func TestTurns_Random_KeepSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &turnQueue{free: hashSlots}
		rng := rand.New(rand.NewPCG(1, 2))
		var running atomic.Int32
		done := make(chan struct{})
		for range 2000 {
			client, timeout, work := fmt.Sprint(rng.IntN(50)), time.Duration(rng.IntN(300))*time.Millisecond,
				time.Duration(rng.IntN(20))*time.Millisecond
			time.Sleep(time.Duration(rng.IntN(8)) * time.Millisecond)
			go func() {
				defer func() { done <- struct{}{} }()
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				turn, err := q.await(ctx, client)
				if err != nil {
					if !errors.Is(err, fault.Unavailable) {
						t.Error(err)
					}
					return
				}
				if n := running.Add(1); n > hashSlots {
					t.Errorf("%d at once", n)
				}
				time.Sleep(work)
				running.Add(-1)
				turn.End()
			}()
		}
		for range 2000 {
			<-done
		}
		if q.free != hashSlots || q.waiting != 0 || len(q.lines) != 0 {
			t.Errorf("left over: %+v", q)
		}
	})
}
