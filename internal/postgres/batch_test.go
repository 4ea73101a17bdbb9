package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestBatch_SameSeed_SameOrder(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 11}
	env.newBatch(env.newProject("first", 30), spec)
	other := env.newProject("second", 30)
	env.newBatch(other, spec)
	loadOrder := func(batch int64, account account.ID) (positions string) {
		err := env.pool.QueryRow(t.Context(), `
			SELECT string_agg(i.source_id, ' ' ORDER BY ord)
			FROM batch_annotators b, unnest(b.path) WITH ORDINALITY AS path (item_id, ord), items i
			WHERE b.batch_id = $1 AND b.account_id = $2 AND i.id = path.item_id`, batch, account).Scan(&positions)
		if err != nil {
			t.Fatal(err)
		}
		return positions
	}
	if a, b := loadOrder(1, accounts[0].ID), loadOrder(2, accounts[0].ID); a != b {
		t.Errorf("the same seed gave\n%s\n%s", a, b)
	}
	if a, b := loadOrder(1, accounts[0].ID), loadOrder(1, accounts[1].ID); a == b {
		t.Error("two annotators have the same order")
	}
}

func TestOpenBatch_TooManyDuplicates_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("tight", 4)
	_, err := env.OpenBatch(t.Context(), env.admin.ID, p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: 9})
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, DuplicateCount: project.UseDefault, CalibrationCount: project.UseDefault})
	if b.DuplicateCount != 0 || b.CalibrationCount != 0 {
		t.Errorf("four items were planned with %d duplicates and %d of calibration", b.DuplicateCount, b.CalibrationCount)
	}
}
