package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// rowsPerPage is how many lines of a long list stand on one page.
const rowsPerPage = 50

func (s *Server) showItems(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	d := page.ItemsData{User: currentUser(r), Project: p, Search: queryParam(r, "search"), AfterID: queryID[project.ItemID](r, "after_id")}
	if utf8.RuneCountInString(d.Search) > 200 {
		d.Search = ""
	}
	lines, err := s.db.ItemSummaries(r.Context(), p.ID, d.Search, d.AfterID, rowsPerPage+1)
	if err != nil {
		return err
	}
	if len(lines) > rowsPerPage {
		lines = lines[:rowsPerPage]
		q := url.Values{"after_id": {formatID(lines[rowsPerPage-1].ID)}}
		if d.Search != "" {
			q.Set("search", d.Search)
		}
		d.NextPath = page.ProjectPath(p.Key, "items") + "?" + q.Encode()
	}
	for _, l := range lines {
		d.Items = append(d.Items, page.ItemRow(l))
	}
	return render(w, r, http.StatusOK, page.Items(d))
}

func (s *Server) showItem(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	item, err := s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.ItemPage(page.ItemPageData{User: currentUser(r), Project: p, Item: item, Metadata: metaTerms(item)}))
}

// metaTerms returns an item's metadata by name: texts as they are, all else as
// it was written.
func metaTerms(item project.Item) (terms []ui.SummaryRow) {
	for _, key := range slices.Sorted(maps.Keys(item.Meta)) {
		var text string
		if err := json.Unmarshal(item.Meta[key], &text); err != nil {
			text = string(item.Meta[key])
		}
		terms = append(terms, ui.SummaryRow{Label: key, Value: text})
	}
	return terms
}
