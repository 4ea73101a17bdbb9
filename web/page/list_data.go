package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/stats"
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
	Consensus      map[project.ItemID]consensus.Item       // likewise
	Skips          map[project.ItemID][]ItemSkip           // likewise
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
	OwnShow        string // the value of "show" of the page; not in its address
	Empty          string // if the project has none of these items
	Caption        string
}

// ListOptions are what a list can be filtered by.
type ListOptions struct {
	Batches    []string
	Annotators []ui.Option // by pseudonym
	Conditions map[string][]string
	Tags       []string
}

// A ListAction is something to do with the selected items.
type ListAction struct{ Value, Text string }

// An ItemSkip is one skip of an item.
type ItemSkip struct {
	Reason    labeling.SkipReason
	Comment   string
	SkippedAt time.Time
}

// maxFilterOptions bounds the options of one filter.
const maxFilterOptions = 300

// listParams are the names of the filters in addresses, in their order on the page.
var listParams = []string{"search", "batch", "state", "condition", "tag", "record", "annotator", "method", "field",
	"answer", "reason", "show", "sort"}

// FilterFromQuery reads a filter from an address. Unknown values are left for the database
// to refuse.
func FilterFromQuery(q url.Values) project.ItemFilter {
	show := q.Get("show")
	return project.ItemFilter{Search: q.Get("search"), Batch: q.Get("batch"), State: project.ItemState(q.Get("state")),
		Condition: q.Get("condition"), Tag: q.Get("tag"),
		RecordID: q.Get("record"), Annotator: q.Get("annotator"), Field: q.Get("field"), Answer: q.Get("answer"),
		TiedOnly: show == "tied", SpotCheckOnly: show == "checks",
		LabeledOnly: show == "labeled", Consensus: q.Get("method"), SkippedOnly: show == "skipped" ||
			q.Get("reason") != "", SkipReason: q.Get("reason"),
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
	case "tag":
		return f.Tag
	case "record":
		return f.RecordID
	case "annotator":
		return f.Annotator
	case "field":
		return f.Field
	case "answer":
		return f.Answer
	case "method":
		return f.Consensus
	case "reason":
		return f.SkipReason
	case "show":
		switch {
		case f.TiedOnly:
			return "tied"
		case f.SpotCheckOnly:
			return "checks"
		case f.SkippedOnly:
			return "skipped"
		case f.LabeledOnly:
			return "labeled"
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
	if d.OwnShow != "" && q.Get("show") == d.OwnShow {
		q.Del("show")
	}
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
func (d ListData) chips(l *locale.Locale) (chips []listChip) {
	q := d.query()
	for _, name := range listParams[1:] {
		if name == "sort" || !q.Has(name) || q.Get(name) == "decided" {
			continue
		}
		rest := d.query()
		rest.Del(name)
		chips = append(chips, listChip{d.chipLabel(l, name), d.chipValue(l, name, q.Get(name)),
			withQuery(d.Path, rest)})
	}
	return chips
}

func (d ListData) chipLabel(l *locale.Locale, name string) string {
	switch name {
	case "field":
		return d.fieldLabel(l)
	case "condition":
		return l.T("metadata")
	case "method":
		return l.T("consensus")
	case "reason":
		return l.T("skipped as")
	}
	return l.Translate(chipTexts[name])
}

func (d ListData) chipValue(l *locale.Locale, name, value string) string {
	switch name {
	case "state":
		return l.Translate(itemStateTexts[project.ItemState(value)])
	case "field":
		return fieldTitle(d.Protocol, value)
	case "answer":
		key, answer, _ := strings.Cut(value, "=")
		return fieldTitle(d.Protocol, key) + " = " + answer
	case "annotator":
		return annotatorText(d.Options.Annotators, value)
	case "condition":
		return strings.Replace(value, "=", " = ", 1)
	case "method":
		return prose.Writer{Locale: l}.ConsensusMethod(stats.ConsensusMethod(value))
	case "reason":
		return l.Translate(skipTexts[labeling.SkipReason(value)])
	case "show":
		return l.Translate(map[string]locale.Text{"tied": locale.Text("ties only"),
			"skipped": locale.Text("skipped items"), "labeled": locale.Text("labeled items")}[value])
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
func (d ListData) filters(l *locale.Locale) (filters []listFilter) {
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
			list = append(list, ui.Option{Value: chosen, Text: d.chipValue(l, name, chosen), Chosen: true})
		}
		filters = append(filters, listFilter{name, label, list})
	}
	add("batch", l.T("Batch"), l.T("All batches"), textOptions(d.Options.Batches))
	if !d.IsFixed {
		add("state", l.T("State"), l.T("All states"), stateOptions(l))
	} else if d.Filter.Sort == project.SortDisagreement {
		add("show", l.T("Ties"), l.T("All disagreements"),
			[]ui.Option{{Value: "tied", Text: l.T("Ties only (without a consensus)")}})
	}
	add("condition", l.T("Metadata"), l.T("Any"), conditionOptions(d.Options.Conditions))
	add("tag", l.T("Tag"), l.T("Any"), textOptions(d.Options.Tags))
	add("annotator", l.T("Labeled by"), l.T("Anyone"), d.Options.Annotators)
	if d.Filter.LabeledOnly {
		add("method", l.T("Consensus by"), l.T("Any method"), methodOptions(l))
	}
	if d.Filter.SkippedOnly {
		add("reason", l.T("Skipped as"), l.T("Any reason"), skipFilterOptions(l))
	}
	add("field", d.fieldLabel(l), l.T("Any field"), fieldFilterOptions(d.Protocol))
	add("answer", l.T("Answer given"), l.T("Any"), answerOptions(d.Protocol))
	if !d.IsFixed {
		var sorts []ui.Option
		for _, s := range project.ItemSorts[1:] {
			sorts = append(sorts, ui.Option{Value: string(s), Text: capitalize(l.Translate(sortTexts[s]))})
		}
		add("sort", l.T("Order"), capitalize(l.Translate(sortTexts[project.SortImported])), sorts)
	}
	return filters
}

// fieldLabel says what the filter by field selects: with a method, where the field's consensus
// comes from it.
func (d ListData) fieldLabel(l *locale.Locale) string {
	if d.Filter.Consensus != "" {
		return l.T("Consensus on")
	}
	return l.T("Disagreement on")
}

func methodOptions(l *locale.Locale) (options []ui.Option) {
	for _, method := range report.ConsensusMethods {
		options = append(options, ui.Option{Value: string(method),
			Text: capitalize(prose.Writer{Locale: l}.ConsensusMethod(method))})
	}
	return options
}

func skipFilterOptions(l *locale.Locale) (options []ui.Option) {
	for _, reason := range labeling.SkipReasons {
		if !reason.IsPersonal() { // these are only counted
			options = append(options, ui.Option{Value: string(reason), Text: l.Translate(skipTexts[reason])})
		}
	}
	return options
}

func textOptions(values []string) (options []ui.Option) {
	for _, value := range values {
		options = append(options, ui.Option{Value: value, Text: value})
	}
	return options
}

// annotatorText returns the text of the option with a pseudonym, or the pseudonym.
func annotatorText(options []ui.Option, pseudonym string) string {
	for _, o := range options {
		if o.Value == pseudonym {
			return o.Text
		}
	}
	return pseudonym
}

func stateOptions(l *locale.Locale) (options []ui.Option) {
	for _, s := range project.ItemStates {
		options = append(options, ui.Option{Value: string(s), Text: capitalize(l.Translate(itemStateTexts[s]))})
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
			options = append(options, ui.Option{Value: f.Key + "=" + strconv.Itoa(value), Text: f.Title + " = " +
				strconv.Itoa(value)})
		}
	}
	return options
}

// allText names all items of the list, on every page.
func (d ListData) allText(l *locale.Locale) string {
	if d.Count.IsUnknown || d.Count.HasMore {
		return l.T("All items of this list, on every page")
	}
	return l.T("All %d items of this list", d.Count.Items)
}

// isUnfiltered reports whether the list has all items of its page.
func (d ListData) isUnfiltered() bool {
	return len(d.chips(locale.English)) == 0 && d.Filter.Search == "" && !d.sortsOut()
}

// sortsOut reports whether the chosen order leaves items out.
func (d ListData) sortsOut() bool {
	return !d.IsFixed && (d.Filter.Sort == project.SortDisagreement || d.Filter.Sort == project.SortDecided)
}

// countText says how many items the list has, and in which order.
func (d ListData) countText(l *locale.Locale) string {
	text := l.T("%d items", d.Count.Items)
	switch {
	case d.Count.IsUnknown:
		text = l.T("Items")
	case d.Count.HasMore:
		text = l.T("More than %d items", project.MaxItemCount)
	case (d.IsFixed || !d.isUnfiltered()) && d.Total > d.Count.Items:
		text = l.T("%d of %d items", d.Count.Items, d.Total)
	}
	sort := d.Filter.Sort
	if sort == "" {
		sort = project.SortImported
	}
	return text + " · " + l.Translate(sortTexts[sort])
}
