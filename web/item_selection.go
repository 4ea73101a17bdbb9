package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// The actions on selected items.
const (
	actionArchive   = "archive"
	actionRestore   = "restore"
	actionCalibrate = "calibrate"
	actionNewBatch  = "batch"
	actionLabels    = "labels"
	actionTag       = "tag"
)

// itemActions returns what a lead can do with items of a list.
func itemActions(l *locale.Locale, f project.ItemFilter) []page.ListAction {
	if f.State == project.ItemArchived {
		return []page.ListAction{{Value: actionRestore, Text: l.T("Restore")}}
	}
	return []page.ListAction{{Value: actionNewBatch, Text: l.T("Open a batch")}, {Value: actionLabels,
		Text: l.T("More labels")},
		{Value: actionCalibrate, Text: l.T("Use for calibration or as gold")},
		{Value: actionTag, Text: l.T("Change tags")}, {Value: actionArchive, Text: l.T("Archive")}}
}

// itemNotice says what an action did: "archive-3".
func itemNotice(l *locale.Locale, done string) string {
	action, count, _ := strings.Cut(done, "-")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return ""
	}
	switch action {
	case actionArchive:
		return l.T("%d items archived. No batch gets them. You can restore them: filter by the state “Archived”.", n)
	case actionTag:
		return l.T("Tags of %d items saved.", n)
	case actionRestore:
		return l.T("%d items restored. Batches can get them again.", n)
	}
	return ""
}

// readSelection returns the chosen items of a posted list, or all that it lists.
func readSelection(form, list url.Values) page.Selection {
	if form.Get("all") != "" {
		return page.AllMatching(page.FilterFromQuery(list))
	}
	var ids []project.ItemID
	for _, text := range form["item"] {
		ids = append(ids, parseID[project.ItemID](text))
	}
	return page.Selection{ItemIDs: page.JoinIDs(ids)}
}

// changeItems does something with the selected items of a list.
func (s *Server) changeItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	list, err := url.ParseQuery(r.PostFormValue("list"))
	if err != nil {
		return fault.Invalid
	}
	selection := readSelection(r.PostForm, list)
	path, err := s.selectionPath(r, p, list, selection)
	if status := formErrorStatus(err); status != 0 {
		return s.renderItems(w, r, status, p, list, toFormErrors(currentLocale(r), err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, path)
}

// selectionPath returns the page on which an action on selected items continues.
func (s *Server) selectionPath(r *http.Request, p project.Project, list url.Values, selection page.Selection) (string,
	error) {
	query := "?" + selection.Query().Encode()
	switch action := r.PostFormValue("action"); {
	case selection.IsEmpty():
		return "", fault.Invalid.Errorf("Select at least one item.")
	case action == actionNewBatch:
		return page.ProjectPath(p.Key, "batches", "new") + query, nil
	case action == actionLabels:
		return s.moreLabelsPath(r, p, list.Get("batch"), selection)
	case action == actionArchive:
		return page.ProjectPath(p.Key, "items", "archive") + query, nil
	case action == actionTag:
		return page.ProjectPath(p.Key, "items", "tags") + query, nil
	case action == actionCalibrate:
		ids, err := s.selectItems(r, p, selection)
		if err == nil && len(ids) > project.MaxChosenReferences {
			err = fault.Invalid.Errorf("You chose %d items. Choose at most %d for calibration: you enter the reference answers of each one.", len(ids), project.MaxChosenReferences)
		}
		if err == nil {
			err = s.db.CheckReferenceable(r.Context(), p, ids)
		}
		if err != nil {
			return "", err
		}
		return page.ReferencePath(p.Key, ids[0], ids), nil
	case action == actionRestore:
		f, err := selection.Filter()
		if err != nil {
			return "", err
		}
		changed, err := s.db.RestoreItems(r.Context(), currentAccount(r).ID, p, f)
		list.Set("done", action+"-"+strconv.Itoa(changed))
		return page.ProjectPath(p.Key, "items") + "?" + list.Encode(), err
	}
	return "", fault.Invalid.Errorf("Choose what to do with the items.")
}

// moreLabelsPath returns the page on which the selected items get more labels. batch may be
// empty: then it is the open batch that has the items.
func (s *Server) moreLabelsPath(r *http.Request, p project.Project, batch string, selection page.Selection) (string,
	error) {
	if batch == "" {
		ids, err := s.selectItems(r, p, selection)
		if err == nil {
			batch, err = s.db.OpenBatchOf(r.Context(), p, ids)
		}
		if err != nil {
			return "", err
		}
	}
	return page.ProjectPath(p.Key, "batches", batch, "change") + "?" + selection.ListQuery().Encode() +
		"#more-labels", nil
}

func (s *Server) selectItems(r *http.Request, p project.Project, selection page.Selection) ([]project.ItemID, error) {
	f, err := selection.Filter()
	if err != nil {
		return nil, err
	}
	return s.db.SelectItems(r.Context(), currentAccount(r).ID, p, f)
}

func (s *Server) showArchiveItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	selection := page.SelectionFromQuery(r.URL.Query())
	if selection.IsEmpty() {
		return redirect(w, r, page.ProjectPath(p.Key, "items"))
	}
	return s.renderArchiveItems(w, r, http.StatusOK, p, page.ArchiveItemsData{Selection: selection})
}

func (s *Server) renderArchiveItems(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	d page.ArchiveItemsData) error {
	ids, err := s.selectItems(r, p, d.Selection)
	if errStatus := formErrorStatus(err); errStatus != 0 {
		d.Errors, status = append(d.Errors, toFormErrors(currentLocale(r), err, "")...), errStatus
	} else if err != nil {
		return err
	}
	d.User, d.Project, d.Count = currentUser(r), p, len(ids)
	return render(w, r, status, page.ArchiveItems(d))
}

// archiveItems archives the selected items for a reason.
func (s *Server) archiveItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ArchiveItemsData{Selection: page.SelectionFromQuery(r.PostForm), Reason: r.PostForm.Get("reason")}
	changed := 0
	f, err := d.Selection.Filter()
	if err == nil {
		changed, err = s.db.ArchiveItems(r.Context(), currentAccount(r).ID, p, f, d.Reason)
	}
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderArchiveItems(w, r, status, p, d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "items")+"?done="+actionArchive+"-"+strconv.Itoa(changed))
}

// idsFromQuery returns the ids in a query parameter, such as "4,7,9".
func idsFromQuery(r *http.Request, key string) (ids []project.ItemID) {
	for text := range strings.SplitSeq(cmp.Or(queryParam(r, key), r.PostFormValue(key)), ",") {
		if id := parseID[project.ItemID](text); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Server) showTagItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	selection := page.SelectionFromQuery(r.URL.Query())
	if selection.IsEmpty() {
		return redirect(w, r, page.ProjectPath(p.Key, "items"))
	}
	return s.renderTagItems(w, r, http.StatusOK, p, page.TagItemsData{Selection: selection})
}

func (s *Server) renderTagItems(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	d page.TagItemsData) error {
	ids, err := s.selectItems(r, p, d.Selection)
	if errStatus := formErrorStatus(err); errStatus != 0 {
		d.Errors, status = append(d.Errors, toFormErrors(currentLocale(r), err, "")...), errStatus
	} else if err != nil {
		return err
	}
	d.User, d.Project, d.Count = currentUser(r), p, len(ids)
	return render(w, r, status, page.TagItems(d))
}

// tagItems gives tags to the selected items, and takes others from them.
func (s *Server) tagItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.TagItemsData{Selection: page.SelectionFromQuery(r.PostForm), Add: r.PostForm.Get("tags"),
		Remove: r.PostForm.Get("remove")}
	tagging := postgres.Tagging{Add: splitTags(d.Add), Remove: splitTags(d.Remove)}
	changed := 0
	f, err := d.Selection.Filter()
	if err == nil {
		changed, err = s.db.TagItems(r.Context(), currentAccount(r).ID, p, f, tagging)
	}
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderTagItems(w, r, status, p, d)
	}
	if err != nil {
		return err
	}
	list := url.Values{"done": {actionTag + "-" + strconv.Itoa(changed)}}
	if len(tagging.Add) > 0 {
		list.Set("tag", tagging.Add[0])
	}
	return redirect(w, r, page.ProjectPath(p.Key, "items")+"?"+list.Encode())
}
