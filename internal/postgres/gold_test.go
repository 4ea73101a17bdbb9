package postgres

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// newGoldBatch opens a batch with 2 calibration items and 6 gold items for each of two annotators, who finished the
// calibration.
func (env testEnv) newGoldBatch(minimum int) (project.Project, project.Batch, []account.Account) {
	env.t.Helper()
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", 40)
	env.addReferences(p, 9)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 7, CalibrationCount: 2,
		DuplicateCount: 4, GoldCount: 6, GoldMinimum: minimum})
	for _, a := range annotators {
		env.submitCalibration(a, helpfulSubmission)
		env.startWork(a, b)
	}
	return p, b, annotators
}

func (env testEnv) isGold(token string) bool {
	env.t.Helper()
	return query[bool](env, `SELECT kind = 'gold' FROM assignments WHERE token = $1`, token)
}

// Gold items are items with references that their annotator was not shown, among the work and never last. They are no
// labels, and their answers count on the board, in the report and in a file of their own.
func TestGold_ReachesBoardReportAndExport(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newGoldBatch(0)
	for i, a := range annotators {
		env.submitEach(a, func(token string) labeling.Submission {
			if i == 1 && env.isGold(token) {
				return unhelpfulSubmission // one of five answers is wrong
			}
			return helpfulSubmission
		})
		shown := env.shownItems(b.ID, a.ID)
		var gold []project.ItemID
		for _, s := range shown {
			if s.Kind == string(sequence.KindGold) {
				gold = append(gold, s.ItemID)
			}
		}
		if len(gold) != 6 || len(slices.Compact(slices.Sorted(slices.Values(gold)))) != 6 ||
			shown[len(shown)-1].Kind != string(sequence.KindWork) {
			t.Errorf("gold items %v, the last item of kind %s", gold, shown[len(shown)-1].Kind)
		}
		if n := env.queryInt(`SELECT count(*) FROM assignments g JOIN assignments c ON c.item_id = g.item_id
			AND c.account_id = g.account_id AND c.id <> g.id WHERE g.kind = 'gold'`); n != 0 {
			t.Errorf("%d gold items were shown before", n)
		}
	}
	rows, err := env.Board(t.Context(), env.admin.ID, p.Protocol, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if want := 30 - 6*i; row.Gold.Hits != want || row.Gold.Total != 30 || row.Gold.Interval.Units != 6 {
			t.Errorf("gold of annotator %d = %+v, want %d of 30 on 6 items", i+1, row.Gold, want)
		}
	}
	if got, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || got.LabelsGiven != 80 || got.LabelsWanted != 80 {
		t.Errorf("batch = %+v, %v", got, err)
	}
	r := env.buildReport(p, 2)
	helpful, _ := r.Field("helpful")
	if r.Counts.Work != 80 || r.Counts.Gold != 12 || helpful.Figures[0].Ratings != 80 ||
		*r.Annotators[0].Gold.Value+*r.Annotators[1].Gold.Value != 1.8 || r.Annotators[0].GoldItems != 6 {
		t.Errorf("report counts %+v, gold %+v and %+v", r.Counts, r.Annotators[0].Gold, r.Annotators[1].Gold)
	}
	for file, want := range map[string]int{"gold": 12, "annotations": 80, "duplicates": 8, "calibration": 4} {
		if n := len(env.exportRows(p, "wide", file)); n != want {
			t.Errorf("%d rows in %s, want %d", n, file, want)
		}
	}
}

// An annotator whose answers to gold items are certainly below the minimum is paused after a tenth item. Annotator
// and lead see why. After a lead resumed the work, only later gold counts.
func TestGold_BelowMinimum_PausesAndTells(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newGoldBatch(60)
	opposite := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{}}}
	for key, value := range helpfulSubmission.Answers.Values {
		opposite.Answers.Values[key] = 1 - value
	}
	wrong := func(token string) labeling.Submission {
		if env.isGold(token) {
			return opposite
		}
		return helpfulSubmission
	}
	done := env.submitEach(annotators[0], wrong)
	if done%10 != 0 || done >= 50 {
		t.Fatalf("paused after %d items, want a multiple of ten before the end", done)
	}
	if n := env.submitAll(annotators[1], helpfulSubmission); n != 50 {
		t.Errorf("the other annotator labeled %d items, want 50", n)
	}
	notices, err := env.workNotices(annotators[0].ID)
	if err != nil || len(notices) != 1 || notices[0].Kind != "paused_by_gold" {
		t.Errorf("notices = %+v, %v", notices, err)
	}
	isGold := func(e labeling.InboxEntry) bool { return e.Kind == labeling.InboxGold }
	entries := env.inbox(env.admin)
	if i := slices.IndexFunc(entries, isGold); i < 0 || entries[i].AccountID != annotators[0].ID {
		t.Errorf("inbox = %+v", entries)
	}
	rows, err := env.Board(t.Context(), env.admin.ID, p.Protocol, b)
	if err != nil || rows[0].State != project.BoardPaused || !rows[0].PausedByGold || rows[1].PausedByGold {
		t.Errorf("board = %+v, %v", rows, err)
	}
	env.checkCount(1, `audit_log WHERE action = 'batch.pause_by_gold' AND account_id = $1`, annotators[0].ID)
	env.mustChange(p, project.BatchChange{Resume: []string{annotators[0].Email}})
	if slices.ContainsFunc(env.inbox(env.admin), isGold) {
		t.Error("the inbox still has a pause that a lead decided on")
	}
	if n := done + env.submitEach(annotators[0], wrong); n != 50 {
		t.Errorf("%d items after the pause, want 50", n)
	}
}
