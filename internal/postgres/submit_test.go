package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestSubmit_Invalid_NotStored(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("strict", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	invalid := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"helpful": 7}}}
	_, err := env.Submit(t.Context(), accounts[0].ID, token, invalid)
	problems, ok := errors.AsType[protocol.Problems](err)
	if !ok || len(problems) != 5 {
		t.Fatalf("got %v", err)
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != 0 {
		t.Errorf("%d annotations were stored", n)
	}
	if again := env.openItem(accounts[0]); again != token {
		t.Error("the item is not open any more")
	}
}

func TestSubmit_OnBreak_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("pause", 5), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
	if err := env.StartBreak(t.Context(), annotatorID, token); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Submit(t.Context(), annotatorID, token, helpfulSubmission); !errors.Is(err, labeling.ErrOnBreak) {
		t.Errorf("a submit in a break: %v", err)
	}
	if _, err := env.Skip(t.Context(), annotatorID, token, labeling.Skip{Reason: labeling.Distressing}); !errors.Is(err, labeling.ErrOnBreak) {
		t.Errorf("setting aside in a break: %v", err)
	}
	if err := env.SaveDraft(t.Context(), annotatorID, token, 1, helpfulSubmission); err != nil {
		t.Errorf("what is typed in a break is lost: %v", err)
	}
	if _, err := env.EndBreak(t.Context(), annotatorID); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Submit(t.Context(), annotatorID, token, helpfulSubmission); err != nil {
		t.Errorf("after the break: %v", err)
	}
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

func TestSubmit_Twice_StoresOnce(t *testing.T) {
	env := newTestEnv(t)
	const items, times = 500, 2
	p := env.newProject("double", items)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 3})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			for token := env.openItem(a); token != ""; {
				token = env.submitConcurrently(a.ID, token, times)
			}
		})
	}
	wg.Wait()
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != items*2 {
		t.Errorf("%d annotations, want %d", n, items*2)
	}
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE state <> 'submitted'`); n != 0 {
		t.Errorf("%d assignments were left open", n)
	}
}

func TestSubmit_40Annotators_KeepsOverlap(t *testing.T) {
	env := newTestEnv(t)
	const items, overlap = 300, 3
	p := env.newProject("crowd", items)
	emails, accounts := env.newAnnotators(40)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: overlap, Seed: 7})
	var wg sync.WaitGroup
	for _, a := range accounts {
		wg.Go(func() {
			token, err := env.OpenNext(t.Context(), a.ID, 0)
			for err == nil && token != "" {
				token, err = env.submit(t.Context(), a.ID, token, helpfulSubmission)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	exact := env.queryInt(`
		SELECT count(*) FROM (
			SELECT item_id FROM annotations WHERE batch_id = $1
			GROUP BY item_id HAVING count(*) = $2 AND count(DISTINCT account_id) = $2) x`, b.ID, overlap)
	if exact != items {
		t.Errorf("%d of %d items have exactly %d annotators", exact, items, overlap)
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != items*overlap {
		t.Errorf("%d annotations, want %d", n, items*overlap)
	}
	if n := env.queryInt(`SELECT count(*) FROM slots WHERE account_id IS NULL`); n != 0 {
		t.Errorf("%d slots are still free", n)
	}
}

func TestItem_NotOwn_NotFound(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("mine", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token, otherID := env.openItem(accounts[0]), accounts[1].ID
	_, screenErr := env.LabelingScreen(t.Context(), otherID, token)
	_, submitErr := env.Submit(t.Context(), otherID, token, helpfulSubmission)
	_, skipErr := env.Skip(t.Context(), otherID, token, labeling.Skip{Reason: labeling.Distressing})
	for what, err := range map[string]error{
		"Screen": screenErr, "Submit": submitErr, "SetAside": skipErr,
		"SaveDraft": env.SaveDraft(t.Context(), otherID, token, 1, helpfulSubmission),
		"TakeBreak": env.StartBreak(t.Context(), otherID, token),
	} {
		_, absentErr := env.Submit(t.Context(), otherID, "no-such-token", helpfulSubmission)
		if !errors.Is(err, fault.NotFound) || fault.Message(err) != fault.Message(absentErr) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
