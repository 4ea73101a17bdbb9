package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// An ItemSelection names items, or selects all that match.
type ItemSelection struct {
	Items     []project.ItemID `json:"items,omitempty" maxItems:"100000" doc:"Numbers of the items."`
	SourceIDs []string         `json:"source_ids,omitempty" maxItems:"100000" doc:"The items' own ids, from their import."`
	Matching  *ItemConditions  `json:"matching,omitempty" doc:"All items that match, instead of numbers and ids. Up to 100,000."`
}

func (a *API) itemFilter(ctx context.Context, c caller, s ItemSelection) (project.ItemFilter, error) {
	if (s.Matching == nil) == (len(s.Items)+len(s.SourceIDs) == 0) {
		return project.ItemFilter{}, fault.Invalid.Errorf(
			"Name items in “items” or “source_ids”, or select them with “matching”.")
	}
	if s.Matching != nil {
		return s.Matching.filter(), nil
	}
	if len(s.SourceIDs) == 0 {
		return project.ItemFilter{IDs: s.Items}, nil
	}
	ids, err := a.DB.ItemIDs(ctx, c.project, s.SourceIDs)
	return project.ItemFilter{IDs: append(ids, s.Items...)}, err
}

// An ItemArchiving is the body that archives or erases items.
type ItemArchiving struct {
	ItemSelection
	Reason
}

// An ItemTagging is the body that changes the tags of items.
type ItemTagging struct {
	ItemSelection
	Add    []string `json:"add,omitempty" maxItems:"500"`
	Remove []string `json:"remove,omitempty" maxItems:"500"`
}

// An ItemNote is what a lead noted about an item.
type ItemNote struct {
	Note      string    `json:"note"`
	WrittenBy string    `json:"written_by" doc:"Empty: a command."`
	WrittenAt time.Time `json:"written_at"`
}

// An ItemNoting is the body that notes something about items.
type ItemNoting struct {
	ItemSelection
	Note string `json:"note" minLength:"1" maxLength:"2000"`
}

func newItemNote(n postgres.ItemNote) ItemNote { return ItemNote(n) }

// ChangedItems is how many items were changed.
type ChangedItems struct {
	Items int `json:"items"`
}

// The operations on several items.
var (
	ArchiveItems = newWrite(endpoint{id: "archive-items", method: http.MethodPost,
		path: "/projects/{project}/items/archive",
		tag:  "Items", scope: account.ScopeManage, summary: "Keep items out of all batches from now on",
		text: "All of them or none. Items of an open batch and calibration items cannot be archived."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ItemArchiving]) (ChangedItems, error) {
			return a.changeItems(ctx, c, in.Body.ItemSelection, func(f project.ItemFilter) (int, error) {
				return a.DB.ArchiveItems(ctx, c.id(), c.project, f, in.Body.Reason.Reason)
			})
		})

	EraseItems = newWrite(endpoint{id: "erase-items", method: http.MethodPost, path: "/projects/{project}/items/erase",
		tag: "Items", scope: account.ScopeAdmin, summary: "Erase the texts and the metadata of items",
		text: "Also what was written about them, and all stored exports, reports and uploads of the project. Ids and labels stay. It cannot be undone."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ItemArchiving]) (ChangedItems, error) {
			return a.changeItems(ctx, c, in.Body.ItemSelection, func(f project.ItemFilter) (int, error) {
				return a.DB.EraseItems(ctx, c.id(), c.project, f, in.Body.Reason.Reason)
			})
		})

	TagItems = newWrite(endpoint{id: "tag-items", method: http.MethodPost, path: "/projects/{project}/items/tags",
		tag: "Items", scope: account.ScopeManage, summary: "Give tags to items, and take others from them",
		text: "Annotators never see tags."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ItemTagging]) (ChangedItems, error) {
			return a.changeItems(ctx, c, in.Body.ItemSelection, func(f project.ItemFilter) (int, error) {
				return a.DB.TagItems(ctx, c.id(), c.project, f, postgres.Tagging{Add: in.Body.Add,
					Remove: in.Body.Remove})
			})
		})

	NoteItems = newWrite(endpoint{id: "note-items", method: http.MethodPost, path: "/projects/{project}/items/notes",
		tag: "Items", scope: account.ScopeManage, summary: "Note something about items",
		text: "Annotators never see notes, and notes stay."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ItemNoting]) (ChangedItems, error) {
			return a.changeItems(ctx, c, in.Body.ItemSelection, func(f project.ItemFilter) (int, error) {
				return a.DB.NoteItems(ctx, c.id(), c.project, f, in.Body.Note)
			})
		})

	RestoreItems = newItemAction("restore-items", "restore", "Make archived items available to batches again", "",
		(*postgres.DB).RestoreItems)
	CalibrateItems = newItemAction("calibrate-items", "calibrate", "Make adjudicated items calibration items",
		"The decision and its reason become the reference answers, of a copy if a batch includes the item. All of them or none.",
		(*postgres.DB).CalibrateItems)
)

type itemAction func(*postgres.DB, context.Context, account.ID, project.Project, project.ItemFilter) (int, error)

// newItemAction returns an operation that changes the selected items.
func newItemAction(id, name, summary, text string, change itemAction) Operation[ProjectBody[ItemSelection],
	ChangedItems] {
	return newWrite(endpoint{id: id, method: http.MethodPost, path: "/projects/{project}/items/" + name, tag: "Items",
		scope: account.ScopeManage, summary: summary, text: text},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ItemSelection]) (ChangedItems, error) {
			return a.changeItems(ctx, c, in.Body, func(f project.ItemFilter) (int, error) {
				return change(a.DB, ctx, c.id(), c.project, f)
			})
		})
}

func (a *API) changeItems(ctx context.Context, c caller, s ItemSelection, change func(project.ItemFilter) (int,
	error)) (ChangedItems, error) {
	f, err := a.itemFilter(ctx, c, s)
	if err != nil {
		return ChangedItems{}, err
	}
	count, err := change(f)
	return ChangedItems{count}, err
}
