package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
)

// saveDraft stores the form of an item while it is filled in.
func (s *Server) saveDraft(w http.ResponseWriter, r *http.Request) error {
	form := readLabelingForm(r)
	if err := s.saveShortcutSetting(r, form); err != nil {
		return err
	}
	err := s.db.SaveDraft(r.Context(), currentAccount(r).ID, itemToken(r), form.draftVersion, form.Submission)
	if seen := r.PostFormValue(protocol.ControlScreenState); err == nil && seen != "" {
		return s.writeChange(w, r, seen)
	}
	return writeDraftResult(w, err)
}

// writeDraftResult answers the script that saves a draft. If another tab has
// saved a newer version, that version stays and is named in Draft-Version.
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

// saveFormAsDraft stores the form that is posted with a button other than
// Submit. An empty form leaves the draft as it is.
func (s *Server) saveFormAsDraft(r *http.Request) error {
	form := readLabelingForm(r)
	if len(form.Answers.Values)+len(form.Answers.Observations)+len(form.Answers.Note) == 0 {
		return nil
	}
	return s.db.SaveFormAsDraft(r.Context(), itemToken(r), form.Submission)
}

// saveSignedOutForm stores the form of an item, posted after the session ended,
// for the annotator who has the item.
func (s *Server) saveSignedOutForm(r *http.Request) error {
	form := readLabelingForm(r)
	return s.db.SaveSignedOutForm(r.Context(), itemToken(r), form.draftVersion, form.Submission)
}
