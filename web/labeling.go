package web

import (
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

// showLabeling shows an item with the draft of its form.
func (s *Server) showLabeling(w http.ResponseWriter, r *http.Request) error {
	screen, err := s.loadScreen(r)
	switch {
	case errors.Is(err, labeling.ErrReassigned) || errors.Is(err, labeling.ErrRemoved):
		return s.renderKeptDraft(w, r, err)
	case fault.KindOf(err) == fault.Conflict:
		return s.redirectFromItem(w, r, "")
	case err != nil:
		return err
	}
	if screen.OnBreak {
		return redirect(w, r, breakPath(screen.BatchID))
	}
	if screen.MustRead {
		if isRendered, err := s.renderPendingReading(w, r, screen.BatchID, screen.Token); isRendered || err != nil {
			return err
		}
		return redirect(w, r, r.URL.Path) // read in another tab since
	}
	return render(w, r, http.StatusOK, page.Label(s.labelData(r, screen)))
}

// labelData returns the labeling page of an item with its draft.
func (s *Server) labelData(r *http.Request, screen postgres.LabelingScreen) page.LabelData {
	d := newLabelData(currentLocale(r), screen)
	d.ShortcutsDisabled = currentSettings(r).ShortcutsDisabled
	d.Notice, d.Change = s.itemNotice(r, screen), screenChange(r, screen)
	return d
}

// renderKeptDraft shows what the annotator typed for an item that they lost, and why it cannot
// be submitted. Without a draft, it returns that reason.
func (s *Server) renderKeptDraft(w http.ResponseWriter, r *http.Request, reason error) error {
	draft, err := s.db.KeptDraft(r.Context(), currentAccount(r).ID, itemToken(r))
	if fault.KindOf(err) == fault.NotFound || prefersJSON(r) {
		return reason
	}
	if err != nil {
		return err
	}
	f := localize(currentLocale(r), problem.ToFault(reason))
	return render(w, r, problem.Status(f.Kind), page.KeptDraft(page.KeptDraftData{User: currentUser(r),
		Message:      f.Message,
		ProjectTitle: draft.ProjectTitle, Protocol: draft.Protocol.In(currentLocale(r).Tag()), Answers: draft.Answers}))
}

// loadScreen returns the labeling screen of the token in the path. It fails if
// the annotator cannot submit the item now.
func (s *Server) loadScreen(r *http.Request) (postgres.LabelingScreen, error) {
	return s.db.LabelingScreen(r.Context(), currentAccount(r).ID, itemToken(r))
}

// itemToken returns the token of an assignment in the path.
func itemToken(r *http.Request) string { return pathParam(r, "token") }

func projectFromScreen(s postgres.LabelingScreen) page.Project {
	return page.Project{Title: s.ProjectTitle, SupportURL: s.SupportURL, Instructions: s.Instructions,
		Citations: s.Citations,
		GuidePath: guidePath(s.ProjectKey, s.BatchID), Session: &s.Session, AllowsUndo: s.AllowsUndo}
}

func newLabelData(l *locale.Locale, s postgres.LabelingScreen) page.LabelData {
	d := page.LabelData{
		Token: s.Token, Project: projectFromScreen(s), Protocol: s.Protocol.In(l.Tag()), Content: s.Content,
		Facts:    s.Facts,
		Answers:  s.Draft.Answers,
		Progress: toPageProgress(s.Progress, true),
		Draft:    page.Draft{Version: s.DraftVersion, FilledIn: s.Draft.FilledIn}, Questions: ownQuestions(s.Questions),
		HasUnreadMessages: s.HasUnreadMessages, CanUndo: s.CanUndo, StateKey: stateKey(s.ScreenState),
	}
	switch {
	case s.IsRetake:
		d.Stage = l.T("Calibration, retake")
	case s.IsCalibration:
		d.Stage = l.T("Calibration")
	case s.Reopened:
		d.Stage = l.T("Reopened")
	}
	return d
}

// toPageProgress returns the counters as every page shows them. hasMore: an item is open or
// left.
func toPageProgress(p labeling.Progress, hasMore bool) page.Progress {
	total := p.ExpectedItems
	if total > 0 && hasMore {
		total = max(total, p.CompletedItems+1)
	}
	return page.Progress{Done: p.CompletedItems, Total: total, ItemsToBreak: p.ItemsToBreak}
}

// redirectToItem goes to the item of token. Without one, it goes to what is next
// in the batch: a break, the calibration result or the end.
func redirectToItem(w http.ResponseWriter, r *http.Request, batchID project.BatchID, token string) error {
	switch {
	case token != "":
		return redirect(w, r, "/work/"+token)
	case batchID == 0:
		return redirect(w, r, "/work?start=1")
	}
	return redirect(w, r, "/work?batch="+formatID(batchID))
}

// redirectFromItem goes to the item of next, or to what is next in the batch of
// the item in the path.
func (s *Server) redirectFromItem(w http.ResponseWriter, r *http.Request, next string) error {
	if next != "" {
		return s.showNextItem(w, r, next)
	}
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	return redirectToItem(w, r, batchID, "")
}

// redirectToNext opens the next item of a batch and goes there.
func (s *Server) redirectToNext(w http.ResponseWriter, r *http.Request, batchID project.BatchID) error {
	token, err := s.db.OpenNext(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	return redirectToItem(w, r, batchID, token)
}
