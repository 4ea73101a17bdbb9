package web

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
)

// TestProposalCache_Fit_BlocksOnlyItsModel starts decisions of two projects while one model is fitted.
func TestProposalCache_Fit_BlocksOnlyItsModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, fits, release := &proposalCache{}, 0, make(chan struct{})
		slow, other := proposalKey{1, "all", report.ProposeDawidSkene}, proposalKey{2, "all", report.ProposeDawidSkene}
		first := &postgres.SharedProposals{}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				model, err := c.get(slow, 7, func() (*postgres.SharedProposals, error) {
					fits++
					<-release
					return first, nil
				})
				if model != first || err != nil {
					t.Errorf("a waiting queue has %p, %v", model, err)
				}
			})
		}
		synctest.Wait()
		second := &postgres.SharedProposals{}
		if model, err := c.get(other, 7, func() (*postgres.SharedProposals, error) { return second, nil }); model != second || err != nil {
			t.Errorf("the other project has %p, %v", model, err)
		}
		close(release)
		wg.Wait()
		if fits != 1 {
			t.Errorf("one model is fitted %d times", fits)
		}
		if model, _ := c.get(slow, 7, nil); model != first {
			t.Error("a fitted model is not kept")
		}
	})
}

func TestProposalCache_Error_IsNotKept(t *testing.T) {
	t.Parallel()
	c, key := &proposalCache{}, proposalKey{1, "all", report.ProposeDawidSkene}
	if _, err := c.get(key, 1, func() (*postgres.SharedProposals, error) { return nil, errors.New("no connection") }); err == nil {
		t.Error("the error of a fit is lost")
	}
	want := &postgres.SharedProposals{}
	if model, err := c.get(key, 1, func() (*postgres.SharedProposals, error) { return want, nil }); model != want || err != nil {
		t.Errorf("after an error: %p, %v", model, err)
	}
}
