package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestRelease_Abandoned_Reclaimable(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 1, project.BatchSpec{Overlap: 1, Assignment: project.Pool})
	env.updateProject(p, `release_after_minutes = 30`)
	first, second := annotators[0], annotators[1]
	token := env.openItem(first)
	env.mustSaveDraft(first, token, 1, withNote("half a thought"))
	if env.openItem(second) != "" {
		t.Fatal("second annotator got the item before its release")
	}
	env.abandonItems()
	env.checkReleased(1)
	if note := env.screen(first, token).Draft.Note; note != "half a thought" {
		t.Errorf("draft = %q, want it unchanged", note)
	}
	if again := env.openItem(first); again != token {
		t.Errorf("first annotator reopened %q, want %q", again, token)
	}
	env.abandonItems()
	other := env.openItem(second) // without ReleaseAbandoned
	if other == "" {
		t.Fatal("second annotator did not get the abandoned item")
	}
	_, submitErr := env.Submit(t.Context(), first.ID, token, helpfulSubmission)
	checkErrorIs(t, "late submit", submitErr, labeling.ErrReassigned)
	_, screenErr := env.LabelingScreen(t.Context(), first.ID, token)
	checkErrorIs(t, "late screen", screenErr, labeling.ErrReassigned)
	env.mustSubmit(second, other, helpfulSubmission)
}

// abandonItems makes open items look inactive for 31 minutes.
func (env testEnv) abandonItems() {
	env.t.Helper()
	env.ageClaims(31)
	env.advanceClock(31)
}

func (env testEnv) checkReleased(want int) {
	env.t.Helper()
	if n, err := env.ReleaseAbandoned(env.t.Context()); err != nil || n != want {
		env.t.Fatalf("released %d items, %v; want %d", n, err, want)
	}
}

func TestSubmit_Released_ReclaimsSlot(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(2, 1, project.BatchSpec{Overlap: 1, Assignment: project.Pool})
	token := env.openItem(annotators[0])
	env.ageClaims(2 * 24 * 60)
	env.checkReleased(1)
	env.mustSubmit(annotators[0], token, helpfulSubmission)
	env.checkCount(1, `slots WHERE account_id = $1`, annotators[0].ID)
	if env.openItem(annotators[1]) != "" {
		t.Error("the item has more annotators than overlap")
	}
}
