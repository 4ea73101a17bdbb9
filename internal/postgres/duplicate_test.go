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
	Breaks     int // before it
	SequenceNo int
}

func (env testEnv) shownItems(batchID project.BatchID, accountID account.ID) []shownItem {
	env.t.Helper()
	items, err := collectAll[shownItem](env.pool.Query(env.t.Context(), `
		SELECT a.kind, a.item_id, a.sequence_no,
		       (SELECT count(*) FROM breaks k
		        WHERE k.batch_id = a.batch_id AND k.account_id = a.account_id AND k.after_sequence_no < a.sequence_no) AS breaks
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
			switch {
			case !known || 3*(i-original) < len(shown):
				t.Errorf("duplicate at %d of %d: original at %d (%v)", i+1, len(shown), original+1, known)
			case s.Breaks > shown[i-1].Breaks || i+1 < len(shown) && shown[i+1].Breaks > s.Breaks:
				t.Errorf("duplicate at %d is next to a break", i+1)
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

// A break before or after a duplicate invalidates it. Another item is duplicated instead,
// and the number of items on the screen does not change.
func TestDuplicates_AtBreak_Invalidated(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 60, project.BatchSpec{Seed: 5, BreakEvery: 20, DuplicateCount: 6})
	env.breakBeforeDuplicates(b, annotators[0], 3)
	env.breakAfterDuplicates(annotators[1], 3)
	for i, a := range annotators {
		if n := env.queryInt(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'invalidated'`, a.ID); n != 3 {
			t.Errorf("annotator %d: %d duplicates invalidated, want 3", i+1, n)
		}
		if n := env.queryInt(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'duplicate'`, a.ID); n < 4 {
			t.Errorf("annotator %d: %d valid duplicates, want at least 4", i+1, n)
		}
	}
	env.checkCount(0, `assignments d
		JOIN breaks k ON k.batch_id = d.batch_id AND k.account_id = d.account_id AND d.sequence_no IN (k.after_sequence_no, k.after_sequence_no + 1)
		WHERE d.kind = 'duplicate' AND EXISTS (SELECT FROM assignments n WHERE n.account_id = d.account_id AND n.sequence_no > k.after_sequence_no)`)
	env.checkCount(0, `assignments d
		JOIN assignments o ON o.account_id = d.account_id AND o.item_id = d.item_id AND o.kind = 'work'
		WHERE d.kind IN ('duplicate', 'invalidated') AND 3 * (d.sequence_no - o.sequence_no) < 66`)
	env.checkExportsInvalidated(p)
}

// breakBeforeDuplicates labels a batch and takes a break before each of the first n
// duplicates.
func (env testEnv) breakBeforeDuplicates(b project.Batch, a account.Account, n int) {
	env.t.Helper()
	for token := env.openItem(a); token != ""; token = env.openItem(a) {
		expected := env.queryInt(`
			SELECT ba.expected_items + b.duplicate_count
			FROM batch_annotators ba JOIN batches b ON b.id = ba.batch_id
			WHERE ba.batch_id = $1 AND ba.account_id = $2`, b.ID, a.ID)
		if env.isDuplicate(token) && n > 0 {
			n--
			env.takeBreakBefore(a, token)
			if again := env.openItem(a); again != token {
				env.t.Fatal("another item is open after the break")
			}
		}
		if s := env.screen(a, token); s.ExpectedItems != expected {
			env.t.Fatalf("expected items = %d, want %d", s.ExpectedItems, expected)
		}
		env.submitItem(a)
	}
}

// breakAfterDuplicates labels a batch and takes a break after each of the first n
// duplicates.
func (env testEnv) breakAfterDuplicates(a account.Account, n int) {
	env.t.Helper()
	for token, wasDuplicate := env.openItem(a), false; token != ""; token = env.openItem(a) {
		if wasDuplicate && n > 0 {
			n--
			env.takeBreakBefore(a, token)
		}
		wasDuplicate = env.isDuplicate(token)
		env.submitItem(a)
	}
}

// checkExportsInvalidated checks that invalidated duplicates are exported with the others,
// but marked, and not among the labels.
func (env testEnv) checkExportsInvalidated(p project.Project) {
	env.t.Helper()
	exported := map[string]int{}
	for _, row := range env.exportRows(p, dataset.Wide, "duplicates") {
		exported[fmt.Sprint(row["kind"], " ", row["exclusion_reason"])]++
	}
	stored := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'invalidated'`)
	if len(exported) != 2 || exported["invalidated beside_break"] != stored || stored == 0 {
		env.t.Errorf("exported duplicates = %v, want %d invalidated", exported, stored)
	}
	for _, row := range env.exportRows(p, dataset.Wide, "annotations") {
		if row["kind"] != "work" || row["exclusion_reason"] != nil {
			env.t.Fatalf("among the labels: kind %v, excluded for %v", row["kind"], row["exclusion_reason"])
		}
	}
}
