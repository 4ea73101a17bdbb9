package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
)

func TestBreak_AfterItems_IsDue(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("rest", 10), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakEvery: 3, BreakMinutes: 5})
	annotatorID := accounts[0].ID
	for round := range 2 {
		token := env.openItem(accounts[0])
		for i := range 3 {
			if token == "" {
				t.Fatalf("round %d: a break after %d items", round, i)
			}
			var err error
			if token, err = env.submit(t.Context(), annotatorID, token, helpfulSubmission); err != nil {
				t.Fatal(err)
			}
		}
		if token != "" {
			t.Fatal("no break after three items")
		}
		brk, err := env.CurrentBreak(t.Context(), annotatorID)
		if err != nil || !brk.Planned || brk.ScheduledEndAt.Sub(brk.StartedAt).Round(time.Second) != 5*time.Minute {
			t.Fatalf("%+v, %v", brk, err)
		}
		if round == 0 {
			env.expireBreaks()
		}
		if _, err := env.EndBreak(t.Context(), annotatorID); err != nil {
			t.Fatal(err)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations WHERE since_break = (position - 1) % 3`); n != 6 {
		t.Errorf("%d of 6 annotations know how many items came since the break", n)
	}
	env.submitItem(accounts[0])
	if n := env.queryInt(`SELECT since_break FROM annotations WHERE position = 7`); n != 3 {
		t.Errorf("after a break that was not taken, %d items came since the last", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM breaks WHERE taken`); n != 1 {
		t.Errorf("%d breaks count as taken, want the one whose time passed", n)
	}
}

func TestBreak_AfterMinutes_IsDue(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("minutes", 10)
	env.updateProject(p, `break_after = 20`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	annotatorID := accounts[0].ID
	env.submitItem(accounts[0])
	env.advanceClock(25)
	token, err := env.submit(t.Context(), annotatorID, env.openItem(accounts[0]), helpfulSubmission)
	if brk, breakErr := env.CurrentBreak(t.Context(), annotatorID); err != nil || token != "" || breakErr != nil || !brk.Planned {
		t.Fatalf("no break after 25 minutes: %q, %v, %v", token, err, breakErr)
	}
	if n := env.queryInt(`SELECT max(sitting_minutes) FROM annotations`); n != 25 {
		t.Errorf("the annotation was made after %d minutes, want 25", n)
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
