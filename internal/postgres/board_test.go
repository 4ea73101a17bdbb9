package postgres

import (
	"math"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// refreshStates runs the background job until every batch is up to date.
func (env testEnv) refreshStates() {
	env.t.Helper()
	for isRefreshed := true; isRefreshed; {
		env.execSQL(`UPDATE batch_states SET computed_at = computed_at - interval '1 minute'`)
		var err error
		if isRefreshed, err = env.RefreshBatchState(env.t.Context()); err != nil {
			env.t.Fatal(err)
		}
	}
}

func (env testEnv) board(actor account.Account, b project.Batch) map[account.ID]project.BoardRow {
	env.t.Helper()
	rows, err := env.Board(env.t.Context(), actor.ID, protocol.Protocol{}, b)
	if err != nil {
		env.t.Fatal(err)
	}
	board := map[account.ID]project.BoardRow{}
	for _, row := range rows {
		board[row.AccountID] = row
	}
	return board
}

// The agreement on the board equals that of the report, whether it is computed after each
// label or at the end.
func TestBatchState_Incremental_EqualsReport(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 24, project.BatchSpec{Overlap: 2})
	n := 0
	env.refreshStates()
	for _, a := range annotators {
		env.submitEach(a, func(string) labeling.Submission {
			if n++; n%7 == 0 {
				env.refreshStates()
			}
			if n%5 == 0 {
				return unhelpfulSubmission
			}
			return helpfulSubmission
		})
	}
	env.refreshStates()
	state, err := env.BatchState(t.Context(), env.admin.ID, b.ID)
	if err != nil || state.SharedItems != 24 || state.UsedItems != 24 {
		t.Fatalf("state = %+v, %v", state, err)
	}
	data, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if err != nil {
		t.Fatal(err)
	}
	built, err := report.Build(data, report.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := built.Fields
	isNear := func(a, b *float64) bool { // sums may be in another order
		return (a == nil) == (b == nil) && (a == nil || math.Abs(*a-*b) < 1e-9)
	}
	for i, f := range state.Agreement {
		kappa := want[i].Kappa
		if f.Key != want[i].Key || f.Verdict != string(want[i].Verdict) || !isNear(f.Kappa, kappa.Value) ||
			!isNear(f.Low, kappa.Low) || !isNear(f.High, kappa.High) {
			t.Errorf("%s: the board and the report differ: %+v, %+v", f.Key, f, want[i])
		}
	}
	row := env.board(env.admin, b)[annotators[0].ID]
	if row.State != project.BoardDone || row.Done != row.Total || row.MedianActiveMS < 900 ||
		row.MedianActiveMS > 1100 {
		t.Errorf("row = %+v", row)
	}
}

func TestBoard_States(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(4, 6, project.BatchSpec{Overlap: 2, BreakMinutes: 5})
	token := env.openItem(annotators[0])
	env.skipItem(annotators[0], token, labeling.Skip{Reason: labeling.Unclear, Comment: "odd"})
	if err := env.StartBreakInBatch(t.Context(), annotators[1].ID, b.ID); err != nil {
		t.Fatal(err)
	}
	submitted := env.openItem(annotators[2])
	env.mustSubmit(annotators[2], submitted, helpfulSubmission)
	if err := env.RequestCorrection(t.Context(), annotators[2].ID, submitted, "I meant no"); err != nil {
		t.Fatal(err)
	}
	env.execSQL(`UPDATE members SET last_active_at = now() - interval '3 days' WHERE account_id = $1`, annotators[2].ID)
	env.execSQL(`UPDATE batch_annotators SET last_opened_at = now() - interval '3 days'
		WHERE account_id = $1`, annotators[2].ID)
	env.execSQL(`UPDATE batches SET opened_at = now() - interval '4 days'`)
	board := env.board(env.admin, b)
	for i, want := range []project.BoardState{project.BoardWorking, project.BoardOnBreak, project.BoardIdle,
		project.BoardNotStarted} {
		if got := board[annotators[i].ID]; got.State != want {
			t.Errorf("annotator %d: %+v, want %s", i+1, got, want)
		}
	}
	if board[annotators[0].ID].Skipped != 1 || board[annotators[2].ID].Corrections != 1 ||
		time.Until(*board[annotators[1].ID].BreakEndsAt) > 5*time.Minute {
		t.Errorf("board = %+v", board)
	}
	behind := 0
	for _, e := range env.inbox(env.admin) {
		if e.Kind == labeling.InboxBehind {
			behind++
			if e.ProjectKey != p.Key || e.HasStarted != (e.AccountID == annotators[2].ID) {
				t.Errorf("behind: %+v", e)
			}
		}
	}
	if behind != 3 { // not the first one, who works
		t.Errorf("%d annotators are behind, want 3", behind)
	}
}

// A slot that everyone skipped is in the inbox until another annotator can take it.
func TestBatchState_SkippedByAll_Stuck(t *testing.T) {
	env := newTestEnv(t)
	_, b, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	env.skipItem(annotators[0], env.openItem(annotators[0]), labeling.Skip{Reason: labeling.Unclear, Comment: "odd"})
	env.refreshStates()
	entries := env.inbox(env.admin)
	if len(entries) != 1 || entries[0].Kind != labeling.InboxStuck || entries[0].Count != 1 ||
		entries[0].BatchName != b.Name {
		t.Errorf("entries = %+v", entries)
	}
	if got, err := env.Batch(t.Context(), 0, b.ProjectID, b.Name); err != nil || got.Stuck != 1 {
		t.Errorf("%d stuck labels, %v", got.Stuck, err)
	}
}

// No figure that a labeling lead sees of the own work differs from what annotators see: the
// number of work labels would tell which items were hidden duplicates.
func TestBoard_LabelingLead_OwnFiguresAsAnnotator(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("blinded", 40)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2,
		DuplicateCount: 5, Seed: 3})
	for n := 1; env.submitItem(lead); n++ {
		screen := env.board(lead, b)[lead.ID]
		overview, err := env.WorkOverview(t.Context(), lead.ID)
		if err != nil {
			t.Fatal(err)
		}
		if screen.Done != n || screen.Done != overview.Batches[0].CompletedItems ||
			screen.Total != overview.Batches[0].ExpectedItems {
			t.Fatalf("after %d items: %+v, annotators see %+v", n, screen, overview.Batches[0].Progress)
		}
		shown, err := env.Batch(t.Context(), lead.ID, p.ID, b.Name)
		if err != nil || shown.LabelsGiven != n {
			t.Fatalf("after %d items: %d submitted, %v", n, shown.LabelsGiven, err)
		}
		summaries, err := env.ProjectSummaries(t.Context(), lead)
		if err != nil || summaries[0].LabelsGiven != n {
			t.Fatalf("after %d items: %+v, %v", n, summaries, err)
		}
	}
	env.refreshStates()
	if state, err := env.BatchState(t.Context(), lead.ID, b.ID); err != nil || !state.IsHidden ||
		len(state.Agreement) != 0 {
		t.Errorf("state = %+v, %v", state, err)
	}
}
