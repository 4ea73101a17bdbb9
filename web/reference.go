package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
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
		d.References = append(d.References, page.ReferenceRow{ID: g.ID, SourceID: g.SourceID, Title: project.Summarize(p.Protocol, g.Content).Title, Answers: g.Answers, Reasons: g.Reasons})
	}
	if queryParam(r, "after") == "saved" {
		d.Notice = "Reference answers saved."
	}
	return render(w, r, http.StatusOK, page.References(d))
}

// showReference shows the form for the reference answers of an item.
func (s *Server) showReference(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderReference(w, r, http.StatusOK, p, nil, nil, "")
}

// renderReference shows the form as submitted, or with the stored answers, or with those of
// the decision on an adjudicated item.
func (s *Server) renderReference(w http.ResponseWriter, r *http.Request, status int, p project.Project, submitted *labeling.Reference, problems protocol.Problems, conflict string) error {
	item, err := s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	d := page.ReferenceData{User: currentUser(r), Project: p, Item: item, Problems: problems, ConflictMessage: conflict, Queue: idsFromQuery(r, "items"),
		ShortcutsDisabled: s.sessions.GetBool(r.Context(), sessionShortcutsDisabled)}
	stored, err := s.db.Reference(r.Context(), p.ID, item.ID)
	if err == nil {
		d.Reference, d.HasReference = stored.Reference, true
	} else if fault.KindOf(err) == fault.NotFound {
		d.Reference, err = s.db.DecidedReference(r.Context(), currentAccount(r).ID, p, item.ID)
		d.IsDecided = err == nil
	}
	if err != nil && fault.KindOf(err) != fault.NotFound && !errors.Is(err, labeling.ErrBlinded) {
		return err
	}
	if submitted != nil {
		d.Reference = *submitted
	}
	return render(w, r, status, page.ReferenceForm(d))
}

// saveReference stores the reference answers of an item and goes to the next of the chosen
// items, or to the list.
func (s *Server) saveReference(w http.ResponseWriter, r *http.Request, p project.Project) error {
	reasons := takeReasons(r.PostForm)
	form := readLabelingForm(r)
	s.saveShortcutSetting(r, form)
	submitted := labeling.Reference{Answers: form.Answers, Reasons: reasons}
	err := form.err()
	if err == nil {
		err = s.db.SetReference(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), submitted)
	}
	problems, isInvalid := errors.AsType[protocol.Problems](err)
	switch {
	case isInvalid:
		return s.renderReference(w, r, http.StatusUnprocessableEntity, p, &submitted, problems, "")
	case fault.KindOf(err) == fault.Conflict:
		return s.renderReference(w, r, http.StatusConflict, p, &submitted, nil, fault.Message(err))
	case err != nil:
		return err
	}
	queue := idsFromQuery(r, "items")
	if index := slices.Index(queue, pathID[project.ItemID](r)); index >= 0 && index+1 < len(queue) {
		return redirect(w, r, page.ReferencePath(p.Key, queue[index+1], queue))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "references")+"?after=saved")
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
