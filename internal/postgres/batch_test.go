package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestOpenBatch_SameSeed_SameQueues(t *testing.T) {
	env := newTestEnv(t)
	emails, annotators := env.newAnnotators(2)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 11}
	first, second := env.newBatch(env.newProject("first", 30), spec), env.newBatch(env.newProject("second", 30), spec)
	loadQueue := func(b project.Batch, a account.Account) string {
		return query[string](env, `
			SELECT string_agg(i.source_id, ' ' ORDER BY s.queue_no)
			FROM slots s
			JOIN items i ON i.id = s.item_id
			WHERE s.batch_id = $1 AND s.account_id = $2`, b.ID, a.ID)
	}
	checkEqual(t, loadQueue(second, annotators[0]), loadQueue(first, annotators[0]))
	if loadQueue(first, annotators[0]) == loadQueue(first, annotators[1]) {
		t.Error("two annotators have the same queue")
	}
}

func TestOpenBatch_TooManyDuplicates_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("small", 4)
	_, err := env.OpenBatch(t.Context(), env.admin.ID, p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1,
		DuplicateCount: 9, FewerCalibration: "A test."})
	checkErrorIs(t, "9 duplicates of 4 items", err, fault.Invalid)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1,
		DuplicateCount: project.UseDefault, CalibrationCount: project.UseDefault})
	if b.DuplicateCount != 0 || b.CalibrationCount != 0 {
		t.Errorf("default for 4 items = %d duplicates and %d calibration items, want none", b.DuplicateCount,
			b.CalibrationCount)
	}
}
