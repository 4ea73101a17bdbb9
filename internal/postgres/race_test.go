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

// while does one thing in a transaction that stays open until another waits for
// it, and returns what the other came to.
func (w world) while(one func(pgx.Tx) error, other func() error) error {
	w.t.Helper()
	done := make(chan error, 1)
	err := w.inTx(w.t.Context(), func(tx pgx.Tx) error {
		if err := one(tx); err != nil {
			return err
		}
		go func() { done <- other() }()
		for range 500 {
			if w.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0 {
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return errors.New("nothing waits")
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return <-done
}

// labelled is a batch of one annotator, with one item answered and the next one open.
func (w world) labelled() (project.Project, project.Batch, account.Account, string, string) {
	w.t.Helper()
	emails, accounts := w.annotators(3)
	p := w.project("race", 4)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, BreakMinutes: 5})
	first := w.begin(accounts[0])
	next, err := w.Submit(w.t.Context(), accounts[0].ID, first, good)
	if err != nil {
		w.t.Fatal(err)
	}
	return p, b, accounts[0], first, next
}

func TestNothingIsAnsweredInABreakThatBeganMeanwhile(t *testing.T) {
	w := newWorld(t)
	_, _, me, _, open := w.labelled()
	err := w.while(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, open)
		if err != nil {
			return err
		}
		return restBefore(t.Context(), tx, a)
	}, func() error {
		_, err := w.Submit(t.Context(), me.ID, open, good)
		return err
	})
	if !errors.Is(err, labeling.Resting) {
		t.Errorf("an answer in the break: %v", err)
	}
}

// What is kept of a form does not outlive its item, however late it comes.
func TestNoDraftIsLeftOfWhatWasAnsweredMeanwhile(t *testing.T) {
	w := newWorld(t)
	_, _, _, _, open := w.labelled()
	err := w.while(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, open)
		if err != nil {
			return err
		}
		return insertAnnotation(t.Context(), tx, a, good)
	}, func() error {
		return errors.Join(w.KeepDraft(t.Context(), open, good), w.KeepUnsigned(t.Context(), open, 0, good))
	})
	if n := w.count(`SELECT count(*) FROM drafts`); err != nil || n != 0 {
		t.Errorf("%d drafts are left, %v", n, err)
	}
}

func TestABreakStandsAfterWhatWasAnsweredMeanwhile(t *testing.T) {
	w := newWorld(t)
	_, b, me, _, open := w.labelled()
	err := w.while(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, open)
		if err != nil {
			return err
		}
		if a.Protocol, err = w.protocolAt(t.Context(), tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := insertAnnotation(t.Context(), tx, a, good); err != nil {
			return err
		}
		_, err = give(t.Context(), tx, b.ID, me.ID)
		return err
	}, func() error { return w.TakeBreakIn(t.Context(), me.ID, b.ID) })
	if err != nil {
		t.Fatal(err)
	}
	if after := w.count(`SELECT after FROM breaks`); after != 2 {
		t.Errorf("the break stands after item %d, want 2", after)
	}
}

func TestABatchThatClosesMeanwhileLosesNoSlot(t *testing.T) {
	w := newWorld(t)
	p, b, me, _, _ := w.labelled()
	held := w.count(`SELECT count(account_id) FROM slots`)
	if err := w.CloseBatch(t.Context(), w.admin.ID, p, b.Name); err != nil {
		t.Fatal(err)
	}
	err := w.inTx(t.Context(), func(tx pgx.Tx) error {
		token, err := claim(t.Context(), tx, b.ID, me.ID)
		if token != "" {
			t.Error("an item of a closed batch is given out")
		}
		return err
	})
	if now := w.count(`SELECT count(account_id) FROM slots`); err != nil || now != held {
		t.Errorf("%d slots are held, want %d: %v", now, held, err)
	}
}

// A draft that came too late for what it belongs to is in nobody's way.
func TestAnItemIsOpenedOnceMoreWhateverDraftItHas(t *testing.T) {
	w := newWorld(t)
	p, b, me, first, open := w.labelled()
	w.exec(`INSERT INTO drafts (assignment_id, version, answers) SELECT id, 7, '{"values": {"helpful": 0}}' FROM assignments WHERE token = $1`, first)
	w.reopened(p, b, me, first)
	again, err := w.Submit(t.Context(), me.ID, open, good)
	if err != nil || again == "" {
		t.Fatal(again, err)
	}
	if s, err := w.Screen(t.Context(), me.ID, again); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
}

// reopened opens an item once more that its annotator flagged.
func (w world) reopened(p project.Project, b project.Batch, a account.Account, token string) {
	w.t.Helper()
	if err := w.Flag(w.t.Context(), a.ID, token, "I meant no"); err != nil {
		w.t.Fatal(err)
	}
	flags, err := w.Flags(w.t.Context(), b.ID)
	if err != nil || len(flags) != 1 {
		w.t.Fatal(flags, err)
	}
	if err := w.Reopen(w.t.Context(), w.admin.ID, p, b, flags[0].ID); err != nil {
		w.t.Fatal(err)
	}
}

// Who sets aside what was opened once more leaves it as it is: nobody else is
// asked for a label that is there already.
func TestAnItemOpenedOnceMoreAndSetAsideKeepsItsAnswer(t *testing.T) {
	for _, reason := range labeling.Reasons {
		t.Run(string(reason), func(t *testing.T) {
			w := newWorld(t)
			p, b, me, first, open := w.labelled()
			w.reopened(p, b, me, first)
			again, err := w.Submit(t.Context(), me.ID, open, good)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.SetAside(t.Context(), me.ID, again, labeling.Aside{Reason: reason, Word: "on second thoughts"}); err != nil {
				t.Fatal(err)
			}
			for _, a := range []string{"a1@example.org", "a2@example.org", "a3@example.org"} {
				who, err := w.AccountByEmail(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				w.finish(who)
			}
			if n := w.count(`SELECT count(*) FROM (SELECT FROM annotations WHERE attempt = 1 GROUP BY item_id HAVING count(*) <> 2) wrong`); n != 0 {
				t.Errorf("%d items have another number of labels than asked for", n)
			}
			if got, err := w.Batch(t.Context(), p.ID, b.Name); err != nil || got.Submitted != 8 {
				t.Errorf("the batch stands at %+v, %v", got, err)
			}
		})
	}
}

// An item is to be labelled or calibrates, whichever of two leads was first.
func TestAnItemThatIsHandedOutMeanwhileCalibratesNobody(t *testing.T) {
	w := newWorld(t)
	emails, _ := w.annotators(1)
	p := w.project("turns", 3)
	item := int64(w.count(`SELECT min(id) FROM items`))
	reference := labeling.Reference{Answers: good.Answers, Why: map[string]string{}}
	for _, f := range p.Protocol.Fields {
		reference.Why[f.Key] = "because"
	}
	h, err := project.Handout{Name: "one", Annotators: emails, Overlap: 1, Seed: 1}.Check()
	if err != nil {
		t.Fatal(err)
	}
	ann, err := w.AccountByEmail(t.Context(), emails[0])
	if err != nil {
		t.Fatal(err)
	}
	err = w.while(func(tx pgx.Tx) error {
		return openBatch(t.Context(), tx, w.admin.ID, p, h, []account.Account{ann})
	}, func() error { return w.SetReference(t.Context(), w.admin.ID, p, item, reference) })
	if err == nil {
		t.Error("an item in a batch becomes one of calibration")
	}
	if n := w.count(`SELECT count(*) FROM batch_items b JOIN items i ON i.id = b.item_id WHERE b.calibration <> i.calibration`); n != 0 {
		t.Errorf("%d items are both", n)
	}
}
