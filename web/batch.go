package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showNewBatch(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
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
	return s.renderNewBatch(w, r, http.StatusOK, d)
}

// defaultBatchForm is what a form begins with.
func defaultBatchForm(p project.Project) page.BatchForm {
	plan := p.Protocol.Plan
	return page.BatchForm{Overlap: "2", Items: "0", BreakEvery: strconv.Itoa(plan.BreakEveryItems), BreakMinutes: strconv.Itoa(plan.BreakMinutes)}
}

// redirectToBatchPreview keeps a batch's form in the session and leads to what it would mean, so
// that this page has an address, without anybody's in it.
func (s *Server) redirectToBatchPreview(w http.ResponseWriter, r *http.Request, p project.Project, fields url.Values) error {
	fields.Set("project", p.Key)
	s.sessions.Put(r.Context(), sessionBatchForm, fields.Encode())
	return redirect(w, r, page.ProjectPath(p.Key, "batches", "new")+"?preview=1#plan")
}

// savedBatchForm returns the form that was last looked at, where it is this
// project's.
func (s *Server) savedBatchForm(r *http.Request, p project.Project) (url.Values, bool) {
	fields, err := url.ParseQuery(s.sessions.GetString(r.Context(), sessionBatchForm))
	return fields, err == nil && fields.Get("project") == p.Key
}

func (s *Server) renderNewBatch(w http.ResponseWriter, r *http.Request, status int, d page.NewBatchData) (err error) {
	d.User = currentUser(r)
	if d.Members, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.UnassignedCount, d.ReferenceCount, err = s.db.CountAvailable(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.NewBatch(d))
}

// openBatch shows what a batch would mean, or opens it.
func (s *Server) openBatch(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	d, err := s.checkBatchForm(r, p, fields)
	switch {
	case err != nil:
		return err
	case len(d.Errors) > 0:
		return s.renderNewBatch(w, r, http.StatusUnprocessableEntity, d)
	case fields.Get("action") != "open":
		return s.redirectToBatchPreview(w, r, p, fields)
	}
	b, err := s.db.OpenBatch(r.Context(), currentAccount(r).ID, p, d.Spec)
	if status := formErrorStatus(err); status != 0 {
		d.Errors, d.Preview = toFormErrors(err, ""), nil
		return s.renderNewBatch(w, r, status, d)
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionBatchForm)
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=open")
}

// checkBatchForm is the form of a batch with what is wrong with it, or what it would
// mean.
func (s *Server) checkBatchForm(r *http.Request, p project.Project, fields url.Values) (page.NewBatchData, error) {
	d := page.NewBatchData{Project: p, Form: batchFormFromFields(fields)}
	d.Spec, d.Errors = batchSpecFromForm(d.Form)
	return d, s.checkBatch(r, &d)
}

func batchFormFromFields(fields url.Values) page.BatchForm {
	return page.BatchForm{
		Name: fields.Get("name"), Overlap: fields.Get("overlap"), Items: fields.Get("items"), Seed: fields.Get("seed"),
		BreakEvery: fields.Get("break_every"), BreakMinutes: fields.Get("break_minutes"),
		Calibration: fields.Get("calibration"), Duplicates: fields.Get("duplicates"),
		OtherEmails: fields.Get("other_emails"), Annotators: fields["annotators"],
	}
}

// batchSpecFromForm reads a form, with what cannot be read at its field.
func batchSpecFromForm(f page.BatchForm) (project.BatchSpec, page.FormErrors) {
	var n numberReader
	h := project.BatchSpec{
		Name:             f.Name,
		Annotators:       slices.Concat(f.Annotators, splitEmails(f.OtherEmails)),
		Overlap:          n.readWhole("overlap", f.Overlap, "Overlap"),
		Items:            n.readWhole("items", f.Items, "The number of items"),
		BreakEvery:       n.readWhole("break_every", f.BreakEvery, "The number of items between breaks"),
		BreakMinutes:     n.readWhole("break_minutes", f.BreakMinutes, "The length of a break"),
		CalibrationCount: n.readOrDefault("calibration", f.Calibration, "The calibration set"),
		DuplicateCount:   n.readOrDefault("duplicates", f.Duplicates, "The number of hidden duplicates"),
		Seed:             n.readSeed("seed", f.Seed),
	}
	return h, n.formErrors
}

// numberReader reads the numbers of a form and keeps what is wrong with them.
type numberReader struct{ formErrors page.FormErrors }

func (n *numberReader) addError(field string, err error) {
	if err != nil {
		n.formErrors = append(n.formErrors, toFormErrors(err, field)...)
	}
}

func (n *numberReader) readWhole(field, text, label string) int {
	number, err := readWholeNumber(url.Values{field: {text}}, field, label)
	if err == nil && number > 1_000_000_000 {
		err = fault.Invalid.Errorf("%s is too large a number.", label)
	}
	n.addError(field, err)
	return number
}

// readOrDefault reads a number that the protocol's plan stands for where it is left
// empty.
func (n *numberReader) readOrDefault(field, text, label string) int {
	if strings.TrimSpace(text) == "" {
		return project.UseDefault
	}
	return n.readWhole(field, text, label)
}

func (n *numberReader) readSeed(field, text string) int64 {
	seed, err := parseSeed(text)
	n.addError(field, err)
	return seed
}

func parseSeed(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seed < 1 {
		return 0, fault.Invalid.Errorf("A seed is a whole number above 0; “%s” is not.", text)
	}
	return seed, nil
}

// splitEmails returns what a box of e-mail addresses holds.
func splitEmails(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
}

// checkBatch adds what is wrong with the batch to d, or else its preview.
func (s *Server) checkBatch(r *http.Request, d *page.NewBatchData) error {
	spec, preview, err := s.db.PreviewBatch(r.Context(), d.Project, d.Spec)
	d.Spec = spec
	switch {
	case formErrorStatus(err) != 0:
		d.Errors = append(d.Errors, toFormErrors(err, "")...)
	case err != nil:
		return err
	case len(d.Errors) == 0:
		d.Preview = &preview
	}
	return nil
}

func (s *Server) showBoard(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	d := page.BoardData{User: currentUser(r), Project: p, Batch: b, Now: time.Now()}
	if d.Annotators, err = s.db.AnnotatorProgress(r.Context(), b.ID); err != nil {
		return err
	}
	skips, err := s.db.SkippedItems(r.Context(), b.ID)
	if err != nil {
		return err
	}
	for _, a := range skips {
		d.Skips = append(d.Skips, page.SkipRow{ItemID: a.ItemID, SourceID: a.SourceID, Reason: a.Reason, Comment: a.Comment})
	}
	switch queryParam(r, "after") {
	case "open":
		d.Notice = "The batch is open. Its annotators find it under Work."
	case "close":
		d.Notice = "The batch is closed. Every label that was sent is kept."
	}
	return render(w, r, http.StatusOK, page.Board(d))
}

// batch returns the project and the batch of the address.
func (s *Server) batch(r *http.Request) (project.Project, project.Batch, error) {
	p, err := s.projectFromPath(r)
	if err != nil {
		return p, project.Batch{}, err
	}
	b, err := s.db.Batch(r.Context(), p.ID, pathParam(r, "name"))
	return p, b, err
}

func (s *Server) showCloseBatch(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	if b.ClosedAt != nil {
		return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name))
	}
	return render(w, r, http.StatusOK, page.CloseBatch(page.CloseBatchData{User: currentUser(r), Project: p, Batch: b}))
}

func (s *Server) closeBatch(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	if err := s.db.CloseBatch(r.Context(), currentAccount(r).ID, p, b.Name); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=close")
}
