package page

import (
	"net/url"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

// A Selection is a set of items as addresses and forms have it: "item_ids" lists chosen items,
// "item_filter" is the address part of a list, and selects all that it lists.
type Selection struct {
	ItemIDs    string // "4,7,9"
	ItemFilter string // "search=refund&state=complete"
}

// SelectionFromQuery reads a selection.
func SelectionFromQuery(q url.Values) Selection {
	return Selection{q.Get("item_ids"), q.Get("item_filter")}
}

// IsEmpty reports whether no items are selected.
func (s Selection) IsEmpty() bool { return s == Selection{} }

// Filter returns the filter that selects the items.
func (s Selection) Filter() (project.ItemFilter, error) {
	if s.IsEmpty() {
		return project.ItemFilter{}, fault.Invalid.Errorf("Select at least one item.")
	}
	if s.ItemIDs != "" {
		ids, err := project.ParseItemIDs(s.ItemIDs)
		return project.ItemFilter{IDs: append([]project.ItemID{}, ids...)}, err // not nil, which is all
	}
	q, err := url.ParseQuery(s.ItemFilter)
	if err != nil {
		return project.ItemFilter{}, fault.NotFound
	}
	return FilterFromQuery(q), nil
}

// Query returns the address part of s.
func (s Selection) Query() url.Values {
	q := url.Values{}
	if s.ItemIDs != "" {
		q.Set("item_ids", s.ItemIDs)
	} else if s.ItemFilter != "" {
		q.Set("item_filter", s.ItemFilter)
	}
	return q
}

// ListQuery returns the address part of the list with the items of s; "items" lists chosen ones.
func (s Selection) ListQuery() url.Values {
	if s.ItemIDs != "" {
		return url.Values{"items": {s.ItemIDs}}
	}
	q, _ := url.ParseQuery(s.ItemFilter)
	return q
}

// AllMatching returns the selection of all items that a filter selects. The empty filter is
// not the empty selection.
func AllMatching(f project.ItemFilter) Selection {
	q := FilterQuery(f)
	if len(q) == 0 {
		q.Set("sort", string(project.SortImported))
	}
	return Selection{ItemFilter: q.Encode()}
}

func (s Selection) listPath(key string) string {
	path := ProjectPath(key, "items")
	if s.ItemFilter != "" {
		path += "?" + s.ItemFilter
	}
	return path
}

// describe says how the items were selected, with their number.
func (s Selection) describe(l *locale.Locale, count int) string {
	if s.ItemIDs != "" {
		return l.T("%d items that you selected", count)
	}
	f, _ := s.Filter()
	return l.T("%d items that match: %s", count, f.Describe(l))
}

// JoinIDs returns ids as addresses have them: "4,7,9".
func JoinIDs(ids []project.ItemID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = formatID(id)
	}
	return strings.Join(texts, ",")
}

// ReferencePath returns the path of the screen for the reference answers of an item; queue
// holds the items to go through.
func ReferencePath(key string, id project.ItemID, queue []project.ItemID) string {
	path := ProjectPath(key, "references", formatID(id))
	if len(queue) == 0 {
		return path
	}
	return path + "?items=" + url.QueryEscape(JoinIDs(queue))
}
