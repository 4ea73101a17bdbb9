package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestCorrection_KeepsBothAnswers(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("slip", 5)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	annotator := accounts[0]
	token := env.openItem(annotator)
	next, err := env.submit(t.Context(), annotator.ID, token, helpfulSubmission)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.RequestCorrection(t.Context(), annotator.ID, next, "not sent yet"); !errors.Is(err, fault.Conflict) {
		t.Errorf("flagging what is open: %v", err)
	}
	for range 2 {
		if err := env.RequestCorrection(t.Context(), annotator.ID, token, "I meant no"); err != nil {
			t.Fatal(err)
		}
	}
	corrections, err := env.CorrectionRequests(t.Context(), b.ID)
	if err != nil || len(corrections) != 1 || corrections[0].Message != "I meant no" {
		t.Fatalf("%+v, %v", corrections, err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, corrections[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, corrections[0].ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("settled twice: %v", err)
	}
	reopened, err := env.submit(t.Context(), annotator.ID, next, helpfulSubmission) // what is open comes first
	if err != nil || reopened == token {
		t.Fatal(reopened, err)
	}
	if s, err := env.LabelingScreen(t.Context(), annotator.ID, reopened); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
	if _, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission); !errors.Is(err, fault.NotFound) {
		t.Errorf("the old address: %v", err)
	}
	if _, err := env.Submit(t.Context(), annotator.ID, reopened, unhelpfulSubmission); err != nil {
		t.Fatal(err)
	}
	env.submitAll(annotator)
	if n := env.queryInt(`
		SELECT count(*) FROM annotations new JOIN annotations old ON old.id = new.replaces
		WHERE new.attempt = 2 AND old.attempt = 1 AND new.assignment_id = old.assignment_id`); n != 1 {
		t.Error("the new answers do not point to the old")
	}
	current := 0
	err = env.Snapshot(t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for a, err := range s.Annotations(t.Context(), ExportWork) {
			if err != nil {
				return err
			}
			if a.Current {
				current++
			}
		}
		return nil
	})
	if n := env.queryInt(`SELECT count(*) FROM annotations`); err != nil || n != 6 || current != 5 {
		t.Errorf("%d of %d annotations are current, %v", current, n, err)
	}
}

// A draft that came too late for what it belongs to is in nobody's way.
func TestReopen_LateDraft_Ignored(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, first, token := env.newStartedBatch()
	env.execSQL(`INSERT INTO drafts (assignment_id, version, answers) SELECT id, 7, '{"values": {"helpful": 0}}' FROM assignments WHERE token = $1`, first)
	env.reopenItem(p, b, annotator, first)
	reopened, err := env.submit(t.Context(), annotator.ID, token, helpfulSubmission)
	if err != nil || reopened == "" {
		t.Fatal(reopened, err)
	}
	if s, err := env.LabelingScreen(t.Context(), annotator.ID, reopened); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
}
