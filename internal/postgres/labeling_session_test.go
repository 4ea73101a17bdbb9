package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestDailyLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 10, project.BatchSpec{})
	env.updateProject(p, `daily_item_limit = 3`)
	if n := env.submitAll(annotators[0], helpfulSubmission); n != 3 {
		t.Errorf("submitted %d items on one day, want 3", n)
	}
	overview, err := env.WorkOverview(t.Context(), annotators[0].ID)
	if err != nil || overview.Batches[0].Limit != labeling.DailyLimit {
		t.Errorf("overview = %+v, %v", overview, err)
	}
	env.advanceClock(24 * 60)
	if env.openItem(annotators[0]) == "" {
		t.Error("no item on the next day")
	}
}

func TestSessionLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 10, project.BatchSpec{})
	env.updateProject(p, `session_limit_minutes = 60`)
	env.submitItem(annotators[0])
	token := env.openItem(annotators[0])
	env.advanceClock(61)
	if next := env.mustSubmit(annotators[0], token, helpfulSubmission); next != "" {
		t.Errorf("next item after 61 minutes: %q", next)
	}
	if env.openItem(annotators[0]) != "" {
		t.Error("the session continues after 61 minutes")
	}
	env.advanceClock(29)
	env.advanceClock(29)
	if env.openItem(annotators[0]) == "" {
		t.Error("no item in a new session")
	}
}
