package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/internal/stats"
)

// ItemConditions select items: as parameters of list-items, or in a body.
type ItemConditions struct {
	Search     string                `query:"search" json:"search,omitempty" maxLength:"200" doc:"Words or parts of words in texts, ids and metadata."`
	Batch      string                `query:"batch" json:"batch,omitempty" maxLength:"100" doc:"Name of a batch."`
	State      project.ItemState     `query:"state" json:"state,omitempty" enum:"unassigned,in_progress,complete,disagreement,adjudicated,earlier_version,calibration,archived"`
	Condition  string                `query:"condition" json:"condition,omitempty" maxLength:"500" doc:"COLUMN=VALUE of the metadata."`
	Tag        string                `query:"tag" json:"tag,omitempty" maxLength:"50" doc:"A tag that leads gave."`
	Record     string                `query:"record" json:"record,omitempty" maxLength:"400" doc:"Id of a record."`
	Annotator  string                `query:"annotator" json:"annotator,omitempty" maxLength:"100" doc:"Pseudonym of an annotator who labeled the items."`
	Field      string                `query:"field" json:"field,omitempty" maxLength:"100" doc:"Key of a field with a disagreement."`
	Answer     string                `query:"answer" json:"answer,omitempty" maxLength:"200" doc:"FIELD=VALUE that an annotator gave."`
	Consensus  stats.ConsensusMethod `query:"consensus" json:"consensus,omitempty" enum:"adjudicated,majority,median,tie_rule,tie" doc:"How the consensus on a field came about."`
	Tied       bool                  `query:"tied" json:"tied,omitempty" doc:"Disagreements without a consensus."`
	Labeled    bool                  `query:"labeled" json:"labeled,omitempty" doc:"Items with a label."`
	Skipped    bool                  `query:"skipped" json:"skipped,omitempty" doc:"Items that annotators skipped, without those skipped for personal reasons."`
	SkipReason string                `query:"skip_reason" json:"skip_reason,omitempty" enum:"invalid_or_unrealistic,unclear" doc:"Items that annotators skipped for this reason."`
}

func (f ItemConditions) filter() project.ItemFilter {
	return project.ItemFilter{Search: f.Search, Batch: f.Batch, State: f.State, Condition: f.Condition, Tag: f.Tag,
		RecordID: f.Record, Annotator: f.Annotator,
		Field: f.Field, Answer: f.Answer, Consensus: string(f.Consensus), TiedOnly: f.Tied, LabeledOnly: f.Labeled,
		SkippedOnly: f.Skipped || f.SkipReason != "", SkipReason: f.SkipReason}
}

// A ListedItem is an item of a list.
type ListedItem struct {
	ID                project.ItemID    `json:"id" doc:"Number of the item in Labelwright."`
	SourceID          string            `json:"source_id" doc:"The item's own id, from its import."`
	RecordID          string            `json:"record_id,omitempty"`
	Title             string            `json:"title"`
	Preview           string            `json:"preview"`
	Metadata          map[string]string `json:"metadata"`
	WordCount         int               `json:"word_count"`
	Batch             string            `json:"batch,omitempty"`
	State             project.ItemState `json:"state"`
	LabelsGiven       int               `json:"labels_given"`
	LabelsWanted      int               `json:"labels_wanted"`
	Disagreement      float64           `json:"disagreement" doc:"Mean of the fields that are not text, 0 to 1."`
	MaxDistance       int               `json:"max_distance" doc:"Largest distance of two answers to a field, in points."`
	DisagreeingFields []string          `json:"disagreeing_fields"`
	TiedFields        []string          `json:"tied_fields"`
	DecidedAt         *time.Time        `json:"decided_at"`
	Blinded           bool              `json:"blinded" doc:"The account labels in the batch, so nothing here depends on the labels of others."`
	Consensus         []FieldConsensus  `json:"consensus,omitempty" doc:"With the parameter labeled or consensus."`
	Verdicts          map[string]bool   `json:"verdicts,omitempty" doc:"Of the consensus, without those that depend on a tie."`
	Skips             []ItemSkip        `json:"skips,omitempty" doc:"With the parameter skipped or skip_reason."`
}

// A FieldConsensus is the consensus on a field of an item.
type FieldConsensus struct {
	Field  string                `json:"field"`
	Value  *int                  `json:"value" doc:"null: a tie."`
	Mean   float64               `json:"mean"`
	Labels int                   `json:"labels"`
	Spread int                   `json:"spread" doc:"Distance of the lowest and the highest answer."`
	Method stats.ConsensusMethod `json:"method" enum:"adjudicated,majority,median,tie_rule,tie"`
}

// An ItemSkip is a skip of an item, without its annotator.
type ItemSkip struct {
	Reason    labeling.SkipReason `json:"reason"`
	Comment   string              `json:"comment"`
	SkippedAt time.Time           `json:"skipped_at"`
}

func newListedItem(i project.ListedItem) ListedItem {
	return ListedItem{ID: i.ID, SourceID: i.SourceID, RecordID: i.RecordID, Title: i.Title, Preview: i.Preview,
		Metadata: i.Meta, WordCount: i.WordCount, Batch: i.Batch, State: i.State, LabelsGiven: i.LabelCount,
		LabelsWanted: i.LabelsWanted, Disagreement: i.Disagreement, MaxDistance: i.MaxDistance,
		DisagreeingFields: notNil(i.DisagreeingFields), TiedFields: notNil(i.TiedFields), DecidedAt: i.DecidedAt,
		Blinded: i.IsBlinded}
}

// addConsensus adds the consensus on the fields that have labels.
func (i *ListedItem) addConsensus(found consensus.Item) {
	for _, field := range slices.Sorted(maps.Keys(found.Fields)) {
		if c := found.Fields[field]; c.Labels > 0 {
			entry := FieldConsensus{Field: field, Mean: c.Mean, Labels: c.Labels, Spread: c.Spread, Method: c.Method}
			if c.IsResolved() {
				entry.Value = &c.Value
			}
			i.Consensus = append(i.Consensus, entry)
		}
	}
	i.Verdicts = found.Verdicts
}

// An ItemList is a part of a list of items.
type ItemList struct {
	Items      []ListedItem `json:"items"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// An Item is an item with its texts.
type Item struct {
	ID       project.ItemID             `json:"id" doc:"Number of the item in Labelwright."`
	SourceID string                     `json:"source_id" doc:"The item's own id, from its import."`
	RecordID string                     `json:"record_id,omitempty"`
	Parts    project.Content            `json:"parts" doc:"The texts by part of the protocol."`
	Metadata map[string]json.RawMessage `json:"metadata"`
	Tags     []string                   `json:"tags,omitempty" doc:"That leads gave. Missing while the account labels the item."`
	Notes    []ItemNote                 `json:"notes,omitempty" doc:"Of leads, oldest first. Missing while the account labels the item."`
}

// An ItemPath is the input of an operation on an item.
type ItemPath struct {
	ProjectPath
	Item project.ItemID `path:"item" minimum:"1" doc:"Number of the item."`
}

// An ItemBody is the input of an operation on an item with a body.
type ItemBody[B any] struct {
	ItemPath
	Body B
}

// ListItemsInput is the input of ListItems.
type ListItemsInput struct {
	ProjectPath
	ItemConditions
	PageParams
	Sort project.ItemSort `query:"sort" enum:"imported,newest,disagreement,decided" default:"imported"`
}

// The operations on items.
var (
	ListItems = newRead(endpoint{id: "list-items", path: "/projects/{project}/items", tag: "Items",
		scope:   account.ScopeRead,
		summary: "List items",
		text:    "The filters are those of the page Items and of `labelwright item list`."},
		func(ctx context.Context, a *API, c caller, in *ListItemsInput) (ItemList, error) {
			f := in.filter()
			f.Sort = in.Sort
			return a.listItems(ctx, c, f, in.PageParams)
		})

	ShowItem = newRead(endpoint{id: "show-item", path: "/projects/{project}/items/{item}", tag: "Items",
		scope: account.ScopeRead, summary: "Show an item with its texts"}, showItem)

	StreamItems = newIDStream(endpoint{id: "stream-items", path: "/projects/{project}/stream/items", tag: "Items",
		scope: account.ScopeRead, summary: "Stream all items with their texts",
		text: "One object as of show-item per line, in the order of import. To continue an interrupted stream, send the `id` of the last line as `cursor`."},
		func(ctx context.Context, a *API, c caller, _ *ItemStreamInput, after project.ItemID) ([]Item, project.ItemID,
			error) {
			found, err := a.DB.FullItems(ctx, c.id(), c.project, after, itemStreamPageSize)
			if len(found) > 0 {
				after = found[len(found)-1].ID
			}
			return mapped(found, newItem), after, err
		}, func(in *ItemStreamInput) string { return in.Cursor })
)

// itemStreamPageSize is the number of items that their stream reads at once: their texts can be long.
const itemStreamPageSize = 100

// An ItemStreamInput is the input of StreamItems.
type ItemStreamInput struct {
	ProjectPath
	Cursor string `query:"cursor" maxLength:"20" doc:"The id of the last line that was read."`
}

func newItem(i project.Item) Item {
	return Item{ID: i.ID, SourceID: i.SourceID, RecordID: i.RecordID, Parts: i.Content, Metadata: i.Meta}
}

func showItem(ctx context.Context, a *API, c caller, in *ItemPath) (Item, error) {
	i, err := a.DB.Item(ctx, c.project.ID, in.Item)
	if err != nil {
		return Item{}, err
	}
	item := newItem(i)
	item.Tags, err = a.DB.ItemTags(ctx, c.id(), c.project, in.Item)
	if errors.Is(err, labeling.ErrBlinded) {
		return item, nil
	}
	if err != nil {
		return item, err
	}
	notes, err := a.DB.ItemNotes(ctx, c.id(), c.project, in.Item)
	item.Notes = mapped(notes, newItemNote)
	return item, err
}

func (a *API) listItems(ctx context.Context, c caller, f project.ItemFilter, page PageParams) (ItemList, error) {
	if f.Consensus != "" && !isConsensusMethod(f.Consensus) {
		return ItemList{}, fault.Invalid.Errorf("“%s” is not a method of consensus.", f.Consensus)
	}
	found, err := a.DB.ListItems(ctx, c.id(), c.project, f, page.Cursor, page.Limit)
	if err != nil {
		return ItemList{}, err
	}
	list := ItemList{Items: mapped(found.Items, newListedItem), NextCursor: found.Next}
	return list, a.addItemDetails(ctx, c, f, list.Items)
}

// addItemDetails adds what lists of labeled or skipped items have for each.
func (a *API) addItemDetails(ctx context.Context, c caller, f project.ItemFilter, items []ListedItem) error {
	ids := mapped(items, func(i ListedItem) project.ItemID { return i.ID })
	if f.LabeledOnly || f.Consensus != "" {
		found, err := a.DB.ItemConsensus(ctx, c.id(), c.project, ids)
		if err != nil {
			return err
		}
		for i := range items {
			items[i].addConsensus(found[items[i].ID])
		}
	}
	if !f.SkippedOnly {
		return nil
	}
	found, err := a.DB.ItemSkips(ctx, c.id(), c.project, ids)
	for i := range items {
		for _, k := range found[items[i].ID] {
			items[i].Skips = append(items[i].Skips, ItemSkip{Reason: k.Reason, Comment: k.Comment,
				SkippedAt: k.SkippedAt.UTC()})
		}
	}
	return err
}

func isConsensusMethod(name string) bool {
	for _, m := range report.ConsensusMethods {
		if string(m) == name {
			return true
		}
	}
	return false
}
