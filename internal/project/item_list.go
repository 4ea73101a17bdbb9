package project

import (
	"reflect"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/locale"
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
	ItemCalibration  ItemState = "calibration"     // has reference answers, or awaits them
	ItemArchived     ItemState = "archived"        // no batch gets it
	ItemEarlier      ItemState = "earlier_version" // labeled under an earlier version of the protocol
)

// ItemStates lists all states in the order of the work.
var ItemStates = []ItemState{ItemUnassigned, ItemInProgress, ItemComplete, ItemDisagreement, ItemAdjudicated,
	ItemEarlier, ItemCalibration, ItemArchived}

// Text returns the state in English.
func (s ItemState) Text() string {
	return map[ItemState]string{
		ItemUnassigned: "not in a batch", ItemInProgress: "in progress", ItemComplete: "complete",
		ItemDisagreement: "disagreement",
		ItemAdjudicated:  "adjudicated", ItemCalibration: "calibration", ItemArchived: "archived",
		ItemEarlier: "labeled under an earlier version",
	}[s]
}

// RevealsLabels reports whether an item in state s reveals something about its labels.
func (s ItemState) RevealsLabels() bool {
	return s == ItemComplete || s == ItemDisagreement || s == ItemAdjudicated || s == ItemInProgress || s == ItemEarlier
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
	Tag            string // that leads gave
	RecordID       string
	Annotator      string // pseudonym: items this annotator labeled
	Field          string // key: items with a disagreement on it
	Answer         string // "FIELD=VALUE": items where an annotator gave it
	UnresolvedOnly bool   // disagreements without a decision
	TiedOnly       bool   // disagreements without a consensus in some field
	LabeledOnly    bool   // items with a label, which have a consensus or a tie
	Consensus      string // method of the consensus; with Field: on that field, else on any
	SpotCheckOnly  bool   // items drawn for a spot check, without a decision
	SkippedOnly    bool   // items that annotators skipped
	SkipReason     string // with SkippedOnly: for this reason
	IDs            []ItemID
	Sort           ItemSort // empty: SortImported
}

// RevealsLabels reports whether the items that f selects, or their order, reveal something
// about their labels.
func (f ItemFilter) RevealsLabels() bool {
	return f.State.RevealsLabels() || f.LabeledOnly || f.Consensus != "" || f.SkippedOnly || f.Annotator != "" ||
		f.Field != "" || f.Answer != "" || f.Tag != "" || f.UnresolvedOnly || f.TiedOnly || f.SpotCheckOnly ||
		f.Sort == SortDisagreement ||
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
func (f ItemFilter) Describe(l *locale.Locale) string {
	var parts []string
	for _, part := range []struct {
		text  locale.Text
		value string
	}{
		{locale.Text("search “%s”"), f.Search}, {locale.Text("batch “%s”"), f.Batch},
		{locale.Text("state %s"), l.Translate(locale.Text(f.State.Text()))}, {locale.Text("metadata %s"), f.Condition},
		{locale.Text("tag “%s”"), f.Tag},
		{locale.Text("record “%s”"), f.RecordID}, {locale.Text("labeled by %s"), f.Annotator},
		{locale.Text("consensus by %s"), f.Consensus}, {f.fieldText(), f.Field}, {locale.Text("answer %s"), f.Answer},
		{locale.Text("skipped as %s"), f.SkipReason},
	} {
		if part.value != "" {
			parts = append(parts, l.Fill(part.text, part.value))
		}
	}
	for _, flag := range []struct {
		text    locale.Text
		applies bool
	}{
		{locale.Text("with disagreements"), f.Sort == SortDisagreement},
		{locale.Text("adjudicated"), f.Sort == SortDecided}, {locale.Text("tied"), f.TiedOnly},
		{locale.Text("without a decision"), f.UnresolvedOnly}, {locale.Text("spot checks to do"), f.SpotCheckOnly},
		{locale.Text("labeled"), f.LabeledOnly && f.Consensus == ""}, {locale.Text("skipped"), f.SkippedOnly},
	} {
		if flag.applies {
			parts = append(parts, l.Translate(flag.text))
		}
	}
	if parts == nil {
		return l.T("all items")
	}
	return strings.Join(parts, ", ")
}

func (f ItemFilter) fieldText() locale.Text {
	if f.Consensus == "" {
		return locale.Text("disagreement on %s")
	}
	return locale.Text("on %s")
}
