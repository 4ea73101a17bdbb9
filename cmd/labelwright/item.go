package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/api"
)

type itemCommand struct {
	List      itemList      `cmd:"" help:"List and search items."`
	Tag       itemTag       `cmd:"" help:"Give tags to items, and take others from them."`
	Note      itemNote      `cmd:"" help:"Note something about items. Annotators never see notes."`
	Archive   itemArchive   `cmd:"" help:"Keep items out of all batches from now on."`
	Restore   itemRestore   `cmd:"" help:"Make archived items available to batches again."`
	Erase     itemErase     `cmd:"" help:"Erase the texts and the metadata of items. Ids and labels stay."`
	Calibrate itemCalibrate `cmd:"" help:"Make adjudicated items calibration items."`
}

type itemList struct {
	Project string `required:"" help:"Key of the project."`
	itemFilterFlags
	Sort project.ItemSort `enum:"imported,newest,disagreement,decided" default:"imported" help:"Order: imported, newest, disagreement (largest first; only items with one) or decided (last decision first; only adjudicated items)."`
	pageFlags
	resultFlags
}

type itemFilterFlags struct {
	Search     string `placeholder:"TEXT" help:"Words, starts of words or parts of words in texts, ids and metadata; items have all of them."`
	Batch      string `placeholder:"NAME" help:"Only items of this batch."`
	State      string `enum:",unassigned,in_progress,complete,disagreement,adjudicated,earlier_version,calibration,archived" default:"" placeholder:"STATE" help:"Only items in this state: unassigned, in_progress, complete, disagreement, adjudicated, earlier_version, calibration or archived."`
	Condition  string `placeholder:"COLUMN=VALUE" help:"Only items with this metadata."`
	Tag        string `placeholder:"TAG" help:"Only items with this tag."`
	Record     string `placeholder:"ID" help:"Only items of this record."`
	Annotator  string `placeholder:"PSEUDONYM" help:"Only items that this annotator labeled."`
	Field      string `placeholder:"KEY" help:"Only items with a disagreement on this field; with --consensus, whose consensus on it comes from that method."`
	Answer     string `placeholder:"FIELD=VALUE" help:"Only items where an annotator gave this answer."`
	Tied       bool   `help:"Only disagreements without a consensus."`
	Labeled    bool   `help:"Only items with a label."`
	Consensus  string `enum:",adjudicated,majority,median,tie_rule,tie" default:"" placeholder:"METHOD" help:"Only items whose consensus on a field comes from this method: adjudicated, majority, median, tie_rule or tie."`
	Skipped    bool   `help:"Only items that annotators skipped, without those skipped for personal reasons."`
	SkipReason string `enum:",invalid_or_unrealistic,unclear" default:"" placeholder:"REASON" help:"Only items that annotators skipped for this reason: invalid_or_unrealistic or unclear."`
}

// conditions returns what the flags select; nil: they select nothing.
func (l itemFilterFlags) conditions() *api.ItemConditions {
	c := api.ItemConditions{Search: l.Search, Batch: l.Batch, State: project.ItemState(l.State), Condition: l.Condition,
		Tag: l.Tag, Record: l.Record, Annotator: l.Annotator, Field: l.Field, Answer: l.Answer, Tied: l.Tied,
		Labeled: l.Labeled, Consensus: stats.ConsensusMethod(l.Consensus), Skipped: l.Skipped,
		SkipReason: l.SkipReason}
	if c == (api.ItemConditions{}) {
		return nil
	}
	return &c
}

// Run prints items as the Items page lists them.
func (l itemList) Run(c *cli, s streams, ctx runContext) error {
	in := api.ListItemsInput{ProjectPath: projectPath(l.Project), Sort: l.Sort, PageParams: l.params()}
	if matching := l.conditions(); matching != nil {
		in.ItemConditions = *matching
	}
	return printAnswer(c, s, ctx, l.resultFlags, api.ListItems, in, func(page api.ItemList) error {
		return printItems(s, page)
	})
}

func printItems(s streams, page api.ItemList) error {
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
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d of %d\n", project.Truncate(cmp.Or(item.Title, item.SourceID), 60),
			item.SourceID, item.Batch, state, item.LabelsGiven, max(item.LabelsGiven, item.LabelsWanted))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	printCursor(s, "items", page.NextCursor)
	return nil
}

// chosenItems are items that a command names, or all that a filter selects.
type chosenItems struct {
	Project     string   `required:"" help:"Key of the project."`
	IDs         []string `arg:"" optional:"" name:"id" help:"Ids of the items in their file."`
	AllMatching bool     `help:"All items that the options select, instead of ids."`
	itemFilterFlags
	resultFlags
}

// selection returns the items. It reports options that do not go together.
func (i chosenItems) selection() (api.ItemSelection, error) {
	matching := i.conditions()
	if i.AllMatching == (len(i.IDs) > 0) || len(i.IDs) > 0 && matching != nil {
		return api.ItemSelection{}, usageError{errors.New(
			"name the ids of items, or use --all-matching with options that select items")}
	}
	if i.AllMatching && matching == nil {
		matching = &api.ItemConditions{}
	}
	return api.ItemSelection{SourceIDs: i.IDs, Matching: matching}, nil
}

// run changes the items, and prints how many there were.
func (i chosenItems) run(c *cli, s streams, ctx runContext, done string,
	change func(*api.Client, api.ProjectPath, api.ItemSelection) (api.ChangedItems, error)) error {
	selection, err := i.selection()
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		changed, err := change(client, projectPath(i.Project), selection)
		if err != nil {
			return err
		}
		return i.show(s, changed, "%s %s of %s.\n", done, pluralize(changed.Items, "item"), i.Project)
	})
}

type itemArchive struct {
	chosenItems
	Reason string `required:"" help:"Why, for the audit log."`
}

// Run archives items.
func (i itemArchive) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Archived", func(client *api.Client, p api.ProjectPath, items api.ItemSelection) (
		api.ChangedItems, error) {
		return api.ArchiveItems.Call(ctx, client, api.ProjectBody[api.ItemArchiving]{ProjectPath: p,
			Body: api.ItemArchiving{ItemSelection: items, Reason: api.Reason{Reason: i.Reason}}})
	})
}

type itemTag struct {
	chosenItems
	Add    []string `placeholder:"TAG" help:"Tag to give. Repeatable."`
	Remove []string `placeholder:"TAG" help:"Tag to take away. Repeatable."`
}

// Run changes the tags of items.
func (i itemTag) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Tagged", func(client *api.Client, p api.ProjectPath, items api.ItemSelection) (
		api.ChangedItems, error) {
		return api.TagItems.Call(ctx, client, api.ProjectBody[api.ItemTagging]{ProjectPath: p,
			Body: api.ItemTagging{ItemSelection: items, Add: i.Add, Remove: i.Remove}})
	})
}

type itemNote struct {
	chosenItems
	Note string `required:"" help:"What to note."`
}

// Run notes something about items.
func (i itemNote) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Noted", func(client *api.Client, p api.ProjectPath, items api.ItemSelection) (
		api.ChangedItems, error) {
		return api.NoteItems.Call(ctx, client, api.ProjectBody[api.ItemNoting]{ProjectPath: p,
			Body: api.ItemNoting{ItemSelection: items, Note: i.Note}})
	})
}

type itemRestore struct{ chosenItems }

// Run restores archived items.
func (i itemRestore) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Restored", callOnItems(ctx, api.RestoreItems))
}

type itemCalibrate struct{ chosenItems }

// Run makes copies of adjudicated items calibration items: the decision and its reason are
// the reference.
func (i itemCalibrate) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Copied to calibration:", callOnItems(ctx, api.CalibrateItems))
}

func callOnItems(ctx runContext, change api.Operation[api.ProjectBody[api.ItemSelection], api.ChangedItems]) func(
	*api.Client, api.ProjectPath, api.ItemSelection) (api.ChangedItems, error) {
	return func(client *api.Client, p api.ProjectPath, items api.ItemSelection) (api.ChangedItems, error) {
		return change.Call(ctx, client, api.ProjectBody[api.ItemSelection]{ProjectPath: p, Body: items})
	}
}
