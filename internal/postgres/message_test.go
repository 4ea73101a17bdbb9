package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func (env testEnv) mustAsk(a account.Account, token, message string) {
	env.t.Helper()
	if err := env.AskLead(env.t.Context(), a.ID, token, message); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) openQuestions(actor account.Account, p project.Project) []Question {
	env.t.Helper()
	questions, err := env.OpenQuestions(env.t.Context(), actor.ID, p.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	return questions
}

func (env testEnv) unreadMessages(a account.Account) []UnreadMessage {
	env.t.Helper()
	start, err := env.WorkStart(env.t.Context(), a.ID)
	messages := start.Unread
	if err != nil {
		env.t.Fatal(err)
	}
	has, err := env.HasUnreadMessages(env.t.Context(), a.ID)
	if err != nil || has != (len(messages) > 0) {
		env.t.Errorf("has unread messages: %v, %v; want %d", has, err, len(messages))
	}
	return messages
}

func TestQuestion_Asked_AnsweredAndAcknowledged(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	asker, other := annotators[0], annotators[1]
	token := env.openItem(asker)
	env.openItem(other)
	env.mustAsk(asker, token, "Does a leaflet count?")
	first := env.openQuestions(env.admin, p)
	env.mustAsk(asker, token, " Does a leaflet\r\ncount as a source? ")
	questions := env.openQuestions(env.admin, p)
	if len(questions) != 1 || questions[0].Message != "Does a leaflet\ncount as a source?" ||
		questions[0].ItemID != env.itemOf(token) {
		t.Fatalf("open questions = %+v", questions)
	}
	if err := env.AnswerQuestion(t.Context(), env.admin.ID, p, first[0].ID,
		"Yes"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an answer to the text before: %v", err)
	}
	if err := env.AnswerQuestion(t.Context(), env.admin.ID, p, questions[0].ID, "Yes, if it names one."); err != nil {
		t.Fatal(err)
	}
	if err := env.AnswerQuestion(t.Context(), env.admin.ID, p, questions[0].ID,
		"No."); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a second answer: %v", err)
	}
	unread := env.unreadMessages(asker)
	if len(unread) != 1 || unread[0].Message != "Yes, if it names one." || unread[0].QuestionID != questions[0].ID {
		t.Fatalf("unread = %+v", unread)
	}
	if s := env.screen(asker, token); len(s.Questions) != 1 || s.Questions[0].Answer != "Yes, if it names one." ||
		s.Questions[0].CreatedAt.IsZero() || !s.HasUnreadMessages {
		t.Errorf("on the item: %+v, unread %v", s.Questions, s.HasUnreadMessages)
	}
	if err := env.AcknowledgeMessages(t.Context(), other.ID, nil, []labeling.QuestionID{questions[0].ID}); err != nil ||
		len(env.unreadMessages(asker)) != 1 {
		t.Errorf("another annotator acknowledged it: %v", err)
	}
	if err := env.AcknowledgeMessages(t.Context(), asker.ID, nil, []labeling.QuestionID{questions[0].ID}); err != nil ||
		len(env.unreadMessages(asker)) != 0 {
		t.Errorf("acknowledged: %v", err)
	}
	if len(env.unreadMessages(other)) != 0 || len(env.openQuestions(env.admin, p)) != 0 {
		t.Error("a question is shown to another annotator, or again to the lead")
	}
	if s := env.screen(other, env.openItem(other)); len(s.Questions) != 0 || s.HasUnreadMessages {
		t.Errorf("another annotator reads %+v, unread %v", s.Questions, s.HasUnreadMessages)
	}
	env.checkCount(1, `audit_log WHERE action = 'question.answer' AND subject = 'batch test/one'`)
}

// A lead can answer after the batch is closed, and the annotator reads it.
func TestQuestion_BatchClosed_AnswerArrives(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	asker, token := annotators[0], env.openItem(annotators[0])
	if err := env.AskLead(t.Context(), asker.ID, token, "Does it count?"); err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, b)
	id := env.openQuestions(env.admin, p)[0].ID
	if err := env.AnswerQuestion(t.Context(), env.admin.ID, p, id, "It does."); err != nil {
		t.Fatal(err)
	}
	questions, err := collectAll[OwnQuestion](env.pool.Query(t.Context(), selectOwnQuestions, asker.ID))
	if unread := env.unreadMessages(asker); err != nil || len(unread) != 1 || len(questions) != 1 ||
		questions[0].Answer != "It does." || !query[bool](env, `SELECT has_unread_messages($1)`, asker.ID) {
		t.Errorf("unread %+v of %+v, %v", unread, questions, err)
	}
	if err := env.AcknowledgeMessages(t.Context(), asker.ID, nil, []labeling.QuestionID{id}); err != nil ||
		len(env.unreadMessages(asker)) != 0 || query[bool](env, `SELECT has_unread_messages($1)`, asker.ID) {
		t.Errorf("acknowledged: %v", err)
	}
}

func TestQuestion_Invalid_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	token := env.openItem(annotators[0])
	for _, message := range []string{"", " \n ", strings.Repeat("ä", 1001), "a\x1b[2J", "a\u202eb", "a\rb"} {
		if err := env.AskLead(t.Context(), annotators[0].ID, token, message); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", message, err)
		}
		if err := env.Announce(t.Context(), env.admin.ID, p, b, strings.Repeat(message, 2)); fault.KindOf(
			err) != fault.Invalid {
			t.Errorf("announcement %q: %v", message, err)
		}
	}
	if err := env.AskLead(t.Context(), annotators[1].ID, token, "Whose is it?"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("about an item of another annotator: %v", err)
	}
	env.mustSubmit(annotators[0], token, helpfulSubmission)
	if err := env.AskLead(t.Context(), annotators[0].ID, token, "Too late?"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("about a submitted item: %v", err)
	}
	env.checkCount(0, `questions`)
	env.checkCount(0, `announcements`)
}

// A lead who labels in the batch reads no question of others, and none of their own: those
// name the item.
func TestQuestions_LabelingLead_Hidden(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(1)
	p := env.newProject("blinded", 2)
	env.addLead(p, lead)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2})
	env.mustAsk(annotators[0], env.openItem(annotators[0]), "Is this a 4?")
	env.mustAsk(lead, env.openItem(lead), "Is this a 2?")
	seen := env.openQuestions(lead, p)
	if len(seen) != 1 || !seen[0].Hidden || seen[0].Message != "" {
		t.Errorf("the lead sees %+v", seen)
	}
	if err := env.AnswerQuestion(t.Context(), lead.ID, p, seen[0].ID, "Yes"); !errors.Is(err, labeling.ErrBlinded) {
		t.Errorf("the lead answers: %v", err)
	}
	if seen := env.openQuestions(env.admin, p); len(seen) != 2 || seen[0].Hidden {
		t.Errorf("the admin sees %+v", seen)
	}
	other := env.newUser("other@example.org", account.Lead)
	if err := env.AnswerQuestion(t.Context(), other.ID, p, seen[0].ID, "Yes"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a lead of another project answers: %v", err)
	}
}

func TestAnnouncement_Acknowledged_ByEachAnnotator(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	outsider := env.newUser("outsider@example.org", account.Lead)
	if err := env.Announce(t.Context(), outsider.ID, p, b, "Hello"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("announced by a lead of no project: %v", err)
	}
	if err := env.Announce(t.Context(), env.admin.ID, p, b, "The guide has a new example."); err != nil {
		t.Fatal(err)
	}
	unread := env.unreadMessages(annotators[0])
	if len(unread) != 1 || len(env.unreadMessages(annotators[1])) != 1 || len(env.unreadMessages(outsider)) != 0 {
		t.Fatalf("unread = %+v", unread)
	}
	ids := []labeling.AnnouncementID{unread[0].AnnouncementID}
	for range 2 {
		if err := env.AcknowledgeMessages(t.Context(), annotators[0].ID, ids, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := env.AcknowledgeMessages(t.Context(), outsider.ID, ids, nil); err != nil {
		t.Fatal(err)
	}
	announcements, err := env.Announcements(t.Context(), b.ID)
	if err != nil || len(announcements) != 1 || len(announcements[0].Acknowledgment) != 2 {
		t.Fatalf("announcements = %+v, %v", announcements, err)
	}
	for i, k := range announcements[0].Acknowledgment {
		if (k.AcknowledgedAt != nil) != (i == 0) {
			t.Errorf("acknowledgment = %+v", k)
		}
	}
	env.checkCount(1, `announcement_acknowledgments`)
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, b.Name, project.BatchClosing{Reason: "done"}); err != nil ||
		len(env.unreadMessages(annotators[1])) != 0 {
		t.Errorf("after the batch is closed: %v", err)
	}
	if err := env.Announce(t.Context(), env.admin.ID, p, b, "Thank you"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("to a closed batch: %v", err)
	}
}
