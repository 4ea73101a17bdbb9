package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An undoer is an annotator of undoModel, and what they did.
type undoer struct {
	account account.Account
	latest  map[labeling.AssignmentID]int // "helpful" of the answers submitted last
	lastID  labeling.AssignmentID         // of the last submit; 0: none to undo
	setBack string                        // the item that must come back after the undone one
	draft   int                           // its "helpful"
	undone  labeling.AssignmentID         // open after an undo
}

// undoModel has annotators submit, undo, skip, take breaks and save drafts in random order,
// and checks each result.
type undoModel struct {
	testEnv
	batch project.Batch
	rng   *rand.Rand
	undos int
	items int // submits and skips that count for a day
}

func TestUndo_RandomWork_KeepsOverlapAndLabels(t *testing.T) {
	env := newTestEnv(t)
	undos := 0
	for seed := range uint64(6) {
		undos += env.playUndo(seed)
	}
	if undos < 60 {
		t.Errorf("only %d submits were undone", undos)
	}
	env.mustVerifyAuditLog()
}

func (env testEnv) playUndo(seed uint64) (undos int) {
	env.t.Helper()
	emails, accounts := make([]string, 3), make([]account.Account, 3)
	for i := range accounts {
		accounts[i] = env.newUser(fmt.Sprintf("undo%d-%d@example.org", seed, i), account.Annotator)
		emails[i] = accounts[i].Email
	}
	p := env.newProject(fmt.Sprintf("undo-%d", seed), 14)
	env.updateProject(p, fmt.Sprintf(`allows_undo = true, skip_policy = '%s', release_after_minutes = 30`,
		labeling.SkipPolicies[seed%3]))
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: int64(seed + 1),
		BreakEvery: 4, BreakMinutes: 5, DuplicateCount: 1,
		Assignment: []project.AssignmentMode{project.Planned, project.Pool}[seed%2]})
	m := &undoModel{testEnv: env, batch: b, rng: rand.New(rand.NewPCG(seed, 3))}
	players := make([]*undoer, len(accounts))
	for i, a := range accounts {
		players[i] = &undoer{account: a, latest: map[labeling.AssignmentID]int{}}
	}
	for idle := 0; idle < 12; idle++ {
		turn := m.rng.IntN(len(players))
		if idle > 0 {
			turn = idle % len(players)
		}
		if m.act(players[turn]) {
			idle = 0
		}
	}
	m.checkEnd(p, players)
	return m.undos
}

// act plays one turn and reports whether the annotator had an item.
func (m *undoModel) act(u *undoer) bool {
	m.t.Helper()
	token, err := m.OpenNext(m.t.Context(), u.account.ID, m.batch.ID)
	m.check(err)
	if token == "" {
		if m.rng.IntN(4) == 0 {
			return m.undo(u, "", LabelingScreen{})
		}
		return false
	}
	screen := m.testEnv.screen(u.account, token)
	if screen.CanUndo != (u.lastID != 0) {
		m.t.Fatalf("undo is offered: %v, want %v", screen.CanUndo, u.lastID != 0)
	}
	switch m.rng.IntN(10) {
	case 0:
		m.skip(u, screen)
	case 1:
		m.check(m.StartBreak(m.t.Context(), u.account.ID, token))
		if _, err := m.UndoSubmit(m.t.Context(), u.account.ID, m.batch.ID, token); !errors.Is(err,
			labeling.ErrOnBreak) {
			m.t.Fatalf("undo on a break: %v", err)
		}
		m.testEnv.endBreak(u.account)
	case 2, 3, 4:
		m.undo(u, token, screen)
	default:
		m.submit(u, screen)
	}
	m.checkCounters(u)
	return true
}

func (m *undoModel) submit(u *undoer, s LabelingScreen) {
	m.t.Helper()
	helpful := m.rng.IntN(2)
	next := m.testEnv.mustSubmit(u.account, s.Token, newSubmission(helpful))
	u.latest[s.ID], u.lastID = helpful, s.ID
	m.items++
	m.afterItem(u, next)
}

func (m *undoModel) skip(u *undoer, s LabelingScreen) {
	m.t.Helper()
	next := m.testEnv.skipItem(u.account, s.Token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	m.items++
	m.afterItem(u, next)
}

// afterItem checks that the item that an undo set back comes next, with its draft.
func (m *undoModel) afterItem(u *undoer, next string) {
	m.t.Helper()
	m.testEnv.endBreak(u.account)
	u.undone = 0
	if u.setBack == "" {
		return
	}
	if next == "" {
		next = m.testEnv.openItem(u.account)
	}
	if next != u.setBack || m.testEnv.screen(u.account, next).Draft.Values["helpful"] != u.draft {
		m.t.Fatalf("after the undone item came %s, want %s with its draft", next, u.setBack)
	}
	u.setBack = ""
}

// undo takes back the last submit and reports whether there was one.
func (m *undoModel) undo(u *undoer, open string, before LabelingScreen) bool {
	m.t.Helper()
	if open != "" && u.lastID != 0 {
		u.draft = m.rng.IntN(2)
		m.testEnv.mustSaveDraft(u.account, open, before.DraftVersion+1,
			labeling.Submission{Answers: newSubmission(u.draft).Answers, DraftVersion: before.DraftVersion})
	}
	token, err := m.UndoSubmit(m.t.Context(), u.account.ID, m.batch.ID, open)
	if u.lastID == 0 {
		if !errors.Is(err, labeling.ErrNothingToUndo) {
			m.t.Fatalf("undo without a submit: %v", err)
		}
		return false
	}
	m.check(err)
	m.undos++
	m.items--
	s := m.testEnv.screen(u.account, token)
	if s.ID != u.lastID || s.Draft.Values["helpful"] != u.latest[s.ID] || !s.IsUndone || s.Reopened || s.ActiveMS < 1 {
		m.t.Fatalf("undo opened %+v with draft %+v", s.Assignment, s.Draft)
	}
	if open != "" && (s.CompletedItems != before.CompletedItems-1 || s.ExpectedItems != before.ExpectedItems) {
		m.t.Fatalf("after the undo %+v, before %+v", s.Progress, before.Progress)
	}
	if open != "" {
		if _, err := m.Submit(m.t.Context(), u.account.ID, open, helpfulSubmission); !errors.Is(err,
			labeling.ErrSetBack) {
			m.t.Fatalf("submit of the item that was set back: %v", err)
		}
	}
	u.lastID, u.setBack, u.undone = 0, open, s.ID
	return true
}

// checkCounters compares the counters of an annotator with what they count.
func (m *undoModel) checkCounters(u *undoer) {
	m.t.Helper()
	var open, done, slots int
	err := m.pool.QueryRow(m.t.Context(), `
		SELECT (SELECT count(*) FROM assignments WHERE batch_id = $1 AND account_id = $2 AND state = 'open'),
		       (SELECT completed_items FROM annotator_progress WHERE batch_id = $1 AND account_id = $2),
		       (SELECT count(*) FROM assignments a WHERE a.batch_id = $1 AND a.account_id = $2 AND a.kind = 'work'
		           AND (a.state IN ('open', 'submitted') OR a.deferred) AND NOT EXISTS (
		               SELECT FROM slots s WHERE s.batch_id = $1 AND s.item_id = a.item_id AND s.account_id = $2))`,
		m.batch.ID, u.account.ID).Scan(&open, &done, &slots)
	m.check(err)
	want := len(u.latest)
	if u.undone != 0 {
		want--
	}
	if open > 1 || done != want || slots > 0 {
		m.t.Fatalf("%d open items, %d completed, want %d; %d items without their slot", open, done, want, slots)
	}
}

// checkEnd checks the labels, the slots and the export after the work.
func (m *undoModel) checkEnd(p project.Project, players []*undoer) {
	m.t.Helper()
	labels := 0
	for _, u := range players {
		for id, helpful := range u.latest {
			labels++
			var got, attempts, attemptNo int
			m.check(m.pool.QueryRow(m.t.Context(), `
				SELECT (SELECT (answers ->> 'helpful')::int FROM current_annotations
				WHERE assignment_id = $1), count(*),
				       (SELECT attempt_no FROM assignments WHERE id = $1)
				FROM annotations n
				WHERE n.assignment_id = $1 AND (n.attempt_no = 1) = (n.replaces_id IS
				NULL)`, id).Scan(&got, &attempts, &attemptNo))
			if got != helpful || attempts != attemptNo {
				m.t.Errorf("the label says %d after %d of %d attempts, want %d", got, attempts, attemptNo, helpful)
			}
		}
	}
	m.checkNone("slots without the label of their annotator", `
		SELECT FROM slots s WHERE s.batch_id = $1 AND s.account_id IS NOT NULL AND NOT s.withheld AND NOT EXISTS (
		    SELECT FROM assignments a WHERE a.batch_id = $1 AND a.item_id = s.item_id AND a.account_id = s.account_id
		    AND a.kind = 'work'
		       AND a.state IN ('submitted', 'skipped'))`)
	m.checkNone("items of one annotator twice", `
		SELECT FROM assignments a WHERE a.batch_id = $1 AND a.kind = 'work' GROUP BY a.item_id, a.account_id
		HAVING count(*) > 1`)
	m.checkNone("items still set back or open", `SELECT FROM assignments WHERE batch_id = $1 AND (set_back OR reopened
		OR state = 'open')`)
	var days int
	m.check(m.pool.QueryRow(m.t.Context(), `SELECT sum(item_count) FROM annotator_days
		WHERE project_id = $1`, p.ID).Scan(&days))
	rows := 0
	for _, file := range []string{"annotations", "duplicates"} {
		for _, row := range m.exportRows(p, dataset.Wide, file) {
			if row["current"] != false {
				rows++
			}
		}
	}
	if days != m.items || rows != labels {
		m.t.Errorf("%d items a day, want %d; %d rows exported, want %d", days, m.items, rows, labels)
	}
}

func (m *undoModel) checkNone(what, sql string) {
	m.t.Helper()
	var n int
	m.check(m.pool.QueryRow(m.t.Context(), `SELECT count(*) FROM (`+sql+`) found`, m.batch.ID).Scan(&n))
	if n != 0 {
		m.t.Errorf("%d %s", n, what)
	}
}

func (m *undoModel) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// Without the setting, in a closed batch and for a paused annotator, nothing can be undone.
func TestUndo_NotPossible_Refused(t *testing.T) {
	env := newTestEnv(t)
	_, b, annotator, submitted, open := env.newStartedBatch()
	for _, c := range []struct{ name, prepare, restore string }{
		{"no setting", `SELECT 1`, `UPDATE projects SET allows_undo = true`},
		{"paused", `UPDATE batch_annotators SET paused_at = now()`, `UPDATE batch_annotators SET paused_at = NULL`},
		{"reopened by a lead", `UPDATE assignments SET reopened = true
			WHERE state = 'submitted'`, `UPDATE assignments SET reopened = false WHERE state = 'submitted'`},
	} {
		env.execSQL(c.prepare)
		if _, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, open); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: got %v", c.name, err)
		}
		env.execSQL(c.restore)
	}
	if _, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, submitted); !errors.Is(err,
		labeling.ErrNothingToUndo) {
		t.Errorf("an item that is not open: %v", err)
	}
	token, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, open)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, token); !errors.Is(err, labeling.ErrNothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
	if n := env.queryInt(`SELECT count(*) FROM audit_log WHERE action = 'correction.undo_submit'
		AND account_id = $1`, annotator.ID); n != 1 {
		t.Errorf("%d audit entries", n)
	}
}

// A lead who closes the batch releases an item that is set back like the open item it was.
func TestUndo_BatchClosed_ReleasesSetBackItem(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, open := env.newStartedBatch()
	env.updateProject(p, "allows_undo = true")
	if _, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, open); err != nil {
		t.Fatal(err)
	}
	env.mustSaveDraft(annotator, open, 1, unhelpfulSubmission)
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, b.Name, project.BatchClosing{Reason: "done",
		ReleaseOpen: true}); err != nil {
		t.Fatal(err)
	}
	if d, err := env.KeptDraft(t.Context(), annotator.ID, open); err != nil || d.Answers.Values["helpful"] != 0 {
		t.Errorf("kept draft %+v, %v", d.Answers, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE state = 'released' AND NOT set_back`); n != 1 {
		t.Errorf("%d items released", n)
	}
}

// In a batch that closes with its open items, an item that is set back still comes.
func TestUndo_BatchClosed_SetBackItemComes(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, open := env.newStartedBatch()
	env.updateProject(p, "allows_undo = true")
	token, err := env.UndoSubmit(t.Context(), annotator.ID, b.ID, open)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, b.Name, project.BatchClosing{Reason: "done"}); err != nil {
		t.Fatal(err)
	}
	if next := env.mustSubmit(annotator, token, unhelpfulSubmission); next != open {
		t.Errorf("next is %q, want the item set back", next)
	}
	env.mustSubmit(annotator, open, helpfulSubmission)
}
