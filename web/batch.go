package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) newBatch(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.NewBatchData{Project: p, Form: plannedForm(p)}
	fields, kept := s.lookedAt(r, p)
	switch {
	case kept && asked(r, "look") != "":
		d, err = s.foreseen(r, p, fields)
	case kept:
		d.Form = batchForm(fields)
	}
	if err != nil {
		return err
	}
	return s.askBatch(w, r, http.StatusOK, d)
}

// plannedForm is what a form begins with.
func plannedForm(p project.Project) page.BatchForm {
	plan := p.Protocol.Plan
	return page.BatchForm{Overlap: "2", Items: "0", BreakEvery: strconv.Itoa(plan.BreakEvery), BreakMinutes: strconv.Itoa(plan.BreakMinutes)}
}

// look keeps a batch's form in the session and leads to what it would mean, so
// that this page has an address, without anybody's in it.
func (s *Server) look(w http.ResponseWriter, r *http.Request, p project.Project, fields url.Values) error {
	fields.Set("project", p.Key)
	s.sessions.Put(r.Context(), sessionBatch, fields.Encode())
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", "new")+"?look=1#plan")
}

// lookedAt returns the form that was last looked at, where it is this
// project's.
func (s *Server) lookedAt(r *http.Request, p project.Project) (url.Values, bool) {
	fields, err := url.ParseQuery(s.sessions.GetString(r.Context(), sessionBatch))
	return fields, err == nil && fields.Get("project") == p.Key
}

func (s *Server) askBatch(w http.ResponseWriter, r *http.Request, status int, d page.NewBatchData) (err error) {
	d.Visitor = visitor(r)
	if d.Members, err = s.memberLines(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.Unassigned, d.References, err = s.db.Stock(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return show(w, r, status, page.NewBatch(d))
}

// openBatch shows what a batch would mean, or opens it.
func (s *Server) openBatch(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	d, err := s.foreseen(r, p, fields)
	switch {
	case err != nil:
		return err
	case len(d.Wrong) > 0:
		return s.askBatch(w, r, http.StatusUnprocessableEntity, d)
	case fields.Get("act") != "open":
		return s.look(w, r, p, fields)
	}
	b, err := s.db.OpenBatch(r.Context(), who(r).ID, p, d.Handout)
	if status := refusal(err); status != 0 {
		d.Wrong, d.Plan = wrongOf(err, ""), nil
		return s.askBatch(w, r, status, d)
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionBatch)
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=open")
}

// foreseen is the form of a batch with what is wrong with it, or what it would
// mean.
func (s *Server) foreseen(r *http.Request, p project.Project, fields url.Values) (page.NewBatchData, error) {
	d := page.NewBatchData{Project: p, Form: batchForm(fields)}
	d.Handout, d.Wrong = handout(d.Form)
	return d, s.checkBatch(r, &d)
}

func batchForm(fields url.Values) page.BatchForm {
	return page.BatchForm{
		Name: fields.Get("name"), Overlap: fields.Get("overlap"), Items: fields.Get("items"), Seed: fields.Get("seed"),
		BreakEvery: fields.Get("break_every"), BreakMinutes: fields.Get("break_minutes"),
		Calibration: fields.Get("calibration"), Duplicates: fields.Get("duplicates"),
		More: fields.Get("more"), Annotators: fields["annotators"],
	}
}

// handout reads a form, with what cannot be read at its field.
func handout(f page.BatchForm) (project.Handout, page.Wrong) {
	var n numbers
	h := project.Handout{
		Name:         f.Name,
		Annotators:   slices.Concat(f.Annotators, addresses(f.More)),
		Overlap:      n.whole("overlap", f.Overlap, "Overlap"),
		Items:        n.whole("items", f.Items, "The number of items"),
		BreakEvery:   n.whole("break_every", f.BreakEvery, "The number of items between breaks"),
		BreakMinutes: n.whole("break_minutes", f.BreakMinutes, "The length of a break"),
		Calibration:  n.planned("calibration", f.Calibration, "The calibration set"),
		Duplicates:   n.planned("duplicates", f.Duplicates, "The number of hidden duplicates"),
		Seed:         n.seed("seed", f.Seed),
	}
	return h, n.wrong
}

// numbers reads the numbers of a form and keeps what is wrong with them.
type numbers struct{ wrong page.Wrong }

func (n *numbers) tell(field string, err error) {
	if err != nil {
		n.wrong = append(n.wrong, wrongOf(err, field)...)
	}
}

func (n *numbers) whole(field, text, what string) int {
	number, err := whole(url.Values{field: {text}}, field, what)
	if err == nil && number > 1_000_000_000 {
		err = fault.Invalid.Says("%s is too large a number.", what)
	}
	n.tell(field, err)
	return number
}

// planned reads a number that the protocol's plan stands for where it is left
// empty.
func (n *numbers) planned(field, text, what string) int {
	if strings.TrimSpace(text) == "" {
		return project.AsPlanned
	}
	return n.whole(field, text, what)
}

func (n *numbers) seed(field, text string) int64 {
	seed, err := readSeed(text)
	n.tell(field, err)
	return seed
}

func readSeed(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seed < 1 {
		return 0, fault.Invalid.Says("A seed is a whole number above 0; “%s” is not.", text)
	}
	return seed, nil
}

// addresses returns what a box of e-mail addresses holds.
func addresses(box string) []string {
	return strings.FieldsFunc(box, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
}

// checkBatch judges what was asked for, and foresees what it would mean.
func (s *Server) checkBatch(r *http.Request, d *page.NewBatchData) error {
	h, err := d.Handout.Check()
	if d.Handout = h; err != nil {
		d.Wrong = append(d.Wrong, wrongOf(err, "")...)
	}
	if err := d.Project.CheckSupport(); err != nil {
		d.Wrong = append(d.Wrong, wrongOf(err, "")...)
	}
	if err := s.checkBatchName(r, d); err != nil {
		return err
	}
	free, references, err := s.db.Stock(r.Context(), d.Project.ID)
	if err != nil {
		return err
	}
	if err := h.CheckSize(free); err != nil {
		d.Wrong = append(d.Wrong, wrongOf(err, "items")...)
	}
	if len(d.Wrong) == 0 {
		err = s.checkAnnotators(r, d)
	}
	if err != nil || len(d.Wrong) > 0 {
		return err
	}
	if h.Items > 0 {
		free = h.Items
	}
	foresee(d, free, references)
	return nil
}

// foresee puts what a batch of so many items would mean beside its form.
func foresee(d *page.NewBatchData, items, references int) {
	session := d.Project.Protocol.Plan
	path, err := d.Handout.Path(session, items, references)
	if err != nil {
		d.Wrong = wrongOf(err, "")
		return
	}
	d.Handout.Calibration, d.Handout.Duplicates = path.Calibration, path.Duplicates
	d.Plan = new(report.Foresee(d.Project.Protocol, d.Handout, items))
}

func (s *Server) checkBatchName(r *http.Request, d *page.NewBatchData) error {
	_, err := s.db.Batch(r.Context(), d.Project.ID, d.Handout.Name)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		d.Wrong = append(d.Wrong, ui.Complaint{At: "name", Says: "There is a batch of that name in this project already. Choose another."})
	}
	return err
}

// checkAnnotators finds addresses that nobody here has.
func (s *Server) checkAnnotators(r *http.Request, d *page.NewBatchData) error {
	for _, address := range d.Handout.Annotators {
		a, err := s.db.AccountByEmail(r.Context(), address)
		if err == nil && a.Disabled {
			err = fault.Invalid.Says("The account of “%s” is disabled. Choose somebody else.", address)
		}
		switch {
		case refusal(err) != 0:
			d.Wrong = append(d.Wrong, wrongOf(err, "more")...)
		case err != nil:
			return err
		}
	}
	return nil
}

func (s *Server) board(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	d := page.BoardData{Visitor: visitor(r), Project: p, Batch: b, Now: time.Now()}
	if d.Shares, err = s.db.Shares(r.Context(), b.ID); err != nil {
		return err
	}
	asides, err := s.db.Asides(r.Context(), b.ID)
	if err != nil {
		return err
	}
	for _, a := range asides {
		d.Asides = append(d.Asides, page.Aside{ItemID: a.ItemID, Item: a.SourceID, Reason: a.Reason, Word: a.Word})
	}
	switch asked(r, "after") {
	case "open":
		d.Notice = "The batch is open. Its annotators find it under Work."
	case "close":
		d.Notice = "The batch is closed. Every label that was sent is kept."
	}
	return show(w, r, http.StatusOK, page.Board(d))
}

// batch returns the project and the batch of the address.
func (s *Server) batch(r *http.Request) (project.Project, project.Batch, error) {
	p, err := s.led(r)
	if err != nil {
		return p, project.Batch{}, err
	}
	b, err := s.db.Batch(r.Context(), p.ID, param(r, "name"))
	return p, b, err
}

func (s *Server) closePage(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	if b.ClosedAt != nil {
		return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name))
	}
	return show(w, r, http.StatusOK, page.CloseBatch(page.CloseBatchData{Visitor: visitor(r), Project: p, Batch: b}))
}

func (s *Server) closeBatch(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batch(r)
	if err != nil {
		return err
	}
	if err := s.db.CloseBatch(r.Context(), who(r).ID, p, b.Name); err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=close")
}
