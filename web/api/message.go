package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
)

// A Question is a question of an annotator about an item.
type Question struct {
	ID         labeling.QuestionID `json:"id"`
	Batch      string              `json:"batch"`
	Item       string              `json:"item" doc:"The item's own id."`
	Annotator  string              `json:"annotator" doc:"Name."`
	Message    string              `json:"message"`
	Hidden     bool                `json:"hidden" doc:"The texts are empty, because they may tell an answer that the account must not see yet. Another lead can answer."`
	CreatedAt  time.Time           `json:"created_at"`
	Answer     string              `json:"answer" doc:"Empty: not answered yet."`
	AnsweredAt *time.Time          `json:"answered_at"`
	AnsweredBy string              `json:"answered_by" doc:"Name; empty: a command."`
}

func newQuestion(q postgres.Question) Question {
	return Question{q.ID, q.BatchName, q.SourceID, q.Annotator, q.Message, q.Hidden, q.CreatedAt.UTC(), q.Answer,
		q.AnsweredAt, q.AnsweredBy}
}

// A QuestionList is a part of a list of questions.
type QuestionList struct {
	Questions  []Question `json:"questions"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// An Answer is the body that answers a question.
type Answer struct {
	Answer string `json:"answer" minLength:"1" maxLength:"2000" doc:"The annotator reads it before continuing."`
}

// A SentAnswer is the answer to a question.
type SentAnswer struct {
	ID     labeling.QuestionID `json:"id" doc:"Id of the question."`
	Answer string              `json:"answer"`
}

// An Announcement is a message of a lead to the annotators of a batch.
type Announcement struct {
	ID        labeling.AnnouncementID   `json:"id"`
	Message   string                    `json:"message"`
	CreatedAt time.Time                 `json:"created_at"`
	CreatedBy string                    `json:"created_by" doc:"Name; empty: a command."`
	Readers   []postgres.Acknowledgment `json:"readers" doc:"When each annotator of the batch read it."`
}

func newAnnouncement(n postgres.Announcement) Announcement {
	return Announcement{n.ID, n.Message, n.CreatedAt.UTC(), n.CreatedBy, notNil(n.Acknowledgment)}
}

// An AnnouncementList lists announcements.
type AnnouncementList struct {
	Announcements []Announcement `json:"announcements"`
}

// A NewAnnouncement is the body that sends a message.
type NewAnnouncement struct {
	Message string `json:"message" minLength:"1" maxLength:"2000"`
}

// An InboxEntry is one thing that waits for a lead.
type InboxEntry struct {
	Kind      labeling.InboxKind `json:"kind" enum:"question,correction,calibration,stuck,gold,incomplete,behind,adjudication"`
	Project   string             `json:"project"`
	Batch     string             `json:"batch,omitempty"`
	Annotator string             `json:"annotator,omitempty" doc:"Name."`
	Item      string             `json:"item,omitempty" doc:"The item's own id."`
	SubjectID int64              `json:"subject_id,omitempty" doc:"Id of the question or the correction request."`
	Message   string             `json:"message,omitempty"`
	Count     int                `json:"count" doc:"Missed fields, labels that no annotator can give, labels left to an annotator, items that lack labels, or disagreements."`
	Sentence  string             `json:"sentence"`
	Since     time.Time          `json:"since"`
}

func newInboxEntry(e labeling.InboxEntry) InboxEntry {
	subject, detail := e.Text(locale.English)
	return InboxEntry{e.Kind, e.ProjectKey, e.BatchName, e.Annotator, e.SourceID, e.SubjectID, e.Message, e.Count,
		subject + " " + detail, e.Since.UTC()}
}

// An Inbox is what waits for a lead.
type Inbox struct {
	Inbox []InboxEntry `json:"inbox"`
}

// ListQuestionsInput is the input of ListQuestions.
type ListQuestionsInput struct {
	ProjectPath
	PageParams
	Answered bool `query:"answered" doc:"Answered questions instead of unanswered ones."`
}

// AnswerQuestionInput is the input of AnswerQuestion.
type AnswerQuestionInput struct {
	ProjectPath
	Question labeling.QuestionID `path:"question" minimum:"1" doc:"Id of the question."`
	Body     Answer
}

// The operations on messages.
var (
	ShowInbox = newRead(endpoint{id: "show-inbox", path: "/inbox", tag: "Messages", scope: account.ScopeRead,
		summary: "Show what waits for the account, oldest first",
		text:    "In all projects that the token reaches. The first 200."}, showInbox)

	ListQuestions = newRead(endpoint{id: "list-questions", path: "/projects/{project}/questions", tag: "Messages",
		scope:   account.ScopeRead,
		summary: "List the questions of annotators",
		text:    "Unanswered ones, oldest first, up to 500 at once; or answered ones, newest first. Not those of the account itself."},
		listQuestions)

	AnswerQuestion = newWrite(endpoint{id: "answer-question", method: http.MethodPost,
		path: "/projects/{project}/questions/{question}/answer", tag: "Messages", scope: account.ScopeManage,
		summary: "Answer a question"},
		func(ctx context.Context, a *API, c caller, in *AnswerQuestionInput) (SentAnswer, error) {
			return SentAnswer{in.Question, in.Body.Answer}, a.DB.AnswerQuestion(ctx, c.id(), c.project, in.Question,
				in.Body.Answer)
		})

	ListAnnouncements = newRead(endpoint{id: "list-announcements",
		path: "/projects/{project}/batches/{batch}/announcements", tag: "Messages", scope: account.ScopeRead,
		summary: "List the announcements to a batch, newest first", text: "The last 50."},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (AnnouncementList, error) {
			return a.listAnnouncements(ctx, c, in.Batch)
		})

	Announce = newWrite(endpoint{id: "announce", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/announcements", tag: "Messages",
		scope: account.ScopeManage, status: http.StatusCreated, summary: "Send a message to the annotators of a batch",
		text: "They read it before they continue."},
		func(ctx context.Context, a *API, c caller, in *BatchBody[NewAnnouncement]) (AnnouncementList, error) {
			b, err := a.DB.Batch(ctx, c.id(), c.project.ID, in.Batch)
			if err == nil {
				err = a.DB.Announce(ctx, c.id(), c.project, b, in.Body.Message)
			}
			if err != nil {
				return AnnouncementList{}, err
			}
			return a.listAnnouncements(ctx, c, in.Batch)
		})
)

func showInbox(ctx context.Context, a *API, c caller, _ *NoInput) (Inbox, error) {
	entries, err := a.DB.Inbox(ctx, c.id(), c.Account)
	if err != nil || c.AllProjects {
		return Inbox{mapped(entries, newInboxEntry)}, err
	}
	projects, err := a.DB.Projects(ctx, c.Account)
	if err != nil {
		return Inbox{}, err
	}
	reached := map[string]bool{}
	for _, p := range projects {
		reached[p.Key] = c.Reaches(int64(p.ID))
	}
	entries = slices.DeleteFunc(entries, func(e labeling.InboxEntry) bool { return !reached[e.ProjectKey] })
	return Inbox{mapped(entries, newInboxEntry)}, nil
}

func listQuestions(ctx context.Context, a *API, c caller, in *ListQuestionsInput) (QuestionList, error) {
	before, err := parseNewestFirst[labeling.QuestionID](in.Cursor)
	if err != nil {
		return QuestionList{}, err
	}
	if !in.Answered {
		if before != 0 {
			return QuestionList{}, fault.Invalid.Errorf("Unanswered questions have no cursor. Leave it out.")
		}
		open, err := a.DB.OpenQuestions(ctx, c.id(), c.project.ID)
		return QuestionList{Questions: mapped(open, newQuestion)}, err
	}
	found, err := a.DB.AnsweredQuestions(ctx, c.id(), c.project.ID, before, in.Limit)
	list := QuestionList{Questions: mapped(found, newQuestion)}
	if len(found) == in.Limit {
		list.NextCursor = strconv.FormatInt(int64(found[len(found)-1].ID), 10)
	}
	return list, err
}

func (a *API) listAnnouncements(ctx context.Context, c caller, batch string) (AnnouncementList, error) {
	b, err := a.DB.Batch(ctx, c.id(), c.project.ID, batch)
	if err != nil {
		return AnnouncementList{}, err
	}
	found, err := a.DB.Announcements(ctx, b.ID)
	return AnnouncementList{mapped(found, newAnnouncement)}, err
}
