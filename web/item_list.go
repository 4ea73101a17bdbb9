package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// rowsPerPage is how many rows of a long list one page shows.
const rowsPerPage = 50

// maxSearchLength is the number of characters of a search.
const maxSearchLength = 200

// loadList returns a list of items with the filter of the address. adjust sets what the
// page decides itself.
func (s *Server) loadList(r *http.Request, p project.Project, q url.Values, adjust func(*page.ListData)) (page.ListData, error) {
	actorID := currentAccount(r).ID
	d := page.ListData{Protocol: p.Protocol, Filter: page.FilterFromQuery(q), Cursor: q.Get("cursor"), Total: p.Items}
	if utf8.RuneCountInString(d.Filter.Search) > maxSearchLength {
		return d, fault.Invalid.Errorf("The search is too long. Use at most %d characters.", maxSearchLength)
	}
	adjust(&d)
	found, err := s.db.ListItems(r.Context(), actorID, p, d.Filter, d.Cursor, rowsPerPage)
	if err != nil {
		return d, err
	}
	d.Items, d.Next, d.HidesBlinded, d.MatchesInWords = found.Items, found.Next, found.HidesBlinded, found.MatchesInWords
	if d.Count, err = s.db.CountItems(r.Context(), actorID, p, d.Filter, d.MatchesInWords); err != nil {
		return d, err
	}
	d.Options, err = s.listOptions(r, p)
	return d, err
}

// listOptions returns what lists of a project can be filtered by.
func (s *Server) listOptions(r *http.Request, p project.Project) (o page.ListOptions, err error) {
	if o.Conditions, err = s.db.Conditions(r.Context(), p.ID); err != nil {
		return o, err
	}
	if o.Batches, err = s.db.BatchNames(r.Context(), p.ID); err != nil {
		return o, err
	}
	members, err := s.db.Members(r.Context(), p.ID)
	for _, m := range members {
		if m.Role == account.Annotator {
			o.Annotators = append(o.Annotators, m.Pseudonym)
		}
	}
	return o, err
}

// addLabels adds the answers of annotators to a list.
func (s *Server) addLabels(r *http.Request, p project.Project, d *page.ListData) error {
	ids := make([]project.ItemID, len(d.Items))
	for i, item := range d.Items {
		ids[i] = item.ID
	}
	labels, err := s.db.ItemLabels(r.Context(), currentAccount(r).ID, p, ids)
	d.Labels = map[project.ItemID][]page.AnnotatorAnswers{}
	for id, list := range labels {
		for _, l := range list {
			d.Labels[id] = append(d.Labels[id], page.AnnotatorAnswers{Annotator: l.Annotator, Values: l.Values})
		}
	}
	return err
}

// The actions on selected items.
const (
	actionArchive   = "archive"
	actionRestore   = "restore"
	actionCalibrate = "calibrate"
	actionNewBatch  = "batch"
	actionLabels    = "labels"
)

func (s *Server) showItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderItems(w, r, http.StatusOK, p, r.URL.Query(), nil)
}

func (s *Server) renderItems(w http.ResponseWriter, r *http.Request, status int, p project.Project, q url.Values, formErrors page.FormErrors) error {
	list, err := s.loadList(r, p, q, func(d *page.ListData) {
		d.Path, d.ActionPath, d.Caption = page.ProjectPath(p.Key, "items"), page.ProjectPath(p.Key, "items"), "Items"
		d.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id)) }
		d.Actions = itemActions(d.Filter.State)
		d.Empty = "This project has no items yet."
	})
	if err != nil {
		return err
	}
	return render(w, r, status, page.Items(page.ItemsData{User: currentUser(r), Project: p, List: list, Notice: itemNotice(q.Get("done")), Errors: formErrors}))
}

func itemActions(state project.ItemState) []page.ListAction {
	if state == project.ItemArchived {
		return []page.ListAction{{Value: actionRestore, Text: "Restore"}}
	}
	return []page.ListAction{{Value: actionNewBatch, Text: "Open a batch with them"}, {Value: actionLabels, Text: "More labels"}, {Value: actionCalibrate, Text: "Use for calibration"}, {Value: actionArchive, Text: "Archive"}}
}

// itemNotice says what an action did: "archive-3".
func itemNotice(done string) string {
	action, count, _ := strings.Cut(done, "-")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return ""
	}
	switch action {
	case actionArchive:
		return page.Pluralize(n, "item") + " archived. No batch gets them. You can restore them: filter by the state “Archived”."
	case actionRestore:
		return page.Pluralize(n, "item") + " restored. Batches can get them again."
	}
	return ""
}

// changeItems does something with the selected items of the list.
func (s *Server) changeItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	q, err := url.ParseQuery(r.PostFormValue("list"))
	if err != nil {
		return fault.Invalid
	}
	var ids []project.ItemID
	for _, text := range r.PostForm["item"] {
		ids = append(ids, parseID[project.ItemID](text))
	}
	action, changed := r.PostFormValue("action"), 0
	switch {
	case len(ids) == 0:
		err = fault.Invalid.Errorf("Select at least one item.")
	case action == actionCalibrate:
		return redirect(w, r, page.ReferencePath(p.Key, ids[0], ids))
	case action == actionNewBatch:
		return redirect(w, r, page.ProjectPath(p.Key, "batches", "new")+"?"+url.Values{"item_ids": {page.JoinIDs(ids)}}.Encode())
	case action == actionLabels:
		var batch string
		if batch, err = s.db.OpenBatchOf(r.Context(), p, ids); err == nil {
			return redirect(w, r, page.ProjectPath(p.Key, "batches", batch, "change")+"?"+url.Values{"items": {page.JoinIDs(ids)}}.Encode()+"#more-labels")
		}
	case action == actionArchive:
		changed, err = s.db.ArchiveItems(r.Context(), currentAccount(r).ID, p, ids)
	case action == actionRestore:
		changed, err = s.db.RestoreItems(r.Context(), currentAccount(r).ID, p, ids)
	default:
		err = fault.Invalid.Errorf("Choose what to do with the items.")
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderItems(w, r, status, p, q, toFormErrors(err, ""))
	}
	if err != nil {
		return err
	}
	q.Set("done", action+"-"+strconv.Itoa(changed))
	return redirect(w, r, page.ProjectPath(p.Key, "items")+"?"+q.Encode())
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
