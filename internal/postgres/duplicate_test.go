package postgres

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// shownItem is an assignment in the order in which the annotator saw it.
type shownItem struct {
	Kind       string
	ItemID     project.ItemID
	SequenceNo int
}

func (env testEnv) shownItems(batchID project.BatchID, accountID account.ID) []shownItem {
	env.t.Helper()
	items, err := collectAll[shownItem](env.pool.Query(env.t.Context(), `
		SELECT a.kind, a.item_id, a.sequence_no
		FROM assignments a
		WHERE a.batch_id = $1 AND a.account_id = $2
		ORDER BY a.sequence_no`, batchID, accountID))
	if err != nil {
		env.t.Fatal(err)
	}
	return items
}

func TestDuplicates_KeepDistance(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 60, project.BatchSpec{Overlap: 2, Seed: 5, BreakEvery: 7, DuplicateCount: 6})
	env.submitInTurns(annotators)
	for _, a := range annotators {
		shown, first, duplicates := env.shownItems(b.ID, a.ID), map[project.ItemID]int{}, 0
		for i, s := range shown {
			if s.Kind == string(sequence.KindWork) {
				first[s.ItemID] = i
				continue
			}
			duplicates++
			original, known := first[s.ItemID]
			delete(first, s.ItemID)
			if !known || i-original < sequence.MinDistance(46) {
				t.Errorf("duplicate at %d of %d: original at %d (%v)", i+1, len(shown), original+1, known)
			}
		}
		if len(shown)-duplicates == 40 && duplicates != 6 {
			t.Errorf("%d duplicates, want 6", duplicates)
		}
	}
	if got, err := env.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 120 || got.Slots != 120 || got.Claimed != 120 {
		t.Errorf("batch = %+v, %v", got, err)
	}
}

func TestDuplicates_CountedSeparately(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 20, project.BatchSpec{DuplicateCount: 4})
	env.submitAll(annotators[0], helpfulSubmission)
	err := env.Snapshot(t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for kind, want := range map[ExportKind]int{ExportWork: 20, ExportDuplicates: 4, ExportCalibration: 0} {
			if n, err := s.CountAnnotations(t.Context(), kind); err != nil || n != want {
				t.Errorf("%s: %d annotations, %v; want %d", kind, n, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The screen of a duplicate does not differ from that of a new item.
func TestLabelingScreen_Duplicate_LooksNew(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 20, project.BatchSpec{DuplicateCount: 4})
	completed := 0
	env.submitEach(annotators[0], func(token string) labeling.Submission {
		screen := env.screen(annotators[0], token)
		if screen.CompletedItems != completed || screen.ExpectedItems != 24 || screen.IsCalibration {
			t.Errorf("item %d is shown as %d of %d", completed+1, screen.CompletedItems, screen.ExpectedItems)
		}
		completed++
		return helpfulSubmission
	})
	if completed != 24 {
		t.Errorf("%d items, want 24", completed)
	}
}

func TestDuplicates_SameSeed_Same(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(2)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 11, DuplicateCount: 5}
	loadDuplicates := func(b project.Batch) []sequence.Duplicate {
		duplicates, err := collectAll[sequence.Duplicate](env.pool.Query(t.Context(), `
			SELECT position, original_no FROM hidden_duplicates WHERE batch_id = $1 ORDER BY account_id, position`, b.ID))
		if err != nil || len(duplicates) != 10 {
			t.Fatalf("%d duplicates, %v; want 10", len(duplicates), err)
		}
		return duplicates
	}
	first, second := env.newBatch(env.newProject("first", 30), spec), env.newBatch(env.newProject("second", 30), spec)
	checkEqual(t, loadDuplicates(second), loadDuplicates(first))
}

// An item that is released and submitted later counts at its new place, so that no item
// is duplicated twice.
func TestDuplicates_LateSubmit_Stay(t *testing.T) {
	env := newTestEnv(t)
	emails, annotators := env.newAnnotators(1)
	annotator := annotators[0]
	for seed := range int64(12) {
		p := env.newProject(fmt.Sprintf("seed-%d", seed), 30)
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 8, Seed: seed + 1})
		for n, token := 0, env.openItem(annotator); token != ""; n++ {
			if n == 2 {
				env.releaseOpenItem(b)
				token = env.openItem(annotator)
			} else {
				token = env.mustSubmit(annotator, token, helpfulSubmission)
			}
			if n == 22 {
				env.freeReleasedSlot(b)
			}
		}
		if n := env.queryInt(`SELECT count(*) FROM hidden_duplicates WHERE batch_id = $1 AND assignment_id IS NOT NULL`, b.ID); n < 7 {
			t.Errorf("seed %d: %d of 8 duplicates were shown, want at least 7", seed+1, n)
		}
	}
}

// A break before or after a duplicate costs nothing and moves nothing: each duplicate comes
// at its planned position and counts.
func TestDuplicates_BesideBreaks_Count(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 60, project.BatchSpec{Seed: 5, BreakEvery: 20, DuplicateCount: 6})
	for _, a := range annotators {
		for token := env.openItem(a); token != ""; token = env.openItem(a) {
			env.takeBreakBefore(a, token)
			if again := env.openItem(a); again != token {
				t.Fatal("another item is open after the break")
			}
			env.submitItem(a)
		}
	}
	env.checkCount(12, `assignments d
		JOIN breaks k ON k.batch_id = d.batch_id AND k.account_id = d.account_id AND k.after_sequence_no = d.sequence_no - 1
		WHERE d.kind = 'duplicate' AND d.state = 'submitted'`)
	env.checkCount(12, `hidden_duplicates h JOIN assignments d ON d.id = h.assignment_id AND d.sequence_no = h.position WHERE h.batch_id = $1`, b.ID)
	if n := len(env.exportRows(p, dataset.Wide, "duplicates")); n != 12 {
		t.Errorf("exported %d duplicates, want 12", n)
	}
}

// Work and the item page show the same counters after every action, whatever the kind of
// the item.
func TestProgress_EveryPage_Same(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 40, project.BatchSpec{Seed: 3, BreakEvery: 7, DuplicateCount: 8})
	env.updateProject(p, `skip_policy = 'return_later'`)
	annotator := annotators[0]
	checkSame := func(token, after string) labeling.Progress {
		t.Helper()
		screen := env.screen(annotator, token)
		if work := env.workProgress(annotator, b); work != screen.Progress {
			t.Fatalf("after %s: Work shows %+v, the item page %+v", after, work, screen.Progress)
		}
		return screen.Progress
	}
	for n, token := 0, env.openItem(annotator); token != ""; n++ {
		before := checkSame(token, "opening")
		switch n % 4 {
		case 0:
			env.takeBreakBefore(annotator, token)
			before.ItemsToBreak = 7
			checkEqual(t, checkSame(token, "a break"), before)
		case 1:
			if token = env.skipItem(annotator, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"}); token != "" {
				checkEqual(t, checkSame(token, "a skip"), before)
				continue
			}
			return
		case 2:
			next := env.mustSubmit(annotator, token, helpfulSubmission)
			env.endBreak(annotator)
			before.CompletedItems++
			checkEqual(t, env.workProgress(annotator, b).CompletedItems, before.CompletedItems)
			env.reopenItem(p, b, annotator, token)
			checkEqual(t, env.workProgress(annotator, b).CompletedItems, before.CompletedItems)
			if next == "" {
				next = env.openItem(annotator)
			}
			token = next
			continue
		}
		env.mustSubmit(annotator, token, helpfulSubmission)
		env.endBreak(annotator)
		token = env.openItem(annotator)
	}
}

// workProgress returns the counters of the page Work.
func (env testEnv) workProgress(a account.Account, b project.Batch) labeling.Progress {
	env.t.Helper()
	overview, err := env.WorkOverview(env.t.Context(), a.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	progress, _ := overview.Batch(b.ID)
	return progress.Progress
}
