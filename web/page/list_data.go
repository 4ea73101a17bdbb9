package page

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// A ListData is the data of a list of items: the one component that all pages with items
// share.
type ListData struct {
	Path           string // of the page
	Protocol       protocol.Protocol
	Filter         project.ItemFilter
	Items          []project.ListedItem
	Labels         map[project.ItemID][]AnnotatorAnswers   // shown where they are given
	Decisions      map[project.ItemID]AdjudicationDecision // likewise
	Count          project.ItemCount
	Total          int    // items of the project
	Cursor         string // of this page; empty: the first
	Next           string // cursor of the next page; empty: none
	HidesBlinded   bool   // items are left out, because the reader labels in their batch
	MatchesInWords bool
	Options        ListOptions
	ItemPath       func(project.ItemID) string
	Actions        []ListAction // for selected items
	ActionPath     string
	IsFixed        bool   // the page decides order and state, and offers neither
	Empty          string // if the project has none of these items
	Caption        string
}

// ListOptions are what a list can be filtered by.
type ListOptions struct {
	Batches    []string
	Annotators []string // pseudonyms
	Conditions map[string][]string
}

// A ListAction is something to do with the selected items.
type ListAction struct{ Value, Text string }

// maxFilterOptions bounds the options of one filter.
const maxFilterOptions = 300

// listParams are the names of the filters in addresses, in their order on the page.
var listParams = []string{"search", "batch", "state", "condition", "record", "annotator", "field", "answer", "show", "sort"}

// FilterFromQuery reads a filter from an address. Unknown values are left for the database
// to refuse.
func FilterFromQuery(q url.Values) project.ItemFilter {
	return project.ItemFilter{Search: q.Get("search"), Batch: q.Get("batch"), State: project.ItemState(q.Get("state")), Condition: q.Get("condition"),
		RecordID: q.Get("record"), Annotator: q.Get("annotator"), Field: q.Get("field"), Answer: q.Get("answer"), TiedOnly: q.Get("show") == "tied",
		Sort: project.ItemSort(q.Get("sort"))}
}

// FilterQuery returns the address part of a filter.
func FilterQuery(f project.ItemFilter) url.Values {
	q := url.Values{}
	for _, name := range listParams {
		if value := filterValue(f, name); value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func filterValue(f project.ItemFilter, name string) string {
	switch name {
	case "search":
		return f.Search
	case "batch":
		return f.Batch
	case "state":
		return string(f.State)
	case "condition":
		return f.Condition
	case "record":
		return f.RecordID
	case "annotator":
		return f.Annotator
	case "field":
		return f.Field
	case "answer":
		return f.Answer
	case "show":
		if f.TiedOnly {
			return "tied"
		}
	case "sort":
		if f.Sort != project.SortImported {
			return string(f.Sort)
		}
	}
	return ""
}

// query returns the filter of the page as it is in its address.
func (d ListData) query() url.Values {
	q := FilterQuery(d.Filter)
	if d.IsFixed {
		q.Del("sort")
		q.Del("state")
		if d.Filter.Sort == project.SortDecided {
			q.Set("show", "decided")
		}
	}
	return q
}

func (d ListData) pathAt(cursor string) string {
	q := d.query()
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return withQuery(d.Path, q)
}

// A listChip is a filter in force, and the path of the list without it.
type listChip struct{ Label, Value, RemovePath string }

// chips returns the filters in force, without the search text, which is in its box.
func (d ListData) chips() (chips []listChip) {
	q := d.query()
	for _, name := range listParams[1:] {
		if name == "sort" || !q.Has(name) || q.Get(name) == "decided" {
			continue
		}
		rest := d.query()
		rest.Del(name)
		chips = append(chips, listChip{chipLabel(name), d.chipValue(name, q.Get(name)), withQuery(d.Path, rest)})
	}
	return chips
}

func chipLabel(name string) string {
	switch name {
	case "condition":
		return "metadata"
	case "field":
		return "disagreement on"
	}
	return name
}

func (d ListData) chipValue(name, value string) string {
	switch name {
	case "state":
		return project.ItemState(value).Text()
	case "field":
		return fieldTitle(d.Protocol, value)
	case "answer":
		key, answer, _ := strings.Cut(value, "=")
		return fieldTitle(d.Protocol, key) + " = " + answer
	case "condition":
		return strings.Replace(value, "=", " = ", 1)
	case "show":
		return "ties only"
	}
	return value
}

func fieldTitle(p protocol.Protocol, key string) string {
	if field, ok := p.Field(key); ok {
		return field.Title
	}
	return key
}

// A listFilter is a control that filters the list.
type listFilter struct {
	Name, Label string
	Options     []ui.Option
}

// filters returns the controls that have something to choose from.
func (d ListData) filters() (filters []listFilter) {
	add := func(name, label, all string, options []ui.Option) {
		if len(options) == 0 {
			return
		}
		chosen := d.query().Get(name)
		list := []ui.Option{{Text: all, Chosen: chosen == ""}}
		for _, o := range options[:min(len(options), maxFilterOptions)] {
			o.Chosen = o.Value == chosen
			list = append(list, o)
		}
		if chosen != "" && !slices.ContainsFunc(list, func(o ui.Option) bool { return o.Chosen }) {
			list = append(list, ui.Option{Value: chosen, Text: d.chipValue(name, chosen), Chosen: true})
		}
		filters = append(filters, listFilter{name, label, list})
	}
	add("batch", "Batch", "All batches", textOptions(d.Options.Batches))
	if !d.IsFixed {
		add("state", "State", "All states", stateOptions())
	} else if d.Filter.Sort == project.SortDisagreement {
		add("show", "Ties", "All disagreements", []ui.Option{{Value: "tied", Text: "Ties only (without a consensus)"}})
	}
	add("condition", "Metadata", "Any", conditionOptions(d.Options.Conditions))
	add("annotator", "Labeled by", "Anyone", textOptions(d.Options.Annotators))
	add("field", "Disagreement on", "Any field", fieldFilterOptions(d.Protocol))
	add("answer", "Answer given", "Any", answerOptions(d.Protocol))
	if !d.IsFixed {
		var sorts []ui.Option
		for _, s := range project.ItemSorts[1:] {
			sorts = append(sorts, ui.Option{Value: string(s), Text: capitalize(s.Text())})
		}
		add("sort", "Order", capitalize(project.SortImported.Text()), sorts)
	}
	return filters
}

func textOptions(values []string) (options []ui.Option) {
	for _, value := range values {
		options = append(options, ui.Option{Value: value, Text: value})
	}
	return options
}

func stateOptions() (options []ui.Option) {
	for _, s := range project.ItemStates {
		options = append(options, ui.Option{Value: string(s), Text: capitalize(s.Text())})
	}
	return options
}

func conditionOptions(columns map[string][]string) (options []ui.Option) {
	for _, name := range sortedKeys(columns) {
		for _, value := range columns[name] {
			options = append(options, ui.Option{Value: name + "=" + value, Text: name + " = " + value})
		}
	}
	return options
}

func fieldFilterOptions(p protocol.Protocol) (options []ui.Option) {
	for _, f := range p.Fields {
		options = append(options, ui.Option{Value: f.Key, Text: f.Title})
	}
	return options
}

func answerOptions(p protocol.Protocol) (options []ui.Option) {
	for _, f := range p.Fields {
		for _, value := range f.Scale.Values() {
			options = append(options, ui.Option{Value: f.Key + "=" + strconv.Itoa(value), Text: f.Title + " = " + strconv.Itoa(value)})
		}
	}
	return options
}

// countText says how many items the list has, and in which order.
func (d ListData) countText() string {
	text := Pluralize(d.Count.Items, "item")
	switch {
	case d.Count.IsUnknown:
		text = "Items"
	case d.Count.HasMore:
		text = "More than " + formatNumber(project.MaxItemCount) + " items"
	case !d.Filter.IsEmpty() && d.Total > d.Count.Items:
		text = formatNumber(d.Count.Items) + " of " + Pluralize(d.Total, "item")
	}
	sort := d.Filter.Sort
	if sort == "" {
		sort = project.SortImported
	}
	return text + " · " + sort.Text()
}

// labelText returns how many of the wanted labels an item has.
func labelText(i project.ListedItem) string {
	switch {
	case i.IsBlinded:
		return "–"
	case i.LabelsWanted > i.LabelCount:
		return formatInt(i.LabelCount) + " of " + formatInt(i.LabelsWanted)
	case i.LabelsWanted > 0:
		return formatInt(i.LabelCount) + " of " + formatInt(i.LabelCount)
	}
	return formatInt(i.LabelCount)
}

// stateText returns the state of an item as a list shows it.
func stateText(i project.ListedItem) string {
	switch {
	case i.State == project.ItemDisagreement:
		return "disagreement on"
	case i.State == project.ItemComplete && i.LabelCount > 1:
		return "agreed"
	case i.State == project.ItemAdjudicated && i.HasNewerLabels:
		return "adjudicated, labeled again since"
	}
	return i.State.Text()
}

// disagreementText names the fields of a disagreement: one, and how many more.
func (d ListData) disagreementText(i project.ListedItem) string {
	if len(i.DisagreeingFields) == 0 {
		return ""
	}
	text := fieldTitle(d.Protocol, i.DisagreeingFields[0])
	if more := len(i.DisagreeingFields) - 1; more > 0 {
		text += " and " + formatInt(more) + " more"
	}
	return text
}

// maxChips is how many metadata values a row shows.
const maxChips = 4

// metaChips returns the metadata of an item that has few values, then other short ones.
func (d ListData) metaChips(i project.ListedItem) (chips []ui.SummaryRow) {
	names := sortedKeys(i.Meta)
	slices.SortStableFunc(names, func(a, b string) int { return boolRank(d.Options.Conditions[a]) - boolRank(d.Options.Conditions[b]) })
	for _, name := range names {
		if value := i.Meta[name]; value != "" && len(chips) < maxChips {
			chips = append(chips, ui.SummaryRow{Label: name, Value: project.Truncate(value, 24)})
		}
	}
	return chips
}

func boolRank(values []string) int {
	if len(values) > 0 {
		return 0
	}
	return 1
}

// answersText lists the answers to a field as "A1 2 · A2 4", and says if they are tied.
func answersText(labels []AnnotatorAnswers, key string, tiedFields []string) string {
	var parts []string
	for _, l := range labels {
		if value, ok := l.Values[key]; ok {
			parts = append(parts, l.Annotator+" "+strconv.Itoa(value))
		}
	}
	text := strings.Join(parts, " · ")
	if slices.Contains(tiedFields, key) {
		text += " (tie)"
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

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
