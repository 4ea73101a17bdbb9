package web

import (
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showSkip(w http.ResponseWriter, r *http.Request) error {
	return s.renderSkip(w, r, http.StatusOK, labeling.Skip{}, nil)
}

func (s *Server) renderSkip(w http.ResponseWriter, r *http.Request, status int, skip labeling.Skip,
	problems protocol.Problems) error {
	screen, err := s.loadScreen(r)
	if err != nil {
		return err
	}
	return render(w, r, status, page.Skip(page.SkipData{Token: screen.Token, Project: projectFromScreen(screen),
		Reason: string(skip.Reason), Comment: skip.Comment, Problems: problems, User: currentUser(r)}))
}

// skip skips an item for a reason. Without a script, the button of the labeling
// form posts no reason yet.
func (s *Server) skip(w http.ResponseWriter, r *http.Request) error {
	if !r.PostForm.Has(protocol.ControlSkipReason) && !r.PostForm.Has(protocol.ControlSkipComment) {
		return s.saveDraftAndAsk(w, r)
	}
	skip := labeling.Skip{Reason: labeling.SkipReason(r.PostFormValue(protocol.ControlSkipReason)),
		Comment: r.PostFormValue(protocol.ControlSkipComment)}
	next, err := s.db.Skip(r.Context(), currentAccount(r).ID, itemToken(r), skip)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return s.renderSkip(w, r, http.StatusUnprocessableEntity, skip, protocol.Problems{{Key: invalidSkipField(skip),
			Message: currentLocale(r).Message(err)}})
	case errors.Is(err, labeling.ErrOnBreak):
		return s.redirectToBreak(w, r)
	case err != nil:
		return err
	case skip.Reason == labeling.Distressing:
		return s.redirectToPause(w, r)
	}
	return s.redirectFromItem(w, r, next)
}

// invalidSkipField names the field that makes a skip invalid.
func invalidSkipField(skip labeling.Skip) string {
	if skip.Reason.Text() == "" {
		return protocol.ControlSkipReason
	}
	return protocol.ControlSkipComment
}

// redirectToPause goes to a page without item texts: the next item is open, but shown only
// when the annotator asks for it.
func (s *Server) redirectToPause(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	return redirect(w, r, "/work/pause?batch="+formatID(batchID))
}

func (s *Server) saveDraftAndAsk(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkOpen(r); err != nil {
		return err
	}
	if err := s.saveFormAsDraft(r); err != nil {
		return err
	}
	return redirect(w, r, r.URL.Path)
}

// showPause follows an item that was skipped as distressing. The next item is shown only on
// request.
func (s *Server) showPause(w http.ResponseWriter, r *http.Request) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	progress, isFound := overview.Batch(queryID[project.BatchID](r, "batch"))
	if overview.OnBreak || !isFound {
		return redirect(w, r, "/work")
	}
	q := queueFromProgress(currentLocale(r), progress)
	return render(w, r, http.StatusOK, page.Pause(page.PauseData{User: currentUser(r), Project: q.Project,
		Batch: q.Batch}))
}
