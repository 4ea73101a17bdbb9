package web

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// rowsPerPage is how many rows of a long list one page shows.
const rowsPerPage = 50

// maxSearchLength is the number of characters of a search.
const maxSearchLength = 200

// loadList returns a list of items with the filter of the address. adjust sets what the
// page decides itself.
func (s *Server) loadList(r *http.Request, p project.Project, q url.Values, adjust func(*page.ListData)) (page.ListData,
	error) {
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
	d.Items, d.Next, d.HidesBlinded, d.MatchesInWords = found.Items, found.Next, found.HidesBlinded,
		found.MatchesInWords
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
	if o.Tags, err = s.db.Tags(r.Context(), p.ID); err != nil {
		return o, err
	}
	if o.Batches, err = s.db.BatchNames(r.Context(), p.ID); err != nil {
		return o, err
	}
	members, err := s.db.Members(r.Context(), p.ID)
	for _, m := range members {
		if m.Role == account.Annotator {
			o.Annotators = append(o.Annotators, ui.Option{Value: m.Pseudonym, Text: m.Name + " · " + m.Pseudonym,
				IsName: true})
		}
	}
	return o, err
}

func listedIDs(d *page.ListData) []project.ItemID {
	ids := make([]project.ItemID, len(d.Items))
	for i, item := range d.Items {
		ids[i] = item.ID
	}
	return ids
}

// addLabels adds the answers of annotators to a list.
func (s *Server) addLabels(r *http.Request, p project.Project, d *page.ListData) error {
	labels, err := s.db.ItemLabels(r.Context(), currentAccount(r).ID, p, listedIDs(d))
	d.Labels = map[project.ItemID][]page.AnnotatorAnswers{}
	for id, list := range labels {
		for _, l := range list {
			d.Labels[id] = append(d.Labels[id], page.AnnotatorAnswers{Annotator: l.Annotator, Values: l.Values})
		}
	}
	return err
}

func (s *Server) addConsensus(r *http.Request, p project.Project, d *page.ListData) (err error) {
	d.Consensus, err = s.db.ItemConsensus(r.Context(), currentAccount(r).ID, p, listedIDs(d))
	return err
}

// showSkipped lists the skipped items.
func (s *Server) showSkipped(w http.ResponseWriter, r *http.Request, p project.Project) error {
	list, err := s.loadList(r, p, r.URL.Query(), func(l *page.ListData) {
		l.Filter.SkippedOnly, l.OwnShow = true, "skipped"
		l.Path, l.Caption = page.ProjectPath(p.Key, "skips"), locale.From(r.Context()).T("Skipped items")
		l.ActionPath, l.Actions = page.ProjectPath(p.Key, "items"), itemActions(locale.From(r.Context()), l.Filter)
		l.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id)) }
		l.Empty = locale.From(r.Context()).T(
			"No skipped items. They appear here when an annotator skips an item with a reason.")
	})
	if err != nil {
		return err
	}
	skips, err := s.db.ItemSkips(r.Context(), currentAccount(r).ID, p, listedIDs(&list))
	if err != nil {
		return err
	}
	list.Skips = map[project.ItemID][]page.ItemSkip{}
	for id, found := range skips {
		for _, skip := range found {
			list.Skips[id] = append(list.Skips[id], page.ItemSkip{Reason: skip.Reason, Comment: skip.Comment,
				SkippedAt: skip.SkippedAt})
		}
	}
	return render(w, r, http.StatusOK, page.Skipped(page.SkippedData{User: currentUser(r), Project: p, List: list}))
}

func (s *Server) showItems(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderItems(w, r, http.StatusOK, p, r.URL.Query(), nil)
}

func (s *Server) renderItems(w http.ResponseWriter, r *http.Request, status int, p project.Project, q url.Values,
	formErrors page.FormErrors) error {
	list, err := s.loadList(r, p, q, func(d *page.ListData) {
		d.Path, d.ActionPath, d.Caption = page.ProjectPath(p.Key, "items"), page.ProjectPath(p.Key, "items"),
			locale.From(r.Context()).T("Items")
		d.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id)) }
		d.Actions = itemActions(locale.From(r.Context()), d.Filter)
		d.Empty = locale.From(r.Context()).T("This project has no items yet.")
	})
	if err != nil {
		return err
	}
	return render(w, r, status, page.Items(page.ItemsData{User: currentUser(r), Project: p, List: list,
		Notice: itemNotice(locale.From(r.Context()), q.Get("done")), Errors: formErrors}))
}
