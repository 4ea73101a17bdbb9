package postgres

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead labels 2 of 6 items, closes the batch, reads the answers of the other annotators in any way, and reopens
// it: they get none of the items that they have seen. If an admin allows it, their labels are not blind: no
// agreement or consensus has them, and report, export and card name them.
func TestReveal_LeadLabelsAfterSeeing_LabelsDoNotCount(t *testing.T) {
	t.Parallel()
	all, one, none := 4, 1, 0 // items that are withheld
	options := ExportOptions{Shape: dataset.Wide, Format: dataset.CSV}
	for name, reveal := range map[string]struct {
		withheld int
		prepare  func(seer) // before the batch is closed
		show     func(seer) error
	}{
		"nothing": {none, nil, func(seer) error { return nil }},
		"board": {none, nil, func(s seer) error {
			return second(s.Batch(s.t.Context(), s.lead.ID, s.project.ID, "one"))
		}},
		"item annotations": {one, nil, func(s seer) error {
			return second(s.ItemAnnotations(s.t.Context(), s.lead.ID, s.project, s.item))
		}},
		"item to adjudicate": {one, nil, func(s seer) error {
			return second(s.AdjudicationItem(s.t.Context(), s.lead.ID, s.project, s.item))
		}},
		"item labels": {one, nil, func(s seer) error {
			return second(s.ItemLabels(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item}))
		}},
		"consensus": {one, nil, func(s seer) error {
			return second(s.ItemConsensus(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item}))
		}},
		"list by annotator": {one, nil, func(s seer) error {
			pseudonym := query[string](s.testEnv, `SELECT pseudonym FROM members WHERE account_id = $1`, s.annotator.ID)
			return second(s.ListItems(s.t.Context(), s.lead.ID, s.project,
				project.ItemFilter{Annotator: pseudonym, IDs: []project.ItemID{s.item}}, "", 10))
		}},
		"list by answer": {all, nil, func(s seer) error {
			return second(s.ListItems(s.t.Context(), s.lead.ID, s.project,
				project.ItemFilter{Answer: "helpful=1"}, "", 1))
		}},
		"list by an answer that no item has": {all, nil, func(s seer) error {
			return second(s.ListItems(s.t.Context(), s.lead.ID, s.project,
				project.ItemFilter{Answer: "helpful=0"}, "", 10))
		}},
		"count by answer": {all, nil, func(s seer) error {
			return second(s.CountItems(s.t.Context(), s.lead.ID, s.project,
				project.ItemFilter{Answer: "helpful=1"}, false))
		}},
		"list of the API": {all, nil, func(s seer) error {
			_, _, _, err := s.ListAnnotations(s.t.Context(), s.lead.ID, s.project, "", AnnotationCursor{}, 1)
			return err
		}},
		"report": {all, nil, func(s seer) error { s.readReport(s.lead, s.project); return nil }},
		"report by command with a token": {all, nil, func(s seer) error {
			return second(s.ReportData(s.t.Context(), s.lead.ID, s.project, "one"))
		}},
		"export": {all, nil, func(s seer) error {
			return second(s.Export(s.t.Context(), s.lead.ID, s.project, options,
				func(_ string, write func(io.Writer) error) error { return write(io.Discard) }))
		}},
		"stored export of another account": {all, nil, func(s seer) error {
			return second(s.OpenExport(s.t.Context(), s.lead.ID, s.project, s.storeExport(s.admin, s.project)))
		}},
		"snapshot": {all, nil, func(s seer) error {
			return s.Snapshot(s.t.Context(), s.lead.ID, s.project, func(Snapshot) error { return nil })
		}},
		"comparison of a round": {one, nil, func(s seer) error {
			b := s.newBatch(s.project, project.BatchSpec{Name: "again", Annotators: []string{s.annotator.Email},
				Overlap: 1, Round: project.RoundOfLabeled, DuplicateCount: project.UseDefault})
			s.mustChange(`INSERT INTO batch_items (batch_id, item_id) VALUES (%d, %d)`, b.ID, s.item)
			defer func() {
				if err := s.CloseBatch(s.t.Context(), s.admin.ID, s.project, b.Name,
					project.BatchClosing{Reason: "Done.", ReleaseOpen: true}); err != nil {
					s.t.Fatal(err)
				}
			}()
			return second(s.CompareRound(s.t.Context(), s.lead.ID, s.project, b))
		}},
		"decision": {one, nil, func(s seer) error {
			s.decide()
			return second(s.CurrentDecisions(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item}))
		}},
		"decision as a reference": {one, nil, func(s seer) error {
			s.decide()
			return second(s.DecidedReference(s.t.Context(), s.lead.ID, s.project, s.item))
		}},
		"spot checks": {one, nil, func(s seer) error {
			s.execSQL(`INSERT INTO spot_checks (item_id, project_id) VALUES ($1, $2)`, s.item, s.project.ID)
			s.decide()
			return second(s.SpotChecks(s.t.Context(), s.lead.ID, s.project))
		}},
		"judgments of an item": {one, seer.judge, func(s seer) error {
			return second(s.ItemJudgments(s.t.Context(), s.lead.ID, s.project, s.item))
		}},
		"judgments of a judge": {one, seer.judge, func(s seer) error {
			return second(s.Judgments(s.t.Context(), s.lead.ID, s.project, "judge", 0, 10))
		}},
		"correction requests of a batch": {one, seer.requestCorrection, func(s seer) error {
			return second(s.CorrectionRequests(s.t.Context(), s.lead.ID, s.batch.ID))
		}},
		"correction requests of an item": {one, seer.requestCorrection, func(s seer) error {
			return second(s.ItemRecord(s.t.Context(), s.lead.ID, s.project, s.item))
		}},
		"inbox": {one, seer.requestCorrection, func(s seer) error {
			return second(s.Inbox(s.t.Context(), s.lead.ID, s.lead))
		}},
		"question": {one, seer.ask, func(s seer) error {
			return second(s.OpenQuestions(s.t.Context(), s.lead.ID, s.project.ID))
		}},
		"skipped items of a batch": {one, seer.skip, func(s seer) error {
			return second(s.SkippedItems(s.t.Context(), s.lead.ID, s.batch.ID))
		}},
		"skips of items": {one, seer.skip, func(s seer) error {
			return second(s.ItemSkips(s.t.Context(), s.lead.ID, s.project, []project.ItemID{s.item}))
		}},
		"sheet of an annotator": {all, nil, func(s seer) error {
			if _, err := s.SubmitSheet(s.t.Context(), s.lead.ID, s.batch.ID, s.annotator.ID,
				SheetFile{Name: "a.csv", Content: strings.NewReader("x"), IsTrial: true}); err == nil {
				return errors.New("a sheet of another annotator without rows is accepted")
			}
			return nil
		}},
		"data of an annotator": {all, nil, func(s seer) error {
			s.execSQL(`UPDATE accounts SET role = 'admin' WHERE id = $1`, s.lead.ID)
			defer s.execSQL(`UPDATE accounts SET role = 'lead' WHERE id = $1`, s.lead.ID)
			return second(s.ExportAccount(s.t.Context(), s.lead.ID, s.annotator.ID))
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
			s := seer{env, lead, annotators[0], p, b, env.itemOf(last)}
			if reveal.prepare != nil {
				reveal.prepare(s)
			}
			if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one", project.BatchClosing{Reason: "Done.",
				ReleaseOpen: true}); err != nil {
				t.Fatal(err)
			}
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

// second returns the error of a method.
func second[T any](_ T, err error) error { return err }

// A seer is a lead who labels in a batch, with one of its items that they have still to label.
type seer struct {
	testEnv
	lead, annotator account.Account
	project         project.Project
	batch           project.Batch
	item            project.ItemID
}

func (s seer) decide() {
	s.t.Helper()
	err := s.adjudicate(s.admin, s.project, s.item, labeling.Decision{Answers: helpfulSubmission.Answers})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s seer) judge() {
	s.t.Helper()
	if err := s.AddJudge(s.t.Context(), 0, s.project, "judge", []importer.ItemAnswers{{ItemID: s.item,
		Values: map[string]int{"helpful": 1}}}); err != nil {
		s.t.Fatal(err)
	}
}

func (s seer) requestCorrection() {
	s.t.Helper()
	token := query[string](s.testEnv, `SELECT token FROM assignments WHERE account_id = $1 AND item_id = $2`,
		s.annotator.ID, s.item)
	if err := s.RequestCorrection(s.t.Context(), s.annotator.ID, token, "I meant no"); err != nil {
		s.t.Fatal(err)
	}
}

func (s seer) ask() {
	s.execSQL(`INSERT INTO questions (assignment_id, batch_id, account_id, message)
		SELECT id, batch_id, account_id, 'Is it not helpful?' FROM assignments WHERE account_id = $1 AND item_id = $2`,
		s.annotator.ID, s.item)
}

// mustChange changes what only the login may, without triggers.
func (s seer) mustChange(sql string, args ...any) {
	s.t.Helper()
	mustExec(s.t, s.connectAsLogin(), `SET session_replication_role = replica; `+fmt.Sprintf(sql, args...))
}

func (s seer) skip() {
	s.mustChange(`
		INSERT INTO skips (assignment_id, batch_id, item_id, reason, comment, project_id)
		SELECT id, batch_id, item_id, 'unclear', 'Not helpful', %d FROM assignments WHERE account_id = %d AND item_id = %d`,
		s.project.ID, s.annotator.ID, s.item)
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
