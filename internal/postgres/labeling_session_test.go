package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestDailyLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("day", 10)
	env.updateProject(p, `day_items = 3`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.submitAll(accounts[0])
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != 3 {
		t.Errorf("%d items were given on one day, want 3", n)
	}
	overview, err := env.WorkOverview(t.Context(), accounts[0].ID)
	if err != nil || overview.Batches[0].Limit != labeling.DailyLimit {
		t.Errorf("the step is %+v, %v", overview, err)
	}
	env.advanceClock(24 * 60)
	if env.openItem(accounts[0]) == "" {
		t.Error("nothing is given on the next day")
	}
}

func TestSessionLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("sitting", 10)
	env.updateProject(p, `sitting_minutes = 60`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.submitItem(accounts[0])
	token := env.openItem(accounts[0])
	env.advanceClock(61)
	if next, err := env.submit(t.Context(), accounts[0].ID, token, helpfulSubmission); err != nil || next != "" {
		t.Errorf("after an hour: %q, %v", next, err)
	}
	if env.openItem(accounts[0]) != "" {
		t.Error("the sitting goes on after an hour")
	}
	env.advanceClock(29)
	env.advanceClock(29)
	if env.openItem(accounts[0]) == "" {
		t.Error("nothing is given after a long rest")
	}
}
