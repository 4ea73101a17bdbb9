package postgres

import (
	"errors"
	"io"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// Every method that reveals answers hides them from a lead who labels in an open batch.
func TestBlinding_LabelingLead_SeesNoAnswers(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("blinded", 2)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
	env.submitAll(annotators[0], helpfulSubmission)
	env.submitAll(annotators[1], unhelpfulSubmission)
	shared, err := env.BuildReport(t.Context(), p, "", report.BuildOptions{Resamples: 10})
	if err != nil {
		t.Fatal(err)
	}
	disagreements, err := env.Disagreements(t.Context(), p, "")
	if err != nil {
		t.Fatal(err)
	}
	members, err := env.Members(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	item := env.firstItem(p)
	reveal := map[string]func(account.ID) error{
		"report data": func(id account.ID) error { _, err := env.ReportData(t.Context(), id, p, ""); return err },
		"snapshot": func(id account.ID) error {
			return env.Snapshot(t.Context(), id, p, func(Snapshot) error { return nil })
		},
		"export": func(id account.ID) error {
			options := ExportOptions{Shape: dataset.Wide, Format: dataset.CSV}
			_, err := env.Export(t.Context(), id, p, options, func(_ string, write func(io.Writer) error) error { return write(io.Discard) })
			return err
		},
		"item annotations":  func(id account.ID) error { _, err := env.ItemAnnotations(t.Context(), id, p, item); return err },
		"adjudication item": func(id account.ID) error { _, err := env.AdjudicationItem(t.Context(), id, p, item); return err },
		"annotator report": func(id account.ID) error {
			_, err := env.AnnotatorReport(t.Context(), id, p, members[0].Pseudonym, shared)
			return err
		},
		"annotator report, not computed": func(id account.ID) error {
			_, err := env.AnnotatorReport(t.Context(), id, p, members[0].Pseudonym, nil)
			return err
		},
	}
	check := func(actor account.Account, isBlinded bool) {
		t.Helper()
		for name, call := range reveal {
			if err := call(actor.ID); errors.Is(err, labeling.ErrBlinded) != isBlinded || !isBlinded && err != nil {
				t.Errorf("%s for %s: %v", name, actor.Email, err)
			}
		}
		visible, err := env.VisibleReport(t.Context(), actor.ID, p, shared)
		if err != nil || (len(visible.Consensus) == 0) != isBlinded || (len(visible.Disagreements) == 0) != isBlinded || len(visible.Fields) == 0 {
			t.Errorf("report for %s: %d consensus results, %d disagreements, %v", actor.Email, len(visible.Consensus), len(visible.Disagreements), err)
		}
		queue, err := env.AdjudicationQueue(t.Context(), actor.ID, p, disagreements)
		if err != nil || (len(queue.Rows) == 0) != isBlinded || (queue.HiddenItems == 2) != isBlinded {
			t.Errorf("queue for %s: %d rows, %d hidden, %v", actor.Email, len(queue.Rows), queue.HiddenItems, err)
		}
	}
	check(lead, true)
	check(env.admin, false)
	if n := env.queryInt(`SELECT count(*) FROM audit_log WHERE action = 'project.export'`); n != 1 {
		t.Errorf("%d exports in the audit log, want 1", n)
	}
	env.closeBatch(p, b)
	check(lead, false)
}
