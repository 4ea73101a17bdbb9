package postgres

import (
	"fmt"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A shownItem is one assignment as it was met.
type shownItem struct {
	Kind       string
	ItemID     project.ItemID
	Breaks     int // that came before it
	SequenceNo int // position
}

func (env testEnv) shownItems(batch project.BatchID, accountID account.ID) []shownItem {
	env.t.Helper()
	items, err := collectAll[shownItem](env.pool.Query(env.t.Context(), `
		SELECT a.kind, a.item_id, a.position AS process,
		       (SELECT count(*) FROM breaks k WHERE k.batch_id = a.batch_id AND k.account_id = a.account_id AND k.after < a.position) AS breaks
		FROM assignments a
		WHERE a.batch_id = $1 AND a.account_id = $2
		ORDER BY a.position`, batch, accountID))
	if err != nil {
		env.t.Fatal(err)
	}
	return items
}

func TestDuplicates_KeepDistance(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(3)
	p := env.newProject("twice", 60)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 5, BreakEvery: 7, DuplicateCount: 6})
	for hasMore := true; hasMore; { // in turns, so that each has an even share
		hasMore = false
		for _, a := range accounts {
			hasMore = env.submitItem(a) || hasMore
		}
	}
	for _, a := range accounts {
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
				t.Errorf("a duplicate at %d of %d has its original at %d (%v)", i+1, len(shown), original+1, known)
			case s.Breaks > shown[i-1].Breaks || i+1 < len(shown) && shown[i+1].Breaks > s.Breaks:
				t.Errorf("the duplicate at %d is beside a break", i+1)
			}
		}
		if len(shown)-duplicates == 40 && duplicates != 6 {
			t.Errorf("%d duplicates, want 6", duplicates)
		}
	}
	if got, err := env.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 120 || got.Slots != 120 || got.Claimed != 120 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
}

func TestDuplicates_CountedApart(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("apart", 20)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 4})
	env.submitAll(accounts[0])
	err := env.Snapshot(t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for kind, want := range map[ExportKind]int{ExportWork: 20, ExportDuplicates: 4, ExportCalibration: 0} {
			if n, err := s.CountAnnotations(t.Context(), kind); err != nil || n != want {
				t.Errorf("%d annotations of kind %s, want %d (%v)", n, kind, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestScreen_Duplicate_LooksNew(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("alike", 20), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 4})
	total := 0
	for i, token := 0, env.openItem(accounts[0]); token != ""; i++ {
		s, err := env.LabelingScreen(t.Context(), accounts[0].ID, token)
		if err != nil {
			t.Fatal(err)
		}
		if s.CompletedItems != i || s.ExpectedItems != 24 || s.IsCalibration {
			t.Errorf("item %d is shown as %d of %d", i+1, s.CompletedItems, s.ExpectedItems)
		}
		if token, err = env.submit(t.Context(), accounts[0].ID, token, helpfulSubmission); err != nil {
			t.Fatal(err)
		}
		total = i + 1
	}
	if total != 24 {
		t.Errorf("%d items were shown, want 24", total)
	}
}

func TestDuplicates_SameSeed_Same(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(2)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 11, DuplicateCount: 5}
	loadDuplicates := func(batch project.BatchID) (all []sequence.Duplicate) {
		all, err := collectAll[sequence.Duplicate](env.pool.Query(t.Context(), `SELECT at, of FROM repeats WHERE batch_id = $1 ORDER BY account_id, at`, batch))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first, second := loadDuplicates(env.newBatch(env.newProject("seed1", 30), spec).ID), loadDuplicates(env.newBatch(env.newProject("seed2", 30), spec).ID)
	if len(first) != 10 || !slices.Equal(first, second) {
		t.Errorf("the same seed gave\n%v\n%v", first, second)
	}
}

// What was left alone and submitted late counts where it was submitted, so that
// nothing is repeated twice.
func TestDuplicates_LateSubmit_Stay(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	annotator := accounts[0]
	for seed := range int64(12) {
		p := env.newProject(fmt.Sprintf("moves-%d", seed), 30)
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 8, Seed: seed + 1})
		for n, token := 0, env.openItem(annotator); token != ""; n++ {
			var err error
			if n == 2 { // left alone for long
				env.releaseOpenItem(b)
				token, err = env.OpenNext(t.Context(), annotator.ID, b.ID)
			} else {
				token, err = env.submit(t.Context(), annotator.ID, token, helpfulSubmission)
			}
			if n == 22 {
				env.freeReleasedSlot(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := env.queryInt(`SELECT count(*) FROM repeats WHERE batch_id = $1 AND assignment_id IS NOT NULL`, b.ID); n < 7 {
			t.Errorf("only %d of 8 duplicates came", n)
		}
	}
}

// However often somebody rests, before a duplicate or right after one, what
// counts as a duplicate stands clear of every break, and no item comes twice as
// one.
func TestDuplicates_AtBreak_Invalidated(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("rested", 60)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 5, BreakEvery: 20, DuplicateCount: 6})
	breakPositions := map[account.ID][]int{accounts[0].ID: {}, accounts[1].ID: {}}
	for token, annotatorID := env.openItem(accounts[0]), accounts[0].ID; token != ""; token = env.openItem(accounts[0]) {
		total := env.queryInt(`SELECT total FROM (SELECT (SELECT share FROM batch_annotators WHERE batch_id = $1 AND account_id = $2) + duplicates AS total FROM batches WHERE id = $1) t`, b.ID, annotatorID)
		if env.queryInt(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 && len(breakPositions[annotatorID]) < 3 {
			env.takeBreakBefore(token, accounts[0])
			breakPositions[annotatorID] = append(breakPositions[annotatorID], env.queryInt(`SELECT max(after) FROM breaks WHERE account_id = $1`, annotatorID))
			if again := env.openItem(accounts[0]); again != token {
				t.Fatal("after the break another item is shown")
			}
		}
		s, err := env.LabelingScreen(t.Context(), annotatorID, token)
		if err != nil || s.ExpectedItems != total {
			t.Fatalf("the screen counts to %d, before the break to %d (%v)", s.ExpectedItems, total, err)
		}
		env.submitItem(accounts[0])
	}
	for token, annotatorID := env.openItem(accounts[1]), accounts[1].ID; token != ""; token = env.openItem(accounts[1]) {
		after := env.queryInt(`SELECT count(*) FROM assignments a JOIN assignments d ON d.batch_id = a.batch_id AND d.account_id = a.account_id
			AND d.kind = 'duplicate' AND d.position = a.position - 1 WHERE a.token = $1`, token)
		if after == 1 && len(breakPositions[annotatorID]) < 3 {
			env.takeBreakBefore(token, accounts[1])
			breakPositions[annotatorID] = append(breakPositions[annotatorID], 1)
		}
		env.submitItem(accounts[1])
	}
	for _, a := range accounts {
		if n := env.queryInt(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'spoiled'`, a.ID); n != 3 {
			t.Errorf("%d duplicates were beside a break, want the 3 that were rested at", n)
		}
		if n := env.queryInt(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'duplicate'`, a.ID); n < 4 {
			t.Errorf("%d duplicates came, want others instead of those spoiled", n)
		}
	}
	if n := env.queryInt(`
		SELECT count(*) FROM assignments d JOIN breaks k ON k.batch_id = d.batch_id AND k.account_id = d.account_id AND d.position IN (k.after, k.after + 1)
		WHERE d.kind = 'duplicate' AND EXISTS (SELECT FROM assignments n WHERE n.account_id = d.account_id AND n.position > k.after)`); n != 0 {
		t.Errorf("%d duplicates that count stand beside a break", n)
	}
	if n := env.queryInt(`
		SELECT count(*) FROM assignments d JOIN assignments o ON o.account_id = d.account_id AND o.item_id = d.item_id AND o.kind = 'work'
		WHERE d.kind IN ('duplicate', 'spoiled') AND 3 * (d.position - o.position) < 66`); n != 0 {
		t.Errorf("%d duplicates come too soon", n)
	}
	exported := map[any]int{}
	files := env.exportFiles(p, ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL})
	for _, row := range env.parseJSONL(files["duplicates.jsonl"]) {
		exported[fmt.Sprint(row["kind"], " ", row["exclusion_reason"])]++
	}
	stored := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'spoiled'`)
	if len(exported) != 2 || exported["spoiled beside_break"] != stored || stored == 0 {
		t.Errorf("exported are %v, want the %d that do not count among them", exported, stored)
	}
	for _, row := range env.parseJSONL(files["annotations.jsonl"]) {
		if row["kind"] != "work" || row["exclusion_reason"] != nil {
			t.Fatalf("among the labels is %v, %v", row["kind"], row["exclusion_reason"])
		}
	}
}
