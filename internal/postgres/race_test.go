package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// runWhileLocked does one thing in a transaction that stays open until another waits for
// it, and returns what the other came to.
func (env testEnv) runWhileLocked(holder func(pgx.Tx) error, waiter func() error) error {
	env.t.Helper()
	done := make(chan error, 1)
	err := env.inTx(env.t.Context(), func(tx pgx.Tx) error {
		if err := holder(tx); err != nil {
			return err
		}
		go func() { done <- waiter() }()
		for range 500 {
			if env.queryInt(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0 {
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return errors.New("nothing waits")
	})
	if err != nil {
		env.t.Fatal(err)
	}
	return <-done
}

// newStartedBatch is a batch of one annotator, with one item answered and the next one open.
func (env testEnv) newStartedBatch() (project.Project, project.Batch, account.Account, string, string) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(3)
	p := env.newProject("race", 4)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, BreakMinutes: 5})
	first := env.openItem(accounts[0])
	next, err := env.Submit(env.t.Context(), accounts[0].ID, first, helpfulSubmission)
	if err != nil {
		env.t.Fatal(err)
	}
	return p, b, accounts[0], first, next
}

func TestSubmit_BreakStarts_Refused(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotator, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		return startBreakBefore(t.Context(), tx, a)
	}, func() error {
		_, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
		return err
	})
	if !errors.Is(err, labeling.ErrOnBreak) {
		t.Errorf("an answer in the break: %v", err)
	}
}

// What is kept of a form does not outlive its item, however late it comes.
func TestDraft_DuringSubmit_Deleted(t *testing.T) {
	env := newTestEnv(t)
	_, _, _, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		return insertAnnotation(t.Context(), tx, a, helpfulSubmission)
	}, func() error {
		return errors.Join(env.SaveFormAsDraft(t.Context(), token, helpfulSubmission), env.SaveSignedOutForm(t.Context(), token, 0, helpfulSubmission))
	})
	if n := env.queryInt(`SELECT count(*) FROM drafts`); err != nil || n != 0 {
		t.Errorf("%d drafts are left, %v", n, err)
	}
}

func TestBreak_DuringSubmit_Waits(t *testing.T) {
	env := newTestEnv(t)
	_, b, annotator, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		if a.Protocol, err = env.protocolRevision(t.Context(), tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := insertAnnotation(t.Context(), tx, a, helpfulSubmission); err != nil {
			return err
		}
		_, err = openNext(t.Context(), tx, b.ID, annotator.ID)
		return err
	}, func() error { return env.StartBreakInBatch(t.Context(), annotator.ID, b.ID) })
	if err != nil {
		t.Fatal(err)
	}
	if after := env.queryInt(`SELECT after FROM breaks`); after != 2 {
		t.Errorf("the break stands after item %d, want 2", after)
	}
}

func TestClaim_Closed_KeepsSlots(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, _ := env.newStartedBatch()
	before := env.queryInt(`SELECT count(account_id) FROM slots`)
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, b.Name); err != nil {
		t.Fatal(err)
	}
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		token, err := openWorkItem(t.Context(), tx, b.ID, annotator.ID)
		if token != "" {
			t.Error("an item of a closed batch is given out")
		}
		return err
	})
	if after := env.queryInt(`SELECT count(account_id) FROM slots`); err != nil || after != before {
		t.Errorf("%d slots are held, want %d: %v", after, before, err)
	}
}

// A draft that came too late for what it belongs to is in nobody's way.
func TestReopen_LateDraft_Ignored(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, first, token := env.newStartedBatch()
	env.execSQL(`INSERT INTO drafts (assignment_id, version, answers) SELECT id, 7, '{"values": {"helpful": 0}}' FROM assignments WHERE token = $1`, first)
	env.reopenItem(p, b, annotator, first)
	reopened, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
	if err != nil || reopened == "" {
		t.Fatal(reopened, err)
	}
	if s, err := env.LabelingScreen(t.Context(), annotator.ID, reopened); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
}

// reopenItem opens an item once more that its annotator flagged.
func (env testEnv) reopenItem(p project.Project, b project.Batch, a account.Account, token string) {
	env.t.Helper()
	if err := env.RequestCorrection(env.t.Context(), a.ID, token, "I meant no"); err != nil {
		env.t.Fatal(err)
	}
	corrections, err := env.CorrectionRequests(env.t.Context(), b.ID)
	if err != nil || len(corrections) != 1 {
		env.t.Fatal(corrections, err)
	}
	if err := env.AcceptCorrection(env.t.Context(), env.admin.ID, p, b, corrections[0].ID); err != nil {
		env.t.Fatal(err)
	}
}

// Who sets aside what was opened once more leaves it as it is: nobody else is
// asked for a label that is there already.
func TestSkip_Reopened_KeepsAnswer(t *testing.T) {
	for _, reason := range labeling.SkipReasons {
		t.Run(string(reason), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotator, first, token := env.newStartedBatch()
			env.reopenItem(p, b, annotator, first)
			reopened, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := env.Skip(t.Context(), annotator.ID, reopened, labeling.Skip{Reason: reason, Comment: "on second thoughts"}); err != nil {
				t.Fatal(err)
			}
			for _, email := range []string{"a1@example.org", "a2@example.org", "a3@example.org"} {
				member, err := env.AccountByEmail(t.Context(), email)
				if err != nil {
					t.Fatal(err)
				}
				env.submitAll(member)
			}
			if n := env.queryInt(`SELECT count(*) FROM (SELECT FROM annotations WHERE attempt = 1 GROUP BY item_id HAVING count(*) <> 2) wrong`); n != 0 {
				t.Errorf("%d items have another number of labels than asked for", n)
			}
			if got, err := env.Batch(t.Context(), p.ID, b.Name); err != nil || got.Submitted != 8 {
				t.Errorf("the batch stands at %+v, %v", got, err)
			}
		})
	}
}

// An item is to be labelled or calibrates, whichever of two leads was first.
func TestReference_BatchOpens_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("turns", 3)
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items`))
	reference := labeling.Reference{Answers: helpfulSubmission.Answers, Reasons: map[string]string{}}
	for _, f := range p.Protocol.Fields {
		reference.Reasons[f.Key] = "because"
	}
	spec, err := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, Seed: 1}.Check()
	if err != nil {
		t.Fatal(err)
	}
	annotator, err := env.AccountByEmail(t.Context(), emails[0])
	if err != nil {
		t.Fatal(err)
	}
	err = env.runWhileLocked(func(tx pgx.Tx) error {
		return openBatch(t.Context(), tx, env.admin.ID, p, spec, []account.Account{annotator})
	}, func() error { return env.SetReference(t.Context(), env.admin.ID, p, item, reference) })
	if err == nil {
		t.Error("an item in a batch becomes one of calibration")
	}
	if n := env.queryInt(`SELECT count(*) FROM batch_items b JOIN items i ON i.id = b.item_id WHERE b.calibration <> i.calibration`); n != 0 {
		t.Errorf("%d items are both", n)
	}
}
