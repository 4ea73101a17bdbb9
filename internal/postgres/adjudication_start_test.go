package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// Nothing that adjudicators must not see is part of what their form starts from: answers in a
// batch in which they label, to hidden duplicates and to calibration items.
func TestProposeStart_HiddenAnswers_DoNotCount(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(3)
	var starts, ofAdmin []string
	for world, hidden := range []labeling.Submission{helpfulSubmission, unhelpfulSubmission} {
		p := env.newProject(fmt.Sprintf("p%d", world), 36)
		env.addReferences(p, 4)
		env.addLead(p, lead)
		first := env.newBatch(p, project.BatchSpec{Name: "first", Annotators: emails, Overlap: 3, Seed: 3, DuplicateCount: 3, CalibrationCount: 4, Sample: project.Sample{Count: 24}})
		for n, a := range annotators {
			env.submitCalibration(a, hidden)
			env.resolveCalibration(a)
			env.submitEach(a, func(token string) labeling.Submission {
				item := int(env.itemOf(token) - env.firstItem(p))
				switch isWrong := n == 2 && item%4 == 0 || (item+n)%9 == 0; {
				case env.isDuplicate(token):
					return hidden
				case (item%2 == 0) != isWrong:
					return helpfulSubmission
				}
				return unhelpfulSubmission
			})
		}
		env.closeBatch(p, first)
		env.newBatch(p, project.BatchSpec{Name: "second", Annotators: append(emails, lead.Email), Overlap: 4})
		for n, a := range annotators {
			env.submitAll(a, []labeling.Submission{hidden, hidden, helpfulSubmission}[n])
		}
		starts, ofAdmin = append(starts, env.describeStarts(lead, lead, p)), append(ofAdmin, env.describeStarts(env.admin, lead, p))
	}
	if starts[0] != starts[1] {
		t.Errorf("the proposals depend on hidden answers:\n%s\n%s", starts[0], starts[1])
	}
	if ofAdmin[0] == ofAdmin[1] {
		t.Error("the proposals for an admin do not depend on the answers of the open batch")
	}
}

// describeStarts returns the proposals to an account for the items that a lead can adjudicate.
func (env testEnv) describeStarts(a, lead account.Account, p project.Project) (text string) {
	env.t.Helper()
	view, err := env.ReportView(env.t.Context(), a.ID, p.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	shared, err := env.FitProposals(env.t.Context(), view, p, report.ProposeDawidSkene)
	if err != nil {
		env.t.Fatal(err)
	}
	for n := range project.ItemID(36) {
		item, err := env.AdjudicationItem(env.t.Context(), lead.ID, p, env.firstItem(p)+n)
		if err != nil { // in the open batch, or in none
			continue
		}
		start, err := env.ProposeStart(env.t.Context(), a.ID, p, item, shared)
		if err != nil {
			env.t.Fatal(err)
		}
		text += fmt.Sprintf("%d: %d (%.6f); ", n, start.Answers["helpful"].Value, start.Answers["helpful"].Probability)
	}
	return text
}

// A model that was fitted for an account that sees more is of no use to another one.
func TestProposeStart_ModelOfAdmin_Blinded(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newDisagreement()
	lead := env.newUser("lead@example.org", account.Lead)
	env.addLead(p, lead)
	item, err := env.AdjudicationItem(t.Context(), lead.ID, p, env.firstItem(p))
	if err != nil {
		t.Fatal(err)
	}
	view, err := env.ReportView(t.Context(), env.admin.ID, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := env.FitProposals(t.Context(), view, p, report.ProposeDawidSkene)
	if err != nil {
		t.Fatal(err)
	}
	env.addItems(p, 10, 2)
	env.newBatch(p, project.BatchSpec{Name: "own", Annotators: []string{annotators[0].Email, lead.Email}, Overlap: 2})
	if _, err := env.ProposeStart(t.Context(), lead.ID, p, item, shared); !errors.Is(err, labeling.ErrBlinded) {
		t.Errorf("got %v, want ErrBlinded", err)
	}
	if _, err := env.ProposeStart(t.Context(), env.admin.ID, p, item, shared); err != nil {
		t.Error(err)
	}
	env.checkCount(0, "adjudications")
}
