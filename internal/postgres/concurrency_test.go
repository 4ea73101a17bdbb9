package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestSubmit_40Annotators_KeepsOverlap(t *testing.T) {
	env := newTestEnv(t)
	const items, overlap = 300, 3
	p := env.newProject("crowd", items)
	emails, accounts := env.newAnnotators(40)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: overlap, Seed: 7})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			token, err := env.OpenNext(t.Context(), a.ID, 0)
			for err == nil && token != "" {
				token, err = env.Submit(t.Context(), a.ID, token, helpfulSubmission)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	exact := env.queryInt(`
		SELECT count(*) FROM (
			SELECT item_id FROM annotations WHERE batch_id = $1
			GROUP BY item_id HAVING count(*) = $2 AND count(DISTINCT account_id) = $2) x`, b.ID, overlap)
	if exact != items {
		t.Errorf("%d of %d items have exactly %d annotators", exact, items, overlap)
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != items*overlap {
		t.Errorf("%d annotations, want %d", n, items*overlap)
	}
	if n := env.queryInt(`SELECT count(*) FROM slots WHERE account_id IS NULL`); n != 0 {
		t.Errorf("%d slots are still free", n)
	}
}

func TestSubmit_Twice_StoresOnce(t *testing.T) {
	env := newTestEnv(t)
	const items, times = 500, 2
	p := env.newProject("double", items)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 3})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			for token := env.openItem(a); token != ""; {
				token = env.submitConcurrently(a.ID, token, times)
			}
		})
	}
	wg.Wait()
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != items*2 {
		t.Errorf("%d annotations, want %d", n, items*2)
	}
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE state <> 'submitted'`); n != 0 {
		t.Errorf("%d assignments were left open", n)
	}
}

// submitConcurrently submits the same thing several times in parallel; all must be
// sent to the same next item.
func (env testEnv) submitConcurrently(accountID account.ID, token string, times int) string {
	next := make([]string, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			var err error
			if next[i], err = env.Submit(env.t.Context(), accountID, token, helpfulSubmission); err != nil {
				env.t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, n := range next {
		if n != next[0] {
			env.t.Errorf("sent to different items: %q", next)
		}
	}
	return next[0]
}

func TestOpenNext_ManyTabs_OpensOne(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("tabs", 20), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	var wg sync.WaitGroup
	tokens := make([]string, 16)
	for i := range tokens {
		wg.Go(func() { tokens[i] = env.openItem(accounts[0]) })
	}
	wg.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Fatalf("tokens differ: %q", tokens)
		}
	}
}

func TestBatch_SameSeed_SameOrder(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 11}
	env.newBatch(env.newProject("first", 30), spec)
	other := env.newProject("second", 30)
	env.newBatch(other, spec)
	loadOrder := func(batch int64, account account.ID) (positions string) {
		err := env.pool.QueryRow(t.Context(), `
			SELECT string_agg(i.source_id, ' ' ORDER BY ord)
			FROM batch_annotators b, unnest(b.path) WITH ORDINALITY AS path (item_id, ord), items i
			WHERE b.batch_id = $1 AND b.account_id = $2 AND i.id = path.item_id`, batch, account).Scan(&positions)
		if err != nil {
			t.Fatal(err)
		}
		return positions
	}
	if a, b := loadOrder(1, accounts[0].ID), loadOrder(2, accounts[0].ID); a != b {
		t.Errorf("the same seed gave\n%s\n%s", a, b)
	}
	if a, b := loadOrder(1, accounts[0].ID), loadOrder(1, accounts[1].ID); a == b {
		t.Error("two annotators have the same order")
	}
}

func TestSkip_Item_GoesToOther(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("aside", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	if _, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a reason without a word: %v", err)
	}
	for range 2 { // a second click changes nothing
		next, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "What is meant?"})
		if err != nil || next != "" {
			t.Fatal(next, err)
		}
	}
	if skips, err := env.SkippedItems(t.Context(), 1); err != nil || len(skips) != 1 || skips[0].Comment != "What is meant?" || skips[0].SourceID != "item-1" {
		t.Errorf("the lead is told %+v, %v", skips, err)
	}
	if token := env.openItem(accounts[0]); token != "" {
		t.Error("the same annotator got the item back")
	}
	if token := env.openItem(accounts[1]); token == "" {
		t.Error("nobody else got the item")
	}
	_, err := env.Submit(t.Context(), accounts[0].ID, token, helpfulSubmission)
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("submitting what was set aside: %v", err)
	}
}
