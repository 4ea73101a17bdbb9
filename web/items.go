package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// linesAPage is how many lines of a long list stand on one page.
const linesAPage = 50

func (s *Server) items(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.ItemsData{Visitor: visitor(r), Project: p, Search: asked(r, "search"), After: askedID(r, "after")}
	if utf8.RuneCountInString(d.Search) > 200 {
		d.Search = ""
	}
	lines, err := s.db.ItemLines(r.Context(), p.ID, d.Search, d.After, linesAPage+1)
	if err != nil {
		return err
	}
	if len(lines) > linesAPage {
		lines = lines[:linesAPage]
		q := url.Values{"after": {strconv.FormatInt(lines[linesAPage-1].ID, 10)}}
		if d.Search != "" {
			q.Set("search", d.Search)
		}
		d.Next = page.ProjectPath(p.Key, "items") + "?" + q.Encode()
	}
	for _, l := range lines {
		d.Items = append(d.Items, page.ItemLine(l))
	}
	return show(w, r, http.StatusOK, page.Items(d))
}

func (s *Server) item(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	item, err := s.db.Item(r.Context(), p.ID, numberOf(r))
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.ItemPage(page.ItemPageData{Visitor: visitor(r), Project: p, Item: item, Meta: metaTerms(item)}))
}

// metaTerms returns an item's metadata by name: texts as they are, all else as
// it was written.
func metaTerms(item project.Item) (terms []ui.Term) {
	for _, key := range slices.Sorted(maps.Keys(item.Meta)) {
		var text string
		if err := json.Unmarshal(item.Meta[key], &text); err != nil {
			text = string(item.Meta[key])
		}
		terms = append(terms, ui.Term{Name: key, Detail: text})
	}
	return terms
}
