package project

import (
	"reflect"
	"strings"
	"time"
)

// An ItemState is what the work on an item has come to. Exactly one applies.
type ItemState string

// The states of items.
const (
	ItemUnassigned   ItemState = "unassigned"   // in no batch
	ItemInProgress   ItemState = "in_progress"  // labels are missing, and those there are agree
	ItemComplete     ItemState = "complete"     // all labels are there and agree
	ItemDisagreement ItemState = "disagreement" // labels differ in some field
	ItemAdjudicated  ItemState = "adjudicated"
	ItemCalibration  ItemState = "calibration" // has reference answers, or awaits them
	ItemArchived     ItemState = "archived"    // no batch gets it
)

// ItemStates lists all states in the order of the work.
var ItemStates = []ItemState{ItemUnassigned, ItemInProgress, ItemComplete, ItemDisagreement, ItemAdjudicated,
	ItemCalibration, ItemArchived}

// Text returns the state in English.
func (s ItemState) Text() string {
	return map[ItemState]string{
		ItemUnassigned: "not in a batch", ItemInProgress: "in progress", ItemComplete: "complete",
		ItemDisagreement: "disagreement",
		ItemAdjudicated:  "adjudicated", ItemCalibration: "calibration", ItemArchived: "archived",
	}[s]
}

// RevealsLabels reports whether an item in state s reveals something about its labels.
func (s ItemState) RevealsLabels() bool {
	return s == ItemComplete || s == ItemDisagreement || s == ItemAdjudicated || s == ItemInProgress
}

// An ItemSort is the order of a list of items.
type ItemSort string

// The orders of lists.
const (
	SortImported     ItemSort = "imported"     // in the order of import
	SortNewest       ItemSort = "newest"       // last imported first
	SortDisagreement ItemSort = "disagreement" // largest first; only items with one
	SortDecided      ItemSort = "decided"      // last adjudicated first; only adjudicated items
)

// ItemSorts lists all orders.
var ItemSorts = []ItemSort{SortImported, SortNewest, SortDisagreement, SortDecided}

// Text returns the order in English.
func (s ItemSort) Text() string {
	return map[ItemSort]string{SortImported: "order of import", SortNewest: "newest first",
		SortDisagreement: "largest disagreement first", SortDecided: "last decision first"}[s]
}

// An ItemFilter selects the items of a list. Empty fields select all.
type ItemFilter struct {
	Search         string
	Batch          string // name
	State          ItemState
	Condition      string // "COLUMN=VALUE" of the metadata
	RecordID       string
	Annotator      string // pseudonym: items this annotator labeled
	Field          string // key: items with a disagreement on it
	Answer         string // "FIELD=VALUE": items where an annotator gave it
	UnresolvedOnly bool   // disagreements without a decision
	TiedOnly       bool   // disagreements without a consensus in some field
	LabeledOnly    bool   // items with a label, which have a consensus or a tie
	Consensus      string // method of the consensus; with Field: on that field, else on any
	SkippedOnly    bool   // items that annotators skipped
	SkipReason     string // with SkippedOnly: for this reason
	IDs            []ItemID
	Sort           ItemSort // empty: SortImported
}

// RevealsLabels reports whether the items that f selects, or their order, reveal something
// about their labels.
func (f ItemFilter) RevealsLabels() bool {
	return f.State.RevealsLabels() || f.LabeledOnly || f.Consensus != "" || f.SkippedOnly || f.Annotator != "" ||
		f.Field != "" || f.Answer != "" || f.UnresolvedOnly || f.TiedOnly || f.Sort == SortDisagreement ||
		f.Sort == SortDecided
}

// IsEmpty reports whether f selects all items.
func (f ItemFilter) IsEmpty() bool {
	f.Sort = ""
	return reflect.ValueOf(f).IsZero()
}

// MaxSelectedItems is the number of items that one action can change.
const MaxSelectedItems = 100_000

// MaxChosenReferences is the number of items whose reference answers a lead enters in one go.
const MaxChosenReferences = 100

// A ListedItem is one item of a list.
type ListedItem struct {
	ID                ItemID
	SourceID          string
	RecordID          string
	Title             string // the first line; may be empty
	Preview           string // the second line, or where the search found it
	Meta              map[string]string
	WordCount         int
	Batch             string // name; empty: none
	State             ItemState
	LabelCount        int
	LabelsWanted      int
	Disagreement      float64 // the largest mean distance of a field, as a share of its scale
	MaxDistance       int     // of that field, in points
	DisagreeingFields []string
	TiedFields        []string
	DecidedAt         *time.Time
	HasNewerLabels    bool // since the decision
	IsBlinded         bool // the reader must not see its labels yet; then nothing above reveals them
}

// Name returns the first line, or the item's own id where it has none.
func (i ListedItem) Name() string {
	if i.Title == "" {
		return i.SourceID
	}
	return i.Title
}

// MaxItemCount is the number up to which a list counts its items.
const MaxItemCount = 10_000

// An ItemCount is the number of items that a filter selects.
type ItemCount struct {
	Items     int
	HasMore   bool // there are more than Items
	IsUnknown bool // counting would take long
}

// Describe returns the filter in words, such as: search “refund”, state complete.
func (f ItemFilter) Describe() string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(name+" "+value))
		}
	}
	quote := func(text string) string {
		if text == "" {
			return ""
		}
		return "“" + text + "”"
	}
	add("search", quote(f.Search))
	add("batch", quote(f.Batch))
	add("state", f.State.Text())
	add("metadata", f.Condition)
	add("record", quote(f.RecordID))
	add("labeled by", f.Annotator)
	add("consensus by", f.Consensus)
	add(map[bool]string{true: "disagreement on", false: "on"}[f.Consensus == ""], f.Field)
	add("answer", f.Answer)
	for _, flag := range []struct {
		text    string
		applies bool
	}{
		{"with disagreements", f.Sort == SortDisagreement}, {"adjudicated", f.Sort == SortDecided},
		{"tied", f.TiedOnly},
		{"without a decision", f.UnresolvedOnly}, {"labeled", f.LabeledOnly && f.Consensus == ""},
		{"skipped", f.SkippedOnly},
	} {
		if flag.applies {
			parts = append(parts, flag.text)
		}
	}
	add("skipped as", f.SkipReason)
	if parts == nil {
		return "all items"
	}
	return strings.Join(parts, ", ")
}
