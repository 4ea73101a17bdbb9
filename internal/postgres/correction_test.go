package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestCorrection_Accepted_KeepsBothAnswers(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 5, project.BatchSpec{})
	annotator := annotators[0]
	token := env.openItem(annotator)
	next := env.mustSubmit(annotator, token, helpfulSubmission)
	checkErrorIs(t, "request for an open item", env.RequestCorrection(t.Context(), annotator.ID, next, "not sent yet"),
		fault.Conflict)
	for range 2 {
		if err := env.RequestCorrection(t.Context(), annotator.ID, token, "I meant no"); err != nil {
			t.Fatal(err)
		}
	}
	requests, err := env.CorrectionRequests(t.Context(), env.admin.ID, b.ID)
	if err != nil || len(requests) != 1 || requests[0].Message != "I meant no" {
		t.Fatalf("requests = %+v, %v", requests, err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, requests[0].ID); err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "second accept", env.AcceptCorrection(t.Context(), env.admin.ID, p, b, requests[0].ID),
		fault.Conflict)
	reopened := env.mustSubmit(annotator, next, helpfulSubmission) // the open item comes first
	if reopened == token {
		t.Fatal("the reopened item has its old token")
	}
	if s := env.screen(annotator, reopened); s.Draft.Values["helpful"] != 1 {
		t.Errorf("draft = %+v, want the earlier answers", s.Draft)
	}
	_, err = env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
	checkErrorIs(t, "submit with the old token", err, fault.NotFound)
	env.mustSubmit(annotator, reopened, unhelpfulSubmission)
	env.submitAll(annotator, helpfulSubmission)
	env.checkCount(1, `annotations new JOIN annotations old ON old.id = new.replaces_id
		WHERE new.attempt_no = 2 AND old.attempt_no = 1 AND new.assignment_id = old.assignment_id`)
	env.checkCurrent(p, 5, 6)
}

// checkCurrent checks how many of the exported annotations of a project are current.
func (env testEnv) checkCurrent(p project.Project, wantCurrent, wantAll int) {
	env.t.Helper()
	current, all := 0, 0
	err := env.Snapshot(env.t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for a, err := range s.Annotations(env.t.Context(), dataset.Work) {
			if err != nil {
				return err
			}
			all++
			if a.Current {
				current++
			}
		}
		return nil
	})
	if err != nil || current != wantCurrent || all != wantAll {
		env.t.Errorf("%d of %d annotations are current, %v; want %d of %d", current, all, err, wantCurrent, wantAll)
	}
}

// A draft that was saved after the submit is not restored in the reopened item.
func TestReopen_LateDraft_Ignored(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, submitted, open := env.newStartedBatch()
	env.execSQL(`INSERT INTO drafts (assignment_id, version, answers) SELECT id, 7, '{"values": {"helpful": 0}}'
		FROM assignments WHERE token = $1`, submitted)
	env.reopenItem(p, b, annotator, submitted)
	reopened := env.mustSubmit(annotator, open, helpfulSubmission)
	if s := env.screen(annotator, reopened); s.Draft.Values["helpful"] != 1 {
		t.Errorf("draft = %+v, want the submitted answers", s.Draft)
	}
}
