package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func (env testEnv) inbox(actor account.Account) []labeling.InboxEntry {
	env.t.Helper()
	entries, err := env.Inbox(env.t.Context(), actor.ID, actor)
	if err != nil {
		env.t.Fatal(err)
	}
	waiting, err := env.WaitingCounts(env.t.Context(), actor)
	if err != nil {
		env.t.Fatal(err)
	}
	counted := 0
	for _, w := range waiting {
		counted += w.Entries
	}
	if counted != len(entries) {
		env.t.Errorf("%d entries, but %d are counted: %+v", len(entries), counted, waiting)
	}
	return entries
}

// kinds returns the kinds of entries, in order.
func kinds(entries []labeling.InboxEntry) (list []labeling.InboxKind) {
	for _, e := range entries {
		list = append(list, e.Kind)
	}
	return list
}

func TestInbox_Requests_ListedUntilDecided(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	other := env.newUser("other@example.org", account.Lead)
	first := env.openItem(annotators[0])
	env.mustAsk(annotators[0], env.mustSubmit(annotators[0], first, helpfulSubmission), "Does a leaflet count?")
	if err := env.RequestCorrection(t.Context(), annotators[0].ID, first, "I meant no"); err != nil {
		t.Fatal(err)
	}
	entries := env.inbox(env.admin)
	checkEqual(t, kinds(entries), []labeling.InboxKind{labeling.InboxQuestion, labeling.InboxCorrection})
	if len(env.inbox(other)) != 0 {
		t.Error("a lead of another project sees them")
	}
	if entries[0].Message != "Does a leaflet count?" || entries[1].Message != "I meant no" ||
		entries[1].ItemID != env.itemOf(first) || entries[0].BatchName != "one" {
		t.Errorf("entries = %+v", entries)
	}
	env.closeBatch(p, b)
	checkEqual(t, kinds(env.inbox(env.admin)), append(kinds(entries), labeling.InboxIncomplete))
	if err := env.ReopenBatch(t.Context(), env.admin.ID, p, b.Name, "more labels"); err != nil {
		t.Fatal(err)
	}
	if err := env.AnswerQuestion(t.Context(), env.admin.ID, p, labeling.QuestionID(entries[0].SubjectID),
		"Yes"); err != nil {
		t.Fatal(err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b,
		labeling.CorrectionID(entries[1].SubjectID)); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, len(env.inbox(env.admin)), 0)
}

// A lead who labels reads no message about their items, and gets no task about their own.
func TestInbox_LabelingLead_Blinded(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(1)
	p := env.newProject("blinded", 2)
	env.addLead(p, lead)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2})
	env.mustAsk(annotators[0], env.openItem(annotators[0]), "Is this a 4?")
	env.mustAsk(lead, env.openItem(lead), "Is this a 2?")
	entries := env.inbox(lead)
	if len(entries) != 1 || !entries[0].Hidden || entries[0].Message != "" {
		t.Errorf("the lead sees %+v", entries)
	}
	if entries := env.inbox(env.admin); len(entries) != 2 || entries[0].Hidden {
		t.Errorf("the admin sees %+v", entries)
	}
}

// Disagreements are one entry of their project, until each is decided.
func TestInbox_Disagreement_ListedUntilAdjudicated(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	entries := env.inbox(env.admin)
	if len(entries) != 1 || entries[0].Kind != labeling.InboxAdjudication || entries[0].Count != 1 ||
		entries[0].ProjectKey != p.Key {
		t.Fatalf("entries = %+v, want one disagreement", entries)
	}
	if err := env.adjudicate(env.admin, p, env.firstItem(p),
		labeling.Decision{Answers: helpfulSubmission.Answers}); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, len(env.inbox(env.admin)), 0)
}
