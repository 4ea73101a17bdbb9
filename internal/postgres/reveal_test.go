package postgres

import (
	"io"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead labels 2 of 6 items, closes the batch, reads the answers of the other annotators in any way, and reopens
// it: they get none of the items that they have seen. If an admin allows it, their labels are not blind: no
// agreement or consensus has them, and report, export and card name them.
func TestReveal_LeadLabelsAfterSeeing_LabelsDoNotCount(t *testing.T) {
	t.Parallel()
	type seer struct {
		testEnv
		lead    account.Account
		project project.Project
		batch   project.Batch
		item    project.ItemID
	}
	all, one, none := 4, 1, 0 // items that are withheld
	options := ExportOptions{Shape: dataset.Wide, Format: dataset.CSV}
	for name, reveal := range map[string]struct {
		withheld int
		show     func(seer) error
	}{
		"nothing": {none, func(seer) error { return nil }},
		"board": {none, func(s seer) error {
			_, err := s.Batch(s.t.Context(), s.lead.ID, s.project.ID, "one")
			return err
		}},
		"item annotations": {one, func(s seer) error {
			_, err := s.ItemAnnotations(s.t.Context(), s.lead.ID, s.project, s.item)
			return err
		}},
		"item labels": {one, func(s seer) error {
			_, err := s.ItemLabels(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item})
			return err
		}},
		"consensus": {one, func(s seer) error {
			_, err := s.ItemConsensus(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item})
			return err
		}},
		"filter by answer": {all, func(s seer) error {
			_, err := s.ListItems(s.t.Context(), s.lead.ID, s.project, project.ItemFilter{Answer: "helpful=1"}, "", 10)
			return err
		}},
		"list of the API": {all, func(s seer) error {
			_, _, _, err := s.ListAnnotations(s.t.Context(), s.lead.ID, s.project, "", AnnotationCursor{}, 1)
			return err
		}},
		"report": {all, func(s seer) error { s.readReport(s.lead, s.project); return nil }},
		"report by command with a token": {all, func(s seer) error {
			_, err := s.ReportData(s.t.Context(), s.lead.ID, s.project, "one")
			return err
		}},
		"export": {all, func(s seer) error {
			_, err := s.Export(s.t.Context(), s.lead.ID, s.project, options,
				func(_ string, write func(io.Writer) error) error { return write(io.Discard) })
			return err
		}},
		"stored export of another account": {all, func(s seer) error {
			_, err := s.OpenExport(s.t.Context(), s.lead.ID, s.project, s.storeExport(s.admin, s.project))
			return err
		}},
		"snapshot": {all, func(s seer) error {
			return s.Snapshot(s.t.Context(), s.lead.ID, s.project, func(Snapshot) error { return nil })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			env := newTestEnv(t)
			lead := env.newUser("lead@example.org", account.Lead)
			emails, annotators := env.newAnnotators(2)
			p := env.newProject("seen", 6)
			env.addLead(p, lead)
			b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
			env.submitAll(annotators[0], helpfulSubmission)
			env.submitAll(annotators[1], helpfulSubmission)
			first := env.openItem(lead)
			env.mustSubmit(lead, env.mustSubmit(lead, first, helpfulSubmission), helpfulSubmission)
			last := env.openItem(lead)
			if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one", project.BatchClosing{Reason: "Done.",
				ReleaseOpen: true}); err != nil {
				t.Fatal(err)
			}
			s := seer{env, lead, p, b, env.itemOf(last)}
			if err := reveal.show(s); err != nil {
				t.Fatal(err)
			}
			if err := env.ReopenBatch(t.Context(), lead.ID, p, "one", "More."); err != nil {
				t.Fatal(err)
			}
			if got := env.submitAll(lead, unhelpfulSubmission); got != 4-reveal.withheld {
				t.Errorf("after reopening, the lead labeled %d items, want %d", got, 4-reveal.withheld)
			}
			if n := env.queryInt(`SELECT count(*) FROM annotations WHERE not_blind`); n != 0 {
				t.Errorf("%d labels are not blind, want 0", n)
			}
			change := project.BatchChange{AllowSeen: []string{lead.Email}, Reason: "Nobody else can."}
			if _, err := env.ChangeBatch(t.Context(), lead.ID, p, "one", change); err == nil {
				t.Error("a lead allows it")
			}
			if _, err := env.ChangeBatch(t.Context(), env.admin.ID, p, "one", change); err != nil {
				t.Fatal(err)
			}
			if got := env.submitAll(lead, unhelpfulSubmission); got != reveal.withheld {
				t.Errorf("the admin allowed it, and the lead labeled %d items, want %d", got, reveal.withheld)
			}
			env.checkNotBlind(p, b, reveal.withheld)
		})
	}
}

// checkNotBlind checks that n of 18 labels are not blind, and that the others are all that counts.
func (env testEnv) checkNotBlind(p project.Project, b project.Batch, n int) {
	env.t.Helper()
	env.closeBatch(p, b)
	r := env.readReport(env.admin, p)
	if r.Counts.NotBlind != n || r.Counts.Work != 18-n || r.Counts.DisagreedItems != 4-n {
		env.t.Errorf("report: %+v, want %d labels that are not blind", r.Counts, n)
	}
	err := env.Snapshot(env.t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for kind, want := range map[dataset.AnnotationKind]int{dataset.Work: 18 - n, dataset.NotBlind: n} {
			if got, err := s.CountAnnotations(env.t.Context(), kind); err != nil || got != want {
				env.t.Errorf("export: %d %s, %v; want %d", got, kind, err, want)
			}
		}
		return nil
	})
	if err != nil {
		env.t.Error(err)
	}
	var card strings.Builder
	_, err = env.Export(env.t.Context(), env.admin.ID, p, ExportOptions{Shape: dataset.Wide, Format: dataset.CSV},
		func(_ string, write func(io.Writer) error) error { return write(&card) })
	if named := strings.Contains(card.String(), "Labels that are not blind"); err != nil || named != (n > 0) {
		env.t.Errorf("the card names the labels: %v, %v", named, err)
	}
	env.checkCount(18-n, `current_annotations WHERE kind = 'work'`)
}

// A lead who reads reports while they label in an open batch sees nothing of its items, so their labels are
// blind. A correction after the batch was closed and read is not.
func TestReveal_HiddenItems_StayBlind(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(1)
	p := env.newProject("hidden", 4)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2})
	env.submitAll(annotators[0], helpfulSubmission)
	env.readReport(lead, p)
	if _, err := env.ListItems(t.Context(), lead.ID, p, project.ItemFilter{Answer: "helpful=1"}, "", 10); err != nil {
		t.Fatal(err)
	}
	env.submitAll(lead, helpfulSubmission)
	if n := env.queryInt(`SELECT count(*) FROM annotations WHERE not_blind`); n != 0 {
		t.Errorf("%d labels are not blind", n)
	}
	token := query[string](env, `SELECT token FROM assignments WHERE account_id = $1 ORDER BY id LIMIT 1`, lead.ID)
	if err := env.RequestCorrection(t.Context(), lead.ID, token, "I meant no"); err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, b)
	env.readReport(lead, p)
	if err := env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "More."); err != nil {
		t.Fatal(err)
	}
	requests, err := env.CorrectionRequests(t.Context(), env.admin.ID, b.ID)
	if err != nil || len(requests) != 1 {
		t.Fatal(requests, err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, requests[0].ID); err != nil {
		t.Fatal(err)
	}
	env.mustSubmit(lead, env.openItem(lead), unhelpfulSubmission)
	env.checkCount(1, `current_annotations WHERE kind = 'not_blind'`)
}
