package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showNewBatch shows the form of a batch: empty, as last previewed, or with its
// preview.
func (s *Server) showNewBatch(w http.ResponseWriter, r *http.Request, p project.Project) (err error) {
	d := page.NewBatchData{Project: p, Form: defaultBatchForm(p)}
	fields, isSaved := s.savedBatchForm(r, p)
	switch {
	case isSaved && queryParam(r, "preview") != "":
		d, err = s.checkBatchForm(r, p, fields)
	case isSaved:
		d.Form = batchFormFromFields(fields)
	}
	if err != nil {
		return err
	}
	if selection := page.SelectionFromQuery(r.URL.Query()); !selection.IsEmpty() { // from a list of items
		d = page.NewBatchData{Project: p, Form: defaultBatchForm(p)}
		d.Form.Selection, d.Form.Overlap = selection, cmp.Or(queryParam(r, "overlap"), d.Form.Overlap)
	}
	if draw := queryParam(r, "draw"); draw != "" { // from the page “What to label next”
		d = page.NewBatchData{Project: p, Form: defaultBatchForm(p)}
		d.Form.Draw = draw
		if _, err := project.ParseJudgeDraw(draw); err != nil {
			return err
		}
	}
	if d.Preview == nil && len(d.Errors) == 0 {
		if err := s.addBatchItems(r, &d); err != nil {
			return err
		}
	}
	return s.renderNewBatch(w, r, http.StatusOK, d)
}

func (s *Server) renderNewBatch(w http.ResponseWriter, r *http.Request, status int, d page.NewBatchData) (err error) {
	d.User = currentUser(r)
	if d.Members, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.HasLabeled, err = s.db.HasLabeled(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.AvailableCount, d.ReferenceCount, err = s.db.CountAvailable(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.MetadataColumns, d.HasRecords, err = s.db.MetadataColumns(r.Context(), d.Project.ID); err != nil {
		return err
	}
	judges, err := s.db.Judges(r.Context(), currentAccount(r).ID, d.Project)
	if err != nil {
		return err
	}
	d.HasJudges = len(judges) > 0
	return render(w, r, status, page.NewBatch(d))
}

// previewBatch shows the preview of a form that is being filled in.
func (s *Server) previewBatch(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d, err := s.checkBatchForm(r, p, r.PostForm)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.BatchPreview(d))
}

// redirectToBatchPreview stores the form in the session and goes to its preview.
// The path of the preview then contains no email addresses.
func (s *Server) redirectToBatchPreview(w http.ResponseWriter, r *http.Request, p project.Project,
	fields url.Values) error {
	fields.Set("project", p.Key)
	s.sessions.Put(r.Context(), sessionBatchForm, fields.Encode())
	return redirect(w, r, page.ProjectPath(p.Key, "batches", "new")+"?preview=1#batch-preview")
}

// savedBatchForm returns the form that was previewed last, if it belongs to p.
func (s *Server) savedBatchForm(r *http.Request, p project.Project) (url.Values, bool) {
	fields, err := url.ParseQuery(s.sessions.GetString(r.Context(), sessionBatchForm))
	return fields, err == nil && fields.Get("project") == p.Key
}

// openBatch previews a batch, or opens it if the plan is the one that was previewed.
func (s *Server) openBatch(w http.ResponseWriter, r *http.Request, p project.Project) error {
	fields := r.PostForm
	d, err := s.checkBatchForm(r, p, fields)
	switch {
	case err != nil:
		return err
	case len(d.Errors) > 0:
		return s.renderNewBatch(w, r, http.StatusUnprocessableEntity, d)
	case fields.Get("action") != "open":
		return s.redirectToBatchPreview(w, r, p, fields)
	}
	digest := fields.Get("digest")
	isPrevious := digest != "" && digest != d.Spec.PlanDigest
	d.Spec.PlanDigest = digest
	if err := d.Spec.CheckCalibration(p.Protocol.Plan); err != nil {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderNewBatch(w, r, http.StatusUnprocessableEntity, d)
	}
	if !isPrevious && d.Preview.Items+d.Preview.Labels > s.directRows {
		fields.Set("project", p.Key)
		s.sessions.Put(r.Context(), sessionBatchForm, fields.Encode())
		return s.startOpening(w, r, p, d.Spec)
	}
	b, err := s.db.OpenBatch(r.Context(), currentAccount(r).ID, p, d.Spec)
	if errors.Is(err, postgres.ErrPlanChanged) {
		d.HasChanged = true
		if err := s.checkBatch(r, &d); err != nil {
			return err
		}
		return s.renderNewBatch(w, r, http.StatusConflict, d)
	}
	if status := formErrorStatus(err); status != 0 {
		d.Errors, d.Preview = toFormErrors(currentLocale(r), err, ""), nil
		return s.renderNewBatch(w, r, status, d)
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionBatchForm)
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=open")
}

// checkBatchForm returns the form of a batch with its errors, or with its
// preview.
func (s *Server) checkBatchForm(r *http.Request, p project.Project, fields url.Values) (page.NewBatchData, error) {
	d := page.NewBatchData{Project: p, Form: batchFormFromFields(fields)}
	d.Spec, d.Errors = batchSpecFromForm(currentLocale(r), d.Form, fields.Get("seed_used"))
	if err := s.addBatchItems(r, &d); err != nil {
		return d, err
	}
	return d, s.checkBatch(r, &d)
}

// addBatchItems adds the selected items to the batch, as the list has them now.
func (s *Server) addBatchItems(r *http.Request, d *page.NewBatchData) (err error) {
	if d.Form.Selection.IsEmpty() {
		return nil
	}
	d.Spec.ItemIDs, err = s.selectItems(r, d.Project, d.Form.Selection)
	if formErrorStatus(err) != 0 {
		d.Errors, err = append(d.Errors, toFormErrors(currentLocale(r), err, "sample")...), nil
	}
	return err
}

// checkBatch adds the errors of the batch to d, or else its preview.
func (s *Server) checkBatch(r *http.Request, d *page.NewBatchData) error {
	spec, preview, err := s.db.PreviewBatch(r.Context(), currentAccount(r).ID, d.Project, d.Spec)
	d.Spec, d.Preview = spec, nil
	switch {
	case formErrorStatus(err) != 0:
		d.Errors = append(d.Errors, toFormErrors(currentLocale(r), err, "")...)
	case err != nil:
		return err
	case len(d.Errors) == 0:
		d.Preview = &preview
	}
	return nil
}
