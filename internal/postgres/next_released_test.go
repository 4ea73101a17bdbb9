package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestRelease_Abandoned_Reclaimable(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("left", 1)
	env.updateProject(p, `return_after = 30`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	first, second := accounts[0], accounts[1]
	token := env.openItem(first)
	partial := labeling.Submission{Tab: "a", Answers: helpfulSubmission.Answers}
	partial.Answers.Note = "half a thought"
	if err := env.SaveDraft(t.Context(), first.ID, token, 1, partial); err != nil {
		t.Fatal(err)
	}
	if env.openItem(second) != "" {
		t.Fatal("the item was given away at once")
	}
	abandon := func() {
		t.Helper()
		if _, err := env.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '31 minutes'`); err != nil {
			t.Fatal(err)
		}
		env.advanceClock(31)
	}
	abandon()
	if n, err := env.ReleaseAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if s, err := env.LabelingScreen(t.Context(), first.ID, token); err != nil || s.Draft.Note != "half a thought" {
		t.Errorf("the page left open: %+v, %v", s.Draft, err)
	}
	if again := env.openItem(first); again != token {
		t.Errorf("coming back leads to %q", again)
	}
	abandon()
	other := env.openItem(second) // nobody has to sweep first
	if other == "" {
		t.Fatal("the item does not go to somebody else")
	}
	if _, err := env.Submit(t.Context(), first.ID, token, helpfulSubmission); !errors.Is(err, labeling.ErrReassigned) {
		t.Errorf("too late: %v", err)
	}
	if _, err := env.LabelingScreen(t.Context(), first.ID, token); !errors.Is(err, labeling.ErrReassigned) {
		t.Errorf("looking too late: %v", err)
	}
	if _, err := env.Submit(t.Context(), second.ID, other, helpfulSubmission); err != nil {
		t.Error(err)
	}
}

func TestSubmit_Released_TakesFreeSlot(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("late", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	if _, err := env.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '2 days'`); err != nil {
		t.Fatal(err)
	}
	if n, err := env.ReleaseAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if _, err := env.Submit(t.Context(), accounts[0].ID, token, helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT count(*) FROM slots WHERE account_id = $1`, accounts[0].ID); n != 1 {
		t.Error("the label holds no slot")
	}
	if env.openItem(accounts[1]) != "" {
		t.Error("the item is given once too often")
	}
}
