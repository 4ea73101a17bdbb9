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
	if got, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || got.LabelsGiven != 120 || got.LabelsWanted != 120 {
		t.Errorf("batch = %+v, %v", got, err)
	}
}

func TestDuplicates_CountedSeparately(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 20, project.BatchSpec{DuplicateCount: 4})
	env.submitAll(annotators[0], helpfulSubmission)
	err := env.Snapshot(t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for kind, want := range map[dataset.AnnotationKind]int{dataset.Work: 20, dataset.Duplicate: 4,
			dataset.Calibration: 0} {
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
			SELECT position, original_no FROM hidden_items WHERE batch_id = $1
			ORDER BY account_id, position`, b.ID))
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
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 8,
			Seed: seed + 1})
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
		if n := env.queryInt(`SELECT count(*) FROM hidden_items WHERE batch_id = $1
			AND assignment_id IS NOT NULL`, b.ID); n < 7 {
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
	env.checkCount(12, `hidden_items h JOIN assignments d ON d.id = h.assignment_id AND d.sequence_no = h.position WHERE h.batch_id = $1`, b.ID)
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
			skippedBefore := env.queryInt(`SELECT count(*) FROM skips s JOIN assignments a ON a.id = s.assignment_id
				WHERE a.token = $1`, token)
			if token = env.skipItem(annotator, token, labeling.Skip{Reason: labeling.Unclear,
				Comment: "why?"}); token != "" {
				after := checkSame(token, "a skip")
				if after.CompletedItems != before.CompletedItems ||
					after.ExpectedItems != before.ExpectedItems-skippedBefore {
					t.Fatalf("a skip changed %+v to %+v", before, after)
				}
				continue
			}
			return
		case 2:
			next := env.mustSubmit(annotator, token, helpfulSubmission)
			env.endBreak(annotator)
			before.CompletedItems++
			checkEqual(t, env.workProgress(annotator, b).CompletedItems, before.CompletedItems)
			env.reopenItem(p, b, annotator, token)
			checkEqual(t, env.workProgress(annotator, b), labeling.Progress{ // the reopened item is left
				CompletedItems: before.CompletedItems - 1, ExpectedItems: before.ExpectedItems,
				ItemsToBreak: env.workProgress(annotator, b).ItemsToBreak})
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

// openFirstDuplicate submits items until a hidden duplicate is open.
func (env testEnv) openFirstDuplicate(a account.Account) (token string) {
	env.t.Helper()
	for token = env.openItem(a); token != ""; token = env.openItem(a) {
		if env.isDuplicate(token) {
			return token
		}
		env.submitItem(a)
	}
	env.t.Fatal("no duplicate came")
	return ""
}

// If other annotators leave less work than planned, a duplicate still keeps the planned
// distance. The rest is lost, and the lead can see that.
func TestDuplicates_ShrunkShare_KeepDistanceOrAreLost(t *testing.T) {
	for _, share := range []int{1, 3, 9, 20, 26} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			env := newTestEnv(t)
			_, b, annotators := env.newBatchFor(2, 60, project.BatchSpec{Overlap: 1, Assignment: project.Pool,
				DuplicateCount: 6, Seed: 4})
			for range share {
				env.submitItem(annotators[0])
			}
			env.submitAll(annotators[1], helpfulSubmission)
			env.submitAll(annotators[0], helpfulSubmission)
			first := map[project.ItemID]int{}
			for i, s := range env.shownItems(b.ID, annotators[0].ID) {
				if original, known := first[s.ItemID]; known && i-original < sequence.MinDistance(36) {
					t.Errorf("duplicate at %d, original at %d", i+1, original+1)
				}
				first[s.ItemID] = i
			}
			d, err := env.DuplicateSummary(t.Context(), env.admin.ID, b.ID)
			if err != nil || d.Labeled+d.NotReached != 12 || share < 12 && d.NotReached < 6 {
				t.Errorf("duplicates = %+v, %v; want 12 labeled or not reached", d, err)
			}
			own, err := env.DuplicateSummary(t.Context(), annotators[0].ID, b.ID)
			if err != nil || own.Planned != 6 {
				t.Errorf("an annotator sees %+v, %v; want only the other annotator's", own, err)
			}
		})
	}
}

// An original that is labeled again, or not labeled at all, moves to another item. Without
// one that is far enough back, the duplicate is dropped.
func TestDuplicates_UnsuitableOriginal_Replaced(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 30, project.BatchSpec{DuplicateCount: 5, Seed: 3})
	careful, skipper := annotators[0], annotators[1]
	env.openFirstDuplicate(careful)
	env.submitItem(careful)
	planned := env.queryInt(`SELECT min(position) FROM hidden_items WHERE account_id = $1
		AND assignment_id IS NULL`, careful.ID)
	for env.queryInt(`SELECT presented_count FROM batch_annotators WHERE account_id = $1`, careful.ID) < planned-2 {
		env.submitItem(careful)
	}
	original := query[string](env, `
		SELECT token FROM (
			SELECT a.token, row_number() OVER (ORDER BY a.sequence_no) AS no FROM assignments a WHERE account_id = $1
			AND kind = 'work') w
		WHERE no = (SELECT original_no FROM hidden_items WHERE account_id = $1
		AND position = $2)`, careful.ID, planned)
	item := env.itemOf(original)
	env.reopenItem(p, b, careful, original)
	env.submitItem(careful) // the open item
	env.submitItem(careful) // the original
	env.submitAll(careful, helpfulSubmission)
	env.checkCount(5, `assignments WHERE account_id = $1 AND kind = 'duplicate' AND state = 'submitted'`, careful.ID)
	if repeated := query[project.ItemID](env, `SELECT item_id FROM assignments WHERE account_id = $1
		AND kind = 'duplicate' AND sequence_no = $2`,
		careful.ID, planned); repeated == item {
		t.Error("an item that was labeled again was repeated right afterwards")
	}
	for token := env.openItem(skipper); token != ""; {
		token = env.skipItem(skipper, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	}
	env.checkCount(0, `assignments WHERE account_id = $1 AND kind = 'duplicate'`, skipper.ID)
	if d, err := env.DuplicateSummary(t.Context(), env.admin.ID, b.ID); err != nil || d.Dropped+d.NotReached != 5 ||
		d.Dropped == 0 || d.Labeled != 5 {
		t.Errorf("duplicates = %+v, %v; want 5 labeled, 5 lost", d, err)
	}
}

// TestDuplicates_AfterOwnQueue_CountersSame opens a duplicate and work items that another annotator
// skipped, after the own queue has ended. What is left is one less each time.
func TestDuplicates_AfterOwnQueue_CountersSame(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 40, project.BatchSpec{Overlap: 1, DuplicateCount: 1})
	env.updateProject(p, `skip_policy = 'reassign'`)
	for range 4 {
		env.skipItem(annotators[1], env.openItem(annotators[1]), labeling.Skip{Reason: labeling.Unclear, Comment: "?"})
	}
	env.execSQL(`UPDATE hidden_items SET position = 23 WHERE account_id = $1`, annotators[0].ID)
	for range 20 {
		env.mustSubmit(annotators[0], env.openItem(annotators[0]), helpfulSubmission)
	}
	want := env.workProgress(annotators[0], b).ExpectedItems
	for token := env.openItem(annotators[0]); token != ""; token = env.openItem(annotators[0]) {
		if got := env.screen(annotators[0], token).Progress; got.ExpectedItems != want {
			t.Errorf("%+v, want %d expected items", got, want)
		}
		env.mustSubmit(annotators[0], token, helpfulSubmission)
	}
	if shown := env.shownItems(b.ID, annotators[0].ID); len(shown) != 25 || shown[22].Kind != "duplicate" {
		t.Errorf("%+v: the 23rd of 25 items is no duplicate", shown)
	}
}
