package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestFortyAnnotatorsAtOnceLeaveEveryItemWithExactlyItsOverlap(t *testing.T) {
	w := newWorld(t)
	const items, overlap = 300, 3
	p := w.project("crowd", items)
	emails, accounts := w.annotators(40)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: overlap, Seed: 7})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			token, err := w.Begin(t.Context(), a.ID, 0)
			for err == nil && token != "" {
				token, err = w.Submit(t.Context(), a.ID, token, good)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	exact := w.count(`
		SELECT count(*) FROM (
			SELECT item_id FROM annotations WHERE batch_id = $1
			GROUP BY item_id HAVING count(*) = $2 AND count(DISTINCT account_id) = $2) x`, b.ID, overlap)
	if exact != items {
		t.Errorf("%d of %d items have exactly %d annotators", exact, items, overlap)
	}
	if n := w.count(`SELECT count(*) FROM annotations`); n != items*overlap {
		t.Errorf("%d annotations, want %d", n, items*overlap)
	}
	if n := w.count(`SELECT count(*) FROM slots WHERE account_id IS NULL`); n != 0 {
		t.Errorf("%d slots are still free", n)
	}
}

func TestAThousandDoubleSubmitsLeaveOneAnnotationEach(t *testing.T) {
	w := newWorld(t)
	const items, twice = 500, 2
	p := w.project("double", items)
	emails, accounts := w.annotators(2)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 3})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			for token := w.begin(a); token != ""; {
				token = w.submitAtOnce(a.ID, token, twice)
			}
		})
	}
	wg.Wait()
	if n := w.count(`SELECT count(*) FROM annotations`); n != items*2 {
		t.Errorf("%d annotations, want %d", n, items*2)
	}
	if n := w.count(`SELECT count(*) FROM assignments WHERE state <> 'submitted'`); n != 0 {
		t.Errorf("%d assignments were left open", n)
	}
}

// submitAtOnce submits the same thing several times in parallel; all must be
// sent to the same next item.
func (w world) submitAtOnce(by int64, token string, times int) string {
	next := make([]string, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			var err error
			if next[i], err = w.Submit(w.t.Context(), by, token, good); err != nil {
				w.t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, n := range next {
		if n != next[0] {
			w.t.Errorf("sent to different items: %q", next)
		}
	}
	return next[0]
}

func TestBeginInManyTabsOpensOneItem(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("tabs", 20), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	var wg sync.WaitGroup
	tokens := make([]string, 16)
	for i := range tokens {
		wg.Go(func() { tokens[i] = w.begin(accounts[0]) })
	}
	wg.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Fatalf("tokens differ: %q", tokens)
		}
	}
}

func TestTheSeedDecidesTheOrder(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	h := project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 11}
	w.open(w.project("first", 30), h)
	other := w.project("second", 30)
	w.open(other, h)
	order := func(batch, account int64) (positions string) {
		err := w.pool.QueryRow(t.Context(), `
			SELECT string_agg(i.source_id, ' ' ORDER BY ord)
			FROM batch_annotators b, unnest(b.path) WITH ORDINALITY AS path (item_id, ord), items i
			WHERE b.batch_id = $1 AND b.account_id = $2 AND i.id = path.item_id`, batch, account).Scan(&positions)
		if err != nil {
			t.Fatal(err)
		}
		return positions
	}
	if a, b := order(1, accounts[0].ID), order(2, accounts[0].ID); a != b {
		t.Errorf("the same seed gave\n%s\n%s", a, b)
	}
	if a, b := order(1, accounts[0].ID), order(1, accounts[1].ID); a == b {
		t.Error("two annotators have the same order")
	}
}

func TestWhatIsSetAsideGoesToSomebodyElse(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	w.open(w.project("aside", 1), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	token := w.begin(accounts[0])
	if _, err := w.SetAside(t.Context(), accounts[0].ID, token, labeling.Aside{Reason: labeling.Unclear}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a reason without a word: %v", err)
	}
	for range 2 { // a second click changes nothing
		next, err := w.SetAside(t.Context(), accounts[0].ID, token, labeling.Aside{Reason: labeling.Unclear, Word: "What is meant?"})
		if err != nil || next != "" {
			t.Fatal(next, err)
		}
	}
	if told, err := w.Asides(t.Context(), 1); err != nil || len(told) != 1 || told[0].Word != "What is meant?" || told[0].SourceID != "item-1" {
		t.Errorf("the lead is told %+v, %v", told, err)
	}
	if token := w.begin(accounts[0]); token != "" {
		t.Error("the same annotator got the item back")
	}
	if token := w.begin(accounts[1]); token == "" {
		t.Error("nobody else got the item")
	}
	_, err := w.Submit(t.Context(), accounts[0].ID, token, good)
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("submitting what was set aside: %v", err)
	}
}
