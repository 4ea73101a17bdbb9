package postgres

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A break by time follows a duplicate like any other item.
func TestBreak_AfterMinutes_FollowsDuplicate(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 40, project.BatchSpec{BreakMinutes: 5, DuplicateCount: 4, Seed: 1})
	env.updateProject(p, `break_after_minutes = 20`)
	token := env.openFirstDuplicate(annotators[0])
	env.advanceClock(25)
	env.checkPlannedBreak(annotators[0], env.mustSubmit(annotators[0], token, helpfulSubmission))
}

// Skipped items that return later return once, in the order in which they were skipped,
// whether they are work or duplicates.
func TestSkip_ReturnLater_DuplicateToo(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 40, project.BatchSpec{DuplicateCount: 8, Seed: 1})
	env.updateProject(p, `skip_policy = 'return_later'`)
	annotator := annotators[0]
	skip := labeling.Skip{Reason: labeling.Unclear, Comment: "why?"}
	var skipped, returned []string // kind and item
	describe := func(token string) string {
		return query[string](env, `SELECT kind || ' ' || item_id FROM assignments WHERE token = $1`, token)
	}
	for n, token := 0, env.openItem(annotator); token != ""; n++ {
		switch item := describe(token); {
		case slices.Contains(skipped, item):
			returned = append(returned, item)
			token = env.skipItem(annotator, token, skip)
		case n%2 == 0:
			skipped = append(skipped, item)
			token = env.skipItem(annotator, token, skip)
		default:
			token = env.mustSubmit(annotator, token, helpfulSubmission)
		}
	}
	checkEqual(t, returned, skipped)
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE kind = 'duplicate' AND state = 'skipped'`); n < 2 {
		t.Fatalf("%d duplicates skipped, want at least 2", n)
	}
	env.checkCount(0, `slots WHERE batch_id = $1 AND account_id IS NULL AND item_id IN (
		SELECT item_id FROM assignments WHERE kind = 'work' AND state = 'submitted')`, b.ID)
	if d, err := env.DuplicateSummary(t.Context(), env.admin.ID, b.ID); err != nil || d.Skipped == 0 ||
		d.Planned != 8 || d.Labeled+d.Lost() != 8 {
		t.Errorf("duplicates = %+v, %v; want 8 labeled or lost", d, err)
	}
}

// An abandoned duplicate is released like a work item. Its annotator gets it back while
// the work item in whose place it came is free, and never afterwards.
func TestRelease_AbandonedDuplicate_LikeWork(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 60, project.BatchSpec{Overlap: 1, Assignment: project.Pool,
		DuplicateCount: 4, Seed: 2})
	env.updateProject(p, `release_after_minutes = 30`)
	first, second := annotators[0], annotators[1]
	token := env.openFirstDuplicate(first)
	env.mustSaveDraft(first, token, 1, withNote("half a thought"))
	env.abandonItems()
	env.checkReleased(0) // a duplicate has no slot
	env.checkCount(1, `assignments WHERE state = 'released' AND kind = 'duplicate'`)
	if screen := env.screen(first, token); screen.Draft.Note != "half a thought" {
		t.Errorf("draft = %q, want it unchanged", screen.Draft.Note)
	}
	if again := env.openItem(first); again != token {
		t.Errorf("reopened %q, want the duplicate", again)
	}
	env.abandonItems()
	env.checkReleased(0)
	submitted := env.submitAll(second, helpfulSubmission)
	_, submitErr := env.Submit(t.Context(), first.ID, token, helpfulSubmission)
	checkErrorIs(t, "late submit", submitErr, labeling.ErrReassigned)
	_, screenErr := env.LabelingScreen(t.Context(), first.ID, token)
	checkErrorIs(t, "late screen", screenErr, labeling.ErrReassigned)
	if next := env.openItem(first); next != "" || submitted == 0 {
		t.Errorf("after the other annotator submitted %d items, got %q, want nothing", submitted, next)
	}
	env.checkCount(60, `slots WHERE batch_id = $1 AND account_id IS NOT NULL`, b.ID)
	d, err := env.DuplicateSummary(t.Context(), env.admin.ID, b.ID)
	if err != nil || d.Reassigned != 1 {
		t.Errorf("duplicates = %+v, %v; want one reassigned", d, err)
	}
}
