package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// brokenBatchRules returns what is wrong with the slots and counters of batch $1. An empty
// result is what every change must leave.
const brokenBatchRules = `
	SELECT 'item ' || item_id || ' is twice with account ' || account_id FROM slots
	WHERE batch_id = $1 AND account_id IS NOT NULL GROUP BY item_id, account_id HAVING count(*) > 1
	UNION ALL
	SELECT 'item ' || item_id || ' was presented twice to account ' || account_id FROM assignments
	WHERE batch_id = $1 AND kind = 'work' GROUP BY item_id, account_id HAVING count(*) > 1
	UNION ALL
	SELECT 'open item ' || a.item_id || ' has no slot of account ' || a.account_id FROM assignments a
	WHERE a.batch_id = $1 AND a.kind = 'work' AND a.state = 'open' AND NOT EXISTS (
	    SELECT FROM slots s WHERE s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id = a.account_id)
	UNION ALL
	SELECT 'item ' || s.item_id || ' waits for account ' || s.account_id || ', who had it' FROM slots s
	JOIN batch_annotators ba ON ba.batch_id = s.batch_id AND ba.account_id = s.account_id
	AND s.queue_no > ba.queue_cursor
	JOIN assignments a ON a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id
	AND a.kind = 'work'
	WHERE s.batch_id = $1
	UNION ALL
	SELECT 'account ' || ba.account_id || ' waits for ' || ba.waiting_count || ' items, counted ' || count(s.item_id)
	FROM batch_annotators ba
	LEFT JOIN slots s ON s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor
	WHERE ba.batch_id = $1 GROUP BY ba.account_id, ba.waiting_count HAVING count(s.item_id) <> ba.waiting_count
	UNION ALL
	SELECT 'account ' || account_id || ' is removed and has items' FROM batch_annotators
	WHERE batch_id = $1 AND removed_at IS NOT NULL AND (waiting_count > 0 OR open_assignment_id IS NOT NULL)
	UNION ALL
	SELECT 'place ' || queue_no || ' twice in the queue of account ' || s.account_id FROM slots s
	JOIN batch_annotators ba ON ba.batch_id = s.batch_id AND ba.account_id = s.account_id
	AND s.queue_no > ba.queue_cursor
	WHERE s.batch_id = $1 GROUP BY s.account_id, s.queue_no HAVING count(*) > 1
	UNION ALL
	SELECT 'the batch counts ' || b.slot_count || ' labels, it has ' || (SELECT count(*) FROM slots
	WHERE batch_id = b.id)
	FROM batches b
	WHERE b.id = $1 AND b.slot_count + (SELECT sum(added_slot_count) FROM batch_annotators
	WHERE batch_id = b.id) <> (SELECT count(*) FROM slots WHERE batch_id = b.id)`

// checkBatchRules checks a batch at one moment.
func (env testEnv) checkBatchRules(when string, batchID project.BatchID) {
	env.t.Helper()
	if broken, err := collectColumn[string](env.pool.Query(env.t.Context(), brokenBatchRules, batchID)); err != nil ||
		len(broken) > 0 {
		env.t.Fatalf("%s: %v %q", when, err, broken)
	}
}

// changeHistory is a batch that a lead changes while annotators label it.
type changeHistory struct {
	testEnv
	p       project.Project
	b       project.Batch
	rng     *rand.Rand
	names   []string // addresses
	ids     []account.ID
	changes []project.BatchChange // that were made; an empty one is closing or reopening
	done    atomic.Bool
}

// TestChangeBatch_RandomHistories changes batches at random while 20 annotators label them, and has some projects take
// the next version of their protocol. Then a round labels some items again.
// The rules hold after each change, every item has exactly the labels that follow from the
// changes and the answers, and in the end all of them are given. LABELWRIGHT_SLOW plays 200
// histories, LABELWRIGHT_HISTORIES=FROM-TO those.
func TestChangeBatch_RandomHistories(t *testing.T) {
	from, to := 0, 3
	if require.FullSize() {
		to = 200
	}
	if part := os.Getenv("LABELWRIGHT_HISTORIES"); part != "" {
		if _, err := fmt.Sscanf(part, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	env := newTestEnv(t)
	if _, err := env.connectAsLogin().Exec(t.Context(), recordOrder); err != nil {
		t.Fatal(err)
	}
	env.mustPublish(account.Account{}, readCopy(t, "0"))
	env.mustPublish(account.Account{}, readCopy(t, "0", "version: 1\n", "version: 2\n"))
	emails, accounts := env.newAnnotators(20)
	for n := from; n < to; n++ {
		h := &changeHistory{testEnv: env, rng: rand.New(rand.NewPCG(uint64(n), 9)), names: emails}
		for _, a := range accounts {
			h.ids = append(h.ids, a.ID)
		}
		h.run(n)
	}
	t.Log(query[string](env, `
		SELECT format('%s batches, %s items, %s labels needed, %s given, %s skips, %s changes, %s items reassigned while open, %s labels by a rule',
		    (SELECT count(*) FROM batches), (SELECT count(*) FROM batch_items), (SELECT count(*)
		    FROM slots), (SELECT count(*) FROM annotations),
		    (SELECT count(*) FROM skips), (SELECT count(*) FROM audit_log WHERE action = 'batch.change'),
		    (SELECT count(*) FROM work_notices WHERE kind = 'open_item_reassigned'), (SELECT sum(added_slot_count)
		    FROM batch_annotators))`))
}

func (h *changeHistory) run(n int) {
	h.p = h.newProjectWith("mine@1", fmt.Sprintf("history-%d", n), 20+h.rng.IntN(30))
	takesVersionAt := h.rng.IntN(18) // not, from the number of steps on
	mode := []project.AssignmentMode{project.Planned, project.Planned, project.Pool}[h.rng.IntN(3)]
	h.b = h.newBatch(h.p, project.BatchSpec{Name: "one", Annotators: h.names[:6], Overlap: 1 + h.rng.IntN(3),
		Assignment: mode, Seed: int64(n + 1),
		Sample: project.Sample{Count: 15}})
	var g errgroup.Group
	for i, id := range h.ids {
		g.Go(func() error { return h.label(id, rand.New(rand.NewPCG(uint64(n), uint64(i)))) })
	}
	for step := range 12 {
		when := fmt.Sprintf("history %d, step %d, ", n, step)
		switch {
		case step == takesVersionAt:
			h.mustTakeVersion(h.p, project.VersionTaking{Version: 2})
		case h.rng.IntN(10) == 0 && step < takesVersionAt: // a batch of an earlier version stays closed
			h.closeAndReopen(when)
		default:
			change := h.randomChange()
			when += fmt.Sprintf("%+v", change)
			h.apply(when, change)
		}
		h.check(when)
	}
	h.done.Store(true)
	if err := g.Wait(); err != nil {
		h.t.Errorf("history %d: %v", n, err)
	}
	h.finish(n)
	h.relabel(n)
	if takesVersionAt < 12 {
		h.labelAgain(n)
	}
}

// relabel closes the first batch and labels some of its items again in a round, which changes nothing else.
func (h *changeHistory) relabel(n int) {
	h.t.Helper()
	h.mustClose(h.p, "one")
	h.changes = append(h.changes, project.BatchChange{})
	h.mustMeasure()
	const states = `SELECT coalesce(string_agg(s::text, ' ' ORDER BY item_id), '') FROM item_states s WHERE project_id = $1`
	before, first := query[string](h.testEnv, states, h.p.ID), h.b
	h.b = h.newBatch(h.reloadProject(h.p), project.BatchSpec{Name: "round", Round: project.RoundOfLabeled,
		Annotators: h.names[14:], Overlap: 1 + h.rng.IntN(2), Seed: int64(n + 1), Sample: project.Sample{Count: 5}})
	for _, id := range h.ids[14:] {
		if err := h.labelAll(id); err != nil {
			h.t.Fatalf("history %d: %v", n, err)
		}
	}
	h.checkBatchRules(fmt.Sprintf("history %d, round", n), h.b.ID)
	h.checkCount(5*h.b.Overlap, `annotations WHERE batch_id = `+fmt.Sprint(h.b.ID))
	h.b = first
	h.check(fmt.Sprintf("history %d, after the round", n))
	h.mustMeasure()
	if after := query[string](h.testEnv, states, h.p.ID); after != before {
		h.t.Fatalf("history %d: a round changed the states of items from %s to %s", n, before, after)
	}
}

// labelAgain labels items of the first batch again, and the rest, under the version that the project took.
func (h *changeHistory) labelAgain(n int) {
	h.t.Helper()
	h.p = h.reloadProject(h.p)
	items := append(h.itemsInState(h.p, project.ItemEarlier), h.itemsInState(h.p, project.ItemUnassigned)...)
	h.b = h.newBatch(h.p, project.BatchSpec{Name: "two", Annotators: h.names[:6], Overlap: 2, Seed: int64(n + 1),
		ItemIDs: items})
	for _, id := range h.ids[:6] {
		if err := h.labelAll(id); err != nil {
			h.t.Fatalf("history %d: %v", n, err)
		}
	}
	h.checkBatchRules(fmt.Sprintf("history %d, version 2", n), h.b.ID)
	h.mustMeasure()
	complete := h.queryInt(`SELECT count(*) FROM item_states WHERE project_id = $1 AND label_count = 2
		AND labels_wanted = 2 AND state = 'complete'`, h.p.ID)
	if complete != len(items) || len(items) != h.p.Items {
		h.t.Fatalf("history %d: %d items of %d have two labels under version 2, the project has %d", n, complete,
			len(items), h.p.Items)
	}
}

// apply makes a change. Some random changes are refused.
func (h *changeHistory) apply(when string, c project.BatchChange) {
	h.t.Helper()
	_, err := h.ChangeBatch(h.t.Context(), h.admin.ID, h.p, "one", c)
	if err == nil {
		h.changes = append(h.changes, c)
	} else if !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.NotFound) {
		h.t.Errorf("%s: %v", when, err)
	}
}

func (h *changeHistory) closeAndReopen(when string) {
	h.t.Helper()
	err := h.CloseBatch(h.t.Context(), h.admin.ID, h.p, "one", project.BatchClosing{Reason: "at random",
		ReleaseOpen: h.rng.IntN(2) == 0})
	h.changes = append(h.changes, project.BatchChange{})
	if err == nil {
		h.check(when + "closed")
		err = h.ReopenBatch(h.t.Context(), h.admin.ID, h.p, "one", "at random")
	}
	h.changes = append(h.changes, project.BatchChange{})
	if err != nil {
		h.t.Errorf("%s, closed and reopened: %v", when, err)
	}
}

func (h *changeHistory) check(when string) {
	h.t.Helper()
	h.checkBatchRules(when, h.b.ID)
	h.checkLabelsPerItem(when)
}

// finish adds all annotators, lets them finish, and checks that every label is given.
func (h *changeHistory) finish(n int) {
	h.t.Helper()
	change := project.BatchChange{Reason: "finish", Add: h.names, Resume: h.workingNames()}
	if _, err := h.ChangeBatch(h.t.Context(), h.admin.ID, h.p, "one", change); err != nil {
		h.t.Fatalf("history %d: %v", n, err)
	}
	h.changes = append(h.changes, change)
	for range 2 {
		for _, id := range h.ids {
			if err := h.labelAll(id); err != nil {
				h.t.Fatalf("history %d: %v", n, err)
			}
		}
	}
	h.check(fmt.Sprintf("history %d, finished", n))
	missing, err := collectColumn[string](h.pool.Query(h.t.Context(), `
		SELECT s.item_id || '/' || s.slot_no || ' of ' || coalesce(s.account_id, 0) FROM slots s WHERE s.batch_id = $1
		AND `+isUndone, h.b.ID))
	if err != nil || len(missing) > 0 {
		h.t.Fatalf("history %d: labels are missing: %q, %v", n, missing, err)
	}
}

// workingNames returns the addresses of the annotators who are not removed.
func (h *changeHistory) workingNames() []string {
	names, err := collectColumn[string](h.pool.Query(h.t.Context(), `
		SELECT u.email FROM batch_annotators ba JOIN identity.users u ON u.account_id = ba.account_id
		WHERE ba.batch_id = $1 AND ba.removed_at IS NULL`, h.b.ID))
	if err != nil {
		h.t.Fatal(err)
	}
	return names
}

func (h *changeHistory) randomChange() project.BatchChange {
	c := project.BatchChange{Reason: "at random"}
	any := func() string { return h.names[h.rng.IntN(len(h.names))] }
	working := func() string {
		names := h.workingNames()
		return names[h.rng.IntN(len(names))]
	}
	switch h.rng.IntN(9) {
	case 0:
		c.Add = []string{any(), any()}
	case 1:
		c.Pause = []string{any()}
	case 2:
		c.Resume = []string{any()}
	case 3:
		c.Remove = []string{any()}
	case 4, 5:
		c.Reassign = project.Reassignment{From: working(), Count: h.rng.IntN(4),
			Items: []project.ReassignedItems{project.WaitingItems, project.OpenItem, project.AllItems}[h.rng.IntN(3)]}
		if h.rng.IntN(2) == 0 {
			c.Reassign.To = working()
		}
	case 6:
		c.AddItems = &project.Sample{Count: 1 + h.rng.IntN(3)}
	case 7:
		c.Labels = 2 + h.rng.IntN(3)
		if h.rng.IntN(2) == 0 {
			c.LabelItems = &project.ItemFilter{Search: strconv.Itoa(1 + h.rng.IntN(3))}
		}
	case 8:
		c.Rule, c.KeepRule = &project.OverlapRule{MinDifference: 1, MostLabels: 3 + h.rng.IntN(2)}, h.rng.IntN(2) == 0
		c.DropRule = h.rng.IntN(4) == 0
		c.Add = []string{any()}
	}
	return c
}

// label labels until the changes are done. Losing an item to a change is expected.
func (h *changeHistory) label(id account.ID, rng *rand.Rand) error {
	for !h.done.Load() {
		hasLabeled, err := h.labelOne(id, rng.IntN(8) == 0, rng.IntN(2))
		if err != nil {
			return err
		}
		if !hasLabeled {
			time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
		}
	}
	return nil
}

func (h *changeHistory) labelAll(id account.ID) error {
	for {
		if hasLabeled, err := h.labelOne(id, false, 0); err != nil || !hasLabeled {
			return err
		}
	}
}

// labelOne opens the next item and labels or skips it. It reports false if there is none.
func (h *changeHistory) labelOne(id account.ID, skip bool, value int) (bool, error) {
	ctx := context.WithoutCancel(h.t.Context())
	token, err := h.OpenNext(ctx, id, h.b.ID)
	if err != nil || token == "" {
		return false, ignoreChange(err)
	}
	if skip {
		_, err = h.Skip(ctx, id, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
		return true, ignoreChange(err)
	}
	_, err = h.Submit(ctx, id, token, newSubmission(value))
	return true, ignoreChange(err)
}

// ignoreChange ignores that a change took an item or its annotator away.
func ignoreChange(err error) error {
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Conflict) || errors.Is(err, fault.Forbidden) {
		return nil
	}
	return err
}
