package postgres

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
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
	members, err := env.Members(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	item, stored := env.firstItem(p), env.storeExport(env.admin, p)
	reveal := map[string]func(account.ID) error{
		"report data": func(id account.ID) error { _, err := env.ReportData(t.Context(), id, p, ""); return err },
		"snapshot": func(id account.ID) error {
			return env.Snapshot(t.Context(), id, p, func(Snapshot) error { return nil })
		},
		"export": func(id account.ID) error {
			options := ExportOptions{Shape: dataset.Wide, Format: dataset.CSV}
			_, err := env.Export(t.Context(), id, p, options, func(_ string, write func(io.Writer) error) error {
				return write(io.Discard)
			})
			return err
		},
		"stored export": func(id account.ID) error {
			_, err := env.StartExport(t.Context(), id, p, ExportOptions{Shape: dataset.Wide, Format: dataset.CSV}, "en")
			return err
		},
		"stored export of another account": func(id account.ID) error {
			_, err := env.OpenExport(t.Context(), id, p,
				stored)
			return err
		},
		"item judgments": func(id account.ID) error {
			_, err := env.ItemJudgments(t.Context(), id, p,
				item)
			return err
		},
		"item annotations": func(id account.ID) error {
			_, err := env.ItemAnnotations(t.Context(), id,
				p, item)
			return err
		},
		"adjudication item": func(id account.ID) error {
			_, err := env.AdjudicationItem(t.Context(), id,
				p, item)
			return err
		},
		"annotator report": func(id account.ID) error {
			return env.CheckAnnotatorReport(t.Context(), id, p, members[0].Pseudonym)
		},
	}
	check := func(actor account.Account, isBlinded bool) {
		t.Helper()
		for name, call := range reveal {
			if err := call(actor.ID); errors.Is(err, labeling.ErrBlinded) != isBlinded || !isBlinded && err != nil {
				t.Errorf("%s for %s: %v", name, actor.Email, err)
			}
		}
		if visible := env.readReport(actor, p); (visible.Counts.DisagreedItems == 0) != isBlinded ||
			len(visible.Fields) == 0 {
			t.Errorf("report for %s: %d disagreements", actor.Email, visible.Counts.DisagreedItems)
		}
		for name, f := range map[string]project.ItemFilter{"sort": {Sort: project.SortDisagreement},
			"state":  {State: project.ItemDisagreement},
			"answer": {Answer: "helpful=1"}, "field": {Field: "helpful"},
			"annotator": {Annotator: members[len(members)-1].Pseudonym}} {
			list, err := env.ListItems(t.Context(), actor.ID, p, f, "", 10)
			if err != nil || list.HidesBlinded != (actor == lead) || isBlinded && len(list.Items) > 0 ||
				actor == env.admin && name != "annotator" && len(list.Items) != 2 {
				t.Errorf("items by %s for %s: %+v, %v", name, actor.Email, list, err)
			}
		}
		all, err := env.ListItems(t.Context(), actor.ID, p, project.ItemFilter{}, "", 10)
		if err != nil || len(all.Items) != 2 || all.Items[0].IsBlinded != isBlinded ||
			(all.Items[0].State == project.ItemDisagreement) == isBlinded ||
			(len(all.Items[0].DisagreeingFields) == 0) != isBlinded {
			t.Errorf("all items for %s: %+v, %v", actor.Email, all, err)
		}
		labels, err := env.ItemLabels(t.Context(), actor.ID, p, []project.ItemID{item})
		if err != nil || (len(labels) == 0) != isBlinded {
			t.Errorf("labels for %s: %+v, %v", actor.Email, labels, err)
		}
	}
	check(lead, true)
	check(env.admin, false)
	if n := env.queryInt(`SELECT count(*) FROM audit_log WHERE action = 'project.export'`); n != 3 {
		t.Errorf("%d exports in the audit log, want 3", n)
	}
	env.closeBatch(p, b)
	check(lead, false)
}

// Whatever others answer, a lead who labels in an open batch reads the same report: no
// figure depends on their answers, in the whole project or by any column.
func TestBlinding_LabelingLead_ReportIsIndependentOfAnswers(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(2)
	var texts []string
	for i, answers := range []labeling.Submission{helpfulSubmission, unhelpfulSubmission} {
		p := env.newProject(fmt.Sprintf("p%d", i), 12)
		env.addLead(p, lead)
		env.changeItems(fmt.Sprintf(`UPDATE items SET meta = jsonb_build_object('system',
			CASE WHEN mod(id, 2) = 0 THEN 'a' ELSE 'b' END) WHERE project_id = %d`, p.ID))
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
		env.submitAll(annotators[0], answers)
		env.submitAll(annotators[1], helpfulSubmission)
		if err := env.adjudicate(env.admin, p, env.firstItem(p), labeling.Decision{Answers: answers.Answers,
			Reason: "So."}); err != nil {
			t.Fatal(err)
		}
		visible := env.readReport(lead, p)
		if visible.Counts.Work != 0 || visible.Breakdown != nil || len(visible.Annotators) != 0 {
			t.Errorf("the report has %+v, breakdown %+v, %d annotators", visible.Counts, visible.Breakdown,
				len(visible.Annotators))
		}
		visible.Project = ""
		var text strings.Builder
		if err := visible.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text.String())
		env.closeBatch(p, b)
		if visible := env.readReport(lead, p); visible.Counts.Work != 24 || len(visible.Breakdown.Groups) != 2 {
			t.Errorf("after the batch closed: %+v", visible)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("the reports differ:\n%s\n%s", texts[0], texts[1])
	}
}

// While a batch is open, only admins and commands see groups of fewer than five items or
// two annotators. The others are compared with a baseline that is shown.
func TestBlinding_OpenBatch_HidesSmallGroups(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p, b, annotators := env.newBatchFor(2, 20, project.BatchSpec{Overlap: 1, Assignment: project.Pool})
	env.addLead(p, lead)
	// "base" has four items, "small" five by one annotator, "large" the others.
	env.changeItems(`WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM items)
		UPDATE items i SET meta = jsonb_build_object('system', CASE WHEN n <= 4 THEN 'base' WHEN n <= 9 THEN 'small'
		ELSE 'large' END)
		FROM numbered WHERE numbered.id = i.id`)
	env.execSQL(`UPDATE slots SET queue_no = item_id`)
	for range 9 {
		env.submitItem(annotators[0])
	}
	env.submitInTurns(annotators)
	groups := func(actor account.Account) string {
		visible, text := env.readReport(actor, p), ""
		for _, g := range visible.Breakdown.Groups {
			text += fmt.Sprintf("%s %d ", g.Value, g.Items)
		}
		return fmt.Sprint(text, "hidden ", visible.Breakdown.HiddenGroups)
	}
	const all = "base 4 large 11 small 5 hidden 0"
	checkEqual(t, groups(lead), "large 11 hidden 2")
	checkEqual(t, groups(env.admin), all)
	checkEqual(t, groups(account.Account{}), all)
	env.closeBatch(p, b)
	checkEqual(t, groups(lead), all)
}

// Correction requests and comments on skipped items may tell an answer.
func TestBlinding_LabelingLead_ReadsNoMessages(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(1)
	p := env.newProject("blinded", 3)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2})
	token := env.openItem(annotators[0])
	next := env.mustSubmit(annotators[0], token, helpfulSubmission)
	if err := env.RequestCorrection(t.Context(), annotators[0].ID, token, "I meant no"); err != nil {
		t.Fatal(err)
	}
	env.skipItem(annotators[0], next, labeling.Skip{Reason: labeling.Unclear, Comment: "Helpful or not?"})
	check := func(actor account.Account, message, comment string) { // no comment: the skip is not listed
		t.Helper()
		requests, err := env.CorrectionRequests(t.Context(), actor.ID, b.ID)
		if err != nil || len(requests) != 1 || requests[0].Message != message || requests[0].Hidden != (message == "") {
			t.Errorf("%s reads the requests %+v, %v", actor.Email, requests, err)
		}
		skips, err := env.SkippedItems(t.Context(), actor.ID, b.ID)
		if err != nil || len(skips) == 1 != (comment != "") || comment != "" && skips[0].Comment != comment {
			t.Errorf("%s reads the skips %+v, %v", actor.Email, skips, err)
		}
	}
	check(lead, "", "")
	check(env.admin, "I meant no", "Helpful or not?")
	env.closeBatch(p, b)
	check(lead, "I meant no", "Helpful or not?")
}
