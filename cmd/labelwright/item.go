package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type itemCommand struct {
	List      itemList      `cmd:"" help:"List and search items."`
	Archive   itemArchive   `cmd:"" help:"Keep items out of all batches from now on."`
	Restore   itemRestore   `cmd:"" help:"Make archived items available to batches again."`
	Calibrate itemCalibrate `cmd:"" help:"Make adjudicated items calibration items."`
}

// itemFilter are the flags that select items, as the Items page filters them.
type itemFilter struct {
	Search    string `placeholder:"TEXT" help:"Words, starts of words or parts of words in texts, ids and metadata; items have all of them."`
	Batch     string `placeholder:"NAME" help:"Only items of this batch."`
	State     string `enum:",unassigned,in_progress,complete,disagreement,adjudicated,calibration,archived" default:"" placeholder:"STATE" help:"Only items in this state: unassigned, in_progress, complete, disagreement, adjudicated, calibration or archived."`
	Condition string `placeholder:"COLUMN=VALUE" help:"Only items with this metadata."`
	Record    string `placeholder:"ID" help:"Only items of this record."`
	Annotator string `placeholder:"PSEUDONYM" help:"Only items that this annotator labeled."`
	Field     string `placeholder:"KEY" help:"Only items with a disagreement on this field."`
	Answer    string `placeholder:"FIELD=VALUE" help:"Only items where an annotator gave this answer."`
	Tied      bool   `help:"Only disagreements without a consensus."`
}

func (f itemFilter) filter() project.ItemFilter {
	return project.ItemFilter{Search: f.Search, Batch: f.Batch, State: project.ItemState(f.State), Condition: f.Condition, RecordID: f.Record,
		Annotator: f.Annotator, Field: f.Field, Answer: f.Answer, TiedOnly: f.Tied}
}

type itemList struct {
	Project string `required:"" help:"Key of the project."`
	itemFilter
	Sort   string `enum:"imported,newest,disagreement,decided" default:"imported" help:"Order: imported, newest, disagreement (largest first; only items with one) or decided (last decision first; only adjudicated items)."`
	Limit  int    `default:"50" help:"Number of items, up to 1000."`
	Cursor string `placeholder:"CURSOR" help:"Where to continue: next_cursor of the page before."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// maxListLimit is the number of items that one command lists.
const maxListLimit = 1000

// An itemEntry is an item in the JSON output.
type itemEntry struct {
	ID                string            `json:"id"`
	RecordID          string            `json:"record_id"`
	Title             string            `json:"title"`
	Preview           string            `json:"preview"`
	Metadata          map[string]string `json:"metadata"`
	Batch             string            `json:"batch"`
	State             project.ItemState `json:"state"`
	Labels            int               `json:"labels"`
	LabelsWanted      int               `json:"labels_wanted"`
	Disagreement      float64           `json:"disagreement"`
	MaxDistance       int               `json:"max_distance"`
	DisagreeingFields []string          `json:"disagreeing_fields"`
	TiedFields        []string          `json:"tied_fields"`
}

// Run prints items as the Items page lists them.
func (l itemList) Run(c *cli, s streams, ctx runContext) error {
	if l.Limit < 1 || l.Limit > maxListLimit {
		return usageError{fmt.Errorf("--limit must be from 1 to %d", maxListLimit)}
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, l.Project)
		if err != nil {
			return err
		}
		page, err := db.ListItems(ctx, operator.ID, p, l.filter(), l.Cursor, l.Limit)
		if err != nil {
			return err
		}
		if l.Format == "json" {
			return printItemsJSON(s, page)
		}
		return printItems(s, page)
	})
}

func (l itemList) filter() project.ItemFilter {
	f := l.itemFilter.filter()
	f.Sort = project.ItemSort(l.Sort)
	return f
}

func printItemsJSON(s streams, page postgres.ItemPage) error {
	entries := make([]itemEntry, len(page.Items))
	for i, item := range page.Items {
		entries[i] = itemEntry{ID: item.SourceID, RecordID: item.RecordID, Title: item.Title, Preview: item.Preview, Metadata: item.Meta, Batch: item.Batch,
			State: item.State, Labels: item.LabelCount, LabelsWanted: item.LabelsWanted, Disagreement: item.Disagreement, MaxDistance: item.MaxDistance,
			DisagreeingFields: emptyList(item.DisagreeingFields), TiedFields: emptyList(item.TiedFields)}
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"items": entries, "next_cursor": page.Next})
}

// emptyList returns a list that JSON shows as [] if it is empty.
func emptyList(list []string) []string { return append([]string{}, list...) }

func printItems(s streams, page postgres.ItemPage) error {
	if len(page.Items) == 0 {
		fmt.Fprintln(s.out, "No items match.")
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ITEM\tID\tBATCH\tSTATE\tLABELS")
	for _, item := range page.Items {
		state := item.State.Text()
		if len(item.DisagreeingFields) > 0 {
			state += " on " + strings.Join(item.DisagreeingFields, ", ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d of %d\n", project.Truncate(item.Name(), 60), item.SourceID, item.Batch, state, item.LabelCount, max(item.LabelCount, item.LabelsWanted))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Next != "" {
		fmt.Fprintf(s.out, "\nMore items: --cursor %s\n", page.Next)
	}
	return nil
}

// chosenItems are items that a command names.
type chosenItems struct {
	Project string   `required:"" help:"Key of the project."`
	IDs     []string `arg:"" name:"id" help:"Ids of the items in their file."`
}

// run calls change with the items, and prints the number that it changed.
func (i chosenItems) run(c *cli, s streams, ctx runContext, done string, change func(*postgres.DB, project.Project, []project.ItemID) (int, error)) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, i.Project)
		if err != nil {
			return err
		}
		ids, err := db.ItemIDs(ctx, p, i.IDs)
		if err != nil {
			return err
		}
		n, err := change(db, p, ids)
		if err == nil {
			fmt.Fprintf(s.out, "%s %s of %s.\n", done, pluralize(n, "item"), p.Key)
		}
		return err
	})
}

type itemArchive struct{ chosenItems }

// Run archives items.
func (i itemArchive) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Archived", func(db *postgres.DB, p project.Project, ids []project.ItemID) (int, error) {
		return db.ArchiveItems(ctx, operator.ID, p, ids)
	})
}

type itemRestore struct{ chosenItems }

// Run restores archived items.
func (i itemRestore) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Restored", func(db *postgres.DB, p project.Project, ids []project.ItemID) (int, error) {
		return db.RestoreItems(ctx, operator.ID, p, ids)
	})
}

type itemCalibrate struct{ chosenItems }

// Run makes copies of adjudicated items calibration items: the decision and its reason are
// the reference.
func (i itemCalibrate) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Copied to calibration:", func(db *postgres.DB, p project.Project, ids []project.ItemID) (n int, err error) {
		for _, id := range slices.Compact(ids) {
			reference, err := db.DecidedReference(ctx, operator.ID, p, id)
			if fault.KindOf(err) == fault.NotFound {
				err = fault.Conflict.Errorf("Only adjudicated items can become calibration items by this command. Adjudicate them first, or use `labelwright reference`.")
			}
			if err == nil {
				err = db.SetReference(ctx, operator.ID, p, id, reference)
			}
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	})
}
