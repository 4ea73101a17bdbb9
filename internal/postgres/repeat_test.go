package postgres

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
	"github.com/labelwright/labelwright/internal/sheet"
)

// finish labels whatever an annotator is given, going on through every break,
// until nothing is left.
func (w world) finish(a account.Account) {
	w.t.Helper()
	for w.step(a) {
	}
}

// step labels one item, and reports whether there was one.
func (w world) step(a account.Account) bool {
	w.t.Helper()
	token := w.begin(a)
	if token == "" {
		return false
	}
	_, err := w.Submit(w.t.Context(), a.ID, token, good)
	if err == nil {
		_, err = w.GoOn(w.t.Context(), a.ID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return true
}

// A presented is one assignment as it was met.
type presented struct {
	Kind    string
	ItemID  int64
	Breaks  int // that came before it
	Process int // position
}

func (w world) presented(batch, accountID int64) []presented {
	w.t.Helper()
	all, err := many[presented](w.pool.Query(w.t.Context(), `
		SELECT a.kind, a.item_id, a.position AS process,
		       (SELECT count(*) FROM breaks k WHERE k.batch_id = a.batch_id AND k.account_id = a.account_id AND k.after < a.position) AS breaks
		FROM assignments a
		WHERE a.batch_id = $1 AND a.account_id = $2
		ORDER BY a.position`, batch, accountID))
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestHiddenDuplicatesComeWhereTheyMay(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(3)
	p := w.project("twice", 60)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 5, BreakEvery: 7, Duplicates: 6})
	for more := true; more; { // in turns, so that each has an even share
		more = false
		for _, a := range accounts {
			more = w.step(a) || more
		}
	}
	for _, a := range accounts {
		all, first, duplicates := w.presented(b.ID, a.ID), map[int64]int{}, 0
		for i, s := range all {
			if s.Kind == string(sequence.Work) {
				first[s.ItemID] = i
				continue
			}
			duplicates++
			from, known := first[s.ItemID]
			delete(first, s.ItemID)
			switch {
			case !known || 3*(i-from) < len(all):
				t.Errorf("a duplicate at %d of %d has its original at %d (%v)", i+1, len(all), from+1, known)
			case s.Breaks > all[i-1].Breaks || i+1 < len(all) && all[i+1].Breaks > s.Breaks:
				t.Errorf("the duplicate at %d is beside a break", i+1)
			}
		}
		if len(all)-duplicates == 40 && duplicates != 6 {
			t.Errorf("%d duplicates, want 6", duplicates)
		}
	}
	if got, err := w.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 120 || got.Slots != 120 || got.Claimed != 120 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
}

func TestDuplicatesStayOutOfWhatIsMeasuredAndAreExportedApart(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("apart", 20)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Duplicates: 4})
	w.finish(accounts[0])
	err := w.Snapshot(t.Context(), p, func(s Snapshot) error {
		for kind, want := range map[Kind]int{Work: 20, Duplicate: 4, Calibration: 0} {
			if n, err := s.Count(t.Context(), kind); err != nil || n != want {
				t.Errorf("%d annotations of kind %s, want %d (%v)", n, kind, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestADuplicateSetAsideLeavesTheFirstAnswerItsSlot(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("aside2", 20)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Duplicates: 2})
	me := accounts[0]
	for token := w.begin(me); token != ""; token = w.begin(me) {
		var err error
		if w.count(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 {
			_, err = w.SetAside(t.Context(), me.ID, token, labeling.Aside{Reason: labeling.Distressing})
		} else {
			_, err = w.Submit(t.Context(), me.ID, token, good)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := w.count(`SELECT count(*) FROM slots WHERE batch_id = $1 AND account_id = $2`, b.ID, me.ID); n != 20 {
		t.Errorf("%d slots are still held, want 20", n)
	}
	got, err := w.Batch(t.Context(), p.ID, "one")
	if err != nil || got.Submitted != 20 || w.count(`SELECT count(*) FROM assignments WHERE state = 'set_aside' AND kind = 'work'`) != 0 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
}

func TestTheScreenOfADuplicateIsThatOfANewItem(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("alike", 20), project.Handout{Name: "one", Annotators: emails, Overlap: 1, Duplicates: 4})
	total := 0
	for i, token := 0, w.begin(accounts[0]); token != ""; i++ {
		s, err := w.Screen(t.Context(), accounts[0].ID, token)
		if err != nil {
			t.Fatal(err)
		}
		if s.Done != i || s.Total != 24 || s.Calibration {
			t.Errorf("item %d is shown as %d of %d", i+1, s.Done, s.Total)
		}
		if token, err = w.Submit(t.Context(), accounts[0].ID, token, good); err != nil {
			t.Fatal(err)
		}
		total = i + 1
	}
	if total != 24 {
		t.Errorf("%d items were shown, want 24", total)
	}
}

func TestTheSameSeedHidesTheSameDuplicates(t *testing.T) {
	w := newWorld(t)
	emails, _ := w.annotators(2)
	h := project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 11, Duplicates: 5}
	repeats := func(batch int64) (all []sequence.Repeat) {
		all, err := many[sequence.Repeat](w.pool.Query(t.Context(), `SELECT at, of FROM repeats WHERE batch_id = $1 ORDER BY account_id, at`, batch))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first, second := repeats(w.open(w.project("seed1", 30), h).ID), repeats(w.open(w.project("seed2", 30), h).ID)
	if len(first) != 10 || !slices.Equal(first, second) {
		t.Errorf("the same seed gave\n%v\n%v", first, second)
	}
}

func TestABatchThatCannotHideItsDuplicatesIsRefused(t *testing.T) {
	w := newWorld(t)
	emails, _ := w.annotators(1)
	p := w.project("tight", 4)
	_, err := w.OpenBatch(t.Context(), w.admin.ID, p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Duplicates: 9})
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Duplicates: project.AsPlanned, Calibration: project.AsPlanned})
	if b.Duplicates != 0 || b.Calibration != 0 {
		t.Errorf("four items were planned with %d duplicates and %d of calibration", b.Duplicates, b.Calibration)
	}
}

// What was left alone and submitted late counts where it was submitted, so that
// nothing is repeated twice.
func TestAnItemSubmittedLateMovesNoDuplicate(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	me := accounts[0]
	for seed := range int64(12) {
		p := w.project(fmt.Sprintf("moves-%d", seed), 30)
		b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Duplicates: 8, Seed: seed + 1})
		for n, token := 0, w.begin(me); token != ""; n++ {
			var err error
			if n == 2 { // left alone for long
				w.leave(b)
				token, err = w.Begin(t.Context(), me.ID, b.ID)
			} else {
				token, err = w.Submit(t.Context(), me.ID, token, good)
			}
			if n == 22 {
				w.offer(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := w.count(`SELECT count(*) FROM repeats WHERE batch_id = $1 AND assignment_id IS NOT NULL`, b.ID); n < 7 {
			t.Errorf("only %d of 8 duplicates came", n)
		}
	}
}

// leave gives an item of a batch that is open to somebody else, as it were; and
// offer gives it back.
func (w world) leave(b project.Batch) {
	w.t.Helper()
	w.exec(`UPDATE assignments SET state = 'returned' WHERE batch_id = $1 AND state = 'open'`, b.ID)
}

func (w world) offer(b project.Batch) {
	w.t.Helper()
	w.exec(`
		UPDATE slots s SET account_id = NULL FROM assignments a
		WHERE a.batch_id = $1 AND a.state = 'returned' AND s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id = a.account_id`, b.ID)
}

func (w world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

// However often somebody rests, before a duplicate or right after one, what
// counts as a duplicate stands clear of every break, and no item comes twice as
// one.
func TestAnOwnBreakNeverStandsBesideADuplicateThatCounts(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("rested", 60)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 5, BreakEvery: 20, Duplicates: 6})
	restedAt := map[int64][]int{accounts[0].ID: {}, accounts[1].ID: {}}
	for token, me := w.begin(accounts[0]), accounts[0].ID; token != ""; token = w.begin(accounts[0]) {
		before := w.count(`SELECT total FROM (SELECT (SELECT share FROM batch_annotators WHERE batch_id = $1 AND account_id = $2) + duplicates AS total FROM batches WHERE id = $1) t`, b.ID, me)
		if w.count(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 && len(restedAt[me]) < 3 {
			w.restsBefore(token, accounts[0])
			restedAt[me] = append(restedAt[me], w.count(`SELECT max(after) FROM breaks WHERE account_id = $1`, me))
			if again := w.begin(accounts[0]); again != token {
				t.Fatal("after the break another item is shown")
			}
		}
		s, err := w.Screen(t.Context(), me, token)
		if err != nil || s.Total != before {
			t.Fatalf("the screen counts to %d, before the break to %d (%v)", s.Total, before, err)
		}
		w.step(accounts[0])
	}
	for token, me := w.begin(accounts[1]), accounts[1].ID; token != ""; token = w.begin(accounts[1]) {
		after := w.count(`SELECT count(*) FROM assignments a JOIN assignments d ON d.batch_id = a.batch_id AND d.account_id = a.account_id
			AND d.kind = 'duplicate' AND d.position = a.position - 1 WHERE a.token = $1`, token)
		if after == 1 && len(restedAt[me]) < 3 {
			w.restsBefore(token, accounts[1])
			restedAt[me] = append(restedAt[me], 1)
		}
		w.step(accounts[1])
	}
	for _, a := range accounts {
		if n := w.count(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'spoiled'`, a.ID); n != 3 {
			t.Errorf("%d duplicates were beside a break, want the 3 that were rested at", n)
		}
		if n := w.count(`SELECT count(*) FROM assignments WHERE account_id = $1 AND kind = 'duplicate'`, a.ID); n < 4 {
			t.Errorf("%d duplicates came, want others instead of those spoiled", n)
		}
	}
	if n := w.count(`
		SELECT count(*) FROM assignments d JOIN breaks k ON k.batch_id = d.batch_id AND k.account_id = d.account_id AND d.position IN (k.after, k.after + 1)
		WHERE d.kind = 'duplicate' AND EXISTS (SELECT FROM assignments n WHERE n.account_id = d.account_id AND n.position > k.after)`); n != 0 {
		t.Errorf("%d duplicates that count stand beside a break", n)
	}
	if n := w.count(`
		SELECT count(*) FROM assignments d JOIN assignments o ON o.account_id = d.account_id AND o.item_id = d.item_id AND o.kind = 'work'
		WHERE d.kind IN ('duplicate', 'spoiled') AND 3 * (d.position - o.position) < 66`); n != 0 {
		t.Errorf("%d duplicates come too soon", n)
	}
	left := map[any]int{}
	files := w.exported(p, Export{Shape: sheet.Wide, Format: sheet.JSONL})
	for _, row := range w.rowsOf(files["duplicates.jsonl"]) {
		left[fmt.Sprint(row["kind"], " ", row["left_out"])]++
	}
	stored := w.count(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'spoiled'`)
	if len(left) != 2 || left["spoiled beside_break"] != stored || stored == 0 {
		t.Errorf("exported are %v, want the %d that do not count among them", left, stored)
	}
	for _, row := range w.rowsOf(files["annotations.jsonl"]) {
		if row["kind"] != "work" || row["left_out"] != nil {
			t.Fatalf("among the labels is %v, %v", row["kind"], row["left_out"])
		}
	}
}

// restsBefore takes a break before an open item, and goes on.
func (w world) restsBefore(token string, a account.Account) {
	w.t.Helper()
	if err := w.TakeBreak(w.t.Context(), a.ID, token); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.GoOn(w.t.Context(), a.ID); err != nil {
		w.t.Fatal(err)
	}
}
