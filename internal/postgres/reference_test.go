package postgres

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestSetReference_Invalid_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("test", 3)
	env.addReferences(p, 1)
	references, err := env.References(t.Context(), p.ID)
	if err != nil || len(references) != 1 || references[0].Reasons[protocol.NoteKey] != "It fits." {
		t.Fatalf("references = %+v, %v", references, err)
	}
	invalid := labeling.Reference{Answers: protocol.Answers{Values: map[string]int{"helpful": 3}}}
	if _, ok := errors.AsType[protocol.Problems](env.SetReference(t.Context(), env.admin.ID, p, references[0].ID,
		invalid)); !ok {
		t.Error("accepted a value that is not on the scale")
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	item := query[project.ItemID](env, `SELECT min(item_id) FROM batch_items`)
	checkErrorIs(t, "item of a batch", env.SetReference(t.Context(), env.admin.ID, p, item, references[0].Reference),
		fault.Conflict)
}

// A report shows the bias against references, so it is computed again when one is added or changes.
func TestSetReference_Changed_NewDataVersion(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 3)
	var versions []string
	addVersion := func() {
		t.Helper()
		versions = append(versions, env.reportVersion(p))
	}
	addVersion()
	env.addReferences(p, 1)
	addVersion()
	references, err := env.References(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	changed := references[0].Reference
	changed.Answers.Values["helpful"] = 1 - changed.Answers.Values["helpful"]
	for range 2 {
		if err := env.SetReference(t.Context(), env.admin.ID, p, references[0].ID, changed); err != nil {
			t.Fatal(err)
		}
		addVersion()
	}
	if versions[0] == versions[1] || versions[1] == versions[2] || versions[2] != versions[3] {
		t.Errorf("versions without a reference, with one, changed, saved again: %+v", versions)
	}
}

// An item is either labeled or a calibration item, even if two leads act at once.
func TestSetReference_BatchOpens_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("test", 3)
	reference := labeling.Reference{Answers: helpfulSubmission.Answers, Reasons: map[string]string{}}
	for _, f := range p.Protocol.Fields {
		reference.Reasons[f.Key] = "because"
	}
	item := env.firstItem(p)
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		_, err := openBatch(t.Context(), tx, env.admin.ID, p, project.BatchSpec{Name: "one", Annotators: emails,
			Overlap: 1, Seed: 1, FewerCalibration: "A test."}, func(int, int) {})
		return err
	}, func() error { return env.SetReference(t.Context(), env.admin.ID, p, item, reference) })
	if err == nil {
		t.Error("an item of a batch became a calibration item")
	}
	env.checkCount(0, `batch_items b JOIN items i ON i.id = b.item_id WHERE b.is_calibration <> i.is_calibration`)
}
