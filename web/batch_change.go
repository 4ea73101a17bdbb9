package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showChangeBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	d := page.ChangeBatchData{Project: p, Batch: b, Form: defaultChangeForm(b)}
	q := r.URL.Query()
	if d.Form.Items = q.Get("items"); d.Form.Items == "" { // from a list of items
		d.Form.Filter = page.FilterQuery(page.FilterFromQuery(q)).Encode()
	}
	return s.renderChangeBatch(w, r, http.StatusOK, d)
}

func (s *Server) renderChangeBatch(w http.ResponseWriter, r *http.Request, status int, d page.ChangeBatchData) (
	err error) {
	d.User = currentUser(r)
	members, err := s.db.BatchMembers(r.Context(), d.Batch.ID)
	if err != nil {
		return err
	}
	inBatch := map[string]bool{}
	for _, m := range members {
		d.Annotators = append(d.Annotators, page.BatchAnnotatorRow(m))
		inBatch[m.Pseudonym] = !m.Removed
	}
	if d.Candidates, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	d.Candidates = slices.DeleteFunc(d.Candidates, func(m page.MemberRow) bool {
		return m.Disabled || inBatch[m.Pseudonym]
	})
	if d.Rule, err = s.db.OverlapRule(r.Context(), d.Batch.ID); err != nil {
		return err
	}
	if err := s.countLabelItems(r, &d); err != nil {
		return err
	}
	if d.Available, _, err = s.db.CountAvailable(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.ChangeBatch(d))
}

// countLabelItems counts the items that were chosen in a list to get more labels.
func (s *Server) countLabelItems(r *http.Request, d *page.ChangeBatchData) (err error) {
	n := numberReader{locale: currentLocale(r)}
	filter := n.readLabelItems(page.ChangeBatchForm{Items: d.Form.Items, Filter: d.Form.Filter})
	if filter == nil || len(n.formErrors) > 0 {
		return nil
	}
	filter.Batch = d.Batch.Name
	found, err := s.db.ListItems(r.Context(), currentAccount(r).ID, d.Project, *filter, "", 1)
	if err != nil {
		return err
	}
	d.LabelItems, err = s.db.CountItems(r.Context(), currentAccount(r).ID, d.Project, *filter, found.MatchesInWords)
	return err
}

// changeBatch changes a batch as its form says.
func (s *Server) changeBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	d := page.ChangeBatchData{Project: p, Batch: b, Form: changeFormFromFields(r.PostForm)}
	change, formErrors := batchChangeFromForm(currentLocale(r), d.Form, b)
	if d.Errors = formErrors; len(d.Errors) > 0 {
		return s.renderChangeBatch(w, r, http.StatusUnprocessableEntity, d)
	}
	if r.PostForm.Get("action") == "preview" {
		return s.previewBatchChange(w, r, d, change)
	}
	effect, err := s.db.ChangeBatch(r.Context(), currentAccount(r).ID, p, b.Name, change)
	s.sessions.Put(r.Context(), sessionBatchEffect, effect.Text(currentLocale(r)))
	return s.afterBatchChange(w, r, d, err, "change")
}

// previewBatchChange shows what a change would do.
func (s *Server) previewBatchChange(w http.ResponseWriter, r *http.Request, d page.ChangeBatchData,
	change project.BatchChange) error {
	preview, err := s.db.PreviewBatchChange(r.Context(), currentAccount(r).ID, d.Project, d.Batch.Name, change)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderChangeBatch(w, r, status, d)
	}
	if err != nil {
		return err
	}
	d.Preview = &preview
	return s.renderChangeBatch(w, r, http.StatusOK, d)
}

// afterBatchChange goes to the board, or shows the form with its errors.
func (s *Server) afterBatchChange(w http.ResponseWriter, r *http.Request, d page.ChangeBatchData, err error,
	done string) error {
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderChangeBatch(w, r, status, d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.BatchPath(d.Project, d.Batch)+"?after="+done)
}

func (s *Server) reopenBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.endBatch(w, r, p, b, s.db.ReopenBatch, "reopen")
}

func (s *Server) archiveBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.endBatch(w, r, p, b, s.db.ArchiveBatch, "archive")
}

// endBatch changes the state of a batch for the reason of its form.
func (s *Server) endBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch,
	end func(context.Context, account.ID, project.Project, string, string) error, done string) error {
	d := page.ChangeBatchData{Project: p, Batch: b, Form: page.ChangeBatchForm{Reason: r.PostForm.Get("reason")}}
	return s.afterBatchChange(w, r, d, end(r.Context(), currentAccount(r).ID, p, b.Name, d.Form.Reason), done)
}

func defaultChangeForm(b project.Batch) page.ChangeBatchForm {
	f := page.ChangeBatchForm{BreakEvery: strconv.Itoa(b.BreakEvery), BreakMinutes: strconv.Itoa(b.BreakMinutes),
		RuleDifference: "1", RuleLabels: "3"}
	if b.DailyItemLimit != nil {
		f.DailyItemLimit = strconv.Itoa(*b.DailyItemLimit)
	}
	if b.SessionLimitMinutes != nil {
		f.SessionLimit = strconv.Itoa(*b.SessionLimitMinutes)
	}
	if b.Deadline != nil {
		f.Deadline = b.Deadline.Format(time.DateOnly)
	}
	return f
}

func changeFormFromFields(fields url.Values) page.ChangeBatchForm {
	f := page.ChangeBatchForm{
		Reason: fields.Get("reason"), Add: fields["add"], OtherEmails: fields.Get("other_emails"),
		AddItems: fields.Get("add_items"), Labels: fields.Get("labels"),
		Items: fields.Get("items"), Filter: fields.Get("filter"), Search: fields.Get("search"),
		RuleField: fields.Get("rule_field"), RuleDifference: fields.Get("rule_difference"),
		RuleLabels:   fields.Get("rule_labels"),
		ReassignFrom: fields.Get("reassign_from"), ReassignTo: fields.Get("reassign_to"),
		ReassignItems: fields.Get("reassign_items"), ReassignCount: fields.Get("reassign_count"),
		BreakEvery: fields.Get("break_every"), BreakMinutes: fields.Get("break_minutes"),
		DailyItemLimit: fields.Get("daily_item_limit"), SessionLimit: fields.Get("session_limit_minutes"),
		Deadline: fields.Get("deadline"),
		KeepRule: fields.Get("keep_rule") != "", DropRule: fields.Get("drop_rule") != "", Actions: map[string]string{},
	}
	for name := range fields {
		if pseudonym, ok := strings.CutPrefix(name, "action:"); ok {
			f.Actions[pseudonym] = fields.Get(name)
		}
	}
	return f
}

// batchChangeFromForm reads a form. Settings that are as before are left out.
func batchChangeFromForm(l *locale.Locale, f page.ChangeBatchForm, b project.Batch) (project.BatchChange,
	page.FormErrors) {
	n := numberReader{locale: l}
	c := project.BatchChange{Reason: f.Reason, Add: slices.Concat(f.Add, splitEmails(f.OtherEmails)),
		KeepRule: f.KeepRule, DropRule: f.DropRule,
		Reassign: project.Reassignment{From: f.ReassignFrom, To: f.ReassignTo,
			Items: project.ReassignedItems(f.ReassignItems),
			Count: n.readOrZero("reassign_count", f.ReassignCount, locale.Text("The number of items to reassign"))},
		Labels:     n.readOrZero("labels", f.Labels, locale.Text("The number of labels")),
		LabelItems: n.readLabelItems(f)}
	for pseudonym, action := range f.Actions {
		switch action {
		case "pause":
			c.Pause = append(c.Pause, pseudonym)
		case "resume":
			c.Resume = append(c.Resume, pseudonym)
		case "remove":
			c.Remove = append(c.Remove, pseudonym)
		}
	}
	if strings.TrimSpace(f.AddItems) != "" {
		sample := parseField(&n, "add_items", f.AddItems, project.ParseSample)
		c.AddItems = &sample
	}
	if f.RuleField != "" {
		c.Rule = parseField(&n, "rule", f.RuleField+">="+f.RuleDifference+":"+f.RuleLabels, project.ParseOverlapRule)
	}
	c.Settings = changedSettings(&n, f, defaultChangeForm(b))
	return c, n.formErrors
}

// readLabelItems reads which items get more labels: nil for all.
func (n *numberReader) readLabelItems(f page.ChangeBatchForm) *project.ItemFilter {
	filter := page.FilterFromQuery(parseField(n, "items", f.Filter, url.ParseQuery))
	if search := strings.TrimSpace(f.Search); search != "" {
		filter.Search = search
	}
	filter.IDs = parseField(n, "items", f.Items, project.ParseItemIDs)
	if filter.IsEmpty() {
		return nil
	}
	return &filter
}

// changedSettings returns the settings that differ from those before.
func changedSettings(n *numberReader, f, before page.ChangeBatchForm) (s project.BatchSettings) {
	changed := func(field, text, textBefore string, label locale.Text, whenEmpty int) *int {
		if strings.TrimSpace(text) == textBefore {
			return nil
		}
		value := whenEmpty
		if strings.TrimSpace(text) != "" {
			value = n.readWhole(field, text, label)
		}
		return &value
	}
	s.BreakEvery = changed("break_every", f.BreakEvery, before.BreakEvery, locale.Text("The number of items between breaks"), 0)
	s.BreakMinutes = changed("break_minutes", f.BreakMinutes, before.BreakMinutes, locale.Text("The length of a break"), 0)
	s.DailyItemLimit = changed("daily_item_limit", f.DailyItemLimit, before.DailyItemLimit, locale.Text("The daily limit"), -1)
	s.SessionLimitMinutes = changed("session_limit_minutes", f.SessionLimit, before.SessionLimit,
		locale.Text("The session limit"), -1)
	if f.Deadline != before.Deadline {
		s.Deadline = &f.Deadline
	}
	return s
}

// readOrZero reads a number; an empty field is 0.
func (n *numberReader) readOrZero(field, text string, label locale.Text) int {
	if strings.TrimSpace(text) == "" {
		return 0
	}
	return n.readWhole(field, text, label)
}
