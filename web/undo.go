package web

import (
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// undoFromItem saves the form of the open item and takes back the submit before it.
func (s *Server) undoFromItem(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkOpen(r); err != nil {
		return s.redirectAfterUndo(w, r, err)
	}
	if err := s.saveFormAsDraft(r); err != nil {
		return err
	}
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	return s.undo(w, r, batchID, itemToken(r))
}

// undoLast takes back the last submit in a batch without an open item.
func (s *Server) undoLast(w http.ResponseWriter, r *http.Request) error {
	return s.undo(w, r, formID[project.BatchID](r, "batch"), "")
}

func (s *Server) undo(w http.ResponseWriter, r *http.Request, batchID project.BatchID, openToken string) error {
	token, err := s.db.UndoSubmit(r.Context(), currentAccount(r).ID, batchID, openToken)
	if err != nil {
		return s.redirectAfterUndo(w, r, err)
	}
	return s.showNextItem(w, r, token)
}

// redirectAfterUndo goes to what is open instead, if the undo came too late: after another
// submit, from another tab.
func (s *Server) redirectAfterUndo(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case errors.Is(err, labeling.ErrOnBreak):
		return redirect(w, r, breakPath(formID[project.BatchID](r, "batch")))
	case errors.Is(err, labeling.ErrSetBack):
		return s.redirectFromItem(w, r, "")
	}
	return err
}

// itemNotice returns what happened before the item was shown, or "".
func (s *Server) itemNotice(r *http.Request, screen postgres.LabelingScreen) string {
	if screen.IsUndone {
		return currentLocale(r).T("You took back this submit. Change your answers and submit again. Until then, the answers that you submitted count.")
	}
	return s.alreadySubmittedNotice(r, screen.Token)
}
