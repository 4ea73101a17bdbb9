package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// showReferences lists the calibration items of a project with their reference
// answers.
func (s *Server) showReferences(w http.ResponseWriter, r *http.Request, p project.Project) error {
	references, err := s.db.References(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.ReferencesData{User: currentUser(r), Project: p}
	for _, g := range references {
		d.References = append(d.References, page.ReferenceRow{ID: g.ID, SourceID: g.SourceID,
			Title: project.Summarize(p.Protocol, g.Content).Title, Answers: g.Answers, Reasons: g.Reasons})
	}
	if queryParam(r, "after") == "saved" {
		d.Notice = currentLocale(r).T("Reference answers saved.")
	}
	return render(w, r, http.StatusOK, page.References(d))
}

// showReference shows the form for the reference answers of an item.
func (s *Server) showReference(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderReference(w, r, http.StatusOK, p, func(d *page.ReferenceData, draft postgres.ReferenceDraft) {
		if draft.Version > 0 && queryParam(r, "prefill") != "none" {
			d.Reference, d.Draft.IsRestored, d.IsDecided = draft.Reference, true, false
		}
	})
}

// renderReference shows the form with the stored answers, or with those of the decision on an
// adjudicated item. fill may replace them.
func (s *Server) renderReference(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	fill func(*page.ReferenceData, postgres.ReferenceDraft)) error {
	actorID := currentAccount(r).ID
	item, err := s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	d := page.ReferenceData{User: currentUser(r), Project: p, Item: item, Queue: idsFromQuery(r, "items"),
		ShortcutsDisabled: currentSettings(r).ShortcutsDisabled}
	stored, err := s.db.Reference(r.Context(), p.ID, item.ID)
	if err == nil {
		d.Reference, d.HasReference, d.SavedAt = stored.Reference, true, stored.CreatedAt.UnixMicro()
	} else if fault.KindOf(err) == fault.NotFound {
		d.Reference, err = s.db.DecidedReference(r.Context(), actorID, p, item.ID)
		d.IsDecided = err == nil
	}
	if err != nil && fault.KindOf(err) != fault.NotFound && !errors.Is(err, labeling.ErrBlinded) {
		return err
	}
	draft, err := s.db.ReferenceDraft(r.Context(), actorID, p, item.ID)
	if err != nil {
		return err
	}
	d.Draft = page.ReferenceDraft{Version: draft.Version, FormKey: draft.FormKey}
	fill(&d, draft)
	return render(w, r, status, page.ReferenceForm(d))
}

// A referenceForm is the form of reference answers as it was posted.
type referenceForm struct {
	labelingForm
	reference labeling.Reference
	savedAt   time.Time // of the answers that the page showed; zero: never
	formKey   string    // identifies the lead whose form it is
}

func readReferenceForm(r *http.Request) referenceForm {
	fields := r.PostForm
	f := referenceForm{formKey: fields.Get("reference.form_key")}
	if savedAt := parseVersion(fields.Get("reference.saved_at")); savedAt > 0 {
		f.savedAt = time.UnixMicro(savedAt)
	}
	fields.Del("reference.form_key") // what is left is a labeling form
	fields.Del("reference.saved_at")
	reasons := takeReasons(fields)
	f.labelingForm = readLabelingForm(r)
	f.reference = labeling.Reference{Answers: f.Answers, Reasons: reasons}
	return f
}

// saveReference stores the reference answers of an item and goes to the next of the chosen
// items, or to the list.
func (s *Server) saveReference(w http.ResponseWriter, r *http.Request, p project.Project) error {
	form := readReferenceForm(r)
	if err := s.saveShortcutSetting(r, form.labelingForm); err != nil {
		return err
	}
	err := form.err()
	if err == nil {
		err = s.db.SetReference(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), form.reference)
	}
	problems, isInvalid := errors.AsType[protocol.Problems](err)
	switch {
	case isInvalid:
		return s.renderRejectedReference(w, r, http.StatusUnprocessableEntity, p, form, problems, "")
	case fault.KindOf(err) == fault.Conflict:
		return s.renderRejectedReference(w, r, http.StatusConflict, p, form, nil, currentLocale(r).Message(err))
	case err != nil:
		return err
	}
	queue := idsFromQuery(r, "items")
	if index := slices.Index(queue, pathID[project.ItemID](r)); index >= 0 && index+1 < len(queue) {
		return redirect(w, r, page.ReferencePath(p.Key, queue[index+1], queue))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "references")+"?after=saved")
}

// renderRejectedReference saves rejected answers as a draft and shows them again with the
// reason.
func (s *Server) renderRejectedReference(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	form referenceForm, problems protocol.Problems, conflict string) error {
	version, err := s.db.SaveReferenceAsDraft(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r),
		form.reference)
	if err != nil {
		return err
	}
	return s.renderReference(w, r, status, p, func(d *page.ReferenceData, _ postgres.ReferenceDraft) {
		d.Reference, d.Problems, d.ConflictMessage, d.Draft.Version = form.reference, problems, conflict, version
	})
}

// saveReferenceDraft stores the form of reference answers while it is filled in.
func (s *Server) saveReferenceDraft(w http.ResponseWriter, r *http.Request, p project.Project) error {
	form := readReferenceForm(r)
	if err := s.saveShortcutSetting(r, form.labelingForm); err != nil {
		return err
	}
	return writeDraftResult(w, s.db.SaveReferenceDraft(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r),
		postgres.ReferenceDraft{
			Reference: form.reference, Version: form.draftVersion, BaseVersion: form.DraftVersion, Tab: form.Tab,
			SavedAt: form.savedAt}))
}

// saveSignedOutReference stores reference answers, posted after the session ended, as a draft
// of the lead whose form it is.
func (s *Server) saveSignedOutReference(r *http.Request) error {
	form := readReferenceForm(r)
	return s.db.SaveSignedOutReference(r.Context(), pathParam(r, "key"), pathID[project.ItemID](r), form.formKey,
		form.draftVersion, form.reference)
}

func (s *Server) removeReference(w http.ResponseWriter, r *http.Request, p project.Project) error {
	if err := s.db.RemoveReference(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r)); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "references"))
}

// takeReasons removes the reasons from a form and returns them by field. What
// is left is a labeling form.
func takeReasons(fields url.Values) map[string]string {
	reasons := map[string]string{}
	for key := range fields {
		if field, ok := strings.CutPrefix(key, labeling.ReferenceReasonKey("")); ok {
			reasons[field] = strings.ReplaceAll(fields.Get(key), "\r\n", "\n")
			fields.Del(key)
		}
	}
	return reasons
}
