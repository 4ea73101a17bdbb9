package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestBreak_AfterItems_IsDue(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 10, project.BatchSpec{BreakEvery: 3, BreakMinutes: 5})
	annotator := annotators[0]
	for round := range 2 {
		token := env.openItem(annotator)
		for i := range 3 {
			if token == "" {
				t.Fatalf("round %d: break after %d items, want 3", round, i)
			}
			token = env.mustSubmit(annotator, token, helpfulSubmission)
		}
		env.checkPlannedBreak(annotator, token)
		if round == 0 {
			env.expireBreaks() // so that the break is completed
		}
		env.endBreak(annotator)
	}
	env.checkCount(6, `annotations WHERE items_since_completed_break = (sequence_no - 1) % 3`)
	env.submitItem(annotator)
	if n := env.queryInt(`SELECT items_since_completed_break FROM annotations WHERE sequence_no = 7`); n != 3 {
		t.Errorf("%d items since the completed break, want 3", n)
	}
	env.checkCount(1, `breaks WHERE completed`)
}

// What is announced comes true, also after the first item, which no break follows.
func TestItemsToBreak_EachItem_ComesTrue(t *testing.T) {
	for _, every := range []int{1, 3} {
		t.Run(fmt.Sprint("every ", every), func(t *testing.T) {
			env := newTestEnv(t)
			_, b, annotators := env.newBatchFor(1, 8, project.BatchSpec{BreakEvery: every, BreakMinutes: 5})
			annotator := annotators[0]
			token := env.openItem(annotator)
			left := env.workProgress(annotator, b).ItemsToBreak
			for i := range 6 { // no break follows the last but one
				token = env.mustSubmit(annotator, token, helpfulSubmission)
				left--
				if isBreak := token == ""; isBreak != (left == 0) {
					t.Fatalf("after %d items a break: %v, announced in %d items", i+1, isBreak, left)
				}
				if token == "" {
					env.endBreak(annotator)
					token = env.openItem(annotator)
					left = env.workProgress(annotator, b).ItemsToBreak
				}
				checkEqual(t, env.workProgress(annotator, b).ItemsToBreak, left)
			}
		})
	}
}

// checkPlannedBreak checks that a submit started a planned break of five minutes instead
// of returning a next item.
func (env testEnv) checkPlannedBreak(a account.Account, next string) {
	env.t.Helper()
	if next != "" {
		env.t.Fatal("got a next item, want a break")
	}
	b, err := env.CurrentBreak(env.t.Context(), a.ID)
	if err != nil || !b.Planned || b.ScheduledEndAt.Sub(b.StartedAt).Round(time.Second) != 5*time.Minute {
		env.t.Fatalf("got break %+v, error %v", b, err)
	}
}

func TestBreak_AfterMinutes_IsDue(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 10, project.BatchSpec{BreakMinutes: 5})
	env.updateProject(p, `break_after_minutes = 20`)
	env.submitItem(annotators[0])
	env.advanceClock(25)
	next := env.mustSubmit(annotators[0], env.openItem(annotators[0]), helpfulSubmission)
	env.checkPlannedBreak(annotators[0], next)
	if n := env.queryInt(`SELECT max(session_minutes) FROM annotations`); n != 25 {
		t.Errorf("session_minutes = %d, want 25", n)
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
		sql, args := insertAnnotation(a, helpfulSubmission)
		if _, err := tx.Exec(t.Context(), sql, args...); err != nil {
			return err
		}
		_, err = openNext(t.Context(), tx, b.ID, annotator.ID)
		return err
	}, func() error { return env.StartBreakInBatch(t.Context(), annotator.ID, b.ID) })
	if err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT after_sequence_no FROM breaks`); n != 2 {
		t.Errorf("break after item %d, want 2", n)
	}
}
