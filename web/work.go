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
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// label shows the item of a token, with the form as it was left.
func (s *Server) label(w http.ResponseWriter, r *http.Request) error {
	screen, err := s.db.Screen(r.Context(), who(r).ID, chi.URLParam(r, "token"))
	if fault.KindOf(err) == fault.Conflict && !errors.Is(err, labeling.GoneOn) {
		return s.onFrom(w, r, "")
	}
	if err != nil {
		return err
	}
	if screen.Resting {
		return seeOther(w, r, "/work/break")
	}
	if screen.Warning != "" {
		return show(w, r, http.StatusOK, page.ContentWarning(page.ContentWarningData{
			Token: screen.Token, Project: projectOf(screen), Warning: screen.Warning, Visitor: visitor(r)}))
	}
	d := labelData(screen)
	d.KeysOff = s.sessions.GetBool(r.Context(), sessionKeysOff)
	d.Notice = s.stands(r, screen.Token)
	return show(w, r, http.StatusOK, page.Label(d))
}

func projectOf(s postgres.Screen) page.Project {
	return page.Project{Title: s.Project, SupportURL: s.SupportURL, Guide: "/work/guide?project=" + s.ProjectKey}
}

func labelData(s postgres.Screen) page.LabelData {
	d := page.LabelData{
		Token: s.Token, Project: projectOf(s), Protocol: s.Protocol, Content: s.Content, Facts: s.Facts, Answers: s.Draft,
		Progress: page.Progress{Done: s.Done, Total: max(s.Total, s.Done+1)},
		Pace:     page.Pace{Own: int(time.Duration(s.PaceMS) * time.Millisecond / time.Second), From: s.Protocol.Plan.PaceFrom, To: s.Protocol.Plan.PaceTo},
		Draft:    page.Draft{Version: s.Version},
	}
	switch {
	case s.Again:
		d.Stage = "Calibration, once more"
	case s.Calibration:
		d.Stage = "Calibration"
	case s.Reopened:
		d.Stage = "Opened once more"
	}
	if s.BreakEvery > 0 {
		d.Progress.NextRest = max(s.BreakEvery-s.SinceRest, 1)
	}
	return d
}

// submit takes the form of an item. With problems, the form comes back as it
// was sent, each problem at its field.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	token := chi.URLParam(r, "token")
	form, err := readForm(r)
	if err != nil {
		return err
	}
	s.keepKeys(r, form)
	if unwarned, err := s.db.Unwarned(r.Context(), who(r).ID, token); err != nil {
		return err
	} else if unwarned { // the form waits behind the warning
		if err := s.db.KeepDraft(r.Context(), token, form.Submission); err != nil {
			return err
		}
		return seeOther(w, r, "/work/"+token)
	}
	next := ""
	if err = form.err(); err == nil {
		next, err = s.db.Submit(r.Context(), who(r).ID, token, form.Submission)
	}
	if s.keepStands(r, next, err) {
		return s.onFrom(w, r, next)
	}
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		return s.labelAgain(w, r, token, form, problems)
	}
	if err != nil {
		return s.elsewhere(w, r, token, form, err)
	}
	return s.onFrom(w, r, next)
}

// keepStands remembers, until something else is sent, that what was sent here
// counts no more, and on which page to say so: that of the next item, or the one
// that comes instead.
func (s *Server) keepStands(r *http.Request, next string, err error) bool {
	stands := errors.Is(err, labeling.Stands)
	switch {
	case stands:
		s.sessions.Put(r.Context(), sessionStands, "/work/"+next)
	case s.sessions.Exists(r.Context(), sessionStands):
		s.sessions.Remove(r.Context(), sessionStands)
	}
	return stands
}

// stands says, on the page of an item or instead of one, that what was sent for
// the item before had been sent already.
func (s *Server) stands(r *http.Request, token string) string {
	if s.sessions.GetString(r.Context(), sessionStands) != "/work/"+token {
		return ""
	}
	return fault.Message(labeling.Stands)
}

// elsewhere answers what cannot be taken now. What was typed is kept, and a
// break under way is led to.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request, token string, form form, err error) error {
	resting := errors.Is(err, labeling.Resting)
	if resting || errors.Is(err, labeling.GoneOn) {
		if err := s.db.KeepDraft(r.Context(), token, form.Submission); err != nil {
			return err
		}
	}
	if resting {
		return seeOther(w, r, "/work/break")
	}
	return err
}

// onTo leads to the next item of a batch; without one, to what else comes next
// there: a break, the result of the calibration, a word of thanks.
func (s *Server) onTo(w http.ResponseWriter, r *http.Request, batch int64, token string) error {
	switch {
	case token != "":
		return seeOther(w, r, "/work/"+token)
	case batch == 0:
		return seeOther(w, r, "/work")
	}
	return seeOther(w, r, workPath(batch))
}

// onFrom does the same from the item of the address.
func (s *Server) onFrom(w http.ResponseWriter, r *http.Request, next string) error {
	if next != "" {
		return s.onTo(w, r, 0, next)
	}
	batch, err := s.db.BatchOf(r.Context(), who(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return s.onTo(w, r, batch, "")
}

func workPath(batch int64) string { return "/work?batch=" + strconv.FormatInt(batch, 10) }

func (s *Server) labelAgain(w http.ResponseWriter, r *http.Request, token string, form form, problems protocol.Problems) error {
	if _, err := s.db.Screen(r.Context(), who(r).ID, token); err != nil {
		return err
	}
	if err := s.db.KeepDraft(r.Context(), token, form.Submission); err != nil {
		return err
	}
	screen, err := s.db.Screen(r.Context(), who(r).ID, token)
	if err != nil {
		return err
	}
	// What the form could not hold stands beside what the rules say of it.
	d := labelData(screen)
	d.Answers, d.Problems, d.KeysOff = form.Answers, problems, form.keysOff
	return show(w, r, http.StatusUnprocessableEntity, page.Label(d))
}

// draft keeps the form as it is typed.
func (s *Server) draft(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	s.keepKeys(r, form)
	return kept(w, s.db.SaveDraft(r.Context(), who(r).ID, chi.URLParam(r, "token"), form.version, form.Submission))
}

// kept answers a page that keeps a draft: with nothing, or with the version that
// another page has kept since, which stays.
func kept(w http.ResponseWriter, err error) error {
	newer, is := errors.AsType[postgres.NewerDraft](err)
	switch {
	case is:
		w.Header().Set("Draft-Version", strconv.FormatInt(newer.Version, 10))
		w.WriteHeader(http.StatusPreconditionFailed)
	case err != nil:
		return err
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// keepKeys remembers for the session whether somebody works without keys.
func (s *Server) keepKeys(r *http.Request, f form) {
	if s.sessions.GetBool(r.Context(), sessionKeysOff) != f.keysOff {
		s.sessions.Put(r.Context(), sessionKeysOff, f.keysOff)
	}
}

// keepTyped keeps the form that came along with another button.
func (s *Server) keepTyped(r *http.Request) error {
	form, err := readForm(r)
	if err != nil || len(form.Answers.Values)+len(form.Answers.Observations)+len(form.Answers.Note) == 0 {
		return err
	}
	return s.db.KeepDraft(r.Context(), chi.URLParam(r, "token"), form.Submission)
}

// keepForm keeps what somebody sent whose session was over, for its annotator.
func (s *Server) keepForm(r *http.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	return s.db.KeepUnsigned(r.Context(), chi.URLParam(r, "token"), form.version, form.Submission)
}

func (s *Server) setAsidePage(w http.ResponseWriter, r *http.Request) error {
	return s.askAside(w, r, http.StatusOK, labeling.Aside{}, nil)
}

func (s *Server) askAside(w http.ResponseWriter, r *http.Request, status int, a labeling.Aside, problems protocol.Problems) error {
	screen, err := s.db.Screen(r.Context(), who(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return show(w, r, status, page.SetAside(page.SetAsideData{Token: screen.Token, Project: projectOf(screen),
		Reason: string(a.Reason), Word: a.Word, Problems: problems, Visitor: visitor(r)}))
}

func (s *Server) setAside(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return malformed(err)
	}
	if !r.PostForm.Has("reason") && !r.PostForm.Has("word") { // the button of the form, without a script
		return s.keepAndAsk(w, r)
	}
	a := labeling.Aside{Reason: labeling.Reason(r.PostFormValue("reason")), Word: r.PostFormValue("word")}
	if !storable(a.Word) {
		return errUnreadable
	}
	next, err := s.db.SetAside(r.Context(), who(r).ID, chi.URLParam(r, "token"), a)
	if fault.KindOf(err) == fault.Invalid {
		at := "word"
		if a.Reason.Says() == "" {
			at = "reason"
		}
		return s.askAside(w, r, http.StatusUnprocessableEntity, a, protocol.Problems{{Key: at, Says: fault.Message(err)}})
	}
	if errors.Is(err, labeling.Resting) {
		return seeOther(w, r, "/work/break")
	}
	if err != nil {
		return err
	}
	if a.Reason == labeling.Distressing {
		return s.pauseFrom(w, r)
	}
	return s.onFrom(w, r, next)
}

// pauseFrom leads to a quiet page, so that no text follows what distressed
// before somebody asks for it.
func (s *Server) pauseFrom(w http.ResponseWriter, r *http.Request) error {
	batch, err := s.db.BatchOf(r.Context(), who(r).ID, chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return seeOther(w, r, "/work/pause?batch="+strconv.FormatInt(batch, 10))
}

// keepAndAsk keeps what was typed and asks what is the matter with the item.
func (s *Server) keepAndAsk(w http.ResponseWriter, r *http.Request) error {
	if err := s.takes(r); err != nil {
		return err
	}
	if err := s.keepTyped(r); err != nil {
		return err
	}
	return seeOther(w, r, r.URL.Path)
}

// takes reports why the item of the token takes nothing from whoever asks.
func (s *Server) takes(r *http.Request) error {
	_, err := s.db.Screen(r.Context(), who(r).ID, chi.URLParam(r, "token"))
	return err
}

func (s *Server) readWarning(w http.ResponseWriter, r *http.Request) error {
	token := chi.URLParam(r, "token")
	if err := s.db.ReadWarning(r.Context(), who(r).ID, token); err != nil {
		return err
	}
	return s.onTo(w, r, 0, token)
}
