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

func TestReference_Invalid_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("kept-to", 3)
	env.addReferences(p, 1)
	refs, err := env.References(t.Context(), p.ID)
	if err != nil || len(refs) != 1 || refs[0].Reasons[protocol.NoteKey] != "It fits." {
		t.Fatalf("%+v, %v", refs, err)
	}
	invalid := labeling.Reference{Answers: protocol.Answers{Values: map[string]int{"helpful": 3}}}
	if _, ok := errors.AsType[protocol.Problems](env.SetReference(t.Context(), env.admin.ID, p, refs[0].ID, invalid)); !ok {
		t.Error("answers that nobody could give were taken")
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	item := project.ItemID(env.queryInt(`SELECT min(item_id) FROM batch_items`))
	if err := env.SetReference(t.Context(), env.admin.ID, p, item, refs[0].Reference); !errors.Is(err, fault.Conflict) {
		t.Errorf("an item handed out became one of calibration: %v", err)
	}
}

// An item is to be labelled or calibrates, whichever of two leads was first.
func TestReference_BatchOpens_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("turns", 3)
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items`))
	reference := labeling.Reference{Answers: helpfulSubmission.Answers, Reasons: map[string]string{}}
	for _, f := range p.Protocol.Fields {
		reference.Reasons[f.Key] = "because"
	}
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		_, err := openBatch(t.Context(), tx, env.admin.ID, p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, Seed: 1})
		return err
	}, func() error { return env.SetReference(t.Context(), env.admin.ID, p, item, reference) })
	if err == nil {
		t.Error("an item in a batch becomes one of calibration")
	}
	if n := env.queryInt(`SELECT count(*) FROM batch_items b JOIN items i ON i.id = b.item_id WHERE b.calibration <> i.calibration`); n != 0 {
		t.Errorf("%d items are both", n)
	}
}
