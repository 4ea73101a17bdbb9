package postgres

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func (env testEnv) workNotices(id account.ID) ([]WorkNotice, error) {
	return collectAll[WorkNotice](env.pool.Query(env.t.Context(), selectWorkNotices, id))
}

func (env testEnv) mustChange(p project.Project, c project.BatchChange) {
	env.t.Helper()
	c.Reason = "because"
	if _, err := env.ChangeBatch(env.t.Context(), env.admin.ID, p, "one", c); err != nil {
		env.t.Fatalf("%+v: %v", c, err)
	}
}

// The open item of an annotator who left goes to another one. Its draft can be read, and a late
// submit is refused.
func TestReassign_OpenItem_DraftKept(t *testing.T) {
	for _, mode := range []project.AssignmentMode{project.Planned, project.Pool} {
		t.Run(string(mode), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotators := env.newBatchFor(2, 6, project.BatchSpec{Overlap: 1, Assignment: mode})
			ann, ben := annotators[0], annotators[1]
			token := env.openItem(ann)
			env.mustSaveDraft(ann, token, 1, withNote("half a thought"))
			item := env.itemOf(token)
			env.mustChange(p, project.BatchChange{Reassign: project.Reassignment{From: ann.Email,
				Items: project.OpenItem}})
			env.checkBatchRules("after", b.ID)

			_, err := env.Submit(t.Context(), ann.ID, token, helpfulSubmission)
			checkErrorIs(t, "late submit", err, labeling.ErrReassigned)
			checkErrorIs(t, "late draft", env.SaveDraft(t.Context(), ann.ID, token, 2,
				labeling.Submission{Answers: withNote("a whole thought").Answers, DraftVersion: 1}),
				labeling.ErrReassigned)
			notices, err := env.workNotices(ann.ID)
			if err != nil || len(notices) != 1 || notices[0].Kind != "open_item_reassigned" ||
				notices[0].DraftToken != token {
				t.Errorf("notices %+v, %v", notices, err)
			}
			if draft, err := env.KeptDraft(t.Context(), ann.ID, token); err != nil ||
				draft.Answers.Note != "a whole thought" {
				t.Errorf("draft %+v, %v", draft.Answers, err)
			}
			_, err = env.KeptDraft(t.Context(), ben.ID, token)
			checkErrorIs(t, "draft of another", err, fault.NotFound)

			env.submitAll(ann, helpfulSubmission)
			env.submitAll(ben, helpfulSubmission)
			if owner := query[account.ID](env, `SELECT account_id FROM annotations
				WHERE item_id = $1`, item); owner != ben.ID {
				t.Errorf("the item has the label of account %d, want %d", owner, ben.ID)
			}
			if n := query[int](env, `SELECT count(*) FROM annotations`); n != 6 {
				t.Errorf("%d labels, want 6", n)
			}
		})
	}
}

// What an annotator has left moves as a whole, also to one chosen annotator; with no one to take
// the open item, nothing changes.
func TestReassign_All_MovesEverything(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 9, project.BatchSpec{Overlap: 1})
	env.updateProject(p, `skip_policy = 'return_later'`)
	ann, ben := annotators[0], annotators[1]
	env.skipItem(ann, env.openItem(ann), labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	env.openItem(ann)
	env.mustChange(p, project.BatchChange{Reassign: project.Reassignment{From: ann.Email, To: ben.Email,
		Items: project.AllItems}})
	env.checkBatchRules("after", b.ID)
	if n := query[int](env, `SELECT count(*) FROM slots WHERE account_id = $1`, ben.ID); n != 6 {
		t.Errorf("Ben has %d items, want 6", n)
	}
	if n := env.submitAll(ann, helpfulSubmission); n != 0 {
		t.Errorf("Ann labeled %d items, want none", n)
	}
	if n := env.submitAll(ben, helpfulSubmission); n != 6 {
		t.Errorf("Ben labeled %d items, want 6", n)
	}
}

func TestReassign_EveryoneHadTheItem_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	token := env.openItem(annotators[0])
	for _, items := range []project.ReassignedItems{project.OpenItem, project.AllItems, project.WaitingItems} {
		_, err := env.ChangeBatch(t.Context(), env.admin.ID, p, "one", project.BatchChange{Reason: "gone",
			Reassign: project.Reassignment{From: annotators[0].Email, Items: items}})
		checkErrorIs(t, string(items), err, fault.Conflict)
	}
	env.checkBatchRules("after", b.ID)
	env.mustSubmit(annotators[0], token, helpfulSubmission)
}

// A hidden duplicate that is reassigned is gone for its annotator, as a work item is.
func TestReassign_OpenDuplicate_LooksLikeWork(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 30, project.BatchSpec{Overlap: 1, DuplicateCount: 2, Seed: 5})
	ann := annotators[0]
	token := env.openItem(ann)
	for query[string](env, `SELECT kind FROM assignments WHERE token = $1`, token) != "duplicate" {
		token = env.mustSubmit(ann, token, helpfulSubmission)
	}
	env.mustChange(p, project.BatchChange{Reassign: project.Reassignment{From: ann.Email, Items: project.OpenItem}})
	env.checkBatchRules("after", b.ID)
	_, err := env.Submit(t.Context(), ann.ID, token, helpfulSubmission)
	checkErrorIs(t, "late submit", err, labeling.ErrReassigned)
	if notices, err := env.workNotices(ann.ID); err != nil || len(notices) != 1 ||
		notices[0].Kind != "open_item_reassigned" || notices[0].ItemCount != 1 {
		t.Errorf("notices %+v, %v", notices, err)
	}
	if next := env.openItem(ann); next == token || next == "" {
		t.Errorf("next item %q", next)
	}
}

// The items that a search finds get more labels, the others do not.
func TestRaiseLabels_SearchResult(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(3, 12, project.BatchSpec{Overlap: 1})
	env.mustChange(p, project.BatchChange{Labels: 2, LabelItems: &project.ItemFilter{Search: "question 12"}})
	env.mustChange(p, project.BatchChange{Labels: 3,
		LabelItems: &project.ItemFilter{IDs: []project.ItemID{env.firstItem(p)}, Batch: "one"}})
	checkEqual(t, query[string](env, `
		SELECT string_agg(i.source_id || ' ' || n.labels, ', ' ORDER BY i.id)
		FROM (SELECT item_id, count(*) AS labels FROM slots GROUP BY item_id HAVING count(*) > 1) n
		JOIN items i ON i.id = n.item_id`),
		"item-1 3, item-12 2")
	for name, f := range map[string]project.ItemFilter{"no item": {Search: "nonsense"},
		"another batch": {Batch: "two"}} {
		_, err := env.ChangeBatch(t.Context(), env.admin.ID, p, "one", project.BatchChange{Reason: "r", Labels: 3,
			LabelItems: &f})
		checkErrorIs(t, name, err, fault.Invalid)
	}
	total := 0
	for _, a := range annotators {
		total += env.submitAll(a, helpfulSubmission)
	}
	checkEqual(t, total, 12+2+1)
}

// states returns the items of a project by state.
func (env testEnv) states(p project.Project) string {
	env.t.Helper()
	env.mustMeasure()
	return query[string](env, `SELECT string_agg(state || ' ' || n, ', ' ORDER BY state)
		FROM (SELECT state, count(*) AS n FROM item_states WHERE project_id = $1 GROUP BY state) s`, p.ID)
}

// Closing makes unfinished items available with the labels they have, reopening takes back those
// that no other batch drew.
func TestCloseBatch_UnfinishedItems_AvailableAgain(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 4, project.BatchSpec{Seed: 2})
	ann, ben := annotators[0], annotators[1]
	env.submitAll(ann, helpfulSubmission)
	env.mustSubmit(ben, env.openItem(ben), helpfulSubmission)
	open := env.openItem(ben)
	env.mustSaveDraft(ben, open, 1, withNote("half"))
	env.closeBatch(p, b)
	checkEqual(t, env.states(p), "complete 1, in_progress 1, unassigned 2") // Ben can still submit the open one
	if err := env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "again"); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.states(p), "complete 1, in_progress 3")

	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one", project.BatchClosing{Reason: "enough",
		ReleaseOpen: true}); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.states(p), "complete 1, unassigned 3")
	_, err := env.Submit(t.Context(), ben.ID, open, helpfulSubmission)
	checkErrorIs(t, "late submit", err, labeling.ErrReassigned)
	notices, err := env.workNotices(ben.ID)
	if err != nil || len(notices) == 0 || notices[0].Kind != "closed" || notices[0].DraftToken != open {
		t.Errorf("notices %+v, %v", notices, err)
	}
	checkEqual(t, query[string](env, `SELECT string_agg(label_count::text, ' ') FROM available_items
		WHERE project_id = $1`, p.ID), "1 1 1")

	// A second batch collects one missing label for each of two items.
	second := env.newBatch(p, project.BatchSpec{Name: "two", Annotators: []string{ann.Email, ben.Email}, Overlap: 2,
		Sample: project.Sample{Count: 2}})
	checkEqual(t, env.states(p), "complete 1, in_progress 2, unassigned 1")
	if n := query[int](env, `SELECT count(*) FROM slots WHERE batch_id = $1`, second.ID); n != 2 {
		t.Errorf("the second batch has %d labels, want 2", n)
	}
	if err := env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "again"); err != nil {
		t.Fatal(err)
	}
	env.checkBatchRules("reopened", b.ID)
	checkEqual(t, env.states(p), "complete 1, in_progress 3")
	if n := query[int](env, `SELECT count(*) FROM available_items WHERE project_id = $1`, p.ID); n != 0 {
		t.Errorf("%d items are available, want none", n)
	}
	env.submitAll(ben, helpfulSubmission)
	checkEqual(t, env.states(p), "complete 4")
	if n := query[int](env, `SELECT count(*) FROM annotations`); n != 8 {
		t.Errorf("%d labels, want 8", n)
	}
}

// A member who is removed after the batch closed gives back the item that was open.
func TestRemoveMember_ClosedBatch_ItemAvailable(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 2, project.BatchSpec{})
	env.openItem(annotators[0])
	env.closeBatch(p, b)
	if _, err := env.RemoveMember(t.Context(), env.admin.ID, p, annotators[0].Email); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.states(p), "unassigned 2")
	if n := query[int](env, `SELECT count(*) FROM available_items WHERE project_id = $1`, p.ID); n != 2 {
		t.Errorf("%d items are available, want 2", n)
	}
}

// One change that pauses one annotator, removes another and adds items gives nothing to either of them. Its preview
// says so, and changes nothing itself.
func TestChangeBatch_PauseRemoveAdd_GivesWorkToOthersOnly(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(4, 8, project.BatchSpec{Overlap: 2})
	paused, removed := annotators[0], annotators[1]
	env.addItems(p, 100, 10)
	c := project.BatchChange{Pause: []string{paused.Email}, Remove: []string{removed.Email},
		AddItems: &project.Sample{Percent: 100}}
	waiting := func(a account.Account) int {
		return env.queryInt(`SELECT waiting_count FROM batch_annotators WHERE batch_id = $1 AND account_id = $2`,
			b.ID, a.ID)
	}
	before := waiting(paused)
	state := env.batchRows(b)
	preview, err := env.PreviewBatchChange(t.Context(), env.admin.ID, p, "one", c)
	if err != nil || preview.Effect.ItemsAdded != 10 || preview.LabelsAfter != preview.LabelsBefore+20 ||
		preview.Stuck != 0 {
		t.Fatalf("preview = %+v, %v", preview, err)
	}
	if after := env.batchRows(b); after != state {
		t.Errorf("a preview changed the batch from %s to %s", state, after)
	}
	env.mustChange(p, c)
	for _, q := range preview.Annotators {
		if got := env.queryInt(`SELECT waiting_count FROM batch_annotators ba JOIN members m USING (account_id)
			WHERE ba.batch_id = $1 AND m.pseudonym = $2`, b.ID, q.Pseudonym); got != q.After {
			t.Errorf("%s has %d items waiting, the preview said %d", q.Email, got, q.After)
		}
	}
	if n := waiting(removed); n != 0 {
		t.Errorf("the removed annotator has %d items", n)
	}
	if n := waiting(paused); n != before {
		t.Errorf("the paused annotator has %d items, before %d", n, before)
	}
	if sum := env.queryInt(`SELECT sum(waiting_count) FROM batch_annotators WHERE batch_id = $1`, b.ID); sum != 36 {
		t.Errorf("%d labels wait, want 36", sum)
	}
	env.checkBatchRules("after", b.ID)

	stuck, err := env.PreviewBatchChange(t.Context(), env.admin.ID, p, "one",
		project.BatchChange{Remove: []string{annotators[2].Email, paused.Email}})
	if err != nil || stuck.Stuck == 0 {
		t.Errorf("a batch with one annotator for two labels: %+v, %v", stuck, err)
	}
}

func (env testEnv) batchRows(b project.Batch) string {
	return query[string](env, `SELECT concat((SELECT b::text FROM batches b WHERE id = $1),
		(SELECT string_agg(s::text, ' ' ORDER BY item_id, slot_no) FROM slots s WHERE batch_id = $1),
		(SELECT string_agg(a::text, ' ' ORDER BY account_id) FROM batch_annotators a WHERE batch_id = $1))`, b.ID)
}

// A chosen annotator gets an item: the label that is free, else one more; nobody labels an item twice.
func TestGiveItem_ChosenAnnotator(t *testing.T) {
	for _, mode := range []project.AssignmentMode{project.Planned, project.Pool} {
		t.Run(string(mode), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotators := env.newBatchFor(3, 3, project.BatchSpec{Overlap: 1, Assignment: mode})
			item := env.firstItem(p)
			give := func(to account.Account) error {
				_, err := env.ChangeBatch(t.Context(), env.admin.ID, p, "one", project.BatchChange{Reason: "knows it",
					GiveTo: to.Email, LabelItems: &project.ItemFilter{IDs: []project.ItemID{item}}})
				return err
			}
			given, refused := 0, 0
			for _, a := range annotators {
				switch err := give(a); fault.KindOf(err) {
				case fault.Conflict:
					refused++
				default:
					checkErrorIs(t, a.Email, err, nil)
					given++
				}
				checkErrorIs(t, "again", give(a), fault.Conflict)
			}
			env.checkBatchRules("after", b.ID)
			checkEqual(t, query[int](env, `SELECT count(*) FROM slots WHERE item_id = $1`, item), 3)
			if mode == project.Planned { // one had it from the start
				checkEqual(t, [2]int{given, refused}, [2]int{2, 1})
			} else {
				checkEqual(t, [2]int{given, refused}, [2]int{3, 0})
			}
			record, err := env.ItemRecord(t.Context(), env.admin.ID, p, item)
			if err != nil || len(record.Receivers) != 0 {
				t.Errorf("receivers %+v, %v", record.Receivers, err)
			}
			total := 0
			for _, a := range annotators {
				total += env.submitAll(a, helpfulSubmission)
			}
			checkEqual(t, total, 3+2)
		})
	}
}

// A closed batch whose items lack labels waits in the inbox until a later one has them: one annotator is enough where
// each item lacks one label. An archived batch does not wait.
func TestInbox_ClosedBatch_NamesItemsThatLackLabels(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 4, project.BatchSpec{})
	for range 2 {
		env.submitItem(annotators[0])
	}
	incomplete := func() (names []string) {
		for _, e := range env.inbox(env.admin) {
			if e.Kind == labeling.InboxIncomplete {
				names = append(names, fmt.Sprintf("%s %d", e.BatchName, e.Count))
			}
		}
		return names
	}
	checkEqual(t, len(incomplete()), 0)
	env.mustClose(p, "one")
	if diff := gocmp.Diff([]string{"one 4"}, incomplete()); diff != "" {
		t.Errorf("after closing (-want +got):\n%s", diff)
	}
	spec := project.BatchSpec{Name: "rest", Annotators: []string{annotators[1].Email}, Overlap: 2}
	_, _, err := env.PreviewBatch(t.Context(), env.admin.ID, p, spec)
	checkErrorIs(t, "two labels of one annotator", err, fault.Invalid)
	spec.ItemIDs = query[[]project.ItemID](env, `SELECT array_agg(DISTINCT item_id) FROM annotations`)
	env.newBatch(p, spec)
	if diff := gocmp.Diff([]string{"one 2"}, incomplete()); diff != "" {
		t.Errorf("after collecting (-want +got):\n%s", diff)
	}
	checkEqual(t, env.submitAll(annotators[1], helpfulSubmission), 2)
	if err := env.ArchiveBatch(t.Context(), env.admin.ID, p, b.Name, "enough"); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, len(incomplete()), 0)
}
