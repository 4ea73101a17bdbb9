package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showAskLead(w http.ResponseWriter, r *http.Request) error {
	return s.renderAskLead(w, r, http.StatusOK, nil)
}

func (s *Server) renderAskLead(w http.ResponseWriter, r *http.Request, status int, errs []string) error {
	screen, err := s.loadScreen(r)
	if err != nil {
		return err
	}
	if screen.MustRead {
		return redirectToItem(w, r, 0, screen.Token)
	}
	return render(w, r, status, page.AskLead(page.AskLeadData{User: currentUser(r), Token: screen.Token,
		Project: projectFromScreen(screen),
		Message: r.PostFormValue(protocol.ControlQuestion), Errors: errs}))
}

// askLead sends a question about the open item and returns to it. Without a script, the
// button of the labeling form posts no question yet.
func (s *Server) askLead(w http.ResponseWriter, r *http.Request) error {
	if !r.PostForm.Has(protocol.ControlQuestion) {
		return s.saveDraftAndAsk(w, r)
	}
	err := s.db.AskLead(r.Context(), currentAccount(r).ID, itemToken(r), r.PostFormValue(protocol.ControlQuestion))
	if fault.KindOf(err) == fault.Invalid && !prefersJSON(r) {
		return s.renderAskLead(w, r, http.StatusUnprocessableEntity, []string{currentLocale(r).Message(err)})
	}
	if err != nil && (prefersJSON(r) || !errors.Is(err, labeling.ErrMustRead)) { // else the item shows what to read
		return err
	}
	return redirectToItem(w, r, 0, itemToken(r))
}

func ownQuestions(questions []postgres.OwnQuestion) (own []page.OwnQuestion) {
	for _, q := range questions {
		own = append(own, page.OwnQuestion{ProjectTitle: q.ProjectTitle, Message: q.Message, CreatedAt: q.CreatedAt,
			Answer: q.Answer, Item: askedItem(q.BatchID, q.Token, q.State, q.ItemTitle)})
	}
	return own
}

// askedItem returns the item that a question is about, for its annotator.
func askedItem(batchID project.BatchID, token string, state labeling.State, title string) page.AskedItem {
	item := page.AskedItem{Title: title}
	switch state {
	case labeling.Open:
		item.LabelPath = "/work/" + token
	case labeling.Submitted:
		item.ReportPath = correctionsPath(batchID) + "&token=" + token
	}
	return item
}

// questionsPerPage is how many answered questions one page shows.
const questionsPerPage = 30

func (s *Server) showQuestions(w http.ResponseWriter, r *http.Request, p project.Project) error {
	actorID := currentAccount(r).ID
	open, err := s.db.OpenQuestions(r.Context(), actorID, p.ID)
	if err != nil {
		return err
	}
	answered, err := s.db.AnsweredQuestions(r.Context(), actorID, p.ID, queryID[labeling.QuestionID](r, "before"),
		questionsPerPage+1)
	if err != nil {
		return err
	}
	d := page.QuestionsData{User: currentUser(r), Project: p, Open: toPageQuestions(open), Now: time.Now()}
	if queryParam(r, "after") == "answered" {
		d.Notice = locale.From(r.Context()).T("Answer sent. The annotator sees it before the next item.")
	}
	if len(answered) > questionsPerPage {
		answered = answered[:questionsPerPage]
		d.NextPath = page.ProjectPath(p.Key, "questions") + "?before=" + formatID(answered[questionsPerPage-1].ID)
	}
	d.Answered = toPageQuestions(answered)
	return render(w, r, http.StatusOK, page.QuestionList(d))
}

func toPageQuestions(questions []postgres.Question) []page.Question {
	shown := make([]page.Question, len(questions))
	for i, q := range questions {
		shown[i] = page.Question(q)
	}
	return shown
}

// answerQuestion answers a question about the item of the path, then lists what is left.
func (s *Server) answerQuestion(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id := formID[labeling.QuestionID](r, "question_id")
	err := s.db.AnswerQuestion(r.Context(), currentAccount(r).ID, p, id, r.PostFormValue("answer"))
	if status := formErrorStatus(err); status != 0 {
		return s.renderItem(w, r, status, p, func(d *page.ItemPageData) {
			d.AnswerTo, d.Answer = id, r.PostFormValue("answer")
			d.Errors = toFormErrors(currentLocale(r), err, "answer-"+formatID(id))
		})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "questions")+"?after=answered")
}
