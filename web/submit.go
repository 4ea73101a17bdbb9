package web

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// submit stores the form of an item. A form with problems is shown again, with
// each problem at its field.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	form := readLabelingForm(r)
	if err := s.saveShortcutSetting(r, form); err != nil {
		return err
	}
	result, err := s.submitForm(r, form)
	s.flashAlreadySubmitted(r, result)
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		return s.renderSubmitProblems(w, r, form, problems)
	}
	if err != nil {
		return s.saveRejectedForm(w, r, form, err)
	}
	if result.ShowsReference {
		return redirect(w, r, "/work/"+itemToken(r)+"/reference")
	}
	return s.redirectFromItem(w, r, result.NextToken)
}

// submitForm submits a form, or returns its problems.
func (s *Server) submitForm(r *http.Request, form labelingForm) (labeling.SubmitResult, error) {
	problems := form.err()
	if problems == nil {
		return s.db.Submit(r.Context(), currentAccount(r).ID, itemToken(r), form.Submission)
	}
	mustRead, err := s.db.MustRead(r.Context(), currentAccount(r).ID, itemToken(r))
	if err == nil && mustRead {
		err = labeling.ErrMustRead
	}
	return labeling.SubmitResult{}, cmp.Or(err, problems)
}

// flashAlreadySubmitted records, until the next submit, the page that reports that the item
// was submitted before with other answers.
func (s *Server) flashAlreadySubmitted(r *http.Request, result labeling.SubmitResult) {
	switch {
	case result.Differs:
		s.sessions.Put(r.Context(), sessionAlreadySubmitted, "/work/"+result.NextToken)
	case s.sessions.Exists(r.Context(), sessionAlreadySubmitted):
		s.sessions.Remove(r.Context(), sessionAlreadySubmitted)
	}
}

// alreadySubmittedNotice returns the notice for the item of token, or for a page
// without an item if token is empty.
func (s *Server) alreadySubmittedNotice(r *http.Request, token string) string {
	if s.sessions.GetString(r.Context(), sessionAlreadySubmitted) != "/work/"+token {
		return ""
	}
	return currentLocale(r).T("You already submitted the previous item from another page. The answers from that page count.")
}

// saveRejectedForm saves a form that cannot be submitted now as a draft, and
// goes to the break or the required reading that prevents it.
func (s *Server) saveRejectedForm(w http.ResponseWriter, r *http.Request, form labelingForm, err error) error {
	if labeling.KeepsAnswers(err) {
		if err := s.db.SaveFormAsDraft(r.Context(), itemToken(r), form.Submission); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, labeling.ErrMustRead):
		return redirect(w, r, "/work/"+itemToken(r))
	case errors.Is(err, labeling.ErrOnBreak):
		return s.redirectToBreak(w, r)
	case errors.Is(err, labeling.ErrSetBack):
		return s.redirectFromItem(w, r, "")
	case errors.Is(err, labeling.ErrReassigned):
		return s.renderKeptDraft(w, r, err)
	}
	return err
}

// answersFilledProblem explains a form that is shown again with what its ticks force.
var answersFilledProblem = protocol.Problem{Key: "edge_cases", Rule: "filled", Message: page.FilledMessage}

func (s *Server) renderSubmitProblems(w http.ResponseWriter, r *http.Request, form labelingForm,
	problems protocol.Problems) error {
	if err := s.checkOpen(r); err != nil {
		return err
	}
	if err := s.db.SaveFormAsDraft(r.Context(), itemToken(r), form.Submission); err != nil {
		return err
	}
	screen, err := s.loadScreen(r) // with the version of the draft
	if err != nil {
		return err
	}
	d := newLabelData(currentLocale(r), screen)
	d.Answers, d.Problems = form.Answers, d.Protocol.TranslateProblems(problems)
	d.ShortcutsDisabled = form.shortcutsDisabled
	d.Draft.FilledIn = form.FilledIn
	if answers, filled := d.Protocol.FillForced(d.Facts, form.Answers); len(filled) > 0 && form.problems == nil {
		d.Answers, d.Filled, d.Problems = answers, filled, append(d.Protocol.Check(d.Facts, answers),
			answersFilledProblem)
		d.Draft.FilledIn = nil // the marks have it
	}
	return render(w, r, http.StatusUnprocessableEntity, page.Label(d))
}

// checkOpen returns an error if the annotator cannot submit the item of the path
// now.
func (s *Server) checkOpen(r *http.Request) error {
	_, err := s.loadScreen(r)
	return err
}

// saveShortcutSetting stores whether the user disabled single keys, if the form changes it.
func (s *Server) saveShortcutSetting(r *http.Request, f labelingForm) error {
	if currentSettings(r).ShortcutsDisabled == f.shortcutsDisabled {
		return nil
	}
	return s.db.SetShortcutsDisabled(r.Context(), currentAccount(r).ID, f.shortcutsDisabled)
}
