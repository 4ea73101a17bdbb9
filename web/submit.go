package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// showLabeling shows the item of a token, with the form as it was left.
func (s *Server) showLabeling(w http.ResponseWriter, r *http.Request) error {
	screen, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"))
	if fault.KindOf(err) == fault.Conflict && !errors.Is(err, labeling.ErrReassigned) {
		return s.redirectFromItem(w, r, "")
	}
	if err != nil {
		return err
	}
	if screen.OnBreak {
		return redirect(w, r, "/work/break")
	}
	if screen.ContentWarning != "" {
		return render(w, r, http.StatusOK, page.ContentWarning(page.ContentWarningData{
			Token: screen.Token, Project: projectFromScreen(screen), Warning: screen.ContentWarning, User: currentUser(r)}))
	}
	d := newLabelData(screen)
	d.ShortcutsDisabled = s.sessions.GetBool(r.Context(), sessionShortcutsDisabled)
	d.Notice = s.alreadySubmittedNotice(r, screen.Token)
	return render(w, r, http.StatusOK, page.Label(d))
}

func projectFromScreen(s postgres.LabelingScreen) page.Project {
	return page.Project{Title: s.ProjectTitle, SupportURL: s.SupportURL, GuidePath: "/work/guide?project=" + s.ProjectKey}
}

func newLabelData(s postgres.LabelingScreen) page.LabelData {
	d := page.LabelData{
		Token: s.Token, Project: projectFromScreen(s), Protocol: s.Protocol, Content: s.Content, Facts: s.Facts, Answers: s.Draft,
		Progress: page.Progress{Done: s.CompletedItems, Total: max(s.ExpectedItems, s.CompletedItems+1)},
		Pace:     page.Pace{Seconds: int(time.Duration(s.PaceMS) * time.Millisecond / time.Second), TargetMin: s.Protocol.Plan.MinSecondsPerItem, TargetMax: s.Protocol.Plan.MaxSecondsPerItem},
		Draft:    page.Draft{Version: s.DraftVersion},
	}
	switch {
	case s.IsRetake:
		d.Stage = "Calibration, once more"
	case s.IsCalibration:
		d.Stage = "Calibration"
	case s.Reopened:
		d.Stage = "Opened once more"
	}
	if s.BreakEvery > 0 {
		d.Progress.ItemsToBreak = max(s.BreakEvery-s.ItemsSinceBreak, 1)
	}
	return d
}

// submit takes the form of an item. With problems, the form comes back as it
// was sent, each problem at its field.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	token := chi.URLParam(r, "token")
	form, err := readLabelingForm(r)
	if err != nil {
		return err
	}
	s.saveShortcutSetting(r, form)
	if needsWarning, err := s.db.MustAcknowledgeWarning(r.Context(), currentAccount(r).ID, token); err != nil {
		return err
	} else if needsWarning { // the form waits behind the warning
		if err := s.db.SaveFormAsDraft(r.Context(), token, form.Submission); err != nil {
			return err
		}
		return redirect(w, r, "/work/"+token)
	}
	var result labeling.SubmitResult
	if err = form.err(); err == nil {
		result, err = s.db.Submit(r.Context(), currentAccount(r).ID, token, form.Submission)
	}
	s.flashAlreadySubmitted(r, result)
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		return s.renderSubmitProblems(w, r, token, form, problems)
	}
	if err != nil {
		return s.saveRejectedForm(w, r, token, form, err)
	}
	return s.redirectFromItem(w, r, result.NextToken)
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

// alreadySubmittedNotice returns the message for the page recorded by flashAlreadySubmitted.
func (s *Server) alreadySubmittedNotice(r *http.Request, token string) string {
	if s.sessions.GetString(r.Context(), sessionAlreadySubmitted) != "/work/"+token {
		return ""
	}
	return "You already submitted the previous item from another page. The answers from that page count."
}

// saveRejectedForm answers what cannot be taken now. What was typed is kept, and a
// break under way is led to.
func (s *Server) saveRejectedForm(w http.ResponseWriter, r *http.Request, token string, form labelingForm, err error) error {
	isOnBreak := errors.Is(err, labeling.ErrOnBreak)
	if isOnBreak || errors.Is(err, labeling.ErrReassigned) {
		if err := s.db.SaveFormAsDraft(r.Context(), token, form.Submission); err != nil {
			return err
		}
	}
	if isOnBreak {
		return redirect(w, r, "/work/break")
	}
	return err
}

// redirectToItem leads to the next item of a batch; without one, to what else comes next
// there: a break, the result of the calibration, a word of thanks.
func (s *Server) redirectToItem(w http.ResponseWriter, r *http.Request, batchID project.BatchID, token string) error {
	switch {
	case token != "":
		return redirect(w, r, "/work/"+token)
	case batchID == 0:
		return redirect(w, r, "/work")
	}
	return redirect(w, r, workPath(batchID))
}

// redirectFromItem does the same from the item of the address.
func (s *Server) redirectFromItem(w http.ResponseWriter, r *http.Request, next string) error {
	if next != "" {
		return s.redirectToItem(w, r, 0, next)
	}
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return s.redirectToItem(w, r, batchID, "")
}

func workPath(batchID project.BatchID) string { return "/work?batch=" + formatID(batchID) }

func (s *Server) renderSubmitProblems(w http.ResponseWriter, r *http.Request, token string, form labelingForm, problems protocol.Problems) error {
	if _, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, token); err != nil {
		return err
	}
	if err := s.db.SaveFormAsDraft(r.Context(), token, form.Submission); err != nil {
		return err
	}
	screen, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, token)
	if err != nil {
		return err
	}
	// What the form could not hold stands beside what the rules say of it.
	d := newLabelData(screen)
	d.Answers, d.Problems, d.ShortcutsDisabled = form.Answers, problems, form.shortcutsDisabled
	return render(w, r, http.StatusUnprocessableEntity, page.Label(d))
}

// saveDraft keeps the form as it is typed.
func (s *Server) saveDraft(w http.ResponseWriter, r *http.Request) error {
	form, err := readLabelingForm(r)
	if err != nil {
		return err
	}
	s.saveShortcutSetting(r, form)
	return writeDraftResult(w, s.db.SaveDraft(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"), form.draftVersion, form.Submission))
}

// writeDraftResult answers a page that keeps a draft: with nothing, or with the version that
// another page has kept since, which stays.
func writeDraftResult(w http.ResponseWriter, err error) error {
	newer, isNewer := errors.AsType[postgres.NewerDraftError](err)
	switch {
	case isNewer:
		w.Header().Set("Draft-Version", strconv.FormatInt(newer.Version, 10))
		w.WriteHeader(http.StatusPreconditionFailed)
	case err != nil:
		return err
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// saveShortcutSetting remembers for the session whether somebody works without keys.
func (s *Server) saveShortcutSetting(r *http.Request, f labelingForm) {
	if s.sessions.GetBool(r.Context(), sessionShortcutsDisabled) != f.shortcutsDisabled {
		s.sessions.Put(r.Context(), sessionShortcutsDisabled, f.shortcutsDisabled)
	}
}

// saveFormAsDraft keeps the form that came along with another button.
func (s *Server) saveFormAsDraft(r *http.Request) error {
	form, err := readLabelingForm(r)
	if err != nil || len(form.Answers.Values)+len(form.Answers.Observations)+len(form.Answers.Note) == 0 {
		return err
	}
	return s.db.SaveFormAsDraft(r.Context(), chi.URLParam(r, "token"), form.Submission)
}

// saveSignedOutForm keeps what somebody sent whose session was over, for its annotator.
func (s *Server) saveSignedOutForm(r *http.Request) error {
	form, err := readLabelingForm(r)
	if err != nil {
		return err
	}
	return s.db.SaveSignedOutForm(r.Context(), chi.URLParam(r, "token"), form.draftVersion, form.Submission)
}

func (s *Server) showSkip(w http.ResponseWriter, r *http.Request) error {
	return s.renderSkip(w, r, http.StatusOK, labeling.Skip{}, nil)
}

func (s *Server) renderSkip(w http.ResponseWriter, r *http.Request, status int, skip labeling.Skip, problems protocol.Problems) error {
	screen, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return render(w, r, status, page.Skip(page.SkipData{Token: screen.Token, Project: projectFromScreen(screen),
		Reason: string(skip.Reason), Comment: skip.Comment, Problems: problems, User: currentUser(r)}))
}

func (s *Server) skip(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return classifyFormError(err)
	}
	if !r.PostForm.Has("reason") && !r.PostForm.Has("comment") { // the button of the form, without a script
		return s.saveDraftAndAskReason(w, r)
	}
	skip := labeling.Skip{Reason: labeling.SkipReason(r.PostFormValue("reason")), Comment: r.PostFormValue("comment")}
	if !isStorable(skip.Comment) {
		return errUnstorableText
	}
	next, err := s.db.Skip(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"), skip)
	if fault.KindOf(err) == fault.Invalid {
		field := "comment"
		if skip.Reason.Text() == "" {
			field = "reason"
		}
		return s.renderSkip(w, r, http.StatusUnprocessableEntity, skip, protocol.Problems{{Key: field, Message: fault.Message(err)}})
	}
	if errors.Is(err, labeling.ErrOnBreak) {
		return redirect(w, r, "/work/break")
	}
	if err != nil {
		return err
	}
	if skip.Reason == labeling.Distressing {
		return s.redirectToPause(w, r)
	}
	return s.redirectFromItem(w, r, next)
}

// redirectToPause leads to a quiet page, so that no text follows what distressed
// before somebody asks for it.
func (s *Server) redirectToPause(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return redirect(w, r, "/work/pause?batch="+formatID(batchID))
}

// saveDraftAndAskReason keeps what was typed and asks what is the matter with the item.
func (s *Server) saveDraftAndAskReason(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkOpen(r); err != nil {
		return err
	}
	if err := s.saveFormAsDraft(r); err != nil {
		return err
	}
	return redirect(w, r, r.URL.Path)
}

// checkOpen reports why the item of the token takes nothing from whoever asks.
func (s *Server) checkOpen(r *http.Request) error {
	_, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token"))
	return err
}

func (s *Server) acknowledgeItemWarning(w http.ResponseWriter, r *http.Request) error {
	token := chi.URLParam(r, "token")
	if err := s.db.AcknowledgeWarning(r.Context(), currentAccount(r).ID, token); err != nil {
		return err
	}
	return s.redirectToItem(w, r, 0, token)
}
